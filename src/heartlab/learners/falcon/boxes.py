"""Networks whose categories are boxes: what a FALCON agent beyond the paper plays by.

A category demands some percepts, or their absence, and ignores the others: with complement coding its sensory weights
are 1 where it demands and 0 where it does not care. The boxes of a network do not overlap and cover everything, so that
the choice function of `art` has exactly one winner, the box around the percept vector; with the match divided by |w|,
as the paper prints it, exactly that box reaches vigilance 1 (:meth:`Boxes.to_art`). Here a decision tree leads to it.

What a decision consists of are templates, for the reason that `kernels` gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from heartlab.compiled.bits import ONE, ZERO
from heartlab.compiled.jit import template
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.learners.falcon.actions import best_action
from heartlab.learners.falcon.art import Field, FusionArt
from heartlab.learners.falcon.more_actions import BEGIN, COUNT, name_cards
from heartlab.learners.falcon.more_percepts import KINDS, PERCEPTS
from heartlab.learners.falcon.percepts import unplayed_elsewhere
from heartlab.learners.falcon.sensing import kind_of, sense
from heartlab.util.bundle import FLOATS, WHOLE, Arrays, BundleError, Form, fit

LEAF = -1
MOST_NODES = 2_000_000
"""The most questions that are read from a file."""
POINTS = 26.0
"""A motor weight is 0.5 for the mean of the choices, and falls by 1 for so many points more."""


class Tree(NamedTuple):
    """A network of boxes as kernels see it."""

    tests: npt.NDArray[np.int32]  # [nodes] the percept that a node asks for, or LEAF; nodes 0 to 2 are the roots
    branches: npt.NDArray[np.int32]  # [nodes, 2] where no and yes lead; the category of a leaf
    weights: npt.NDArray[np.float64]  # [categories, actions]


TREE = types.NamedTuple([types.int32[::1], types.int32[:, ::1], types.float64[:, ::1]], Tree)
"""Its type for signatures."""


class Decision(NamedTuple):
    """What a seat perceives in a decision, and what it may do."""

    kind: int
    code: np.uint64
    """Percepts."""
    first: int
    """The first action of the kind."""
    end: int


@template
def perceive(rules: Any, view: Any, hand: np.uint64, own: np.uint64, me: int, cards: Any) -> Any:
    """The decision of seat `me`, from a state or an observation; `cards` takes the cards of the actions."""
    out = unplayed_elsewhere(rules, view, hand)
    kind = kind_of(own, view["led"])
    code = sense(rules, view, kind, hand, own, out, me)
    name_cards(view, kind, own, out, (hand | out) & QUEEN_BIT == ZERO, cards)
    return Decision(kind, code, BEGIN[kind], BEGIN[kind + 1])


@template
def find_box(tree: Any, kind: int, code: np.uint64) -> int:
    """The category around a percept vector."""
    tests, branches = tree.tests, tree.branches
    node = kind
    while tests[node] != LEAF:
        node = np.int64(branches[node, np.int64((code >> np.uint64(tests[node])) & ONE)])
    return np.int64(branches[node, 0])


@template
def decide(rules: Any, view: Any, hand: np.uint64, own: np.uint64, me: int, tree: Any, cards: Any) -> tuple[int, int]:
    """The category and the action of seat `me`, from a state or an observation; `cards` takes the actions' cards."""
    seen = perceive(rules, view, hand, own, me, cards)
    row = find_box(tree, seen.kind, seen.code)
    return row, best_action(tree.weights[row], cards, seen.first, seen.end)


@dataclass(frozen=True)
class Box:
    """What a category demands."""

    kind: int
    demands: int
    """Bits of the percepts that must be there."""
    forbids: int
    """Bits of the percepts that must not be there."""


ARRAYS = {
    "tests": Form(WHOLE, "nodes", most=MOST_NODES),
    "branches": Form(WHOLE, "nodes", 2),
    "weights": Form(FLOATS, "categories", COUNT),
    "visits": Form(WHOLE, "categories"),
}
"""What :meth:`Boxes.arrays` gives."""


