"""Growing networks by splitting categories: FALCON beyond the paper.

What ART does by match tracking, to make a category more specific where its prediction fails, is done here for many
experiences at once. A category's motor weights say how much better or worse than the mean of the choices each action
came out; the category that can gain most is split by the percept that gains most. Experiences under the new policy then
teach the next network (policy iteration).
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.learners.falcon.boxes import LEAF, POINTS, Boxes, Tree
from heartlab.learners.falcon.experience import Experiences
from heartlab.learners.falcon.more_actions import COUNT, FIRST
from heartlab.learners.falcon.more_percepts import KINDS, PERCEPTS


class Pool(NamedTuple):
    """The experiences of one kind of decision, as growth needs them."""

    codes: npt.NDArray[np.uint64]  # [experiences] percepts
    deltas: npt.NDArray[np.float32]  # [experiences, actions] cost minus the mean of the choices; 0: does not apply
    applies: npt.NDArray[np.bool_]  # [experiences, actions]
    order: npt.NDArray[np.int64]  # [experiences] those of a category side by side
    bits: int
    """Percepts of the kind."""

    def best_split(self, start: int, end: int, least: int, foresight: float) -> tuple[int, float]:
        """The percept to split a category by, and the gain."""
        width = self.deltas.shape[1]
        sums = Sums(np.zeros((64, width)), np.zeros(64, np.int64), np.zeros(width))
        add_up(self, start, end, sums)
        which, gain = gains(sums, end - start, self.bits, least, foresight)
        return int(which), float(gain)

    def motor_weights(self, start: int, end: int, shrink: float) -> npt.NDArray[np.float64]:
        """How good each action is in a category: 0.5 for the mean of the choices, less for each point more."""
        rows = self.order[start:end]
        counts = np.maximum(self.applies[rows].sum(axis=0) + shrink, np.finfo(np.float64).tiny)
        means = self.deltas[rows].sum(axis=0, dtype=np.float64) / counts
        return np.clip(0.5 - means / POINTS, 0.0, 1.0)


class Sums(NamedTuple):
    """Costs of each action, relative to the mean of the choices, summed over the experiences of a category."""

    by_percept: npt.NDArray[np.float64]  # [percepts, actions] of those with the percept
    counts: npt.NDArray[np.int64]  # [percepts] how many have it
    total: npt.NDArray[np.float64]  # [actions] of all


@kernel
def add_up(pool: Any, start: int, end: int, sums: Any) -> None:
    """Sum the experiences `order[start:end]` up; `sums` must be zero."""
    width = pool.deltas.shape[1]
    for place in range(start, end):
        row = pool.order[place]
        code = pool.codes[row]
        for action in range(width):
            sums.total[action] += pool.deltas[row, action]
        while code != ZERO:
            which = lowest(code)
            code &= code - ONE
            sums.counts[which] += 1
            for action in range(width):
                sums.by_percept[which, action] += pool.deltas[row, action]


@kernel
def gains(sums: Any, count: int, bits: int, least: int, foresight: float) -> tuple[int, float]:
    """The percept by which splitting `count` experiences gains most, and how much; -1 if none may.

    The gain is what the best single action of each half saves, compared with the best one for both together; and, since
    a split may pay only with those that follow it, `foresight` times what the halves explain of the differences
    between actions.
    """
    width, size = len(sums.total), np.float64(count)
    whole, squares = 0.0, 0.0
    for action in range(width):
        whole = min(whole, sums.total[action])
        squares += sums.total[action] * sums.total[action] / size
    best, best_gain = -1, 1e-6
    for which in range(bits):
        with_it = np.float64(sums.counts[which])
        if with_it < least or size - with_it < least:
            continue
        yes, no, explained = 0.0, 0.0, -squares
        for action in range(width):
            one = sums.by_percept[which, action]
            other = sums.total[action] - one
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


def _pools(known: Experiences) -> list[Pool]:
    applies = known.costs >= 0
    mean = np.where(applies, known.costs, 0).sum(axis=1, dtype=np.float32) / applies.sum(axis=1)
    pools = []
    for kind, percepts in enumerate(PERCEPTS):
        rows = np.flatnonzero(known.kinds == kind)
        here = slice(FIRST[kind], FIRST[kind + 1])
        there = applies[rows, here]
        deltas = np.where(there, known.costs[rows, here] - mean[rows, None], 0.0).astype(np.float32)
        pools.append(Pool(known.codes[rows], deltas, there, np.arange(len(rows)), len(percepts)))
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
    return Boxes(Tree(np.array(tests, np.int32), np.array(branches, np.int32), weights), visits)
