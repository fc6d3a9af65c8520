"""UCT over the network: a tree of positions in which every player keeps counts of its own moves.

Each simulation walks down by UCB1, player by player (so games with simultaneous moves and any number of players are
played soundly), adds one position, finishes the game at random, and adds every player's goal to the moves on the way.
Positions are found again by a hash of their state, so different ways to one position share what was learned.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.ggp.machine.network import GOALS, MOVES, TERMINAL, Network
from heartlab.ggp.machine.simulate import (
    GOLDEN,
    MIX_1,
    ONE,
    SHIFT_27,
    SHIFT_31,
    ZERO,
    choose_scalar,
    clear,
    draw_below,
    goal_of,
    put_moves,
    put_state,
    settle,
    step_scalar,
)

MAX_DEPTH = 500
"""Longest way through the tree and the playout behind it."""
EXPLORATION = 0.7


class Tree:
    """The memory of a search: positions, and a count and a sum of goals for every move of every player in them."""

    def __init__(self, network: Network, positions: int = 1 << 17) -> None:
        self.network = network
        self.roles = len(network.roles)
        self.keys = np.zeros(2 * positions, np.uint64)  # [slots] hash of the state, 0 for a free slot
        self.slots = np.zeros(2 * positions, np.int32)  # [slots] number of the position
        self.starts = np.zeros((positions, self.roles + 1), np.int32)  # [positions, roles + 1] first entry of each role
        self.visits = np.zeros(positions, np.int32)
        entries = 24 * positions
        self.moves = np.zeros(entries, np.int32)
        self.counts = np.zeros(entries, np.int32)
        self.sums = np.zeros(entries, np.float32)
        self.used = np.zeros(2, np.int64)  # positions and entries in use
        self.values = np.zeros(network.literals, np.uint64)
        clear(self.values)

    def forget(self) -> None:
        """Empty the tree if it is half full, so that a new search has room."""
        if self.used[0] > len(self.visits) // 2 or self.used[1] > len(self.moves) // 2:
            self.keys[:] = 0
            self.used[:] = 0

    def search(self, state: Any, simulations: int, rng: Any) -> None:
        """Grow the tree from a state."""
        grow(
            self.network.net,
            state,
            simulations,
            EXPLORATION,
            rng,
            self.values,
            (self.keys, self.slots, self.starts, self.visits, self.moves, self.counts, self.sums, self.used),
        )

    def best(self, state: Any, player: int) -> tuple[int, float, int]:
        """The most tried move of a player: its number, its mean goal and how often it was tried."""
        slot = find_slot(self.keys, np.uint64(hash_state(state)))
        if self.keys[slot] == 0:
            return -1, math.nan, 0
        position = self.slots[slot]
        own = slice(self.starts[position, player], self.starts[position, player + 1])
        entry = own.start + int(np.argmax(self.counts[own]))
        count = int(self.counts[entry])
        return int(self.moves[entry]), float(self.sums[entry]) / max(1, count), count


@kernel
def hash_state(state: Any) -> Any:
    """A word that stands for a state; never zero."""
    key = GOLDEN
    for word in range(len(state)):
        key = (key ^ state[word]) * MIX_1
        key ^= key >> SHIFT_31
        key = key * GOLDEN
        key ^= key >> SHIFT_27
    return key | ONE


@kernel
def find_slot(keys: Any, key: Any) -> int:
    """The slot of a key in a table that is never full, or the free one where it belongs."""
    mask = np.uint64(len(keys) - 1)
    slot = (key >> np.uint64(8)) & mask
    while keys[slot] != ZERO and keys[slot] != key:
        slot = (slot + ONE) & mask
    return np.int64(slot)


@kernel
def pack_values(net: Any, values: Any, state: Any) -> None:
    """The state of game 0, packed."""
    for word in range(len(state)):
        state[word] = ZERO
    for number in range(net.bases):
        state[number >> 6] |= (values[2 * number + 2] & ONE) << np.uint64(number & 63)


@kernel
def add_position(net: Any, values: Any, slot: int, key: Any, tree: Any) -> bool:
    """Put the position whose legal moves are settled into the tree; False if the tree is full."""
    keys, slots, starts, visits, moves, counts, sums, used = tree
    if used[0] >= len(visits) or used[1] + len(net.legal) > len(moves):
        return False
    position, entry = used[0], used[1]
    keys[slot] = key
    slots[slot] = position
    visits[position] = 0
    for role in range(len(net.role_moves) - 1):
        starts[position, role] = entry
        for move in range(net.role_moves[role], net.role_moves[role + 1]):
            if values[net.legal[move]] & ONE:
                moves[entry] = move
                counts[entry] = 0
                sums[entry] = 0.0
                entry += 1
        starts[position, role + 1] = entry
    used[0] += 1
    used[1] = entry
    return True


@kernel
def choose_entry(first: int, last: int, visits: int, exploration: float, rng: Any, tree: Any) -> int:
    """The entry to try: an untried one at random, else the one with the highest bound."""
    counts, sums = tree[5], tree[6]
    untried = 0
    for entry in range(first, last):
        untried += counts[entry] == 0
    if untried > 0:
        left = draw_below(rng, untried)
        for entry in range(first, last):
            if counts[entry] == 0:
                if left == 0:
                    return entry
                left -= 1
    best, highest = first, -1.0
    for entry in range(first, last):
        bound = sums[entry] / counts[entry] + exploration * math.sqrt(math.log(visits + 1.0) / counts[entry])
        if bound > highest:
            best, highest = entry, bound
    return best


@kernel
def grow(net: Any, root: Any, simulations: int, exploration: float, rng: Any, values: Any, tree: Any) -> None:
    """Run simulations from a root; goals count from 0 to 1."""
    keys, slots, starts, visits, moves, counts, sums, _ = tree
    roles = len(net.role_moves) - 1
    path = np.zeros((MAX_DEPTH, roles), np.int64)
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
                key = hash_state(state)
                slot = find_slot(keys, key)
                fresh = keys[slot] == ZERO
                if fresh:
                    in_tree = False
                if not fresh or add_position(net, values, slot, key, tree):
                    position = slots[slot]
                    stuck = False
                    for role in range(roles):
                        first, last = starts[position, role], starts[position, role + 1]
                        if first == last:
                            stuck = True
                            break
                        path[depth, role] = choose_entry(first, last, visits[position], exploration, rng, tree)
                        chosen[role] = moves[path[depth, role]]
                    if stuck:
                        break
                    positions[depth] = position
                    depth += 1
                    put_moves(net, values, chosen)
                    step_scalar(net, values, scratch)
                    continue
            if not choose_scalar(net, values, rng):
                break
            step_scalar(net, values, scratch)
        if ended:
            settle(net, values, GOALS)
        for role in range(roles):
            reward = max(0, goal_of(net, values, role, 0)) / 100.0 if ended else 0.0
            for place in range(depth):
                sums[path[place, role]] += reward
                counts[path[place, role]] += 1
        for place in range(depth):
            visits[positions[place]] += 1
