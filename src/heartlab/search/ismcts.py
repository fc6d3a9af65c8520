"""Information-set Monte-Carlo tree search (Cowling, Powley and Whitehouse 2012), single observer.

UCT in sampled worlds grows a tree for each world, and in each of them the root plays as if it knew that world
(strategy fusion). Here one tree is grown for the observation itself: every simulation draws a new world and walks down
among the cards that are legal in it. A node stands for the cards played so far, whatever is hidden; its children have
been *available* in some simulations and not in others, and the upper confidence bound counts how often they were. New
cards are tried as in :mod:`heartlab.search.uct`: all of them at the root, elsewhere those that the playout policy
proposes.

Weights of worlds decide which worlds the simulations get: from every `WORLDS_AT_ONCE` that are drawn, as many are drawn
again, with replacement, in proportion to their weights.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ZERO, bit
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import uniform
from heartlab.kernel.layout import OBSERVATION, OVER, RULES, SEATS, STATE
from heartlab.kernel.play import play
from heartlab.kernel.worlds import sample_worlds
from heartlab.search.evaluators.base import SIGNATURE
from heartlab.search.maxn import LIMIT, NODES
from heartlab.search.options import SPEC
from heartlab.search.ordering import MAX_MOVES, candidates, stand_in
from heartlab.search.playouts import SIGNATURE as POLICY_SIGNATURE
from heartlab.search.uct import ANY_NEW, END_OF_LINE, SEEN, inverse_root, propose, reward_scale, root_of_log, simulate
from heartlab.search.weights import SIGNATURE as WEIGHT_SIGNATURE

ROOT = 0
NO_NODE = -1
WORLDS_AT_ONCE = 32
"""Worlds drawn together: what the observation says about the hidden cards is worked out once for all of them."""
NO_WORLD, BAD_WEIGHT = -1, -2
"""What a search returns instead of a number of cards."""
TRIES = 16
"""How often worlds are drawn anew if all of them weigh nothing; then they count alike."""


@kernel
def _select(
    node: int, allowed: np.uint64, mover: int, exploration: float, card: Any, child: Any, sibling: Any,
    visits: Any, available: Any, totals: Any,
) -> tuple[int, np.uint64]:  # fmt: skip
    """The best child whose card is allowed, and the allowed cards that have no child yet."""
    best = NO_NODE
    best_bound = -np.inf
    new = allowed
    current = child[node]
    while current != NO_NODE:
        mask = bit(card[current])
        if allowed & mask != ZERO:
            new &= ~mask
            available[current] += 1
            n = visits[current]
            spread = root_of_log(available[current]) * inverse_root(n)
            bound = totals[current, mover] / n + exploration * spread
            if best == NO_NODE or bound > best_bound:
                best_bound = bound
                best = current
        current = sibling[current]
    return best, new


@kernel
def _draw_by_weight(rules: Any, obs: Any, rng: Any, weigh: Any, drawn: Any, sums: Any, worlds: Any) -> int:
    """Fill `worlds` with worlds that come in proportion to their weights; returns 0, NO_WORLD or BAD_WEIGHT."""
    for _ in range(TRIES):
        if not sample_worlds(rules, obs, rng, drawn):
            return NO_WORLD
        total = 0.0
        for i in range(len(drawn)):
            weight = weigh(rules, obs, drawn[i])
            if not 0.0 <= weight < np.inf:
                return BAD_WEIGHT
            total += weight
            sums[i] = total
        if total > 0.0:
            break
    for i in range(len(worlds)):
        if total > 0.0:
            point = total * uniform(rng)
            place = 0
            while place < len(drawn) - 1 and sums[place] <= point:
                place += 1
            worlds[i] = drawn[place]
        else:
            worlds[i] = drawn[i]
    return 0


@kernel
def _trace(node: int, card: Any, child: Any, sibling: Any, visits: Any, line: Any) -> None:
    """Fill `line` with the cards that the tree tried most below a node, and their shares of the simulations there."""
    step = 0
    while step < len(line):
        best = current = child[node]
        total = 0
        while current != NO_NODE:
            total += visits[current]
            if visits[current] > visits[best]:
                best = current
            current = sibling[current]
        if best == NO_NODE or visits[best] < SEEN:
            break
        node = best
        line[step, 0] = card[node]
        line[step, 1] = visits[node] / total
        step += 1
    if step < len(line):
        line[step, 0] = END_OF_LINE


@kernel
def ismcts_root(
    rules: Any, obs: Any, spec: Any, chooser: Any, weighted: bool, weigh: Any, function: Any, floats: Any, ints: Any,
    scratch: Any, rng: Any, out: Any, lines: Any, counters: Any,
) -> int:  # fmt: skip
    """Grow one tree over an observation; returns the number of candidate cards, or NO_WORLD or BAD_WEIGHT.

    `out[i]` is (card, expected points of each seat, visits), and `lines[i]` how the tree goes on after it, if there is
    room. Each simulation counts as a node; beyond the limit there are only as many as it takes to try every card.
    """
    simulations = max(spec["simulations"], MAX_MOVES)
    capacity = simulations + 1
    card = np.zeros(capacity, np.int8)
    child = np.full(capacity, NO_NODE, np.int32)
    sibling = np.full(capacity, NO_NODE, np.int32)
    visits = np.zeros(capacity, np.int32)
    available = np.zeros(capacity, np.int32)
    totals = np.zeros((capacity, SEATS))
    path = np.empty(64, np.int32)
    moves = np.empty(MAX_MOVES, np.int64)
    final = np.empty(SEATS, np.int64)
    values = np.empty(SEATS)
    bounds = np.empty(2)
    worlds = np.empty(WORLDS_AT_ONCE, STATE)
    drawn = np.empty(WORLDS_AT_ONCE if weighted else 0, STATE)
    sums = np.empty(len(drawn))
    players = np.int64(rules["players"])
    merge = spec["merge"] != 0
    reward_scale(rules, bounds)
    low, width = bounds[0], bounds[1] - bounds[0]
    used = 1
    at_root = 1
    for simulation in range(simulations):
        if simulation >= at_root and (counters[NODES] >= counters[LIMIT] or simulation >= spec["simulations"]):
            break
        counters[NODES] += 1
        if simulation % WORLDS_AT_ONCE == 0:
            if weighted:
                wrong = _draw_by_weight(rules, obs, rng, weigh, drawn, sums, worlds)
                if wrong != 0:
                    return wrong
            elif not sample_worlds(rules, obs, rng, worlds):
                return NO_WORLD
        walker = worlds[simulation % WORLDS_AT_ONCE]
        node = ROOT
        path[0] = ROOT
        length = 1
        grown = False
        while walker["phase"] != OVER and not grown:
            count = candidates(rules, walker, merge, moves)
            if node == ROOT:
                at_root = max(at_root, count)
            allowed = ZERO
            for i in range(count):
                allowed |= bit(moves[i])
            best, new = _select(
                node, allowed, walker["to_move"], spec["exploration"], card, child, sibling, visits, available, totals
            )
            i = 0
            if new != ZERO:
                i = -1
                if node != ROOT:
                    proposed = propose(rules, walker, spec["policy"], chooser, visits[node], rng)
                    i = stand_in(rules, walker, moves, count, proposed) if proposed != ANY_NEW else -1
                if i < 0:  # any; also where a policy proposes what is not legal
                    i = 0
                    while new & bit(moves[i]) == ZERO:
                        i += 1
            if new & bit(moves[i]) != ZERO:
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
        _trace(node, card, child, sibling, visits, lines[rows])
        rows += 1
        node = sibling[node]
    return rows


@kernel
def grow_trees(
    rules: Any, obs: Any, keys: Any, spec: Any, chooser: Any, weighted: bool, weigh: Any, function: Any, floats: Any,
    ints: Any, scratch: Any, tables: Any, rows: Any, lines: Any, counters: Any,
) -> None:  # fmt: skip
    """One tree for each key, over the observation beside it; `rows` as returned by `ismcts_root`.

    The first tree is grown in any case; others that would begin beyond the limit are left out (no rows).
    """
    rng = np.empty(1, np.uint64)
    for i in range(len(obs)):
        if i > 0 and counters[NODES] >= counters[LIMIT]:
            rows[i] = 0
            continue
        rng[0] = keys[i]
        rows[i] = ismcts_root(
            rules[0], obs[i], spec[0], chooser, weighted, weigh, function, floats, ints, scratch, rng, tables[i],
            lines[i], counters,
        )  # fmt: skip


GROW_SIGNATURE = types.void(
    types.Array(numba.from_dtype(RULES), 1, "C", readonly=True), types.Array(numba.from_dtype(OBSERVATION), 1, "C"),
    types.uint64[::1], types.Array(numba.from_dtype(SPEC), 1, "C"), types.FunctionType(POLICY_SIGNATURE),
    types.boolean, types.FunctionType(WEIGHT_SIGNATURE), types.FunctionType(SIGNATURE), types.float64[::1],
    types.int64[::1], types.float64[::1], types.float64[:, :, ::1], types.int64[::1], types.float64[:, :, :, ::1],
    types.int64[::1],
)  # fmt: skip


def prepare_trees() -> None:
    """Compile the search, once for all evaluators and policies; call this before `grow_trees`."""
    compile_for(grow_trees, GROW_SIGNATURE)
