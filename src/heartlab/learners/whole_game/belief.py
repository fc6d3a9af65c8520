"""How likely a world is, by how people pass and play: hands that were passed to and from are no random hands.

Of the worlds that fit an observation none is favoured by the rules, but players void suits, pass their dangerous cards
and play what they can spare. A network with one layer compares worlds: its inputs are the features of the observation
and, for each of the others, the cards and the lengths of the suits that it holds now and held when play began (for
each direction of the pass with weights of its own). Its only output is the logarithm of a world's weight.

It learns to tell the real deal among uniform worlds. So its weights are ratios of densities: worlds drawn uniformly and
then picked by weight are drawn like real deals.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, lowest, popcount
from heartlab.compiled.jit import kernel, loose_kernel
from heartlab.compiled.rng import substream, uniform
from heartlab.kernel.layout import StateArray
from heartlab.kernel.ranks import suit_mask
from heartlab.learners.whole_game.features import POSITION_SIZE, position_features
from heartlab.learners.whole_game.network import MAX_TRUE, SEATS

OTHERS, CARDS, SUITS, LENGTHS = SEATS - 1, 52, 4, 14
OF_SEAT = CARDS + SUITS * LENGTHS
"""Features of one hand: its cards, and the lengths of its suits."""
OF_HANDS = OTHERS * OF_SEAT
WORLD_SIZE = SEATS * OF_HANDS
"""Features of a world: the hands now, then for each direction of the pass the hands with which play began."""
MAX_WORLD = 2 * OTHERS * (13 + SUITS)
"""More of them are never true at once."""
FOUR = 4
"""Rows that are added at a time."""
PICK_STREAM = 0x7069636B
"""Branch of a random key that picks worlds."""
NO_MATTER = 1e-3
"""Worlds whose slope is smaller are left out of the gradient."""


class Belief(NamedTuple):
    """The weights."""

    position: npt.NDArray[np.float32]  # [position features, units]
    world: npt.NDArray[np.float32]  # [world features, units]
    bias: npt.NDArray[np.float32]  # [units]
    out: npt.NDArray[np.float32]  # [units]


class Guess(NamedTuple):
    """Working memory for one observation and some of its worlds."""

    known: npt.NDArray[np.int64]  # [MAX_TRUE]: the features of the observation
    rows: npt.NDArray[np.int64]  # [MAX_WORLD]: the features of a world
    folded: npt.NDArray[np.float32]  # [features of the hands now, units]: rows of features that hold together, added up
    base: npt.NDArray[np.float32]  # [units]: what the observation adds to every world
    first: npt.NDArray[np.float32]  # [units]
    slope: npt.NDArray[np.float32]  # [units]
    slopes: npt.NDArray[np.float32]  # [units]: their sum over worlds


def empty_belief(units: int) -> Belief:
    """All weights zero."""
    return Belief(
        np.zeros((POSITION_SIZE, units), np.float32), np.zeros((WORLD_SIZE, units), np.float32),
        np.zeros(units, np.float32), np.zeros(units, np.float32),
    )  # fmt: skip


def fresh_belief(units: int, dice: np.random.Generator) -> Belief:
    """Small random weights; every world is about as likely at first."""
    belief = empty_belief(units)
    belief.position[:] = dice.normal(0.0, 0.05, belief.position.shape)
    belief.world[:] = dice.normal(0.0, 0.05, belief.world.shape)
    belief.out[:] = dice.normal(0.0, 0.1 / units**0.5, units)
    return belief


def wider_belief(belief: Belief, units: int, dice: np.random.Generator) -> Belief:
    """The same weights of worlds with more units; the new ones say nothing at first."""
    old, wide = len(belief.bias), fresh_belief(units, dice)
    wide.out[:] = 0.0
    for before, after in zip(belief, wide, strict=True):
        after[..., :old] = before
    return wide


def new_guess(belief: Belief) -> Guess:
    """Working memory for a network."""
    units = len(belief.bias)
    return Guess(
        np.zeros(MAX_TRUE, np.int64), np.zeros(MAX_WORLD, np.int64), np.empty((OF_HANDS, units), np.float32),
        *(np.zeros(units, np.float32) for _ in range(4)),
    )  # fmt: skip


# --- features of a world ---


@kernel
def _add_hand(hand: np.uint64, start: int, rows: Any, count: int) -> int:
    for suit in range(SUITS):
        rows[count] = start + CARDS + LENGTHS * suit + popcount(hand & suit_mask(suit))
        count += 1
    while hand != ZERO:
        rows[count] = start + lowest(hand)
        count += 1
        hand &= hand - ONE
    return count


@kernel
def world_features(obs: Any, world: Any, rows: Any) -> int:
    """The true features of a world; returns their number."""
    seat, code = np.int64(obs["seat"]), np.int64(obs["pass_code"])
    count = 0
    for other in range(OTHERS):
        holder = (seat + 1 + other) % SEATS
        hand = world["hands"][holder]
        count = _add_hand(hand, OF_SEAT * other, rows, count)
        if 0 < code < SEATS:
            count = _add_hand(hand | world["played"][holder], OF_HANDS * code + OF_SEAT * other, rows, count)
    return count


# --- weights of worlds ---


@loose_kernel
def _add_to(table: Any, rows: Any, count: int, out: Any) -> None:
    for k in range(count):
        row = rows[k]
        for i in range(out.shape[0]):
            out[i] += table[row, i]


@kernel
def consider(rules: Any, obs: Any, belief: Belief, guess: Guess) -> int:
    """Add up what an observation says of all worlds; returns how many features it has."""
    count = position_features(rules, obs, guess.known)
    for i in range(len(guess.base)):
        guess.base[i] = belief.bias[i]
    _add_to(belief.position, guess.known, count, guess.base)
    return count


@loose_kernel
def log_weight(belief: Belief, guess: Guess, count: int) -> float:
    """The logarithm of the weight of a world whose features are in `guess.rows`."""
    first, base, out = guess.first, guess.base, belief.out
    for i in range(first.shape[0]):
        first[i] = base[i]
    _add_to(belief.world, guess.rows, count, first)
    total = np.float32(0.0)
    for i in range(first.shape[0]):
        first[i] = max(first[i], np.float32(0.0))
        total += first[i] * out[i]
    return np.float64(total)


@loose_kernel
def _fold_row(belief: Belief, guess: Guess, now: int, began: int) -> None:
    """The row of a feature of a hand now, and that of what follows from it for the hand at the beginning, if any."""
    table, folded = belief.world, guess.folded
    if began < 0:
        folded[now] = table[now]
    else:
        for i in range(folded.shape[1]):
            folded[now, i] = table[now, i] + table[began, i]


@kernel
def fold(obs: Any, world: Any, belief: Belief, guess: Guess) -> None:
    """Add up what is the same in all worlds, and the rows of features that hold together in each of them.

    A card that is held now was held when play began, the cards played since are known, and so a suit's length now says
    how long it was. So a world costs a row for each unseen card and each suit, and not more than twice as many.
    """
    seat, code = np.int64(obs["seat"]), np.int64(obs["pass_code"])
    passed, unseen = 0 < code < SEATS, ZERO
    for holder in range(SEATS):
        if holder != seat:
            unseen |= world["hands"][holder]
    for other in range(OTHERS):
        played = world["played"][(seat + 1 + other) % SEATS]
        now, began = OF_SEAT * other, OF_HANDS * code + OF_SEAT * other
        cards = unseen
        while cards != ZERO:
            card = lowest(cards)
            cards &= cards - ONE
            _fold_row(belief, guess, now + card, began + card if passed else -1)
        for suit in range(SUITS):
            gone, start = popcount(played & suit_mask(suit)), CARDS + LENGTHS * suit
            for length in range(popcount(unseen & suit_mask(suit)) + 1):
                _fold_row(belief, guess, now + start + length, began + start + length + gone if passed else -1)
        if passed:
            count = 0
            while played != ZERO:
                guess.rows[count] = began + lowest(played)
                count += 1
                played &= played - ONE
            _add_to(belief.world, guess.rows, count, guess.base)


@loose_kernel
def _folded_weight(belief: Belief, guess: Guess, count: int) -> float:
    """As `log_weight`, from folded rows, four at a time."""
    first, base, out, rows, table = guess.first, guess.base, belief.out, guess.rows, guess.folded
    for i in range(first.shape[0]):
        first[i] = base[i]
    whole = count - count % FOUR
    for k in range(0, whole, FOUR):
        a, b, c, d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for i in range(first.shape[0]):
            first[i] += (table[a, i] + table[b, i]) + (table[c, i] + table[d, i])
    for k in range(whole, count):
        a = rows[k]
        for i in range(first.shape[0]):
            first[i] += table[a, i]
    total = np.float32(0.0)
    for i in range(first.shape[0]):
        total += max(first[i], np.float32(0.0)) * out[i]
    return np.float64(total)


@kernel
def weigh_worlds(rules: Any, obs: Any, belief: Belief, guess: Guess, worlds: Any, out: Any) -> None:
    """The logarithm of each world's weight, up to a constant."""
    consider(rules, obs, belief, guess)
    fold(obs, worlds[0], belief, guess)
    for i in range(len(worlds)):
        count = 0
        for other in range(OTHERS):
            hand = worlds[i]["hands"][(np.int64(obs["seat"]) + 1 + other) % SEATS]
            count = _add_hand(hand, OF_SEAT * other, guess.rows, count)
        out[i] = _folded_weight(belief, guess, count)


