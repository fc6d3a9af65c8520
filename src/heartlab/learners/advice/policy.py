"""Learning the vote itself: policy gradient on the cumulative weights, for constant and for state-dependent weights.

The paper's learner predicts, for each piece alone, how well its followers fare, and then lets the pieces vote: what is
learned is not what is used. Here cards are drawn with probabilities that grow with their score (softmax over the
cumulative weights), and the weights of all pieces that speak move together, along the gradient of the expected points.
A card is judged by the points that came after it, compared with what its state let one expect (a linear baseline).
Games are gathered into batches; each batch makes one step of Adam. Players then take the card with the highest score.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types

from heartlab.compiled.bits import ONE, ZERO, bit, popcount
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import any_of, uniform
from heartlab.kernel.layout import OBSERVATION, PLAYING, SEATS, STATE
from heartlab.kernel.observe import see
from heartlab.kernel.play import mask_points, play, points
from heartlab.kernel.table import random_card
from heartlab.learners.advice.kernels import (
    COMPANY,
    GAMES,
    GNOME,
    MAX_TURNS,
    RANDOM,
    STILL,
    VOTES,
    Company,
    Games,
    begin_game,
)
from heartlab.learners.advice.vote import (
    FUNCTIONS,
    LINEAR,
    MAX_INPUTS,
    THOUGHT,
    alike,
    choose,
    consider,
    note_choice,
)
from heartlab.players.gnome.stock import stock_card

BASELINE_WIDTH = MAX_INPUTS + 1
MAX_CLASSES = 52


class Gradient(NamedTuple):
    """How a batch of games is judged, and the sums that it fills."""

    scale: Any  # how sharply scores become probabilities
    relative: Any  # weight of the opponents' points, as a share of one's own
    rate: Any  # of the baseline
    baseline: Any  # [MAX_TURNS, BASELINE_WIDTH] expected utility of the rest of a game, linear in the state
    sums: Any  # the gradient, like the weights


@kernel
def draw(legal: np.uint64, thought: Any, scale: float, classes: Any, shares: Any, rng: Any) -> int:
    """Draw a card by the softmax of the scores; the slopes of its log-probability go into the thought.

    :param scale: how sharply scores become probabilities.
    """
    masks, speakers, slopes = thought["masks"], thought["speakers"], thought["slopes"]
    count = thought["speaker_count"]
    found, rest, top = 0, legal, -1e300
    while rest != ZERO:
        same, score = alike(thought, rest)
        rest &= ~same
        classes[found] = same
        shares[found] = score
        top = max(top, score)
        found += 1
    total = 0.0
    for c in range(found):
        shares[c] = popcount(classes[c]) * math.exp(scale * (shares[c] - top))
        total += shares[c]
    dice, picked = uniform(rng) * total, 0
    while picked < found - 1 and dice >= shares[picked]:
        dice -= shares[picked]
        picked += 1
    card = any_of(classes[picked], rng)
    for k in range(count):
        mask = masks[speakers[k]]
        expected = 0.0
        for c in range(found):
            if mask & classes[c] != ZERO:
                expected += shares[c]
        slopes[k] = scale * ((1.0 if mask & bit(card) != ZERO else 0.0) - expected / total)
    note_choice(thought, card)
    return card


@kernel
def _utility(rules: Any, obs: Any, relative: float) -> float:
    """What the cards taken so far are worth to a seat: its points, and those of the others as far as they matter."""
    value, players = 0.0, rules["players"]
    for seat in range(players):
        taken = mask_points(rules, obs["taken"][seat] & rules["penalty"])
        if rules["bonus"] >= 0 and obs["taken"][seat] & bit(rules["bonus"]) != ZERO:
            taken += rules["points"][rules["bonus"]]
        value += -taken if seat == obs["seat"] else relative * taken / (players - 1)
    return value


@kernel
def _learn_game(voter: Any, thoughts: Any, so_far: Any, turns: int, final: float, gradient: Gradient) -> None:
    """Add a game to the gradient, and let the baseline learn from it."""
    inputs, count = voter["input_count"], voter["piece_count"]
    baseline, rate, sums = gradient.baseline, gradient.rate, gradient.sums
    for turn in range(turns):
        thought = thoughts[turn]
        values, slopes, speakers = thought["values"], thought["slopes"], thought["speakers"]
        expected = baseline[turn, MAX_INPUTS]
        for j in range(inputs):
            expected += baseline[turn, j] * values[j]
        advantage = final - so_far[turn] - expected
        baseline[turn, MAX_INPUTS] += rate * advantage
        for j in range(inputs):
            baseline[turn, j] += rate * advantage * values[j]
        if thought["credited"] == ZERO:
            continue
        for k in range(thought["speaker_count"]):
            step = advantage * slopes[k]
            if voter["kind"] == LINEAR:
                place = voter["offset"] + speakers[k] * (inputs + 1)
                sums[place + inputs] += step
                for j in range(inputs):
                    sums[place + j] += step * values[j]
            else:
                sums[voter["offset"] + thought["row"] * count + speakers[k]] += step


@kernel
def gradient_games(games: Games, company: Company, pieces: Any, values: Any, gradient: Gradient) -> None:
    """Play games in which voters with a learning rule draw their cards, and sum up the gradient of their utility.

    :param pieces: function pointer to the users' pieces of advice; `values`: to their abstractions.
    """
    rules, seats, voters = games.rules[0], company.seats, company.voters
    states, obs = np.zeros(1, STATE), np.zeros(SEATS, OBSERVATION)
    thoughts, turns = np.zeros((SEATS, MAX_TURNS), THOUGHT), np.zeros(SEATS, np.int64)
    rng, so_far = np.empty(1, np.uint64), np.zeros((SEATS, MAX_TURNS))
    classes, shares = np.empty(MAX_CLASSES, np.uint64), np.empty(MAX_CLASSES)
    players = rules["players"]
    for row in range(len(games.out)):
        state = states[0]
        # Deal and pass.
        begin_game(rules, games.deal_key, games.play_key, games.first + row, state, seats, obs, turns, rng)
        # Play; learners draw their cards from the policy.
        while state["phase"] == PLAYING:
            seat = state["to_move"]
            who, turn = seats[seat]["who"], turns[seat]
            thought = thoughts[seat, turn]
            if who != RANDOM:
                see(rules, state, seat, games.play_key, obs[seat])
            if who == VOTES:
                consider(rules, obs[seat], voters[seat], company.floats, pieces, values, thought)
            legal = obs[seat]["legal"]
            if who == RANDOM:
                card = random_card(rules, state, rng)
            elif who == GNOME:
                card = stock_card(rules, obs[seat], rng)
            elif seats[seat]["rule"] == STILL:
                card = choose(voters[seat], legal, thought, rng)
            else:
                so_far[seat, turn] = _utility(rules, obs[seat], gradient.relative)
                card = draw(legal, thought, gradient.scale, classes, shares, rng)
                thought["credited"] = legal & (legal - ONE)
            turns[seat] += 1
            for other in range(players):
                obs[other]["history"][state["plays"]] = card
            play(rules, state, card)
        # Add the game to the gradient.
        out = games.out[row]
        points(rules, state, out)
        for seat in range(players):
            if seats[seat]["who"] != RANDOM and seats[seat]["rule"] != STILL:
                final = 0.0
                for other in range(players):
                    final += -out[seat] if other == seat else gradient.relative * out[other] / (players - 1)
                _learn_game(voters[seat], thoughts[seat], so_far[seat], turns[seat], final, gradient)


_GRADIENT = types.NamedTuple(
    (types.float64, types.float64, types.float64, types.float64[:, ::1], types.float64[::1]), Gradient
)
GRADIENT_GAMES = types.void(GAMES, COMPANY, *FUNCTIONS, _GRADIENT)


def prepare_gradient() -> None:
    """Compile the loop, once for all voters; call this before `gradient_games`."""
    compile_for(gradient_games, GRADIENT_GAMES)
