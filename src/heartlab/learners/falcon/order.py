"""Which actions of a rule are tried, and in which order: those that can never get their turn are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from heartlab.learners.falcon.actions import ALWAYS, SUITS, Action, Cards, Need
from heartlab.learners.falcon.boxes import Box
from heartlab.learners.falcon.more_percepts import FOLLOW, OURS, SPADE_LED, Quantity, Subject, Values
from heartlab.learners.falcon.words import at_least, domain, possible, statements

Knowledge = Callable[[Need], bool | None]
"""Whether the cards that an action needs are legal: certainly, certainly not, or None where that cannot be known."""


def tried(order: Iterable[int], actions: Sequence[Action], knows: Knowledge) -> list[int]:
    """The actions that may be taken, in the order in which they are preferred.

    Left out are actions that never apply, and those that apply only where an earlier one does.
    """
    listed: list[int] = []
    before: list[Need] = []
    for number in order:
        need = actions[number].need
        if knows(need) is False or any(need.implies(other) for other in before):
            continue
        listed.append(number)
        before.append(need)
        every_suit = all(Need(Cards(suit)) in before or knows(Need(Cards(suit))) is False for suit in SUITS)
        if knows(need) or every_suit:
            return listed
    return listed


def paper_knowledge(ones: int, zeros: int, free: bool) -> Knowledge:
    """What is certain about the cards that the paper's actions need, from percepts that are certain.

    :param free: whether every card may be led, and thrown when void; otherwise a card of ours need not be legal.
    """
    queen, king, ace = (ones >> place & 3 == 3 for place in (4, 6, 8))
    held = {Cards.QUEEN: int(queen), Cards.SPADES: queen + king + ace, Cards.HEARTS: int(ones & 15 != 0)}

    def knows(need: Need) -> bool | None:
        if need == ALWAYS:
            return True
        if need.cards is Cards.QUEEN and zeros >> 4 & 3:
            return False
        return True if free and held.get(need.cards, 0) >= need.least else None

    return knows


def box_knowledge(box: Box, free: bool) -> Knowledge:
    """What is certain about the cards that actions need, where a box holds.

    :param free: whether every card may be led, and thrown when void; otherwise a card of ours need not be legal.
    """
    known = statements(box)

    def among(quantity: Quantity, enough: Values, suit: str = "") -> bool | None:
        """Whether a quantity is among some values."""
        subject = Subject(quantity, suit)
        there = known.get(subject, domain(box.kind, subject)) & possible(box.kind, subject, known)
        if not there & enough:
            return False
        return True if there <= enough else None

    @cache
    def knows(need: Need) -> bool | None:
        if need == ALWAYS:
            return True
        if need.cards is Cards.BELOW:
            return among(Quantity.DUCK, frozenset([1]))
        if need.cards is Cards.ABOVE:
            return among(Quantity.WIN, frozenset([1]))
        if need.cards is Cards.QUEEN:
            found = [among(Quantity.QUEEN, frozenset([OURS]))]
        elif need.cards is Cards.SMALL:
            found = [among(Quantity.SMALL_SPADES, at_least(1))]
        else:
            found = [among(Quantity.HELD, at_least(need.least), need.cards)]
        if box.kind == FOLLOW and need.cards in (Cards.QUEEN, Cards.SMALL):
            found.append(among(Quantity.LED, frozenset([SPADE_LED])))
        return False if False in found else True if free and None not in found else None

    return knows
