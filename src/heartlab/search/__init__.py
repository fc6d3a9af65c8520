"""Search: open search over any evaluator, and closed play by searching sampled worlds.

| module | contents |
|---|---|
| `options` | the options of a search: typed value, text, record for kernels |
| `pimc` | closed and open play for a batch of observations: draw worlds, search them on threads, pick a card |
| `budget` | the same within a time budget |
| `found` | what a search found |
| `evaluators` | functions from an open state to expected points, with bounds of their values: `base`, `pie`, `sage` |
| `ordering` | candidate cards: order, equivalent cards |
| `walk` | depth-first search with a stack of its own, counters |
| `maxn` | max^n and paranoid search, pruning |
| `soft` | soft-max^n and prob-max^n |
| `trick` | max^n to the end of the present trick, faster |
| `endgame`, `solved` | exact solutions of the last tricks; the cards that follow if every seat plays by them |
| `transpositions` | transposition table |
| `playouts`, `stock` | playout policies; the rule-based player Stock |
| `uct` | UCT for several players |
| `ismcts` | information-set trees: UCT over the observation itself |
| `roots` | the kernels of closed play |
| `weights` | weights of worlds |
| `passing` | the passing rule of the thesis program |

Modules here know states and observations, but not players: the players built from them are in `players.search`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heartlab.search.evaluators import Bounds, Evaluator, EvaluatorError, evaluator, exact_points, make_evaluator
    from heartlab.search.found import Searched
    from heartlab.search.options import Kind, Pick, Prune, SearchError, SearchOptions, Ties, default_options, parse
    from heartlab.search.pimc import Search
    from heartlab.search.playouts import PolicyError, policy
    from heartlab.search.weights import Weight, uniform, weight

__all__ = [
    "Bounds",
    "Evaluator",
    "EvaluatorError",
    "Kind",
    "Pick",
    "PolicyError",
    "Prune",
    "Search",
    "SearchError",
    "SearchOptions",
    "Searched",
    "Ties",
    "Weight",
    "default_options",
    "evaluator",
    "exact_points",
    "make_evaluator",
    "parse",
    "policy",
    "uniform",
    "weight",
]

_HOMES = {
    "Bounds": "heartlab.search.evaluators",
    "Evaluator": "heartlab.search.evaluators",
    "EvaluatorError": "heartlab.search.evaluators",
    "evaluator": "heartlab.search.evaluators",
    "exact_points": "heartlab.search.evaluators",
    "make_evaluator": "heartlab.search.evaluators",
    "Searched": "heartlab.search.found",
    "Kind": "heartlab.search.options",
    "Pick": "heartlab.search.options",
    "Prune": "heartlab.search.options",
    "SearchError": "heartlab.search.options",
    "SearchOptions": "heartlab.search.options",
    "Ties": "heartlab.search.options",
    "default_options": "heartlab.search.options",
    "parse": "heartlab.search.options",
    "Search": "heartlab.search.pimc",
    "PolicyError": "heartlab.search.playouts",
    "policy": "heartlab.search.playouts",
    "Weight": "heartlab.search.weights",
    "uniform": "heartlab.search.weights",
    "weight": "heartlab.search.weights",
}
"""Modules are imported when one of their names is first used: a player that needs one rule need not load all."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'heartlab.search' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
