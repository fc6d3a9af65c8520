"""heartlab: a laboratory for learning to play Hearts and other games from features and advice.

The names below are what most programs need; a module is imported when one of its names is first used. In reading order:

| module | what it holds |
|---|---|
| `cards`, `rules` | cards, sets of cards and rule sets as plain values |
| `deal`, `observation`, `game`, `deal_text` | one deal; what one seat may know of it; a whole game; a deal in words |
| `records` | deals as text, JSON and OpenSpiel histories |
| `compiled`, `kernel` | the compiled core (internal) |
| `search` | open and closed search, evaluators |
| `players`, `arena` | players by name; matches with confidence intervals |
| `training`, `learners`, `reproduction` | runs and models; the learning systems of the papers; their claims, measured |
| `coach`, `web` | explanations for people; play in the browser |
| `uhi`, `envs` | bots in any language; PettingZoo, OpenSpiel and a vectorised environment |
| `ggp` | general game playing |
| `bench`, `cli`, `util` | benchmarks; the command line; small helpers (internal) |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartlab.cards import CardSet, parse_card
from heartlab.rules import PRESETS, Rules, RulesError
from heartlab.util import moved
from heartlab.util.lazy import lazy_names

if TYPE_CHECKING:
    from heartlab.deal import Deal, IllegalPlay
    from heartlab.game import Game
    from heartlab.observation import Observation
    from heartlab.players import Player, make_player, register

__version__ = "0.2.0"

__all__ = [
    "PRESETS",
    "CardSet",
    "Deal",
    "Game",
    "IllegalPlay",
    "Observation",
    "Player",
    "Rules",
    "RulesError",
    "make_player",
    "parse_card",
    "register",
]

_HOMES = {
    "Deal": "heartlab.deal",
    "IllegalPlay": "heartlab.deal",
    "Game": "heartlab.game",
    "Observation": "heartlab.observation",
    "Player": "heartlab.players",
    "make_player": "heartlab.players",
    "register": "heartlab.players",
}

moved.install()
__getattr__ = lazy_names(__name__, _HOMES)
