"""Weights of worlds: how likely a world is, given that it fits the observation. The hook for inference from play.

A weight is a compiled function (rules, observation, world state) -> float; `uniform` makes all worlds equally likely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from heartlab.compiled.jit import kernel, pointed
from heartlab.kernel.layout import OBSERVATION, RULES, STATE

SIGNATURE = types.float64(numba.from_dtype(RULES), numba.from_dtype(OBSERVATION), numba.from_dtype(STATE))
Weight = Callable[[Any, Any, Any], float]
"""A function of rules, observation and world: a finite number of at least 0."""

weight: Callable[[Weight], Weight] = pointed(SIGNATURE)
"""Compile a weight function, so that any closed player can use it."""


@weight
def uniform(rules: Any, obs: Any, state: Any) -> float:
    """All worlds are equally likely."""
    return 1.0


@kernel
def weigh_worlds(rules: Any, obs: Any, worlds: Any, weigh: Any, weights: Any) -> None:
    """The weight of every world of every observation."""
    for i in range(len(obs)):
        for world in range(worlds.shape[1]):
            weights[i, world] = weigh(rules[0], obs[i], worlds[i, world])
