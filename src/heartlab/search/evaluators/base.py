"""Evaluators: compiled functions from an open state to what each seat may expect to score.

An evaluator is written in a few lines of Python and passed to any search; the searches are compiled once, for all of
them, because they call it through a function pointer.

    @evaluator("tricks", "counts tricks as points")
    def tricks(rules, state, root, floats, ints, scratch, out):
        for seat in range(rules["players"]):
            out[seat] = state["tricks_won"][seat]

`root` is the seat for which the search is made; `floats` and `ints` are the evaluator's own constant data (weights and
tables of a learned model), `scratch` is working memory that a thread has to itself, `out` takes one value per seat.
Lower is better. Searches evaluate wherever they stop, at the end of the deal, too: an evaluator that does not want to
judge finished deals itself calls `exact_points` there.

What is known about the values goes with the evaluator: `Bounds`, by which max^n may prune, and the unit. A name belongs
to whoever took it first; only the same function of the same module, as in a notebook cell that is run again, replaces
its former self, bounds and all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from heartlab.compiled.bits import ONE, ZERO, bit, lowest
from heartlab.compiled.jit import kernel, pointed
from heartlab.kernel.layout import NOBODY, OVER, RULES, STATE, apart
from heartlab.kernel.play import mask_points, points, shooter
from heartlab.rules import Rules
from heartlab.search.transpositions import EVERYTHING, POINTS
from heartlab.search.walk import INFINITY
from heartlab.util.registry import Registry, need_name

Function = Callable[..., None]
_FLOATS = types.float64[::1]
_INTS = types.int64[::1]
SIGNATURE = types.void(
    numba.from_dtype(RULES), numba.from_dtype(STATE), types.int64, _FLOATS, _INTS, _FLOATS, types.float64[::1]
)
"""What every evaluator function looks like to the searches."""


class Data(NamedTuple):
    """The data of an evaluator and a thread's working memory for it, as kernels take them."""

    floats: npt.NDArray[np.float64]
    ints: npt.NDArray[np.int64]
    scratch: npt.NDArray[np.float64]


DATA_TYPE = types.NamedTuple((_FLOATS, _INTS, _FLOATS), Data)
"""The same to the compiler."""

POINTS_UNIT, SHARE_UNIT = "points", "share"
"""What values are: expected points, or shares of what is good in the position on a scale of points, which order cards
but forecast nothing."""


@dataclass(frozen=True)
class Bounds:
    """What is certain about all values of an evaluator, at any place where a search may stop. Wrong bounds make wrong
    values; the default promises nothing, so that nothing is pruned.

    >>> Bounds(floor=26.0, most=26.0, least=0.0).most
    26.0
    >>> make_evaluator("points").bounds_under(Rules.parse("standard,moon=off"), between_tricks=True).floor
    26.0
    """

    floor: float = -INFINITY
    """The values of all seats together are at least this."""
    most: float = INFINITY
    """No value is more than this."""
    least: float = -INFINITY
    """No value is less than this."""
    past: int = EVERYTHING
    """How much of the past the values depend on (see `transpositions`)."""


NO_BOUNDS = Bounds()
AnyBounds = Bounds | Callable[[Rules, bool], Bounds]
"""Bounds, or a function of the rules, and of whether the search stops between tricks only, that gives them."""


@dataclass(frozen=True)
class Evaluator:
    """An evaluator ready for use: its function, its data, and what is known about its values.

    >>> made = make_evaluator("points")
    >>> made.name, made.unit, made.bounds_under(Rules.parse("standard"), between_tricks=True).floor
    ('points', 'points', 26.0)
    """

    name: str
    function: Function
    floats: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    ints: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    scratch_size: int = 1
    """Floats of working memory that each thread needs."""
    bounds: AnyBounds = NO_BOUNDS
    unit: str = POINTS_UNIT

    def bounds_under(self, rules: Rules, between_tricks: bool) -> Bounds:
        """The bounds under some rules, for a search that stops between tricks only, or anywhere."""
        return self.bounds if isinstance(self.bounds, Bounds) else self.bounds(rules, between_tricks)

    def scratch(self) -> npt.NDArray[np.float64]:
        """New working memory."""
        return apart(self.scratch_size, np.float64)

    def data(self) -> Data:
        """The data with new working memory, for one thread."""
        return Data(self.floats, self.ints, self.scratch())


class EvaluatorError(ValueError):
    """A name that stands for no evaluator, or for another one."""


Maker = Callable[[str], Evaluator]
"""Makes an evaluator from the text after the colon of its name."""
EVALUATORS: Registry[Maker] = Registry("evaluator", EvaluatorError, "heartlab.evaluators", lambda entry: entry.load())
"""All evaluators; the entry point of another package leads to a maker."""


