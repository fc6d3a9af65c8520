"""What a network has learned, as the papers show it: the conjunctions with the largest weights, and how often some
atoms occur among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heartlab.learners.td_features.conjunctions import Conjunction, describe, short_name
from heartlab.learners.td_features.features import ATOMS, find_atom
from heartlab.learners.td_features.moon import place_moon
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import KIND, SHIPPED, to_network
from heartlab.training.model import load_model

CENSUS = 20_000
"""The papers count among so many of the largest weights."""


@dataclass(frozen=True)
class Weighed:
    """A conjunction with its weight and its place among those of the same sign."""

    rank: int
    weight: float
    atoms: Conjunction

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON."""
        return {
            "rank": self.rank,
            "weight": self.weight,
            "conjunction": short_name(self.atoms),
            "words": describe(self.atoms),
        }


@dataclass(frozen=True)
class Census:
    """How many of the largest weights hold certain atoms, and which way they point."""

    among: int
    lowering: int
    raising: int


def largest(network: Network, sign: int, count: int, contains: frozenset[int] = frozenset()) -> list[Weighed]:
    """The conjunctions with the largest weights of a sign, of those that contain some atoms; ranks are over all."""
    order = np.argsort(network.weights if sign < 0 else -network.weights, kind="stable")
    found: list[Weighed] = []
    for rank, node in enumerate(order, 1):
        weight = float(network.weights[node])
        if weight * sign <= 0 or len(found) == count:
            break
        atoms = network.conjunctions.atoms_of(int(node))
        if contains <= set(atoms):
            found.append(Weighed(rank, weight, atoms))
    return found


def census(network: Network, contains: frozenset[int], among: int = CENSUS) -> Census:
    """Count the conjunctions with some atoms among the largest weights."""
    nodes = np.argsort(-np.abs(network.weights), kind="stable")[: min(among, len(network.conjunctions))]
    conjunctions = network.conjunctions
    signs = [float(network.weights[node]) for node in nodes if contains <= set(conjunctions.atoms_of(int(node)))]
    return Census(len(nodes), sum(sign < 0 for sign in signs), sum(sign > 0 for sign in signs))


def run_features(name: str, *, top: int, contains: Sequence[str], report: Callable[[Any], None] | None) -> None:
    """`heartlab features`: print a model's largest weights in words."""
    model = load_model(name or SHIPPED, KIND)
    network = to_network(model)
    wanted = frozenset(find_atom(text, part=True).number for text in contains)
    lowering, raising = (largest(network, sign, top, wanted) for sign in (-1, 1))
    counted = census(network, wanted)
    if report:
        report(
            {
                "model": name or SHIPPED, "rules": model.rules, "conjunctions": len(network.conjunctions),
                "command": model.command, "lowering": [one.to_dict() for one in lowering],
                "raising": [one.to_dict() for one in raising],
                "census": {"among": counted.among, "lowering": counted.lowering, "raising": counted.raising},
            }
        )  # fmt: skip
        return
    trained = f"trained under {model.rules}, {model.games:,} deals"
    print(f"{name or SHIPPED}: {len(network.conjunctions):,} conjunctions, {trained}")
    if model.command:
        print(f"made with: {model.command}")
    for title, rows in (("fewer points expected", lowering), ("more points expected", raising)):
        print(f"\n  rank  weight  {title}")
        for one in rows:
            print(f"{one.rank:>6} {one.weight:>+7.3f}  {describe(one.atoms)}")
    if wanted:
        both = counted.lowering + counted.raising
        print(
            f"\n{describe(sorted(wanted))}: in {both:,} of the {counted.among:,} largest weights, "
            f"lowering in {counted.lowering:,}, raising in {counted.raising:,}"
        )


def list_atoms(report: Callable[[Any], None] | None) -> None:
    """`heartlab features --atoms`: all atomic features, with what each says."""
    place_moon()
    atoms = [ATOMS[number] for number in sorted(ATOMS)]
    if report:
        report([{"number": one.number, "name": one.name, "sentence": one.sentence} for one in atoms])
        return
    for one in atoms:
        print(f"{one.number:>4}  {one.name:<28} {one.sentence}")
