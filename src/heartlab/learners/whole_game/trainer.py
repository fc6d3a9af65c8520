"""The recipe `whole-game`: a network learns to pass and to play from observations, by playing.

A batch of deals is played with fixed weights, in shards that have working memory of their own; the gradients of the
shards are added in a fixed order. So the result depends on the seed alone, not on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from heartlab.compiled.rng import numpy_dice, seed_key
from heartlab.kernel.layout import OBSERVATION, STATE, compile_rules
from heartlab.learners.whole_game.deals import (
    PASSES,
    PLAYS,
    Company,
    Pupil,
    Table,
    train_deals,
    train_with_searchers,
)
from heartlab.learners.whole_game.features import CARD_SIZE, PASS_CARD_SIZE, PASS_POSITION_SIZE, POSITION_SIZE
from heartlab.learners.whole_game.learning import MAX_STEPS, Lesson, adam, new_log, new_slopes
from heartlab.learners.whole_game.model import PARTS, check_game, load_learned, made_before, make_model, worth_weights
from heartlab.learners.whole_game.network import HEADS, ROWS, Net, empty_net, fresh_net, new_mind
from heartlab.learners.whole_game.score import in_any_order, packed, sample_points, win_chances
from heartlab.learners.whole_game.trees import new_forest
from heartlab.rules import Rules
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, Parameters, recipe
from heartlab.util.bundle import Arrays, fit_like, fit_squares

SHARDS = 2
"""Parts of a batch that may be played at the same time."""
BATCHES = 40
"""Batches in a step of a run."""
COUNTS = 6
"""What the kernels count: decisions and errors of cards, the same of passes, moons, seats."""
FIRST_MOMENT, SECOND_MOMENT = 0.9, 0.999
"""Adam's decay rates."""
SCORE_DEALS = 500
"""Deals of self-play from which the chances to win a game are computed."""
AID = (100.0, 1.0, 400.0, 100.0, 10.0)
"""How much each prediction counts by itself in the loss: about its share of the points, squared."""


