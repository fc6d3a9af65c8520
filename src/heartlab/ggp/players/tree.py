"""The tree of UCT over a network: positions in which every player keeps counts of its own moves.

Each simulation selects moves by UCB1, player by player (so games with simultaneous moves and any number of players are
played soundly), adds one position, finishes the game at random, and adds every player's goal to the moves on its path.
Positions are found by a hash of their state, so paths that lead to the same position share its counts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO
from heartlab.compiled.hashing import find_slot, hash_row
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below_fast
from heartlab.ggp.machine.network import GOALS, MOVES, TERMINAL, Network
from heartlab.ggp.machine.simulate import choose_scalar, clear, goal_of, put_moves, put_state, settle, step_scalar

MAX_DEPTH = 500
"""Longest path through the tree and the playout below it."""
EXPLORATION = 0.7
ENTRIES = 24
"""Moves per position for which there is room, on average."""


class Nodes(NamedTuple):
    """The arrays of a tree. An entry is one move of one player in one position."""

    keys: npt.NDArray[np.uint64]  # [slots] hash of the state, 0 for a free slot
    slots: npt.NDArray[np.int32]  # [slots] number of the position
    starts: npt.NDArray[np.int32]  # [positions, roles + 1] first entry of each role
    visits: npt.NDArray[np.int32]  # [positions]
    moves: npt.NDArray[np.int32]  # [entries]
    counts: npt.NDArray[np.int32]  # [entries] how often the move was tried
    sums: npt.NDArray[np.float32]  # [entries] sum of the player's goals, each from 0 to 1
    used: npt.NDArray[np.int64]  # [2] positions and entries in use


class Tree:
    """A search that can be continued: its nodes, and the values of the network that it simulates with."""

    def __init__(self, network: Network, positions: int = 1 << 17) -> None:
        self.network = network
        entries = ENTRIES * positions
        self.nodes = Nodes(
            keys=np.zeros(2 * positions, np.uint64),
            slots=np.zeros(2 * positions, np.int32),
            starts=np.zeros((positions, len(network.roles) + 1), np.int32),
            visits=np.zeros(positions, np.int32),
            moves=np.zeros(entries, np.int32),
            counts=np.zeros(entries, np.int32),
            sums=np.zeros(entries, np.float32),
            used=np.zeros(2, np.int64),
        )
        self.values = np.zeros(network.literals, np.uint64)
        clear(self.values)

    def forget(self) -> None:
        """Empty the tree if it is half full, so that a new search has room."""
        positions, entries = self.nodes.used
        if positions > len(self.nodes.visits) // 2 or entries > len(self.nodes.moves) // 2:
            self.nodes.keys[:] = 0
            self.nodes.used[:] = 0

    def search(self, state: npt.NDArray[np.uint64], simulations: int, rng: npt.NDArray[np.uint64]) -> None:
        """Run simulations from a state."""
        grow(self.network.net, state, simulations, rng, self.values, self.nodes)

    def best(self, state: npt.NDArray[np.uint64], player: int) -> tuple[int, float, int]:
        """The most tried move of a player: its number, its mean goal and how often it was tried."""
        nodes = self.nodes
        slot = find_slot(nodes.keys, np.uint64(hash_row(state)))
        if nodes.keys[slot] == 0:
            return -1, math.nan, 0
        position = nodes.slots[slot]
        own = slice(nodes.starts[position, player], nodes.starts[position, player + 1])
        entry = own.start + int(np.argmax(nodes.counts[own]))
        count = int(nodes.counts[entry])
        return int(nodes.moves[entry]), float(nodes.sums[entry]) / max(1, count), count


@kernel
def pack_values(net: Any, values: Any, state: Any) -> None:
    """The state of game 0, packed."""
    for word in range(len(state)):
        state[word] = ZERO
    for number in range(net.bases):
        state[number >> 6] |= (values[2 * number + 2] & ONE) << np.uint64(number & 63)


@kernel
def add_position(net: Any, values: Any, nodes: Any, slot: int, key: Any) -> bool:
    """Put the position whose legal moves are settled into the tree; False if the tree is full."""
    used = nodes.used
    if used[0] >= len(nodes.visits) or used[1] + len(net.legal) > len(nodes.moves):
        return False
    position, entry = used[0], used[1]
    nodes.keys[slot] = key
    nodes.slots[slot] = position
    nodes.visits[position] = 0
    for role in range(len(net.role_moves) - 1):
        nodes.starts[position, role] = entry
        for move in range(net.role_moves[role], net.role_moves[role + 1]):
            if values[net.legal[move]] & ONE:
                nodes.moves[entry] = move
                nodes.counts[entry] = 0
                nodes.sums[entry] = 0.0
                entry += 1
        nodes.starts[position, role + 1] = entry
    used[0] += 1
    used[1] = entry
    return True


@kernel
def select(counts: Any, sums: Any, first: int, last: int, visits: int, rng: Any) -> int:
    """The entry to try next: an untried one at random, else the one with the highest bound (UCB1)."""
    untried = 0
    for entry in range(first, last):
        untried += counts[entry] == 0
    if untried > 0:
        left = below_fast(rng, untried)
        for entry in range(first, last):
            if counts[entry] == 0:
                if left == 0:
                    return entry
                left -= 1
    best, highest = first, -1.0
    for entry in range(first, last):
        bound = sums[entry] / counts[entry] + EXPLORATION * math.sqrt(math.log(visits + 1.0) / counts[entry])
        if bound > highest:
            best, highest = entry, bound
    return best


@kernel
def grow(net: Any, root: Any, simulations: int, rng: Any, values: Any, nodes: Any) -> None:
    """Run simulations from a root; goals count from 0 to 1."""
    keys, slots, starts, visits, moves, counts, sums, _ = nodes
    roles = len(net.role_moves) - 1
    path = np.zeros((MAX_DEPTH, roles), np.int64)  # entries that were chosen, turn by turn
    positions = np.zeros(MAX_DEPTH, np.int64)
    chosen = np.zeros(roles, np.int64)
    scratch = np.zeros(max(1, net.bases), np.uint64)
    state = np.zeros(len(root), np.uint64)
    for _ in range(simulations):
        put_state(net, root, values)
        depth, in_tree, ended = 0, True, False
        for _ in range(MAX_DEPTH):
            settle(net, values, TERMINAL)
            if values[net.terminal] & ONE:
                ended = True
                break
            settle(net, values, MOVES)
            if in_tree:
                pack_values(net, values, state)
                key = hash_row(state)
                slot = find_slot(keys, key)
                in_tree = keys[slot] != ZERO
                # expansion: the first position outside the tree is added, if there is room
                if in_tree or add_position(net, values, nodes, slot, key):
                    # selection: a move of every role, unless one has none
                    position, stuck = slots[slot], False
                    for role in range(roles):
                        first, last = starts[position, role], starts[position, role + 1]
                        if first == last:
                            stuck = True
                            break
                        path[depth, role] = select(counts, sums, first, last, visits[position], rng)
                        chosen[role] = moves[path[depth, role]]
                    if stuck:
                        break
                    positions[depth] = position
                    depth += 1
                    put_moves(net, values, chosen)
                    step_scalar(net, values, scratch)
                    continue
            # playout
            if not choose_scalar(net, values, rng):
                break
            step_scalar(net, values, scratch)
        # backup: a simulation that did not end is worth nothing
        if ended:
            settle(net, values, GOALS)
        for role in range(roles):
            reward = max(0, goal_of(net, values, role, 0)) / 100.0 if ended else 0.0
            for turn in range(depth):
                sums[path[turn, role]] += reward
                counts[path[turn, role]] += 1
        for turn in range(depth):
            visits[positions[turn]] += 1
