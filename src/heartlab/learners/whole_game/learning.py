"""Learning from the decisions of a deal: lambda- or n-step returns, back-propagation, and Adam.

A feature of a position is mostly true for many decisions of a seat in a row, and its row of weights then gets the sum
of their slopes. So the log of decisions holds what *changed* between them, and the way back through the deal keeps one
running sum per seat: it is added to the row of a feature where the feature became true, and subtracted where it ceased.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO, popcount
from heartlab.compiled.jit import kernel, loose_kernel
from heartlab.kernel.play import shooter
from heartlab.kernel.ranks import HEARTS, QUEEN_BIT
from heartlab.learners.whole_game.network import (
    HEADS,
    MAX_TRUE,
    MAX_TRUE_OF_CARD,
    SEATS,
    SHOOT,
    SHOT,
    TAKE_HEARTS,
    TAKE_JACK,
    TAKE_QUEEN,
    Mind,
    Net,
)

JACK_BIT = np.uint64(1 << 22)
"""J♦."""
MAX_STEPS = 13
"""A seat has no more decisions ahead."""
SCALE = 0.01
"""Scale of the loss, which is in squared points, to values near one."""


class Log(NamedTuple):
    """The learner's decisions of one deal, with all that their gradient needs."""

    changed: npt.NDArray[np.int16]  # [decisions, 2, MAX_TRUE]
    changes: npt.NDArray[np.int64]  # [decisions, 2]
    card: npt.NDArray[np.int16]  # [decisions, MAX_TRUE_OF_CARD]
    cards: npt.NDArray[np.int64]
    first: npt.NDArray[np.float32]  # [decisions, first]
    second: npt.NDArray[np.float32]  # [decisions, second]
    heads: npt.NDArray[np.float32]  # [decisions, heads]
    seat: npt.NDArray[np.int64]
    taken: npt.NDArray[np.float32]  # [decisions, heads]: what the seat had taken before


class Slopes(NamedTuple):
    """Working memory of the way back."""

    heads: npt.NDArray[np.float32]
    second: npt.NDArray[np.float32]
    first: npt.NDArray[np.float32]
    since: npt.NDArray[np.float32]  # [seats, first]: summed over the decisions from here to the end
    target: npt.NDArray[np.float64]  # [heads]
    returns: npt.NDArray[np.float64]  # [seats, heads]
    ahead: npt.NDArray[np.float64]  # [seats, MAX_STEPS, heads]: what was expected at the next decisions of each seat
    seen: npt.NDArray[np.int64]  # [seats]: the decisions from here to the end


class Lesson(NamedTuple):
    """How the learner learns: weights of the loss, and the kind of returns."""

    weights: npt.NDArray[np.float64]  # [heads]: what the predictions are worth under the rules
    aid: npt.NDArray[np.float64]  # [heads]: how much each prediction counts by itself in the loss
    trace: float  # lambda: 1 waits for the end of the deal, 0 trusts the next prediction
    steps: int = 0  # instead of lambda: trust the prediction after so many own decisions


def new_log(decisions: int, net: Net) -> Log:
    """Room for the decisions of a deal."""
    second, first = net.hidden.shape[1:]
    return Log(
        np.zeros((decisions, 2, MAX_TRUE), np.int16), np.zeros((decisions, 2), np.int64),
        np.zeros((decisions, MAX_TRUE_OF_CARD), np.int16), np.zeros(decisions, np.int64),
        np.zeros((decisions, first), np.float32), np.zeros((decisions, second), np.float32),
        np.zeros((decisions, HEADS), np.float32), np.zeros(decisions, np.int64),
        np.zeros((decisions, HEADS), np.float32),
    )  # fmt: skip


def new_slopes(net: Net) -> Slopes:
    """Working memory of the way back."""
    second, first = net.hidden.shape[1:]
    return Slopes(
        np.zeros(HEADS, np.float32), np.zeros(second, np.float32), np.zeros(first, np.float32),
        np.zeros((SEATS, first), np.float32), np.zeros(HEADS), np.zeros((SEATS, HEADS)),
        np.zeros((SEATS, MAX_STEPS, HEADS)), np.zeros(SEATS, np.int64),
    )  # fmt: skip


