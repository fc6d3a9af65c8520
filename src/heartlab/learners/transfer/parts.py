"""The parts of the experiments with transfer between games: series of learning runs, and the models they begin with.

A series is one learner in one game against one opponent: runs of 3,000 matches, of which the rewards are kept. All
series use the same seeds, with separate random streams for the learner and its opponent, so differences are taken run
by run. What is learned in source games is learned anew for every group of runs. Runs that begin with the same model are
not independent: intervals are over the means of such groups, so that they cover the luck of the source runs as well. It
can only add to that of the runs; where few groups happen to agree, the wider interval over runs stands.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.ggp.machine.load import load_game
from heartlab.learners.transfer.discovery import STANDARD, learn_features
from heartlab.learners.transfer.models import FeatureModel, pool
from heartlab.learners.transfer.trainer import TurnGame, learn, make_settings
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Curve
from heartlab.util.statistics import Estimate, FloatArray, estimate

MATCHES = 3000
RUNS, BEYOND_RUNS, PAPER_RUNS = 200, 100, 10
"""Runs for statements about order, for those beyond the paper, and for the look of its figures."""
GROUPS = 20
"""Independent models of the same source; run r begins with number r modulo this."""
SHOWN = 80
"""Points of a curve."""


@dataclass(frozen=True)
class Rewards:
    """What one learner earned, match by match, in all runs."""

    values: npt.NDArray[np.uint8]
    """Run by match."""
    groups: int = 0
    """How many models the runs begin with: run r has number r modulo this. 0: there is nothing that runs share."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def matches(self) -> int:
        """How many matches a run has."""
        return int(self.values.shape[1])

    def first(self, runs: int) -> Rewards:
        """The first of the runs."""
        return Rewards(self.values[:runs], self.groups)

    def means(self, first: int = 1, last: int = MATCHES) -> FloatArray:
        """The mean reward of each run over a window of matches."""
        means: FloatArray = self.values[:, first - 1 : last].mean(axis=1, dtype=np.float64)
        return means


def over_runs(values: FloatArray, groups: int) -> Estimate:
    """The mean of runs that share models in some number of groups: over groups or over runs, the wider interval."""
    found = [estimate(values)]
    if 0 < groups < len(values):
        found.append(estimate(np.array([values[group::groups].mean() for group in range(groups)])))
    return max(found, key=lambda one: one.ci95[1] - one.ci95[0])


_free: dict[tuple[str, str], list[TurnGame]] = {}
_lock = threading.Lock()


@contextmanager
def borrowed(name: str, outcomes: str = "") -> Iterator[TurnGame]:
    """A game that nobody else uses meanwhile; what was explored of it is kept for the next."""
    with _lock:
        waiting = _free.setdefault((name, outcomes), [])
        game = waiting.pop() if waiting else None
    game = game or TurnGame(load_game(name), outcomes)
    try:
        yield game
    finally:
        with _lock:
            waiting.append(game)


@dataclass(frozen=True)
class Source:
    """Where a learner's features come from: games, learned for some matches in some runs that are averaged."""

    games: tuple[str, ...] = ("tictactoe",)
    matches: int = 75
    runs: int = 10
    depth: int = 2
    recall: int = 0
    opponents: tuple[str, ...] = STANDARD
    groups: int = GROUPS
    alternate: int = 0

    @property
    def learning(self) -> Mapping[str, Any]:
        """Settings of the learner in the source games that are not the usual ones."""
        return {}

    def models(self, shop: Workshop) -> list[FeatureModel]:
        """The models of all groups."""
        groups = shop.size(self.groups, 2)
        matches = min(self.matches, shop.size(self.matches, 150))
        found: list[list[FeatureModel]] = []
        for name in self.games:
            settings = {**asdict(self), "games": name, "groups": groups, "matches": matches}

            def work(name: str = name) -> Mapping[str, Any]:
                with borrowed(name) as game:
                    learned = [
                        learn_features(
                            game,
                            self.opponents,
                            matches,
                            self.runs,
                            seed=1_000_000 + 1000 * shop.seed + group,
                            depth=self.depth,
                            recall=self.recall,
                            alternate=self.alternate,
                            **self.learning,
                        )
                        for group in range(groups)
                    ]
                text = json.dumps([[one.features, one.profiles] for one in learned])
                return {"models": np.frombuffer(text.encode(), np.uint8)}

            kept = json.loads(shop.part(f"source {name}", settings, work)["models"].tobytes())
            found.append(
                [
                    FeatureModel([name], matches, self.runs, shop.seed, self.depth, bool(self.recall), *one)
                    for one in kept
                ]
            )
        return [pool(models) if len(models) > 1 else models[0] for models in zip(*found, strict=True)]


@dataclass(frozen=True)
class OtherSource(Source):
    """A source in which matches are set up otherwise, such as with the learner in the other role."""

    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def learning(self) -> Mapping[str, Any]:
        """The settings that differ."""
        return self.options


