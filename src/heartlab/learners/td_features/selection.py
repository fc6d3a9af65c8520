"""Choosing conjunctions: the most useful ones of a trained network, and the union of several choices.

Besides weights it counts in which states conjunctions are active; those states are noted while the network plays.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import substream
from heartlab.learners.td_features.conjunctions import STACK, Conjunction, Conjunctions, list_active
from heartlab.learners.td_features.network import Network

FloatArray = npt.NDArray[np.floating]


def _best(network: Network, scores: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.int64]:
    """The nodes of the conjunctions with the highest scores; ties go to the one that comes first."""
    live = np.flatnonzero(network.conjunctions.live)
    return live[np.argsort(-scores[live], kind="stable")][:count]


def _conjunctions(network: Network, nodes: npt.NDArray[np.int64]) -> list[Conjunction]:
    return [network.conjunctions.atoms_of(int(node)) for node in nodes]


def select_by_weight(network: Network, count: int) -> list[Conjunction]:
    """The conjunctions with the largest weights, whatever their sign: the papers' way."""
    return _conjunctions(network, _best(network, np.abs(network.weights).astype(np.float64), count))


def select_distinct(network: Network, signatures: npt.NDArray[np.uint64], count: int) -> list[Conjunction]:
    """The largest weights, where conjunctions that are active in the very same states count as one.

    Such twins share between them what one alone would say: each has a part of its weight, and all of them the same
    place in the order. Here their weights are added up, and the one with the fewest features stands for all. Those that
    are never active come last.

    :param signatures: by node of the trie; equal where conjunctions are active in the same states, 0 where in none.
    """
    live = np.flatnonzero(network.conjunctions.live)
    orders = np.array([len(network.conjunctions.atoms_of(int(node))) for node in live])
    live = live[np.lexsort((live, orders, signatures[live]))]
    keys = signatures[live]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    sums = np.abs(np.add.reduceat(network.weights[live].astype(np.float64), first))
    sums[keys[first] == 0] = -1.0
    return _conjunctions(network, live[first][np.argsort(-sums, kind="stable")][:count])


def nodes_by_effect(network: Network, support: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.int64]:
    """The nodes of those that move predictions most: weight times the standard deviation of being active.

    A large weight on what hardly ever happens says little; `support` is the share of states in which each node of the
    trie is active.
    """
    return _best(network, np.abs(network.weights) * np.sqrt(support * (1.0 - support)), count)


def select_by_effect(network: Network, support: npt.NDArray[np.float64], count: int) -> list[Conjunction]:
    """The conjunctions that move predictions most."""
    return _conjunctions(network, nodes_by_effect(network, support, count))


def select_by_fit(
    network: Network, candidates: npt.NDArray[np.int64], active: FloatArray, count: int
) -> list[Conjunction]:
    """The conjunctions that together say most of what the network says: orthogonal matching pursuit of its predictions.

    Weight and effect judge every conjunction alone, and so take several that say the same. Here each new one is that
    which explains most of what those before it leave unexplained.

    :param candidates: nodes of the trie to choose from.
    :param active: 1 where a candidate (column) is active in a state (row), else 0. Once every state is explained, the
        choice goes on in the order of the candidates.
    """
    lengths = np.sqrt(np.maximum(active.sum(axis=0), 1.0))
    left = active @ network.weights[candidates].astype(active.dtype)
    enough = 1e-4 * float(np.linalg.norm(left))
    basis = np.zeros((min(count, len(active)), len(active)), active.dtype)
    chosen: list[int] = []
    found = 0
    open_to = np.ones(len(candidates), bool)
    while found < len(basis) and len(chosen) < min(count, len(candidates)) and np.linalg.norm(left) > enough:
        scores = np.where(open_to, np.abs(left @ active) / lengths, -1.0)
        best = int(np.argmax(scores))
        open_to[best] = False
        chosen.append(best)
        new = active[:, best] - basis[:found].T @ (basis[:found] @ active[:, best])
        length = float(np.linalg.norm(new))
        if length > 1e-3 * lengths[best]:
            basis[found] = new / length
            left = left - basis[found] * (basis[found] @ left)
            found += 1
    chosen += np.flatnonzero(open_to)[: max(0, count - len(chosen))].tolist()
    return _conjunctions(network, candidates[chosen])


def union(choices: Iterable[Iterable[Conjunction]]) -> Conjunctions:
    """All conjunctions of several choices, each once."""
    return Conjunctions.of({conjunction for choice in choices for conjunction in choice})


# --- activity in states ---


def support_in(network: Network, notes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The share of some states in which each conjunction is active, by node of the trie."""
    active = np.zeros(network.conjunctions.nodes, np.int64)
    count_active(*_trie_and_room(network), notes, active)
    return active / max(1, len(notes))


def signatures_in(network: Network, notes: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """By node of the trie a hash of the states in which it is active; 0: in none."""
    signatures = np.zeros(network.conjunctions.nodes, np.uint64)
    sign_active(*_trie_and_room(network), notes, signatures)
    return signatures


def activity_in(
    network: Network, candidates: npt.NDArray[np.int64], notes: npt.NDArray[Any]
) -> npt.NDArray[np.float32]:
    """1 where a candidate node (column) is active in a state (row), else 0."""
    columns = np.full(network.conjunctions.nodes, -1)
    columns[candidates] = np.arange(len(candidates))
    active = np.zeros((len(notes), len(candidates)), np.float32)
    mark_active(*_trie_and_room(network), notes, columns, active)
    return active


def _trie_and_room(network: Network) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """The trie of a network, and working memory to walk through it."""
    trie = network.conjunctions.packed.view(np.uint64)
    return trie, np.zeros(STACK, np.uint64), network.conjunctions.room()


@kernel
def count_active(trie: Any, stack: Any, found: Any, notes: Any, out: Any) -> None:
    """Count for every node in how many noted states it is active."""
    for i in range(len(notes)):
        for k in range(list_active(trie, notes[i]["low"], notes[i]["high"], stack, found)):
            out[found[k]] += 1


@kernel
def sign_active(trie: Any, stack: Any, found: Any, notes: Any, out: Any) -> None:
    """Add to every node a random number for each noted state in which it is active."""
    for i in range(len(notes)):
        key = substream(ZERO, i)
        for k in range(list_active(trie, notes[i]["low"], notes[i]["high"], stack, found)):
            out[found[k]] += key


@kernel
def mark_active(trie: Any, stack: Any, found: Any, notes: Any, columns: Any, out: Any) -> None:
    """Mark for every noted state (row) which nodes are active, those that have a column."""
    for i in range(len(notes)):
        for k in range(list_active(trie, notes[i]["low"], notes[i]["high"], stack, found)):
            if columns[found[k]] >= 0:
                out[i, columns[found[k]]] = 1.0
