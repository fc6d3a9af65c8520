"""How much one connection may ask for: a bucket of tokens that fills up with time."""

from __future__ import annotations

import time
from collections.abc import Callable

COSTS = {
    "create": 8.0,
    "again": 8.0,
    "read": 12.0,
    "hint": 4.0,
    "check": 4.0,
    "count": 2.0,
    "review": 16.0,
    "puzzle": 2.0,
    "answer": 2.0,
}
"""What a message costs; all others cost one token."""
CAPACITY, PER_SECOND = 60.0, 15.0
MAX_MESSAGE = 256 << 10
"""Bytes of the largest message: a record file."""
MAX_ORDINARY = 4 << 10
"""Bytes of the largest message of any other kind."""


class Bucket:
    """Tokens of one connection."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens, self._filled = CAPACITY, clock()

    def take(self, kind: str) -> bool:
        """Pay for a message, if there are tokens enough."""
        now = self._clock()
        self._tokens = min(CAPACITY, self._tokens + (now - self._filled) * PER_SECOND)
        self._filled = now
        cost = COSTS.get(kind, 1.0)
        if cost > self._tokens:
            return False
        self._tokens -= cost
        return True
