"""Jake of gnome-hearts: remembers cards played and voids, and takes tricks while that is cheap.

Ling uses Jake's pass and his choices when following suit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, bit, highest, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.dealing import may_pass
from heartlab.kernel.ranks import (
    ACE_BIT,
    CLUBS,
    DIAMONDS,
    HEARTS,
    HIGH_SPADES,
    KING_BIT,
    QUEEN_BIT,
    SMALL_SPADES,
    SPADES,
    highest_ranked,
    lowest_ranked,
    spare_queen,
    suit_mask,
)
from heartlab.kernel.rows import each_row
from heartlab.players.gnome.memory import (
    GNOME_ORDER,
    RANK_JACK,
    RANK_KING,
    RANK_SIX,
    H,
    S,
    above,
    find_voids,
    is_last,
    take_highest,
    top_below,
    unseen_cards,
)

HEART_JACK = 48
TWO_OF_SPADES = np.uint64(1 << 26)
SAFE_UNSEEN = 5
"""The highest card of a suit may be led if more cards than this are unseen."""
FEW_LEFT = 6
"""With fewer cards of the suit led, unseen or in the trick, a player is likely to be void."""


@kernel
def scoring(obs: Any, unseen: np.uint64, suit: int) -> bool:
    """Whether a suit can still bring points: hearts, and spades while Q♠ has not been played."""
    return suit == H or (suit == S and (unseen | obs["hand"]) & QUEEN_BIT != ZERO)


@kernel
def longest_first(legal: np.uint64, suits: Any) -> int:
    """The suits of the legal cards, longest first, ties in gnome order; returns how many."""
    count = 0
    for suit in GNOME_ORDER:
        length = popcount(legal & suit_mask(suit))
        if length > 0:
            place = count
            while place > 0 and popcount(legal & suit_mask(suits[place - 1])) < length:
                suits[place] = suits[place - 1]
                place -= 1
            suits[place] = suit
            count += 1
    return count


# --- leading ---


@kernel
def _gives_away(unseen: np.uint64, card: int) -> bool:
    """Jake's test for a card that cannot win: a two, or, once 2♠ has been seen, a three of any suit."""
    return card % 13 == 0 or (card % 13 == 1 and unseen & TWO_OF_SPADES == ZERO)


@kernel
def _lead_top(obs: Any, unseen: np.uint64, out: Any, suits: Any, count: int) -> int:
    """K or A of a suit without points and without known voids, or the top spade to draw Q♠; -1 if there is none."""
    legal = obs["legal"]
    for i in range(count):
        suit = suits[i]
        top = highest(legal & suit_mask(suit))
        plenty = popcount(unseen & suit_mask(suit)) > SAFE_UNSEEN
        if top % 13 >= RANK_KING and plenty and out[suit] == 0 and not scoring(obs, unseen, suit):
            return top
    spades = legal & SPADES
    if spades != ZERO and out[S] == 0 and unseen & QUEEN_BIT != ZERO and spades & HIGH_SPADES == ZERO:
        return highest(spades)
    return -1


@kernel
def _lead_giveaway(obs: Any, unseen: np.uint64, suits: Any, count: int) -> int:
    """A heart, spade or other card that is unlikely to win the trick; -1 if there is none."""
    legal = obs["legal"]
    hearts, spades = legal & HEARTS, legal & SPADES
    if hearts != ZERO and _gives_away(unseen, lowest(hearts)):
        return lowest(hearts)
    clear = spades & HIGH_SPADES == ZERO
    if spades != ZERO and clear and unseen & QUEEN_BIT != ZERO:
        return lowest(spades)
    for i in range(count):
        low = lowest(legal & suit_mask(suits[i]))
        if (suits[i] != S or clear) and _gives_away(unseen, low):
            return low
    return -1


@kernel
def lead_lowest(obs: Any, unseen: np.uint64, suits: Any, count: int) -> int:
    """The lowest card of the suit in which most unseen cards beat it, spades only without Q♠, K♠ and A♠."""
    legal = obs["legal"]
    spades = legal & SPADES
    picked = -1
    for i in range(count):
        low = lowest(legal & suit_mask(suits[i]))
        if suits[i] == S and obs["hand"] & HIGH_SPADES != ZERO:
            continue
        if picked < 0 or above(unseen, low) > above(unseen, picked):
            picked = low
    if picked < 0:
        return lowest_ranked(legal)
    others = spades & ~QUEEN_BIT
    if above(unseen, picked) == 0 and others != ZERO and above(unseen, lowest(others)) > 0:
        return lowest(others)
    return picked


