"""Peter of gnome-hearts, the strongest of them: shoots the moon when he can, and plays carefully otherwise.

The description of Peter summarises a long program. Where it leaves something open, we took the reading that is
plausible and reproduces his published results against Stock:

- *runnable* suits are defined by `heartlab.players.gnome.moon.runnable`;
- once Q♠ has been played he leads a high spade only if no void in spades is known and each opponent may hold one;
- he cannot lose the lead if he has no exit and no two, three or four;
- a winner is *forced* if every card that he may play wins; in spades, tricks with points are ducked;
- a heart is worth 5 more as a discard once Q♠ has been played; he keeps the bonus card.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import any_of
from heartlab.kernel.dealing import may_pass
from heartlab.kernel.play import mask_points
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
    spare_queen,
    suit_mask,
)
from heartlab.kernel.rows import each_row
from heartlab.players.gnome.memory import (
    C,
    D,
    H,
    S,
    above,
    beneath,
    find_voids,
    is_last,
    points_taken,
    sole_scorer,
    take_highest,
    top_below,
    unseen_cards,
)
from heartlab.players.gnome.moon import (
    duckable,
    half_points,
    moon_possible,
    passes_to_shoot,
    shooting_follow,
    shooting_lead,
    shooting_pass,
    shoots,
)

LOW_HEARTS = np.uint64(0x1F << 39)
"""Two to six of hearts: not worth passing."""
ENOUGH_SMALL = 4
"""The number of small spades that protects a high one."""
CHEAP_TRICK = 10
"""The last player wins a trick with at most this many points to get rid of a high card."""

# --- passing ---


@kernel
def _pass_spades(rules: Any, hand: np.uint64) -> np.uint64:
    """With unsafe spades: pass Q♠, A♠ and K♠; or, without Q♠, a short minor suit, to discard the others later."""
    count = rules["pass_count"]
    spades, clubs, diamonds = hand & SPADES, hand & CLUBS, hand & DIAMONDS
    chosen = ZERO
    if popcount(spades) >= 5 or popcount(spades & SMALL_SPADES) >= 3:
        return chosen
    if spades & QUEEN_BIT == ZERO:
        for minor in (clubs, diamonds):
            if minor != ZERO and popcount(minor) < 4:
                return take_highest(minor, chosen, count)
    for card in (QUEEN_BIT, ACE_BIT, KING_BIT):
        if popcount(chosen) < count:
            chosen |= may_pass(rules, spades) & card
    return chosen


@kernel
def peter_pass(rules: Any, obs: Any, rng: Any) -> np.uint64:
    """Unsafe spades, a minor suit that can be cleared (but not that of the bonus card), unsafe hearts, high cards.

    If hearts count more than one point each, unsafe hearts come directly after the spades.
    """
    if passes_to_shoot(rules, obs):
        return shooting_pass(rules, obs)
    hand = obs["hand"]
    free = may_pass(rules, hand)
    count = rules["pass_count"]
    dear_hearts = rules["points"][highest(HEARTS)] > 1
    unsafe_hearts = hand & HEARTS & ~LOW_HEARTS
    unsafe_hearts &= ~duckable(hand & HEARTS, rules["pack"] & ~hand & HEARTS)
    minors = CLUBS | DIAMONDS
    bonus = rules["bonus"]
    chosen = _pass_spades(rules, hand)
    while popcount(chosen) < count:
        left = free & ~chosen
        clearable = ZERO
        for minor in (DIAMONDS, CLUBS):  # clubs last: they win if both can be cleared
            kept = bonus >= 0 and bit(bonus) & minor != ZERO
            if not kept and 0 < popcount(left & minor) <= count - popcount(chosen):
                clearable = left & minor
        unsafe = left & unsafe_hearts
        if unsafe != ZERO and (dear_hearts or clearable == ZERO):
            chosen |= bit(highest(unsafe))
        elif clearable != ZERO:
            chosen |= clearable
        else:
            chosen |= bit(highest_ranked(left & minors if left & minors != ZERO else left))
    return chosen


# --- leading ---


@kernel
def _lead_spade(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> int:
    """Q♠ if all unseen spades beat it; a small spade to draw it; a high spade after it was played; -1 if none fits."""
    spades = obs["legal"] & SPADES
    hidden = unseen & SPADES
    if spades & QUEEN_BIT != ZERO and hidden != ZERO and beneath(hidden, lowest(QUEEN_BIT)) == 0:
        return lowest(QUEEN_BIT)
    small = spades & SMALL_SPADES
    protected = spades & HIGH_SPADES == ZERO or popcount(small) >= ENOUGH_SMALL
    if small != ZERO and hidden & QUEEN_BIT != ZERO and protected:
        return highest(small)
    queen_gone = (hidden | obs["hand"]) & QUEEN_BIT == ZERO
    if queen_gone and spades != ZERO and out[S] == 0 and popcount(hidden) >= rules["players"] - 1:
        if 3 * beneath(hidden, highest(spades)) > 2 * popcount(hidden):
            return highest(spades)
    return -1


@kernel
def _lead_risky_minor(rules: Any, obs: Any, unseen: np.uint64) -> int:
    """The top card of the minor suit most likely to win an unwanted trick later, while few points are left; or -1."""
    picked, risk = -1, 0
    if mask_points(rules, unseen & rules["penalty"]) < half_points(rules):
        for suit in (C, D):
            cards = obs["legal"] & suit_mask(suit)
            if cards != ZERO:
                suit_risk = beneath(unseen, highest(cards)) - 2 * popcount(cards) + 1
                if suit_risk > risk:
                    picked, risk = highest(cards), suit_risk
    return picked


@kernel
def _low_leads(obs: Any, unseen: np.uint64) -> np.uint64:
    """The lowest cards of suits to lead low: below all unseen cards of the suit, or below all but one, or duckable.

    Spades with a high spade are not led before Q♠ has been played.
    """
    exits, nearly, safe = ZERO, ZERO, ZERO
    queen_gone = (unseen | obs["hand"]) & QUEEN_BIT == ZERO
    for suit in range(4):
        cards = obs["legal"] & suit_mask(suit)
        hidden = unseen & suit_mask(suit)
        if cards == ZERO or hidden == ZERO or (cards & HIGH_SPADES != ZERO and not queen_gone):
            continue
        low = lowest(cards)
        if beneath(hidden, low) == 0:
            exits |= bit(low)
        elif beneath(hidden, low) == 1 and above(hidden, low) > 0:
            nearly |= bit(low)
        elif duckable(cards, hidden) != ZERO:
            safe |= bit(low)
    if exits != ZERO:
        return exits
    return nearly if nearly != ZERO else safe


@kernel
def _lead(rules: Any, obs: Any, unseen: np.uint64, out: Any, rng: Any) -> int:
    legal = obs["legal"]
    hearts = legal & HEARTS
    if hearts == legal:
        return highest(legal) if moon_possible(rules, obs) else lowest(legal)
    bonus = rules["bonus"]
    if bonus >= 0 and legal & bit(bonus) != ZERO and above(unseen, bonus) == 0:
        return bonus
    card = _lead_spade(rules, obs, unseen, out)
    if card < 0:
        card = _lead_risky_minor(rules, obs, unseen)
    if card >= 0:
        return card
    if hearts != ZERO and unseen & HEARTS != ZERO and beneath(unseen, lowest(hearts)) == 0:
        return lowest(hearts)
    low = _low_leads(obs, unseen)
    if low != ZERO:
        return any_of(low, rng)
    picked, most = -1, -1
    cards = spare_queen(legal)
    while cards != ZERO:
        if above(unseen, lowest(cards)) > most:
            picked, most = lowest(cards), above(unseen, lowest(cards))
        cards &= cards - ONE
    return picked


# --- following ---


@kernel
def _queen_may_come(rules: Any, obs: Any, unseen: np.uint64) -> bool:
    """Whether a later player may play Q♠ to the trick; if we passed it, we know who holds it."""
    players = rules["players"]
    code = obs["pass_code"]
    we_know = code > 0 and obs["passed"] & QUEEN_BIT != ZERO
    holder = (obs["seat"] + code) % players
    for step in range(1, players - obs["trick_size"]):
        seat = (obs["seat"] + step) % players
        if unseen & obs["may_hold"][seat] & QUEEN_BIT != ZERO and (not we_know or holder == seat):
            return True
    return False


@kernel
def _follow_spades(rules: Any, obs: Any, unseen: np.uint64) -> int:
    """Q♠ under K♠ or A♠; otherwise stay below it, and play high if it cannot come."""
    cards = obs["legal"] & SPADES
    trick = obs["trick"]
    under = cards
    if cards & QUEEN_BIT != ZERO:
        if trick & (KING_BIT | ACE_BIT) != ZERO:
            return lowest(QUEEN_BIT)
        under = cards & SMALL_SPADES
    elif trick & QUEEN_BIT != ZERO or _queen_may_come(rules, obs, unseen):
        under = cards & SMALL_SPADES
    if trick & rules["penalty"] != ZERO:
        card = top_below(cards, obs["best"])
        return card if card >= 0 else lowest(spare_queen(cards))
    return highest(under if under != ZERO else cards)


@kernel
def _follow_hearts(rules: Any, obs: Any) -> int:
    """Duck high; but beat the only scorer if that player has more than half of the points."""
    cards = obs["legal"] & HEARTS
    sole = sole_scorer(rules, obs)
    if sole >= 0 and sole != obs["seat"] and sole == obs["winner"] and highest(cards) > obs["best"]:
        if points_taken(rules, obs, sole) > half_points(rules):
            return highest(cards)
    card = top_below(cards, obs["best"])
    return card if card >= 0 else lowest(cards)


@kernel
def _follow_minor(rules: Any, obs: Any, unseen: np.uint64) -> int:
    """Play high while that is cheap; keep ducking if all our cards can duck."""
    cards = obs["legal"] & obs["led"]
    hidden = unseen & obs["led"]
    card = top_below(cards, obs["best"])
    if obs["trick_number"] == 0:
        return highest(cards)
    if card >= 0 and duckable(cards, hidden) == cards:
        return card
    if is_last(rules, obs) and mask_points(rules, obs["trick"] & rules["penalty"]) <= CHEAP_TRICK:
        return highest(cards)
    queen_gone = (unseen | obs["hand"] | obs["trick"]) & QUEEN_BIT == ZERO
    if queen_gone and popcount(hidden) > 4:
        return highest(cards)
    return card if card >= 0 else lowest(cards)


@kernel
def _follow(rules: Any, obs: Any, unseen: np.uint64) -> int:
    cards = obs["legal"] & obs["led"]
    low = lowest(cards)
    if low > obs["best"] and (is_last(rules, obs) or above(unseen, low) == 0):
        bonus = rules["bonus"]
        if bonus >= 0 and cards & bit(bonus) != ZERO:
            return bonus
        return highest(spare_queen(cards))
    if obs["led"] == SPADES:
        return _follow_spades(rules, obs, unseen)
    if obs["led"] == HEARTS:
        return _follow_hearts(rules, obs)
    return _follow_minor(rules, obs, unseen)


# --- discarding ---


@kernel
def _discard_value(rules: Any, obs: Any, unseen: np.uint64, card: int) -> int:
    """The value of discarding a card."""
    own = bit(card)
    suit = card // 13
    queen_gone = unseen & QUEEN_BIT == ZERO
    value = beneath(unseen, card)
    if not queen_gone and own & (KING_BIT | ACE_BIT) != ZERO and popcount(obs["hand"] & SMALL_SPADES) < ENOUGH_SMALL:
        value += 5
    if above(unseen, card) == 0:
        value += 5
    if popcount(obs["hand"] & suit_mask(suit)) == 1:
        value += 5
    if suit == H:
        if queen_gone:
            value += 5
        sole = sole_scorer(rules, obs)
        if sole >= 0 and sole != obs["seat"]:
            value += -5 if sole == obs["winner"] else 10
    if own & obs["received"] != ZERO:
        value += 1
    return value


@kernel
def _discard(rules: Any, obs: Any, unseen: np.uint64, rng: Any) -> int:
    """Q♠, or a random one of the most valuable discards among the cards that could win a trick."""
    legal = obs["legal"]
    if legal & QUEEN_BIT != ZERO:
        return lowest(QUEEN_BIT)
    if rules["bonus"] >= 0 and legal != bit(rules["bonus"]):
        legal &= ~bit(rules["bonus"])
    best, peers = 0, ZERO
    cards = legal
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        if beneath(unseen, card) > 0:
            value = _discard_value(rules, obs, unseen, card)
            if peers == ZERO or value > best:
                best, peers = value, ZERO
            if value == best:
                peers |= bit(card)
    return any_of(peers, rng) if peers != ZERO else highest_ranked(legal)


# --- the choice ---


@kernel
def peter_card(rules: Any, obs: Any, rng: Any) -> int:
    """The card Peter plays."""
    out = np.empty(4, np.int64)
    find_voids(rules, obs, out)
    unseen = unseen_cards(rules, obs)
    leads = obs["led"] == ZERO
    if shoots(rules, obs, unseen, out):
        return shooting_lead(rules, obs, unseen, out) if leads else shooting_follow(rules, obs, unseen, out)
    if leads:
        return _lead(rules, obs, unseen, out, rng)
    if obs["legal"] & obs["led"] != ZERO:
        return _follow(rules, obs, unseen)
    return _discard(rules, obs, unseen, rng)


@kernel
def peter_cards(rules: Any, obs: Any, out: Any) -> None:
    """Peter's card for each row."""
    each_row(rules, obs, peter_card, out)


@kernel
def peter_passes(rules: Any, obs: Any, out: Any) -> None:
    """Peter's cards to pass for each row."""
    each_row(rules, obs, peter_pass, out)
