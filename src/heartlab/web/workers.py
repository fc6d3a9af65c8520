"""Threads for long work with a fair queue (start-time fair queueing).

Every piece of work has a start time on a common clock of seconds worked: the end of its owner's last piece, or now. The
earliest start goes first, so owners that have used little time do not wait for those that have used much, except for
the pieces that are already running.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Result = TypeVar("Result")


class Workers:
    """A few threads; used from one event loop."""

    def __init__(self, threads: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = threads
        self._clock = 0.0
        self._reached: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
        """Where on the clock each owner's last work ended."""
        self._waiting: list[tuple[float, int, object, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()

    def close(self) -> None:
        """Finish running work and drop the rest."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def run(self, owner: object, work: Callable[..., Result], *arguments: Any) -> Result:
        """Do some work for an owner when it is its turn."""
        await self._turn(owner)
        start = self._clock = max(self._clock, self._reached.get(owner, 0.0))
        try:
            loop = asyncio.get_running_loop()
            result, seconds = await loop.run_in_executor(self._pool, _timed, work, arguments)
            self._reached[owner] = max(start, self._reached.get(owner, 0.0)) + seconds
            return result
        finally:
            self._leave()

    async def _turn(self, owner: object) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = max(self._clock, self._reached.get(owner, 0.0))
        heapq.heappush(self._waiting, (place, next(self._arrivals), owner, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    def _leave(self) -> None:
        """Give the thread to the next in the queue."""
        while self._waiting:
            place, arrival, owner, turn = heapq.heappop(self._waiting)
            now = self._reached.get(owner, 0.0)
            if turn.done():
                continue
            if now > place:  # its owner has been served since it came
                heapq.heappush(self._waiting, (now, arrival, owner, turn))
                continue
            turn.set_result(None)
            return
        self._free += 1


def _timed(work: Callable[..., Result], arguments: tuple[Any, ...]) -> tuple[Result, float]:
    """The result of some work, and the seconds that it took on its thread, waiting for the thread not included."""
    begun = time.perf_counter()
    return work(*arguments), time.perf_counter() - begun
