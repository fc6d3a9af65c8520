"""Players by name: `make_player("gnome:peter")` makes one.

A player answers for a batch of observations and keeps nothing between decisions, so the same observation always gets
the same answer. Closed players never see a state; players that do declare `is_open`. In reading order:

| module | what it holds |
|---|---|
| `base` | what a player is; how to write one |
| `registry` | players by name; how to register one |
| `random` | uniformly random play |
| `gnome` | the rule-based players of gnome-hearts |
| `search` | players that search |
| `analysis` | what a searching player thinks of a position |

Learned players are in `heartlab.learners`, bots in other languages in `heartlab.uhi`.
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
