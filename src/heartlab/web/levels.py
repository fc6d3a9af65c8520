"""The level estimate: the points that somebody's decisions cost per deal, and which of our players that compares to."""

from __future__ import annotations

import numpy as np

from heartlab.arena.statistics import t_quantile
from heartlab.web.messages import LevelEstimate

YARDSTICK = [
    ("random", 10.08, 1.18),
    ("gnome", 3.77, 0.71),
    ("gnome:peter", 2.36, 0.45),
    ("gnome:jake", 1.70, 0.29),
    ("advice:advice-four", 1.45, 0.33),
    ("uct:worlds=20,sims=200", 0.49, 0.13),
]
"""Players with the mean cost of their decisions per deal and its standard error: 40 deals of seed 7 under standard
rules, against three `gnome`, judged as in a review. Made by `python docs/make_levels.py 40`."""


WHICH = "Deals count that you play under standard rules, with a seed unknown to you, and without the coach's help."
DEALS = 40
"""Deals of the yardstick."""
ENOUGH = 10
"""Deals from which a comparison says something."""
PRIOR = 9
"""The spread of one's own deals is joined with that of so many deals (plus one) of the player that costs as much."""


def estimate_level(person: str, deals: list[tuple[float, int]]) -> LevelEstimate:
    """The estimate from what each reviewed deal cost, and with how many decisions; a 95 % interval over deals."""
    costs = [cost for cost, _ in deals]
    count = sum(number for _, number in deals)
    if len(costs) < 2:
        text = f"Review at least two deals to get an estimate. {WHICH}"
        return LevelEstimate(person, len(costs), count, None, None, None, text)
    mean, low, high = interval(costs)
    few = f"Too few deals to compare you with our players: {ENOUGH} are needed."
    text = (
        f"Your decisions cost {mean:.1f} points a deal in the coach's eyes ({low:.1f} to {high:.1f}, 95 % interval "
        f"over {len(costs)} deals); what is within the noise is left out. "
        f"{compare(low, high) if len(costs) >= ENOUGH else few} {WHICH}"
    )
    return LevelEstimate(person, len(costs), count, round(mean, 2), round(low, 2), round(high, 2), text)


def interval(costs: list[float]) -> tuple[float, float, float]:
    """The mean with a 95 % interval: Student's t, the variance pooled with that of the nearest yardstick.

    A few deals may all cost nothing, or the same, by chance; their own spread would then promise a certainty that
    nobody has. With many deals the pooling makes no difference.
    """
    n, mean = len(costs), float(np.mean(costs))
    _, _, se = min(YARDSTICK, key=lambda one: abs(one[1] - mean))
    freedom = n - 1 + PRIOR
    variance = (float(np.var(costs, ddof=1)) * (n - 1) + PRIOR * DEALS * se**2) / freedom
    reach = t_quantile(0.975, freedom) * (variance / n) ** 0.5
    return mean, max(0.0, mean - reach), mean + reach


def compare(low: float, high: float) -> str:
    """Which players of the yardstick cost as much, as far as the interval tells."""
    alike = [name for name, mean, se in YARDSTICK if low <= mean + 2 * se and mean - 2 * se <= high]
    if alike:
        return f"That is like {' or '.join(alike)}."
    worse = [name for name, mean, _ in YARDSTICK if mean > high]
    return f"That is better than {worse[-1]}." if worse else f"That is more than {YARDSTICK[0][0]} gives away."
