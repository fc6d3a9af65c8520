"""The parts of the experiments with conjunctive features: training runs with snapshots, matches between networks."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
from heartlab.reproduction.series import Study, run_seed, train_all
from heartlab.rules import Rules
from heartlab.search.options import SearchOptions
from heartlab.training.recipes import Learning, Metrics
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
class Plan(Study):
    """A training run: `weights` [moments, conjunctions], `points` [thousands of deals]."""

    label: str
    task: str
    parameters: TdParameters
    run: int
    marks: Sequence[int]
    """Deals after which a snapshot is taken; the last is the end."""
    conjunctions: Conjunctions | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)
    """Tells sets of conjunctions apart that are given by hand."""
    rest: bool = False
    curve_name = "points"

    def part_name(self, run: int) -> str:
        return f"train-{self.label}-{run}"

    def key(self, run: int) -> Mapping[str, Any]:
        chosen = {"task": self.task, **asdict(self.parameters), "run": run, "moments": list(self.marks)}
        return {**chosen, **self.origin, **({"rest": True} if self.rest else {})}

    def trainer(self, seed: int) -> Learning:
        return TdTrainer(self.task, self.parameters, seed, self.conjunctions, rest=self.rest)

    def curve(self, line: Metrics) -> float:
        return float(line["points"])

    def at_mark(self, trainer: Learning) -> Mapping[str, Any]:
        return {"weights": trainer.checkpoint()["weights"]}


def train_parts(shop: Workshop, plans: Sequence[Plan]) -> list[Training]:
    """Train networks, or find them trained."""
    found = train_all(shop, [(plan, plan.run) for plan in plans])
    return [
        Training(
            plan.label,
            plan.conjunctions or chosen_conjunctions(plan.task, plan.parameters),
            np.array(plan.marks),
            arrays["weights"],
            arrays["points"],
            plan.rest,
        )
        for plan, arrays in zip(plans, found, strict=True)
    ]


@dataclass(frozen=True)
class GrowthStudy(Study):
    """The only training run of a set of conjunctions that grows: `conjunctions` and `weights` in the end, `points`."""

    label: str
    parameters: GrowthParameters
    marks: tuple[int, ...]
    curve_name = "points"

    def part_name(self, run: int) -> str:
        return f"train-{self.label}"

    def key(self, run: int) -> Mapping[str, Any]:
        return {**asdict(self.parameters), "deals": self.marks[-1]}

    def trainer(self, seed: int) -> Learning:
        return GrowingTrainer(self.parameters, seed)

    def curve(self, line: Metrics) -> float:
        return float(line["points"])

    def at_end(self, trainer: Learning) -> Mapping[str, Any]:
        return trainer.checkpoint()


def grown_parts(shop: Workshop, growths: Mapping[str, GrowthParameters], deals: int) -> list[Training]:
    """The same for sets of conjunctions that grow, by their labels; their only snapshot is the end."""
    found = train_all(shop, [(GrowthStudy(label, parameters, (deals,)), 0) for label, parameters in growths.items()])
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


def cost_part(shop: Workshop, training: Training, task: str, parameters: TdParameters) -> npt.NDArray[np.float64]:
    """Seconds that a training deal takes with the conjunctions of a network on one thread, in several portions."""

    def work() -> Mapping[str, Any]:
        trainer = TdTrainer(task, parameters, run_seed(shop, 0), training.conjunctions)
        deals, seconds = shop.size(1_000, 100), []
        for chunk in range(COST_CHUNKS + 1):
            started = time.perf_counter()
            trainer.step(deals * chunk, deals)
            seconds.append((time.perf_counter() - started) / deals)
        return {"seconds": np.array(seconds[1:])}

    settings = {"conjunctions": len(training.conjunctions), "task": task, **asdict(parameters)}
    return shop.part(f"cost-{training.label}", settings, work)["seconds"]


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
    return TASKS[task].rules
