"""Iterative-deepening alpha-beta search for any game: we maximise our goal, everybody else minimises it.

A position is a list of groups, one for each move of ours, and a group is the list of states to which the others'
replies lead. So alternating and simultaneous moves are the same search: the best of our groups, each worth its worst
state. Where moves are simultaneous the others are assumed to see ours first: pessimistic, but sound. A position that
is not decided within the depth is worth 50. On a network, positions in which one player has a choice are expanded with
all moves in one evaluation.
"""

from __future__ import annotations

import itertools
import random
import time
from typing import TypeAlias

import numpy as np

from heartlab.ggp.gdl.terms import Term
from heartlab.ggp.machine.base import Machine, State
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.machine.expand import SIMULTANEOUS, expand
from heartlab.ggp.machine.simulate import clear
from heartlab.ggp.players.base import GamePlayer, deadline_of
from heartlab.ggp.players.registry import game_player, read_options

UNDECIDED = 50.0
INFINITE = 1000.0
MAX_DEPTH = 60
MAX_REMEMBERED = 200_000

Group: TypeAlias = "tuple[Term, list[tuple[State, int | None]]]"
"""A move of ours, and the states behind it, each with our goal if the game is over there."""


class OutOfTime(Exception):
    """The clock ran out during a search."""


class AlphaBeta:
    """A search for one move of one player."""

    def __init__(self, machine: Machine, player: int, deadline: float, dice: random.Random) -> None:
        self.machine, self.player, self.deadline, self.dice = machine, player, deadline, dice
        self.known: dict[State, list[Group]] = {}
        self.cut_off = False
        if isinstance(machine, NetworkMachine):
            most = max(len(own) for own in machine.network.moves)
            self.values = np.zeros(machine.network.literals, np.uint64)
            clear(self.values)
            self.moves = np.zeros(most, np.int64)
            self.children = np.zeros((most, len(machine.network.net.initial)), np.uint64)
            self.ends = np.zeros((most, len(machine.roles)), np.int64)

    def best_move(self, state: State, legal: list[Term], depth: int = 0) -> Term:
        """The best move found before the clock, or the depth if one is given, ends the search."""
        order = list(legal)
        self.dice.shuffle(order)
        for limit in range(1, (depth or MAX_DEPTH) + 1):
            self.cut_off = False
            try:
                scores = self._score(state, limit, order)
            except OutOfTime:
                break
            order.sort(key=lambda move: -scores[move])
            if not self.cut_off or scores[order[0]] >= 100:
                break
        return order[0]

    def _score(self, state: State, limit: int, order: list[Term]) -> dict[Term, float]:
        """A value for each move: exact for the best, and below the best for moves that were found to be worse."""
        groups, scores, alpha = dict(self._groups(state)), {}, -INFINITE
        for move in order:
            score = self._worst(groups[move], limit, alpha, INFINITE)
            scores[move] = score if score > alpha else alpha - 1
            alpha = max(alpha, score)
        return scores

    def _search(self, state: State, limit: int, alpha: float, beta: float) -> float:
        """The value of a state that is not over, if it lies between alpha and beta, else a bound."""
        if limit == 0:
            self.cut_off = True
            return UNDECIDED
        best = -INFINITE
        for _, states in self._groups(state):
            best = max(best, self._worst(states, limit, max(alpha, best), beta))
            if best >= beta:
                break
        return best

    def _worst(self, states: list[tuple[State, int | None]], limit: int, alpha: float, beta: float) -> float:
        worst = INFINITE
        for state, goal in states:
            value = goal if goal is not None else self._search(state, limit - 1, alpha, min(beta, worst))
            worst = min(worst, value)
            if worst <= alpha:
                break
        return worst

    def _groups(self, state: State) -> list[Group]:
        """The groups of a state, remembered."""
        found = self.known.get(state)
        if found is None:
            if time.monotonic() >= self.deadline:
                raise OutOfTime
            found = self._expand(state) if isinstance(self.machine, NetworkMachine) else self._enumerate(state)
            if len(self.known) < MAX_REMEMBERED:
                self.known[state] = found
        return found

    def _expand(self, state: State) -> list[Group]:
        """The groups by one evaluation of the network; without a choice of ours there is one group."""
        machine = self.machine
        assert isinstance(machine, NetworkMachine)
        options = [machine.legal(state, player) for player in range(len(machine.roles))]
        mover = max(range(len(options)), key=lambda player: len(options[player]))
        net, words = machine.network.net, machine.words(state)
        count = expand(net, self.values, words, mover, self.moves, self.children, self.ends)
        if count == SIMULTANEOUS:
            return self._enumerate(state)
        states = []
        for child in range(count):
            goal = int(self.ends[child, self.player])
            states.append((self.children[child].tobytes(), goal if goal >= 0 else None))
        if mover != self.player:
            return [(options[self.player][0], states)]
        return [
            (machine.move_of(self.player, int(move)), [one])
            for move, one in zip(self.moves[:count], states, strict=True)
        ]

    def _enumerate(self, state: State) -> list[Group]:
        """The groups by trying one joint move after the other."""
        machine, options = self.machine, self.machine.legal_moves(state)
        groups: list[Group] = []
        for own in options[self.player]:
            states: dict[State, int | None] = {}
            for joint in itertools.product(*options[: self.player], [own], *options[self.player + 1 :]):
                if time.monotonic() >= self.deadline:
                    raise OutOfTime
                after = machine.next(state, joint)
                if after not in states:
                    states[after] = machine.goal(after, self.player) if machine.is_terminal(after) else None
            groups.append((own, list(states.items())))
        return groups


class AlphaBetaPlayer(GamePlayer):
    """Searches as deep as the clock allows, or to a fixed depth."""

    name = "alphabeta"

    def __init__(self, seed: int = 0, depth: int = 0) -> None:
        super().__init__(seed)
        self.depth = depth

    def choose(self, state: State, seconds: float) -> Term:
        legal = self.machine.legal(state, self.player)
        if len(legal) == 1:
            return legal[0]
        search = AlphaBeta(self.machine, self.player, deadline_of(seconds), self.dice)
        return search.best_move(state, legal, self.depth)


@game_player("alphabeta", "deepening alpha-beta search; depth=N limits it")
def make_alphabeta(text: str, seed: int) -> GamePlayer:
    """`alphabeta` or `alphabeta:depth=4`."""
    options, _ = read_options("alphabeta", text, ["depth"])
    return AlphaBetaPlayer(seed, **options)
