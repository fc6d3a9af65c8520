"""The benchmarks of `heartlab bench`, each with a peer where there is one, measured alternately in one run.

The machine may be busy, so a result is the median over rounds in which both sides take turns, and the ratio is what
counts. All modules have the same shape: functions that return some `Work`, and below them the benchmarks, which yield a
`measure` or `measure_beside` of it. A benchmark registers itself with `@benchmark`; its name begins with what it
measures:

- `engine`: dealing and playing, sampled worlds;
- `search`, `pruning`: tree searches;
- `td`, `advice`, `falcon`, `whole-game` (module `whole_game`): the learners; `ggp`: general games and transfer;
- `envs`: the environments;
- `threads`: what a second thread brings at best (used by the others).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from statistics import median
from typing import Any

__all__ = ["BenchResult", "Work", "benchmark", "compare", "known_benchmarks", "measure", "measure_beside", "rate"]

MODULES = (
    "heartlab.bench.engine",
    "heartlab.bench.search",
    "heartlab.bench.pruning",
    "heartlab.bench.td",
    "heartlab.bench.advice",
    "heartlab.bench.falcon",
    "heartlab.bench.whole_game",
    "heartlab.bench.ggp",
    "heartlab.bench.envs",
)
NO_OPENSPIEL = "no peer: OpenSpiel is not installed (pip install 'heartlab[envs]')"
ROUNDS = 5
"""Rounds in which two kinds of work take turns."""


@dataclass(frozen=True)
class BenchResult:
    """One measured line: our rate in `unit` and, if there is a peer, its rate and the ratio.

    >>> BenchResult("engine.worlds", "worlds/s", 1, 2e6).to_dict()["ours"]
    2000000.0
    """

    name: str
    unit: str
    threads: int
    ours: float
    peer: str | None = None
    theirs: float | None = None
    ratio: float | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON."""
        return asdict(self)


Benchmark = Callable[[float], Iterator[BenchResult]]
"""Takes the seconds to spend per measurement and yields results."""
Work = Callable[[int], None]
"""Does the given number of units of work."""

_benchmarks: dict[str, Benchmark] = {}


def benchmark(name: str) -> Callable[[Benchmark], Benchmark]:
    """Register a benchmark under a name such as ``engine.random-deals``."""

    def add(function: Benchmark) -> Benchmark:
        _benchmarks[name] = function
        return function

    return add


def known_benchmarks() -> dict[str, Benchmark]:
    """All benchmarks by name."""
    for module in MODULES:
        import_module(module)
    return dict(_benchmarks)


def rate(work: Work, seconds: float, start: int = 16, clock: Callable[[], float] = time.perf_counter) -> float:
    """Units per second, measured over about the given time.

    :param start: units in the first attempt; the number grows until it takes long enough.
    :param clock: `time.process_time` gives units per second of processor time, which other programs disturb less.
    """
    count = start
    while True:
        begun = clock()
        work(count)
        taken = clock() - begun
        if taken >= 0.5 * seconds:
            return count / taken
        count = int(count * min(10.0, max(1.5, 0.8 * seconds / max(taken, 1e-6))))


def compare(ours: Work, theirs: Work, seconds: float, rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Median rates of two kinds of work that take turns, and the median of their ratios."""
    pairs = [(rate(ours, seconds / rounds), rate(theirs, seconds / rounds)) for _ in range(rounds)]
    return (
        median(pair[0] for pair in pairs),
        median(pair[1] for pair in pairs),
        median(pair[0] / pair[1] for pair in pairs),
    )


def measure(name: str, unit: str, work: Work, seconds: float, note: str = "", start: int = 16) -> BenchResult:
    """The rate of some work without a peer, on one thread."""
    return BenchResult(name, unit, 1, rate(work, seconds, start), note=note)


def measure_beside(
    name: str, unit: str, ours: Work, peer: str, theirs: Work, seconds: float, note: str = ""
) -> BenchResult:
    """The rates of our work and of a peer's, on one thread each."""
    our_rate, their_rate, ratio = compare(ours, theirs, seconds)
    return BenchResult(name, unit, 1, our_rate, peer, their_rate, ratio, note)


def measure_games(name: str, work: Work, seconds: float, note: str, start: int = 16) -> BenchResult:
    """Games per second: half of the time by wall clock, half by processor time, which goes into the note."""
    speed = rate(work, seconds / 2, start)
    busy = rate(work, seconds / 2, start, time.process_time)
    return BenchResult(name, "games/s", 1, speed, note=f"{note}; {busy:,.0f} per second of processor time")
