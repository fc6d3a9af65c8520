"""What the gnome-hearts players share: what they remember of a deal, and small choices over masks.

What they remember is derived from the observation at each decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, bit, highest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import NOBODY
from heartlab.kernel.play import mask_points
from heartlab.kernel.ranks import higher, highest_ranked, lower

C, D, S, H = 0, 1, 2, 3
RANK_SIX, RANK_JACK, RANK_KING = 4, 9, 11
GNOME_ORDER = (C, D, H, S)
"""The order of suits by which these players break ties."""
SEVERAL = -2
"""Returned by `sole_scorer` if more than one seat has taken points."""


@kernel
def take_highest(cards: np.uint64, chosen: np.uint64, count: int) -> np.uint64:
    """Add the highest-ranked of some cards to a choice until it has `count` cards or none is left."""
    cards &= ~chosen
    while cards != ZERO and popcount(chosen) < count:
        card = bit(highest_ranked(cards))
        cards ^= card
        chosen |= card
    return chosen


@kernel
def top_below(cards: np.uint64, limit: int) -> int:
    """The highest of some cards of a suit below a card of that suit, or -1."""
    under = cards & lower(limit)
    return highest(under) if under != ZERO else -1


@kernel
def above(unseen: np.uint64, card: int) -> int:
    """The number of unseen cards that beat a card in its suit."""
    return popcount(unseen & higher(card))


@kernel
def beneath(unseen: np.uint64, card: int) -> int:
    """The number of unseen cards that a card beats in its suit."""
    return popcount(unseen & lower(card))


@kernel
def is_last(rules: Any, obs: Any) -> bool:
    """Whether the player is the last to play to the trick."""
    return obs["trick_size"] == rules["players"] - 1


@kernel
def unseen_cards(rules: Any, obs: Any) -> np.uint64:
    """The cards that may be in another hand: not in our own hand and not played."""
    cards = rules["pack"] & ~obs["hand"] & ~obs["kitty"]
    for seat in range(rules["players"]):
        cards &= ~obs["played"][seat]
    return cards


@kernel
def count_leads(rules: Any, obs: Any, starts: Any) -> None:
    """The number of tricks led in each suit so far, including the unfinished one."""
    for suit in range(4):
        starts[suit] = 0
    for ply in range(0, obs["plays"], rules["players"]):
        starts[obs["history"][ply] // 13] += 1


@kernel
def find_voids(rules: Any, obs: Any, out: Any) -> None:
    """The seats that have not followed each suit, as bit masks, including our own."""
    for suit in range(4):
        out[suit] = 0
    led = 0
    for ply in range(obs["plays"]):
        card = obs["history"][ply]
        if ply % rules["players"] == 0:
            led = card // 13
        elif card // 13 != led:
            for seat in range(rules["players"]):
                if obs["played"][seat] & bit(card) != ZERO:
                    out[led] |= 1 << seat


@kernel
def points_taken(rules: Any, obs: Any, seat: int) -> int:
    """The penalty points a seat has taken in this deal."""
    return mask_points(rules, obs["taken"][seat] & rules["penalty"])


@kernel
def sole_scorer(rules: Any, obs: Any) -> int:
    """The only seat that has taken penalty cards; NOBODY if none has, SEVERAL if more than one has."""
    sole = NOBODY
    for seat in range(rules["players"]):
        if obs["taken"][seat] & rules["penalty"] != ZERO:
            sole = seat if sole == NOBODY else SEVERAL
    return sole
