"""Dealing, passing and the first lead: from a random key to a state in which a seat has to play a card."""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, nth, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below
from heartlab.kernel.layout import (
    MOON_OFF,
    NOBODY,
    OPEN_2C,
    OPEN_ANY_CLUB,
    OPEN_DEALER,
    OPEN_LOWEST_CLUB,
    OPEN_RANDOM,
    PASSING,
    PLAYING,
)
from heartlab.kernel.ranks import CLUBS, TWO_BIT
from heartlab.rules import POOL, RANDOM_OFFSET, SCATTER


@kernel
def clear(rules: Any, state: Any) -> None:
    """Reset a state: no cards, nothing known."""
    for seat in range(len(state["hands"])):
        state["hands"][seat] = ZERO
        state["played"][seat] = ZERO
        state["taken"][seat] = ZERO
        state["may_hold"][seat] = rules["pack"] if seat < rules["players"] else ZERO
        state["passed"][seat] = ZERO
        state["received"][seat] = ZERO
        state["scores"][seat] = 0
        state["trick_cards"][seat] = 0
        state["tricks_won"][seat] = 0
    state["kitty"] = ZERO
    state["led"] = ZERO
    state["trick"] = ZERO
    state["deal_number"] = 0
    state["trick_size"] = 0
    state["trick_number"] = 0
    state["plays"] = 0
    state["to_move"] = NOBODY
    state["leader"] = NOBODY
    state["winner"] = NOBODY
    state["best"] = 0
    state["hearts_broken"] = 0
    state["phase"] = PASSING
    state["pass_code"] = 0
    state["to_pass"] = 0
    state["kitty_taker"] = NOBODY
    state["moon_choice"] = MOON_OFF


@kernel
def deal(rules: Any, state: Any, deal_number: int, rng: Any) -> None:
    """Deal the pack at random; set the pass direction and, if no club decides it, the first leader."""
    clear(rules, state)
    cards = np.empty(52, np.int8)
    count = np.int64(rules["deck_size"])
    for i in range(count):
        cards[i] = rules["deck"][i]
    players = rules["players"]
    size = rules["hand_size"]
    dealt = 0
    for seat in range(players):
        hand = ZERO
        for _ in range(size):
            pick = dealt + below(rng, count - dealt)
            card = cards[pick]
            cards[pick] = cards[dealt]
            dealt += 1
            hand |= bit(card)
        state["hands"][seat] = hand
    kitty = ZERO
    for rest in range(dealt, count):
        kitty |= bit(cards[rest])
    state["kitty"] = kitty
    state["deal_number"] = deal_number
    code = rules["passing"][deal_number % rules["cycle"]]
    if code == RANDOM_OFFSET:
        code = below(rng, players)
    state["pass_code"] = code
    if rules["opening"] == OPEN_DEALER:
        state["leader"] = (deal_number + 1) % players
    elif rules["opening"] == OPEN_RANDOM:
        state["leader"] = below(rng, players)
    if code == 0:
        begin(rules, state)
    else:
        state["to_pass"] = (1 << players) - 1


@kernel
def begin(rules: Any, state: Any) -> None:
    """Start the play: find the first leader, and note what the opening rule makes public about the other hands."""
    state["phase"] = PLAYING
    players = rules["players"]
    opening = rules["opening"]
    if opening == OPEN_2C or opening == OPEN_ANY_CLUB or opening == OPEN_LOWEST_CLUB:
        lowest_club = ZERO
        for seat in range(players):
            clubs = state["hands"][seat] & CLUBS
            own = clubs & (~clubs + ONE)
            if own != ZERO and (lowest_club == ZERO or own < lowest_club):
                lowest_club = own
                state["leader"] = seat
        in_pack = rules["pack"] & CLUBS
        if state["kitty"] == ZERO or opening != OPEN_LOWEST_CLUB:
            public = in_pack & (~in_pack + ONE) if opening == OPEN_LOWEST_CLUB else TWO_BIT
            for seat in range(players):
                if seat != state["leader"]:
                    state["may_hold"][seat] &= ~public
    state["to_move"] = state["leader"]


@kernel
def may_pass(rules: Any, hand: np.uint64) -> np.uint64:
    """The cards of a hand that may be passed."""
    return hand & ~rules["no_pass"]


@kernel
def give(rules: Any, state: Any, seat: int, cards: np.uint64, rng: Any) -> None:
    """Record what a seat passes; when all seats have passed, exchange the cards and begin the play."""
    state["passed"][seat] = cards
    state["hands"][seat] &= ~cards
    state["to_pass"] &= ~(1 << seat)
    if state["to_pass"] == 0:
        _exchange(rules, state, rng)
        begin(rules, state)


@kernel
def _exchange(rules: Any, state: Any, rng: Any) -> None:
    players = rules["players"]
    code = state["pass_code"]
    for seat in range(players):
        state["received"][seat] = ZERO
    if code == POOL:
        pool = ZERO
        for seat in range(players):
            pool |= state["passed"][seat]
        for seat in range(players):
            for _ in range(rules["pass_count"]):
                card = bit(nth(pool, below(rng, popcount(pool))))
                pool ^= card
                state["received"][seat] |= card
    else:
        for seat in range(players):
            cards = state["passed"][seat]
            step = code
            if code == SCATTER:
                step = 1
            while cards != ZERO:
                card = cards & (~cards + ONE)
                cards ^= card
                state["received"][(seat + step) % players] |= card
                if code == SCATTER:
                    step += 1
    for seat in range(players):
        state["hands"][seat] |= state["received"][seat]


@kernel
def random_pass(rules: Any, hand: np.uint64, rng: Any) -> np.uint64:
    """A uniformly random choice of cards to pass."""
    free = may_pass(rules, hand)
    chosen = ZERO
    for _ in range(rules["pass_count"]):
        card = bit(nth(free, below(rng, popcount(free))))
        free ^= card
        chosen |= card
    return chosen
