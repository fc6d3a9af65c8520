"""Legal cards, playing a card, and points: the rules of the game as compiled functions on one state record.

A card cannot be taken back: to return to a state, copy it first (`states[j] = states[i]`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, bit, lowest
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import (
    KITTY_FIRST_HEART,
    KITTY_FIRST_TRICK,
    MOON_BEST,
    MOON_CHOICE,
    MOON_OFF,
    MOON_OTHERS,
    MOON_SELF,
    NOBODY,
    OPEN_2C,
    OPEN_ANY_CLUB,
    OPEN_LOWEST_CLUB,
    OVER,
)
from heartlab.kernel.ranks import CLUBS, HEARTS, QUEEN_BIT, suit_of


@kernel
def legal_of(rules: Any, hand: np.uint64, led: np.uint64, plays: int, broken: int) -> np.uint64:
    """The cards of a hand that may be played: `led` is the suit led (empty when leading)."""
    if led == ZERO:
        if plays == 0:
            opening = rules["opening"]
            if opening == OPEN_2C or opening == OPEN_LOWEST_CLUB:
                clubs = hand & CLUBS
                return clubs & (~clubs + ONE)
            if opening == OPEN_ANY_CLUB:
                return hand & CLUBS
        cards = hand
    else:
        cards = hand & led
        if cards == ZERO:
            cards = hand
    if plays < rules["players"] and not rules["first_trick_points"]:
        rest = cards & ~rules["penalty"]
        if rest != ZERO:
            cards = rest
    if broken == 0:
        if led == ZERO and rules["must_break"]:
            rest = cards & ~HEARTS
            if rest != ZERO and not (rest == QUEEN_BIT and rules["hearts_before_queen"]):
                cards = rest
        if rules["queen_after_hearts"]:
            rest = cards & ~QUEEN_BIT
            if rest != ZERO:
                cards = rest
    return cards


@kernel
def legal(rules: Any, state: Any) -> np.uint64:
    """The cards that the seat to move may play."""
    return legal_of(rules, state["hands"][state["to_move"]], state["led"], state["plays"], state["hearts_broken"])


@kernel
def _show(rules: Any, state: Any, seat: int, own: np.uint64) -> None:
    """Update what a seat can hold after it played a card that is legal only with certain hands.

    Another card is impossible in its hand exactly if the played card would have been illegal beside it.
    """
    possible = ZERO
    candidates = state["may_hold"][seat] & ~own
    while candidates != ZERO:
        other = candidates & (~candidates + ONE)
        candidates ^= other
        if legal_of(rules, own | other, state["led"], state["plays"], state["hearts_broken"]) & own != ZERO:
            possible |= other
    state["may_hold"][seat] = possible


@kernel
def _show_opening(rules: Any, state: Any, own: np.uint64) -> None:
    """The lowest club was led: no hand holds a lower club."""
    for seat in range(rules["players"]):
        state["may_hold"][seat] &= ~((own - ONE) & CLUBS)


@kernel
def play(rules: Any, state: Any, card: int) -> None:
    """Play a legal card for the seat to move, and finish the trick if it is complete."""
    seat = state["to_move"]
    own = bit(card)
    led = state["led"]
    if led != ZERO and own & led == ZERO:
        state["may_hold"][seat] &= ~led
    if state["plays"] < rules["players"]:
        if not rules["first_trick_points"] and own & rules["penalty"] != ZERO:
            _show(rules, state, seat, own)
        if state["plays"] == 0 and rules["opening"] == OPEN_LOWEST_CLUB:
            _show_opening(rules, state, own)
    if not state["hearts_broken"]:
        led_heart = led == ZERO and own & HEARTS != ZERO and rules["must_break"]
        if led_heart or (own == QUEEN_BIT and rules["queen_after_hearts"]):
            _show(rules, state, seat, own)
    state["hands"][seat] ^= own
    state["played"][seat] |= own
    size = state["trick_size"]
    state["trick_cards"][size] = card
    state["trick"] |= own
    if size == 0:
        state["led"] = suit_of(card)
        state["leader"] = seat
        state["winner"] = seat
        state["best"] = card
    elif own & led != ZERO and card > state["best"]:
        state["best"] = card
        state["winner"] = seat
    if own & HEARTS != ZERO or (own == QUEEN_BIT and rules["queen_breaks"]):
        state["hearts_broken"] = 1
    state["plays"] += 1
    size += 1
    if size < rules["players"]:
        state["trick_size"] = size
        seat += 1
        state["to_move"] = seat if seat < rules["players"] else 0
    else:
        _finish_trick(rules, state)


@kernel
def take_kitty(rules: Any, state: Any, winner: int, trick: np.uint64) -> bool:
    """Give the kitty to the winner of a trick if that trick decides it."""
    first_heart = rules["kitty"] == KITTY_FIRST_HEART and trick & HEARTS != ZERO
    if rules["kitty"] == KITTY_FIRST_TRICK or first_heart:
        state["kitty_taker"] = winner
        state["taken"][winner] |= state["kitty"]
        return True
    return False


@kernel
def _finish_trick(rules: Any, state: Any) -> None:
    """Give the trick, and the kitty if it is due, to the winner, who leads next; end the deal after the last trick."""
    winner = state["winner"]
    state["taken"][winner] |= state["trick"]
    if state["kitty_taker"] == NOBODY and state["kitty"] != ZERO:
        take_kitty(rules, state, winner, state["trick"])
    state["tricks_won"][winner] += 1
    state["trick_number"] += 1
    state["trick"] = ZERO
    state["led"] = ZERO
    state["trick_size"] = 0
    state["leader"] = winner
    state["to_move"] = winner
    if state["trick_number"] == rules["hand_size"]:
        state["phase"] = OVER
        state["to_move"] = NOBODY


@kernel
def mask_points(rules: Any, cards: np.uint64) -> int:
    """What a set of cards counts, before moon and doubling."""
    total = 0
    points = rules["points"]
    while cards != ZERO:
        total += points[lowest(cards)]
        cards &= cards - ONE
    return total


@kernel
def shooter(rules: Any, state: Any) -> int:
    """The seat that has taken all penalty cards (and the bonus card if the rules need it), or NOBODY."""
    if rules["moon"] == MOON_OFF:
        return NOBODY
    needed = rules["penalty"]
    if state["kitty_taker"] == NOBODY:
        needed &= ~state["kitty"]
    if needed == ZERO:
        return NOBODY
    if rules["moon_needs_bonus"]:
        needed |= bit(rules["bonus"])
    for seat in range(rules["players"]):
        if state["taken"][seat] & needed == needed:
            return seat
    return NOBODY


@kernel
def points(rules: Any, state: Any, out: Any) -> int:
    """Write the points of each seat to `out`; returns the seat that shot the moon, or NOBODY.

    Before the end of the deal these are the points taken so far, with neither moon nor no-tricks bonus.
    """
    players = rules["players"]
    for seat in range(players):
        taken = state["taken"][seat]
        special = taken & rules["penalty"]
        if rules["bonus"] >= 0:
            special |= taken & bit(rules["bonus"])
        out[seat] = mask_points(rules, special)
        if rules["doubler"] >= 0 and taken & bit(rules["doubler"]) != ZERO:
            out[seat] *= 2
    if state["phase"] != OVER:
        return NOBODY
    moon_seat = shooter(rules, state)
    if moon_seat == NOBODY:
        if rules["no_tricks"] != 0:
            for seat in range(players):
                if state["tricks_won"][seat] == 0:
                    out[seat] += rules["no_tricks"]
        return NOBODY
    taken = state["taken"][moon_seat]
    value = mask_points(rules, taken & rules["penalty"])
    if rules["doubler"] >= 0 and taken & bit(rules["doubler"]) != ZERO:
        value *= 2
    out[moon_seat] -= value
    if rules["sun"] and state["tricks_won"][moon_seat] == rules["hand_size"]:
        value *= 2
    kind = rules["moon"]
    if kind == MOON_CHOICE:
        kind = state["moon_choice"] if state["moon_choice"] != MOON_OFF else MOON_BEST
    if kind == MOON_BEST:
        kind = MOON_SELF if _ends_badly(rules, state, out, moon_seat, value) else MOON_OTHERS
    for seat in range(players):
        if kind == MOON_SELF:
            if seat == moon_seat:
                out[seat] -= value
        elif seat != moon_seat:
            out[seat] += value
    return moon_seat


@kernel
def _ends_badly(rules: Any, state: Any, out: Any, moon_seat: int, value: int) -> bool:
    """Whether giving the points to the others would end the game without the shooter as the only winner."""
    if rules["fixed_deals"]:
        return False
    limit = rules["limit"] + rules["over_limit"]
    own = state["scores"][moon_seat] + out[moon_seat]
    ended = own >= limit
    least = own
    in_front = 1
    for seat in range(rules["players"]):
        if seat != moon_seat:
            total = state["scores"][seat] + out[seat] + value
            ended = ended or total >= limit
            if total < least:
                least = total
                in_front = 1
            elif total == least:
                in_front += 1
    if rules["play_on"] and in_front > 1:
        return False
    return ended and (own > least or in_front > 1)


@kernel
def points_left(rules: Any, state: Any) -> bool:
    """Whether the rest of the deal can still change the points.

    It can while a card that counts is in a hand, in the trick or in a kitty that will be won; and, while tricks are
    left, by the bonus of a seat without tricks and by the sun of a shooter who has all tricks so far.
    """
    if state["phase"] == OVER:
        return False
    open_cards = state["trick"]
    for seat in range(rules["players"]):
        open_cards |= state["hands"][seat]
    if state["kitty_taker"] == NOBODY:
        by_heart = rules["kitty"] == KITTY_FIRST_HEART and open_cards & HEARTS != ZERO
        if rules["kitty"] == KITTY_FIRST_TRICK or by_heart:
            open_cards |= state["kitty"]
    valuable = rules["penalty"]
    if rules["bonus"] >= 0:
        valuable |= bit(rules["bonus"])
    if rules["doubler"] >= 0:
        valuable |= bit(rules["doubler"])
    if open_cards & valuable != ZERO:
        return True
    moon_seat = shooter(rules, state)
    if moon_seat != NOBODY:
        return rules["sun"] != 0 and state["tricks_won"][moon_seat] == state["trick_number"]
    if rules["no_tricks"] != 0:
        for seat in range(rules["players"]):
            if state["tricks_won"][seat] == 0:
                return True
    return False
