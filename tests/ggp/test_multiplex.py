"""What moves carry with them: fewer ground rules, which say the same wherever a role makes at most one move."""

import random
from itertools import product

import pytest

from heartlab.ggp import load_game, make_machine, parse_game, read_game
from heartlab.ggp.machine import network
from heartlab.ggp.machine.grounding import Budget, GroundGame
from heartlab.ggp.machine.multiplex import share_moves


def ground_game(named, rules):
    """Atoms are numbered by name: facts f..., moves m..., next n...; others are only numbers from 100 on."""
    kinds = {"f": lambda name: ("true", name), "m": lambda name: ("does", "p", name), "n": lambda name: ("next", name)}
    return GroundGame(rules, {kinds[name[0]](name): number for name, number in named.items()})


def holds(game, inputs):
    """Everything that holds, where some inputs do: rounds until nothing is new (negation is of inputs only)."""
    found = set(inputs)
    while True:
        new = {head for head, body in game.rules if all((one > 0) == (abs(one) in found) for one in body)} - found
        if not new:
            return found
        found |= new


def random_rules(dice, facts, moves, following):
    """Rules for the next state like those of a chess-like game, with some that do not fit in."""
    kind = {move: dice.sample(facts, 2) for move in moves}
    rules = []
    for head in following:
        for move in dice.sample(moves, dice.randint(1, len(moves))):
            rest = [kind[move][dice.randrange(2)] if dice.random() < 0.2 else kind[move][0]]
            if dice.random() < 0.2:
                rest.append(-dice.choice(facts))
            rules.append((head, [move, *rest]))
        if dice.random() < 0.3:
            rules.append((head, [dice.choice(facts)]))
    return rules


@pytest.mark.parametrize("seed", range(40))
def test_the_same_holds_after_every_move(seed):
    dice = random.Random(seed)
    facts, moves, following = range(1, 7), range(11, 23), range(31, 43)
    names = {f"f{n}": n for n in facts} | {f"m{n}": n for n in moves} | {f"n{n}": n for n in following}
    game = ground_game(names, random_rules(dice, list(facts), list(moves), list(following)))
    shared = share_moves(game)
    for move, state in product([None, *moves], product((False, True), repeat=len(facts))):
        inputs = {fact for fact, is_true in zip(facts, state, strict=True) if is_true} | ({move} - {None})
        assert holds(game, inputs) & set(names.values()) == holds(shared, inputs) & set(names.values())


def test_a_chess_like_game_has_fewer_rules():
    """Ten squares, four kinds: a rule for each kind and pair of squares becomes one for each kind and square."""
    squares, kinds = range(10), range(4)
    names = {f"m{a}-{b}": 100 + 10 * a + b for a in squares for b in squares if a != b}
    names |= {f"f{k}-{a}": 300 + 10 * k + a for k in kinds for a in squares}
    names |= {f"n{k}-{a}": 400 + 10 * k + a for k in kinds for a in squares}
    rules = [
        (names[f"n{k}-{b}"], [names[f"m{a}-{b}"], names[f"f{k}-{a}"]])
        for k in kinds
        for a in squares
        for b in squares
        if a != b
    ]
    shared = share_moves(ground_game(names, rules))
    assert len(rules) == 360
    assert len(shared.rules) == 2 * 90 + 4 * (10 + 10)


def test_games_that_gain_nothing_stay_as_they_are():
    game = ground_game({"f1": 1, "m1": 2, "m2": 3, "n1": 4}, [(4, [2, 1]), (4, [3, -1])])
    assert share_moves(game) is game


def test_playouts_are_those_of_the_plain_rules(monkeypatch):
    """A game with two kinds of piece, which go anywhere, and a move that carries none."""
    text = """(role p) (at 1) (at 2) (at 3) (at 4) (at 5) (at 6) (kind a) (kind b) (init (cell 1 a)) (init (cell 4 b))
    (init (step 0)) (<= (legal p (go ?x ?y)) (true (cell ?x ?k)) (at ?y) (distinct ?x ?y)) (legal p wait)
    (<= (next (cell ?y ?k)) (does p (go ?x ?y)) (true (cell ?x ?k)))
    (<= (next (cell ?x ?k)) (true (cell ?x ?k)) (not (gone ?x))) (<= (gone ?x) (does p (go ?x ?y)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= terminal (true (step 4))) (<= (goal p 100) (true (cell 6 b))) (<= (goal p 0) (not (true (cell 6 b))))"""
    description, results = parse_game(text, "carry"), []
    shared = make_machine(description, "network")
    monkeypatch.setattr(network, "share_moves", lambda game: game)
    plain = make_machine(description, "network")
    assert len(shared.network.net.pairs) < len(plain.network.net.pairs)
    for machine in (shared, plain):
        results.append([machine.playouts(machine.initial, 700, 3, wide) for wide in (True, False)])
    assert results[0] == results[1]


@pytest.mark.slow
def test_the_large_chess_like_game(monkeypatch):
    patient = Budget(seconds=1200)
    shared = load_game("kinghunt", "network", patient)
    monkeypatch.setattr(network, "share_moves", lambda game: game)
    plain = make_machine(read_game("kinghunt"), "network", patient)
    assert 2 * len(shared.network.net.pairs) < len(plain.network.net.pairs)
    for seed in range(3):
        assert shared.playouts(shared.initial, 300, seed) == plain.playouts(plain.initial, 300, seed)
