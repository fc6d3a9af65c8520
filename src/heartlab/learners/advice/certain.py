"""The search piece: which cards are certain not to take points in this trick.

A card is certain if no way of giving the unseen cards to the other hands, with what is known of their sizes and voids,
lets it win a trick with a point in it. A card that does not beat the best card of the trick is certain. For any
other the question is whether all who play after us could stay below it, by a lower card or because they cannot follow,
and whether a point could be among the cards.

Each later player is taken to be void in the suit or to hold a lower card of it; at most one of them has to supply the
point. Whether the cards can be dealt that way is a matter of counting (Hall's theorem): for every choice of players,
and of their whole hands or only the one card that they must have, there must be enough cards to fill what was chosen.
The kitty takes what is left, so it needs no counting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import SEATS
from heartlab.kernel.ranks import higher, suit_mask, suit_of

HAND, MUST = 0, 1
"""Rows of the working memory: what a player can hold, and of which cards it must hold one (empty: no such need)."""


@kernel
def _fits(work: Any, sizes: Any, others: int) -> bool:
    """Whether the hands can be filled: each choice of whole hands and single needed cards must find enough cards."""
    codes = 1
    for _ in range(others):
        codes *= 3
    for code in range(1, codes):
        union, need, rest = ZERO, 0, code
        for i in range(others):
            option = rest % 3
            rest //= 3
            if option == 2:
                union |= work[HAND, i]
                need += sizes[i]
            elif option == 1 and work[MUST, i] != ZERO:
                union |= work[MUST, i]
                need += 1
        if popcount(union) < need:
            return False
    return True


@kernel
def _needed(held: np.uint64, low: np.uint64, penalty: np.uint64, void: int, gives: bool) -> np.uint64:
    """Of which cards a later player must hold one to stay below a card, and, if it `gives`, to supply a point."""
    wanted = held if void else held & low
    return wanted & penalty if gives else wanted


@kernel
def _all_stay_below(rules: Any, obs: Any, unseen: np.uint64, led: np.uint64, low: np.uint64, giver: int) -> bool:
    """Whether all later players can stay below a card: `low` are the unseen cards that it beats in the suit led.

    :param giver: the later player, counted from the next one, who has to supply a point, or -1.
    """
    players = rules["players"]
    later = players - 1 - obs["trick_size"]
    work, sizes = np.empty((2, SEATS), np.uint64), np.empty(SEATS, np.int64)
    for voids in range(1 << later):
        possible = True
        for i in range(players - 1):
            seat = (obs["seat"] + 1 + i) % players
            held = unseen & obs["may_hold"][seat]
            work[MUST, i] = ZERO
            if i < later:
                void = voids >> i & 1
                held = held & ~led if void else held
                if not void or i == giver:
                    work[MUST, i] = _needed(held, low, rules["penalty"], void, i == giver)
                    possible = possible and work[MUST, i] != ZERO
            work[HAND, i] = held
            sizes[i] = obs["hand_sizes"][seat]
            possible = possible and popcount(held) >= sizes[i]
        if possible and _fits(work, sizes, players - 1):
            return True
    return False


@kernel
def _two_stay_below(
    rules: Any, obs: Any, unseen: np.uint64, led: np.uint64, low: np.uint64, giver: int, later: int
) -> bool:
    """The same with two others at the table, without arrays: this is where training spends its time."""
    seat = obs["seat"]
    first = seat + 1 if seat < 2 else 0
    second = first + 1 if first < 2 else 0
    first_size, second_size = obs["hand_sizes"][first], obs["hand_sizes"][second]
    first_cards, second_cards = unseen & obs["may_hold"][first], unseen & obs["may_hold"][second]
    penalty = rules["penalty"]
    for voids in range(1 << later):
        first_void, second_void = voids & 1, voids >> 1
        first_held = first_cards & ~led if first_void else first_cards
        if popcount(first_held) < first_size:
            continue
        first_must, first_count = ZERO, 0
        if not first_void or giver == 0:
            first_must, first_count = _needed(first_held, low, penalty, first_void, giver == 0), 1
            if first_must == ZERO:
                continue
        second_held = second_cards & ~led if second_void else second_cards
        if popcount(second_held) < second_size or popcount(first_held | second_held) < first_size + second_size:
            continue
        second_must, second_count = ZERO, 0
        if later == 2 and (not second_void or giver == 1):
            second_must, second_count = _needed(second_held, low, penalty, second_void, giver == 1), 1
            if second_must == ZERO:
                continue
        if (
            popcount(first_must | second_must) >= first_count + second_count
            and popcount(first_must | second_held) >= first_count + second_size
            and popcount(first_held | second_must) >= first_size + second_count
        ):
            return True
    return False


@kernel
def may_take_points(rules: Any, obs: Any, unseen: np.uint64, card: int) -> bool:
    """Whether a card that beats what lies on the table may win a trick with points, if others play after it."""
    led = suit_of(card)
    low = unseen & led & (bit(card) - ONE)
    later = rules["players"] - 1 - obs["trick_size"]
    first, end = 0, later
    if (obs["trick"] | bit(card)) & rules["penalty"] != ZERO:
        first, end = -1, 0
    elif unseen & rules["penalty"] == ZERO:
        return False
    for giver in range(first, end):
        if rules["players"] == 3:
            if _two_stay_below(rules, obs, unseen, led, low, giver, later):
                return True
        elif _all_stay_below(rules, obs, unseen, led, low, giver):
            return True
    return False


@kernel
def _certain_of(rules: Any, obs: Any, unseen: np.uint64, cards: np.uint64) -> np.uint64:
    """The certain cards of some that are alike but for their rank: the higher the card, the more it may win."""
    if cards == ZERO or may_take_points(rules, obs, unseen, lowest(cards)):
        return ZERO
    if not may_take_points(rules, obs, unseen, highest(cards)):
        return cards
    certain = cards & (~cards + ONE)
    rest = cards ^ certain
    while rest != ZERO and not may_take_points(rules, obs, unseen, lowest(rest)):
        certain |= bit(lowest(rest))
        rest &= rest - ONE
    return certain


@kernel
def _search(rules: Any, obs: Any, unseen: np.uint64, winners: np.uint64) -> np.uint64:
    """The certain cards among those that win so far."""
    certain = ZERO
    for suit in range(4):
        cards = winners & suit_mask(suit)
        if cards != ZERO:
            certain |= _certain_of(rules, obs, unseen, cards & rules["penalty"])
            certain |= _certain_of(rules, obs, unseen, cards & ~rules["penalty"])
    return certain


@kernel
def certain_cards(rules: Any, obs: Any, unseen: np.uint64) -> np.uint64:
    """The legal cards that are certain not to take points in this trick."""
    legal = obs["legal"]
    winners = legal if obs["led"] == ZERO else legal & higher(obs["best"])
    if winners == ZERO:
        return legal
    losers = legal & ~winners
    if obs["trick_size"] == rules["players"] - 1:
        return losers if obs["trick"] & rules["penalty"] != ZERO else losers | (winners & ~rules["penalty"])
    return losers | _search(rules, obs, unseen, winners)
