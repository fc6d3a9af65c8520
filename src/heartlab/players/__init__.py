"""Players: one module per family, one registry. `make_player("gnome:peter")` makes one; see `base` to write your own.

A player is asked for a batch of observations at a time and keeps nothing between choices, so the same observation
always gets the same answer. Nothing in this room may see a state, except players that say they are open.
"""

from heartlab.players.base import Observations, OpenStates, Player
from heartlab.players.registry import PlayerError, known_players, make_player, parse_options, register

__all__ = [
    "Observations",
    "OpenStates",
    "Player",
    "PlayerError",
    "known_players",
    "make_player",
    "parse_options",
    "register",
]
