"""The explored part of a game: positions with numbers, each expanded by the network once.

Learning plays thousands of matches of one game, and most of their positions were met before. So a position gets a
number when it is first seen, its successors are computed when they are first needed, and from then on a match is a walk
over numbers. `Board` holds that graph with everything that is needed to extend it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE
from heartlab.compiled.hashing import find_row, insert_rows
from heartlab.compiled.jit import kernel
from heartlab.ggp.machine.expand import enter, expand_entered
from heartlab.ggp.machine.network import Net
from heartlab.ggp.machine.simulate import clear

EDGES = 6
"""Successors per position for which there is room, on average."""
WON, LOST, DRAWN, OPEN, GOOD, BAD = range(6)
"""Classes of a position for a player; OPEN goes on; the last two are for learners that recall (see `lookahead`)."""
OK, FULL, SIMULTANEOUS, STUCK = range(4)
"""The status of a graph: no problem, no room left, players had a choice at the same time, or nobody could move though
the game was not over."""


GOAL, CLASS, MOVER, FIRST, COUNT = 0, 2, 4, 5, 6
"""Columns of a node: the goals of both roles (-1 while the game goes on), the classes of these, whose turn it is, the
first successor (-1 until they are computed), and the number of successors."""


class Graph(NamedTuple):
    """What was explored of a game."""

    nodes: npt.NDArray[np.int32]  # [positions, 7] the columns above
    edges: npt.NDArray[np.int32]  # [edges] numbers of successors
    used: npt.NDArray[np.int64]  # [3] positions, edges, and the status


class Rules(NamedTuple):
    """What is needed to explore more of it."""

    net: Net
    idle: npt.NDArray[np.bool_]  # [moves] whether a move is only waiting
    classes: npt.NDArray[np.int8]  # [101] the class of each goal: won, lost or drawn
    values: npt.NDArray[np.uint64]  # [literals] of the network
    moves: npt.NDArray[np.int64]  # [most] moves of the position that is being expanded
    children: npt.NDArray[np.uint64]  # [most, words]
    ends: npt.NDArray[np.int64]  # [most, 2]
    states: npt.NDArray[np.uint64]  # [positions, words]
    slots: npt.NDArray[np.int32]  # [2 * positions] hash table of the states, see `compiled.hashing`


class Board(NamedTuple):
    """A game for two who take turns, as far as it was explored. Position 0 is the initial one."""

    graph: Graph
    rules: Rules


def make_board(
    net: Net, idle: npt.NDArray[np.bool_], classes: npt.NDArray[np.int8], literals: int, positions: int
) -> Board:
    """A board with room for some positions (a power of two)."""
    most = int(np.diff(net.role_moves.astype(np.int64)).max())
    words = len(net.initial)
    values = np.zeros(literals, np.uint64)
    clear(values)
    nodes = np.full((positions, COUNT + 1), -1, np.int32)
    nodes[:, CLASS : CLASS + 2] = OPEN
    graph = Graph(nodes, np.zeros(EDGES * positions + most, np.int32), np.zeros(3, np.int64))
    rules = Rules(
        net=net,
        idle=idle,
        classes=classes,
        values=values,
        moves=np.zeros(most, np.int64),
        children=np.zeros((most, words), np.uint64),
        ends=np.zeros((most, 2), np.int64),
        states=np.zeros((positions, words), np.uint64),
        slots=np.zeros(2 * positions, np.int32),
    )
    board = Board(graph, rules)
    find_position(board, net.initial)
    return board


def enlarge_board(board: Board, positions: int) -> Board:
    """The same board with more room; positions keep their numbers."""
    old, rules = board
    fresh = make_board(rules.net, rules.idle, rules.classes, len(rules.values), positions)
    known, edges = int(old.used[0]), int(old.used[1])
    fresh.graph.nodes[:known] = old.nodes[:known]
    fresh.graph.edges[:edges] = old.edges[:edges]
    fresh.graph.used[:2] = known, edges
    fresh.rules.states[:known] = rules.states[:known]
    fresh.rules.slots[:] = 0
    insert_rows(fresh.rules.slots, fresh.rules.states, known)
    return fresh


@kernel
def find_position(board: Any, state: Any) -> Any:
    """The number of a position, a new one if it was never met; there must be room."""
    slots, states, used = board.rules.slots, board.rules.states, board.graph.used
    slot = find_row(slots, states, state)
    if slots[slot] == 0:
        states[used[0]] = state
        used[0] += 1
        slots[slot] = used[0]
    return np.int64(slots[slot] - 1)


@kernel
def find_turn(board: Any) -> int:
    """Whose turn it is in the entered state: who has a choice, or else a move that is not one for waiting.

    Sets the status of the graph if more than one player has a choice.
    """
    rules, net = board.rules, board.rules.net
    chooser, mover = -1, -1
    for role in range(2):
        count = 0
        for move in range(net.role_moves[role], net.role_moves[role + 1]):
            if rules.values[net.legal[move]] & ONE:
                count += 1
                if mover < 0 and not rules.idle[move]:
                    mover = role
        if count > 1:
            if chooser >= 0:
                board.graph.used[2] = SIMULTANEOUS
            chooser = role
    return max(0, mover if chooser < 0 else chooser)


@kernel
def expand_position(board: Any, number: int) -> None:
    """Compute the successors of a position, if there is room; else it seems to have none."""
    graph, rules = board.graph, board.rules
    nodes, edges, used = graph.nodes, graph.edges, graph.used
    most = len(rules.moves)
    nodes[number, COUNT] = 0
    if used[0] + most > len(nodes) or used[1] + most > len(edges):
        used[2] = FULL
        return
    enter(rules.net, rules.values, rules.states[number])
    mover = find_turn(board)
    state, first = rules.states[number], used[1]
    count = expand_entered(rules.net, rules.values, state, mover, rules.moves, rules.children, rules.ends)
    for child in range(count):
        found = find_position(board, rules.children[child])
        for role in range(2):
            goal = rules.ends[child, role]
            nodes[found, GOAL + role] = goal
            nodes[found, CLASS + role] = OPEN if goal < 0 else np.int64(rules.classes[min(goal, 100)])
        edges[first + child] = found
    nodes[number, MOVER], nodes[number, FIRST], nodes[number, COUNT] = mover, first, count
    used[1] += count
    if count == 0:
        used[2] = STUCK
