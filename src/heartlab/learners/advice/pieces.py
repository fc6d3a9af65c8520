"""Pieces of move-selection advice: compiled, from an observation to sets of legal cards.

Nine are those of the paper. The others are about what it lacks: J♦, the moon, discards, and how high to play; the first
eleven of them proved useful in a pilot. A set may be empty: then the piece does not apply. All are computed together,
since they look at the same things.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import NOBODY
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
    higher,
    lower,
    suit_mask,
)
from heartlab.learners.advice.certain import certain_cards
from heartlab.players.gnome.memory import SEVERAL, above, beneath, is_last, points_taken, sole_scorer

AVOID_SEARCH, FLUSH, FLUSH_SAFELY, AVOID_LOW, GET_LEAD, VOID_SPADES, VOID_DIAMONDS, VOID_CLUBS, VOID_HEARTS = range(9)
"""Numbers of the paper's pieces: their places among the suggestions."""

PAPER: dict[str, tuple[int, str]] = {
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
FIRST, BUILT_IN = 9, 31
"""The pieces beyond the paper have numbers from FIRST to BUILT_IN - 1."""
(
    THROW_QUEEN, THROW_HEART, THROW_HIGH_SPADES, DUCK_HIGH, TAKE_BONUS, KEEP_BONUS, KEEP_HIGH_SPADES, GO_MOON,
    STOP_MOON, LEAD_LOW, TAKE_CHEAPLY, EXIT, FETCH_BONUS, LEAVE_SPADES, THROW_DANGER, SHORTEN, WIN_LOW, WIN_HIGH,
    EARLY_HIGH, DENY_MOON, BLEED_HEARTS, KEEP_LOW,
) = range(FIRST, BUILT_IN)  # fmt: skip

FURTHER: dict[str, tuple[int, str]] = {
    "throw-queen": (THROW_QUEEN, "Throw Q♠ when it cannot win the trick."),
    "throw-heart": (THROW_HEART, "When unable to follow, throw the highest heart."),
    "throw-high-spades": (THROW_HIGH_SPADES, "When unable to follow and Q♠ is with somebody else, throw A♠ or K♠."),
    "duck-high": (DUCK_HIGH, "Follow with the highest card that does not win."),
    "take-bonus": (TAKE_BONUS, "Win a trick with the bonus card (J♦) on it, or win with the bonus card in last seat."),
    "keep-bonus": (KEEP_BONUS, "Play anything but the bonus card (J♦)."),
    "keep-high-spades": (KEEP_HIGH_SPADES, "While Q♠ is with somebody else, play anything but A♠ and K♠."),
    "go-for-moon": (GO_MOON, "If all points so far are ours, at least four of them, play cards that win."),
    "stop-moon": (STOP_MOON, "If one rival has all points so far, at least fourteen, win tricks with points."),
    "lead-low": (LEAD_LOW, "Lead the lowest card of a suit."),
    "take-cheaply": (TAKE_CHEAPLY, "In last seat, win a trick without points with the highest card."),
    "exit": (EXIT, "Lead a card that all unseen cards of its suit beat."),
    "fetch-bonus": (FETCH_BONUS, "Lead a card above the bonus card (J♦) while that is with somebody else."),
    "leave-spades": (LEAVE_SPADES, "While Q♠ is not played, do not lead spades if we hold Q♠, K♠ or A♠."),
    "throw-danger": (THROW_DANGER, "When unable to follow, throw the card with most unseen cards of its suit below."),
    "shorten": (SHORTEN, "When leading or unable to follow, play from the shortest suit."),
    "win-low": (WIN_LOW, "If every card that follows suit wins so far and others come after us, play the lowest."),
    "win-high": (WIN_HIGH, "If every card that follows suit wins and we are last, play the highest but not Q♠."),
    "early-high": (EARLY_HIGH, "When a suit other than spades is led for the first time, follow with the highest."),
    "deny-moon": (DENY_MOON, "If one rival has all points so far, at least ten, throw no points on its trick."),
    "bleed-hearts": (BLEED_HEARTS, "Lead a heart that at least two unseen hearts beat."),
    "keep-low": (KEEP_LOW, "When unable to follow, keep the cards that all unseen cards of their suit beat."),
}  # fmt: skip
"""Number and sentence of each piece by its name."""

MOON_BEGINS, MOON_GROWS, MOON_THREATENS = 4, 10, 14
"""Points from which we go for a moon, give no more to one of a rival, and stop it."""


# --- the paper's ---


@kernel
def winning_so_far(obs: Any) -> np.uint64:
    """The legal cards that beat the best card on the table; none when leading."""
    return ZERO if obs["led"] == ZERO else obs["legal"] & higher(obs["best"])


@kernel
def suggest_paper(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> None:
    """The suggestions of the paper's pieces, each in its place of `out`."""
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


# --- beyond the paper ---


@kernel
def _lowest_of_suits(cards: np.uint64) -> np.uint64:
    """The lowest card of each suit."""
    found = ZERO
    for suit in range(4):
        own = cards & suit_mask(suit)
        found |= own & (~own + ONE)
    return found


@kernel
def _beaten_by_all(cards: np.uint64, unseen: np.uint64) -> np.uint64:
    """The cards that every unseen card of their suit beats, if there is one."""
    found = ZERO
    for suit in range(4):
        hidden = unseen & suit_mask(suit)
        if hidden != ZERO:
            found |= cards & lower(lowest(hidden))
    return found


@kernel
def _beaten_by_none(cards: np.uint64, unseen: np.uint64) -> np.uint64:
    """The cards that no unseen card of their suit beats."""
    found = ZERO
    for suit in range(4):
        hidden = unseen & suit_mask(suit)
        own = cards & suit_mask(suit)
        found |= own if hidden == ZERO else own & higher(highest(hidden))
    return found


@kernel
def _top(cards: np.uint64) -> np.uint64:
    """The highest card of some of one suit, if there is one."""
    return bit(highest(cards)) if cards != ZERO else ZERO


@kernel
def _all_but(cards: np.uint64, kept: np.uint64) -> np.uint64:
    """Cards without some to be kept; no advice if there is nothing to keep."""
    return cards & ~kept if cards & kept != ZERO else ZERO


@kernel
def _most_dangerous(cards: np.uint64, unseen: np.uint64) -> np.uint64:
    """The cards with most unseen cards of their suit below them; none if there are no such cards."""
    most, found = 1, ZERO
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        under = beneath(unseen, card)
        if under > most:
            most, found = under, ZERO
        if under == most:
            found |= bit(card)
    return found


@kernel
def _of_shortest_suit(hand: np.uint64, legal: np.uint64) -> np.uint64:
    """The legal cards of the shortest suit of the hand, or suits."""
    fewest, found = 52, ZERO
    for suit in range(4):
        cards = legal & suit_mask(suit)
        size = popcount(hand & suit_mask(suit))
        if cards != ZERO and size <= fewest:
            found = found | cards if size == fewest else cards
            fewest = size
    return found


@kernel
def _about_moon(rules: Any, obs: Any, unseen: np.uint64, winners: np.uint64, out: Any) -> None:
    """Going for the moon, stopping it, and giving no help to it."""
    sole = sole_scorer(rules, obs)
    if sole == NOBODY or sole == SEVERAL:
        return
    points = points_taken(rules, obs, sole)
    leads = obs["led"] == ZERO
    if sole == obs["seat"]:
        if points >= MOON_BEGINS:
            out[GO_MOON] = _beaten_by_none(obs["legal"] if leads else winners, unseen)
        return
    if points >= MOON_THREATENS and obs["trick"] & rules["penalty"] != ZERO:
        out[STOP_MOON] = winners
    if points >= MOON_GROWS and not leads and obs["winner"] == sole:
        out[DENY_MOON] = _all_but(obs["legal"], rules["penalty"])


@kernel
def _about_leading(rules: Any, obs: Any, unseen: np.uint64, bonus: np.uint64, out: Any) -> None:
    """What to lead."""
    legal = obs["legal"]
    out[LEAD_LOW] = _lowest_of_suits(legal)
    out[EXIT] = _beaten_by_all(legal, unseen)
    if unseen & bonus != ZERO:
        out[FETCH_BONUS] = legal & higher(rules["bonus"])
    if (unseen | obs["hand"]) & QUEEN_BIT != ZERO and obs["hand"] & HIGH_SPADES != ZERO:
        out[LEAVE_SPADES] = _all_but(legal, SPADES)
    hearts = legal & HEARTS
    while hearts != ZERO:
        card = lowest(hearts)
        hearts &= hearts - ONE
        if above(unseen, card) >= 2:
            out[BLEED_HEARTS] |= bit(card)


@kernel
def _about_following(rules: Any, obs: Any, winners: np.uint64, out: Any) -> None:
    """What to follow suit with."""
    cards = obs["legal"]
    led = obs["led"]
    last = is_last(rules, obs)
    losers = cards & ~winners
    out[DUCK_HIGH] = _top(losers)
    top = _top(winners)
    if last and top != ZERO and (obs["trick"] | top) & rules["penalty"] == ZERO:
        out[TAKE_CHEAPLY] = top
    if losers == ZERO:
        if last:
            out[WIN_HIGH] = _top(cards & ~QUEEN_BIT)
        else:
            out[WIN_LOW] = cards & (~cards + ONE)
    if led != SPADES:
        played = ZERO
        for seat in range(rules["players"]):
            played |= obs["played"][seat]
        if (played & ~obs["trick"]) & led == ZERO:
            out[EARLY_HIGH] = _top(cards)


@kernel
def suggest_more(rules: Any, obs: Any, unseen: np.uint64, out: Any) -> None:
    """The suggestions of the other pieces, each in its place of `out`."""
    for number in range(FIRST, BUILT_IN):
        out[number] = ZERO
    legal = obs["legal"]
    leads = obs["led"] == ZERO
    winners = winning_so_far(obs)
    queen_elsewhere = unseen & QUEEN_BIT != ZERO
    bonus = bit(rules["bonus"]) if rules["bonus"] >= 0 else ZERO
    out[KEEP_BONUS] = _all_but(legal, bonus)
    if queen_elsewhere:
        out[KEEP_HIGH_SPADES] = _all_but(legal, KING_BIT | ACE_BIT)
    _about_moon(rules, obs, unseen, winners, out)
    if leads:
        _about_leading(rules, obs, unseen, bonus, out)
        out[SHORTEN] = _of_shortest_suit(obs["hand"], legal)
        return
    out[THROW_QUEEN] = legal & QUEEN_BIT & ~winners
    if obs["trick"] & bonus != ZERO:
        out[TAKE_BONUS] = winners
    elif is_last(rules, obs):
        out[TAKE_BONUS] = winners & bonus
    if legal & obs["led"] != ZERO:
        _about_following(rules, obs, winners, out)
        return
    out[SHORTEN] = _of_shortest_suit(obs["hand"], legal)
    out[THROW_HEART] = _top(legal & HEARTS)
    out[THROW_DANGER] = _most_dangerous(legal, unseen)
    out[KEEP_LOW] = _all_but(legal, _beaten_by_all(legal, unseen))
    if queen_elsewhere:
        out[THROW_HIGH_SPADES] = legal & (KING_BIT | ACE_BIT)
