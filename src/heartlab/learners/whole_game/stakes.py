"""What a playout is worth for the game: the chance to win after the rest of the deal has been shared out.

For the points of a deal it does not matter who takes what one leaves. For the game it does: Q♠ for the leader is worth
more than Q♠ for the last, and ends the game if it takes somebody over the limit. So a playout goes on until all four
seats have chosen once more (`lookahead`), and each seat's prediction is kept. Then the rest of the deal is shared out:

- Q♠ goes to each seat with its predicted chance, hearts one by one to seats drawn by what they are predicted to take;
- each seat shoots the moon with its predicted chance, if nobody else has taken points.

What a choice is worth is the mean chance to win after that, as a number of games lost, scaled as the weights of `score`
are. The same draws serve for all choices in a world.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ZERO, popcount
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import substream, uniform
from heartlab.kernel.ranks import HEARTS, QUEEN_BIT
from heartlab.learners.whole_game.network import HEADS, SEATS, SHOOT, TAKE_HEARTS, TAKE_JACK, TAKE_QUEEN
from heartlab.learners.whole_game.score import between

ALL_HEARTS, QUEEN_POINTS = 13, 13
LEAST_MOON = 0.01
"""Chances of a moon below this are none."""
LEAST_HEARTS = 0.05
"""What a seat is predicted to take at least of the hearts that are left."""


class Stakes(NamedTuple):
    """What is at stake in a deal of a game, seen from the seat that looks ahead."""

    chances: npt.NDArray[np.float32]  # [own, others...]: to win from totals on the grid
    totals: npt.NDArray[np.float64]  # [seats]: the root's first, then clockwise
    limit: int  # the game ends at so many points
    moon: npt.NDArray[np.float64]  # [2]: points of the shooter and of the others; zeros if it does not count
    bonus: float  # points of J♦
    scale: float  # a game lost is worth so many points
    points: npt.NDArray[np.float64]  # [heads]: what the predictions are worth in points, to break ties
    weights: npt.NDArray[np.float64]  # [heads]: what they are worth for the root's seat, which chooses by them
    caution: float  # how much the chance that another seat shoots the moon counts


class Rest(NamedTuple):
    """Working memory: how the rest of a deal is shared out, root's seat first."""

    after: npt.NDArray[np.float64]  # [seats]: totals
    queen: npt.NDArray[np.float64]  # [seats]: chance to take Q♠
    hearts: npt.NDArray[np.float64]  # [seats]: share of the hearts that are left
    moon: npt.NDArray[np.float64]  # [seats]: chance to shoot
    jack: npt.NDArray[np.float64]  # [seats]: chance to take J♦


@kernel
def new_rest() -> Rest:
    """Working memory for the worth of a playout."""
    return Rest(np.zeros(SEATS), np.zeros(SEATS), np.zeros(SEATS), np.zeros(SEATS), np.zeros(SEATS))


# --- the worth of a playout ---


@kernel
def _share_out(stakes: Stakes, state: Any, root: int, final: Any, rest: Rest) -> int:
    """Who takes what is left, by the predictions; returns how many hearts that are."""
    moons_count = stakes.moon[0] != stakes.moon[1]
    queen, hearts, moon, jack = rest.queen, rest.hearts, rest.moon, rest.jack
    left, takers, fallen = ALL_HEARTS, 0, False
    for seat in range(SEATS):
        taken = state["taken"][seat]
        left -= popcount(taken & HEARTS)
        fallen = fallen or taken & QUEEN_BIT != ZERO
        takers += taken & (HEARTS | QUEEN_BIT) != ZERO
    moons, queens, whole = 0.0, 0.0, 0.0
    for i in range(SEATS):
        seat = (root + i) % SEATS
        taken = state["taken"][seat]
        alone = moons_count and (takers == 0 or (takers == 1 and taken & (HEARTS | QUEEN_BIT) != ZERO))
        chance = min(1.0, final[seat, SHOOT]) if alone else 0.0
        moon[i] = chance * (1.0 if i == 0 else stakes.caution) if chance >= LEAST_MOON else 0.0
        # what the seat takes if it does not shoot
        queen[i] = max(0.0, final[seat, TAKE_QUEEN] - moon[i])
        if fallen:
            queen[i] = 1.0 if taken & QUEEN_BIT != ZERO else 0.0
        hearts[i] = max(LEAST_HEARTS, final[seat, TAKE_HEARTS] - popcount(taken & HEARTS) - moon[i] * left)
        jack[i] = min(1.0, max(0.0, final[seat, TAKE_JACK]))
        moons += moon[i]
        queens += queen[i]
        whole += hearts[i]
    for i in range(SEATS):
        moon[i] /= max(1.0, moons)
        queen[i] = queen[i] / queens if queens > 0.0 else 1.0 / SEATS
        hearts[i] /= whole
    return left


@kernel
def _draw_hearts(left: int, rest: Rest, rng: Any) -> None:
    """Give each heart that is left to a seat drawn by its share."""
    for _ in range(left):
        draw = uniform(rng)
        seat = 0
        while seat < SEATS - 1 and draw >= rest.hearts[seat]:
            draw -= rest.hearts[seat]
            seat += 1
        rest.after[seat] += 1.0


@kernel
def games_lost(stakes: Stakes, state: Any, root: int, final: Any, rest: Rest, rng: Any) -> float:
    """The chance to lose the game after a playout, in points; `final` is what each seat takes in the deal.

    Draws as many numbers as there are hearts left.
    """
    left = _share_out(stakes, state, root, final, rest)
    after, moon = rest.after, rest.moon
    for i in range(SEATS):
        after[i] = stakes.totals[i] + stakes.bonus * rest.jack[i]
    chance, plain = 0.0, 1.0
    for shooter in range(SEATS):
        if moon[shooter] > 0.0:
            plain -= moon[shooter]
            for i in range(SEATS):
                after[i] += stakes.moon[0] if i == shooter else stakes.moon[1]
            chance += moon[shooter] * between(stakes.chances, after, stakes.limit)
            for i in range(SEATS):
                after[i] -= stakes.moon[0] if i == shooter else stakes.moon[1]
    for i in range(SEATS):
        after[i] += popcount(state["taken"][(root + i) % SEATS] & HEARTS)
    _draw_hearts(left, rest, rng)
    for i in range(SEATS):
        if rest.queen[i] > 0.0 and plain > 0.0:
            after[i] += QUEEN_POINTS
            chance += plain * rest.queen[i] * between(stakes.chances, after, stakes.limit)
            after[i] -= QUEEN_POINTS
    lost = -stakes.scale * chance
    for k in range(HEADS):
        lost += stakes.points[k] * final[root, k]
    return lost


@kernel
def world_key(world: Any) -> np.uint64:
    """A random key that follows from the hands."""
    return substream(substream(world["hands"][0], 1), np.int64(world["hands"][1] >> np.uint64(1)))