@kernel
def pick_worlds(logs: Any, rng: Any, picks: Any) -> None:
    """Draw worlds in proportion to their weights: systematic resampling, with one random number."""
    most = logs.max()
    total = 0.0
    for i in range(len(logs)):
        total += np.exp(logs[i] - most)
    step = total / len(picks)
    mark = step * uniform(rng)
    i, upto = 0, np.exp(logs[0] - most)
    for k in range(len(picks)):
        while upto < mark and i < len(logs) - 1:
            i += 1
            upto += np.exp(logs[i] - most)
        picks[k] = i
        mark += step


def picked(worlds: StateArray, logs: npt.NDArray[np.float64], count: int, key: np.uint64) -> StateArray:
    """Some of the worlds, each as often as its weight says."""
    chosen, times = picked_once(worlds, logs, count, key)
    return np.repeat(chosen, times)


def picked_once(
    worlds: StateArray, logs: npt.NDArray[np.float64], count: int, key: np.uint64
) -> tuple[StateArray, npt.NDArray[np.int64]]:
    """The worlds that are picked, and how often each of them is."""
    picks, rng = np.zeros(count, np.int64), np.array([substream(key, PICK_STREAM)], np.uint64)
    pick_worlds(logs, rng, picks)
    places, times = np.unique(picks, return_counts=True)
    return worlds[places], times


