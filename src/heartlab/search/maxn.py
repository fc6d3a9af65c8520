"""Open search: max^n and paranoid, over any evaluator, any rules, three to six players.

- **max^n**: every seat picks the card with the lowest own value; the values of all seats travel up the tree together.
- **paranoid**: all others play to raise the root's value; alpha-beta prunes.

A search stops when so many cards have been played in the deal (`stop`), or at its end, and evaluates there. Ties are
broken as `ties` says: the first in search order, at random, or, against the root, the one that is worst for it.

Where pruning is sound:

- alpha-beta for paranoid, always;
- *immediate* pruning for max^n, if no seat can get less than `least`: a card that brings exactly that is good enough;
- *shallow* and *speculative* pruning for max^n (Sturtevant 2003), if the values of all seats always add up to at least
  `floor`; shallow pruning needs that none exceeds `most`, too.

Max^n is pruned only if ties go to the first card: then a node on the path refuses whatever is not better than its best
so far. Take a stretch of the path, from A down to Z, in which every node has a best so far, and for each seat the least
of the bests of its nodes (`most` if it has none). If these add up to no more than `floor`, the true value of Z,
whatever its other cards bring, is refused by one of A to Y: if all of them liked it better than what they have, its sum
would be below the floor. So the rest of Z is cut off. The stretch may be of any length, cross the end of a trick and
meet a seat twice. If it is A and Z alone, the pruning is shallow: it is A who refuses, and nothing is in doubt.

Otherwise it is not known *who* refuses. If Y would have taken Z's value for its own, to be refused further up, then Y's
value is not the best of its other children. So Z's value enters no choice; Y counts as in doubt and goes on with its
other children, and hands upwards, with the depth of A, the best that any seat can hope for from what it may return. The
nodes between do the same. When A's child is finished A looks at its own hope: if that is not better than what A has, A
refuses the child whichever way the doubt would go, and is exact (if the child was the last one to try this is
*last-branch* pruning). If it is better, the child searches those of its own children again that are in doubt, with no
speculation beyond itself, so that they become certain. Stretches may overlap and lie in each other: what a node says
about its value depends only on the bests of the nodes above it, and these do not change while it is searched. At the
node where a search begins nothing is left in doubt: the values of all seats are those of plain max^n.

Between two tricks exact values (max^n) or bounds (paranoid) are kept in a table. With a table no stretch crosses the
end of a trick, so that whatever is searched to the end there is certain and can be kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below
from heartlab.kernel.layout import OVER, SEATS, STATE, apart
from heartlab.kernel.play import play
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.transpositions import (
    position_key,
    recall,
    recall_bound,
    relevant_past,
    remember,
    remember_bound,
)

TIES_FIRST, TIES_RANDOM, TIES_WORST = 0, 1, 2
TIES = ("first", "random", "worst")
EPSILON = 1e-9
"""Values that differ by less are tied."""
SLACK = EPSILON / 2
"""Sums of values may be off by this: nobody prefers a value for being better by so little."""
INFINITE = 1e30
TABLE_BITS = 14
"""The table has 2^14 places: more save few nodes, and take time to clear."""

NODES, LEAVES, LIMIT = 0, 1, 2
"""Places in the array of counters: nodes and leaves so far, and the nodes after which every node is a leaf."""

MAXN, PARANOID = 0, 1

UNPRUNED, SHALLOW, CAREFUL, BOLD = 0, 1, 2, 3
"""How max^n is pruned. The last two speculate: only where no doubt is likely to come back, or wherever they may."""


def new_counters(limit: int = 1 << 62) -> npt.NDArray[np.int64]:
    """Counters for a search that gives up beyond `limit` nodes: its values are then worth nothing."""
    counters = apart(LIMIT + 1, np.int64)
    counters[LIMIT] = limit
    return counters


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
def _bar(stack: Any, values: Any, index: Any, chosen: Any, depth: int) -> float:
    """A card now tried at a node of the path has to stay below this by EPSILON to be taken there.

    That is the best value so far; but a card that comes before the chosen one in search order wins a tie.
    """
    best = values[depth, stack[depth]["to_move"]]
    return best + 2 * EPSILON if index[depth] < chosen[depth] else best


@kernel
def _refused_at(
    stack: Any, values: Any, index: Any, chosen: Any, depth: int, limit: int, prune: int, window: Any, players: int,
    bounds: Any,
) -> int:  # fmt: skip
    """The depth of an ancestor such that it, or a node between, will refuse whatever this node returns; 0: none.

    Careful speculation stops short if the ancestor would like what a node between has now: such a doubt is likely to
    come back.
    """
    if prune == UNPRUNED or index[depth - 1] == 1 or window["floor"] <= -INFINITE:
        return 0
    for seat in range(players):
        bounds[seat] = window["most"]
    mover = stack[depth]["to_move"]
    bounds[mover] = min(bounds[mover], values[depth, mover])
    for level in range(depth - 1, limit - 1, -1):
        if index[level] == 1 or (prune == SHALLOW and level < depth - 1):
            return 0
        mover = stack[level]["to_move"]
        bar = _bar(stack, values, index, chosen, level)
        bounds[mover] = min(bounds[mover], bar)
        if bounds[:players].sum() <= window["floor"] + SLACK:
            for between in range(level + 1, depth):
                if prune == CAREFUL and values[between, mover] < bar - EPSILON:
                    return 0
            return level
    return 0


@kernel
def _maxn(
    rules: Any, stack: Any, stop: int, root: int, merge: bool, ties: int, prune: int, window: Any, past: int,
    keys: Any, stored: Any, function: Any, floats: Any, ints: Any, scratch: Any, cards: Any, values: Any, rng: Any,
    counters: Any,
) -> None:  # fmt: skip
    """Fill `values[1]` with the max^n value of `stack[1]`. A loop with its own stack: numba cannot cache recursion.

    `values[depth]` is the best of the children whose values are certain, and `chosen[depth]` tells which one. The node
    itself is certain if `top[depth]` is 0. Else its true value is refused by a node of the path, between the depth
    `top[depth]` and its parent, or is at least `low[depth]` for every seat (infinite if the node has been cut off).
    `doubt[depth]` has a bit for every child that is not certain; `top[depth]` may not be less than `limit[depth]`.
    """
    players = rules["players"]
    size = len(stack) + 1
    count, index, tied = np.zeros(size, np.int64), np.zeros(size, np.int64), np.ones(size, np.int64)
    chosen, doubt = np.zeros(size, np.int64), np.zeros(size, np.int64)
    top, limit = np.zeros(size, np.int64), np.zeros(size, np.int64)
    low = np.full((size, SEATS), INFINITE)
    bounds = np.zeros(SEATS)
    known_as = np.zeros(size, np.uint64)
    so_far = np.zeros(SEATS, np.int64)
    depth = 1
    entering = True
    while True:
        if entering:
            tied[depth] = 1
            chosen[depth] = 1
            doubt[depth] = 0
            top[depth] = 0
            low[depth] = INFINITE
            limit[depth + 1] = limit[depth]
            known_as[depth] = ZERO
            if len(keys) > 0 and stack[depth]["trick_size"] == 0 and stack[depth]["plays"] < stop:
                known_as[depth] = position_key(rules, stack[depth], past)
                if recall(rules, stack[depth], past, keys, stored, known_as[depth], so_far, values[depth]):
                    counters[NODES] += 1
                    entering = False
                    continue
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
        child = index[depth]
        if top[depth + 1] == 0:
            if child > 1:
                gap = found[mover] - best[mover]
                if gap < -EPSILON:
                    tied[depth] = 1
                elif gap <= EPSILON:
                    tied[depth] += 1
            sooner = child < chosen[depth] and found[mover] <= best[mover] + EPSILON
            if child == 1 or sooner or _prefer(found, best, mover, root, ties, tied[depth], rng):
                chosen[depth] = child
                for seat in range(players):
                    best[seat] = found[seat]
        elif top[depth + 1] < depth:
            doubt[depth] |= 1 << child
            top[depth] = min(top[depth], top[depth + 1]) if top[depth] > 0 else top[depth + 1]
            if low[depth + 1, mover] < best[mover] - EPSILON:
                for seat in range(players):
                    low[depth, seat] = min(low[depth, seat], low[depth + 1, seat])
        resolving = limit[depth + 1] == depth
        if child < count[depth] and not resolving and not (prune and best[mover] <= window["least"]):
            highest = max(limit[depth], 1)
            if len(keys) > 0:
                highest = max(highest, depth - stack[depth]["trick_size"])
            refused = _refused_at(stack, values, index, chosen, depth, highest, prune, window, players, bounds)
            if refused > 0:
                top[depth] = refused
                low[depth] = INFINITE
                continue
        else:
            if top[depth] == depth - 1 and doubt[depth] == 0:
                top[depth] = 0
            if top[depth] == 0:
                if known_as[depth] != ZERO:
                    remember(rules, stack[depth], past, keys, stored, known_as[depth], so_far, best)
                continue
            above = stack[depth - 1]["to_move"]
            at_best = min(low[depth, above], best[above])
            if top[depth] < depth - 1 or at_best >= _bar(stack, values, index, chosen, depth - 1) - EPSILON:
                for seat in range(players):
                    low[depth, seat] = min(low[depth, seat], best[seat])
                continue
            index[depth] = lowest(np.uint64(doubt[depth])) - 1
            doubt[depth] &= doubt[depth] - 1
            limit[depth + 1] = depth
        descend(rules, stack, depth, cards, index)
        depth += 1
        entering = True


@kernel
def _paranoid(
    rules: Any, stack: Any, stop: int, root: int, merge: bool, prune: int, past: int, keys: Any, stored: Any,
    function: Any, floats: Any, ints: Any, scratch: Any, cards: Any, values: Any, counters: Any,
) -> float:  # fmt: skip
    """The value of `stack[1]` for the root, if all others play against it (alpha-beta with its own stack)."""
    count = np.zeros(len(stack), np.int64)
    index = np.zeros(len(stack), np.int64)
    known_as = np.zeros(len(stack), np.uint64)
    low = np.full(len(stack), -INFINITE)
    high = np.full(len(stack), INFINITE)
    result = np.zeros(len(stack))
    so_far = np.zeros(SEATS, np.int64)
    depth = 1
    entering = True
    while True:
        if entering:
            low[depth] = low[depth - 1]
            high[depth] = high[depth - 1]
            result[depth] = INFINITE if stack[depth]["to_move"] == root else -INFINITE
            known_as[depth] = ZERO
            if len(keys) > 0 and stack[depth]["trick_size"] == 0 and stack[depth]["plays"] < stop:
                known_as[depth] = position_key(rules, stack[depth], past)
                bound = recall_bound(
                    rules, stack[depth], past, keys, stored, known_as[depth], so_far, root, low[depth], high[depth]
                )
                if bound < INFINITE:
                    counters[NODES] += 1
                    result[depth] = bound
                    entering = False
                    continue
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
            if known_as[depth] != ZERO:
                remember_bound(
                    rules, stack[depth], past, keys, stored, known_as[depth], so_far, root,
                    low[depth - 1], high[depth - 1], result[depth],
                )  # fmt: skip
            continue
        descend(rules, stack, depth, cards, index)
        depth += 1
        entering = True


@kernel
def _table_size(rules: Any, state: Any, stop: int) -> int:
    """How many positions to keep: none if the search ends before the third trick, for none comes up twice then."""
    if stop - state["plays"] <= 2 * rules["players"]:
        return 0
    return 1 << TABLE_BITS


@kernel
def search_root(
    rules: Any, state: Any, kind: int, stop: int, merge: bool, ties: int, window: Any,
    function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, out: Any, counters: Any,
) -> int:  # fmt: skip
    """Search every candidate card of the seat to move, in its own interest; returns how many there are."""
    root = np.int64(state["to_move"])
    return search_for(
        rules, state, root, kind, stop, merge, ties, window, function, floats, ints, scratch, rng, out, counters
    )


@kernel
def search_for(
    rules: Any, state: Any, root: int, kind: int, stop: int, merge: bool, ties: int, window: Any,
    function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, out: Any, counters: Any,
) -> int:  # fmt: skip
    """Search every candidate card of the seat to move as part of a search that `root` makes; returns how many.

    `out[i]` is (card, value for each seat); for paranoid search only the root's own value is meant. No card is cut
    off here, so that every value is exact.
    """
    depth = stop - state["plays"] + 2
    stack = np.empty(depth + 1, STATE)
    cards = np.zeros((depth + 1, MAX_MOVES), np.int64)
    values = np.zeros((depth + 1, SEATS))
    stack[0] = state
    prune = window["prune"] if kind == PARANOID or ties == TIES_FIRST else UNPRUNED
    past = relevant_past(rules, window["past"])
    keep = window["table"] and (kind == PARANOID or ties == TIES_FIRST)
    size = _table_size(rules, state, stop) if keep else 0
    keys = np.zeros(size, np.uint64)
    stored = np.empty((size, SEATS))
    count = candidates(rules, state, merge, cards[0])
    for i in range(count):
        stack[1] = state
        play(rules, stack[1], cards[0, i])
        if kind == PARANOID:
            values[1, root] = _paranoid(
                rules, stack, stop, root, merge, prune, past, keys, stored,
                function, floats, ints, scratch, cards, values, counters,
            )  # fmt: skip
        else:
            _maxn(
                rules, stack, stop, root, merge, ties, prune, window, past, keys, stored,
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
