"""TD(λ) over conjunctions, backwards through each deal (Sturtevant and White 2006), as one compiled loop.

A deal is played by max^n to the end of each trick: the learner over its own network, which it also takes for the
others' judgement; the others over the hand-tuned expert or, in self-play, over the same network. Then the states at
trick boundaries in which points were still to be taken are visited from last to first:

    target = points taken in the deal
    for each state:  y = value;  target = (1 - λ)·y + λ·target;  every active weight += rate / active · (target - y)

Values in learning are not cut. A deal ends when no points are left: what follows cannot change anything.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.features.atoms import EXTRACT, WORDS
from heartlab.features.conjunctions import STACK, list_active
from heartlab.features.network import CHANGE
from heartlab.jit import compile_for, kernel
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import OVER, RULES, SEATS, STATE
from heartlab.kernel.play import play, points
from heartlab.kernel.rng import below, substream
from heartlab.search.evaluators import SIGNATURE, points_out
from heartlab.search.maxn import EPSILON, MAXN, search_root, stop_after
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.spec import SPEC

SETTINGS = np.dtype(
    [
        ("decay", "f8"),  # λ
        ("rate", "f8"),  # how much of the error one update removes
        ("views", "i8"),  # seats that learn from a deal: 1 (the learner) or all
        ("self_play", "i8"),  # whether the others use the network, too
    ]
)
LEARNER, OTHERS = 0, 1
"""Places in the array of specs."""


@kernel
def choose(
    rules: Any, state: Any, spec: Any, function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, table: Any,
    cards: Any, counters: Any,
) -> int:  # fmt: skip
    """The card that max^n to the end of the trick finds best; ties as the spec says."""
    if candidates(rules, state, True, cards) == 1:
        return cards[0]
    seat = state["to_move"]
    stop = stop_after(rules, state, spec["plies"], spec["tricks"])
    rows = search_root(
        rules, state, MAXN, stop, True, spec["ties"], spec, function, floats, ints, scratch, rng, table, counters
    )
    best = 0
    tied = 1
    for row in range(1, rows):
        gap = table[row, 1 + seat] - table[best, 1 + seat]
        if gap < -EPSILON:
            best = row
            tied = 1
        elif gap <= EPSILON and spec["ties"] != 0:
            tied += 1
            if below(rng, tied) == 0:
                best = row
    return np.int64(table[best, 0])


@kernel
def learn_backwards(
    masks: Any, count: int, result: float, settings: Any, floats: Any, ints: Any, active: Any, stack: Any
) -> float:
    """Visit a deal's states from last to first; returns the absolute error of the first one, before its update."""
    weights = floats.view(np.float32)
    trie = ints.view(np.uint64)
    decay = settings["decay"]
    target = result
    error = 0.0
    for i in range(count - 1, -1, -1):
        found = list_active(trie, masks[i, 0], masks[i, 1], stack, active)
        value = 0.0
        for k in range(found):
            value += weights[active[k]]
        error = abs(result - value)
        if found == 0:
            continue
        target = (1.0 - decay) * value + decay * target
        step = np.float32(settings["rate"] / found * (target - value))
        for k in range(found):
            weights[active[k]] += step
    return error


@kernel
def train_deals(
    rules: Any, key: np.uint64, first: int, settings: Any, specs: Any, extract: Any,
    function: Any, floats: Any, ints: Any, scratch: Any,
    other_function: Any, other_floats: Any, other_ints: Any, other_scratch: Any, active: Any, out: Any, counters: Any,
) -> None:  # fmt: skip
    """Play and learn deals number `first` to `first + len(out) - 1`: `out` gets the learner's points and error."""
    states = np.zeros(1, STATE)
    state = states[0]
    rng = np.empty(1, np.uint64)
    table = np.empty((MAX_MOVES, 2 + SEATS))
    cards = np.empty(MAX_MOVES, np.int64)
    masks = np.empty((32, SEATS, WORDS), np.uint64)
    stack = np.empty(STACK, np.uint64)
    result = np.empty(SEATS, np.int64)
    players = np.int64(rules[0]["players"])
    memory = scratch.view(np.uint64)
    for number in range(len(out)):
        rng[0] = substream(key, first + number)
        deal(rules[0], state, first + number, rng)
        learner = (first + number) % players
        count = 0
        while state["phase"] != OVER:
            if state["trick_size"] == 0:
                if points_out(rules[0], state) == 0:
                    break
                extract(rules[0], state, masks[count])
                count += 1
            if settings[0]["self_play"] != 0 or state["to_move"] == learner:
                card = choose(
                    rules[0], state, specs[LEARNER], function, floats, ints, scratch, rng, table, cards, counters
                )
            else:
                card = choose(
                    rules[0], state, specs[OTHERS], other_function, other_floats, other_ints, other_scratch, rng,
                    table, cards, counters,
                )  # fmt: skip
            play(rules[0], state, card)
        points(rules[0], state, result)
        for step in range(players):
            seat = (learner + step) % players
            if step == 0 or settings[0]["views"] > 1:
                error = learn_backwards(
                    masks[:, seat], count, float(result[seat]), settings[0], floats, ints, active, stack
                )
                if step == 0:
                    out[number, 0] = result[seat]
                    out[number, 1] = error
        memory[CHANGE] += np.uint64(1)


_RULES = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
_FLOATS, _INTS = types.float64[::1], types.int64[::1]
_JUDGE = types.FunctionType(SIGNATURE)
TRAIN_SIGNATURE = types.void(
    _RULES, types.uint64, types.int64, types.Array(numba.from_dtype(SETTINGS), 1, "C"),
    types.Array(numba.from_dtype(SPEC), 1, "C"), types.FunctionType(EXTRACT),
    _JUDGE, _FLOATS, _INTS, _FLOATS, _JUDGE, _FLOATS, _INTS, _FLOATS, _INTS, types.float64[:, ::1], _INTS,
)  # fmt: skip


def prepare_training() -> None:
    """Compile the loop, once for all feature sets and opponents; call this before `train_deals`."""
    compile_for(train_deals, TRAIN_SIGNATURE)
