"""Odd sheets and random ones: the prover, the network and a naive machine agree.

The first sheets are minimal versions of what once went wrong: rules that raised an exception, states and moves that
were missing, proofs that took for ever.
"""

import random
import sys

import pytest
from support.ggp_random import differences, random_game, walk_together
from support.ggp_rulesheets import EVERYDAY, FOLDER, SCALE, sheets
from support.ggp_twin import NaiveMachine

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.validate import errors
from heartlab.ggp.machine.grounding import GroundingFailed
from heartlab.ggp.machine.load import make_machine, read_game

_REST = "(role p) (legal p noop) (goal p 50) (<= terminal (true over)) "


def _deep(depth):
    return "(s " * depth + "z" + ")" * depth


SHEETS = {
    "nested or and not": _REST
    + """(d 1) (d 2) (d 3) (init (on 1)) (<= (next (on ?x)) (d ?x) (not (or (true (on ?x)) (not (or (e ?x) (f ?x))))))
        (e 2) (<= (f ?x) (d ?x) (not (not (e ?x)))) (<= (legal p (go ?x)) (d ?x) (not (not (not (e ?x)))))""",
    "an or in every branch": _REST
    + "(d 1) (d 2) (init (on 1)) (<= (legal p (go ?x)) (d ?x) "
    + "(or (true (on ?x)) (not (e ?x)) (or (d ?x) (distinct ?x 2))) " * 4
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
    "recursion over larger terms that another condition ends": _REST
    + """(d a) (d b) (d (f a)) (e (f a) b) (e b b) (init (at a)) (<= (v ?x) (v (f ?x)) (e (f ?x) ?z))
        (<= (v ?x) (true (at ?x))) (<= (v (f a)) (true (at a))) (<= (legal p (go ?x)) (v (f ?x)))
        (<= (next (at ?x)) (d ?x) (v ?x))""",
    "capitals": _REST
    + """(kind a Tall) (kind b tall) (init (at a)) (init (at b)) (<= (moves ?u) (kind ?u tall))
        (<= (next (at ?u)) (true (at ?u)) (moves ?u)) (<= (legal p (go ?X ?x)) (kind ?X tall) (kind ?x Tall))""",
    "a rule of many conditions": _REST
    + " ".join(f"(init (at {number}))" for number in range(200))
    + f"(<= (legal p all) {' '.join(f'(true (at {number}))' for number in range(200))})"
    + "(<= (next (at ?n)) (true (at ?n)) (not (does p all)))"
    + f"(<= (legal p (any ?x)) {' '.join(f'(e ?x) (d ?y{n})' for n in range(30))}) (d 1) (e a) (e b)",
}


@pytest.mark.parametrize("kind", ["prover", "network"])
@pytest.mark.parametrize("name", SHEETS)
def test_machines_agree_on_odd_sheets(name, kind):
    text = SHEETS[name]
    machine = make_machine(parse_game(text), kind)
    naive = NaiveMachine(text)
    for seed in range(2):
        assert differences(text, [machine], naive, random.Random(seed), steps=4) == []


def agree(first, wanted, kinds):
    """Compare machines on random games from a seed on, as many as are wanted; the next seed.

    A few random games build up terms without end: they have no network, which says so, and are not counted.
    """
    seed, compared = first, 0
    while compared < wanted:
        text = random_game(seed)
        description = parse_game(text)
        if all("only a sentence can be negated" in error.message for error in errors(description)):
            try:
                machines = [make_machine(description, kind) for kind in kinds]
            except GroundingFailed as reason:
                if "ever larger terms" not in str(reason):
                    raise
            else:
                found = differences(text, machines, NaiveMachine(text), random.Random(seed), steps=4)
                assert found == [], f"seed {seed}: {found}"
                compared += 1
        seed += 1
    return seed


def test_the_prover_is_right_about_random_games():
    agree(0, 25, ["prover"])


@pytest.mark.slow
def test_the_network_is_right_about_random_games():
    agree(40, 8, ["network"])


@pytest.mark.slow
def test_both_machines_are_right_about_many_random_games():
    agree(100, int(150 * SCALE), ["prover", "network"])


@pytest.mark.slow
@pytest.mark.parametrize("name", sheets(EVERYDAY))
def test_both_machines_agree_on_the_sheets_of_others(name):
    """Beyond the recorded traces: random walks with a seed of our own."""
    description = read_game(FOLDER / f"{name}.kif")
    machine = make_machine(description, "auto")
    if machine.kind == "prover":
        pytest.skip(machine.note)
    assert walk_together(machine, make_machine(description, "prover"), random.Random(7), int(6 * SCALE)) == []


if __name__ == "__main__":  # python tests/ggp/test_patterns.py 10000 1000: so many random games from a seed on
    wanted, first = map(int, sys.argv[1:])
    following = first
    for done in range(0, wanted, 100):  # broken off, it goes on with the rest of the games from the seed after the last
        following = agree(following, min(100, wanted - done), ["prover", "network"])
        print(f"{min(done + 100, wanted)} compared, seeds {first} to {following - 1}, no difference", flush=True)
