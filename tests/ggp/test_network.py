"""The network against the prover, its plain twin; playouts against each other; uniform choice; JIT on against off."""

import json
import random
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from support import run_file

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.machine import grounding, network, reach
from heartlab.ggp.machine.base import GameError
from heartlab.ggp.machine.choice import choose_wide, make_room
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.machine.gates import FALSE, TRUE, Gates
from heartlab.ggp.machine.grounding import Budget, GroundingFailed, MissingClingo
from heartlab.ggp.machine.lanes import LANES, make_values, put_all, settle_wide
from heartlab.ggp.machine.load import known_games, load_game, make_machine, read_game
from heartlab.ggp.machine.network import MOVES, TERMINAL, build_network
from heartlab.ggp.machine.wide import make_wide
from heartlab.ggp.players.tree import Tree

ATOMS = [f"(true {name})" for name in "abcd"] + [f"v{number}" for number in range(4)]
LITERALS = st.one_of(st.sampled_from(ATOMS), st.sampled_from(ATOMS[:4]).map(lambda atom: f"(not {atom})"))
DOES = st.sampled_from(["(does p m1)", "(does p m2)", "(does q n)", "(does q (n 2))", "(not (does p m1))"])


@st.composite
def small_games(draw):
    """Games over four facts with recursive views, two players, and random rules for everything."""
    rules = ["(role p) (role q) (legal p m1) (legal q n)", "(init a)"]
    for number in range(4):
        for _ in range(draw(st.integers(0, 3))):
            body = draw(st.lists(LITERALS, min_size=1, max_size=3))
            rules.append(f"(<= v{number} {' '.join(body)})")
    for head in ("(legal p m2)", "(legal q (n 2))", "terminal", "(goal p 70)", "(goal q 10)"):
        rules.append(f"(<= {head} {' '.join(draw(st.lists(LITERALS, min_size=1, max_size=3)))})")
    for name in "abcd":
        for _ in range(draw(st.integers(0, 2))):
            body = draw(st.lists(st.one_of(LITERALS, DOES), min_size=1, max_size=3))
            rules.append(f"(<= (next {name}) {' '.join(body)})")
    rules.append(f"(<= (sees p (view x)) {draw(DOES)} {draw(LITERALS)})")
    return "\n".join(rules)


@settings(max_examples=25, deadline=None)
@given(small_games(), st.integers(0, 2**32))
def test_network_and_prover_agree_on_random_games(text, seed):
    description = parse_game(text)
    network, prover = make_machine(description, "network"), make_machine(description, "prover")
    dice = random.Random(seed)
    state, twin = network.initial, prover.initial
    for _ in range(6):
        assert network.facts(state) == prover.facts(twin)
        assert network.is_terminal(state) == prover.is_terminal(twin)
        moves = network.legal_moves(state)
        assert moves == prover.legal_moves(twin)
        for player in (0, 1):
            assert network.goal_values(state, player) == prover.goal_values(twin, player)
        joint = [dice.choice(own) for own in moves]
        assert network.sees(state, joint, 0) == prover.sees(twin, joint, 0)
        state, twin = network.next(state, joint), prover.next(twin, joint)


@given(st.lists(st.frozensets(st.integers(2, 9), max_size=4), max_size=8))
def test_factoring_keeps_the_function(terms):
    gates = Gates(4)
    literal = gates.any_of_all(terms)
    for inputs in range(16):
        values = [False, True]
        for node in range(4):
            bit = bool(inputs >> node & 1)
            values += [bit, not bit]
        for left, right in gates.pairs:
            both = values[left] and values[right]
            values += [both, not both]
        assert values[literal] == any(all(values[one] for one in term) for term in terms)


def test_constants_vanish():
    gates = Gates(2)
    assert gates.any_of_all([]) == FALSE
    assert gates.any_of_all([frozenset()]) == TRUE
    assert gates.both(2, 3) == FALSE
    assert gates.both(2, TRUE) == 2
    assert gates.both(4, 2) == gates.both(2, 4)
    assert len(gates.pairs) == 1


@pytest.mark.slow  # the wide network compiles for long
@pytest.mark.parametrize("name", ["tictactoe", "capturego", "nim", "connect3", "othello4"])
def test_wide_and_scalar_playouts_have_the_same_mean(name):
    machine = load_game(name)
    many, few = 6000, 2000
    wide, ended = machine.playouts(machine.initial, many, seed=1)
    assert ended == many
    scalar, ended = machine.playouts(machine.initial, few, seed=2, wide=False)
    assert ended == few
    assert abs(wide[0] / many - scalar[0] / few) < 4 * 50 * (1 / many + 1 / few) ** 0.5
    assert sum(wide) == 100 * many
    assert sum(scalar) == 100 * few


