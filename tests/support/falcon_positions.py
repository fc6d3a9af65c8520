"""Random networks of boxes, and what a seat perceives in a position, for the tests of FALCON."""

import numpy as np

from heartlab.kernel.layout import compile_rules
from heartlab.learners.falcon.boxes import LEAF, Boxes
from heartlab.learners.falcon.more_actions import COUNT
from heartlab.learners.falcon.more_percepts import PERCEPTS
from heartlab.learners.falcon.sensing import kind_of, sense
from heartlab.players.base import Observations
from heartlab.rules import Rules
from support.falcon_twin import cards_of

FALCON = Rules.parse("falcon")


GNOMES = ["gnome"] * 3


def batch_of(obs) -> Observations:
    return Observations(obs.rules, compile_rules(obs.rules), obs.records)


def outstanding(obs) -> set[int]:
    record = obs.records[0]
    return set(range(52)) - set(obs.hand) - {card for mask in record["played"] for card in cards_of(mask)}


def perceived(obs, others) -> tuple[int, int]:
    """The kind of a decision and the richer percepts as bits."""
    record = obs.records[0]
    kind = kind_of(record["legal"], record["led"])
    out = np.uint64(sum(1 << card for card in others))
    return kind, int(sense(compile_rules(FALCON)[0], record, kind, record["hand"], record["legal"], out, obs.seat))


def random_boxes(seed, splits):
    """A network with random questions."""
    dice = np.random.default_rng(seed)
    tests, branches, leaves = [LEAF] * 3, [[0, 0] for _ in range(3)], [(kind, kind, 0) for kind in range(3)]
    for _ in range(splits):
        node, kind, asked = leaves.pop(int(dice.integers(len(leaves))))
        which = int(dice.choice([bit for bit in range(len(PERCEPTS[kind])) if not asked >> bit & 1]))
        tests[node], branches[node] = which, [len(tests), len(tests) + 1]
        for _ in range(2):
            leaves.append((len(tests), kind, asked | 1 << which))
            tests.append(LEAF)
            branches.append([0, 0])
    for row, (node, _, _) in enumerate(leaves):
        branches[node] = [row, row]
    weights = dice.random((len(leaves), COUNT))
    return Boxes.of(
        {
            "tests": np.array(tests), "branches": np.array(branches), "weights": weights,
            "visits": np.ones(len(leaves), int),
        }
    )  # fmt: skip
