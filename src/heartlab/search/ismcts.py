"""Information-set Monte-Carlo tree search (Cowling, Powley and Whitehouse 2012), single observer.

UCT in sampled worlds grows a tree for each world, and in each of them the root plays as if it knew that world
(strategy fusion). Here one tree is grown for the observation itself: every simulation draws a new world (a
*determinisation*) and selects among the cards that are legal in it. A node stands for the cards played so far, whatever
is hidden; its children have been *available* in some simulations and not in others, and the upper confidence bound
counts how often they were. New cards are tried as in :mod:`heartlab.search.uct`: all of them at the root, elsewhere
those that the playout policy proposes.

With weights of worlds, of every `WORLDS_AT_ONCE` worlds drawn as many are drawn again, with replacement, in proportion
to their weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ZERO, bit
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import uniform
from heartlab.kernel.layout import OBSERVATION, OVER, RULES, SEATS, STATE
from heartlab.kernel.play import play
from heartlab.kernel.worlds import sample_worlds
from heartlab.search.evaluators.base import DATA_TYPE, SIGNATURE, Data
from heartlab.search.found import FOUND_TYPE, Found
from heartlab.search.options import SPEC
from heartlab.search.ordering import MAX_MOVES, candidates, stand_in
from heartlab.search.playouts import SIGNATURE as POLICY_SIGNATURE
from heartlab.search.playouts import Playout
from heartlab.search.uct import (
    ANY_NEW,
    END_OF_LINE,
    SEEN,
    back_up,
    inverse_root,
    propose,
    reward_scale,
    root_of_log,
    simulate,
)
from heartlab.search.walk import LIMIT, NODES, Judge
from heartlab.search.weights import SIGNATURE as WEIGHT_SIGNATURE

ROOT = 0
NO_NODE = -1
AT_ROOT = -1
"""Instead of a number of visits: at the root the policy is not asked."""
WORLDS_AT_ONCE = 32
"""Worlds drawn together: what the observation says about the hidden cards is worked out once for all of them."""
NO_WORLD, BAD_WEIGHT = -1, -2
"""What a search returns instead of a number of cards."""
TRIES = 16
"""How often worlds are drawn again if all their weights are zero; after that they count alike."""


NODE = np.dtype(
    [
        ("totals", "f8", SEATS),  # rewards of each seat, all visits together
        ("visits", "i4"),
        ("available", "i4"),  # simulations in which the card was legal at the parent
        ("child", "i4"),  # the latest child, or NO_NODE
        ("sibling", "i4"),  # the next child of the same parent, or NO_NODE
        ("card", "i1"),  # the card that leads here
    ],
    align=True,
)
"""A node of the tree; the children of a node are a linked list."""


@kernel
def _add(tree: Any, node: int, card: int, sibling: int) -> None:
    """A new node, available once."""
    tree[node]["card"] = card
    tree[node]["child"] = NO_NODE
    tree[node]["sibling"] = sibling
    tree[node]["visits"] = 0
    tree[node]["available"] = 1
    for seat in range(SEATS):
        tree[node]["totals"][seat] = 0.0


class Weights(NamedTuple):
    """The weights of worlds, as kernels take them."""

    used: Any  # False: all worlds are equally likely
    function: Any


@kernel
def _select(tree: Any, node: int, allowed: np.uint64, mover: int, exploration: float) -> tuple[int, np.uint64]:
    """The best child whose card is allowed, and the allowed cards that have no child yet."""
    best = NO_NODE
    best_bound = -np.inf
    new = allowed
    current = tree[node]["child"]
    while current != NO_NODE:
        mask = bit(tree[current]["card"])
        if allowed & mask != ZERO:
            new &= ~mask
            tree[current]["available"] += 1
            n = tree[current]["visits"]
            spread = root_of_log(tree[current]["available"]) * inverse_root(n)
            bound = tree[current]["totals"][mover] / n + exploration * spread
            if best == NO_NODE or bound > best_bound:
                best_bound = bound
                best = current
        current = tree[current]["sibling"]
    return best, new


@kernel
def _new_card(
    rules: Any, state: Any, moves: Any, count: int, new: np.uint64, playout: Playout, visits: int, rng: Any
) -> int:  # fmt: skip
    """The candidate to try where some are `new`; one that is not new if the policy proposes it."""
    if visits != AT_ROOT:
        proposed = propose(rules, state, playout, visits, rng)
        place = stand_in(rules, state, moves, count, proposed) if proposed != ANY_NEW else -1
        if place >= 0:
            return place
    place = 0  # at the root, ANY_NEW, or the policy proposes a card that is not legal
    while new & bit(moves[place]) == ZERO:
        place += 1
    return place


@kernel
def _draw_by_weight(rules: Any, obs: Any, rng: Any, weigh: Any, worlds: Any) -> int:
    """Fill `worlds` with worlds drawn in proportion to their weights; returns 0, NO_WORLD or BAD_WEIGHT."""
    drawn = np.empty(len(worlds), STATE)
    sums = np.empty(len(worlds))
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
def _trace(tree: Any, node: int, line: Any) -> None:
    """Fill `line` with the cards that the tree tried most below a node, and their shares of the simulations there."""
    step = 0
    while step < len(line):
        best = current = tree[node]["child"]
        total = 0
        while current != NO_NODE:
            total += tree[current]["visits"]
            if tree[current]["visits"] > tree[best]["visits"]:
                best = current
            current = tree[current]["sibling"]
        if best == NO_NODE or tree[best]["visits"] < SEEN:
            break
        node = best
        line[step, 0] = tree[node]["card"]
        line[step, 1] = tree[node]["visits"] / total
        step += 1
    if step < len(line):
        line[step, 0] = END_OF_LINE


@kernel
def _draw(rules: Any, obs: Any, weights: Weights, rng: Any, worlds: Any) -> int:
    """Fill `worlds` with worlds for as many simulations; returns 0, NO_WORLD or BAD_WEIGHT."""
    if weights.used:
        return _draw_by_weight(rules, obs, rng, weights.function, worlds)
    return 0 if sample_worlds(rules, obs, rng, worlds) else NO_WORLD


@kernel
def _try_card(
    rules: Any, state: Any, spec: Any, playout: Playout, tree: Any, node: int, used: int, moves: Any, rng: Any
) -> tuple[int, int]:
    """The child of a node to go on with, a new one (number `used`) or not; and the number of cards to choose from."""
    # Selection: among the cards that are legal in this world.
    count = candidates(rules, state, spec["merge"] != 0, moves)
    allowed = ZERO
    for i in range(count):
        allowed |= bit(moves[i])
    best, new = _select(tree, node, allowed, state["to_move"], spec["exploration"])
    i = 0
    if new != ZERO:
        visits = np.int64(tree[node]["visits"]) if node != ROOT else AT_ROOT
        i = _new_card(rules, state, moves, count, new, playout, visits, rng)
    # Expansion: one new node, if the card to try is new.
    if new & bit(moves[i]) != ZERO:
        best = used
        _add(tree, best, moves[i], tree[node]["child"])
        tree[node]["child"] = best
    return best, count


@kernel
def ismcts_root(
    rules: Any, obs: Any, spec: Any, playout: Playout, judge: Judge, weights: Weights, rng: Any, out: Any, lines: Any,
    counters: Any,
) -> int:  # fmt: skip
    """Grow one tree over an observation; returns the number of candidate cards, or NO_WORLD or BAD_WEIGHT.

    `out[i]` is (card, expected points of each seat, visits), and `lines[i]` the principal variation after it, if there
    is room. Each simulation counts as a node; beyond the limit there are only as many as it takes to try every card.
    """
    simulations = max(spec["simulations"], MAX_MOVES)
    tree = np.empty(simulations + 1, NODE)
    _add(tree, ROOT, 0, NO_NODE)
    path = np.empty(64, np.int32)
    moves = np.empty(MAX_MOVES, np.int64)
    final = np.empty(SEATS, np.int64)
    values = np.empty(SEATS)
    bounds = np.empty(2)
    worlds = np.empty(WORLDS_AT_ONCE, STATE)
    players = np.int64(rules["players"])
    reward_scale(rules, bounds)
    low, width = bounds[0], bounds[1] - bounds[0]
    used = 1
    at_root = 1
    for simulation in range(simulations):
        if simulation >= at_root and (counters[NODES] >= counters[LIMIT] or simulation >= spec["simulations"]):
            break
        counters[NODES] += 1
        # Determinisation: a new world for every simulation, drawn some at once.
        if simulation % WORLDS_AT_ONCE == 0:
            wrong = _draw(rules, obs, weights, rng, worlds)
            if wrong != 0:
                return wrong
        walker = worlds[simulation % WORLDS_AT_ONCE]
        node = ROOT
        path[0] = ROOT
        length = 1
        # Selection, up to the first node that is new: expansion.
        before = used
        while walker["phase"] != OVER and used == before:
            child, count = _try_card(rules, walker, spec, playout, tree, node, used, moves, rng)
            if node == ROOT:
                at_root = max(at_root, count)
            used += child == used
            node = child
            play(rules, walker, tree[node]["card"])
            path[length] = node
            length += 1
        # Simulation: finish the deal.
        simulate(rules, walker, obs["seat"], playout, judge, rng, final, values)
        # Back-up: every seat's reward goes to all nodes of the path.
        back_up(tree, path[:length], values[:players], low, width)
    return _report(tree, players, low, width, out, lines)


@kernel
def _report(tree: Any, players: int, low: float, width: float, out: Any, lines: Any) -> int:
    """Fill `out` and `lines` with what the tree says about the cards at the root; returns their number."""
    rows = 0
    node = tree[ROOT]["child"]
    while node != NO_NODE:
        out[rows, 0] = tree[node]["card"]
        out[rows, 1 + SEATS] = tree[node]["visits"]
        for seat in range(players):
            out[rows, 1 + seat] = low + (1.0 - tree[node]["totals"][seat] / tree[node]["visits"]) * width
        _trace(tree, node, lines[rows])
        rows += 1
        node = tree[node]["sibling"]
    return rows


@kernel
def grow_trees(
    rules: Any, obs: Any, keys: Any, spec: Any, chooser: Any, weighted: bool, weigh: Any, function: Any, data: Data,
    found: Found,
) -> None:  # fmt: skip
    """One tree for each key, over the observation beside it; `found.rows` as returned by `ismcts_root`.

    The first tree is grown in any case; others that would begin beyond the limit are left out (no rows). Functions are
    arguments of their own because numba does not accept them inside a record that comes from Python.
    """
    rng = np.empty(1, np.uint64)
    counters = found.counters
    playout = Playout(spec[0]["policy"], spec[0]["cut"], chooser)
    judge = Judge(function, data.floats, data.ints, data.scratch)
    weights = Weights(weighted, weigh)
    for i in range(len(obs)):
        if i > 0 and counters[NODES] >= counters[LIMIT]:
            found.rows[i] = 0
            continue
        rng[0] = keys[i]
        found.rows[i] = ismcts_root(
            rules[0], obs[i], spec[0], playout, judge, weights, rng, found.children[i], found.lines[i], counters
        )


GROW_SIGNATURE = types.void(
    types.Array(numba.from_dtype(RULES), 1, "C", readonly=True), types.Array(numba.from_dtype(OBSERVATION), 1, "C"),
    types.uint64[::1], types.Array(numba.from_dtype(SPEC), 1, "C"), types.FunctionType(POLICY_SIGNATURE),
    types.boolean, types.FunctionType(WEIGHT_SIGNATURE), types.FunctionType(SIGNATURE), DATA_TYPE, FOUND_TYPE,
)  # fmt: skip


def prepare_trees() -> None:
    """Compile the search, once for all evaluators and policies; call this before `grow_trees`."""
    compile_for(grow_trees, GROW_SIGNATURE)
