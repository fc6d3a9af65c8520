"""Games between voters, some of which learn as they play: one compiled loop from the deal to the points.

Each seat holds a voter, a random player or the default gnome player. A voter with a learning rule changes its weights
by temporal differences:

- TD(0), as in the paper: at its next turn the weights of the pieces that suggested its last card move towards the
  same pieces' weights in the new state, after the last trick towards the reward.
- `trace` > 0: the targets are λ-returns, computed when the game is over.
- *joint*: the prediction is the sum of the weights of the suggesting pieces, which is what the vote uses; the pieces
  share its error. The paper's own rule moves each piece by itself.

The cards of a game depend on (deal key, number), the players' random choices on (play key, number).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from heartlab.compiled.bits import ONE, ZERO, lowest, popcount
from heartlab.compiled.jit import compile_for, kernel
from heartlab.compiled.rng import substream
from heartlab.kernel.dealing import deal, give, random_pass
from heartlab.kernel.layout import OBSERVATION, PASSING, PLAYING, SEATS, STATE
from heartlab.kernel.observe import see
from heartlab.kernel.play import play, points
from heartlab.kernel.table import random_card
from heartlab.learners.advice.network import net_learn
from heartlab.learners.advice.vote import (
    FUNCTIONS,
    LINEAR,
    MAX_PIECES,
    NET,
    RULES_ARRAY,
    THOUGHT,
    VOTERS,
    choose,
    consider,
)
from heartlab.players.gnome.jake import jake_pass
from heartlab.players.gnome.stock import stock_card, stock_pass

VOTES, RANDOM, GNOME = range(3)
"""Who plays in a seat."""
STILL, TD, JOINT = range(3)
"""Learning rules: none, each piece by itself, all suggesting pieces together."""
MAX_TURNS = 18
"""The most cards that a seat plays in a deal, plus one."""

SEAT = np.dtype(
    [
        ("who", "i8"),
        ("rule", "i8"),
        ("forced", "i8"),  # whether turns with one legal card are learned from
        ("everybody", "i8"),  # whether pieces that did not suggest the card are credited, too
        ("rate", "f8"),
        ("momentum", "f8"),  # of a network
        ("trace", "f8"),  # λ
        ("best", "f8"),  # points that are reward 1
        ("worst", "f8"),  # points that are reward 0
    ],
    align=True,
)


class Games(NamedTuple):
    """Which games are played: those with the numbers `first` and on, one per row of `out`."""

    rules: Any  # [1] RULES
    deal_key: Any
    play_key: Any
    first: Any
    out: Any  # [games, SEATS] points


class Company(NamedTuple):
    """Who plays them."""

    seats: Any  # [SEATS] SEAT
    voters: Any  # [SEATS] VOTER
    floats: Any  # the weights of all voters
    velocity: Any  # the last changes of the weights, for momentum


class Custom(NamedTuple):
    """Function pointers to the users' own advice."""

    pieces: Any
    values: Any


# --- learning ---


@kernel
def _credited(seat: Any, voter: Any, thought: Any) -> np.uint64:
    """The pieces whose weights are to move after a turn."""
    if seat["everybody"]:
        return (ONE << np.uint64(voter["piece_count"])) - ONE
    return thought["suggesters"]


@kernel
def _nudge(voter: Any, floats: Any, thought: Any, piece: int, step: float) -> None:
    """Move the weight of a piece in the state of a thought."""
    if voter["kind"] == LINEAR:
        inputs = voter["input_count"]
        place = voter["offset"] + piece * (inputs + 1)
        floats[place + inputs] += step
        for j in range(inputs):
            floats[place + j] += step * thought["values"][j]
    else:
        floats[voter["offset"] + thought["row"] * voter["piece_count"] + piece] += step


@kernel
def _sum_of(pieces: np.uint64, count: int, thought: Any) -> float:
    """The sum of the weights of some pieces."""
    total = 0.0
    for i in range(count):
        if (pieces >> np.uint64(i)) & ONE != ZERO:
            total += thought["weights"][i]
    return total


