"""What another player knows, as a prior of UCT: its values of moves count like a few simulations.

A player that can value moves without searching offers a guide (`GamePlayer.make_guide`). A position of the tree that
was visited a few times asks it once: every move whose value is known begins with so many visits of that value.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from heartlab.ggp.machine.base import State
from heartlab.ggp.players.nodes import POSITIONS, SEVERAL, Nodes

LEAST = 4
"""Visits of a position before the guide is asked: most positions are visited less often."""
CHUNK = 32
"""Simulations after which new positions are looked for."""
WEIGHT = 8
"""Visits that the value of a move counts for, unless said otherwise."""


class Guide(Protocol):
    """Values moves without searching."""

    def values(self, state: State, player: int) -> npt.NDArray[np.float64]:
        """The goal from 0 to 100 that each legal move of a player leads to; nan where nothing is known of it.

        Empty where nothing is known of any.
        """

    def reasons(self, state: State, player: int) -> list[str]:
        """For people: why each legal move has its value; an empty text where there is nothing to say."""


class Prior:
    """The values of a guide in the tree of one searcher."""

    def __init__(self, guide: Guide, weight: int = WEIGHT) -> None:
        self.guide, self.weight = guide, weight
        self.nodes: Nodes | None = None
        self.asked = np.zeros(0, bool)

    def add_to(self, nodes: Nodes) -> None:
        """Ask the guide about all positions that were visited a few times and not asked about before."""
        used = int(nodes.used[POSITIONS])
        often = nodes.visits[:used] >= LEAST
        if nodes is not self.nodes:
            # a tree that made room keeps what was added to it
            fresh = self.nodes is None
            self.nodes, self.asked = nodes, np.zeros(len(nodes.visits), bool)
            if not fresh:
                self.asked[:used] = often
        for position in np.flatnonzero(often & ~self.asked[:used]):
            self.asked[position] = True
            if nodes.movers[position] != SEVERAL and nodes.solved[position] < 0:
                self._add(nodes, int(position))

    def _add(self, nodes: Nodes, position: int) -> None:
        mover = int(nodes.movers[position])
        first, last = int(nodes.starts[position, mover]), int(nodes.starts[position, mover + 1])
        if last - first < 2:
            return
        values = self.guide.values(nodes.states[position].tobytes(), mover)
        if len(values) != last - first:
            return
        known = np.flatnonzero(~np.isnan(values) & (nodes.proven[first:last] < 0))
        nodes.counts[first + known] += self.weight
        nodes.sums[first + known] += self.weight * values[known].astype(np.float32) / 100
        nodes.visits[position] += self.weight * len(known)
