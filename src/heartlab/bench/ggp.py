"""How fast general games run: many playouts at once, one at a time, and by proving; and what ground rules cost."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from heartlab.bench import BenchResult, Work, benchmark, compare, rate
from heartlab.ggp.machine.base import Machine
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.machine.grounding import MissingClingo
from heartlab.ggp.machine.load import known_games, load_game
from heartlab.learners.transfer.discovery import learn_features
from heartlab.learners.transfer.settings import Learner, Opponent, Reading, Settings
from heartlab.learners.transfer.trainer import TurnGame, learn

CHUNK = 1 << 20
RUN = 3000
GAMES = ("tictactoe", "connect4")
LEARNERS = (
    (Learner.BASELINE, Reading.LITERAL),
    (Learner.TRANSFER, Reading.TERMINAL_CHECK),
    (Learner.TRANSFER, Reading.LOOK_UP),
)


def _playouts(machine: NetworkMachine, wide: bool) -> Work:
    """Random playouts over the network, from the start of the game."""
    seeds = iter(range(1 << 62))

    def work(count: int) -> None:
        for first in range(0, count, CHUNK):
            machine.playouts(machine.initial, min(CHUNK, count - first), next(seeds), wide)

    work(16)
    return work


def _proofs(machine: Machine) -> Work:
    """Random playouts by the prover."""
    dice = random.Random(1)

    def work(count: int) -> None:
        for _ in range(count):
            machine.playout(machine.initial, dice)

    work(1)
    return work


def _network(name: str) -> NetworkMachine:
    machine = load_game(name, "network")
    assert isinstance(machine, NetworkMachine)
    return machine


@benchmark("ggp.playouts")
def bench_playouts(seconds: float) -> Iterator[BenchResult]:
    """256 games side by side beside one at a time, and one at a time beside the prover."""
    for game in GAMES:
        try:
            machine = _network(game)
        except MissingClingo as missing:
            speed = rate(_proofs(load_game(game, "prover")), seconds, 1)
            yield BenchResult("ggp.playouts", "playouts/s", 1, speed, note=f"{game}, by the prover: {missing}")
            continue
        wide, scalar = _playouts(machine, wide=True), _playouts(machine, wide=False)
        ours, theirs, ratio = compare(wide, scalar, seconds)
        yield BenchResult(
            "ggp.playouts", "playouts/s", 1, ours, "our network, one game at a time", theirs, ratio, f"{game}, batched"
        )
        prover = _proofs(load_game(game, "prover"))
        ours, theirs, ratio = compare(scalar, prover, seconds)
        yield BenchResult("ggp.playouts", "playouts/s", 1, ours, "our prover", theirs, ratio, f"{game}, one at a time")


@benchmark("ggp.cost")
def bench_cost(seconds: float) -> Iterator[BenchResult]:
    """The curve of cost against size: steps per second of every game of ours, by its number of ground rules."""
    try:
        machines = sorted((_network(name) for name in known_games()), key=lambda one: one.network.ground_rules)
    except MissingClingo:
        return
    for machine in machines:
        speed = rate(_playouts(machine, wide=True), seconds / len(machines), 256)
        network = machine.network
        note = f"{machine.name}: {network.ground_rules} ground rules, {len(network.net.pairs)} gates"
        yield BenchResult("ggp.cost", "playouts/s", 1, speed, note=note)


@benchmark("ggp.learning")
def bench_learning(seconds: float) -> Iterator[BenchResult]:
    """Learning matches in Connect-3 on 5x5: the baseline, and transfer that looks up every candidate move."""
    try:
        source, target = TurnGame(_network("tictactoe")), TurnGame(_network("connect3"))
    except MissingClingo:
        return
    model = learn_features(source, (Opponent.EPS_GREEDY,))
    for learner, reading in LEARNERS:
        settings = Settings(learner, reading, Opponent.EPS_GREEDY)

        def work(count: int, settings: Settings = settings, runs: Iterator[int] = itertools.count()) -> None:  # noqa: B008
            for first in range(0, count, RUN):
                learn(target, settings, min(RUN, count - first), run=next(runs), model=model)

        work(1)
        speed = rate(work, seconds / 3, RUN)
        yield BenchResult(
            "ggp.learning", "matches/s", 1, speed, note=f"connect3, {learner.text}, {reading.text}, runs of {RUN}"
        )
