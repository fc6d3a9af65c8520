"""The conditions of a box in plain words: what several percepts say about one thing becomes one statement.

A percept states that some quantity is among some values: "at most 2 are outstanding" that the number of outstanding
cards of the suit is 0, 1 or 2. What a box demands and forbids of a quantity is the set of values that remain; what
follows from the rest is left out; and the set is put into words ("3 to 6 of the suit are outstanding").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import groupby

from heartlab.learners.falcon.boxes import Box
from heartlab.learners.falcon.more_percepts import (
    FOLLOW,
    GONE,
    HEART_LED,
    LEAD,
    MINOR_LED,
    MOST,
    ON_TABLE,
    OURS,
    OUTSTANDING,
    PERCEPTS,
    SPADE_LED,
    Quantity,
    Subject,
    Values,
)
from heartlab.learners.falcon.percepts import Sentence

NO_CARD = -1
"""The value of a quantity about our lowest or highest card of a suit that we do not hold."""
MEASURES: Mapping[Quantity, str] = {
    Quantity.BELOW_LOWEST: "below our lowest",
    Quantity.ABOVE_LOWEST: "above our lowest",
    Quantity.BELOW_HIGHEST: "below our highest",
    Quantity.ABOVE_HIGHEST: "above our highest",
}
"""Quantities of outstanding cards that are compared with a card of ours."""


@cache
def domain(kind: int, subject: Subject) -> Values:
    """The values that a quantity can have in a kind of decision."""
    quantity, suit = subject
    if quantity.is_flag:
        return frozenset([0, 1])
    if quantity is Quantity.QUEEN:
        return frozenset([OURS, OUTSTANDING, GONE] if kind == LEAD else [OURS, OUTSTANDING, ON_TABLE, GONE])
    if quantity is Quantity.LED:
        return frozenset([SPADE_LED, HEART_LED, MINOR_LED])
    if quantity is Quantity.HELD and kind == FOLLOW:
        return at_least(1)
    lowest = NO_CARD if quantity in MEASURES and suit else 0
    return frozenset(range(lowest, MOST + 1))


def at_least(number: int) -> Values:
    """All values from a number on."""
    return frozenset(range(number, MOST + 1))


# --- which values of two quantities go together ---

Relation = Callable[[int, int], bool]
_RELATIONS: Mapping[tuple[Subject, Subject], Relation] = {
    (Subject(one), Subject(other)): relation
    for one, other, relation in (
        (Quantity.QUEEN, Quantity.LATER_QUEEN, lambda where, may: not may or where == OUTSTANDING),
        (Quantity.QUEEN, Quantity.POINTS, lambda where, points: where != ON_TABLE or points == 1),
        (Quantity.LED, Quantity.POINTS, lambda suit, points: suit != HEART_LED or points == 1),
        (Quantity.TO_COME, Quantity.LATER_ALL_VOID, lambda seats, void: seats > 0 or void == 1),
        (Quantity.TO_COME, Quantity.LATER_VOID, lambda seats, void: not void or seats > 0),
        (Quantity.TO_COME, Quantity.LATER_QUEEN, lambda seats, may: not may or seats > 0),
        (Quantity.OUTSTANDING, Quantity.LATER_ALL_VOID, lambda left, void: left > 0 or void == 1),
        (Quantity.DUCK, Quantity.WIN, lambda duck, win: bool(duck or win)),
        (Quantity.DUCK, Quantity.UNDER_HIGH, lambda duck, ten: duck >= ten),
        (Quantity.BEST_HIGH, Quantity.UNDER_HIGH, lambda best, under: best >= under),
    )
} | {
    (Subject(one), Subject(other, "♠")): relation
    for one, other, relation in (
        (Quantity.SMALL_SPADES, Quantity.HELD, lambda small, held: small <= held),
        (Quantity.HIGH_SPADE_OURS, Quantity.HELD, lambda ours, held: held >= ours),
        (Quantity.QUEEN, Quantity.HELD, lambda where, held: where != OURS or held > 0),
        (Quantity.QUEEN, Quantity.OUTSTANDING, lambda where, left: where != OUTSTANDING or left > 0),
    )
}


@cache
def _relation(one: Subject, other: Subject) -> Relation | None:
    """Which values of two quantities go together; None if all do."""
    if (one, other) in _RELATIONS:
        return _RELATIONS[one, other]
    if one.suit != other.suit:
        return None
    first, second = one.quantity, other.quantity
    if first is Quantity.SEAT_VOID and second is Quantity.OUTSTANDING:
        return lambda void, left: not void or left > 0
    if first is Quantity.HELD and second in MEASURES:
        return lambda held, card: (held == 0) == (card == NO_CARD)
    if first is Quantity.HELD and second is Quantity.OUTSTANDING:
        return lambda held, left: held + left <= MOST
    if first in MEASURES and second is Quantity.OUTSTANDING:
        return lambda measured, left: measured <= left
    if (first, second) in (
        (Quantity.BELOW_LOWEST, Quantity.BELOW_HIGHEST), (Quantity.ABOVE_HIGHEST, Quantity.ABOVE_LOWEST),
    ):  # fmt: skip
        return lambda less, more: less <= more and (less == NO_CARD) == (more == NO_CARD)
    if first in MEASURES and second in MEASURES:
        return lambda this, that: (this == NO_CARD) == (that == NO_CARD)
    return None


Statements = Mapping[Subject, Values]


def possible(kind: int, subject: Subject, known: Statements) -> Values:
    """The values of a quantity that go together with what is known of the others."""
    values = domain(kind, subject)
    for other, allowed in known.items():
        forwards, backwards = _relation(subject, other), _relation(other, subject)
        if other == subject or not (forwards or backwards):
            continue
        values = frozenset(
            value
            for value in values
            if any(
                (not forwards or forwards(value, second)) and (not backwards or backwards(second, value))
                for second in allowed
            )
        )
    return values


@cache
def statements(box: Box) -> Statements:
    """What a box demands, quantity by quantity, without what follows from the rest."""
    known: dict[Subject, Values] = {}
    for place, percept in enumerate(PERCEPTS[box.kind]):
        if (box.demands | box.forbids) >> place & 1:
            whole = domain(box.kind, percept.subject)
            allowed = percept.values if box.demands >> place & 1 else whole - percept.values
            known[percept.subject] = known.get(percept.subject, whole) & allowed
    _drop_implied(box.kind, known)
    for subject, values in known.items():
        if NO_CARD in values and NO_CARD not in possible(box.kind, subject, known):
            known[subject] = values - {NO_CARD}
    _drop_implied(box.kind, known)
    return known


def _drop_implied(kind: int, known: dict[Subject, Values]) -> None:
    """Leave out what follows from the rest, one by one."""
    for subject in list(known):
        if possible(kind, subject, known) <= known[subject]:
            del known[subject]


# --- words ---

Words = tuple[Sentence, Sentence]


def _yes_no(yes: str, no: Sentence) -> Words:
    return Sentence(yes), no


_FLAGS: Mapping[Quantity, Words] = {
    Quantity.POINTS: _yes_no("points are on the table", Sentence("", "no", "points are on the table")),
    Quantity.DUCK: _yes_no("we can duck", Sentence("we", "cannot", "duck")),
    Quantity.WIN: _yes_no("we can win", Sentence("we", "cannot", "win")),
    Quantity.LATER_VOID: _yes_no(
        "a later seat is known to be void", Sentence("", "no", "later seat is known to be void")
    ),
    Quantity.LATER_ALL_VOID: (
        Sentence("", "nobody", "after us can have the suit"), Sentence("a later seat may have the suit"),
    ),
    Quantity.HIGH_SPADE_OURS: _yes_no("K♠ or A♠ is ours", Sentence("", "neither", "K♠ nor A♠ is ours")),
    Quantity.HIGH_SPADE_ON_TABLE: _yes_no(
        "K♠ or A♠ is on the table", Sentence("", "neither", "K♠ nor A♠ is on the table")
    ),
    Quantity.HIGH_SPADE_OUTSTANDING: _yes_no(
        "K♠ or A♠ is outstanding", Sentence("", "neither", "K♠ nor A♠ is outstanding")
    ),
    Quantity.LATER_QUEEN: _yes_no("a later seat may hold Q♠", Sentence("", "no", "later seat can hold Q♠")),
    Quantity.BEST_STAYS: (
        Sentence("", "none", "outstanding is above the best"), Sentence("an outstanding one is above the best"),
    ),
    Quantity.SAFE_ELSEWHERE: _yes_no(
        "we have a safe card elsewhere that others can beat",
        Sentence("we have", "no", "safe card elsewhere that others can beat"),
    ),
    Quantity.WE_TOOK: _yes_no("we have taken points", Sentence("we have taken", "no", "points")),
    Quantity.OTHERS_TOOK: _yes_no("others have taken points", Sentence("", "nobody", "else has taken points")),
    Quantity.BEST_HIGH: _yes_no("the best is ten or higher", Sentence("the best is nine or lower")),
    Quantity.UNDER_HIGH: _yes_no(
        "we have a card from ten up below the best", Sentence("we have", "no", "card from ten up below the best")
    ),
    Quantity.LOWEST_HIGH: _yes_no("our lowest is eight or higher", Sentence("our lowest is seven or lower")),
    Quantity.WINNER_TOOK: _yes_no(
        "who wins so far has taken points", Sentence("who wins so far has taken", "no", "points")
    ),
}  # fmt: skip
"""What a flag means where it is 1, and where it is 0."""
_QUEEN = {OURS: "ours", OUTSTANDING: "outstanding", ON_TABLE: "on the table", GONE: "gone"}
_LED = {
    frozenset([SPADE_LED]): Sentence("♠ is led"), frozenset([HEART_LED, MINOR_LED]): Sentence("♠ is", "not", "led"),
    frozenset([HEART_LED]): Sentence("♥ is led"), frozenset([SPADE_LED, MINOR_LED]): Sentence("♥ is", "not", "led"),
    frozenset([MINOR_LED]): Sentence("♣ or ♦ is led"), frozenset([SPADE_LED, HEART_LED]): Sentence("♠ or ♥ is led"),
}  # fmt: skip


_SINGULAR = (frozenset([0]), frozenset([1]), frozenset([0, 1]), at_least(1))


def _is(values: Values) -> str:
    return "is" if values in _SINGULAR else "are"


def _plural(noun: str, values: Values) -> str:
    return f"{noun} is" if values in _SINGULAR else f"{noun}s are"


def _runs(values: Values) -> Iterator[tuple[int, int]]:
    """The values as runs of neighbours: first and last of each."""
    for _, group in groupby(enumerate(sorted(values)), lambda pair: pair[1] - pair[0]):
        run = [value for _, value in group]
        yield run[0], run[-1]


def _amount(before: str, values: Values, after: str, nothing: str = "no") -> Sentence:
    """A sentence with a set of numbers between two texts; `nothing` is the word for 0."""
    parts = []
    for first, last in _runs(values):
        if first == last:
            parts.append(str(first))
        elif last == MOST:
            parts.append(f"at least {first}")
        elif first == 0:
            parts.append(f"at most {last}")
        else:
            parts.append(f"{first} {'or' if last == first + 1 else 'to'} {last}")
    if parts[:1] == ["0"]:
        return Sentence(before, nothing, " ".join([*(f"or {part}" for part in parts[1:]), after]))
    return Sentence(" ".join(filter(None, (before, " or ".join(parts), after))))


def _queen_words(values: Values, whole: Values) -> Sentence:
    missing = whole - values
    if len(missing) == 1:
        return Sentence("Q♠ is", "not", _QUEEN[min(missing)])
    return Sentence(f"Q♠ is {' or '.join(_QUEEN[value] for value in sorted(values))}")


def _measure_words(subject: Subject, values: Values) -> Sentence:
    """About outstanding cards above or below a card of ours."""
    quantity, suit = subject
    if NO_CARD in values:
        rest = values - {NO_CARD}
        return Sentence("we hold", "no", f"{suit} or {_measure_words(subject, rest).text}" if rest else suit)
    if quantity is Quantity.BELOW_LOWEST and values == {0}:
        return Sentence(f"our lowest {suit} is safe" if suit else "our lowest is safe")
    where = f"{MEASURES[quantity]} {suit}".strip()
    return _amount("", values, f"outstanding {_is(values)} {where}", "none" if values == {0} else "no")


def in_words(kind: int, subject: Subject, values: Values) -> Sentence:
    """A statement as a sentence."""
    quantity, suit = subject
    if quantity is Quantity.SEAT_VOID:
        void = f"is known to be void of {suit}"
        return Sentence(f"somebody {void}") if 1 in values else Sentence("", "nobody", void)
    if quantity.is_flag:
        return _FLAGS[quantity][0 if 1 in values else 1]
    if quantity is Quantity.QUEEN:
        return _queen_words(values, domain(kind, subject))
    if quantity is Quantity.LED:
        return _LED[values]
    if quantity in MEASURES:
        return _measure_words(subject, values)
    cards = suit or "of the suit"
    if quantity is Quantity.OUTSTANDING:
        nothing = "none" if values == {0} and not suit else "no"
        return _amount("", values, f"{cards} {_is(values)} outstanding", nothing)
    if quantity is Quantity.HELD:
        return Sentence(f"we hold {suit}") if suit and values == at_least(1) else _amount("we hold", values, cards)
    if quantity is Quantity.SMALL_SPADES:
        return _amount("we hold", values, "♠ below Q♠")
    if quantity is Quantity.TRICKS:
        return _amount("", values, f"{_plural('trick', values)} over")
    if quantity is Quantity.DANGERS:
        return _amount("", values, f"{_plural('other suit', values)} dangerous for us")
    if values == {0}:
        return Sentence("we are last")
    if values == at_least(1):
        return Sentence("we are", "not", "last")
    return _amount("", values, f"{_plural('seat', values)} to come")


def box_conditions(box: Box) -> list[Sentence]:
    """What a box demands, in words and without repetition."""
    return [in_words(box.kind, subject, values) for subject, values in statements(box).items()]
