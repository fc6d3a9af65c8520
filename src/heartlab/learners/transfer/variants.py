"""What the figures of Banerjee and Stone depend on: sources, opponents, games, heuristics, open questions.

The learners are the paper's, but the paper did not compare them so: these are controls, except for its remark on the
heuristics of look-ahead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from heartlab.learners.transfer.orders import (
    BASELINE,
    FIGURES,
    HEADLINE,
    LONG,
    READINGS,
    everywhere,
    identity_of,
    look_ahead,
    order_claim,
    suffix,
    transfer,
)
from heartlab.learners.transfer.parts import (
    BEYOND_RUNS,
    CONTROL,
    WINDOW_HEAD,
    Learner,
    OtherSource,
    Rewards,
    Source,
    difference,
    mean_of,
    series,
    several,
    spread,
    window_row,
)
from heartlab.learners.transfer.table_1 import PRINTED_VALUES
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Findings, Table
from heartlab.util.statistics import Estimate


def sources(shop: Workshop) -> Findings:
    """Other source values: 3,000 matches of tic-tac-toe, and the printed table."""
    findings, rows = Findings(), []
    for name, (game, opponent) in FIGURES.items():
        control = series(shop, game, opponent, CONTROL)
        for reading in READINGS:
            search = series(shop, game, opponent, look_ahead(reading))
            long = series(shop, game, opponent, transfer(reading, LONG, ", 3000"))
            rows.append(_source_row(name, game, opponent, "3,000 matches", reading, long, search, control))
            if reading == HEADLINE:
                printed = Learner(f"transfer, {reading}, printed", "transfer", reading, printed=PRINTED_VALUES)
                values = series(shop, game, opponent, printed)
                rows.append(_source_row(name, game, opponent, "printed values", reading, values, search, control))
                if opponent != "eps-greedy":
                    findings.claims.append(
                        order_claim(f"control/sources/{name}-3000-matches", "with values from 3,000 source matches "
                                    f"transfer learns faster than look-ahead in {game} against {opponent}", long,
                                    search, f"reading: {reading}")
                    )  # fmt: skip
    head = ["figure", "game", "opponent", "source", "reading", "average at 3,000", "minus look-ahead",
            "the same, 1–300", "minus terminal-only"]  # fmt: skip
    findings.tables.append(Table("Transfer with other source values", head, rows))
    return findings


def _source_row(
    name: str, game: str, opponent: str, source: str, reading: str, ours: Rewards, search: Rewards, control: Rewards
) -> list[str]:
    gaps = [difference(ours, search), difference(ours, search, 1, 300), difference(ours, control)]
    return [name, game, opponent, source, reading, spread(mean_of(ours)), *(spread(gap, True) for gap in gaps)]


def blocking(shop: Workshop) -> Findings:
    """An opponent that looks two plies ahead, with look-up: the second configuration of the figures."""
    findings, rows = Findings(), []
    source = Source(opponents=("blocking",))
    for name in ("figure-3", "figure-4", "figure-5"):
        game = FIGURES[name][0]
        found = {
            "baseline": series(shop, game, "blocking", BASELINE),
            "terminal-only": series(shop, game, "blocking", CONTROL),
            "transfer": series(shop, game, "blocking", transfer("look-up", source)),
            "look-ahead": series(shop, game, "blocking", look_ahead("look-up")),
        }
        for first, second in (("transfer", "baseline"), ("look-ahead", "transfer"), ("transfer", "terminal-only")):
            findings.claims.append(
                order_claim(f"control/blocking/{game}-{first}-beats-{second}", f"{first} is better than {second} in "
                            f"{game} against an opponent that does not leave us a win", found[first], found[second],
                            "reading: look-up")
            )  # fmt: skip
        for label, rewards in found.items():
            rows.append([game, *window_row(label, rewards)])
    findings.tables.append(Table("Against the blocking opponent", ["game", *WINDOW_HEAD], rows))
    return findings


def other_games(shop: Workshop) -> Findings:
    """Figures 6 and 7 where the features occur: weak and random opponents in Connect-3 and CaptureGo."""
    findings, rows = Findings(), []
    for game in ("connect3", "capturego"):
        for opponent in ("weak", "random"):
            control = series(shop, game, opponent, CONTROL)
            for reading in READINGS:
                ours = series(shop, game, opponent, transfer(reading))
                search = series(shop, game, opponent, look_ahead(reading))
                findings.claims.append(
                    order_claim(f"control/other-games/{game}-{opponent}{suffix(reading)}",
                                f"transfer learns faster than look-ahead in {game} against {opponent}", ours, search,
                                f"reading: {reading}")
                )  # fmt: skip
                rows.append([game, opponent, reading, spread(mean_of(ours)), spread(mean_of(search)),
                             spread(difference(ours, search), True),
                             spread(difference(ours, control), True)])  # fmt: skip
    head = ["game", "opponent", "reading", "transfer", "look-ahead", "difference", "transfer minus terminal-only"]
    findings.tables.append(Table("Average at 3,000", head, rows))
    return findings


# --- the heuristic of look-ahead ---

MATCHING = {"weak": "maxmax", "random": "avgmax"}
"""The heuristic that the paper says would suit an opponent."""


def heuristics(shop: Workshop) -> Findings:
    """Look-ahead that takes its opponent to help (maxmax) or to move at random (avgmax) instead of to minimise."""
    findings, rows = Findings(), []
    for opponent, heuristic in MATCHING.items():
        for reading in READINGS:
            ours = series(shop, "othello4", opponent, Learner(f"{heuristic}, {reading}", heuristic, reading))
            search = series(shop, "othello4", opponent, look_ahead(reading))
            features = series(shop, "othello4", opponent, transfer(reading))
            findings.claims.append(
                order_claim(identity_of("heuristics", f"{heuristic}-{opponent}", reading), f"against the {opponent} "
                            f"opponent look-ahead with {heuristic} learns faster than with minimax, in Othello", ours,
                            search, f"reading: {reading}; minus transfer: {spread(difference(ours, features), True)}")
            )  # fmt: skip
    for game in ("connect3", "capturego", "othello4"):
        for opponent in ("eps-greedy", "random", "weak"):
            learners = {name: Learner(f"{name}, look-up", name, "look-up") for name in MATCHING.values()}
            found = several(shop, game, opponent, learners, BEYOND_RUNS)
            features = series(shop, game, opponent, transfer("look-up"))
            search = series(shop, game, opponent, look_ahead("look-up"))
            runs = len(found["maxmax"])
            found |= {"minimax": search.first(runs), "transfer": features.first(runs)}
            for name, rewards in found.items():
                rows.append([game, opponent, *window_row(name, rewards, [found["transfer"]])])
            if opponent in MATCHING:
                name = MATCHING[opponent]
                findings.claims.append(
                    order_claim(f"control/heuristics/transfer-beats-{name}-{game}-{opponent}", "transfer is better "
                                f"than look-ahead with {name}, which suits the opponent: {game} against {opponent}",
                                found["transfer"], found[name], "reading: look-up")
                )  # fmt: skip
    head = ["game", "opponent", *WINDOW_HEAD, "minus transfer"]
    findings.tables.append(Table("Heuristics of look-ahead, everything looked up (mean ± 95 %)", head, rows))
    return findings


# --- what the paper leaves open ---


@dataclass(frozen=True)
class SetUp:
    """One thing that is done otherwise than in the figures, in the source as well."""

    words: str
    options: Mapping[str, Any] = field(default_factory=dict)
    games: Mapping[str, str] = field(default_factory=dict)
    """Games that take the place of others; if there are any, only their figures are made."""

    def apply(self, learner: Learner) -> Learner:
        """A learner, set up so."""
        source = learner.source
        if source is not None and self.options:
            source = OtherSource(source.games, source.matches, source.runs, options=self.options)
        return replace(learner, source=source, options={**learner.options, **self.options})

    def figures(self) -> dict[str, tuple[str, str]]:
        """The figures that are made, with their games and opponents."""
        return {
            name: (self.games.get(game, game), opponent)
            for name, (game, opponent) in FIGURES.items()
            if not self.games or game in self.games
        }


SET_UPS = {
    "second": SetUp("the learner moves second", {"role": 1}),
    "few-slips": SetUp("eps-greedy and weak opponents move at random once in 100 moves, not in 10",
                       {"opponent_epsilon": 0.01}),
    "own-and-last": SetUp("only own afterstates and the last position are learned", {"recording": "own-and-last"}),
    "own": SetUp("only own afterstates are learned", {"recording": "own"}),
    "suicide": SetUp("suicide is allowed in CaptureGo, and loses", games={"capturego": "capturego-suicide"}),
}  # fmt: skip


def open_questions(shop: Workshop) -> Findings:
    """The figures with one thing done otherwise at a time."""
    findings, rows = Findings(), []
    for name, set_up in SET_UPS.items():
        faster: dict[str, Estimate] = {}
        ahead: dict[str, Estimate] = {}
        adds: dict[str, Estimate] = {}
        for figure, (game, opponent) in set_up.figures().items():
            learners = {"baseline": BASELINE, "control": CONTROL}
            for reading in (HEADLINE, "look-up"):
                learners |= {f"transfer {reading}": transfer(reading), f"search {reading}": look_ahead(reading)}
            chosen = {key: set_up.apply(learner) for key, learner in learners.items()}
            found = several(shop, game, opponent, chosen, BEYOND_RUNS)
            cells = []
            for reading in (HEADLINE, "look-up"):
                ours, search = found[f"transfer {reading}"], found[f"search {reading}"]
                cells += [difference(ours, other) for other in (found["baseline"], search, found["control"])]
            case = f"{game} against {opponent}"
            if opponent == "eps-greedy":
                faster[case] = cells[0]
            else:
                ahead[case] = cells[1]
            adds[case] = cells[5]
            rows.append([name, figure, game, opponent, spread(mean_of(found["baseline"])),
                         *(spread(cell, True) for cell in cells)])  # fmt: skip
        for what, statement, gaps in (
            ("transfer-beats-baseline", "transfer learns faster than the baseline against eps-greedy", faster),
            ("transfer-beats-look-ahead", "transfer learns faster than look-ahead against weak and random", ahead),
            ("features-add-look-up", "features add to knowing ended games, if they are looked up", adds),
        ):
            if gaps:
                findings.claims.append(
                    everywhere(f"control/open-questions/{name}-{what}", f"{statement}, if {set_up.words}", gaps,
                               f"mean reward over all matches, reading: {'look-up' if gaps is adds else HEADLINE}")
                )  # fmt: skip
    short = ["minus baseline", "minus look-ahead", "minus terminal-only"]
    head = ["set-up", "figure", "game", "opponent", "baseline", *(f"transfer {one}" for one in short),
            *(f"with look-up: {one}" for one in short)]  # fmt: skip
    findings.tables.append(Table("One thing otherwise at a time: average at 3,000 (± 95 %)", head, rows))
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
