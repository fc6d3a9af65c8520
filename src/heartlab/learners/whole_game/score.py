"""The score: the chance to win a game from any totals, and what the cards of a deal are worth then.

Deals are independent draws from those of the network in self-play, the same for all seats. The
chance to win from totals t is then the mean, over deals p, of the chance from t + p; a game that is over is won by the
lowest total, ties shared. The table holds these chances on a grid of totals, for a seat and the other three in order;
between grid points a total is rounded at random, which is right on average.

What a choice is worth is no longer a number of points, but a number of games. The predictions stay the same; their
weights come from the table: how much less often a seat wins if it takes a heart, Q♠, or if a moon is shot. For hearts
and Q♠ that is the slope of a least-squares fit over all those deals: the chance is no straight line, and near the end
of a game it is flat in one place and steep in the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import numpy_dice, substream, uniform
from heartlab.kernel.play import points
from heartlab.learners.whole_game.deals import Company, Table, play_deal
from heartlab.learners.whole_game.model import HEARTS, QUEEN_POINTS, worth_weights
from heartlab.learners.whole_game.network import HEADS, SEATS, SHOOT, SHOT, TAKE_HEARTS, TAKE_JACK, TAKE_QUEEN
from heartlab.rules import Rules

STEP = 4
"""Points between two totals of the grid."""
SWEEPS = 2
"""Rounds of value iteration: one would do if totals only grew."""
MAX_SIZE = 64
"""Points of the largest grid."""
SCALE = 52.0
"""The largest weight: that of a moon when points count."""
LEAST = 0.01
"""Chances that differ less do not count: the game is decided."""
MOST_KNOWN = 20_000
"""Totals whose weights are kept."""
TIE = 0.02
"""Weight of points beside games won: it breaks ties."""
ChanceArray = npt.NDArray[np.float32]


@kernel
def sample_points(rules: Any, key: np.uint64, pupils: Any, company: Company, weights: Any, table: Table,
                  out: Any) -> None:  # fmt: skip
    """The points of deals in self-play, [deals, seats]."""
    rng = np.empty(1, np.uint64)
    found = np.zeros(len(table.state[0]["hands"]), np.int64)
    for number in range(len(out)):
        rng[0] = substream(key, number)
        play_deal(rules[0], number, key, pupils, company, weights, table, rng)
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
def _mean_chance(chances: Any, places: Any, deals: Any, limit: int, rng: Any) -> float:
    """The chance of the first seat at a grid point: the mean over some deals of what follows each of them."""
    totals = np.empty(SEATS)
    total = 0.0
    for deal in range(len(deals)):
        for seat in range(SEATS):
            totals[seat] = STEP * places[seat] + deals[deal, seat]
        total += _look_up(chances, totals, limit, rng)
    return total / len(deals)


@kernel
def _fill(chances: Any, own: int, b: int, c: int, d: int, chance: float) -> None:
    """Set a chance for the three others in any order."""
    for one, two, three in ((b, c, d), (b, d, c), (c, b, d), (c, d, b), (d, b, c), (d, c, b)):
        chances[own, one, two, three] = chance


@kernel
def _sweep(chances: Any, deals: Any, limit: int, key: np.uint64) -> None:
    """One round of value iteration in place, high totals first, because totals grow; the other seats in order only."""
    last = chances.shape[0] - 1
    rng = np.empty(1, np.uint64)
    for own in range(last, -1, -1):
        for b in range(last, -1, -1):
            for c in range(b, -1, -1):
                for d in range(c, -1, -1):
                    rng[0] = substream(key, ((own * 64 + b) * 64 + c) * 64 + d)
                    _fill(chances, own, b, c, d, _mean_chance(chances, (own, b, c, d), deals, limit, rng))


@kernel
def between(chances: Any, totals: Any, limit: int) -> float:
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


@kernel
def _slopes(chances: Any, limit: int, deals: Any, totals: Any, out: Any) -> float:
    """How the chance of the first seat falls with each heart and with Q♠ that it takes: least squares over deals.

    `out` takes the two slopes; returns the chance if it takes nothing. Deals in which somebody shot the moon are left
    out: there points are no sum of cards.
    """
    after = np.empty(SEATS)
    sums = np.zeros(SEATS)  # products of the regressors: hearts and Q♠
    means = np.zeros(3)
    chance_hearts, chance_queen = 0.0, 0.0
    count = 0
    for i in range(len(deals)):
        if deals[i].sum() == QUEEN_POINTS + HEARTS:
            queen = 1.0 if deals[i, 0] >= QUEEN_POINTS else 0.0
            hearts = deals[i, 0] - QUEEN_POINTS * queen
            for seat in range(SEATS):
                after[seat] = totals[seat] + deals[i, seat]
            chance = between(chances, after, limit)
            count += 1
            means[0] += hearts
            means[1] += queen
            means[2] += chance
            sums[0] += hearts * hearts
            sums[1] += queen * queen
            sums[2] += hearts * queen
            chance_hearts += chance * hearts
            chance_queen += chance * queen
    means /= count
    for k, (one, other) in enumerate(((0, 0), (1, 1), (0, 1))):
        sums[k] = sums[k] / count - means[one] * means[other]
    with_hearts = chance_hearts / count - means[2] * means[0]
    with_queen = chance_queen / count - means[2] * means[1]
    whole = sums[0] * sums[1] - sums[2] * sums[2]
    out[0] = (sums[1] * with_hearts - sums[2] * with_queen) / whole
    out[1] = (sums[0] * with_queen - sums[2] * with_hearts) / whole
    return means[2] - out[0] * means[0] - out[1] * means[1]


@kernel
def score_weights(chances: Any, limit: int, deals: Any, totals: Any, moon: Any, out: Any) -> None:
    """What the predictions of the first seat are worth, in games lost.

    :param moon: the points of the shooter and of the others.
    """
    slopes, after = np.empty(2), np.empty(SEATS)
    nothing = _slopes(chances, limit, deals, totals, slopes)
    for k in range(HEADS):
        out[k] = 0.0
    out[TAKE_HEARTS], out[TAKE_QUEEN] = -slopes[0], -slopes[1]
    lost = 0.0
    for shooter in range(SEATS):
        for seat in range(SEATS):
            after[seat] = totals[seat] + (moon[0] if seat == shooter else moon[1])
        chance = between(chances, after, limit)
        if shooter == 0:
            out[SHOOT] = nothing + HEARTS * slopes[0] + slopes[1] - chance
        else:
            lost += (nothing - chance) / (SEATS - 1)
    out[SHOT] = lost


def moon_points(rules: Rules) -> npt.NDArray[np.float64]:
    """What a moon gives the shooter and the others; the same if it does not count."""
    total = QUEEN_POINTS + HEARTS
    return np.array({"off": (0.0, 0.0), "self": (-total, 0.0)}.get(rules.moon, (0.0, total)), np.float64)


class Score:
    """What points are worth at the present totals.

    >>> deals = np.array([[0, 13, 8, 5], [13, 0, 6, 7], [2, 1, 20, 3], [16, 4, 3, 3]])
    >>> even = Score(np.full((26,) * 4, 0.25, np.float32), deals, 100)
    >>> even.chance([0, 0, 0, 0])
    0.25
    >>> even.chance([90, 101, 95, 99]), even.chance([90, 101, 90, 99])
    (1.0, 0.5)
    """

    def __init__(self, chances: ChanceArray, deals: npt.NDArray[np.int64], limit: int) -> None:
        """
        :param deals: the points of some deals, [deals, seats].
        """
        self.chances, self.limit = chances, limit
        self.deals = in_any_order(deals, numpy_dice(0)).astype(np.float64)
        self._known: dict[tuple[tuple[int, ...], Rules], tuple[npt.NDArray[np.float64], float]] = {}

    def chance(self, totals: Sequence[float]) -> float:
        """The chance of the first of four seats to win, between points of the grid interpolated."""
        return float(between(self.chances, np.array(totals, np.float64), self.limit))

    def weights(self, totals: Sequence[int], rules: Rules) -> npt.NDArray[np.float64]:
        """What the predictions of a seat are worth, with its own total first: games lost, scaled to points."""
        return self._known_worth(totals, rules)[0]

    def scale(self, totals: Sequence[int], rules: Rules) -> float:
        """How many points a lost game is worth in these weights."""
        return self._known_worth(totals, rules)[1]

    def _known_worth(self, totals: Sequence[int], rules: Rules) -> tuple[npt.NDArray[np.float64], float]:
        asked = tuple(int(total) for total in totals), rules
        if asked not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[asked] = self._worth(asked[0], rules)
        return self._known[asked]

    def _worth(self, totals: Sequence[int], rules: Rules) -> tuple[npt.NDArray[np.float64], float]:
        usual = worth_weights(rules)
        found = np.zeros(HEADS)
        score_weights(self.chances, self.limit, self.deals, np.array(totals, np.float64), moon_points(rules), found)
        if rules.moon == "off":
            found[SHOOT] = found[SHOT] = 0.0
        if rules.bonus is not None:
            found[TAKE_JACK] = rules.bonus_points * found[TAKE_HEARTS]
        scale = float(SCALE / max(np.abs(found).max(), LEAST))
        return found * scale + TIE * usual, scale
