"""A search as data: one record of switches, made from the options in a player's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from heartlab.kernel.layout import StateArray
from heartlab.rules import Rules
from heartlab.search.maxn import BOLD, CAREFUL, MAXN, PARANOID, SHALLOW, TIES, UNPRUNED
from heartlab.search.playouts import known_policies
from heartlab.search.transpositions import COUNTING, EVERYTHING, POINTS

SOFT, PROB, UCT, ISMCTS = 2, 3, 4, 5
KINDS = {"maxn": MAXN, "paranoid": PARANOID, "softmaxn": SOFT, "probmaxn": PROB, "uct": UCT, "ismcts": ISMCTS}

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


def _whole(key: str, text: str, least: int = 0) -> int:
    try:
        value = int(text)
    except ValueError:
        raise SearchError(f"{key}={text}: write a whole number") from None
    if value < least:
        raise SearchError(f"{key}={text}: at least {least}")
    return value


def _choice(key: str, text: str, known: Any) -> str:
    if text not in known:
        raise SearchError(f"{key}={text} is unknown; choose from {', '.join(known)}")
    return text


def _yes(key: str, text: str) -> bool:
    return _choice(key, text, ("yes", "no")) == "yes"


def make_spec(kind: str, options: Mapping[str, str], others: Sequence[str] = ()) -> StateArray:
    """An array of one SPEC record for a kind of search; `options` are those of the player's name.

    `others` are the names of options that the player has dealt with: a wrong name is told all that would be right.

    :raises SearchError: for an option that is unknown or makes no sense.
    """
    known = {
        "tricks": "1", "plies": "0", "merge": "yes", "ties": "first", "endgame": "0", "sims": "500", "c": "1",
        "playout": "throw", "cut": "0", "prune": "yes", "table": "yes",
    }  # fmt: skip
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise SearchError(f"no option is called {unknown[0]!r}; known are {', '.join([*others, *known])}")
    chosen = {**known, **options}
    array = np.zeros(1, SPEC)
    spec = array[0]
    spec["kind"] = KINDS[_choice("search", kind, KINDS)]
    spec["tricks"] = 0 if chosen["tricks"] == "all" else _whole("tricks", chosen["tricks"], 1)
    spec["plies"] = _whole("plies", chosen["plies"])
    spec["merge"] = _yes("merge", chosen["merge"])
    spec["ties"] = TIES.index(_choice("ties", chosen["ties"], TIES))
    spec["endgame"] = _whole("endgame", chosen["endgame"])
    spec["simulations"] = _whole("sims", chosen["sims"], 1)
    spec["policy"] = known_policies()[_choice("playout", chosen["playout"], known_policies())][0]
    spec["cut"] = _whole("cut", chosen["cut"])
    spec["prune"] = PRUNING[_choice("prune", chosen["prune"], PRUNING)]
    spec["table"] = _yes("table", chosen["table"])
    spec["past"] = EVERYTHING
    try:
        spec["exploration"] = float(chosen["c"])
    except ValueError:
        raise SearchError(f"c={chosen['c']}: write a number") from None
    spec["floor"], spec["most"], spec["least"] = -1e30, 1e30, -1e30
    return array


def bound_values(spec: StateArray, rules: Rules, evaluator: str) -> None:
    """Tell the search what is known about an evaluator's values under some rules, so that it may prune.

    `pie` counts neither the cards on the table nor a kitty that nobody has taken, so that its values add up to the
    total only between two tricks; and it takes 26 points for all there are.
    """
    total, record = float(rules.total_points), spec[0]
    by_tricks = record["plies"] == 0
    whole = rules.kitty == "none" or (rules.kitty == "first-trick" and by_tricks)
    plain = rules.moon in ("off", "others") and rules.bonus is None and rules.doubler is None and not rules.no_tricks
    if evaluator == "pie":
        record["past"] = COUNTING
        if whole and by_tricks:
            record["floor"] = total
            if total <= 26:
                record["most"], record["least"] = total / (rules.players - 1), 0.0
    elif evaluator in ("points", "low-cards"):
        record["past"] = POINTS
        if whole and plain:
            record["floor"], record["most"], record["least"] = total, total * (2 if rules.sun else 1), 0.0