@kernel
def _learn_step(seat: Any, voter: Any, floats: Any, velocity: Any, thought: Any, targets: Any) -> None:
    """One step towards targets, one per piece; the joint rule uses only the first."""
    credited, count = thought["credited"], voter["piece_count"]
    if credited == ZERO:
        return
    if voter["kind"] == NET:
        net_learn(voter, floats, velocity, thought, targets, credited, seat["rate"], seat["momentum"])
        return
    if seat["rule"] == JOINT:
        step = seat["rate"] * (targets[0] - _sum_of(credited, count, thought)) / popcount(credited)
        for i in range(count):
            if (credited >> np.uint64(i)) & ONE != ZERO:
                _nudge(voter, floats, thought, i, step)
        return
    place = voter["offset"] + thought["row"] * count
    for i in range(count):
        if (credited >> np.uint64(i)) & ONE != ZERO:
            weight = thought["weights"][i] if voter["kind"] == LINEAR else floats[place + i]
            _nudge(voter, floats, thought, i, seat["rate"] * (targets[i] - weight))


@kernel
def _learn_returns(seat: Any, voter: Any, floats: Any, velocity: Any, thoughts: Any, turns: int, targets: Any) -> None:
    """All steps of a game at its end, last turn first, towards λ-returns of the weights as they were in the game.

    `targets` hold the reward at first.
    """
    count, trace = voter["piece_count"], seat["trace"]
    for turn in range(turns - 1, -1, -1):
        if turn < turns - 1:
            later = thoughts[turn + 1]
            if seat["rule"] == JOINT:
                targets[0] = (1.0 - trace) * _sum_of(later["suggesters"], count, later) + trace * targets[0]
            else:
                for i in range(count):
                    targets[i] = (1.0 - trace) * later["weights"][i] + trace * targets[i]
        _learn_step(seat, voter, floats, velocity, thoughts[turn], targets)


@kernel
def _is_online(seat: Any) -> bool:
    """Whether a voter learns at every turn: TD(0)."""
    return seat["rule"] == TD and seat["trace"] == 0.0


@kernel
def _learn_outcome(
    seat: Any, voter: Any, floats: Any, velocity: Any, thoughts: Any, turns: int, points: int, targets: Any
) -> None:
    """Learn from the points of a game: the last step of TD(0), or all steps."""
    reward = (seat["worst"] - points) / (seat["worst"] - seat["best"])
    for i in range(voter["piece_count"]):
        targets[i] = reward
    if _is_online(seat):
        _learn_step(seat, voter, floats, velocity, thoughts[(turns - 1) % 2], targets)
    else:
        _learn_returns(seat, voter, floats, velocity, thoughts, turns, targets)


# --- playing ---


@kernel
def pass_cards(rules: Any, key: np.uint64, state: Any, seats: Any, obs: Any, rng: Any) -> None:
    """Everybody passes; voters pass like gnome:jake, since there is no advice about passing."""
    for seat in range(rules["players"]):
        who = seats[seat]["who"]
        if who == RANDOM:
            cards = random_pass(rules, state["hands"][seat], rng)
        else:
            see(rules, state, seat, key, obs[seat])
            cards = stock_pass(rules, obs[seat], rng) if who == GNOME else jake_pass(rules, obs[seat], rng)
        obs[seat]["passed"] = cards
    for seat in range(rules["players"]):
        give(rules, state, seat, obs[seat]["passed"], rng)


@kernel
def begin_game(
    rules: Any, deal_key: np.uint64, play_key: np.uint64, number: int, state: Any, seats: Any, obs: Any, turns: Any,
    rng: Any,
) -> None:  # fmt: skip
    """Deal game `number`, pass, and clear the notes of each seat; `rng` is then that of the game's players."""
    rng[0] = substream(deal_key, number)
    deal(rules, state, number, rng)
    rng[0] = substream(play_key, number)
    for seat in range(rules["players"]):
        turns[seat] = 0
        for ply in range(52):
            obs[seat]["history"][ply] = -1
    if state["phase"] == PASSING:
        pass_cards(rules, play_key, state, seats, obs, rng)


