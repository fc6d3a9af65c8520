"""Closed play: perfect-information search in sampled worlds (PIMC), any open search in each of them.

For every world each legal card gets its value for the seat to move; the card with the best mean over the worlds is
played (or, with `pick=visits`, the card that UCT tried most). Worlds may be weighted: a weight function sees
observation and world, and is the hook for inference from play. A world's randomness depends on the observation's key
and the world's number alone, so that worlds may be spread over threads, or searched in portions until time is up,
without changing what each of them says.

Three steps, each over arrays: `draw_worlds`, `search_states` (the only one that takes time) and `pick_cards`. An open
player skips the first: its states are its worlds.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.jit import compile_for, kernel
from heartlab.kernel.bits import ONE, ZERO, lowest
from heartlab.kernel.layout import RULES, SEATS, STATE
from heartlab.kernel.play import legal
from heartlab.kernel.rng import substream
from heartlab.kernel.worlds import sample_worlds
from heartlab.search.endgame import cards_left, solve_root
from heartlab.search.evaluators import SIGNATURE
from heartlab.search.maxn import EPSILON, MAXN, PARANOID, search_root, stop_after
from heartlab.search.ordering import MAX_MOVES, candidates, cards_between_matter, equivalent
from heartlab.search.playouts import SIGNATURE as POLICY_SIGNATURE
from heartlab.search.soft import prob_root, soft_root
from heartlab.search.spec import PROB, SOFT, SPEC, UCT
from heartlab.search.uct import NODE, tree_size, uct_root

WORLD_STREAM = 7
"""Number of the branch of an observation's key from which worlds come."""
WIDTH = 2 + SEATS
"""Columns of a root table: card, value per seat, visits."""


@kernel
def open_root(
    rules: Any, state: Any, spec: Any, chooser: Any, function: Any, floats: Any, ints: Any, scratch: Any, tree: Any,
    rng: Any, out: Any, counters: Any,
) -> int:  # fmt: skip
    """Search one open state as `spec` says. Row i of `out` is (card, value of each seat, visits); returns the rows."""
    for i in range(MAX_MOVES):
        out[i, 1 + SEATS] = 1.0
    if spec["endgame"] > 0 and cards_left(rules, state) <= spec["endgame"]:
        return solve_root(rules, state, out, counters)
    kind = spec["kind"]
    stop = stop_after(rules, state, spec["plies"], spec["tricks"])
    merge = spec["merge"] != 0
    if kind == UCT:
        return uct_root(
            rules, state, spec["simulations"], spec["exploration"], merge, spec["policy"], spec["cut"],
            chooser, function, floats, ints, scratch, tree, rng, out,
        )  # fmt: skip
    if kind == SOFT:
        return soft_root(rules, state, stop, merge, function, floats, ints, scratch, out, counters)
    if kind == PROB:
        return prob_root(rules, state, stop, merge, function, floats, ints, scratch, out, counters)
    search = PARANOID if kind == PARANOID else MAXN
    return search_root(
        rules, state, search, stop, merge, spec["ties"], spec, function, floats, ints, scratch, rng, out, counters
    )


@kernel
def search_states(
    rules: Any, states: Any, keys: Any, spec: Any, chooser: Any, function: Any, floats: Any, ints: Any, scratch: Any,
    tables: Any, rows: Any, counters: Any,
) -> None:  # fmt: skip
    """Search each of some states: `tables[i, :rows[i]]` are the rows (card, value of each seat, visits) of state i."""
    rng = np.empty(1, np.uint64)
    tree = np.empty(tree_size(spec[0]["simulations"]) if spec[0]["kind"] == UCT else 1, NODE)
    for i in range(len(states)):
        rng[0] = keys[i]
        rows[i] = open_root(
            rules[0], states[i], spec[0], chooser, function, floats, ints, scratch, tree, rng, tables[i], counters
        )  # fmt: skip


_RULES = types.Array(numba.from_dtype(RULES), 1, "C", readonly=True)
_STATES = types.Array(numba.from_dtype(STATE), 1, "C")
SEARCH_SIGNATURE = types.void(
    _RULES, _STATES, types.uint64[::1], types.Array(numba.from_dtype(SPEC), 1, "C"),
    types.FunctionType(POLICY_SIGNATURE), types.FunctionType(SIGNATURE), types.float64[::1], types.int64[::1],
    types.float64[::1], types.float64[:, :, ::1], types.int64[::1], types.int64[::1],
)  # fmt: skip


def prepare() -> None:
    """Compile the searches, once for all evaluators; call this before `search_states`."""
    compile_for(search_states, SEARCH_SIGNATURE)


@kernel
def draw_worlds(rules: Any, obs: Any, first: int, worlds: Any, keys: Any) -> int:
    """Fill `worlds[i]` with worlds of observation i: the portion that begins with number `first`, and their keys.

    Returns the number of the first observation that no world fits, or -1.
    """
    rng = np.empty(1, np.uint64)
    for i in range(len(obs)):
        rng[0] = substream(substream(obs[i]["random"], -WORLD_STREAM), first)
        if not sample_worlds(rules[0], obs[i], rng, worlds[i]):
            return i
        for world in range(worlds.shape[1]):
            keys[i, world] = substream(obs[i]["random"], first + world)
    return -1


@kernel
def spread_values(rules: Any, states: Any, tables: Any, rows: Any, values: Any, visits: Any) -> None:
    """Root tables as arrays over all cards, for the seat to move; a card that was merged gets what its twin got."""
    for i in range(len(states)):
        state = states[i]
        mover = state["to_move"]
        blockers = cards_between_matter(rules[0], state)
        left = legal(rules[0], state)
        while left != ZERO:
            card = lowest(left)
            left &= left - ONE
            row = -1
            for j in range(rows[i]):
                if tables[i, j, 0] == card:
                    row = j
            for j in range(rows[i]):
                if row < 0 and equivalent(rules[0], blockers, card, np.int64(tables[i, j, 0])):
                    row = j
            values[i, card] = tables[i, row, 1 + mover]
            visits[i, card] = tables[i, row, 1 + SEATS]


@kernel
def weigh_worlds(rules: Any, obs: Any, worlds: Any, weigh: Any, weights: Any) -> None:
    """The weight of every world of every observation."""
    for i in range(len(obs)):
        for world in range(worlds.shape[1]):
            weights[i, world] = weigh(rules[0], obs[i], worlds[i, world])


@kernel
def pick_cards(rules: Any, states: Any, by_visits: bool, values: Any, visits: Any, weights: Any, out: Any) -> None:
    """The card to play in each row of [rows, worlds] states, by weighted means; ties go to the first in order."""
    cards = np.empty(MAX_MOVES, np.int64)
    for i in range(len(states)):
        count = candidates(rules[0], states[i, 0], False, cards)
        best_value = 1e300
        for j in range(count):
            total = 0.0
            for world in range(states.shape[1]):
                if by_visits:
                    total -= weights[i, world] * visits[i, world, cards[j]]
                else:
                    total += weights[i, world] * values[i, world, cards[j]]
            if total < best_value - EPSILON:
                best_value = total
                out[i] = cards[j]
