"""The categories of FALCON networks over binary percepts: in arrays that grow by doubling, found by direct access.

With complement coding and vigilance 1 a fusion-ART category resonates with exactly one percept vector, so the search of
:mod:`heartlab.learners.falcon.art` (choice by activation, then match) always ends at the category of that very vector,
or at a new one. Here it is found by a hash of the vector instead; the tests show that both agree.

Several networks (leading and following, groups of tricks) share one store; each category knows its network. The
feedback field carries (1, 0) in every category, in the default reading of the paper, and is not stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import GOLDEN, mix
from heartlab.util.bundle import Arrays

EMPTY = -1
EXACT, BY_WEIGHTS, BY_PERCEPTS, CODED = range(4)
"""When a category matches. EXACT: it is that very vector, which is complement coding with vigilance 1. Otherwise by the
vigilance: without complement coding by |x ∧ w| / |w|, as the paper prints it, or by |x ∧ w| / |x|, as usual; CODED: as
usual, with complement coding, so that a category may come to cover many vectors."""
COMPLEMENT = 16
"""The place of the first complement of a code that carries both."""
TINY = 1e-9
ALPHA = 0.001
"""Of the choice function."""


@kernel
def find(slots: Any, codes: Any, owners: Any, owner: int, code: np.uint64) -> int:
    """The category of a percept vector in a network, or EMPTY."""
    last = np.uint64(len(slots) - 1)
    slot = mix(code + GOLDEN * np.uint64(owner + 1)) & last
    while slots[slot] != EMPTY:
        row = slots[slot]
        if codes[row] == code and owners[row] == owner:
            return np.int64(row)
        slot = (slot + np.uint64(1)) & last
    return EMPTY


@kernel
def find_resonant(
    codes: Any, owners: Any, count: int, owner: int, code: np.uint64, match: int, vigilance: float
) -> int:
    """The category of a network with the highest choice |x ∧ w| / (α + |w|) among those that match, or EMPTY."""
    best, best_choice = EMPTY, -1.0
    size = popcount(code)
    for row in range(count):
        if owners[row] != owner:
            continue
        both, whole = popcount(codes[row] & code), popcount(codes[row])
        choice = both / (ALPHA + whole)
        if choice > best_choice and both >= vigilance * (whole if match == BY_WEIGHTS else size) - TINY:
            best, best_choice = row, choice
    return best


@kernel
def add(slots: Any, codes: Any, owners: Any, owner: int, code: np.uint64, row: int) -> None:
    """Make a row findable; there must be a free slot."""
    last = np.uint64(len(slots) - 1)
    slot = mix(code + GOLDEN * np.uint64(owner + 1)) & last
    while slots[slot] != EMPTY:
        slot = (slot + np.uint64(1)) & last
    slots[slot] = row
    codes[row] = code
    owners[row] = owner


@kernel
def rebuild(slots: Any, codes: Any, owners: Any, count: int) -> None:
    """Make all rows findable in fresh slots."""
    for row in range(count):
        add(slots, codes, owners, np.int64(owners[row]), codes[row], row)


class Categories:
    """The categories of some networks. Rows 0 to `count` − 1 are in use."""

    def __init__(self, width: int, capacity: int = 1024) -> None:
        self.width = width
        self.counts = np.zeros(1, np.int64)
        """The number of categories, in an array so that kernels can change it."""
        self._allocate(capacity)

    def _allocate(self, capacity: int) -> None:
        self.codes = np.zeros(capacity, np.uint64)
        self.owners = np.zeros(capacity, np.int32)
        self.weights = np.zeros((capacity, self.width))
        self.visits = np.zeros((capacity, self.width), np.int32)
        self.slots = np.full(4 * capacity, EMPTY, np.int32)

    @property
    def count(self) -> int:
        """How many categories there are."""
        return int(self.counts[0])

    @property
    def capacity(self) -> int:
        """How many there can be before the arrays grow."""
        return len(self.codes)

    def grow(self) -> None:
        """Double the room; what is there stays."""
        before = self.arrays()
        self._allocate(2 * self.capacity)
        self._fill(before)

    def arrays(self) -> Arrays:
        """All that the categories are, without spare room."""
        count = self.count
        return {name: getattr(self, name)[:count].copy() for name in ("codes", "owners", "weights", "visits")}

    def _fill(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        count = len(arrays["codes"])
        for name in ("codes", "owners", "weights", "visits"):
            getattr(self, name)[:count] = arrays[name]
        self.counts[0] = count
        rebuild(self.slots, self.codes, self.owners, count)

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Categories:
        """Categories from what :meth:`arrays` gave.

        :raises ValueError: if the arrays do not fit each other.
        """
        codes, owners, weights = arrays["codes"], arrays["owners"], arrays["weights"]
        visits = arrays.get("visits", np.zeros(weights.shape, np.int32))
        if weights.ndim != 2 or not len(codes) == len(owners) == len(weights) == len(visits):
            raise ValueError("codes, owners, weights and visits need one row per category")
        if not np.isfinite(weights).all():
            raise ValueError("weights must be finite")
        capacity = 1024
        while capacity < len(codes):
            capacity *= 2
        made = cls(weights.shape[1], capacity)
        made._fill({"codes": codes, "owners": owners, "weights": weights, "visits": visits})
        return made
