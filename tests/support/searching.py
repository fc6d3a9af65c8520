"""Positions to search, and searches called as the tests want them: with every value of the root."""

import os

import numpy as np
import pytest

from heartlab import Deal
from heartlab.kernel.layout import compile_rules
from heartlab.players import Observations, OpenStates
from heartlab.rules import PRESETS
from heartlab.search.evaluators.base import NO_BOUNDS, make_evaluator
from heartlab.search.found import Found
from heartlab.search.options import compile_options, parse
from heartlab.search.playouts import known_policies
from heartlab.search.roots import new_tree, search_states
from heartlab.search.walk import new_counters

SCALE = int(os.environ.get("HEARTLAB_SCALE", "1"))
"""How many times more random positions than in an everyday run; 10 means thousands."""


RULES = [
    *PRESETS,
    "standard,players=3,moon=best",
    "omnibus,players=5,sun=yes,no_tricks=-5",
    "standard,players=6,doubler=TC",
]


def make_options(kind, **options):
    """Options of an open search; trees by default with random throws and c=1, as their twins have it."""
    trees = {"sims": 500, "c": 1, "playout": "throw"} if kind == "uct" else {}
    return parse(kind, {key: str(value) for key, value in {"worlds": 0, **trees, **options}.items()})


def search_all(rules, states, keys, options, evaluator, limit=None, *, bounded=True):
    """Search some states; returns what the kernel finds."""
    bounds = evaluator.bounds_under(rules, options.plies == 0) if bounded else NO_BOUNDS
    spec, found = compile_options(options, bounds), Found.room(len(states), new_counters(limit or 1 << 62))
    chooser = known_policies()[options.playout][1]
    data, tree = evaluator.data(), new_tree(options)
    search_states(compile_rules(rules), states, keys, spec, chooser, evaluator.function, data, tree, found)
    return found


def root_table(deal, kind, evaluator_name="points", limit=None, **options):
    """Values of every candidate card of the seat to move: {card: [value per seat]}, the counters and the visits."""
    judge, key = make_evaluator(evaluator_name), np.array([1], np.uint64)
    found = search_all(deal.rules, deal._states, key, make_options(kind, **options), judge, limit)
    children = found.children[0, : found.rows[0]]
    values = {int(row[0]): list(row[1 : 1 + deal.rules.players]) for row in children}
    return values, found.counters, children[:, -1]


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


def search(deal, kind, name, limit=None, **options):
    """{card: values of all seats} and the number of nodes; beyond the limit no values."""
    values, counters, _ = root_table(deal, kind, name, limit, **options)
    return values, int(counters[0])


def same(one, two):
    return one.keys() == two.keys() and all(one[card] == pytest.approx(two[card], abs=1e-9) for card in one)
