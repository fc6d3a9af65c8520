"""The part of a game that was met so far: positions with numbers, each expanded by the network once.

Learning plays thousands of matches of one game, and most of their positions are old acquaintances. So a position gets
a number when it is first seen, its successors are worked out when they are first asked for, and from then on a match is
a walk over numbers. `Board` holds that graph with everything that is needed to let it grow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.ggp.machine.expand import enter, expand_entered
from heartlab.ggp.machine.network import Net
from heartlab.ggp.machine.simulate import ONE, clear
from heartlab.ggp.players.uct import hash_state

EDGES = 6
"""Successors per position for which there is room, on average."""
WON, LOST, DRAWN, OPEN, GOOD, BAD = range(6)
"""What a position may be for a player; the last two are for learners that recall (see `lookahead`)."""
WORKING, FULL, TOGETHER, STUCK = range(4)
"""How a graph fares: all is well, there is no room left, players had a choice at the same time, or nobody could move
though the game was not over."""


GOAL, CLASS, MOVER, FIRST, COUNT = 0, 2, 4, 5, 6
"""Columns of a node: the goals of both roles (-1 while the game goes on), what these count as, whose turn it is, where
its successors begin (-1 until they are worked out), and how many there are."""


class Graph(NamedTuple):
    """What was explored of a game: all that a walk needs."""

    nodes: npt.NDArray[np.int32]  # [positions, 7] the columns above
    edges: npt.NDArray[np.int32]  # [edges] numbers of successors
    used: npt.NDArray[np.int64]  # [3] positions, edges, and how the graph fares


class Rules(NamedTuple):
    """What is needed to explore more of it."""

    net: Net
    idle: npt.NDArray[np.bool_]  # [moves] whether a move is only waiting
    classes: npt.NDArray[np.int8]  # [101] what each goal counts as: won, lost or drawn
    values: npt.NDArray[np.uint64]  # [literals] of the network
    moves: npt.NDArray[np.int64]  # [most] moves of the position that is being expanded
    children: npt.NDArray[np.uint64]  # [most, words]
    ends: npt.NDArray[np.int64]  # [most, 2]
    states: npt.NDArray[np.uint64]  # [positions, words]
    slots: npt.NDArray[np.int32]  # [2 * positions] number of a position plus one, by its hash; 0 for a free slot


class Board(NamedTuple):
    """A game for two who take turns, as far as it was explored. Position 0 is its beginning."""

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
    find_position(graph, rules, net.initial)
    return Board(graph, rules)


def enlarge_board(board: Board, positions: int) -> Board:
    """The same board with more room; positions keep their numbers."""
    old, rules = board
    fresh = make_board(rules.net, rules.idle, rules.classes, len(rules.values), positions)
    known = int(old.used[0])
    fresh.graph.nodes[:known] = old.nodes[:known]
    fresh.graph.edges[: old.used[1]] = old.edges[: old.used[1]]
    fresh.graph.used[0] = 0
    fresh.rules.slots[:] = 0
    find_all(fresh.graph, fresh.rules, rules.states[:known])
    fresh.graph.used[1] = old.used[1]
    return fresh


@kernel
def find_position(graph: Any, rules: Any, state: Any) -> Any:
    """The number of a position, a new one if it was never met; there must be room."""
    slots, states = rules.slots, rules.states
    mask = np.uint64(len(slots) - 1)
    slot = (hash_state(state) >> np.uint64(8)) & mask
    while slots[slot] != 0:
        number = slots[slot] - 1
        same = True
        for word in range(len(state)):
            same &= states[number, word] == state[word]
        if same:
            return number
        slot = (slot + ONE) & mask
    number = graph.used[0]
    graph.used[0] += 1
    slots[slot] = number + 1
    states[number] = state
    return number


@kernel
def find_all(graph: Any, rules: Any, states: Any) -> None:
    """Give positions numbers in their order."""
    for number in range(len(states)):
        find_position(graph, rules, states[number])


@kernel
def find_turn(graph: Any, rules: Any) -> int:
    """Whose turn it is in the entered state: who has a choice, or else a move that is not one for waiting.

    Notes in the graph if more than one player has a choice.
    """
    net = rules.net
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
                graph.used[2] = TOGETHER
            chooser = role
    return max(0, mover if chooser < 0 else chooser)


@kernel
def expand_position(graph: Any, rules: Any, number: int) -> None:
    """Work out the successors of a position for the first time, if there is room; else it seems to have none."""
    nodes, edges, used = graph.nodes, graph.edges, graph.used
    most = len(rules.moves)
    nodes[number, COUNT] = 0
    if used[0] + most > len(nodes) or used[1] + most > len(edges):
        used[2] = FULL
        return
    enter(rules.net, rules.values, rules.states[number])
    mover = find_turn(graph, rules)
    state, first = rules.states[number], used[1]
    count = expand_entered(rules.net, rules.values, state, mover, rules.moves, rules.children, rules.ends)
    for child in range(count):
        found = find_position(graph, rules, rules.children[child])
        for role in range(2):
            goal = rules.ends[child, role]
            nodes[found, GOAL + role] = goal
            nodes[found, CLASS + role] = OPEN if goal < 0 else np.int64(rules.classes[min(goal, 100)])
        edges[first + child] = found
    nodes[number, MOVER], nodes[number, FIRST], nodes[number, COUNT] = mover, first, count
    used[1] += count
    if count == 0:
        used[2] = STUCK