@kernel
def _lead(obs: Any, unseen: np.uint64, out: Any) -> int:
    suits = np.empty(4, np.int64)
    count = longest_first(obs["legal"], suits)
    card = _lead_top(obs, unseen, out, suits, count)
    if card < 0:
        card = _lead_giveaway(obs, unseen, suits, count)
    if card < 0:
        card = lead_lowest(obs, unseen, suits, count)
    return card


# --- following ---


@kernel
def dangerous(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> bool:
    """Whether winning the trick may cost points: it has some, or a later player may add some."""
    if obs["trick"] & rules["penalty"] != ZERO:
        return True
    players = rules["players"]
    size = obs["trick_size"]
    if size == players - 1:
        return False
    led = lowest(obs["led"]) // 13
    if popcount(unseen & obs["led"]) + size < FEW_LEFT:
        return True
    for step in range(1, players - size):
        later = 1 << (obs["seat"] + step) % players
        if out[led] & later:
            queen_may_come = unseen & QUEEN_BIT != ZERO and not out[S] & later
            if not out[H] & later or queen_may_come:
                return True
    return False


@kernel
def duck(cards: np.uint64, best: int, last: bool) -> int:
    """Duck as high as possible; otherwise win high if last, low if not, with Q♠ only if there is no other card."""
    card = top_below(cards, best)
    if card >= 0:
        return card
    cards = spare_queen(cards)
    return highest(cards) if last else lowest(cards)


@kernel
def take(rules: Any, obs: Any, unseen: np.uint64) -> int:
    """Play the highest card, but Q♠ under a higher spade, and only spades below Q♠ while it is unseen."""
    cards = obs["legal"] & obs["led"]
    if cards & QUEEN_BIT != ZERO and obs["best"] > lowest(QUEEN_BIT):
        return lowest(QUEEN_BIT)
    free = cards & ~rules["penalty"]
    if free == ZERO:
        return lowest(cards)
    small = free & SMALL_SPADES
    if small != ZERO and unseen & QUEEN_BIT != ZERO:
        return highest(small)
    return highest(free)


@kernel
def _discard(rules: Any, obs: Any, unseen: np.uint64) -> int:
    legal = obs["legal"]
    if legal & QUEEN_BIT != ZERO:
        return lowest(QUEEN_BIT)
    for card in (ACE_BIT, KING_BIT):
        if legal & card != ZERO and scoring(obs, unseen, S):
            return lowest(card)
    top = highest_ranked(legal)
    costly = legal & rules["penalty"]
    if top % 13 <= RANK_JACK and costly != ZERO:
        return highest_ranked(costly)
    return top


@kernel
def jake_card(rules: Any, obs: Any, rng: Any) -> int:
    """The card Jake plays."""
    out = np.empty(4, np.int64)
    find_voids(rules, obs, out)
    unseen = unseen_cards(rules, obs)
    if obs["led"] == ZERO:
        return _lead(obs, unseen, out)
    cards = obs["legal"] & obs["led"]
    if cards == ZERO:
        return _discard(rules, obs, unseen)
    if dangerous(rules, obs, unseen, out):
        return duck(cards, obs["best"], is_last(rules, obs))
    return take(rules, obs, unseen)


# --- passing ---


@kernel
def jake_pass(rules: Any, obs: Any, rng: Any) -> np.uint64:
    """High spades, high hearts if there are no low ones, a short minor suit, then the highest cards."""
    hand = obs["hand"]
    free = may_pass(rules, hand)
    count = rules["pass_count"]
    chosen = ZERO
    for card in (ACE_BIT, KING_BIT, QUEEN_BIT):
        if (card != QUEEN_BIT or popcount(hand & SPADES) < 4) and popcount(chosen) < count:
            chosen |= free & card
    hearts = hand & HEARTS
    if hearts != ZERO and lowest(hearts) % 13 > RANK_SIX:
        for card in range(HEART_JACK, HEART_JACK + 4):
            if popcount(chosen) < count:
                chosen |= hearts & bit(card)
    clubs, diamonds = hand & CLUBS, hand & DIAMONDS
    clubs_first = popcount(clubs) < popcount(diamonds)
    for suit in (clubs if clubs_first else diamonds, diamonds if clubs_first else clubs):
        if popcount(suit) <= 3:
            chosen = take_highest(suit, chosen, count)
    for cards in (clubs | diamonds, hearts, free & SPADES):
        chosen = take_highest(cards, chosen, count)
    return chosen


@kernel
def jake_cards(rules: Any, obs: Any, out: Any) -> None:
    """Jake's card for each row."""
    each_row(rules, obs, jake_card, out)


@kernel
def jake_passes(rules: Any, obs: Any, out: Any) -> None:
    """Jake's cards to pass for each row."""
    each_row(rules, obs, jake_pass, out)