def test_playouts_are_a_function_of_the_seed_and_start_anywhere():
    machine = load_game("tictactoe")
    assert machine.playouts(machine.initial, 300, 5) == machine.playouts(machine.initial, 300, 5)
    won = [("marked", "1", c, "x") for c in "12"] + [("marked", "2", c, "o") for c in "12"] + [("turn", "x")]
    state = machine.next(machine.state_of(frozenset(won)), [("mark", "1", "3"), "wait"])
    assert machine.playouts(state, 10, 1) == ([1000, 0], 10)


def test_endless_games_are_given_up():
    machine = make_machine(parse_game("(role p) (legal p go) (init a) (next a) (<= terminal (true b)) (goal p 0)"))
    assert machine.kind == "network"
    assert machine.playouts(machine.initial, 3, 1, max_steps=100) == ([0], 0)
    assert machine.playouts(machine.initial, 3, 1, wide=False, max_steps=100) == ([0], 0)
    with pytest.raises(GameError, match="did not end"):
        machine.playout(machine.initial, random.Random(1))


def test_a_move_is_drawn_uniformly_in_every_game():
    machine = load_game("tictactoe")
    net = make_wide(machine.network.net)
    values, room, rng = make_values(net), make_room(net.role_moves), np.array([3], np.uint64)
    state = machine.next(machine.initial, [("mark", "2", "2"), "wait"])
    counts = np.zeros((LANES, len(net.legal)), int)
    put_all(net, values, machine.words(state))
    settle_wide(net, values, TERMINAL)
    settle_wide(net, values, MOVES)
    rounds = 400
    for _ in range(rounds):
        choose_wide(net, values, rng, room)
        played = values[net.first_move : net.first_move + len(net.legal)]
        counts += np.unpackbits(played.view(np.uint8), axis=1, bitorder="little").T
    starts = net.role_moves
    assert (counts[:, : starts[1]].sum(axis=1) == rounds).all()
    own = counts[:, starts[1] :]
    assert (own.sum(axis=1) == rounds).all()
    possible = [number for number in range(own.shape[1]) if own[:, number].any()]
    assert len(possible) == 8
    assert chisquare(own[:, possible].sum(axis=0)).pvalue > 1e-4
    assert chisquare(own[:, possible].reshape(-1)).pvalue > 1e-4


# Budgets and fallbacks


def test_the_prover_takes_over_and_says_why():
    description = parse_game("(role p) (<= (legal ?p ?p) (role p)) (<= terminal (true a)) (goal p 0)", "odd")
    machine = make_machine(description)
    assert machine.kind == "prover"
    assert "unsafe" in machine.note
    with pytest.raises(GroundingFailed, match="unsafe"):
        make_machine(description, "network")
    with pytest.raises(GdlError, match="no machine is called"):
        make_machine(description, "quantum")


def chain(length):
    """A game whose counter is compared by recursion over all its steps."""
    steps = " ".join(f"(succ {number} {number + 1})" for number in range(length))
    less = "(<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))"
    return parse_game(
        f"(role p) {steps} {less} (init (at 0)) (<= (legal p go) (true (at ?n)) (less ?n {length}))"
        f"(<= (next (at {length})) (does p go)) (<= terminal (true (at {length}))) (goal p 100)",
        "chain",
    )


@pytest.mark.slow
def test_long_recursion_is_proved_and_endless_recursion_is_a_clear_error():
    for kind in ("prover", "network"):
        machine = make_machine(chain(400), kind)
        assert machine.playout(machine.initial, random.Random(1)) == [100]
    prover = make_machine(chain(5000), "prover")
    with pytest.raises(GameError, match="recurse too deeply"):
        prover.legal(prover.initial, 0)
    assert not prover.is_terminal(prover.initial)


def big_game():
    numbers = " ".join(f"(n {number})" for number in range(60))
    product = "(<= (legal p (go ?a ?b ?c ?d)) (n ?a) (n ?b) (n ?c) (n ?d))"
    return parse_game(f"(role p) {numbers} {product} (<= terminal (true x)) (goal p 0)")


def test_time_runs_out():
    with pytest.raises(GroundingFailed, match=r"within 0.5 seconds"):
        make_machine(big_game(), "network", Budget(seconds=0.5))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us limit another process's memory")
