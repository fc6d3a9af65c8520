"""The kernels of closed play: draw worlds, search their roots by any open search, average, and pick a card.

Worlds are numbered and drawn in blocks. What a block holds depends on the observation's key, the number of its first
world and the places of its worlds in it; the dice of the search in a world depend on the key and the world's number.
Thus worlds may be spread over threads, or searched in portions until time is up, without changing what is found in any
of them.

Three steps, each over arrays: `draw_worlds`, `search_states` (the only one that takes time) and `pick_cards`. Open play
skips the first: its states are its worlds.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ONE, ZERO, lowest
from heartlab.compiled.jit import compile_for, kernel, template
from heartlab.compiled.rng import below, substream
from heartlab.kernel.layout import OVER, RULES, SEATS, STATE, StateArray
from heartlab.kernel.play import legal, play
from heartlab.kernel.worlds import sample_worlds
from heartlab.search.endgame import cards_left, solve_root
from heartlab.search.evaluators.base import DATA_TYPE, SIGNATURE, Data
from heartlab.search.found import CHILD, FOUND_TYPE, Found
from heartlab.search.maxn import search_for
from heartlab.search.options import SPEC, Kind, SearchOptions, Ties
from heartlab.search.ordering import MAX_MOVES, candidates, stand_in
from heartlab.search.playouts import SIGNATURE as POLICY_SIGNATURE
from heartlab.search.playouts import Playout
from heartlab.search.soft import prob_for, soft_for
from heartlab.search.uct import END_OF_LINE, NODE, tree_size, uct_root
from heartlab.search.walk import EPSILON, LIMIT, NODES, Judge, Plan, stop_after

WORLD_STREAM, TIE_STREAM = np.uint64(2**64 - 7), np.uint64(2**64 - 8)
"""Numbers of the substreams of an observation's key for drawing worlds and for breaking ties at the root: far from
those of the searches in the worlds."""


@template
def _solve(
    rules: Any, state: Any, plan: Plan, spec: Any, judge: Judge, rng: Any, out: Any, counters: Any
) -> int:  # fmt: skip
    """Solve the children of a state exactly; returns their number."""
    return solve_root(rules, state, plan.merge, out, counters)


@template
def _walk(
    rules: Any, state: Any, plan: Plan, spec: Any, judge: Judge, rng: Any, out: Any, counters: Any
) -> int:  # fmt: skip
    """Search the children of a state, by a depth-first search; returns their number."""
    if plan.solve:
        return solve_root(rules, state, plan.merge, out, counters)
    if spec["kind"] == Kind.SOFTMAXN:
        return soft_for(rules, state, plan, judge, out, counters)
    if spec["kind"] == Kind.PROBMAXN:
        return prob_for(rules, state, plan, judge, out, counters)
    return search_for(rules, state, plan, spec, judge, rng, out, counters)


@template
def _expected(out: Any, rows: int, mover: int, plan: Plan, spec: Any) -> int:
    """The child that a search expects to be chosen; among equals the first (with `ties=worst` the root's worst)."""
    root = plan.root
    against = spec["kind"] == Kind.PARANOID and mover != root and not plan.solve
    best = 0
    for row in range(1, rows):
        gap = out[best, 1 + root] - out[row, 1 + root] if against else out[row, 1 + mover] - out[best, 1 + mover]
        worse = spec["ties"] == Ties.WORST and out[row, 1 + root] > out[best, 1 + root] + EPSILON
        if gap < -EPSILON or (gap <= EPSILON and worse and not against and not plan.solve):
            best = row
    return best


@template
def _trace_lines(
    look: Any, rules: Any, state: Any, plan: Plan, spec: Any, judge: Judge, rng: Any, out: Any, lines: Any,
    counters: Any,
) -> None:  # fmt: skip
    """Fill `lines[i]` with the principal variation after child i: cards (and shares of 1) to where the search stops.

    Each step is the same search, made by the same seat to the same depth, from one card further on. If the counters'
    limit is reached meanwhile, as when time is up, lines end there. The counters are restored.
    """
    last = rules["hand_size"] * rules["players"] if plan.solve else plan.stop
    children: Any = np.empty((MAX_MOVES, CHILD))
    walkers = np.empty(1, STATE)
    walker = walkers[0]
    before = counters[:LIMIT].copy()
    for i in range(len(lines)):
        walkers[0] = state
        play(rules, walker, np.int64(out[i, 0]))
        step = 0
        while walker["phase"] != OVER and walker["plays"] < last:
            counters[NODES] = 0
            found = look(rules, walker, plan, spec, judge, rng, children, counters)
            if counters[NODES] > counters[LIMIT]:
                break
            row = _expected(children, found, np.int64(walker["to_move"]), plan, spec)
            card = np.int64(children[row, 0])
            lines[i, step, 0] = card
            lines[i, step, 1] = 1.0
            step += 1
            play(rules, walker, card)
        lines[i, step, 0] = END_OF_LINE
    counters[:LIMIT] = before


@template
def _in_depth(
    look: Any, rules: Any, state: Any, spec: Any, judge: Judge, solve: bool, rng: Any, out: Any, lines: Any,
    counters: Any,
) -> int:  # fmt: skip
    """Search one open state depth first: `out[i]` is (card, value of each seat, 1) of child i.

    Returns the number of children, 0 if the search gave up. `lines` is empty, or takes the principal variations.

    :param look: `_walk`, or `_solve` where only endgames are searched in this way.
    """
    stop = stop_after(rules, state, spec["plies"], spec["tricks"])
    plan = Plan(np.int64(state["to_move"]), stop, spec["merge"] != 0, solve)
    rows = look(rules, state, plan, spec, judge, rng, out, counters)
    if counters[NODES] > counters[LIMIT]:
        return 0
    for i in range(rows):
        out[i, 1 + SEATS] = 1.0
    if lines.shape[1] > 0:
        _trace_lines(look, rules, state, plan, spec, judge, rng, out, lines[:rows], counters)
    return rows


@template
def _is_endgame(rules: Any, state: Any, spec: Any) -> bool:
    """Whether a state is solved exactly instead of searched."""
    return spec["endgame"] > 0 and cards_left(rules, state) <= spec["endgame"]


@kernel
def walk_states(rules: Any, states: Any, keys: Any, spec: Any, function: Any, data: Data, found: Found) -> None:
    """Search each of some states depth first. A search that gives up, because all exceed the limit, has no rows.

    Functions are arguments of their own because numba does not accept them inside a record that comes from Python.
    """
    rng = np.empty(1, np.uint64)
    counters = found.counters
    judge = Judge(function, data.floats, data.ints, data.scratch)
    for i in range(len(states)):
        if i > 0 and counters[NODES] >= counters[LIMIT]:
            found.rows[i] = 0
            continue
        rng[0] = keys[i]
        solve = _is_endgame(rules[0], states[i], spec[0])
        found.rows[i] = _in_depth(
            _walk, rules[0], states[i], spec[0], judge, solve, rng, found.children[i], found.lines[i], counters
        )


@kernel
def simulate_states(
    rules: Any, states: Any, keys: Any, spec: Any, chooser: Any, function: Any, data: Data, tree: Any, found: Found
) -> None:  # fmt: skip
    """As `walk_states`, with trees of simulations (UCT) except in endgames.

    :param tree: memory for trees, as `new_tree` makes it.
    """
    rng = np.empty(1, np.uint64)
    counters = found.counters
    playout = Playout(spec[0]["policy"], spec[0]["cut"], chooser)
    judge = Judge(function, data.floats, data.ints, data.scratch)
    for i in range(len(states)):
        if i > 0 and counters[NODES] >= counters[LIMIT]:
            found.rows[i] = 0
            continue
        rng[0] = keys[i]
        state, out, lines = states[i], found.children[i], found.lines[i]
        if _is_endgame(rules[0], state, spec[0]):
            found.rows[i] = _in_depth(_solve, rules[0], state, spec[0], judge, True, rng, out, lines, counters)
        else:
            found.rows[i] = uct_root(rules[0], state, spec[0], playout, judge, tree, rng, out, lines, counters)


_RULES = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
_STATES = types.Array(numba.from_dtype(STATE), 1, "C")
_SPEC, _EVALUATOR = types.Array(numba.from_dtype(SPEC), 1, "C"), types.FunctionType(SIGNATURE)
WALK_SIGNATURE = types.void(_RULES, _STATES, types.uint64[::1], _SPEC, _EVALUATOR, DATA_TYPE, FOUND_TYPE)
SIMULATE_SIGNATURE = types.void(
    _RULES, _STATES, types.uint64[::1], _SPEC, types.FunctionType(POLICY_SIGNATURE), _EVALUATOR, DATA_TYPE,
    types.Array(numba.from_dtype(NODE), 1, "C"), FOUND_TYPE,
)  # fmt: skip


def search_states(
    rules: StateArray, states: StateArray, keys: Any, spec: StateArray, chooser: Any, function: Any, data: Data,
    tree: StateArray, found: Found,
) -> None:  # fmt: skip
    """Search each of some states by the kernel for the kind of search: each is compiled where it is needed."""
    kind = Kind(int(spec[0]["kind"]))
    prepare(kind)
    if kind == Kind.UCT:
        simulate_states(rules, states, keys, spec, chooser, function, data, tree, found)
    else:
        walk_states(rules, states, keys, spec, function, data, found)


def new_tree(options: SearchOptions) -> StateArray:
    """Memory for the trees of a search, one after the other; it need not be cleared between calls."""
    return np.empty(tree_size(options.simulations) if options.kind == Kind.UCT else 1, NODE)


def prepare(kind: Kind) -> None:
    """Compile a kind of search, once for all evaluators."""
    if kind == Kind.UCT:
        compile_for(simulate_states, SIMULATE_SIGNATURE)
    else:
        compile_for(walk_states, WALK_SIGNATURE)


@kernel
def draw_worlds(rules: Any, obs: Any, first: int, block: int, worlds: Any, keys: Any) -> int:
    """Fill `worlds[i]` with worlds of observation i: blocks of some size from number `first` on, and their keys.

    Returns the number of the first observation that no world fits, or -1.
    """
    rng = np.empty(1, np.uint64)
    for i in range(len(obs)):
        for start in range(0, worlds.shape[1], block):
            rng[0] = substream(substream(obs[i]["random"], WORLD_STREAM), first + start)
            if not sample_worlds(rules[0], obs[i], rng, worlds[i, start : start + block]):
                return i
        for world in range(worlds.shape[1]):
            keys[i, world] = substream(obs[i]["random"], first + world)
    return -1


@kernel
def spread_values(rules: Any, states: Any, children: Any, rows: Any, values: Any, visits: Any, places: Any) -> None:
    """Root children as arrays over all cards, for the seat to move; a card that was merged gets what its twin got.

    `places` tells in which row of its table a card, or its twin, is; -1: in none. A card that was not tried, nor its
    twin, has no visits and the worst value of all.
    """
    cards = np.empty(MAX_MOVES, np.int64)
    for i in range(len(states)):
        state = states[i]
        mover = state["to_move"]
        left = legal(rules[0], state)
        worst = -np.inf
        for j in range(rows[i]):
            cards[j] = np.int64(children[i, j, 0])
            worst = max(worst, children[i, j, 1 + mover])
        while left != ZERO:
            card = lowest(left)
            left &= left - ONE
            row = stand_in(rules[0], state, cards, rows[i], card)
            places[i, card] = row
            values[i, card] = children[i, row, 1 + mover] if row >= 0 else worst
            visits[i, card] = children[i, row, 1 + SEATS] if row >= 0 else 0.0


@kernel
def pick_cards(
    rules: Any, states: Any, keys: Any, at_random: bool, merge: bool, by_visits: bool, values: Any, visits: Any,
    weights: Any, out: Any,
) -> None:  # fmt: skip
    """The card to play in each row of [rows, worlds] states, by weighted means.

    Ties go to the first in order; or, `at_random`, to any, equivalent cards counting once if they are merged. What may
    lie in a kitty may also be in a hand, so cards on both sides of it are not merged.
    """
    rng = np.empty(1, np.uint64)
    cards = np.empty(MAX_MOVES, np.int64)
    seen = np.empty(1, STATE)
    for i in range(len(states)):
        rng[0] = substream(keys[i], TIE_STREAM)
        seen[0] = states[i, 0]
        other = (seen[0]["to_move"] + 1) % rules[0]["players"]
        seen[0]["hands"][other] |= seen[0]["kitty"]
        count = candidates(rules[0], seen[0], at_random and merge, cards)
        best_value = np.inf
        tied = 0
        out[i] = cards[0]
        for j in range(count):
            total = 0.0
            for world in range(states.shape[1]):
                if by_visits:
                    total -= weights[i, world] * visits[i, world, cards[j]]
                else:
                    total += weights[i, world] * values[i, world, cards[j]]
            if total < best_value - EPSILON:
                best_value = total
                tied = 1
                out[i] = cards[j]
            elif at_random and total <= best_value + EPSILON:
                tied += 1
                if below(rng, tied) == 0:
                    out[i] = cards[j]
