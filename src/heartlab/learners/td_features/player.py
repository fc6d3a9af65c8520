"""Networks over conjunctions as models, and the players and the evaluator that use them.

| name | player |
|---|---|
| `td`, `td:MODEL` | open: max^n to the end of the trick over the network; options follow a comma |
| `td-closed`, `td-closed:MODEL` | closed: the same in 20 sampled worlds |

They pass like `gnome:jake` (`pass=PLAYER` names another), since the papers' Hearts has no passing.

`eval=td:MODEL` uses a network in any other search. Without a name the model that ships with the package is used.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from heartlab.learners.td_features.conjunctions import MAX_ORDER, Conjunction, Conjunctions
from heartlab.learners.td_features.features import ATOMS, MAX_ATOMS, MOON_NAMES, AtomError, clause
from heartlab.learners.td_features.moon import place_moon
from heartlab.learners.td_features.network import Network
from heartlab.players.base import Player
from heartlab.players.registry import parse_options, register
from heartlab.players.search import SearchPlayer
from heartlab.search.evaluators.base import Evaluator, evaluator_family
from heartlab.training.model import Model, ModelError, load_model, model_path
from heartlab.util.bundle import FLOATS, WHOLE, Arrays, Form, fit

KIND = "td"
SHIPPED = "td"
"""The model that is used without a name."""
MOST_NODES = 2_000_000
"""The most conjunctions that are read: all of order three over 111 atoms are a tenth of that."""
MOST_POINTS = 1_000
"""The most points of a deal to which values may be cut."""
ARRAYS = {
    "conjunctions": Form(WHOLE, "conjunctions", "order", most=MAX_ORDER * MOST_NODES),
    "weights": Form(FLOATS, "conjunctions", most=MOST_NODES),
    "atoms": Form(WHOLE, "atoms", most=MAX_ATOMS),
}
"""The arrays of a model."""


def unpadded_rows(rows: npt.NDArray[np.int8]) -> list[Conjunction]:
    """Rows of atom numbers, padded with -1, as conjunctions."""
    return [tuple(int(atom) for atom in row if atom >= 0) for row in rows]


def read_conjunctions(arrays: Arrays) -> Conjunctions:
    """The conjunctions of a checkpoint, which also has one weight for each.

    :raises ValueError: if it has something else.
    """
    fit(arrays, {name: ARRAYS[name] for name in ("conjunctions", "weights")})
    rows = arrays["conjunctions"]
    if not set(np.unique(rows).tolist()) <= {-1, *ATOMS}:
        raise AtomError("has conjunctions of unknown atomic features")
    found = Conjunctions.of(unpadded_rows(rows))
    if len(found) != len(rows):
        raise AtomError("has duplicate conjunctions, or some that can never be active")
    return found


def read_model(name: str) -> Model:
    """The model of a network, by name or path; without a name the shipped one.

    :raises ModelError: if there is none.
    """
    return load_model(name or SHIPPED, KIND, {KIND: ARRAYS})


def to_model(network: Network, rules: str, **extras: object) -> Model:
    """A network as a model: the conjunctions as rows of atom numbers, padded with -1, and their weights.

    Conjunctions with a weight of exactly zero say nothing and are left out.
    """
    conjunctions = network.conjunctions
    nodes = np.flatnonzero(conjunctions.live & (network.weights != 0))
    used = sorted(conjunctions.used)
    return Model(
        KIND,
        {"conjunctions": conjunctions.rows(nodes), "weights": network.weights[nodes], "atoms": np.array(used, np.int8)},
        rules=rules,
        names=tuple(ATOMS[number].name for number in used),
        extras={"rest": network.rest, **({"whole": network.whole} if network.whole else {}), **extras},
    )


def to_network(model: Model) -> Network:
    """The network that a model holds.

    :raises ModelError: if its parts do not fit, or it needs atomic features that are not there.
    """
    try:
        rows, weights, used = (model.arrays[name] for name in ("conjunctions", "weights", "atoms"))
    except KeyError as error:
        raise ModelError(f"a network lacks its {error}") from error
    if rows.ndim != 2 or weights.shape != (len(rows),) or used.shape != (len(model.names),):
        raise ModelError("the parts of the network do not fit together")
    if not np.isfinite(weights).all():
        raise ModelError("the network has weights that are not numbers")
    try:
        if not set(MOON_NAMES).isdisjoint(model.names):
            place_moon()
        number_of = {int(old): clause(name).number for old, name in zip(used, model.names, strict=True)}
    except AtomError as error:
        raise ModelError(f"the network needs an atomic feature that nobody has added: {error}") from error
    if not set(np.unique(rows).tolist()) <= {-1, *number_of}:
        raise ModelError("the network has conjunctions of atoms that it does not name")
    chosen = {
        tuple(sorted(number_of[atom] for atom in row)): weight
        for row, weight in zip(unpadded_rows(rows), weights, strict=True)
    }
    conjunctions = Conjunctions.of(chosen)
    if len(conjunctions) != len(rows):
        raise ModelError("the network has duplicate conjunctions, or some that can never be active")
    whole = model.extras.get("whole", 0.0)
    if not isinstance(whole, int | float) or not 0 <= whole <= MOST_POINTS:
        raise ModelError(f"the network cuts values to {whole!r}, which are not the points of a deal")
    network = Network(conjunctions, rest=bool(model.extras.get("rest", False)), whole=float(whole))
    for atoms, weight in chosen.items():
        network.weights[conjunctions.find(atoms)] = weight
    return network


def load_network(name: str) -> Network:
    """The network of a model's name or path; kept in memory until its file changes."""
    path = model_path(name or SHIPPED)
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return _read_network(str(path), changed)


@lru_cache(maxsize=16)
def _read_network(path: str, changed: int) -> Network:
    return to_network(read_model(path))


@evaluator_family("td")
def make_td_evaluator(argument: str) -> Evaluator:
    """The evaluator of a model."""
    return load_network(argument).evaluator(f"td:{argument or SHIPPED}")


def _player(argument: str, worlds: str) -> Player:
    name, _, rest = argument.partition(",")
    if "=" in name:
        name, rest = "", argument
    options = {"worlds": worlds, "pass": "gnome:jake", **parse_options(rest)}
    return SearchPlayer("maxn", options, evaluator=make_td_evaluator(name))


@register("td", summary="open: max^n to the end of the trick over a learned network: td:MODEL,tricks=1")
def make_td(argument: str = "") -> Player:
    """The learned player with perfect information."""
    return _player(argument, "0")


@register("td-closed", summary="closed: td in 20 sampled worlds: td-closed:MODEL,worlds=20")
def make_td_closed(argument: str = "") -> Player:
    """The learned player with imperfect information."""
    return _player(argument, "20")
