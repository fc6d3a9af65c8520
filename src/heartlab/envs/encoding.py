"""Observations as numbers, for learners: binary planes of 52 cards, followed by a few numbers.

Seats are relative to the observer: 0 is the observer itself, 1 the seat to its left, and so on. With n players:

| planes | content |
|---|---|
| 1 | the hand |
| 1 | cards passed; during the pass those chosen so far |
| 1 | cards received |
| n | cards played by each seat |
| n | cards of the current trick, by seat |
| n | cards taken by each seat |
| n - 1 | cards that each other seat can still hold, as deduced from its play |

The numbers: whether it is the pass; whether hearts are broken; share of tricks played; pass direction (one-hot, 8:
hold, 1 to 5 seats on, scatter, pool); leader of the trick (one-hot, n); points taken by each seat (n, as a share of all
points); totals before the deal (n, as a share of the limit).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO, lowest
from heartlab.compiled.jit import kernel
from heartlab.kernel.layout import NOBODY, OVER, PASSING, SEATS
from heartlab.kernel.play import mask_points, points
from heartlab.players.base import Observations
from heartlab.rules import POOL, SCATTER, Rules

__all__ = ["describe", "encode", "encode_batch", "observation_size"]

DIRECTIONS = 8
"""Length of the one-hot pass direction."""


def plane_count(players: int) -> int:
    """The number of planes of 52 cards in an observation."""
    return 3 + 3 * players + players - 1


def number_count(players: int) -> int:
    """The number of values after the planes."""
    return 3 + DIRECTIONS + 3 * players


def observation_size(rules: Rules | str) -> int:
    """The length of an observation.

    >>> observation_size("standard")
    959
    """
    players = Rules.parse(rules).players
    return 52 * plane_count(players) + number_count(players)


def describe(rules: Rules | str) -> list[str]:
    """The meaning of each element of an observation.

    >>> names = describe("standard")
    >>> names[0], names[-1]
    ('hand 2C', 'score +3')
    """
    from heartlab.cards import CARD_NAMES

    n = Rules.parse(rules).players
    seats = ["own", *(f"+{step}" for step in range(1, n))]
    planes = ["hand", "passed", "received"]
    planes += [f"{what} {seat}" for what in ("played", "table", "taken") for seat in seats]
    planes += [f"may hold {seat}" for seat in seats[1:]]
    numbers = ["passing", "hearts broken", "tricks"]
    numbers += [f"pass {word}" for word in ("hold", *(f"+{step}" for step in range(1, 6)), "scatter", "pool")]
    numbers += [f"{what} {seat}" for what in ("leader", "points", "score") for seat in seats]
    return [f"{plane} {card}" for plane in planes for card in CARD_NAMES] + numbers


@kernel
def trick_plane(record: Any, seat: int, players: int) -> np.uint64:
    """The card of a seat in the current trick, as a mask; `record` is a state or an observation."""
    leader = np.int64(record["leader"])
    place = seat - leader if seat >= leader else seat - leader + players
    return ONE << np.uint64(record["trick_cards"][place]) if place < np.int64(record["trick_size"]) else ZERO


@kernel
def direction_index(pass_code: int) -> int:
    """The element of the one-hot pass direction."""
    if pass_code == SCATTER:
        return 6
    return 7 if pass_code == POOL else pass_code


@kernel
def collect_planes(rules: Any, state: Any, seat: int, chosen: np.uint64, out: Any) -> None:
    """The planes of a seat's observation as masks; `chosen`: the cards picked so far for the pass."""
    players = np.int64(rules["players"])
    out[0] = state["hands"][seat] & ~chosen
    out[1] = state["passed"][seat] | chosen
    out[2] = state["received"][seat]
    taker = np.int64(state["kitty_taker"])
    hidden = ZERO if rules["kitty_seen"] and taker == seat else state["kitty"]
    other = seat
    for step in range(players):
        out[3 + step] = state["played"][other]
        out[3 + players + step] = trick_plane(state, other, players)
        taken = state["taken"][other]
        out[3 + 2 * players + step] = taken & ~hidden if taker == other else taken
        if step > 0:
            out[2 + 3 * players + step] = state["may_hold"][other]
        other = other + 1 if other + 1 < players else 0


@kernel
def points_told(rules: Any, state: Any, out: Any) -> None:
    """Points of each seat as far as the seats know them: a hidden kitty counts only at the end of the deal.

    These become rewards, and a reward must not reveal more than the observation.
    """
    taker = np.int64(state["kitty_taker"])
    hidden = taker != NOBODY and not rules["kitty_seen"] and state["phase"] != OVER
    if hidden:
        state["taken"][taker] &= ~state["kitty"]
    points(rules, state, out)
    if hidden:
        state["taken"][taker] |= state["kitty"]


