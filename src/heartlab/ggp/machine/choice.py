"""Random moves in 256 games at once: every legal move of a role is equally likely.

Where a role has few moves, its legal ones are counted in a binary counter whose digits are rows: each bit of the row is
a game. Each game draws a number below its count (all digits at once, and again where the number is too large). A second
pass over the moves counts the numbers down and plays the move at which a number reaches zero.

That costs time for every move that could ever be legal. Where there are many, the moves that are legal in some game are
listed, and their rows turned over: then each game has its legal moves in words of its own, and picks a bit of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ALL, ONE, ZERO, bit, nth, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below, next_bits
from heartlab.compiled.rows import WIDTH, add_counts, copy_row, count_row, has_any, play_row, put_both, trade

DIGITS = 20
"""Digits of the counter of legal moves: more moves than any game has."""
FEW_MOVES = 48
"""Most moves of a role that are counted one after the other."""
FALSE = np.uint64(0)
"""The row of the constant."""
TWO, SIXTY_FOUR = np.uint64(2), np.uint64(64)

Rows = npt.NDArray[np.uint64]


class Room(NamedTuple):
    """Room for drawing moves; what it holds does not matter between two draws."""

    digits: Rows  # [DIGITS, WIDTH] counts of legal moves
    numbers: Rows  # [DIGITS, WIDTH] numbers below the counts
    waiting: Rows  # [1, WIDTH] games that have no move yet
    legal: Rows  # [64 blocks, WIDTH] legal moves: a row per move, and turned over a row per game
    listed: npt.NDArray[np.int64]  # [moves] the move of each row
    counts: Rows  # [64, WIDTH] numbers of legal moves


def make_room(moves: int) -> Room:
    """Room for a game with so many moves."""
    return Room(
        digits=np.zeros((DIGITS, WIDTH), np.uint64),
        numbers=np.zeros((DIGITS, WIDTH), np.uint64),
        waiting=np.zeros((1, WIDTH), np.uint64),
        legal=np.zeros((64 * (moves // 64 + 1), WIDTH), np.uint64),
        listed=np.zeros(moves, np.int64),
        counts=np.zeros((64, WIDTH), np.uint64),
    )


@kernel
def choose_wide(net: Any, values: Any, rng: Any, room: Any) -> None:
    """Play a uniform legal move of every role in every game; a game that lacks one goes on without."""
    played = np.uint64(2 * (1 + net.bases))
    for role in range(len(net.role_moves) - 1):
        first, last = np.uint64(net.role_moves[role]), np.uint64(net.role_moves[role + 1])
        if last - first <= np.uint64(FEW_MOVES):
            used = digits_for(last - first)
            count_legal(net.legal, values, first, last, room.digits)
            for word in range(WIDTH):
                draw_numbers(rng, room.digits, room.numbers, used, word)
            play_numbered(net.legal, values, first, last, played, room)
        else:
            rows = list_legal(net.legal, values, first, last, played, room)
            turn_over(room.legal, room.counts, rows)
            play_listed(values, played, rng, room)


# Few moves


@kernel
def digits_for(number: int) -> int:
    """How many binary digits a number has."""
    digits = 0
    while number >> np.uint64(digits):
        digits += 1
    return digits


@kernel
def count_legal(legal: Any, values: Any, first: Any, last: Any, digits: Any) -> None:
    """Count the legal moves of a role in every game, in binary."""
    for digit in range(digits_for(last - first)):
        copy_row(digits, np.uint64(digit), values, FALSE)
    for move in range(first, last):
        count_row(digits, values, np.uint64(legal[move]), np.uint64(digits_for(np.uint64(move) - first + ONE)))


@kernel
def draw_numbers(rng: Any, counts: Any, numbers: Any, used: int, word: int) -> None:
    """Draw a number below its count for 64 games: cut to the count's length, drawn again where too large.

    The counts are one too large by then, where they are not zero.
    """
    borrow = ZERO
    for digit in range(used):
        borrow |= counts[digit, word]
    for digit in range(used):
        rest = borrow & ~counts[digit, word]
        counts[digit, word] ^= borrow
        borrow = rest
    several = ZERO
    for digit in range(used):
        several |= counts[digit, word]
        numbers[digit, word] = ZERO
    waiting = several
    while waiting:
        length, larger, equal = ZERO, ZERO, ALL
        for place in range(used):
            digit = used - 1 - place
            length |= counts[digit, word]
            drawn = (next_bits(rng) & length & waiting) | (numbers[digit, word] & ~waiting)
            numbers[digit, word] = drawn
            larger |= equal & drawn & ~counts[digit, word]
            equal &= ~(drawn ^ counts[digit, word])
        waiting = larger


@kernel
def play_numbered(legal: Any, values: Any, first: Any, last: Any, played: Any, room: Any) -> None:
    """Play in every game the legal move of its number, by counting the numbers down."""
    numbers, waiting = room.numbers, room.waiting
    for word in range(WIDTH):
        waiting[0, word] = ALL
    for move in range(first, last):
        reach = np.uint64(digits_for(last - np.uint64(move) - ONE))
        play_row(values, played + TWO * np.uint64(move), np.uint64(legal[move]), waiting, numbers, reach)


# Many moves


@kernel
def list_legal(legal: Any, values: Any, first: Any, last: Any, played: Any, room: Any) -> int:
    """Take back what a role played, and list the moves that are legal in some game; how many there are.

    Rows without a move fill the last 64.
    """
    rows = np.uint64(0)
    for move in range(first, last):
        literal = played + TWO * np.uint64(move)
        if has_any(values, literal):
            put_both(values, literal, FALSE, FALSE)
        literal = np.uint64(legal[move])
        if has_any(values, literal):
            copy_row(room.legal, rows, values, literal)
            room.listed[rows] = np.int64(move)
            rows += ONE
    end = (rows + SIXTY_FOUR - ONE) & ~(SIXTY_FOUR - ONE)
    for row in range(rows, end):
        copy_row(room.legal, np.uint64(row), values, FALSE)
    return np.int64(end)


@kernel
def turn_over(rows: Any, counts: Any, end: int) -> None:
    """Exchange rows and bits in each block of 64 rows, and count the bits of each game over all blocks."""
    for game in range(64):
        for word in range(WIDTH):
            counts[game, word] = ZERO
    for block in range(0, end, 64):
        step, mask = np.uint64(32), ALL >> np.uint64(32)
        while step:
            row = np.uint64(block)
            while row < np.uint64(block + 64):
                trade(rows, row, row + step, step, mask)
                row = ((row | step) + ONE) & ~step
            step >>= ONE
            mask ^= mask << step
        for game in range(64):
            add_counts(counts, np.uint64(game), rows, np.uint64(block + game))


@kernel
def play_listed(values: Any, played: Any, rng: Any, room: Any) -> None:
    """Play a uniform one of the listed moves that are legal in each game."""
    rows, listed, counts = room.legal, room.listed, room.counts
    for game in range(64):
        mask = bit(game)
        for word in range(WIDTH):
            count = np.int64(counts[game, word])
            if count == 0:
                continue
            left, row = (below(rng, count) if count > 1 else 0), np.uint64(game)
            here = popcount(rows[row, word])
            while left >= here:
                left -= here
                row += SIXTY_FOUR
                here = popcount(rows[row, word])
            move = listed[(row & ~(SIXTY_FOUR - ONE)) + np.uint64(nth(rows[row, word], left))]
            literal = played + TWO * np.uint64(move)
            values[literal, word] |= mask
            values[literal + ONE, word] &= ~mask
