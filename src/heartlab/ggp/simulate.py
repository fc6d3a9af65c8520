"""The compiled interpreter of networks: one game at a time, or 64 games in the bits of every word.

An array of values has one word per literal; bit i of all words together is game i. Nothing in a gate is aware of that:
one `and` moves 64 games. `settle` evaluates a section for one word per literal, `settle_wide` for `WORDS` words, so
that finding a gate's inputs is paid once for 256 games and the processor's wide registers are used.

Random moves for 64 games at once: the legal moves of a role are counted in a binary counter whose digits are words,
each game draws a number below its count, and a second pass over the moves counts the numbers down; where one reaches
zero, that move is played. The draw is a 32-bit multiplication, so a move's chance is off by less than its count
divided by 2^32. A generator is an xorshift word per game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.ggp.network import GOALS, LEGAL, NEXT
from heartlab.jit import kernel

WORDS = 4
"""Words per literal in wide play: 256 games side by side."""
LANES = 64 * WORDS
DIGITS = 20
"""Digits of the counter of legal moves: more moves than any game has."""

ZERO, ONE = np.uint64(0), np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
SHIFT_7, SHIFT_13, SHIFT_17, SHIFT_32 = (np.uint64(n) for n in (7, 13, 17, 32))
GOLDEN, MIX_1, MIX_2 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
SHIFT_27, SHIFT_30, SHIFT_31 = np.uint64(27), np.uint64(30), np.uint64(31)


# Random numbers


@kernel
def seed_lanes(seed: Any, rng: Any) -> None:
    """Fill an array of generators, each different and none zero."""
    for lane in range(len(rng)):
        key = seed + GOLDEN * np.uint64(lane + 1)
        key = (key ^ (key >> SHIFT_30)) * MIX_1
        key = (key ^ (key >> SHIFT_27)) * MIX_2
        rng[lane] = (key ^ (key >> SHIFT_31)) | ONE


@kernel
def draw_below(rng: Any, count: int) -> int:
    """A number below `count` from the first generator of an array."""
    x = rng[0]
    x ^= x << SHIFT_13
    x ^= x >> SHIFT_7
    x ^= x << SHIFT_17
    rng[0] = x
    return np.int64(((x >> SHIFT_32) * np.uint64(count)) >> SHIFT_32)


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
        bit = (state[number >> 6] >> np.uint64(number & 63)) & ONE
        values[2 * number + 2] = ZERO - bit
        values[2 * number + 3] = bit - ONE


@kernel
def take_state(net: Any, values: Any, lane: int, state: Any) -> None:
    """The next state of one game, packed."""
    for word in range(len(state)):
        state[word] = ZERO
    for number in range(net.bases):
        bit = (values[net.following[number]] >> np.uint64(lane)) & ONE
        state[number >> 6] |= bit << np.uint64(number & 63)


@kernel
def put_move(net: Any, values: Any, move: int, games: Any) -> None:
    """Play a move in the games of a mask, and in no others."""
    literal = 2 * (1 + net.bases + move)
    values[literal] = games
    values[literal + 1] = ~games


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
        left = draw_below(rng, count) if count > 1 else 0
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
            settle(net, values, LEGAL)
            if values[net.terminal] & ONE:
                settle(net, values, GOALS)
                for role in range(len(totals)):
                    totals[role] += max(0, goal_of(net, values, role, 0))
                ended += 1
                break
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
def count_bits(word: Any) -> int:
    """The number of ones in a word."""
    count = 0
    while word:
        word &= word - ONE
        count += 1
    return count


@kernel
def choose_wide(net: Any, values: Any, rng: Any, digits: Any, counts: Any) -> Any:
    """Play a uniform legal move of every role in every game.

    Returns nothing; a game in which a role has no legal move goes on without one.
    """
    for role in range(len(net.role_moves) - 1):
        first, last = np.int64(net.role_moves[role]), np.int64(net.role_moves[role + 1])
        used = 0
        while (1 << used) <= last - first:
            used += 1
        for word in range(WORDS):
            choose_word(net, values, rng, digits, counts, first, last, used, word)


@kernel
def choose_word(
    net: Any, values: Any, rng: Any, digits: Any, counts: Any, first: int, last: int, used: int, word: int
) -> None:
    """Play a uniform legal move of one role in the 64 games of one word."""
    for digit in range(used):
        digits[digit] = ZERO
    for move in range(first, last):
        carry = values[net.legal[move], word]
        digit = 0
        while carry:
            rest = digits[digit] & carry
            digits[digit] ^= carry
            carry = rest
            digit += 1
    several = ZERO
    for digit in range(1, used):
        several |= digits[digit]
    if several:
        draw_word(rng, digits, counts, used, word)
    else:
        digits[0] = ZERO
    open_games = ALL
    for move in range(first, last):
        legal = values[net.legal[move], word] & open_games
        above = ZERO
        for digit in range(used):
            above |= digits[digit]
        played = legal & ~above
        literal = 2 * (1 + net.bases + move)
        values[literal, word] = played
        values[literal + 1, word] = ~played
        open_games ^= played
        borrow = legal ^ played
        digit = 0
        while borrow:
            rest = borrow & ~digits[digit]
            digits[digit] ^= borrow
            borrow = rest
            digit += 1


@kernel
def draw_word(rng: Any, digits: Any, counts: Any, used: int, word: int) -> None:
    """Replace each game's count by a number below it."""
    base = 64 * word
    for lane in range(64):
        counts[lane] = digits[0] >> np.uint64(lane) & ONE
    for digit in range(1, used):
        bits = digits[digit]
        for lane in range(64):
            counts[lane] |= (bits >> np.uint64(lane) & ONE) << np.uint64(digit)
    for lane in range(64):
        x = rng[base + lane]
        x ^= x << SHIFT_13
        x ^= x >> SHIFT_7
        x ^= x << SHIFT_17
        rng[base + lane] = x
        counts[lane] = ((x >> SHIFT_32) * counts[lane]) >> SHIFT_32
    for digit in range(used):
        bits = ZERO
        for lane in range(64):
            bits |= (counts[lane] >> np.uint64(digit) & ONE) << np.uint64(lane)
        digits[digit] = bits


