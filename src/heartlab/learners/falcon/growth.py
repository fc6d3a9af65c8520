"""Growing networks by splitting categories: FALCON beyond the paper.

What ART does by match tracking, to make a category more specific where its prediction fails, is done here for many
experiences at once. A category's motor weights say how much better or worse than the mean of the choices each action
came out; the category that can gain most is split by the percept that gains most. Experiences under the new policy then
teach the next network (policy iteration).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.learners.falcon.boxes import LEAF, POINTS, Boxes
from heartlab.learners.falcon.experience import Experiences
from heartlab.learners.falcon.more_percepts import COUNT, FIRST, KINDS, PERCEPTS


@kernel
def gains(
    codes: Any, deltas: Any, order: Any, start: int, end: int, bits: int, least: int, foresight: float, sums: Any,
    counts: Any, total: Any,
) -> tuple[int, float]:  # fmt: skip
    """The percept by which splitting the experiences `order[start:end]` gains most, and how much; -1 if none may.

    The gain is what the best single action of each half saves, compared with the best one for both together; and, since
    a split may pay only with those that follow it, `foresight` times what the halves explain of the differences
    between actions. `total` takes the sums of all.
    """
    width = deltas.shape[1]
    sums[:bits] = 0.0
    counts[:bits] = 0
    total[:] = 0.0
    for place in range(start, end):
        row = order[place]
        code = codes[row]
        for action in range(width):
            total[action] += deltas[row, action]
        while code != ZERO:
            which = lowest(code)
            code &= code - ONE
            counts[which] += 1
            for action in range(width):
                sums[which, action] += deltas[row, action]
    size = np.float64(end - start)
    whole, squares = 0.0, 0.0
    for action in range(width):
        whole = min(whole, total[action])
        squares += total[action] * total[action] / size
    best, best_gain = -1, 1e-6
    for which in range(bits):
        with_it = np.float64(counts[which])
        if with_it < least or size - with_it < least:
            continue
        yes, no, explained = 0.0, 0.0, -squares
        for action in range(width):
            one = sums[which, action]
            other = total[action] - one
            yes, no = min(yes, one), min(no, other)
            explained += one * one / with_it + other * other / (size - with_it)
        gain = whole - yes - no + foresight * explained
        if gain > best_gain:
            best, best_gain = which, gain
    return best, best_gain


@kernel
def divide(codes: Any, order: Any, start: int, end: int, which: int) -> int:
    """Put the experiences without a percept first; returns where those with it begin."""
    low, high = start, end
    while low < high:
        if (codes[order[low]] >> np.uint64(which)) & ONE == ZERO:
            low += 1
        else:
            high -= 1
            order[low], order[high] = order[high], order[low]
    return low


@dataclass
class _Pool:
    """The experiences of one kind of decision, as growth needs them."""

    codes: npt.NDArray[np.uint64]
    deltas: npt.NDArray[np.float32]
    """Cost of each action minus the mean of the choices; 0 where it does not apply."""
    applies: npt.NDArray[np.bool_]
    order: npt.NDArray[np.int64]
    """The experiences, those of a category side by side."""
    bits: int

    def best_split(self, start: int, end: int, least: int, foresight: float) -> tuple[int, float]:
        """The percept to split a category by, and the gain."""
        width = self.deltas.shape[1]
        room = np.zeros((64, width)), np.zeros(64, np.int64), np.zeros(width)
        which, gain = gains(self.codes, self.deltas, self.order, start, end, self.bits, least, foresight, *room)
        return int(which), float(gain)

    def motor_weights(self, start: int, end: int, shrink: float) -> npt.NDArray[np.float64]:
        """How good each action is in a category: 0.5 for the mean of the choices, less for each point more."""
        rows = self.order[start:end]
        counts = np.maximum(self.applies[rows].sum(axis=0) + shrink, np.finfo(np.float64).tiny)
        means = self.deltas[rows].sum(axis=0, dtype=np.float64) / counts
        return np.clip(0.5 - means / POINTS, 0.0, 1.0)


def _pools(known: Experiences) -> list[_Pool]:
    applies = known.costs >= 0
    mean = np.where(applies, known.costs, 0).sum(axis=1, dtype=np.float32) / applies.sum(axis=1)
    pools = []
    for kind, percepts in enumerate(PERCEPTS):
        rows = np.flatnonzero(known.kinds == kind)
        here = slice(FIRST[kind], FIRST[kind + 1])
        there = applies[rows, here]
        deltas = np.where(there, known.costs[rows, here] - mean[rows, None], 0.0).astype(np.float32)
        pools.append(_Pool(known.codes[rows], deltas, there, np.arange(len(rows)), len(percepts)))
    return pools


def grow(known: Experiences, categories: int, least: int, shrink: float, foresight: float) -> Boxes:
    """A network of at most so many categories, the most useful splits first.

    :param least: experiences that a category must have.
    :param shrink: how many experiences without effect each motor weight is diluted with.
    :param foresight: how much it counts that a split explains differences which do not pay yet.
    """
    pools = _pools(known)
    tests, branches = [LEAF] * len(KINDS), [[0, 0] for _ in KINDS]
    spans = {kind: (kind, 0, len(pool.codes)) for kind, pool in enumerate(pools)}
    queue: list[tuple[float, int, int]] = []

    def consider(node: int) -> None:
        kind, start, end = spans[node]
        which, gain = pools[kind].best_split(start, end, least, foresight)
        if which >= 0:
            heapq.heappush(queue, (-gain, node, which))

    for kind in range(len(KINDS)):
        consider(kind)
    while queue and len(spans) < categories:
        _, node, which = heapq.heappop(queue)
        kind, start, end = spans.pop(node)
        middle = int(divide(pools[kind].codes, pools[kind].order, start, end, which))
        tests[node], branches[node] = which, [len(tests), len(tests) + 1]
        for begin, stop in ((start, middle), (middle, end)):
            spans[len(tests)] = (kind, begin, stop)
            tests.append(LEAF)
            branches.append([0, 0])
            consider(len(tests) - 1)
    weights = np.zeros((len(spans), COUNT))
    visits = np.zeros(len(spans), np.int32)
    for row, (node, (kind, start, end)) in enumerate(sorted(spans.items())):
        branches[node] = [row, row]
        weights[row, FIRST[kind] : FIRST[kind + 1]] = pools[kind].motor_weights(start, end, shrink)
        visits[row] = end - start
    return Boxes(np.array(tests, np.int32), np.array(branches, np.int32), weights, visits)
