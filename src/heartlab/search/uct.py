"""UCT for several players: a tree grown by simulations, every seat choosing by its own rewards (max^n back-ups).

A node is a position, reached by a card. Each simulation walks down by UCB1 on the reward of the seat to move, adds one
node, finishes the deal by a playout policy (or stops after some tricks and asks the evaluator), and adds every seat's
reward to all nodes on its way. Rewards are points turned round and scaled to [0, 1] by the least and the most that the
rules allow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from heartlab.jit import kernel
from heartlab.kernel.layout import OVER, SEATS, STATE
from heartlab.kernel.play import play, points
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.playouts import EVALUATE, finish

ROOT = 0
INVERSE_ROOTS = np.array([1.0] + [1.0 / math.sqrt(n) for n in range(1, 1 << 16)])
"""1/sqrt(n) by table: the inner loop of UCB1."""


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
        low += min(0, rules["points"][rules["bonus"]])
    if rules["sun"]:
        total *= 2
    if rules["moon"] >= 2:
        low -= total
    if rules["moon"] == 1 or rules["moon"] >= 3:
        high = max(high, total)
    bounds[0] = low
    bounds[1] = high


@kernel
def _select(
    first: int, count: int, mover: int, parent_visits: int, exploration: float, visits: Any, totals: Any
) -> int:
    """The child with the highest upper confidence bound; children never visited come first, in order."""
    best = first
    best_bound = -1.0
    reach = exploration * math.sqrt(math.log(parent_visits))
    for child in range(first, first + count):
        n = visits[child]
        if n == 0:
            return child
        spread = INVERSE_ROOTS[n] if n < len(INVERSE_ROOTS) else 1.0 / math.sqrt(n)
        bound = totals[child, mover] / n + reach * spread
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


@kernel
def simulate(
    rules: Any, state: Any, root: int, policy: int, cut: int, chooser: Any,
    function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, final: Any, values: Any,
) -> None:  # fmt: skip
    """Finish a deal by the policy (or stop and ask the evaluator): `values` are the points of each seat."""
    if policy == EVALUATE and state["phase"] != OVER:
        function(rules, state, root, floats, ints, scratch, values)
    elif finish(rules, state, policy, cut, chooser, rng):
        points(rules, state, final)
        for seat in range(rules["players"]):
            values[seat] = final[seat]
    else:
        function(rules, state, root, floats, ints, scratch, values)


@kernel
def uct_root(
    rules: Any, state: Any, simulations: int, exploration: float, merge: bool, policy: int, cut: int,
    chooser: Any, function: Any, floats: Any, ints: Any, scratch: Any, rng: Any, out: Any,
) -> int:  # fmt: skip
    """Grow a tree from a state; returns the number of candidate cards.

    `out[i]` is (card, expected points of each seat, visits).
    """
    capacity = 2 + simulations * MAX_MOVES
    cards = np.empty(capacity, np.int8)
    first = np.zeros(capacity, np.int32)
    count = np.zeros(capacity, np.int8)
    visits = np.zeros(capacity, np.int32)
    totals = np.zeros((capacity, SEATS), np.float32)
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
    used = 1
    for _ in range(simulations):
        table[0] = state
        node = ROOT
        path[0] = ROOT
        length = 1
        while walker["phase"] != OVER:
            if count[node] == 0:
                if visits[node] == 0 and node != ROOT:
                    break
                found = candidates(rules, walker, merge, moves)
                first[node] = used
                count[node] = found
                for i in range(found):
                    cards[used] = moves[i]
                    first[used] = 0
                    count[used] = 0
                    visits[used] = 0
                    for seat in range(players):
                        totals[used, seat] = 0.0
                    used += 1
            mover = walker["to_move"]
            if count[node] == 1:
                node = first[node]
            else:
                seen = max(1, visits[node])
                node = _select(first[node], count[node], mover, seen, exploration, visits, totals)
            play(rules, walker, cards[node])
            path[length] = node
            length += 1
        simulate(rules, walker, root_seat, policy, cut, chooser, function, floats, ints, scratch, rng, final, values)
        for step in range(length):
            visits[path[step]] += 1
        for seat in range(players):
            reward = 1.0 - (values[seat] - low) / width
            for step in range(length):
                totals[path[step], seat] += reward
    for i in range(count[ROOT]):
        child = first[ROOT] + i
        out[i, 0] = cards[child]
        out[i, 1 + SEATS] = visits[child]
        for seat in range(players):
            mean = totals[child, seat] / visits[child] if visits[child] > 0 else 0.0
            out[i, 1 + seat] = low + (1.0 - mean) * width
    return count[ROOT]
