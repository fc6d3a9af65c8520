"""Stock, the default opponent of gnome-hearts: no memory, no moon, no randomness.

Its card depends on the trick only; that choice is in `search/stock.py`, because playouts use it as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import ZERO, bit, highest, popcount
from heartlab.compiled.jit import kernel
from heartlab.kernel.dealing import may_pass
from heartlab.kernel.ranks import (
    ACE_BIT,
    CLUBS,
    DIAMONDS,
    HEARTS,
    KING_BIT,
    QUEEN_BIT,
    highest_ranked,
)
from heartlab.kernel.rows import each_row
from heartlab.players.gnome.memory import is_last
from heartlab.search.stock import stock_choice


@kernel
def stock_card(rules: Any, obs: Any, rng: Any) -> int:
    """The card Stock plays, from an observation."""
    return stock_choice(obs["legal"], obs["led"], obs["trick"], obs["best"], is_last(rules, obs), rules["penalty"])


@kernel
def stock_pass(rules: Any, obs: Any, rng: Any) -> np.uint64:
    """High spades; then repeatedly: a singleton club, a singleton diamond, the highest heart, the highest card."""
    free = may_pass(rules, obs["hand"])
    count = rules["pass_count"]
    chosen = ZERO
    for card in (QUEEN_BIT, KING_BIT, ACE_BIT):
        if popcount(chosen) < count:
            chosen |= free & card
    while popcount(chosen) < count:
        left = free & ~chosen
        if popcount(left & CLUBS) == 1:
            chosen |= left & CLUBS
        elif popcount(left & DIAMONDS) == 1:
            chosen |= left & DIAMONDS
        elif left & HEARTS != ZERO:
            chosen |= bit(highest(left & HEARTS))
        else:
            chosen |= bit(highest_ranked(left))
    return chosen


@kernel
def stock_cards(rules: Any, obs: Any, out: Any) -> None:
    """Stock's card for each row."""
    each_row(rules, obs, stock_card, out)


@kernel
def stock_passes(rules: Any, obs: Any, out: Any) -> None:
    """Stock's cards to pass for each row."""
    each_row(rules, obs, stock_pass, out)
