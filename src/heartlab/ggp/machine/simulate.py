"""The compiled interpreter of networks: one game at a time, or 64 games in the bits of every word.

An array of values has one word per literal; bit i of all words together is game i, so one `and` evaluates a gate for 64
games. `settle` evaluates a section for one word per literal, `settle_wide` for `WORDS` words: a gate's inputs are then
looked up once for 256 games, and the processor's wide registers are used.

Random moves for 64 games at once: the legal moves of a role are counted in a binary counter whose digits are words.
Each game draws a number below its count (all digits at once, and again where the number is too large, so that every
move is equally likely). A second pass over the moves counts the numbers down and plays the move at which a number
reaches zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ALL, ONE, ZERO, bit, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below_fast, next_bits
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL

WORDS = 4
"""Words per literal in wide play: 256 games side by side."""
LANES = 64 * WORDS
DIGITS = 20
"""Digits of the counter of legal moves: more moves than any game has."""


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
    pairs = net.pairs
    for block in range(net.sections[section], net.sections[section + 1]):
        start, end = net.blocks[block, 0], net.blocks[block, 1]
        first, last = net.blocks[block, 2], net.blocks[block, 3]
        for number in range(first, last):
            register = 2 * np.uint64(net.registers[number, 0])
            for word in range(WORDS):
                values[register, word] = ZERO
                values[register + ONE, word] = ALL
        changed = True
        while changed:
            out = np.uint64(2) * (np.uint64(net.first_gate) + np.uint64(start))
            for gate in range(start, end):
                left, right = pairs[gate, 0], pairs[gate, 1]
                for word in range(WORDS):
                    value = values[left, word] & values[right, word]
                    values[out, word] = value
                    values[out + ONE, word] = ~value
                out += np.uint64(2)
            grown = ZERO
            for number in range(first, last):
                register = 2 * np.uint64(net.registers[number, 0])
                for word in range(WORDS):
                    new = values[net.registers[number, 1], word] & values[register + ONE, word]
                    grown |= new
                    values[register, word] |= new
                    values[register + ONE, word] &= ~new
            changed = grown != ZERO


@kernel
def digits_for(number: int) -> int:
    """How many binary digits a number has."""
    digits = 0
    while number >> digits:
        digits += 1
    return digits


@kernel
def choose_wide(net: Any, values: Any, rng: Any, digits: Any, numbers: Any) -> None:
    """Play a uniform legal move of every role in every game; a game that lacks one goes on without."""
    for role in range(len(net.role_moves) - 1):
        first, last = np.int64(net.role_moves[role]), np.int64(net.role_moves[role + 1])
        used = digits_for(last - first)
        count_legal(net, values, first, last, digits)
        for word in range(WORDS):
            draw_numbers(rng, digits[word], numbers[word], used)
        play_numbered(net, values, first, last, numbers)


@kernel
def count_legal(net: Any, values: Any, first: int, last: int, digits: Any) -> None:
    """Count the legal moves of a role in every game, in binary, one digit per word."""
    for word in range(WORDS):
        for digit in range(digits_for(last - first)):
            digits[word, digit] = ZERO
    for move in range(first, last):
        literal, reach = net.legal[move], digits_for(move - first + 1)
        for word in range(WORDS):
            carry = values[literal, word]
            for digit in range(reach):
                rest = digits[word, digit] & carry
                digits[word, digit] ^= carry
                carry = rest


@kernel
def draw_numbers(rng: Any, counts: Any, numbers: Any, used: int) -> None:
    """Draw a number below its count for each of 64 games: cut to the count's length, drawn again where too large."""
    borrow = ZERO
    for digit in range(used):
        borrow |= counts[digit]
    for digit in range(used):
        rest = borrow & ~counts[digit]
        counts[digit] ^= borrow
        borrow = rest
    several = ZERO
    for digit in range(used):
        several |= counts[digit]
        numbers[digit] = ZERO
    waiting = several
    while waiting:
        length, larger, equal = ZERO, ZERO, ALL
        for place in range(used):
            digit = used - 1 - place
            length |= counts[digit]
            drawn = (next_bits(rng) & length & waiting) | (numbers[digit] & ~waiting)
            numbers[digit] = drawn
            larger |= equal & drawn & ~counts[digit]
            equal &= ~(drawn ^ counts[digit])
        waiting = larger


@kernel
def play_numbered(net: Any, values: Any, first: int, last: int, numbers: Any) -> None:
    """Play in every game the legal move of its number, by counting the numbers down."""
    for word in range(WORDS):
        waiting = ALL
        for move in range(first, last):
            reach = digits_for(last - move - 1)
            legal = values[net.legal[move], word] & waiting
            above = ZERO
            for digit in range(reach):
                above |= numbers[word, digit]
            played = legal & ~above
            literal = 2 * (1 + net.bases + move)
            values[literal, word] = played
            values[literal + 1, word] = ~played
            waiting ^= played
            borrow = legal ^ played
            for digit in range(reach):
                rest = borrow & ~numbers[word, digit]
                numbers[word, digit] ^= borrow
                borrow = rest


@kernel
def playouts_wide(net: Any, state: Any, count: int, max_steps: int, rng: Any, values: Any, totals: Any) -> int:
    """Random playouts from a state, 256 at a time; adds up the goals per role, returns how many ended.

    A game that ends makes room for the next one at once. All games that are begun are finished, so that short ones
    are not preferred; a game that lasts `max_steps` is given up.
    """
    for word in range(WORDS):
        clear(values[:, word])
        put_state(net, state, values[:, word])
    digits, numbers = np.zeros((WORDS, DIGITS), np.uint64), np.zeros((WORDS, DIGITS), np.uint64)
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
        choose_wide(net, values, rng, digits, numbers)
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
        for word in range(WORDS):
            scratch[number, word] = values[net.following[number], word]
    for number in range(net.bases):
        for word in range(WORDS):
            values[2 * number + 2, word] = scratch[number, word]
            values[2 * number + 3, word] = ~scratch[number, word]


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
