"""Rule-based players by number, for compiled loops: strangers at a training table and in a look ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import any_of
from heartlab.kernel.dealing import random_pass
from heartlab.players.gnome.jake import jake_card, jake_pass
from heartlab.players.gnome.ling import ling_card
from heartlab.players.gnome.luis import luis_card
from heartlab.players.gnome.peter import peter_card, peter_pass
from heartlab.players.gnome.stock import stock_card, stock_pass

STOCK, LUIS, JAKE, LING, PETER, RANDOM = range(-1, -7, -1)
"""Players that are no networks; networks have numbers from 0."""
GNOMES = 5
"""How many of them are of the gnome family; they come first."""
NAMES = {
    "gnome": STOCK, "gnome:stock": STOCK, "gnome:luis": LUIS, "gnome:jake": JAKE, "gnome:ling": LING,
    "gnome:peter": PETER, "random": RANDOM,
}  # fmt: skip
"""Their names as players."""


@kernel
def stranger_card(rules: Any, obs: Any, kind: int, rng: Any) -> int:
    """The card of a rule-based player."""
    if kind == STOCK:
        return stock_card(rules, obs, rng)
    if kind == LUIS:
        return luis_card(rules, obs, rng)
    if kind == JAKE:
        return jake_card(rules, obs, rng)
    if kind == LING:
        return ling_card(rules, obs, rng)
    if kind == PETER:
        return peter_card(rules, obs, rng)
    return any_of(obs["legal"], rng)


@kernel
def stranger_pass(rules: Any, obs: Any, kind: int, rng: Any) -> np.uint64:
    """The cards that a rule-based player passes."""
    if kind == STOCK or kind == LUIS:
        return stock_pass(rules, obs, rng)
    if kind == JAKE or kind == LING:
        return jake_pass(rules, obs, rng)
    if kind == PETER:
        return peter_pass(rules, obs, rng)
    return random_pass(rules, obs["hand"], rng)
