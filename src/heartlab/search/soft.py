"""Searches for opponents whose preferences are not known: soft-max^n and prob-max^n (Sturtevant et al. 2006).

- **soft-max^n** backs up *sets* of value vectors. At a seat's node a child is dropped only if another child dominates
  it: is at least as good for that seat in every one of its vectors, and better in one. An opponent whose tie-breaking
  is unknown might choose any of the others. The root judges a card by the mean of its set.
- **prob-max^n** assumes that each opponent plays by one of a few models, with given probabilities, and averages over
  the models' choices. The models: fewest own points; largest lead over the others; most points for the root.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import SEATS
from heartlab.search.ordering import MAX_MOVES
from heartlab.search.walk import (
    EPSILON,
    INFINITY,
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

MAX_SET = 24
"""Vectors kept in a set: of a larger one only the first, so that its mean is approximate."""

MODELS = 3
OWN, MARGIN, AGAINST_ROOT = range(MODELS)
MODEL_WEIGHTS = np.array([0.7, 0.2, 0.1])


@kernel
def _dominates(one: Any, size_one: int, two: Any, size_two: int, seat: int) -> bool:
    """Whether every vector of `one` is at least as good for `seat` as every vector of `two`, and some is better."""
    best_one, worst_one, best_two, worst_two = INFINITY, -INFINITY, INFINITY, -INFINITY
    for k in range(size_one):
        best_one = min(best_one, one[k, seat])
        worst_one = max(worst_one, one[k, seat])
    for k in range(size_two):
        best_two = min(best_two, two[k, seat])
        worst_two = max(worst_two, two[k, seat])
    return worst_one <= best_two + EPSILON and best_one < worst_two - EPSILON


@kernel
def _add(target: Any, size: int, source: Any, count: int, players: int) -> int:
    """Add vectors that are not there yet; returns the new size."""
    for k in range(count):
        known = False
        for j in range(size):
            same = True
            for seat in range(players):
                same = same and abs(target[j, seat] - source[k, seat]) <= EPSILON
            known = known or same
        if not known and size < MAX_SET:
            for seat in range(players):
                target[size, seat] = source[k, seat]
            size += 1
    return size


@kernel
def _soft(rules: Any, walk: Walk, judge: Judge, sets: Any) -> int:
    """Fill `sets[1, 0]` with the undominated vectors of the position at level 1; returns how many.

    `sets[depth, 0]` is the set of a node, `sets[depth, 1 + i]` that of its i-th child.
    """
    plan, stack, levels, _, counters = walk
    function, floats, ints, scratch = judge
    players = rules["players"]
    sizes = np.zeros((len(stack), 1 + MAX_MOVES), np.int64)
    depth = 1
    entering = True
    while True:
        # Enter a node: evaluate it, or expand it and enter its first child.
        if entering:
            sizes[depth, 0] = 1
            entering = not enter(stack[depth], plan.stop, counters)
            if entering:
                expand(rules, stack, levels, depth, plan.merge)
                depth += 1
            else:
                function(rules, stack[depth], plan.root, floats, ints, scratch, sets[depth, 0, 0])
            continue
        # A node is done: back its set up to its parent.
        if depth == 1:
            return sizes[1, 0]
        depth -= 1
        child = levels[depth]["index"]
        sizes[depth, child] = sizes[depth + 1, 0]
        for k in range(sizes[depth, child]):
            for seat in range(players):
                sets[depth, child, k, seat] = sets[depth + 1, 0, k, seat]
        # Enter the next child; after the last one, drop the children that are dominated.
        if child < levels[depth]["count"]:
            descend(rules, stack, levels, depth)
            depth += 1
            entering = True
        else:
            mover = stack[depth]["to_move"]
            sizes[depth, 0] = _undominated(sets[depth], sizes[depth], child, mover, players)


@kernel
def _undominated(family: Any, sizes: Any, count: int, mover: int, players: int) -> int:
    """Unite the children's sets that no other child dominates for the mover into `family[0]`; returns its size."""
    size = 0
    for i in range(1, 1 + count):
        dropped = False
        for j in range(1, 1 + count):
            dropped = dropped or _dominates(family[j], sizes[j], family[i], sizes[i], mover)
        if not dropped:
            size = _add(family[0], size, family[i], sizes[i], players)
    return size


