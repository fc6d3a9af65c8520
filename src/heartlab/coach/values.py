"""What the coach answers, as plain values that the page shows, and the thresholds of a mistake. Cards are names."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

CLEAR = 2.0
"""Standard errors above which the cost of a decision counts."""
MISTAKE = 0.4
"""Expected points from which a decision is a mistake, if its cost counts."""

NOTHING, LITTLE = 0.15, 0.3
"""Two choices are about the same if they differ by less than the first; or the second, within the noise."""


def clear_cost(cost: float, se: float | None) -> float:
    """What a decision cost, if that is clear of the noise; otherwise nothing.

    The coach compares two cards in the same worlds. The card that looks best among several is partly lucky, so even a
    perfect player would seem to lose a little with every card; only differences of more than `CLEAR` standard errors
    over the worlds count.
    """
    return cost if cost > 0 and (se is None or cost > CLEAR * se) else 0.0


def is_mistake(cost: float, se: float | None) -> bool:
    """Whether a cost counts, and is large."""
    return clear_cost(cost, se) >= MISTAKE


def about_same(cost: float, se: float | None) -> bool:
    """Whether two choices are as good as each other: next to nothing lies between them, or little, within the noise."""
    return abs(cost) <= max(NOTHING, min(CLEAR * (se or 0.0), LITTLE))


def within_noise(cost: float, se: float) -> bool:
    """Whether a cost is within the noise, on either side."""
    return abs(cost) <= max(NOTHING, CLEAR * se)


class Judged(Struct):
    """What the coach thinks of one card, counted in deals that were played to their end."""

    card: str
    expected: float
    """Points: 13 x `queen` + `hearts` + moons (+ `bonus`), under standard rules."""
    se: float | None
    low: float
    high: float
    best_in: float
    queen: float
    """Share of the deals in which the seat takes Q♠."""
    hearts: float
    """Points of hearts that it takes."""
    bonus: float
    """Points of other cards."""
    moon: float
    """Share in which another seat shoots the moon."""
    own_moon: float
    moons: float
    """What moons add to the points, or take off."""
    cost: float
    """How much more than the coach's card."""
    equal: bool
    """About the same as the coach's card."""


class Coaching(Struct, tag="coaching"):
    """What the coach thinks of a decision, the best card first."""

    at: int
    seed: int
    worlds: int
    first: str
    """The advice in a line: a card, or any of some."""
    words: list[str]
    """At most two sentences for it."""
    ideas: list[str]
    cards: list[Judged]
    more: list[str]
    """What learned models say for it."""
    note: str
    """How the figures were made."""
    line: dict[str, Any] | None = None
    """In a replay: the record of the deal as it goes on after the coach's card."""
    to: str = ""
    """In a replay: to whom it is said; empty if that is the person who looks on."""


class Passing(Struct):
    """Cards to pass, with the points expected then, and how much more that is than the first pass of the list."""

    cards: list[str]
    expected: float
    se: float
    queen: float
    hearts: float
    moon: float
    own_moon: float
    cost: float
    cost_se: float
    equal: bool
    """Within two standard errors of the first pass."""


class PassCoaching(Struct, tag="passing"):
    """What could be passed, the coach's pass first, over the same worlds."""

    worlds: int
    first: str
    """The advice in a line."""
    words: list[str]
    """At most two sentences for it."""
    ideas: list[str]
    sets: list[Passing]
    note: str
    """How the figures were made."""


class Checked(Struct, tag="checked"):
    """The blunder check: whether there was something better. Cost and reasons are shown only when asked for."""

    at: int
    card: str
    better: bool
    cost: float
    words: list[str]


class MoonRisk(Struct, tag="risk"):
    """Whether somebody may shoot the moon; `text` is empty unless that is likely enough to be told."""

    at: int
    seat: int | None
    """Who; None unless it is told."""
    share: float
    text: str


class Counted(Struct, tag="counted"):
    """The card-counting panel."""

    at: int
    out: list[str]
    voids: list[list[str]]
    queen: list[float] | None
    queen_text: str
    moon: float
    moon_seat: int | None
    moon_text: str


class Decision(Struct):
    """One decision of a review."""

    at: int
    trick: int
    card: str
    best: str
    cost: float
    se: float | None
    expected: float
    words: list[str]


class PassReview(Struct):
    """What was passed, beside what the coach would pass; `text` says whether the difference is clear of the noise."""

    cards: list[str]
    best: list[str]
    cost: float
    se: float
    text: str
    words: list[str]


class Reviewed(Struct, tag="reviewed"):
    """A finished deal under the coach's eyes; `total` and `text` count only costs that are clear of the noise."""

    number: int
    seed: int
    course: list[tuple[int, float]]
    decisions: list[Decision]
    worst: list[Decision]
    total: float
    text: str
    note: str
    """From when on a decision counts, and is a mistake."""
    passing: PassReview | None = None


class PuzzleView(Struct, tag="puzzle"):
    """A position to solve; or none, and when the next one is due."""

    puzzle: int | None
    text: str
    names: list[str] = []
    hand: list[str] = []
    legal: list[str] = []
    trick: list[tuple[int, str]] = []
    played: list[list[str]] = []
    points: list[int] = []
    broken: bool = False
    waiting: int = 0
    rules: str = ""
    breaking: bool = False
    last: list[tuple[int, str]] = []
    hand_sizes: list[int] = []
    tricks_won: list[int] = []
    voids: list[list[str]] = []
    passed: list[str] = []
    received: list[str] = []
    direction: str = "hold"
    stage: int = 0
    """How often it was solved in a row."""
    days: list[int] = []
    """Days until it comes back, once it has been solved so often."""


class Graded(Struct, tag="graded"):
    """The answer to a puzzle."""

    puzzle: int
    right: bool
    best: str
    text: str
    cards: list[tuple[str, float]]
    chosen: str = ""
    """The card that was answered."""
    played: str = ""
    """The card that was played in the deal."""
    again: str = ""
    """When the puzzle comes back, and how often it was solved in a row."""


class LevelEstimate(Struct, tag="level"):
    """How many points a deal one's decisions cost, with the interval, and what that compares to."""

    name: str
    deals: int
    decisions: int
    per_deal: float | None
    low: float | None
    high: float | None
    text: str
    course: list[tuple[int, float, float, float]] = []
    """The estimate and its interval as they were after so many deals."""
    courses: dict[str, list[tuple[int, float, float, float]]] = {}
    """The same from the deals against each strength of opponents alone."""
