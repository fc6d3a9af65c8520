"""Yes-or-no features of one seat's observation, and of a card that it may play or pass: named, as lists of indices.

A network adds up one row of weights per feature that is true, so a position is the list of their numbers. Features come
in blocks; a block over cards has one feature per card. Seats are counted clockwise from the observer: 0 is the seat
itself, 1 its left-hand neighbour. All games have four players.

*Position* features say what the seat knows, *card* features what a candidate card would do; the network adds both.
Passing has position and card features of its own: cards are chosen one after the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from heartlab.cards import JACK_OF_DIAMONDS, QUEEN_OF_SPADES
from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.ranks import HEARTS, QUEEN_BIT, higher, lower, suit_mask, suit_of

PLAYERS = 4
CAP = 4
"""Counts of unseen cards below and above a card are told apart up to this."""
CAPPED = CAP + 1
SPECIAL = np.uint64(1 << QUEEN_OF_SPADES | 1 << JACK_OF_DIAMONDS)
LEAD, UNDER, OVER, DISCARD = range(4)
"""What a card does in the trick: leads, follows below the best card, follows above it, follows no suit."""
FEW, SOME, MOST = 5, 13, 20
"""Lower bounds of the classes of points that a seat with all points so far has taken."""


class Block(NamedTuple):
    """Features of one kind, side by side."""

    name: str
    size: int
    start: int


def _layout(*sizes: tuple[str, int]) -> dict[str, Block]:
    blocks, start = {}, 0
    for name, size in sizes:
        blocks[name] = Block(name, size, start)
        start += size
    return blocks


POSITION = _layout(
    ("hand", 52),
    ("played", PLAYERS * 52),
    ("trick", (PLAYERS - 1) * 52),
    ("known", (PLAYERS - 1) * 52),
    ("received", 52),
    ("direction", 4),
    ("void", (PLAYERS - 1) * 4),
    ("held", 4 * 14),
    ("unseen", 4 * 14),
    ("below", 52 * CAPPED),
    ("above", 52 * CAPPED),
    ("hearts", PLAYERS * 14),
    ("queen", PLAYERS + 1),
    ("broken", 1),
    ("number", 13),
    ("place", PLAYERS),
    ("best", 52),
    ("winner", PLAYERS - 1),
    ("moon", PLAYERS + 2),
    ("alone", PLAYERS * 4),
)
CARD = _layout(
    ("card", 52),
    ("role", 4 * 52),
    ("beaten", 4 * CAPPED),
    ("beats", 4 * CAPPED),
    ("left", 4 * CAPPED),
    ("lowest", 1),
    ("highest", 1),
    ("ducks", 1),
    ("points", 4 * 4),
    ("last", 4),
)
PASS_POSITION = _layout(
    ("hand", 52), ("chosen", 52), ("direction", 4), ("held", 4 * 14), ("below", 52 * CAPPED), ("above", 52 * CAPPED)
)
PASS_CARD = _layout(
    ("card", 52), ("left", 4 * CAPPED), ("beaten", CAPPED), ("beats", CAPPED), ("lowest", 1), ("highest", 1)
)


def size_of(blocks: dict[str, Block]) -> int:
    """How many features some blocks have."""
    return sum(block.size for block in blocks.values())


POSITION_SIZE, CARD_SIZE = size_of(POSITION), size_of(CARD)
PASS_POSITION_SIZE, PASS_CARD_SIZE = size_of(PASS_POSITION), size_of(PASS_CARD)

_HAND, _PLAYED, _TRICK, _KNOWN = (POSITION[name].start for name in ("hand", "played", "trick", "known"))
_RECEIVED, _DIRECTION, _VOID = (POSITION[name].start for name in ("received", "direction", "void"))
_HELD, _UNSEEN, _BELOW, _ABOVE = (POSITION[name].start for name in ("held", "unseen", "below", "above"))
_HEARTS, _QUEEN, _BROKEN, _NUMBER = (POSITION[name].start for name in ("hearts", "queen", "broken", "number"))
_PLACE, _BEST, _WINNER, _MOON, _ALONE = (POSITION[name].start for name in ("place", "best", "winner", "moon", "alone"))
_C_CARD, _C_ROLE, _C_BEATEN, _C_BEATS = (CARD[name].start for name in ("card", "role", "beaten", "beats"))
_C_LEFT, _C_LOWEST, _C_HIGHEST, _C_DUCKS = (CARD[name].start for name in ("left", "lowest", "highest", "ducks"))
_C_POINTS, _C_LAST = (CARD[name].start for name in ("points", "last"))
_P_HAND, _P_CHOSEN, _P_DIRECTION = (PASS_POSITION[name].start for name in ("hand", "chosen", "direction"))
_P_HELD, _P_BELOW, _P_ABOVE = (PASS_POSITION[name].start for name in ("held", "below", "above"))
_PC_CARD, _PC_LEFT, _PC_BEATEN = (PASS_CARD[name].start for name in ("card", "left", "beaten"))
_PC_BEATS, _PC_LOWEST, _PC_HIGHEST = (PASS_CARD[name].start for name in ("beats", "lowest", "highest"))


@kernel
def _add_cards(cards: np.uint64, start: int, out: Any, count: int) -> int:
    """The features of a block over cards that are true for some cards."""
    while cards != ZERO:
        out[count] = start + lowest(cards)
        count += 1
        cards &= cards - ONE
    return count


@kernel
def _add_counts(hand: np.uint64, unseen: np.uint64, below: int, above: int, out: Any, count: int) -> int:
    """For each own card how many unseen cards of its suit are below and above it."""
    cards = hand
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        out[count] = below + card * CAPPED + min(CAP, popcount(unseen & lower(card)))
        out[count + 1] = above + card * CAPPED + min(CAP, popcount(unseen & higher(card)))
        count += 2
    return count


@kernel
def unseen_cards(rules: Any, obs: Any) -> np.uint64:
    """The cards that are in other hands."""
    cards = rules["pack"] & ~obs["hand"]
    for other in range(PLAYERS):
        cards &= ~obs["played"][other]
    return cards


@kernel
def distinct(cards: np.uint64, between: np.uint64) -> np.uint64:
    """Some cards without those that are equivalent to the next lower one: same suit, no card of `between` in between.

    Q♠ and J♦ are always told apart from their neighbours.
    """
    kept = cards
    left = cards
    last = -1
    while left != ZERO:
        card = lowest(left)
        left &= left - ONE
        if last >= 0 and last // 13 == card // 13 and SPECIAL & (bit(last) | bit(card)) == ZERO:
            if between & higher(last) & lower(card) == ZERO:
                kept ^= bit(card)
        last = card
    return kept


@kernel
def position_features(rules: Any, obs: Any, out: Any) -> int:
    """The true features of what a seat that is to play a card knows; returns their number."""
    seat = np.int64(obs["seat"])
    hand = obs["hand"]
    unseen = unseen_cards(rules, obs)
    count = _add_cards(hand, _HAND, out, 0)
    for step in range(PLAYERS):
        count = _add_cards(obs["played"][(seat + step) % PLAYERS], _PLAYED + 52 * step, out, count)
    # the trick
    size = np.int64(obs["trick_size"])
    for place in range(size):
        step = (np.int64(obs["leader"]) + place - seat) % PLAYERS
        out[count] = _TRICK + 52 * (step - 1) + obs["trick_cards"][place]
        count += 1
    if size > 0:
        out[count] = _BEST + obs["best"]
        out[count + 1] = _WINNER + (np.int64(obs["winner"]) - seat) % PLAYERS - 1
        count += 2
    out[count] = _PLACE + size
    out[count + 1] = _NUMBER + obs["trick_number"]
    count += 2
    # the pass
    direction = np.int64(obs["pass_code"])
    out[count] = _DIRECTION + direction
    count += 1
    if direction > 0:
        count = _add_cards(obs["passed"] & unseen, _KNOWN + 52 * (direction - 1), out, count)
        count = _add_cards(obs["received"], _RECEIVED, out, count)
    # suits
    for suit in range(4):
        out[count] = _HELD + 14 * suit + popcount(hand & suit_mask(suit))
        out[count + 1] = _UNSEEN + 14 * suit + popcount(unseen & suit_mask(suit))
        count += 2
        for step in range(1, PLAYERS):
            if obs["may_hold"][(seat + step) % PLAYERS] & unseen & suit_mask(suit) == ZERO:
                out[count] = _VOID + 4 * (step - 1) + suit
                count += 1
    count = _add_counts(hand, unseen, _BELOW, _ABOVE, out, count)
    # points
    if obs["hearts_broken"]:
        out[count] = _BROKEN
        count += 1
    return _add_points(obs, seat, out, count)


@kernel
def _add_points(obs: Any, seat: int, out: Any, count: int) -> int:
    """Who has taken what, and whether somebody may still shoot the moon."""
    holders = 0
    alone = 0
    most = 0
    queen = PLAYERS
    for step in range(PLAYERS):
        taken = obs["taken"][(seat + step) % PLAYERS]
        hearts = popcount(taken & HEARTS)
        points = hearts
        if taken & QUEEN_BIT != ZERO:
            queen = step
            points += 13
        out[count] = _HEARTS + 14 * step + hearts
        count += 1
        if points > 0:
            holders += 1
            alone = step
            most = points
    out[count] = _QUEEN + queen
    count += 1
    if holders == 0:
        out[count] = _MOON + PLAYERS
    elif holders > 1:
        out[count] = _MOON + PLAYERS + 1
    else:
        out[count] = _MOON + alone
        out[count + 1] = _ALONE + 4 * alone + (most >= FEW) + (most >= SOME) + (most >= MOST)
        count += 1
    return count + 1


@kernel
def card_features(rules: Any, obs: Any, unseen: np.uint64, card: int, out: Any) -> int:
    """The true features of playing a card; returns their number."""
    own = bit(card)
    suit = suit_of(card)
    mates = obs["hand"] & suit
    led = obs["led"]
    best = np.int64(obs["best"])
    role = LEAD
    if led != ZERO:
        role = DISCARD if own & led == ZERO else (OVER if card > best else UNDER)
    out[0] = _C_CARD + card
    out[1] = _C_ROLE + 52 * role + card
    out[2] = _C_BEATEN + CAPPED * role + min(CAP, popcount(unseen & higher(card)))
    out[3] = _C_BEATS + CAPPED * role + min(CAP, popcount(unseen & lower(card)))
    out[4] = _C_LEFT + CAPPED * (card // 13) + min(CAP, popcount(mates) - 1)
    trick = obs["trick"]
    worth = 3 if trick & QUEEN_BIT != ZERO else min(2, popcount(trick & HEARTS))
    out[5] = _C_POINTS + 4 * role + worth
    count = 6
    if own == mates & (~mates + ONE):
        out[count] = _C_LOWEST
        count += 1
    if card == highest(mates):
        out[count] = _C_HIGHEST
        count += 1
    if role == UNDER and mates & higher(card) & lower(best) == ZERO:
        out[count] = _C_DUCKS
        count += 1
    if obs["trick_size"] == PLAYERS - 1:
        out[count] = _C_LAST + role
        count += 1
    return count


@kernel
def pass_position_features(rules: Any, obs: Any, chosen: np.uint64, out: Any) -> int:
    """The true features of a hand of which some cards were already chosen to be passed; returns their number."""
    hand = obs["hand"] & ~chosen
    unseen = rules["pack"] & ~obs["hand"]
    count = _add_cards(hand, _P_HAND, out, 0)
    count = _add_cards(chosen, _P_CHOSEN, out, count)
    out[count] = _P_DIRECTION + obs["pass_code"]
    count += 1
    for suit in range(4):
        out[count] = _P_HELD + 14 * suit + popcount(hand & suit_mask(suit))
        count += 1
    return _add_counts(hand, unseen, _P_BELOW, _P_ABOVE, out, count)


@kernel
def pass_card_features(rules: Any, obs: Any, chosen: np.uint64, card: int, out: Any) -> int:
    """The true features of passing a card; returns their number."""
    mates = obs["hand"] & ~chosen & suit_of(card)
    unseen = rules["pack"] & ~obs["hand"]
    out[0] = _PC_CARD + card
    out[1] = _PC_LEFT + CAPPED * (card // 13) + min(CAP, popcount(mates) - 1)
    out[2] = _PC_BEATEN + min(CAP, popcount(unseen & higher(card)))
    out[3] = _PC_BEATS + min(CAP, popcount(unseen & lower(card)))
    count = 4
    if bit(card) == mates & (~mates + ONE):
        out[count] = _PC_LOWEST
        count += 1
    if card == highest(mates):
        out[count] = _PC_HIGHEST
        count += 1
    return count
