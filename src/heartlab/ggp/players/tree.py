"""The tree of UCT over a network, as players use it: search on from a state, ask for the best move, make room.

A tree is kept from move to move: what was found below the move that was played is found again by the state. When it is
half full, the positions with the fewest visits make way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from heartlab.compiled.hashing import find_slot, hash_row
from heartlab.ggp.machine.choice import make_room
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.machine.lanes import LANES
from heartlab.ggp.machine.network import Network
from heartlab.ggp.players.growth import FEWEST, VISITS_PER_LANE, grow_reckoned, grow_wide, make_lanes, plant
from heartlab.ggp.players.nodes import POSITIONS, USED_ENTRIES, Nodes, keep_visited, make_nodes, make_paths

MANY_GATES = 40_000
"""Games with more gates are played one at a time, unless it was measured which way is faster."""

WIDE_FROM, GATES_PER_VISIT = 1000, 12
"""Visits of a position before simulations from it run side by side, less one for some gates, unless it was measured.
With few visits most lanes are idle, because simulations that are under way together know nothing of each other; but in
large games one at a time is slow."""

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Opinion:
    """What a search found about the moves of one player in one position; trees can be added up."""

    moves: list[int]
    """Numbers of moves, as the network has them."""
    counts: npt.NDArray[np.float64]
    sums: npt.NDArray[np.float64]
    proven: npt.NDArray[np.float64]
    """What the player gets by each move if that is proven, from 0 to 1, else -1."""

    @property
    def means(self) -> npt.NDArray[np.float64]:
        """The proven or the mean goal of each move, from 0 to 1."""
        return np.where(self.proven >= 0, self.proven, self.sums / np.maximum(1, self.counts))

    def plus(self, other: Opinion) -> Opinion:
        """Both opinions about the same position together."""
        proven = np.maximum(self.proven, other.proven)
        return Opinion(self.moves, self.counts + other.counts, self.sums + other.sums, proven)

    def best(self, draw: Callable[[list[int]], int] = min) -> int:
        """The place of the best move: a proven one if none that is open looks better, else the most tried one.

        Of moves that were tried as often the better is taken; `draw` chooses among those that are equal in both.
        """
        open_moves = np.flatnonzero(self.proven < 0)
        known = np.flatnonzero(self.proven >= 0)
        means = self.means
        most = -1
        if len(open_moves):
            tried = open_moves[self.counts[open_moves] == self.counts[open_moves].max()]
            most = draw(tried[self.sums[tried] == self.sums[tried].max()].tolist())
        if len(known) == 0:
            return most
        top = known[means[known] == means[known].max()]
        sure = int(top[np.argmax(self.counts[top])])
        return sure if most < 0 or means[sure] >= means[most] else most


@cache
def compile_rest() -> None:
    """Compile what a short search does not call, so that nothing is compiled while a clock runs."""
    keep_visited(make_nodes(1, 1, 1, 1), make_nodes(1, 1, 1, 1), 1)


class Tree:
    """A search that can be continued: its nodes, and the games that it simulates with."""

    def __init__(self, network: Network, positions: int = 1 << 17, machine: NetworkMachine | None = None) -> None:
        """A tree for some positions; `machine` runs the same network and lends its plan."""
        net, roles = network.net, len(network.roles)
        self.network = network
        self.machine = machine or NetworkMachine(network, "")
        self.nodes: Nodes = make_nodes(roles, len(net.initial), len(net.legal), positions)
        self.paths = make_paths(LANES, roles)
        self.lanes = make_lanes(self.machine.wide, len(net.initial))
        self.room = make_room(net.role_moves)
        compile_rest()
        self.wide = len(net.pairs) <= MANY_GATES
        """Whether simulations run side by side, once a position has `wide_from` visits."""
        self.wide_from = max(0, WIDE_FROM - len(net.pairs) // GATES_PER_VISIT)

    def forget(self) -> None:
        """Let the positions with the fewest visits go if the tree is half full, so that a new search has room."""
        positions, entries = self.nodes.used[[POSITIONS, USED_ENTRIES]]
        room = len(self.nodes.visits)
        if positions > room // 2 or entries > len(self.nodes.moves) // 2:
            visits = np.sort(self.nodes.visits[:positions])[::-1]
            share = min(1.0, len(self.nodes.moves) / max(1, entries) * positions / room)
            least = int(visits[min(int(room * share) // 8, positions - 1)]) + 1
            net = self.network.net
            fresh = make_nodes(len(self.network.roles), len(net.initial), len(net.legal), room)
            keep_visited(self.nodes, fresh, least)
            self.nodes = fresh

    def search(self, state: Words, simulations: int, rng: Words) -> int:
        """Run simulations from a state that is not over; how many there were: fewer if it is solved, or no room."""
        rows = self.machine.wide
        root = plant(rows, self.nodes, self.lanes, state)
        if root < 0:
            return 0
        net, nodes = self.network.net, self.nodes
        if self.wide and nodes.visits[root] >= self.wide_from:
            return int(grow_wide(rows, nodes, self.paths, self.lanes, self.room, root, simulations, rng))
        plan, board, _ = self.machine.reckoning()
        done = grow_reckoned(plan, board, nodes, self.paths, self.lanes, net.role_moves, root, simulations, rng)
        return int(done)

    def choose_way(self, state: Words, seconds: float, rng: Words) -> None:
        """Measure for some seconds which way simulations run faster, and how many lanes must be busy for that.

        Nothing is changed where there is no time.
        """
        if seconds <= 0:
            return
        speeds, self.wide_from = {}, 0
        for wide in (False, True):
            self.wide, chunk, done = wide, 16, 0
            self.search(state, 1, rng)
            begun = time.monotonic()
            while (spent := time.monotonic() - begun) < seconds / 2:
                ran = self.search(state, chunk, rng)
                if ran < chunk:
                    break
                done, chunk = done + ran, min(4096, 2 * chunk)
            speeds[wide] = done / max(spent, 1e-9)
        self.wide = speeds[True] >= speeds[False]
        lanes = LANES * min(1.0, speeds[False] / max(speeds[True], 1e-9))
        self.wide_from = max(0, int(VISITS_PER_LANE * (lanes - FEWEST)))

    def opinion(self, state: Words, player: int) -> Opinion | None:
        """What is known about the moves of a player; None of a state that was not searched."""
        nodes = self.nodes
        slot = find_slot(nodes.keys, np.uint64(hash_row(state)))
        if nodes.keys[slot] == 0:
            return None
        position = nodes.slots[slot]
        own = slice(nodes.starts[position, player], nodes.starts[position, player + 1])
        proven = nodes.proven[own] if nodes.movers[position] == player else np.full(own.stop - own.start, -1.0)
        return Opinion(
            nodes.moves[own].tolist(),
            nodes.counts[own].astype(np.float64),
            nodes.sums[own].astype(np.float64),
            np.asarray(proven, np.float64),
        )

    def is_solved(self, state: Words) -> bool:
        """Whether the value of a state is proven."""
        slot = find_slot(self.nodes.keys, np.uint64(hash_row(state)))
        return bool(self.nodes.keys[slot] != 0 and self.nodes.solved[self.nodes.slots[slot]] >= 0)

    def best(self, state: Words, player: int) -> tuple[int, float, int]:
        """The best move of a player: its number, its mean goal and how often it was tried."""
        found = self.opinion(state, player)
        if found is None or not found.moves:
            return -1, float("nan"), 0
        place = found.best()
        return found.moves[place], float(found.means[place]), int(found.counts[place])
