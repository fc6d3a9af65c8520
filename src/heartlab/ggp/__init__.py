"""General game playing: games as GDL texts, checked, run, played, and played over the network. Knows nothing of Hearts.

| room | what lives there |
|---|---|
| `gdl` | the language: terms, parsing, validation, normal form, scrambling |
| `machine` | running a game: the prover, and grounding, networks and their compiled interpreter |
| `players` | what a player is, players by name, searches, play at the terminal |
| `protocol` | the GGP protocol: messages, the player's side, the manager's side |
| `games` | our own games, as GDL files |

Learning and transfer between games is in `heartlab.learners.transfer`. The names below are what most programs need:

>>> from heartlab.ggp import load_game
>>> machine = load_game("tictactoe", "prover")
>>> machine.roles
('x', 'o')
>>> len(machine.legal(machine.initial, 0))
9
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartlab.util.lazy import lazy_names

if TYPE_CHECKING:
    from heartlab.ggp.gdl.parse import Description, parse_game
    from heartlab.ggp.gdl.terms import GdlError
    from heartlab.ggp.gdl.validate import validate
    from heartlab.ggp.machine.base import Machine
    from heartlab.ggp.machine.load import known_games, load_game, make_machine, read_game
    from heartlab.ggp.players.base import GamePlayer
    from heartlab.ggp.players.registry import game_player, known_game_players, make_game_player
    from heartlab.ggp.protocol.manager import Clocks, Manager
    from heartlab.ggp.protocol.matches import play_matches

__all__ = [
    "Clocks",
    "Description",
    "GamePlayer",
    "GdlError",
    "Machine",
    "Manager",
    "game_player",
    "known_game_players",
    "known_games",
    "load_game",
    "make_game_player",
    "make_machine",
    "parse_game",
    "play_matches",
    "read_game",
    "validate",
]

_HOMES = {
    "Clocks": "heartlab.ggp.protocol.manager",
    "Description": "heartlab.ggp.gdl.parse",
    "GamePlayer": "heartlab.ggp.players.base",
    "GdlError": "heartlab.ggp.gdl.terms",
    "Machine": "heartlab.ggp.machine.base",
    "Manager": "heartlab.ggp.protocol.manager",
    "game_player": "heartlab.ggp.players.registry",
    "known_game_players": "heartlab.ggp.players.registry",
    "known_games": "heartlab.ggp.machine.load",
    "load_game": "heartlab.ggp.machine.load",
    "make_game_player": "heartlab.ggp.players.registry",
    "make_machine": "heartlab.ggp.machine.load",
    "parse_game": "heartlab.ggp.gdl.parse",
    "play_matches": "heartlab.ggp.protocol.matches",
    "read_game": "heartlab.ggp.machine.load",
    "validate": "heartlab.ggp.gdl.validate",
}

__getattr__ = lazy_names(__name__, _HOMES)
