"""Percepts and actions beyond the FALCON paper: a stock of conditions from which a search picks, and 30 actions.

There are three kinds of decisions, each with percepts and actions of its own: to follow suit, to throw a card when
void, and to lead. Percepts are bits of one number; all of them come from what the seat may know. "Outstanding" cards
are those that others may hold; a card is *safe* if no outstanding card of its suit is below it: whoever plays the suit
after it beats it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, highest, lowest, nth, popcount
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
    lowest_ranked,
    spare_queen,
    suit_mask,
)
from heartlab.learners.falcon.actions import dump
from heartlab.players.gnome.memory import above, beneath

FOLLOW, VOID, LEAD = range(3)
"""Kinds of decisions."""
KINDS = ("follow", "void", "lead")
_SUITS = ("♣", "♦", "♠", "♥")

ACTIONS = (
    "the highest below the best",
    "the lowest",
    "the highest, but not Q♠",
    "Q♠",
    "the cheapest that wins so far",
    "the highest below Q♠",
    "the second highest",
    "throw Q♠",
    "throw the highest ♠",
    "throw the highest ♥",
    "throw the highest ♦",
    "throw the highest ♣",
    "dump a high card",
    "throw the highest of the shortest suit",
    "throw the highest of the most dangerous suit",
    *(f"lead the {which} {suit}" for suit in _SUITS for which in ("highest", "lowest", "second lowest")),
    "lead the highest ♠ below Q♠",
    "lead the lowest rank",
    "lead the safest card",
)
COUNT = len(ACTIONS)
FIRST = (0, 7, 15, COUNT)
"""Where the actions of each kind begin, and the end."""

FOLLOW_PERCEPTS = (
    "we are last", "one seat is to come", "points are on the table", "Q♠ is on the table", "♠ is led", "♥ is led",
    "we can duck", "we can win", "none outstanding is above our highest", "none of the suit is outstanding",
    "at most 1 is outstanding", "at most 2 are outstanding", "at most 4 are outstanding", "at most 6 are outstanding",
    "a later seat is void", "all later seats are void", "we hold 1 of the suit", "we hold at most 2",
    "we hold 4 or more",
    "our lowest is safe", "at most 1 outstanding is below our lowest", "at most 3 outstanding are below our lowest",
    "Q♠ is ours", "Q♠ is outstanding", "K♠ or A♠ is ours", "K♠ or A♠ is on the table", "a later seat may hold Q♠",
    "3 tricks are over", "6 tricks are over", "9 tricks are over", "no heart is outstanding",
    "none outstanding is above the best", "we have a safe card elsewhere", "we have taken points",
    "we hold 2 small spades", "we hold 4 small spades", "another suit of ours is dangerous",
    "two other suits of ours are dangerous", "the best is ten or higher", "our card below the best is ten or higher",
    "our lowest is eight or higher", "our highest heart can win", "the winner has taken points",
    "at most 1 outstanding is above our highest", "we hold 3 or more of the suit",
)  # fmt: skip
_VOID_BLOCK = (
    "we hold {}", "we hold 1 {}", "we hold 2 {}", "our lowest {} is safe",
    "at most 2 outstanding are below our lowest {}", "none outstanding is above our highest {}", "no {} is outstanding",
    "at most 3 {} are outstanding", "a seat is void of {}", "at most 1 outstanding is above our highest {}",
)  # fmt: skip
VOID_PERCEPTS = (
    *(text.format(suit) for suit in _SUITS for text in _VOID_BLOCK),
    "we are last", "points are on the table", "Q♠ is on the table", "Q♠ is outstanding", "the winner has taken points",
    "3 tricks are over", "6 tricks are over", "9 tricks are over", "we have taken points", "the best is ten or higher",
    "all later seats are void",
)  # fmt: skip
_LEAD_BLOCK = (
    "we hold {}", "our lowest {} is safe", "at most 1 outstanding is below our lowest {}",
    "at least 2 outstanding are above our lowest {}", "no {} is outstanding", "at most 3 {} are outstanding",
    "at most 6 {} are outstanding", "a seat is void of {}", "none outstanding is above our highest {}",
    "we hold at least 2 {}", "we hold at least 4 {}", "at most 2 outstanding are below our highest {}",
)  # fmt: skip
LEAD_PERCEPTS = (
    *(text.format(suit) for suit in _SUITS for text in _LEAD_BLOCK),
    "Q♠ is ours", "Q♠ is outstanding", "K♠ or A♠ is ours", "K♠ or A♠ is outstanding", "3 tricks are over",
    "6 tricks are over", "9 tricks are over", "we have taken points", "others have taken points",
    "we hold 2 small spades",
)  # fmt: skip
PERCEPTS = (FOLLOW_PERCEPTS, VOID_PERCEPTS, LEAD_PERCEPTS)
"""What can be perceived in each kind of decision; bit k is the k-th of them."""

_PAPER_WORDS = ("♥", "heart", "Q♠", "K♠", "is led")
PAPER_PERCEPTS = tuple(
    np.uint64(sum(1 << bit for bit, text in enumerate(texts) if any(word in text for word in _PAPER_WORDS)))
    for texts in PERCEPTS
)
"""For each kind the percepts about what the paper's agent perceives: hearts, the high spades, the suit led."""
PAPER_ACTIONS = np.array(
    [
        text in ACTIONS[:4]
        or text in ("throw Q♠", "throw the highest ♥", "dump a high card", "lead the highest ♠ below Q♠")
        or text.startswith(("lead the highest ♣", "lead the highest ♦", "lead the highest ♠", "lead the highest ♥"))
        or (text.startswith("lead the lowest") and text[-1] in _SUITS)
        for text in ACTIONS
    ]
)
"""Which actions the paper's agent has, too."""


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
def _follow_code(rules: Any, view: Any, hand: np.uint64, own: np.uint64, out: np.uint64, me: int) -> np.uint64:
    led, best, trick = view["led"], np.int64(view["best"]), view["trick"]
    cards = own & led
    under = cards & lower(best)
    top, low = highest(cards), lowest(cards)
    left = popcount(out & led)
    size = popcount(cards)
    to_come = np.int64(rules["players"]) - 1 - view["trick_size"]
    holders = _later_seats(rules, view, me, out & led)
    safe, dangers = False, 0
    for suit in range(4):
        other = hand & suit_mask(suit)
        if other != ZERO and suit != best // 13:
            mine = lowest(other)
            safe = safe or (out & lower(mine) == ZERO and out & higher(mine) != ZERO)
            dangers += _dangerous(other, out)
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


