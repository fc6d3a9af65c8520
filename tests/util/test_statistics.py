"""Intervals and p-values against scipy."""

import numpy as np
import pytest
from scipy import stats

from heartlab.util.statistics import estimate, t_quantile, t_tail


@pytest.mark.parametrize("degrees", [1, 2, 5, 30, 500, 5000, 200_000])
def test_t_distribution_agrees_with_scipy(degrees):
    for t in (0.0, 0.3, 1.0, 2.5, 6.0):
        assert t_tail(t, degrees) == pytest.approx(stats.t.sf(t, degrees), rel=2e-4, abs=1e-10)
    assert t_quantile(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-3)


def test_estimate_agrees_with_scipy():
    values = np.random.default_rng(1).normal(0.4, 2.0, 25)
    ours = estimate(values)
    theirs = stats.ttest_1samp(values, 0.0)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-4)
    assert ours.ci95 == pytest.approx(tuple(theirs.confidence_interval()), rel=1e-4)
    assert (ours.mean, ours.n) == (pytest.approx(values.mean()), 25)


def test_degenerate_samples():
    assert estimate(np.zeros(0)).n == 0
    assert estimate(np.ones(1)).ci95[1] == np.inf
    assert estimate(np.zeros(10)).p == 1.0
    assert estimate(np.ones(10)).p == 0.0
