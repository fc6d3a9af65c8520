"""The categories of FALCON networks over binary percepts: in arrays that grow by doubling, found by direct access.

With complement coding and vigilance 1 a fusion-ART category resonates with exactly one percept vector, so the search of
:mod:`heartlab.learners.falcon.art` (choice by activation, then match) always ends at the category of that very vector,
or at a new one. Here it is found by a hash of the vector instead; the tests show that both agree.

Several networks (leading and following, groups of tricks) share one store; each category knows its network. The
feedback field is (1, 0) in every category and is not stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from heartlab.compiled.bits import popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import GOLDEN, mix
from heartlab.learners.falcon.actions import COUNT as ACTIONS
from heartlab.learners.falcon.settings import Match
from heartlab.util.bundle import FLOATS, WHOLE, Arrays, Form, fit

EMPTY = -1
COMPLEMENT = 16
"""The place of the first complement in a code of `Match.CODED`."""
TINY = 1e-9
ALPHA = 0.001
"""Of the choice function."""


CATEGORY = np.dtype(
    [
        ("code", "u8"),  # sensory weights: the percept vector
        ("owner", "i4"),  # the number of its network
        ("weights", "f8", ACTIONS),  # motor weights
        ("visits", "i4", ACTIONS),  # how often each action was learned
    ],
    align=True,
)


class Store(NamedTuple):
    """Categories as kernels see them: few arrays, because compiled code counts references to each of them."""

    slots: npt.NDArray[np.int32]  # [slots] rows by hash, or EMPTY
    rows: npt.NDArray[Any]  # [capacity] records of CATEGORY
    counts: npt.NDArray[np.int64]  # [1] rows in use


STORE = types.NamedTuple(
    [types.int32[::1], types.Array(numba.from_dtype(CATEGORY), 1, "C"), types.int64[::1]], Store
)  # fmt: skip
"""Its type for signatures."""


@kernel
def find(store: Any, owner: int, code: np.uint64) -> int:
    """The category of a percept vector in a network, or EMPTY."""
    slots, rows = store.slots, store.rows
    last = np.uint64(len(slots) - 1)
    slot = mix(code + GOLDEN * np.uint64(owner + 1)) & last
    while slots[slot] != EMPTY:
        row = slots[slot]
        if rows[row]["code"] == code and rows[row]["owner"] == owner:
            return np.int64(row)
        slot = (slot + np.uint64(1)) & last
    return EMPTY


@kernel
def find_resonant(store: Any, owner: int, code: np.uint64, by_weights: bool, vigilance: float) -> int:
    """The category of a network with the highest choice |x ∧ w| / (α + |w|) among those that match, or EMPTY."""
    rows = store.rows
    best, best_choice = EMPTY, -1.0
    size = popcount(code)
    for row in range(store.counts[0]):
        if rows[row]["owner"] != owner:
            continue
        weights = rows[row]["code"]
        both, whole = popcount(weights & code), popcount(weights)
        choice = both / (ALPHA + whole)
        if choice > best_choice and both >= vigilance * (whole if by_weights else size) - TINY:
            best, best_choice = row, choice
    return best


@kernel
def category_of(learner: Any, store: Any, owner: int, code: np.uint64) -> int:
    """The category that resonates with a percept vector, or EMPTY. `learner` is a record of `kernels.LEARNER`."""
    if learner["match"] == Match.EXACT:
        return find(store, owner, code)
    return find_resonant(store, owner, code, learner["match"] == Match.WEIGHTS, learner["vigilance"])


@kernel
def add(store: Any, owner: int, code: np.uint64, row: int) -> None:
    """Make a row findable; there must be a free slot."""
    last = np.uint64(len(store.slots) - 1)
    slot = mix(code + GOLDEN * np.uint64(owner + 1)) & last
    while store.slots[slot] != EMPTY:
        slot = (slot + np.uint64(1)) & last
    store.slots[slot] = row
    store.rows[row]["code"] = code
    store.rows[row]["owner"] = owner


@kernel
def rebuild(store: Any) -> None:
    """Make all rows findable in fresh slots."""
    for row in range(store.counts[0]):
        add(store, np.int64(store.rows[row]["owner"]), store.rows[row]["code"], row)


ARRAYS = {
    "codes": Form(WHOLE, "categories"),
    "owners": Form(WHOLE, "categories"),
    "weights": Form(FLOATS, "categories", ACTIONS),
    "visits": Form(WHOLE, "categories", ACTIONS, optional=True),
}
"""What :meth:`Categories.arrays` gives."""


class Categories:
    """The categories of some networks. Rows 0 to `count` − 1 are in use."""

    def __init__(self, capacity: int = 1024) -> None:
        self._allocate(capacity)

    def _allocate(self, capacity: int) -> None:
        slots = np.full(4 * capacity, EMPTY, np.int32)
        self.compiled = Store(slots, np.zeros(capacity, CATEGORY), np.zeros(1, np.int64))

    @property
    def count(self) -> int:
        """How many categories there are."""
        return int(self.compiled.counts[0])

    @property
    def capacity(self) -> int:
        """How many there can be before the arrays grow."""
        return len(self.compiled.rows)

    @property
    def codes(self) -> npt.NDArray[np.uint64]:
        """The percept vector of each category: a view."""
        return self.compiled.rows["code"][: self.count]

    @property
    def owners(self) -> npt.NDArray[np.int32]:
        """The network of each category: a view."""
        return self.compiled.rows["owner"][: self.count]

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """[categories, actions]: motor weights, a view."""
        return self.compiled.rows["weights"][: self.count]

    @property
    def visits(self) -> npt.NDArray[np.int32]:
        """[categories, actions]: how often each action was learned, a view."""
        return self.compiled.rows["visits"][: self.count]

    def grow(self) -> None:
        """Double the capacity; what is there stays."""
        before = self.arrays()
        self._allocate(2 * self.capacity)
        self.fill(**before)

    def arrays(self) -> Arrays:
        """All that the categories are, without spare rows."""
        found = {"codes": self.codes, "owners": self.owners, "weights": self.weights, "visits": self.visits}
        return {name: np.ascontiguousarray(array).copy() for name, array in found.items()}

    def fill(self, codes: Any, owners: Any, weights: Any, visits: Any) -> None:
        """Put categories into empty rows; there must be enough of them."""
        self.compiled.counts[0] = len(codes)
        self.codes[:], self.owners[:], self.weights[:], self.visits[:] = codes, owners, weights, visits
        rebuild(self.compiled)

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Categories:
        """Categories from what :meth:`arrays` gave.

        :raises ValueError: if the arrays do not fit each other.
        """
        fit(arrays, ARRAYS)
        codes, owners, weights = (arrays[name] for name in ("codes", "owners", "weights"))
        visits = arrays.get("visits", np.zeros(weights.shape, np.int32))
        keys = np.rec.fromarrays([codes, owners])
        if len(np.unique(keys)) != len(keys):  # they would all be looked for in the same slots
            raise ValueError("has categories twice")
        capacity = 1024
        while capacity < len(codes):
            capacity *= 2
        made = cls(capacity)
        made.fill(codes, owners, weights, visits)
        return made
