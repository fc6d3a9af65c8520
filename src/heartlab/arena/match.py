"""Playing a match: the same deals in every seat arrangement, many rows of a table at once.

A *unit* is what is repeated: a deal, or a game to the score limit. Every unit is played once per arrangement, and all
numbers are kept per unit, so that intervals come from independent values and a match can stop after any unit. Results
depend on (seed, unit, arrangement) alone: not on threads, not on the size of a batch.
"""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from heartlab.arena.results import MatchResult, join
from heartlab.arena.resume import Keeper, rest_of
from heartlab.arena.rows import FinishedDeals, Match, MatchRows
from heartlab.game import game_is_over
from heartlab.kernel.layout import NOBODY, SEATS
from heartlab.util.executor import Executor, LocalExecutor, Task
from heartlab.util.interrupts import interrupt_held
from heartlab.util.statistics import FloatArray, estimate

ROWS_PER_BATCH = 4096
"""The most rows that are in play together in one thread."""
SECONDS_PER_BATCH = 1.0
"""What a batch should take, so that progress shows and an interrupt is answered soon."""
CHECK_EVERY = 50
"""A sequential stop is decided only after multiples of so many units, whatever the batch size."""
MAX_DEALS_PER_GAME = 1000
"""A game that is not over by then is given up: nobody has won it."""


DealListener = Callable[[FinishedDeals], None]


def _share_of_wins(points: npt.NDArray[np.int64], seatings: npt.NDArray[np.int64], kinds: int) -> FloatArray:
    """[rows, kinds]: one win per row, split among the seats with the fewest points."""
    best = points == points.min(axis=1, keepdims=True)
    credit = best / best.sum(axis=1, keepdims=True)
    return np.stack([(credit * (seatings == kind)).sum(axis=1) for kind in range(kinds)], axis=1)


def _per_kind(values: FloatArray, seatings: npt.NDArray[np.int64], kinds: int) -> FloatArray:
    """[rows, kinds]: sum of per-seat values over the seats of each kind."""
    return np.stack([(values * (seatings == kind)).sum(axis=1) for kind in range(kinds)], axis=1)


