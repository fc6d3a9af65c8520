"""Observations as numbers, for learners: planes of 52 cards, each 0 or 1, and a few numbers behind them.

Seats are counted from the observer: 0 is the observer itself, 1 the seat to its left, and on. With n players:

| planes | what |
|---|---|
| 1 | the hand |
| 1 | cards passed away, while passing those chosen so far |
| 1 | cards received |
| n | cards played by each seat |
| n | cards on the table, by seat |
| n | cards taken by each seat |
| n - 1 | cards that each other seat can still hold, as far as its play has shown |

The numbers: passing now; hearts broken; the share of tricks played; the pass direction (eight places: hold, 1 to 5
seats on, scatter, pool); the leader of the trick (n places); points taken so far by each seat (n, in parts of all
points); totals before the deal (n, in parts of the limit).
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

DIRECTIONS = 8
"""Places for the pass direction."""


def plane_count(players: int) -> int:
    """How many planes of 52 cards an observation has."""
    return 3 + 3 * players + players - 1


def number_count(players: int) -> int:
    """How many numbers follow the planes."""
    return 3 + DIRECTIONS + 3 * players


def observation_size(rules: Rules | str) -> int:
    """The length of an observation, under rules or a text that stands for them."""
    players = Rules.parse(rules).players
    return 52 * plane_count(players) + number_count(players)


def describe(rules: Rules | str) -> list[str]:
    """What each place of an observation means, under rules or a text that stands for them."""
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
def collect_planes(rules: Any, state: Any, seat: int, chosen: np.uint64, out: Any) -> None:
    """The planes of a seat's observation, one mask each; `chosen` are the cards picked so far for a pass."""
    players = np.int64(rules["players"])
    out[0] = state["hands"][seat] & ~chosen
    out[1] = state["passed"][seat] | chosen
    out[2] = state["received"][seat]
    taker = np.int64(state["kitty_taker"])
    hidden = ZERO if rules["kitty_seen"] and taker == seat else state["kitty"]
    size = np.int64(state["trick_size"])
    leader = np.int64(state["leader"])
    other = seat
    for step in range(players):
        out[3 + step] = state["played"][other]
        place = other - leader if other >= leader else other - leader + players
        out[3 + players + step] = ONE << np.uint64(state["trick_cards"][place]) if place < size else ZERO
        taken = state["taken"][other]
        out[3 + 2 * players + step] = taken & ~hidden if taker == other else taken
        if step > 0:
            out[2 + 3 * players + step] = state["may_hold"][other]
        other = other + 1 if other + 1 < players else 0


@kernel
def points_told(rules: Any, state: Any, out: Any) -> None:
    """Points of each seat as far as it may know them: a kitty that nobody may see counts at the end of the deal only.

    Rewards are told to a seat, so they must not tell more than its observation.
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
    """The same planes from an observation record."""
    players = np.int64(rules["players"])
    seat = np.int64(obs["seat"])
    out[0] = obs["hand"]
    out[1] = obs["passed"]
    out[2] = obs["received"]
    size = np.int64(obs["trick_size"])
    leader = np.int64(obs["leader"])
    other = seat
    for step in range(players):
        out[3 + step] = obs["played"][other]
        place = other - leader if other >= leader else other - leader + players
        out[3 + players + step] = ONE << np.uint64(obs["trick_cards"][place]) if place < size else ZERO
        out[3 + 2 * players + step] = obs["taken"][other]
        if step > 0:
            out[2 + 3 * players + step] = obs["may_hold"][other]
        other = other + 1 if other + 1 < players else 0


@kernel
def write_numbers(rules: Any, state: Any, seat: int, total: float, limit: float, planes: Any, out: Any) -> None:
    """The numbers behind the planes, which are given as masks; all places of `out` are written."""
    players = np.int64(rules["players"])
    for place in range(3 + DIRECTIONS + 3 * players):
        out[place] = 0.0
    out[0] = 1.0 if state["phase"] == PASSING else 0.0
    out[1] = state["hearts_broken"]
    out[2] = state["trick_number"] / rules["hand_size"]
    code = np.int64(state["pass_code"])
    if code == SCATTER:
        code = 6
    elif code == POOL:
        code = 7
    out[3 + code] = 1.0
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
    """Masks as numbers 0 and 1, 52 places each."""
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
    """A whole observation into `out`; `planes` is scratch."""
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
    """The observations of an array of observation records."""
    players = np.int64(rules[0]["players"])
    count = 3 + 3 * players + players - 1
    for row in range(len(records)):
        collect_seen(rules[0], records[row], planes)
        unpack(planes, count, out[row])
        write_numbers(rules[0], records[row], records[row]["seat"], total, limit, planes, out[row][52 * count :])


@lru_cache(maxsize=64)
def scales(rules: Rules) -> tuple[float, float]:
    """What points and scores are divided by."""
    return float(rules.total_points), float(rules.limit)


def encode_batch(batch: Observations) -> npt.NDArray[np.float32]:
    """The observations that a player is asked about, as the environments show them: [rows, size]."""
    out = np.zeros((len(batch), observation_size(batch.rules)), np.float32)
    planes = np.zeros(plane_count(batch.rules.players), np.uint64)
    encode_seen(batch.compiled, batch.records, *scales(batch.rules), planes, out)
    return out


def told_points(rules: Rules, compiled: Any, states: Any) -> list[int]:
    """The points of each seat of a table of one, as far as it may know them."""
    out = np.zeros(SEATS, np.int64)
    points_told(compiled[0], states[0], out)
    return [int(own) for own in out[: rules.players]]


def encode(rules: Rules, compiled: Any, states: Any, seat: int, chosen: int = 0) -> npt.NDArray[np.float32]:
    """The observation of one seat of a table of one."""
    out = np.zeros((1, observation_size(rules)), np.float32)
    planes = np.zeros(plane_count(rules.players), np.uint64)
    seats, picked = np.array([seat], np.int64), np.array([chosen], np.uint64)
    encode_table(compiled, states, seats, picked, *scales(rules), planes, out)
    return out[0]
