"""The random player: uniform over the legal moves."""

from __future__ import annotations

from heartlab.ggp.gdl.terms import Term
from heartlab.ggp.machine.base import State
from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.players.registry import game_player, read_options


class RandomPlayer(GamePlayer):
    """Uniform over the legal moves."""

    name = "random"

    def choose(self, state: State, seconds: float) -> Term:
        return self.dice.choice(self.machine.legal(state, self.player))


@game_player("random", "uniform over the legal moves")
def make_random(text: str, seed: int) -> GamePlayer:
    """`random`."""
    read_options("random", text)
    return RandomPlayer(seed)
