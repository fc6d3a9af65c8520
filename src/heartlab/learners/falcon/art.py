"""Fusion ART: adaptive resonance over several fields that share one field of categories (Tan's multi-channel ART).

A pattern has one vector in [0, 1] per field. Category j answers with

    T_j = Σ_c γ_c |x_c ∧ w_jc| / (α_c + |w_jc|)          choice; ∧ is the component-wise minimum, |·| the sum

The category with the highest T whose match |x_c ∧ w_jc| / |x_c| reaches the vigilance ρ_c in every field resonates
and learns, w ← (1 − β) w + β (x ∧ w) component by component; if none does, a new category is born. FALCON is fusion
ART over the fields sensory, motor and feedback.

The patterns of all fields lie side by side in one row, complement-coded fields as (x, 1 − x). Weights are kept element
by element, so that one pass serves all categories at once; the room for categories grows by doubling. A row has one
cache line more than that: in rows of a power of two all elements of a category would fall into the same few places of
the cache, and drive each other out.

The operations are templates (see `kernels`); the kernels behind :class:`FusionArt` are made of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel, template
from heartlab.training.model import Model, ModelError
from heartlab.util.errors import clipped, quoted

FloatArray = npt.NDArray[np.float64]
NONE = -1
KIND = "fusion-art"
LINE = 8
"""Numbers in a cache line."""


@dataclass(frozen=True)
class Field:
    """One channel of a fusion-ART network.

    >>> field = Field(3, vigilance=0.9, complement=True)
    >>> field.width, field.code([1, 0, 0.25]).tolist()
    (6, [1.0, 0.0, 0.25, 0.0, 1.0, 0.75])
    """

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

    def __post_init__(self) -> None:
        """
        :raises ValueError: if a number is none that a network can work with.
        """
        if not isinstance(self.size, int) or self.size < 1:
            raise ValueError(f"a field has at least one element, not {quoted(self.size)}")
        for name, least, most in (
            ("choice", 0.0, math.inf), ("alpha", 0.0, math.inf), ("rate", 0.0, 1.0), ("vigilance", 0.0, 1.0),
        ):  # fmt: skip
            value = getattr(self, name)
            if not isinstance(value, int | float) or not (least <= value <= most and math.isfinite(value)):
                above = f" to {most:g}" if math.isfinite(most) else " on"
                raise ValueError(f"the {name} of a field is a number from {least:g}{above}, not {quoted(value)}")
        if self.alpha == 0.0:
            raise ValueError("the alpha of a field is above 0: a category without weights would be divided by it")

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
            raise ValueError(f"a vector of {self.size} numbers from 0 to 1 is needed, not {quoted(values)}")
        return np.concatenate([vector, 1.0 - vector]) if self.complement else vector


class Weights(NamedTuple):
    """The weights of a network as kernels see them, with working memory of the same length."""

    weights: FloatArray  # [elements, categories]
    norms: FloatArray  # [fields, categories] |w|
    choices: FloatArray  # [categories] T
    both: FloatArray  # [categories] |x ∧ w| of one field


class Channels(NamedTuple):
    """The fields of a network as kernels see them."""

    edges: npt.NDArray[np.int64]  # [fields + 1] where each field begins
    gammas: FloatArray  # [fields]
    alphas: FloatArray  # [fields]
    rhos: FloatArray  # [fields] vigilances
    by_weights: npt.NDArray[np.int64]  # [fields]
    rates: FloatArray  # [elements]
    track: bool


@kernel
def overlap(weights: Any, count: int, x: Any, start: int, end: int, both: Any) -> None:
    """|x ∧ w| of one field for every category: the loop that takes the time, so it runs over categories."""
    both[:count] = 0.0
    for i in range(start, end):
        value, row = x[i], weights[i]
        if value > 0.0:  # weights are not below zero, so where x is zero x ∧ w is; half of a coded vector can be
            for j in range(count):
                both[j] += min(value, row[j])


@template
def choose_all(net: Any, fields: Any, count: int, x: Any) -> None:
    """The choice T of every category; a field with γ = 0 does not count."""
    choices, both = net.choices, net.both
    choices[:count] = 0.0
    for field in range(len(fields.gammas)):
        gamma, alpha = fields.gammas[field], fields.alphas[field]
        if gamma > 0.0:
            overlap(net.weights, count, x, fields.edges[field], fields.edges[field + 1], both)
            norms = net.norms[field]
            for j in range(count):
                choices[j] += gamma * both[j] / (alpha + norms[j])


@template
def match(net: Any, fields: Any, category: int, x: Any, field: int) -> float:
    """How well a category matches in a field; an empty vector is matched by everything."""
    weights, start, end = net.weights, fields.edges[field], fields.edges[field + 1]
    both, size = 0.0, 0.0
    for i in range(start, end):
        both += min(x[i], weights[i, category])
        size += x[i]
    if fields.by_weights[field] != 0:
        size = net.norms[field, category]
    return both / size if size > 0.0 else 1.0


@template
def _passes(net: Any, fields: Any, category: int, x: Any, rhos: Any, found: Any) -> bool:
    """Whether a category matches in every field; if not, match tracking raises the vigilances to its matches.

    :param rhos: vigilances of this search.
    :param found: working memory for the matches.
    """
    passed = True
    for field in range(len(rhos)):
        found[field] = match(net, fields, category, x, field)
        passed = passed and found[field] >= rhos[field]
    if fields.track and not passed:
        for field in range(len(rhos)):
            rhos[field] = max(rhos[field], found[field])
    return passed


@template
def _any_may_pass(net: Any, fields: Any, count: int, x: Any, rhos: Any) -> bool:
    """Whether some category matches in every field, all looked at at once: if the first failed, mostly none does."""
    passing = np.ones(count, np.bool_)
    both = net.both
    for field in range(len(rhos)):
        if rhos[field] > 0.0:
            start, end = fields.edges[field], fields.edges[field + 1]
            overlap(net.weights, count, x, start, end, both)
            size = 0.0
            for i in range(start, end):
                size += x[i]
            by_weights, norms = fields.by_weights[field] != 0, net.norms[field]
            for j in range(count):
                whole = norms[j] if by_weights else size
                passing[j] &= whole == 0.0 or both[j] / whole >= rhos[field]
    return passing.any()


@template
def resonate(net: Any, fields: Any, count: int, x: Any, rhos: Any) -> int:
    """The category that resonates, or NONE: the one with the highest choice that matches in every field.

    :param rhos: vigilances; with match tracking they are raised to the match of a category that fails elsewhere.
    """
    if count == 0:
        return NONE
    found = np.empty(len(rhos))
    category = np.argmax(net.choices[:count])
    if _passes(net, fields, category, x, rhos, found):
        return category
    if not _any_may_pass(net, fields, count, x, rhos):
        return NONE
    for category in np.argsort(-net.choices[:count], kind="mergesort")[1:]:  # only now is the order needed
        if _passes(net, fields, category, x, rhos, found):
            return category
    return NONE


@template
def _measure(net: Any, fields: Any, category: int) -> None:
    """Note |w| of a category in every field."""
    weights, norms, edges = net.weights, net.norms, fields.edges
    for field in range(len(norms)):
        total = 0.0
        for i in range(edges[field], edges[field + 1]):
            total += weights[i, category]
        norms[field, category] = total


@template
def adapt(net: Any, fields: Any, category: int, x: Any) -> None:
    """Move the weights of a category towards x ∧ w, each element at its own rate."""
    weights, rates = net.weights, fields.rates
    for i in range(len(x)):
        w = weights[i, category]
        weights[i, category] = w + rates[i] * (min(x[i], w) - w)
    _measure(net, fields, category)


@template
def recruit(net: Any, fields: Any, category: int, x: Any) -> None:
    """Make a new category of a pattern."""
    weights = net.weights
    for i in range(len(x)):
        weights[i, category] = x[i]
    _measure(net, fields, category)


@kernel
def learn_all(net: Any, fields: Any, count: int, patterns: Any, first: int, labels: Any) -> tuple[int, int]:
    """Learn patterns one after the other from number `first` on; stops when all rows for categories are used up.

    Returns the number of the pattern it came to and the number of categories.
    """
    vigilances = np.empty_like(fields.rhos)
    for row in range(first, len(patterns)):
        x = patterns[row]
        vigilances[:] = fields.rhos
        choose_all(net, fields, count, x)  # choice
        found = resonate(net, fields, count, x, vigilances)  # match
        if found == NONE:
            if count == net.weights.shape[1]:
                return row, count
            recruit(net, fields, count, x)
            found = count
            count += 1
        else:
            adapt(net, fields, found, x)  # learning
        labels[row] = found
    return len(patterns), count


@kernel
def find_resonant(net: Any, fields: Any, count: int, x: Any, rhos: Any) -> int:
    """The category that resonates with a pattern, or NONE."""
    choose_all(net, fields, count, x)
    return resonate(net, fields, count, x, rhos)


@kernel
def find_highest(net: Any, fields: Any, count: int, x: Any) -> int:
    """The category with the highest choice."""
    choose_all(net, fields, count, x)
    return np.argmax(net.choices[:count])


@kernel
def add_category(net: Any, fields: Any, category: int, x: Any) -> None:
    """Make a category of given weights."""
    recruit(net, fields, category, x)


class FusionArt:
    """A network of categories over some fields.

    >>> art = FusionArt([Field(2, vigilance=0.9, complement=True), Field(1, choice=0.0)])
    >>> art.learn([[0, 1], [1]]), art.learn([[1, 0], [0]]), art.learn([[0, 1], [1]])
    (0, 1, 0)
    >>> category = art.choose([[1, 0.1], None])
    >>> category, art.weights_of(1)[category].tolist()
    (1, [0.0])

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
        self._allocate(16 + LINE)

    @property
    def _channels(self) -> Channels:
        return Channels(
            self.edges, self._gammas, self._alphas, self._rhos, self._by_weights, self.rates, bool(self.track)
        )

    def _allocate(self, room: int) -> None:
        elements, fields = int(self.edges[-1]), len(self.fields)
        self._net = Weights(np.zeros((elements, room)), np.zeros((fields, room)), np.zeros(room), np.zeros(room))

    @property
    def weights(self) -> FloatArray:
        """The weights of all categories, [categories, elements]: a view."""
        return self._net.weights[:, : self.count].T

    def weights_of(self, field: int) -> FloatArray:
        """The weights of one field: a view."""
        return self.weights[:, self.edges[field] : self.edges[field + 1]]

    def code(self, vectors: Sequence[Any]) -> FloatArray:
        """One pattern from the vectors of all fields."""
        if len(vectors) != len(self.fields):
            raise ValueError(f"{len(vectors)} vectors for {len(self.fields)} fields")
        return np.concatenate([field.code(vector) for field, vector in zip(self.fields, vectors, strict=True)])

    def reserve(self, room: int) -> None:
        """Make room for so many categories, by doubling."""
        before, size = self._net, self._net.weights.shape[1]
        while size < room:
            size = 2 * (size - LINE) + LINE
        if size > before.weights.shape[1]:
            self._allocate(size)
            self._net.weights[:, : self.count] = before.weights[:, : self.count]
            self._net.norms[:, : self.count] = before.norms[:, : self.count]

    def _checked(self, rows: Any) -> FloatArray:
        """Rows with a number from 0 to 1 for every element: kernels look at nothing but the numbers.

        :raises ValueError: if they are something else.
        """
        rows = np.ascontiguousarray(rows, np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.edges[-1]:
            raise ValueError(f"rows of {self.edges[-1]} numbers are needed, not an array of shape {rows.shape}")
        if not ((rows >= 0.0) & (rows <= 1.0)).all():
            raise ValueError("patterns and weights are numbers from 0 to 1")
        return rows

    def add(self, weights: Any) -> int:
        """Add a category with given weights of all elements; returns its number.

        :raises ValueError: if there are more or fewer of them, or others than from 0 to 1.
        """
        row = self._checked([weights])[0]
        self.reserve(self.count + 1)
        add_category(self._net, self._channels, self.count, row)
        self.count += 1
        return self.count - 1

    def learn_patterns(self, patterns: FloatArray) -> npt.NDArray[np.int64]:
        """Learn coded patterns, one per row, in order; returns the category of each.

        :raises ValueError: if rows are too short or too long, or hold other numbers than from 0 to 1.
        """
        patterns = self._checked(patterns)
        labels = np.zeros(len(patterns), np.int64)
        done = 0
        while done < len(patterns):
            done, self.count = learn_all(self._net, self._channels, self.count, patterns, done, labels)
            if done < len(patterns):
                self.reserve(self.count + 1)
        return labels

    def learn(self, vectors: Sequence[Any]) -> int:
        """Learn one pattern; returns its category."""
        return int(self.learn_patterns(self.code(vectors)[None, :])[0])

    def search(self, vectors: Sequence[Any]) -> int | None:
        """The category that resonates with a pattern, without learning."""
        x, fields = self.code(vectors), self._channels
        found = find_resonant(self._net, fields, self.count, x, fields.rhos.copy())
        return None if found == NONE else int(found)

    def choose(self, vectors: Sequence[Any]) -> int | None:
        """Direct access: the category with the highest activation by the fields that are given (None: not given)."""
        if not self.count:
            return None
        pairs = list(zip(self.fields, vectors, strict=True))
        gammas = np.array([0.0 if vector is None else field.choice for field, vector in pairs])
        known = [np.zeros(field.width) if vector is None else field.code(vector) for field, vector in pairs]
        fields = self._channels._replace(gammas=gammas)
        return int(find_highest(self._net, fields, self.count, np.concatenate(known)))

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
            fields = [Field(**field) for field in model.extras["fields"]]
            weights, rates = (np.asarray(model.arrays[name], np.float64) for name in ("weights", "rates"))
            width = sum(field.width for field in fields)
            if weights.shape[1:] != (width,) or rates.shape != (width,):  # before there is a network of this width
                raise ValueError(f"needs rows of {width} weights, but has {weights.shape}")
            made = cls(fields, track=bool(model.extras["track"]))
        except (KeyError, TypeError) as error:
            raise ModelError(f"a fusion-ART model that lacks or garbles {clipped(error)}") from error
        except ValueError as error:
            raise ModelError(f"a fusion-ART model: {clipped(error)}") from error
        if not ((rates >= 0.0) & (rates <= 1.0)).all():
            raise ModelError("a fusion-ART model: learning rates are numbers from 0 to 1")
        made.rates[:] = rates
        try:
            for row in made._checked(weights):
                made.add(row)
        except ValueError as error:
            raise ModelError(f"a fusion-ART model: {error}") from error
        return made
