"""Forward dead reckoning against the dense network: the same playouts, turn by turn the same bits."""

import random

import numpy as np
import pytest
from support.ggp_random import random_game
from support.ggp_rulesheets import EVERYDAY, FOLDER, PATIENT, sheets

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.machine import compiled, trial
from heartlab.ggp.machine.grounding import GroundingFailed
from heartlab.ggp.machine.load import load_game, make_machine
from heartlab.ggp.machine.plan import FIRST_NODE, FIRST_WORD, GUARD, Shape, make_plan
from heartlab.ggp.machine.reckon import begin, go_to, holds, play, playouts_reckoned, settle_goals
from heartlab.ggp.machine.simulate import playouts_scalar

CYCLES = """(role p) (role q) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 1) (n 1) (n 2) (n 3)
(<= (legal ?r (go ?x)) (role ?r) (n ?x)) (<= (next (at ?x)) (does ?r (go ?x)))
(<= (next (wall ?x)) (true (wall ?x)) (not (does q (go ?x)))) (<= (next (wall ?x)) (does p (go ?x)) (does q (go ?x)))
(<= (reach ?x) (true (at ?x)) (not (true (wall ?x))))
(<= (reach ?y) (reach ?x) (succ ?x ?y) (not (true (wall ?y))))
(<= (next seen) (reach 3)) (<= (legal p stay) (reach 2)) (<= terminal (not (reach 1)) (not (reach 2)))
(<= (goal p 100) (reach 3)) (<= (goal p 0) (not (reach 3))) (<= (goal q 30) (true (wall ?x))) (goal q 0)"""


def dense(machine, count, seed, max_steps):
    net, totals = machine.network.net, np.zeros(len(machine.roles), np.int64)
    values, rng = np.zeros(machine.network.literals, np.uint64), np.array([seed], np.uint64)
    ended = playouts_scalar(net, net.initial, count, max_steps, rng, values, totals)
    return totals.tolist(), ended


def reckoned(machine, count, seed, max_steps):
    totals, rng = np.zeros(len(machine.roles), np.int64), np.array([seed], np.uint64)
    words = machine.words(machine.initial)
    ended = playouts_reckoned(*machine.reckoning(), words, count, max_steps, rng, totals)
    return totals.tolist(), ended


