"""Evidence and posterior of polynomials: the six points of IML 4.8, and the multivariate normal that it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.linear_model import Ridge

from assay.errors import DataError, ParameterError
from assay.stats.bayesian.model_selection import bayesian_model_selection, log_evidence, weight_posterior

x, r = np.arange(1.0, 7) - 3.5, np.array([3.0, 5, 6, 8, 9, 12])
DESIGNS = [np.vander(x, k + 1, increasing=True) for k in range(4)]


@pytest.mark.capability("IML-4-26")
def test_six_points():
    """IML 4.8: input x - 3.5, unit prior and noise."""
    result = bayesian_model_selection(DESIGNS, r)
    assert_allclose(result.log_evidence, [-53.91516, -31.85377, -28.81537, -30.05859], atol=5e-6)
    assert_allclose(result.posterior, [0.0000, 0.0359, 0.7483, 0.2159], atol=5e-5)
    assert result.best == 2
    at = [np.vander([0.5], k + 1, increasing=True) for k in range(4)]
    mean, variance = result.average(at)
    each = np.array([[v[0] for v in w.predict(D)] for w, D in zip(result.weights, at)])
    assert_allclose(mean[0], result.posterior @ each[:, 0], rtol=1e-12)
    second = result.posterior @ (each[:, 1] + each[:, 0] ** 2)
    assert_allclose(variance[0], second - mean[0] ** 2, rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(1, 8),
    d=st.integers(1, 10),
    lam=st.floats(0.1, 10),
    var=st.floats(0.1, 10),
    seed=st.integers(0, 99),
)
def test_evidence_is_a_normal_density(n, d, lam, var, seed):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(n, d)), random.normal(size=n)
    expected = multivariate_normal(np.zeros(n), var * np.eye(n) + X @ X.T / lam).logpdf(y)
    assert_allclose(log_evidence(X, y, lam, var), expected, rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(lam=st.floats(0.01, 10), var=st.floats(0.1, 10), seed=st.integers(0, 99))
def test_the_posterior_mean_is_ridge_with_every_weight_penalised(lam, var, seed):
    """IML 4-40: the penalty is lambda sigma^2."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(9, 3)), random.normal(size=9)
    ours = weight_posterior(X, y, lam, var)
    assert_allclose(ours.mean, Ridge(alpha=lam * var, fit_intercept=False).fit(X, y).coef_, atol=1e-8)
    assert_allclose(ours.covariance, np.linalg.inv(X.T @ X / var + lam * np.eye(3)), rtol=1e-8)


def test_a_prior_of_models_counts():
    result = bayesian_model_selection(DESIGNS, r, prior=[0, 1, 0, 0])
    assert_allclose(result.posterior, [0, 1, 0, 0], atol=1e-15)


def test_what_cannot_be_chosen_from_is_said():
    with pytest.raises(DataError, match="no model"):
        bayesian_model_selection([], r)
    with pytest.raises(ParameterError, match="2 probabilities"):
        bayesian_model_selection(DESIGNS[:2], r, prior=[0.5, 0.6])
    with pytest.raises(ParameterError, match="above 0"):
        log_evidence([[1.0]], [1.0], noise=0)
    with pytest.raises(DataError, match="X has 1 rows and y has 2"):
        log_evidence([[1.0]], [1.0, 2.0])
    with pytest.raises(DataError, match="4 models, got 1"):
        bayesian_model_selection(DESIGNS, r).average(DESIGNS[:1])


def test_columns_of_huge_numbers_have_an_evidence():
    """A column times c and a prior of precision c^2 times as high are the same model."""
    X, y = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]]), [1.0, 2.0, -1.0]
    assert_allclose(log_evidence(1e120 * X, y, 1e240), log_evidence(X, y), rtol=1e-12)
    assert np.isfinite(log_evidence(1e200 * X, y))
