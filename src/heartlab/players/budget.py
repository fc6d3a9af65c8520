"""A choice within a time budget: `ms=N` as a bound, whatever the search is asked for.

A search runs in compiled code, which knows no clock. But it gives up as soon as it has taken as many nodes (or
simulations) as its counters allow, and looks at them at every node: so a thread that watches the clock sets that limit
to zero when the time is over. What was not finished then is dropped: a choice takes as long as the budget says and
little more, the time for one node.

- Searches over an evaluator begin by looking one card ahead, then to the end of the trick, then trick after trick: as
  deep as the player is asked to look, or, if it sees all hands and is not asked, as deep as there is time for. Where
  the endgame could be solved that is tried in between.
- Trees are grown until they have their simulations, or the time is over.
- A closed player spends a quarter of its time at most on any try in its first world: what takes longer would leave it
  with fewer than four. Then it does in all further worlds what could be done in the first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from heartlab.kernel.layout import StateArray
from heartlab.players.base import Observations, OpenStates
from heartlab.search.maxn import LIMIT

if TYPE_CHECKING:
    from heartlab.players.search import SearchPlayer
    from heartlab.search.found import Searched

FEW_WORLDS = 4
"""A deeper search, or a larger tree, is worth it only if there is time for so many worlds."""
AT_ONCE = 64
"""Worlds that a thread searches in one go, at most."""


class Watch:
    """A thread that tells searches to give up when their time is over."""

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


def think_in_time(player: SearchPlayer, batch: Observations, deadline: float, lines: bool) -> Searched:
    """Search some rows until the time is over; they all get the same number of worlds."""
    alone = isinstance(batch, OpenStates) or player.kind == "ismcts"
    share = 1 if alone else FEW_WORLDS
    if player.simulates:
        found, spec = _grow(player, batch, deadline, share, lines)
    else:
        found, spec = _deepen(player, batch, deadline, share, lines)
        if isinstance(batch, OpenStates):
            return found
    return _repeat(player, batch, deadline, lines, found, spec)


def _part_of(deadline: float, share: int) -> float:
    """When a share of the time that is left will be over."""
    now = time.perf_counter()
    return now + (deadline - now) / share


def _grow(
    player: SearchPlayer, batch: Observations, deadline: float, share: int, lines: bool
) -> tuple[Searched, StateArray]:
    """The first tree, and the spec for as many simulations as it had; or the solution, if there is time for it."""
    spec = player.spec.copy()
    spec["endgame"] = 0
    found = player.search_numbers(batch, 0, 1, spec, _part_of(deadline, share), lines)
    spec["simulations"] = min(int(spec["simulations"][0]), int(found.simulations.min()))
    if player.solves(batch) and time.perf_counter() < deadline:
        solved = player.search_numbers(batch, 0, 1, player.spec, _part_of(deadline, FEW_WORLDS), lines)
        if solved.done.all():
            return solved, player.spec
    return found, spec


def _deepen(
    player: SearchPlayer, batch: Observations, deadline: float, share: int, lines: bool
) -> tuple[Searched, StateArray]:
    """The deepest search of the first world that there is time for, and its spec."""
    specs = _depths(player, batch)
    chosen = specs[0]
    found = player.search_numbers(batch, 0, 1, chosen, None, lines)
    for spec in specs[1:]:
        if time.perf_counter() >= deadline:
            break
        solving = bool(spec["endgame"][0])
        until = _part_of(deadline, FEW_WORLDS if solving else share)
        deeper = player.search_numbers(batch, 0, 1, spec, until, lines)
        if deeper.done.all():
            found, chosen = deeper, spec
        if deeper.done.all() == solving:
            break
    return found, chosen


def _depths(player: SearchPlayer, batch: Observations) -> list[StateArray]:
    """The specs of a search from one card to its full depth; the solution of an endgame comes after one trick."""
    asked = player.spec[0]
    cards = player.cards_left(batch)
    if asked["plies"]:
        depths = [(plies, 1) for plies in range(1, int(asked["plies"]) + 1)]
    else:
        most = cards if player.any_depth and isinstance(batch, OpenStates) else int(asked["tricks"]) or cards
        depths = [(1, 1), *((0, tricks) for tricks in range(1, min(most, cards) + 1))]
    specs = []
    for plies, tricks in depths:
        spec = player.spec.copy()
        spec["plies"], spec["tricks"], spec["endgame"] = plies, tricks, 0
        specs.append(spec)
    if player.solves(batch):
        specs.insert(2, player.spec)
    return specs


def _repeat(
    player: SearchPlayer, batch: Observations, deadline: float, lines: bool, found: Searched, spec: StateArray
) -> Searched:
    """The same in further worlds (or trees), until the time is over; what is not finished then is dropped."""
    parts, number, count = [found], 1, player.threads
    while time.perf_counter() < deadline:
        more = player.search_numbers(batch, number, count, spec, deadline, lines)
        whole: npt.NDArray[np.bool_] = np.all(more.done, axis=0)
        if player.simulates and not spec["endgame"][0]:
            whole &= np.all(more.simulations >= spec["simulations"][0], axis=0)
        parts.append(more.only(whole))
        if not whole.all():
            break
        number, count = number + count, min(2 * count, AT_ONCE * player.threads)
    return parts[0].join(parts[1:])
