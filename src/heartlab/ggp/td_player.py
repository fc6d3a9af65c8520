"""The learner as a player of matches, here or over the wire: `td`, or `td:MODEL` with features carried from elsewhere.

The protocol gives a player time before each match, so that is when it learns from the match before. What it learned is
kept per game, role and position for as long as its agent lives. Every position that it sees is recorded; moves are
chosen by the values of the positions behind them. It knows the value of ended games, and with a model that of new
positions by their look-ahead shape. Where others have a choice at the same time, it plays at random.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from heartlab.ggp.fast import NetworkMachine
from heartlab.ggp.learners import FeatureModel, TurnGame
from heartlab.ggp.learning import DEFAULT, Settings
from heartlab.ggp.lookahead import look_ahead
from heartlab.ggp.machine import Machine, State
from heartlab.ggp.players import GamePlayer
from heartlab.ggp.terms import GdlError, Term


class Memory:
    """What an agent has learned, shared by the players of its matches."""

    def __init__(self, model: FeatureModel | None = None) -> None:
        self.values: dict[tuple[object, ...], float] = {}
        self.waiting: list[tuple[list[tuple[object, ...]], float]] = []
        self.shapes = {} if model is None else model.values_against(next(iter(model.features), ""))

    def learn(self, settings: Settings) -> None:
        """Take in the matches that ended since the last time."""
        while self.waiting:
            keys, reward = self.waiting.pop(0)
            following, trace = reward, 0.0
            for key in reversed(keys):
                value = self.values[key]
                trace = (following - value) + settings.trace * trace
                following = value
                self.values[key] = value + settings.alpha * trace


class Shapes:
    """Look-ahead over one game for one player; shapes are values here, by the memory's model."""

    def __init__(self, machine: NetworkMachine, player: int) -> None:
        self.game, self.player = TurnGame(machine), player
        most, words = max(map(len, machine.network.moves)), len(machine.network.net.initial)
        self.levels = tuple(
            (np.zeros(most, np.int64), np.zeros((most, words), np.uint64), np.zeros((most, 2), np.int64))
            for _ in range(2)
        )
        self.sums, self.values = np.zeros(3), np.zeros(machine.network.literals, np.uint64)
        self.values[1::2] = np.uint64(0xFFFFFFFFFFFFFFFF)

    def shape_of(self, state: State) -> int:
        """The shape of a position with the opponent to move."""
        words = NetworkMachine.words(state)
        return int(look_ahead(self.game.net, self.values, self.game.idle, words, self.player, self.levels, self.sums))


class TdPlayer(GamePlayer):
    """Plays by what it learned in the matches before."""

    name = "td"

    def __init__(self, seed: int = 0, model: str = "", memory: Memory | None = None) -> None:
        super().__init__(seed)
        self.settings = Settings()
        self.memory = memory or Memory(FeatureModel.load(Path(model)) if model else None)
        self.shapes: Shapes | None = None
        self.seen: list[State] = []

    def successor(self, seed: int) -> GamePlayer:
        return TdPlayer(seed, memory=self.memory)

    def begin(self, machine: Machine, player: int, seconds: float) -> None:
        super().begin(machine, player, seconds)
        self.memory.learn(self.settings)
        self.seen = []
        self.shapes = None
        if self.memory.shapes and isinstance(machine, NetworkMachine):
            try:
                self.shapes = Shapes(machine, player)
            except GdlError:
                self.shapes = None

    def choose(self, state: State, seconds: float) -> Term:
        self.seen.append(state)
        options = self.machine.legal_moves(state)
        own = options[self.player]
        others_choose = any(len(moves) > 1 for number, moves in enumerate(options) if number != self.player)
        if len(own) == 1 or others_choose or self.dice.random() < self.settings.epsilon:
            return self.dice.choice(own)
        worth: dict[Term, float] = {}
        for move in own:
            joint = [move if number == self.player else moves[0] for number, moves in enumerate(options)]
            worth[move] = self._value(self.machine.next(state, joint))
        best = max(worth.values())
        return self.dice.choice([move for move in own if worth[move] == best])

    def finish(self, state: State) -> None:
        """Remember the match for the next beginning; one that broke off teaches nothing."""
        super().finish(state)
        if state is None or not self.machine.is_terminal(state):
            return
        sequence = [self._key(one) for one in dict.fromkeys([*self.seen[1:], state])]
        reward = float(self.machine.goal(state, self.player))
        for key in sequence:
            self.memory.values.setdefault(key, DEFAULT)
        self.memory.values[sequence[-1]] = reward
        self.memory.waiting.append((sequence, reward))

    def _value(self, state: State) -> float:
        key = self._key(state)
        known = self.memory.values.get(key)
        if known is not None:
            return known
        if self.machine.is_terminal(state):
            return float(self.machine.goal(state, self.player))
        if self.shapes is None:
            return DEFAULT
        value = self.memory.shapes.get(self.shapes.shape_of(state), DEFAULT)
        self.memory.values[key] = value
        return value

    def _key(self, state: State) -> tuple[object, ...]:
        """Positions are kept as facts: two machines for one game may number them differently."""
        return self.player, self.machine.roles, self.machine.facts(state)
