"""Ratings of players from the results of matches: Bradley and Terry's model on the scale of Elo, with standard errors.

Whoever has the higher goal of two players in a match beat the other; equal goals are half a win for each. In a match of
n players each pair counts 1 / (n - 1), so that a match weighs the same for a player however many take part. The mean
rating is 1500, and 400 points more mean odds of ten to one.

Everybody also has half a win and half a loss against an average player. Without them somebody who won every match would
have an infinite rating; with them ratings of few matches lie a little too close together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MEAN = 1500.0
SCALE = 400.0 / math.log(10.0)
"""Elo points per unit of log odds."""
PRIOR = 0.5
"""Wins and losses of everybody against an average player."""
MOST_STEPS = 200


@dataclass(frozen=True)
class Rating:
    """A rating and its standard error, in Elo points."""

    rating: float
    se: float

    @property
    def ci95(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.rating - 1.96 * self.se, self.rating + 1.96 * self.se


def wins_of(results: Sequence[Sequence[tuple[int, int]]], players: int) -> npt.NDArray[np.float64]:
    """How much each player beat each other one, from matches given as (player, goal) of all who took part."""
    wins = np.zeros((players, players))
    for result in results:
        for one, goal in result:
            for other, rival in result:
                if one != other:
                    wins[one, other] += (0.5 * (goal == rival) + (goal > rival)) / (len(result) - 1)
    return wins


def rate(results: Sequence[Sequence[tuple[int, int]]], players: int) -> list[Rating]:
    """The rating of every player, by Newton's method on the likelihood.

    >>> [round(one.rating) for one in rate([[(0, 100), (1, 0)], [(0, 0), (1, 100)]], players=2)]
    [1500, 1500]
    """
    wins = wins_of(results, players)
    games = wins + wins.T
    skill = np.zeros(players)
    for _ in range(MOST_STEPS):
        gradient, information = _slopes(wins, games, skill)
        step = np.linalg.solve(information, gradient)
        skill += np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-10:
            break
    _, information = _slopes(wins, games, skill)
    centre = np.eye(players) - 1.0 / players
    spread = centre @ np.linalg.inv(information) @ centre.T
    skill -= skill.mean()
    return [
        Rating(MEAN + SCALE * float(own), SCALE * math.sqrt(max(0.0, float(variance))))
        for own, variance in zip(skill, np.diag(spread), strict=True)
    ]


def _slopes(
    wins: npt.NDArray[np.float64], games: npt.NDArray[np.float64], skill: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The gradient of the log likelihood, and minus its second derivatives."""
    chance = 1.0 / (1.0 + np.exp(skill[None, :] - skill[:, None]))
    against_average = 1.0 / (1.0 + np.exp(-skill))
    gradient = (wins - games * chance).sum(axis=1) + PRIOR - 2 * PRIOR * against_average
    weight = games * chance * (1.0 - chance)
    information = -weight
    np.fill_diagonal(information, weight.sum(axis=1) + 2 * PRIOR * against_average * (1.0 - against_average))
    return gradient, information
