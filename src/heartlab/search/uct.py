"""UCT for several players: a tree grown by simulations, every seat choosing by its own rewards (max^n back-ups).

A node is a position, reached by a card. Each simulation selects children by UCB1 on the reward of the seat to move,
adds one node, finishes the deal by a playout policy (or stops after some tricks and asks the evaluator), and backs up
every seat's reward to all nodes of the path. Rewards are points, negated and scaled to [0, 1] by the least and the most
that the rules allow.

Every card at the root is tried at least once, however few simulations there are. Elsewhere the playout policy proposes:
the card that it would play is tried if it is new, and else UCB1 chooses among the cards that have been tried. If every
card of every seat were tried first, most of a small tree would be cards that nobody plays. At visits 16, 32, 64 and so
on a card is tried that the policy has not proposed, so that none is left out in the end. Without a policy that plays
(`evaluate`) all cards are tried, in search order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import OVER, SEATS, STATE
from heartlab.kernel.play import legal, play, points
from heartlab.search.ordering import MAX_MOVES, candidates, stand_in
from heartlab.search.playouts import EVALUATE, Playout, choose, finish
from heartlab.search.walk import LIMIT, NODES, Judge

ROOT = 0
END_OF_LINE = -1
"""Sentinel that ends a principal variation."""
SEEN = 2
"""A principal variation ends where the next node has fewer visits: at a node with one, a playout began."""
EXPLORE_AT = 16
"""At this visit of a node, and whenever the number has doubled, a new card is tried whatever the policy proposes."""
ANY_NEW = -1
"""Instead of a card: any that has not been tried, the first in search order."""
NODE = np.dtype(
    [
        ("totals", "f8", SEATS),  # rewards of each seat, all visits together
        ("visits", "i4"),
        ("first", "i4"),  # the first child; children lie side by side
        ("count", "i1"),  # children; 0: not expanded
        ("tried", "i1"),  # children that have been visited
        ("card", "i1"),  # the card that leads here
    ],
    align=True,
)


@kernel
def tree_size(simulations: int) -> int:
    """The nodes that so many simulations can need; each card at the root has one of its own in any case."""
    return 2 + max(simulations, MAX_MOVES) * MAX_MOVES


_INVERSE_ROOTS = np.array([1.0] + [1.0 / math.sqrt(n) for n in range(1, 1 << 16)])
_ROOTS_OF_LOGS = np.array([0.0] + [math.sqrt(math.log(n)) for n in range(1, 1 << 16)])


@kernel
def inverse_root(n: int) -> float:
    """1/sqrt(n), by table as far as it goes: the inner loop of UCB1."""
    return _INVERSE_ROOTS[n] if n < len(_INVERSE_ROOTS) else 1.0 / math.sqrt(n)


@kernel
def root_of_log(n: int) -> float:
    """sqrt(log(n)), likewise; 0 for 0."""
    return _ROOTS_OF_LOGS[n] if n < len(_ROOTS_OF_LOGS) else math.sqrt(math.log(n))


@kernel
def reward_scale(rules: Any, bounds: Any) -> None:
    """Fill `bounds` with the fewest and the most points that a seat can score in a deal."""
    total = 0
    for card in range(52):
        if rules["points"][card] > 0:
            total += rules["points"][card]
    if rules["doubler"] >= 0:
        total *= 2
    low, high = rules["no_tricks"], total
    if rules["bonus"] >= 0:
        low += min(0, rules["points"][rules["bonus"]]) * (2 if rules["doubler"] >= 0 else 1)
    if rules["sun"]:
        total *= 2
    if rules["moon"] >= 2:
        low -= total
    if rules["moon"] == 1 or rules["moon"] >= 3:
        high = max(high, total)
    bounds[0] = low
    bounds[1] = high


@kernel
def _select(tree: Any, node: int, mover: int, exploration: float) -> int:
    """The child with the highest upper confidence bound among those that have been visited."""
    first = np.int64(tree[node]["first"])
    best = first
    best_bound = -np.inf
    reach = exploration * root_of_log(tree[node]["visits"])
    for child in range(first, first + tree[node]["count"]):
        n = tree[child]["visits"]
        if n == 0:
            continue
        bound = tree[child]["totals"][mover] / n + reach * inverse_root(n)
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


@kernel
def propose(rules: Any, state: Any, playout: Playout, visits: int, rng: Any) -> int:
    """The card that a node below the root tries if it is new, or ANY_NEW."""
    if playout.policy == EVALUATE or (visits >= EXPLORE_AT and visits & (visits - 1) == 0):
        return ANY_NEW
    return choose(rules, state, legal(rules, state), playout, rng)


@kernel
def _new_child(rules: Any, state: Any, tree: Any, node: int, playout: Playout, rng: Any, moves: Any) -> int:
    """The child to visit for the first time, or -1 if the policy proposes one that has been visited."""
    first, count = np.int64(tree[node]["first"]), np.int64(tree[node]["count"])
    card = np.int64(ANY_NEW)
    if node != ROOT:
        card = np.int64(propose(rules, state, playout, tree[node]["visits"], rng))
    place = np.int64(-1)
    if card != ANY_NEW:
        place = np.int64(0)
        while place < count and tree[first + place]["card"] != card:
            place += 1
        if place == count:
            for i in range(count):
                moves[i] = tree[first + i]["card"]
            place = np.int64(stand_in(rules, state, moves, count, card))
    if place < 0:  # ANY_NEW, or the policy proposes a card that is not legal
        place = np.int64(0)
        while tree[first + place]["visits"] > 0:
            place += 1
    return first + place if tree[first + place]["visits"] == 0 else -1


@kernel
def _clear(tree: Any, node: int, card: int) -> None:
    """A new node."""
    tree[node]["card"] = card
    tree[node]["first"] = 0
    tree[node]["count"] = 0
    tree[node]["tried"] = 0
    tree[node]["visits"] = 0
    for seat in range(SEATS):
        tree[node]["totals"][seat] = 0.0


@kernel
def _trace(tree: Any, node: int, line: Any) -> None:
    """Fill `line` with the cards (and shares of 1) that the tree tried most below a node."""
    step = 0
    while step < len(line) and tree[node]["count"] > 0:
        best = np.int64(tree[node]["first"])
        for child in range(best + 1, best + tree[node]["count"]):
            if tree[child]["visits"] > tree[best]["visits"]:
                best = child
        if tree[best]["visits"] < SEEN:
            break
        node = best
        line[step, 0] = tree[node]["card"]
        line[step, 1] = 1.0
        step += 1
    if step < len(line):
        line[step, 0] = END_OF_LINE


@kernel
def simulate(
    rules: Any, state: Any, root: int, playout: Playout, judge: Judge, rng: Any, final: Any, values: Any
) -> None:  # fmt: skip
    """Finish a deal by the policy (or stop and ask the evaluator): `values` are the points of each seat."""
    if (playout.policy == EVALUATE and state["phase"] != OVER) or not finish(rules, state, playout, rng):
        judge.function(rules, state, root, judge.floats, judge.ints, judge.scratch, values)
    else:
        points(rules, state, final)
        for seat in range(rules["players"]):
            values[seat] = final[seat]


@kernel
def back_up(tree: Any, path: Any, values: Any, low: float, width: float) -> None:
    """Add a visit, and every seat's reward for its points, to all nodes of a path."""
    for node in path:
        tree[node]["visits"] += 1
    for seat in range(len(values)):
        reward = 1.0 - (values[seat] - low) / width
        for node in path:
            tree[node]["totals"][seat] += reward


