"""Max^n to the end of the present trick, without pruning: the depth at which both experts and learned players look.

Within a trick nobody's candidates depend on what the others follow with: a card that is played leaves a hand but still
keeps two cards apart. So each seat's candidates are generated once per kind of lead and not at every node, and a node
costs a copy of the state and a card. Values, ties and the random numbers drawn for them are those of the general search
of `maxn`, which remains for deeper searches, for pruning, and for rules under which a card played in the trick makes
others legal.

How a leaf is judged is left to two functions: `look` sees the leaf and keeps what it needs in a numbered slot; `tell`
says what a slot is worth for a seat. Of most leaves only one seat's value is ever asked for, so a judge that can
postpone the work need not do it for all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from heartlab.cards import ACE_OF_SPADES, QUEEN_OF_SPADES
from heartlab.compiled.jit import kernel, template
from heartlab.compiled.rng import below
from heartlab.kernel.layout import SEATS, STATE
from heartlab.kernel.play import play
from heartlab.search.options import Ties
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.walk import EPSILON, Judge, Plan, begin_at, enter

LEADS = 5
"""Kinds of leads, by what the others may follow with and in which order: the four suits, and K♠ or A♠."""
SLOTS = SEATS + 1
"""One slot for each level of a trick."""
PATH = np.dtype(
    [
        ("index", "i8"),  # number of children tried
        ("tied", "i8"),  # number of children that are equal to the best
        ("slot", "i8"),  # where the best leaf below the node is kept; no two levels share a slot
        ("best", "f8"),  # its value for the seat to move
    ]
)
"""A node of the path from the root to a leaf."""


class Trail(NamedTuple):
    """Working memory for the way from the root to a leaf."""

    stack: Any  # [SLOTS] STATE
    moves: Any  # [LEADS, SLOTS, 1 + MAX_MOVES]: the number of candidates, and the candidates
    path: Any  # [SLOTS] PATH


@kernel
def within_trick(rules: Any, state: Any, plan: Plan) -> bool:
    """Whether a search ends with the present trick, and candidates depend on the lead alone."""
    end = np.int64(state["plays"]) - np.int64(state["trick_size"]) + np.int64(rules["players"])
    return bool(plan.stop <= end and rules["queen_after_hearts"] == 0)


@kernel
def lead_kind(card: Any) -> int:
    """The kind of a lead."""
    return LEADS - 1 if QUEEN_OF_SPADES < card <= ACE_OF_SPADES else int(card // 13)


@template
def descend_trick(rules: Any, trail: Trail, depth: int, merge: bool) -> None:
    """Step to a node's next child; its candidates are generated where they are first needed."""
    stack, moves, path = trail
    cards = moves[lead_kind(np.int64(stack[depth]["trick_cards"][0])), depth]
    if cards[0] == 0:
        cards[0] = candidates(rules, stack[depth], merge, cards[1:])
    stack[depth + 1] = stack[depth]
    path[depth]["index"] += 1
    play(rules, stack[depth + 1], cards[path[depth]["index"]])


@template
def search_below(
    rules: Any, plan: Plan, ties: int, trail: Trail, rng: Any, counters: Any, judge: Any, look: Any, tell: Any
) -> None:  # fmt: skip
    """Find the leaf to which max^n leads from the position at level 1; `path[1]["slot"]` says where it is kept."""
    stack, moves, path = trail
    depth = 1
    entering = True
    while True:
        # Enter a node: look at a leaf, or step to the first child.
        if entering:
            path[depth]["index"] = 0
            if enter(stack[depth], plan.stop, counters):
                look(rules, stack[depth], plan.root, judge, path[depth]["slot"])
                entering = False
            else:
                descend_trick(rules, trail, depth, plan.merge)
                depth += 1
            continue
        # A node is done: its parent keeps it if it is the first or better for the seat to move, or wins a tie.
        if depth == 1:
            break
        depth -= 1
        node, child = path[depth], path[depth + 1]
        mover = np.int64(stack[depth]["to_move"])
        found = tell(rules, judge, child["slot"], mover)
        gap = found - node["best"]
        keep = node["index"] == 1 or gap < -EPSILON
        if keep:
            node["tied"] = 1
        elif gap <= EPSILON:
            node["tied"] += 1
            if ties == Ties.RANDOM:
                keep = below(rng, node["tied"]) == 0
            elif ties == Ties.WORST:
                ours = tell(rules, judge, node["slot"], plan.root)
                keep = tell(rules, judge, child["slot"], plan.root) > ours + EPSILON
        if keep:
            node["best"] = found
            node["slot"], child["slot"] = child["slot"], node["slot"]
        # The next child, if there is one.
        if node["index"] < moves[lead_kind(np.int64(stack[depth]["trick_cards"][0])), depth, 0]:
            descend_trick(rules, trail, depth, plan.merge)
            depth += 1
            entering = True


@kernel
def new_trail() -> Trail:
    """A trail with a slot for every level."""
    path = np.zeros(SLOTS, PATH)
    for level in range(SLOTS):
        path[level]["slot"] = level
    return Trail(np.empty(SLOTS, STATE), np.zeros((LEADS, SLOTS, 1 + MAX_MOVES), np.int64), path)


@template
def look_at_all(rules: Any, state: Any, root: int, judge: Any, slot: int) -> None:
    """Evaluate a leaf for all seats."""
    way, values = judge
    way.function(rules, state, root, way.floats, way.ints, way.scratch, values[slot])


@template
def tell_value(rules: Any, judge: Any, slot: int, seat: int) -> float:
    """What was found for a seat."""
    value: float = judge[1][slot, seat]
    return value


@kernel
def search_trick(
    rules: Any, state: Any, plan: Plan, ties: int, judge: Judge, rng: Any, out: Any, counters: Any
) -> int:  # fmt: skip
    """Search every candidate card of the seat to move, by any evaluator: `out[i]` is (card, value for each seat)."""
    trail = new_trail()
    values = np.zeros((SLOTS, SEATS))
    trail.stack[0] = state
    cards = np.empty(MAX_MOVES, np.int64)
    count = candidates(rules, state, plan.merge, cards)
    for i in range(count):
        begin_at(rules, trail.stack, cards[i])
        search_below(rules, plan, ties, trail, rng, counters, (judge, values), look_at_all, tell_value)
        out[i, 0] = cards[i]
        slot = trail.path[1]["slot"]
        for seat in range(rules["players"]):
            out[i, 1 + seat] = values[slot, seat]
    return count
