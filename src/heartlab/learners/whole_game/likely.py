"""Worlds for a look ahead, in the order in which they are tried: uniform ones, or likely ones if there is a belief.

Likely worlds are picked by weight from a pool of uniform ones. One pool serves all rounds of a look ahead: if each
round picked from a small pool of its own, a round with unlikely worlds only would count as much as any other. A world
that is picked several times is tried once, and counts so often.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE
from heartlab.compiled.rng import numpy_dice, substream
from heartlab.kernel.layout import SEATS, STATE, StateArray
from heartlab.learners.whole_game.belief import Belief, new_guess, picked_once, weigh_worlds
from heartlab.players.base import Observations
from heartlab.search.roots import draw_worlds

PER_WORLD = 32
"""Worlds that are drawn for each one that is picked."""
ODD = numpy_dice(1).integers(0, 1 << 63, SEATS).astype(np.uint64) << ONE | ONE
"""Random odd numbers, one for each seat."""
Counts = npt.NDArray[np.int64]


def drawn(batch: Observations, first: int, count: int) -> StateArray:
    """Worlds number `first` to `first + count - 1` that fit the observation of the first row, each equally likely.

    :raises ValueError: if there are none.
    """
    worlds: StateArray = np.zeros(count, STATE)
    if draw_worlds(batch.compiled, batch.records, first, count, worlds[None], np.zeros((1, count), np.uint64)) >= 0:
        raise ValueError(f"no deal fits the observation {batch[0]!r}")
    return worlds


class WorldStream:
    """The worlds of one look ahead."""

    def __init__(self, batch: Observations, belief: Belief | None, picks: int) -> None:
        """
        :param picks: how many worlds are picked from a pool; when they are used up, there is another pool.
        """
        self.batch, self.belief, self.picks = batch, belief, picks
        self._drawn = 0
        self._worlds: StateArray = np.zeros(0, STATE)
        self._times: Counts = np.zeros(0, np.int64)

    def take(self, count: int) -> tuple[StateArray, Counts]:
        """The next worlds, at most so many, and how often each counts."""
        if self.belief is None:
            self._drawn += count
            return drawn(self.batch, self._drawn - count, count), np.ones(count, np.int64)
        if not len(self._worlds):
            self._fill(self.belief)
        worlds, times = self._worlds[:count], self._times[:count]
        self._worlds, self._times = self._worlds[count:], self._times[count:]
        return worlds, times

    def _fill(self, belief: Belief) -> None:
        """Draw a pool and pick from it."""
        pool = drawn(self.batch, self._drawn, self.picks * PER_WORLD)
        logs = np.empty(len(pool))
        weigh_worlds(self.batch.compiled[0], self.batch.records[0], belief, new_guess(belief), pool, logs)
        key = np.uint64(substream(np.uint64(self.batch.records[0]["random"]), self._drawn))
        self._worlds, self._times = merged(*picked_once(pool, logs, self.picks, key))
        self._drawn += len(pool)


def merged(worlds: StateArray, times: Counts) -> tuple[StateArray, Counts]:
    """Worlds with the same hands as one: late in a deal there are few that differ."""
    first, back = distinct_hands(worlds)
    return worlds[first], np.bincount(back, weights=times).astype(np.int64)


def distinct_hands(worlds: StateArray) -> tuple[Counts, Counts]:
    """The worlds that differ, by their numbers, and for each world which of these has its hands."""
    hands = worlds["hands"]
    names = (hands * ODD[: hands.shape[1]]).sum(axis=1)  # different worlds get different names but once in 2^64
    _, first, back = np.unique(names, return_index=True, return_inverse=True)
    return first, back
