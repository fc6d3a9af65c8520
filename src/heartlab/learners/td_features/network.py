"""A linear network over conjunctions: the expected points of a seat are the sum of the weights of what is active.

As an evaluator it looks at the state from every seat's point of view with the same weights. Values are clamped between
the points that a seat has and those it can still get, with a small margin, so that expected values differ from decided
ones; where no points are left the exact points are returned.

The value depends only on the active atoms, and a search meets the same atoms again and again: sums are kept in a hash
table by mask, in the evaluator's working memory. A counter of weight changes invalidates its entries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import mix
from heartlab.kernel.layout import MOON_OFF, OVER, SEATS
from heartlab.kernel.play import mask_points
from heartlab.learners.td_features.conjunctions import STACK, Conjunctions, sum_active
from heartlab.learners.td_features.features import MOON_ATOMS, WORDS, extract_atoms, extract_card_atoms, make_extractor
from heartlab.learners.td_features.moon import WE_ALONE, extract_moon
from heartlab.search.evaluators.base import Evaluator, compile_evaluator, points_out, settled_points, with_extras

REST, WHOLE = -1, -2
"""Places in the float data: 1 if the weights foresee what is still to come, 0 if all points of the deal; and the points
of a whole deal if values are cut to them alone, 0 if to what is still possible."""
KNOWS_MOON = np.uint64(1 << MOON_ATOMS[WE_ALONE])
"""The atom that only networks with the features of the module `moon` use: its place is reserved."""
MARGIN = 0.01
"""The margin between predictions and decided points."""
TABLE_BITS = 13
ENTRY = 4
"""Words of a table entry: the two words of the mask, the change number, the value."""
CHANGE, MASKS_AT = 0, 2
STACK_AT = MASKS_AT + WORDS * SEATS
TABLE_AT = STACK_AT + STACK
MEMORY = TABLE_AT + (ENTRY << TABLE_BITS)
"""Words of working memory."""


@kernel
def value_of(floats: Any, ints: Any, scratch: Any, low: np.uint64, high: np.uint64) -> float:
    """The sum of the active weights, from the table or by a walk. `scratch[CHANGE]` counts changes of the weights."""
    trie = ints.view(np.uint64)
    memory = scratch.view(np.uint64)
    low &= trie[0]
    high &= trie[1]
    change = memory[CHANGE]
    place = mix(low ^ mix(high)) & np.uint64((1 << TABLE_BITS) - 1)
    entry = TABLE_AT + ENTRY * np.int64(place)
    if memory[entry] == low and memory[entry + 1] == high and memory[entry + 2] == change + np.uint64(1):
        return scratch[entry + 3]
    value, _ = sum_active(trie, floats.view(np.float32), low, high, memory[STACK_AT:TABLE_AT])
    memory[entry] = low
    memory[entry + 1] = high
    memory[entry + 2] = change + np.uint64(1)
    scratch[entry + 3] = value
    return value


@kernel
def cut_value(value: float, taken: int, left: int, whole: float) -> float:
    """A prediction clamped between what a seat has and what it can still get, or between nothing and all points."""
    if whole > 0:
        return min(max(value, MARGIN), whole - MARGIN)
    return min(max(value, taken + MARGIN), taken + left - MARGIN)


@kernel
def moon_is_open(rules: Any, state: Any) -> bool:
    """Whether a seat may still take all points: at most one has any."""
    takers = 0
    for seat in range(rules["players"]):
        takers += state["taken"][seat] & rules["penalty"] != ZERO
    return takers < 2


@kernel
def seat_value(
    rules: Any, state: Any, seat: int, left: int, low: np.uint64, high: np.uint64, floats: Any, ints: Any, scratch: Any
) -> float:  # fmt: skip
    """What a seat may expect, its mask being (low, high) and `left` points still to be taken.

    A network that knows about the moon may expect less than a seat has, or more than is left, while one is possible.
    """
    taken = mask_points(rules, state["taken"][seat] & rules["penalty"])
    value = value_of(floats, ints, scratch, low, high) + taken * floats[REST]
    knows_moon = rules["moon"] != MOON_OFF and ints.view(np.uint64)[0] & KNOWS_MOON != ZERO
    if not (knows_moon and moon_is_open(rules, state)):
        value = cut_value(value, taken, left, floats[WHOLE])
    return with_extras(rules, state, seat, value)


@kernel
def all_values(rules: Any, state: Any, left: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """What every seat may expect, their masks being in the working memory."""
    memory = scratch.view(np.uint64)
    for seat in range(rules["players"]):
        at = MASKS_AT + WORDS * seat
        out[seat] = seat_value(rules, state, seat, left, memory[at], memory[at + 1], floats, ints, scratch)


@kernel
def masks_in(scratch: Any) -> Any:
    """The rows of the working memory that extractors fill."""
    return scratch.view(np.uint64)[MASKS_AT:STACK_AT].reshape((SEATS, WORDS))


@kernel
def undecided(rules: Any, state: Any, out: Any) -> int:
    """The points that are still to be taken; where there are none, `out` gets the exact points of all seats."""
    left = 0 if state["phase"] == OVER else points_out(rules, state)
    if left == 0:
        settled_points(rules, state, out)
    return left


@compile_evaluator
def evaluate_cards(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """A network over the 60 card atoms."""
    left = undecided(rules, state, out)
    if left != 0:
        extract_card_atoms(rules, state, masks_in(scratch))
        all_values(rules, state, left, floats, ints, scratch, out)


@compile_evaluator
def evaluate_all(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """A network over all built-in atoms."""
    left = undecided(rules, state, out)
    if left != 0:
        extract_atoms(rules, state, masks_in(scratch))
        all_values(rules, state, left, floats, ints, scratch, out)


@compile_evaluator
def evaluate_moon(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
    """A network over all built-in atoms and those about the moon."""
    left = undecided(rules, state, out)
    if left != 0:
        extract_moon(rules, state, masks_in(scratch))
        all_values(rules, state, left, floats, ints, scratch, out)


def _evaluate_with(extract: Callable[..., None]) -> Callable[..., None]:
    """The same for atoms that a user added."""

    def evaluate(rules: Any, state: Any, root: int, floats: Any, ints: Any, scratch: Any, out: Any) -> None:
        left = undecided(rules, state, out)
        if left != 0:
            extract(rules, state, masks_in(scratch))
            all_values(rules, state, left, floats, ints, scratch, out)

    evaluate.__module__ = "user"
    return compile_evaluator(evaluate)


_ready = {extract_card_atoms: evaluate_cards, extract_atoms: evaluate_all, extract_moon: evaluate_moon}


class Network:
    """Conjunctions with weights: one float32 for every node of the trie; those that are not live stay zero.

    With `rest` they foresee the points that are still to come, to which those that a seat has are added; without, as in
    the papers, all points of the deal. A search cuts values to what a seat can still get; with `whole`, the points of a
    deal, to anything between none and all, as the papers print it for their first task.
    """

    def __init__(
        self, conjunctions: Conjunctions, weights: npt.NDArray[np.float32] | None = None, *, rest: bool = False,
        whole: float = 0.0,
    ) -> None:  # fmt: skip
        self.conjunctions = conjunctions
        self.rest, self.whole = rest, whole
        self._floats = np.zeros((conjunctions.nodes + 1) // 2 + 2)
        self._floats[REST], self._floats[WHOLE] = rest, whole
        if weights is not None:
            self.weights[conjunctions.live] = weights
        self.extract = make_extractor(conjunctions.used)

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """The weights by node; writing here changes the network."""
        return self._floats.view(np.float32)[: self.conjunctions.nodes]

    @property
    def live_weights(self) -> npt.NDArray[np.float32]:
        """The weights of the conjunctions, in their order."""
        return self.weights[self.conjunctions.live]

    def over(self, conjunctions: Conjunctions) -> Network:
        """The same weights over another set: what it lacks is left out, and what is new weighs nothing."""
        other = Network(conjunctions, rest=self.rest, whole=self.whole)
        for node in np.flatnonzero(conjunctions.live):
            here = self.conjunctions.find(conjunctions.atoms_of(int(node)))
            other.weights[node] = 0.0 if here is None else self.weights[here]
        return other

    def evaluator(self, name: str = "td") -> Evaluator:
        """The network as an evaluator; it goes on seeing changes of the weights if the change number is raised."""
        if self.extract not in _ready:
            _ready[self.extract] = _evaluate_with(self.extract)
        return Evaluator(name, _ready[self.extract], self._floats, self.conjunctions.packed, MEMORY)
