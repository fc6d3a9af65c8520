"""Who holds what: for each card that a seat has not seen, the chance that each of the others holds it.

A network over the features of the observation, one layer, and a choice between three seats for each card. It learns
from deals that were played: what others have played and passed tells what they hold. Worlds are drawn uniformly
and then picked by their weight, the product of the chances of all cards, so that a look ahead sees the deals that are
likely, not only those that are possible.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, bit, lowest
from heartlab.compiled.jit import kernel, loose_kernel
from heartlab.compiled.rng import uniform
from heartlab.learners.whole_game.features import POSITION_SIZE, position_features, unseen_cards
from heartlab.learners.whole_game.network import MAX_TRUE, SEATS

OTHERS = SEATS - 1
CARDS = 52
NEVER = -50.0
"""The logarithm of a chance that is none."""


class Belief(NamedTuple):
    """The weights."""

    position: npt.NDArray[np.float32]  # [position features, units]
    bias: npt.NDArray[np.float32]  # [units]
    out: npt.NDArray[np.float32]  # [cards * others, units]
    out_bias: npt.NDArray[np.float32]  # [cards * others]


class Guess(NamedTuple):
    """Working memory for one observation."""

    rows: npt.NDArray[np.int64]  # [MAX_TRUE]: the features that are true
    first: npt.NDArray[np.float32]  # [units]
    slope: npt.NDArray[np.float32]  # [units]
    chances: npt.NDArray[np.float32]  # [cards, others]: for cards that were not seen; seats clockwise


def empty_belief(units: int) -> Belief:
    """All weights zero."""
    return Belief(
        np.zeros((POSITION_SIZE, units), np.float32), np.zeros(units, np.float32),
        np.zeros((CARDS * OTHERS, units), np.float32), np.zeros(CARDS * OTHERS, np.float32),
    )  # fmt: skip


def fresh_belief(units: int, dice: np.random.Generator) -> Belief:
    """Small random weights; every seat is as likely at first."""
    belief = empty_belief(units)
    belief.position[:] = dice.normal(0.0, 0.05, belief.position.shape)
    return belief


def new_guess(belief: Belief) -> Guess:
    """Working memory for a network."""
    units = len(belief.bias)
    return Guess(
        np.zeros(MAX_TRUE, np.int64), np.zeros(units, np.float32), np.zeros(units, np.float32),
        np.zeros((CARDS, OTHERS), np.float32),
    )  # fmt: skip


@kernel
def hidden_cards(rules: Any, obs: Any) -> np.uint64:
    """The cards whose holder the seat does not know: unseen, and not passed by itself."""
    return unseen_cards(rules, obs) & ~obs["passed"]


@loose_kernel
def _first_layer(belief: Belief, guess: Guess, count: int) -> None:
    position, bias, first, rows = belief.position, belief.bias, guess.first, guess.rows
    for i in range(first.shape[0]):
        first[i] = bias[i]
    for k in range(count):
        row = rows[k]
        for i in range(first.shape[0]):
            first[i] += position[row, i]
    for i in range(first.shape[0]):
        first[i] = max(first[i], np.float32(0.0))


@loose_kernel
def _score(belief: Belief, guess: Guess, row: int) -> float:
    """The logarithm, up to a constant, of the chance of a card and a seat."""
    out, first = belief.out, guess.first
    total = np.float32(0.0)
    for i in range(first.shape[0]):
        total += out[row, i] * first[i]
    return np.float64(total + belief.out_bias[row])


@kernel
def _holders(belief: Belief, guess: Guess, obs: Any, card: int) -> int:
    """Fill the chances of one card; returns how many seats may hold it."""
    seat, chances = np.int64(obs["seat"]), guess.chances
    count, most = 0, -np.inf
    for other in range(OTHERS):
        if obs["may_hold"][(seat + 1 + other) % SEATS] & bit(card) != ZERO:
            count += 1
            score = _score(belief, guess, card * OTHERS + other)
            chances[card, other] = score
            most = max(most, score)
    total = 0.0
    for other in range(OTHERS):
        if obs["may_hold"][(seat + 1 + other) % SEATS] & bit(card) != ZERO:
            chances[card, other] = np.exp(chances[card, other] - most)
            total += chances[card, other]
        else:
            chances[card, other] = 0.0
    for other in range(OTHERS):
        chances[card, other] /= total
    return count


@kernel
def believe(rules: Any, obs: Any, belief: Belief, guess: Guess) -> None:
    """Fill the chances of all cards that were not seen."""
    _first_layer(belief, guess, position_features(rules, obs, guess.rows))
    cards = hidden_cards(rules, obs)
    while cards != ZERO:
        _holders(belief, guess, obs, lowest(cards))
        cards &= cards - ONE


# --- worlds by their weight ---


@kernel
def weigh_worlds(rules: Any, obs: Any, belief: Belief, guess: Guess, worlds: Any, out: Any) -> None:
    """The logarithm of each world's weight: the sum over its unseen cards."""
    believe(rules, obs, belief, guess)
    logs = np.empty((CARDS, OTHERS))
    for card in range(CARDS):
        for other in range(OTHERS):
            chance = guess.chances[card, other]
            logs[card, other] = np.log(chance) if chance > 0.0 else NEVER
    seat, hidden = np.int64(obs["seat"]), hidden_cards(rules, obs)
    for i in range(len(worlds)):
        total = 0.0
        for other in range(OTHERS):
            cards = worlds[i]["hands"][(seat + 1 + other) % SEATS] & hidden
            while cards != ZERO:
                total += logs[lowest(cards), other]
                cards &= cards - ONE
        out[i] = total


@kernel
def pick_worlds(logs: Any, rng: Any, picks: Any) -> None:
    """Numbers of worlds, each as often as its weight says: systematic resampling with one random number."""
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


# --- learning ---


@loose_kernel
def _learn_score(belief: Belief, grads: Belief, guess: Guess, row: int, slope: float) -> None:
    out, out_grads, first, back = belief.out, grads.out, guess.first, guess.slope
    small = np.float32(slope)
    grads.out_bias[row] += small
    for i in range(first.shape[0]):
        out_grads[row, i] += small * first[i]
    for i in range(first.shape[0]):
        back[i] += small * out[row, i]


@kernel
def learn_holders(rules: Any, obs: Any, hands: Any, belief: Belief, grads: Belief, guess: Guess, counts: Any) -> None:
    """Add the gradient of the cross-entropy of who holds the unseen cards; counts cards, and their cross-entropy."""
    count = position_features(rules, obs, guess.rows)
    _first_layer(belief, guess, count)
    seat, back, first = np.int64(obs["seat"]), guess.slope, guess.first
    for i in range(back.shape[0]):
        back[i] = np.float32(0.0)
    cards = hidden_cards(rules, obs)
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        if _holders(belief, guess, obs, card) < 2:
            continue
        for other in range(OTHERS):
            chance = np.float64(guess.chances[card, other])
            holds = hands[(seat + 1 + other) % SEATS] & bit(card) != ZERO
            if holds:
                counts[0] += 1.0
                counts[1] -= np.log(max(chance, 1e-12))
            if chance > 0.0:
                _learn_score(belief, grads, guess, card * OTHERS + other, chance - (1.0 if holds else 0.0))
    for i in range(back.shape[0]):
        if first[i] <= np.float32(0.0):
            back[i] = np.float32(0.0)
        grads.bias[i] += back[i]
    rows, position = guess.rows, grads.position
    for k in range(count):
        for i in range(back.shape[0]):
            position[rows[k], i] += back[i]
