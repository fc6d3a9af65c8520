"""Choosing conjunctions: the most useful ones of a trained network, and the union of several choices."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from heartlab.features.conjunctions import Conjunction, Conjunctions
from heartlab.features.network import Network


def _best(network: Network, scores: npt.NDArray[np.float64], count: int) -> list[Conjunction]:
    """The conjunctions with the highest scores; ties go to the one that comes first."""
    live = np.flatnonzero(network.conjunctions.live)
    order = live[np.argsort(-scores[live], kind="stable")][:count]
    return [network.conjunctions.atoms_of(int(node)) for node in order]


def select_by_weight(network: Network, count: int) -> list[Conjunction]:
    """The conjunctions with the largest weights, whatever their sign: the papers' way."""
    return _best(network, np.abs(network.weights).astype(np.float64), count)


def select_by_effect(network: Network, support: npt.NDArray[np.float64], count: int) -> list[Conjunction]:
    """The conjunctions that move predictions most: weight times the standard deviation of being active.

    A large weight on what hardly ever happens says little; `support` is the share of states in which each node of the
    trie is active.
    """
    return _best(network, np.abs(network.weights) * np.sqrt(support * (1.0 - support)), count)


def union(choices: Iterable[Iterable[Conjunction]]) -> Conjunctions:
    """All conjunctions of several choices, each once."""
    return Conjunctions.of({conjunction for choice in choices for conjunction in choice})
