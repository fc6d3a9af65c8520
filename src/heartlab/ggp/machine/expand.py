"""All moves of a position at once: each bit of the network's words tries another move.

One evaluation of the network gives up to 64 successors, with whether each ends the game and its goals. Alpha-beta and
the learners look ahead with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ALL, ONE, ZERO, bit
from heartlab.compiled.jit import kernel
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL
from heartlab.ggp.machine.simulate import goal_of, put_move, put_state, settle

SIMULTANEOUS = -1
"""What `expand` returns where more than one player has a choice."""


@kernel
def find_mover(net: Any, values: Any) -> int:
    """The player with a choice, after the legal moves were settled for one state.

    The first player if nobody has a choice, and SIMULTANEOUS if several have.
    """
    mover = -2
    for role in range(len(net.role_moves) - 1):
        count = 0
        for move in range(net.role_moves[role], net.role_moves[role + 1]):
            count += np.int64(values[net.legal[move]] & ONE)
        if count > 1:
            if mover >= 0:
                return SIMULTANEOUS
            mover = role
    return max(mover, 0)


@kernel
def expand(net: Any, values: Any, state: Any, player: int, moves: Any, children: Any, ends: Any) -> int:
    """All successors of a state by the moves of one player, the others having one move each.

    Fills `moves` (numbers), `children` (packed states) and `ends` (per child and player: the goal if the game is over
    there, else -1), and returns how many there are; SIMULTANEOUS if another player has a choice as well.
    """
    enter(net, values, state)
    if find_mover(net, values) == SIMULTANEOUS:
        return SIMULTANEOUS
    return expand_entered(net, values, state, player, moves, children, ends)


@kernel
def enter(net: Any, values: Any, state: Any) -> None:
    """Make a packed state the state, and settle its legal moves."""
    put_state(net, state, values)
    if net.moves_need_terminal:
        settle(net, values, TERMINAL)
    settle(net, values, MOVES)


@kernel
def expand_entered(net: Any, values: Any, state: Any, player: int, moves: Any, children: Any, ends: Any) -> int:
    """`expand` for a state that was entered and in which only this player has a choice."""
    # list the player's moves; the others play their only one
    count = 0
    for role in range(len(net.role_moves) - 1):
        for move in range(net.role_moves[role], net.role_moves[role + 1]):
            legal = values[net.legal[move]] & ONE
            if role == player:
                if legal:
                    moves[count] = move
                    count += 1
                put_move(net, values, move, ZERO)
            else:
                put_move(net, values, move, ZERO - legal)
    # try them 64 at a time, each in a game of its own
    for start in range(0, count, 64):
        games = min(64, count - start)
        if start:
            enter(net, values, state)
        for lane in range(games):
            put_move(net, values, moves[start + lane], bit(lane))
        settle(net, values, NEXT)
        for lane in range(games):
            put_move(net, values, moves[start + lane], ZERO)
        # the successors: their states, which of them end the game, and the goals of those
        enter_children(net, values, children, start, games)
        settle(net, values, TERMINAL)
        over = values[net.terminal]
        if over:
            settle(net, values, GOALS)
        for lane in range(games):
            for role in range(ends.shape[1]):
                is_over = (over >> np.uint64(lane)) & ONE
                ends[start + lane, role] = max(0, goal_of(net, values, role, lane)) if is_over else -1
    return count


@kernel
def enter_children(net: Any, values: Any, children: Any, start: int, games: int) -> None:
    """Copy the next states of the first games into `children`, and make them the current states."""
    for lane in range(games):
        for word in range(children.shape[1]):
            children[start + lane, word] = ZERO
    lanes = ALL >> np.uint64(64 - games)
    fresh = np.empty(max(1, net.bases), np.uint64)
    for number in range(net.bases):
        fresh[number] = values[net.following[number]]
    for number in range(net.bases):
        value = fresh[number]
        values[2 * number + 2] = value
        values[2 * number + 3] = ~value
        place = np.uint64(number & 63)
        value &= lanes
        for lane in range(games if value else 0):
            children[start + lane, number >> 6] |= ((value >> np.uint64(lane)) & ONE) << place
