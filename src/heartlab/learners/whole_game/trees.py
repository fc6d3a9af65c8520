"""A stranger that searches: `uct` with a small budget, for the compiled loop of training.

It plays like `uct:worlds=5,sims=20,merge=no` without the exact endgame: a tree in each of a few worlds, playouts like
the rule-based player Stock, and the card with the best mean. Like `uct` it passes like `gnome:jake`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel, template
from heartlab.compiled.rng import substream
from heartlab.kernel.layout import STATE
from heartlab.kernel.worlds import sample_worlds
from heartlab.search.evaluators.base import Data
from heartlab.search.found import CHILD
from heartlab.search.options import Kind, compile_options, default_options
from heartlab.search.ordering import MAX_MOVES
from heartlab.search.playouts import STOCK, Playout
from heartlab.search.roots import WORLD_STREAM
from heartlab.search.uct import NODE, tree_size, uct_root
from heartlab.search.walk import Judge, new_counters

TREES = -7
"""Its number among the strangers."""
WORLDS, SIMULATIONS = 5, 20


class Forest(NamedTuple):
    """Working memory for one choice."""

    worlds: Any  # [WORLDS] STATE
    tree: Any  # [nodes] NODE
    spec: npt.NDArray[Any]  # [1] SPEC
    children: npt.NDArray[np.float64]  # [candidates, CHILD]
    lines: npt.NDArray[np.float64]  # no principal variations
    counters: npt.NDArray[np.int64]
    totals: npt.NDArray[np.float64]  # [52]: the searching seat's expected points over worlds
    data: Data  # of the evaluator, which is never asked: playouts end with the deal


def new_forest() -> Forest:
    """Working memory for the searching stranger."""
    spec = compile_options(default_options(Kind.UCT))
    spec["simulations"], spec["merge"] = SIMULATIONS, False
    return Forest(
        np.zeros(WORLDS, STATE), np.empty(tree_size(SIMULATIONS), NODE), spec, np.zeros((MAX_MOVES, CHILD)),
        np.zeros((MAX_MOVES, 0, 2)), new_counters(), np.zeros(52),
        Data(np.zeros(0), np.zeros(0, np.int64), np.zeros(0)),
    )  # fmt: skip


class Searcher(NamedTuple):
    """A searching stranger, as it is put together inside a kernel."""

    forest: Forest
    playout: Playout
    judge: Judge


@template
def searcher_of(forest: Forest, chooser: Any, function: Any) -> Searcher:
    """The searching stranger with its functions, which cannot come from Python in a record; neither is ever called."""
    data = forest.data
    return Searcher(forest, Playout(STOCK, 0, chooser), Judge(function, data.floats, data.ints, data.scratch))


@kernel
def tree_card(rules: Any, obs: Any, searcher: Searcher, rng: Any) -> int:
    """The card with the best mean over trees in a few worlds, which follow from the observation as those of `uct`."""
    forest = searcher.forest
    totals = forest.totals
    totals[:] = 0.0
    rng[0] = substream(substream(obs["random"], WORLD_STREAM), 0)
    sample_worlds(rules, obs, rng, forest.worlds)
    seat, count = np.int64(obs["seat"]), 0
    for world in range(len(forest.worlds)):
        rng[0] = substream(obs["random"], world)
        count = uct_root(
            rules, forest.worlds[world], forest.spec[0], searcher.playout, searcher.judge, forest.tree, rng,
            forest.children, forest.lines, forest.counters,
        )  # fmt: skip
        for i in range(count):
            totals[np.int64(forest.children[i, 0])] += forest.children[i, 1 + seat]
    best = np.int64(forest.children[0, 0])
    for i in range(1, count):
        card = np.int64(forest.children[i, 0])
        if totals[card] < totals[best]:
            best = card
    return best