def test_memory_runs_out():
    with pytest.raises(GroundingFailed, match="within 70 megabytes"):
        make_machine(big_game(), "network", Budget(seconds=600, megabytes=70))


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(grounding.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingClingo, match=r"pip install 'heartlab\[ggp\]'"):
        grounding.ground(read_game("nim"))
    assert load_game("nim").kind == "network", "our own grounder needs no extra"


def test_both_grounders_ground_to_the_same_game():
    for name in ("tictactoe", "capturego", "nim", "connect3"):
        description = read_game(name)
        by_clingo = NetworkMachine(build_network(grounding.ground(description), description.roles), name)
        ours = make_machine(description, "network")
        assert ours.network.propositions == by_clingo.network.propositions
        assert ours.network.moves == by_clingo.network.moves
        state = ours.initial
        dice = random.Random(1)
        while not ours.is_terminal(state):
            assert state == by_clingo.state_of(ours.facts(state))
            moves = ours.legal_moves(state)
            assert moves == by_clingo.legal_moves(state)
            joint = [dice.choice(own) for own in moves]
            assert ours.next(state, joint) == by_clingo.next(state, joint)
            state = ours.next(state, joint)
        assert by_clingo.is_terminal(state)
        assert ours.goals(state) == by_clingo.goals(state)


def test_split_rules_ground_to_the_same_game(monkeypatch):
    description = parse_game(
        "(role p) (d 1) (d 2) (d 3) (init (on 1 2)) (legal p noop) (<= (legal p (go ?x ?y)) (d ?x) (d ?y))"
        "(<= (next (on ?x ?y)) (does p (go ?x ?y))) (<= (next (on ?x ?y)) (true (on ?x ?y)))"
        "(<= terminal (true (on ?a ?b)) (true (on ?b ?c)) (true (on ?c ?e)) (not (true (on ?e ?a))) (distinct ?c ?b))"
        "(goal p 50)"
    )
    whole = make_machine(description, "network")
    monkeypatch.setattr(reach, "WHOLE_RULES", 10)
    split = make_machine(description, "network")
    assert split.network.ground_rules < whole.network.ground_rules
    dice = random.Random(2)
    state = whole.initial
    for _ in range(30):
        assert whole.is_terminal(state) == split.is_terminal(state)
        joint = [dice.choice(whole.legal(state, 0))]
        assert whole.next(state, joint) == split.next(state, joint)
        state = whole.next(state, joint)


def test_large_blocks_are_put_in_order_part_by_part(monkeypatch):
    whole = load_game("othello4", "network")
    monkeypatch.setattr(network, "LARGE_BLOCK", 100)
    monkeypatch.setattr(network, "NEIGHBOURS", 8)
    parts = load_game("othello4", "network")
    assert (whole.network.net.pairs != parts.network.net.pairs).any()
    for seed in range(3):
        assert whole.playouts(whole.initial, 300, seed) == parts.playouts(parts.initial, 300, seed)
    assert whole.playouts(whole.initial, 20, 4, wide=False) == parts.playouts(parts.initial, 20, 4, wide=False)


def test_wrong_moves_and_facts_are_named():
    machine = load_game("nim")
    with pytest.raises(GameError, match=r"first never has the move \(leave z 1\)"):
        machine.next(machine.initial, [("leave", "z", "1"), "wait"])
    with pytest.raises(GameError, match="can never hold"):
        machine.state_of(frozenset({"nonsense"}))


# JIT off


def results():
    """What the kernels make of fixed seeds, in a form that can be compared across processes."""
    found = {}
    for name in ("tictactoe", "capturego", "breakthrough"):
        machine = load_game(name)
        found[name] = [
            machine.playouts(machine.initial, 300, 11, max_steps=50),
            machine.playouts(machine.initial, 5, 12, wide=False),
            sorted(map(str, machine.legal(machine.initial, 0))),
        ]
        tree = Tree(machine.network, positions=256)
        tree.search(machine.network.net.initial, 20, np.array([13], np.uint64))
        found[name].append(
            [tree.nodes.counts[: tree.nodes.used[1]].tolist(), tree.best(machine.network.net.initial, 0)[0]]
        )
    return found


@pytest.mark.slow
def test_compiled_and_plain_kernels_agree():
    assert json.loads(run_file(__file__, jit=False)) == json.loads(json.dumps(results()))


def test_known_games_are_listed_in_the_error():
    with pytest.raises(GdlError) as caught:
        load_game("chess")
    assert all(name in str(caught.value) for name in known_games())


if __name__ == "__main__":
    print(json.dumps(results()))
