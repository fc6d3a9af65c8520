"""Hashes, and open-addressing hash tables in arrays that the caller owns.

A table is an array of slots whose length is a power of two and of which some slots are always free. A search begins at
the slot that the hash names and goes on to the next one until it finds the key or a free slot. There are two kinds:

- keys: the slots hold uint64 keys, 0 marks a free slot (`find_slot`);
- rows: the slots hold the number of a row plus one, 0 marks a free slot, and rows are compared in full (`find_row`).

Nothing is ever removed. To let a table grow, allocate a larger one and insert everything again (`insert_rows`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import GOLDEN, MIX_1, SHIFT_27, SHIFT_31, mix

Words = npt.NDArray[np.uint64]

FIRST_BIT = np.uint64(8)
"""The bits of a hash from this one on name its slot."""


@kernel
def hash_word(word: np.uint64) -> np.uint64:
    """A hash of one word, one to one."""
    return mix(word + GOLDEN)


@kernel
def hash_row(row: Words) -> np.uint64:
    """A hash of some words in their order; never zero."""
    key = GOLDEN
    for place in range(len(row)):
        key = (key ^ row[place]) * MIX_1
        key ^= key >> SHIFT_31
        key = key * GOLDEN
        key ^= key >> SHIFT_27
    return key | ONE


@kernel
def hash_set(words: Words, size: int) -> np.uint64:
    """A hash of the first `size` words, all different, in whatever order they come."""
    total = np.uint64(size)
    for number in range(size):
        total += hash_word(words[number])
    return hash_word(total ^ (total >> SHIFT_27))


@kernel
def find_slot(keys: Words, key: np.uint64) -> int:
    """The slot of a key, or the free slot where it belongs."""
    mask = np.uint64(len(keys) - 1)
    slot = (key >> FIRST_BIT) & mask
    while keys[slot] != ZERO and keys[slot] != key:
        slot = (slot + ONE) & mask
    return np.int64(slot)


@kernel
def find_row(slots: npt.NDArray[np.int32], rows: npt.NDArray[np.uint64], row: Words) -> int:
    """The slot of a row, or the free slot where it belongs."""
    mask = np.uint64(len(slots) - 1)
    slot = (hash_row(row) >> FIRST_BIT) & mask
    while slots[slot] != 0:
        number, same = slots[slot] - 1, True
        for place in range(len(row)):
            same &= rows[number, place] == row[place]
        if same:
            break
        slot = (slot + ONE) & mask
    return np.int64(slot)


@kernel
def insert_rows(slots: npt.NDArray[np.int32], rows: npt.NDArray[np.uint64], count: int) -> None:
    """Put the first rows, all different, into an empty table."""
    for number in range(count):
        slots[find_row(slots, rows, rows[number])] = number + 1
