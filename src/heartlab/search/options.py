"""The options of a search: a typed value, its text form in players' names, and the record that kernels take.

`parse("uct", {"worlds": "50"})` reads the options of a player's name; `compile_options` makes the record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np

from heartlab.kernel.layout import StateArray
from heartlab.search.evaluators.base import NO_BOUNDS, Bounds
from heartlab.search.playouts import known_policies
from heartlab.util.errors import quoted


class Kind(IntEnum):
    """The kinds of search; their names in lower case are those of players.

    >>> parse("paranoid", {}).kind
    <Kind.PARANOID: 1>
    >>> Kind.UCT.simulates, Kind.MAXN.simulates
    (True, False)
    """

    MAXN = 0
    PARANOID = 1
    SOFTMAXN = 2
    PROBMAXN = 3
    UCT = 4
    ISMCTS = 5

    @property
    def simulates(self) -> bool:
        """Whether it grows trees by simulations."""
        return self in (Kind.UCT, Kind.ISMCTS)


class Ties(IntEnum):
    """Which of several cards with equal values is chosen.

    >>> parse("maxn", {}).ties, parse("maxn", {"ties": "random"}).ties
    (<Ties.FIRST: 0>, <Ties.RANDOM: 1>)
    """

    FIRST = 0
    """The first in search order."""
    RANDOM = 1
    WORST = 2
    """The first at the root; at the others' nodes the one that is worst for the root."""


class Prune(IntEnum):
    """How max^n is pruned; alpha-beta distinguishes only NO from the rest.

    >>> parse("maxn", {}).prune, parse("maxn", {"prune": "no"}).prune
    (<Prune.CAREFUL: 2>, <Prune.NO: 0>)
    """

    NO = 0
    SHALLOW = 1
    CAREFUL = 2
    """Speculate where no doubt is likely to come back."""
    BOLD = 3
    """Speculate wherever possible."""


class Pick(IntEnum):
    """What decides between cards at the root.

    >>> parse("uct", {}).pick, parse("uct", {"pick": "visits"}).pick
    (<Pick.VALUE: 0>, <Pick.VISITS: 1>)
    """

    VALUE = 0
    VISITS = 1


KINDS = {kind.name.lower(): kind for kind in Kind}
TIES = {ties.name.lower(): ties for ties in Ties}
PRUNING = {"yes": Prune.CAREFUL, "no": Prune.NO, "shallow": Prune.SHALLOW, "bold": Prune.BOLD}
PICKS = {"visits": Pick.VISITS, "value": Pick.VALUE}
YES_NO = {"yes": True, "no": False}

TO_THE_END = 0
"""A number of tricks: to the end of the deal."""
THESIS = "thesis"
"""Who passes by the rule of the thesis program."""
MOST = 1_000_000
"""The largest whole number that an option may have: a tree of so many simulations takes a gigabyte."""


class SearchError(ValueError):
    """Invalid options of a search."""


@dataclass(frozen=True)
class SearchOptions:
    """The options of a search.

    >>> options = parse("uct", {"worlds": "50"})
    >>> options.worlds, options.simulations, options.is_open
    (50, 100, False)
    >>> SearchOptions(worlds=-1)
    Traceback (most recent call last):
    heartlab.search.options.SearchError: worlds=-1: at least 0

    :raises SearchError: if a number is out of bounds.
    """

    kind: Kind = Kind.MAXN
    worlds: int = 20
    """Sampled worlds per choice (ISMCTS: trees); 0: open."""
    evaluator: str = "pie"
    tricks: int | None = None
    """Depth in tricks, the present one included, or TO_THE_END. None: 1, or with a time budget and all hands known as
    deep as there is time for."""
    plies: int = 0
    """Depth in cards; 0: by tricks."""
    merge: bool = True
    """Search equivalent cards once."""
    ties: Ties = Ties.FIRST
    endgame: int = 0
    """Solve exactly when no hand holds more cards than this."""
    prune: Prune = Prune.CAREFUL
    table: bool = True
    """Keep a transposition table."""
    simulations: int = 500
    """Simulations per world (ISMCTS: per tree)."""
    exploration: float = 1.0
    playout: str = "throw"
    """Playout policy."""
    cut: int = 0
    """Tricks after which a playout asks the evaluator; 0: never."""
    pick: Pick = Pick.VALUE
    also: str | None = None
    """Evaluator of a second opinion about each world."""
    passer: str = THESIS
    """The player that chooses the cards to pass."""
    milliseconds: int = 0
    """Time budget per choice; 0: none."""
    threads: int = 1

    def __post_init__(self) -> None:
        for key, value, least, most in (
            ("trees" if self.kind == Kind.ISMCTS else "worlds", self.worlds, self.kind == Kind.ISMCTS, 100_000),
            ("ms", self.milliseconds, 0, 86_400_000),
            ("threads", self.threads, 1, 256),
            ("tricks", self.tricks or 0, 0, MOST),
            ("plies", self.plies, 0, MOST),
            ("endgame", self.endgame, 0, MOST),
            ("sims", self.simulations, 1, MOST),
            ("cut", self.cut, 0, MOST),
        ):
            if value < least:
                raise SearchError(f"{key}={value}: at least {int(least)}")
            if value > most:
                raise SearchError(f"{key}={str(value)[:40]}: at most {most}")
        if not math.isfinite(self.exploration) or self.exploration < 0:
            raise SearchError(f"c={self.exploration:g}: a finite number of at least 0")
        _choice("playout", self.playout, known_policies())

    @property
    def is_open(self) -> bool:
        """Whether all hands are known."""
        return self.worlds == 0


