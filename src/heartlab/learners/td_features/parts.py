"""The parts of the experiments with conjunctive features: training runs with snapshots, matches between networks."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.arena.match import run_match
from heartlab.arena.rows import Match
from heartlab.learners.td_features.conjunctions import Conjunctions
from heartlab.learners.td_features.growth import GrowingTrainer, GrowthParameters
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import unpadded_rows
from heartlab.learners.td_features.trainer import TASKS, TdParameters, TdTrainer, chosen_conjunctions
from heartlab.players.base import Player
from heartlab.players.registry import make_player
from heartlab.players.search import SearchPlayer
from heartlab.reproduction.parts import Workshop
from heartlab.rules import Rules
from heartlab.search.options import SearchOptions
from heartlab.util.statistics import Estimate, estimate

WINDOW = 5000
"""Deals over which a learning curve is averaged."""
COST_CHUNKS = 5
"""Portions of training deals whose time is taken, after a first one that is not."""


@dataclass(frozen=True)
class Training:
    """One training run of an experiment: what it was, its curve, and its weights at some moments."""

    label: str
    conjunctions: Conjunctions
    moments: npt.NDArray[np.int64]
    """Deals learned at each snapshot; the last is the end."""
    weights: npt.NDArray[np.float32]
    """[moments, conjunctions]"""
    points: npt.NDArray[np.float64]
    """The learner's mean points in every thousand deals."""
    rest: bool = False
    """Whether the weights foresee only what is still to come."""

    def network(self, moment: int = -1) -> Network:
        """The network as it was at a snapshot."""
        return Network(self.conjunctions, self.weights[moment], rest=self.rest)

    def player(self, moment: int = -1, *, worlds: int = 0) -> Player:
        """A player over that network: open, or closed with some worlds."""
        evaluator = self.network(moment).evaluator()
        player = SearchPlayer(SearchOptions(worlds=worlds), evaluator=evaluator)
        player.name = self.label
        return player


@dataclass(frozen=True)
class Plan:
    """A training run to be done, or to be found done."""

    label: str
    task: str
    parameters: TdParameters
    run: int
    moments: Sequence[int]
    """Deals after which a snapshot is taken; the last is the end."""
    conjunctions: Conjunctions | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)
    """Tells sets of conjunctions apart that are given by hand."""
    rest: bool = False

    def work(self, seed: int) -> Mapping[str, Any]:
        """Train."""
        trainer = TdTrainer(self.task, self.parameters, 1000 * seed + self.run, self.conjunctions, rest=self.rest)
        points, weights, done = [], [], 0
        for moment in self.moments:
            points += _learn(trainer, done, moment)
            weights.append(trainer.network.live_weights.copy())
            done = moment
        return {"weights": np.array(weights), "points": np.array(points)}

    def settings(self) -> dict[str, Any]:
        """All that decides the result."""
        chosen = {"task": self.task, **asdict(self.parameters), "run": self.run, "moments": list(self.moments)}
        return {**chosen, **self.origin, **({"rest": True} if self.rest else {})}


def train_parts(shop: Workshop, plans: Sequence[Plan]) -> list[Training]:
    """Train networks, several at the same time if the workshop may, or find them trained."""
    found = shop.parts(
        [(f"train-{plan.label}-{plan.run}", plan.settings(), partial(plan.work, shop.seed)) for plan in plans]
    )
    return [
        Training(
            plan.label,
            plan.conjunctions or chosen_conjunctions(plan.task, plan.parameters),
            np.array(plan.moments),
            arrays["weights"],
            arrays["points"],
            plan.rest,
        )
        for plan, arrays in zip(plans, found, strict=True)
    ]


