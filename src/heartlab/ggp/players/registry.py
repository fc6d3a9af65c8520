"""Players of games by name: `make_game_player("uct:sims=500")`.

Ours and those of other packages come through the entry-point group `heartlab.ggp_players`; a module is imported when
one of its names is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.players.base import GamePlayer
from heartlab.util.registry import Registry

Factory = Callable[[str, int], GamePlayer]
"""Makes a player from the text after the colon of its name, and a seed."""


@dataclass(frozen=True)
class Family:
    """One entry of the registry."""

    make: Factory
    summary: str


FAMILIES: Registry[Family] = Registry(
    "player of games", GdlError, "heartlab.ggp_players", lambda entry: Family(entry.load(), f"from {entry.value}")
)


def game_player(name: str, summary: str) -> Callable[[Factory], Factory]:
    """Register a function of the text after the colon and a seed as a player of games."""

    def add(make: Factory) -> Factory:
        FAMILIES.add(name, Family(make, summary), make)
        return make

    return add


def make_game_player(spec: str, seed: int = 0) -> GamePlayer:
    """A player from a text such as `random` or `uct:sims=500`.

    Raises:
        GdlError: the name or an option is not known.
    """
    name, _, rest = spec.partition(":")
    player = FAMILIES.find(name).make(rest, seed)
    player.make_again = lambda seed: make_game_player(spec, seed)
    return player


def known_game_players() -> dict[str, str]:
    """The names of all players of games, with one line about each."""
    return {name: family.summary for name, family in FAMILIES.known().items()}


def read_options(
    name: str, text: str, numbers: Sequence[str] = (), players: Sequence[str] = ()
) -> tuple[dict[str, int], dict[str, str]]:
    """The options `key=NUMBER,key=PLAYER` of a player: the numbers, and the names of other players.

    Raises:
        GdlError: an option is not known, or given twice.
    """
    found: dict[str, str] = {}
    for piece in filter(None, text.split(",")):
        key, _, value = piece.partition("=")
        if key not in players and not (key in numbers and value.isdecimal()):
            known = [*(f"{one}=NUMBER" for one in numbers), *(f"{one}=PLAYER" for one in players)]
            takes = ", ".join(known) or "no options"
            raise GdlError(f"'{name}:{text}': {piece!r} is no option of {name}, which takes {takes}")
        if key in found:
            raise GdlError(f"'{name}:{text}': duplicate option {key}: {found[key]} and {value}")
        found[key] = value
    return {key: int(found[key]) for key in numbers if key in found}, {
        key: found[key] for key in players if key in found
    }
