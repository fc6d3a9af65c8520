"""General games: playouts of the compiled network and of the prover, cost by size of the rules, and learning."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from heartlab.bench import BenchResult, Work, benchmark, measure, measure_beside
from heartlab.ggp.machine.base import Machine
from heartlab.ggp.machine.compiled import MAX_STEPS, NetworkMachine
from heartlab.ggp.machine.lanes import LANES
from heartlab.ggp.machine.load import known_games, load_game
from heartlab.ggp.machine.simulate import playouts_scalar
from heartlab.learners.transfer.discovery import learn_features
from heartlab.learners.transfer.models import FeatureModel
from heartlab.learners.transfer.settings import Learner, Opponent, Reading, Settings
from heartlab.learners.transfer.trainer import TurnGame, learn

CHUNK = 1 << 20
"""Playouts per call."""
RUN = 3000
"""Matches per learning run."""
GAMES = ("tictactoe", "connect4")
RECKONED = ("connect4", "othello6", "breakthrough8", "kinghunt", "capturego")
LEARNERS = (
    (Learner.BASELINE, Reading.LITERAL),
    (Learner.TRANSFER, Reading.TERMINAL_CHECK),
    (Learner.TRANSFER, Reading.LOOK_UP),
)


def _playouts(machine: NetworkMachine, wide: bool) -> Work:
    """Random playouts over the network; `wide`: 256 side by side."""
    seeds = iter(range(1 << 62))

    def work(count: int) -> None:
        for first in range(0, count, CHUNK):
            machine.playouts(machine.initial, min(CHUNK, count - first), next(seeds), wide)

    work(16)
    return work


def _batches(work: Work) -> Work:
    """As many games at once as there are lanes; in fewer games some would be idle."""
    return lambda count: work(LANES * count)


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


def _learning(game: TurnGame, learner: Learner, reading: Reading, model: FeatureModel) -> Work:
    """Learning matches, in runs of RUN."""
    settings = Settings(learner, reading, Opponent.EPS_GREEDY)
    runs = iter(range(1 << 62))

    def work(count: int) -> None:
        for first in range(0, count, RUN):
            learn(game, settings, min(RUN, count - first), run=next(runs), model=model)

    work(1)
    return work


@benchmark("ggp.playouts")
def bench_playouts(seconds: float) -> Iterator[BenchResult]:
    """256 playouts side by side against one at a time, and one at a time against the prover."""
    for game in GAMES:
        machine = _network(game)
        wide, scalar = _playouts(machine, wide=True), _playouts(machine, wide=False)
        peer, note = "our network, one game at a time", f"{game}, batched"
        yield measure_beside("ggp.playouts", "playouts/s", wide, peer, scalar, seconds, note)
        prover, note = _proofs(load_game(game, "prover")), f"{game}, one at a time"
        yield measure_beside("ggp.playouts", "playouts/s", scalar, "our prover", prover, seconds, note)


def _dense(machine: NetworkMachine) -> Work:
    """Random playouts one at a time that evaluate every gate in every turn."""
    net, seeds = machine.network.net, iter(range(1 << 62))
    values, totals = np.zeros(machine.network.literals, np.uint64), np.zeros(len(machine.roles), np.int64)

    def work(count: int) -> None:
        playouts_scalar(net, net.initial, count, MAX_STEPS, np.array([next(seeds)], np.uint64), values, totals)

    work(1)
    return work


@benchmark("ggp.reckoning")
def bench_reckoning(seconds: float) -> Iterator[BenchResult]:
    """One game at a time, in the way that a trial chose, against all gates in every turn."""
    for game in RECKONED:
        machine = _network(game)
        note = f"{game}: {len(machine.network.net.pairs)} gates"
        ours, dense = _playouts(machine, wide=False), _dense(machine)
        yield measure_beside("ggp.reckoning", "playouts/s", ours, "every gate in every turn", dense, seconds / 4, note)


@benchmark("ggp.lanes")
def bench_lanes(seconds: float) -> Iterator[BenchResult]:
    """256 games side by side, every gate in every turn, against one game at a time by what a move changes."""
    for game in RECKONED:
        machine = _network(game)
        note = f"{game}: {len(machine.network.net.pairs)} gates, {len(machine.network.net.legal)} moves"
        wide, single = (_batches(_playouts(machine, way)) for way in (True, False))
        yield measure_beside("ggp.lanes", f"{LANES} playouts/s", wide, "one game at a time", single, seconds / 4, note)


@benchmark("ggp.cost")
def bench_cost(seconds: float) -> Iterator[BenchResult]:
    """Playouts per second of every game of ours, by its number of ground rules."""
    machines = sorted((_network(name) for name in known_games()), key=lambda one: one.network.ground_rules)
    for machine in machines:
        network = machine.network
        note = f"{machine.name}: {network.ground_rules} ground rules, {len(network.net.pairs)} gates"
        yield measure("ggp.cost", "playouts/s", _playouts(machine, wide=True), seconds / len(machines), note, 256)


@benchmark("ggp.learning")
def bench_learning(seconds: float) -> Iterator[BenchResult]:
    """Learning matches in Connect-3 on 5x5: the baseline, and transfer from Tic-tac-toe in two readings."""
    source, target = TurnGame(_network("tictactoe")), TurnGame(_network("connect3"))
    model = learn_features(source, (Opponent.EPS_GREEDY,))
    for learner, reading in LEARNERS:
        work = _learning(target, learner, reading, model)
        note = f"connect3, {learner.text}, {reading.text}, runs of {RUN}"
        yield measure("ggp.learning", "matches/s", work, seconds / 3, note, RUN)
