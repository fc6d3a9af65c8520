"""The percepts beyond the FALCON paper: a stock of conditions from which growth picks.

There are three kinds of decisions, each with percepts of its own: to follow suit, to throw a card when void, and to
lead. A percept states something about a quantity: that the number of outstanding cards of a suit is at most 2, say.
Percepts are bits of one number (:mod:`heartlab.learners.falcon.sensing` computes them). "Outstanding" cards are those
that others may hold; a card is *safe* if no outstanding card of its suit is below it: whoever plays the suit after it
beats it.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import NamedTuple

from heartlab.learners.falcon.percepts import Sentence

FOLLOW, VOID, LEAD = range(3)
"""Kinds of decisions."""
KINDS = ("follow", "void", "lead")
SUITS = ("♣", "♦", "♠", "♥")
Values = frozenset[int]
MOST = 13
"""The highest number that a quantity can be."""
OURS, OUTSTANDING, ON_TABLE, GONE = range(4)
"""Values of `Quantity.QUEEN`."""
SPADE_LED, HEART_LED, MINOR_LED = range(3)
"""Values of `Quantity.LED`."""


class Quantity(StrEnum):
    """What percepts are about. Numbers and places first; then flags, 1 or 0, whose texts are the percepts' names."""

    HELD = "held"
    OUTSTANDING = "outstanding"
    BELOW_LOWEST = "below lowest"
    """Outstanding cards of a suit below our lowest of it; the next three likewise."""
    ABOVE_LOWEST = "above lowest"
    BELOW_HIGHEST = "below highest"
    ABOVE_HIGHEST = "above highest"
    TRICKS = "tricks"
    """Tricks that are over."""
    SMALL_SPADES = "small spades"
    """Our spades below Q♠."""
    DANGERS = "dangers"
    """Our dangerous suits, the led one left out."""
    TO_COME = "to come"
    """Seats that play after us."""
    QUEEN = "queen"
    """Where Q♠ is."""
    LED = "led"
    """The suit led."""
    POINTS = "points are on the table"
    DUCK = "we can duck"
    WIN = "we can win"
    LATER_VOID = "a later seat is void"
    LATER_ALL_VOID = "all later seats are void"
    HIGH_SPADE_OURS = "K♠ or A♠ is ours"
    HIGH_SPADE_ON_TABLE = "K♠ or A♠ is on the table"
    HIGH_SPADE_OUTSTANDING = "K♠ or A♠ is outstanding"
    LATER_QUEEN = "a later seat may hold Q♠"
    BEST_STAYS = "none outstanding is above the best"
    SAFE_ELSEWHERE = "we have a safe card elsewhere"
    WE_TOOK = "we have taken points"
    OTHERS_TOOK = "others have taken points"
    BEST_HIGH = "the best is ten or higher"
    UNDER_HIGH = "our card below the best is ten or higher"
    LOWEST_HIGH = "our lowest is eight or higher"
    WINNER_TOOK = "the winner has taken points"
    SEAT_VOID = "a seat is void of"
    """Of a suit."""

    @property
    def is_flag(self) -> bool:
        """Whether it is 1 or 0."""
        return self not in _MEASURED


_MEASURED = frozenset(list(Quantity)[: list(Quantity).index(Quantity.POINTS)])


class Subject(NamedTuple):
    """A quantity of a suit; without a suit: of the suit led, or of none."""

    quantity: Quantity
    suit: str = ""


class Relation(Enum):
    """How the quantity of a percept compares with its number."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    EXACTLY = "exactly"


AT_MOST, AT_LEAST, EXACTLY = Relation


class Percept(NamedTuple):
    """A condition: the quantity of a subject is at most, at least or exactly a number."""

    words: Sentence
    """Its name; models know percepts by their names."""
    subject: Subject
    relation: Relation
    number: int

    @property
    def name(self) -> str:
        """The name as one text."""
        return self.words.text

    @property
    def values(self) -> Values:
        """The values of the quantity for which it holds."""
        if self.relation is AT_MOST:
            return frozenset(range(self.number + 1))
        return frozenset(range(self.number, MOST + 1) if self.relation is AT_LEAST else [self.number])

    @property
    def of_paper(self) -> bool:
        """Whether it is about what the paper's agent perceives: hearts, the high spades, the suit led."""
        return self.subject.suit == "♥" or self.subject.quantity in _OF_THE_PAPER


_OF_THE_PAPER = (
    Quantity.QUEEN, Quantity.LATER_QUEEN, Quantity.LED, Quantity.HIGH_SPADE_OURS, Quantity.HIGH_SPADE_ON_TABLE,
    Quantity.HIGH_SPADE_OUTSTANDING,
)  # fmt: skip


