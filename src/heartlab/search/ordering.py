"""Which cards to search, and in what order: legal cards, best guess first, equivalent ones only once.

The order is that of the thesis program behind the papers' expert; where a search says "ties go to the first", this is
what "first" means:

- leading: low hearts, then other suits from the top, high hearts among them; A♠, K♠, Q♠ last;
- following a lead of A♠ or K♠: Q♠, then spades from the top;
- following another spade: from the top, Q♠ last;
- following any other suit: from the top;
- void in the suit led: Q♠, then from the top by rank.

Equal places are taken in card order (clubs, diamonds, spades, hearts; low before high).

Two cards of a hand are equivalent if they are of one suit, nobody else holds a card between them and none lies on the
table, and they count the same. Cards that are special (Q♠, bonus, doubler, or worth points that differ) never are. They
win and lose against the same cards; but which of them is left decides its place in the order, and so who gets a tie
later on, and an evaluation that looks at ranks tells them apart: searching one of them is not quite searching all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.cards import ACE_OF_SPADES, QUEEN_OF_SPADES
from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest
from heartlab.compiled.jit import kernel
from heartlab.kernel.play import legal
from heartlab.kernel.ranks import HEARTS, suit_of

MAX_MOVES = 20
"""No hand is longer (three players without a kitty hold 17 cards)."""


@kernel
def move_score(state: Any, card: int) -> int:
    """The place of a card in the order: higher goes first."""
    rank = card % 13
    led = state["led"]
    own = bit(card)
    if led == ZERO:
        from_top = 12 - rank
        if card >= QUEEN_OF_SPADES and card <= ACE_OF_SPADES:
            return card - QUEEN_OF_SPADES
        return 30 + from_top if own & HEARTS != ZERO else 39 - from_top
    if own & led == ZERO:
        return 100 if card == QUEEN_OF_SPADES else rank
    if card == QUEEN_OF_SPADES:
        return 100 if state["trick_cards"][0] > QUEEN_OF_SPADES else -1
    return rank


@kernel
def _is_special(rules: Any, card: int) -> bool:
    return card == QUEEN_OF_SPADES or card == rules["bonus"] or card == rules["doubler"]


@kernel
def _between(low: int, high: int) -> np.uint64:
    """The cards strictly between two cards of a suit."""
    return (bit(high) - ONE) & ~((bit(low) << ONE) - ONE)


@kernel
def cards_between_matter(rules: Any, state: Any) -> np.uint64:
    """The cards that keep two cards of the hand to move apart: on the table, or in other hands."""
    blockers = state["trick"]
    for seat in range(rules["players"]):
        if seat != state["to_move"]:
            blockers |= state["hands"][seat]
    return blockers


@kernel
def equivalent(rules: Any, blockers: np.uint64, one: int, two: int) -> bool:
    """Whether two cards of the hand to move win and lose against the same cards, and count the same."""
    low, high = min(one, two), max(one, two)
    return (
        suit_of(low) == suit_of(high)
        and _between(low, high) & blockers == ZERO
        and rules["points"][low] == rules["points"][high]
        and not _is_special(rules, one)
        and not _is_special(rules, two)
    )


@kernel
def _apart_from(blockers: np.uint64, card: int) -> np.uint64:
    """The cards of a card's suit from which no blocker keeps it apart."""
    own, suit = bit(card), suit_of(card)
    blockers &= suit
    above = blockers & ~(own | (own - ONE))
    below = blockers & (own - ONE)
    zone = suit & ((above & (~above + ONE)) - ONE)  # without a blocker above this is the whole suit
    return zone if below == ZERO else zone & ~((bit(highest(below)) << ONE) - ONE)


@kernel
def _is_kept(rules: Any, blockers: np.uint64, kept: np.uint64, card: int) -> bool:
    """Whether an equivalent of a card is among some, none of them special."""
    others = kept & _apart_from(blockers, card)
    while others != ZERO:
        if rules["points"][lowest(others)] == rules["points"][card]:
            return True
        others &= others - ONE
    return False


@kernel
def candidates(rules: Any, state: Any, merge: bool, cards: Any) -> int:
    """Fill `cards` with the legal cards in search order, equivalent ones once if `merge`; returns how many."""
    # Sort by score, then by card; each entry holds both.
    left = legal(rules, state)
    count = 0
    while left != ZERO:
        card = lowest(left)
        left &= left - ONE
        entry = ((1 + move_score(state, card)) << 6) + 63 - card
        place = count
        while place > 0 and cards[place - 1] < entry:
            cards[place] = cards[place - 1]
            place -= 1
        cards[place] = entry
        count += 1
    # Take the cards out, and of equivalent ones only the first.
    merge = merge and count > 1
    blockers = cards_between_matter(rules, state) if merge else ZERO
    kept = 0
    plain = ZERO
    for i in range(count):
        card = 63 - (cards[i] & 63)
        special = _is_special(rules, card)
        if merge and not special and _is_kept(rules, blockers, plain, card):
            continue
        if not special:
            plain |= bit(card)
        cards[kept] = card
        kept += 1
    return kept


@kernel
def stand_in(rules: Any, state: Any, cards: Any, count: int, card: int) -> int:
    """The place among candidates of a legal card, or of the equivalent one that is searched instead of it; else -1."""
    for i in range(count):
        if cards[i] == card:
            return i
    blockers = cards_between_matter(rules, state)
    for i in range(count):
        if equivalent(rules, blockers, cards[i], card):
            return i
    return -1
