"""Rows of words against plain arithmetic on whole numbers, row by row."""

import numpy as np
import pytest

from heartlab.compiled import rows
from heartlab.compiled.jit import kernel

ALL = (1 << 64) - 1


@kernel
def call_two(name, values, other):
    """One of the functions with fixed rows, as kernels call them."""
    found = False
    if name == 0:
        rows.copy_row(values, np.uint64(4), other, np.uint64(3))
    elif name == 1:
        found = rows.grow_row(values, np.uint64(2), np.uint64(0))
    elif name == 2:
        rows.count_row(other, values, np.uint64(1), np.uint64(3))
    elif name == 3:
        rows.trade(values, np.uint64(1), np.uint64(3), np.uint64(8), np.uint64(0x00FF00FF00FF00FF))
    elif name == 4:
        rows.add_counts(values, np.uint64(2), other, np.uint64(5))
    elif name == 5:
        found = rows.has_any(values, np.uint64(1))
    elif name == 6:
        rows.play_row(values, np.uint64(4), np.uint64(1), values[6:], other, np.uint64(3))
    elif name == 7:
        rows.take_bits(values, np.uint64(4), other)
    elif name == 8:
        rows.replace_bits(values, np.uint64(4), other, other, np.uint64(3))
    elif name == 9:
        found = rows.shares_any(values, np.uint64(1), other, np.uint64(5))
    return found


def made(seed, height=8):
    return np.random.default_rng(seed).integers(0, 1 << 64, (height, rows.WIDTH), np.uint64)


def numbers_of(digits, used):
    """The number of each of 256 games whose binary digits are rows."""
    bits = np.unpackbits(digits[:used].view(np.uint8), axis=1, bitorder="little").astype(int)
    return (bits << np.arange(used)[:, None]).sum(axis=0)


def bits_of(row):
    return np.unpackbits(np.ascontiguousarray(row).view(np.uint8), bitorder="little").astype(bool)


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_leaves_all_other_rows_alone(seed):
    values, other = made(seed), made(seed + 9)
    before = values.copy()
    call_two(0, values, other)
    assert (values[4] == other[3]).all()
    assert (np.delete(values, 4, axis=0) == np.delete(before, 4, axis=0)).all()


def test_a_register_grows_until_nothing_is_new():
    values = made(1)
    before = values.copy()
    assert call_two(1, values, values)
    assert (values[2] == before[2] | before[0]).all()
    assert (values[3] == before[3]).all()
    assert not call_two(1, values, values)
    values[0, :] = 0
    values[2, :] = 0
    values[0, 3] = 1 << 63
    assert call_two(1, values, values), "the last bit counts"


def test_any_bit_of_any_word_is_seen():
    values = np.zeros((8, rows.WIDTH), np.uint64)
    assert not call_two(5, values, values)
    for word in range(rows.WIDTH):
        for place in (0, 31, 63):
            values[1] = 0
            values[1, word] = 1 << place
            assert call_two(5, values, values)


def test_bits_are_taken_and_replaced():
    values, other = made(1), made(2)
    before = values.copy()
    call_two(7, values, other)
    assert (values[4] == before[4] & ~other[0]).all()
    call_two(8, values, other)
    assert (values[4] == (before[4] & ~other[0] | other[3])).all()
    assert (np.delete(values, 4, axis=0) == np.delete(before, 4, axis=0)).all()
    assert call_two(9, values, other)
    other[5] = ~values[1]
    assert not call_two(9, values, other)
    other[5, 2] ^= np.uint64(1 << 63)
    assert call_two(9, values, other)


def test_bits_are_counted_in_binary():
    digits, counts = np.zeros((3, rows.WIDTH), np.uint64), np.zeros(64 * rows.WIDTH, int)
    for seed in range(7):
        values = made(seed)
        call_two(2, values, digits)
        counts += bits_of(values[1])
    assert (numbers_of(digits, 3) == counts).all()
    totals = made(5)
    before, other = totals[2].copy(), made(6)
    call_two(4, totals, other)
    assert [int(a) for a in totals[2] - before] == [int(one).bit_count() for one in other[5]]


@pytest.mark.parametrize("seed", range(3))
def test_a_move_is_played_where_the_number_is_zero(seed):
    values, numbers = made(seed), made(seed + 3, height=3) & made(seed + 4, height=3)
    legal, waits, drawn = bits_of(values[1]), bits_of(values[6]), numbers_of(numbers, 3)
    call_two(6, values, numbers)
    played = legal & waits & (drawn == 0)
    assert played.any()
    assert (bits_of(values[4]) == played).all()
    assert (bits_of(values[6]) == (waits & ~played)).all()
    assert (numbers_of(numbers, 3) == drawn - (legal & waits & ~played)).all()


def test_rows_trade_bits():
    values = made(2)
    before = values.copy()
    call_two(3, values, values)
    for word in range(rows.WIDTH):
        one, other, mask = int(before[1, word]), int(before[3, word]), 0x00FF00FF00FF00FF
        assert int(values[1, word]) == one & mask | (other & mask) << 8
        assert int(values[3, word]) == other & ~mask & ALL | one >> 8 & mask
