"""Fusion ART: adaptive resonance over several fields that share one field of categories (Tan's multi-channel ART).

A pattern has one vector in [0, 1] per field. Category j answers with

    T_j = Σ_c γ_c |x_c ∧ w_jc| / (α_c + |w_jc|)          choice; ∧ is the component-wise minimum, |·| the sum

The category with the highest T whose match |x_c ∧ w_jc| / |x_c| reaches the vigilance ρ_c in every field resonates
and learns, w ← (1 − β) w + β (x ∧ w) component by component; if none does, a new category is born. FALCON is fusion
ART over the fields sensory, motor and feedback.

The patterns of all fields lie side by side in one row, complement-coded fields as (x, 1 − x). Arrays of categories grow
by doubling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.jit import kernel
from heartlab.learn.model import Model, ModelError

FloatArray = npt.NDArray[np.float64]
NONE = -1
KIND = "fusion-art"


@dataclass(frozen=True)
class Field:
    """One channel of a fusion-ART network."""

    size: int
    """Elements of its vector, before complement coding."""
    choice: float = 1.0
    """γ: how much it counts in the choice."""
    alpha: float = 0.001
    rate: float = 1.0
    """β: how fast its weights learn."""
    vigilance: float = 0.0
    """ρ: the least match."""
    complement: bool = False
    """Whether vectors are complement coded: (x, 1 − x)."""
    by_weights: bool = False
    """Divide the match by |w|, as printed in the FALCON paper, instead of |x|."""

    @property
    def width(self) -> int:
        """Elements after coding."""
        return self.size * (2 if self.complement else 1)

    def code(self, values: Any) -> FloatArray:
        """A vector as the network takes it.

        :raises ValueError: if it has another size or leaves [0, 1].
        """
        vector = np.asarray(values, np.float64)
        if vector.shape != (self.size,) or not ((vector >= 0.0) & (vector <= 1.0)).all():
            raise ValueError(f"a vector of {self.size} numbers from 0 to 1 is needed, not {values!r}")
        return np.concatenate([vector, 1.0 - vector]) if self.complement else vector


@kernel
def activations(weights: Any, count: int, x: Any, edges: Any, gammas: Any, alphas: Any, out: Any) -> None:
    """The choice T of every category; fields with γ = 0 do not count."""
    for j in range(count):
        total = 0.0
        for field in range(len(gammas)):
            if gammas[field] > 0.0:
                both, own = 0.0, 0.0
                for i in range(edges[field], edges[field + 1]):
                    both += min(x[i], weights[j, i])
                    own += weights[j, i]
                total += gammas[field] * both / (alphas[field] + own)
        out[j] = total


@kernel
def match(w: Any, x: Any, start: int, end: int, by_weights: bool) -> float:
    """How much of a field's vector a category covers; an empty vector is covered."""
    both, size = 0.0, 0.0
    for i in range(start, end):
        both += min(x[i], w[i])
        size += w[i] if by_weights else x[i]
    return both / size if size > 0.0 else 1.0


@kernel
def resonate(
    weights: Any, count: int, x: Any, edges: Any, gammas: Any, alphas: Any, rhos: Any, by_weights: Any, track: bool,
    scratch: Any,
) -> int:  # fmt: skip
    """The category that resonates, or NONE.

    :param rhos: vigilances; with `track` they are raised to the match of a category that fails elsewhere.
    :param scratch: room for the activations.
    """
    activations(weights, count, x, edges, gammas, alphas, scratch)
    for _ in range(count):
        best = 0
        for j in range(1, count):
            if scratch[j] > scratch[best]:
                best = j
        passed = True
        for field in range(len(gammas)):
            value = match(weights[best], x, edges[field], edges[field + 1], by_weights[field] != 0)
            passed = passed and value >= rhos[field]
        if passed:
            return best
        if track:
            for field in range(len(gammas)):
                value = match(weights[best], x, edges[field], edges[field + 1], by_weights[field] != 0)
                if value >= rhos[field]:
                    rhos[field] = value
        scratch[best] = -1.0
    return NONE


@kernel
def learn(w: Any, x: Any, rates: Any) -> None:
    """Move the weights of a category towards x ∧ w, each element at its own rate."""
    for i in range(len(x)):
        w[i] += rates[i] * (min(x[i], w[i]) - w[i])


@kernel
def learn_all(
    weights: Any, count: int, patterns: Any, first: int, edges: Any, gammas: Any, alphas: Any, rhos: Any,
    by_weights: Any, rates: Any, track: bool, scratch: Any, labels: Any,
) -> tuple[int, int]:  # fmt: skip
    """Learn patterns one after the other from number `first` on; stops when the room for categories is used up.

    Returns the number of the pattern it came to and the number of categories.
    """
    own = np.empty_like(rhos)
    for row in range(first, len(patterns)):
        x = patterns[row]
        own[:] = rhos
        found = resonate(weights, count, x, edges, gammas, alphas, own, by_weights, track, scratch)
        if found == NONE:
            if count == len(weights):
                return row, count
            weights[count, :] = x
            found = count
            count += 1
        else:
            learn(weights[found], x, rates)
        labels[row] = found
    return len(patterns), count


