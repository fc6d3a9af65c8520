"""What a second thread brings at best on this machine, as the yardstick for what it brings to us.

The second processor of a shared machine is seldom free. So benchmarks with two threads also report the ratio of a loop
that needs nothing but a processor, measured in the same run.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from heartlab.bench import BenchResult, Work, compare
from heartlab.compiled.jit import kernel

STEPS = 100_000
"""Steps of the loop per unit of work."""


@kernel
def _count(steps: int, value: int) -> int:
    for _ in range(steps):
        value = value * 6364136223846793005 + 1442695040888963407
    return value


def _loops(threads: int) -> Work:
    """The loop on some threads at once."""
    pool = ThreadPoolExecutor(threads)
    _count(1, 1)

    def work(count: int) -> None:
        list(pool.map(lambda _: _count(STEPS * count // threads, 1), range(threads)))

    return work


def compare_threads(name: str, unit: str, two: Work, one: Work, seconds: float) -> BenchResult:
    """Work on two threads beside the same work on one; the note has the ratio of the plain loop."""
    ours, theirs, ratio = compare(two, one, seconds, rounds=9)
    at_best = compare(_loops(2), _loops(1), seconds, rounds=9)[2]
    note = f"a loop that needs nothing but a processor: x{at_best:.2f}"
    return BenchResult(name, unit, 2, ours, "heartlab, one thread", theirs, ratio, note)
