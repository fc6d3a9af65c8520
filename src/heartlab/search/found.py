"""What searching players work on: the states of a search, and what it found in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.kernel.layout import StateArray


@dataclass(frozen=True)
class Searched:
    """What a search found for some rows of [rows, worlds] states."""

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
    tables: npt.NDArray[np.float64]
    """[rows, worlds, candidates, (card, value of each seat, visits)]: what was searched, equivalent cards once."""
    places: npt.NDArray[np.int64]
    """[rows, worlds, 52]: the candidate that stands for each card; -1: none was tried."""
    lines: npt.NDArray[np.float64]
    """[rows, worlds, candidates, steps, (card, share)]: how the search goes on after each; -1 ends a line."""
    done: npt.NDArray[np.bool_]
    """[rows, worlds]: False where the search had to give up, and nothing else is meant."""

    @property
    def simulations(self) -> npt.NDArray[np.float64]:
        """[rows, worlds]: the size of the trees."""
        return np.asarray(self.tables[..., -1].sum(axis=-1))

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """[rows, worlds]: the weights, 1 on average; worlds that all weigh nothing count alike."""
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
        names = ("states", "weights", "values", "visits", "tables", "places", "lines", "done")
        return Searched(self.keys, self.unit, **{name: field(name) for name in names})


@dataclass(frozen=True)
class Task:
    """States to search, and where what is found goes."""

    owners: npt.NDArray[np.int64]
    """The rows of the batch that they come from."""
    states: StateArray
    keys: npt.NDArray[np.uint64]
    tables: npt.NDArray[np.float64]
    rows: npt.NDArray[np.int64]
    lines: npt.NDArray[np.float64]

    def part(self, start: int, end: int) -> Task:
        """Some of the states."""
        return Task(*(getattr(self, field.name)[start:end] for field in fields(self)))
