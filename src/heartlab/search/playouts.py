"""Playout policies: how a simulation finishes a deal. They are simple because speed counts: hundreds of thousands of
playouts a second.

| policy | plays |
|---|---|
| `random` | uniformly at random |
| `throw` | leads and follows at random; void, it throws Q♠ if it can, else mostly hearts, high ones first |
| `careful` | ducks points with the highest card that loses, throws Q♠, A♠, K♠, high hearts; leads low; some slips |
| `gnome` | like the rule-based player Stock, with some slips |
| `evaluate` | not at all: the evaluator judges the new node at once |

`@policy(name)` adds another: a function in Python that the searches call through a pointer, so that no search is
compiled again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ONE, ZERO, bit, highest, lowest
from heartlab.compiled.jit import kernel, pointed
from heartlab.compiled.rng import any_of, below, next_bits
from heartlab.kernel.layout import OVER, PLAYING, RULES, STATE
from heartlab.kernel.play import legal, play
from heartlab.kernel.ranks import HEARTS, QUEEN_BIT, SPADES, highest_rank, lowest_rank, spare_queen
from heartlab.kernel.table import play_tricks
from heartlab.kernel.table import playout as play_randomly
from heartlab.search.stock import stock_choice
from heartlab.util.registry import Registry, need_name

RANDOM, THROW, CAREFUL, STOCK, EVALUATE, POINTED = range(6)
SIGNATURE = types.int64(numba.from_dtype(RULES), numba.from_dtype(STATE), types.uint64, types.uint64[::1])
"""What a policy looks like to the searches: (rules, state, legal cards, random state) -> card."""
Policy = Callable[..., int]
SLIP = np.uint64(0x1999999999999999)
"""One card in ten is random in policies that are otherwise deterministic: without it playouts vary too little."""


@kernel
def slips(rng: Any) -> bool:
    """Whether the next card of a policy with slips is a random one."""
    return next_bits(rng) < SLIP


@kernel
def _throw(
    cards: np.uint64, led: np.uint64, trick: np.uint64, best: int, last: bool, penalty: np.uint64, rng: Any
) -> int:
    """Random, but a seat that is void gets rid of Q♠ and, three times in four, of hearts."""
    if cards & (cards - ONE) == ZERO:
        return lowest(cards)
    if led != ZERO and cards & led == ZERO:
        if cards & QUEEN_BIT != ZERO:
            return lowest(QUEEN_BIT)
        hearts = cards & HEARTS
        if hearts != ZERO and below(rng, 4) > 0:
            return highest(hearts)
    return any_of(cards, rng)


@kernel
def _careful(
    cards: np.uint64, led: np.uint64, trick: np.uint64, best: int, last: bool, penalty: np.uint64, rng: Any
) -> int:
    """Duck points, throw dangerous cards; one card in ten is random."""
    if cards & (cards - ONE) == ZERO:
        return lowest(cards)
    if slips(rng):
        return any_of(cards, rng)
    if led == ZERO:
        return lowest_rank(spare_queen(cards))
    if cards & led == ZERO:
        if cards & QUEEN_BIT != ZERO:
            return lowest(QUEEN_BIT)
        high_spades = cards & (SPADES & ~(QUEEN_BIT - ONE))
        if high_spades != ZERO:
            return highest(high_spades)
        return highest(cards & HEARTS) if cards & HEARTS != ZERO else highest_rank(cards)
    under = cards & (bit(best) - ONE)
    over = cards & ~(bit(best) - ONE)
    if trick & penalty != ZERO or (led == SPADES and not last):
        if under != ZERO:
            return highest(under)
        rest = over & ~QUEEN_BIT
        if rest == ZERO:
            return lowest(over)
        return highest(rest) if last else lowest(rest)
    if under & QUEEN_BIT != ZERO:
        return lowest(QUEEN_BIT)
    return highest(spare_queen(cards))


@kernel
def _stock(
    cards: np.uint64, led: np.uint64, trick: np.uint64, best: int, last: bool, penalty: np.uint64, rng: Any
) -> int:
    """Stock, but one card in ten is random."""
    if cards & (cards - ONE) == ZERO:
        return lowest(cards)
    return any_of(cards, rng) if slips(rng) else stock_choice(cards, led, trick, best, last, penalty)


class Playout(NamedTuple):
    """How simulations finish a deal, as kernels take it."""

    policy: Any  # code of the policy
    cut: Any  # tricks after which the evaluator is asked; 0: play to the end
    chooser: Any  # function of the policy, called if it is POINTED


@kernel
def choose(rules: Any, state: Any, cards: np.uint64, playout: Playout, rng: Any) -> int:
    """The card that a policy plays, out of the legal ones."""
    if cards & (cards - ONE) == ZERO:
        return lowest(cards)
    policy = playout.policy
    if policy == POINTED:
        return playout.chooser(rules, state, cards, rng)
    led, trick, best, penalty = state["led"], state["trick"], np.int64(state["best"]), rules["penalty"]
    last = state["trick_size"] == rules["players"] - 1
    if policy == THROW:
        return _throw(cards, led, trick, best, last, penalty, rng)
    if policy == CAREFUL:
        return _careful(cards, led, trick, best, last, penalty, rng)
    if policy == STOCK:
        return _stock(cards, led, trick, best, last, penalty, rng)
    return any_of(cards, rng)


@kernel
def finish(rules: Any, state: Any, playout: Playout, rng: Any) -> bool:
    """Play on by a policy, to the end of the deal or until the cut; returns whether the deal is over."""
    policy, cut = playout.policy, playout.cut
    if policy == RANDOM and cut == 0:
        play_randomly(rules, state, rng)
        return True
    quick = cut == 0 and policy != POINTED
    stop = state["trick_number"] + cut if cut > 0 else rules["hand_size"]
    while state["phase"] == PLAYING and state["trick_number"] < stop and not (quick and state["trick_size"] == 0):
        play(rules, state, choose(rules, state, legal(rules, state), playout, rng))
    if quick and state["phase"] == PLAYING:
        if policy == THROW:
            play_tricks(rules, state, _throw, rng)
        elif policy == CAREFUL:
            play_tricks(rules, state, _careful, rng)
        else:
            play_tricks(rules, state, _stock, rng)
    return state["phase"] == OVER


compile_policy: Callable[[Policy], Policy] = pointed(SIGNATURE)
"""Compile a function with the signature of policies."""


@compile_policy
def any_card(rules: Any, state: Any, cards: np.uint64, rng: Any) -> int:
    """Uniformly at random; the chooser of built-in policies, which do not call it."""
    return any_of(cards, rng)


class PolicyError(ValueError):
    """A name that belongs to another policy."""


POLICIES: Registry[tuple[int, Policy]] = Registry("policy", PolicyError)
"""The policies by name: code and function."""
for _code, _name in enumerate(("random", "throw", "careful", "gnome", "evaluate")):
    POLICIES.add(_name, (_code, any_card), any_card)


def policy(name: str) -> Callable[[Policy], Policy]:
    """Compile a function (rules, state, legal cards, random state) -> card and register it as a playout policy.

    :raises PolicyError: if the name is another's.
    """
    need_name("policy", name)

    def add(function: Policy) -> Policy:
        POLICIES.claim(name, function)
        compiled = compile_policy(function)
        POLICIES.add(name, (POINTED, compiled), function)
        return compiled

    return add


def known_policies() -> dict[str, tuple[int, Policy]]:
    """The policies by name: code and function."""
    return POLICIES.known()
