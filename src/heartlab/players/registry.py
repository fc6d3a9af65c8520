"""Players by name: one registry for ours, for yours, and for those that other packages bring along.

A name is ``FAMILY``, ``FAMILY:ARGUMENT`` or ``FAMILY:key=value,key=value``. Other packages add families by the
entry-point
group ``heartlab.players``; each entry point names a function that takes the text after the colon and returns a player.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from heartlab.players.base import Player

MODULES = ("heartlab.players.gnome", "heartlab.players.random", "heartlab.players.search")
"""The modules of our own families."""
LEARNED = (
    "heartlab.players.advice.voting",
    "heartlab.players.falcon.montecarlo",
    "heartlab.learn.advice_players",
    "heartlab.learn.falcon_players",
    "heartlab.learn.td_model",
)
"""Families that take time to load: advice, and players of trained models, which lie beside their learners. They are
loaded when a name is not found elsewhere."""
OUTSIDE = {"exec": "heartlab.envs.uhi.player", "openspiel": "heartlab.envs.openspiel_player"}
"""Families of players that are other people's programs, each with the module that is loaded when it is named."""

Factory = Callable[[str], Player]
AnyFactory = TypeVar("AnyFactory", bound=Callable[..., Player])


class PlayerError(ValueError):
    """A name that makes no player."""


@dataclass(frozen=True)
class Family:
    """One entry of the registry."""

    name: str
    make: Callable[..., Player]
    summary: str


_families: dict[str, Family] = {}


def register(name: str, summary: str = "") -> Callable[[AnyFactory], AnyFactory]:
    """Add a family: decorate a Player class, or a function that takes the text after the colon."""

    def add(make: AnyFactory) -> AnyFactory:
        doc = (make.__doc__ or "").strip()
        _families[name] = Family(name, make, summary or (doc.splitlines()[0] if doc else ""))
        return make

    return add


def known_players() -> dict[str, str]:
    """The families by name, with a line about each."""
    _load()
    _load_learned()
    for module in OUTSIDE.values():
        import_module(module)
    return {name: _families[name].summary for name in sorted(_families)}


def make_player(name: str) -> Player:
    """The player that a name stands for.

    :raises PlayerError: if there is none; the message lists the known names.
    """
    _load()
    family_name, _, argument = name.partition(":")
    if family_name in OUTSIDE:
        import_module(OUTSIDE[family_name])
    elif family_name not in _families:
        _load_learned()
    family = _families.get(family_name)
    if family is None:
        close = get_close_matches(family_name, [*_families, *OUTSIDE], 1)
        hint = f"; did you mean {close[0]}?" if close else "."
        raise PlayerError(f"no player is called {name!r}{hint} Known are {', '.join(sorted({*_families, *OUTSIDE}))}")
    try:
        if isinstance(family.make, type):
            if argument:
                raise PlayerError(f"player {family_name} takes no options, but the name says {argument!r}")
            player = family.make()
        else:
            player = family.make(argument)
    except PlayerError:
        raise
    except (ValueError, TypeError) as error:
        raise PlayerError(f"player {name!r}: {error}") from error
    player.name = name
    if family.make.__module__.startswith("heartlab."):
        player.origin = name
    return player


def parse_options(text: str) -> dict[str, str]:
    """Read ``key=value,key=value``; a value may itself hold a name with options in parentheses."""
    options: dict[str, str] = {}
    depth, start = 0, 0
    parts = []
    for position, char in enumerate(text + ","):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    for part in filter(None, (part.strip() for part in parts)):
        key, equals, value = part.partition("=")
        if not equals:
            raise PlayerError(f"{part!r} is no option: write key=value")
        key, value = key.strip(), value.strip()
        if key in options:
            raise PlayerError(f"{key} is said twice: {key}={options[key]} and {part}")
        options[key] = value[1:-1] if value.startswith("(") and value.endswith(")") else value
    return options


_loaded = False


def _load() -> None:
    """Import the built-in families and those of other packages, once."""
    global _loaded
    if _loaded:
        return
    _loaded = True
    for module in MODULES:
        import_module(module)
    for entry in entry_points(group="heartlab.players"):
        if entry.name not in _families:
            _families[entry.name] = Family(entry.name, _deferred(entry.load, entry.name), f"from {entry.value}")


def _load_learned() -> None:
    """Import the families of trained models."""
    for module in LEARNED:
        import_module(module)


def _deferred(load: Callable[[], Factory], name: str) -> Factory:
    """A factory that imports the other package only when its player is asked for."""

    def make(argument: str) -> Player:
        try:
            factory = load()
        except Exception as error:
            raise PlayerError(f"the package that brings player {name!r} cannot be loaded: {error}") from error
        try:
            return factory(argument) if not isinstance(factory, type) else factory()
        except PlayerError:
            raise
        except Exception as error:
            raise PlayerError(f"player {name!r} of another package failed: {type(error).__name__}: {error}") from error

    return make
