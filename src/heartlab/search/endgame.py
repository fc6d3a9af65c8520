"""Exact endgames: the max^n solution of the rest of a deal, with a transposition table at trick boundaries.

Every seat minimises its own final points, moon and bonuses included; ties go to the first card in search order. If the
rules let points simply add up, the past does not matter and the table stores the points still to come. Beyond the
limit in the counters the solver gives up, like any search: its values are then meaningless.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import OVER
from heartlab.kernel.play import points
from heartlab.search.transpositions import POINTS, Memory, new_memory, position_key, recall, remember
from heartlab.search.walk import EPSILON, LIMIT, NODES, Plan, Walk, begin, candidates_at_root, descend, expand, new_walk

TABLE_BITS = 12
"""The table has 2^12 places: enough for the last five tricks."""


@kernel
def cards_left(rules: Any, state: Any) -> int:
    """The most cards that any seat still holds."""
    most = 0
    for seat in range(rules["players"]):
        most = max(most, popcount(state["hands"][seat]))
    return most


@kernel
def _solve(rules: Any, walk: Walk, memory: Memory) -> None:
    """Fill `walk.values[1]` with the final points of all seats from the position at level 1 on."""
    plan, stack, levels, values, counters = walk
    players, so_far = rules["players"], memory.so_far
    depth = 1
    entering = True
    while True:
        # Enter a node: count its points, look it up, or expand it and enter its first child.
        if entering:
            state, level = stack[depth], levels[depth]
            counters[NODES] += 1
            level["key"] = ZERO
            entering = False
            if state["phase"] == OVER or counters[NODES] > counters[LIMIT]:
                points(rules, state, so_far)
                for seat in range(players):
                    values[depth, seat] = so_far[seat]
                continue
            if state["trick_size"] == 0:
                level["key"] = position_key(rules, state, memory.past)
                if recall(rules, state, memory, level["key"], values[depth]):
                    continue
            expand(rules, stack, levels, depth, plan.merge)
            depth += 1
            entering = True
            continue
        # A node is done: back it up, if it is the best so far for the seat to move there.
        if depth == 1:
            return
        depth -= 1
        mover, level = stack[depth]["to_move"], levels[depth]
        if level["index"] == 1 or values[depth + 1, mover] < values[depth, mover] - EPSILON:
            for seat in range(players):
                values[depth, seat] = values[depth + 1, seat]
        # Enter the next child; after the last one, keep the value.
        if level["index"] < level["count"]:
            descend(rules, stack, levels, depth)
            depth += 1
            entering = True
        elif level["key"] != ZERO:
            remember(rules, stack[depth], memory, level["key"], values[depth])


@kernel
def solve_root(rules: Any, state: Any, merge: bool, out: Any, counters: Any) -> int:
    """The exact final points after each candidate card: rows (card, points of each seat); returns the rows."""
    plan = Plan(np.int64(state["to_move"]), rules["hand_size"] * rules["players"], merge, True)
    walk = new_walk(state, plan, counters)
    memory = new_memory(rules, POINTS, 1 << TABLE_BITS)
    count = candidates_at_root(rules, walk)
    for i in range(count):
        out[i, 0] = begin(rules, walk, i)
        _solve(rules, walk, memory)
        for seat in range(rules["players"]):
            out[i, 1 + seat] = walk.values[1, seat]
    return count
