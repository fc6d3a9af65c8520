"""Suits and ranks over masks: the cards above and below a card, and the highest and lowest rank of several suits.

A mask holds four suits of thirteen bits each. The OR of the four says which ranks there are, so the highest rank is
found without a loop over the cards.

Cards of equal rank are ordered in one of two ways: by the suits of this package (clubs, diamonds, spades, hearts), or
by those of the gnome-hearts players (clubs, diamonds, hearts, spades).
"""

from __future__ import annotations

import numpy as np

from heartlab.cards import (
    ACE_OF_SPADES,
    CS_CLUBS,
    CS_DIAMONDS,
    CS_HEARTS,
    CS_HIGH_SPADES,
    CS_SPADES,
    KING_OF_SPADES,
    QUEEN_OF_SPADES,
    TWO_OF_CLUBS,
)
from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest
from heartlab.compiled.jit import kernel

CLUBS = np.uint64(CS_CLUBS)
DIAMONDS = np.uint64(CS_DIAMONDS)
SPADES = np.uint64(CS_SPADES)
HEARTS = np.uint64(CS_HEARTS)
TWO_BIT = np.uint64(1 << TWO_OF_CLUBS)
"""2♣."""
QUEEN_BIT = np.uint64(1 << QUEEN_OF_SPADES)
"""Q♠."""
KING_BIT = np.uint64(1 << KING_OF_SPADES)
"""K♠."""
ACE_BIT = np.uint64(1 << ACE_OF_SPADES)
"""A♠."""
HIGH_SPADES = np.uint64(CS_HIGH_SPADES)
"""Q♠, K♠ and A♠."""
SMALL_SPADES = SPADES & ~HIGH_SPADES
"""The spades below Q♠."""
_TWOS = np.uint64(1 | 1 << 13 | 1 << 26 | 1 << 39)
_ONE_SUIT, _TWO_SUITS = np.uint64(13), np.uint64(26)


@kernel
def suit_of(card: int) -> np.uint64:
    """The mask of the suit of a card."""
    return CLUBS << np.uint64(13 * (card // 13))


@kernel
def suit_mask(suit: int) -> np.uint64:
    """All cards of a suit, given its number."""
    return CLUBS << np.uint64(13 * suit)


@kernel
def higher(card: int) -> np.uint64:
    """The cards of the same suit above a card."""
    return suit_of(card) & ~(bit(card) | (bit(card) - ONE))


@kernel
def lower(card: int) -> np.uint64:
    """The cards of the same suit below a card."""
    return suit_of(card) & (bit(card) - ONE)


@kernel
def spare_queen(cards: np.uint64) -> np.uint64:
    """The cards without Q♠, unless it is the only one."""
    rest = cards & ~QUEEN_BIT
    return rest if rest != ZERO else cards


@kernel
def _ranks(cards: np.uint64) -> np.uint64:
    """The ranks that occur in any suit, as thirteen bits."""
    cards |= cards >> _TWO_SUITS
    return (cards | cards >> _ONE_SUIT) & CLUBS


@kernel
def of_highest_rank(cards: np.uint64) -> np.uint64:
    """The cards of the highest rank in a mask that is not empty."""
    return cards & _TWOS << np.uint64(highest(_ranks(cards)))


@kernel
def of_lowest_rank(cards: np.uint64) -> np.uint64:
    """The cards of the lowest rank in a mask that is not empty."""
    return cards & _TWOS << np.uint64(lowest(_ranks(cards)))


@kernel
def highest_rank(cards: np.uint64) -> int:
    """The card of the highest rank; of several the last suit."""
    return highest(of_highest_rank(cards))


@kernel
def lowest_rank(cards: np.uint64) -> int:
    """The card of the lowest rank; of several the first suit."""
    return lowest(of_lowest_rank(cards))


@kernel
def highest_ranked(cards: np.uint64) -> int:
    """The highest card of a mask that is not empty, as the gnome-hearts players rank them."""
    equal = of_highest_rank(cards)
    spade = equal & SPADES
    return lowest(spade) if spade != ZERO else highest(equal)


@kernel
def lowest_ranked(cards: np.uint64) -> int:
    """The lowest card of a mask that is not empty, as the gnome-hearts players rank them."""
    equal = of_lowest_rank(cards)
    rest = equal & ~SPADES
    return lowest(rest if rest != ZERO else equal)
