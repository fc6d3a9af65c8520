"""Games side by side: rows and runs of gates against the network with one word per literal, and against numpy."""

import random

import numpy as np
import pytest

from heartlab.compiled.jit import kernel
from heartlab.compiled.rows import FREQUENT, WIDTH, put_gates
from heartlab.ggp import load_game, make_machine, parse_game
from heartlab.ggp.machine.grounding import Budget
from heartlab.ggp.machine.lanes import advance_wide, make_values, put_all, settle_wide
from heartlab.ggp.machine.network import GOALS, MOVES, NEXT, TERMINAL
from heartlab.ggp.machine.simulate import clear, put_moves, put_state, settle
from heartlab.ggp.machine.wide import make_wide


@kernel
def evaluate(values, inputs, runs, first, end):
    put_gates(values, inputs, runs, first, end)


def test_runs_of_gates_of_every_shape():
    """Each gate is the conjunction of its inputs, the last of them negated, and all of it negated where asked for."""
    dice, rows = np.random.default_rng(1), 40
    shapes = [*FREQUENT, (1, 0), (0, 1), (5, 0), (0, 7), (3, 4), (9, 2), (0, 66), (0, 129), (70, 80)]
    runs, inputs, wanted = [(0, 0, 0, 0, 0, 0)], [], []
    values = np.zeros((rows + 4 * len(shapes), WIDTH), np.uint64)
    values[:rows] = dice.integers(0, 1 << 64, (rows, WIDTH), np.uint64)
    for number, (plain, negated) in enumerate(shapes):
        flipped = number % 2
        runs.append((rows + 4 * number, 4, len(inputs), plain, negated, flipped))
        for _ in range(4):
            own = dice.integers(0, rows, plain + negated).tolist()
            inputs += own
            parts = [values[row] for row in own[:plain]] + [~values[row] for row in own[plain:]]
            found = np.bitwise_and.reduce(parts)
            wanted.append(~found if flipped else found)
    evaluate(values, np.array(inputs, np.uint32), np.array(runs, np.int64), np.uint64(1), np.uint64(len(runs)))
    assert (values[rows:] == np.array(wanted)).all()


def check_rows(machine, turns, seed):
    """Play at random; in each state the rows say the same as the network with one word per literal."""
    net, wide = machine.network.net, make_wide(machine.network.net)
    rows, words, dice = make_values(wide), np.zeros(machine.network.literals, np.uint64), random.Random(seed)
    clear(words)
    state = machine.initial
    for _ in range(turns):
        put_all(wide, rows, machine.words(state))
        put_state(net, machine.words(state), words)
        for section in (TERMINAL, GOALS, MOVES):
            settle_wide(wide, rows, section)
            settle(net, words, section)
        asked = [(wide.terminal, net.terminal), *zip(wide.legal, net.legal, strict=True)]
        asked += zip(wide.goals[:, 2], net.goals[:, 2], strict=True)
        assert all((rows[row] == words[literal]).all() for row, literal in asked)
        if machine.is_terminal(state):
            state = machine.initial
            continue
        moves = [dice.choice(own) for own in machine.legal_moves(state)]
        numbers = [machine.move_number(player, move) for player, move in enumerate(moves)]
        put_moves(net, words, np.array(numbers, np.int64))
        rows[wide.first_move : wide.first_move + len(wide.legal)] = 0
        rows[[wide.first_move + number for number in numbers]] = ~np.uint64(0)
        settle(net, words, NEXT)
        settle_wide(wide, rows, NEXT)
        assert all((rows[row] == words[one]).all() for row, one in zip(wide.following, net.following, strict=True))
        advance_wide(wide, rows)
        state = machine.next(state, moves)
        assert (
            rows[1 : 1 + wide.bases, 0] & np.uint64(1)
            == [fact in machine.facts(state) for fact in machine.network.propositions]
        ).all()


@pytest.mark.parametrize("name", ["tictactoe", "nim", "connect4", "capturego", "breakthrough", "othello4"])
def test_rows_say_what_the_network_says(name):
    check_rows(load_game(name, "network"), 60, seed=4)


def test_sections_have_copies_of_their_own():
    """Goals are evaluated before the legal moves: a negation that both ask for must not be that of the last turn."""
    text = """(role p) (init (s 0)) (<= (next (s 1)) (true (s 0))) (<= (next (b)) (true (s 0)))
    (<= terminal (true (s 1))) (<= (legal p go) (not (true (b)))) (legal p stay)
    (<= (goal p 100) (not (true (b)))) (<= (goal p 0) (true (b))) (<= (next c) (not (true (b))))"""
    machine = make_machine(parse_game(text), "network")
    assert machine.playouts(machine.initial, 5, 1) == ([0], 5)
    check_rows(machine, 20, seed=1)


@pytest.mark.slow
def test_rows_of_a_large_game():
    check_rows(load_game("kinghunt", "network", Budget(seconds=1200)), 200, seed=5)
