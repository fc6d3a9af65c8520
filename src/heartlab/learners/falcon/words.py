"""The conditions of a box in plain words: what several percepts say about one thing becomes one statement.

Each percept states that some quantity is among some values: "at most 2 are outstanding" that the number of outstanding
cards of the suit is 0, 1 or 2. What a box demands and forbids of a quantity is the set of values that remain; what
follows from the rest is left out; and the set is put into words ("3 to 6 of the suit are outstanding").

The same values tell which actions apply always or never where the box holds (:func:`box_knowledge`), so that a rule
need not name what can never happen (:func:`tried`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

from heartlab.learners.falcon.boxes import Box
from heartlab.learners.falcon.more_percepts import FOLLOW, LEAD, PERCEPTS

Quantity = tuple[str, str]
"""What is spoken of, and its suit ("" for the suit led, or for none). For a yes or no: FLAG and the percept."""
Values = frozenset[int]
NO_CARD = -1
"""The value of a quantity about our lowest or highest card of a suit that we do not hold."""
OURS, OUTSTANDING, ON_TABLE, GONE = range(4)
"""Where Q♠ is."""
SPADE_LED, HEART_LED, MINOR_LED = range(3)
FLAG = "flag"
MEASURES = ("below lowest", "above lowest", "below highest", "above highest")
MOST = 13

NEGATIONS = {
    "points are on the table": "no points are on the table",
    "we can duck": "we cannot duck",
    "we can win": "we cannot win",
    "a later seat is void": "no later seat is known to be void",
    "all later seats are void": "a later seat may have the suit",
    "K♠ or A♠ is ours": "neither K♠ nor A♠ is ours",
    "K♠ or A♠ is on the table": "neither K♠ nor A♠ is on the table",
    "K♠ or A♠ is outstanding": "neither K♠ nor A♠ is outstanding",
    "a later seat may hold Q♠": "no later seat can hold Q♠",
    "none outstanding is above the best": "an outstanding one is above the best",
    "we have a safe card elsewhere": "we have no safe card elsewhere that others can beat",
    "we have taken points": "we have taken no points",
    "others have taken points": "nobody else has taken points",
    "the best is ten or higher": "the best is nine or lower",
    "our card below the best is ten or higher": "we have no card from ten up below the best",
    "our lowest is eight or higher": "our lowest is seven or lower",
    "the winner has taken points": "who wins so far has taken no points",
    **{f"a seat is void of {suit}": f"nobody is known to be void of {suit}" for suit in "♣♦♠♥"},
}
"""Percepts that are plain yes or no, and what their absence means."""
CLEARER = {
    "all later seats are void": "nobody after us can have the suit",
    "a later seat is void": "a later seat is known to be void",
    "we have a safe card elsewhere": "we have a safe card elsewhere that others can beat",
    "the winner has taken points": "who wins so far has taken points",
    "our card below the best is ten or higher": "we have a card from ten up below the best",
    **{f"a seat is void of {suit}": f"somebody is known to be void of {suit}" for suit in "♣♦♠♥"},
}
"""Percepts whose short names say less than what is perceived."""


def _upto(most: int) -> Values:
    return frozenset(range(most + 1))


def _from(least: int) -> Values:
    return frozenset(range(least, MOST + 1))


_SUIT = "(?: ([♣♦♠♥]))?"
_FORMS: tuple[tuple[str, str, Callable[[int], Values]], ...] = (
    ("none of the suit is outstanding", "outstanding", lambda n: _upto(0)),
    ("no heart is outstanding", "outstanding", lambda n: _upto(0)),
    ("no ([♣♦♠♥]) is outstanding", "outstanding", lambda n: _upto(0)),
    (f"at most #{_SUIT} (?:is|are) outstanding", "outstanding", _upto),
    ("we hold # of the suit", "held", lambda n: frozenset([n])),
    ("we hold at most #", "held", _upto),
    ("we hold # or more(?: of the suit)?", "held", _from),
    ("we hold ([♣♦♠♥])", "held", lambda n: _from(1)),
    ("we hold # ([♣♦♠♥])", "held", lambda n: frozenset([n])),
    ("we hold at least # ([♣♦♠♥])", "held", _from),
    (f"our lowest{_SUIT} is safe", "below lowest", lambda n: _upto(0)),
    (f"at most # outstanding (?:is|are) below our lowest{_SUIT}", "below lowest", _upto),
    (f"at least # outstanding are above our lowest{_SUIT}", "above lowest", _from),
    (f"at most # outstanding are below our highest{_SUIT}", "below highest", _upto),
    ("our highest heart can win", "below highest", lambda n: _from(2)),
    (f"none outstanding is above our highest{_SUIT}", "above highest", lambda n: _upto(0)),
    (f"at most # outstanding is above our highest{_SUIT}", "above highest", _upto),
    ("# tricks are over", "tricks", _from),
    ("we hold # small spades", "small spades", _from),
    ("another suit of ours is dangerous", "dangers", lambda n: _from(1)),
    ("two other suits of ours are dangerous", "dangers", lambda n: _from(2)),
    ("we are last", "to come", lambda n: _upto(0)),
    ("one seat is to come", "to come", lambda n: frozenset([1])),
    ("Q♠ is ours", "queen", lambda n: frozenset([OURS])),
    ("Q♠ is outstanding", "queen", lambda n: frozenset([OUTSTANDING])),
    ("Q♠ is on the table", "queen", lambda n: frozenset([ON_TABLE])),
    ("♠ is led", "led", lambda n: frozenset([SPADE_LED])),
    ("♥ is led", "led", lambda n: frozenset([HEART_LED])),
)
"""How percepts are phrased (# is a number): the quantity and the values for which they hold."""


@cache
def meaning(text: str) -> tuple[Quantity, Values]:
    """What a percept states: a quantity, and the values for which it holds.

    :raises ValueError: for a sentence that is no percept.
    """
    if text in NEGATIONS:
        return (FLAG, text), frozenset([1])
    for form, name, values in _FORMS:
        found = re.fullmatch(form.replace("#", r"(?P<number>\d)"), text)
        if found:
            number = found.groupdict().get("number")
            suit = next((group for group in found.groups() if group and group in "♣♦♠♥"), "")
            suit = "♥" if "heart" in text else suit
            return (name, suit), values(int(number or 0))
    raise ValueError(f"no percept says {text!r}")


@cache
def domain(kind: int, quantity: Quantity) -> Values:
    """The values that a quantity can have in a kind of decision."""
    name, suit = quantity
    if name == FLAG:
        return frozenset([0, 1])
    if name == "queen":
        return frozenset([OURS, OUTSTANDING, GONE] if kind == LEAD else [OURS, OUTSTANDING, ON_TABLE, GONE])
    if name == "led":
        return frozenset([SPADE_LED, HEART_LED, MINOR_LED])
    if name == "held" and kind == FOLLOW:
        return _from(1)
    if name in MEASURES and suit:
        return _upto(MOST) | {NO_CARD}
    return _upto(MOST)


Relation = Callable[[int, int], bool]
_ABOUT_FLAGS: Mapping[tuple[Quantity, Quantity], Relation] = {
    (("queen", ""), (FLAG, "a later seat may hold Q♠")): lambda where, may: not may or where == OUTSTANDING,
    (("queen", ""), (FLAG, "points are on the table")): lambda where, points: where != ON_TABLE or points == 1,
    (("led", ""), (FLAG, "points are on the table")): lambda suit, points: suit != HEART_LED or points == 1,
    (("to come", ""), (FLAG, "all later seats are void")): lambda seats, void: seats > 0 or void == 1,
    (("to come", ""), (FLAG, "a later seat is void")): lambda seats, void: not void or seats > 0,
    (("to come", ""), (FLAG, "a later seat may hold Q♠")): lambda seats, may: not may or seats > 0,
    (("outstanding", ""), (FLAG, "all later seats are void")): lambda left, void: left > 0 or void == 1,
    ((FLAG, "we can duck"), (FLAG, "we can win")): lambda duck, win: bool(duck or win),
    ((FLAG, "we can duck"), (FLAG, "our card below the best is ten or higher")): lambda duck, ten: duck >= ten,
    (
        (FLAG, "the best is ten or higher"),
        (FLAG, "our card below the best is ten or higher"),
    ): lambda best, under: best >= under,
    (("small spades", ""), ("held", "♠")): lambda small, held: small <= held,
    ((FLAG, "K♠ or A♠ is ours"), ("held", "♠")): lambda ours, held: held >= ours,
    (("queen", ""), ("held", "♠")): lambda where, held: where != OURS or held > 0,
    (("queen", ""), ("outstanding", "♠")): lambda where, left: where != OUTSTANDING or left > 0,
}


@cache
def _relation(one: Quantity, other: Quantity) -> Relation | None:
    """Which values of two quantities go together; None if all do."""
    if (one, other) in _ABOUT_FLAGS:
        return _ABOUT_FLAGS[one, other]
    (name, suit), (second, second_suit) = one, other
    if second == "outstanding" and one == (FLAG, f"a seat is void of {second_suit}"):
        return lambda void, left: not void or left > 0
    if suit != second_suit:
        return None
    if name == "held" and second in MEASURES:
        return lambda held, card: (held == 0) == (card == NO_CARD)
    if name == "held" and second == "outstanding":
        return lambda held, left: held + left <= MOST
    if name in MEASURES and second == "outstanding":
        return lambda measured, left: measured <= left
    if (name, second) in (("below lowest", "below highest"), ("above highest", "above lowest")):
        return lambda less, more: less <= more and (less == NO_CARD) == (more == NO_CARD)
    if name in MEASURES and second in MEASURES:
        return lambda first, last: (first == NO_CARD) == (last == NO_CARD)
    return None


Statements = Mapping[Quantity, Values]


def _left(kind: int, quantity: Quantity, known: Statements) -> Values:
    """The values of a quantity that go together with what is known of the others."""
    values = domain(kind, quantity)
    for other, allowed in known.items():
        forwards, backwards = _relation(quantity, other), _relation(other, quantity)
        if other == quantity or not (forwards or backwards):
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
    known: dict[Quantity, Values] = {}
    for place, text in enumerate(PERCEPTS[box.kind]):
        if (box.demands | box.forbids) >> place & 1:
            quantity, values = meaning(text)
            whole = domain(box.kind, quantity)
            allowed = values if box.demands >> place & 1 else whole - values
            known[quantity] = known.get(quantity, whole) & allowed
    _drop_implied(box.kind, known)
    for quantity, values in known.items():
        if NO_CARD in values and NO_CARD not in _left(box.kind, quantity, known):
            known[quantity] = values - {NO_CARD}
    _drop_implied(box.kind, known)
    return known


def _drop_implied(kind: int, known: dict[Quantity, Values]) -> None:
    """Leave out what follows from the rest, one by one."""
    for quantity in list(known):
        if _left(kind, quantity, known) <= known[quantity]:
            del known[quantity]


def _runs(values: Values) -> Iterator[tuple[int, int]]:
    """The values as runs of neighbours: first and last of each."""
    for _, group in groupby(enumerate(sorted(values)), lambda pair: pair[1] - pair[0]):
        run = [value for _, value in group]
        yield run[0], run[-1]


def _amount(values: Values) -> str:
    """A set of numbers in words."""
    parts = []
    for first, last in _runs(values):
        if first == last:
            parts.append("no" if first == 0 else str(first))
        elif last == MOST:
            parts.append(f"at least {first}")
        elif first == 0:
            parts.append(f"at most {last}")
        else:
            parts.append(f"{first} {'or' if last == first + 1 else 'to'} {last}")
    return " or ".join(parts)


def _is(amount: str) -> str:
    return "is" if amount in ("no", "none", "1", "at most 1", "at least 1") else "are"


def _counted(amount: str, noun: str) -> str:
    return f"{amount} {noun}{'s' if _is(amount) == 'are' else ''} {_is(amount)}"


_QUEEN = {OURS: "ours", OUTSTANDING: "outstanding", ON_TABLE: "on the table", GONE: "gone"}


def _queen_words(values: Values, whole: Values) -> str:
    missing = whole - values
    if len(missing) == 1:
        return f"Q♠ is not {_QUEEN[min(missing)]}"
    return f"Q♠ is {' or '.join(_QUEEN[value] for value in sorted(values))}"


_LED = {
    frozenset([SPADE_LED]): "♠ is led", frozenset([HEART_LED]): "♥ is led", frozenset([MINOR_LED]): "♣ or ♦ is led",
    frozenset([HEART_LED, MINOR_LED]): "♠ is not led", frozenset([SPADE_LED, MINOR_LED]): "♥ is not led",
    frozenset([SPADE_LED, HEART_LED]): "♠ or ♥ is led",
}  # fmt: skip


def _measure_words(quantity: Quantity, values: Values) -> str:
    """About outstanding cards above or below a card of ours."""
    name, suit = quantity
    place, which = name.split(" ")
    card = f"our {which} {suit}".strip()
    if NO_CARD in values:
        rest = values - {NO_CARD}
        return f"we hold no {suit}" + (f" or {_measure_words(quantity, rest)}" if rest else "")
    if name == "below lowest" and values == {0}:
        return f"{card} is safe"
    amount = "none" if values == {0} else _amount(values)
    return f"{amount} outstanding {_is(amount)} {place} {card}"


def in_words(kind: int, quantity: Quantity, values: Values) -> str:
    """A statement as a sentence."""
    name, suit = quantity
    if name == FLAG:
        return CLEARER.get(suit, suit) if 1 in values else NEGATIONS[suit]
    if name == "queen":
        return _queen_words(values, domain(kind, quantity))
    if name == "led":
        return _LED[values]
    if name in MEASURES:
        return _measure_words(quantity, values)
    amount = _amount(values)
    if name == "outstanding":
        return f"{'none' if amount == 'no' and not suit else amount} {suit or 'of the suit'} {_is(amount)} outstanding"
    if name == "held":
        return f"we hold {suit}" if suit and values == _from(1) else f"we hold {amount} {suit or 'of the suit'}"
    if name == "small spades":
        return f"we hold {amount} ♠ below Q♠"
    if name == "tricks":
        return f"{_counted(amount, 'trick')} over"
    if name == "dangers":
        return f"{_counted(amount, 'other suit')} dangerous for us"
    if values == {0} or values == _from(1):
        return "we are last" if 0 in values else "we are not last"
    return f"{_counted(amount, 'seat')} to come"


def box_conditions(box: Box) -> list[str]:
    """What a box demands, in words and without repetition."""
    return [in_words(box.kind, quantity, values) for quantity, values in statements(box).items()]


Need = tuple[str, int]
"""Which cards an action needs among the legal ones, and how many of them."""
QUEEN, SMALL, BELOW, ABOVE = "Q♠", "♠ below Q♠", "below the best", "above the best"
"""Cards that actions need beside those of a suit."""
ALWAYS = ("any", 1)
SUITS = "♣♦♠♥"
Knowledge = Callable[[Need], bool | None]
"""Whether the cards that an action needs are there: certainly, certainly not, or None where that cannot be known."""


@cache
def need_of(action: str) -> Need:
    """What an action of the paper or a richer one needs; networks are asked only where there is a choice."""
    if action in ("Q♠", "throw Q♠"):
        return QUEEN, 1
    if action.endswith("below Q♠"):
        return SMALL, 1
    if action.endswith("the highest below the best"):
        return BELOW, 1
    if action == "the cheapest that wins so far":
        return ABOVE, 1
    if action[-2] == " " and action[-1] in SUITS:
        return action[-1], 3 if "a middle" in action else 2 if "second" in action else 1
    return ALWAYS


def _implies(one: Need, other: Need) -> bool:
    """Whether what one action needs is enough for another one."""
    within = one[0] == other[0] or (one[0] in (QUEEN, SMALL) and other[0] == "♠")
    return other == ALWAYS or (within and one[1] >= other[1])


def tried(groups: Iterable[Sequence[int]], names: Sequence[str], knows: Knowledge) -> list[int]:
    """The actions that may be taken, in the order of the groups: those of a group are equally good.

    Left out are actions that never apply, and those that apply only where one of an earlier group does.
    """
    listed: list[int] = []
    before: list[Need] = []
    for group in groups:
        needs = {action: need_of(names[action]) for action in group}
        fresh = [
            action
            for action, need in needs.items()
            if knows(need) is not False and not any(_implies(need, other) for other in before)
        ]
        listed += fresh
        before += [needs[action] for action in fresh]
        if any(knows(need) for need in before) or (
            fresh and all((suit, 1) in before or knows((suit, 1)) is False for suit in SUITS)
        ):
            return listed
    return listed


def box_knowledge(box: Box, free: bool) -> Knowledge:
    """What is certain about the cards that actions need, where a box holds.

    :param free: whether every card may be led, and thrown when void; otherwise a card of ours need not be legal.
    """
    known = statements(box)

    def values(name: str, suit: str) -> Values:
        quantity = name, suit
        return known.get(quantity, domain(box.kind, quantity)) & _left(box.kind, quantity, known)

    def among(there: Values, enough: Values) -> bool | None:
        if not there & enough:
            return False
        return True if there <= enough else None

    @cache
    def knows(need: Need) -> bool | None:
        cards, least = need
        if need == ALWAYS:
            return True
        if cards in (BELOW, ABOVE):
            return among(values(FLAG, "we can duck" if cards == BELOW else "we can win"), frozenset([1]))
        if cards in (QUEEN, SMALL):
            name, enough = ("queen", frozenset([OURS])) if cards == QUEEN else ("small spades", _from(1))
            found = [among(values(name, ""), enough)]
            if box.kind == FOLLOW:
                found.append(among(values("led", ""), frozenset([SPADE_LED])))
        else:
            found = [among(values("held", cards), _from(least))]
        return False if False in found else True if free and None not in found else None

    return knows
