"""PIE's evaluation: the hand-tuned expert that two papers are measured by (Sturtevant & White 2006).

Each seat has a share of what is good in the position, and every player maximises its own share. Only the *owner*, the
seat that searches, gets the extra terms; the others are taken to look at cards and points alone. As evaluators speak of
points, a share s is given as the points total·(1 − s)/(n − 1), which orders positions the same way and sums to the
total. It is no forecast: shares differ far less than points do.

The formula is made for the end of a trick. Where a search stops within one (`plies`, `playout=evaluate`), the cards on
the table count as taken by the seat that is winning them. Once nothing is left, what a seat has is held against 26
points, all that the papers' pack has; against all there are where a pack has more.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from heartlab.compiled.bits import ONE, ZERO, lowest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.play import mask_points
from heartlab.kernel.ranks import CLUBS, QUEEN_BIT, SPADES
from heartlab.rules import Rules
from heartlab.search.evaluators.base import SHARE_UNIT, Bounds, evaluator, every_card_counts
from heartlab.search.transpositions import COUNTING

MANY_PLAYED = 8
"""A void is worth something while fewer cards of the suit than this have been played."""


@kernel
def _owner_terms(rules: Any, state: Any, owner: int, scorers: int, out: Any) -> None:
    """What the searching seat adds to its own share, and what its Q♠ adds to the others'."""
    hand = state["hands"][owner]
    if state["taken"][owner] & QUEEN_BIT != ZERO:
        for seat in range(rules["players"]):
            if seat != owner:
                out[seat] += 3.0
        if state["played"][owner] & QUEEN_BIT != ZERO and hand & SPADES != ZERO:
            out[owner] /= 4.0
    if scorers >= 2:
        out[owner] += 3.0
    if state["to_move"] != owner:
        out[owner] += 1.0
    played = ZERO
    for seat in range(rules["players"]):
        played |= state["played"][seat]
    suit = CLUBS
    for _ in range(4):
        if hand & suit == ZERO and popcount(played & suit) < MANY_PLAYED:
            out[owner] += 1.0
        suit <<= np.uint64(13)


@cache
def pie_bounds(rules: Rules, between_tricks: bool) -> Bounds:
    """Values add up to all the points, unless some lie in a kitty."""
    if not every_card_counts(rules, between_tricks) or not between_tricks:
        return Bounds(past=COUNTING)
    total = float(rules.total_points)
    return Bounds(total, total / (rules.players - 1), 0.0, COUNTING)


@kernel
def _taken_points(rules: Any, state: Any, seat: int) -> int:
    """The points that a seat has, those of a trick that it is winning included."""
    taken = mask_points(rules, state["taken"][seat] & rules["penalty"])
    if state["trick_size"] > 0 and seat == state["winner"]:
        taken += mask_points(rules, state["trick"] & rules["penalty"])
    return taken


@evaluator("pie", "the hand-tuned expert of Sturtevant & White 2006", bounds=pie_bounds, unit=SHARE_UNIT)
def pie(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """Shares by low cards and points, with bonuses for the owner."""
    players = rules["players"]
    penalty = rules["penalty"]
    unplayed = ZERO
    quality_sum = 0.0
    taken_sum = 0.0
    scorers = 0
    for seat in range(players):
        cards = state["hands"][seat]
        unplayed |= cards
        quality = 0.0
        while cards != ZERO:
            quality += 12 - lowest(cards) % 13
            cards &= cards - ONE
        quality_sum += quality
        out[seat] = quality
    left = mask_points(rules, unplayed & penalty)
    for seat in range(players):
        taken = _taken_points(rules, state, seat)
        taken_sum += taken
        scorers += taken > 0
    total = left + taken_sum
    for seat in range(players):
        taken = _taken_points(rules, state, seat)
        if left == 0:
            out[seat] = max(26.0, total) - taken
        else:
            low = left * out[seat] / quality_sum if quality_sum > 0.0 else 0.0
            out[seat] = low + 30.0 + taken_sum - taken
    if left > 0:
        _owner_terms(rules, state, root, scorers, out)
    whole = 0.0
    for seat in range(players):
        whole += out[seat]
    for seat in range(players):
        out[seat] = total * (1.0 - out[seat] / whole) / (players - 1)
