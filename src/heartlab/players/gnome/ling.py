"""Ling of gnome-hearts: Jake with a better test for cards that cannot win, and a defence against the moon.

She passes as Jake does. Where the description leaves something open, we chose: of several cards that fit a rule the
first is played, longest suit first when leading, in hand order when discarding; defence is against another scorer, not
against ourselves; and Q♠ is equivalent to no other card (mixing it with K♠ or J♠ costs a third of a point per deal).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import any_of
from heartlab.kernel.layout import MOON_OFF, NOBODY
from heartlab.kernel.ranks import (
    ACE_BIT,
    HEARTS,
    HIGH_SPADES,
    KING_BIT,
    QUEEN_BIT,
    SPADES,
    higher,
    highest_ranked,
    suit_mask,
)
from heartlab.kernel.rows import each_row
from heartlab.players.gnome.jake import SAFE_UNSEEN, dangerous, duck, lead_lowest, longest_first, scoring, take
from heartlab.players.gnome.memory import (
    RANK_JACK,
    SEVERAL,
    H,
    S,
    above,
    beneath,
    find_voids,
    is_last,
    points_taken,
    sole_scorer,
    unseen_cards,
)

RANK_TEN = 8


@kernel
def _gives_away(unseen: np.uint64, card: int) -> bool:
    """Whether a card loses to every unseen card of its suit, and there is one."""
    return beneath(unseen, card) == 0 and above(unseen, card) > 0


# --- leading ---


@kernel
def _lead_certain(obs: Any, unseen: np.uint64, out: Any, suits: Any, count: int, rng: Any) -> int:
    """A lead with a certain effect: a safe top card, a spade to draw Q♠, a card that cannot win; or -1."""
    legal = obs["legal"]
    hearts, spades = legal & HEARTS, legal & SPADES
    if spades & QUEEN_BIT != ZERO and _gives_away(unseen, lowest(QUEEN_BIT)):
        return lowest(QUEEN_BIT)
    for i in range(count):
        suit = suits[i]
        top = highest(legal & suit_mask(suit))
        plenty = popcount(unseen & suit_mask(suit)) > SAFE_UNSEEN
        if above(unseen, top) == 0 and plenty and out[suit] == 0 and not scoring(obs, unseen, suit):
            return top
    hunt = spades != ZERO and spades & HIGH_SPADES == ZERO and unseen & QUEEN_BIT != ZERO
    if hunt and out[S] == 0:
        return highest(spades)
    losers = ZERO
    cards = hearts
    while cards != ZERO:
        if _gives_away(unseen, lowest(cards)):
            losers |= bit(lowest(cards))
        cards &= cards - ONE
    if losers != ZERO:
        return any_of(losers, rng)
    if hunt:
        return lowest(spades)
    for i in range(count):
        low = lowest(legal & suit_mask(suits[i]))
        if _gives_away(unseen, low):
            return low
    return -1


@kernel
def _lead_probable(rules: Any, obs: Any, unseen: np.uint64, out: Any, suits: Any, count: int) -> int:
    """The lowest card of a suit with fewer unseen cards below it than players who can follow; -1 if there is none.

    Spades with a high spade come first, singletons last; in between, the suit whose second card is beaten by fewest.
    """
    legal = obs["legal"]
    picked, best = -1, 0
    for i in range(count):
        cards = legal & suit_mask(suits[i])
        low = lowest(cards)
        followers = rules["players"] - 1 - popcount(np.uint64(out[suits[i]]))
        if followers <= beneath(unseen, low) or above(unseen, low) == 0:
            continue
        rest = cards & (cards - ONE)
        value = 100 if rest == ZERO else above(unseen, lowest(rest))
        if suits[i] == S and cards & HIGH_SPADES != ZERO:
            value = -1
        if picked < 0 or value < best:
            picked, best = low, value
    return picked


@kernel
def _lead(rules: Any, obs: Any, unseen: np.uint64, out: Any, rng: Any) -> int:
    suits = np.empty(4, np.int64)
    count = longest_first(obs["legal"], suits)
    card = _lead_certain(obs, unseen, out, suits, count, rng)
    if card < 0:
        card = _lead_probable(rules, obs, unseen, out, suits, count)
    if card < 0:
        card = lead_lowest(obs, unseen, suits, count)
    return card


# --- discarding ---


@kernel
def _lone_card(legal: np.uint64, unseen: np.uint64, top: bool) -> int:
    """A singleton that can win a trick (or, with `top`, that nothing beats); -1 if there is none."""
    for suit in range(4):
        cards = legal & suit_mask(suit)
        if popcount(cards) == 1:
            card = lowest(cards)
            if beneath(unseen, card) > 0 and (not top or above(unseen, card) == 0):
                return card
    return -1


@kernel
def _discard(rules: Any, obs: Any, unseen: np.uint64, rng: Any) -> int:
    legal = obs["legal"]
    if legal & QUEEN_BIT != ZERO:
        return lowest(QUEEN_BIT)
    for card in (ACE_BIT, KING_BIT):
        if legal & card != ZERO and scoring(obs, unseen, S):
            return lowest(card)
    for top in (True, False):
        lone = _lone_card(legal, unseen, top)
        if lone >= 0:
            return lone
    picked, most = -1, -1
    for suit in range(4):
        cards = legal & suit_mask(suit)
        if cards == ZERO:
            continue
        top_card = highest(cards)
        beatable = 0
        while cards != ZERO:
            beatable += above(unseen, lowest(cards)) > 0
            cards &= cards - ONE
        if above(unseen, top_card) == 0 and beneath(unseen, top_card) > 0 and beatable > most:
            picked, most = top_card, beatable
    if picked >= 0:
        return picked
    costly = legal & rules["penalty"]
    if costly != ZERO:
        return highest_ranked(costly)
    fewest = 99
    cards = legal
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        if beneath(unseen, card) > 0 and above(unseen, card) < fewest:
            picked, fewest = card, above(unseen, card)
    return picked if picked >= 0 else any_of(legal, rng)


# --- the moon ---


@kernel
def _moon_threat(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> bool:
    """Whether another player may be shooting the moon with this trick.

    The signs: a lead of a high heart, or of a high spade before Q♠ has been taken; or the only scorer is winning the
    trick and has many points, or has some and led a card that cannot be beaten although some players are void.
    """
    sole = sole_scorer(rules, obs)
    if rules["moon"] == MOON_OFF or sole == SEVERAL or sole == obs["seat"]:
        return False
    led_card = obs["trick_cards"][0]
    suit = led_card // 13
    queen_out = (unseen | obs["hand"] | obs["trick"]) & QUEEN_BIT != ZERO
    if (suit == S and led_card % 13 > RANK_JACK and queen_out) or (suit == H and led_card % 13 > RANK_TEN):
        return True
    if sole == NOBODY or obs["winner"] != sole:
        return False
    points = points_taken(rules, obs, sole)
    if points > 14 or (points > 6 and queen_out):
        return True
    void = popcount(np.uint64(out[suit]))
    can_follow = obs["hand"] & obs["led"] != ZERO
    unbeatable = obs["leader"] == sole and above(unseen, led_card) == 0
    return points > 1 and unbeatable and void > 0 and not (void == 1 and can_follow)


@kernel
def _worth_defending(rules: Any, obs: Any) -> bool:
    """Whether a moon would hurt us: not if we are last in the game, unless the scores are low or close."""
    own = obs["scores"][obs["seat"]]
    least, most = own, own
    for seat in range(rules["players"]):
        least = min(least, obs["scores"][seat])
        most = max(most, obs["scores"][seat])
    return own < most or own < 26 or (own - least <= 10 and own < 85)


@kernel
def _defend(obs: Any, unseen: np.uint64, danger: bool) -> int:
    """Win the trick; if that is impossible, keep the cards that can win later tricks."""
    legal = obs["legal"]
    winners = legal & higher(obs["best"])
    if winners != ZERO:
        return lowest(winners) if danger else highest(winners)
    for suit in range(4):
        cards = legal & suit_mask(suit)
        if popcount(cards) > 1 and above(unseen, highest(cards)) == 0:
            return highest(cards & ~bit(highest(cards)))
    picked, fewest = -1, 99
    for suit in range(4):
        cards = legal & suit_mask(suit)
        if cards != ZERO and beneath(unseen, lowest(cards)) < fewest:
            picked, fewest = lowest(cards), beneath(unseen, lowest(cards))
    return picked


# --- the choice ---


@kernel
def _equivalent(obs: Any, unseen: np.uint64, picked: int) -> np.uint64:
    """The legal cards equivalent to this one: same suit, beaten by as many unseen cards, same effect on the trick."""
    if picked == lowest(QUEEN_BIT):
        return bit(picked)
    same = ZERO
    follows = obs["led"] & bit(picked) != ZERO
    cards = obs["legal"] & suit_mask(picked // 13) & ~QUEEN_BIT
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        same_side = not follows or (card > obs["best"]) == (picked > obs["best"])
        if same_side and above(unseen, card) == above(unseen, picked):
            same |= bit(card)
    return same


@kernel
def ling_card(rules: Any, obs: Any, rng: Any) -> int:
    """The card Ling plays."""
    out = np.empty(4, np.int64)
    find_voids(rules, obs, out)
    unseen = unseen_cards(rules, obs)
    if obs["led"] == ZERO:
        card = _lead(rules, obs, unseen, out, rng)
        return any_of(_equivalent(obs, unseen, card), rng)
    danger = obs["trick"] & rules["penalty"] != ZERO or (obs["trick_number"] > 0 and dangerous(rules, obs, unseen, out))
    cards = obs["legal"] & obs["led"]
    if _moon_threat(rules, obs, unseen, out) and _worth_defending(rules, obs):
        card = _defend(obs, unseen, danger)
    elif cards == ZERO:
        card = _discard(rules, obs, unseen, rng)
    elif danger:
        card = duck(cards, obs["best"], is_last(rules, obs))
    else:
        card = take(rules, obs, unseen)
    return any_of(_equivalent(obs, unseen, card), rng)


@kernel
def ling_cards(rules: Any, obs: Any, out: Any) -> None:
    """Ling's card for each row."""
    each_row(rules, obs, ling_card, out)
