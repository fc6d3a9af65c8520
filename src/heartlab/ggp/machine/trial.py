"""Which way one game at a time is played: by what a move changes, or with every gate in every turn.

Both ways give the same playouts, number by number, so which one is taken changes nothing but the speed. Dead reckoning
is faster in nearly every game; where most gates stand in cycles, which it evaluates as a whole, it may be slower. A few
playouts each way decide, by processor time, so that other programs on the machine do not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable

ROUNDS = 3
"""How often each way has its turn; its fastest turn counts."""
ENOUGH = 0.001
"""Seconds of processor time that a turn of the way that is measured first takes at least."""
MOST = 256
"""Most playouts of a turn."""
STEPS = 60
"""Turns after which a playout of a trial is broken off: a game of a million gates must not take seconds."""

Work = Callable[[int], object]
"""Runs some playouts."""


def is_faster(one: Work, other: Work, clock: Callable[[], float] = time.thread_time) -> bool:
    """Whether one kind of work takes no longer than another, by short turns of both; the first call of each is free.

    >>> ticks = [0.0]
    >>> def work(cost):
    ...     return lambda count: ticks.__setitem__(0, ticks[0] + cost * count)
    >>> is_faster(work(1.0), work(2.0), lambda: ticks[0]), is_faster(work(2.0), work(1.0), lambda: ticks[0])
    (True, False)
    """
    one(1)
    other(1)
    count = 1
    while count < MOST and _spent(one, count, clock) < ENOUGH:
        count *= 2
    turns = [(_spent(one, count, clock), _spent(other, count, clock)) for _ in range(ROUNDS)]
    return min(mine for mine, _ in turns) <= min(theirs for _, theirs in turns)


def _spent(work: Work, count: int, clock: Callable[[], float]) -> float:
    begun = clock()
    work(count)
    return clock() - begun
