"""Intervals of means and variances: worked numbers, SciPy, coverage by simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.intervals.mean_interval import mean_interval, variance_interval
from assay.stats.significance.summary import Summary

ERRORS = [0.12, 0.15, 0.11, 0.14, 0.13, 0.16, 0.10, 0.12, 0.15, 0.12]


@pytest.mark.capability("IML-19-08")
def test_worked_intervals_of_a_mean_and_a_variance():
    # Oracle: IML 19.8.
    known = Summary(5.2, 2, 100)
    assert_allclose(mean_interval(known, sigma=2), (4.80800720, 5.59199280), atol=5e-9)
    low, high = mean_interval(known, sigma=2, alternative="greater")
    assert_allclose(low, 4.87102927, atol=5e-9)
    assert high == np.inf
    s = Summary.of(ERRORS)
    assert_allclose((s.mean, s.sd), (0.13, 0.01943651), atol=5e-9)
    assert_allclose(mean_interval(ERRORS), (0.11609596, 0.14390404), atol=5e-9)
    assert_allclose(variance_interval(ERRORS), (0.00017873, 0.00125908), atol=5e-9)


@pytest.mark.parametrize("alpha", [0.01, 0.2])
def test_same_quantiles_as_scipy(alpha):
    """Peer: SciPy 1.17, the quantiles of t and chi-square."""
    from scipy.stats import chi2, t

    m, s, n = np.mean(ERRORS), np.std(ERRORS, ddof=1), len(ERRORS)
    assert_allclose(mean_interval(ERRORS, alpha=alpha), t.interval(1 - alpha, n - 1, m, s / np.sqrt(n)))
    assert_allclose(
        mean_interval(ERRORS, alpha=alpha, alternative="less")[1],
        m + t.ppf(1 - alpha, n - 1) * s / np.sqrt(n),
    )
    bounds = (n - 1) * s**2 / chi2.ppf([1 - alpha / 2, alpha / 2], n - 1)
    assert_allclose(variance_interval(ERRORS, alpha=alpha), bounds)
    assert_allclose(
        variance_interval(ERRORS, alpha=alpha, alternative="less"),
        (0, (n - 1) * s**2 / chi2.ppf(alpha, n - 1)),
    )
    assert variance_interval(ERRORS, alternative="greater")[1] == np.inf


@pytest.mark.parametrize("n", [3, 12])
def test_coverage_of_mean_and_variance(n):
    worlds = 3000
    X = np.random.default_rng(n).normal(2, 3, (worlds, n))
    means = np.array([mean_interval(x, alpha=0.1) for x in X])
    spreads = np.array([variance_interval(x, alpha=0.1) for x in X])
    allowed = 4 * np.sqrt(0.1 * 0.9 / worlds)  # 0.022
    assert abs(np.mean((means[:, 0] <= 2) & (means[:, 1] >= 2)) - 0.9) < allowed
    assert abs(np.mean((spreads[:, 0] <= 9) & (spreads[:, 1] >= 9)) - 0.9) < allowed


def test_values_without_spread_have_an_interval_without_width():
    assert mean_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)
    assert mean_interval([0.5, 0.5], alternative="less") == (-np.inf, 0.5)
    assert variance_interval([0.5, 0.5, 0.5]) == (0.0, 0.0)
    low, high = mean_interval([0.5], sigma=1.0)
    assert low < 0.5 < high


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: mean_interval([1.0]), "one value"), (lambda: variance_interval([1.0]), "one value"),
     (lambda: mean_interval([]), "at least 1"), (lambda: mean_interval([1, np.nan]), "row 2 "),
     (lambda: mean_interval([[1, 2]]), "shape"), (lambda: mean_interval(["a"]), "expected numbers"),
     (lambda: mean_interval([1, 2], sigma=0), "sigma"), (lambda: mean_interval([1, 2], alpha=2), "alpha")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_rounding_is_no_spread():
    assert mean_interval([0.1] * 7) == (pytest.approx(0.1, rel=1e-15),) * 2
    low, high = mean_interval([0.1] * 7)
    assert low == high and variance_interval([0.1] * 7) == (0.0, 0.0)
