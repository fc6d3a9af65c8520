"""The percepts beyond the paper, computed: bit k of a code is percept k of `more_percepts.PERCEPTS`.

All of them follow from what the seat may know; a state and an observation give the same code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, highest, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.ranks import (
    ACE_BIT,
    HEARTS,
    KING_BIT,
    QUEEN_BIT,
    SMALL_SPADES,
    SPADES,
    higher,
    lower,
    suit_mask,
)
from heartlab.learners.falcon.more_percepts import FOLLOW, LEAD, VOID
from heartlab.players.gnome.memory import above, beneath


@kernel
def kind_of(own: np.uint64, led: np.uint64) -> int:
    """The kind of a decision, from the legal cards and the suit led."""
    if led == ZERO:
        return LEAD
    return FOLLOW if own & led != ZERO else VOID


@kernel
def _set(code: np.uint64, place: int, condition: bool) -> np.uint64:
    return code | (np.uint64(condition) << np.uint64(place))


@kernel
def _void_seats(rules: Any, view: Any, me: int, cards: np.uint64) -> int:
    """How many other seats are known to hold none of some cards."""
    count = 0
    for seat in range(rules["players"]):
        if seat != me and view["may_hold"][seat] & cards == ZERO:
            count += 1
    return count


@kernel
def _later_seats(rules: Any, view: Any, me: int, cards: np.uint64) -> int:
    """How many of the seats that play after us may hold some of the cards."""
    count = 0
    players = np.int64(rules["players"])
    for step in range(1, players - view["trick_size"]):
        if view["may_hold"][(me + step) % players] & cards != ZERO:
            count += 1
    return count


@kernel
def _dangerous(cards: np.uint64, outstanding: np.uint64) -> bool:
    """Whether a suit of ours may well win an unwanted trick: two or more outstanding cards below our lowest."""
    return cards != ZERO and beneath(outstanding, lowest(cards)) >= 2


@kernel
def _side_suits(hand: np.uint64, out: np.uint64, led: int) -> tuple[bool, int]:
    """Whether a suit that was not led has a safe card to lead, and how many of these suits are dangerous."""
    safe, dangers = False, 0
    for suit in range(4):
        cards = hand & suit_mask(suit)
        if cards != ZERO and suit != led:
            low = lowest(cards)
            safe = safe or (out & lower(low) == ZERO and out & higher(low) != ZERO)
            dangers += _dangerous(cards, out)
    return safe, dangers


@kernel
def _follow_code(rules: Any, view: Any, hand: np.uint64, own: np.uint64, out: np.uint64, me: int) -> np.uint64:
    led, best, trick = view["led"], np.int64(view["best"]), view["trick"]
    cards = own & led
    under = cards & lower(best)
    top, low = highest(cards), lowest(cards)
    left = popcount(out & led)
    size = popcount(cards)
    to_come = np.int64(rules["players"]) - 1 - view["trick_size"]
    holders = _later_seats(rules, view, me, out & led)
    safe, dangers = _side_suits(hand, out, best // 13)
    hearts = hand & HEARTS
    small = popcount(hand & SMALL_SPADES)
    code = _set(ZERO, 0, to_come == 0)
    code = _set(code, 1, to_come == 1)
    code = _set(code, 2, trick & rules["penalty"] != ZERO)
    code = _set(code, 3, trick & QUEEN_BIT != ZERO)
    code = _set(code, 4, led == SPADES)
    code = _set(code, 5, led == HEARTS)
    code = _set(code, 6, under != ZERO)
    code = _set(code, 7, cards & higher(best) != ZERO)
    code = _set(code, 8, out & higher(top) == ZERO)
    code = _set(code, 9, left == 0)
    code = _set(code, 10, left <= 1)
    code = _set(code, 11, left <= 2)
    code = _set(code, 12, left <= 4)
    code = _set(code, 13, left <= 6)
    code = _set(code, 14, holders < to_come)
    code = _set(code, 15, holders == 0)
    code = _set(code, 16, size == 1)
    code = _set(code, 17, size <= 2)
    code = _set(code, 18, size >= 4)
    code = _set(code, 19, out & lower(low) == ZERO)
    code = _set(code, 20, beneath(out, low) <= 1)
    code = _set(code, 21, beneath(out, low) <= 3)
    code = _set(code, 22, hand & QUEEN_BIT != ZERO)
    code = _set(code, 23, out & QUEEN_BIT != ZERO)
    code = _set(code, 24, hand & (KING_BIT | ACE_BIT) != ZERO)
    code = _set(code, 25, trick & (KING_BIT | ACE_BIT) != ZERO)
    code = _set(code, 26, out & QUEEN_BIT != ZERO and _later_seats(rules, view, me, QUEEN_BIT) > 0)
    code = _set(code, 27, view["trick_number"] >= 3)
    code = _set(code, 28, view["trick_number"] >= 6)
    code = _set(code, 29, view["trick_number"] >= 9)
    code = _set(code, 30, out & HEARTS == ZERO)
    code = _set(code, 31, out & higher(best) == ZERO)
    code = _set(code, 32, safe)
    code = _set(code, 33, view["taken"][me] & rules["penalty"] != ZERO)
    code = _set(code, 34, small >= 2)
    code = _set(code, 35, small >= 4)
    code = _set(code, 36, dangers >= 1)
    code = _set(code, 37, dangers >= 2)
    code = _set(code, 38, best % 13 >= 8)
    code = _set(code, 39, under != ZERO and highest(under) % 13 >= 8)
    code = _set(code, 40, low % 13 >= 6)
    code = _set(code, 41, hearts != ZERO and beneath(out, highest(hearts)) >= 2)
    code = _set(code, 42, view["taken"][view["winner"]] & rules["penalty"] != ZERO)
    code = _set(code, 43, above(out, top) <= 1)
    return _set(code, 44, size >= 3)


@kernel
def _void_code(rules: Any, view: Any, hand: np.uint64, out: np.uint64, me: int) -> np.uint64:
    code = ZERO
    for suit in range(4):
        cards, there = hand & suit_mask(suit), out & suit_mask(suit)
        place = 10 * suit
        size = popcount(cards)
        if size > 0:
            low, top = lowest(cards), highest(cards)
            code = _set(code, place, True)
            code = _set(code, place + 1, size == 1)
            code = _set(code, place + 2, size == 2)
            code = _set(code, place + 3, there & lower(low) == ZERO)
            code = _set(code, place + 4, beneath(there, low) <= 2)
            code = _set(code, place + 5, there & higher(top) == ZERO)
            code = _set(code, place + 9, above(there, top) <= 1)
        code = _set(code, place + 6, there == ZERO)
        code = _set(code, place + 7, popcount(there) <= 3)
        code = _set(code, place + 8, there != ZERO and _void_seats(rules, view, me, there) > 0)
    trick = view["trick"]
    code = _set(code, 40, view["trick_size"] == rules["players"] - 1)
    code = _set(code, 41, trick & rules["penalty"] != ZERO)
    code = _set(code, 42, trick & QUEEN_BIT != ZERO)
    code = _set(code, 43, out & QUEEN_BIT != ZERO)
    code = _set(code, 44, view["taken"][view["winner"]] & rules["penalty"] != ZERO)
    code = _set(code, 45, view["trick_number"] >= 3)
    code = _set(code, 46, view["trick_number"] >= 6)
    code = _set(code, 47, view["trick_number"] >= 9)
    code = _set(code, 48, view["taken"][me] & rules["penalty"] != ZERO)
    code = _set(code, 49, view["best"] % 13 >= 8)
    return _set(code, 50, _later_seats(rules, view, me, out & view["led"]) == 0)


@kernel
def _lead_code(rules: Any, view: Any, hand: np.uint64, out: np.uint64, me: int) -> np.uint64:
    code = ZERO
    for suit in range(4):
        cards, there = hand & suit_mask(suit), out & suit_mask(suit)
        place = 12 * suit
        size, left = popcount(cards), popcount(there)
        if size > 0:
            low, top = lowest(cards), highest(cards)
            code = _set(code, place, True)
            code = _set(code, place + 1, there & lower(low) == ZERO)
            code = _set(code, place + 2, beneath(there, low) <= 1)
            code = _set(code, place + 3, above(there, low) >= 2)
            code = _set(code, place + 8, there & higher(top) == ZERO)
            code = _set(code, place + 9, size >= 2)
            code = _set(code, place + 10, size >= 4)
            code = _set(code, place + 11, beneath(there, top) <= 2)
        code = _set(code, place + 4, left == 0)
        code = _set(code, place + 5, left <= 3)
        code = _set(code, place + 6, left <= 6)
        code = _set(code, place + 7, left > 0 and _void_seats(rules, view, me, there) > 0)
    mine = view["taken"][me] & rules["penalty"]
    anybody = ZERO
    for seat in range(rules["players"]):
        anybody |= view["taken"][seat] & rules["penalty"]
    code = _set(code, 48, hand & QUEEN_BIT != ZERO)
    code = _set(code, 49, out & QUEEN_BIT != ZERO)
    code = _set(code, 50, hand & (KING_BIT | ACE_BIT) != ZERO)
    code = _set(code, 51, out & (KING_BIT | ACE_BIT) != ZERO)
    code = _set(code, 52, view["trick_number"] >= 3)
    code = _set(code, 53, view["trick_number"] >= 6)
    code = _set(code, 54, view["trick_number"] >= 9)
    code = _set(code, 55, mine != ZERO)
    code = _set(code, 56, anybody != mine)
    return _set(code, 57, popcount(hand & SMALL_SPADES) >= 2)


@kernel
def sense(rules: Any, view: Any, kind: int, hand: np.uint64, own: np.uint64, out: np.uint64, me: int) -> np.uint64:
    """What seat `me` perceives. `view` is a state or an observation, `own` its legal cards, `out` those outstanding."""
    if kind == FOLLOW:
        return _follow_code(rules, view, hand, own, out, me)
    if kind == VOID:
        return _void_code(rules, view, hand, out, me)
    return _lead_code(rules, view, hand, out, me)