@dataclass(frozen=True)
class WholeGameParameters(Parameters):
    """The parameters of the recipe."""

    rules: str = "standard"
    start: str = ""
    """A model to go on from, with its layers; without one weights are random."""
    wider: int = 1
    """With `start`: how many times as many units the first layers get; the new ones change nothing at first."""
    first: int = 256
    """Units of the first layer of the network that plays."""
    pass_first: int = 128
    """Units of the first layer of the network that passes."""
    second: int = 32
    """Units of their second layers."""
    batch: int = 256
    """Deals between two changes of the weights."""
    rate: float = 0.002
    """Adam's learning rate at the beginning."""
    rate_end: float = 0.00005
    """And at the end of the schedule."""
    average: float = 0.0
    """The share of itself that a running mean of the weights keeps after each batch, for the model; 0: no mean."""
    explore: float = 0.08
    """The share of random choices at the beginning."""
    explore_end: float = 0.02
    """And at the end of the schedule."""
    schedule: int = 14_000_000
    """Deals over which rate (geometrically) and exploration (linearly) fall."""
    trace: float = 0.7
    """λ of the returns: 1 is Monte-Carlo."""
    steps: int = 0
    """With n above 0: n-step returns instead, to the prediction at the seat's n-th next choice."""
    alone: float = 0.6
    """The share of tables with the learner in all four seats."""
    past: float = 0.15
    """The share of tables with past selves; all other tables have strangers: rule-based players, or `uct`."""
    shooters: float = 0.0
    """The share of the strangers' seats that are `gnome:peter`, who shoots; the others are any of the gnome family."""
    trees: float = 0.0
    """The share of the strangers' other seats that are `uct` with a small budget (5 worlds, 20 simulations)."""
    selves: int = 5
    """Past selves that are kept."""
    past_every: int = 500_000
    """Deals after which the oldest past self is replaced by the present one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_game(self.game)
        self.need_shares("explore", "explore_end", "trace", "alone", "past", "shooters", "trees", "average")
        if self.alone + self.past > 1.0:
            raise ValueError(f"alone={self.alone} and past={self.past} are together more than 1")
        if self.average == 1.0:
            raise ValueError("average=1 would never take up a new weight: it needs a number below 1")
        if self.wider > 1 and not self.start:
            raise ValueError(f"wider={self.wider} needs a model to start from: start=MODEL")
        self.need_positive("wider", "first", "pass_first", "second", "schedule", "selves", "past_every")
        self.need(f"a number from 0 to {MAX_STEPS}", lambda steps: 0 <= steps <= MAX_STEPS, "steps")
        self.need(f"a multiple of {ROWS}", lambda units: units % ROWS == 0, "second")
        self.need(f"a multiple of {SHARDS}", lambda deals: deals > 0 and deals % SHARDS == 0, "batch")
        self.need("a number above 0, at most 1", lambda rate: 0.0 < rate <= 1.0, "rate", "rate_end")

    @cached_property
    def game(self) -> Rules:
        """The rules."""
        return Rules.parse(self.rules)


def refill(kept: Arrays, arrays: Arrays) -> None:
    """Fill the arrays of a trainer that learns by Adam with those of a checkpoint.

    :raises BundleError: if they do not fit.
    """
    fit_like(arrays, kept)
    for name in kept:
        if name.endswith("/moments"):
            fit_squares(name, arrays[name][1])
    for name, array in kept.items():
        array[:] = arrays[name]


def adam_step(time: int, rate: float, decisions: float) -> tuple[float, float, float, float]:
    """What a step of Adam needs to know: the rate, the two corrections of its beginning, the scale of the gradient."""
    return rate, 1.0 - FIRST_MOMENT**time, 1.0 - SECOND_MOMENT**time, 1.0 / decisions


class Shard:
    """Working memory for a part of a batch."""

    def __init__(self, nets: Sequence[Net]) -> None:
        self.pupils = tuple(
            Pupil(
                net,
                empty_net(1, net.position.shape[1], net.card.shape[1], net.hidden.shape[2], net.hidden.shape[1]),
                new_mind(net),
                new_log(decisions, net),
                new_slopes(net),
            )
            for net, decisions in zip(nets, (PLAYS, PASSES), strict=True)
        )
        self.table = Table(
            np.zeros(1, STATE), np.zeros(1, OBSERVATION), np.zeros(4, np.int64), np.zeros(52, np.int8),
            np.zeros((4, HEADS)), new_forest(),
        )  # fmt: skip


class WholeGameTrainer:
    """Training of the two networks."""

    def __init__(self, settings: WholeGameParameters, seed: int, threads: int | None = None) -> None:
        self.settings, self.seed = settings, seed
        self.chunk = settings.batch * BATCHES
        self.key, self.score_key = seed_key(seed, "whole-game"), seed_key(seed, "whole-game score")
        self.compiled = compile_rules(settings.game)
        selves = settings.selves if settings.past > 0 else 0
        started = load_learned(settings.start) if settings.start else None
        self.start = started.model if started else None
        dice = numpy_dice(seed)
        nets = [started.playing, started.passing] if started else _fresh_nets(settings, dice)
        nets = [widened(net, settings.wider, dice) for net in nets]
        self.nets = [_with_room(net, selves) for net in nets]
        self.means = [Net(*(array.copy() for array in net)) for net in nets] if settings.average else []
        self.moments = [[np.zeros((2, array[0].size), np.float32) for array in net] for net in self.nets]
        self.lesson = Lesson(worth_weights(settings.game), np.array(AID), settings.trace, settings.steps)
        self.shards = [Shard(self.nets) for _ in range(SHARDS)]
        self.steps = np.zeros(1, np.int64)
        self._threads = min(SHARDS, threads or os.cpu_count() or 1)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="whole-game")

    def step(self, first: int, count: int) -> list[Metrics]:
        """Batches of deals; returns what was measured while playing them."""
        counts = np.zeros(COUNTS)
        for start in range(first, first + count, self.settings.batch):
            counts += self._batch(start, min(self.settings.batch, first + count - start))
        decisions, errors, passes, pass_errors, moons, seats = counts.tolist()
        return [
            {
                "games": first + count,
                "error": round(errors / max(1.0, decisions), 4),
                "pass_error": round(pass_errors / max(1.0, passes), 4),
                "moons": round(moons / max(1.0, seats), 5),
            }
        ]

    def _batch(self, start: int, count: int) -> npt.NDArray[np.float64]:
        """Play a batch, then change the weights."""
        settings = self.settings
        if settings.past > 0 and start % settings.past_every < settings.batch:
            self._remember(start // settings.past_every)
        progress = min(1.0, start / settings.schedule)
        explore = settings.explore + progress * (settings.explore_end - settings.explore)
        company = Company(explore, settings.alone, settings.past, settings.shooters, settings.trees)
        bounds = [start + count * i // SHARDS for i in range(SHARDS + 1)]
        counts = np.zeros((SHARDS, COUNTS))

        def play(i: int) -> None:
            shard, span = self.shards[i], np.array(bounds[i : i + 2])
            work = self.compiled, self.key, span, shard.pupils, company, self.lesson, shard.table, counts[i]
            if settings.trees > 0.0:
                train_with_searchers(*work)
            else:
                train_deals(*work)

        list(self._pool.map(play, range(SHARDS)))
        counted: npt.NDArray[np.float64] = counts.sum(axis=0)
        self._update(counted, settings.rate * (settings.rate_end / settings.rate) ** progress)
        return counted

    def _update(self, counted: npt.NDArray[np.float64], rate: float) -> None:
        """One step of Adam with the gradients of all shards."""
        self.steps += 1
        for which, decisions in enumerate((counted[0], counted[2])):
            if decisions:
                step = adam_step(int(self.steps[0]), rate, decisions)
                list(self._pool.map(partial(self._update_array, which, step), range(len(Net._fields))))

    def _update_array(self, which: int, step: tuple[float, float, float, float], field: int) -> None:
        total = self.shards[0].pupils[which].grads[field].reshape(-1)
        for shard in self.shards[1:]:
            part = shard.pupils[which].grads[field].reshape(-1)
            total += part
            part[:] = 0.0
        moments, squares = self.moments[which][field]
        weights = self.nets[which][field][0].reshape(-1)
        adam(weights, total, moments, squares, step)
        if self.means:
            mean = self.means[which][field].reshape(-1)
            mean += np.float32(1.0 - self.settings.average) * (weights - mean)

    def _remember(self, number: int) -> None:
        """Keep the present self as a past one, in place of the oldest; at first as all of them."""
        selves = self.settings.selves
        for place in range(1, selves + 1) if number == 0 else [1 + number % selves]:
            for net in self.nets:
                for array in net:
                    array[place] = array[0]

    def checkpoint(self) -> Arrays:
        """Weights of present and past selves, and Adam's memory."""
        return {name: array.copy() for name, array in self._kept().items()}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        refill(self._kept(), arrays)

    def _kept(self) -> Arrays:
        """All arrays that change."""
        arrays: Arrays = {"steps": self.steps}
        for name, net, moments in zip(PARTS, self.nets, self.moments, strict=True):
            for field, array, moment in zip(Net._fields, net, moments, strict=True):
                arrays[f"{name}/{field}"] = array
                arrays[f"{name}/{field}/moments"] = moment
        for name, net in zip(PARTS, self.means, strict=False):
            arrays |= {f"{name}/{field}/mean": array for field, array in zip(Net._fields, net, strict=True)}
        return arrays

    def model(self) -> Model:
        """The present self, or the mean of the last ones."""
        nets = self.means or self.nets
        playing, passing = (Net(*(np.ascontiguousarray(array[:1]) for array in net)) for net in nets)
        deals = self._self_play([playing, passing])
        chances = None if deals is None else self._chances(deals)
        model = make_model(playing, passing, self.settings.game, chances, deals)
        return replace(model, extras=made_before(self.start)) if self.start else model

    def _self_play(self, nets: Sequence[Net]) -> npt.NDArray[np.int64] | None:
        """The points of deals of self-play; None if games do not end by score."""
        if self.settings.game.deals is not None:
            return None
        shard, points = Shard(nets), np.zeros((SCORE_DEALS, 4), np.int64)
        alone = Company(0.0, 1.0, 0.0)
        sample_points(self.compiled, self.score_key, shard.pupils, alone, self.lesson.weights, shard.table, points)
        return points

    def _chances(self, deals: npt.NDArray[np.int64]) -> npt.NDArray[np.float16]:
        """The chances to win a game."""
        turned = in_any_order(deals, numpy_dice(self.seed, 1))
        return packed(win_chances(turned, self.settings.game, self.score_key))