@kernel
def _counts(seat: Any, legal: np.uint64) -> bool:
    """Whether a turn is considered: with a single legal card only if it is learned from."""
    return legal & (legal - ONE) != ZERO or (seat["forced"] != 0 and seat["rule"] != STILL)


@kernel
def _turn(
    rules: Any, seat: Any, voter: Any, obs: Any, floats: Any, velocity: Any, custom: Custom, thoughts: Any, turn: int,
    rng: Any,
) -> int:  # fmt: skip
    """The card of a voter."""
    legal = obs["legal"]
    if not _counts(seat, legal):
        return lowest(legal)
    online = _is_online(seat)
    thought = thoughts[turn % 2 if online or seat["rule"] == STILL else turn]
    consider(rules, obs, voter, floats, custom.pieces, custom.values, thought)
    # TD(0): the pieces that suggested the last card move towards their weights in the new state.
    if online and turn > 0:
        _learn_step(seat, voter, floats, velocity, thoughts[1 - turn % 2], thought["weights"])
    # The vote.
    card = choose(voter, legal, thought, rng)
    if seat["rule"] != STILL:
        thought["credited"] = _credited(seat, voter, thought)
    return card


@kernel
def play_games(games: Games, company: Company, pieces: Any, values: Any) -> None:
    """Play games; voters with a learning rule change their weights as they go.

    :param pieces: function pointer to the users' pieces of advice; `values`: to their abstractions.
    """
    rules, out, custom = games.rules[0], games.out, Custom(pieces, values)
    seats, voters, floats, velocity = company
    states, obs = np.zeros(1, STATE), np.zeros(SEATS, OBSERVATION)
    thoughts, turns = np.zeros((SEATS, MAX_TURNS), THOUGHT), np.zeros(SEATS, np.int64)
    rng, targets, players = np.empty(1, np.uint64), np.empty(MAX_PIECES), rules["players"]
    for row in range(len(out)):
        state = states[0]
        # Deal and pass.
        begin_game(rules, games.deal_key, games.play_key, games.first + row, state, seats, obs, turns, rng)
        # Play; voters that learn by TD(0) do so at each of their turns.
        while state["phase"] == PLAYING:
            seat = state["to_move"]
            who = seats[seat]["who"]
            if who == RANDOM:
                card = random_card(rules, state, rng)
            else:
                see(rules, state, seat, games.play_key, obs[seat])
                if who == GNOME:
                    card = stock_card(rules, obs[seat], rng)
                else:
                    card = _turn(
                        rules, seats[seat], voters[seat], obs[seat], floats, velocity, custom, thoughts[seat],
                        turns[seat], rng,
                    )  # fmt: skip
                    turns[seat] += _counts(seats[seat], obs[seat]["legal"])
            for other in range(players):
                obs[other]["history"][state["plays"]] = card
            play(rules, state, card)
        # Learn from the outcome.
        points(rules, state, out[row])
        for seat in range(players):
            if seats[seat]["who"] == VOTES and seats[seat]["rule"] != STILL and turns[seat] > 0:
                _learn_outcome(
                    seats[seat], voters[seat], floats, velocity, thoughts[seat], turns[seat], out[row, seat], targets
                )


_FLOATS = types.float64[::1]
GAMES = types.NamedTuple((RULES_ARRAY, types.uint64, types.uint64, types.int64, types.int32[:, ::1]), Games)
COMPANY = types.NamedTuple((types.Array(numba.from_dtype(SEAT), 1, "C"), VOTERS, _FLOATS, _FLOATS), Company)
PLAY_GAMES = types.void(GAMES, COMPANY, *FUNCTIONS)


def prepare() -> None:
    """Compile the loop, once for all voters; call this before `play_games`."""
    compile_for(play_games, PLAY_GAMES)
