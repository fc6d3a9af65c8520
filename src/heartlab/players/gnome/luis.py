"""Luis of gnome-hearts, originally from KDE's Hearts: Stock's pass, leads chosen by how often a suit was led before.

"Tricks led in a suit" includes the unfinished trick. From the second deal of a game on, Luis assumes that Q♠ has been
played; we recognise later deals by scores that are not zero. With all scores at zero he leads spades to draw it, and is
clearly stronger.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, highest, lowest
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import any_of, below
from heartlab.kernel.ranks import (
    ACE_BIT,
    HEARTS,
    HIGH_SPADES,
    KING_BIT,
    QUEEN_BIT,
    SMALL_SPADES,
    SPADES,
    TWO_BIT,
    highest_ranked,
    lower,
    suit_mask,
)
from heartlab.kernel.rows import each_row
from heartlab.players.gnome.memory import C, D, count_leads, is_last

LOW_RANK = 8
"""If the highest discard is below this rank (the two is 2), a heart is discarded instead."""


@kernel
def _queen_gone(rules: Any, obs: Any) -> bool:
    """Whether Luis assumes that Q♠ has been played: always after the first deal of a game."""
    gone = False
    for seat in range(rules["players"]):
        gone = gone or obs["scores"][seat] != 0 or obs["played"][seat] & QUEEN_BIT != ZERO
    return gone


@kernel
def _lead(rules: Any, obs: Any, starts: Any, rng: Any) -> int:
    legal = obs["legal"]
    if legal & ~HEARTS == ZERO:
        return lowest(legal)
    if legal & TWO_BIT != ZERO:
        return lowest(TWO_BIT)
    spades = legal & SPADES
    if spades != ZERO and obs["hand"] & HIGH_SPADES == ZERO and not _queen_gone(rules, obs):
        return highest(spades)
    for suit in (D, C):
        if legal & suit_mask(suit) != ZERO and starts[suit] < 2:
            return highest(legal & suit_mask(suit))
    suits = 0
    candidates = np.empty(4, np.int64)
    for suit in range(4):
        cards = legal & suit_mask(suit)
        if cards != ZERO and starts[suit] < 4 and lowest(cards) % 13 + 2 < 5 + 3 * starts[suit]:
            candidates[suits] = lowest(cards)
            suits += 1
    return candidates[below(rng, suits)] if suits > 0 else any_of(legal, rng)


@kernel
def _to_spades(cards: np.uint64, trick: np.uint64, last: bool) -> int:
    high_out = trick & (KING_BIT | ACE_BIT) != ZERO
    under = cards
    if cards & QUEEN_BIT != ZERO:
        if high_out:
            return lowest(QUEEN_BIT)
        under = cards & SMALL_SPADES
    elif cards & HIGH_SPADES != ZERO and (not last or trick & QUEEN_BIT != ZERO):
        under = cards & SMALL_SPADES
    return highest(under if under != ZERO else cards)


@kernel
def _to_hearts(cards: np.uint64, best: int, before_last: bool, last: bool) -> int:
    """Duck as high as possible; if that is impossible, play high if the card is likely to win anyway."""
    low = lowest(cards)
    if low > best:
        return highest(cards) if last or (before_last and low > best + 3) else low
    return highest(cards & lower(best))


@kernel
def _discard(legal: np.uint64) -> int:
    for card in (QUEEN_BIT, KING_BIT, ACE_BIT):
        if legal & card != ZERO:
            return lowest(card)
    top = highest_ranked(legal)
    if top % 13 + 2 < LOW_RANK and legal & HEARTS != ZERO:
        return highest(legal & HEARTS)
    return top


@kernel
def luis_card(rules: Any, obs: Any, rng: Any) -> int:
    """The card Luis plays."""
    starts = np.empty(4, np.int64)
    count_leads(rules, obs, starts)
    led = obs["led"]
    if led == ZERO:
        return _lead(rules, obs, starts, rng)
    cards = obs["legal"] & led
    if cards == ZERO:
        return _discard(obs["legal"])
    last = is_last(rules, obs)
    if led == SPADES:
        return _to_spades(cards, obs["trick"], last)
    if led == HEARTS:
        return _to_hearts(cards, obs["best"], obs["trick_size"] == rules["players"] - 2, last)
    if obs["trick"] & QUEEN_BIT == ZERO and (last or starts[lowest(led) // 13] < 2):
        return highest(cards)
    return lowest(cards)


@kernel
def luis_cards(rules: Any, obs: Any, out: Any) -> None:
    """Luis' card for each row."""
    each_row(rules, obs, luis_card, out)
