"""Games between voters, some of which learn as they play: one compiled loop from the deal to the points.

At each table sit, per seat, a voter, a random player or the default gnome player. A voter with a learning rule changes
its weights by temporal differences:

- TD(0), as in the paper: at its next turn the weights of the pieces that had suggested its last card move towards the
  same pieces' weights in the new state, after the last trick towards the reward.
- with `trace` > 0 the targets are λ-returns, worked out when the game is over.
- *jointly*: the sum of the weights of the suggesting pieces, which is what the vote goes by, is the one prediction that
  moves towards its target; the pieces share the error. The paper's own rule moves each piece by itself.

The cards of a game depend on (deal key, number), the players' dice on (play key, number), and on nothing else.
"""

from __future__ import annotations

from typing import Any

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
"""Who sits in a seat."""
STILL, TD, JOINT = range(3)
"""Learning rules: none, each piece by itself, all suggesting pieces together."""
MAX_TURNS = 18
"""Most cards that a seat plays in a deal, and one more."""

SEAT = np.dtype(
    [
        ("who", "i8"),
        ("rule", "i8"),
        ("forced", "i8"),  # whether a turn with one legal card counts as one to learn from
        ("everybody", "i8"),  # whether pieces that did not suggest the card are credited, too
        ("rate", "f8"),
        ("momentum", "f8"),  # of a network
        ("trace", "f8"),  # λ
        ("best", "f8"),  # points that are reward 1
        ("worst", "f8"),  # points that are reward 0
    ],
    align=True,
)


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
def _learn_step(seat: Any, voter: Any, floats: Any, velocity: Any, thought: Any, targets: Any) -> None:
    """One step towards targets, one per piece; for the joint rule only the first counts."""
    credited = thought["credited"]
    if credited == ZERO:
        return
    if voter["kind"] == NET:
        net_learn(voter, floats, velocity, thought, targets, credited, seat["rate"], seat["momentum"])
        return
    if seat["rule"] == JOINT:
        total = 0.0
        for i in range(voter["piece_count"]):
            if (credited >> np.uint64(i)) & ONE != ZERO:
                total += thought["weights"][i]
        step = seat["rate"] * (targets[0] - total) / popcount(credited)
        for i in range(voter["piece_count"]):
            if (credited >> np.uint64(i)) & ONE != ZERO:
                _nudge(voter, floats, thought, i, step)
        return
    place = voter["offset"] + thought["row"] * voter["piece_count"]
    for i in range(voter["piece_count"]):
        if (credited >> np.uint64(i)) & ONE != ZERO:
            weight = thought["weights"][i] if voter["kind"] == LINEAR else floats[place + i]
            _nudge(voter, floats, thought, i, seat["rate"] * (targets[i] - weight))


@kernel
def _learn_from_game(
    seat: Any, voter: Any, floats: Any, velocity: Any, thoughts: Any, turns: int, reward: float, targets: Any
) -> None:
    """All steps of a game at its end, last turn first, towards λ-returns of the weights as they were in the game."""
    count, trace = voter["piece_count"], seat["trace"]
    for i in range(count):
        targets[i] = reward
    for turn in range(turns - 1, -1, -1):
        if turn < turns - 1:
            later = thoughts[turn + 1]
            if seat["rule"] == JOINT:
                total = 0.0
                for i in range(count):
                    if (later["suggesters"] >> np.uint64(i)) & ONE != ZERO:
                        total += later["weights"][i]
                targets[0] = (1.0 - trace) * total + trace * targets[0]
            else:
                for i in range(count):
                    targets[i] = (1.0 - trace) * later["weights"][i] + trace * targets[i]
        _learn_step(seat, voter, floats, velocity, thoughts[turn], targets)


@kernel
def pass_cards(rules: Any, key: np.uint64, state: Any, seats: Any, obs: Any, rng: Any) -> None:
    """Everybody passes: voters like gnome:jake, for want of advice about it."""
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
def _counts(seat: Any, legal: np.uint64) -> bool:
    """Whether a turn needs thought: one with a single legal card does only if it is learned from."""
    return legal & (legal - ONE) != ZERO or (seat["forced"] != 0 and seat["rule"] != STILL)


