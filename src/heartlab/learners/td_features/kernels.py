"""TD(λ) over conjunctions, backwards through each deal (Sturtevant and White 2006), as one compiled loop.

A deal is played by max^n to the end of each trick: the learner over its own network, which it also takes for the
others' judgement; the others over the hand-tuned expert or, in self-play, over the same network. Then the states at
trick boundaries in which points were still to be taken are visited from last to first:

    target = points taken in the deal
    for each state:  y = value;  target = (1 - λ)·y + λ·target;  every active weight += rate / active · (target - y)

Values in learning are not cut. A deal ends when no points are left: what follows cannot change anything.

Beyond the papers: with `worlds` everybody chooses as closed players do, so that the network learns what an open state
is worth among players who do not see it; with `leaf` (TDLeaf) it is not the state itself that is valued and changed but
the one that the search expects at the end of the trick.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ZERO, bit
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import below, substream
from heartlab.kernel.dealing import deal
from heartlab.kernel.layout import OBSERVATION, OVER, RULES, SEATS, STATE
from heartlab.kernel.observe import see
from heartlab.kernel.play import mask_points, play
from heartlab.kernel.worlds import sample_worlds
from heartlab.learners.td_features.conjunctions import STACK, list_active, sum_listed
from heartlab.learners.td_features.features import EXTRACT, WORDS
from heartlab.learners.td_features.network import CHANGE, REST
from heartlab.search.evaluators.base import SIGNATURE, points_out, settled_points
from heartlab.search.maxn import EPSILON, MAXN, search_root, stop_after
from heartlab.search.options import SPEC
from heartlab.search.ordering import MAX_MOVES, candidates

SETTINGS = np.dtype(
    [
        ("decay", "f8"),  # λ
        ("rate", "f8"),  # how much of the error one update removes
        ("halving", "f8"),  # deals after which that is half as much, then a third, and so on; 0: it stays
        ("views", "i8"),  # seats that learn from a deal: 1 (the learner) or all
        ("self_play", "i8"),  # whether the others use the network, too
        ("worlds", "i8"),  # 0: all see all hands; else every choice is the best on average in so many sampled worlds
        ("leaf", "i8"),  # whether the state that a search expects is learned, and not the one where it starts
    ]
)
NOTE = np.dtype([("low", "u8"), ("high", "u8"), ("error", "f8")])
"""A state that was learned: its mask, and the result of the deal minus its value before."""
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
    return best_row(table, rows, seat, spec["ties"], rng)


@kernel
def best_row(table: Any, rows: int, seat: int, ties: int, rng: Any) -> int:
    """The card of the row that is best for a seat."""
    best = 0
    tied = 1
    for row in range(1, rows):
        gap = table[row, 1 + seat] - table[best, 1 + seat]
        if gap < -EPSILON:
            best = row
            tied = 1
        elif gap <= EPSILON and ties != 0:
            tied += 1
            if below(rng, tied) == 0:
                best = row
    return np.int64(table[best, 0])


@kernel
def choose_closed(
    rules: Any, state: Any, spec: Any, function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, table: Any,
    cards: Any, counters: Any, worlds: Any, seen: Any, sums: Any,
) -> int:  # fmt: skip
    """The card that is best on average in sampled worlds: what a closed player with the same network does."""
    if candidates(rules, state, True, cards) == 1:
        return cards[0]
    seat = np.int64(state["to_move"])
    stop = stop_after(rules, state, spec["plies"], spec["tricks"])
    see(rules, state, seat, np.uint64(0), seen)
    sample_worlds(rules, seen, rng, worlds)
    sums[:] = 0.0
    rows = 0
    for world in range(len(worlds)):
        rows = search_root(
            rules, worlds[world], MAXN, stop, True, spec["ties"], spec, function, floats, ints, scratch, rng, table,
            counters,
        )  # fmt: skip
        for row in range(rows):
            sums[row, 0] = table[row, 0]
            sums[row, 1 + seat] += table[row, 1 + seat]
    return best_row(sums, rows, seat, spec["ties"], rng)


@kernel
def foresee(
    rules: Any, state: Any, spec: Any, function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, table: Any,
    cards: Any, counters: Any,
) -> None:  # fmt: skip
    """Play on to the end of the trick as the network expects everybody to play."""
    going = True
    while going:
        play(rules, state, choose(rules, state, spec, function, floats, ints, scratch, rng, table, cards, counters))
        going = state["trick_size"] > 0 and state["phase"] != OVER


@kernel
def count_taken(rules: Any, state: Any, out: Any) -> None:
    """The penalty points that every seat has."""
    for seat in range(rules["players"]):
        out[seat] = mask_points(rules, state["taken"][seat] & rules["penalty"])


@kernel
def leave_out_bonus(rules: Any, state: Any, result: Any) -> None:
    """Take the bonus card's points out of a result: a network foresees penalty points, its evaluator adds the bonus."""
    for seat in range(rules["players"]):
        if rules["bonus"] >= 0 and state["taken"][seat] & bit(rules["bonus"]) != ZERO:
            result[seat] -= rules["points"][rules["bonus"]]


