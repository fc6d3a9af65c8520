"""Searches for opponents whose preferences are not known: soft-max^n and prob-max^n (Sturtevant et al. 2006).

- **soft-max^n** returns *sets* of value vectors. At a seat's node a child is dropped only if another child is at
  least as
  good for that seat in every one of its vectors (and better in one): whatever is left, an opponent with unknown ways of
  breaking ties might choose. The root judges a card by the mean of its set.
- **prob-max^n** assumes that each opponent plays by one of a few models, with given probabilities, and averages over
  the models' choices. The models: fewest own points; largest lead over the others; hurt the root.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import SEATS, STATE
from heartlab.kernel.play import play
from heartlab.search.maxn import EPSILON, descend, visit
from heartlab.search.ordering import MAX_MOVES, candidates

MAX_SET = 24
"""Vectors kept in a set; beyond that the set is represented by its first ones and its mean stays approximate."""

MODELS = 3
OWN, MARGIN, AGAINST_ROOT = range(MODELS)
MODEL_WEIGHTS = np.array([0.7, 0.2, 0.1])


@kernel
def _dominates(one: Any, size_one: int, two: Any, size_two: int, seat: int) -> bool:
    """Whether every vector of `one` is at least as good for `seat` as every vector of `two`, and some is better."""
    best_one, worst_one, best_two, worst_two = 1e30, -1e30, 1e30, -1e30
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
def _soft(
    rules: Any, stack: Any, stop: int, root: int, merge: bool,
    function: Any, floats: Any, ints: Any, scratch: Any, cards: Any, sets: Any, counters: Any,
) -> int:  # fmt: skip
    """Fill `sets[1, 0]` with the undominated vectors of `stack[1]`; returns how many.

    `sets[depth, 0]` is the set of a node, `sets[depth, 1 + i]` that of its i-th child.
    """
    players = rules["players"]
    count = np.zeros(len(stack), np.int64)
    index = np.zeros(len(stack), np.int64)
    sizes = np.zeros((len(stack), 1 + MAX_MOVES), np.int64)
    depth = 1
    entering = True
    while True:
        if entering:
            sizes[depth, 0] = 1
            entering = not visit(
                rules, stack, depth, stop, root, merge,
                function, floats, ints, scratch, sets[depth, 0, 0], cards, count, index, counters,
            )  # fmt: skip
            depth += entering
            continue
        if depth == 1:
            return sizes[1, 0]
        depth -= 1
        child = index[depth]
        sizes[depth, child] = sizes[depth + 1, 0]
        for k in range(sizes[depth, child]):
            for seat in range(players):
                sets[depth, child, k, seat] = sets[depth + 1, 0, k, seat]
        if index[depth] < count[depth]:
            descend(rules, stack, depth, cards, index)
            depth += 1
            entering = True
        else:
            sizes[depth, 0] = _undominated(sets[depth], sizes[depth], count[depth], stack[depth]["to_move"], players)


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
    rules: Any, state: Any, root: int, stop: int, merge: bool,
    function: Any, floats: Any, ints: Any, scratch: Any, out: Any, counters: Any,
) -> int:  # fmt: skip
    """Soft-max^n for every candidate card, as part of a search that `root` makes: rows (card, means over its set)."""
    depth = stop - state["plays"] + 2
    stack = np.empty(depth + 1, STATE)
    cards = np.zeros((depth + 1, MAX_MOVES), np.int64)
    sets = np.zeros((depth + 1, 1 + MAX_MOVES, MAX_SET, SEATS))
    count = candidates(rules, state, merge, cards[0])
    for i in range(count):
        stack[1] = state
        play(rules, stack[1], cards[0, i])
        size = _soft(rules, stack, stop, root, merge, function, floats, ints, scratch, cards, sets, counters)
        out[i, 0] = cards[0, i]
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
def _prob(
    rules: Any, stack: Any, stop: int, root: int, merge: bool,
    function: Any, floats: Any, ints: Any, scratch: Any, cards: Any, values: Any, picks: Any, counters: Any,
) -> None:  # fmt: skip
    """Fill `values[1]` with the expected values of `stack[1]` over the opponents' models."""
    players = rules["players"]
    count = np.zeros(len(stack), np.int64)
    index = np.zeros(len(stack), np.int64)
    depth = 1
    entering = True
    while True:
        if entering:
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
        models = 1 if mover == root else MODELS
        found = values[depth + 1]
        for model in range(models):
            pick = picks[depth, model]
            cost = model_cost(found, model, mover, root, players)
            if index[depth] == 1 or cost < model_cost(pick, model, mover, root, players) - EPSILON:
                for seat in range(players):
                    pick[seat] = found[seat]
        if index[depth] < count[depth]:
            descend(rules, stack, depth, cards, index)
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
    rules: Any, state: Any, root: int, stop: int, merge: bool,
    function: Any, floats: Any, ints: Any, scratch: Any, out: Any, counters: Any,
) -> int:  # fmt: skip
    """Prob-max^n for every candidate card, as part of a search that `root` makes: rows (card, expected values)."""
    depth = stop - state["plays"] + 2
    stack = np.empty(depth + 1, STATE)
    cards = np.zeros((depth + 1, MAX_MOVES), np.int64)
    values = np.zeros((depth + 1, SEATS))
    picks = np.zeros((depth + 1, MODELS, SEATS))
    count = candidates(rules, state, merge, cards[0])
    for i in range(count):
        stack[1] = state
        play(rules, stack[1], cards[0, i])
        _prob(rules, stack, stop, root, merge, function, floats, ints, scratch, cards, values, picks, counters)
        out[i, 0] = cards[0, i]
        for seat in range(rules["players"]):
            out[i, 1 + seat] = values[1, seat]
    return count
