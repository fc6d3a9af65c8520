"""Random moves in 256 games at once: every legal move of a role is equally likely.

Where a role has few moves, its legal ones are counted in a binary counter whose digits are rows: each bit of the row is
a game. Each game draws a number below its count (all digits at once, and again where the number is too large). A second
pass over the moves counts the numbers down and plays the move at which a number reaches zero.

That costs time for every move that could ever be legal. Where there are many, the moves that are legal in some game are
listed. Games in which only one is legal play it. The rows of the others are turned over: then each game has its legal
moves in words of its own, and picks a bit of them. Where players take turns, no game has a choice for two roles; so as
long as that is so the rows of several roles are laid over each other, and turned over together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ALL, ONE, ZERO, bit, lowest, nth, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below, next_bits
from heartlab.compiled.rows import (
    WIDTH,
    add_counts,
    copy_row,
    count_row,
    lay_rows,
    list_rows,
    play_row,
    shares_any,
    trade,
)

DIGITS = 20
"""Digits of the counter of legal moves: more moves than any game has."""
FEW_MOVES = 48
"""Most moves of a role that are counted one after the other."""
FALSE = np.uint64(0)
"""The row of the constant."""
SIXTY_FOUR = np.uint64(64)

Rows = npt.NDArray[np.uint64]


class Room(NamedTuple):
    """Room for drawing moves; what it holds does not matter between two draws."""

    digits: Rows  # [DIGITS, WIDTH] counts of legal moves
    numbers: Rows  # [DIGITS, WIDTH] numbers below the counts
    waiting: Rows  # [1, WIDTH] games that have no move yet
    legal: Rows  # [64 blocks, WIDTH] listed moves: a row per move, and turned over a row per game
    listed: npt.NDArray[np.int64]  # [moves + 1] the listed moves of each role, from its first move on
    counts: Rows  # [64, WIDTH] numbers of legal moves
    choices: Rows  # [roles, WIDTH] games in which the role has at least two legal moves
    games: Rows  # [2, WIDTH] games in which a role has any legal move; then those that have only one
    chosen: Rows  # [1, WIDTH] games in which one of the roles whose moves are listed has a choice


def make_room(role_moves: Any) -> Room:
    """Room for a game; `role_moves` has the first move of each role, and the end."""
    moves, roles = int(role_moves[-1]), len(role_moves) - 1
    return Room(
        digits=np.zeros((DIGITS, WIDTH), np.uint64),
        numbers=np.zeros((DIGITS, WIDTH), np.uint64),
        waiting=np.zeros((1, WIDTH), np.uint64),
        legal=np.zeros((64 * (moves // 64 + 1), WIDTH), np.uint64),
        listed=np.zeros(moves + 1, np.int64),
        counts=np.zeros((64, WIDTH), np.uint64),
        choices=np.zeros((roles, WIDTH), np.uint64),
        games=np.zeros((2, WIDTH), np.uint64),
        chosen=np.zeros((1, WIDTH), np.uint64),
    )


@kernel
def choose_wide(wide: Any, values: Any, rng: Any, room: Any) -> None:
    """Play a uniform legal move of every role in every game; a game that lacks one goes on without."""
    played, rows, begin, roles = np.uint64(wide.first_move), np.uint64(0), 0, len(wide.role_moves) - 1
    for word in range(WIDTH):
        room.chosen[0, word] = ZERO
    for role in range(roles):
        first, last = np.uint64(wide.role_moves[role]), np.uint64(wide.role_moves[role + 1])
        if last - first <= np.uint64(FEW_MOVES):
            used = digits_for(last - first)
            count_legal(wide.legal, values, first, last, room.digits)
            for word in range(WIDTH):
                room.choices[role, word] = ZERO
                draw_numbers(rng, room.digits, room.numbers, used, word)
            play_numbered(wide.legal, values, first, last, played, room)
            continue
        own = list_moves(wide, values, room, role)
        if rows and shares_any(room.chosen, FALSE, room.choices, np.uint64(role)):
            play_listed(wide, values, rng, room, rows, begin, role)
            for word in range(WIDTH):
                room.chosen[0, word] = ZERO
            rows, begin = np.uint64(0), role
        lay_moves(wide, values, room, role, rows, own)
        rows = max(rows, own)
    if rows:
        play_listed(wide, values, rng, room, rows, begin, roles)


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
        play_row(values, played + np.uint64(move), np.uint64(legal[move]), waiting, numbers, reach)


# Many moves


@kernel
def list_moves(wide: Any, values: Any, room: Any, role: int) -> Any:
    """Take back what a role played, and list the moves that are legal in some game; how many there are."""
    first, last = wide.role_moves[role], wide.role_moves[role + 1]
    values[wide.first_move + first : wide.first_move + last] = ZERO
    first, last = np.uint64(first), np.uint64(last)
    own = list_rows(values, wide.legal, room.listed, first, last, room.choices, np.uint64(role), room.games)
    for word in range(WIDTH):
        room.games[1, word] = room.games[0, word] & ~room.choices[role, word]
    return own


@kernel
def lay_moves(wide: Any, values: Any, room: Any, role: int, rows: Any, own: Any) -> None:
    """Play the moves of games that have only one, and lay those of the others over the first rows."""
    for row in range(rows, own):
        copy_row(room.legal, np.uint64(row), values, FALSE)
    for word in range(WIDTH):
        room.chosen[0, word] |= room.choices[role, word]
    first, choices, played = np.uint64(wide.role_moves[role]), np.uint64(role), np.uint64(wide.first_move)
    lay_rows(values, wide.legal, room.listed, first, own, played, room.choices, choices, room.games, room.legal)


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
def play_listed(wide: Any, values: Any, rng: Any, room: Any, count: Any, begin: int, end: int) -> None:
    """Play a uniform one of the listed moves in each game in which one of some roles has a choice."""
    rows, counts, played = room.legal, room.counts, np.int64(wide.first_move)
    full = (count + SIXTY_FOUR - ONE) & ~(SIXTY_FOUR - ONE)
    for row in range(count, full):
        copy_row(rows, np.uint64(row), values, FALSE)
    turn_over(rows, counts, np.int64(full))
    for role in range(begin, end):
        first = np.int64(wide.role_moves[role])
        for word in range(WIDTH):
            games = room.choices[role, word]
            while games:
                game = lowest(games)
                mask = bit(game)
                games ^= mask
                left, row = below(rng, np.int64(counts[game, word])), np.uint64(game)
                here = popcount(rows[row, word])
                while left >= here:
                    left -= here
                    row += SIXTY_FOUR
                    here = popcount(rows[row, word])
                place = np.int64(row & ~(SIXTY_FOUR - ONE)) + nth(rows[row, word], left)
                values[played + room.listed[first + place], word] |= mask