@kernel
def _expand(rules: Any, state: Any, merge: bool, tree: Any, node: int, used: int, moves: Any) -> int:
    """Give a node its children; returns the number of nodes in use then."""
    count = candidates(rules, state, merge, moves)
    tree[node]["first"] = used
    tree[node]["count"] = count
    for i in range(count):
        _clear(tree, used + i, moves[i])
    return used + count


@kernel
def uct_root(
    rules: Any, state: Any, spec: Any, playout: Playout, judge: Judge, tree: Any, rng: Any, out: Any, lines: Any,
    counters: Any,
) -> int:  # fmt: skip
    """Grow a tree from a state; returns the number of candidate cards.

    `tree` is room for `tree_size(simulations)` nodes. `out[i]` is (card, expected points of each seat, visits), and
    `lines[i]` the principal variation after it, if there is room. Each simulation counts as a node; beyond the limit
    there are only as many as it takes to try every card.
    """
    path = np.empty(64, np.int32)
    moves = np.empty(MAX_MOVES, np.int64)
    final = np.empty(SEATS, np.int64)
    values = np.empty(SEATS)
    bounds = np.empty(2)
    table = np.empty(1, STATE)
    walker = table[0]
    players = np.int64(rules["players"])
    root_seat = state["to_move"]
    reward_scale(rules, bounds)
    low, width = bounds[0], bounds[1] - bounds[0]
    _clear(tree, ROOT, 0)
    used = 1
    done = 0
    while done < max(spec["simulations"], tree[ROOT]["count"]):
        if counters[NODES] >= counters[LIMIT] and 0 < tree[ROOT]["count"] <= done:
            break
        counters[NODES] += 1
        done += 1
        table[0] = state
        node = ROOT
        path[0] = ROOT
        length = 1
        while walker["phase"] != OVER:
            if tree[node]["count"] == 0:
                # Expansion: a node gets its children at its second visit; at its first the simulation starts there.
                if tree[node]["visits"] == 0 and node != ROOT:
                    break
                used = _expand(rules, walker, spec["merge"] != 0, tree, node, used, moves)
            # Selection: a new child if one is to be tried, else the one with the highest upper confidence bound.
            child = np.int64(tree[node]["first"])
            if tree[node]["count"] > 1:
                new = np.int64(-1)
                if tree[node]["tried"] < tree[node]["count"]:
                    new = np.int64(_new_child(rules, walker, tree, node, playout, rng, moves))
                tree[node]["tried"] += new >= 0
                child = new if new >= 0 else np.int64(_select(tree, node, walker["to_move"], spec["exploration"]))
            node = child
            play(rules, walker, tree[node]["card"])
            path[length] = node
            length += 1
        # Simulation: finish the deal.
        simulate(rules, walker, root_seat, playout, judge, rng, final, values)
        # Back-up: every seat's reward goes to all nodes of the path.
        back_up(tree, path[:length], values[:players], low, width)
    return _report(tree, players, low, width, out, lines)


@kernel
def _report(tree: Any, players: int, low: float, width: float, out: Any, lines: Any) -> int:
    """Fill `out` and `lines` with what the tree says about the cards at the root; returns their number."""
    count = np.int64(tree[ROOT]["count"])
    for i in range(count):
        child = tree[tree[ROOT]["first"] + i]
        out[i, 0] = child["card"]
        out[i, 1 + SEATS] = child["visits"]
        for seat in range(players):
            mean = child["totals"][seat] / child["visits"] if child["visits"] > 0 else 0.0
            out[i, 1 + seat] = low + (1.0 - mean) * width
        _trace(tree, tree[ROOT]["first"] + i, lines[i])
    return count
