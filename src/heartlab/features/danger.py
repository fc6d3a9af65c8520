"""Danger: atomic features that say in steps how much of what is left a seat must fear, as the expert SAGE sees it.

The papers' features are yes-or-no statements about cards. A hand-tuned expert adds such things up: cards that win
tricks, exits, who can be made to take Q♠. Its two sums, each seat's share of the danger in hearts and in Q♠, are cut
into eight steps and offered to learning like any other feature, so that conjunctions can correct the expert where it
is wrong. This is beyond the papers; nothing of it is used in their reproduction.

The features have places of their own behind the 102 of the papers, and are there once somebody asks for them
(:func:`place_danger`): most of the room belongs to features that users add.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from heartlab.features.atoms import ATOMS, DANGER_AT, EXTRACT, Atom, AtomError, card_atoms, heart_atoms
from heartlab.jit import kernel, pointed
from heartlab.kernel.bits import HEARTS, ZERO, bit
from heartlab.kernel.layout import SEATS
from heartlab.search.sage import CONSTANTS, heats

EDGES = (0.05, 0.1, 0.16, 0.22, 0.28, 0.36, 0.5)
"""Where one step of a share ends and the next begins; a quarter is everybody's fair share."""
STEPS = len(EDGES) + 1
_CONSTANTS = np.array(list(CONSTANTS.values()))


def _texts(symbol: str) -> list[tuple[str, str]]:
    ends = [0, *(round(100 * edge) for edge in EDGES), 100]
    return [
        (f"{symbol} danger {low}-{high} %", f"{low} to {high} % of the danger in {symbol} is ours")
        for low, high in pairwise(ends)
    ]


NAMES = {name: sentence for symbol in ("♥", "Q♠") for name, sentence in _texts(symbol)}
"""Names and sentences, in their order: the steps for hearts, then those for Q♠."""
DANGER_ATOMS = tuple(range(DANGER_AT, DANGER_AT + 2 * STEPS))


def place_danger() -> tuple[int, ...]:
    """Make sure that the features are there; returns their numbers.

    :raises AtomError: if others have taken their places.
    """
    for number, (name, sentence) in zip(DANGER_ATOMS, NAMES.items(), strict=True):
        known = ATOMS.setdefault(number, Atom(number, name, sentence, group=name.split(" ")[0], extract=extract_danger))
        if known.name != name:
            raise AtomError(f"{known.name!r} has the place of {name!r}: add fewer features of your own, or none")
    return DANGER_ATOMS


@kernel
def _step(share: float) -> int:
    """The step that a share falls into."""
    step = 0
    while step < STEPS - 1 and share >= EDGES[step]:
        step += 1
    return step


@kernel
def danger_atoms(rules: Any, state: Any, out: Any) -> None:
    """Add every seat's steps to the second word of its row; none where there is nothing left to fear."""
    heat = np.empty(2 * SEATS)
    players = np.int64(rules["players"])
    hearts_left = False
    for seat in range(players):
        hearts_left = hearts_left or state["hands"][seat] & HEARTS != ZERO
    heats(rules, state, hearts_left, _CONSTANTS, heat)
    for kind in range(2):
        total = 0.0
        for seat in range(players):
            total += heat[SEATS * kind + seat]
        if total > 0.0:
            for seat in range(players):
                step = _step(heat[SEATS * kind + seat] / total)
                out[seat, 1] |= bit(DANGER_AT - 64 + STEPS * kind + step)


@pointed(EXTRACT)
def extract_danger(rules: Any, state: Any, out: Any) -> None:
    """All built-in atoms and the danger."""
    card_atoms(rules, state, out)
    heart_atoms(rules, state, out)
    danger_atoms(rules, state, out)