@kernel
def note_position(log: Log, at: int, mind: Mind, seat: int, taken: np.uint64) -> None:
    """Note a decision: who, what it had taken, and what changed since its last decision."""
    changed, noted = mind.changed, log.changed
    for side in range(2):
        count = mind.changes[side]
        log.changes[at, side] = count
        for k in range(count):
            noted[at, side, k] = changed[side, k]
    log.seat[at] = seat
    for k in range(HEADS):
        log.taken[at, k] = 0.0
    log.taken[at, TAKE_QUEEN] = 1.0 if taken & QUEEN_BIT != ZERO else 0.0
    log.taken[at, TAKE_HEARTS] = popcount(taken & HEARTS)
    log.taken[at, TAKE_JACK] = 1.0 if taken & JACK_BIT != ZERO else 0.0


@kernel
def note_card(log: Log, at: int, mind: Mind, count: int) -> None:
    """Note the card of a decision, as it was just predicted."""
    card, first, second, heads = log.card, log.first, log.second, log.heads
    mind_card, mind_first, mind_second, mind_heads = mind.card, mind.first, mind.second, mind.heads
    log.cards[at] = count
    for k in range(count):
        card[at, k] = mind_card[k]
    for i in range(mind_first.shape[0]):
        first[at, i] = mind_first[i]
    for j in range(mind_second.shape[0]):
        second[at, j] = mind_second[j]
    for k in range(HEADS):
        heads[at, k] = mind_heads[k]


@kernel
def outcome(rules: Any, state: Any, final: Any) -> None:
    """What each seat has taken in the end, as the predictions count it: [seats, heads]."""
    shot_by = shooter(rules, state)
    for seat in range(SEATS):
        taken = state["taken"][seat]
        final[seat, TAKE_QUEEN] = 1.0 if taken & QUEEN_BIT != ZERO else 0.0
        final[seat, TAKE_HEARTS] = popcount(taken & HEARTS)
        final[seat, TAKE_JACK] = 1.0 if taken & JACK_BIT != ZERO else 0.0
        final[seat, SHOOT] = 1.0 if shot_by == seat else 0.0
        final[seat, SHOT] = 1.0 if shot_by >= 0 and shot_by != seat else 0.0


@kernel
def taken_so_far(state: Any, seat: int, final: Any) -> None:
    """What a seat has taken before the end of a deal, as the predictions count it."""
    taken = state["taken"][seat]
    for k in range(HEADS):
        final[seat, k] = 0.0
    final[seat, TAKE_QUEEN] = 1.0 if taken & QUEEN_BIT != ZERO else 0.0
    final[seat, TAKE_HEARTS] = popcount(taken & HEARTS)
    final[seat, TAKE_JACK] = 1.0 if taken & JACK_BIT != ZERO else 0.0


@kernel
def _head_slopes(log: Log, at: int, slopes: Slopes, lesson: Lesson) -> float:
    """The slope of the loss by each prediction; returns the squared error of the worth.

    The loss is the squared error of the worth, and a share of that of each prediction by itself.
    """
    whole = 0.0
    for k in range(HEADS):
        whole += lesson.weights[k] * (np.float64(log.heads[at, k]) - slopes.target[k])
    for k in range(HEADS):
        error = np.float64(log.heads[at, k]) - slopes.target[k]
        slopes.heads[k] = np.float32((lesson.weights[k] * whole + lesson.aid[k] * error) * SCALE)
    return whole * whole


@loose_kernel
def _upper_slopes(net: Net, grads: Net, log: Log, at: int, slopes: Slopes) -> None:
    """Back-propagation through the heads and the second layer; leaves the slopes of the first layer."""
    heads, second, first = slopes.heads, slopes.second, slopes.first
    noted_first, noted_second = log.first, log.second
    top, hidden, top_grads, hidden_grads = net.heads, net.hidden, grads.heads, grads.hidden
    zero = np.float32(0.0)
    for j in range(second.shape[0]):
        second[j] = zero
    for k in range(HEADS):
        slope = heads[k]
        grads.heads_bias[0, k] += slope
        for j in range(second.shape[0]):
            top_grads[0, k, j] += slope * noted_second[at, j]
            second[j] += slope * top[0, k, j]
    for i in range(first.shape[0]):
        first[i] = zero
    for j in range(second.shape[0]):
        if noted_second[at, j] > zero:
            slope = second[j]
            grads.hidden_bias[0, j] += slope
            for i in range(first.shape[0]):
                first[i] += slope * hidden[0, j, i]
            for i in range(first.shape[0]):
                hidden_grads[0, j, i] += slope * noted_first[at, i]
    for i in range(first.shape[0]):
        first[i] = first[i] if noted_first[at, i] > zero else zero


