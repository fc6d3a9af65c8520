"""The random player: every legal card is equally likely, and every legal pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import any_of
from heartlab.kernel.dealing import random_pass
from heartlab.kernel.rows import each_row
from heartlab.players.base import KernelPlayer
from heartlab.players.registry import register


@kernel
def _card(rules: Any, obs: Any, rng: Any) -> int:
    return any_of(obs["legal"], rng)


@kernel
def _pass(rules: Any, obs: Any, rng: Any) -> np.uint64:
    return random_pass(rules, obs["hand"], rng)


@kernel
def _cards(rules: Any, obs: Any, out: Any) -> None:
    each_row(rules, obs, _card, out)


@kernel
def _passes(rules: Any, obs: Any, out: Any) -> None:
    each_row(rules, obs, _pass, out)


@register("random")
class RandomPlayer(KernelPlayer):
    """Plays and passes uniformly at random."""

    def __init__(self) -> None:
        super().__init__("random", _cards, _passes)
