"""Criteria of model choice: the six points of IML 4.8, identities, statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes

from assay.errors import DataError, ParameterError
from assay.stats.information.information_criteria import (
    aic,
    bic,
    corrected_error,
    description_length,
    effective_parameters,
    gaussian_log_likelihood,
    mallows_cp,
    optimism,
    regression_criteria,
    structural_risk,
)

x, r = np.arange(1.0, 7), np.array([3.0, 5, 6, 8, 9, 12])
# IML 4.8: SSE, log likelihood, AIC and BIC of degrees 0 to 4; the variance counts as a parameter.
SSE = [50.833333, 1.104762, 0.807143, 0.357143, 0.321429]
LOG_LIKELIHOOD = [-14.924010, -3.437242, -2.495589, -0.049495, 0.266587]
AIC = [33.8480, 12.8745, 12.9912, 10.0990, 11.4668]
BIC = [33.4315, 12.2498, 12.1582, 9.0578, 10.2174]


def of_degree(k):
    return regression_criteria(r, np.polyval(np.polyfit(x, r, k), x), k + 1)


@pytest.mark.capability("IML-4-15", "IML-4-22")
@pytest.mark.parametrize("k", range(5))
def test_criteria_of_six_points(k):
    result = of_degree(k)
    assert_allclose(result.sse, SSE[k], atol=1e-6)
    assert_allclose(result.log_likelihood, LOG_LIKELIHOOD[k], atol=1e-6)
    assert_allclose([result.aic, result.bic], [AIC[k], BIC[k]], atol=5e-5)
    assert_allclose(result.relative_squared_error, SSE[k] / SSE[0], atol=1e-7)
    assert_allclose(result.r2, 1 - SSE[k] / SSE[0], atol=1e-7)
    assert result.to_dict()["parameters"] == k + 2


@pytest.mark.capability("IML-4-22")
def test_optimism_of_a_cubic_on_a_fixed_grid():
    """IML 4.8: 20 points on [0, 5], noise 1: expected training error 1.0361, in-sample 1.4361, difference 0.4.

    Exact, without drawing: the bias of a cubic for 2 sin 1.5 x plus the share of the noise that is left or added.
    """
    grid = np.linspace(0, 5, 20)
    f = 2 * np.sin(1.5 * grid)
    bias = np.mean((f - np.polyval(np.polyfit(grid, f, 3), grid)) ** 2)
    training, in_sample = bias + 1 - 4 / 20, bias + 1 + 4 / 20
    assert_allclose([training, in_sample], [1.0361, 1.4361], atol=5e-5)
    assert_allclose(optimism(4, 20, 1.0), in_sample - training, rtol=1e-12)
    assert_allclose(corrected_error(training, 4, 20, 1.0), in_sample, rtol=1e-12)
    assert_allclose(corrected_error(1.0, 4, 20, 1.0, "bic"), 1 + np.log(20) * 0.2, rtol=1e-12)
    assert_allclose(
        mallows_cp(20 * training, 4, 20, 1.0), 20 * corrected_error(training, 4, 20, 1.0) - 20, rtol=1e-12
    )


@given(score=st.floats(-1e3, 1e3), d=st.integers(1, 50), n=st.integers(2, 10**6))
@pytest.mark.capability("IML-4-25")
def test_description_length_in_nats_is_half_the_bic(score, d, n):
    assert_allclose(description_length(score, d, n, np.e), bic(score, d, n) / 2, rtol=1e-9, atol=1e-9)
    assert_allclose(description_length(score, d, n) * np.log(2), bic(score, d, n) / 2, rtol=1e-9, atol=1e-9)
    assert_allclose(bic(score, d, n) - aic(score, d), d * (np.log(n) - 2), rtol=1e-9, atol=1e-6)


@pytest.mark.capability("IML-4-25")
def test_the_shortest_description_of_six_points():
    """The code is shortest where the BIC is smallest: degree 3."""
    result = [of_degree(k) for k in range(5)]
    assert np.argmin([c.description_length for c in result]) == np.argmin([c.bic for c in result]) == 3


@pytest.mark.capability("IML-4-23")
def test_effective_parameters():
    """IML 4.8: k + 1 for polynomials by least squares; for ridge the sum of s^2 / (s^2 + lambda), from d down to 0."""
    for k in range(5):
        assert_allclose(effective_parameters(np.vander(x, k + 1)), k + 1, rtol=1e-9)
    X = np.random.default_rng(0).normal(size=(30, 4))
    s2 = np.linalg.svd(X, compute_uv=False) ** 2
    for lam in (0.1, 3.0, 1e3):
        assert_allclose(effective_parameters(X, lam), np.sum(s2 / (s2 + lam)), rtol=1e-9)
    assert effective_parameters(X, 1e12) < 1e-9
    assert_allclose(effective_parameters(np.column_stack([np.ones(30), X]), [0, *[1e12] * 4]), 1, atol=1e-6)


@pytest.mark.capability("IML-4-24")
def test_structural_risk_falls_and_rises_with_the_degree():
    """IML 4.8, set-up of figure 4-7 with more rows, so that the bound has something to say."""
    random = np.random.default_rng(0)
    n = 2000
    t = random.uniform(0, 5, n)
    y = 2 * np.sin(1.5 * t) + random.normal(size=n)
    wrong = []  # share of rows on the wrong side of zero: the bound is one of error rates
    for k in range(1, 13):
        g = np.polynomial.Polynomial.fit(t, y, k)(t)
        wrong.append(np.mean((g > 0) != (y > 0)))
    result = structural_risk(wrong, np.arange(2, 14), n)
    assert 0 < result.best < 11
    assert result.bounds[0] > result.bounds[result.best] < result.bounds[-1]
    V = 5
    by_hand = wrong[3] + np.sqrt((V * (np.log(2 * n / V) + 1) - np.log(0.05 / 4)) / n)
    assert_allclose(result.bounds[3], by_hand, rtol=1e-12)


def test_same_numbers_as_statsmodels():
    """Peer: OLS, statsmodels 0.15; its criteria do not count the variance as a parameter."""
    api = pytest.importorskip("statsmodels.api", reason="statsmodels is a peer of the tests only")
    X, y = load_diabetes(return_X_y=True)
    peer = api.OLS(y, api.add_constant(X)).fit()
    ours = regression_criteria(y, peer.fittedvalues, 11)
    assert_allclose(ours.log_likelihood, peer.llf, rtol=1e-10)
    assert_allclose(ours.aic - 2, peer.aic, rtol=1e-10)
    assert_allclose(ours.bic - np.log(len(y)), peer.bic, rtol=1e-10)
    assert_allclose(ours.r2, peer.rsquared, rtol=1e-10)


def test_edges():
    assert gaussian_log_likelihood(0.0, 5) == np.inf
    assert np.isnan(regression_criteria([2.0, 2.0], [2.0, 2.0], 1).r2)
    assert_allclose(gaussian_log_likelihood(3.0, 2, 2.0), -np.log(4 * np.pi) - 0.75, rtol=1e-12)
    with pytest.raises(ParameterError, match="var above 0"):
        gaussian_log_likelihood(1.0, 5, 0.0)
    with pytest.raises(ParameterError, match="kind"):
        corrected_error(1.0, 1, 1, 1.0, "cp")
    with pytest.raises(ParameterError, match="at most 2 n"):
        structural_risk([0.1], [50], 10)
    with pytest.raises(ParameterError, match="eta"):
        structural_risk([0.1], [5], 10, eta=1.0)
    with pytest.raises(DataError, match="one VC dimension"):
        structural_risk([0.1, 0.2], [5], 10)
    with pytest.raises(DataError, match="rows"):
        regression_criteria([1.0, 2.0], [1.0], 1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: bic(-1.0, 2, 0),
        lambda: optimism(1, 0, 1.0),
        lambda: corrected_error(1.0, 1, 0, 1.0),
        lambda: mallows_cp(1.0, 2, 5, 0.0),
        lambda: description_length(-1.0, 2, 0),
        lambda: description_length(-1.0, 2, 5, base=1.0),
        lambda: regression_criteria([1.0, 2.0], [1.0, 2.5], -1),
    ],
)
def test_no_rows_no_noise_and_fewer_than_no_parameters_are_refused(ask):
    with pytest.raises(ParameterError, match=r"must be (above [01]|a number from 0 up), got"):
        ask()
