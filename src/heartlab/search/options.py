"""A search as data: one record of switches, made from the options in a player's name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from heartlab.kernel.layout import StateArray
from heartlab.rules import Rules
from heartlab.search.evaluators.base import Evaluator, make_evaluator
from heartlab.search.maxn import BOLD, CAREFUL, MAXN, PARANOID, SHALLOW, TIES, UNPRUNED
from heartlab.search.playouts import known_policies
from heartlab.search.transpositions import EVERYTHING

SOFT, PROB, UCT, ISMCTS = 2, 3, 4, 5
KINDS = {"maxn": MAXN, "paranoid": PARANOID, "softmaxn": SOFT, "probmaxn": PROB, "uct": UCT, "ismcts": ISMCTS}

DEPTH = ("tricks", "plies", "merge", "endgame")
SIMULATING = ("sims", "c", "playout", "cut", "merge")
OPTIONS = {
    "maxn": (*DEPTH, "ties", "prune", "table"),
    "paranoid": (*DEPTH, "prune", "table"),
    "softmaxn": DEPTH,
    "probmaxn": DEPTH,
    "uct": (*SIMULATING, "endgame"),
    "ismcts": SIMULATING,
}
"""The options that mean something to each kind of search."""
DEFAULTS = {
    "tricks": "1", "plies": "0", "merge": "yes", "ties": "first", "endgame": "0", "sims": "500", "c": "1",
    "playout": "throw", "cut": "0", "prune": "yes", "table": "yes",
}  # fmt: skip
PLAYER_OPTIONS = ("worlds", "trees", "eval", "ms", "threads", "pick", "also", "pass", "search")
"""Options of players that search, not all of any one."""
MOST = 1_000_000
"""The largest whole number that an option may have: a tree of so many simulations takes a gigabyte."""

PRUNING = {"yes": CAREFUL, "no": UNPRUNED, "shallow": SHALLOW, "bold": BOLD}

SPEC = np.dtype(
    [
        ("kind", "i8"),
        ("plies", "i8"),  # cards to look ahead; 0: by tricks
        ("tricks", "i8"),  # tricks to look ahead, the present one included; 0: to the end of the deal
        ("merge", "i8"),  # search equivalent cards once
        ("ties", "i8"),
        ("endgame", "i8"),  # solve exactly when no hand holds more cards than this
        ("simulations", "i8"),
        ("policy", "i8"),  # playout policy
        ("cut", "i8"),  # tricks after which a playout asks the evaluator; 0: never
        ("prune", "i8"),
        ("table", "i8"),  # keep what was found between two tricks
        ("past", "i8"),  # how much of the past values depend on
        ("exploration", "f8"),
        ("floor", "f8"),  # all values together are at least this
        ("most", "f8"),  # no value is more than this
        ("least", "f8"),  # no value is less than this
    ],
    align=True,
)


class SearchError(ValueError):
    """Options that make no search."""


def whole_number(key: str, text: str, least: int = 0, most: int = MOST) -> int:
    """The value of an option that is a whole number.

    :raises SearchError: if it is not, or out of bounds.
    """
    try:
        value = int(text)
    except ValueError:
        raise SearchError(f"{key}={text[:40]}: write a whole number") from None
    if value < least:
        raise SearchError(f"{key}={text}: at least {least}")
    if value > most:
        raise SearchError(f"{key}={text[:40]}: at most {most}")
    return value


def choice(key: str, text: str, known: Any) -> str:
    """The value of an option that is one of some words.

    :raises SearchError: if it is not.
    """
    if text not in known:
        raise SearchError(f"{key}={text} is unknown; choose from {', '.join(known)}")
    return text


def _yes(key: str, text: str) -> bool:
    return choice(key, text, ("yes", "no")) == "yes"


def make_spec(kind: str, options: Mapping[str, str], others: Sequence[str] = ()) -> StateArray:
    """An array of one SPEC record for a kind of search; `options` are those of the player's name.

    `others` are the names of options that the player has dealt with: a wrong name is told all that would be right.

    :raises SearchError: for an option that is unknown, means nothing to this kind, or makes no sense.
    """
    known = OPTIONS[choice("search", kind, KINDS)]
    wrong = sorted(set(options) - set(known))
    if wrong:
        elsewhere = wrong[0] in DEFAULTS or wrong[0] in PLAYER_OPTIONS
        what = f"{wrong[0]} means nothing to {kind}" if elsewhere else f"no option is called {wrong[0]!r}"
        raise SearchError(f"{what}; known are {', '.join([*others, *known])}")
    chosen = {**DEFAULTS, **options}
    array = np.zeros(1, SPEC)
    spec = array[0]
    spec["kind"] = KINDS[kind]
    spec["tricks"] = 0 if chosen["tricks"] == "all" else whole_number("tricks", chosen["tricks"], 1)
    spec["plies"] = whole_number("plies", chosen["plies"])
    spec["merge"] = _yes("merge", chosen["merge"])
    spec["ties"] = TIES.index(choice("ties", chosen["ties"], TIES))
    spec["endgame"] = whole_number("endgame", chosen["endgame"])
    spec["simulations"] = whole_number("sims", chosen["sims"], 1)
    spec["policy"] = known_policies()[choice("playout", chosen["playout"], known_policies())][0]
    spec["cut"] = whole_number("cut", chosen["cut"])
    spec["prune"] = PRUNING[choice("prune", chosen["prune"], PRUNING)]
    spec["table"] = _yes("table", chosen["table"])
    spec["past"] = EVERYTHING
    spec["exploration"] = _exploration(chosen["c"])
    spec["floor"], spec["most"], spec["least"] = -1e30, 1e30, -1e30
    return array


def _exploration(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise SearchError(f"c={text}: write a number") from None
    if not math.isfinite(value) or value < 0:
        raise SearchError(f"c={text}: a finite number of at least 0")
    return value


def bound_values(spec: StateArray, rules: Rules, evaluator: Evaluator | str) -> None:
    """Tell the search what is known about an evaluator's values under some rules, so that it may prune."""
    judge = make_evaluator(evaluator) if isinstance(evaluator, str) else evaluator
    record = spec[0]
    known = judge.bounds_under(rules, bool(record["plies"] == 0))
    record["floor"], record["most"], record["least"] = known.floor, known.most, known.least
    record["past"] = known.past
