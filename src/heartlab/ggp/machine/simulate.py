"""The compiled interpreter of networks: one game at a time, every gate in every turn.

An array of values has one word per literal; bit i of all words together is game i, so one `and` evaluates a gate for 64
games. Playouts of 256 games side by side are in `lanes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ALL, ONE, ZERO
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below_fast
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL


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
