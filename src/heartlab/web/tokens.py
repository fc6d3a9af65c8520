"""What a connection may ask for: every message costs tokens, which come back with time."""

from __future__ import annotations

import time
from collections.abc import Callable

COSTS = {
    "create": 8.0,
    "again": 8.0,
    "join": 8.0,
    "rematch": 8.0,
    "invite": 4.0,
    "react": 8.0,
    "read": 12.0,
    "hint": 4.0,
    "check": 4.0,
    "count": 2.0,
    "risk": 2.0,
    "line": 4.0,
    "review": 16.0,
    "history": 8.0,
    "daily": 8.0,
    "compare": 4.0,
    "analyse": 4.0,
    "game": 4.0,
    "puzzle": 2.0,
    "answer": 2.0,
}
"""What a message costs; all others cost one token."""
CAPACITY, PER_SECOND = 60.0, 15.0
MAX_MESSAGE = 256 << 10
"""Characters of the largest message: a record file."""
MAX_ORDINARY = 4 << 10
"""Characters of the largest message of any other kind."""
PENALTY = 1 / PER_SECOND
"""Seconds that a connection without tokens has to wait for the answer that says so."""


def entry_cost(size: int) -> float:
    """What a message costs before anybody has read it: a large one can only be a record file."""
    return COSTS["read"] if size > MAX_ORDINARY else 1.0


def further_cost(kind: str, size: int) -> float:
    """What is still to be paid when the kind of a message is known."""
    return max(0.0, COSTS.get(kind, 1.0) - entry_cost(size))


class Bucket:
    """Tokens of one connection."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens, self._filled = CAPACITY, clock()

    def take(self, cost: float) -> bool:
        """Pay, if there are tokens enough."""
        now = self._clock()
        self._tokens = min(CAPACITY, self._tokens + (now - self._filled) * PER_SECOND)
        self._filled = now
        if cost > self._tokens:
            return False
        self._tokens -= cost
        return True