@pytest.mark.parametrize("name", ["tictactoe", "capturego", "nim", "connect4", "othello4", "breakthrough8"])
def test_playouts_are_those_of_the_dense_network(name):
    machine = load_game(name, "network", PATIENT)
    assert reckoned(machine, 40, 5, 2000) == dense(machine, 40, 5, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kinghunt", "othello6", "capturego-suicide"])
def test_longer_playouts_are_those_of_the_dense_network(name):
    machine = load_game(name, "network", PATIENT)
    assert reckoned(machine, 40, 6, 2000) == dense(machine, 40, 6, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("name", sheets(EVERYDAY))
def test_the_sheets_of_others_are_played_as_by_the_dense_network(name):
    try:
        machine = load_game(FOLDER / f"{name}.kif", "network", PATIENT)
    except GroundingFailed as reason:
        if "unsafe" not in str(reason):
            raise
        pytest.skip(str(reason))
    assert reckoned(machine, 10, 7, 60) == dense(machine, 10, 7, 60)


class Reckoned:
    """A board that is asked as a machine is."""

    def __init__(self, machine):
        self.machine, self.roles, self.kind = machine, machine.roles, "reckoning"
        self.plan, self.board = make_plan(machine.network.net)
        begin(self.plan, self.board)

    def enter(self, state):
        plan, board = self.plan, self.board
        go_to(plan.wires, plan.dense, plan.shape, board.cells, board.words, self.machine.words(state), 0)

    def is_terminal(self):
        return holds(self.board.cells, self.plan.shape[Shape.TERMINAL])

    def legal(self, player):
        """The legal moves of a role, by its bits and its guard."""
        row, plan = self.plan.roles[player], self.plan
        side = int(holds(self.board.cells, row[GUARD]))
        found = []
        for number, move in enumerate(self.machine.network.moves[player]):
            word = row[FIRST_WORD] + number // 64
            if int(self.board.words[word] & plan.masks[side, word]) >> (number % 64) & 1:
                found.append(move)
        return found

    def goals(self):
        rewards = np.zeros(len(self.roles), np.int64)
        settle_goals(self.plan.dense, self.plan.shape, self.board.cells, self.plan.goals, rewards)
        return rewards.tolist()

    def next(self, joint):
        plan, board = self.plan, self.board
        nodes = [
            plan.roles[player, FIRST_NODE] + self.machine.network.moves[player].index(move)
            for player, move in enumerate(joint)
        ]
        play(plan.wires, plan.dense, plan.shape, board.cells, board.words, np.array(nodes, np.int64))
        first, size = plan.shape[Shape.NEXT_WORD], plan.shape[Shape.STATE_WORDS]
        return board.words[first + size : first + 2 * size].tobytes()


def compare(text, seed, steps=12):
    """Walk at random, jump back now and then, and compare everything with the network."""
    machine = make_machine(parse_game(text), "network")
    reckoned, dice = Reckoned(machine), random.Random(seed)
    state, seen = machine.initial, [machine.initial]
    reckoned.enter(state)
    for _ in range(steps):
        assert reckoned.is_terminal() == machine.is_terminal(state)
        legal = [machine.legal(state, player) for player in range(len(machine.roles))]
        assert [reckoned.legal(player) for player in range(len(machine.roles))] == legal
        values = [machine.goal_values(state, player) for player in range(len(machine.roles))]
        for goal, possible in zip(reckoned.goals(), values, strict=True):
            assert goal in (possible or [0])
        if dice.random() < 0.2 or not all(legal):
            state = dice.choice(seen)
            reckoned.enter(state)
            continue
        joint = [dice.choice(own) for own in legal]
        state = machine.next(state, joint)
        assert reckoned.next(joint) == state
        seen.append(state)


def test_random_games_are_reckoned_rightly():
    for seed in range(300, 312):
        compare(random_game(seed), seed)


@pytest.mark.slow
def test_many_random_games_are_reckoned_rightly():
    without_end = []
    for seed in range(1000, 1300):
        try:
            compare(random_game(seed), seed)
        except GroundingFailed as error:
            without_end.append(str(error))
    assert len(without_end) < 15
    assert all("ever larger terms" in reason for reason in without_end)


def test_cycles_are_evaluated_anew():
    for seed in range(10):
        compare(CYCLES, seed, steps=40)


def test_a_turn_touches_what_it_changes():
    """The guard takes whose turn it is out of the moves: no node feeds more than a few gates of a large game."""
    plan, _ = make_plan(load_game("breakthrough8", "network", PATIENT).network.net)
    nodes = int(plan.wires[0]) - 1
    assert np.diff(plan.wires[: nodes + 1]).max() < 20
    assert (plan.masks[0] != plan.masks[1]).any()


@pytest.mark.parametrize(("costs", "reckons"), [((1.0, 3.0), True), ((3.0, 1.0), False)])
def test_one_game_at_a_time_is_played_in_the_faster_way(costs, reckons, monkeypatch):
    """Counted, not timed: every playout takes as many ticks as its way costs. The playouts are the same in both."""
    ticks, ways = [0.0], []

    def counting(way, run, cost):
        def play_some(*args):
            ticks[0] += cost
            ways.append(way)
            return run(*args)

        return play_some

    decide = trial.is_faster
    monkeypatch.setattr(compiled, "is_faster", lambda one, other: decide(one, other, lambda: ticks[0]))
    for way, cost in zip(("playouts_reckoned", "playouts_scalar"), costs, strict=True):
        monkeypatch.setattr(compiled, way, counting(way, getattr(compiled, way), cost))
    machine = load_game("capturego", "network")
    state = machine.next(machine.initial, [moves[0] for moves in machine.legal_moves(machine.initial)])
    asked = machine.legal(state, 1)
    assert machine.reckons == reckons
    ways.clear()
    assert machine.playouts(machine.initial, 30, 5, wide=False) == dense(machine, 30, 5, 2000)
    twin = machine.fork()
    twin.playouts(machine.initial, 1, 5, wide=False)
    assert ways == ["playouts_reckoned" if reckons else "playouts_scalar"] * 2, "a fork does not measure again"
    assert machine.legal(state, 1) == asked
