"""Open search: max^n and paranoid, over any evaluator, any rules, three to six players.

- **max^n**: every seat picks the card with the lowest value for itself; the values of all seats are backed up together.
- **paranoid**: all others play to raise the root's value; alpha-beta prunes.

A search evaluates where a number of cards (`stop`) has been played, or at the end of the deal. Ties go to the first
card in search order, to one at random, or, at the others' nodes, to the one that is worst for the root.

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

Within one trick there is hardly anything to prune, and `trick`, which does not try to, is quicker: it takes over from
max^n there unless shallow or bold pruning is asked for.

Between two tricks exact values (max^n) or bounds (paranoid) are kept in a transposition table. With a table no stretch
crosses the end of a trick, so that whatever is searched to the end there is certain and can be kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, lowest
from heartlab.compiled.jit import kernel, template
from heartlab.compiled.rng import below
from heartlab.kernel.layout import SEATS
from heartlab.search.options import Kind, Prune, Ties
from heartlab.search.transpositions import (
    Memory,
    new_memory,
    position_key,
    recall,
    recall_bound,
    remember,
    remember_bound,
)
from heartlab.search.trick import search_trick, within_trick
from heartlab.search.walk import (
    EPSILON,
    INFINITY,
    NODES,
    Judge,
    Plan,
    Walk,
    begin,
    candidates_at_root,
    descend,
    enter,
    expand,
    new_walk,
)

SLACK = EPSILON / 2
"""Sums of values may be off by this: nobody prefers a value for being better by so little."""
TABLE_BITS = 14
"""The transposition table has 2^14 places: more save few nodes, and take time to clear."""
CERTAIN = 0
"""Instead of a depth: the value of a node is in no doubt."""


DOUBT = np.dtype(
    [
        ("tied", "i8"),  # number of children that are equal to the best
        ("chosen", "i8"),  # which child is the best, counted from 1
        ("children", "i8"),  # a bit for every child that is not certain
        ("top", "i8"),  # CERTAIN, or depth of the highest node of the path that may refuse the true value
        ("limit", "i8"),  # `top` may not be less than this
        ("low", "f8", SEATS),  # if not certain: no seat's true value is less (INFINITY: cut off)
    ]
)
"""What max^n knows about a node of the path, beside the best of the children whose values are certain."""


@template
def _reset(doubts: Any, depth: int) -> None:
    """Reset what is known about a node."""
    node = doubts[depth]
    node["tied"] = 1
    node["chosen"] = 1
    node["children"] = 0
    node["top"] = CERTAIN
    for seat in range(SEATS):
        node["low"][seat] = INFINITY
    doubts[depth + 1]["limit"] = node["limit"]


@kernel
def _prefer(values: Any, depth: int, mover: int, root: int, ties: int, tied: int, rng: Any) -> bool:
    """Whether a tied or better child replaces the best so far; `tied` children, this one included, are equal."""
    gap = values[depth + 1, mover] - values[depth, mover]
    if gap < -EPSILON:
        return True
    if gap > EPSILON or ties == Ties.FIRST:
        return False
    if ties == Ties.RANDOM:
        return below(rng, tied) == 0
    return values[depth + 1, root] > values[depth, root] + EPSILON


@kernel
def _bar(stack: Any, levels: Any, values: Any, doubts: Any, depth: int) -> float:
    """A card now tried at a node of the path has to stay below this by EPSILON to be taken there.

    That is the best value so far; but a card that comes before the chosen one in search order wins a tie.
    """
    best = values[depth, stack[depth]["to_move"]]
    return best + 2 * EPSILON if levels[depth]["index"] < doubts[depth]["chosen"] else best


@kernel
def _refused_at(
    stack: Any, levels: Any, values: Any, doubts: Any, depth: int, limit: int, prune: int, spec: Any, bounds: Any
) -> int:  # fmt: skip
    """The depth of an ancestor such that it, or a node between, will refuse whatever this node returns; 0: none.

    Careful speculation stops short if the ancestor would like what a node between has now: such a doubt is likely to
    come back.
    """
    if prune == Prune.NO or levels[depth - 1]["index"] == 1 or spec["floor"] <= -INFINITY:
        return 0
    for seat in range(len(bounds)):
        bounds[seat] = spec["most"]
    mover = stack[depth]["to_move"]
    bounds[mover] = min(bounds[mover], values[depth, mover])
    for level in range(depth - 1, limit - 1, -1):
        if levels[level]["index"] == 1 or (prune == Prune.SHALLOW and level < depth - 1):
            return 0
        mover = stack[level]["to_move"]
        bar = _bar(stack, levels, values, doubts, level)
        bounds[mover] = min(bounds[mover], bar)
        if bounds.sum() <= spec["floor"] + SLACK:
            for between in range(level + 1, depth):
                if prune == Prune.CAREFUL and values[between, mover] < bar - EPSILON:
                    return 0
            return level
    return 0


@template
def _back_up(
    players: int, root: int, ties: int, stack: Any, levels: Any, values: Any, doubts: Any, depth: int, rng: Any
) -> None:  # fmt: skip
    """Take a finished child into account: its value if it is certain, else the doubt about it."""
    mover = stack[depth]["to_move"]
    best, found = values[depth, mover], values[depth + 1, mover]
    node, below_it = doubts[depth], doubts[depth + 1]
    child = levels[depth]["index"]
    if below_it["top"] == CERTAIN:
        if child > 1:
            gap = found - best
            if gap < -EPSILON:
                node["tied"] = 1
            elif gap <= EPSILON:
                node["tied"] += 1
        sooner = child < node["chosen"] and found <= best + EPSILON
        if child == 1 or sooner or _prefer(values, depth, mover, root, ties, node["tied"], rng):
            node["chosen"] = child
            for seat in range(players):
                values[depth, seat] = values[depth + 1, seat]
    elif below_it["top"] < depth:
        top = below_it["top"]
        node["children"] |= 1 << child
        node["top"] = min(node["top"], top) if node["top"] != CERTAIN else top
        if below_it["low"][mover] < best - EPSILON:
            for seat in range(players):
                node["low"][seat] = min(node["low"][seat], below_it["low"][seat])


@template
def _settle(players: int, stack: Any, levels: Any, values: Any, doubts: Any, depth: int) -> bool:
    """All children of a node are searched: True if that is all, False if one in doubt is to be searched again."""
    node = doubts[depth]
    if node["top"] == depth - 1 and node["children"] == 0:
        node["top"] = CERTAIN
    if node["top"] == CERTAIN:
        return True
    above = stack[depth - 1]["to_move"]
    at_best = min(node["low"][above], values[depth, above])
    if node["top"] < depth - 1 or at_best >= _bar(stack, levels, values, doubts, depth - 1) - EPSILON:
        for seat in range(players):
            node["low"][seat] = min(node["low"][seat], values[depth, seat])
        return True
    levels[depth]["index"] = lowest(np.uint64(node["children"])) - 1
    node["children"] &= node["children"] - 1
    doubts[depth + 1]["limit"] = depth
    return False


@kernel
def _maxn(rules: Any, walk: Walk, judge: Judge, spec: Any, prune: int, memory: Memory, doubts: Any, rng: Any) -> None:
    """Fill `walk.values[1]` with the max^n value of the position at level 1."""
    plan, stack, levels, values, counters = walk
    function, floats, ints, scratch = judge
    players, root, ties = np.int64(rules["players"]), plan.root, spec["ties"]
    bounds = np.zeros(players)
    keeps = len(memory.keys) > 0
    depth = 1
    entering = True
    while True:
        # Enter a node: look it up, evaluate it, or expand it and enter its first child.
        if entering:
            _reset(doubts, depth)
            levels[depth]["key"] = ZERO
            if keeps and stack[depth]["trick_size"] == 0 and stack[depth]["plays"] < plan.stop:
                levels[depth]["key"] = position_key(rules, stack[depth], memory.past)
                if recall(rules, stack[depth], memory, levels[depth]["key"], values[depth]):
                    counters[NODES] += 1
                    entering = False
                    continue
            entering = not enter(stack[depth], plan.stop, counters)
            if entering:
                expand(rules, stack, levels, depth, plan.merge)
                depth += 1
            else:
                function(rules, stack[depth], root, floats, ints, scratch, values[depth])
            continue
        # A node is done: back its values up to its parent.
        if depth == 1:
            return
        depth -= 1
        level, node = levels[depth], doubts[depth]
        _back_up(players, root, ties, stack, levels, values, doubts, depth, rng)
        resolving = doubts[depth + 1]["limit"] == depth
        immediate = prune != Prune.NO and values[depth, stack[depth]["to_move"]] <= spec["least"]
        if level["index"] < level["count"] and not resolving and not immediate:
            # Shallow and speculative pruning: the remaining children are cut off if an ancestor refuses the node.
            highest = max(node["limit"], 1)
            if keeps:
                highest = max(highest, depth - stack[depth]["trick_size"])
            refused = _refused_at(stack, levels, values, doubts, depth, highest, prune, spec, bounds)
            if refused > 0:
                node["top"] = refused
                for seat in range(players):
                    node["low"][seat] = INFINITY
                continue
        elif _settle(players, stack, levels, values, doubts, depth):
            # The last child, or immediate pruning: keep the value if it is certain.
            if node["top"] == CERTAIN and level["key"] != ZERO:
                remember(rules, stack[depth], memory, level["key"], values[depth])
            continue
        # Enter the next child (or one in doubt, again).
        descend(rules, stack, levels, depth)
        depth += 1
        entering = True


WINDOW = np.dtype([("low", "f8"), ("high", "f8"), ("result", "f8")])
"""Alpha-beta: the window of a node of the path, and its value so far."""


@kernel
def _paranoid(rules: Any, walk: Walk, judge: Judge, prune: int, memory: Memory) -> float:
    """The value of the position at level 1 for the root, if all others play against it: alpha-beta."""
    plan, stack, levels, values, counters = walk
    function, floats, ints, scratch = judge
    root = plan.root
    windows = np.zeros(len(stack), WINDOW)
    windows[0]["low"], windows[0]["high"] = -INFINITY, INFINITY
    depth = 1
    entering = True
    while True:
        # Enter a node with its parent's window: look it up, evaluate it, or expand it and enter its first child.
        if entering:
            level, node = levels[depth], windows[depth]
            node["low"] = windows[depth - 1]["low"]
            node["high"] = windows[depth - 1]["high"]
            node["result"] = INFINITY if stack[depth]["to_move"] == root else -INFINITY
            level["key"] = ZERO
            if len(memory.keys) > 0 and stack[depth]["trick_size"] == 0 and stack[depth]["plays"] < plan.stop:
                level["key"] = position_key(rules, stack[depth], memory.past)
                bound = recall_bound(rules, stack[depth], memory, level["key"], root, node["low"], node["high"])
                if bound < INFINITY:
                    counters[NODES] += 1
                    node["result"] = bound
                    entering = False
                    continue
            entering = not enter(stack[depth], plan.stop, counters)
            if entering:
                expand(rules, stack, levels, depth, plan.merge)
                depth += 1
            else:
                function(rules, stack[depth], root, floats, ints, scratch, values[depth])
                node["result"] = values[depth, root]
            continue
        # A node is done: back its value up to its parent, and narrow the window there.
        if depth == 1:
            return windows[1]["result"]
        depth -= 1
        level, node = levels[depth], windows[depth]
        if stack[depth]["to_move"] == root:
            node["result"] = min(node["result"], windows[depth + 1]["result"])
            node["high"] = min(node["high"], node["result"])
        else:
            node["result"] = max(node["result"], windows[depth + 1]["result"])
            node["low"] = max(node["low"], node["result"])
        # The last child, or a cutoff: keep the value or bound.
        if level["index"] == level["count"] or (prune != Prune.NO and node["low"] >= node["high"]):
            if level["key"] != ZERO:
                low, high = windows[depth - 1]["low"], windows[depth - 1]["high"]
                remember_bound(rules, stack[depth], memory, level["key"], root, low, high, node["result"])
            continue
        descend(rules, stack, levels, depth)
        depth += 1
        entering = True


@kernel
def _table_size(rules: Any, state: Any, stop: int) -> int:
    """How many positions to keep: none if the search ends before the third trick, for none comes up twice then."""
    if stop - state["plays"] <= 2 * rules["players"]:
        return 0
    return 1 << TABLE_BITS


@kernel
def search_for(
    rules: Any, state: Any, plan: Plan, spec: Any, judge: Judge, rng: Any, out: Any, counters: Any
) -> int:  # fmt: skip
    """Search every candidate card of the seat to move as part of the search of `plan.root`; returns how many.

    `out[i]` is (card, value for each seat); paranoid search fills in the root's value only. No card is cut off here,
    so that every value is exact.
    """
    paranoid = spec["kind"] == Kind.PARANOID
    may_prune = paranoid or spec["ties"] == Ties.FIRST
    prune = spec["prune"] if may_prune else np.int64(Prune.NO)
    if not paranoid and prune in (Prune.NO, Prune.CAREFUL) and within_trick(rules, state, plan):
        return search_trick(rules, state, plan, spec["ties"], judge, rng, out, counters)
    walk = new_walk(state, plan, counters)
    values = walk.values[1]
    keeps = spec["table"] != 0 and may_prune
    memory = new_memory(rules, spec["past"], _table_size(rules, state, plan.stop) if keeps else 0)
    doubts = np.zeros(0 if paranoid else len(walk.stack), DOUBT)
    count = candidates_at_root(rules, walk)
    for i in range(count):
        out[i, 0] = begin(rules, walk, i)
        if paranoid:
            values[plan.root] = _paranoid(rules, walk, judge, prune, memory)
        else:
            _maxn(rules, walk, judge, spec, prune, memory, doubts, rng)
        for seat in range(rules["players"]):
            out[i, 1 + seat] = values[seat]
    return count
