"""Stock, the default opponent of gnome-hearts: no memory, no moon, no dice. The yardstick of the family.

Its choice of a card depends on the trick alone, so :func:`stock_choice` takes plain values and can also serve as
the policy of a playout.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.jit import kernel
from heartlab.kernel.bits import CLUBS, HEARTS, QUEEN_BIT, SPADES, ZERO, bit, highest, lowest, popcount
from heartlab.kernel.dealing import may_pass
from heartlab.players.gnome_cards import (
    ACE_BIT,
    DIAMONDS,
    KING_BIT,
    SMALL_SPADES,
    highest_ranked,
    is_last,
    lower,
    lowest_ranked,
    spare_queen,
)
from heartlab.search.playouts import any_card, policy, slips


@kernel
def _discard(legal: np.uint64) -> int:
    """Not able to follow: Q♠, A♠, K♠, the highest heart, the highest rank (ties clubs, diamonds, spades)."""
    for card in (QUEEN_BIT, ACE_BIT, KING_BIT):
        if legal & card != ZERO:
            return lowest(card)
    if legal & HEARTS != ZERO:
        return highest(legal & HEARTS)
    best = lowest(legal)
    for card in range(best + 1, highest(legal) + 1):
        if legal & bit(card) != ZERO and card % 13 > best % 13:
            best = card
    return best


@kernel
def _under_points(cards: np.uint64, best: int, last: bool) -> int:
    """Follow to a trick with points: duck as high as possible, or else win high if last, low if not."""
    duck = cards & lower(best)
    if duck != ZERO:
        return highest(duck)
    if last:
        return highest(spare_queen(cards))
    return lowest(cards)


@kernel
def _to_spades(cards: np.uint64, trick: np.uint64, last: bool) -> int:
    """Follow to spades without points: Q♠ under K♠ or A♠, else high but clear of Q♠."""
    if trick & (KING_BIT | ACE_BIT) != ZERO and cards & QUEEN_BIT != ZERO:
        return lowest(QUEEN_BIT)
    if last:
        return highest(spare_queen(cards))
    small = cards & SMALL_SPADES
    return highest(small if small != ZERO else cards)


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
    if cards == ZERO:
        return _discard(legal)
    if trick & penalty != ZERO:
        return _under_points(cards, best, last)
    if led == SPADES:
        return _to_spades(cards, trick, last)
    return highest(cards)


@kernel
def stock_card(rules: Any, obs: Any, rng: Any) -> int:
    """The card Stock plays, from an observation."""
    return stock_choice(obs["legal"], obs["led"], obs["trick"], obs["best"], is_last(rules, obs), rules["penalty"])


@kernel
def stock_pass(rules: Any, obs: Any, rng: Any) -> np.uint64:
    """High spades; then over and over: a lone club, a lone diamond, the highest heart, the highest card."""
    free = may_pass(rules, obs["hand"])
    count = rules["pass_count"]
    chosen = ZERO
    for card in (QUEEN_BIT, KING_BIT, ACE_BIT):
        if popcount(chosen) < count:
            chosen |= free & card
    while popcount(chosen) < count:
        left = free & ~chosen
        if popcount(left & CLUBS) == 1:
            chosen |= left & CLUBS
        elif popcount(left & DIAMONDS) == 1:
            chosen |= left & DIAMONDS
        elif left & HEARTS != ZERO:
            chosen |= bit(highest(left & HEARTS))
        else:
            chosen |= bit(highest_ranked(left))
    return chosen


@kernel
def stock_cards(rules: Any, obs: Any, out: Any) -> None:
    """Stock's card for each row."""
    rng = np.empty(1, np.uint64)
    for row in range(len(obs)):
        rng[0] = obs[row]["random"]
        out[row] = stock_card(rules[0], obs[row], rng)


@kernel
def stock_passes(rules: Any, obs: Any, out: Any) -> None:
    """Stock's cards to pass for each row."""
    rng = np.empty(1, np.uint64)
    for row in range(len(obs)):
        rng[0] = obs[row]["random"]
        out[row] = stock_pass(rules[0], obs[row], rng)


@policy("gnome")
def stock_playout(rules: Any, state: Any, cards: np.uint64, rng: Any) -> int:
    """Stock in a playout: as above, but one card in ten is random."""
    if slips(rng):
        return any_card(rules, state, cards, rng)
    last = state["trick_size"] == rules["players"] - 1
    return stock_choice(cards, state["led"], state["trick"], state["best"], last, rules["penalty"])
