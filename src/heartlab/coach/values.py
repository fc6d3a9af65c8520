"""What the coach answers, as plain values that the page shows. Cards are written by name."""

from __future__ import annotations

from msgspec import Struct


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
