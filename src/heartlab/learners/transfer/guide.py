"""What was learned and carried, as the prior of a tree search: `uct:prior=td:MODEL`.

The bridge that the paper hoped for. A move is worth what was learned of the position behind it, else the value of its
feature; of a position without a feature nothing is known. Looking two plies ahead behind every move costs about as
much as many simulations, so a search asks only about positions that it visits often.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.machine.base import State
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.learners.transfer.kernels import UNKNOWN, Features, feature_value
from heartlab.learners.transfer.lookahead import look_ahead, shape_text
from heartlab.learners.transfer.positions import COUNT, FIRST, FULL, GOAL, MOVER, expand_position, find_position
from heartlab.learners.transfer.settings import FEATURE_DEPTH
from heartlab.learners.transfer.trainer import TurnGame

MOST_POSITIONS = 1 << 20
"""Positions that are kept; then the graph begins anew."""


@kernel
def value_moves(board: Any, features: Any, memory: Any, stack: Any, position: int, role: int, worth: Any) -> Any:
    """The values of the moves of an expanded position; UNKNOWN where nothing is known. How many moves there are."""
    nodes, edges, known = board.graph.nodes, board.graph.edges, memory.values
    first, count = nodes[position, FIRST], nodes[position, COUNT]
    for child in range(count):
        found: Any = np.int64(edges[first + child])
        worth[child] = UNKNOWN
        if nodes[found, GOAL + role] >= 0:
            worth[child] = np.float64(nodes[found, GOAL + role])
        elif memory.visits[found, role] > 0:
            worth[child] = known[found, role]
        else:
            word = look_ahead(board, found, role, FEATURE_DEPTH, False, known, features.habits, stack)
            worth[child] = feature_value(features, word)
    return np.int64(count)


class LearnedValues:
    """Values moves by what was learned in this game, and by the features of others."""

    def __init__(self, game: TurnGame, features: Features, lock: threading.RLock) -> None:
        self.game, self.features, self.lock = game, features, lock
        self.worth = np.zeros(len(game.board.rules.moves))

    def values(self, state: State, player: int) -> npt.NDArray[np.float64]:
        """The value of each legal move of a player, from 0 to 100; nan where nothing is known, empty if nowhere."""
        with self.lock:
            try:
                while (count := self._try(state, player)) == 0 and not self.game.is_ok:
                    self._make_room()
            except GdlError:
                return np.zeros(0)
            values = self.worth[:count].copy()
        values[values < 0] = np.nan
        return values

    def reasons(self, state: State, player: int) -> list[str]:
        """The feature behind each legal move; empty where its two plies decide nothing, or it ends the game."""
        with self.lock:
            if not len(self.values(state, player)):
                return []
            graph = self.game.board.graph
            here = int(find_position(self.game.board, NetworkMachine.words(state)))
            first, count = graph.nodes[here, FIRST], graph.nodes[here, COUNT]
            children = [int(child) for child in graph.edges[first : first + count]]
            shapes = [
                shape_text(graph, child, player, FEATURE_DEPTH) if graph.nodes[child, FIRST] >= 0 else ""
                for child in children
            ]
        return [shape if set(shape) & set("WLD") else "" for shape in shapes]

    def _try(self, state: State, player: int) -> int:
        """Value the moves; how many there are, 0 if there was no room."""
        game, graph = self.game, self.game.board.graph
        if graph.used[0] + len(self.worth) + 1 > len(graph.nodes):
            graph.used[2] = FULL
            return 0
        number = int(find_position(game.board, NetworkMachine.words(state)))
        if graph.nodes[number, FIRST] < 0:
            expand_position(game.board, number)
        if not game.is_ok or graph.nodes[number, MOVER] != player:
            return 0
        count = value_moves(game.board, self.features, game.memory, game.stack, number, player, self.worth)
        return int(count) if game.is_ok else 0

    def _make_room(self) -> None:
        """More room for positions; beyond a limit they are forgotten, unless something was learned of them."""
        game = self.game
        if len(game.board.graph.nodes) < MOST_POSITIONS or game.memory.used[0]:
            game.make_room()
        else:
            game.forget()
