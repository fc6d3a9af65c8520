"""Whom a FALCON agent plays against: compiled functions that the training loop calls through pointers.

A partner is a function (rules, state, cards played so far in order, random state) -> card. It is given the whole state
because that is what the loop has; ours look only at what their seat may know.

`gnome` is the rule-based agent of the paper. Its variants change one habit each; most of them fit the paper's
calibration to the two digits that it gives, so that the experiment `robustness` tries them all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ONE, ZERO, highest, lowest
from heartlab.compiled.jit import kernel, pointed
from heartlab.compiled.rng import next_bits
from heartlab.kernel.layout import OBSERVATION, RULES, STATE
from heartlab.kernel.observe import observe
from heartlab.kernel.play import legal
from heartlab.kernel.ranks import (
    ACE_BIT,
    HEARTS,
    KING_BIT,
    QUEEN_BIT,
    SPADES,
    highest_ranked,
    lower,
    lowest_ranked,
    spare_queen,
)
from heartlab.kernel.table import random_card
from heartlab.learners.falcon.montecarlo import POLICY, REACH, SIMULATIONS, montecarlo_card
from heartlab.players.gnome.jake import jake_card
from heartlab.players.gnome.luis import luis_card
from heartlab.search.stock import stock_choice
from heartlab.util.errors import quoted

SIGNATURE = types.int64(numba.from_dtype(RULES), numba.from_dtype(STATE), types.int8[::1], types.uint64[::1])
"""What a partner looks like to the loop."""
Partner = Callable[..., int]
SELF = "self"
"""The learner's own network, as it is now."""


def random_partner(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """Any legal card."""
    return random_card(rules, state, rng)


def gnome_partner(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """The Stock player."""
    last = state["trick_size"] == rules["players"] - 1
    return stock_choice(legal(rules, state), state["led"], state["trick"], state["best"], last, rules["penalty"])


@kernel
def _look(rules: Any, state: Any, history: Any, rng: Any) -> Any:
    """What the seat to move may know: an array of one observation.

    A record does not keep its array alive in compiled code, so whoever looks holds on to the array.
    """
    obs = np.zeros(1, OBSERVATION)
    observe(rules, state, history, state["to_move"], next_bits(rng), obs[0])
    return obs


@kernel
def _luis(rules: Any, obs: Any, rng: Any) -> int:
    return luis_card(rules, obs[0], rng)


@kernel
def _jake(rules: Any, obs: Any, rng: Any) -> int:
    return jake_card(rules, obs[0], rng)


@kernel
def _montecarlo(rules: Any, obs: Any, rng: Any) -> int:
    return montecarlo_card(rules, obs[0], SIMULATIONS, REACH, POLICY, rng)


def luis_partner(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """gnome:luis."""
    obs = _look(rules, state, history, rng)
    return _luis(rules, obs, rng)


def jake_partner(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """gnome:jake."""
    obs = _look(rules, state, history, rng)
    return _jake(rules, obs, rng)


def montecarlo_partner(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """The Monte-Carlo agent with the paper's 250 simulations."""
    obs = _look(rules, state, history, rng)
    return _montecarlo(rules, obs, rng)


# --- the Stock player with one habit changed ---

FORCED_HIGH, NO_SPADE_THROWS, NO_HEART_THROWS, LEADS_QUEEN, SPADES_FIRST, DUCKS_ALWAYS, NO_SPADE_RULES = range(7)


@kernel
def _throw(cards: np.uint64, habit: int) -> int:
    """Void: Q♠, A♠, K♠, the highest heart, the highest card; without what the habit leaves out."""
    if cards & QUEEN_BIT != ZERO:
        return lowest(QUEEN_BIT)
    if cards & (ACE_BIT | KING_BIT) != ZERO and habit != NO_SPADE_THROWS:
        return highest(cards & (ACE_BIT | KING_BIT))
    if cards & HEARTS != ZERO and habit != NO_HEART_THROWS:
        return highest(cards & HEARTS)
    return highest_ranked(cards)


@kernel
def _lead_spades_first(cards: np.uint64) -> int:
    """The lowest rank, ties spades, hearts, diamonds, clubs."""
    best = lowest(cards)
    place = (3, 2, 0, 1)
    cards &= cards - ONE
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        if 4 * (card % 13) + place[card // 13] < 4 * (best % 13) + place[best // 13]:
            best = card
    return best


@kernel
def changed_choice(rules: Any, state: Any, habit: int) -> int:
    """What the Stock player with another habit plays."""
    own, led, trick, best = legal(rules, state), state["led"], state["trick"], state["best"]
    last = state["trick_size"] == rules["players"] - 1
    if led == ZERO:
        if habit == LEADS_QUEEN:
            return lowest_ranked(own)
        if habit == SPADES_FIRST:
            return _lead_spades_first(spare_queen(own))
    elif own & led == ZERO:
        if habit == NO_SPADE_THROWS or habit == NO_HEART_THROWS:
            return _throw(own, habit)
    else:
        cards = own & led
        under = cards & lower(best)
        points = trick & rules["penalty"] != ZERO
        if habit == FORCED_HIGH and points and not last and under == ZERO:
            return highest(cards)
        if habit == DUCKS_ALWAYS and not points and led != SPADES and under != ZERO:
            return highest(under)
        if habit == NO_SPADE_RULES and led == SPADES and not points:
            return highest(cards)
    return stock_choice(own, led, trick, best, last, rules["penalty"])


def forced_high(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """Plays its highest card where it must overtake a trick with points and is not last."""
    return changed_choice(rules, state, FORCED_HIGH)


def no_spade_throws(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """Throws A♠ and K♠ only in their turn."""
    return changed_choice(rules, state, NO_SPADE_THROWS)


def no_heart_throws(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """Does not prefer hearts when it throws."""
    return changed_choice(rules, state, NO_HEART_THROWS)


def leads_queen(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """Leads Q♠ when that is its lowest card."""
    return changed_choice(rules, state, LEADS_QUEEN)


def spades_first(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """Leads spades before hearts, diamonds, clubs of the same rank."""
    return changed_choice(rules, state, SPADES_FIRST)


def ducks_always(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """Ducks also when no points are out."""
    return changed_choice(rules, state, DUCKS_ALWAYS)


def no_spade_rules(rules: Any, state: Any, history: Any, rng: Any) -> int:
    """Treats spades like any suit."""
    return changed_choice(rules, state, NO_SPADE_RULES)


PARTNERS: dict[str, Partner] = {
    "random": random_partner,
    "gnome": gnome_partner,
    "luis": luis_partner,
    "jake": jake_partner,
    "montecarlo": montecarlo_partner,
    "gnome-forced-high": forced_high,
    "gnome-no-spade-throws": no_spade_throws,
    "gnome-no-heart-throws": no_heart_throws,
    "gnome-leads-queen": leads_queen,
    "gnome-spades-first": spades_first,
    "gnome-ducks-always": ducks_always,
    "gnome-no-spade-rules": no_spade_rules,
}
"""All partners but the learner itself."""


@cache
def find_partner(name: str) -> Partner:
    """The compiled partner of a name.

    :raises ValueError: if there is none; the message lists the known ones.
    """
    if name == SELF:
        return find_partner("gnome")
    if name not in PARTNERS:
        raise ValueError(f"no partner is called {quoted(name)}; known are {', '.join([*PARTNERS, SELF])}")
    return pointed(SIGNATURE)(PARTNERS[name])