def _play_batch(match: Match, units: npt.NDArray[np.int64]) -> tuple[MatchResult, list[FinishedDeals]]:
    """Play some units in all arrangements and sum up each unit."""
    started = time.perf_counter()
    table = MatchRows(match, units)
    kinds, rows = len(table.kinds), len(table.units)
    seats = _per_kind(np.ones(table.seatings.shape), table.seatings, kinds)
    sums = {name: np.zeros((rows, kinds)) for name in ("points", "moons", "conceded", "deals_won")}
    totals = np.zeros((rows, SEATS), np.int64)
    played = np.zeros(rows, np.int64)
    finished: list[FinishedDeals] = []
    active = np.arange(rows)
    while len(active):
        numbers = played[active] if match.games else table.units[active]
        deals = table.play_deals(active, numbers, totals[active] if match.games else np.zeros((rows, SEATS), np.int64))
        finished.append(deals)
        shot = (deals.shooters[:, None] == np.arange(match.rules.players)).astype(np.float64)
        suffered = (1.0 - shot) * (deals.shooters != NOBODY)[:, None]
        sums["points"][active] += _per_kind(deals.points.astype(np.float64), deals.seatings, kinds)
        sums["moons"][active] += _per_kind(shot, deals.seatings, kinds)
        sums["conceded"][active] += _per_kind(suffered, deals.seatings, kinds)
        sums["deals_won"][active] += _share_of_wins(deals.points, deals.seatings, kinds)
        totals[active, : match.rules.players] += deals.points
        played[active] += 1
        if not match.games:
            break
        n = match.rules.players
        over = np.array([game_is_over(match.rules, totals[row, :n].tolist(), int(played[row])) for row in active])
        active = active[~over & (played[active] < MAX_DEALS_PER_GAME)]

    def by_unit(values: FloatArray) -> FloatArray:
        return np.asarray(values.reshape(len(units), -1, kinds).sum(axis=1))

    seat_deals = by_unit(seats * played[:, None])
    n = match.rules.players
    finals = _per_kind(totals[:, :n].astype(np.float64), table.seatings, kinds)
    ended = np.array([not match.games or game_is_over(match.rules, totals[row, :n].tolist(), int(played[row]))
                      for row in range(rows)])  # fmt: skip
    won = _share_of_wins(totals[:, :n], table.seatings, kinds) * ended[:, None]
    result = MatchResult(
        match,
        points=by_unit(sums["points"]) / seat_deals,
        finals=by_unit(finals) / by_unit(seats),
        won=by_unit(won) / (rows // len(units)),
        deals_won=by_unit(sums["deals_won"]) / played.reshape(len(units), -1).sum(axis=1, keepdims=True),
        moons=by_unit(sums["moons"]) / seat_deals,
        conceded=by_unit(sums["conceded"]) / seat_deals,
        forfeits=table.tally.forfeits.reshape(len(units), -1, kinds).sum(axis=1),
        decisions=table.tally.decisions.reshape(len(units), -1, kinds).sum(axis=1),
        played=played.reshape(len(units), -1).sum(axis=1),
        unfinished=(~ended).reshape(len(units), -1).sum(axis=1),
        thinking=table.tally.thinking,
        illegal=table.tally.illegal,
        seconds=time.perf_counter() - started,
    )
    return result, finished


class _SequentialStop:
    """Finds the first multiple of CHECK_EVERY units after which the standard error is small enough.

    Every unit is looked at once: mean and sum of squares run along, block by block, and only when they come near the
    goal the error is worked out as the report does it.
    """

    def __init__(self, until_se: float) -> None:
        self.until_se = until_se
        self._seen: list[FloatArray] = []
        self._rest = np.zeros(0)
        self._count, self._mean, self._squares = 0, 0.0, 0.0

    def after(self, points: FloatArray) -> int | None:
        """Where the match stops, given the points of the next units; None if it goes on."""
        values = points[:, 0] - points[:, 1] if points.shape[1] > 1 else points[:, 0]
        self._seen.append(values)
        self._rest = np.concatenate([self._rest, values])
        while len(self._rest) >= CHECK_EVERY:
            self._add(self._rest[:CHECK_EVERY])
            self._rest = self._rest[CHECK_EVERY:]
            if self._count >= 2 * CHECK_EVERY and self._is_near():
                if estimate(np.concatenate(self._seen)[: self._count]).se <= self.until_se:
                    return self._count
        return None

    def _add(self, block: FloatArray) -> None:
        total = self._count + len(block)
        shift = float(block.mean()) - self._mean
        self._squares += float(block.var()) * len(block) + shift * shift * self._count * len(block) / total
        self._mean += shift * len(block) / total
        self._count = total

    def _is_near(self) -> bool:
        se = math.sqrt(self._squares / (self._count - 1) / self._count)
        return se <= self.until_se * (1.0 + 1e-9) + 1e-12


def run_match(
    match: Match,
    *,
    threads: int | None = None,
    batch: int | None = None,
    until_se: float | None = None,
    progress: Callable[[int], None] | None = None,
    listener: DealListener | None = None,
    keep: Path | None = None,
    executor: Executor | None = None,
) -> MatchResult:
    """Play a match. An interrupt (Ctrl-C) ends it early with what was measured so far.

    The first illegal card and the first illegal pass of each player are told on standard error.

    :param threads: table rows are spread over so many threads; default: one per core.
    :param batch: units per batch, by default as many as take about a second; the result does not depend on it.
    :param until_se: stop once the standard error of the first difference (or mean) is that small.
    :param progress: called with the number of units finished.
    :param listener: called with the finished deals of each batch, in order; never with more than the result counts.
    :param keep: a file in which the match is kept while it is played; if it is there already, the match goes on.
    :param executor: where batches are played, instead of on threads; the result does not depend on it.
    """
    started = time.perf_counter()
    keeper = Keeper(keep, match) if keep else None
    before = keeper.load() if keeper else None
    parts: list[MatchResult] = [before] if before else []
    earlier = before.seconds if before else 0.0
    interrupted = False
    told: set[tuple[int, str]] = set()
    goal = _SequentialStop(until_se) if until_se is not None else None
    stop = goal.after(before.points[: match.units]) if before and goal else None
    left = rest_of(match, before.units if before else 0)
    end = match.units

    def so_far() -> MatchResult:
        result = join(match, parts)
        result.seconds = earlier + time.perf_counter() - started
        return result

    place = executor or LocalExecutor(threads)
    try:
        for result, finished in _batches(left, batch, place) if stop is None else ():
            with interrupt_held():  # what is counted is also told, written and kept
                parts.append(result)
                _tell_illegal(match, result, told)
                stop = goal.after(result.points) if goal else None
                end = match.units if stop is None else stop
                if listener:
                    listener(FinishedDeals.in_order(finished, match.first + end))
                if progress:
                    progress(min(end, sum(part.units for part in parts)))
                if keeper and keeper.is_due:
                    keeper.save(so_far())
            if stop is not None:
                break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if executor is None:
            place.close()
    result = so_far()
    result.interrupted = interrupted
    if keeper and (before is None or result.units > before.units):
        keeper.save(result)
        result.not_kept = keeper.failure
    return result.first_units(match.units if stop is None else stop)


def _tell_illegal(match: Match, result: MatchResult, told: set[tuple[int, str]]) -> None:
    """Say what was illegal in a batch, as far as the like was not told before."""
    for (kind, what), reason in result.illegal.items():
        if (kind, what) not in told:
            told.add((kind, what))
            print(f"heartlab: {match.kinds[kind].name}: illegal {what}: {reason}; such choices are forfeited",
                  file=sys.stderr)  # fmt: skip


def _batches(match: Match, batch: int | None, place: Executor) -> Iterator[tuple[MatchResult, list[FinishedDeals]]]:
    """Results batch by batch, in order. Without a given size, batches grow or shrink to about a second each."""
    most = max(1, ROWS_PER_BATCH // len(match.seatings))
    size = batch or 1
    start = match.first
    end = match.first + match.units
    pending: deque[Task] = deque()
    try:
        while start < end or pending:
            while start < end and len(pending) <= place.workers:
                stop = min(start + size, end)
                pending.append(place.submit(_play_batch, match, np.arange(start, stop)))
                start = stop
            result, finished = pending.popleft().result()
            if batch is None:
                per_unit = max(result.seconds / result.units, 1e-6)
                size = min(most, 4 * result.units, max(1, int(SECONDS_PER_BATCH / per_unit)))
            yield result, finished
    finally:
        for task in pending:
            task.cancel()
