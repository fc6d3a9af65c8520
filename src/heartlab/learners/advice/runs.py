"""Runs of the advice paper's learners, as units: a learner is trained, judged at some marks, and numbers are left.

Every mark is judged twice, on different games: the first choose the best mark of a run, the second say how good it is.
Learners with the same number play the same deals. The networks of one self-play run count as one: their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from heartlab.learners.advice.games import Sitter, sitter, tournament
from heartlab.learners.advice.parts import Learner, LearnerStudy, net_learner, tabular_learner
from heartlab.learners.advice.pieces import GET_LEAD
from heartlab.learners.advice.trainer import CHUNK, make_learner
from heartlab.learners.advice.vote import NET
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve
from heartlab.reproduction.series import run_seed, train_study
from heartlab.reproduction.units import run_units
from heartlab.rules import Rules
from heartlab.util.statistics import FloatArray, estimate

RUNS = 30
"""Independent runs of every learner; the paper shows one or three."""
MARKS = (1_000, 3_000, 10_000, 30_000, 50_000, 70_000, 100_000)
"""Training games after which a learner is judged."""
TEN, THIRTY = MARKS.index(10_000), MARKS.index(30_000)
LEARNERS = {
    "T, RANDOM": tabular_learner("T"),
    "T, VOTING": tabular_learner("T-voting", partners="voting+voting", test=0),
    "T, self-play": tabular_learner("T-self", partners="self+self", testers="voting+voting"),
    "N, RANDOM": net_learner("N-random", partners="random+random", testers="voting+random"),
    "N, VOTING": net_learner("N-voting", partners="voting+voting", test=0),
    "N, self-play": net_learner("N-self"),
}
"""LEARNER-T and LEARNER-N with all partners that the paper names."""
MARK_GAMES, END_GAMES = (20_000, 500), (100_000, 1_000)
"""Games by which a learner is judged at a mark, and each of its instances at the end; the same of a quick run."""
MARGIN = 0.1
"""Points per game that are worth mentioning."""
SIMILAR = 0.3
"""Points per game that still are similar, or almost identical, where the paper says so: half of its mean gain."""
SCORING = "scoring inferred"
"""For all claims in points; the paper does not print how games are scored."""
FITTED = "initial value of LEARNER-T 0.36, not printed"
"""For claims about LEARNER-T: the value was chosen after 0.5 had failed."""


COLOURS = {
    "LEARNER-T": 0, "LEARNER-N": 3, "VOTING": 1, "RANDOM": 2, "VOTING after it": 1, "VOTING before it": 4,
}  # fmt: skip
"""The players look the same in all figures."""


def marks_for(shop: Workshop) -> tuple[int, ...]:
    """The marks of a run."""
    return (1_000, 2_000, 3_000, 4_000) if shop.quick else MARKS


def play_judge(learner: Sitter, seed: int, purpose: str, games: int, rules: str = "advice") -> list[float]:
    """Points of a player, VOTING and RANDOM, who swap seats, and the standard error of V − L."""
    points = tournament(Rules.parse(rules), learner, [sitter("voting"), sitter("random")], seed, purpose, games)
    gap = estimate((points[:, 1] - points[:, 0]).astype(np.float64))
    return [*points.mean(axis=0).tolist(), gap.se]


def learner_units(shop: Workshop, learner: Learner, runs: int | None = None) -> list[Unit]:
    """What every run of a learner showed.

    A unit has `marks` and `fresh` [marks, 4] (points of learner, VOTING, RANDOM, the standard error of V − L), `ends`
    [instances, 4], for networks `untrained` [instances, 4] and `lead` [marks], and with tests the `curve` [blocks, 3].
    """
    marks = marks_for(shop)
    sizes = {"mark": shop.size(*MARK_GAMES), "end": shop.size(*END_GAMES)}

    def work(shop: Workshop, run: int) -> Unit:
        seed = run_seed(shop, run)
        trained = train_study(LearnerStudy(learner, marks), seed)
        first = [learner.sitter(row[0]) for row in trained["snapshots"]]
        found: Unit = {
            "marks": [play_judge(one, seed, f"mark {at}", sizes["mark"]) for at, one in enumerate(first)],
            "fresh": [play_judge(one, seed, f"fresh {at}", sizes["mark"]) for at, one in enumerate(first)],
            "ends": [
                play_judge(learner.sitter(weights), seed, f"end {at}", sizes["end"])
                for at, weights in enumerate(trained["snapshots"][-1])
            ],
        }
        if learner.settings.test:
            found["curve"] = trained["curve"]
        if learner.kind == NET:
            fresh = [make_learner(learner.kind, learner.settings, seed, at) for at in range(len(found["ends"]))]
            found["untrained"] = [play_judge(one, seed, f"end {at}", sizes["mark"]) for at, one in enumerate(fresh)]
            found["lead"] = [lead_preference(learner, row[0]) for row in trained["snapshots"]]
        return found

    settings = {**sizes, "marks": marks, "kind": learner.kind, "learner": asdict(learner.settings)}
    return run_units(shop, f"LEARNER {learner.name}", settings, runs or shop.size(RUNS, 3), work)


def lead_preference(learner: Learner, weights: FloatArray) -> float:
    """The weight that a network gives to get-lead when a deal begins, minus the mean of all other weights."""
    inputs, hidden = len(learner.settings.inputs), learner.settings.hidden
    first = weights[: hidden * (inputs + 1)].reshape(hidden, inputs + 1)
    second = weights[hidden * (inputs + 1) :].reshape(-1, hidden + 1)
    units = 1 / (1 + np.exp(-first[:, -1]))
    out = 1 / (1 + np.exp(-(second[:, :-1] @ units + second[:, -1])))
    return float(out[GET_LEAD] - np.delete(out, GET_LEAD).mean())


# --- numbers of units ---


def mark_games(shop: Workshop, units: Sequence[Unit]) -> int:
    """Games behind what the runs show at one mark."""
    return len(units) * shop.size(*MARK_GAMES)


def end_games(shop: Workshop, units: Sequence[Unit], which: str = "ends") -> int:
    """Games behind what the runs show at their end, or `untrained`: those of all instances."""
    return sum(len(unit[which]) for unit in units) * shop.size(*(END_GAMES if which == "ends" else MARK_GAMES))


def gap_at(units: Sequence[Unit], mark: int, which: str = "marks") -> FloatArray:
    """V − L of each run at a mark."""
    return np.array([unit[which][mark][1] - unit[which][mark][0] for unit in units])


def end_gaps(units: Sequence[Unit], which: str = "ends") -> FloatArray:
    """V − L of each run at its end: the mean of its instances."""
    return np.array([np.mean([row[1] - row[0] for row in unit[which]]) for unit in units])


def end_points(units: Sequence[Unit]) -> FloatArray:
    """Points of learner, VOTING and RANDOM at the end of each run, [runs, 3]: means of its instances."""
    return np.array([np.mean(unit["ends"], axis=0)[:3] for unit in units])


def best_marks(units: Sequence[Unit]) -> list[int]:
    """The best mark of each run, by the games of `marks`."""
    return [int(np.argmax([row[1] - row[0] for row in unit["marks"]])) for unit in units]


def peak_gaps(units: Sequence[Unit]) -> FloatArray:
    """V − L of each run at its best mark, on games that did not choose it."""
    chosen = zip(units, best_marks(units), strict=True)
    return np.array([unit["fresh"][mark][1] - unit["fresh"][mark][0] for unit, mark in chosen])


def points_behind(points: FloatArray) -> FloatArray:
    """How far RANDOM is behind the worse of the two others, run by run."""
    return np.asarray(points[:, 2] - points[:, :2].max(axis=1))


def tested_curves(units: Sequence[Unit], labels: Sequence[str], places: Sequence[int]) -> list[Curve]:
    """Cumulative average test points over training games, for some seats."""
    curves = np.array([unit["curve"] for unit in units])
    games = CHUNK * np.arange(1, curves.shape[1] + 1)
    return [
        replace(Curve.over_runs(label, games, curves[:, :, place].tolist()), colour=COLOURS[label])
        for label, place in zip(labels, places, strict=True)
    ]


def blocks_of(units: Sequence[Unit]) -> FloatArray:
    """The points of each test block from cumulative averages, [runs, blocks, seats]."""
    curves: Any = np.array([unit["curve"] for unit in units])
    counts = np.arange(1, curves.shape[1] + 1)[None, :, None]
    return np.asarray(np.diff(curves * counts, axis=1, prepend=0.0))
