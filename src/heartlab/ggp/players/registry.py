"""Players of any game, by name: they get a machine and a clock, and answer with a move.

A player is told where it sits (`begin`), asked for moves (`choose`) and told the end (`finish`). It watches its own
clock: `choose` gets the seconds it may use and answers before they are over. `random` plays anything; `uct` and
`alphabeta` are at their best on a network and make do with the prover. Games with percepts (GDL-II) are played at
random by all, since nobody here reasons about what is hidden; the state is then unknown and given as None.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from heartlab.ggp.gdl.terms import GdlError, Term
from heartlab.ggp.machine.base import Machine, State
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.players.alphabeta import AlphaBeta
from heartlab.ggp.players.uct import Tree
from heartlab.util.registry import Registry

MARGIN = 0.15
"""The share of its clock that a player leaves for the way of its answer."""
CHUNK = 64
"""UCT simulations between two looks at the clock; fewer where they take long."""


class GamePlayer(ABC):
    """A player of one match at a time."""

    name = "player"
    spec = ""
    """The text that the player was made from."""

    def __init__(self, seed: int = 0) -> None:
        self.dice = random.Random(seed)
        self.machine: Machine
        self.player = 0
        self.ended_in: State = None

    def begin(self, machine: Machine, player: int, seconds: float) -> None:
        """A match begins, in which this is player number `player`; there are some seconds to prepare."""
        self.machine, self.player = machine, player

    @abstractmethod
    def choose(self, state: State, seconds: float) -> Term:
        """A legal move within some seconds."""

    def successor(self, seed: int) -> GamePlayer:
        """A player of the same kind for another match; one that learns hands on what it knows."""
        return make_game_player(self.spec, seed)

    def finish(self, state: State) -> None:
        """The match is over, in this state (None if it broke off or the state is hidden)."""
        self.ended_in = state

    def close(self) -> None:  # noqa: B027
        """No more matches will come."""


class RandomPlayer(GamePlayer):
    """Uniform over the legal moves."""

    name = "random"

    def choose(self, state: State, seconds: float) -> Term:
        return self.dice.choice(self.machine.legal(state, self.player))


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
            return self._sample(state, legal, seconds)
        assert isinstance(self.machine, NetworkMachine)
        words, deadline = self.machine.words(state), time.monotonic() + seconds * (1 - MARGIN)
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

    def _sample(self, state: State, legal: list[Term], seconds: float) -> Term:
        """Without a network: playouts of every move in turn, as many as the clock allows."""
        deadline = time.monotonic() + seconds * (1 - MARGIN)
        sums, counts = dict.fromkeys(legal, 0.0), dict.fromkeys(legal, 0)
        limit = self.sims or 1_000_000
        for done in range(limit):
            if time.monotonic() >= deadline:
                break
            move = legal[done % len(legal)]
            joint = [self.dice.choice(moves) for moves in self.machine.legal_moves(state)]
            joint[self.player] = move
            goals = self._finish(self.machine.next(state, joint), deadline)
            if goals is None:
                break
            sums[move] += goals[self.player]
            counts[move] += 1
        tried = [move for move in legal if counts[move]]
        return max(tried, key=lambda move: sums[move] / counts[move]) if tried else self.dice.choice(legal)

    def _finish(self, state: State, deadline: float) -> list[int] | None:
        """A playout that looks at the clock; None when the time is over."""
        while not self.machine.is_terminal(state):
            if time.monotonic() >= deadline:
                return None
            state = self.machine.next(state, [self.dice.choice(moves) for moves in self.machine.legal_moves(state)])
        return self.machine.goals(state)


class AlphaBetaPlayer(GamePlayer):
    """Deepening alpha-beta search; see `alphabeta.py`."""

    name = "alphabeta"

    def __init__(self, seed: int = 0, depth: int = 0) -> None:
        super().__init__(seed)
        self.depth = depth

    def choose(self, state: State, seconds: float) -> Term:
        legal = self.machine.legal(state, self.player)
        if len(legal) == 1:
            return legal[0]
        search = AlphaBeta(self.machine, self.player, time.monotonic() + seconds * (1 - MARGIN), self.dice)
        return search.best_move(state, legal, self.depth)


Factory = Callable[[str, int], GamePlayer]
"""Makes a player from the text after the colon of its name, and a seed."""


@dataclass(frozen=True)
class Family:
    """One entry of the registry."""

    make: Factory
    summary: str


FAMILIES: Registry[Family] = Registry(
    "player of games", GdlError, "heartlab.ggp_players", lambda entry: Family(entry.load(), f"from {entry.value}")
)
"""All players of games; an entry point leads to a function of the text after the colon and a seed."""


def game_player(name: str, summary: str) -> Callable[[Factory], Factory]:
    """Register a function of the text after the colon and a seed as a player of games."""

    def add(make: Factory) -> Factory:
        FAMILIES.add(name, Family(make, summary), make)
        return make

    return add


def make_game_player(spec: str, seed: int = 0) -> GamePlayer:
    """A player from a text such as `random` or `uct:sims=500`.

    :raises GdlError: if the name or an option is not known.
    """
    name, _, rest = spec.partition(":")
    player = FAMILIES.find(name).make(rest, seed)
    player.spec = spec
    return player


def known_game_players() -> dict[str, str]:
    """All players of games by name, with a line about each."""
    return {name: family.summary for name, family in FAMILIES.known().items()}


def read_numbers(name: str, text: str, known: Sequence[str]) -> dict[str, int]:
    """Options ``key=NUMBER,key=NUMBER`` of a player.

    :raises GdlError: for one that is not known.
    """
    options: dict[str, int] = {}
    for piece in filter(None, text.split(",")):
        key, _, value = piece.partition("=")
        if key not in known or not value.isdecimal():
            takes = ", ".join(f"{option}=NUMBER" for option in known) or "no options"
            raise GdlError(f"'{name}:{text}': {piece!r} is no option of {name}, which takes {takes}")
        options[key] = int(value)
    return options


@game_player("random", "uniform over the legal moves")
def make_random(text: str, seed: int) -> GamePlayer:
    """`random`."""
    return RandomPlayer(seed, **read_numbers("random", text, ()))


@game_player("uct", "Monte-Carlo tree search; sims=N fixes the simulations per move")
def make_uct(text: str, seed: int) -> GamePlayer:
    """`uct` or `uct:sims=500`."""
    return UctPlayer(seed, **read_numbers("uct", text, ("sims",)))


@game_player("alphabeta", "deepening alpha-beta search; depth=N limits it")
def make_alphabeta(text: str, seed: int) -> GamePlayer:
    """`alphabeta` or `alphabeta:depth=4`."""
    return AlphaBetaPlayer(seed, **read_numbers("alphabeta", text, ("depth",)))
