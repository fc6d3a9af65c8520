"""Partly grounded games: whatever is left to the prover, the two machines together agree with the prover alone."""

import json
import random
import sys

import pytest
from support.ggp_random import differences, random_game, walk_together
from support.ggp_rulesheets import EVERYDAY, FOLDER, SCALE, SHEETS, sheets
from support.ggp_twin import NaiveMachine

from heartlab.ggp.gdl.normal import normalise
from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.gdl.validate import errors
from heartlab.ggp.machine.base import GameError
from heartlab.ggp.machine.describe import describe
from heartlab.ggp.machine.grounding import Budget, GroundingFailed
from heartlab.ggp.machine.load import make_machine, read_game, split_machine
from heartlab.ggp.machine.parts import LEGAL, FactsOf, Parts
from heartlab.ggp.protocol.manager import Clocks, Manager
from heartlab.ggp.protocol.matches import play_matches

NUMBERS = " ".join(f"(n {number})" for number in range(20))
GAME = f"""(role p) (role q) {NUMBERS} (init (at 0)) (init (turn p)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 0)
(<= (legal ?r (go ?x)) (true (turn ?r)) (true (at ?y)) (succ ?y ?x)) (<= (legal ?r stay) (true (turn ?r)))
(<= (legal p wait) (true (turn q))) (<= (legal q wait) (true (turn p)))
(<= (next (turn q)) (true (turn p))) (<= (next (turn p)) (true (turn q)))
(<= (next (at ?x)) (does ?r (go ?x))) (<= (next (at ?x)) (true (at ?x)) (does ?r stay))
(<= (next (been ?x)) (true (at ?x))) (<= (next (been ?x)) (true (been ?x)))
(<= (sees p (moved ?x)) (does q (go ?x)))
(<= terminal (true (at 3)) (true (been 2))) (<= (goal p 100) (true (at 3))) (<= (goal p 0) (not (true (at 3))))
(goal q 50) """
FAR = "(<= (far ?a ?b ?c) (n ?a) (n ?b) (n ?c) (true (at 3))) (<= (goal q 10) (far ?a ?b ?c) (distinct ?a ?b))"
WIDE = "(<= (sees q (view ?a ?b ?c)) (n ?a) (n ?b) (n ?c) (does p stay))"

ENDLESS = f"""{GAME} (init (count z)) (<= (next (count (s ?n))) (true (count ?n)))
(<= terminal (true (count (s (s (s z))))))"""


def some_parts(parts, dice):
    """A few parts that may be left to the prover."""
    return dice.sample(sorted(parts.changing, key=repr), dice.randint(1, min(3, len(parts.changing))))


def split_at_random(description, dice, budget=Budget()):  # noqa: B008
    """A machine of which a random part is left to the prover, with what cannot be grounded."""
    left = some_parts(Parts(normalise(description)), dice)
    while True:
        try:
            return split_machine(description, left, budget)
        except GroundingFailed as reason:
            if reason.blamed is None or reason.blamed in left:
                raise
            left.append(reason.blamed)


@pytest.mark.parametrize("name", ["tictactoe", "nim", "connect3", "capturego", "breakthrough"])
def test_any_part_may_be_left_to_the_prover(name):
    description, dice = read_game(name), random.Random(name)
    prover = make_machine(description, "prover")
    for _ in range(5):
        assert walk_together(split_at_random(description, dice), prover, dice, 12) == []


@pytest.mark.parametrize("part", sorted(Parts(normalise(parse_game(GAME))).changing, key=repr))
def test_each_part_alone(part):
    description, dice = parse_game(GAME), random.Random(3)
    machine, prover = split_machine(description, [part]), make_machine(description, "prover")
    assert walk_together(machine, prover, dice, 40) == []
    assert machine.has_percepts
    state, twin = machine.initial, prover.initial
    for joint in (["stay", "wait"], ["wait", ("go", "1")], [("go", "2"), "wait"]):
        assert machine.sees(state, joint, 0) == prover.sees(twin, joint, 0)
        state, twin = machine.next(state, joint), prover.next(twin, joint)
        assert machine.state_of(machine.facts(state)) == state
        assert machine.fork().legal_moves(state) == prover.legal_moves(twin)


def test_what_uses_a_part_goes_with_it():
    parts = Parts(normalise(parse_game(GAME)))
    been = parts.with_users([FactsOf(("been", 1))])
    assert parts.names(been) == ["facts of been", "terminal"]
    assert parts.is_worth_it(been)
    assert not parts.is_worth_it(frozenset())
    assert LEGAL in parts.with_users([FactsOf(("turn", 1))])
    assert not parts.is_worth_it(parts.with_users([FactsOf(("turn", 1))]))
    whole = Parts(
        normalise(parse_game("(role p) (legal p go) (init a) (<= (next ?x) (true ?x)) (<= terminal (true a))"))
    )
    assert whole.names(whole.changing) == ["facts", "legal", "terminal"]
    assert whole.names(whole.with_users(whole.facts)) == ["facts", "terminal"]