def _percept(words: str | Sentence, quantity: Quantity, relation: Relation, number: int, suit: str = "") -> Percept:
    return Percept(Sentence(words) if isinstance(words, str) else words, Subject(quantity, suit), relation, number)


def _flag(quantity: Quantity, suit: str = "") -> Percept:
    return _percept(f"{quantity} {suit}" if suit else quantity.value, quantity, EXACTLY, 1, suit)


def _progress() -> tuple[Percept, ...]:
    return tuple(_percept(f"{number} tricks are over", Quantity.TRICKS, AT_LEAST, number) for number in (3, 6, 9))


FOLLOW_PERCEPTS = (
    _percept("we are last", Quantity.TO_COME, AT_MOST, 0),
    _percept("one seat is to come", Quantity.TO_COME, EXACTLY, 1),
    _flag(Quantity.POINTS),
    _percept("Q♠ is on the table", Quantity.QUEEN, EXACTLY, ON_TABLE),
    _percept("♠ is led", Quantity.LED, EXACTLY, SPADE_LED),
    _percept("♥ is led", Quantity.LED, EXACTLY, HEART_LED),
    _flag(Quantity.DUCK),
    _flag(Quantity.WIN),
    _percept(Sentence("", "none", "outstanding is above our highest"), Quantity.ABOVE_HIGHEST, AT_MOST, 0),
    _percept(Sentence("", "none", "of the suit is outstanding"), Quantity.OUTSTANDING, AT_MOST, 0),
    _percept("at most 1 is outstanding", Quantity.OUTSTANDING, AT_MOST, 1),
    _percept("at most 2 are outstanding", Quantity.OUTSTANDING, AT_MOST, 2),
    _percept("at most 4 are outstanding", Quantity.OUTSTANDING, AT_MOST, 4),
    _percept("at most 6 are outstanding", Quantity.OUTSTANDING, AT_MOST, 6),
    _flag(Quantity.LATER_VOID),
    _flag(Quantity.LATER_ALL_VOID),
    _percept("we hold 1 of the suit", Quantity.HELD, EXACTLY, 1),
    _percept("we hold at most 2", Quantity.HELD, AT_MOST, 2),
    _percept("we hold 4 or more", Quantity.HELD, AT_LEAST, 4),
    _percept("our lowest is safe", Quantity.BELOW_LOWEST, AT_MOST, 0),
    _percept("at most 1 outstanding is below our lowest", Quantity.BELOW_LOWEST, AT_MOST, 1),
    _percept("at most 3 outstanding are below our lowest", Quantity.BELOW_LOWEST, AT_MOST, 3),
    _percept("Q♠ is ours", Quantity.QUEEN, EXACTLY, OURS),
    _percept("Q♠ is outstanding", Quantity.QUEEN, EXACTLY, OUTSTANDING),
    _flag(Quantity.HIGH_SPADE_OURS),
    _flag(Quantity.HIGH_SPADE_ON_TABLE),
    _flag(Quantity.LATER_QUEEN),
    *_progress(),
    _percept(Sentence("", "no", "heart is outstanding"), Quantity.OUTSTANDING, AT_MOST, 0, "♥"),
    _percept(Sentence("", "none", "outstanding is above the best"), Quantity.BEST_STAYS, EXACTLY, 1),
    _flag(Quantity.SAFE_ELSEWHERE),
    _flag(Quantity.WE_TOOK),
    _percept("we hold 2 small spades", Quantity.SMALL_SPADES, AT_LEAST, 2),
    _percept("we hold 4 small spades", Quantity.SMALL_SPADES, AT_LEAST, 4),
    _percept("another suit of ours is dangerous", Quantity.DANGERS, AT_LEAST, 1),
    _percept("two other suits of ours are dangerous", Quantity.DANGERS, AT_LEAST, 2),
    _flag(Quantity.BEST_HIGH),
    _flag(Quantity.UNDER_HIGH),
    _flag(Quantity.LOWEST_HIGH),
    _percept("our highest heart can win", Quantity.BELOW_HIGHEST, AT_LEAST, 2, "♥"),
    _flag(Quantity.WINNER_TOOK),
    _percept("at most 1 outstanding is above our highest", Quantity.ABOVE_HIGHEST, AT_MOST, 1),
    _percept("we hold 3 or more of the suit", Quantity.HELD, AT_LEAST, 3),
)


