"""Playing and learning by advice: games per second on one thread. There is no peer."""

from __future__ import annotations

from collections.abc import Iterator

from heartlab.bench import BenchResult, Work, benchmark, measure_games
from heartlab.learners.advice.games import AdviceTable, Sitter, sitter
from heartlab.learners.advice.trainer import AdviceParameters, NetParameters, make_learner
from heartlab.learners.advice.vote import NET, TABULAR
from heartlab.learners.advice.vote_trainer import VoteParameters, VoteTrainer
from heartlab.rules import Rules

PORTION = 500
"""Games per call."""


def _games(rules: str, sitters: list[Sitter]) -> Work:
    """Games of fixed players, some of which may learn."""
    table = AdviceTable(Rules.parse(rules), sitters)
    table.play(1, "bench", 0, 2)

    def work(count: int) -> None:
        for first in range(0, count, PORTION):
            table.play(1, "bench", first, min(PORTION, count - first))

    return work


def _vote(state: str) -> Work:
    """Training games of the vote, with constant weights (`none`) or weights that depend on the state (`play`)."""
    trainer = VoteTrainer(VoteParameters(state=state, test=0, batch=PORTION), 1)

    def work(count: int) -> None:
        for first in range(0, count, PORTION):
            trainer.step(first, min(PORTION, count - first))

    work(2)
    return work


@benchmark("advice.table")
def bench_table(seconds: float) -> Iterator[BenchResult]:
    """LEARNER-T, whose weights are in a lookup table, with other players."""
    for names in ("random+random", "voting+random", "voting+voting"):
        learner = make_learner(TABULAR, AdviceParameters(), 1)
        work = _games("advice", [learner, *(sitter(name) for name in names.split("+"))])
        yield measure_games("advice.table", work, seconds / 3, f"LEARNER-T learning, with {names}")


@benchmark("advice.voting")
def bench_voting(seconds: float) -> Iterator[BenchResult]:
    """Voting players only."""
    for advice in ("voting", "voting-all"):
        work = _games("advice", [sitter(advice)] * 3)
        yield measure_games("advice.voting", work, seconds / 2, f"three {advice}")


@benchmark("advice.nets")
def bench_nets(seconds: float) -> Iterator[BenchResult]:
    """Three LEARNER-N, networks that learn together."""
    learners = [make_learner(NET, NetParameters(), 1, i) for i in range(3)]
    yield measure_games("advice.nets", _games("advice", learners), seconds, "three LEARNER-N learning")


@benchmark("advice.vote")
def bench_vote(seconds: float) -> Iterator[BenchResult]:
    """Learning the vote by policy gradient, all pieces of advice."""
    for state, weights in (("none", "constant weights"), ("play", "weights by state")):
        yield measure_games("advice.vote", _vote(state), seconds / 2, f"{weights}, voting+random")
