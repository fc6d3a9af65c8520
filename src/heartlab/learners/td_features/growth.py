"""Growing sets of conjunctions: only those are added whose support and effect justify it (in the spirit of GLEM).

Training begins with the atomic features. After every stage the states of its last deals are examined: for every
conjunction of the highest order so far and every atom that was true together with it, how often (*support*) and with
which mean error (*effect*). Without an effect the errors of the n states in which a conjunction is true would add up to
about σ·√n; those that exceed this most are added with weight zero, and the next stage learns them. This reaches
conjunctions of order five and six, of which there are too many to store all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.learners.td_features.conjunctions import MAX_ORDER, STACK, Conjunction, Conjunctions, list_active
from heartlab.learners.td_features.features import MAX_ATOMS
from heartlab.learners.td_features.kernels import NOTE
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import read_conjunctions
from heartlab.learners.td_features.trainer import TdParameters, TdTrainer, task_atoms
from heartlab.training.recipes import Metrics, recipe
from heartlab.util.bundle import Arrays

LOOK_AT = 200_000
"""Room for the states that a growth looks at: those of the last thousand deals of a stage, some 48,000 with four
views. An interrupted run has no others."""


@dataclass(frozen=True)
class GrowthParameters(TdParameters):
    """How a set grows."""

    orders: str = "1"
    """Orders of the conjunctions at the start."""
    order: int = 6
    """The highest order."""
    size: int = 12_000
    """How many conjunctions there are in the end."""
    support: int = 100
    """In how many states of a stage's last thousand deals a conjunction must be true to be added."""
    stage: int = 10_000
    """Deals between two growths."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.order <= MAX_ORDER:
            raise ValueError(f"order={self.order}: 2 to {MAX_ORDER}")
        if self.stage < 1000 or self.stage % 1000:
            raise ValueError(f"stage={self.stage}: a multiple of 1000 deals")
        if self.selections:
            raise ValueError("a set that grows starts from orders, not from select")


@kernel
def _add_error(atoms: np.uint64, first: int, error: float, support: Any, sums: Any) -> None:
    """Count a state, and add its error, for each of 64 atoms, from number `first` on, that is true in it."""
    while atoms != ZERO:
        atom = first + lowest(atoms)
        atoms &= atoms - ONE
        support[atom] += 1
        sums[atom] += error


@kernel
def tally(trie: Any, order: int, orders: Any, notes: Any, stack: Any, active: Any, support: Any, sums: Any) -> None:
    """For every node of an order and every atom: how many states have both, and the sum of their errors."""
    for i in range(len(notes)):
        low, high, error = notes[i]["low"], notes[i]["high"], notes[i]["error"]
        found = list_active(trie, low, high, stack, active)
        for k in range(found):
            node = active[k]
            if orders[node] == order:
                _add_error(low & trie[0], 0, error, support[node], sums[node])
                _add_error(high & trie[1], 64, error, support[node], sums[node])


def node_orders(conjunctions: Conjunctions) -> npt.NDArray[np.int8]:
    """How many atoms every node of a trie has."""
    orders = np.zeros(conjunctions.nodes, np.int8)
    for node in range(1, conjunctions.nodes):
        orders[node] = orders[conjunctions.parents[node]] + 1
    return orders


def promising(
    conjunctions: Conjunctions, notes: npt.NDArray[Any], order: int, count: int, support: int
) -> list[Conjunction]:
    """The conjunctions of the next order that explain errors best: at most `count`, each seen often enough."""
    seen = np.zeros((conjunctions.nodes, MAX_ATOMS), np.int32)
    sums = np.zeros((conjunctions.nodes, MAX_ATOMS))
    tally(
        conjunctions.packed.view(np.uint64), order, node_orders(conjunctions), notes, np.zeros(STACK, np.uint64),
        conjunctions.room(), seen, sums,
    )  # fmt: skip
    effect = np.where(seen >= support, np.abs(sums) / np.sqrt(np.maximum(seen, 1)), 0.0)
    chosen: dict[Conjunction, None] = {}
    for place in np.argsort(-effect, axis=None, kind="stable"):
        node, atom = divmod(int(place), MAX_ATOMS)
        if len(chosen) == count or effect[node, atom] == 0.0:
            break
        atoms = tuple(sorted({*conjunctions.atoms_of(node), atom}))
        if len(atoms) == order + 1 and conjunctions.find(atoms) is None:
            chosen[atoms] = None
    return list(chosen)


@recipe("td-grown", "the full game: conjunctions up to order six, added where they help", GrowthParameters, 200_000)
class GrowingTrainer(TdTrainer):
    """Training with growth between the stages."""

    parameters: GrowthParameters

    def __init__(self, parameters: GrowthParameters, seed: int, task: str = "full") -> None:
        atoms = task_atoms(task, parameters.clauses)
        super().__init__(task, parameters, seed, Conjunctions.exhaustive(atoms, parameters.order_numbers))

    def step(self, first: int, count: int) -> Sequence[Metrics]:
        """Learn from some deals; grow when a stage is over."""
        done = first + count
        grown = done // self.parameters.stage
        growing = (
            done % self.parameters.stage == 0 and max(self.parameters.order_numbers) + grown <= self.parameters.order
        )
        self.notes = np.zeros(LOOK_AT if growing else 0, NOTE)
        metrics = super().step(first, count)
        if growing:
            self._grow(max(self.parameters.order_numbers) + grown - 1)
        return [{**line, "features": len(self.network.conjunctions)} for line in metrics]

    def _grow(self, order: int) -> None:
        """Add conjunctions of the next order: an even share of the room that is left."""
        room = self.parameters.size - len(self.network.conjunctions)
        share = max(0, room) // (self.parameters.order - order)
        notes = self.notes[: self.noted]
        here = self.network.conjunctions
        added = promising(here, notes, order, share, self.parameters.support)
        self.use(self.network.over(Conjunctions.of([*here, *added])))

    def checkpoint(self) -> Arrays:
        """The conjunctions and their weights."""
        return {
            "conjunctions": self.network.conjunctions.rows(),
            "weights": self.network.live_weights.copy(),
        }

    def restore(self, arrays: Arrays) -> None:
        """Take both back."""
        self.use(Network(read_conjunctions(arrays), arrays["weights"]))
