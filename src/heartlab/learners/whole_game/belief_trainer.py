"""The recipe `whole-game-belief`: a network learns how likely a world is, by watching deals of a trained model.

The model plays at mixed tables. In each deal one seat is watched, before the first card and at some of its turns: the
network has to tell the real deal from worlds that were drawn uniformly. The result is the same model with the belief
added.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below, numpy_dice, seed_key, substream, uniform
from heartlab.kernel.dealing import deal, give
from heartlab.kernel.layout import PASSING, PLAYING, STATE, compile_rules
from heartlab.kernel.observe import see
from heartlab.kernel.play import play
from heartlab.learners.whole_game.belief import (
    Belief,
    Guess,
    empty_belief,
    fresh_belief,
    learn_worlds,
    new_guess,
    wider_belief,
)
from heartlab.learners.whole_game.deals import Company, Table, play_deal
from heartlab.learners.whole_game.learning import adam
from heartlab.learners.whole_game.model import SHIPPED, load_learned, with_belief, worth_weights
from heartlab.learners.whole_game.network import SEATS
from heartlab.learners.whole_game.trainer import SHARDS, Shard, adam_step, refill
from heartlab.rules import Rules
from heartlab.search.roots import draw_worlds
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, Parameters, recipe
from heartlab.util.bundle import Arrays

BATCHES = 20
"""Batches in a step of a run."""
MOST_WORLDS = 1000
LAST = 44
"""From so many cards on a seat is not watched: there is little left to tell."""


@dataclass(frozen=True)
class BeliefParameters(Parameters):
    """The parameters of the recipe."""

    model: str = SHIPPED
    """The model that plays, and that the belief is added to; if it has one, that is trained further."""
    start: str = ""
    """A model whose belief is trained further instead."""
    units: int = 96
    """Units of the belief; the model's own belief keeps its units if it has more, and gets more if it has fewer."""
    worlds: int = 16
    """Worlds that are compared, the real deal among them."""
    turns: float = 0.3
    """The share of turns at which they are."""
    batch: int = 256
    """Deals between two changes of the weights."""
    rate: float = 0.0015
    """Adam's learning rate at the beginning."""
    rate_end: float = 0.0001
    """And at the end of the schedule."""
    schedule: int = 2_000_000
    """Deals over which the rate falls, geometrically."""
    explore: float = 0.01
    """The share of random choices."""
    alone: float = 0.5
    """The share of tables with the model in all four seats; all other tables have rule-based players, too."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.need_shares("explore", "alone", "turns")
        self.need(f"a number from 2 to {MOST_WORLDS}", lambda worlds: 2 <= worlds <= MOST_WORLDS, "worlds")
        self.need_positive("units", "schedule")
        self.need(f"a multiple of {SHARDS}", lambda deals: deals > 0 and deals % SHARDS == 0, "batch")
        self.need("a number above 0, at most 1", lambda rate: 0.0 < rate <= 1.0, "rate", "rate_end")


class Watch(NamedTuple):
    """What watches on one thread."""

    belief: Belief
    grads: Belief
    guess: Guess
    again: Any  # [1] STATE: the deal, played once more
    worlds: Any  # [1, worlds] STATE
    keys: npt.NDArray[np.uint64]  # [1, worlds]
    logs: npt.NDArray[np.float64]  # [worlds]
    turns: float


@kernel
def _compare(rules: Any, obs: Any, watch: Watch, counts: Any) -> None:
    """Learn to tell the deal as it is from other worlds."""
    if draw_worlds(rules, obs, 0, watch.worlds.shape[1], watch.worlds, watch.keys) < 0:
        worlds = watch.worlds[0]
        worlds[0] = watch.again[0]
        learn_worlds(rules[0], obs[0], watch.belief, watch.grads, watch.guess, worlds, watch.logs, counts)


@kernel
def watch_deal(rules: Any, number: int, key: np.uint64, table: Table, watch: Watch, counts: Any) -> None:
    """Play a deal that was just played once more, and learn from what one of its seats could know."""
    rng = np.empty(1, np.uint64)
    rng[0] = substream(key, number)
    state, obs = watch.again[0], table.obs
    deal(rules[0], state, number, rng)
    for seat in range(SEATS):
        if state["phase"] == PASSING:
            give(rules[0], state, seat, table.state[0]["passed"][seat], rng)
    rng[0] = substream(substream(key, number), 1)
    watched = below(rng, SEATS)
    while state["phase"] == PLAYING and state["plays"] < LAST:
        is_turn = state["to_move"] == watched and uniform(rng) < watch.turns
        if is_turn or state["plays"] == 0:
            see(rules[0], state, watched, key, obs[0])
            _compare(rules, obs, watch, counts)
        play(rules[0], state, table.history[state["plays"]])


@kernel
def watch_deals(rules: Any, key: np.uint64, span: Any, pupils: Any, company: Company, weights: Any, table: Table,
                watch: Watch, counts: Any) -> None:  # fmt: skip
    """Play deals number `span[0]` to `span[1] - 1` and learn from each."""
    rng = np.empty(1, np.uint64)
    for number in range(span[0], span[1]):
        rng[0] = substream(key, number)
        play_deal(rules[0], number, key, pupils, company, weights, table, rng)
        watch_deal(rules, number, key, table, watch, counts)


def _first_belief(known: Belief | None, units: int, seed: int) -> Belief:
    """What training begins with: random weights, or those of the model, with more units if more are wanted."""
    if known is None:
        return fresh_belief(units, numpy_dice(seed))
    return known if len(known.bias) >= units else wider_belief(known, units, numpy_dice(seed))


class BeliefTrainer:
    """Training of the network that says how likely a world is."""

    def __init__(self, settings: BeliefParameters, seed: int, threads: int | None = None) -> None:
        self.settings = settings
        self.chunk = settings.batch * BATCHES
        self.key = seed_key(seed, "whole-game belief")
        self.learned = load_learned(settings.model)
        self.start = load_learned(settings.start) if settings.start else None
        if self.start and self.start.belief is None:
            raise ValueError(f"start={settings.start}: that model has no belief to go on from")
        rules = Rules.parse(self.learned.model.rules)
        self.compiled, self.weights = compile_rules(rules), worth_weights(rules)
        self.belief = _first_belief((self.start or self.learned).belief, settings.units, seed)
        self.moments = [np.zeros((2, array.size), np.float32) for array in self.belief]
        self.shards = [Shard([self.learned.playing, self.learned.passing]) for _ in range(SHARDS)]
        self.grads = [empty_belief(len(self.belief.bias)) for _ in range(SHARDS)]
        self.watches = [self._new_watch(grads) for grads in self.grads]
        self.steps = np.zeros(1, np.int64)
        self._threads = min(SHARDS, threads or os.cpu_count() or 1)

    def _new_watch(self, grads: Belief) -> Watch:
        count = self.settings.worlds
        return Watch(
            self.belief, grads, new_guess(self.belief), np.zeros(1, STATE), np.zeros((1, count), STATE),
            np.zeros((1, count), np.uint64), np.zeros(count), self.settings.turns,
        )  # fmt: skip

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="belief")

    def step(self, first: int, count: int) -> Sequence[Metrics]:
        """Batches of deals; returns the nats by which the real deal is told from uniform worlds."""
        counts = np.zeros(2)
        for start in range(first, first + count, self.settings.batch):
            counts += self._batch(start, min(self.settings.batch, first + count - start))
        return [{"games": first + count, "nats": round(float(counts[1] / max(1.0, counts[0])), 5)}]

    def _batch(self, start: int, count: int) -> npt.NDArray[np.float64]:
        settings = self.settings
        company = Company(settings.explore, settings.alone, 0.0)
        bounds = [start + count * i // SHARDS for i in range(SHARDS + 1)]
        counts = np.zeros((SHARDS, 2))

        def play(i: int) -> None:
            shard, span = self.shards[i], np.array(bounds[i : i + 2])
            watch_deals(
                self.compiled,
                self.key,
                span,
                shard.pupils,
                company,
                self.weights,
                shard.table,
                self.watches[i],
                counts[i],
            )

        list(self._pool.map(play, range(SHARDS)))
        counted: npt.NDArray[np.float64] = counts.sum(axis=0)
        self.steps += 1
        progress = min(1.0, start / settings.schedule)
        rate = settings.rate * (settings.rate_end / settings.rate) ** progress
        for field, array in enumerate(self.belief):
            total = self.grads[0][field].reshape(-1)
            for grads in self.grads[1:]:
                part = grads[field].reshape(-1)
                total += part
                part[:] = 0.0
            moments, squares = self.moments[field]
            adam(array.reshape(-1), total, moments, squares, adam_step(int(self.steps[0]), rate, counted[0]))
        return counted

    def checkpoint(self) -> Arrays:
        """The weights and Adam's memory."""
        return {name: array.copy() for name, array in self._kept().items()}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        refill(self._kept(), arrays)

    def _kept(self) -> Arrays:
        arrays: Arrays = {"steps": self.steps}
        for field, array, moment in zip(Belief._fields, self.belief, self.moments, strict=True):
            arrays[field] = array
            arrays[f"{field}/moments"] = moment
        return arrays

    def model(self) -> Model:
        """The model that played, with what was learned."""
        return with_belief(self.learned.model, self.belief, self.start.model if self.start else None)


@recipe("whole-game-belief", "how likely a world is: added to a model of the whole game", BeliefParameters, 2_000_000)
def whole_game_belief(settings: BeliefParameters, seed: int) -> BeliefTrainer:
    """A trainer of the belief."""
    return BeliefTrainer(settings, seed)
