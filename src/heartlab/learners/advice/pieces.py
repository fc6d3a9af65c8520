"""The nine pieces of move-selection advice of the paper: compiled, from an observation to sets of legal cards.

A set may be empty: then the piece does not apply. All are worked out together, since they look at the same things.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO
from heartlab.compiled.jit import kernel
from heartlab.kernel.ranks import CLUBS, DIAMONDS, HEARTS, QUEEN_BIT, SMALL_SPADES, SPADES, higher
from heartlab.learners.advice.certain import certain_cards

AVOID_SEARCH, FLUSH, FLUSH_SAFELY, AVOID_LOW, GET_LEAD, VOID_SPADES, VOID_DIAMONDS, VOID_CLUBS, VOID_HEARTS = range(9)
"""Numbers of the pieces: their places among the suggestions."""

NAMES: dict[str, tuple[int, str]] = {
    "avoid-points-search": (AVOID_SEARCH, "Play a card that is certain not to take points in this trick."),
    "flush-queen": (FLUSH, "As long as Q♠ is with somebody else, lead spades."),
    "flush-queen-safely": (FLUSH_SAFELY, "As long as Q♠ is with somebody else, lead a spade below it."),
    "avoid-points-low": (AVOID_LOW, "If there are points on the table, play a card that does not win so far."),
    "get-lead": (GET_LEAD, "Play a card that wins so far."),
    "get-void-spades": (VOID_SPADES, "When leading or unable to follow, play a spade."),
    "get-void-diamonds": (VOID_DIAMONDS, "When leading or unable to follow, play a diamond."),
    "get-void-clubs": (VOID_CLUBS, "When leading or unable to follow, play a club."),
    "get-void-hearts": (VOID_HEARTS, "When leading or unable to follow, play a heart."),
}
"""Number and sentence of each piece by its name."""


@kernel
def winning_so_far(obs: Any) -> np.uint64:
    """The legal cards that beat the best card on the table; none when leading."""
    return ZERO if obs["led"] == ZERO else obs["legal"] & higher(obs["best"])


@kernel
def suggest_paper(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> None:
    """What the pieces of the paper suggest, each in its place of `out`."""
    legal = obs["legal"]
    leads = obs["led"] == ZERO
    winners = winning_so_far(obs)
    spades = legal if leads and unseen & QUEEN_BIT != ZERO else ZERO
    free = legal if obs["hand"] & obs["led"] == ZERO else ZERO
    out[AVOID_SEARCH] = certain_cards(rules, obs, unseen)
    out[FLUSH] = spades & SPADES
    out[FLUSH_SAFELY] = spades & SMALL_SPADES
    out[AVOID_LOW] = legal & ~winners if obs["trick"] & rules["penalty"] != ZERO else ZERO
    out[GET_LEAD] = winners
    out[VOID_SPADES] = free & SPADES
    out[VOID_DIAMONDS] = free & DIAMONDS
    out[VOID_CLUBS] = free & CLUBS
    out[VOID_HEARTS] = free & HEARTS
