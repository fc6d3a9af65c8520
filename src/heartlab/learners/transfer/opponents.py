"""How an opponent moves, and how a learner recognises one.

An opponent is recognised by how it treats moves that end the game. Each kind of move (winning, losing, drawing, going
on, for the opponent) has a weight; the opponent is assumed to choose a move with a probability in proportion to its
weight; and the opponents that were met before are compared by the likelihood of the moves that were seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.learners.transfer.lookahead import DEFAULT
from heartlab.learners.transfer.positions import CLASS, COUNT, FIRST, GOAL, LOST, OPEN, WON, expand_position
from heartlab.learners.transfer.settings import Opponent

KINDS = 4
"""Kinds of moves: won, lost, drawn, going on."""


@kernel
def opponent_of_match(opponent: int, match: int, period: int) -> int:
    """The opponent in some match: itself, or the one that a switching opponent is then."""
    if opponent != Opponent.SWITCHING:
        return opponent
    phase = (match // period) % 3
    return np.int64(Opponent.EPS_GREEDY if phase == 0 else Opponent.WEAK if phase == 1 else Opponent.RANDOM)


@kernel
def rank_moves(nodes: Any, edges: Any, opponent: int, known: Any, position: int, player: int, worth: Any) -> None:
    """How much an opponent prefers each of its moves; `known` are the values of one that adapts."""
    count, first = nodes[position, COUNT], nodes[position, FIRST]
    liked, shunned = (LOST, WON) if opponent == Opponent.WEAK else (WON, LOST)
    for child in range(count):
        found = np.int64(edges[first + child])
        if opponent == Opponent.ADAPTIVE:
            value, goal = known[found, player], nodes[found, GOAL + player]
            worth[child] = value if value >= 0.0 else np.float64(goal) if goal >= 0 else DEFAULT
        else:
            node = nodes[found, CLASS + player]
            worth[child] = 3.0 if node == liked else 0.0 if node == shunned else 2.0


@kernel
def prefer_safe(board: Any, position: int, winner: int, worth: Any) -> None:
    """Lower the ranks of moves that go on and let the other player win at once."""
    nodes, edges = board.graph.nodes, board.graph.edges
    count, first = nodes[position, COUNT], nodes[position, FIRST]
    for child in range(count):
        found = np.int64(edges[first + child])
        if nodes[found, CLASS + winner] == OPEN:
            if nodes[found, FIRST] < 0:
                expand_position(board, found)
            start, gives_win = nodes[found, FIRST], False
            for reply in range(nodes[found, COUNT]):
                gives_win |= nodes[edges[start + reply], CLASS + winner] == WON
            worth[child] -= gives_win


# Recognising


@kernel
def watch(nodes: Any, edges: Any, position: int, chosen: int, player: int, counts: Any) -> Any:
    """Note a move of a player where it had moves of different kinds; returns the kind that it chose, else -1.

    `counts[0]` gets what was chosen, `counts[1]` what a uniform choice would have been, `counts[2]` how many moves of
    each kind there were this time.
    """
    count, first = nodes[position, COUNT], nodes[position, FIRST]
    picked = nodes[edges[first + chosen], CLASS + player]
    same = 0
    for child in range(count):
        same += nodes[edges[first + child], CLASS + player] == picked
    if same == count:
        return -1
    for kind in range(KINDS):
        counts[2, kind] = 0.0
    for child in range(count):
        counts[2, nodes[edges[first + child], CLASS + player]] += 1.0
    counts[0, picked] += 1.0
    for kind in range(KINDS):
        counts[1, kind] += counts[2, kind] / count
    return np.int64(picked)


@kernel
def weigh(features: Any, amounts: Any, picked: int) -> None:
    """Add to the evidence for each known opponent the log-likelihood of a move of the kind that was picked."""
    for opponent in range(len(features.evidence)):
        weights, total = features.profiles[opponent], 0.0
        for kind in range(KINDS):
            total += weights[kind] * amounts[kind]
        features.evidence[opponent] += np.log(weights[picked] / total)


@kernel
def believe(features: Any, forget: float) -> None:
    """Turn the evidence into beliefs, and keep a share of it."""
    evidence, belief = features.evidence, features.belief
    highest = evidence[0]
    for opponent in range(len(evidence)):
        highest = max(highest, evidence[opponent])
    total = 0.0
    for opponent in range(len(evidence)):
        belief[opponent] = np.exp(evidence[opponent] - highest)
        total += belief[opponent]
        evidence[opponent] *= forget
    for kind in range(KINDS):
        features.habits[kind] = 0.0
    for opponent in range(len(evidence)):
        belief[opponent] /= total
        for kind in range(KINDS):
            features.habits[kind] += belief[opponent] * features.profiles[opponent, kind]
