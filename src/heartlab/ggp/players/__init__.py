"""Players of any game, by name.

| module | what lives there |
|---|---|
| `base` | what a player is: `GamePlayer` |
| `registry` | players by name: `make_game_player("uct:sims=500")` |
| `random` | uniform over the legal moves |
| `nodes`, `growth` | compiled: the tree of Monte-Carlo tree search, and how simulations make it grow |
| `prior` | what another player knows, as a beginning of that tree |
| `tree`, `uct` | that tree as players use it, and its player |
| `alphabeta` | deepening alpha-beta search and its player |
| `belief` | states that fit what a player saw, in games with hidden information |
| `terminal` | a person at the terminal against players |

`random` plays anything; `uct` and `alphabeta` are at their best on a network and make do with the prover. The player
that learns, `td`, is in `heartlab.learners.transfer.player`.
"""

from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.players.registry import game_player, known_game_players, make_game_player

__all__ = ["GamePlayer", "game_player", "known_game_players", "make_game_player"]
