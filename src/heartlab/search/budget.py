"""Time budgets: `ms=N` bounds a choice, whatever the search is asked for.

Compiled code does not read the clock. But a search gives up as soon as it has taken as many nodes (or simulations) as
its counters allow, and compares them at every node: so a thread that watches the clock sets that limit to zero when
the time is up. What is not finished then is dropped: a choice takes as long as the budget says plus the time for one
node.

- Depth-first searches deepen iteratively: one card, the end of the trick, then trick after trick, to the depth that is
  asked for or, if all hands are known and no depth is asked for, as deep as there is time for. Where the endgame is to
  be solved that is tried after the first trick.
- Trees are grown until they have their simulations, or the time is up.
- Closed play spends at most a quarter of its time on any try in its first world, so that there is time for four. Then
  it does in all further worlds what could be done in the first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from heartlab.observation import Observations, OpenStates
from heartlab.search.options import Kind, SearchOptions
from heartlab.search.walk import LIMIT

if TYPE_CHECKING:
    from heartlab.search.found import Searched
    from heartlab.search.pimc import Search

FEW_WORLDS = 4
"""A deeper search, or a larger tree, must leave time for so many worlds."""
AT_ONCE = 64
"""Worlds that a thread searches in one call, at most."""


class Watch:
    """A thread that tells searches to give up when their time is up."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._running: dict[object, tuple[float, npt.NDArray[np.int64]]] = {}
        self._thread: threading.Thread | None = None

    @contextmanager
    def over(self, counters: npt.NDArray[np.int64], until: float) -> Iterator[None]:
        """Watch the search that counts in `counters`: at the time `until` its limit becomes zero."""
        token = object()
        if until <= time.perf_counter():
            counters[LIMIT] = 0
        with self._change:
            self._running[token] = until, counters
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, name="clock", daemon=True)
                self._thread.start()
            self._change.notify()
        try:
            yield
        finally:
            with self._change:
                del self._running[token]

    def _watch(self) -> None:
        with self._change:
            while True:
                now = time.perf_counter()
                for until, counters in self._running.values():
                    if until <= now:
                        counters[LIMIT] = 0
                waiting = [until for until, _ in self._running.values() if until > now]
                self._change.wait(min(waiting) - now if waiting else None)


watch = Watch()


def cards_left(batch: Observations) -> int:
    """The most cards that any seat still holds."""
    if isinstance(batch, OpenStates):
        return int(np.bitwise_count(batch.states["hands"]).max())
    return int(batch.records["hand_sizes"].max())


def think_in_time(search: Search, batch: Observations, deadline: float, lines: bool) -> Searched:
    """Search some rows until the time is up; they all get the same number of worlds."""
    alone = isinstance(batch, OpenStates) or search.options.kind == Kind.ISMCTS
    share = 1 if alone else FEW_WORLDS
    if search.options.kind.simulates:
        found, options = _grow(search, batch, deadline, share, lines)
    else:
        found, options = _deepen(search, batch, deadline, share, lines)
        if isinstance(batch, OpenStates):
            return found
    return _repeat(search, batch, deadline, lines, found, options)


def _part_of(deadline: float, share: int) -> float:
    """When a share of the time that is left will be over."""
    now = time.perf_counter()
    return now + (deadline - now) / share


def _grow(
    search: Search, batch: Observations, deadline: float, share: int, lines: bool
) -> tuple[Searched, SearchOptions]:
    """The first tree, and the options with as many simulations as it had; or the solution, if there is time for it."""
    asked = search.options
    first = replace(asked, endgame=0)
    found = search.search_worlds(batch, 1, 0, first, until=_part_of(deadline, share), lines=lines)
    if cards_left(batch) <= asked.endgame and time.perf_counter() < deadline:
        until = _part_of(deadline, FEW_WORLDS)
        solved = search.search_worlds(batch, 1, 0, asked, until=until, lines=lines)
        if solved.done.all():
            return solved, asked
    return found, replace(first, simulations=min(asked.simulations, int(found.simulations.min())))


def _deepen(
    search: Search, batch: Observations, deadline: float, share: int, lines: bool
) -> tuple[Searched, SearchOptions]:
    """The deepest search of the first world that there is time for, and its options."""
    chosen, *deeper = _depths(search.options, batch)
    found = search.search_worlds(batch, 1, 0, chosen, lines=lines)
    for options in deeper:
        if time.perf_counter() >= deadline:
            break
        solving = options.endgame > 0
        until = _part_of(deadline, FEW_WORLDS if solving else share)
        tried = search.search_worlds(batch, 1, 0, options, until=until, lines=lines)
        if tried.done.all():
            found, chosen = tried, options
        if tried.done.all() == solving:
            break
    return found, chosen


def _depths(asked: SearchOptions, batch: Observations) -> list[SearchOptions]:
    """The options of a search from one card to its full depth; the solution of an endgame comes after one trick."""
    cards = cards_left(batch)
    if asked.plies:
        depths = [(plies, 1) for plies in range(1, asked.plies + 1)]
    else:
        default = cards if isinstance(batch, OpenStates) else 1
        most = default if asked.tricks is None else asked.tricks or cards
        depths = [(1, 1), *((0, tricks) for tricks in range(1, min(most, cards) + 1))]
    found = [replace(asked, plies=plies, tricks=tricks, endgame=0) for plies, tricks in depths]
    if cards <= asked.endgame:
        found.insert(2, asked)
    return found


def _repeat(
    search: Search, batch: Observations, deadline: float, lines: bool, found: Searched, options: SearchOptions
) -> Searched:
    """The same in further worlds (or trees), until the time is up; what is not finished then is dropped."""
    threads = search.options.threads
    parts, number, count = [found], 1, threads
    while time.perf_counter() < deadline:
        more = search.search_worlds(batch, count, number, options, until=deadline, lines=lines)
        whole: npt.NDArray[np.bool_] = np.all(more.done, axis=0)
        if options.kind.simulates and options.endgame == 0:
            whole &= np.all(more.simulations >= options.simulations, axis=0)
        parts.append(more.only(whole))
        if not whole.all():
            break
        number, count = number + count, min(2 * count, AT_ONCE * threads)
    return parts[0].join(parts[1:])
