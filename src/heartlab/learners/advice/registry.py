"""All advice by name: ours and users'.

A piece of your own is a few lines of Python, compiled when it is defined, for any rules and number of players:

    @piece("lowest-heart", "Play the lowest heart.")
    def lowest_heart(rules, obs):
        hearts = obs["legal"] & HEARTS
        return hearts & (~hearts + ONE)

It gets the rules and an observation as records (`heartlab.kernel.layout`) and returns a set of cards; those that are
not legal are ignored. State-abstraction advice returns a number between 0 and 1 instead. Kernels know advice by number:
ours is computed together, that of users through one function pointer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import config
from numba.core.errors import NumbaError

from heartlab.compiled.bits import ZERO
from heartlab.compiled.jit import compile_reason, pointed
from heartlab.kernel.layout import OBSERVATION, RULES
from heartlab.learners.advice import abstractions, pieces
from heartlab.util.errors import quoted
from heartlab.util.registry import Registry

CUSTOM = 1000
"""Numbers from here on are advice of users."""
SIGNS = "+,=/:"
"""Separators where advice is named, which no name may contain."""
_RECORDS = (numba.from_dtype(RULES), numba.from_dtype(OBSERVATION))
PIECE = types.uint64(*_RECORDS)
VALUE = types.float64(*_RECORDS)
PIECES = types.uint64(*_RECORDS, types.int64)
VALUES = types.float64(*_RECORDS, types.int64)
"""Signatures of one piece or abstraction, and of all those of users together."""

Function = Callable[..., Any]


class AdviceError(ValueError):
    """An unknown or unusable name of advice."""


@dataclass(frozen=True)
class Advice:
    """One piece of advice of either kind."""

    name: str
    sentence: str
    number: int


@pointed(PIECES)
def no_pieces(rules: Any, obs: Any, index: int) -> np.uint64:
    """The advice of users while there is none."""
    return ZERO


@pointed(VALUES)
def no_values(rules: Any, obs: Any, index: int) -> float:
    """The state abstractions of users while there are none."""
    return 0.0


class _Stock:
    """Advice of one kind: ours by name, and what users added."""

    def __init__(
        self, ours: dict[str, tuple[int, str]], lists: tuple[str, ...], one: Any, all_of_them: Any, none: Function
    ) -> None:
        self.lists = lists
        self.registry: Registry[Advice] = Registry(
            "piece of advice", AdviceError, hint="`--use FILE` brings advice of your own."
        )
        for name, (number, sentence) in ours.items():
            self.registry.add(name, Advice(name, sentence, number), no_pieces)
        self.one, self.all_of_them, self.none = one, all_of_them, none
        self.functions: list[Function] = []
        self._together: Function | None = None

    def add(self, name: str, sentence: str, function: Function) -> Function:
        if name in self.lists:
            raise AdviceError(f"advice cannot be called {quoted(name)}: a list of pieces has this name")
        if not name or any(sign in SIGNS or sign.isspace() for sign in name):
            raise AdviceError(
                f"advice cannot be called {quoted(name)}: a name has no spaces and none of {' '.join(SIGNS)}"
            )
        self.registry.claim(name, function)
        try:
            compiled = pointed(self.one)(function)
        except NumbaError as error:
            raise AdviceError(f"advice {quoted(name)} cannot be compiled: {compile_reason(error)}") from error
        if name in self.registry:  # defined again, as notebooks do
            number = self.registry.find(name).number
            self.functions[number - CUSTOM] = compiled
        else:
            number = CUSTOM + len(self.functions)
            self.functions.append(compiled)
        self.registry.add(name, Advice(name, sentence, number), function)
        self._together = None
        return compiled

    def together(self) -> Function:
        """One function for all advice of users: takes its place in the list, and is compiled when first needed."""
        if self._together is None:
            chain = self.none
            for function in reversed(self.functions):
                chain = _link(function, chain, self.all_of_them)
            self._together = chain
        return self._together

    def find(self, names: Sequence[str]) -> list[Advice]:
        return [self.registry.find(name) for name in names]

    def by_name(self) -> dict[str, Advice]:
        """All of it, in the order of its numbers."""
        return {one.name: one for one in sorted(self.registry.known().values(), key=lambda one: one.number)}


def _link(first: Function, rest: Function, signature: Any) -> Function:
    """A function that is `first` at index 0 and `rest` behind it."""

    def both(rules: Any, obs: Any, index: int) -> Any:
        if index == 0:
            return first(rules, obs)
        return rest(rules, obs, index - 1)

    if config.DISABLE_JIT:
        return both
    linked: Function = numba.njit(signature, nogil=True, error_model="numpy")(both)
    return linked


_pieces = _Stock({**pieces.PAPER, **pieces.FURTHER}, ("paper", "pilot", "all"), PIECE, PIECES, no_pieces)
_values = _Stock(abstractions.NAMES, ("none", "paper", "table", "play"), VALUE, VALUES, no_values)


def piece(name: str, sentence: str) -> Callable[[Function], Function]:
    """Add a piece of move-selection advice: decorate a function (rules, obs) -> set of cards."""
    return lambda function: _pieces.add(name, sentence, function)


def abstraction(name: str, sentence: str) -> Callable[[Function], Function]:
    """Add a piece of state-abstraction advice: decorate a function (rules, obs) -> number from 0 to 1."""
    return lambda function: _values.add(name, sentence, function)


def known_pieces() -> dict[str, Advice]:
    """All move-selection advice by name."""
    return _pieces.by_name()


def known_abstractions() -> dict[str, Advice]:
    """All state-abstraction advice by name."""
    return _values.by_name()


def custom_functions() -> tuple[Function, Function]:
    """What kernels call for advice of users: move selection, state abstraction."""
    return _pieces.together(), _values.together()


def _spelled_out(text: str, lists: Mapping[str, list[str]]) -> list[str]:
    """Names joined with ``+``, with those of a list in the place of its name."""
    names = [name for part in text.split("+") for name in lists.get(part, [part])]
    for name, times in Counter(names).items():
        if times > 1:
            raise AdviceError(f"{text}: {name} is named twice")
    return names


PILOT_PIECES = 11
"""Pieces beyond the paper that were tried in a pilot."""


def find_pieces(text: str) -> list[Advice]:
    """Pieces by the names of lists (`paper`: nine, `pilot`: twenty, `all`) and by their own, joined with ``+``.

    :raises AdviceError: for an unknown name, or a piece that is named twice.
    """
    names = {"paper": list(pieces.PAPER), "all": [*pieces.PAPER, *pieces.FURTHER]}
    names["pilot"] = names["all"][: len(pieces.PAPER) + PILOT_PIECES]
    return _pieces.find(_spelled_out(text, names))


def find_abstractions(text: str, players: int) -> list[Advice]:
    """Abstractions by the names of lists and by their own, joined with ``+``.

    `paper`: the seventeen inputs of the network (more with more opponents); `table`: the nine of the table learner;
    `play`: the ones beyond the paper; `none`.

    :raises AdviceError: for an unknown name, one that is named twice, or an opponent that there is not.
    """
    suits, opponents = abstractions.SUIT_NAMES, range(1, players)
    names = {
        "none": [],
        "paper": ["queen-out"]
        + [f"none-left-{suit}" for suit in suits]
        + [f"showed-void-{who}-{suit}" for who in opponents for suit in suits]
        + [f"out-{suit}" for suit in suits],
        "table": ["queen-out"] + [f"void-{who}-{suit}" for who in opponents for suit in suits],
        "play": [name for name, (number, _) in abstractions.NAMES.items() if number >= abstractions.LEADING],
    }
    found = _values.find(_spelled_out(text, names))
    check_opponents([one.number for one in found], players)
    return found


def check_opponents(numbers: Iterable[int], players: int) -> None:
    """Refuse abstractions about an opponent that there is not.

    :raises AdviceError: with a sentence that names one of them.
    """
    for number in numbers:
        opponent = abstractions.opponent_of(number)
        if opponent >= players:
            name = next(one.name for one in _values.by_name().values() if one.number == number)
            raise AdviceError(f"{name}: with {players} players there is no opponent {opponent}")
