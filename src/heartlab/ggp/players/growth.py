"""How a tree grows: simulations whose playouts run side by side in the lanes of a network, or one at a time.

In lanes (`grow_wide`): a simulation that leaves the tree is put into one of 256 lanes, with the state that it left and
the moves that it selected. All lanes go one turn further at a time. The first turn of a lane adds its position to the
tree, the others are a random playout; when its game is over the rewards are backed up and the lane takes the next
simulation. So the network, which evaluates 256 games as fast as a few, is always full.

One at a time (`grow_reckoned`): a board is taken to the state by dead reckoning, moves, and plays to the end. No
simulation waits for another; in games with very many gates, of which a move changes few, this is faster.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, bit, lowest
from heartlab.compiled.jit import bare_kernel, kernel
from heartlab.compiled.rows import WIDTH, has_any, replace_bits, shares_any, take_bits
from heartlab.ggp.machine.choice import FALSE, choose_wide
from heartlab.ggp.machine.lanes import LANES, advance_wide, make_values, settle_wide
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL
from heartlab.ggp.machine.plan import FIRST_NODE, FIRST_WORD, GUARD, Shape
from heartlab.ggp.machine.reckon import choose, go_to, holds, play, settle_goals
from heartlab.ggp.machine.wide import Wide
from heartlab.ggp.players.nodes import (
    DONE,
    LEAF,
    POSITIONS,
    USED_ENTRIES,
    add_position,
    back_up,
    connect,
    descend,
    find_position,
    has_room,
    prove,
)

IDLE, NEW, ARRIVED, PLAYING = range(4)
"""What a lane does: nothing; it is about to make the selected moves; it has made them; it plays at random."""
MAX_STEPS = 500
"""Longer playouts are given up and are worth nothing."""
FEWEST, VISITS_PER_LANE = 8, 16
"""Simulations under way at the same time: this many, and one more for so many visits of the root."""
TRIES = 64
"""Simulations in a row that end in the tree, per lane and turn."""


class Lanes(NamedTuple):
    """What is kept for the games in the lanes."""

    values: npt.NDArray[np.uint64]  # [rows, WIDTH]
    doing: npt.NDArray[np.int64]  # [LANES]
    steps: npt.NDArray[np.int64]  # [LANES] turns since the lane left the tree
    played: npt.NDArray[np.uint64]  # [moves, WIDTH] the moves of each lane since it left the tree
    line: npt.NDArray[np.int64]  # [(MAX_STEPS + 1) * roles] the same for a game that is played alone
    state: npt.NDArray[np.uint64]  # [words] room for a state
    legal: npt.NDArray[np.int32]  # [moves] room for legal moves
    ends: npt.NDArray[np.int64]  # [roles] where those of each role end


def make_lanes(wide: Wide, words: int) -> Lanes:
    """Idle lanes, for states of some words; the constants are set."""
    moves, roles = len(wide.legal), len(wide.role_moves) - 1
    return Lanes(
        values=make_values(wide),
        doing=np.zeros(LANES, np.int64),
        steps=np.zeros(LANES, np.int64),
        played=np.zeros((moves, WIDTH), np.uint64),
        line=np.zeros((MAX_STEPS + 1) * roles, np.int64),
        state=np.zeros(words, np.uint64),
        legal=np.zeros(moves, np.int32),
        ends=np.zeros(roles, np.int64),
    )


@bare_kernel
def put_lane(wide: Any, values: Any, lane: int, state: Any) -> None:
    """Make a packed state the state of one lane."""
    word, mask = lane >> 6, bit(lane & 63)
    for number in range(wide.bases):
        if (state[number >> 6] >> np.uint64(number & 63)) & ONE:
            values[number + 1, word] |= mask
        else:
            values[number + 1, word] &= ~mask


@bare_kernel
def take_lane(wide: Any, values: Any, lane: int, state: Any) -> None:
    """The state of one lane, packed."""
    word, place = lane >> 6, np.uint64(lane & 63)
    for number in range(len(state)):
        state[number] = ZERO
    for number in range(wide.bases):
        state[number >> 6] |= ((values[number + 1, word] >> place) & ONE) << np.uint64(number & 63)


@bare_kernel
def take_legal(wide: Any, values: Any, lane: int, legal: Any, ends: Any) -> None:
    """The legal moves of one lane, role by role."""
    word, place, count = lane >> 6, np.uint64(lane & 63), 0
    for role in range(len(ends)):
        for move in range(wide.role_moves[role], wide.role_moves[role + 1]):
            if (values[wide.legal[move], word] >> place) & ONE:
                legal[count] = move
                count += 1
        ends[role] = count


@bare_kernel
def take_goals(wide: Any, values: Any, lane: int, rewards: Any) -> None:
    """The rewards of one lane whose game is over: goals from 0 to 1, 0 where the rules give none."""
    word, place = lane >> 6, np.uint64(lane & 63)
    for role in range(len(rewards)):
        rewards[role] = 0.0
    for number in range(len(wide.goals) - 1, -1, -1):
        if (values[wide.goals[number, 2], word] >> place) & ONE:
            rewards[wide.goals[number, 0]] = min(1.0, wide.goals[number, 1] / 100.0)


@bare_kernel
def is_wanted(nodes: Any, paths: Any, lane: int) -> bool:
    """Whether the position behind a path is added: at once while there is room, later only if it is visited often."""
    filled = max(nodes.used[POSITIONS] / len(nodes.visits), nodes.used[USED_ENTRIES] / len(nodes.moves))
    least, turn = 1, paths.lengths[lane] - 1
    if filled > 0.25:
        least = 4 if filled < 0.5 else 16
    fewest = np.int64(nodes.counts[paths.entries[lane, turn, 0]])
    for role in range(1, paths.entries.shape[2]):
        fewest = min(fewest, np.int64(nodes.counts[paths.entries[lane, turn, role]]))
    return fewest >= least


@bare_kernel
def join(nodes: Any, paths: Any, lane: int, state: Any, legal: Any, ends: Any) -> None:
    """Add the position behind a path to the tree."""
    turn = paths.lengths[lane] - 1
    target = add_position(nodes, state, legal, ends)
    if target >= 0:
        connect(nodes, paths.positions[lane, turn], paths.entries[lane, turn], target)


@kernel
def finish_lanes(wide: Any, nodes: Any, paths: Any, lanes: Any) -> None:
    """Back up the games that are over, and those that last too long."""
    values, doing = lanes.values, lanes.doing
    over = np.zeros((1, WIDTH), np.uint64)
    goals_settled = False
    for lane in range(LANES):
        if doing[lane] != ARRIVED and doing[lane] != PLAYING:
            continue
        if (values[wide.terminal, lane >> 6] >> np.uint64(lane & 63)) & ONE:
            if not goals_settled:
                settle_wide(wide, values, GOALS)
                goals_settled = True
            take_goals(wide, values, lane, paths.rewards[lane])
            if doing[lane] == ARRIVED:
                prove(nodes, paths, lane)
            back_up(nodes, paths, lane)
            over[0, lane >> 6] |= bit(lane & 63)
            doing[lane] = IDLE
        elif lanes.steps[lane] >= MAX_STEPS:
            doing[lane] = IDLE
    if goals_settled:
        note_history(wide.role_moves, nodes.history, lanes.played, over, paths.rewards)


@bare_kernel
def note_history(role_moves: Any, history: Any, played: Any, over: Any, rewards: Any) -> None:
    """Add the rewards of the lanes that are over to the history of the moves that they played."""
    for role in range(len(role_moves) - 1):
        for move in range(role_moves[role], role_moves[role + 1]):
            if not shares_any(played, np.uint64(move), over, FALSE):
                continue
            for word in range(WIDTH):
                waiting = played[move, word] & over[0, word]
                while waiting:
                    place = lowest(waiting)
                    waiting ^= bit(place)
                    history[move, 0] += 1.0
                    history[move, 1] += rewards[64 * word + place, role]


@kernel
def fill_lanes(wide: Any, nodes: Any, paths: Any, lanes: Any, root: int, left: int, rng: Any) -> int:
    """Begin simulations in idle lanes, as many as may be under way; how many were begun."""
    allowed = min(LANES, FEWEST + nodes.visits[root] // VISITS_PER_LANE)
    begun = 0
    for lane in range(allowed):
        if lanes.doing[lane] != IDLE:
            continue
        for _ in range(TRIES):
            if begun == left or nodes.solved[root] >= 0.0:
                return begun
            begun += 1
            found = descend(nodes, paths, lane, root, rng)
            if found == LEAF:
                turn = paths.lengths[lane] - 1
                put_lane(wide, lanes.values, lane, nodes.states[paths.positions[lane, turn]])
                lanes.doing[lane] = NEW
                lanes.steps[lane] = 0
                break
            if found == DONE:
                back_up(nodes, paths, lane)
    return begun


@kernel
def put_selected(wide: Any, nodes: Any, paths: Any, lanes: Any) -> None:
    """In lanes that are new, play the selected moves in place of those that were drawn; note what all lanes play."""
    new = np.zeros((1, WIDTH), np.uint64)
    for lane in range(LANES):
        if lanes.doing[lane] == NEW:
            new[0, lane >> 6] |= bit(lane & 63)
    values, first, moves = lanes.values, np.uint64(wide.first_move), len(wide.legal)
    for move in range(moves if has_any(new, FALSE) else 0):
        take_bits(values, first + np.uint64(move), new)
    for word in range(WIDTH):
        waiting = new[0, word]
        while waiting:
            place = lowest(waiting)
            waiting ^= bit(place)
            lane = 64 * word + place
            turn = paths.lengths[lane] - 1
            for role in range(paths.entries.shape[2]):
                row = first + np.uint64(nodes.moves[paths.entries[lane, turn, role]])
                values[row, word] |= bit(place)
    for move in range(moves):
        replace_bits(lanes.played, np.uint64(move), new, values, first + np.uint64(move))


@kernel
def grow_wide(wide: Any, nodes: Any, paths: Any, lanes: Any, room: Any, root: int, simulations: int, rng: Any) -> int:
    """Run simulations from a position of the tree, all of them to their ends; how many there were.

    `room` is what drawing moves needs; it is not among `lanes`, because simulations one at a time pass those on.
    """
    begun = fill_lanes(wide, nodes, paths, lanes, root, simulations, rng)
    while True:
        busy = False
        for lane in range(LANES):
            busy |= lanes.doing[lane] != IDLE
        if not busy and (begun >= simulations or nodes.solved[root] >= 0.0):
            return begun
        # the games that are over
        settle_wide(wide, lanes.values, TERMINAL)
        finish_lanes(wide, nodes, paths, lanes)
        # the positions that are new, and a move in every game
        settle_wide(wide, lanes.values, MOVES)
        for lane in range(LANES):
            if lanes.doing[lane] == ARRIVED:
                if is_wanted(nodes, paths, lane):
                    take_lane(wide, lanes.values, lane, lanes.state)
                    take_legal(wide, lanes.values, lane, lanes.legal, lanes.ends)
                    join(nodes, paths, lane, lanes.state, lanes.legal, lanes.ends)
                lanes.doing[lane] = PLAYING
        choose_wide(wide, lanes.values, rng, room)
        put_selected(wide, nodes, paths, lanes)
        settle_wide(wide, lanes.values, NEXT)
        advance_wide(wide, lanes.values)
        for lane in range(LANES):
            lanes.steps[lane] += 1
            if lanes.doing[lane] == NEW:
                lanes.doing[lane] = ARRIVED
        begun += fill_lanes(wide, nodes, paths, lanes, root, simulations - begun, rng)


# One at a time


@bare_kernel
def list_legal(plan: Any, board: Any, role_moves: Any, legal: Any, ends: Any) -> None:
    """The legal moves on a board, role by role."""
    count = 0
    for role in range(len(ends)):
        side = np.int64(holds(board.cells, plan.roles[role, GUARD]))
        for number in range(np.int64(role_moves[role + 1]) - np.int64(role_moves[role])):
            word = plan.roles[role, FIRST_WORD] + (number >> 6)
            if (board.words[word] & plan.masks[side, word]) >> np.uint64(number & 63) & ONE:
                legal[count] = np.int32(role_moves[role]) + number
                count += 1
        ends[role] = count


@bare_kernel
def play_on(plan: Any, board: Any, role_moves: Any, rng: Any, chosen: Any, line: Any) -> int:
    """Play at random until the game is over, and write down the moves; how many there were, -1 without an end."""
    wires, dense, shape, roles, masks, _ = plan
    cells, words = board
    terminal, length = shape[Shape.TERMINAL], 0
    while length < len(line):
        for role in range(len(chosen)):
            line[length + role] = chosen[role] - roles[role, FIRST_NODE] + np.int64(role_moves[role])
        length += len(chosen)
        if holds(cells, terminal):
            return length
        if not choose(roles, masks, cells, words, rng, chosen):
            break
        play(wires, dense, shape, cells, words, chosen)
    return -1


@kernel
def simulate_leaf(
    plan: Any, board: Any, nodes: Any, paths: Any, lanes: Any, role_moves: Any, rng: Any, room: Any
) -> bool:
    """Play the selected moves of path 0 and go on at random; whether the game ended, with its rewards."""
    chosen, goals = room[0], room[1]
    turn = paths.lengths[0] - 1
    state = nodes.states[paths.positions[0, turn]]
    go_to(plan.wires, plan.dense, plan.shape, board.cells, board.words, state, 0)
    for role in range(len(chosen)):
        move = np.int64(nodes.moves[paths.entries[0, turn, role]])
        chosen[role] = plan.roles[role, FIRST_NODE] + move - np.int64(role_moves[role])
    play(plan.wires, plan.dense, plan.shape, board.cells, board.words, chosen)
    ends_here = holds(board.cells, plan.shape[Shape.TERMINAL])
    if not ends_here and is_wanted(nodes, paths, 0):
        list_legal(plan, board, role_moves, lanes.legal, lanes.ends)
        first, size = plan.shape[Shape.NEXT_WORD], plan.shape[Shape.STATE_WORDS]
        join(nodes, paths, 0, board.words[first + size : first + 2 * size], lanes.legal, lanes.ends)
    length = play_on(plan, board, role_moves, rng, chosen, lanes.line)
    if length < 0:
        return False
    settle_goals(plan.dense, plan.shape, board.cells, plan.goals, goals)
    for role in range(len(goals)):
        paths.rewards[0, role] = min(1.0, goals[role] / 100.0)
    if ends_here:
        prove(nodes, paths, 0)
    for place in range(length):
        nodes.history[lanes.line[place], 0] += 1.0
        nodes.history[lanes.line[place], 1] += paths.rewards[0, place % len(goals)]
    return True


@kernel
def grow_reckoned(
    plan: Any, board: Any, nodes: Any, paths: Any, lanes: Any, role_moves: Any, root: int, simulations: int, rng: Any
) -> int:
    """Run simulations from a position of the tree, one after the other; how many there were."""
    room = np.zeros((2, len(lanes.ends)), np.int64)
    for done in range(simulations):
        if nodes.solved[root] >= 0.0:
            return done
        found = descend(nodes, paths, 0, root, rng)
        if found == DONE or (found == LEAF and simulate_leaf(plan, board, nodes, paths, lanes, role_moves, rng, room)):
            back_up(nodes, paths, 0)
    return simulations


@kernel
def plant(wide: Any, nodes: Any, lanes: Any, state: Any) -> int:
    """The position of a state that is not over, added if it is not there; -1 if there is no room."""
    position = find_position(nodes, state)
    if position >= 0 or not has_room(nodes, len(wide.legal)):
        return position
    put_lane(wide, lanes.values, 0, state)
    settle_wide(wide, lanes.values, TERMINAL)
    settle_wide(wide, lanes.values, MOVES)
    take_legal(wide, lanes.values, 0, lanes.legal, lanes.ends)
    return add_position(nodes, state, lanes.legal, lanes.ends)