@dataclass(frozen=True)
class Boxes:
    """A network of boxes: its decision tree, the motor weights of its categories, and how much each has seen.

    >>> from heartlab.training import load_model
    >>> network = Boxes.of(load_model("falcon").arrays)
    >>> len(network) == len(network.boxes()), network.weights.shape == (len(network), COUNT)
    (True, True)
    """

    tree: Tree
    visits: npt.NDArray[np.int32]
    """Experiences of each category."""

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """[categories, actions]: motor weights."""
        return self.tree.weights

    def __len__(self) -> int:
        return len(self.weights)

    def arrays(self) -> Arrays:
        """All that the network is."""
        return {**self.tree._asdict(), "visits": self.visits}

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Boxes:
        """A network from what :meth:`arrays` gave.

        :raises ValueError: if the arrays make no network.
        """
        try:
            fit(arrays, ARRAYS)
        except BundleError as error:
            raise ValueError(f"tests, branches, weights and visits do not fit each other: {error}") from error
        tests, branches = (np.ascontiguousarray(arrays[name], np.int32) for name in ("tests", "branches"))
        weights = np.ascontiguousarray(arrays["weights"], np.float64)
        visits = np.ascontiguousarray(arrays["visits"], np.int32)
        nodes = len(tests)
        if nodes < len(KINDS):
            raise ValueError(f"needs a tree for each of {len(KINDS)} kinds of decisions")
        leaf = tests == LEAF
        places = np.arange(nodes)[:, None]
        leads_on = (branches > places).all(axis=1) & (branches < nodes).all(axis=1)
        ends = (branches[:, 0] >= 0) & (branches[:, 0] < len(weights))
        if not np.where(leaf, ends, leads_on & (tests >= 0)).all():
            raise ValueError("its questions lead nowhere")
        most = np.array([*map(len, PERCEPTS), *[0] * (nodes - len(KINDS))])
        for node in np.flatnonzero(~leaf):
            most[branches[node]] = most[node]
        if (tests >= most).any():
            raise ValueError("it asks for unknown percepts")
        if (np.bincount(branches[leaf, 0], minlength=len(weights)) != 1).any():
            raise ValueError("each category needs a place of its own in the questions")
        return cls(Tree(tests, branches, weights), visits)

    def to_art(self, kind: int) -> tuple[FusionArt, list[int]]:
        """The categories of a kind as a fusion-ART network with a sensory and a motor field, and their numbers here."""
        size = len(PERCEPTS[kind])
        art = FusionArt([Field(size, vigilance=1.0, complement=True, by_weights=True), Field(COUNT, choice=0.0)])
        rows = []
        for row, box in enumerate(self.boxes()):
            if box.kind == kind:
                sensory = [bits >> place & 1 for bits in (box.demands, box.forbids) for place in range(size)]
                art.add([*sensory, *self.weights[row]])
                rows.append(row)
        return art, rows

    def boxes(self) -> list[Box]:
        """What each category demands, in the order of the weights."""
        found: list[Box | None] = [None] * len(self)
        waiting = [(kind, Box(kind, 0, 0)) for kind in range(len(KINDS))]
        while waiting:
            node, box = waiting.pop()
            no, yes = (int(branch) for branch in self.tree.branches[node])
            if self.tree.tests[node] == LEAF:
                found[no] = box
            else:
                asked = 1 << int(self.tree.tests[node])
                waiting.append((no, Box(box.kind, box.demands, box.forbids | asked)))
                waiting.append((yes, Box(box.kind, box.demands | asked, box.forbids)))
        return [box for box in found if box is not None]


def seedling() -> Boxes:
    """A network that knows nothing: one category per kind, all actions equal."""
    kinds = len(KINDS)
    branches = np.repeat(np.arange(kinds, dtype=np.int32)[:, None], 2, axis=1)
    tree = Tree(np.full(kinds, LEAF, np.int32), branches, np.full((kinds, COUNT), 0.5))
    return Boxes(tree, np.zeros(kinds, np.int32))
