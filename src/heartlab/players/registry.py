"""Players by name: one registry for ours, for yours, and for those that other packages bring along.

A name is ``FAMILY``, ``FAMILY:ARGUMENT`` or ``FAMILY:key=value,key=value``. Other packages add families by the
entry-point group ``heartlab.players``; each entry point names a function that takes the text after the colon and
returns a player. A family belongs to whoever took its name first, ours to us; only the same class or function of the
same module, as in a notebook cell that is run again, replaces its former self.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from heartlab.owners import Owners
from heartlab.players.base import Player

_SEARCHES = ("pie", "sage", "iie", "pimc", "maxn", "paranoid", "softmaxn", "probmaxn", "ismcts", "uct")
OURS = {
    "gnome": "heartlab.players.gnome",
    "random": "heartlab.players.random",
    **dict.fromkeys(_SEARCHES, "heartlab.players.search"),
    "voting": "heartlab.players.advice.voting",
    "montecarlo": "heartlab.players.falcon.montecarlo",
    **dict.fromkeys(("learner-t", "learner-n", "advice"), "heartlab.learn.advice_players"),
    "falcon": "heartlab.learn.falcon_players",
    **dict.fromkeys(("td", "td-closed"), "heartlab.learn.td_model"),
    "exec": "heartlab.envs.uhi.player",
    "openspiel": "heartlab.envs.openspiel_player",
}
"""Our own families, and the modules that register them, loaded when they are named. Players of trained models lie
beside their learners; the last two are other people's programs."""

Factory = Callable[[str], Player]
AnyFactory = TypeVar("AnyFactory", bound=Callable[..., Player])


class PlayerError(ValueError):
    """A name that makes no player, or another's player."""


@dataclass(frozen=True)
class Family:
    """One entry of the registry."""

    name: str
    make: Callable[..., Player]
    summary: str


_families: dict[str, Family] = {}
_owners = Owners(OURS)


def register(name: str, summary: str = "") -> Callable[[AnyFactory], AnyFactory]:
    """Add a family: decorate a Player class, or a function that takes the text after the colon.

    :raises PlayerError: if the name is another's.
    """

    def add(make: AnyFactory) -> AnyFactory:
        if not _owners.may_take(name, make):
            raise PlayerError(f"there is a player called {name!r} already: choose another name")
        doc = (make.__doc__ or "").strip()
        _families[name] = Family(name, make, summary or (doc.splitlines()[0] if doc else ""))
        return make

    return add


def known_players() -> dict[str, str]:
    """The families by name, with a line about each."""
    for module in dict.fromkeys(OURS.values()):
        import_module(module)
    _add_packages()
    return {name: _families[name].summary for name in sorted(_families)}


def make_player(name: str) -> Player:
    """The player that a name stands for.

    :raises PlayerError: if there is none; the message lists the known names.
    """
    family_name, _, argument = name.partition(":")
    if family_name in OURS:
        import_module(OURS[family_name])
    elif family_name not in _families:
        _add_packages()
    family = _families.get(family_name)
    if family is None:
        known = sorted({*_families, *OURS})
        close = get_close_matches(family_name, known, 1)
        hint = f"; did you mean {close[0]}?" if close else "."
        raise PlayerError(f"no player is called {name!r}{hint} Known are {', '.join(known)}")
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
    except SystemExit as error:
        raise PlayerError(f"player {name!r}: SystemExit: {error}") from error
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


@cache
def _add_packages() -> None:
    """Add the families of other packages, as far as their names are free."""
    for entry in entry_points(group="heartlab.players"):
        if entry.name not in _families and entry.name not in OURS:
            _families[entry.name] = Family(entry.name, _deferred(entry.load, entry.name), f"from {entry.value}")


def _deferred(load: Callable[[], Factory], name: str) -> Factory:
    """A factory that imports the other package only when its player is asked for."""

    def make(argument: str) -> Player:
        try:
            factory = load()
        except (Exception, SystemExit) as error:
            raise PlayerError(f"the package that brings player {name!r} cannot be loaded: {error}") from error
        try:
            return factory(argument) if not isinstance(factory, type) else factory()
        except PlayerError:
            raise
        except (Exception, SystemExit) as error:
            raise PlayerError(f"player {name!r} of another package failed: {type(error).__name__}: {error}") from error

    return make
