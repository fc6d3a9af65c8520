"""The level estimate: the points that somebody's decisions cost per deal, and which of our players that compares to."""

from __future__ import annotations

import numpy as np

from heartlab.coach.phrases import either
from heartlab.coach.values import LevelEstimate
from heartlab.util.said import Said, in_a_row
from heartlab.util.statistics import t_quantile

YARDSTICK = [
    ("random", 15.59, 4.13),
    ("gnome:peter", 6.86, 3.36),
    ("gnome", 3.35, 1.44),
    ("advice:advice-four", 2.25, 0.70),
    ("gnome:jake", 1.57, 0.64),
    ("uct:worlds=20,sims=200", 1.54, 0.69),
    ("net", 0.94, 0.51),
]
"""Players with the mean cost of their decisions per deal and its standard error: 12 deals of seed 7 under standard
rules, against three `gnome`, judged as in a review. Made by `python docs/make_levels.py 12`."""


WHICH = Said(
    "Deals count that you play under standard rules, with a seed unknown to you, and without the coach's help."
)
DEALS = 12
"""Deals of the yardstick."""
ENOUGH = 10
"""The fewest deals for a comparison."""
PRIOR = 19
"""Prior degrees of freedom: those of the spread of a player of the yardstick that costs as much."""
STEP = 0.005
"""Distance of the means that are tested."""
COURSE = 40
"""The most points of the course."""


def estimate_level(person: str, deals: list[tuple[float, int, str]]) -> LevelEstimate:
    """The estimate from what each reviewed deal cost, with how many decisions, and against which strength.

    The 95 % interval is over deals.
    """
    costs = [cost for cost, _, _ in deals]
    count = sum(number for _, number, _ in deals)
    if len(costs) < 2:
        text = in_a_row([Said("Review at least two deals to get an estimate."), WHICH])
        return LevelEstimate(person, len(costs), count, None, None, None, text)
    mean, low, high = interval(costs)
    text = in_a_row(
        [
            Said(
                "Your decisions cost {mean:.1f} points a deal in the coach's eyes ({low:.1f} to {high:.1f}, 95 % "
                "interval over {n} deals); what is within the noise is left out.",
                mean=mean, low=low, high=high, n=len(costs),
            ),
            compare(low, high)
            if len(costs) >= ENOUGH
            else Said("Too few deals to compare you with our players: {n} are needed.", n=ENOUGH),
            WHICH,
        ]
    )  # fmt: skip
    strengths = sorted({strength for _, _, strength in deals})
    courses = {one: course_of([cost for cost, _, strength in deals if strength == one]) for one in strengths}
    return LevelEstimate(
        person, len(costs), count, round(mean, 2), round(low, 2), round(high, 2), text, course_of(costs), courses
    )


def course_of(costs: list[float]) -> list[tuple[int, float, float, float]]:
    """The estimate as it was after so many deals, the last of them included."""
    every = -(-len(costs) // COURSE)
    numbers = range(len(costs), 1, -every)
    estimates = ((number, *interval(costs[:number])) for number in reversed(numbers))
    return [(number, round(mean, 2), round(low, 2), round(high, 2)) for number, mean, low, high in estimates]


def interval(costs: list[float]) -> tuple[float, float, float]:
    """The mean of what deals cost, with a 95 % interval: all true means that the deals do not contradict.

    A few deals may all cost nothing, or the same, by chance; an interval from their own spread would be too narrow. So
    each supposed mean is tested (Student's t) with the spread of a player of that mean, by the yardstick, pooled with
    that of the deals. With many deals this is the usual interval.
    """
    n, mean = len(costs), float(np.mean(costs))
    supposed = np.arange(0.0, 3 * mean + 20.0, STEP)
    known = sorted((cost, se * DEALS**0.5) for _, cost, se in YARDSTICK)
    spread = np.interp(supposed, *np.array(known).T)
    freedom = n - 1 + PRIOR
    variance = (float(np.var(costs, ddof=1)) * (n - 1) + PRIOR * spread**2) / freedom
    fits = supposed[np.abs(supposed - mean) <= t_quantile(0.975, freedom) * np.sqrt(variance / n)]
    return mean, float(fits[0]), float(fits[-1])


def compare(low: float, high: float) -> Said:
    """Which players of the yardstick have a cost within the interval."""
    alike = [name for name, mean, se in YARDSTICK if low <= mean + 2 * se and mean - 2 * se <= high]
    if alike:
        return Said("That is like {players}.", players=either(alike))
    worse = [name for name, mean, _ in YARDSTICK if mean > high]
    if worse:
        return Said("That is better than {player}.", player=worse[-1])
    return Said("That is more than {player} gives away.", player=YARDSTICK[0][0])
