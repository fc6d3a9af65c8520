"""Networks over conjunctions: evaluation, training and memory.

The peer of evaluation is a straightforward NumPy version: all conjunctions as arrays of indices into a vector of atomic
features, one AND per order, one dot product. It gets the atomic features; ours computes them from the cards.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from heartlab.bench import BenchResult, Work, benchmark, measure, measure_beside
from heartlab.compiled.jit import kernel
from heartlab.deal import Deal
from heartlab.kernel.layout import SEATS, STATE, StateArray
from heartlab.learners.td_features.conjunctions import Conjunctions
from heartlab.learners.td_features.features import CARD_ATOMS
from heartlab.learners.td_features.network import CHANGE, Network
from heartlab.learners.td_features.trainer import Partners, TdParameters, TdTrainer

POSITIONS = 256


def _positions() -> tuple[StateArray, StateArray]:
    """Rules, and states between two tricks, reached by random play."""
    states = np.zeros(POSITIONS, STATE)
    dice = np.random.default_rng(1)
    deal = Deal("seed-queen")
    for number in range(POSITIONS):
        deal = Deal("seed-queen", seed=number)
        for _ in range(4 * int(dice.integers(0, 8))):
            deal.play(int(dice.choice(sorted(deal.legal))))
        states[number] = deal._states[0]
    return deal._compiled, states


@kernel
def _evaluate_all(rules, states, function, floats, ints, scratch, out, passes, fresh) -> None:  # type: ignore[no-untyped-def]
    """Evaluate all states repeatedly; `fresh` discards the cached sums after each pass."""
    for _ in range(passes):
        for i in range(len(states)):
            function(rules[0], states[i], 0, floats, ints, scratch, out)
        if fresh:
            scratch.view(np.uint64)[CHANGE] += np.uint64(1)


def _ours(orders: tuple[int, ...], fresh: bool) -> Work:
    """Values of all four seats by the compiled network; the unit is the value of one seat."""
    chosen = Conjunctions.exhaustive(CARD_ATOMS, orders)
    weights = np.random.default_rng(1).normal(0, 0.01, len(chosen)).astype(np.float32)
    judge = Network(chosen, weights).evaluator()
    rules, states = _positions()
    memory, out = judge.scratch(), np.zeros(SEATS)

    def work(count: int) -> None:
        passes = -(-count // (4 * POSITIONS))
        _evaluate_all(rules, states, judge.function, judge.floats, judge.ints, memory, out, passes, fresh)

    work(1)
    return work


def _numpy(orders: tuple[int, ...]) -> Work:
    """The same values by index arrays and dot products."""
    network = Network(Conjunctions.exhaustive(CARD_ATOMS, [1]))
    rules, states = _positions()
    masks = np.zeros((POSITIONS, SEATS, 2), np.uint64)
    for state, rows in zip(states, masks, strict=True):
        network.extract(rules[0], state, rows)
    words = masks[:, :4, 0].reshape(-1)
    atoms = (words[:, None] >> np.arange(60, dtype=np.uint64) & np.uint64(1)).astype(bool)
    members = [np.array(list(combinations(range(60), order))).T for order in orders]
    dice = np.random.default_rng(1)
    weights = [dice.normal(0, 0.01, comb(60, order)).astype(np.float32) for order in orders]

    def work(count: int) -> None:
        for number in range(count):
            active = atoms[number % len(atoms)]
            value = 0.0
            for indices, weight in zip(members, weights, strict=True):
                value += float(np.logical_and.reduce(active[indices]) @ weight)

    return work


@benchmark("td.evaluations")
def bench_evaluations(seconds: float) -> Iterator[BenchResult]:
    """Values of seats per second beside NumPy, with new states and with states whose sums are cached."""
    for orders in ((1, 3), (1, 2, 3, 4)):
        name, unit, note = "td.evaluations", "values/s", f"orders {','.join(map(str, orders))}"
        fresh, cached = _ours(orders, True), _ours(orders, False)
        yield measure_beside(name, unit, fresh, "numpy", _numpy(orders), seconds / 2, f"{note}, each state new")
        yield measure(name, unit, cached, seconds / 4, f"{note}, states met before", 4 * POSITIONS)


def _training(orders: str, partners: Partners) -> Work:
    """Training deals of the Q♠ task."""
    views = 1 if partners is Partners.EXPERT else 4
    trainer = TdTrainer("queen", TdParameters(orders=orders, partners=partners, views=views), 1)
    done = 0

    def work(count: int) -> None:
        nonlocal done
        trainer.step(done, count)
        done += count

    work(100)
    return work


@benchmark("td.training")
def bench_training(seconds: float) -> Iterator[BenchResult]:
    """Training deals per second: order four against order three, with expert partners and in self-play."""
    for partners in Partners:
        four, three = _training("1,2,3,4", partners), _training("1,3", partners)
        note = f"four-wise, partners={partners}"
        yield measure_beside("td.training", "deals/s", four, "heartlab, triples", three, seconds, note)


MEMORY = """
import resource
from pathlib import Path
from heartlab.learners.td_features.trainer import TdParameters, TdTrainer
def peak():
    status = Path("/proc/self/status")  # on Linux getrusage would begin with what the parent process had
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
TdTrainer("queen", TdParameters(orders="1", partners="expert", views=1), 1).step(0, 1000)
small = peak()
trainer = TdTrainer("queen", TdParameters(partners="expert", views=1), 1)
trainer.step(0, 1000)
trainer.model()
print(small, peak())
"""
"""Run in a new process, so that the peak is that of training alone."""


@benchmark("td.memory")
def bench_memory(seconds: float) -> Iterator[BenchResult]:
    """Peak memory of training: order four against order one, whose network is tiny."""
    if sys.platform == "win32":
        return
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    small, peak = (int(number) / unit for number in done.stdout.split())
    note = "peak of a process that trains up to order four; the peer is Python, the libraries and compiled code"
    yield BenchResult("td.memory", "MiB", 1, peak, "order one", small, peak / small, note)
