"""What a player of games is: it gets a machine and a clock, and answers with moves.

A player is told where it sits (`begin`), asked for moves (`choose`) and told the end (`finish`). It watches its own
clock: `choose` gets the seconds that it may use and answers before they are over. Games with hidden information
(GDL-II) are played by the agent itself, at random: no player here reasons about what is hidden.

A server plays every match in a process of its own. A player whose matches share what it learned sets `learns`; then one
process plays them all.

A package adds a player with an entry point of the group `heartlab.ggp_players` that leads to a function of the text
after the colon and a seed; a program adds one with `registry.game_player`.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from heartlab.ggp.gdl.terms import Term
from heartlab.ggp.machine.base import Machine, State

if TYPE_CHECKING:
    from heartlab.ggp.players.prior import Guide

MARGIN = 0.15
"""The share of its clock that a player leaves for the transport of its answer."""


class GamePlayer(ABC):
    """A player of one match at a time.

    >>> class First(GamePlayer):
    ...     def choose(self, state, seconds):
    ...         return self.machine.legal(state, self.player)[0]
    >>> from heartlab.ggp import load_game
    >>> machine, player = load_game("tictactoe", "prover"), First()
    >>> player.begin(machine, 0, seconds=1)
    >>> player.choose(machine.initial, seconds=1)
    ('mark', '1', '1')
    """

    name = "player"
    learns = False
    """Whether its matches share what it learned, so that one process has to play them all."""
    make_again: Callable[[int], GamePlayer]
    """Makes a player of the same kind from a seed; the registry sets it."""

    def __init__(self, seed: int = 0) -> None:
        self.dice = random.Random(seed)
        self.machine: Machine
        self.player = 0
        self.ended_in: State = None

    def warm_up(self, machine: Machine) -> None:
        """Do once what matches will ask for, so that it is compiled; this player is thrown away afterwards."""
        self.begin(machine, 0, 1.0)
        self.choose(machine.initial, 0.05)

    def begin(self, machine: Machine, player: int, seconds: float) -> None:
        """A match begins, in which this is player number `player`; there are some seconds to prepare."""
        self.machine, self.player = machine, player

    @abstractmethod
    def choose(self, state: State, seconds: float) -> Term:
        """A legal move within some seconds."""

    def successor(self, seed: int) -> GamePlayer:
        """A player of the same kind for another match; one that learns shares what it knows with it."""
        return self.make_again(seed)

    def after_crash(self) -> GamePlayer:
        """The player to go on with in place of a process of this kind that was ended: one that saved begins there."""
        return self

    def make_guide(self, machine: Machine) -> Guide | None:
        """What values the moves of a game without searching, for a search to begin with; None if nothing does."""
        return None

    def finish(self, state: State) -> None:
        """The match is over, in this state (None if it was broken off or the state is hidden)."""
        self.ended_in = state

    def close(self) -> None:  # noqa: B027
        """No more matches will come."""


def deadline_of(seconds: float) -> float:
    """When a player that has some seconds from now on should answer, by the monotonic clock."""
    return time.monotonic() + seconds * (1 - MARGIN)
