"""The parts of the experiments of the advice paper: training runs with snapshots, and tournaments.

A run trains a learner with interleaved frozen tests and keeps its weights at some marks. A tournament plays a player
with frozen weights against one VOTING and one RANDOM, who swap seats after half of the games. Most claims are about
V − L, the points of VOTING minus those of the learner in the same games: positive means that the learner is better.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.learners.advice.games import Sitter, sitter, tournament
from heartlab.learners.advice.trainer import AdviceParameters, AdviceTrainer, NetParameters, make_learner
from heartlab.learners.advice.vote import NET, TABULAR
from heartlab.reproduction.parts import PartWork, Workshop
from heartlab.reproduction.series import Study, train_runs
from heartlab.rules import Rules
from heartlab.training.recipes import Learning, Metrics
from heartlab.util.bundle import Arrays
from heartlab.util.statistics import Estimate, FloatArray, estimate

MARKS = (1_000, 3_000, 10_000, 30_000, 100_000)
"""Training games after which weights are kept."""
QUICK_MARKS = (1_000, 4_000)
GAMES = 100_000
"""Games of a tournament, as in the paper."""


@dataclass(frozen=True)
class Learner:
    """A learner to be trained several times."""

    name: str
    kind: int
    settings: AdviceParameters

    def sitter(self, weights: FloatArray) -> Sitter:
        """The learner with given weights."""
        return replace(make_learner(self.kind, self.settings, 0), weights=np.ascontiguousarray(weights))


def tabular_learner(name: str, **changes: Any) -> Learner:
    """LEARNER-T with changed parameters."""
    return Learner(name, TABULAR, AdviceParameters(**changes))


def net_learner(name: str, **changes: Any) -> Learner:
    """LEARNER-N with changed parameters."""
    return Learner(name, NET, NetParameters(**changes))


def marks_of(workshop: Workshop, last: int = MARKS[-1]) -> tuple[int, ...]:
    """The marks of a run that ends with the last of them."""
    return QUICK_MARKS if workshop.quick else tuple(mark for mark in MARKS if mark <= last)


@dataclass(frozen=True)
class LearnerStudy(Study):
    """Training runs: `snapshots` [marks, instances, weights], `curve` [chunks, seats]."""

    learner: Learner
    marks: tuple[int, ...]
    curve_name = "curve"

    def part_name(self, run: int) -> str:
        return f"train {self.learner.name} {run}"

    def key(self, run: int) -> Mapping[str, Any]:
        settings = asdict(self.learner.settings)
        return {"learner": settings, "kind": self.learner.kind, "marks": list(self.marks), "run": run}

    def trainer(self, seed: int) -> Learning:
        return AdviceTrainer(self.learner.kind, self.learner.settings, seed)

    def curve(self, line: Metrics) -> list[float] | None:
        settings = self.learner.settings
        return [line[f"average_{i}"] for i in range(settings.game.players)] if settings.test else None

    def at_mark(self, trainer: Learning) -> Mapping[str, Any]:
        return {"snapshots": trainer.checkpoint()["weights"]}


def train_learner(workshop: Workshop, learner: Learner, runs: int, marks: Sequence[int]) -> list[Arrays]:
    """Train a learner several times; see :class:`LearnerStudy`."""
    return train_runs(workshop, LearnerStudy(learner, tuple(marks)), runs)


@dataclass(frozen=True)
class Scores:
    """What a tournament measured."""

    means: FloatArray
    """Points per game: the player, VOTING, RANDOM (or whoever the others are)."""
    gap: Estimate
    """Points of the second minus those of the first, over the games of this tournament."""
    field: Estimate | None = None
    """Mean of all others minus first, if it was asked for."""


def _tournament(rules: str, player: Sitter, others: Sequence[str], seed: int, purpose: str, games: int) -> Arrays:
    points = tournament(Rules.parse(rules), player, [sitter(name) for name in others], seed, purpose, games)
    gap, field = estimate((points[:, 1] - points[:, 0]).astype(np.float64)), points[:, 1:].mean(axis=1) - points[:, 0]
    return {
        "means": points.mean(axis=0),
        "gap": _as_array(gap),
        "field": _as_array(estimate(field)),
        "weights": _digest(player),
    }


def _as_array(value: Estimate) -> FloatArray:
    return np.array([value.mean, value.se, value.n])


def _as_estimate(values: FloatArray) -> Estimate:
    return Estimate(float(values[0]), float(values[1]), int(values[2]))


def _digest(player: Sitter) -> npt.NDArray[np.uint8]:
    """What tells the weights of a player from others, even if these have the same sum."""
    return np.frombuffer(hashlib.blake2b(player.weights.tobytes(), digest_size=8).digest(), np.uint8)


def tournaments(
    workshop: Workshop,
    name: str,
    players: Sequence[Sitter],
    *,
    rules: str = "advice",
    others: Sequence[str] = ("voting", "random"),
    games: int | None = None,
    settings: Any = None,
    field: bool = False,
) -> list[Scores]:
    """Tournaments of several players, each with its own deals.

    :param settings: what decided the weights of the players, as part of the key.
    :param field: whether to measure the gap to all others together, too; part of the key, since older parts lack it.
    """
    games = games or workshop.size(GAMES, 2_000)
    key = {"rules": rules, "others": list(others), "games": games, "settings": settings}
    if field:
        key["field"] = True
    jobs: list[tuple[str, dict[str, Any], PartWork]] = [
        (
            f"tournament {name} {place}",
            {**key, "place": place, "weights": float(np.abs(player.weights).sum())},
            partial(_tournament, rules, player, others, workshop.seed, f"{name} {place}", games),
        )
        for place, player in enumerate(players)
    ]
    parts = workshop.parts(jobs)
    for place, player in enumerate(players):
        digest = _digest(player)
        if not np.array_equal(parts[place].get("weights", digest), digest):  # other weights with the same sum
            part, deciding, work = jobs[place]
            parts[place] = workshop.part(part, {**deciding, "digest": digest.tobytes().hex()}, work)
    return [
        Scores(part["means"], _as_estimate(part["gap"]), _as_estimate(part["field"]) if field else None)
        for part in parts
    ]


def gaps(scores: Sequence[Scores]) -> Estimate:
    """V − L over runs: the interval covers the differences between runs."""
    return estimate(np.array([one.gap.mean for one in scores]))


def mean_points(scores: Sequence[Scores]) -> FloatArray:
    """Mean points of all at the table."""
    return np.asarray(np.mean([one.means for one in scores], axis=0))


def spread(value: Estimate) -> str:
    """A mean with its 95 % interval as text."""
    low, high = value.ci95
    return f"{value.mean:.2f} [{low:.2f}, {high:.2f}] ({value.n})"


def points_text(points: FloatArray) -> str:
    """The points of all at the table as text."""
    return " / ".join(f"{value:.2f}" for value in points)