@dataclass(frozen=True)
class Learner:
    """One learner of an experiment: its name in figures, how it learns, and what it begins with."""

    label: str
    learner: str = "baseline"
    reading: str = "look-up"
    source: Source | None = None
    printed: Mapping[str, Mapping[str, float]] | None = None
    """Values of shapes by opponent that are given instead of learned ones."""
    source_opponent: str = ""
    """Where it uses what was learned against another opponent than the one it plays."""
    options: Mapping[str, Any] = field(default_factory=dict)

    def models(self, shop: Workshop, opponent: str) -> list[FeatureModel | None]:
        """What the runs begin with, in turn."""
        if self.printed is not None:
            values = {shape: [value, 1.0] for shape, value in self.printed[opponent].items()}
            return [FeatureModel(["tictactoe"], 0, 0, 0, features={opponent: values})]
        if self.source is None:
            return [None]
        models = self.source.models(shop)
        if self.source_opponent:
            models = [
                FeatureModel(
                    one.games, one.matches, one.runs, one.seed, one.depth, one.recall,
                    {opponent: one.features[self.source_opponent]}, {opponent: one.profiles[self.source_opponent]},
                )
                for one in models
            ]  # fmt: skip
        return list(models)


CONTROL = Learner("terminal-only", "terminal-only", "terminal-check")
"""The control that the paper lacks: it knows the worth of ended games, also among candidate moves, and nothing else."""


def series(shop: Workshop, game: str, opponent: str, learner: Learner, runs: int = RUNS, outcomes: str = "") -> Rewards:
    """The rewards of all matches of a learner, run by run."""
    runs, matches = shop.size(runs, 6), shop.size(MATCHES, 300)
    models = learner.models(shop, opponent)
    settings = {
        "game": game, "opponent": opponent, "runs": runs, "matches": matches, "outcomes": outcomes,
        **{key: value for key, value in asdict(learner).items() if key != "label"},
    }  # fmt: skip

    def work() -> Mapping[str, Any]:
        chosen = make_settings(learner=learner.learner, reading=learner.reading, opponent=opponent, **learner.options)
        rewards = np.zeros((runs, matches), np.uint8)
        with borrowed(game, outcomes) as board:
            for run in range(runs):
                rewards[run] = learn(board, chosen, matches, shop.seed, run, models[run % len(models)])[0]
        return {"rewards": rewards}

    rewards = shop.part(f"{game} {opponent} {learner.label}", settings, work)["rewards"]
    return Rewards(rewards, len(models) if learner.source else 0)


def several(
    shop: Workshop, game: str, opponent: str, learners: Mapping[str, Learner], runs: int = RUNS
) -> dict[str, Rewards]:
    """The series of several learners by name, spread over the threads; what they begin with is learned first."""
    for learner in learners.values():
        learner.models(shop, opponent)
    with ThreadPoolExecutor(max(1, shop.threads)) as workers:
        found = workers.map(lambda learner: series(shop, game, opponent, learner, runs), learners.values())
        return dict(zip(learners, found, strict=True))


def mean_of(rewards: Rewards, first: int = 1, last: int = MATCHES) -> Estimate:
    """The mean reward over a window of matches, with an interval over runs and the models they begin with."""
    return over_runs(rewards.means(first, last), rewards.groups)


def difference(one: Rewards, other: Rewards, first: int = 1, last: int = MATCHES) -> Estimate:
    """The first minus the second over a window of matches, paired by run.

    Runs whose numbers differ modulo the greatest common divisor have different models on both sides.
    """
    return over_runs(one.means(first, last) - other.means(first, last), math.gcd(one.groups, other.groups))


def units(one: Rewards, other: Rewards) -> str:
    """Over what the interval of a difference is taken, in words."""
    groups = math.gcd(one.groups, other.groups)
    if not 0 < groups < len(one):
        return f"{len(one)} runs"
    return f"{len(one)} runs in {groups} groups that share a model"


def curve(label: str, rewards: Rewards, start: int = 301, average_from: int = 1) -> Curve:
    """The cumulative average of the reward from some match on, shown from a later one on, with a 95 % band."""
    start, average_from = min(start, rewards.matches // 2), min(average_from, rewards.matches // 2)
    sums = np.cumsum(rewards.values[:, average_from - 1 :], axis=1, dtype=np.float64)
    averages = sums / np.arange(1, sums.shape[1] + 1)
    places = np.unique(np.linspace(start, rewards.matches, SHOWN).astype(int))
    shown = [over_runs(averages[:, place - average_from], rewards.groups) for place in places]
    low, high = np.array([one.ci95 for one in shown]).T
    return Curve(f"{label} ({len(rewards)} runs)", places, np.array([one.mean for one in shown]), low, high)


def spread(value: Estimate, sign: bool = False) -> str:
    """An estimate as text: the mean and half of its interval."""
    return f"{value.mean:{'+' if sign else ''}.2f} ± {(value.ci95[1] - value.ci95[0]) / 2:.2f}"


def window_row(label: str, rewards: Rewards, others: Sequence[Rewards] = ()) -> list[str]:
    """A line of a table: means over the usual windows, and differences to others over all matches."""
    last = rewards.matches
    cells = [spread(mean_of(rewards, *window)) for window in ((1, 100), (1, 300), (min(301, last), last), (1, last))]
    return [label, *cells, *("–" if one is rewards else spread(difference(rewards, one), True) for one in others)]


WINDOW_HEAD = ["learner", "matches 1–100", "1–300", "301–3,000", "average at 3,000"]