@kernel
def _add_to_row(grads: Any, row: int, slope: Any) -> None:
    for i in range(slope.shape[0]):
        grads[0, row, i] += slope[i]


@kernel
def _take_from_row(grads: Any, row: int, slope: Any) -> None:
    for i in range(slope.shape[0]):
        grads[0, row, i] -= slope[i]


@kernel
def _lower_slopes(grads: Net, log: Log, at: int, slopes: Slopes) -> None:
    """Back-propagation to the rows of weights of the features."""
    first, since = slopes.first, slopes.since[log.seat[at]]
    bias, position, card, changed = grads.bias, grads.position, grads.card, log.changed
    for i in range(first.shape[0]):
        bias[0, i] += first[i]
        since[i] += first[i]
    for k in range(log.changes[at, 0]):
        _add_to_row(position, np.int64(changed[at, 0, k]), since)
    for k in range(log.changes[at, 1]):
        _take_from_row(position, np.int64(changed[at, 1, k]), since)
    for k in range(log.cards[at]):
        _add_to_row(card, np.int64(log.card[at, k]), first)


@kernel
def _return_before(log: Log, at: int, final: Any, slopes: Slopes, lesson: Lesson) -> None:
    """The return of a seat's decision before this one: a lambda-return, or an n-step return."""
    seat, returns, ahead = log.seat[at], slopes.returns, slopes.ahead
    slopes.seen[seat] += 1
    seen, steps = slopes.seen[seat], lesson.steps
    for k in range(HEADS):
        now = log.taken[at, k] + np.float64(log.heads[at, k])
        if steps == 0:
            returns[seat, k] = lesson.trace * returns[seat, k] + (1.0 - lesson.trace) * now
        else:
            ahead[seat, (seen - 1) % steps, k] = now
            returns[seat, k] = ahead[seat, seen % steps, k] if seen >= steps else final[seat, k]


@kernel
def learn_deal(net: Net, grads: Net, log: Log, count: int, final: Any, slopes: Slopes, lesson: Lesson) -> float:
    """Go backwards through the decisions of a deal and add up their gradient; returns the sum of squared errors.

    A return is what a seat may expect from its next decision on, counted from the beginning of the deal; after the
    last decision that is the outcome.
    """
    since, returns, target = slopes.since, slopes.returns, slopes.target
    for seat in range(SEATS):
        for i in range(since.shape[1]):
            since[seat, i] = np.float32(0.0)
        slopes.seen[seat] = 0
        for k in range(HEADS):
            returns[seat, k] = final[seat, k]
    total = 0.0
    for at in range(count - 1, -1, -1):
        seat = log.seat[at]
        # target: the return, less what was taken before
        for k in range(HEADS):
            target[k] = returns[seat, k] - log.taken[at, k]
        # gradient
        total += _head_slopes(log, at, slopes, lesson)
        _upper_slopes(net, grads, log, at, slopes)
        _lower_slopes(grads, log, at, slopes)
        # return of the decision before
        _return_before(log, at, final, slopes, lesson)
    return total


@loose_kernel
def adam(weights: Any, grads: Any, moments: Any, squares: Any, step: Any) -> None:
    """One step of Adam over flat arrays; `step` is (rate, 1 - beta1^t, 1 - beta2^t, scale of the gradient)."""
    rate, first, second, scale = step
    keep, keep_square, one = np.float32(0.9), np.float32(0.999), np.float32(1.0)
    scale, root = np.float32(scale), np.float32(1.0 / second)
    rate = np.float32(rate / first)
    for i in range(len(weights)):
        slope = grads[i] * scale
        moment = keep * moments[i] + (one - keep) * slope
        square = keep_square * squares[i] + (one - keep_square) * slope * slope
        moments[i] = moment
        squares[i] = square
        weights[i] -= rate * moment / (np.sqrt(square * root) + np.float32(1e-8))
        grads[i] = np.float32(0.0)
