"""The 29 abstract actions of the FALCON paper: each applies in some situations and then names one card.

| actions | when | card |
|---|---|---|
| a1–a12 | we can follow ♥, ♠, ♦ or ♣ | highest below the best card on the table; highest; lowest |
| a13–a15 | we are void | Q♠; highest ♥; "dump" |
| a16–a27 | we lead; ♥, ♠, ♦ or ♣ | highest; lowest; a random one between them |
| a28, a29 | we lead | lowest ♠ below Q♠; highest ♠ below Q♠ |

"Dump": while Q♠ has not been played and the led suit is not spades, the higher of A♠ and K♠; otherwise the highest
rank, of the suit that has fewest cards (ties ♣, ♦, ♠, ♥). Actions choose among legal cards, so that they serve under
any rules; some action applies always. Numbers here count from 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest, nth, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below
from heartlab.kernel.ranks import ACE_BIT, HEARTS, KING_BIT, QUEEN_BIT, SMALL_SPADES, SPADES, lower, suit_mask

COUNT = 29
FOLLOW, DISCARD, LEAD = 0, 12, 15
"""The first action of each kind."""
SUITS = (3, 2, 1, 0)
"""Hearts, spades, diamonds, clubs: the paper's order, in our numbers."""
_SIGNS = "♥♠♦♣"
NAMES = tuple(
    [
        f"follow {sign} with {card}"
        for sign in _SIGNS
        for card in ("the highest below the best", "the highest", "the lowest")
    ]
    + ["throw Q♠", "throw the highest ♥", "dump a high card"]
    + [f"lead {card} {sign}" for sign in _SIGNS for card in ("the highest", "the lowest", "a middle")]
    + ["lead the lowest ♠ below Q♠", "lead the highest ♠ below Q♠"]
)


@kernel
def dump(legal: np.uint64, led: np.uint64, queen_played: bool) -> int:
    """The card of a15."""
    high = legal & (ACE_BIT | KING_BIT)
    if led != SPADES and high != ZERO and not queen_played:
        return highest(high)
    best, best_rank, best_size = -1, -1, 99
    for suit in range(4):
        cards = legal & suit_mask(suit)
        if cards != ZERO:
            top, size = highest(cards), popcount(cards)
            if top % 13 > best_rank or (top % 13 == best_rank and size < best_size):
                best, best_rank, best_size = top, top % 13, size
    return best


@kernel
def applicable(
    legal: np.uint64, led: np.uint64, best: int, queen_played: bool, rng: Any, cards: Any
) -> tuple[int, int]:
    """Fill `cards[first:end]` with the card of each action that may apply here, -1 where it does not.

    Returns first and end. `led` is empty when we lead; `best` is the winning card on the table.
    """
    if led == ZERO:
        for place in range(4):
            suit = legal & suit_mask(3 - place)
            base = LEAD + 3 * place
            cards[base] = cards[base + 1] = cards[base + 2] = -1
            if suit != ZERO:
                cards[base], cards[base + 1] = highest(suit), lowest(suit)
                size = popcount(suit)
                if size > 2:
                    cards[base + 2] = nth(suit, 1 + below(rng, size - 2))
        small = legal & SMALL_SPADES
        cards[COUNT - 2] = lowest(small) if small != ZERO else -1
        cards[COUNT - 1] = highest(small) if small != ZERO else -1
        return LEAD, COUNT
    suit = legal & led
    if suit == ZERO:
        cards[DISCARD] = lowest(QUEEN_BIT) if legal & QUEEN_BIT != ZERO else -1
        cards[DISCARD + 1] = highest(legal & HEARTS) if legal & HEARTS != ZERO else -1
        cards[DISCARD + 2] = dump(legal, led, queen_played)
        return DISCARD, LEAD
    first = FOLLOW + 3 * (3 - best // 13)
    under = suit & lower(best)
    cards[first] = highest(under) if under != ZERO else -1
    cards[first + 1], cards[first + 2] = highest(suit), lowest(suit)
    return first, first + 3


@kernel
def distinct(cards: Any, first: int, end: int) -> int:
    """Keep only the first action that names a card; returns how many cards are named."""
    seen = ZERO
    count = 0
    for action in range(first, end):
        if cards[action] >= 0:
            own = bit(cards[action])
            if seen & own != ZERO:
                cards[action] = -1
            else:
                seen |= own
                count += 1
    return count


@kernel
def single(cards: np.uint64) -> bool:
    """Whether a mask holds one card."""
    return cards & (cards - ONE) == ZERO
