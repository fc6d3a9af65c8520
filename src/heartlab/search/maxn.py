"""Open search: max^n and paranoid, over any evaluator, any rules, three to six players.

- **max^n**: every seat picks the card with the lowest own value; the values of all seats travel up the tree together.
- **paranoid**: all others play to raise the root's value; alpha-beta prunes.

A search stops when so many cards have been played in the deal (`stop`), or at its end, and evaluates there. Ties are
broken as `ties` says: the first in search order, at random, or, against the root, the one that is worst for it.

Where pruning is sound:

- alpha-beta for paranoid, always;
- *immediate* pruning for max^n, if no seat can get less than `least`: a card that brings exactly that is good enough
  (with ties to the first only);
- *shallow* pruning for max^n, if the values of all seats always add up to at least `floor` and none exceeds `most`:
  once the seat to move has a card at value b, and its parent one at value a, no further card can serve both if
  a + b + (n − 2)·most <= floor. Ties must go to the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.jit import kernel
from heartlab.kernel.layout import OVER, SEATS, STATE
from heartlab.kernel.play import play
from heartlab.kernel.rng import below
from heartlab.search.ordering import MAX_MOVES, candidates

TIES_FIRST, TIES_RANDOM, TIES_WORST = 0, 1, 2
TIES = ("first", "random", "worst")
EPSILON = 1e-9
"""Values that differ by less are tied."""
INFINITE = 1e30

NODES, LEAVES, LIMIT = 0, 1, 2
"""Places in the array of counters: nodes and leaves so far, and the nodes after which every node is a leaf."""

MAXN, PARANOID = 0, 1


def new_counters(limit: int = 1 << 62) -> npt.NDArray[np.int64]:
    """Counters for a search that gives up beyond `limit` nodes: its values are then worth nothing."""
    return np.array([0, 0, limit], np.int64)


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
def descend(rules: Any, stack: Any, depth: int, cards: Any, index: Any) -> None:
    """Step from a node to its next child: copy its state one level down and play the card there."""
    stack[depth + 1] = stack[depth]
    play(rules, stack[depth + 1], cards[depth, index[depth]])
    index[depth] += 1


@kernel
def visit(
    rules: Any, stack: Any, depth: int, stop: int, root: int, merge: bool,
    function: Any, floats: Any, ints: Any, scratch: Any, row: Any, cards: Any, count: Any, index: Any, counters: Any,
) -> bool:  # fmt: skip
    """Enter a node. Where the search stops, evaluate it into `row`: True. Else step to its first child: False."""
    state = stack[depth]
    counters[NODES] += 1
    if state["plays"] >= stop or state["phase"] == OVER or counters[NODES] > counters[LIMIT]:
        counters[LEAVES] += 1
        function(rules, state, root, floats, ints, scratch, row)
        return True
    count[depth] = candidates(rules, state, merge, cards[depth])
    index[depth] = 0
    descend(rules, stack, depth, cards, index)
    return False


@kernel
def _maxn(
    rules: Any, stack: Any, stop: int, root: int, merge: bool, ties: int, window: Any,
    function: Any, floats: Any, ints: Any, scratch: Any, cards: Any, values: Any, rng: Any, counters: Any,
) -> None:  # fmt: skip
    """Fill `values[1]` with the max^n value of `stack[1]`. A loop with its own stack: numba cannot cache recursion."""
    players = rules["players"]
    count = np.zeros(len(stack), np.int64)
    index = np.zeros(len(stack), np.int64)
    tied = np.ones(len(stack), np.int64)
    depth = 1
    entering = True
    while True:
        if entering:
            tied[depth] = 1
            entering = not visit(
                rules, stack, depth, stop, root, merge,
                function, floats, ints, scratch, values[depth], cards, count, index, counters,
            )  # fmt: skip
            depth += entering
            continue
        if depth == 1:
            return
        depth -= 1
        mover = stack[depth]["to_move"]
        best = values[depth]
        found = values[depth + 1]
        first = index[depth] == 1
        if not first:
            tied[depth] = tied[depth] + 1 if abs(found[mover] - best[mover]) <= EPSILON else 1
        if first or _prefer(found, best, mover, root, ties, tied[depth], rng):
            for seat in range(players):
                best[seat] = found[seat]
        if index[depth] == count[depth]:
            continue
        if window["prune"]:
            if best[mover] <= window["least"]:
                continue
            if depth > 1 and index[depth - 1] > 1 and stack[depth - 1]["to_move"] != mover:
                parent = values[depth - 1, stack[depth - 1]["to_move"]]
                if parent + best[mover] + (players - 2) * window["most"] <= window["floor"]:
                    continue
        descend(rules, stack, depth, cards, index)
        depth += 1
        entering = True


@kernel
def _paranoid(
    rules: Any, stack: Any, stop: int, root: int, merge: bool, prune: int,
    function: Any, floats: Any, ints: Any, scratch: Any, cards: Any, values: Any, counters: Any,
) -> float:  # fmt: skip
    """The value of `stack[1]` for the root, if all others play against it (alpha-beta with its own stack)."""
    count = np.zeros(len(stack), np.int64)
    index = np.zeros(len(stack), np.int64)
    low = np.full(len(stack), -INFINITE)
    high = np.full(len(stack), INFINITE)
    result = np.zeros(len(stack))
    depth = 1
    entering = True
    while True:
        if entering:
            low[depth] = low[depth - 1] if depth > 1 else -INFINITE
            high[depth] = high[depth - 1] if depth > 1 else INFINITE
            result[depth] = INFINITE if stack[depth]["to_move"] == root else -INFINITE
            entering = not visit(
                rules, stack, depth, stop, root, merge,
                function, floats, ints, scratch, values[depth], cards, count, index, counters,
            )  # fmt: skip
            if not entering:
                result[depth] = values[depth, root]
            depth += entering
            continue
        if depth == 1:
            return result[1]
        depth -= 1
        if stack[depth]["to_move"] == root:
            result[depth] = min(result[depth], result[depth + 1])
            high[depth] = min(high[depth], result[depth])
        else:
            result[depth] = max(result[depth], result[depth + 1])
            low[depth] = max(low[depth], result[depth])
        if index[depth] == count[depth] or (prune and low[depth] >= high[depth]):
            continue
        descend(rules, stack, depth, cards, index)
        depth += 1
        entering = True


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
                rules, stack, stop, root, merge, window["prune"],
                function, floats, ints, scratch, cards, values, counters,
            )  # fmt: skip
        else:
            _maxn(
                rules, stack, stop, root, merge, ties, window,
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