# --- learning ---


@loose_kernel
def _learn_world(belief: Belief, grads: Belief, guess: Guess, count: int, slope: float) -> None:
    """Back-propagation from the weight of the world whose first layer is in `guess.first`."""
    first, back, total, out, out_grads, rows = (
        guess.first, guess.slope, guess.slopes, belief.out, grads.out, guess.rows,
    )  # fmt: skip
    table, small, zero = grads.world, np.float32(slope), np.float32(0.0)
    for i in range(first.shape[0]):
        out_grads[i] += small * first[i]
        back[i] = small * out[i] if first[i] > zero else zero
        total[i] += back[i]
    for k in range(count):
        row = rows[k]
        for i in range(back.shape[0]):
            table[row, i] += back[i]


@kernel
def learn_worlds(rules: Any, obs: Any, belief: Belief, grads: Belief, guess: Guess, worlds: Any, logs: Any,
                 counts: Any) -> None:  # fmt: skip
    """Add the gradient of the cross-entropy of the real deal, `worlds[0]`, among all worlds.

    `counts` takes the number of observations, and the nats by which the real deal is told from the others.
    """
    known = consider(rules, obs, belief, guess)
    most, total = -np.inf, 0.0
    for i in range(len(worlds)):
        logs[i] = log_weight(belief, guess, world_features(obs, worlds[i], guess.rows))
        most = max(most, logs[i])
    for i in range(len(worlds)):
        total += np.exp(logs[i] - most)
    counts[0] += 1.0
    counts[1] += logs[0] - most - np.log(total / len(worlds))
    for i in range(len(guess.slopes)):
        guess.slopes[i] = np.float32(0.0)
    for i in range(len(worlds)):
        slope = np.exp(logs[i] - most) / total - (1.0 if i == 0 else 0.0)
        if abs(slope) > NO_MATTER:
            rows = world_features(obs, worlds[i], guess.rows)
            log_weight(belief, guess, rows)
            _learn_world(belief, grads, guess, rows, slope)
    for i in range(len(guess.slopes)):
        grads.bias[i] += guess.slopes[i]
    for k in range(known):
        row = guess.known[k]
        for i in range(len(guess.slopes)):
            grads.position[row, i] += guess.slopes[i]
