"""SAGE's evaluation: a stronger hand-tuned expert than PIE, for whom single tasks are no weakness.

PIE shares out what is still to be taken by the ranks of the cards held. SAGE asks who is in danger. Every seat has a
*heat* for the hearts and one for Q♠; what is left of each is expected to fall to the seats in proportion to their heat.

- **Hearts.** A card is as hot as the part of the others' cards in its suit that it beats; hearts count more than side
  suits. A sure exit (a card below all others of its suit) and a void cool; the lead heats.
- **Q♠, its holder.** Hot if the others can lead low spades for more rounds than the holder has other spades to follow
  with; cooled by side suits that are short or soon will be, where Q♠ can be thrown away.
- **Q♠, the others.** A♠ and K♠ are hot, less so with low spades beside them; so are cards that win tricks in the
  suits in which the holder is short, for there Q♠ will fall.

The constants were found by hand: one at a time was moved, and kept where a match against PIE became better
(docs/strength.md has the figures). Nothing was learned from games.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import SEATS
from heartlab.kernel.play import mask_points
from heartlab.kernel.ranks import ACE_BIT, HEARTS, KING_BIT, QUEEN_BIT, SMALL_SPADES, SPADES, suit_mask
from heartlab.search.evaluators.base import Evaluator, add_evaluator, compile_evaluator, settled_points, with_extras

ACE_AND_KING = ACE_BIT | KING_BIT

CONSTANTS = {
    "hearts.base": 0.77,
    "hearts.heart": 0.59,
    "hearts.side": 0.38,
    "hearts.exit": 1.0,
    "hearts.void": 0.85,
    "hearts.lead": 0.18,
    "queen.base": 0.3,
    "queen.high": 2.0,
    "queen.cover": 1.1,
    "queen.holder": 2.0,
    "queen.flush": 0.5,
    "queen.relief": 1.3,
    "queen.dump": 1.1,
    "queen.lead": 0.14,
}
(
    H_BASE, H_HEART, H_SIDE, H_EXIT, H_VOID, H_LEAD,
    Q_BASE, Q_HIGH, Q_COVER, Q_HOLDER, Q_FLUSH, Q_RELIEF, Q_DUMP, Q_LEAD,
) = range(len(CONSTANTS))  # fmt: skip
"""Places of the constants in the evaluator's data."""
COOLEST = 0.05
"""No seat is safe altogether."""


@kernel
def suit_danger(own: np.uint64, others: np.uint64) -> float:
    """How many of our cards of a suit would win a trick against the others' average card; 0 with no card."""
    rivals = popcount(others)
    if rivals == 0:
        return 1.0 * popcount(own)
    beaten = 0
    left = own
    while left != ZERO:
        card = left & (~left + ONE)
        left ^= card
        beaten += popcount(others & (card - ONE))
    return beaten / rivals


@kernel
def _hearts_heat(hand: np.uint64, unplayed: np.uint64, leads: bool, constants: Any) -> float:
    """How likely a seat is to take hearts."""
    heat = constants[H_BASE]
    for suit in range(4):
        cards = suit_mask(suit)
        own = hand & cards
        others = unplayed & cards & ~hand
        if own == ZERO:
            if popcount(others) > 2:
                heat -= constants[H_VOID]
            continue
        heat += constants[H_HEART if cards == HEARTS else H_SIDE] * suit_danger(own, others)
        if others != ZERO and own & (~own + ONE) < others & (~others + ONE):
            heat -= constants[H_EXIT]
    if leads:
        heat += constants[H_LEAD]
    return max(heat, COOLEST)


@kernel
def _holder_heat(rules: Any, state: Any, holder: int, constants: Any) -> float:
    """How likely the holder of Q♠ is to take it."""
    hand = state["hands"][holder]
    rounds = 0
    for seat in range(rules["players"]):
        if seat != holder:
            rounds = max(rounds, popcount(state["hands"][seat] & SMALL_SPADES))
    covers = popcount(hand & SPADES) - 1
    relief = 0.0
    for suit in (0, 1, 3):
        relief += 1.0 / (1.0 + popcount(hand & suit_mask(suit))) ** 2
    return constants[Q_HOLDER] * exp(constants[Q_FLUSH] * (rounds - covers) - constants[Q_RELIEF] * relief)


@kernel
def _other_heat(hand: np.uint64, of_holder: np.uint64, unplayed: np.uint64, constants: Any) -> float:
    """How likely a seat is to take Q♠ from another."""
    heat = constants[Q_BASE]
    highs = popcount(hand & ACE_AND_KING)
    if highs > 0:
        heat += constants[Q_HIGH] * highs * exp(-constants[Q_COVER] * popcount(hand & SMALL_SPADES))
    for suit in (0, 1, 3):
        cards = suit_mask(suit)
        short = 1.0 / (1.0 + popcount(of_holder & cards)) ** 2
        heat += constants[Q_DUMP] * short * suit_danger(hand & cards, unplayed & cards & ~hand & ~of_holder)
    return heat


@compile_evaluator
def sage(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """Points so far, and what is left in proportion to each seat's heat."""
    players = np.int64(rules["players"])
    unplayed = ZERO
    holder = -1
    for seat in range(players):
        unplayed |= state["hands"][seat]
        if state["hands"][seat] & QUEEN_BIT != ZERO:
            holder = seat
    left = unplayed & rules["penalty"]
    on_table = mask_points(rules, state["trick"] & rules["penalty"])
    if left == ZERO and on_table == 0:
        settled_points(rules, state, out)
        return
    queen = mask_points(rules, left & QUEEN_BIT)
    hearts = mask_points(rules, left) - queen
    hearts_sum = 0.0
    queen_sum = 0.0
    for seat in range(players):
        leads = state["to_move"] == seat
        if hearts > 0:
            scratch[seat] = _hearts_heat(state["hands"][seat], unplayed, leads, floats)
            hearts_sum += scratch[seat]
        if queen > 0:
            heat = floats[Q_LEAD] if leads else 0.0
            if seat == holder:
                heat += _holder_heat(rules, state, holder, floats)
            else:
                heat += _other_heat(state["hands"][seat], state["hands"][holder], unplayed, floats)
            scratch[SEATS + seat] = heat
            queen_sum += heat
    for seat in range(players):
        out[seat] = mask_points(rules, state["taken"][seat] & rules["penalty"])
        if hearts > 0:
            out[seat] += hearts * scratch[seat] / hearts_sum
        if queen > 0:
            out[seat] += queen * scratch[SEATS + seat] / queen_sum
        if on_table > 0 and seat == state["winner"]:
            out[seat] += on_table
        out[seat] = with_extras(rules, state, seat, out[seat])


def make_sage(**changes: float) -> Evaluator:
    """SAGE, or a variant with some constants changed."""
    constants = {**CONSTANTS, **changes}
    return Evaluator("sage", sage, np.array(list(constants.values())), scratch_size=2 * SEATS)


add_evaluator(make_sage())
