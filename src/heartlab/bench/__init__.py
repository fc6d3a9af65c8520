"""Benchmarks behind `heartlab bench`: each measures us and, where there is one, a peer, turn by turn in one run.

The machine is shared and noisy, so a result is the median over rounds in which both sides took turns, and what counts
is the ratio. A benchmark registers itself with `@benchmark`; its name starts with the room that it measures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from statistics import median
from typing import Any

MODULES = (
    "heartlab.bench.engine",
    "heartlab.bench.search",
    "heartlab.bench.pruning",
    "heartlab.bench.td",
    "heartlab.bench.advice",
    "heartlab.bench.falcon",
    "heartlab.bench.ggp",
    "heartlab.bench.envs",
)


@dataclass(frozen=True)
class BenchResult:
    """One measured line: rates in `unit`, ours and the peer's; no peer means None."""

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


Work = Callable[[int], None]
"""Does so many units of work."""


def rate(work: Work, seconds: float, start: int = 16, clock: Callable[[], float] = time.perf_counter) -> float:
    """Units per second of some work, measured over about so many seconds.

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


def compare(ours: Work, theirs: Work, seconds: float, rounds: int = 5) -> tuple[float, float, float]:
    """Median rates of two kinds of work that take turns, and the median of their ratios."""
    pairs = [(rate(ours, seconds / rounds), rate(theirs, seconds / rounds)) for _ in range(rounds)]
    return (
        median(pair[0] for pair in pairs),
        median(pair[1] for pair in pairs),
        median(pair[0] / pair[1] for pair in pairs),
    )
