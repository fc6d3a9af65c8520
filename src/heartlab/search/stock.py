"""The card that Stock plays, the default opponent of gnome-hearts: it depends on the trick alone.

It takes plain values, because playouts call it hundreds of thousands of times a second; the player `gnome` uses it too.
"""

from __future__ import annotations

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, highest
from heartlab.compiled.jit import kernel
from heartlab.kernel.ranks import (
    ACE_BIT,
    HEARTS,
    KING_BIT,
    QUEEN_BIT,
    SMALL_SPADES,
    SPADES,
    lowest_ranked,
    of_highest_rank,
    spare_queen,
)


@kernel
def _discard(legal: np.uint64) -> int:
    """Not able to follow: Q♠, A♠, K♠, the highest heart, the highest rank (ties clubs, diamonds, spades)."""
    hearts = legal & HEARTS
    found = hearts if hearts != ZERO else of_highest_rank(legal) & (~of_highest_rank(legal) + ONE)
    found = legal & KING_BIT if legal & KING_BIT != ZERO else found
    found = legal & ACE_BIT if legal & ACE_BIT != ZERO else found
    found = QUEEN_BIT if legal & QUEEN_BIT != ZERO else found
    return highest(found)


@kernel
def _follow(cards: np.uint64, led: np.uint64, trick: np.uint64, best: int, last: bool, penalty: np.uint64) -> int:
    """Follow suit: nearly always the highest of some cards.

    In a trick with points: of those that duck; if none does, low, or if last high but rather not Q♠. In spades without
    points: Q♠ under K♠ or A♠, else clear of Q♠, from below unless last. In other suits: of all. All cases are worked
    out and one is selected: which it is cannot be foreseen, and a wrong guess costs a processor more than the work.
    """
    duck = cards & (bit(best) - ONE)
    spared = spare_queen(cards)
    small = cards & SMALL_SPADES
    ducks = duck != ZERO
    clear = small if small != ZERO else cards
    clear = spared if last else clear
    clear = QUEEN_BIT if (trick & (KING_BIT | ACE_BIT) != ZERO) & (cards & QUEEN_BIT != ZERO) else clear
    clear = clear if led == SPADES else cards
    under = spared if last else cards & (~cards + ONE)
    under = duck if ducks else under
    return highest(under if trick & penalty != ZERO else clear)


@kernel
def stock_choice(legal: np.uint64, led: np.uint64, trick: np.uint64, best: int, last: bool, penalty: np.uint64) -> int:
    """The card Stock plays.

    :param legal: the cards it may play.
    :param led: the suit led, empty when it leads.
    :param trick: the cards on the table, of which `best` is winning.
    :param last: whether it is the last to play.
    :param penalty: the cards that count points.
    """
    if led == ZERO:
        return lowest_ranked(spare_queen(legal))
    cards = legal & led
    return _follow(cards, led, trick, best, last, penalty) if cards != ZERO else _discard(legal)
