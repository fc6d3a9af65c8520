"""Randomness as a pure function of keys: a splitmix64 generator whose state is an array that the caller owns.

A generator is a uint64 array of length one. Streams are told apart by hashing numbers into the key, so that a deal's
cards depend on (seed, deal number) and a choice on (seed, deal number, seat, card number), and on nothing else: not on
threads, not on the size of a batch.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import nth, popcount
from heartlab.compiled.jit import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_32, SHIFT_11 = (np.uint64(n) for n in (30, 27, 31, 32, 11))
LOW_32 = np.uint64(0xFFFFFFFF)


def seed_key(seed: int, purpose: str) -> np.uint64:
    """A 64-bit key for one purpose of a seed. One-way: a player that knows its key cannot find the cards' key."""
    digest = hashlib.blake2b(f"{seed}/{purpose}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def numpy_dice(seed: int, *branch: int) -> np.random.Generator:
    """numpy's generator for a branch of a seed. It knows no negative seeds, so those are hashed."""
    return np.random.default_rng((seed if seed >= 0 else int(seed_key(seed, "numpy")), *branch))


@kernel
def mix(key: np.uint64) -> np.uint64:
    """Scramble 64 bits, one to one."""
    key = (key ^ (key >> SHIFT_30)) * MIX_1
    key = (key ^ (key >> SHIFT_27)) * MIX_2
    return key ^ (key >> SHIFT_31)


@kernel
def substream(key: np.uint64, number: int) -> np.uint64:
    """The key of the numbered branch of a stream."""
    return mix(key + GOLDEN * (np.uint64(number) + np.uint64(1)))


@kernel
def next_bits(rng: npt.NDArray[np.uint64]) -> np.uint64:
    """64 random bits."""
    rng[0] += GOLDEN
    return mix(rng[0])


@kernel
def skip(rng: npt.NDArray[np.uint64], count: int) -> None:
    """Pass over numbers that nothing depends on, as if they had been drawn."""
    rng[0] += GOLDEN * np.uint64(count)


@kernel
def below(rng: npt.NDArray[np.uint64], n: int) -> int:
    """A uniform int in [0, n), without the bias of a plain remainder."""
    size = np.uint64(n)
    product = (next_bits(rng) >> SHIFT_32) * size
    rest = product & LOW_32
    if rest < size:
        floor = (LOW_32 + np.uint64(1) - size) % size
        while rest < floor:
            product = (next_bits(rng) >> SHIFT_32) * size
            rest = product & LOW_32
    return np.int64(product >> SHIFT_32)


@kernel
def below_fast(rng: npt.NDArray[np.uint64], n: int) -> int:
    """An int in [0, n) by one multiplication: the chances differ from uniform by less than n / 2^32.

    General games draw by this; `below` draws again in rare cases, so the two give different streams.
    """
    return np.int64(((next_bits(rng) >> SHIFT_32) * np.uint64(n)) >> SHIFT_32)


@kernel
def uniform(rng: npt.NDArray[np.uint64]) -> float:
    """A uniform float in [0, 1)."""
    return np.float64(next_bits(rng) >> SHIFT_11) * (1.0 / 9007199254740992.0)


@kernel
def any_of(cards: np.uint64, rng: npt.NDArray[np.uint64]) -> int:
    """A uniformly random card of a mask that is not empty."""
    return nth(cards, below(rng, popcount(cards)))
