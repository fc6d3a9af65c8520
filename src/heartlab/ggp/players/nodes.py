"""The nodes of UCT's tree: positions in which every player keeps counts of its own moves.

Each simulation selects moves by UCB1, player by player (so games with simultaneous moves and any number of players are
played soundly), until it leaves the tree; a network plays on from there (`growth`), and every player's goal is added to
the moves on the path. The tree itself needs no network: positions keep their states, and edges lead from one to the
next. Positions are found by a hash of their state, so paths that lead to the same position share its counts.

A move is counted when it is selected and its goal is added later; in between it counts as lost. So simulations that are
under way at the same time take different paths ("virtual loss").

A move begins with a guess: what it was worth wherever a playout made it, in all positions together (the history
heuristic, "MAST"). The guess counts like GUESSED visits, so moves that are never good are tried late.

Proofs: a move that ends the game has a proven value. A position in which one player has a choice is solved when a move
of his is a proven win, or all of them are proven. That holds for games for one, and for games for two whose goals add
up to 100; in others nothing is proved.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO
from heartlab.compiled.hashing import find_slot, hash_row, hash_word
from heartlab.compiled.jit import bare_kernel, kernel
from heartlab.compiled.rng import GOLDEN, MIX_1, below_fast

MAX_DEPTH = 200
"""Longest path through the tree."""
EXPLORATION = 0.45
GUESSED = 3.0
"""Visits that the guess about a move counts for."""
ENTRIES = 24
"""Moves per position for which there is room, on average."""
UNPROVEN = -1.0
SEVERAL = -1
"""The mover of a position in which several players have a choice."""
POSITIONS, USED_ENTRIES, USED_EDGES, UNSOUND = range(4)
"""What `used` counts; the last says that goals were seen that do not add up, so nothing is proved."""


class Nodes(NamedTuple):
    """The arrays of a tree. An entry is one move of one player in one position."""

    keys: npt.NDArray[np.uint64]  # [slots] hash of the state, 0 for a free slot
    slots: npt.NDArray[np.int32]  # [slots] number of the position
    edges: npt.NDArray[np.uint64]  # [slots] hash of a position and a move of every player, 0 for a free slot
    ends: npt.NDArray[np.int32]  # [slots] the position to which the edge leads
    states: npt.NDArray[np.uint64]  # [positions, words]
    starts: npt.NDArray[np.int32]  # [positions, roles + 1] first entry of each role
    movers: npt.NDArray[np.int32]  # [positions] the role with a choice, the first if none has, or SEVERAL
    visits: npt.NDArray[np.int32]  # [positions]
    solved: npt.NDArray[np.float32]  # [positions] what the mover gets, if that is proven
    moves: npt.NDArray[np.int32]  # [entries]
    counts: npt.NDArray[np.int32]  # [entries] how often the move was selected
    sums: npt.NDArray[np.float32]  # [entries] sum of the player's goals, each from 0 to 1
    proven: npt.NDArray[np.float32]  # [entries] what the mover gets by the move, if that is proven
    history: npt.NDArray[np.float64]  # [moves, 2] how often playouts made a move, and the sum of its player's goals
    used: npt.NDArray[np.int64]  # [4]


class Paths(NamedTuple):
    """The paths of simulations that are under way, one per lane."""

    lengths: npt.NDArray[np.int64]  # [lanes] number of turns
    positions: npt.NDArray[np.int32]  # [lanes, MAX_DEPTH]
    entries: npt.NDArray[np.int32]  # [lanes, MAX_DEPTH, roles]
    rewards: npt.NDArray[np.float64]  # [lanes, roles] from 0 to 1


def make_nodes(roles: int, words: int, moves: int, positions: int) -> Nodes:
    """The arrays of an empty tree for a game with so many roles, words of a state, and moves of all roles."""
    entries = ENTRIES * positions
    return Nodes(
        keys=np.zeros(2 * positions, np.uint64),
        slots=np.zeros(2 * positions, np.int32),
        edges=np.zeros(4 * positions, np.uint64),
        ends=np.zeros(4 * positions, np.int32),
        states=np.zeros((positions, words), np.uint64),
        starts=np.zeros((positions, roles + 1), np.int32),
        movers=np.zeros(positions, np.int32),
        visits=np.zeros(positions, np.int32),
        solved=np.zeros(positions, np.float32),
        moves=np.zeros(entries, np.int32),
        counts=np.zeros(entries, np.int32),
        sums=np.zeros(entries, np.float32),
        proven=np.zeros(entries, np.float32),
        history=np.tile(np.array([2.0, 1.0]), (moves, 1)),
        used=np.zeros(4, np.int64),
    )


def make_paths(lanes: int, roles: int) -> Paths:
    """Room for some paths."""
    return Paths(
        lengths=np.zeros(lanes, np.int64),
        positions=np.zeros((lanes, MAX_DEPTH), np.int32),
        entries=np.zeros((lanes, MAX_DEPTH, roles), np.int32),
        rewards=np.zeros((lanes, roles), np.float64),
    )


@bare_kernel
def find_position(nodes: Any, state: Any) -> int:
    """The number of a position, or -1."""
    slot = find_slot(nodes.keys, hash_row(state))
    return np.int64(nodes.slots[slot]) if nodes.keys[slot] != ZERO else -1


@bare_kernel
def has_room(nodes: Any, moves: int) -> bool:
    """Whether another position with some moves, and an edge to it, fit in."""
    used = nodes.used
    return (
        used[POSITIONS] < len(nodes.visits)
        and used[USED_ENTRIES] + moves <= len(nodes.moves)
        and used[USED_EDGES] < len(nodes.visits) * 3
    )


@bare_kernel
def add_position(nodes: Any, state: Any, legal: Any, ends: Any) -> int:
    """The position of a state with these legal moves, one role after the other up to `ends`; -1 if the tree is full."""
    key = hash_row(state)
    slot = find_slot(nodes.keys, key)
    if nodes.keys[slot] != ZERO:
        return np.int64(nodes.slots[slot])
    roles, used = len(ends), nodes.used
    if not has_room(nodes, ends[roles - 1]):
        return -1
    position, first = used[POSITIONS], used[USED_ENTRIES]
    nodes.keys[slot] = key
    nodes.slots[slot] = np.int32(position)
    for word in range(len(state)):
        nodes.states[position, word] = state[word]
    for number in range(ends[roles - 1]):
        nodes.moves[first + number] = legal[number]
        nodes.counts[first + number] = 0
        nodes.sums[first + number] = 0.0
        nodes.proven[first + number] = UNPROVEN
    mover, begin = -2, 0
    nodes.starts[position, 0] = np.int32(first)
    for role in range(roles):
        if ends[role] - begin > 1:
            mover = role if mover == -2 else SEVERAL
        begin = ends[role]
        nodes.starts[position, role + 1] = np.int32(first + ends[role])
    nodes.movers[position] = np.int32(0 if mover == -2 else mover)
    nodes.visits[position] = 0
    nodes.solved[position] = UNPROVEN
    used[POSITIONS] += 1
    used[USED_ENTRIES] += ends[roles - 1]
    return position


@bare_kernel
def edge_key(nodes: Any, position: int, entries: Any) -> Any:
    """The hash of a position, by its state, and a move of every player."""
    key = hash_row(nodes.states[position])
    for role in range(len(entries)):
        key = (hash_word(key) ^ np.uint64(nodes.moves[entries[role]])) * MIX_1 + GOLDEN
    return hash_word(key) | ONE


@bare_kernel
def connect(nodes: Any, position: int, entries: Any, target: int) -> None:
    """Remember where moves lead."""
    key = edge_key(nodes, position, entries)
    slot = find_slot(nodes.edges, key)
    if nodes.edges[slot] == ZERO and nodes.used[USED_EDGES] < len(nodes.visits) * 3:
        nodes.edges[slot] = key
        nodes.ends[slot] = np.int32(target)
        nodes.used[USED_EDGES] += 1


@bare_kernel
def select(nodes: Any, first: int, last: int, visits: int, rng: Any) -> int:
    """The entry with the highest bound (UCB1), where a guess by the history counts like a few visits.

    A proven value is not explored: it is taken where it is better than all bounds. Of equal bounds the first counts,
    from a random entry on.
    """
    counts, sums, proven, history = nodes.counts, nodes.sums, nodes.proven, nodes.history
    best, highest = first, -1.0
    width = EXPLORATION * EXPLORATION * math.log(visits + 1.0)
    entry = first + below_fast(rng, last - first)
    for _ in range(last - first):
        if proven[entry] >= 0.0:
            bound = np.float64(proven[entry])
        else:
            move, weight = nodes.moves[entry], counts[entry] + GUESSED
            guess = history[move, 1] / history[move, 0]
            bound = (sums[entry] + GUESSED * guess) / weight + math.sqrt(width / weight)
        if bound > highest:
            best, highest = entry, bound
        entry += 1
        if entry == last:
            entry = first
    return best


LEAF, DONE, STUCK = range(3)
"""How a descent ends: moves lead out of the tree; their value is proven; a role has no move or the path is too long."""


@bare_kernel
def descend(nodes: Any, paths: Any, lane: int, root: int, rng: Any) -> int:
    """Select moves from the root until they lead out of the tree, and count them.

    If the value of the last move is proven, the rewards are set, and the proof is taken further.
    """
    position, depth = root, 0
    roles = nodes.starts.shape[1] - 1
    paths.lengths[lane] = 0
    while depth < MAX_DEPTH:
        paths.positions[lane, depth] = np.int32(position)
        for role in range(roles):
            first, last = nodes.starts[position, role], nodes.starts[position, role + 1]
            if first == last:
                return STUCK
            if last == first + 1:
                paths.entries[lane, depth, role] = first
            else:
                entry = select(nodes, first, last, nodes.visits[position], rng)
                paths.entries[lane, depth, role] = np.int32(entry)
        nodes.visits[position] += 1
        for role in range(roles):
            nodes.counts[paths.entries[lane, depth, role]] += 1
        depth += 1
        paths.lengths[lane] = depth
        mover = nodes.movers[position]
        if mover != SEVERAL:
            value = nodes.proven[paths.entries[lane, depth - 1, mover]]
            if value >= 0.0:
                set_rewards(paths, lane, mover, value)
                return DONE
        slot = find_slot(nodes.edges, edge_key(nodes, position, paths.entries[lane, depth - 1]))
        if nodes.edges[slot] == ZERO:
            return LEAF
        position = np.int64(nodes.ends[slot])
        if nodes.solved[position] >= 0.0:
            set_rewards(paths, lane, nodes.movers[position], nodes.solved[position])
            prove(nodes, paths, lane)
            return DONE
    return STUCK


@bare_kernel
def set_rewards(paths: Any, lane: int, mover: int, value: float) -> None:
    """What everybody gets where the mover gets a proven value: in games for one, or with goals that add up."""
    for role in range(paths.rewards.shape[1]):
        paths.rewards[lane, role] = value if role == mover else 1.0 - value


@bare_kernel
def back_up(nodes: Any, paths: Any, lane: int) -> None:
    """Add the rewards of a lane to the moves on its path; they were counted before."""
    for turn in range(paths.lengths[lane]):
        for role in range(paths.rewards.shape[1]):
            nodes.sums[paths.entries[lane, turn, role]] += np.float32(paths.rewards[lane, role])


@bare_kernel
def doubt(nodes: Any, paths: Any, lane: int) -> bool:
    """Whether proofs are unsound in this game; the first goals that do not add up take all proofs back."""
    roles = paths.rewards.shape[1]
    if roles > 2:
        return True
    if roles == 2 and nodes.used[UNSOUND] == 0 and abs(paths.rewards[lane, 0] + paths.rewards[lane, 1] - 1.0) > 1e-6:
        nodes.used[UNSOUND] = 1
        for entry in range(nodes.used[USED_ENTRIES]):
            nodes.proven[entry] = UNPROVEN
        for position in range(nodes.used[POSITIONS]):
            nodes.solved[position] = UNPROVEN
    return nodes.used[UNSOUND] != 0


@bare_kernel
def prove(nodes: Any, paths: Any, lane: int) -> None:
    """The rewards of a lane are what its last moves are worth: see how far that proves positions on the path."""
    if doubt(nodes, paths, lane):
        return
    turn = paths.lengths[lane] - 1
    owner, worth = 0, paths.rewards[lane, 0]
    while turn >= 0:
        position = paths.positions[lane, turn]
        mover = nodes.movers[position]
        if mover == SEVERAL or nodes.solved[position] >= 0.0:
            return
        value = worth if mover == owner else 1.0 - worth
        nodes.proven[paths.entries[lane, turn, mover]] = np.float32(value)
        best, is_open = UNPROVEN, False
        for entry in range(nodes.starts[position, mover], nodes.starts[position, mover + 1]):
            is_open |= nodes.proven[entry] < 0.0
            best = max(best, np.float64(nodes.proven[entry]))
        if is_open and best < 1.0:
            return
        nodes.solved[position] = np.float32(best)
        owner, worth = mover, best
        turn -= 1


@kernel
def keep_visited(old: Any, new: Any, least: int) -> None:
    """Copy the positions with at least some visits into an empty tree, and the edges that lead to them."""
    roles = old.starts.shape[1] - 1
    numbers = np.full(old.used[POSITIONS], -1, np.int64)
    ends = np.zeros(roles, np.int64)
    for position in range(old.used[POSITIONS]):
        if old.visits[position] < least:
            continue
        first = np.int64(old.starts[position, 0])
        for role in range(roles):
            ends[role] = old.starts[position, role + 1] - first
        number = add_position(new, old.states[position], old.moves[first:], ends)
        if number < 0:
            break
        numbers[position] = number
        target = new.starts[number, 0]
        for entry in range(ends[roles - 1]):
            new.counts[target + entry] = old.counts[first + entry]
            new.sums[target + entry] = old.sums[first + entry]
            new.proven[target + entry] = old.proven[first + entry]
        new.visits[number] = old.visits[position]
        new.solved[number] = old.solved[position]
    for slot in range(len(old.edges)):
        if old.edges[slot] != ZERO and numbers[old.ends[slot]] >= 0:
            place = find_slot(new.edges, old.edges[slot])
            new.edges[place] = old.edges[slot]
            new.ends[place] = np.int32(numbers[old.ends[slot]])
            new.used[USED_EDGES] += 1
    new.used[UNSOUND] = old.used[UNSOUND]
    new.history[:] = old.history