@kernel
def playouts_wide(net: Any, state: Any, count: int, max_steps: int, rng: Any, values: Any, totals: Any) -> int:
    """Random playouts from a state, 256 at a time; adds up the goals per role, returns how many ended.

    A game that ends makes room for the next one at once. All games that are begun are finished, so that short ones
    are not preferred; a game that lasts `max_steps` is given up.
    """
    for word in range(WORDS):
        clear(values[:, word])
        put_state(net, state, values[:, word])
    digits, counts = np.zeros(DIGITS, np.uint64), np.zeros(64, np.uint64)
    running, over = np.zeros(WORDS, np.uint64), np.zeros(WORDS, np.uint64)
    begun = np.zeros(LANES, np.int64)
    left = count
    for lane in range(min(count, LANES)):
        running[lane >> 6] |= ONE << np.uint64(lane & 63)
        left -= 1
    ended, step = 0, 0
    while True:
        settle_wide(net, values, LEGAL)
        some = ZERO
        for word in range(WORDS):
            over[word] = values[net.terminal, word] & running[word]
            some |= over[word]
        if some:
            settle_wide(net, values, GOALS)
            for number in range(len(net.goals)):
                for word in range(WORDS):
                    reached = count_bits(values[net.goals[number, 2], word] & over[word])
                    totals[net.goals[number, 0]] += reached * np.int64(net.goals[number, 1])
            for word in range(WORDS):
                ended += count_bits(over[word])
        if step % 64 == 63:
            some |= give_up(begun, step - max_steps, running, over)
        step += 1
        choose_wide(net, values, rng, digits, counts)
        settle_wide(net, values, NEXT)
        advance_wide(net, values)
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
        bit = ONE << np.uint64(lane & 63)
        if begun[lane] < before and running[lane >> 6] & bit:
            over[lane >> 6] |= bit
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
def restart(
    net: Any, state: Any, values: Any, over: Any, running: Any, begun: Any, left: int, step: int
) -> int:
    """Begin new games where games are over, as long as any are left to play; returns how many are left."""
    for word in range(WORDS):
        games = over[word]
        while games:
            bit = games & (ZERO - games)
            games ^= bit
            if left > 0:
                left -= 1
                begun[64 * word + count_bits(bit - ONE)] = step
            else:
                running[word] ^= bit
        for number in range(net.bases):
            set_bit = ZERO - ((state[number >> 6] >> np.uint64(number & 63)) & ONE)
            value = (values[2 * number + 2, word] & ~over[word]) | (set_bit & over[word])
            values[2 * number + 2, word] = value
            values[2 * number + 3, word] = ~value
        over[word] = ZERO
    return left