class FusionArt:
    """A network of categories over some fields.

    :param track: match tracking: when a category fails, the vigilance of the fields that it did match rises to its
        match, for the rest of that search.
    """

    def __init__(self, fields: Sequence[Field], *, track: bool = False) -> None:
        if not fields:
            raise ValueError("a fusion-ART network needs at least one field")
        self.fields, self.track = list(fields), track
        self.edges = np.cumsum([0, *(field.width for field in fields)]).astype(np.int64)
        self._gammas, self._alphas, self._rhos = (
            np.array([getattr(field, name) for field in fields]) for name in ("choice", "alpha", "vigilance")
        )
        self._by_weights = np.array([field.by_weights for field in fields], np.int64)
        self.rates = np.repeat([field.rate for field in fields], np.diff(self.edges))
        """The learning rate of every element; may be changed."""
        self.count = 0
        self._weights = np.zeros((16, int(self.edges[-1])))
        self._scratch = np.zeros(16)

    @property
    def weights(self) -> FloatArray:
        """The weights of all categories, [categories, elements]: a view."""
        return self._weights[: self.count]

    def weights_of(self, field: int) -> FloatArray:
        """The weights of one field: a view."""
        return self.weights[:, self.edges[field] : self.edges[field + 1]]

    def code(self, vectors: Sequence[Any]) -> FloatArray:
        """One pattern from the vectors of all fields."""
        if len(vectors) != len(self.fields):
            raise ValueError(f"{len(vectors)} vectors for {len(self.fields)} fields")
        return np.concatenate([field.code(vector) for field, vector in zip(self.fields, vectors, strict=True)])

    def _reserve(self, room: int) -> None:
        while len(self._weights) < room:
            self._weights = np.concatenate([self._weights, np.zeros_like(self._weights)])
            self._scratch = np.zeros(len(self._weights))

    def learn_patterns(self, patterns: FloatArray) -> npt.NDArray[np.int64]:
        """Learn coded patterns, one per row, in order; returns the category of each."""
        patterns = np.ascontiguousarray(patterns, np.float64)
        labels = np.zeros(len(patterns), np.int64)
        done = 0
        while done < len(patterns):
            done, self.count = learn_all(
                self._weights, self.count, patterns, done, self.edges, self._gammas, self._alphas, self._rhos,
                self._by_weights, self.rates, self.track, self._scratch, labels,
            )  # fmt: skip
            if done < len(patterns):
                self._reserve(2 * len(self._weights))
        return labels

    def learn(self, vectors: Sequence[Any]) -> int:
        """Learn one pattern; returns its category."""
        return int(self.learn_patterns(self.code(vectors)[None, :])[0])

    def search(self, vectors: Sequence[Any]) -> int | None:
        """The category that resonates with a pattern, without learning."""
        found = resonate(
            self._weights, self.count, self.code(vectors), self.edges, self._gammas, self._alphas, self._rhos.copy(),
            self._by_weights, self.track, self._scratch,
        )  # fmt: skip
        return None if found == NONE else int(found)

    def choose(self, vectors: Sequence[Any]) -> int | None:
        """Direct access: the category with the highest activation by the fields that are given (None: not given)."""
        if not self.count:
            return None
        gammas = np.array(
            [0.0 if vector is None else field.choice for field, vector in zip(self.fields, vectors, strict=True)]
        )
        known = [
            np.zeros(field.width) if vector is None else field.code(vector)
            for field, vector in zip(self.fields, vectors, strict=True)
        ]
        activations(self._weights, self.count, np.concatenate(known), self.edges, gammas, self._alphas, self._scratch)
        return int(self._scratch[: self.count].argmax())

    def to_model(self) -> Model:
        """The network as data."""
        return Model(
            KIND,
            {"weights": self.weights.copy(), "rates": self.rates.copy()},
            extras={"fields": [asdict(field) for field in self.fields], "track": self.track},
        )

    @classmethod
    def of(cls, model: Model) -> FusionArt:
        """The network that a model holds.

        :raises ModelError: if its arrays do not fit its header.
        """
        try:
            made = cls([Field(**field) for field in model.extras["fields"]], track=bool(model.extras["track"]))
            weights, rates = model.arrays["weights"], model.arrays["rates"]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"a fusion-ART model that lacks or garbles {error}") from error
        if weights.shape[1:] != (made.edges[-1],) or rates.shape != (made.edges[-1],):
            raise ModelError(f"a fusion-ART model needs rows of {made.edges[-1]} weights, but has {weights.shape}")
        made._reserve(len(weights))
        made._weights[: len(weights)] = weights
        made.rates[:] = rates
        made.count = len(weights)
        return made
