"""The passing rule of the thesis program behind PIE.

A hand with fewer than four spades passes A♠, K♠ and Q♠. Next come diamonds from the top if there is none below the
nine, and clubs likewise; then hearts from the top, except the highest, which is kept against a moon; then the highest
of clubs and diamonds by rank; then anything from the top.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, bit, highest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.dealing import may_pass
from heartlab.kernel.ranks import CLUBS, DIAMONDS, HEARTS, HIGH_SPADES, SPADES, highest_rank

BELOW_NINE = np.uint64(0x7F)


@kernel
def _from_top(cards: np.uint64, room: int) -> np.uint64:
    """Up to `room` cards, the highest first."""
    chosen = ZERO
    while cards != ZERO and room > 0:
        card = bit(highest(cards))
        chosen |= card
        cards ^= card
        room -= 1
    return chosen


@kernel
def thesis_pass(rules: Any, hand: np.uint64) -> np.uint64:
    """The cards to pass from a hand."""
    free = may_pass(rules, hand)
    count = rules["pass_count"]
    chosen = ZERO
    if popcount(hand & SPADES) < 4:
        chosen |= _from_top(free & HIGH_SPADES, count)
    if hand & DIAMONDS & (BELOW_NINE << np.uint64(13)) == ZERO:
        chosen |= _from_top(free & DIAMONDS, count - popcount(chosen))
    if hand & CLUBS & BELOW_NINE == ZERO:
        chosen |= _from_top(free & CLUBS, count - popcount(chosen))
    hearts = free & HEARTS
    if hearts != ZERO:
        chosen |= _from_top(hearts ^ bit(highest(hearts)), count - popcount(chosen))
    minors = free & (CLUBS | DIAMONDS) & ~chosen
    while minors != ZERO and popcount(chosen) < count:
        card = bit(highest_rank(minors))
        chosen |= card
        minors ^= card
    rest = free & ~chosen
    while rest != ZERO and popcount(chosen) < count:
        card = bit(highest_rank(rest))
        chosen |= card
        rest ^= card
    return chosen


@kernel
def thesis_passes(rules: Any, obs: Any, out: Any) -> None:
    """The same for each observation."""
    for row in range(len(obs)):
        out[row] = thesis_pass(rules[0], obs[row]["hand"])
