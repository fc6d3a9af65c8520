"""The 29 abstract actions of the FALCON paper: each applies in some situations and then names one card.

| actions | when | card |
|---|---|---|
| a1–a12 | we can follow ♥, ♠, ♦ or ♣ | highest below the best card on the table; highest; lowest |
| a13–a15 | we are void | Q♠; highest ♥; "dump" |
| a16–a27 | we lead; ♥, ♠, ♦ or ♣ | highest; lowest; a random one between them |
| a28, a29 | we lead | lowest ♠ below Q♠; highest ♠ below Q♠ |

"Dump": while Q♠ has not been played and the led suit is not spades, the higher of A♠ and K♠; otherwise the highest
rank, of the suit that has fewest cards (ties ♣, ♦, ♠, ♥). Actions choose among legal cards, so that they serve under
any rules; some action always applies. Numbers here count from 0.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest, nth, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below
from heartlab.kernel.ranks import ACE_BIT, HEARTS, KING_BIT, QUEEN_BIT, SMALL_SPADES, SPADES, lower, suit_mask

COUNT = 29
FOLLOW, DISCARD, LEAD = 0, 12, 15
"""The first action of each kind."""
SUITS = "♥♠♦♣"
"""The suits in the order of the actions."""


class Cards(StrEnum):
    """Kinds of cards that an action may need among the legal ones."""

    CLUBS = "♣"
    DIAMONDS = "♦"
    SPADES = "♠"
    HEARTS = "♥"
    QUEEN = "Q♠"
    SMALL = "♠ below Q♠"
    BELOW = "below the best"
    ABOVE = "above the best"
    ANY = "any"

    @property
    def are_spades(self) -> bool:
        """Whether all of them are spades."""
        return self in (Cards.SPADES, Cards.QUEEN, Cards.SMALL)


class Need(NamedTuple):
    """What must be legal for an action to apply; networks are asked only where there is a choice."""

    cards: Cards
    least: int = 1

    def implies(self, other: Need) -> bool:
        """Whether an action with this need applies only where one with the other need does."""
        within = self.cards == other.cards or (other.cards is Cards.SPADES and self.cards.are_spades)
        return other == ALWAYS or (within and self.least >= other.least)


ALWAYS = Need(Cards.ANY)
"""The need of an action that applies in every decision of its kind."""


class Action(NamedTuple):
    """An abstract action in words."""

    name: str
    need: Need = ALWAYS
    of_paper: bool = True
    """Whether the paper's agent has it, under this or another name."""


def _follow(suit: str) -> list[Action]:
    words = f"follow {suit} with"
    return [
        Action(f"{words} the highest below the best", Need(Cards.BELOW)),
        Action(f"{words} the highest"),
        Action(f"{words} the lowest"),
    ]


def _lead(suit: str) -> list[Action]:
    return [
        Action(f"lead the highest {suit}", Need(Cards(suit))),
        Action(f"lead the lowest {suit}", Need(Cards(suit))),
        Action(f"lead a middle {suit}", Need(Cards(suit), 3)),
    ]


PAPER_ACTIONS = (
    *(action for suit in SUITS for action in _follow(suit)),
    Action("throw Q♠", Need(Cards.QUEEN)),
    Action("throw the highest ♥", Need(Cards.HEARTS)),
    Action("dump a high card"),
    *(action for suit in SUITS for action in _lead(suit)),
    Action("lead the lowest ♠ below Q♠", Need(Cards.SMALL)),
    Action("lead the highest ♠ below Q♠", Need(Cards.SMALL)),
)
"""The actions, a1 first."""
NAMES = tuple(action.name for action in PAPER_ACTIONS)


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
def first_action(cards: Any, first: int, end: int) -> int:
    """The lowest-numbered action that applies."""
    for action in range(first, end):
        if cards[action] >= 0:
            return action
    return -1


@kernel
def best_action(weights: Any, cards: Any, first: int, end: int) -> int:
    """The applicable action with the highest weight; ties go to the first."""
    best = -1
    for action in range(first, end):
        if cards[action] >= 0 and (best < 0 or weights[action] > weights[best]):
            best = action
    return best


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
