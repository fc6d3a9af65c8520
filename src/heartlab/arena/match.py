"""Playing a match: the same deals in every seat arrangement, many rows of a table at once.

A *unit* is a deal, or a game to the score limit. Every unit is played once per arrangement, and all results are stored
per unit, so that intervals come from independent values and a match can stop after any unit. Results depend only on
(seed, unit, arrangement), not on the number of threads or the batch size.
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
"""Upper limit of rows per batch."""
SECONDS_PER_BATCH = 1.0
"""Target duration of a batch: short enough for progress reports and for Ctrl-C."""
CHECK_EVERY = 50
"""The stopping rule of `until_se` is evaluated after multiples of this many units, whatever the batch size."""
MAX_DEALS_PER_GAME = 1000
"""A game that is not over by then is abandoned and counts as won by nobody."""


DealListener = Callable[[FinishedDeals], None]
"""Called with the finished deals of each batch."""


def _share_of_wins(points: npt.NDArray[np.int64], seatings: npt.NDArray[np.int64], kinds: int) -> FloatArray:
    """[rows, kinds]: one win per row, shared by the seats with the fewest points."""
    best = points == points.min(axis=1, keepdims=True)
    credit = best / best.sum(axis=1, keepdims=True)
    return np.stack([(credit * (seatings == kind)).sum(axis=1) for kind in range(kinds)], axis=1)


def _per_kind(values: FloatArray, seatings: npt.NDArray[np.int64], kinds: int) -> FloatArray:
    """[rows, kinds]: sum of per-seat values over the seats of each kind."""
    return np.stack([(values * (seatings == kind)).sum(axis=1) for kind in range(kinds)], axis=1)


def _play_batch(match: Match, units: npt.NDArray[np.int64]) -> tuple[MatchResult, list[FinishedDeals]]:
    """Play some units in all arrangements; the results per unit, and the deals."""
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
    """Finds the first multiple of CHECK_EVERY units at which the standard error is small enough.

    Mean and sum of squares are updated block by block (Chan et al.), so that every unit is read once. Only when that
    running error is close to the limit, the error is computed exactly as the report does.
    """

    def __init__(self, until_se: float) -> None:
        self.until_se = until_se
        self._seen: list[FloatArray] = []
        self._rest = np.zeros(0)
        self._count, self._mean, self._squares = 0, 0.0, 0.0

    def after(self, points: FloatArray) -> int | None:
        """The unit at which the match stops, given the points of the next units; None if it continues."""
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


class _Course:
    """A match while it is played: the results so far, and where it stops."""

    def __init__(self, match: Match, until_se: float | None, keep: Path | None) -> None:
        self._started = time.perf_counter()
        self.match = match
        self._keeper = Keeper(keep, match) if keep else None
        self._before = self._keeper.load() if self._keeper else None
        self._parts: list[MatchResult] = [self._before] if self._before else []
        self._goal = _SequentialStop(until_se) if until_se is not None else None
        self._warned: set[tuple[int, str]] = set()
        self.stop: int | None = None
        """The unit at which the match stops early."""
        if self._goal and self._before:
            self.stop = self._goal.after(self._before.points[: match.units])
        self.left = rest_of(match, self.units)
        """What is to be played."""
        self.interrupted = False

    @property
    def units(self) -> int:
        """The number of units played."""
        return sum(part.units for part in self._parts)

    @property
    def end(self) -> int:
        """The number of units that count."""
        return self.match.units if self.stop is None else self.stop

    def add(self, result: MatchResult) -> None:
        """Count a batch, and see whether the match stops in it."""
        self._parts.append(result)
        self._warn_of_illegal(result)
        self.stop = self._goal.after(result.points) if self._goal else None

    def save_if_due(self) -> None:
        """Save the match, if it is kept and some time has passed."""
        if self._keeper and self._keeper.is_due:
            self._keeper.save(self._so_far())

    def result(self) -> MatchResult:
        """The results of the units that count; the match is saved with all of them."""
        result = self._so_far()
        result.interrupted = self.interrupted
        if self._keeper and (self._before is None or result.units > self._before.units):
            self._keeper.save(result)
            result.not_kept = self._keeper.failure
        return result.first_units(self.end)

    def _so_far(self) -> MatchResult:
        result = join(self.match, self._parts)
        earlier = self._before.seconds if self._before else 0.0
        result.seconds = earlier + time.perf_counter() - self._started
        return result

    def _warn_of_illegal(self, result: MatchResult) -> None:
        """Warn of illegal answers, once per player and kind of answer."""
        for (kind, what), reason in result.illegal.items():
            if (kind, what) not in self._warned:
                self._warned.add((kind, what))
                name = self.match.kinds[kind].name
                print(f"heartlab: {name}: illegal {what}: {reason}; such choices are forfeited", file=sys.stderr)


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

    The first illegal card and the first illegal pass of each player are reported on standard error.

    >>> from heartlab import Rules, make_player
    >>> match = Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), units=20, seed=1)
    >>> result = run_match(match, threads=1)
    >>> bool(result.points[:, 0].mean() < result.points[:, 1].mean())
    True

    :param threads: number of threads for the batches; default: one per core.
    :param batch: units per batch; default: as many as take about a second. The result does not depend on it.
    :param until_se: stop once the standard error of the difference of the first two players (of the mean, if there is
        only one) is at most this.
    :param progress: called with the number of units finished.
    :param listener: called with the finished deals of each batch, in order; exactly those that the result counts.
    :param keep: a file in which the match is saved while it is played; if it exists, the match continues from there.
    :param executor: runs the batches instead of local threads; the result does not depend on it.
    :raises KeepError: if the file of `keep` holds something else than this match.
    :raises PlayerFailure: if a player raises an error or gives an answer that is not a card.
    """
    course = _Course(match, until_se, keep)
    place = executor or LocalExecutor(threads)
    try:
        for result, finished in _batches(course.left, batch, place) if course.stop is None else ():
            with interrupt_held():  # a batch that counts is also reported, recorded and saved
                course.add(result)
                if listener:
                    listener(FinishedDeals.in_order(finished, match.first + course.end))
                if progress:
                    progress(min(course.end, course.units))
                course.save_if_due()
            if course.stop is not None:
                break
    except KeyboardInterrupt:
        course.interrupted = True
    finally:
        if executor is None:
            place.close()
    return course.result()


def _batches(match: Match, batch: int | None, place: Executor) -> Iterator[tuple[MatchResult, list[FinishedDeals]]]:
    """The results of all batches, in order. Without a given size, it is adapted to SECONDS_PER_BATCH."""
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