def random_splits(first, wanted, splits):
    """Compare random splits of random games with the naive machine; how many, and the next seed."""
    seed, compared = first, 0
    while compared < wanted:
        text, dice = random_game(seed), random.Random(seed)
        description = parse_game(text)
        if all("only a sentence can be negated" in error.message for error in errors(description)):
            for _ in range(splits):
                machine = split_at_random(description, dice)
                found = differences(text, [machine], NaiveMachine(text), random.Random(seed), steps=4)
                assert found == [], f"seed {seed}, without {sorted(machine.left, key=repr)}: {found}"
                compared += 1
        seed += 1
    return compared, seed


def test_random_games_are_split_rightly():
    random_splits(7000, 15, 3)


@pytest.mark.slow
def test_many_random_games_are_split_rightly():
    random_splits(7100, int(100 * SCALE), 3)


def compare_sheet(name, steps, splits=2):
    """Compare random splits of a sheet with the prover; what was compared, or why nothing."""
    description, dice, done = read_game(FOLDER / f"{name}.kif"), random.Random(name), []
    prover = make_machine(description, "prover")
    for _ in range(splits):
        machine = split_at_random(description, dice, Budget(seconds=60))
        found = walk_together(machine, prover, dice, steps)
        assert found == [], f"{name} without {sorted(machine.left, key=repr)}: {found}"
        done.append(f"{', '.join(machine.by_prover)} by the prover")
    return done


@pytest.mark.slow
@pytest.mark.parametrize("name", sheets(EVERYDAY))
def test_the_sheets_of_others_are_split_rightly(name):
    compare_sheet(name, int(6 * SCALE))


# What is chosen


def test_a_goal_with_too_many_instances_is_left_to_the_prover():
    text = GAME + FAR
    machine = make_machine(parse_game(text), budget=Budget(rules=3000))
    assert machine.kind == "mixed"
    assert machine.by_prover == ["goal"]
    assert "left to the prover, which is slow: goal" in machine.note
    assert walk_together(machine, make_machine(parse_game(text), "prover"), random.Random(1), 20) == []
    with pytest.raises(GroundingFailed, match="3,000 ground rules"):
        make_machine(parse_game(text), "network", Budget(rules=3000))


def test_two_parts_in_the_way_are_left_one_after_the_other():
    text = GAME + FAR + WIDE
    machine = make_machine(parse_game(text), budget=Budget(rules=3000))
    assert machine.by_prover == ["goal", "sees"]
    assert walk_together(machine, make_machine(parse_game(text), "prover"), random.Random(1), 20) == []


def test_a_count_without_end_is_left_to_the_prover():
    machine = make_machine(parse_game(ENDLESS))
    assert machine.by_prover == ["facts of count", "terminal"]
    assert "ever larger terms" in machine.note
    assert walk_together(machine, make_machine(parse_game(ENDLESS), "prover"), random.Random(2), 30) == []
    found = describe(machine, 0.05)
    assert found["machine"] == "mixed"
    assert found["on_the_network"] == ["facts of at", "facts of been", "facts of turn", "legal", "goal", "sees"]
    assert found["by_the_prover"] == ["facts of count", "terminal"]
    json.dumps(found)
    with pytest.raises(GameError, match="can never hold"):
        machine.state_of(frozenset({"nonsense"}))


def test_an_unsafe_goal_is_left_to_the_prover_and_unsafe_moves_leave_nothing():
    text = GAME + "(<= (goal ?r ?x) (not (true (at 0))) (distinct ?r p) (not (n ?r)))"
    try:
        machine = make_machine(parse_game(text))
    except GdlError as error:
        pytest.fail(str(error))
    assert machine.by_prover == ["goal"]
    assert "unsafe" in machine.note
    machine = make_machine(parse_game(GAME + "(<= (legal ?r ?m) (role ?r))"))
    assert machine.kind == "prover"


@pytest.mark.slow
def test_players_play_partly_grounded_games(monkeypatch):
    monkeypatch.setattr("heartlab.ggp.protocol.agent.MOST_GROUNDING", 1.0)
    description = parse_game(ENDLESS)
    machine = make_machine(description)
    assert machine.kind == "mixed"
    for pair in (["uct:sims=10", "random"], ["alphabeta:depth=2", "td"]):
        found = play_matches(Manager(description, machine, Clocks(600, 600)), pair, 1, seed=2)
        assert [player["troubles"] for player in found["players"]] == [{}, {}]


if __name__ == "__main__":
    # python tests/ggp/test_mixed.py games SPLITS SEED: so many splits of random games; sheets STEPS SPLITS [SHEET ...]
    what, one, other, *names = sys.argv[1:]
    if what == "games":
        compared, following = random_splits(int(other), int(one), 3)
        print(f"{compared} splits agree, seeds {other} to {following - 1}")
    else:
        for sheet in names or SHEETS:
            print(sheet, *compare_sheet(sheet, int(one), int(other)), sep=": ", flush=True)
