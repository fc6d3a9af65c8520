"""Positions to search, and searches called as the tests want them: with every value of the root."""

import os

import numpy as np
import pytest

from heartlab import Deal
from heartlab.kernel.layout import compile_rules
from heartlab.players import Observations, OpenStates
from heartlab.rules import PRESETS
from heartlab.search.evaluators.base import make_evaluator
from heartlab.search.maxn import new_counters
from heartlab.search.options import bound_values, make_spec
from heartlab.search.ordering import MAX_MOVES
from heartlab.search.pimc import WIDTH, new_tree, prepare, search_states
from heartlab.search.playouts import any_card, known_policies

SCALE = int(os.environ.get("HEARTLAB_SCALE", "1"))
"""How many times more random positions than in an everyday run; 10 means thousands."""


RULES = [
    *PRESETS,
    "standard,players=3,moon=best",
    "omnibus,players=5,sun=yes,no_tricks=-5",
    "standard,players=6,doubler=TC",
]


def root_table(deal, kind, evaluator_name="points", **options):
    """Values of every candidate card of the seat to move: {card: [value per seat]}, and the counters."""
    spec = make_spec(kind, {key: str(value) for key, value in options.items()})
    bound_values(spec, deal.rules, evaluator_name)
    judge = make_evaluator(evaluator_name)
    tables, rows, counters = np.zeros((1, MAX_MOVES, WIDTH)), np.zeros(1, np.int64), new_counters()
    lines = np.zeros((1, MAX_MOVES, 0, 2))
    chooser = known_policies()[options.get("playout", "throw")][1]
    arguments = chooser, judge.function, judge.floats, judge.ints, judge.scratch()
    prepare()
    search_states(
        compile_rules(deal.rules),
        deal._states,
        np.array([1], np.uint64),
        spec,
        *arguments,
        new_tree(spec),
        tables,
        rows,
        lines,
        counters,
    )
    found = tables[0, : rows[0]]
    return {int(row[0]): list(row[1 : 1 + deal.rules.players]) for row in found}, counters, found[:, -1]


def open_batch(deal):
    return OpenStates(deal.rules, compile_rules(deal.rules), deal.observe(deal.to_move).records, deal._states)


def opening(rules="seed", legal=4):
    """A position of the first tricks with a real choice."""
    deal = Deal(rules, seed=1, number=3)
    while len(deal.legal) < legal:
        deal.play(min(deal.legal))
    return deal


def closed_batch(deal):
    return Observations.of(deal.observe(deal.to_move))


def search(deal, kind, name, limit=1 << 62, **options):
    """{card: values of all seats} and the number of nodes; beyond the limit no values."""
    spec = make_spec(kind, {key: str(value) for key, value in options.items()})
    bound_values(spec, deal.rules, name)
    judge = make_evaluator(name)
    tables, rows, counters = np.zeros((1, MAX_MOVES, WIDTH)), np.zeros(1, np.int64), new_counters(limit)
    prepare()
    search_states(
        compile_rules(deal.rules), deal._states, np.array([1], np.uint64), spec,
        any_card, judge.function, judge.floats, judge.ints, judge.scratch(), new_tree(spec), tables, rows,
        np.zeros((1, MAX_MOVES, 0, 2)), counters,
    )  # fmt: skip
    n = deal.rules.players
    return {int(row[0]): list(row[1 : 1 + n]) for row in tables[0, : rows[0]]}, int(counters[0])


def same(one, two):
    return one.keys() == two.keys() and all(one[card] == pytest.approx(two[card], abs=1e-9) for card in one)
