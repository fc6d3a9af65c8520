"""heartlab: a laboratory for learning to play games from features and advice, with Hearts at its heart.

The names here are what most people need; heavy parts are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from heartlab.cards import CardSet, parse_card
from heartlab.rules import PRESETS, Rules, RulesError
from heartlab.util import moved

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'heartlab' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
