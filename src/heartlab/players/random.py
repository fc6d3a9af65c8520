"""The random player: every legal card is equally likely, and every legal pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.bits import nth, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import below
from heartlab.kernel.dealing import random_pass
from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.registry import register


@kernel
def random_cards(obs: Any, out: Any) -> None:
    """A random legal card for each observation."""
    rng = np.empty(1, np.uint64)
    for row in range(len(obs)):
        rng[0] = obs[row]["random"]
        cards = obs[row]["legal"]
        out[row] = nth(cards, below(rng, popcount(cards)))


@kernel
def random_passes(rules: Any, obs: Any, out: Any) -> None:
    """A random pass for each observation."""
    rng = np.empty(1, np.uint64)
    for row in range(len(obs)):
        rng[0] = obs[row]["random"]
        out[row] = random_pass(rules[0], obs[row]["hand"], rng)


@register("random")
class RandomPlayer(Player):
    """Plays and passes uniformly at random."""

    def choose_cards(self, batch: Observations) -> CardArray:
        cards = np.empty(len(batch), np.int8)
        random_cards(batch.records, cards)
        return cards

    def choose_passes(self, batch: Observations) -> MaskArray:
        masks = np.empty(len(batch), np.uint64)
        random_passes(batch.compiled, batch.records, masks)
        return masks
