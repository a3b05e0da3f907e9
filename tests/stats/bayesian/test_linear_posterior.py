"""The belief about a linear model's weights: the four points of IML 16.4, and the identities that hold for any rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import chisquare, multivariate_normal, multivariate_t

from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats import LinearPosterior

X = np.array([[1.0, 0], [1, 1], [1, 2], [1, 3]])
r = np.array([1.0, 3, 4, 8])
AT = np.array([[1.0, 4.0]])


@pytest.mark.capability("IML-16-08")
@pytest.mark.parametrize(
    "alpha, beta, mean, covariance, new, variance",
    [
        (1, 1, (0.76923077, 2.02564103), (0.38461538, -0.15384615, 0.12820513), 8.87179487, 2.20512821),
        (2, 1, (0.76666667, 1.9), (0.26666667, -0.1, 0.1), 8.36666667, 2.06666667),
        (10, 1, (0.58, 1.31333333), (0.08, -0.02, 0.04666667), 5.83333333, 1.66666667),
        (1, 0.1, (0.58, 1.31333333), (0.8, -0.2, 0.46666667), 5.83333333, 16.66666667),
        (0, 1, (0.7, 2.2), (0.7, -0.3, 0.2), 9.5, 2.5),
    ],
)
def test_four_points(alpha, beta, mean, covariance, new, variance):
    """IML 16.4.1, table; alpha = 0 is exercise 4: the variance of a prediction by maximum likelihood."""
    posterior = LinearPosterior.prior(2, alpha, noise=1 / beta).update(X, r)
    assert_allclose(posterior.mean, mean, atol=5e-9)
    assert_allclose(posterior.covariance[np.triu_indices(2)], covariance, atol=5e-9)
    assert_allclose(np.ravel(posterior.predict(AT)), [new, variance], atol=5e-9)
    distribution = posterior.density(AT)
    assert_allclose([distribution.mean[0], distribution.sd[0] ** 2], [new, variance], atol=5e-9)
    assert_allclose(posterior.density(AT, "map").sd, [beta**-0.5])


@pytest.mark.capability("IML-16-11")
def test_unknown_noise():
    """IML 16.4.2, with the corrected formula of b_N."""
    prior = LinearPosterior.prior(2, shape=1, rate=1)
    posterior = prior.update(X, r)
    assert_allclose(posterior.mean, [0.76923077, 2.02564103], atol=5e-9)
    assert posterior.dof / 2 == 3
    assert_allclose(posterior.rate, 4.39743590, atol=5e-9)
    new = posterior.density(AT)
    assert_allclose([new.dof[0], new.location[0], new.scale[0] ** 2], [6, 8.87179487, 3.23230331], atol=5e-9)
    assert_allclose(posterior.predict(AT)[1], 4.84845496, atol=5e-9)
    assert_allclose(prior.log_evidence(X, r), -9.25745264, atol=5e-9)


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 7), d=st.integers(1, 8), known=st.booleans(), seed=st.integers(0, 99))
def test_evidence_is_a_density_of_the_numbers(n, d, known, seed):
    random = np.random.default_rng(seed)
    A, y, m = random.normal(size=(n, d)), random.normal(size=n), random.normal(size=d)
    P = random.normal(size=(d, d))
    P = P @ P.T + np.eye(d)
    shape = np.eye(n) + A @ np.linalg.solve(P, A.T)
    if known:
        prior = LinearPosterior.prior(d, P / 0.7, m, noise=0.7)
        expected = multivariate_normal(A @ m, 0.7 * shape).logpdf(y)
    else:
        prior = LinearPosterior.prior(d, P, m, shape=1.5, rate=0.8)
        expected = multivariate_t(A @ m, 0.8 / 1.5 * shape, df=3).logpdf(y)
    assert_allclose(prior.log_evidence(A, y), expected, rtol=1e-8, atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(2, 9), k=st.integers(1, 8), known=st.booleans(), flat=st.booleans(), seed=st.integers(0, 99)
)
def test_one_by_one_is_all_at_once(n, k, known, flat, seed):
    """Also the evidence: the product of successive predictive densities."""
    random = np.random.default_rng(seed)
    A, y = np.column_stack((np.ones(n), random.normal(size=(n, 2)))), random.normal(size=n)
    noise = {"noise": 0.5} if known else {"shape": 1.0, "rate": 2.0}
    prior = LinearPosterior.prior(3, [0.0 if flat else 2.0, 1.0, 1.0], **noise)
    k = min(k, n - 1)
    first = prior.update(A[:k], y[:k])
    both, all_rows = first.update(A[k:], y[k:]), prior.update(A, y)
    assert_allclose(both.mean, all_rows.mean, atol=1e-9)
    assert_allclose(both.covariance, all_rows.covariance, atol=1e-9)
    assert_allclose([both.dof, both.noise], [all_rows.dof, all_rows.noise])
    one_by_one, steps = prior.log_evidence(A[:k], y[:k]), first
    for row, number in zip(A[k:], y[k:]):
        one_by_one += steps.density(row[None]).logpdf([number])[0]
        steps = steps.update(row[None], [number])
    assert_allclose(one_by_one, prior.log_evidence(A, y), atol=1e-9)


def test_a_weight_of_two_is_a_row_twice():
    prior = LinearPosterior.prior(2, shape=1, rate=1)
    twice = prior.update(np.vstack((X, X[:2])), np.append(r, r[:2]))
    weighted = prior.update(X, r, [2, 2, 1, 1])
    assert_allclose(weighted.covariance, twice.covariance)
    assert_allclose([weighted.dof, weighted.noise], [twice.dof, twice.noise])


@pytest.mark.parametrize("known", [True, False])
def test_draws_have_the_density_that_they_are_drawn_from(known):
    """The ranks of the true weights among draws are uniform when truth and rows come from the prior."""
    random = np.random.default_rng(4)
    noise = {"noise": 0.5} if known else {"shape": 3.0, "rate": 2.0}
    prior = LinearPosterior.prior(2, 1.0, **noise)
    ranks = []
    for _ in range(600):
        (w,), (variance,) = prior.sample_both(1, random)
        A = random.normal(size=(6, 2))
        y = A @ w + np.sqrt(variance) * random.normal(size=6)
        ranks.append((prior.update(A, y).sample(9, random) < w).sum(axis=0))
    for column in np.array(ranks).T:
        assert chisquare(np.bincount(column, minlength=10)).pvalue > 1e-4


def test_density_interval_and_variance_agree():
    posterior = LinearPosterior.prior(2, shape=1, rate=1).update(X, r)
    expected = multivariate_t(posterior.mean, posterior.covariance, df=6)
    assert_allclose(posterior.logpdf([[0.0, 1.0], [1.0, 2.0]]), expected.logpdf([[0.0, 1.0], [1.0, 2.0]]))
    draws = posterior.sample(40_000, 0)
    low, high = posterior.interval(0.9)
    assert_allclose(((draws > low) & (draws < high)).mean(axis=0), 0.9, atol=0.006)
    assert_allclose(draws.var(axis=0), posterior.var, rtol=0.05)


def test_nearly_collinear_columns_keep_their_digits():
    """The squares of these columns agree to 16 digits; their factor does not."""
    x = np.linspace(0, 1, 20)
    A = np.column_stack((x, x + 1e-9 * np.cos(40 * x)))
    posterior = LinearPosterior.prior(2, 1e-24).update(A, A @ [1.0, 2.0])
    assert_allclose(posterior.mean, [1.0, 2.0], atol=1e-5)


def test_what_cannot_be_believed_is_said():
    with pytest.raises(ParameterError, match="above 0"):
        LinearPosterior.prior(2, noise=0)
    with pytest.raises(ParameterError, match="both be above 0"):
        LinearPosterior.prior(2, shape=1)
    with pytest.raises(ParameterError, match="positive definite"):
        LinearPosterior.prior(2, [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ParameterError, match="2 numbers from 0 up"):
        LinearPosterior.prior(2, [1.0, -1.0])
    with pytest.raises(DegenerateError, match="flat about weights"):
        LinearPosterior.prior(2, 0.0).update(X[:1], r[:1])
    with pytest.raises(DegenerateError, match="no covariance"):
        _ = LinearPosterior.prior(2, 0.0).covariance
    with pytest.raises(DataError, match="3 columns"):
        LinearPosterior.prior(2).update(np.ones((4, 3)), r)
