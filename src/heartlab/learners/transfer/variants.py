"""What the figures of Banerjee and Stone depend on: sources, opponents, games, heuristics, open questions.

The learners are the paper's, but these comparisons are not: they are controls, except for the paper's remark on the
heuristics of look-ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from heartlab.learners.transfer.series import (
    BASELINE,
    BEYOND_RUNS,
    CONTROL,
    FIGURES,
    HEADLINE,
    LONG,
    WINDOW_HEAD,
    Arm,
    Rewards,
    Source,
    difference,
    everywhere,
    identity_of,
    independent,
    mean_of,
    order_claim,
    searching,
    series,
    several,
    spread,
    suffix,
    transfer,
    under,
    window_row,
)
from heartlab.learners.transfer.settings import STANDARD, Learner, Opponent, Reading, Recording, Settings
from heartlab.learners.transfer.table_1 import PRINTED_VALUES
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Findings, Table
from heartlab.util.statistics import Estimate


def sources(shop: Workshop) -> Findings:
    """Other source values: 3,000 matches of tic-tac-toe, and the printed table."""
    findings, rows = Findings(), []
    for name, (game, opponent) in FIGURES.items():
        control = series(shop, game, opponent, CONTROL)
        for reading in Reading:
            search = series(shop, game, opponent, searching(reading))
            long = series(shop, game, opponent, transfer(reading, LONG, ", 3000"))
            rows.append(_source_row([name, game, opponent.text, "3,000 matches", reading.text], long, search, control))
            if reading == HEADLINE:
                printed = replace(transfer(reading, note=", printed"), source=None, printed=PRINTED_VALUES)
                values = series(shop, game, opponent, printed)
                names = [name, game, opponent.text, "printed values", reading.text]
                rows.append(_source_row(names, values, search, control))
                if opponent != Opponent.EPS_GREEDY:
                    findings.claims.append(
                        order_claim(f"control/sources/{name}-3000-matches", "3,000 source matches: transfer "
                                    f"beats look-ahead, {game} against {opponent.text}", long, search,
                                    f"reading: {reading.text}")
                    )  # fmt: skip
    head = ["figure", "game", "opponent", "source", "reading", "average at 3,000", "minus look-ahead",
            "the same, 1–300", "minus terminal-only"]  # fmt: skip
    findings.tables.append(Table("Transfer with other source values", head, rows))
    return findings


def _source_row(names: list[str], ours: Rewards, search: Rewards, control: Rewards) -> list[str]:
    gaps = [difference(ours, search), difference(ours, search, 1, 300), difference(ours, control)]
    return [*names, spread(mean_of(ours)), *(spread(gap, True) for gap in gaps)]


def blocking(shop: Workshop) -> Findings:
    """An opponent that looks two plies ahead, with look-up: the second configuration of the figures."""
    findings, rows = Findings(), []
    opponent, reading = Opponent.BLOCKING, Reading.LOOK_UP
    source = Source(opponents=(opponent,))
    for name in ("figure-3", "figure-4", "figure-5"):
        game = FIGURES[name][0]
        found = {
            "baseline": series(shop, game, opponent, BASELINE),
            "terminal-only": series(shop, game, opponent, CONTROL),
            "transfer": series(shop, game, opponent, transfer(reading, source)),
            "look-ahead": series(shop, game, opponent, searching(reading)),
        }
        for first, second in (("transfer", "baseline"), ("look-ahead", "transfer"), ("transfer", "terminal-only")):
            findings.claims.append(
                order_claim(f"control/blocking/{game}-{first}-beats-{second}", f"{game}: {first} beats {second}",
                            found[first], found[second], "reading: look-up")
            )  # fmt: skip
        for label, rewards in found.items():
            rows.append([game, *window_row(label, rewards)])
    findings.tables.append(Table("Against the blocking opponent", ["game", *WINDOW_HEAD], rows))
    findings.notes.append("The *blocking* opponent does not leave us a win at the next move.")
    return findings


def other_games(shop: Workshop) -> Findings:
    """Figures 6 and 7 where the features occur: weak and random opponents in Connect-3 and CaptureGo."""
    findings, rows = Findings(), []
    for game in ("connect3", "capturego"):
        for opponent in (Opponent.WEAK, Opponent.RANDOM):
            control = series(shop, game, opponent, CONTROL)
            for reading in Reading:
                ours = series(shop, game, opponent, transfer(reading))
                search = series(shop, game, opponent, searching(reading))
                findings.claims.append(
                    order_claim(f"control/other-games/{game}-{opponent.text}{suffix(reading)}",
                                under(f"transfer beats look-ahead: {game} against {opponent.text}", reading),
                                ours, search, f"reading: {reading.text}")
                )  # fmt: skip
                rows.append([game, opponent.text, reading.text, spread(mean_of(ours)), spread(mean_of(search)),
                             spread(difference(ours, search), True),
                             spread(difference(ours, control), True)])  # fmt: skip
    head = ["game", "opponent", "reading", "transfer", "look-ahead", "difference", "transfer minus terminal-only"]
    findings.tables.append(Table("Average at 3,000", head, rows))
    return findings


# --- the heuristic of look-ahead ---

MATCHING = {Opponent.WEAK: Learner.MAXMAX, Opponent.RANDOM: Learner.AVGMAX}
"""The heuristic that the paper says would suit an opponent."""


def heuristics(shop: Workshop) -> Findings:
    """Look-ahead that assumes that the opponent helps (maxmax) or moves at random (avgmax) instead of minimising."""
    findings, rows = Findings(), []
    for opponent, heuristic in MATCHING.items():
        for reading in Reading:
            ours = series(shop, "othello4", opponent, searching(reading, heuristic))
            search = series(shop, "othello4", opponent, searching(reading))
            features = series(shop, "othello4", opponent, transfer(reading))
            identity = identity_of("heuristics", f"{heuristic.text}-{opponent.text}", reading)
            findings.claims.append(
                order_claim(identity,
                            under(f"Othello against {opponent.text}: {heuristic.text} beats minimax", reading),
                            ours, search,
                            f"reading: {reading.text}; minus transfer: {spread(difference(ours, features), True)}")
            )  # fmt: skip
    reading = Reading.LOOK_UP
    for game in ("connect3", "capturego", "othello4"):
        for opponent in STANDARD:
            arms = {one.text: searching(reading, one) for one in MATCHING.values()}
            found = several(shop, game, opponent, arms, BEYOND_RUNS)
            features = series(shop, game, opponent, transfer(reading))
            search = series(shop, game, opponent, searching(reading))
            runs = len(found["maxmax"])
            found |= {"minimax": search.first(runs), "transfer": features.first(runs)}
            for name, rewards in found.items():
                rows.append([game, opponent.text, *window_row(name, rewards, [found["transfer"]])])
            if opponent in MATCHING:
                name = MATCHING[opponent].text
                findings.claims.append(
                    order_claim(f"control/heuristics/transfer-beats-{name}-{game}-{opponent.text}",
                                f"{game} against {opponent.text}: transfer beats {name}", found["transfer"],
                                found[name], f"{name} suits the opponent; reading: look-up")
                )  # fmt: skip
    head = ["game", "opponent", *WINDOW_HEAD, "minus transfer"]
    findings.tables.append(Table("Heuristics of look-ahead, everything looked up (mean ± 95 %)", head, rows))
    return findings


# --- what the paper leaves open ---


def _unchanged(settings: Settings) -> Settings:
    return settings


@dataclass(frozen=True)
class SetUp:
    """One thing that is done otherwise than in the figures, in the source as well."""

    words: str
    change: Callable[[Settings], Settings] = _unchanged
    games: Mapping[str, str] = field(default_factory=dict)
    """Games that take the place of others; if there are any, only their figures are made."""

    def apply(self, arm: Arm) -> Arm:
        """An arm with this set-up."""
        source = arm.source and replace(arm.source, settings=self.change(arm.source.settings))
        return replace(arm, source=source, settings=self.change(arm.settings))

    def figures(self) -> dict[str, tuple[str, Opponent]]:
        """The figures that are made, with their games and opponents."""
        return {
            name: (self.games.get(game, game), opponent)
            for name, (game, opponent) in FIGURES.items()
            if not self.games or game in self.games
        }


SET_UPS = {
    "second": SetUp("the learner moves second", lambda one: one._replace(role=1)),
    "few-slips": SetUp("eps-greedy and weak opponents move at random once in 100 moves, not in 10",
                       lambda one: one._replace(opponent_epsilon=0.01)),
    "own-and-last": SetUp("own afterstates and the last position are learned, which the paper calls terminal",
                          lambda one: one._replace(recording=Recording.OWN_AND_LAST)),
    "all-plies": SetUp("positions after every move are learned", lambda one: one._replace(recording=Recording.ALL)),
    "suicide": SetUp("suicide is allowed in CaptureGo, and loses", games={"capturego": "capturego-suicide"}),
}  # fmt: skip


def open_questions(shop: Workshop) -> Findings:
    """The figures with one thing done otherwise at a time."""
    findings = Findings()
    rows: dict[Reading, list[list[str]]] = {HEADLINE: [], Reading.LOOK_UP: []}
    for name, set_up in SET_UPS.items():
        faster: dict[str, Estimate] = {}
        ahead: dict[str, Estimate] = {}
        adds: dict[str, Estimate] = {}
        runs = 0
        for figure, (game, opponent) in set_up.figures().items():
            arms = {"baseline": BASELINE, "control": CONTROL}
            for reading in (HEADLINE, Reading.LOOK_UP):
                arms |= {f"transfer {reading.text}": transfer(reading), f"search {reading.text}": searching(reading)}
            chosen = {key: set_up.apply(arm) for key, arm in arms.items()}
            found = several(shop, game, opponent, chosen, BEYOND_RUNS)
            cells = []
            for reading in (HEADLINE, Reading.LOOK_UP):
                ours, search = found[f"transfer {reading.text}"], found[f"search {reading.text}"]
                cells += [difference(ours, other) for other in (found["baseline"], search, found["control"])]
            runs = independent(found[f"transfer {HEADLINE.text}"])
            case = f"{game} against {opponent.text}"
            if opponent == Opponent.EPS_GREEDY:
                faster[case] = cells[0]
            else:
                ahead[case] = cells[1]
            adds[case] = cells[5]
            words = [name, figure, game, opponent.text]
            rows[HEADLINE].append(
                [*words, spread(mean_of(found["baseline"])), *(spread(one, True) for one in cells[:3])]
            )
            rows[Reading.LOOK_UP].append([*words, *(spread(one, True) for one in cells[3:])])
        for what, statement, gaps in (
            ("transfer-beats-baseline", "transfer learns faster than the baseline against eps-greedy", faster),
            ("transfer-beats-look-ahead", "transfer learns faster than look-ahead against weak and random", ahead),
            ("features-add-look-up", "features add to knowing ended games, if they are looked up", adds),
        ):
            if gaps:
                findings.claims.append(
                    everywhere(f"control/open-questions/{name}-{what}", f"{name}: {statement}", gaps,
                               f"mean reward over all matches, reading: {'look-up' if gaps is adds else HEADLINE.text}",
                               runs)
                )  # fmt: skip
    names = ["set-up", "figure", "game", "opponent"]
    shown = ["minus baseline", "minus look-ahead", "minus terminal-only"]
    title = "One thing otherwise at a time, transfer at 3,000 matches (± 95 %)"
    findings.tables += [
        Table(f"{title}: terminal check", [*names, "baseline", *shown], rows[HEADLINE]),
        Table(f"{title}: look-up", [*names, *shown], rows[Reading.LOOK_UP]),
    ]
    findings.notes.append("; ".join(f"*{name}*: {set_up.words}" for name, set_up in SET_UPS.items()) + ".")
    return findings


VARIANTS = [
    Experiment("sources", "transfer with other source values", sources),
    Experiment("blocking", "an opponent that looks two plies ahead", blocking),
    Experiment("other-games", "weak and random opponents in Connect-3 and CaptureGo", other_games),
    Experiment("heuristics", "look-ahead with maxmax and avgmax instead of minimax", heuristics),
    Experiment("open-questions", "roles, slips of opponents, recorded positions and suicide: one thing otherwise at a "
               "time", open_questions),
]  # fmt: skip