def default_options(kind: Kind, is_open: bool = False) -> SearchOptions:
    """The options of a kind of search that a player's name does not mention."""
    tree = SearchOptions(kind, 1, "points", playout="gnome", pick=Pick.VISITS, passer="gnome:jake")
    if kind == Kind.ISMCTS:
        return replace(tree, exploration=0.4, simulations=10_000)
    if kind == Kind.UCT and is_open:
        return replace(tree, exploration=0.5, worlds=0)
    if kind == Kind.UCT:  # its errors come from too few worlds sooner than from too few simulations
        return replace(tree, exploration=0.5, worlds=100, simulations=100, pick=Pick.VALUE)
    return SearchOptions(kind)


# --- text ---


def _choice(key: str, text: str, known: Iterable[str]) -> str:
    if text not in known:
        raise SearchError(f"{key}={text} is unknown; choose from {', '.join(known)}")
    return text


def _one_of(known: Mapping[str, Any]) -> Callable[[str, str], Any]:
    return lambda key, text: known[_choice(key, text, known)]


def _word(key: str, text: str) -> str:
    return text


def _number(key: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise SearchError(f"{key}={text[:40]}: write a whole number") from None


def _tricks(key: str, text: str) -> int:
    tricks = TO_THE_END if text == "all" else _number(key, text)
    if tricks == TO_THE_END and text != "all":
        raise SearchError(f"{key}={text}: at least 1")
    return tricks


def _real(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SearchError(f"{key}={text}: write a number") from None


def _evaluator_or_none(key: str, text: str) -> str | None:
    return None if text == "none" else text


_READ: dict[str, tuple[str, Callable[[str, str], Any]]] = {
    "worlds": ("worlds", _number),
    "trees": ("worlds", _number),
    "eval": ("evaluator", _word),
    "ms": ("milliseconds", _number),
    "threads": ("threads", _number),
    "pick": ("pick", _one_of(PICKS)),
    "also": ("also", _evaluator_or_none),
    "pass": ("passer", _word),
    "tricks": ("tricks", _tricks),
    "plies": ("plies", _number),
    "merge": ("merge", _one_of(YES_NO)),
    "endgame": ("endgame", _number),
    "ties": ("ties", _one_of(TIES)),
    "prune": ("prune", _one_of(PRUNING)),
    "table": ("table", _one_of(YES_NO)),
    "sims": ("simulations", _number),
    "c": ("exploration", _real),
    "playout": ("playout", _word),
    "cut": ("cut", _number),
}
"""The options in text: the field, and the function that reads the value."""
_DEPTH = ("tricks", "plies", "merge", "endgame")
_SIMULATING = ("sims", "c", "playout", "cut", "merge")
_MEANT = {
    Kind.MAXN: (*_DEPTH, "ties", "prune", "table"),
    Kind.PARANOID: (*_DEPTH, "prune", "table"),
    Kind.SOFTMAXN: _DEPTH,
    Kind.PROBMAXN: _DEPTH,
    Kind.UCT: (*_SIMULATING, "endgame"),
    Kind.ISMCTS: _SIMULATING,
}


def known_options(kind: Kind) -> list[str]:
    """The options that mean something to a kind of search."""
    return [
        "trees" if kind == Kind.ISMCTS else "worlds", "eval", "ms", "threads", *(["pick"] if kind.simulates else []),
        *(["also"] if kind == Kind.UCT else []), "pass", *_MEANT[kind],
    ]  # fmt: skip


def parse(
    kind: str, texts: Mapping[str, str], *, others: Sequence[str] = (), without: Sequence[str] = ()
) -> SearchOptions:
    """Read the options of a player's name.

    :param others: options that the maker of the player has read, to be listed when one is wrong.
    :param without: options that this player does not have.
    :raises SearchError: for an option that is unknown, means nothing to this kind, or has an invalid value.
    """
    chosen = KINDS[_choice("search", kind, KINDS)]
    if chosen == Kind.ISMCTS and "worlds" in texts:
        raise SearchError("ismcts draws a world for every simulation: say sims=N, or trees=N for several trees")
    known = [key for key in known_options(chosen) if key not in without]
    for key in sorted(set(texts) - set(known)):
        elsewhere = key in _READ or key == "search"
        what = f"{key} means nothing to {kind}" if elsewhere else f"no option is called {quoted(key)}"
        raise SearchError(f"{what}; known are {', '.join([*others, *known])}")
    fields = {_READ[key][0]: _READ[key][1](key, text) for key, text in texts.items()}
    return replace(default_options(chosen, fields.get("worlds") == 0), **fields)


# --- kernels ---

SPEC = np.dtype(
    [
        ("kind", "i8"),
        ("plies", "i8"),
        ("tricks", "i8"),
        ("merge", "i8"),
        ("ties", "i8"),
        ("endgame", "i8"),
        ("simulations", "i8"),
        ("policy", "i8"),  # code of the playout policy
        ("cut", "i8"),
        ("prune", "i8"),
        ("table", "i8"),
        ("past", "i8"),  # how much of the past values depend on
        ("exploration", "f8"),
        ("floor", "f8"),  # the values of all seats together are at least this
        ("most", "f8"),  # no value is more than this
        ("least", "f8"),  # no value is less than this
    ],
    align=True,
)
"""The options as kernels take them, with what is known about the evaluator's values."""


def compile_options(options: SearchOptions, bounds: Bounds = NO_BOUNDS) -> StateArray:
    """An array of one SPEC record; max^n prunes by the bounds of the evaluator's values."""
    array = np.zeros(1, SPEC)
    array[0] = (
        options.kind, options.plies, 1 if options.tricks is None else options.tricks, options.merge, options.ties,
        options.endgame, options.simulations, known_policies()[options.playout][0], options.cut, options.prune,
        options.table, bounds.past, options.exploration, bounds.floor, bounds.most, bounds.least,
    )  # fmt: skip
    return array
