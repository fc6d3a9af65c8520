"""Grounding on demand: what is not asked for is not instantiated, and the game is the same."""

import random

import pytest
from support.ggp_random import differences, random_game
from support.ggp_rulesheets import FOLDER, SCALE, needs_sheets, replay
from support.ggp_twin import NaiveMachine

from heartlab.ggp.gdl.normal import normalise
from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.terms import functor
from heartlab.ggp.gdl.validate import errors
from heartlab.ggp.machine import reach as reach_module
from heartlab.ggp.machine.compiled import NetworkMachine
from heartlab.ggp.machine.demand import is_demand, on_demand
from heartlab.ggp.machine.grounding import Budget, GroundingFailed
from heartlab.ggp.machine.load import load_game
from heartlab.ggp.machine.network import build_network
from heartlab.ggp.machine.reach import reach

NUMBERS = " ".join(f"(succ {number} {number + 1})" for number in range(40))
COUNTING = f"""(role p) {NUMBERS} (after a b) (after b c) (init (cell a)) (init (cell c)) (spot a) (spot b) (spot c)
(<= (legal p (flip ?x)) (spot ?x)) (<= (next (cell ?x)) (true (cell ?x)) (not (does p (flip ?x))))
(<= (next (cell ?x)) (does p (flip ?x)) (not (true (cell ?x))))
(<= (one ?x ?n ?m) (true (cell ?x)) (succ ?n ?m)) (<= (one ?x ?n ?n) (spot ?x) (not (true (cell ?x))) (succ ?n ?m))
(<= (count c ?n ?m) (one c ?n ?m)) (<= (count ?x ?n ?m) (one ?x ?n ?k) (after ?x ?y) (count ?y ?k ?m))
(<= (goal p 100) (count a 0 3)) (<= (goal p 0) (not full)) (<= full (count a 0 3)) (<= terminal (count a 0 0))"""
"""Counts from 0 on: without demand the relation is instantiated from every number on."""


def ground_split(text, monkeypatch):
    """The network of a game whose rules are split, however small it is."""
    monkeypatch.setattr(reach_module, "WHOLE_RULES", 0)
    description = parse_game(text)
    game = reach(description, Budget())
    return NetworkMachine(build_network(game, description.roles), "split"), game


def test_a_count_begins_only_where_it_is_asked_for(monkeypatch):
    machine, game = ground_split(COUNTING, monkeypatch)
    monkeypatch.setattr(reach_module, "on_demand", lambda rules, *_: rules)
    assert len(reach(parse_game(COUNTING), Budget()).rules) > 4 * len(game.rules) > 0
    for seed in range(3):
        assert differences(COUNTING, [machine], NaiveMachine(COUNTING), random.Random(seed), steps=6) == []


def test_relations_below_a_negation_or_of_play_stay_whole():
    rules = normalise(parse_game(COUNTING))
    asked = {("legal", 2), ("next", 1), ("goal", 2), "terminal"}
    dynamic = {("true", 1), ("does", 2), ("one", 3), ("count", 3), *asked}
    demanded = {functor(rule.head)[0] for rule in on_demand(rules, dynamic, asked) if is_demand(functor(rule.head))}
    assert len(demanded) == 2, "the count and what it adds up"
    negated = [*rules, *normalise(parse_game("(role p) (<= odd (not (count a 0 2)) (not (one a 0 1)))"))]
    assert not any(is_demand(functor(rule.head)) for rule in on_demand(negated, dynamic, asked))


def agree_split(seeds, monkeypatch):
    """Compare split networks of random games with the naive machine; how many there were."""
    compared = 0
    for seed in seeds:
        text = random_game(seed)
        if all("only a sentence can be negated" in error.message for error in errors(parse_game(text))):
            try:
                machine, _ = ground_split(text, monkeypatch)
            except GroundingFailed as reason:
                if "ever larger terms" not in str(reason):
                    raise
                continue
            assert differences(text, [machine], NaiveMachine(text), random.Random(seed), steps=4) == []
            compared += 1
    return compared


def test_split_networks_of_random_games_are_right(monkeypatch):
    assert agree_split(range(200, 208), monkeypatch) > 2


@pytest.mark.slow
def test_split_networks_of_many_random_games_are_right(monkeypatch):
    assert agree_split(range(5000, 5000 + int(150 * SCALE)), monkeypatch) > 50 * SCALE


@pytest.mark.slow
@needs_sheets
def test_merrills_grounds():
    """A count with two accumulators: more than three million ground rules, unless it begins only at zero."""
    machine = load_game(FOLDER / "repo__merrills.kif", "network", Budget(seconds=120))
    assert machine.network.ground_rules < 600_000
    assert replay(machine, "repo__merrills") > 0