@kernel
def _top(cards: np.uint64) -> int:
    return highest(cards) if cards != ZERO else -1


@kernel
def _bottom(cards: np.uint64) -> int:
    return lowest(cards) if cards != ZERO else -1


@kernel
def _of_suit(own: np.uint64, out: np.uint64, most_dangerous: bool) -> int:
    """The highest card of the shortest suit (safe ones last), or of that with most outstanding below its lowest."""
    best, best_score = -1, -1000
    for suit in range(4):
        cards = own & suit_mask(suit)
        if cards != ZERO:
            danger = beneath(out, lowest(cards))
            score = danger if most_dangerous else -popcount(cards) - (20 if beneath(out, highest(cards)) == 0 else 0)
            if score > best_score:
                best, best_score = highest(cards), score
    return best


@kernel
def _safest(own: np.uint64, out: np.uint64) -> int:
    """The lowest card with most outstanding above it; Q♠ only if there is nothing else."""
    best, best_score = -1, -1
    cards = spare_queen(own)
    for suit in range(4):
        mine = cards & suit_mask(suit)
        if mine != ZERO:
            low = lowest(mine)
            score = above(out, low)
            if score > best_score:
                best, best_score = low, score
    return best


@kernel
def name_cards(view: Any, kind: int, own: np.uint64, out: np.uint64, queen_played: bool, cards: Any) -> None:
    """Fill `cards` with the card of each action of a kind, -1 where it does not apply."""
    if kind == FOLLOW:
        best = np.int64(view["best"])
        suit = own & view["led"]
        cards[0] = _top(suit & lower(best))
        cards[1] = lowest(suit)
        cards[2] = highest(spare_queen(suit))
        cards[3] = lowest(QUEEN_BIT) if suit & QUEEN_BIT != ZERO else -1
        cards[4] = _bottom(suit & higher(best))
        cards[5] = _top(suit & SMALL_SPADES)
        cards[6] = nth(suit, popcount(suit) - 2) if suit & (suit - ONE) != ZERO else -1
    elif kind == VOID:
        cards[7] = lowest(QUEEN_BIT) if own & QUEEN_BIT != ZERO else -1
        cards[8] = _top(own & SPADES)
        cards[9] = _top(own & HEARTS)
        cards[10] = _top(own & suit_mask(1))
        cards[11] = _top(own & suit_mask(0))
        cards[12] = dump(own, view["led"], queen_played)
        cards[13] = _of_suit(own, out, False)
        cards[14] = _of_suit(own, out, True)
    else:
        for suit in range(4):
            mine = own & suit_mask(suit)
            place = 15 + 3 * suit
            cards[place], cards[place + 1] = _top(mine), _bottom(mine)
            cards[place + 2] = nth(mine, 1) if mine & (mine - ONE) != ZERO else -1
        cards[27] = _top(own & SMALL_SPADES)
        cards[28] = lowest_ranked(spare_queen(own))
        cards[29] = _safest(own, out)
