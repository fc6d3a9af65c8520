"""What the coach answers, as plain values that the page shows, and from when on a cost counts. Cards are names."""

from __future__ import annotations

from msgspec import Struct

CLEAR = 2.0
"""Standard errors above which the cost of a decision counts."""
MISTAKE = 0.4
"""Expected points from which a decision is a mistake, if its cost counts."""


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


def is_equal(cost: float, se: float) -> bool:
    """Whether a cost is within the noise, on either side."""
    return abs(cost) <= CLEAR * se


class Judged(Struct):
    """What the coach thinks of one card."""

    card: str
    expected: float
    se: float | None
    low: float
    high: float
    best_in: float
    moon: float
    own_moon: float
    words: list[str]


class Coaching(Struct, tag="coaching"):
    """What the coach thinks of a decision, the best card first."""

    at: int
    player: str
    seed: int
    worlds: int
    cards: list[Judged]
    words: list[str]
    ideas: list[str]
    play_on: str
    """How the deals go on in which a moon is counted."""


class Passing(Struct):
    """Cards to pass, with the points expected then, and how much more that is than the first pass of the list."""

    cards: list[str]
    expected: float
    se: float
    by: list[str]
    cost: float
    cost_se: float
    equal: bool
    """Within two standard errors of the first pass."""


class PassCoaching(Struct, tag="passing"):
    """What could be passed, the coach's pass first, over the same worlds."""

    worlds: int
    sets: list[Passing]
    words: list[str]
    note: str
    """How the figures were made."""


class Checked(Struct, tag="checked"):
    """The blunder check: whether there was something better. Cost and reasons are shown only when asked for."""

    at: int
    card: str
    better: bool
    cost: float
    words: list[str]


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
    worlds: int


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
    player: str
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


class Graded(Struct, tag="graded"):
    """The answer to a puzzle."""

    puzzle: int
    right: bool
    best: str
    text: str
    cards: list[tuple[str, float]]


class LevelEstimate(Struct, tag="level"):
    """How many points a deal one's decisions cost, with the interval, and what that compares to."""

    name: str
    deals: int
    decisions: int
    per_deal: float | None
    low: float | None
    high: float | None
    text: str
