"""Players: one module per family, one registry. `make_player("gnome:peter")` makes one; see `base` to write your own.

| module | contents |
|---|---|
| `base` | what a player is: it answers for a batch of observations, or for one at a time |
| `registry` | players by name, and the options in a name |
| `random` | uniformly random play |
| `search` | players by search, open and closed; the search itself is in `heartlab.search` |
| `gnome` | the rule-based players of gnome-hearts and a relative |
| `analysis` | what a searching player thinks of a position |

A player keeps nothing between choices, so the same observation always gets the same answer. Only open players
(`is_open`) are given whole states.
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