@kernel
def learn_backwards(
    masks: Any, before: Any, count: int, result: float, decay: float, rate: float, floats: Any, ints: Any, active: Any,
    stack: Any, notes: Any, noted: int,
) -> tuple[float, int]:  # fmt: skip
    """Visit a deal's states from last to first; returns the absolute error of the first one, before its update.

    `before` are the points that the seat had in each state: they count if the network foresees only the rest.
    As far as there is room the states are noted, `noted` of them so far; the second result is their new number.
    """
    weights = floats.view(np.float32)
    trie = ints.view(np.uint64)
    target = result
    error = 0.0
    for i in range(count - 1, -1, -1):
        found = list_active(trie, masks[i, 0], masks[i, 1], stack, active)
        value = before[i] * floats[REST] + sum_listed(weights, active, found)
        error = abs(result - value)
        if noted < len(notes):
            notes[noted]["low"] = masks[i, 0]
            notes[noted]["high"] = masks[i, 1]
            notes[noted]["error"] = result - value
            noted += 1
        if found == 0:
            continue
        target = (1.0 - decay) * value + decay * target
        step = np.float32(rate / found * (target - value))
        for k in range(np.uint64(found)):
            weights[active[k]] += step
    return error, noted


@kernel
def train_deals(
    rules: Any, key: np.uint64, first: int, settings: Any, specs: Any, extract: Any,
    function: Any, floats: Any, ints: Any, scratch: Any,
    other_function: Any, other_floats: Any, other_ints: Any, other_scratch: Any, active: Any, out: Any, counters: Any,
    notes: Any,
) -> int:  # fmt: skip
    """Play and learn deals number `first` to `first + len(out) - 1`: `out` gets the learner's points and error.

    States that were learned are written into `notes` until they are full; returns how many.
    """
    states = np.zeros(2, STATE)
    noted = 0
    rng = np.empty(1, np.uint64)
    table = np.empty((MAX_MOVES, 2 + SEATS))
    cards = np.empty(MAX_MOVES, np.int64)
    masks = np.empty((32, SEATS, WORDS), np.uint64)
    before = np.zeros((32, SEATS))
    stack = np.empty(STACK, np.uint64)
    result = np.empty(SEATS)
    players = np.int64(rules[0]["players"])
    memory = scratch.view(np.uint64)
    worlds = np.zeros(settings[0]["worlds"], STATE)
    seen = np.zeros(1, OBSERVATION)
    sums = np.empty_like(table)
    for number in range(len(out)):
        state, ahead = states[0], states[1]
        rng[0] = substream(key, first + number)
        deal(rules[0], state, first + number, rng)
        learner = (first + number) % players
        count = 0
        while state["phase"] != OVER:
            if state["trick_size"] == 0:
                if points_out(rules[0], state) == 0:
                    break
                if settings[0]["leaf"] != 0:
                    states[1] = states[0]
                    foresee(
                        rules[0], ahead, specs[LEARNER], function, floats, ints, scratch, rng, table, cards, counters
                    )
                    extract(rules[0], ahead, masks[count])
                    count_taken(rules[0], ahead, before[count])
                    count += points_out(rules[0], ahead) > 0
                else:
                    extract(rules[0], state, masks[count])
                    count_taken(rules[0], state, before[count])
                    count += 1
            if settings[0]["worlds"] > 0:
                card = choose_closed(
                    rules[0], state, specs[LEARNER], function, floats, ints, scratch, rng, table, cards, counters,
                    worlds, seen[0], sums,
                )  # fmt: skip
            elif settings[0]["self_play"] != 0 or state["to_move"] == learner:
                card = choose(
                    rules[0], state, specs[LEARNER], function, floats, ints, scratch, rng, table, cards, counters
                )
            else:
                card = choose(
                    rules[0], state, specs[OTHERS], other_function, other_floats, other_ints, other_scratch, rng,
                    table, cards, counters,
                )  # fmt: skip
            play(rules[0], state, card)
        settled_points(rules[0], state, result)
        leave_out_bonus(rules[0], state, result)
        rate = settings[0]["rate"]
        if settings[0]["halving"] > 0:
            rate /= 1.0 + (first + number) / settings[0]["halving"]
        for step in range(players):
            seat = (learner + step) % players
            if step == 0 or settings[0]["views"] > 1:
                error, noted = learn_backwards(
                    masks[:, seat], before[:, seat], count, result[seat], settings[0]["decay"], rate,
                    floats, ints, active, stack, notes, noted,
                )  # fmt: skip
                if step == 0:
                    out[number, 0] = result[seat]
                    out[number, 1] = error
        memory[CHANGE] += np.uint64(1)
    return noted


_RULES = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
_FLOATS, _INTS = types.float64[::1], types.int64[::1]
_JUDGE = types.FunctionType(SIGNATURE)
TRAIN_SIGNATURE = types.int64(
    _RULES, types.uint64, types.int64, types.Array(numba.from_dtype(SETTINGS), 1, "C"),
    types.Array(numba.from_dtype(SPEC), 1, "C"), types.FunctionType(EXTRACT),
    _JUDGE, _FLOATS, _INTS, _FLOATS, _JUDGE, _FLOATS, _INTS, _FLOATS, types.uint32[::1], types.float64[:, ::1], _INTS,
    types.Array(numba.from_dtype(NOTE), 1, "C"),
)  # fmt: skip


def prepare_training() -> None:
    """Compile the loop, once for all feature sets and opponents; call this before `train_deals`."""
    compile_for(train_deals, TRAIN_SIGNATURE)
