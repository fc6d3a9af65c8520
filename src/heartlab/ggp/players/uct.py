"""The UCT player: Monte-Carlo tree search over a network, or plain playouts where there is only the prover."""

from __future__ import annotations

import time

import numpy as np

from heartlab.ggp.gdl.terms import Term
from heartlab.ggp.machine.base import Machine, State
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.players.base import GamePlayer, deadline_of
from heartlab.ggp.players.registry import game_player, read_numbers
from heartlab.ggp.players.tree import Tree

CHUNK = 64
"""Simulations between two looks at the clock; fewer where they take long."""
MOST_PLAYOUTS = 1_000_000


class UctPlayer(GamePlayer):
    """Monte-Carlo tree search with as many simulations as the clock allows, or a fixed number of them."""

    name = "uct"

    def __init__(self, seed: int = 0, sims: int = 0) -> None:
        super().__init__(seed)
        self.sims = sims
        self.tree: Tree | None = None

    def begin(self, machine: Machine, player: int, seconds: float) -> None:
        super().begin(machine, player, seconds)
        self.rng = np.array([self.dice.getrandbits(64)], np.uint64)
        self.tree = None
        if isinstance(machine, NetworkMachine):
            self.tree = Tree(machine.network)
            self.tree.search(machine.network.net.initial, 1, self.rng)

    def choose(self, state: State, seconds: float) -> Term:
        legal = self.machine.legal(state, self.player)
        if len(legal) == 1:
            return legal[0]
        if self.tree is None:
            return self._sample(state, legal, deadline_of(seconds))
        assert isinstance(self.machine, NetworkMachine)
        words, deadline = self.machine.words(state), deadline_of(seconds)
        self.tree.forget()
        done, chunk = 0, CHUNK
        while self.sims == 0 or done < self.sims:
            begun = time.monotonic()
            if begun >= deadline:
                break
            chunk = min(chunk, self.sims - done) if self.sims else chunk
            self.tree.search(words, chunk, self.rng)
            done += chunk
            if time.monotonic() - begun > 0.05:
                chunk = max(1, chunk // 2)
        number, _, tried = self.tree.best(words, self.player)
        if tried == 0:
            return self.dice.choice(legal)
        return self.machine.move_of(self.player, number)

    def _sample(self, state: State, legal: list[Term], deadline: float) -> Term:
        """Without a network: playouts of every move in turn, as many as the clock allows."""
        sums, counts = dict.fromkeys(legal, 0.0), dict.fromkeys(legal, 0)
        for done in range(self.sims or MOST_PLAYOUTS):
            if time.monotonic() >= deadline:
                break
            move = legal[done % len(legal)]
            joint = [self.dice.choice(moves) for moves in self.machine.legal_moves(state)]
            joint[self.player] = move
            goals = self._playout(self.machine.next(state, joint), deadline)
            if goals is None:
                break
            sums[move] += goals[self.player]
            counts[move] += 1
        tried = [move for move in legal if counts[move]]
        return max(tried, key=lambda move: sums[move] / counts[move]) if tried else self.dice.choice(legal)

    def _playout(self, state: State, deadline: float) -> list[int] | None:
        """The goals of a playout; None if the time ends first."""
        while not self.machine.is_terminal(state):
            if time.monotonic() >= deadline:
                return None
            state = self.machine.next(state, [self.dice.choice(moves) for moves in self.machine.legal_moves(state)])
        return self.machine.goals(state)


@game_player("uct", "Monte-Carlo tree search; sims=N fixes the simulations per move")
def make_uct(text: str, seed: int) -> GamePlayer:
    """`uct` or `uct:sims=500`."""
    return UctPlayer(seed, **read_numbers("uct", text, ("sims",)))
