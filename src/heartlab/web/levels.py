"""The level estimate: the points that somebody's decisions cost per deal, and which of our players that compares to."""

from __future__ import annotations

import numpy as np

from heartlab.statistics import estimate
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


def estimate_level(person: str, deals: list[tuple[float, int]]) -> LevelEstimate:
    """The estimate from what each reviewed deal cost, and with how many decisions; a 95 % interval over deals."""
    costs = [cost for cost, _ in deals]
    count = sum(number for _, number in deals)
    if len(costs) < 2:
        text = "Review at least two deals of a game to get an estimate."
        return LevelEstimate(person, len(costs), count, None, None, None, text)
    found = estimate(np.array(costs))
    mean, low, high = found.mean, max(0.0, found.ci95[0]), found.ci95[1]
    text = (
        f"Your decisions cost {mean:.1f} points a deal in the coach's eyes ({low:.1f} to {high:.1f}, 95 % interval "
        f"over {len(costs)} deals); what is within the noise is left out. {compare(low, high)}"
    )
    return LevelEstimate(person, len(costs), count, round(mean, 2), round(low, 2), round(high, 2), text)


def compare(low: float, high: float) -> str:
    """Which players of the yardstick cost as much, as far as the interval tells."""
    alike = [name for name, mean, se in YARDSTICK if low <= mean + 2 * se and mean - 2 * se <= high]
    if alike:
        return f"That is like {' or '.join(alike)}."
    worse = [name for name, mean, _ in YARDSTICK if mean > high]
    return f"That is better than {worse[-1]}." if worse else f"That is more than {YARDSTICK[0][0]} gives away."