def grown_parts(shop: Workshop, growths: Mapping[str, GrowthParameters], deals: int) -> list[Training]:
    """The same for sets of conjunctions that grow, by their labels; their only snapshot is the end."""
    found = shop.parts(
        [
            (f"train-{label}", {**asdict(parameters), "deals": deals}, partial(_grow, parameters, shop.seed, deals))
            for label, parameters in growths.items()
        ]
    )
    return [
        Training(
            label,
            Conjunctions.of(unpadded_rows(arrays["conjunctions"])),
            np.array([deals]),
            arrays["weights"][None],
            arrays["points"],
        )
        for label, arrays in zip(growths, found, strict=True)
    ]


def _grow(parameters: GrowthParameters, seed: int, deals: int) -> Mapping[str, Any]:
    """Train while the set grows."""
    trainer = GrowingTrainer(parameters, 1000 * seed)
    points = _learn(trainer, 0, deals)
    return {**trainer.checkpoint(), "points": np.array(points)}


def cost_part(shop: Workshop, training: Training, task: str, parameters: TdParameters) -> npt.NDArray[np.float64]:
    """Seconds that a training deal takes with the conjunctions of a network on one thread, in several portions."""

    def work() -> Mapping[str, Any]:
        trainer = TdTrainer(task, parameters, 1000 * shop.seed, training.conjunctions)
        deals, seconds = shop.size(1_000, 100), []
        for chunk in range(COST_CHUNKS + 1):
            started = time.perf_counter()
            trainer.step(deals * chunk, deals)
            seconds.append((time.perf_counter() - started) / deals)
        return {"seconds": np.array(seconds[1:])}

    settings = {"conjunctions": len(training.conjunctions), "task": task, **asdict(parameters)}
    return shop.part(f"cost-{training.label}", settings, work)["seconds"]


def _learn(trainer: TdTrainer, done: int, until: int) -> list[float]:
    """Learn from some deals, chunk by chunk; the learner's mean points in each."""
    points = []
    while done < until:
        count = min(trainer.chunk - done % trainer.chunk, until - done)
        points.append(float(trainer.step(done, count)[0]["points"]))
        done += count
    return points


def match_part(
    shop: Workshop, name: str, players: Sequence[Player], rules: str, deals: int, origin: Mapping[str, Any],
    *, games: bool = False,
) -> dict[str, npt.NDArray[Any]]:  # fmt: skip
    """Play a match in all arrangements, or find it played; `origin` says what decides the players."""

    def work() -> Mapping[str, Any]:
        is_open = any(player.is_open for player in players)
        match = Match(players, Rules.parse(rules), deals, seed=shop.seed + 77, open=is_open, games=games)
        result = run_match(match, threads=shop.threads)
        return {name: getattr(result, name) for name in ("points", "finals", "won", "deals_won", "moons")}

    settings = {
        "players": [player.name for player in players],
        "rules": rules,
        "deals": deals,
        "games": games,
        **origin,
    }
    return shop.part(f"match-{name}", settings, work)


def difference(played: Mapping[str, npt.NDArray[Any]], what: str = "points") -> Estimate:
    """First kind minus second kind, per deal (or game)."""
    return estimate(played[what][:, 0] - played[what][:, 1])


def curve_of(trainings: Sequence[Training]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Deals, and mean and standard error over runs, of the learner's points averaged over windows."""
    width = WINDOW // 1000
    runs = np.array([training.points for training in trainings])
    width = min(width, runs.shape[1])
    smooth = np.array([np.convolve(points, np.ones(width) / width, "valid") for points in runs])
    deals = 1000 * (np.arange(smooth.shape[1]) + width)
    spread = smooth.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.zeros(smooth.shape[1])
    return deals, smooth.mean(axis=0), spread


def run_label(label: str, runs: int) -> str:
    """The label of a curve that is a mean over runs."""
    return f"{label} ({runs} run{'s' if runs > 1 else ''})"


def expert() -> Player:
    """The open hand-tuned expert."""
    return make_player("pie")


def task_rules(task: str) -> str:
    """The rules of a task."""
    return TASKS[task][0]
