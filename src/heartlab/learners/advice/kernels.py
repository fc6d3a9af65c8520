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


class Mind(NamedTuple):
    """One voter of a company."""

    seat: Any
    voter: Any
    floats: Any
    velocity: Any


class Notes(NamedTuple):
    """What a loop keeps about the seats during a game."""

    obs: Any  # [SEATS] OBSERVATION
    thoughts: Any  # [SEATS, MAX_TURNS] THOUGHT
    turns: Any  # [SEATS] turns so far


# --- learning ---


@kernel
def _credited(mind: Mind, thought: Any) -> np.uint64:
    """The pieces whose weights are to move after a turn."""
    if mind.seat["everybody"]:
        return (ONE << np.uint64(mind.voter["piece_count"])) - ONE
    return thought["suggesters"]


@kernel
def _nudge(mind: Mind, thought: Any, piece: int, step: float) -> None:
    """Move the weight of a piece in the state of a thought."""
    voter, floats = mind.voter, mind.floats
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
def _learn_step(mind: Mind, thought: Any, targets: Any) -> None:
    """One step towards targets, one per piece; the joint rule uses only the first."""
    seat, voter = mind.seat, mind.voter
    credited, count = thought["credited"], voter["piece_count"]
    if credited == ZERO:
        return
    if voter["kind"] == NET:
        net_learn(voter, mind.floats, mind.velocity, thought, targets, credited, seat["rate"], seat["momentum"])
        return
    if seat["rule"] == JOINT:
        step = seat["rate"] * (targets[0] - _sum_of(credited, count, thought)) / popcount(credited)
        for i in range(count):
            if (credited >> np.uint64(i)) & ONE != ZERO:
                _nudge(mind, thought, i, step)
        return
    place = voter["offset"] + thought["row"] * count
    for i in range(count):
        if (credited >> np.uint64(i)) & ONE != ZERO:
            weight = thought["weights"][i] if voter["kind"] == LINEAR else mind.floats[place + i]
            _nudge(mind, thought, i, seat["rate"] * (targets[i] - weight))


@kernel
def _learn_returns(mind: Mind, thoughts: Any, turns: int, targets: Any) -> None:
    """All steps of a game at its end, last turn first, towards λ-returns of the weights as they were in the game.

    `targets` hold the reward at first.
    """
    count, trace = mind.voter["piece_count"], mind.seat["trace"]
    for turn in range(turns - 1, -1, -1):
        if turn < turns - 1:
            later = thoughts[turn + 1]
            if mind.seat["rule"] == JOINT:
                targets[0] = (1.0 - trace) * _sum_of(later["suggesters"], count, later) + trace * targets[0]
            else:
                for i in range(count):
                    targets[i] = (1.0 - trace) * later["weights"][i] + trace * targets[i]
        _learn_step(mind, thoughts[turn], targets)


@kernel
def _is_online(seat: Any) -> bool:
    """Whether a voter learns at every turn: TD(0)."""
    return seat["rule"] == TD and seat["trace"] == 0.0


@kernel
def _learn_outcome(mind: Mind, thoughts: Any, turns: int, points: int, targets: Any) -> None:
    """Learn from the points of a game: the last step of TD(0), or all steps."""
    seat = mind.seat
    reward = (seat["worst"] - points) / (seat["worst"] - seat["best"])
    for i in range(mind.voter["piece_count"]):
        targets[i] = reward
    if _is_online(seat):
        _learn_step(mind, thoughts[(turns - 1) % 2], targets)
    else:
        _learn_returns(mind, thoughts, turns, targets)


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
def begin_game(games: Games, number: int, state: Any, seats: Any, notes: Notes, rng: Any) -> None:
    """Deal game `number`, pass, and clear the notes; afterwards `rng` is that of the players in this game."""
    rules = games.rules[0]
    rng[0] = substream(games.deal_key, number)
    deal(rules, state, number, rng)
    rng[0] = substream(games.play_key, number)
    for seat in range(rules["players"]):
        notes.turns[seat] = 0
        for ply in range(52):
            notes.obs[seat]["history"][ply] = -1
    if state["phase"] == PASSING:
        pass_cards(rules, games.play_key, state, seats, notes.obs, rng)


@kernel
def play_card(rules: Any, state: Any, obs: Any, card: int) -> None:
    """Play a card where everybody sees it."""
    for seat in range(rules["players"]):
        obs[seat]["history"][state["plays"]] = card
    play(rules, state, card)


@kernel
def _counts(seat: Any, legal: np.uint64) -> bool:
    """Whether a turn is considered: with a single legal card only if it is learned from."""
    return legal & (legal - ONE) != ZERO or (seat["forced"] != 0 and seat["rule"] != STILL)


@kernel
def _turn(rules: Any, obs: Any, mind: Mind, pieces: Any, values: Any, thoughts: Any, turn: int, rng: Any) -> int:
    """The card of a voter."""
    seat, legal = mind.seat, obs["legal"]
    if not _counts(seat, legal):
        return lowest(legal)
    online = _is_online(seat)
    thought = thoughts[turn % 2 if online or seat["rule"] == STILL else turn]
    consider(rules, obs, mind.voter, mind.floats, pieces, values, thought)
    # TD(0): the pieces that suggested the last card move towards their weights in the new state.
    if online and turn > 0:
        _learn_step(mind, thoughts[1 - turn % 2], thought["weights"])
    # The vote.
    card = choose(mind.voter, legal, thought, rng)
    if seat["rule"] != STILL:
        thought["credited"] = _credited(mind, thought)
    return card


@kernel
def play_games(games: Games, company: Company, pieces: Any, values: Any) -> None:
    """Play games; voters with a learning rule change their weights as they go.

    :param pieces: function pointer to the users' pieces of advice; `values`: to their abstractions.
    """
    rules, seats, floats, velocity = games.rules[0], company.seats, company.floats, company.velocity
    notes = Notes(np.zeros(SEATS, OBSERVATION), np.zeros((SEATS, MAX_TURNS), THOUGHT), np.zeros(SEATS, np.int64))
    obs, turns = notes.obs, notes.turns
    states, rng, targets = np.zeros(1, STATE), np.empty(1, np.uint64), np.empty(MAX_PIECES)
    for row in range(len(games.out)):
        state = states[0]
        # Deal and pass.
        begin_game(games, games.first + row, state, seats, notes, rng)
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
                    mind = Mind(seats[seat], company.voters[seat], floats, velocity)
                    card = _turn(rules, obs[seat], mind, pieces, values, notes.thoughts[seat], turns[seat], rng)
                    turns[seat] += _counts(seats[seat], obs[seat]["legal"])
            play_card(rules, state, obs, card)
        # Learn from the outcome.
        points(rules, state, games.out[row])
        for seat in range(rules["players"]):
            if seats[seat]["who"] == VOTES and seats[seat]["rule"] != STILL and turns[seat] > 0:
                mind = Mind(seats[seat], company.voters[seat], floats, velocity)
                _learn_outcome(mind, notes.thoughts[seat], turns[seat], games.out[row, seat], targets)


_FLOATS = types.float64[::1]
GAMES = types.NamedTuple((RULES_ARRAY, types.uint64, types.uint64, types.int64, types.int32[:, ::1]), Games)
COMPANY = types.NamedTuple((types.Array(numba.from_dtype(SEAT), 1, "C"), VOTERS, _FLOATS, _FLOATS), Company)
PLAY_GAMES = types.void(GAMES, COMPANY, *FUNCTIONS)


def prepare() -> None:
    """Compile the loop, once for all voters; call this before `play_games`."""
    compile_for(play_games, PLAY_GAMES)
