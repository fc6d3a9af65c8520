"""The 30 actions beyond the FALCON paper: for each kind of decision some, each of which names one legal card."""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, highest, lowest, nth, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.ranks import (
    HEARTS,
    QUEEN_BIT,
    SMALL_SPADES,
    SPADES,
    higher,
    lower,
    lowest_ranked,
    spare_queen,
    suit_mask,
)
from heartlab.learners.falcon.actions import Action, Cards, Need, dump
from heartlab.learners.falcon.more_percepts import FOLLOW, SUITS, VOID
from heartlab.players.gnome.memory import above, beneath


def _lead(suit: str) -> list[Action]:
    return [
        Action(f"lead the highest {suit}", Need(Cards(suit))),
        Action(f"lead the lowest {suit}", Need(Cards(suit))),
        Action(f"lead the second lowest {suit}", Need(Cards(suit), 2), of_paper=False),
    ]


_FOLLOW = (
    Action("the highest below the best", Need(Cards.BELOW)),
    Action("the lowest"),
    Action("the highest, but not Q♠"),
    Action("Q♠", Need(Cards.QUEEN)),
    Action("the cheapest that wins so far", Need(Cards.ABOVE), of_paper=False),
    Action("the highest below Q♠", Need(Cards.SMALL), of_paper=False),
    Action("the second highest", of_paper=False),
)
_VOID = (
    Action("throw Q♠", Need(Cards.QUEEN)),
    *(Action(f"throw the highest {suit}", Need(Cards(suit)), of_paper=suit == "♥") for suit in "♠♥♦♣"),
    Action("dump a high card"),
    Action("throw the highest of the shortest suit", of_paper=False),
    Action("throw the highest of the most dangerous suit", of_paper=False),
)
_LEAD = (
    *(action for suit in SUITS for action in _lead(suit)),
    Action("lead the highest ♠ below Q♠", Need(Cards.SMALL)),
    Action("lead the lowest rank", of_paper=False),
    Action("lead the safest card", of_paper=False),
)
ACTIONS = (*_FOLLOW, *_VOID, *_LEAD)
NAMES = tuple(action.name for action in ACTIONS)
COUNT = len(ACTIONS)
FIRST = (0, len(_FOLLOW), len(_FOLLOW) + len(_VOID), COUNT)
"""Where the actions of each kind begin, and the end."""
BEGIN = np.array(FIRST, np.int64)
"""The same for kernels."""
OF_PAPER = np.array([action.of_paper for action in ACTIONS])
"""Which actions the paper's agent has, too."""


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
    """Fill `cards` with the card of each action of a kind, -1 where it does not apply.

    `view` is a state or an observation, `own` the legal cards, `out` those that others may hold.
    """
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
