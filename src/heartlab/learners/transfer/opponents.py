"""Opponents of a learner: what kinds there are, which of them is playing, and how one is recognised.

An opponent is recognised by how it treats moves that end the game: each kind of move (winning, losing, drawing, going
on, for the opponent) has a weight, the opponent is taken to play a move with a chance in proportion to its weight, and
the kinds of opponents that were met before are weighed by how well they explain the moves that were seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.learners.transfer.positions import CLASS, COUNT, FIRST

RANDOM, GREEDY, WEAK, BLOCKING, ADAPTIVE, SWITCHING = range(6)
OPPONENTS = ("random", "eps-greedy", "weak", "blocking", "adaptive", "switching")
"""Uniform; takes wins and avoids losses at once; the reverse; also avoids giving the learner a win; learns by
TD(lambda) itself; is eps-greedy, weak and random in turn."""
FIXED = OPPONENTS[:4]
"""Those that stay what they are, and against which features can be learned."""

KINDS = 4
"""Kinds of moves: won, lost, drawn, going on."""


@kernel
def kind_now(opponent: int, match: int, period: int) -> int:
    """The kind that an opponent is in some match."""
    if opponent != SWITCHING:
        return opponent
    phase = (match // period) % 3
    return GREEDY if phase == 0 else WEAK if phase == 1 else RANDOM


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
    """The evidence about each known opponent gets the logarithm of the chance that it would have moved so."""
    for opponent in range(len(features.evidence)):
        weights, total = features.profiles[opponent], 0.0
        for kind in range(KINDS):
            total += weights[kind] * amounts[kind]
        features.evidence[opponent] += np.log(weights[picked] / total)


@kernel
def believe(features: Any, forget: float) -> None:
    """Turn the evidence into beliefs, and let some of it fade."""
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
