"""Odd sheets and random ones: the prover, the network and a naive machine agree.

The first sheets are minimal versions of what once went wrong: rules that raised an exception, states and moves that
were missing, proofs that took for ever.
"""

import random

import pytest
from support.ggp_random import differences, random_game
from support.ggp_twin import NaiveMachine

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.validate import errors
from heartlab.ggp.machine.load import make_machine

_REST = "(role p) (legal p noop) (goal p 50) (<= terminal (true over)) "


def _deep(depth):
    return "(s " * depth + "z" + ")" * depth


SHEETS = {
    "nested or and not": _REST
    + """(d 1) (d 2) (d 3) (init (on 1)) (<= (next (on ?x)) (d ?x) (not (or (true (on ?x)) (not (or (e ?x) (f ?x))))))
        (e 2) (<= (f ?x) (d ?x) (not (not (e ?x)))) (<= (legal p (go ?x)) (d ?x) (not (not (not (e ?x)))))""",
    "an or in every branch": _REST
    + "(d 1) (d 2) (init (on 1)) (<= (legal p (go ?x)) (d ?x) "
    + "(or (true (on ?x)) (not (e ?x)) (or (d ?x) (distinct ?x 2))) " * 8
    + ")",
    "numbers as results and as functions": _REST
    + """(+ 0 0 0) (+ 0 1 1) (+ 1 0 1) (+ 1 1 2) (+ 2 0 2) (- 0 0 0) (- 1 0 1) (- 1 1 0) (- 2 1 1) (- 2 0 2)
        (init (health a 2)) (init (1 (2 3))) (<= (hurt a 1) (does p (hit a))) (<= (hurt a 0) (not (does p (hit a))))
        (<= (legal p (hit ?u)) (true (health ?u ?h)) (distinct ?h 0))
        (<= (next (health ?u ?n)) (true (health ?u ?h)) (hurt ?u ?d) (- ?h ?d ?n))
        (<= (next (7 3)) (true (1 (2 3))))""",
    "rules for true": _REST
    + """(init (at 1)) (step 1 2) (step 2 3) (<= (true (seen ?x)) (true (at ?x)))
        (<= (true (seen ?y)) (true (seen ?x)) (step ?x ?y)) (<= (legal p (go ?x)) (true (seen ?x)))
        (<= (next (at ?x)) (does p (go ?x))) (<= (does p rest) (does p noop)) (<= (next rested) (does p rest))""",
    "everybody depends on everybody": _REST
    + "".join(f"(d {number}) " for number in range(9))
    + "(<= (v ?x) (d ?x) (v ?y) (d ?y)) (<= (v 0) (true never)) (<= (legal p (go ?x)) (v ?x))",
    "a term that nests deeply": _REST
    + f"(init (n {_deep(300)})) (<= (next (n ?x)) (true (n (s ?x)))) (<= (legal p (say ?x)) (true (n (s (s ?x)))))",
    "a term with 961 parts": _REST
    + f"(init (board {'b ' * 961})) (<= (next (board {'q ' * 961})) "
    + f"(true (board {' '.join(f'?x{n}' for n in range(961))})))",
    "capitals": _REST
    + """(kind a Tall) (kind b tall) (init (at a)) (init (at b)) (<= (moves ?u) (kind ?u tall))
        (<= (next (at ?u)) (true (at ?u)) (moves ?u)) (<= (legal p (go ?X ?x)) (kind ?X tall) (kind ?x Tall))""",
    "a rule of many conditions": _REST
    + " ".join(f"(init (at {number}))" for number in range(200))
    + f"(<= (legal p all) {' '.join(f'(true (at {number}))' for number in range(200))})"
    + "(<= (next (at ?n)) (true (at ?n)) (not (does p all)))"
    + f"(<= (legal p (any ?x)) {' '.join(f'(true (at ?x)) (d ?y{n})' for n in range(30))}) (d 1)",
}


@pytest.mark.parametrize("kind", ["prover", "network"])
@pytest.mark.parametrize("name", SHEETS)
def test_machines_agree_on_odd_sheets(name, kind):
    text = SHEETS[name]
    machine = make_machine(parse_game(text), kind)
    naive = NaiveMachine(text)
    for seed in range(2):
        assert differences(text, [machine], naive, random.Random(seed), steps=4) == []


def agree(seeds, kinds):
    """Compare machines on random games; how many were compared."""
    compared = 0
    for seed in seeds:
        text = random_game(seed)
        description = parse_game(text)
        if any("only a sentence can be negated" not in error.message for error in errors(description)):
            continue
        machines = [make_machine(description, kind) for kind in kinds]
        assert differences(text, machines, NaiveMachine(text), random.Random(seed), steps=4) == []
        compared += 1
    return compared


def test_the_prover_is_right_about_random_games():
    assert agree(range(40), ["prover"]) > 20


def test_the_network_is_right_about_random_games():
    assert agree(range(40, 52), ["network"]) > 6


@pytest.mark.slow
def test_both_machines_are_right_about_many_random_games():
    assert agree(range(100, 600), ["prover", "network"]) > 300
