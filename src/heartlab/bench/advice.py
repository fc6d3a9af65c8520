"""How fast voters play and learn, in whole games per second on one thread.

There is no peer. Since the machine may be busy with other things, the note gives the rate per second of processor
time, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from heartlab.bench import BenchResult, Work, benchmark, rate
from heartlab.learners.advice.games import AdviceTable, Sitter, sitter
from heartlab.learners.advice.trainer import AdviceParameters, NetParameters, make_learner
from heartlab.learners.advice.vote import NET, TABULAR
from heartlab.learners.advice.vote_trainer import VoteParameters, VoteTrainer
from heartlab.rules import Rules

PORTION = 500


def _games(rules: str, sitters: list[Sitter]) -> Work:
    """Play games at one table, learning as it goes."""
    table = AdviceTable(Rules.parse(rules), sitters)
    table.play(1, "bench", 0, 2)

    def work(count: int) -> None:
        for first in range(0, count, PORTION):
            table.play(1, "bench", first, min(PORTION, count - first))

    return work


def _measure(name: str, work: Work, seconds: float, note: str) -> BenchResult:
    """Half of the time by the clock on the wall, half by that of the processor."""
    speed = rate(work, seconds / 2)
    busy = rate(work, seconds / 2, clock=time.process_time)
    return BenchResult(name, "games/s", 1, speed, note=f"{note}; {busy:,.0f} per second of processor time")


@benchmark("advice.table")
def bench_table(seconds: float) -> Iterator[BenchResult]:
    """A learning table with other players."""
    for names in ("random+random", "voting+random", "voting+voting"):
        learner = make_learner(TABULAR, AdviceParameters(), 1)
        work = _games("advice", [learner, *(sitter(name) for name in names.split("+"))])
        yield _measure("advice.table", work, seconds / 3, f"LEARNER-T learning, with {names}")


@benchmark("advice.voting")
def bench_voting(seconds: float) -> Iterator[BenchResult]:
    """Voting players only."""
    for advice in ("voting", "voting-all"):
        work = _games("advice", [sitter(advice)] * 3)
        yield _measure("advice.voting", work, seconds / 2, f"three {advice}")


@benchmark("advice.nets")
def bench_nets(seconds: float) -> Iterator[BenchResult]:
    """Three networks that learn from each other."""
    learners = [make_learner(NET, NetParameters(), 1, i) for i in range(3)]
    yield _measure("advice.nets", _games("advice", learners), seconds, "three LEARNER-N learning")


@benchmark("advice.vote")
def bench_vote(seconds: float) -> Iterator[BenchResult]:
    """Learning the vote by policy gradient, all pieces of advice."""
    for state in ("none", "play"):
        trainer = VoteTrainer(VoteParameters(state=state, test=0, batch=PORTION), 1)

        def work(count: int, trainer: VoteTrainer = trainer) -> None:
            for first in range(0, count, PORTION):
                trainer.step(first, min(PORTION, count - first))

        work(2)
        weights = "constant weights" if state == "none" else "weights by state"
        yield _measure("advice.vote", work, seconds / 2, f"{weights}, voting+random")
