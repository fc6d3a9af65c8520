"""Open search: max^n and paranoid, over any evaluator, any rules, three to six players.

- **max^n**: every seat picks the card with the lowest own value; the values of all seats travel up the tree together.
- **paranoid**: all others play to raise the root's value; alpha-beta prunes.

A search stops when so many cards have been played in the deal (`stop`), or at its end, and evaluates there. Ties are
broken as `ties` says: the first in search order, at random, or, against the root, the one that is worst for it.

Where pruning is sound:

- alpha-beta for paranoid, always;
- *immediate* pruning for max^n, if no seat can get less than `least`: a card that brings exactly that is good enough
  (with ties to the first only);
- *shallow* pruning for max^n, if the values of all seats always add up to at least `floor` and none exceeds `most`: once the
  seat to move has a card at value b, and its parent one at value a, no further card can serve both if
  a + b + (n − 2)·most <= floor. Ties must go to the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.kernel.jit import kernel
from heartlab.kernel.layout import OVER, SEATS, STATE
from heartlab.kernel.play import play
from heartlab.kernel.rng import below
from heartlab.search.ordering import MAX_MOVES, candidates

TIES_FIRST, TIES_RANDOM, TIES_WORST = 0, 1, 2
TIES = ("first", "random", "worst")
EPSILON = 1e-9
"""Values that differ by less are tied."""
INFINITE = 1e30

NODES, LEAVES = 0, 1
"""Places in the array of counters."""

MAXN, PARANOID = 0, 1

WINDOW = np.dtype([("floor", "f8"), ("most", "f8"), ("least", "f8"), ("prune", "i8")], align=True)
"""What is known about the values of an evaluator, for pruning."""


@kernel
def _prefer(values: Any, best: Any, mover: int, root: int, ties: int, tied: int, rng: Any) -> bool:
    """Whether a tied or better child replaces the best so far; `tied` children, this one included, are equal."""
    gap = values[mover] - best[mover]
    if gap < -EPSILON:
        return True
    if gap > EPSILON or ties == TIES_FIRST:
        return False
    if ties == TIES_RANDOM:
        return below(rng, tied) == 0
    return values[root] > best[root] + EPSILON


@kernel
def _maxn(
    rules: Any, stack: Any, depth: int, stop: int, root: int, merge: bool, ties: int, window: Any, parent_best: float,
    function: Any, floats: Any, ints: Any, scratch: Any, cards: Any, values: Any, rng: Any, counters: Any,
) -> None:  # fmt: skip
    """Fill `values[depth]` with the max^n value of `stack[depth]`."""
    state = stack[depth]
    counters[NODES] += 1
    if state["plays"] >= stop or state["phase"] == OVER:
        counters[LEAVES] += 1
        function(rules, state, root, floats, ints, scratch, values[depth])
        return
    players = rules["players"]
    mover = state["to_move"]
    count = candidates(rules, state, merge, cards[depth])
    best = values[depth]
    tied = 1
    for i in range(count):
        stack[depth + 1] = stack[depth]
        play(rules, stack[depth + 1], cards[depth, i])
        bound = best[mover] if i > 0 else INFINITE
        same_seat = stack[depth + 1]["to_move"] == mover
        _maxn(
            rules, stack, depth + 1, stop, root, merge, ties, window, INFINITE if same_seat else bound,
            function, floats, ints, scratch, cards, values, rng, counters,
        )  # fmt: skip
        found = values[depth + 1]
        if i > 0:
            tied = tied + 1 if abs(found[mover] - best[mover]) <= EPSILON else 1
        if i == 0 or _prefer(found, best, mover, root, ties, tied, rng):
            for seat in range(players):
                best[seat] = found[seat]
        if window["prune"] and i + 1 < count:
            if best[mover] <= window["least"]:
                return
            if parent_best + best[mover] + (players - 2) * window["most"] <= window["floor"]:
                return


@kernel
def _paranoid(
    rules: Any, stack: Any, depth: int, stop: int, root: int, merge: bool, low: float, high: float, prune: int,
    function: Any, floats: Any, ints: Any, scratch: Any, cards: Any, values: Any, counters: Any,
) -> float:  # fmt: skip
    """The value of `stack[depth]` for the root, if all others play against it (fail-soft alpha-beta)."""
    state = stack[depth]
    counters[NODES] += 1
    if state["plays"] >= stop or state["phase"] == OVER:
        counters[LEAVES] += 1
        function(rules, state, root, floats, ints, scratch, values[depth])
        return values[depth, root]
    mine = state["to_move"] == root
    best = INFINITE if mine else -INFINITE
    count = candidates(rules, state, merge, cards[depth])
    for i in range(count):
        stack[depth + 1] = stack[depth]
        play(rules, stack[depth + 1], cards[depth, i])
        value = _paranoid(
            rules, stack, depth + 1, stop, root, merge, low, high, prune,
            function, floats, ints, scratch, cards, values, counters,
        )  # fmt: skip
        if mine:
            best = min(best, value)
            high = min(high, best)
        else:
            best = max(best, value)
            low = max(low, best)
        if prune and low >= high:
            break
    return best


@kernel
def search_root(
    rules: Any, state: Any, kind: int, stop: int, merge: bool, ties: int, window: Any,
    function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, out: Any, counters: Any,
) -> int:  # fmt: skip
    """Search every candidate card of the seat to move; returns how many there are.

    `out[i]` is (card, value for each seat); for paranoid search only the root's own value is meant. No card is cut
    off at the root, so that every value is exact.
    """
    depth = stop - state["plays"] + 2
    stack = np.empty(depth + 1, STATE)
    cards = np.zeros((depth + 1, MAX_MOVES), np.int64)
    values = np.zeros((depth + 1, SEATS))
    root = state["to_move"]
    stack[0] = state
    count = candidates(rules, state, merge, cards[0])
    for i in range(count):
        stack[1] = state
        play(rules, stack[1], cards[0, i])
        if kind == PARANOID:
            values[1, root] = _paranoid(
                rules, stack, 1, stop, root, merge, -INFINITE, INFINITE, window["prune"],
                function, floats, ints, scratch, cards, values, counters,
            )  # fmt: skip
        else:
            _maxn(
                rules, stack, 1, stop, root, merge, ties, window, INFINITE,
                function, floats, ints, scratch, cards, values, rng, counters,
            )  # fmt: skip
        out[i, 0] = cards[0, i]
        for seat in range(rules["players"]):
            out[i, 1 + seat] = values[1, seat]
    return count


@kernel
def stop_after(rules: Any, state: Any, plies: int, tricks: int) -> int:
    """The number of cards played at which a search stops: after `plies` cards, or else at the end of the n-th trick.

    The trick on the table (or about to be led) is the first; zero tricks and zero plies mean the end of the deal.
    """
    players = rules["players"]
    last = rules["hand_size"] * players
    plays = np.int64(state["plays"])
    if plies > 0:
        return min(last, plays + plies)
    if tricks > 0:
        return min(last, (plays // players + tricks) * players)
    return last