def _void_block(suit: str) -> tuple[Percept, ...]:
    top = f"outstanding is above our highest {suit}"
    return (
        _percept(f"we hold {suit}", Quantity.HELD, AT_LEAST, 1, suit),
        _percept(f"we hold 1 {suit}", Quantity.HELD, EXACTLY, 1, suit),
        _percept(f"we hold 2 {suit}", Quantity.HELD, EXACTLY, 2, suit),
        _percept(f"our lowest {suit} is safe", Quantity.BELOW_LOWEST, AT_MOST, 0, suit),
        _percept(f"at most 2 outstanding are below our lowest {suit}", Quantity.BELOW_LOWEST, AT_MOST, 2, suit),
        _percept(Sentence("", "none", top), Quantity.ABOVE_HIGHEST, AT_MOST, 0, suit),
        _percept(Sentence("", "no", f"{suit} is outstanding"), Quantity.OUTSTANDING, AT_MOST, 0, suit),
        _percept(f"at most 3 {suit} are outstanding", Quantity.OUTSTANDING, AT_MOST, 3, suit),
        _flag(Quantity.SEAT_VOID, suit),
        _percept(f"at most 1 {top}", Quantity.ABOVE_HIGHEST, AT_MOST, 1, suit),
    )


VOID_PERCEPTS = (
    *(percept for suit in SUITS for percept in _void_block(suit)),
    _percept("we are last", Quantity.TO_COME, AT_MOST, 0),
    _flag(Quantity.POINTS),
    _percept("Q♠ is on the table", Quantity.QUEEN, EXACTLY, ON_TABLE),
    _percept("Q♠ is outstanding", Quantity.QUEEN, EXACTLY, OUTSTANDING),
    _flag(Quantity.WINNER_TOOK),
    *_progress(),
    _flag(Quantity.WE_TOOK),
    _flag(Quantity.BEST_HIGH),
    _flag(Quantity.LATER_ALL_VOID),
)


def _lead_block(suit: str) -> tuple[Percept, ...]:
    return (
        _percept(f"we hold {suit}", Quantity.HELD, AT_LEAST, 1, suit),
        _percept(f"our lowest {suit} is safe", Quantity.BELOW_LOWEST, AT_MOST, 0, suit),
        _percept(f"at most 1 outstanding is below our lowest {suit}", Quantity.BELOW_LOWEST, AT_MOST, 1, suit),
        _percept(f"at least 2 outstanding are above our lowest {suit}", Quantity.ABOVE_LOWEST, AT_LEAST, 2, suit),
        _percept(Sentence("", "no", f"{suit} is outstanding"), Quantity.OUTSTANDING, AT_MOST, 0, suit),
        _percept(f"at most 3 {suit} are outstanding", Quantity.OUTSTANDING, AT_MOST, 3, suit),
        _percept(f"at most 6 {suit} are outstanding", Quantity.OUTSTANDING, AT_MOST, 6, suit),
        _flag(Quantity.SEAT_VOID, suit),
        _percept(
            Sentence("", "none", f"outstanding is above our highest {suit}"), Quantity.ABOVE_HIGHEST, AT_MOST, 0, suit
        ),
        _percept(f"we hold at least 2 {suit}", Quantity.HELD, AT_LEAST, 2, suit),
        _percept(f"we hold at least 4 {suit}", Quantity.HELD, AT_LEAST, 4, suit),
        _percept(f"at most 2 outstanding are below our highest {suit}", Quantity.BELOW_HIGHEST, AT_MOST, 2, suit),
    )


LEAD_PERCEPTS = (
    *(percept for suit in SUITS for percept in _lead_block(suit)),
    _percept("Q♠ is ours", Quantity.QUEEN, EXACTLY, OURS),
    _percept("Q♠ is outstanding", Quantity.QUEEN, EXACTLY, OUTSTANDING),
    _flag(Quantity.HIGH_SPADE_OURS),
    _flag(Quantity.HIGH_SPADE_OUTSTANDING),
    *_progress(),
    _flag(Quantity.WE_TOOK),
    _flag(Quantity.OTHERS_TOOK),
    _percept("we hold 2 small spades", Quantity.SMALL_SPADES, AT_LEAST, 2),
)
PERCEPTS = (FOLLOW_PERCEPTS, VOID_PERCEPTS, LEAD_PERCEPTS)
"""What can be perceived in each kind of decision; bit k is the k-th of them."""
PAPER_PERCEPTS = tuple(
    sum(1 << bit for bit, percept in enumerate(percepts) if percept.of_paper) for percepts in PERCEPTS
)
"""For each kind the bits of percepts about what the paper's agent perceives."""
