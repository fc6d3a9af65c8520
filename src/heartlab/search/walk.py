"""Depth-first search with a stack of its own: what max^n, paranoid, soft-max^n, prob-max^n and the endgame share.

Numba cannot cache recursive functions, so each of these searches is a loop over levels of a stack. Level 0 is the
position at the root, level 1 the position after one of its cards, and so on. A search *enters* a node: it evaluates a
leaf, or generates the candidates and steps to the first child (`expand`). It returns to a node after each child.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import OVER, SEATS, STATE, apart
from heartlab.kernel.play import play
from heartlab.search.ordering import MAX_MOVES, candidates

INFINITY = 1e30
"""Larger than any value: the worst value, and the bound where none is known."""
NO_VALUE = INFINITY / 10
"""Values of this size or more mean that the evaluator returned NaN: no comparison replaced INFINITY."""
EPSILON = 1e-9
"""Values that differ by less are tied."""
NODES, LEAVES, LIMIT = 0, 1, 2
"""Places in the array of counters: nodes and leaves so far, and the number of nodes at which a search gives up."""


def new_counters(limit: int = 1 << 62) -> npt.NDArray[np.int64]:
    """Counters for a search that gives up after `limit` nodes; its values are then meaningless."""
    counters = apart(LIMIT + 1, np.int64)
    counters[LIMIT] = limit
    return counters


class Judge(NamedTuple):
    """An evaluator as kernels take it."""

    function: Any
    floats: Any
    ints: Any
    scratch: Any


class Plan(NamedTuple):
    """What a depth-first search looks for."""

    root: Any  # the seat that searches
    stop: Any  # number of cards played in the deal at which nodes are leaves
    merge: Any  # whether equivalent cards are searched once
    solve: Any  # whether the rest of the deal is solved exactly instead


LEVEL = np.dtype(
    [
        ("cards", "i8", MAX_MOVES),  # candidates in search order
        ("count", "i8"),  # number of candidates
        ("index", "i8"),  # number of candidates tried
        ("key", "u8"),  # hash of the position; 0: not kept in the transposition table
    ]
)
"""A node of the path, beside its state."""


class Walk(NamedTuple):
    """A depth-first search: what it looks for, and the path from the root to the present node, level by level.

    Loops take the arrays out of it once and pass them on one by one: numba counts references to arrays whenever they
    are taken out of a record, which costs as much as the search itself.
    """

    plan: Any
    stack: Any  # [levels] STATE
    levels: Any  # [levels] LEVEL
    values: Any  # [levels, SEATS]
    counters: Any


@kernel
def new_walk(state: Any, plan: Plan, counters: Any) -> Walk:
    """Memory for a search from a state."""
    count = plan.stop - state["plays"] + 4
    stack = np.empty(count, STATE)
    stack[0] = state
    return Walk(plan, stack, np.zeros(count, LEVEL), np.zeros((count, SEATS)), counters)


@kernel
def candidates_at_root(rules: Any, walk: Walk) -> int:
    """Generate the candidates at the root; returns their number."""
    return candidates(rules, walk.stack[0], walk.plan.merge, walk.levels[0]["cards"])


@kernel
def begin(rules: Any, walk: Walk, i: int) -> int:
    """Step from the root to its i-th candidate, at level 1; returns the card."""
    card = walk.levels[0]["cards"][i]
    begin_at(rules, walk.stack, card)
    return card


@kernel
def begin_at(rules: Any, stack: Any, card: int) -> None:
    """Step from the root to the position after a card, at level 1."""
    stack[1] = stack[0]
    play(rules, stack[1], card)


@kernel
def descend(rules: Any, stack: Any, levels: Any, depth: int) -> None:
    """Step to a node's next child: copy its state one level down and play the card there."""
    level = levels[depth]
    stack[depth + 1] = stack[depth]
    play(rules, stack[depth + 1], level["cards"][level["index"]])
    level["index"] += 1


@kernel
def expand(rules: Any, stack: Any, levels: Any, depth: int, merge: bool) -> None:
    """Generate a node's candidates and step to the first."""
    level = levels[depth]
    level["count"] = candidates(rules, stack[depth], merge, level["cards"])
    level["index"] = 0
    descend(rules, stack, levels, depth)


@kernel
def enter(state: Any, stop: int, counters: Any) -> bool:
    """Count a node; returns whether it is a leaf: at the depth or end of the search, or where it gives up."""
    counters[NODES] += 1
    leaf = state["plays"] >= stop or state["phase"] == OVER or counters[NODES] > counters[LIMIT]
    counters[LEAVES] += leaf
    return leaf


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
