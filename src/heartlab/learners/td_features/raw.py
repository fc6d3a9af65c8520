"""The baseline that motivates constructed features: a linear network over 416 raw card features.

For each of the four players, counted from the seat that looks, one feature says of every card whether the player holds
it and one whether the player has taken it. Together they describe a state between tricks completely, but a sum of their
weights cannot say "the lowest heart left". Everything else, the search and the learning rule, is that of the networks
over conjunctions; here 52 features are always active, one for each card.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ONE, ZERO, lowest
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import numpy_dice, seed_key, substream
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import OVER, RULES, SEATS, STATE, compile_rules
from heartlab.kernel.play import mask_points, play
from heartlab.learners.td_features.kernels import LEARNER, OTHERS, SETTINGS, Course, choose, new_choice
from heartlab.learners.td_features.network import cut_value, undecided
from heartlab.learners.td_features.trainer import TASKS, Partners, TdParameters, learning_search
from heartlab.rules import Rules
from heartlab.search.evaluators.base import (
    DATA_TYPE,
    SIGNATURE,
    Data,
    Evaluator,
    compile_evaluator,
    make_evaluator,
    points_out,
    settled_points,
)
from heartlab.search.options import SPEC, SearchOptions, compile_options
from heartlab.search.walk import Judge, new_counters
from heartlab.training.recipes import Metrics
from heartlab.util.bundle import FLOATS, Arrays, Form, fit

CARDS = 52
PER_PLAYER = 2 * CARDS
FEATURES = 4 * PER_PLAYER
"""416, as the papers count them."""


@kernel
def list_raw(state: Any, seat: int, out: Any) -> int:
    """Fill `out` with the active features, as a seat sees them; returns how many."""
    count = 0
    for step in range(4):
        player = (seat + step) % 4
        for kind in range(2):
            cards = state["hands"][player] if kind == 0 else state["taken"][player]
            while cards != ZERO:
                out[count] = step * PER_PLAYER + kind * CARDS + lowest(cards)
                cards &= cards - ONE
                count += 1
    return count


@kernel
def raw_value(state: Any, seat: int, weights: Any) -> float:
    """The sum of the active weights."""
    total = 0.0
    for step in range(4):
        player = (seat + step) % 4
        for kind in range(2):
            cards = state["hands"][player] if kind == 0 else state["taken"][player]
            base = step * PER_PLAYER + kind * CARDS
            while cards != ZERO:
                total += weights[base + lowest(cards)]
                cards &= cards - ONE
    return total


@compile_evaluator
def evaluate_raw(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """The network as an evaluator."""
    left = undecided(rules, state, out)
    if left != 0:
        for seat in range(rules["players"]):
            taken = mask_points(rules, state["taken"][seat] & rules["penalty"])
            out[seat] = cut_value(raw_value(state, seat, floats), taken, left, 0.0)


@kernel
def learn_raw(states: Any, count: int, seat: int, result: float, decay: float, rate: float, weights: Any) -> None:
    """TD(λ) backwards through the states of a deal, as over conjunctions."""
    active = np.empty(CARDS, np.int64)
    target = result
    for i in range(count - 1, -1, -1):
        value = raw_value(states[i], seat, weights)
        target = (1.0 - decay) * value + decay * target
        found = list_raw(states[i], seat, active)
        step = rate / found * (target - value)
        for k in range(found):
            weights[active[k]] += step


@kernel
def train_raw(
    rules: Any, key: np.uint64, first: int, course: Course, function: Any, data: Data, other_function: Any,
    other_data: Data, out: Any, counters: Any,
) -> None:  # fmt: skip
    """Play and learn deals from number `first` on, from the learner's view; `out` gets its points."""
    settings = course.settings[0]
    own = Judge(function, data.floats, data.ints, data.scratch)
    others = Judge(other_function, other_data.floats, other_data.ints, other_data.scratch)
    choice = new_choice(0, counters)
    states, seen = np.zeros(1, STATE), np.zeros(CARDS, STATE)
    rng, result = np.empty(1, np.uint64), np.empty(SEATS)
    state = states[0]
    for number in range(len(out)):
        # Deal and play, keeping the states between tricks in which points are left.
        rng[0] = substream(key, first + number)
        deal(rules[0], state, first + number, rng)
        learner = (first + number) % 4
        count = 0
        while state["phase"] != OVER:
            if state["trick_size"] == 0:
                if points_out(rules[0], state) == 0:
                    break
                seen[count] = states[0]
                count += 1
            if settings["self_play"] != 0 or state["to_move"] == learner:
                card = choose(rules[0], state, course.specs[LEARNER], own, rng, choice)
            else:
                card = choose(rules[0], state, course.specs[OTHERS], others, rng, choice)
            play(rules[0], state, card)
        # Learn.
        settled_points(rules[0], state, result)
        out[number] = result[learner]
        learn_raw(seen, count, learner, result[learner], settings["decay"], settings["rate"], data.floats)


RAW_SIGNATURE = types.void(
    types.Array(numba.from_dtype(RULES), 1, "C", readonly=True), types.uint64, types.int64,
    types.NamedTuple(
        (types.Array(numba.from_dtype(SETTINGS), 1, "C"), types.Array(numba.from_dtype(SPEC), 1, "C")), Course
    ),
    types.FunctionType(SIGNATURE), DATA_TYPE, types.FunctionType(SIGNATURE), DATA_TYPE, types.float64[::1],
    types.int64[::1],
)  # fmt: skip


class RawTrainer:
    """Training of a network over raw cards, as the papers train theirs."""

    chunk = 1000

    def __init__(self, task: str, parameters: TdParameters, seed: int) -> None:
        self.rules = Rules.parse(TASKS[task].rules)
        self.weights = numpy_dice(seed, 1).uniform(-1 / FEATURES, 1 / FEATURES, FEATURES)
        self._key = seed_key(seed, "td-raw")
        self._settings = np.zeros(1, SETTINGS)
        self._settings["decay"], self._settings["rate"] = parameters.decay, parameters.rate
        self._settings["self_play"] = parameters.partners is Partners.SELF
        self._expert = make_evaluator(parameters.expert)
        self._expert_data = self._expert.data()
        self._specs = np.concatenate([compile_options(learning_search("maxn")), compile_options(SearchOptions())])
        self._counters = new_counters()
        compile_for(train_raw, RAW_SIGNATURE)

    def evaluator(self) -> Evaluator:
        """The network as an evaluator; it sees changes of the weights."""
        return Evaluator("raw", evaluate_raw, self.weights)

    def step(self, first: int, count: int) -> Sequence[Metrics]:
        """Learn from some deals."""
        out = np.zeros(count)
        judge = self.evaluator()
        train_raw(
            compile_rules(self.rules), self._key, first, Course(self._settings, self._specs), judge.function,
            judge.data(), self._expert.function, self._expert_data, out, self._counters,
        )  # fmt: skip
        return [{"games": first + count, "points": float(out.mean())}]

    def checkpoint(self) -> Arrays:
        """The weights."""
        return {"weights": self.weights.copy()}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        fit(arrays, {"weights": Form(FLOATS, FEATURES)})
        self.weights[:] = arrays["weights"]
