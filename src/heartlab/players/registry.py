"""Players by name: one registry for ours, for yours, and for those of other packages.

A name is `FAMILY`, `FAMILY:ARGUMENT` or `FAMILY:key=value,key=value`. Other packages add families through the
entry-point group `heartlab.players`; each entry point names a function that takes the text after the colon and
returns a player. A family name cannot be registered twice, except by the same class or function of the same module,
as when a notebook cell is run again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import TypeVar

from heartlab.players.base import Player
from heartlab.util.errors import quoted
from heartlab.util.registry import Registry, need_name

Factory = Callable[[str], Player]
AnyFactory = TypeVar("AnyFactory", bound=Callable[..., Player])


class PlayerError(ValueError):
    """A player that cannot be made: an unknown name, wrong options, or a name that is already taken."""


@dataclass(frozen=True)
class Family:
    """One entry of the registry: a name, the function or class that makes the player, and a line about it."""

    name: str
    make: Callable[..., Player]
    summary: str


def register(name: str, summary: str = "") -> Callable[[AnyFactory], AnyFactory]:
    """Register a family of players: decorate a Player class, or a function that takes the text after the colon.

    >>> @register("my-first", "always the lowest card")
    ... class Lowest(Player):
    ...     def play(self, obs):
    ...         return min(obs.legal)
    >>> make_player("my-first")
    <player my-first>

    :raises PlayerError: if the name is already taken.
    """
    need_name("register", name)

    def add(make: AnyFactory) -> AnyFactory:
        doc = (make.__doc__ or "").strip()
        FAMILIES.add(name, Family(name, make, summary or (doc.splitlines()[0] if doc else "")), make)
        return make

    return add


def known_players() -> dict[str, str]:
    """All families by name, with a line about each."""
    return {name: family.summary for name, family in FAMILIES.known().items()}


def make_player(name: str) -> Player:
    """Make the player of a name.

    >>> make_player("gnome:peter")
    <player gnome:peter>

    :raises PlayerError: if the name is unknown or its options are wrong; the message lists the known names.
    """
    family_name, _, argument = name.partition(":")
    family = FAMILIES.find(family_name, name)
    try:
        if isinstance(family.make, type):
            if argument:
                raise PlayerError(f"player {family_name} takes no options, but the name says {quoted(argument)}")
            player: Player = family.make()
        else:
            player = family.make(argument)
    except PlayerError:
        raise
    except (ValueError, TypeError) as error:
        raise PlayerError(f"player {quoted(name)}: {error}") from error
    except SystemExit as error:
        raise PlayerError(f"player {quoted(name)}: SystemExit: {error}") from error
    player.name = name
    if family.make.__module__.startswith("heartlab."):
        player.origin = name
    return player


def parse_options(text: str) -> dict[str, str]:
    """Parse `key=value,key=value`; a value in parentheses may hold a name with options of its own.

    >>> parse_options("worlds=20,eval=(td:model=best,size=3)")
    {'worlds': '20', 'eval': 'td:model=best,size=3'}

    :raises PlayerError: for a part without `=` or a duplicate option.
    """
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
            raise PlayerError(f"{quoted(part)} is not an option: write key=value")
        key, value = key.strip(), value.strip()
        if key in options:
            raise PlayerError(f"duplicate option {key}: {key}={options[key]} and {part}")
        options[key] = value[1:-1] if value.startswith("(") and value.endswith(")") else value
    return options


def _of_other_package(entry: EntryPoint) -> Family:
    """A family of another package, which is imported when a player of the family is made."""
    name = entry.name

    def make(argument: str) -> Player:
        try:
            factory: Factory = entry.load()
        except (Exception, SystemExit) as error:
            raise PlayerError(f"the package that provides player {quoted(name)} cannot be loaded: {error}") from error
        try:
            return factory(argument) if not isinstance(factory, type) else factory()
        except PlayerError:
            raise
        except (Exception, SystemExit) as error:
            raise PlayerError(
                f"player {quoted(name)} of another package failed: {type(error).__name__}: {error}"
            ) from error

    return Family(name, make, f"from {entry.value}")


FAMILIES: Registry[Family] = Registry("player", PlayerError, "heartlab.players", _of_other_package)
"""All families of players."""
