"""Means with confidence intervals and p-values over independent units (deals, games, runs), or paired differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error and 95 % confidence interval (Student's t over n units).

    >>> found = estimate(np.array([1.0, 2.0, 3.0, 4.0]))
    >>> found.mean, round(found.ci95[0], 2), round(found.ci95[1], 2)
    (2.5, 0.45, 4.55)
    """

    mean: float
    se: float
    n: int

    @property
    def ci95(self) -> tuple[float, float]:
        """The 95 % confidence interval."""
        reach = t_quantile(0.975, self.n - 1) * self.se if self.n > 1 else math.inf
        return self.mean - reach, self.mean + reach

    @property
    def p(self) -> float:
        """The two-sided p-value of the hypothesis that the mean is zero."""
        if self.n < 2:
            return 1.0
        if self.se == 0.0:
            return 1.0 if self.mean == 0.0 else 0.0
        return 2.0 * t_tail(abs(self.mean) / self.se, self.n - 1)


def estimate(values: FloatArray) -> Estimate:
    """The mean of independent values, with its standard error."""
    n = len(values)
    if n == 0:
        return Estimate(math.nan, math.nan, 0)
    se = float(np.std(values, ddof=1) / math.sqrt(n)) if n > 1 else math.nan
    return Estimate(float(np.mean(values)), se, n)


def t_tail(t: float, degrees: int) -> float:
    """P(T > t) of Student's t, by integrating its density; t = sqrt(d)·tan(a) makes it a power of the cosine."""
    if degrees > 100_000:
        return 0.5 * math.erfc(t / math.sqrt(2.0))
    angle = np.linspace(math.atan(t / math.sqrt(degrees)), math.pi / 2, 20001)
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    return float(scale * np.trapezoid(np.cos(angle) ** (degrees - 1), angle))


@cache
def t_quantile(probability: float, degrees: int) -> float:
    """The value that T exceeds with probability 1 - `probability`, by bisection; for probabilities above one half."""
    low, high = 0.0, 1.0
    while t_tail(high, degrees) > 1.0 - probability:
        high *= 2.0
    for _ in range(50):
        middle = (low + high) / 2
        if t_tail(middle, degrees) > 1.0 - probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2