@kernel
def soft_for(
    rules: Any, state: Any, plan: Plan, judge: Judge, out: Any, counters: Any
) -> int:  # fmt: skip
    """Soft-max^n for every candidate card, as part of the search of `plan.root`: rows (card, means over its set)."""
    walk = new_walk(state, plan, counters)
    sets = np.zeros((len(walk.stack), 1 + MAX_MOVES, MAX_SET, SEATS))
    count = candidates_at_root(rules, walk)
    for i in range(count):
        out[i, 0] = begin(rules, walk, i)
        size = _soft(rules, walk, judge, sets)
        for seat in range(rules["players"]):
            out[i, 1 + seat] = 0.0
            for k in range(size):
                out[i, 1 + seat] += sets[1, 0, k, seat] / size
    return count


@kernel
def model_cost(values: Any, model: int, mover: int, root: int, players: int) -> float:
    """What a seat that plays by a model minimises."""
    if model == AGAINST_ROOT:
        return -values[root]
    if model == OWN:
        return values[mover]
    others = 0.0
    for seat in range(players):
        if seat != mover:
            others += values[seat]
    return values[mover] - others / (players - 1)


@kernel
def _prob(rules: Any, walk: Walk, judge: Judge, picks: Any) -> None:
    """Fill `walk.values[1]` with the expected values of the position at level 1 over the opponents' models.

    `picks[depth, model]` are the values of the child that a model chooses.
    """
    plan, stack, levels, values, counters = walk
    function, floats, ints, scratch = judge
    players, root = rules["players"], plan.root
    depth = 1
    entering = True
    while True:
        # Enter a node: evaluate it, or expand it and enter its first child.
        if entering:
            entering = not enter(stack[depth], plan.stop, counters)
            if entering:
                expand(rules, stack, levels, depth, plan.merge)
                depth += 1
            else:
                function(rules, stack[depth], plan.root, floats, ints, scratch, values[depth])
            continue
        # A node is done: each model compares it with its choice so far.
        if depth == 1:
            return
        depth -= 1
        mover = stack[depth]["to_move"]
        models = 1 if mover == root else MODELS
        found = values[depth + 1]
        for model in range(models):
            pick = picks[depth, model]
            cost = model_cost(found, model, mover, root, players)
            if levels[depth]["index"] == 1 or cost < model_cost(pick, model, mover, root, players) - EPSILON:
                for seat in range(players):
                    pick[seat] = found[seat]
        # Enter the next child; after the last one, back up the mean over the models.
        if levels[depth]["index"] < levels[depth]["count"]:
            descend(rules, stack, levels, depth)
            depth += 1
            entering = True
            continue
        for seat in range(players):
            values[depth, seat] = 0.0
            for model in range(models):
                weight = 1.0 if models == 1 else MODEL_WEIGHTS[model]
                values[depth, seat] += weight * picks[depth, model, seat]


@kernel
def prob_for(
    rules: Any, state: Any, plan: Plan, judge: Judge, out: Any, counters: Any
) -> int:  # fmt: skip
    """Prob-max^n for every candidate card, as part of the search of `plan.root`: rows (card, expected values)."""
    walk = new_walk(state, plan, counters)
    picks = np.zeros((len(walk.stack), MODELS, SEATS))
    count = candidates_at_root(rules, walk)
    for i in range(count):
        out[i, 0] = begin(rules, walk, i)
        _prob(rules, walk, judge, picks)
        for seat in range(rules["players"]):
            out[i, 1 + seat] = walk.values[1, seat]
    return count
