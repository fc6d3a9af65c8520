"""Atomic features about the moon: who has Q♠, and whether one seat alone has points. Beyond the papers.

The papers' features count heart points, ours and those of the others together. They cannot tell that one opponent has
taken everything so far, nor who has Q♠. These nine can; with them a network trained under rules with a moon learns when
to split the points, and when to go on alone. They exist only after :func:`place_moon`, so that training as in the
papers is not affected.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, bit
from heartlab.compiled.jit import kernel, pointed
from heartlab.kernel.play import mask_points
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.learners.td_features.features import (
    ATOMS,
    EXTRACT,
    LEAD_AT,
    MOON_ATOMS,
    MOON_NAMES,
    Atom,
    card_atoms,
    heart_atoms,
)

WE_QUEEN, OTHER_QUEEN, WE_ALONE, OTHER_ALONE, SPLIT, NOBODY_YET, LONE_LEADS, TEN, TWENTY = range(9)
"""Places in MOON_ATOMS."""
_SENTENCES = (
    "we have taken Q♠",
    "another has taken Q♠",
    "only we have taken points",
    "one other seat alone has taken points",
    "two seats or more have taken points",
    "nobody has taken points",
    "the only other seat with points has the lead",
    "all points so far, ten or more, are with one seat",
    "all points so far, twenty or more, are with one seat",
)
_CLASHES = (
    (WE_QUEEN, (OTHER_QUEEN, OTHER_ALONE, NOBODY_YET, LONE_LEADS)),
    (OTHER_QUEEN, (WE_ALONE, NOBODY_YET)),
    (WE_ALONE, (OTHER_ALONE, SPLIT, NOBODY_YET, LONE_LEADS)),
    (OTHER_ALONE, (SPLIT, NOBODY_YET)),
    (SPLIT, (NOBODY_YET, LONE_LEADS, TEN, TWENTY)),
    (NOBODY_YET, (LONE_LEADS, TEN, TWENTY)),
)


def place_moon() -> tuple[int, ...]:
    """Add the features if they are not there yet; returns their numbers."""
    for number, name, sentence in zip(MOON_ATOMS, MOON_NAMES, _SENTENCES, strict=True):
        clashing = {MOON_ATOMS[two] for one, others in _CLASHES if MOON_ATOMS[one] == number for two in others}
        if number == MOON_ATOMS[LONE_LEADS]:
            clashing.add(LEAD_AT)
        ATOMS[number] = Atom(number, name, sentence, excludes=frozenset(clashing), extract=extract_moon)
    return MOON_ATOMS


@kernel
def _set(out: Any, seat: int, which: int) -> None:
    number = MOON_ATOMS[which]
    out[seat, number // 64] |= bit(number % 64)


@kernel
def moon_atoms(rules: Any, state: Any, out: Any) -> None:
    """Add the nine to every seat's row."""
    players = np.int64(rules["players"])
    takers = 0
    lone = -1
    total = 0
    for seat in range(players):
        taken = mask_points(rules, state["taken"][seat] & rules["penalty"])
        if taken > 0:
            takers += 1
            lone = seat
            total += taken
    for seat in range(players):
        for other in range(players):
            if state["taken"][other] & QUEEN_BIT != ZERO:
                _set(out, seat, WE_QUEEN if other == seat else OTHER_QUEEN)
        if takers == 0:
            _set(out, seat, NOBODY_YET)
        elif takers > 1:
            _set(out, seat, SPLIT)
        else:
            _set(out, seat, WE_ALONE if lone == seat else OTHER_ALONE)
            if lone != seat and state["to_move"] == lone:
                _set(out, seat, LONE_LEADS)
            if total >= 10:
                _set(out, seat, TEN)
            if total >= 20:
                _set(out, seat, TWENTY)


@pointed(EXTRACT)
def extract_moon(rules: Any, state: Any, out: Any) -> None:
    """All built-in atoms and those about the moon."""
    card_atoms(rules, state, out)
    heart_atoms(rules, state, out)
    moon_atoms(rules, state, out)
