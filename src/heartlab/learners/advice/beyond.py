"""Beyond the advice paper: what it names as missing or as future work, and how much each step adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from heartlab.learners.advice.controls import by_hand, difference
from heartlab.learners.advice.games import Sitter, constant, sitter
from heartlab.learners.advice.parts import (
    GAMES,
    Learner,
    Scores,
    gaps,
    marks_of,
    mean_points,
    net_learner,
    points_text,
    spread,
    tabular_learner,
    tournaments,
    train_learner,
)
from heartlab.learners.advice.vote_trainer import VoteParameters, VoteTrainer, climb
from heartlab.reproduction.claims import Claim, above
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Findings, Table
from heartlab.reproduction.series import Study, train_runs
from heartlab.rules import Rules
from heartlab.training.recipes import Learning
from heartlab.util.statistics import Estimate, FloatArray, estimate

BAR = 4.5
"""Points per game by which VOTING is to be beaten."""
VOTE_GAMES = {"paper": 500_000, "pilot": 500_000, "all": 700_000}
"""Training games for the vote, by the advice that is heard."""
QUICK_GAMES = 20_000
GNOME_GAMES = 20_000
RUN_GAMES = 40_000
"""Games of a tournament of one of ten runs; where there are fewer runs they play more."""
PLAIN = {"choice": "sum", "hidden": 0}
"""Part of the key of earlier runs: cards are chosen by the sum of weights, and there is no hidden layer."""
FURTHER = {
    "J♦": "paper+take-bonus+keep-bonus+fetch-bonus",
    "the moon": "paper+go-for-moon+stop-moon+deny-moon",
}
"""The nine pieces with advice that the paper itself names as missing, by what that is about."""
FOUR_RULES = "standard"
FOUR_GAMES = 200_000
FOUR_PARTNERS = "gnome+gnome+gnome/self+gnome+gnome/self+self+self"


@dataclass(frozen=True)
class VoteStudy(Study):
    """Training runs of the vote: `weights` in the end."""

    name: str
    settings: VoteParameters
    marks: tuple[int, ...]

    def part_name(self, run: int) -> str:
        return f"vote {self.name} {run}"

    def key(self, run: int) -> Mapping[str, Any]:
        return {**PLAIN, **asdict(self.settings), "games": self.marks[-1], "run": run}

    def trainer(self, seed: int) -> Learning:
        return VoteTrainer(self.settings, seed)

    def at_end(self, trainer: Learning) -> Mapping[str, Any]:
        return {"weights": trainer.checkpoint()["weights"]}


def train_votes(workshop: Workshop, name: str, settings: VoteParameters, runs: int, full: int) -> list[Sitter]:
    """Learn the vote several times; `full` is the number of games unless in quick mode."""
    games = workshop.size(full, QUICK_GAMES)
    settings = replace(settings, horizon=games, test_every=10**9)
    parts = train_runs(workshop, VoteStudy(name, settings, (games,)), runs)
    learner = VoteTrainer(settings, 0).learner
    return [replace(learner, weights=part["weights"]) for part in parts]


def _first_learners(workshop: Workshop, learner: Learner, runs: int) -> list[Sitter]:
    """The first learner of each of several runs, at its end."""
    marks = marks_of(workshop, 100_000)
    return [learner.sitter(run["snapshots"][-1][0]) for run in train_learner(workshop, learner, runs, marks)]


def field_gaps(scores: Sequence[Scores]) -> Estimate:
    """Mean of all others minus the player: over runs, or over the games of the only one."""
    if len(scores) == 1 and scores[0].field is not None:
        return scores[0].field
    return estimate(np.array([one.means[1:].mean() - one.means[0] for one in scores]))


def best_constant(workshop: Workshop) -> FloatArray:
    """Nine constant weights by hill climbing."""
    steps, games = workshop.size(120, 4), workshop.size(20_000, 500)
    others = [sitter("voting"), sitter("random")]

    def work() -> dict[str, FloatArray]:
        weights = climb(
            Rules.parse("advice"), by_hand(), "paper", others, workshop.seed, steps, games,
            lambda means: float(means[1] - means[0]),
        )  # fmt: skip
        return {"weights": weights}

    return workshop.part("climb paper", {"steps": steps, "games": games}, work)["weights"]


def _players(workshop: Workshop, pieces: int, votes: int) -> dict[str, Sequence[Sitter]]:
    """All that is compared, by its name in the table: one player, or one of each training run."""
    runs = workshop.size(10, 3)
    joint = {"partners": "mixed", "rule": "joint", "rate": 0.01, "trace": 1.0, "initial": 0.12}
    kinds: dict[str, Sequence[Sitter]] = {"nine pieces, VOTING": [sitter("voting")]}
    for name, further in FURTHER.items():
        kinds[f"nine pieces and {name}, VOTING"] = [sitter(f"voting-{further}")]
    for name, learner in (
        ("nine pieces, LEARNER-T", tabular_learner("T")),
        ("nine pieces, TD(λ), λ = 0.8", tabular_learner("T-lambda", trace=0.8, test=0)),
        ("nine pieces, TD(0), mixed partners", tabular_learner("T-mixed", partners="mixed", test=0)),
        ("nine pieces, joint rule, λ = 1, mixed", tabular_learner("T-joint", test=0, **joint)),
        (
            "nine pieces, joint rule, λ = 1, two RANDOM",
            tabular_learner("T-joint-random", test=0, **joint | {"partners": "random+random"}),
        ),
        (
            "nine pieces, TD(λ), λ = 1, rate 0.01, mixed",
            tabular_learner("T-mixed-slow", test=0, partners="mixed", rate=joint["rate"], trace=joint["trace"]),
        ),
    ):
        kinds[name] = _first_learners(workshop, learner, runs)
    kinds["nine pieces, LEARNER-N, self-play"] = _first_learners(workshop, net_learner("N-self"), runs)
    kinds["nine pieces, constant by hill climbing"] = [constant(best_constant(workshop))]
    kinds["twenty pieces, VOTING"] = [sitter("voting-pilot")]
    kinds[f"{pieces} pieces, VOTING"] = [sitter("voting-all")]
    kinds[f"{pieces} pieces, LEARNER-T"] = _first_learners(
        workshop, tabular_learner("T-all", advice="all", test=0), runs
    )
    return kinds | _learned_votes(workshop, pieces, votes)


def _learned_votes(workshop: Workshop, pieces: int, votes: int) -> dict[str, Sequence[Sitter]]:
    """Votes learned over each stock of advice, by name."""
    kinds: dict[str, Sequence[Sitter]] = {}
    for name, further in FURTHER.items():
        kinds[f"nine pieces and {name}, vote learned, constant"] = train_votes(
            workshop, f"{name} constant", VoteParameters(advice=further, state="none"), votes, VOTE_GAMES["paper"]
        )
    for words, advice in (("nine", "paper"), ("twenty", "pilot"), (str(pieces), "all")):
        for how, state in (("constant", "none"), ("by state", "play")):
            settings = VoteParameters(advice=advice, state=state)
            kinds[f"{words} pieces, vote learned, {how}"] = train_votes(
                workshop, f"{advice} {how}", settings, votes, VOTE_GAMES[advice]
            )
    return kinds


def _table(
    workshop: Workshop, kinds: Mapping[str, Sequence[Sitter]], votes: int
) -> tuple[dict[str, list[Scores]], list[list[str]]]:
    """The scores of each against VOTING and RANDOM, and the rows of the table, which also have those against gnome."""
    scores: dict[str, list[Scores]] = {}
    rows: list[list[str]] = []
    for name, players in kinds.items():
        games = workshop.size(RUN_GAMES if len(players) > votes else GAMES, 2_000)
        one_only = len(players) == 1
        scores[name] = tournaments(workshop, f"beyond {name}", players, games=games, settings=name)
        gnome = tournaments(
            workshop,
            f"gnome {name}",
            players,
            others=("gnome", "gnome"),
            games=workshop.size(GNOME_GAMES, 2_000),
            settings=name,
            field=one_only,
        )
        rows.append(
            [
                name,
                points_text(mean_points(scores[name])),
                spread(scores[name][0].gap if one_only else gaps(scores[name])),
                spread(field_gaps(gnome)),
            ]
        )
    return scores, rows


def _claims(
    workshop: Workshop, kinds: Mapping[str, Sequence[Sitter]], scores: Mapping[str, list[Scores]], pieces: int
) -> list[Claim]:
    """Against VOTING, against constant weights, and what matters most."""
    votes = len(kinds[f"{pieces} pieces, vote learned, by state"])
    constant_name, state_name = f"{pieces} pieces, vote learned, constant", f"{pieces} pieces, vote learned, by state"
    by_state, fixed = gaps(scores[state_name]), gaps(scores[constant_name])
    best = int(np.argmax([one.gap.mean for one in scores[constant_name]]))
    large = workshop.size(200_000, 4_000)
    champion = tournaments(workshop, "best constant", [kinds[constant_name][best]], games=large, settings="best")[0].gap
    challenger = tournaments(workshop, "by state again", kinds[state_name], games=large, settings="again")
    worst = min((one.gap for one in challenger), key=lambda gap: gap.mean)
    advice_gain = difference(scores[f"{pieces} pieces, VOTING"][0].gap, scores["nine pieces, VOTING"][0].gap)
    weight_gain = difference(gaps(scores["nine pieces, vote learned, by state"]), scores["nine pieces, VOTING"][0].gap)
    return [
        Claim(
            "beyond/beats-voting",
            f"more advice and a learned vote beat nine-piece VOTING by {BAR} points per game",
            None,
            by_state.mean,
            by_state.ci95,
            by_state.n,
            above(by_state.ci95, BAR),
            f"V − L over runs, each {scores[state_name][0].gap.n:,} games; constant weights: {spread(fixed)}",
            by_state.n,
        ),
        Claim(
            "beyond/state-beats-constant",
            "state-dependent weights beat the best constant weights over the same pieces",
            None,
            worst.mean - champion.mean,
            difference(worst, champion).ci95,
            large,
            above((worst.ci95[0] - champion.ci95[1], worst.ci95[1] - champion.ci95[0])),
            f"worst of {votes} state-dependent runs {spread(worst)} against the best of {votes} constant runs "
            f"{spread(champion)}, fresh games; the verdict asks for intervals that do not overlap",
            votes,
        ),
        Claim(
            "beyond/advice-matters-most",
            "more pieces of advice are worth more than learned weights for the nine",
            None,
            advice_gain.mean - weight_gain.mean,
            difference(advice_gain, weight_gain).ci95,
            votes,
            above(difference(advice_gain, weight_gain).ci95),
            f"over VOTING with nine pieces VOTING with {pieces} gains {advice_gain.mean:.2f}, the vote learned by "
            f"state over nine {weight_gain.mean:.2f}",
            votes,
        ),
    ]


def beyond(workshop: Workshop) -> Findings:
    """More advice, other learning rules, other partners: each against VOTING and against gnome."""
    votes = workshop.size(5, 2)
    pieces = len(sitter("voting-all").weights)
    kinds = _players(workshop, pieces, votes)
    scores, rows = _table(workshop, kinds, votes)
    claims = _claims(workshop, kinds, scores, pieces)
    head = ["player", "L / V / R", "V − L [95 %] (n)", "two gnome − L"]
    notes = ["The last column has two gnome at the table instead of VOTING and RANDOM, under the same rules."]
    return Findings(claims, [Table("What each adds, three-player game", head, rows)], notes=notes)


def four_players(workshop: Workshop) -> Findings:
    """The standard game: four players, passing, the moon counted against the others."""
    runs = 2
    settings = VoteParameters(
        rules=FOUR_RULES, partners=FOUR_PARTNERS, testers="gnome+gnome+gnome", test=0, relative=1.0
    )
    fixed = replace(settings, state="none")
    kinds = {
        "VOTING, nine pieces": [sitter("voting")],
        "VOTING, all pieces": [sitter("voting-all")],
        "vote learned, constant": train_votes(workshop, "four constant", fixed, runs, FOUR_GAMES),
        "vote learned, by state": train_votes(workshop, "four state", settings, runs, FOUR_GAMES),
    }
    rows, found = [], {}
    for name, players in kinds.items():
        scores = tournaments(
            workshop,
            f"four {name}",
            players,
            rules=FOUR_RULES,
            others=("gnome",) * 3,
            settings=name,
            field=len(players) == 1,
        )
        found[name] = field_gaps(scores)
        rows.append([name, points_text(mean_points(scores)), spread(found[name])])
    gap = found["vote learned, by state"]
    claim = Claim(
        "four-players/beats-gnome",
        "weighed advice beats gnome in the standard four-player game",
        None,
        gap.mean,
        gap.ci95,
        gap.n,
        above(gap.ci95),
        "mean of three gnome minus the learner, points per deal, one learner at the table; passing like gnome:jake; "
        f"{gap.n} runs, which is few for an interval",
        gap.n,
    )
    return Findings([claim], [Table("One player among three gnome", ["player", "L / gnome", "gnome − L"], rows)])
