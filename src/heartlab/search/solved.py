"""Solved endgames played on to their end: what happens, card by card, if every seat plays its exact best.

The solver of :mod:`heartlab.search.endgame` gives the points after each card; here the deal is also played to its end
that way, so that tricks, cards and moons can be counted in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import PLAYING, SEATS
from heartlab.kernel.play import play
from heartlab.search.endgame import solve_root
from heartlab.search.ordering import MAX_MOVES
from heartlab.search.walk import EPSILON


@kernel
def _solve_one(rules: Any, state: Any, history: Any, counters: Any) -> None:
    """Play the card that the solver expects; of equal ones the first."""
    out = np.empty((MAX_MOVES, 1 + SEATS))
    rows = solve_root(rules, state, True, out, counters)
    mover, best = np.int64(state["to_move"]), 0
    for row in range(1, rows):
        if out[row, 1 + mover] < out[best, 1 + mover] - EPSILON:
            best = row
    card = np.int64(out[best, 0])
    history[state["plays"]] = card
    play(rules, state, card)


@kernel
def solve_cards(rules: Any, worlds: Any, history: Any, cards: Any, counters: Any, ends: Any, tricks: Any) -> None:
    """Play each card in each world, and the deal to its end as the solver expects it.

    `ends` [cards, worlds] takes the finished deals, `tricks` [cards, worlds, seats] what each seat won with the trick
    that was running, `history` [cards, 52] how the deal went in the last world. A card below 0 leaves the choice to
    the solver.
    """
    for i in range(len(worlds)):
        for j in range(len(cards)):
            ends[j, i] = worlds[i]
            state = ends[j, i]
            number = np.int64(state["trick_number"])
            for seat in range(SEATS):
                tricks[j, i, seat] = state["taken"][seat]
            if cards[j] >= 0:
                history[j, state["plays"]] = cards[j]
                play(rules[0], state, np.int64(cards[j]))
            while state["phase"] == PLAYING and state["trick_number"] == number:
                _solve_one(rules[0], state, history[j], counters)
            for seat in range(SEATS):
                tricks[j, i, seat] ^= state["taken"][seat]
            while state["phase"] == PLAYING:
                _solve_one(rules[0], state, history[j], counters)
