"""Hashes and open-addressing tables against Python's own sets and dictionaries; random numbers by their formulas."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from heartlab.compiled.hashing import find_row, find_slot, hash_row, hash_set, hash_word, insert_rows
from heartlab.compiled.rng import below, below_fast, next_bits, uniform

WORDS = st.integers(0, 2**64 - 1)


@given(st.lists(WORDS.filter(bool), max_size=12))
def test_keys_are_found_where_they_were_put(numbers):
    keys, places = np.zeros(16, np.uint64), {}
    for number in numbers:
        slot = int(find_slot(keys, np.uint64(number)))
        assert keys[slot] in (0, number)
        keys[slot] = number
        assert places.setdefault(number, slot) == slot
    assert len(set(places.values())) == len(places)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12, unique=True))
def test_rows_keep_their_numbers_when_a_table_grows(pairs):
    rows = np.array(pairs, np.uint64)
    for size in (16, 64):
        slots = np.zeros(size, np.int32)
        insert_rows(slots, rows, len(rows))
        assert [int(slots[find_row(slots, rows, row)]) - 1 for row in rows] == list(range(len(rows)))
        assert np.count_nonzero(slots) == len(rows)
    other = rows[0] ^ np.uint64(1)
    if tuple(other.tolist()) not in pairs:
        assert slots[find_row(slots, rows, other)] == 0


@given(st.lists(WORDS, min_size=1, max_size=8, unique=True), st.randoms())
def test_a_set_has_one_hash_in_any_order(numbers, dice):
    words = np.array(numbers, np.uint64)
    dice.shuffle(numbers)
    assert hash_set(words, len(words)) == hash_set(np.array(numbers, np.uint64), len(words))
    assert hash_set(words, len(words)) != hash_set(words, len(words) - 1)


def test_hashes_do_not_collide_on_small_numbers():
    words = np.arange(4096, dtype=np.uint64)
    assert len({int(hash_word(word)) for word in words}) == 4096
    assert len({int(hash_row(words[place : place + 2])) for place in range(4095)}) == 4095
    assert all(hash_row(words[:size]) != 0 for size in range(5))


def test_draws_are_splitmix64():
    """The published test vector of splitmix64 with the seed 1234567, and the draws that are made from it."""
    rng = np.array([1234567], np.uint64)
    assert [int(next_bits(rng)) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    bits = [6457827717110365317, 3203168211198807973]
    rng = np.array([1234567], np.uint64)
    assert [below_fast(rng, 1000) for _ in bits] == [((one >> 32) * 1000) >> 32 for one in bits]
    rng = np.array([1234567], np.uint64)
    assert [below(rng, 1000) for _ in bits] == [((one >> 32) * 1000) >> 32 for one in bits]
    rng = np.array([1234567], np.uint64)
    assert [uniform(rng) for _ in bits] == [(one >> 11) / 2**53 for one in bits]
