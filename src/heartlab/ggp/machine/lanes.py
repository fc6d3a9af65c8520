"""Random playouts of 256 games side by side: bit i of a row is game i.

A row is one wide register of the processor (`compiled.rows`); `wide` says how a network becomes rows and gates. How
random moves are drawn for all games at once is in `choice`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ALL, ONE, ZERO, bit, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rows import WIDTH, copy_row, grow_row, put_gates
from heartlab.ggp.machine.choice import FALSE, choose_wide
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL
from heartlab.ggp.machine.wide import Wide

LANES = 64 * WIDTH


def make_values(wide: Wide) -> Any:
    """The rows of a network, aligned for the processor; all false but the one that is true."""
    room = np.zeros((wide.rows + 2, WIDTH), np.uint64)
    shift = -room.ctypes.data % (8 * WIDTH)
    values = room.reshape(-1)[shift // 8 :][: wide.rows * WIDTH].reshape(wide.rows, WIDTH)
    values[wide.true] = ALL
    return values


@kernel
def settle_wide(wide: Any, values: Any, section: int) -> None:
    """Evaluate the gates of a section."""
    registers = wide.registers
    for block in range(wide.sections[section], wide.sections[section + 1]):
        start, end = np.uint64(wide.blocks[block, 0]), np.uint64(wide.blocks[block, 1])
        first, last = wide.blocks[block, 2], wide.blocks[block, 3]
        for number in range(first, last):
            copy_row(values, np.uint64(registers[number, 0]), values, FALSE)
        changed = True
        while changed:
            put_gates(values, wide.inputs, wide.runs, start, end)
            changed = False
            for number in range(first, last):
                changed |= grow_row(values, np.uint64(registers[number, 0]), np.uint64(registers[number, 1]))


@kernel
def put_all(wide: Any, values: Any, state: Any) -> None:
    """Make a packed state that of all games."""
    for number in range(wide.bases):
        holds = ZERO - ((state[number >> 6] >> np.uint64(number & 63)) & ONE)
        for word in range(WIDTH):
            values[number + 1, word] = holds


@kernel
def playouts_wide(
    wide: Any, state: Any, count: int, max_steps: int, rng: Any, values: Any, room: Any, totals: Any
) -> int:
    """Random playouts from a state, 256 at a time; adds up the goals per role, returns how many ended.

    A game that ends makes room for the next one at once. All games that are begun are finished, so that short ones
    are not preferred; a game that lasts `max_steps` is given up.
    """
    put_all(wide, values, state)
    running, over = np.zeros(WIDTH, np.uint64), np.zeros(WIDTH, np.uint64)
    begun = np.zeros(LANES, np.int64)
    left = count
    for lane in range(min(count, LANES)):
        running[lane >> 6] |= bit(lane & 63)
        left -= 1
    ended, step = 0, 0
    while True:
        # which games are over: add up their goals
        settle_wide(wide, values, TERMINAL)
        some = ZERO
        for word in range(WIDTH):
            over[word] = values[wide.terminal, word] & running[word]
            some |= over[word]
        if some:
            settle_wide(wide, values, GOALS)
            for number in range(len(wide.goals)):
                for word in range(WIDTH):
                    reached = popcount(values[wide.goals[number, 2], word] & over[word])
                    totals[wide.goals[number, 0]] += reached * np.int64(wide.goals[number, 1])
            for word in range(WIDTH):
                ended += popcount(over[word])
        # give up games that last too long
        if step % 64 == 63:
            some |= give_up(begun, step - max_steps, running, over)
        step += 1
        # one random move of every role in every game
        settle_wide(wide, values, MOVES)
        choose_wide(wide, values, rng, room)
        settle_wide(wide, values, NEXT)
        advance_wide(wide, values)
        # begin new games in the place of those that are over
        if some:
            left = restart(wide, state, values, over, running, begun, left, step)
            busy = ZERO
            for word in range(WIDTH):
                busy |= running[word]
            if not busy:
                return ended


@kernel
def give_up(begun: Any, before: int, running: Any, over: Any) -> Any:
    """Mark running games that began before some step as over; returns whether there are any."""
    some = ZERO
    for lane in range(LANES):
        game = bit(lane & 63)
        if begun[lane] < before and running[lane >> 6] & game:
            over[lane >> 6] |= game
            some = ONE
    return some


@kernel
def advance_wide(wide: Any, values: Any) -> None:
    """Make the next state the state."""
    scratch = np.empty((max(1, wide.bases), WIDTH), np.uint64)
    for number in range(wide.bases):
        copy_row(scratch, np.uint64(number), values, np.uint64(wide.following[number]))
    for number in range(wide.bases):
        copy_row(values, np.uint64(number + 1), scratch, np.uint64(number))


@kernel
def restart(wide: Any, state: Any, values: Any, over: Any, running: Any, begun: Any, left: int, step: int) -> int:
    """Begin new games where games are over, as long as any are left to play; returns how many are left."""
    for word in range(WIDTH):
        games = over[word]
        while games:
            lane = lowest(games)
            games ^= bit(lane)
            if left > 0:
                left -= 1
                begun[64 * word + lane] = step
            else:
                running[word] ^= bit(lane)
    for number in range(wide.bases):
        holds = ZERO - ((state[number >> 6] >> np.uint64(number & 63)) & ONE)
        for word in range(WIDTH):
            values[number + 1, word] = (values[number + 1, word] & ~over[word]) | (holds & over[word])
    for word in range(WIDTH):
        over[word] = ZERO
    return left
