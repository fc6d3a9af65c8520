"""A small network over lists of features: rows added up, two layers with rectifiers, five predictions per card.

    base   = bias + the rows of the position's features          (once per decision)
    first  = max(0, base + the rows of the card's features)      (once per candidate card)
    second = max(0, hidden_bias + hidden @ first)
    heads  = heads_bias + heads @ second

The predictions are about the rest of the deal: the chance that the seat takes Q♠, the hearts that it takes, the chance
that it shoots the moon, the chance that somebody else does, and the chance that it takes J♦. Their weighted sum is what
a choice is worth; the weights follow from the rules.

Most features of a seat's position are still true at its next turn, so a :class:`Mind` keeps the sum of each seat's rows
and adds and subtracts only those that changed.

Arrays have a leading axis over networks of the same shape, so that past selves can sit at a training table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel, loose_kernel

TAKE_QUEEN, TAKE_HEARTS, SHOOT, SHOT, TAKE_JACK = range(5)
HEADS = 5
HEAD_NAMES = ("takes Q♠", "hearts taken", "shoots the moon", "another shoots the moon", "takes J♦")
SEATS = 4
MAX_TRUE = 200
"""The most features of a position that can be true at once."""
MAX_TRUE_OF_CARD = 16
ROWS = 4
"""The number of units in the second layer is a multiple of this."""


class Net(NamedTuple):
    """The weights of some networks of one shape."""

    position: npt.NDArray[np.float32]  # [networks, position features, first]
    card: npt.NDArray[np.float32]  # [networks, card features, first]
    bias: npt.NDArray[np.float32]  # [networks, first]
    hidden: npt.NDArray[np.float32]  # [networks, second, first]
    hidden_bias: npt.NDArray[np.float32]  # [networks, second]
    heads: npt.NDArray[np.float32]  # [networks, heads, second]
    heads_bias: npt.NDArray[np.float32]  # [networks, heads]


class Mind(NamedTuple):
    """Working memory for the decisions of four seats."""

    base: npt.NDArray[np.float32]  # [seats, first]: the rows of what each seat knew at its last decision
    true: npt.NDArray[np.int16]  # [seats, MAX_TRUE]: its features
    counts: npt.NDArray[np.int64]  # [seats]: how many
    mark: npt.NDArray[np.uint8]  # [seats, position features]: 1 for each of them
    now: npt.NDArray[np.int64]  # [MAX_TRUE]: the features of the present position
    changed: npt.NDArray[np.int16]  # [2, MAX_TRUE]: those that became true, and those that ceased to be
    changes: npt.NDArray[np.int64]  # [2]: how many
    card: npt.NDArray[np.int64]  # [MAX_TRUE_OF_CARD]: features of a candidate card
    first: npt.NDArray[np.float32]  # [first]
    second: npt.NDArray[np.float32]  # [second]
    heads: npt.NDArray[np.float32]  # [heads]
    best: npt.NDArray[np.float32]  # [heads]: those of the best card


def empty_net(networks: int, positions: int, cards: int, first: int, second: int) -> Net:
    """Networks with all weights zero."""

    def zeros(*shape: int) -> npt.NDArray[np.float32]:
        return np.zeros((networks, *shape), np.float32)

    return Net(
        zeros(positions, first), zeros(cards, first), zeros(first), zeros(second, first), zeros(second),
        zeros(HEADS, second), zeros(HEADS),
    )  # fmt: skip


def fresh_net(positions: int, cards: int, first: int, second: int, dice: np.random.Generator) -> Net:
    """One network with small random weights. Some 100 features are true at once, so their weights begin small."""
    net = empty_net(1, positions, cards, first, second)
    net.position[0] = dice.normal(0.0, 0.05, (positions, first))
    net.card[0] = dice.normal(0.0, 0.1, (cards, first))
    net.hidden[0] = dice.normal(0.0, (2.0 / first) ** 0.5, (second, first))
    net.heads[0] = dice.normal(0.0, 0.1 / second**0.5, (HEADS, second))
    return net


def new_mind(net: Net) -> Mind:
    """Working memory for decisions by a network."""
    second, first = net.hidden.shape[1:]
    return Mind(
        np.zeros((SEATS, first), np.float32), np.zeros((SEATS, MAX_TRUE), np.int16), np.zeros(SEATS, np.int64),
        np.zeros((SEATS, net.position.shape[1]), np.uint8), np.zeros(MAX_TRUE, np.int64),
        np.zeros((2, MAX_TRUE), np.int16), np.zeros(2, np.int64), np.zeros(MAX_TRUE_OF_CARD, np.int64),
        np.zeros(first, np.float32), np.zeros(second, np.float32), np.zeros(HEADS, np.float32),
        np.zeros(HEADS, np.float32),
    )  # fmt: skip


@loose_kernel
def _add_rows(table: Any, which: int, rows: Any, count: int, sign: np.float32, out: Any) -> None:
    """Add (or subtract) rows of weights, four at a time."""
    whole = count - count % ROWS
    for k in range(0, whole, ROWS):
        a, b, c, d = np.int64(rows[k]), np.int64(rows[k + 1]), np.int64(rows[k + 2]), np.int64(rows[k + 3])
        for i in range(out.shape[0]):
            out[i] += sign * ((table[which, a, i] + table[which, b, i]) + (table[which, c, i] + table[which, d, i]))
    for k in range(whole, count):
        a = np.int64(rows[k])
        for i in range(out.shape[0]):
            out[i] += sign * table[which, a, i]


@kernel
def forget(net: Net, which: int, mind: Mind, seat: int) -> None:
    """Begin a seat's sum afresh, for a network: no feature is true."""
    true, mark, base = mind.true, mind.mark, mind.base
    for k in range(mind.counts[seat]):
        mark[seat, true[seat, k]] = 0
    mind.counts[seat] = 0
    bias = net.bias
    for i in range(base.shape[1]):
        base[seat, i] = bias[which, i]