@kernel
def collect_seen(rules: Any, obs: Any, out: Any) -> None:
    """The same planes from an observation record instead of a state."""
    players = np.int64(rules["players"])
    seat = np.int64(obs["seat"])
    out[0] = obs["hand"]
    out[1] = obs["passed"]
    out[2] = obs["received"]
    other = seat
    for step in range(players):
        out[3 + step] = obs["played"][other]
        out[3 + players + step] = trick_plane(obs, other, players)
        out[3 + 2 * players + step] = obs["taken"][other]
        if step > 0:
            out[2 + 3 * players + step] = obs["may_hold"][other]
        other = other + 1 if other + 1 < players else 0


@kernel
def write_numbers(rules: Any, state: Any, seat: int, total: float, limit: float, planes: Any, out: Any) -> None:
    """Write the numbers that follow the planes (given as masks); all of `out` is written."""
    players = np.int64(rules["players"])
    for place in range(3 + DIRECTIONS + 3 * players):
        out[place] = 0.0
    out[0] = 1.0 if state["phase"] == PASSING else 0.0
    out[1] = state["hearts_broken"]
    out[2] = state["trick_number"] / rules["hand_size"]
    out[3 + direction_index(np.int64(state["pass_code"]))] = 1.0
    base = 3 + DIRECTIONS
    leader = np.int64(state["leader"])
    if leader != NOBODY:
        out[base + (leader - seat if leader >= seat else leader - seat + players)] = 1.0
    other = seat
    for step in range(players):
        out[base + players + step] = mask_points(rules, planes[3 + 2 * players + step]) / total
        out[base + 2 * players + step] = state["scores"][other] / limit
        other = other + 1 if other + 1 < players else 0


@kernel
def unpack(planes: Any, count: int, out: Any) -> None:
    """Masks as 0 and 1, 52 elements each."""
    for plane in range(count):
        base = 52 * plane
        for card in range(52):
            out[base + card] = 0
        mask = planes[plane]
        while mask != ZERO:
            out[base + lowest(mask)] = 1
            mask &= mask - ONE


@kernel
def encode_state(
    rules: Any, state: Any, seat: int, chosen: np.uint64, total: float, limit: float, planes: Any, out: Any
) -> None:
    """Write a whole observation to `out`; `planes` is scratch memory."""
    players = np.int64(rules["players"])
    count = 3 + 3 * players + players - 1
    collect_planes(rules, state, seat, chosen, planes)
    unpack(planes, count, out)
    write_numbers(rules, state, seat, total, limit, planes, out[52 * count :])


@kernel
def encode_table(
    rules: Any, states: Any, seats: Any, chosen: Any, total: float, limit: float, planes: Any, out: Any
) -> None:
    """The observation of one seat of each state."""
    for row in range(len(states)):
        encode_state(rules[0], states[row], seats[row], chosen[row], total, limit, planes, out[row])


@kernel
def encode_seen(rules: Any, records: Any, total: float, limit: float, planes: Any, out: Any) -> None:
    """The observations of observation records."""
    players = np.int64(rules[0]["players"])
    count = 3 + 3 * players + players - 1
    for row in range(len(records)):
        collect_seen(rules[0], records[row], planes)
        unpack(planes, count, out[row])
        write_numbers(rules[0], records[row], records[row]["seat"], total, limit, planes, out[row][52 * count :])


@lru_cache(maxsize=64)
def scales(rules: Rules) -> tuple[float, float]:
    """The divisors of points and of scores."""
    return float(rules.total_points), float(rules.limit)


def encode_batch(batch: Observations) -> npt.NDArray[np.float32]:
    """The observations of a player's batch, encoded as in the environments: [rows, size]."""
    out = np.zeros((len(batch), observation_size(batch.rules)), np.float32)
    planes = np.zeros(plane_count(batch.rules.players), np.uint64)
    encode_seen(batch.compiled, batch.records, *scales(batch.rules), planes, out)
    return out


def told_points(rules: Rules, compiled: Any, states: Any) -> list[int]:
    """The points of each seat of a single deal, as far as the seats know them."""
    out = np.zeros(SEATS, np.int64)
    points_told(compiled[0], states[0], out)
    return [int(own) for own in out[: rules.players]]


def encode(rules: Rules, compiled: Any, states: Any, seat: int, chosen: int = 0) -> npt.NDArray[np.float32]:
    """The observation of one seat of a single deal."""
    out = np.zeros((1, observation_size(rules)), np.float32)
    planes = np.zeros(plane_count(rules.players), np.uint64)
    seats, picked = np.array([seat], np.int64), np.array([chosen], np.uint64)
    encode_table(compiled, states, seats, picked, *scales(rules), planes, out)
    return out[0]
