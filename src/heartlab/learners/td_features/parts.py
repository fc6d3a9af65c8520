"""The parts of the experiments with conjunctive features: training runs with snapshots, matches between networks.

Everything here belongs to one run, with one seed. Matches of a run have deals of their own, shared by all learners with
the same number, so that runs are independent of each other and learners are compared on the same cards.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.arena.match import run_match
from heartlab.arena.results import MatchResult
from heartlab.arena.rows import Match
from heartlab.learners.td_features.conjunctions import Conjunctions
from heartlab.learners.td_features.growth import GrowingTrainer, GrowthParameters
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import unpadded_rows
from heartlab.learners.td_features.raw import RawTrainer, evaluate_raw
from heartlab.learners.td_features.trainer import SEARCHES, TASKS, TdParameters, TdTrainer, chosen_conjunctions
from heartlab.players.base import Player
from heartlab.players.registry import make_player
from heartlab.players.search import SearchPlayer
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.series import Study, run_seed, train_all
from heartlab.rules import Rules
from heartlab.search.evaluators.base import Evaluator
from heartlab.search.options import SearchOptions
from heartlab.training.recipes import Learning, Metrics
from heartlab.util.statistics import estimate

WINDOW = 5000
"""Deals over which a learning curve is averaged."""
FEWER = "points per deal (fewer are better)"
"""The y axis of figures."""
MATCH_SEED = 1 << 40
"""Keeps the deals of matches apart from those of training."""
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
    whole: float = 0.0
    """The points to which values are cut in a search; 0: to what is possible."""

    def network(self, moment: int = -1) -> Network:
        """The network as it was at a snapshot."""
        return Network(self.conjunctions, self.weights[moment], rest=self.rest, whole=self.whole)

    def player(self, moment: int = -1, *, worlds: int = 0, search: str = "maxn") -> Player:
        """A player over that network: open, or closed with some worlds."""
        return player_over(self.network(moment).evaluator(), self.label, worlds, search)


def player_over(evaluator: Evaluator, name: str, worlds: int = 0, search: str = "maxn") -> Player:
    """A player that looks to the end of the trick."""
    player = SearchPlayer(SearchOptions(SEARCHES[search], worlds=worlds), evaluator=evaluator)
    player.name = name
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
    start: Network | None = None
    """Begin with the weights of this network, over the same conjunctions, instead of random ones."""
    curve_name = "points"

    def part_name(self, run: int) -> str:
        return f"train-{self.label}-{run}"

    def key(self, run: int) -> Mapping[str, Any]:
        parameters = asdict(self.parameters)
        for name, usual in (("search", "maxn"), ("cut", "possible")):  # later than the rest: old parts do not have them
            if parameters[name] == usual:
                del parameters[name]
        chosen = {"task": self.task, **parameters, "run": run, "moments": list(self.marks)}
        return {**chosen, **self.origin, **({"rest": True} if self.rest else {})}

    def trainer(self, seed: int) -> Learning:
        trainer = TdTrainer(self.task, self.parameters, seed, self.conjunctions, rest=self.rest)
        if self.start is not None:
            trainer.network.weights[:] = self.start.weights
        return trainer

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
            whole_points(plan.task) if plan.parameters.cut == "whole" else 0.0,
        )
        for plan, arrays in zip(plans, found, strict=True)
    ]


@dataclass(frozen=True)
class GrowthStudy(Study):
    """A training run of a set of conjunctions that grows: `conjunctions` and `weights` in the end, `points`."""

    label: str
    parameters: GrowthParameters
    marks: tuple[int, ...]
    curve_name = "points"

    def part_name(self, run: int) -> str:
        return f"train-{self.label}-{run}"

    def key(self, run: int) -> Mapping[str, Any]:
        return {**asdict(self.parameters), "deals": self.marks[-1], "run": run}

    def trainer(self, seed: int) -> Learning:
        return GrowingTrainer(self.parameters, seed)

    def curve(self, line: Metrics) -> float:
        return float(line["points"])

    def at_end(self, trainer: Learning) -> Mapping[str, Any]:
        return trainer.checkpoint()


def grown_part(shop: Workshop, label: str, parameters: GrowthParameters, deals: int, run: int) -> Training:
    """The same for a set of conjunctions that grows; its only snapshot is the end."""
    (arrays,) = train_all(shop, [(GrowthStudy(label, parameters, (deals,)), run)])
    chosen = Conjunctions.of(unpadded_rows(arrays["conjunctions"]))
    return Training(label, chosen, np.array([deals]), arrays["weights"][None], arrays["points"])


@dataclass(frozen=True)
class RawStudy(Study):
    """A training run over raw cards: `weights` in the end, `points`."""

    task: str
    parameters: TdParameters
    marks: tuple[int, ...]
    curve_name = "points"

    def part_name(self, run: int) -> str:
        return f"train-{self.task}-raw-{run}"

    def key(self, run: int) -> Mapping[str, Any]:
        return {"task": self.task, **asdict(self.parameters), "deals": self.marks[-1], "run": run}

    def trainer(self, seed: int) -> Learning:
        return RawTrainer(self.task, self.parameters, seed)

    def curve(self, line: Metrics) -> float:
        return float(line["points"])

    def at_end(self, trainer: Learning) -> Mapping[str, Any]:
        return trainer.checkpoint()


def raw_part(shop: Workshop, study: RawStudy, run: int) -> tuple[Player, npt.NDArray[np.float64]]:
    """A player over raw cards, and its learning curve."""
    (arrays,) = train_all(shop, [(study, run)])
    return player_over(Evaluator("raw", evaluate_raw, arrays["weights"]), "raw"), arrays["points"]


def deal_cost(training: Training, task: str, parameters: TdParameters, deals: int) -> float:
    """Seconds of processor time that a training deal takes with the conjunctions of a network: a median."""
    trainer = TdTrainer(task, parameters, 0, training.conjunctions)
    trainer.use(training.network())
    seconds = []
    for chunk in range(COST_CHUNKS + 1):
        started = time.thread_time()
        trainer.step(deals * chunk, deals)
        seconds.append((time.thread_time() - started) / deals)
    return float(np.median(seconds[1:]))


# --- matches ---


def play_match(
    shop: Workshop, players: Sequence[Player], rules: str, deals: int, run: int, *, games: bool = False
) -> MatchResult:  # fmt: skip
    """A match in all arrangements, over the deals of a run."""
    is_open = any(player.is_open for player in players)
    seed = run_seed(shop, run) + MATCH_SEED
    return run_match(Match(players, Rules.parse(rules), deals, seed=seed, open=is_open, games=games), threads=1)


def lead(shop: Workshop, one: Player, other: Player, rules: str, deals: int, run: int) -> list[float]:
    """First player minus second, in points per deal, with the standard error that chance in deals leaves."""
    points = play_match(shop, [one, other], rules, deals, run).points
    found = estimate(points[:, 0] - points[:, 1])
    return [found.mean, found.se]


def windows(points: npt.NDArray[np.float64]) -> list[float]:
    """A learning curve, averaged over windows."""
    width = min(WINDOW // 1000, len(points))
    return [float(points[at : at + width].mean()) for at in range(0, len(points) - width + 1, width)]


def values(units: Sequence[Unit], *path: str) -> npt.NDArray[np.float64]:
    """A number of every unit, found by this path; of a lead its mean."""
    found = []
    for unit in units:
        at: Any = unit
        for name in path:
            at = at[name]
        found.append(at[0] if isinstance(at, list) else at)
    return np.array(found, float)


def expert() -> Player:
    """The open hand-tuned expert."""
    return make_player("pie")


def task_rules(task: str) -> str:
    """The rules of a task."""
    return TASKS[task].rules


def whole_points(task: str) -> float:
    """All points of a deal of a task."""
    return float(Rules.parse(task_rules(task)).total_points)
