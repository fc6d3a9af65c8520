"""Transposition table: values of positions between two tricks, which other orders of the same cards lead to again.

A position between two tricks is identified by a 64-bit hash of the hands, the leader, whether hearts are broken, and as
much of the past as values depend on:

- `NOTHING`: points simply add up; the table keeps the points still to come (`offset`);
- `COUNTING`: who has taken which cards that count, and who has taken a trick at all;
- `EVERYTHING`: all cards taken, the number of tricks of each seat, the taker of the kitty: for evaluators about which
  nothing is known. What a seat has played is its hand at the root less its hand now, so it need not be in the key.

A table lives for one search, in which root, evaluator and depth are the same. A newer position replaces an older one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from heartlab.compiled.bits import ZERO, bit
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import mix
from heartlab.kernel.layout import MOON_OFF, SEATS
from heartlab.kernel.play import points
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.search.walk import INFINITY

NOTHING, COUNTING, EVERYTHING, POINTS = 0, 1, 2, 3
"""How much of the past values depend on; `POINTS`: NOTHING if points add up under the rules, else COUNTING."""


@kernel
def adds_up(rules: Any) -> bool:
    """Whether final points are the sum of the points of the tricks, whoever took the others."""
    return rules["moon"] == MOON_OFF and rules["doubler"] < 0 and rules["no_tricks"] == 0


@kernel
def relevant_past(rules: Any, past: int) -> int:
    """`POINTS` resolved: NOTHING or COUNTING, by the rules."""
    if past == POINTS:
        return NOTHING if adds_up(rules) else COUNTING
    return past


@kernel
def position_key(rules: Any, state: Any, past: int) -> np.uint64:
    """A hash of what the value of a position between two tricks depends on; never zero."""
    key = mix(np.uint64(2 * state["to_move"] + (state["hearts_broken"] != 0) + 1))  # else it would look like low clubs
    for seat in range(rules["players"]):
        key = mix(key ^ state["hands"][seat])
    if past == NOTHING:
        return key | np.uint64(1)
    counting = ~ZERO
    if past == COUNTING:
        counting = rules["penalty"] | QUEEN_BIT
        if rules["bonus"] >= 0:
            counting |= bit(rules["bonus"])
        if rules["doubler"] >= 0:
            counting |= bit(rules["doubler"])
    else:
        key = mix(key ^ np.uint64(state["kitty_taker"] + 1))
    for seat in range(rules["players"]):
        won = np.int64(state["tricks_won"][seat])
        if past == COUNTING:
            won = min(won, 1)
        key = mix(key ^ (state["taken"][seat] & counting) ^ (np.uint64(won) << np.uint64(58)))
    return key | np.uint64(1)


class Memory(NamedTuple):
    """The transposition table of one search; its size is a power of two, or 0."""

    past: Any  # how much of the past values depend on
    keys: Any  # [size] hash of the position; 0: empty
    values: Any  # [size, SEATS] values of all seats (max^n), or lower and upper bound for the root (paranoid)
    so_far: Any  # [SEATS] scratch: points so far


@kernel
def new_memory(rules: Any, past: int, size: int) -> Memory:
    """An empty table."""
    so_far = np.zeros(SEATS, np.int64)
    return Memory(relevant_past(rules, past), np.zeros(size, np.uint64), np.empty((size, SEATS)), so_far)


@kernel
def place_of(keys: Any, key: np.uint64) -> int:
    """Where a position is kept."""
    return np.int64((key >> np.uint64(20)) & np.uint64(len(keys) - 1))


@kernel
def offset(rules: Any, state: Any, past: int, so_far: Any) -> None:
    """Set `so_far` to what is added to stored values: the points so far, if the past is not in the key, else zero."""
    if past == NOTHING:
        points(rules, state, so_far)
    else:
        for seat in range(rules["players"]):
            so_far[seat] = 0


@kernel
def recall(rules: Any, state: Any, memory: Memory, key: np.uint64, values: Any) -> bool:
    """Fill `values` with the values of all seats, if the position is known."""
    past, keys, stored, so_far = memory
    place = place_of(keys, key)
    if keys[place] != key:
        return False
    offset(rules, state, past, so_far)
    for seat in range(rules["players"]):
        values[seat] = stored[place, seat] + so_far[seat]
    return True


@kernel
def remember(rules: Any, state: Any, memory: Memory, key: np.uint64, values: Any) -> None:
    """Keep the values of all seats."""
    past, keys, stored, so_far = memory
    place = place_of(keys, key)
    offset(rules, state, past, so_far)
    keys[place] = key
    for seat in range(rules["players"]):
        stored[place, seat] = values[seat] - so_far[seat]


@kernel
def recall_bound(
    rules: Any, state: Any, memory: Memory, key: np.uint64, root: int, low: float, high: float
) -> float:  # fmt: skip
    """A bound on the root's value that settles a position inside the window (low, high), or else INFINITY."""
    past, keys, stored, so_far = memory
    place = place_of(keys, key)
    if keys[place] != key:
        return INFINITY
    offset(rules, state, past, so_far)
    least = stored[place, 0] + so_far[root]
    most = stored[place, 1] + so_far[root]
    if least >= high or least == most:
        return least
    return most if most <= low else INFINITY


@kernel
def remember_bound(
    rules: Any, state: Any, memory: Memory, key: np.uint64, root: int, low: float, high: float, value: float
) -> None:  # fmt: skip
    """Keep what alpha-beta with the window (low, high) found: a value inside it is exact, else it is a bound."""
    past, keys, stored, so_far = memory
    place = place_of(keys, key)
    offset(rules, state, past, so_far)
    keys[place] = key
    stored[place, 0] = value - so_far[root] if value > low else -INFINITY
    stored[place, 1] = value - so_far[root] if value < high else INFINITY
