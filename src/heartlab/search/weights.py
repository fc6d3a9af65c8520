"""Weights of worlds: how likely a world is beyond fitting the rules. The hook for inference from play.

A weight is a compiled function (rules, observation, world state) -> float; `uniform` says that all are alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from heartlab.compiled.jit import pointed
from heartlab.kernel.layout import OBSERVATION, RULES, STATE

SIGNATURE = types.float64(numba.from_dtype(RULES), numba.from_dtype(OBSERVATION), numba.from_dtype(STATE))
Weight = Callable[[Any, Any, Any], float]


weight: Callable[[Weight], Weight] = pointed(SIGNATURE)
"""Compile a weight function, so that any closed player can use it."""


@weight
def uniform(rules: Any, obs: Any, state: Any) -> float:
    """All worlds are equally likely."""
    return 1.0
