"""The score: the chance to win a game from any totals, and what the cards of a deal are worth then.

Deals are taken as independent draws from what the network makes of them in self-play, each seat alike. The
chance to win from totals t is then the mean, over deals p, of the chance from t + p; a game that is over is won by the
lowest total, ties shared. The table holds these chances on a grid of totals, for a seat and the other three in order;
between its points a total is rounded at random, so that it is right on average.

What a choice is worth is no longer a number of points, but a number of games. The predictions stay the same; their
weights come from the table: how much less often a seat wins if it takes a heart, Q♠, or if a moon is shot.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import substream, uniform
from heartlab.kernel.play import points
from heartlab.learners.whole_game.deals import Company, Pupil, Table, play_deal
from heartlab.learners.whole_game.model import HEARTS, QUEEN_POINTS, worth_weights
from heartlab.learners.whole_game.network import HEADS, SEATS, SHOOT, SHOT, TAKE_HEARTS, TAKE_JACK, TAKE_QUEEN
from heartlab.rules import Rules

STEP = 4
"""Points between two totals of the grid."""
SWEEPS = 2
"""Rounds of value iteration: one would do if totals only grew."""
MAX_SIZE = 64
"""Points of the largest grid."""
FEW = 6
"""Points of an ordinary deal."""
SCALE = 17.0
"""The largest weight: about that of Q♠ when points count."""
ChanceArray = npt.NDArray[np.float32]


@kernel
def sample_points(rules: Any, key: np.uint64, playing: Pupil, passing: Pupil, company: Company, weights: Any,
                  table: Table, out: Any) -> None:  # fmt: skip
    """The points of deals in self-play, [deals, seats]."""
    rng = np.empty(1, np.uint64)
    found = np.zeros(len(table.state[0]["hands"]), np.int64)
    for number in range(len(out)):
        rng[0] = substream(key, number)
        play_deal(rules[0], number, key, playing, passing, company, weights, table, rng)
        points(rules[0], table.state[0], found)
        for seat in range(SEATS):
            out[number, seat] = found[seat]


@kernel
def won(totals: Any) -> float:
    """The share of a finished game that the first seat wins: ties are shared."""
    least = min(totals[0], totals[1], totals[2], totals[3])
    if totals[0] > least:
        return 0.0
    shared = 0
    for seat in range(SEATS):
        shared += totals[seat] == least
    return 1.0 / shared


@kernel
def _look_up(chances: Any, totals: Any, limit: int, rng: Any) -> float:
    """The chance of the first seat from some totals, between grid points rounded at random."""
    over = False
    for seat in range(SEATS):
        over = over or totals[seat] >= limit
    if over:
        return won(totals)
    last = chances.shape[0] - 1
    places = np.empty(SEATS, np.int64)
    for seat in range(SEATS):
        exact = max(0.0, totals[seat] / STEP)
        places[seat] = min(last, np.int64(exact + uniform(rng)))
    return chances[places[0], places[1], places[2], places[3]]


@kernel
def _sweep(chances: Any, deals: Any, limit: int, key: np.uint64) -> None:
    """One round of value iteration in place, high totals first, because totals grow; the other seats in order only."""
    last = chances.shape[0] - 1
    totals = np.empty(SEATS)
    rng = np.empty(1, np.uint64)
    for own in range(last, -1, -1):
        for b in range(last, -1, -1):
            for c in range(b, -1, -1):
                for d in range(c, -1, -1):
                    rng[0] = substream(key, ((own * 64 + b) * 64 + c) * 64 + d)
                    total = 0.0
                    for deal in range(len(deals)):
                        totals[0] = STEP * own + deals[deal, 0]
                        totals[1] = STEP * b + deals[deal, 1]
                        totals[2] = STEP * c + deals[deal, 2]
                        totals[3] = STEP * d + deals[deal, 3]
                        total += _look_up(chances, totals, limit, rng)
                    for one, two, three in ((b, c, d), (b, d, c), (c, b, d), (c, d, b), (d, b, c), (d, c, b)):
                        chances[own, one, two, three] = total / len(deals)


@kernel
def _between(chances: Any, totals: Any, limit: int) -> float:
    """The chance of the first seat, by the weighted mean of the corners of the grid around the totals."""
    for seat in range(SEATS):
        if totals[seat] >= limit:
            return won(totals)
    last = chances.shape[0] - 1
    found = 0.0
    for corner in range(1 << SEATS):
        share = 1.0
        place = np.empty(SEATS, np.int64)
        for seat in range(SEATS):
            exact = min(np.float64(last), max(0.0, totals[seat] / STEP))
            low = min(last - 1, np.int64(exact))
            upper = corner >> seat & 1
            share *= exact - low if upper else 1.0 - (exact - low)
            place[seat] = low + upper
        if share > 0.0:
            found += share * chances[place[0], place[1], place[2], place[3]]
    return found


def win_chances(deals: npt.NDArray[np.int64], rules: Rules, key: np.uint64) -> ChanceArray:
    """The chance to win from totals on the grid: [own, others...].

    :param deals: points of some deals, [deals, seats], seats in any order (see `in_any_order`).
    """
    limit = rules.limit + rules.over_limit
    size = -(-limit // STEP) + 1
    chances: ChanceArray = np.full((size,) * SEATS, 1.0 / SEATS, np.float32)
    for sweep in range(SWEEPS):
        _sweep(chances, deals.astype(np.float64), limit, np.uint64(key + np.uint64(sweep)))
    return chances


def in_any_order(deals: npt.NDArray[np.int64], dice: np.random.Generator) -> npt.NDArray[np.int64]:
    """Each deal four times, each seat being first once, the others shuffled: the table knows seats by totals only."""
    turned = np.concatenate([np.roll(deals, seat, axis=1) for seat in range(SEATS)])
    turned[:, 1:] = dice.permuted(turned[:, 1:], axis=1)
    return turned


def packed(chances: ChanceArray) -> npt.NDArray[np.float16]:
    """The chances where the other totals fall: all there is to know, a sixth of the table."""
    one, two, three = _falling(len(chances))
    return chances[:, one, two, three].astype(np.float16)


def unpacked(values: npt.NDArray[np.float16]) -> ChanceArray:
    """The whole table.

    :raises ValueError: if the array is no packed table.
    """
    size = len(values)
    places = _falling(size)
    if values.shape != (size, len(places[0])) or not 2 <= size <= MAX_SIZE:
        raise ValueError(f"a table of chances has the wrong shape {values.shape}")
    chances: ChanceArray = np.zeros((size,) * SEATS, np.float32)
    for one, two, three in permutations(places):
        chances[:, one, two, three] = values
    return chances


def _falling(size: int) -> tuple[npt.NDArray[np.int64], ...]:
    """The places of three totals that do not rise."""
    grid = np.indices((size,) * (SEATS - 1)).reshape(SEATS - 1, -1)
    kept = grid[:, (grid[0] >= grid[1]) & (grid[1] >= grid[2])]
    return tuple(kept)


class Score:
    """What points are worth at the present totals.

    >>> even = Score(np.full((26,) * 4, 0.25, np.float32), 100)
    >>> even.chance([0, 0, 0, 0])
    0.25
    >>> even.chance([90, 101, 95, 99]), even.chance([90, 101, 90, 99])
    (1.0, 0.5)
    """

    def __init__(self, chances: ChanceArray, limit: int) -> None:
        self.chances, self.limit = chances, limit

    def chance(self, totals: Sequence[float]) -> float:
        """The chance of the first of four seats to win, between points of the grid interpolated."""
        return float(_between(self.chances, np.array(totals, np.float64), self.limit))

    def weights(self, totals: Sequence[int], rules: Rules) -> npt.NDArray[np.float64]:
        """What the predictions of a seat are worth, with its own total first: games lost, scaled to points.

        The points that the seat does not take are thought to be shared by the others.
        """
        here = np.array(totals, np.float64)
        total = QUEEN_POINTS + HEARTS

        def after(own: float) -> float:
            return self.chance(here + np.array([own, *[(total - own) / 3] * 3]))

        def moon(shooter: int) -> float:
            points = np.full(SEATS, 0.0 if rules.moon == "self" else total)
            points[shooter] = -total if rules.moon == "self" else 0.0
            return self.chance(here + points)

        weights = np.zeros(HEADS)
        weights[TAKE_HEARTS] = (after(0) - after(FEW)) / FEW
        weights[TAKE_QUEEN] = after(FEW / 2) - after(FEW / 2 + QUEEN_POINTS)
        if rules.moon != "off":
            weights[SHOOT] = after(total) - moon(0)
            weights[SHOT] = after(0) - sum(moon(other) for other in range(1, SEATS)) / 3
        if rules.bonus is not None:
            own = here + np.array([rules.bonus_points, 0, 0, 0])
            weights[TAKE_JACK] = self.chance(here) - self.chance(own)
        largest = np.abs(weights).max()
        return weights * (SCALE / largest) if largest > 0 else worth_weights(rules)