@kernel
def attend(net: Net, which: int, mind: Mind, seat: int, count: int) -> None:
    """Bring a seat's sum up to date with the features in `mind.now`; notes what changed."""
    position, base = net.position, mind.base[seat]
    true, mark, now, changed = mind.true[seat], mind.mark[seat], mind.now, mind.changed
    came, went = 0, 0
    for k in range(count):
        row = now[k]
        if mark[row] == 0:
            changed[0, came] = row
            came += 1
        mark[row] = 2
    for k in range(mind.counts[seat]):
        row = np.int64(true[k])
        if mark[row] != 2:
            mark[row] = 0
            changed[1, went] = row
            went += 1
    for k in range(count):
        true[k] = now[k]
        mark[now[k]] = 1
    _add_rows(position, which, changed[0], came, np.float32(1.0), base)
    _add_rows(position, which, changed[1], went, np.float32(-1.0), base)
    mind.counts[seat] = count
    mind.changes[0] = came
    mind.changes[1] = went


@loose_kernel
def predict(net: Net, which: int, mind: Mind, seat: int, count: int) -> None:
    """The predictions for a candidate card of a seat, whose features are in `mind.card`."""
    base, first, second, heads = mind.base, mind.first, mind.second, mind.heads
    hidden, hidden_bias, top, top_bias = net.hidden, net.hidden_bias, net.heads, net.heads_bias
    zero = np.float32(0.0)
    for i in range(first.shape[0]):
        first[i] = base[seat, i]
    _add_rows(net.card, which, mind.card, count, np.float32(1.0), first)
    for i in range(first.shape[0]):
        first[i] = max(first[i], zero)
    for j in range(0, second.shape[0], ROWS):  # four rows at a time, so that the first layer is read less often
        a, b, c, d = zero, zero, zero, zero
        for i in range(first.shape[0]):
            value = first[i]
            a += value * hidden[which, j, i]
            b += value * hidden[which, j + 1, i]
            c += value * hidden[which, j + 2, i]
            d += value * hidden[which, j + 3, i]
        second[j] = max(a + hidden_bias[which, j], zero)
        second[j + 1] = max(b + hidden_bias[which, j + 1], zero)
        second[j + 2] = max(c + hidden_bias[which, j + 2], zero)
        second[j + 3] = max(d + hidden_bias[which, j + 3], zero)
    for k in range(HEADS):
        total = top_bias[which, k]
        for j in range(second.shape[0]):
            total += second[j] * top[which, k, j]
        heads[k] = total


@kernel
def worth(heads: Any, weights: Any) -> float:
    """The weighted sum of the predictions; lower is better."""
    total = 0.0
    for k in range(HEADS):
        total += np.float64(heads[k]) * weights[k]
    return total