def _fresh_nets(settings: WholeGameParameters, dice: np.random.Generator) -> list[Net]:
    """Networks with random weights: to play, and to pass."""
    sizes = (POSITION_SIZE, CARD_SIZE, settings.first), (PASS_POSITION_SIZE, PASS_CARD_SIZE, settings.pass_first)
    return [fresh_net(positions, cards, first, settings.second, dice) for positions, cards, first in sizes]


def widened(net: Net, times: int, dice: np.random.Generator) -> Net:
    """A network with more units in its first layer that predicts the same: nothing listens to the new ones yet."""
    if times == 1:
        return net
    _, positions, first = net.position.shape
    more = fresh_net(positions, net.card.shape[1], first * (times - 1), net.hidden.shape[1], dice)
    return net._replace(
        position=np.concatenate([net.position, more.position], axis=2),
        card=np.concatenate([net.card, more.card], axis=2),
        bias=np.concatenate([net.bias, more.bias], axis=1),
        hidden=np.concatenate([net.hidden, np.zeros_like(more.hidden)], axis=2),
    )


def _with_room(net: Net, selves: int) -> Net:
    """A network with room for past selves behind it."""
    return Net(*(np.concatenate([array, np.zeros((selves, *array.shape[1:]), np.float32)]) for array in net))


@recipe(
    "whole-game",
    "the closed game: passing, hidden cards and the moon, by self-play at mixed tables",
    WholeGameParameters,
    14_000_000,
)
def whole_game(settings: WholeGameParameters, seed: int) -> WholeGameTrainer:
    """A trainer of both networks."""
    return WholeGameTrainer(settings, seed)
