"""The recipe `whole-game-belief`: a network learns who holds what, by watching deals of a trained model.

The model plays at mixed tables. In each deal one seat is watched: at each of its turns the network says who holds the
cards that the seat has not seen, and learns from who did. The result is the same model with the belief added.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below, numpy_dice, seed_key, substream
from heartlab.kernel.dealing import deal, give
from heartlab.kernel.layout import PASSING, PLAYING, STATE, compile_rules
from heartlab.kernel.observe import see
from heartlab.kernel.play import play
from heartlab.learners.whole_game.belief import Belief, Guess, empty_belief, fresh_belief, learn_holders, new_guess
from heartlab.learners.whole_game.deals import Company, Pupil, Table, play_deal
from heartlab.learners.whole_game.learning import adam
from heartlab.learners.whole_game.model import SHIPPED, load_learned, with_belief, worth_weights
from heartlab.learners.whole_game.network import SEATS
from heartlab.learners.whole_game.trainer import SHARDS, Shard, adam_step
from heartlab.rules import Rules
from heartlab.training.model import Model
from heartlab.training.recipes import Metrics, Parameters, recipe
from heartlab.util.bundle import FLOATS, WHOLE, Arrays, Form, fit

BATCHES = 20
"""Batches in a step of a run."""


@dataclass(frozen=True)
class BeliefParameters(Parameters):
    """The parameters of the recipe."""

    model: str = SHIPPED
    """The model that plays, and that the belief is added to."""
    units: int = 128
    batch: int = 256
    """Deals between two changes of the weights."""
    rate: float = 0.002
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
        for field in ("explore", "alone"):
            if not 0.0 <= getattr(self, field) <= 1.0:
                raise ValueError(f"{field}={getattr(self, field)} needs a number from 0 to 1")
        for field in ("units", "schedule"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field}={getattr(self, field)} needs a number above zero")
        if self.batch < SHARDS or self.batch % SHARDS:
            raise ValueError(f"batch={self.batch} needs a multiple of {SHARDS}")
        for field in ("rate", "rate_end"):
            if not 0.0 < getattr(self, field) <= 1.0:
                raise ValueError(f"{field}={getattr(self, field)} needs a number above 0, at most 1")


@kernel
def watch_deal(rules: Any, number: int, key: np.uint64, belief: Belief, grads: Belief, guess: Guess, table: Table,
               again: Any, counts: Any) -> None:  # fmt: skip
    """Play a deal that was just played once more, and learn what one of its seats could know at each of its turns."""
    rng = np.empty(1, np.uint64)
    rng[0] = substream(key, number)
    state, obs = again[0], table.obs[0]
    deal(rules, state, number, rng)
    for seat in range(SEATS):
        if state["phase"] == PASSING:
            give(rules, state, seat, table.state[0]["passed"][seat], rng)
    rng[0] = substream(substream(key, number), 1)
    watched = below(rng, SEATS)
    while state["phase"] == PLAYING:
        if state["to_move"] == watched and state["plays"] < 48:
            see(rules, state, watched, key, obs)
            learn_holders(rules, obs, state["hands"], belief, grads, guess, counts)
        play(rules, state, table.history[state["plays"]])


@kernel
def watch_deals(rules: Any, key: np.uint64, span: Any, pupils: Any, company: Company, weights: Any, table: Table,
                beliefs: Any, again: Any, counts: Any) -> None:  # fmt: skip
    """Play deals number `span[0]` to `span[1] - 1` and learn from each who held what."""
    playing, passing = pupils
    belief, grads, guess = beliefs
    rng = np.empty(1, np.uint64)
    for number in range(span[0], span[1]):
        rng[0] = substream(key, number)
        play_deal(rules[0], number, key, playing, passing, company, weights, table, rng)
        watch_deal(rules[0], number, key, belief, grads, guess, table, again, counts)


class BeliefTrainer:
    """Training of the network that says who holds what."""

    def __init__(self, settings: BeliefParameters, seed: int, threads: int | None = None) -> None:
        self.settings = settings
        self.chunk = settings.batch * BATCHES
        self.key = seed_key(seed, "whole-game belief")
        self.learned = load_learned(settings.model)
        rules = Rules.parse(self.learned.model.rules)
        self.compiled, self.weights = compile_rules(rules), worth_weights(rules)
        self.belief = fresh_belief(settings.units, numpy_dice(seed))
        self.moments = [np.zeros((2, array.size), np.float32) for array in self.belief]
        self.shards = [Shard([self.learned.playing, self.learned.passing]) for _ in range(SHARDS)]
        self.grads = [empty_belief(settings.units) for _ in range(SHARDS)]
        self.steps = np.zeros(1, np.int64)
        self._threads = min(SHARDS, threads or os.cpu_count() or 1)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="belief")

    def step(self, first: int, count: int) -> Sequence[Metrics]:
        """Batches of deals; returns the cross-entropy of the holder of a card."""
        counts = np.zeros(2)
        for start in range(first, first + count, self.settings.batch):
            counts += self._batch(start, min(self.settings.batch, first + count - start))
        return [{"games": first + count, "error": round(float(counts[1] / max(1.0, counts[0])), 5)}]

    def _batch(self, start: int, count: int) -> npt.NDArray[np.float64]:
        settings = self.settings
        company = Company(settings.explore, settings.alone, 0.0)
        bounds = [start + count * i // SHARDS for i in range(SHARDS + 1)]
        counts = np.zeros((SHARDS, 2))

        def play(i: int) -> None:
            shard, span = self.shards[i], np.array(bounds[i : i + 2])
            pupils: tuple[Pupil, ...] = tuple(shard.pupils)
            beliefs = (self.belief, self.grads[i], new_guess(self.belief))
            watch_deals(self.compiled, self.key, span, pupils, company, self.weights, shard.table, beliefs,
                        np.zeros(1, STATE), counts[i])  # fmt: skip

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
        kept = self._kept()
        kinds = {name: FLOATS if array.dtype.kind == "f" else WHOLE for name, array in kept.items()}
        fit(arrays, {name: Form(kinds[name], *array.shape) for name, array in kept.items()})
        for name, array in kept.items():
            array[:] = arrays[name]

    def _kept(self) -> Arrays:
        arrays: Arrays = {"steps": self.steps}
        for field, array, moment in zip(Belief._fields, self.belief, self.moments, strict=True):
            arrays[field] = array
            arrays[f"{field}/moments"] = moment
        return arrays

    def model(self) -> Model:
        """The model that played, with what was learned."""
        return with_belief(self.learned.model, self.belief)


@recipe("whole-game-belief", "who holds what: added to a model of the whole game", BeliefParameters, 2_000_000)
def whole_game_belief(settings: BeliefParameters, seed: int) -> BeliefTrainer:
    """A trainer of the belief."""
    return BeliefTrainer(settings, seed)
