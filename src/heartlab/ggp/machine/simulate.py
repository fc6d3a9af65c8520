"""The compiled interpreter of networks: one game at a time, or 64 games in the bits of every word.

An array of values has one word per literal; bit i of all words together is game i, so one `and` evaluates a gate for 64
games. `settle` evaluates a section for one word per literal, `settle_wide` for a row of `WORDS` words: a gate's inputs
are then looked up once for 256 games, and a row is one wide register of the processor.

How random moves are drawn for 256 games at once is in `choice`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ALL, ONE, ZERO, bit, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below_fast
from heartlab.compiled.rows import WIDTH, copy_row, grow_row, put_both, put_row
from heartlab.ggp.machine.choice import choose_wide
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL

WORDS = WIDTH
"""Words per literal in wide play: 256 games side by side."""
LANES = 64 * WORDS
TWO, FALSE = np.uint64(2), np.uint64(0)


# One word per literal


@kernel
def clear(values: Any) -> None:
    """Begin: the constants, and everything else false."""
    for node in range(len(values) // 2):
        values[2 * node] = ZERO
        values[2 * node + 1] = ALL


@kernel
def settle(net: Any, values: Any, section: int) -> None:
    """Evaluate the gates of a section."""
    pairs = net.pairs
    for block in range(net.sections[section], net.sections[section + 1]):
        start, end = net.blocks[block, 0], net.blocks[block, 1]
        first, last = net.blocks[block, 2], net.blocks[block, 3]
        for number in range(first, last):
            register = 2 * np.uint64(net.registers[number, 0])
            values[register] = ZERO
            values[register + ONE] = ALL
        changed = True
        while changed:
            out = np.uint64(2) * (np.uint64(net.first_gate) + np.uint64(start))
            for gate in range(start, end):
                value = values[pairs[gate, 0]] & values[pairs[gate, 1]]
                values[out] = value
                values[out + ONE] = ~value
                out += np.uint64(2)
            grown = ZERO
            for number in range(first, last):
                register = 2 * np.uint64(net.registers[number, 0])
                new = values[net.registers[number, 1]] & values[register + ONE]
                grown |= new
                values[register] |= new
                values[register + ONE] &= ~new
            changed = grown != ZERO


@kernel
def put_state(net: Any, state: Any, values: Any) -> None:
    """Set the propositions of all 64 games to one packed state."""
    for number in range(net.bases):
        holds = (state[number >> 6] >> np.uint64(number & 63)) & ONE
        values[2 * number + 2] = ZERO - holds
        values[2 * number + 3] = holds - ONE


@kernel
def take_state(net: Any, values: Any, lane: int, state: Any) -> None:
    """The next state of one game, packed."""
    for word in range(len(state)):
        state[word] = ZERO
    for number in range(net.bases):
        holds = (values[net.following[number]] >> np.uint64(lane)) & ONE
        state[number >> 6] |= holds << np.uint64(number & 63)


@kernel
def put_move(net: Any, values: Any, move: int, games: Any) -> None:
    """Play a move in the games of a mask, and in no others."""
    literal = 2 * (1 + net.bases + move)
    values[literal] = games
    values[literal + 1] = ~games


@kernel
def put_moves(net: Any, values: Any, chosen: Any) -> None:
    """Play some moves, given by number, in all games, and no others."""
    for move in range(len(net.legal)):
        put_move(net, values, move, ZERO)
    for number in range(len(chosen)):
        put_move(net, values, chosen[number], ALL)


@kernel
def goal_of(net: Any, values: Any, role: int, lane: int) -> int:
    """The goal of a role in one game; -1 where the rules give none. The goals must be settled."""
    for number in range(len(net.goals)):
        if net.goals[number, 0] == role:
            if (values[net.goals[number, 2]] >> np.uint64(lane)) & ONE:
                return np.int64(net.goals[number, 1])
    return -1


@kernel
def choose_scalar(net: Any, values: Any, rng: Any) -> bool:
    """Play a uniform legal move of every role in game 0; False if a role has none."""
    for role in range(len(net.role_moves) - 1):
        first, last = np.int64(net.role_moves[role]), np.int64(net.role_moves[role + 1])
        count = 0
        for move in range(first, last):
            count += np.int64(values[net.legal[move]] & ONE)
        if count == 0:
            return False
        left = below_fast(rng, count) if count > 1 else 0
        for move in range(first, last):
            played = ZERO
            if values[net.legal[move]] & ONE:
                if left == 0:
                    played = ALL
                left -= 1
            put_move(net, values, move, played)
    return True


@kernel
def step_scalar(net: Any, values: Any, scratch: Any) -> None:
    """From the moves of game 0 to its next state, in place."""
    settle(net, values, NEXT)
    for number in range(net.bases):
        scratch[number] = values[net.following[number]] & ONE
    for number in range(net.bases):
        values[2 * number + 2] = ZERO - scratch[number]
        values[2 * number + 3] = scratch[number] - ONE


@kernel
def playouts_scalar(net: Any, state: Any, count: int, max_steps: int, rng: Any, values: Any, totals: Any) -> int:
    """Random playouts from a state, one after the other; adds up the goals per role, returns how many ended."""
    clear(values)
    scratch = np.zeros(max(1, net.bases), np.uint64)
    ended = 0
    for _ in range(count):
        put_state(net, state, values)
        for _ in range(max_steps):
            settle(net, values, TERMINAL)
            if values[net.terminal] & ONE:
                settle(net, values, GOALS)
                for role in range(len(totals)):
                    totals[role] += max(0, goal_of(net, values, role, 0))
                ended += 1
                break
            settle(net, values, MOVES)
            if not choose_scalar(net, values, rng):
                break
            step_scalar(net, values, scratch)
    return ended


# Many words per literal


@kernel
def settle_wide(net: Any, values: Any, section: int) -> None:
    """Evaluate the gates of a section for all words."""
    pairs, registers = net.pairs, net.registers
    for block in range(net.sections[section], net.sections[section + 1]):
        start, end = net.blocks[block, 0], net.blocks[block, 1]
        first, last = net.blocks[block, 2], net.blocks[block, 3]
        for number in range(first, last):
            put_both(values, TWO * np.uint64(registers[number, 0]), FALSE, FALSE)
        changed = True
        while changed:
            out = TWO * (np.uint64(net.first_gate) + np.uint64(start))
            for gate in range(start, end):
                put_both(values, out, np.uint64(pairs[gate, 0]), np.uint64(pairs[gate, 1]))
                out += TWO
            changed = False
            for number in range(first, last):
                changed |= grow_row(values, TWO * np.uint64(registers[number, 0]), np.uint64(registers[number, 1]))


@kernel
def playouts_wide(
    net: Any, state: Any, count: int, max_steps: int, rng: Any, values: Any, room: Any, totals: Any
) -> int:
    """Random playouts from a state, 256 at a time; adds up the goals per role, returns how many ended.

    A game that ends makes room for the next one at once. All games that are begun are finished, so that short ones
    are not preferred; a game that lasts `max_steps` is given up.
    """
    for word in range(WORDS):
        clear(values[:, word])
        put_state(net, state, values[:, word])
    running, over = np.zeros(WORDS, np.uint64), np.zeros(WORDS, np.uint64)
    begun = np.zeros(LANES, np.int64)
    left = count
    for lane in range(min(count, LANES)):
        running[lane >> 6] |= bit(lane & 63)
        left -= 1
    ended, step = 0, 0
    while True:
        # which games are over: add up their goals
        settle_wide(net, values, TERMINAL)
        some = ZERO
        for word in range(WORDS):
            over[word] = values[net.terminal, word] & running[word]
            some |= over[word]
        if some:
            settle_wide(net, values, GOALS)
            for number in range(len(net.goals)):
                for word in range(WORDS):
                    reached = popcount(values[net.goals[number, 2], word] & over[word])
                    totals[net.goals[number, 0]] += reached * np.int64(net.goals[number, 1])
            for word in range(WORDS):
                ended += popcount(over[word])
        # give up games that last too long
        if step % 64 == 63:
            some |= give_up(begun, step - max_steps, running, over)
        step += 1
        # one random move of every role in every game
        settle_wide(net, values, MOVES)
        choose_wide(net, values, rng, room)
        settle_wide(net, values, NEXT)
        advance_wide(net, values)
        # begin new games in the place of those that are over
        if some:
            left = restart(net, state, values, over, running, begun, left, step)
            busy = ZERO
            for word in range(WORDS):
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
def advance_wide(net: Any, values: Any) -> None:
    """Make the next state the state."""
    scratch = np.empty((max(1, net.bases), WORDS), np.uint64)
    for number in range(net.bases):
        copy_row(scratch, np.uint64(number), values, np.uint64(net.following[number]))
    for number in range(net.bases):
        put_row(values, TWO * np.uint64(number) + TWO, scratch, np.uint64(number))


@kernel
def restart(net: Any, state: Any, values: Any, over: Any, running: Any, begun: Any, left: int, step: int) -> int:
    """Begin new games where games are over, as long as any are left to play; returns how many are left."""
    for word in range(WORDS):
        games = over[word]
        while games:
            lane = lowest(games)
            games ^= bit(lane)
            if left > 0:
                left -= 1
                begun[64 * word + lane] = step
            else:
                running[word] ^= bit(lane)
        for number in range(net.bases):
            set_bit = ZERO - ((state[number >> 6] >> np.uint64(number & 63)) & ONE)
            value = (values[2 * number + 2, word] & ~over[word]) | (set_bit & over[word])
            values[2 * number + 2, word] = value
            values[2 * number + 3, word] = ~value
        over[word] = ZERO
    return left