compile_evaluator: Callable[[Function], Function] = pointed(SIGNATURE)
"""Compile a function with the signature of evaluators."""


def evaluator(
    name: str, summary: str = "", *, bounds: AnyBounds = NO_BOUNDS, unit: str = POINTS_UNIT
) -> Callable[[Function], Evaluator]:
    """Compile a function and register it as an evaluator under a name.

    :raises EvaluatorError: if the name is another's.
    """
    need_name("evaluator", name)

    def add(function: Function) -> Evaluator:
        EVALUATORS.claim(name, function)
        made = Evaluator(name, compile_evaluator(function), bounds=bounds, unit=unit)
        add_evaluator(made)
        return made

    return add


def add_evaluator(made: Evaluator) -> None:
    """Register an evaluator that is ready, under its own name.

    :raises EvaluatorError: if the name is another's.
    """
    EVALUATORS.add(made.name, lambda _: made, made.function)


def evaluator_family(name: str) -> Callable[[Maker], Maker]:
    """Register a function that makes an evaluator from the text after the colon, as in ``td:MODEL``."""

    def add(make: Maker) -> Maker:
        return EVALUATORS.add(name, make)

    return add


def make_evaluator(name: str) -> Evaluator:
    """The evaluator that a name stands for.

    :raises EvaluatorError: if there is none; the message lists the known ones.
    """
    family, _, argument = name.partition(":")
    return EVALUATORS.find(family, name)(argument)


@kernel
def exact_points(rules: Any, state: Any, out: Any) -> None:
    """The points of a finished deal, moon and bonuses included."""
    whole = np.empty(len(state["hands"]), np.int64)
    points(rules, state, whole)
    for seat in range(rules["players"]):
        out[seat] = whole[seat]


@kernel
def settled_points(rules: Any, state: Any, out: Any) -> None:
    """The points so far; if one seat has taken them all, those of its moon, even if cards are still to be played."""
    phase = state["phase"]
    if shooter(rules, state) != NOBODY:
        state["phase"] = OVER
    exact_points(rules, state, out)
    state["phase"] = phase


@kernel
def points_out(rules: Any, state: Any) -> int:
    """The points that are still to be taken: in hands or on the table."""
    cards = state["trick"]
    for seat in range(rules["players"]):
        cards |= state["hands"][seat]
    return mask_points(rules, cards & rules["penalty"])


@kernel
def with_extras(rules: Any, state: Any, seat: int, value: float) -> float:
    """What a seat's special cards make of the penalty points foreseen for it: the bonus that it has, and doubling."""
    taken = state["taken"][seat]
    if rules["bonus"] >= 0 and taken & bit(rules["bonus"]) != ZERO:
        value += rules["points"][rules["bonus"]]
    if rules["doubler"] >= 0 and taken & bit(rules["doubler"]) != ZERO:
        value *= 2
    return value


@kernel
def height(cards: np.uint64) -> int:
    """The sum of the ranks of some cards, 1 for the two to 13 for the ace."""
    total = 0
    while cards != ZERO:
        total += lowest(cards) % 13 + 1
        cards &= cards - ONE
    return total


def every_card_counts(rules: Rules, between_tricks: bool) -> bool:
    """Whether no card is ever out of sight: no kitty lies about where a search stops."""
    return rules.kitty == "none" or (rules.kitty == "first-trick" and between_tricks)


@cache
def point_bounds(rules: Rules, between_tricks: bool) -> Bounds:
    """The bounds of values that are points so far plus all points still out, shared in some way."""
    plain = rules.moon in ("off", "others") and rules.bonus is None and rules.doubler is None and not rules.no_tricks
    if not plain or not every_card_counts(rules, between_tricks):
        return Bounds(past=POINTS)
    total = float(rules.total_points)
    return Bounds(total, total * (2 if rules.sun else 1), 0.0, POINTS)


@evaluator("points", "points taken so far; the points still out are shared evenly", bounds=point_bounds)
def points_so_far(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """Points taken so far plus an even share of those still to be taken; exact when there are none."""
    settled_points(rules, state, out)
    if state["phase"] != OVER:
        for seat in range(rules["players"]):
            out[seat] += points_out(rules, state) / rules["players"]


@evaluator("low-cards", "points so far; the rest in proportion to the height of the cards held", bounds=point_bounds)
def low_cards(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """Points taken so far; what is still out falls to the seats in proportion to the ranks they hold."""
    settled_points(rules, state, out)
    if state["phase"] != OVER:
        total = 0
        for seat in range(rules["players"]):
            total += height(state["hands"][seat])
        for seat in range(rules["players"]):
            out[seat] += points_out(rules, state) * height(state["hands"][seat]) / total
