"""The network as a state machine: terms outside, bits inside."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from heartlab.ggp.gdl.terms import Term, show
from heartlab.ggp.machine.base import Facts, GameError, Machine, State
from heartlab.ggp.machine.choice import make_room
from heartlab.ggp.machine.lanes import make_values, playouts_wide
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, PERCEPTS, TERMINAL, Network, pack, unpack
from heartlab.ggp.machine.plan import Board, Plan, make_plan
from heartlab.ggp.machine.reckon import begin, playouts_reckoned
from heartlab.ggp.machine.simulate import (
    clear,
    playouts_scalar,
    put_moves,
    put_state,
    settle,
    take_state,
)
from heartlab.ggp.machine.trial import STEPS, Work, is_faster
from heartlab.ggp.machine.wide import Wide, make_wide

Words = npt.NDArray[np.uint64]
MAX_STEPS = 2000
"""Longer playouts are given up: the game may never end."""


@dataclass
class _Prepared:
    """What is made of a network when it is first needed, for a machine and all its forks."""

    plan: tuple[Plan, Board] | None = None
    wide: Wide | None = None
    reckons: bool | None = None


class NetworkMachine(Machine):
    """Runs a grounded game; a state is its packed propositions as bytes.

    >>> from heartlab.ggp import load_game
    >>> machine = load_game("tictactoe", "network")
    >>> goals, ended = machine.playouts(machine.initial, count=100, seed=1)
    >>> sum(goals), ended
    (10000, 100)
    """

    kind = "network"

    def __init__(self, network: Network, name: str) -> None:
        self.name = name
        self.network = network
        self.roles = network.roles
        self.values = np.zeros(network.literals, np.uint64)
        clear(self.values)
        self._now: State = None
        self._prepared = _Prepared()
        self._reckoning: tuple[Plan, Board, Board] | None = None
        self._numbers = {term: number for number, term in enumerate(network.propositions)}
        self._starts = [int(first) for first in network.net.role_moves]
        self._moves = [{move: number for number, move in enumerate(own)} for own in network.moves]

    def fork(self) -> Machine:
        twin = NetworkMachine(self.network, self.name)
        twin.note, twin.fingerprint, twin._prepared = self.note, self.fingerprint, self._prepared
        return twin

    @property
    def initial(self) -> State:
        return self.network.net.initial.tobytes()

    @property
    def has_percepts(self) -> bool:
        return bool(self.network.percepts)

    def facts(self, state: State) -> Facts:
        bits = unpack(self.words(state), len(self.network.propositions))
        return frozenset(self.network.propositions[number] for number in np.flatnonzero(bits))

    def state_of(self, facts: Facts) -> State:
        bits = np.zeros(len(self.network.propositions), bool)
        for fact in facts:
            if fact not in self._numbers:
                raise GameError(f"{self.name}: {show(fact)} can never hold in this game")
            bits[self._numbers[fact]] = True
        return pack(bits).tobytes()

    @staticmethod
    def words(state: State) -> npt.NDArray[np.uint64]:
        """A state as the packed words that kernels take."""
        assert isinstance(state, bytes)
        return np.frombuffer(state, np.uint64)

    def legal(self, state: State, player: int) -> list[Term]:
        self._enter(state)
        net = self.network.net
        literals = net.legal[self._starts[player] : self._starts[player + 1]]
        moves = self.network.moves[player]
        return [moves[number] for number in np.flatnonzero(self.values[literals] & np.uint64(1))]

    def next(self, state: State, moves: Sequence[Term]) -> State:
        self._play(state, moves)
        settle(self.network.net, self.values, NEXT)
        words = np.zeros(len(self.network.net.initial), np.uint64)
        take_state(self.network.net, self.values, 0, words)
        return words.tobytes()

    def is_terminal(self, state: State) -> bool:
        self._enter(state)
        return bool(self.values[self.network.net.terminal] & np.uint64(1))

    def goal_values(self, state: State, player: int) -> list[int]:
        self._enter(state)
        settle(self.network.net, self.values, GOALS)
        rows = self.network.net.goals
        return sorted(int(value) for role, value, one in rows if role == player and self.values[one] & np.uint64(1))

    def sees(self, state: State, moves: Sequence[Term], player: int) -> list[Term]:
        self._play(state, moves)
        settle(self.network.net, self.values, NEXT)
        settle(self.network.net, self.values, PERCEPTS)
        found = self.network.percepts
        return [percept for role, percept, one in found if role == player and self.values[one] & np.uint64(1)]

    def _enter(self, state: State) -> None:
        if state != self._now:
            put_state(self.network.net, self.words(state), self.values)
            settle(self.network.net, self.values, TERMINAL)
            settle(self.network.net, self.values, MOVES)
            self._now = state

    def move_number(self, player: int, move: Term) -> int:
        """The number of a move among all moves of all roles.

        Raises:
            GameError: the role never has such a move.
        """
        number = self._moves[player].get(move)
        if number is None:
            raise GameError(f"{self.name}: {show(self.roles[player])} never has the move {show(move)}")
        return self._starts[player] + number

    def move_of(self, player: int, number: int) -> Term:
        """The move with a number."""
        return self.network.moves[player][number - self._starts[player]]

    def _play(self, state: State, moves: Sequence[Term]) -> None:
        self._enter(state)
        chosen = [self.move_number(player, move) for player, move in enumerate(moves)]
        put_moves(self.network.net, self.values, np.array(chosen, np.int64))

    def playout(self, state: State, dice: random.Random) -> list[int]:
        totals, ended = self.playouts(state, 1, dice.getrandbits(64), wide=False)
        if not ended:
            raise GameError(f"{self.name}: a playout did not end within {MAX_STEPS} steps")
        return totals

    def playouts(
        self, state: State, count: int, seed: int, wide: bool = True, max_steps: int = MAX_STEPS
    ) -> tuple[list[int], int]:
        """Random playouts from a state: the sums of the goals per role, and how many playouts ended.

        `wide` plays 256 at a time over all gates, else one after the other, in the way that is faster in this game.
        """
        rng = np.array([seed & (2**64 - 1)], np.uint64)
        totals = np.zeros(len(self.roles), np.int64)
        if wide:
            values, room = make_values(self.wide), make_room(self.wide.role_moves)
            ended = playouts_wide(self.wide, self.words(state), count, max_steps, rng, values, room, totals)
        else:
            ended = self._one_by_one(self.reckons, state, count, max_steps, rng, totals)
        return [int(total) for total in totals], int(ended)

    @property
    def wide(self) -> Wide:
        """The network for games side by side, made when it is first asked for."""
        if self._prepared.wide is None:
            self._prepared.wide = make_wide(self.network.net)
        return self._prepared.wide

    @property
    def reckons(self) -> bool:
        """Whether one game at a time is faster by what changes than with every gate in every turn; measured once."""
        found = self._prepared
        if found.reckons is None:
            totals = np.zeros(len(self.roles), np.int64)

            def work(reckons: bool) -> Work:
                rng = np.zeros(1, np.uint64)
                return lambda count: self._one_by_one(reckons, self.initial, count, STEPS, rng, totals)

            found.reckons = is_faster(work(True), work(False))
        return found.reckons

    def _one_by_one(
        self, reckons: bool, state: State, count: int, max_steps: int, rng: Words, totals: npt.NDArray[np.int64]
    ) -> int:
        """Playouts one after the other, by what changes or with every gate; both ways give the same."""
        words = self.words(state)
        if reckons:
            return int(playouts_reckoned(*self.reckoning(), words, count, max_steps, rng, totals))
        self._now = None
        return int(playouts_scalar(self.network.net, words, count, max_steps, rng, self.values, totals))

    def reckoning(self) -> tuple[Plan, Board, Board]:
        """The plan of the network, which all forks share, and two boards, made when they are asked for first."""
        if self._reckoning is None:
            if self._prepared.plan is None:
                plan, board = make_plan(self.network.net)
                begin(plan, board)
                self._prepared.plan = plan, board
            plan, board = self._prepared.plan
            first, second = (Board(board.cells.copy(), board.words.copy()) for _ in range(2))
            self._reckoning = plan, first, second
        return self._reckoning
