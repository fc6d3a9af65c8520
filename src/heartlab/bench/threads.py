"""What a second thread brings on this machine at best: the measure for what it brings to us.

A second processor of a shared machine is seldom a whole one. So the benchmarks with two threads say beside their own
ratio that of a loop that needs nothing but a processor, measured in the same run.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from heartlab.bench import BenchResult, Work, compare
from heartlab.compiled.jit import kernel

STEPS = 100_000
"""Steps of the loop that count as one unit of work."""


@kernel
def _count(steps: int, value: int) -> int:
    for _ in range(steps):
        value = value * 6364136223846793005 + 1442695040888963407
    return value


def _loops(threads: int) -> Work:
    pool = ThreadPoolExecutor(threads)
    _count(1, 1)

    def work(count: int) -> None:
        list(pool.map(lambda _: _count(STEPS * count // threads, 1), range(threads)))

    return work


def compare_threads(name: str, unit: str, two: Work, one: Work, seconds: float) -> BenchResult:
    """Some work on two threads beside the same on one, and the machine's own ratio."""
    ours, theirs, ratio = compare(two, one, seconds, rounds=9)
    at_best = compare(_loops(2), _loops(1), seconds, rounds=9)[2]
    note = f"a loop that needs nothing but a processor: x{at_best:.2f}"
    return BenchResult(name, unit, 2, ours, "heartlab, one thread", theirs, ratio, note)
