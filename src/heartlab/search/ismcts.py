"""Information-set Monte-Carlo tree search (Cowling, Powley and Whitehouse 2012), single observer.

UCT in sampled worlds grows a tree for each world, and in each of them the root plays as if it knew that world
(strategy fusion). Here one tree is grown for the observation itself: every simulation draws a new world and walks down
among the cards that are legal in it. A node stands for the cards played so far, whatever is hidden; its children have
been *available* in some simulations and not in others, and the upper confidence bound counts how often they were.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.jit import compile_for, kernel
from heartlab.kernel.bits import ZERO, bit
from heartlab.kernel.layout import OBSERVATION, OVER, RULES, SEATS, STATE
from heartlab.kernel.play import play
from heartlab.kernel.worlds import sample_worlds
from heartlab.search.evaluators import SIGNATURE
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.playouts import SIGNATURE as POLICY_SIGNATURE
from heartlab.search.spec import SPEC
from heartlab.search.uct import reward_scale, simulate

ROOT = 0
NO_NODE = -1
WORLDS_AT_ONCE = 32
"""Worlds drawn together: what the observation says about the hidden cards is worked out once for all of them."""


@kernel
def _select(
    node: int, allowed: np.uint64, mover: int, exploration: float, card: Any, child: Any, sibling: Any,
    visits: Any, available: Any, totals: Any,
) -> tuple[int, np.uint64]:  # fmt: skip
    """The best child whose card is allowed, and the allowed cards that have no child yet."""
    best = NO_NODE
    best_bound = -1.0
    new = allowed
    current = child[node]
    while current != NO_NODE:
        mask = bit(card[current])
        if allowed & mask != ZERO:
            new &= ~mask
            available[current] += 1
            n = visits[current]
            bound = totals[current, mover] / n + exploration * math.sqrt(math.log(available[current]) / n)
            if bound > best_bound:
                best_bound = bound
                best = current
        current = sibling[current]
    return best, new


@kernel
def ismcts_root(
    rules: Any, obs: Any, spec: Any, chooser: Any, function: Any, floats: Any, ints: Any, scratch: Any, rng: Any,
    out: Any,
) -> int:  # fmt: skip
    """Grow one tree over an observation; returns the number of candidate cards, or -1 if no world fits.

    `out[i]` is (card, expected points of each seat, visits).
    """
    simulations = spec["simulations"]
    capacity = simulations + 1
    card = np.zeros(capacity, np.int8)
    child = np.full(capacity, NO_NODE, np.int32)
    sibling = np.full(capacity, NO_NODE, np.int32)
    visits = np.zeros(capacity, np.int32)
    available = np.zeros(capacity, np.int32)
    totals = np.zeros((capacity, SEATS), np.float32)
    path = np.empty(64, np.int32)
    moves = np.empty(MAX_MOVES, np.int64)
    final = np.empty(SEATS, np.int64)
    values = np.empty(SEATS)
    bounds = np.empty(2)
    worlds = np.empty(WORLDS_AT_ONCE, STATE)
    players = np.int64(rules["players"])
    merge = spec["merge"] != 0
    reward_scale(rules, bounds)
    low, width = bounds[0], bounds[1] - bounds[0]
    used = 1
    for simulation in range(simulations):
        if simulation % WORLDS_AT_ONCE == 0:
            if not sample_worlds(rules, obs, rng, worlds):
                return -1
        walker = worlds[simulation % WORLDS_AT_ONCE]
        node = ROOT
        path[0] = ROOT
        length = 1
        grown = False
        while walker["phase"] != OVER and not grown:
            count = candidates(rules, walker, merge, moves)
            allowed = ZERO
            for i in range(count):
                allowed |= bit(moves[i])
            best, new = _select(
                node, allowed, walker["to_move"], spec["exploration"], card, child, sibling, visits, available, totals
            )
            if new != ZERO:
                i = 0
                while new & bit(moves[i]) == ZERO:
                    i += 1
                best = used
                card[best] = moves[i]
                sibling[best] = child[node]
                child[node] = best
                available[best] = 1
                used += 1
                grown = True
            node = best
            play(rules, walker, card[node])
            path[length] = node
            length += 1
        simulate(
            rules, walker, obs["seat"], spec["policy"], spec["cut"], chooser,
            function, floats, ints, scratch, rng, final, values,
        )  # fmt: skip
        for step in range(length):
            visits[path[step]] += 1
        for seat in range(players):
            reward = 1.0 - (values[seat] - low) / width
            for step in range(length):
                totals[path[step], seat] += reward
    rows = 0
    node = child[ROOT]
    while node != NO_NODE:
        out[rows, 0] = card[node]
        out[rows, 1 + SEATS] = visits[node]
        for seat in range(players):
            out[rows, 1 + seat] = low + (1.0 - totals[node, seat] / visits[node]) * width
        rows += 1
        node = sibling[node]
    return rows


@kernel
def grow_trees(
    rules: Any, obs: Any, keys: Any, spec: Any, chooser: Any, function: Any, floats: Any, ints: Any, scratch: Any,
    tables: Any, rows: Any,
) -> None:  # fmt: skip
    """One tree for each key, over the observation beside it; `rows` as returned by `ismcts_root`."""
    rng = np.empty(1, np.uint64)
    for i in range(len(obs)):
        rng[0] = keys[i]
        rows[i] = ismcts_root(
            rules[0], obs[i], spec[0], chooser, function, floats, ints, scratch, rng, tables[i]
        )  # fmt: skip


GROW_SIGNATURE = types.void(
    types.Array(numba.from_dtype(RULES), 1, "C", readonly=True), types.Array(numba.from_dtype(OBSERVATION), 1, "C"),
    types.uint64[::1], types.Array(numba.from_dtype(SPEC), 1, "C"), types.FunctionType(POLICY_SIGNATURE),
    types.FunctionType(SIGNATURE), types.float64[::1], types.int64[::1], types.float64[::1],
    types.float64[:, :, ::1], types.int64[::1],
)  # fmt: skip


def prepare_trees() -> None:
    """Compile the search, once for all evaluators and policies; call this before `grow_trees`."""
    compile_for(grow_trees, GROW_SIGNATURE)
