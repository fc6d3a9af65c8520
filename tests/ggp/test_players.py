"""The searching players: they see what is forced, keep to their clocks, and play every kind of game."""

import itertools
import random
import time

import numpy as np
import pytest

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.machine.load import load_game, make_machine
from heartlab.ggp.players.alphabeta import AlphaBeta
from heartlab.ggp.players.registry import make_game_player
from heartlab.ggp.players.tree import Tree

PENNIES = """
(role even) (role odd) (init start) (side heads) (side tails)
(<= (legal ?p ?s) (role ?p) (side ?s))
(<= (next same) (does even ?s) (does odd ?s))
(<= (next differ) (does even ?s) (does odd ?t) (distinct ?s ?t))
(<= terminal (not (true start)))
(<= (goal even 100) (true same)) (<= (goal odd 100) (true differ))
(<= (goal even 0) (not (true same))) (<= (goal odd 0) (not (true differ)))
"""


def marks(x, o, turn):
    """A tic-tac-toe position from two lists of points."""
    found = {("marked", *point, who) for who, points in (("x", x), ("o", o)) for point in points}
    return frozenset(found | {("turn", turn)})


def play(machine, specs, seed=0):
    """The goals of a match; players with limits of their own have all the time they need."""
    players = [make_game_player(spec, seed + number) for number, spec in enumerate(specs)]
    for number, player in enumerate(players):
        player.begin(machine, number, 1.0)
    state = machine.initial
    while not machine.is_terminal(state):
        state = machine.next(state, [player.choose(state, 600.0) for player in players])
    return machine.goals(state)


@pytest.mark.parametrize("kind", ["network", "prover"])
@pytest.mark.parametrize("spec", ["uct:sims=300", "alphabeta:depth=2"])
def test_wins_are_taken_and_losses_prevented(spec, kind):
    machine = load_game("tictactoe", kind)
    for position, number, move in (
        (marks(["11", "12"], ["21", "22"], "x"), 0, ("mark", "1", "3")),
        (marks(["11", "12", "31"], ["22", "21"], "o"), 1, ("mark", "2", "3")),
        (marks(["11", "12"], ["22"], "o"), 1, ("mark", "1", "3")),
    ):
        player = make_game_player(spec, 1)
        player.begin(machine, number, 1.0)
        assert player.choose(machine.state_of(position), 600.0) == move


def test_perfect_players_draw_tictactoe():
    machine = load_game("tictactoe")
    assert play(machine, ["alphabeta:depth=9", "alphabeta:depth=9"]) == [50, 50]


def test_alphabeta_knows_the_value_of_nim_positions():
    """A position of nim is lost for the side to move exactly if the heaps' sizes cancel out bit by bit."""
    machine = load_game("nim")
    for heaps in itertools.product(range(2), range(3), range(3), range(3)):
        balance = heaps[0] ^ heaps[1] ^ heaps[2] ^ heaps[3]
        facts = {("holds", name, str(size)) for name, size in zip("abcd", heaps, strict=True)} | {("turn", "first")}
        state = machine.state_of(frozenset(facts))
        if machine.is_terminal(state) or balance == 0:
            continue
        search = AlphaBeta(machine, 0, time.monotonic() + 600, random.Random(0))
        move = search.best_move(state, machine.legal(state, 0))
        after = dict(zip("abcd", heaps, strict=True)) | {move[1]: int(move[2])}
        assert after["a"] ^ after["b"] ^ after["c"] ^ after["d"] == 0


def test_uct_beats_random_play():
    machine = load_game("connect4")
    results = [play(machine, ["random", "uct:sims=200"], seed) for seed in range(0, 12, 2)]
    assert sum(goals[1] for goals in results) >= 500


@pytest.mark.parametrize("spec", ["uct:sims=500", "alphabeta", "random", "td"])
def test_simultaneous_moves_are_played(spec):
    machine = make_machine(parse_game(PENNIES))
    assert sorted(play(machine, [spec, "random"])) == [0, 100]


def test_more_than_two_players():
    text = """(role a) (role b) (role c) (init s) (bid 1) (bid 2) (<= (legal ?r ?n) (role ?r) (bid ?n))
    (<= (next (did ?r ?n)) (does ?r ?n)) (<= terminal (not (true s)))
    (<= (goal ?r 100) (true (did ?r 2))) (<= (goal ?r 0) (true (did ?r 1)))"""
    machine = make_machine(parse_game(text))
    assert play(machine, ["uct:sims=200", "alphabeta", "uct:sims=200"]) == [100, 100, 100]


def test_counts_add_up_in_the_tree():
    machine = load_game("tictactoe")
    tree, net = Tree(machine.network, positions=1 << 10), machine.network.net
    nodes = tree.nodes
    tree.search(net.initial, 500, np.array([1], np.uint64))
    first, last = nodes.starts[0, 0], nodes.starts[0, 1]
    assert nodes.counts[first:last].sum() == nodes.visits[0] == 500
    assert (nodes.sums[first:last] <= nodes.counts[first:last]).all()
    number, mean, tried = tree.best(net.initial, 0)
    assert tried == nodes.counts[first:last].max()
    assert 0.5 < mean < 1
    assert machine.move_of(0, number) in machine.legal(machine.initial, 0)
    tree.search(net.initial, 5000, np.array([2], np.uint64))
    assert nodes.used[0] <= 1 << 10, "a full tree goes on with playouts"
    tree.forget()
    assert tree.best(net.initial, 0)[2] == 0
