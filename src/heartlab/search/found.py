"""The states of a search, and what it found in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from numba import types

from heartlab.kernel.layout import SEATS, StateArray
from heartlab.search.ordering import MAX_MOVES

CHILD = 2 + SEATS
"""Columns of a child of the root: card, value per seat, visits."""
LINE = 52
"""Steps of a principal variation that has room: no deal has more cards."""


class Found(NamedTuple):
    """Where kernels write what they find in some states."""

    children: npt.NDArray[np.float64]
    """[states, candidates, (card, value of each seat, visits)]: the children of each root."""
    rows: npt.NDArray[np.int64]
    """[states]: the number of candidates; 0 where the search gave up."""
    lines: npt.NDArray[np.float64]
    """[states, candidates, steps, (card, share)]: principal variations, if there are any steps."""
    counters: npt.NDArray[np.int64]
    """Nodes, leaves and the limit of nodes."""

    @staticmethod
    def room(states: int, counters: npt.NDArray[np.int64], *, lines: bool = False) -> Found:
        """Room for some states, with or without lines."""
        return Found(
            np.zeros((states, MAX_MOVES, CHILD)),
            np.zeros(states, np.int64),
            np.zeros((states, MAX_MOVES, LINE if lines else 0, 2)),
            counters,
        )

    def part(self, start: int, end: int, counters: npt.NDArray[np.int64]) -> Found:
        """The room for some of the states, with counters of its own."""
        return Found(self.children[start:end], self.rows[start:end], self.lines[start:end], counters)


FOUND_TYPE = cast(Any, types.NamedTuple)(
    (types.float64[:, :, ::1], types.int64[::1], types.float64[:, :, :, ::1], types.int64[::1]), Found
)
"""The same to the compiler."""


@dataclass(frozen=True)
class Searched:
    """What a search found for some rows of [rows, worlds] states.

    >>> from heartlab import Deal
    >>> from heartlab.observation import Observations
    >>> from heartlab.search import Search, parse
    >>> deal = Deal("seed", seed=1)
    >>> search = Search(parse("maxn", {"eval": "points", "worlds": "4"}))
    >>> found = search.think(Observations.of(deal.observe(deal.to_move)))
    >>> found.unit, found.values.shape, bool(found.done.all())
    ('points', (1, 4, 52), True)
    """

    keys: npt.NDArray[np.uint64]
    """[rows]: the keys of the choices."""
    unit: str
    """What the values are: points, or what the evaluator says of its own."""
    states: StateArray
    weights: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    """[rows, worlds, 52]: expected points of the seat to move after each card."""
    visits: npt.NDArray[np.float64]
    """[rows, worlds, 52]: simulations (1 for searches that do not simulate)."""
    children: npt.NDArray[np.float64]
    """[rows, worlds, candidates, (card, value of each seat, visits)]: what was searched, equivalent cards once."""
    places: npt.NDArray[np.int64]
    """[rows, worlds, 52]: the candidate that stands for each card; -1: none was tried."""
    lines: npt.NDArray[np.float64]
    """[rows, worlds, candidates, steps, (card, share)]: the principal variation after each; -1 ends it."""
    done: npt.NDArray[np.bool_]
    """[rows, worlds]: False where the search gave up, so that the rest is meaningless."""

    @property
    def simulations(self) -> npt.NDArray[np.float64]:
        """[rows, worlds]: the size of the trees."""
        return np.asarray(self.children[..., -1].sum(axis=-1))

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """[rows, worlds]: the weights, scaled to a mean of 1; if all are zero, worlds count alike."""
        totals = self.weights.sum(axis=1, keepdims=True)
        return np.where(totals > 0, self.weights * (self.weights.shape[1] / np.where(totals > 0, totals, 1.0)), 1.0)

    def join(self, others: Sequence[Searched]) -> Searched:
        """More worlds for the same rows."""
        parts = [self, *others]
        return self._made(lambda name: np.concatenate([getattr(part, name) for part in parts], axis=1))

    def only(self, worlds: npt.NDArray[np.bool_]) -> Searched:
        """Some of the worlds."""
        return self._made(lambda name: getattr(self, name)[:, worlds])

    def _made(self, field: Callable[[str], Any]) -> Searched:
        names = ("states", "weights", "values", "visits", "children", "places", "lines", "done")
        return Searched(self.keys, self.unit, **{name: field(name) for name in names})
