"""Exact endgames: the max^n solution of the rest of a deal, with a transposition table at trick boundaries.

Every seat minimises its own final points, moon and bonuses included; ties go to the first card in search order. If the
rules let points simply add up, the past does not matter and the table stores what is still to come. Beyond the limit
in the counters it gives up, like any search: what it has filled in is then worth nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import OVER, SEATS, STATE
from heartlab.kernel.play import play, points
from heartlab.search.maxn import EPSILON, LIMIT, NODES, descend
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.transpositions import POINTS, position_key, recall, relevant_past, remember

TABLE_BITS = 12
"""The table has 2^12 places: enough for the last five tricks."""


@kernel
def cards_left(rules: Any, state: Any) -> int:
    """The most cards that any seat still holds."""
    most = 0
    for seat in range(rules["players"]):
        most = max(most, popcount(state["hands"][seat]))
    return most


@kernel
def _solve(
    rules: Any, stack: Any, past: int, merge: bool, keys: Any, stored: Any, cards: Any, values: Any, counters: Any
) -> None:  # fmt: skip
    """Fill `values[1]` with the final points of all seats from `stack[1]` on."""
    players = rules["players"]
    so_far = np.zeros(SEATS, np.int64)
    count = np.zeros(len(stack), np.int64)
    index = np.zeros(len(stack), np.int64)
    known_as = np.zeros(len(stack), np.uint64)
    depth = 1
    entering = True
    while True:
        if entering:
            state = stack[depth]
            counters[NODES] += 1
            known_as[depth] = ZERO
            entering = False
            if state["phase"] == OVER or counters[NODES] > counters[LIMIT]:
                points(rules, state, so_far)
                for seat in range(players):
                    values[depth, seat] = so_far[seat]
                continue
            if state["trick_size"] == 0:
                known_as[depth] = position_key(rules, state, past)
                if recall(rules, state, past, keys, stored, known_as[depth], so_far, values[depth]):
                    continue
            count[depth] = candidates(rules, state, merge, cards[depth])
            index[depth] = 0
            descend(rules, stack, depth, cards, index)
            depth += 1
            entering = True
            continue
        if depth == 1:
            return
        depth -= 1
        mover = stack[depth]["to_move"]
        if index[depth] == 1 or values[depth + 1, mover] < values[depth, mover] - EPSILON:
            for seat in range(players):
                values[depth, seat] = values[depth + 1, seat]
        if index[depth] < count[depth]:
            descend(rules, stack, depth, cards, index)
            depth += 1
            entering = True
        elif known_as[depth] != ZERO:
            remember(rules, stack[depth], past, keys, stored, known_as[depth], so_far, values[depth])


@kernel
def solve_root(rules: Any, state: Any, merge: bool, out: Any, counters: Any) -> int:
    """The exact final points after each candidate card: rows (card, points of each seat); returns the rows."""
    size = rules["hand_size"] * rules["players"] - state["plays"]
    stack = np.empty(size + 2, STATE)
    cards = np.zeros((size + 2, MAX_MOVES), np.int64)
    values = np.zeros((size + 2, SEATS))
    keys = np.zeros(1 << TABLE_BITS, np.uint64)
    stored = np.empty((1 << TABLE_BITS, SEATS))
    past = relevant_past(rules, POINTS)
    count = candidates(rules, state, merge, cards[0])
    for i in range(count):
        stack[1] = state
        play(rules, stack[1], cards[0, i])
        _solve(rules, stack, past, merge, keys, stored, cards, values, counters)
        out[i, 0] = cards[0, i]
        for seat in range(rules["players"]):
            out[i, 1 + seat] = values[1, seat]
    return count