@kernel
def _turn(
    rules: Any, seat: Any, voter: Any, obs: Any, floats: Any, velocity: Any, pieces: Any, values: Any, thoughts: Any,
    turn: int, rng: Any,
) -> int:  # fmt: skip
    """The card of a voter, who first learns from what the new state says about its last one."""
    legal = obs["legal"]
    if not _counts(seat, legal):
        return lowest(legal)
    online = seat["rule"] == TD and seat["trace"] == 0.0
    thought = thoughts[turn % 2 if online or seat["rule"] == STILL else turn]
    consider(rules, obs, voter, floats, pieces, values, thought)
    if online and turn > 0:
        _learn_step(seat, voter, floats, velocity, thoughts[1 - turn % 2], thought["weights"])
    card = choose(voter, legal, thought, rng)
    if seat["rule"] != STILL:
        thought["credited"] = _credited(seat, voter, thought)
    return card


@kernel
def begin_game(
    rules: Any, deal_key: np.uint64, play_key: np.uint64, number: int, state: Any, seats: Any, obs: Any, turns: Any,
    rng: Any,
) -> None:  # fmt: skip
    """Deal game `number`, pass, and clear what is noted of each seat's turns; `rng` is then the game's own."""
    rng[0] = substream(deal_key, number)
    deal(rules[0], state, number, rng)
    rng[0] = substream(play_key, number)
    for seat in range(rules[0]["players"]):
        turns[seat] = 0
        for ply in range(52):
            obs[seat]["history"][ply] = -1
    if state["phase"] == PASSING:
        pass_cards(rules[0], play_key, state, seats, obs, rng)


@kernel
def play_games(
    rules: Any, deal_key: np.uint64, play_key: np.uint64, first: int, seats: Any, voters: Any, floats: Any,
    velocity: Any, pieces: Any, values: Any, out: Any,
) -> None:  # fmt: skip
    """Play games number `first` and on, one per row of `out`, which takes the points of each seat."""
    states, obs = np.zeros(1, STATE), np.zeros(SEATS, OBSERVATION)
    thoughts = np.zeros((SEATS, MAX_TURNS), THOUGHT)
    rng, turns, targets = np.empty(1, np.uint64), np.zeros(SEATS, np.int64), np.empty(MAX_PIECES)
    players = rules[0]["players"]
    for row in range(len(out)):
        state = states[0]
        begin_game(rules, deal_key, play_key, first + row, state, seats, obs, turns, rng)
        while state["phase"] == PLAYING:
            seat = state["to_move"]
            who = seats[seat]["who"]
            if who == RANDOM:
                card = random_card(rules[0], state, rng)
            else:
                see(rules[0], state, seat, play_key, obs[seat])
                if who == GNOME:
                    card = stock_card(rules[0], obs[seat], rng)
                else:
                    card = _turn(
                        rules[0], seats[seat], voters[seat], obs[seat], floats, velocity, pieces, values,
                        thoughts[seat], turns[seat], rng,
                    )  # fmt: skip
                    turns[seat] += _counts(seats[seat], obs[seat]["legal"])
            for other in range(players):
                obs[other]["history"][state["plays"]] = card
            play(rules[0], state, card)
        points(rules[0], state, out[row])
        for seat in range(players):
            teacher = seats[seat]
            if teacher["who"] == VOTES and teacher["rule"] != STILL:
                reward = (teacher["worst"] - out[row, seat]) / (teacher["worst"] - teacher["best"])
                if turns[seat] == 0:
                    continue
                if teacher["rule"] == TD and teacher["trace"] == 0.0:
                    for i in range(voters[seat]["piece_count"]):
                        targets[i] = reward
                    last = thoughts[seat, (turns[seat] - 1) % 2]
                    _learn_step(teacher, voters[seat], floats, velocity, last, targets)
                else:
                    _learn_from_game(
                        teacher, voters[seat], floats, velocity, thoughts[seat], turns[seat], reward, targets
                    )  # fmt: skip


_SEATS = types.Array(numba.from_dtype(SEAT), 1, "C")
PLAY_GAMES = types.void(
    RULES_ARRAY, types.uint64, types.uint64, types.int64, _SEATS, VOTERS, types.float64[::1], types.float64[::1],
    *FUNCTIONS, types.int32[:, ::1],
)  # fmt: skip


def prepare() -> None:
    """Compile the loop, once for all voters; call this before `play_games`."""
    compile_for(play_games, PLAY_GAMES)
