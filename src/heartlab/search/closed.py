"""Closed play: perfect-information search in sampled worlds (PIMC), any open search in each of them.

For every world each legal card gets its value for the observer; the card with the best mean over the worlds is played
(in UCT: the card with most visits). Worlds may be weighted: a weight function sees observation and world, and is the
hook for inference from play. A world's randomness depends on the observation's key and the world's number, so that
worlds may be spread over threads, or searched in portions until time is up, without changing what each of them says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.kernel.bits import ONE, ZERO, lowest, popcount
from heartlab.kernel.jit import kernel
from heartlab.kernel.layout import SEATS, STATE
from heartlab.kernel.play import legal
from heartlab.kernel.rng import substream
from heartlab.kernel.worlds import sample_worlds
from heartlab.search.endgame import cards_left, solve_root
from heartlab.search.maxn import EPSILON, MAXN, PARANOID, search_root, stop_after
from heartlab.search.ordering import MAX_MOVES, candidates, cards_between_matter, equivalent
from heartlab.search.soft import prob_root, soft_root
from heartlab.search.spec import PROB, SOFT, UCT
from heartlab.search.uct import uct_root

WORLD_STREAM = 7
"""Number of the branch of an observation's key from which worlds come."""
WIDTH = 2 + SEATS
"""Columns of a root table: card, value per seat, visits."""


@kernel
def open_root(
    rules: Any, state: Any, spec: Any, function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, out: Any,
    counters: Any ) -> int:  # fmt: skip
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
            function, floats, ints, scratch, rng, out,
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
def spread(rules: Any, state: Any, table: Any, count: int, values: Any, visits: Any) -> None:
    """Write a root table into arrays over all cards; a card that was merged gets what its twin got."""
    mover = state["to_move"]
    blockers = cards_between_matter(rules, state)
    left = legal(rules, state)
    while left != ZERO:
        card = lowest(left)
        left &= left - ONE
        row = -1
        for i in range(count):
            if table[i, 0] == card:
                row = i
        for i in range(count):
            if row < 0 and equivalent(rules, blockers, card, np.int64(table[i, 0])):
                row = i
        values[card] = table[row, 1 + mover]
        visits[card] = table[row, 1 + SEATS]


@kernel
def search_worlds(
    rules: Any, obs: Any, worlds: Any, first: int, spec: Any, function: Any, floats: Any, ints: Any, scratch: Any,
    values: Any, visits: Any, counters: Any,
) -> None:  # fmt: skip
    """Search some worlds of an observation: one row of `values` and `visits` per world, one column per card."""
    table = np.zeros((MAX_MOVES, WIDTH))
    rng = np.empty(1, np.uint64)
    for world in range(len(worlds)):
        rng[0] = substream(obs["random"], first + world)
        state = worlds[world]
        count = open_root(rules, state, spec, function, floats, ints, scratch, rng, table, counters)
        spread(rules, state, table, count, values[world], visits[world])


@kernel
def draw_worlds(rules: Any, obs: Any, first: int, worlds: Any) -> bool:
    """Fill `worlds` with worlds of an observation: the portion that begins with number `first`."""
    rng = np.empty(1, np.uint64)
    stream = substream(obs["random"], -WORLD_STREAM)
    rng[0] = substream(stream, first)
    return sample_worlds(rules, obs, rng, worlds)


@kernel
def best_card(rules: Any, state: Any, spec: Any, values: Any, visits: Any, weights: Any) -> int:
    """The card to play by weighted means over worlds; ties go to the first in search order."""
    cards = np.empty(MAX_MOVES, np.int64)
    count = candidates(rules, state, False, cards)
    best = cards[0]
    best_value = 1e30
    for i in range(count):
        total = 0.0
        for world in range(len(weights)):
            if spec["kind"] == UCT:
                total -= weights[world] * visits[world, cards[i]]
            else:
                total += weights[world] * values[world, cards[i]]
        if total < best_value - EPSILON:
            best_value = total
            best = cards[i]
    return best


@kernel
def pimc_cards(
    rules: Any, obs: Any, spec: Any, count: int, weigh: Any, function: Any, floats: Any, ints: Any, scratch: Any,
    out: Any, counters: Any,
) -> None:  # fmt: skip
    """A card for each observation, from `count` worlds; a forced card is not searched."""
    worlds = np.empty(count, STATE)
    values = np.zeros((count, 52))
    visits = np.zeros((count, 52))
    weights = np.empty(count)
    for row in range(len(obs)):
        options = obs[row]["legal"]
        if popcount(options) == 1:
            out[row] = lowest(options)
            continue
        if not draw_worlds(rules[0], obs[row], 0, worlds):
            out[row] = lowest(options)
            continue
        search_worlds(rules[0], obs[row], worlds, 0, spec[0], function, floats, ints, scratch, values, visits, counters)
        for world in range(count):
            weights[world] = weigh(rules[0], obs[row], worlds[world])
        out[row] = best_card(rules[0], worlds[0], spec[0], values, visits, weights)


@kernel
def open_cards(
    rules: Any, states: Any, keys: Any, spec: Any, function: Any, floats: Any, ints: Any, scratch: Any, out: Any,
    counters: Any ) -> None:  # fmt: skip
    """A card for each open state."""
    table = np.zeros((MAX_MOVES, WIDTH))
    values = np.zeros((1, 52))
    visits = np.zeros((1, 52))
    weights = np.ones(1)
    rng = np.empty(1, np.uint64)
    for row in range(len(states)):
        state = states[row]
        options = legal(rules[0], state)
        if options & (options - ONE) == ZERO:
            out[row] = lowest(options)
            continue
        rng[0] = keys[row]
        count = open_root(rules[0], state, spec[0], function, floats, ints, scratch, rng, table, counters)
        spread(rules[0], state, table, count, values[0], visits[0])
        out[row] = best_card(rules[0], state, spec[0], values, visits, weights)


@kernel
def draw_worlds_table(rules: Any, obs: Any, first: int, worlds: Any) -> bool:
    """Worlds for the first of an array of observations."""
    return draw_worlds(rules[0], obs[0], first, worlds)


@kernel
def search_worlds_table(
    rules: Any, obs: Any, worlds: Any, first: int, spec: Any, function: Any, floats: Any, ints: Any, scratch: Any,
    values: Any, visits: Any, counters: Any,
) -> None:  # fmt: skip
    """Search some worlds for the first of an array of observations."""
    search_worlds(rules[0], obs[0], worlds, first, spec[0], function, floats, ints, scratch, values, visits, counters)


@kernel
def pick_table(rules: Any, worlds: Any, spec: Any, values: Any, visits: Any, weights: Any) -> int:
    """The card to play after searching some worlds."""
    return best_card(rules[0], worlds[0], spec[0], values, visits, weights)
