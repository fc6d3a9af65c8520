"""Playout policies: how a simulation finishes a deal. Fast before clever: they run hundreds of thousands of times a
second.

| policy | plays |
|---|---|
| `random` | uniformly at random |
| `throw` | leads and follows at random; void, it throws Q♠ if it can, else mostly hearts, high ones first |
| `careful` | ducks points with the highest card that loses, throws Q♠, A♠, K♠, high hearts; leads low; some slips |
| `evaluate` | not at all: the evaluator judges the new node at once |

Others are functions that the searches call through a pointer: `@policy(name)` adds one, written in a few lines of
Python, and no search is compiled again. `gnome` (the Stock player, with slips) comes from the players' room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types

from heartlab.jit import kernel, pointed
from heartlab.kernel.bits import HEARTS, ONE, QUEEN_BIT, SPADES, ZERO, bit, highest, lowest, nth, popcount
from heartlab.kernel.layout import OVER, PLAYING, RULES, STATE
from heartlab.kernel.play import legal, play
from heartlab.kernel.rng import below, next_bits
from heartlab.kernel.table import playout

RANDOM, THROW, CAREFUL, EVALUATE, POINTED = range(5)
SIGNATURE = types.int64(numba.from_dtype(RULES), numba.from_dtype(STATE), types.uint64, types.uint64[::1])
"""What a policy looks like to the searches: (rules, state, legal cards, random state) -> card."""
Policy = Callable[..., int]
SLIP = np.uint64(0x1999999999999999)
"""One card in ten is random in policies that are otherwise fixed: without it the playouts are too sure of
themselves."""


@kernel
def _any(cards: np.uint64, rng: Any) -> int:
    return nth(cards, below(rng, popcount(cards)))


@kernel
def slips(rng: Any) -> bool:
    """Whether the next card of a policy with slips is a random one."""
    return next_bits(rng) < SLIP


@kernel
def _throw(state: Any, cards: np.uint64, rng: Any) -> int:
    """Random, but a seat that is void gets rid of Q♠ and, three times in four, of hearts."""
    led = state["led"]
    if led != ZERO and cards & led == ZERO:
        if cards & QUEEN_BIT != ZERO:
            return lowest(QUEEN_BIT)
        hearts = cards & HEARTS
        if hearts != ZERO and below(rng, 4) > 0:
            return highest(hearts)
    return _any(cards, rng)


@kernel
def highest_rank(cards: np.uint64) -> int:
    """The card of the highest rank; among equals the last suit."""
    best = lowest(cards)
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        if card % 13 >= best % 13:
            best = card
    return best


@kernel
def lowest_rank(cards: np.uint64) -> int:
    """The card of the lowest rank; among equals the first suit."""
    best = highest(cards)
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        if card % 13 < best % 13:
            best = card
    return best


@kernel
def _careful(rules: Any, state: Any, cards: np.uint64, rng: Any) -> int:
    """What a beginner with good habits does, with a slip now and then."""
    if slips(rng):
        return _any(cards, rng)
    led = state["led"]
    if led == ZERO:
        rest = cards & ~QUEEN_BIT
        return lowest_rank(rest if rest != ZERO else cards)
    if cards & led == ZERO:
        if cards & QUEEN_BIT != ZERO:
            return lowest(QUEEN_BIT)
        high_spades = cards & (SPADES & ~(QUEEN_BIT - ONE))
        if high_spades != ZERO:
            return highest(high_spades)
        return highest(cards & HEARTS) if cards & HEARTS != ZERO else highest_rank(cards)
    last = state["trick_size"] == rules["players"] - 1
    best = state["best"]
    under = cards & (bit(best) - ONE)
    over = cards & ~(bit(best) - ONE)
    if state["trick"] & rules["penalty"] != ZERO or (led == SPADES and not last):
        if under != ZERO:
            return highest(under)
        rest = over & ~QUEEN_BIT
        if rest == ZERO:
            return lowest(over)
        return highest(rest) if last else lowest(rest)
    if under & QUEEN_BIT != ZERO:
        return lowest(QUEEN_BIT)
    rest = cards & ~QUEEN_BIT
    return highest(rest) if rest != ZERO else lowest(cards)


@kernel
def choose(rules: Any, state: Any, cards: np.uint64, policy: int, chooser: Any, rng: Any) -> int:
    """The card that a policy plays, out of the legal ones; `chooser` is its function if it is POINTED."""
    if policy == THROW:
        return _throw(state, cards, rng)
    if policy == CAREFUL:
        return _careful(rules, state, cards, rng)
    if policy == POINTED:
        return chooser(rules, state, cards, rng)
    return _any(cards, rng)


@kernel
def finish(rules: Any, state: Any, policy: int, cut: int, chooser: Any, rng: Any) -> bool:
    """Play on by a policy, to the end of the deal or, if `cut` > 0, of that many tricks; returns whether it is over."""
    if policy == RANDOM and cut == 0:
        playout(rules, state, rng)
        return True
    stop = state["trick_number"] + cut if cut > 0 else rules["hand_size"]
    while state["phase"] == PLAYING and state["trick_number"] < stop:
        cards = legal(rules, state)
        if cards & (cards - ONE) == ZERO:
            card = lowest(cards)
        else:
            card = choose(rules, state, cards, policy, chooser, rng)
        play(rules, state, card)
    return state["phase"] == OVER


compile_policy: Callable[[Policy], Policy] = pointed(SIGNATURE)
"""Compile a function with the signature of policies."""


@compile_policy
def any_card(rules: Any, state: Any, cards: np.uint64, rng: Any) -> int:
    """Uniformly at random; stands in where the policy is one of the built-in ones."""
    return _any(cards, rng)


_policies: dict[str, tuple[int, Policy]] = {
    "random": (RANDOM, any_card),
    "throw": (THROW, any_card),
    "careful": (CAREFUL, any_card),
    "evaluate": (EVALUATE, any_card),
}


class PolicyError(ValueError):
    """A name that belongs to another policy."""


OURS = {**dict.fromkeys(_policies, __name__), "gnome": "heartlab.players.gnome_stock"}
"""The modules of our own policies."""
_owners: dict[str, tuple[str, str]] = {}


def policy(name: str) -> Callable[[Policy], Policy]:
    """Compile a function (rules, state, legal cards, random state) -> card and register it as a playout policy.

    As with evaluators, only the same function of the same module may take a name again.

    :raises PolicyError: if the name is another's.
    """

    def add(function: Policy) -> Policy:
        origin = function.__module__, function.__qualname__
        if OURS.get(name, origin[0]) != origin[0] or _owners.setdefault(name, origin) != origin:
            raise PolicyError(f"there is a policy called {name!r} already: choose another name")
        compiled = compile_policy(function)
        _policies[name] = POINTED, compiled
        return compiled

    return add


def known_policies() -> dict[str, tuple[int, Policy]]:
    """The policies by name: code and function."""
    return dict(_policies)
