import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import expit, log_expit
from tests.calibration import assert_covers

from assay.stats import BetaBernoulli, MultivariateGaussian, NormalMean, laplace_approximation


def power_and_exponential(n):
    return lambda x: n * np.log(x) - x if x > 0 else -np.inf


# Oracle: the integral of x^n e^-x is n!, its Laplace approximation Stirling's formula.
@pytest.mark.capability("IML-16-14")
@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("start", [0.3, 1.0, 40.0])
def test_stirling(n, start):
    result = laplace_approximation(power_and_exponential(n), start)
    assert_allclose([result.mode, result.precision], [n, 1 / n], rtol=1e-7)
    ratio = np.exp(result.log_normaliser) / math.factorial(n)
    assert_allclose(ratio, {5: 0.98349307, 10: 0.99170404}[n], rtol=2e-8)
    if n == 5:
        assert_allclose(np.exp(result.log_normaliser), 118.01916796, rtol=1e-8)


X, R = np.array([-2.0, -1, 1, 2, 0.5]), np.array([0, 0, 1, 1, 0])


def log_joint(w):
    """Logistic regression with prior N(0, I), not normalised."""
    scores = np.outer(X, np.atleast_1d(w)[-1:])[:, 0] + (np.atleast_1d(w)[0] if np.size(w) == 2 else 0.0)
    logs = np.where(R == 1, log_expit(scores), log_expit(-scores))
    return float(logs.sum() - 0.5 * np.sum(np.square(w)))


@pytest.mark.capability("IML-16-14")
def test_logistic_regression_of_one_weight():
    result = laplace_approximation(log_joint, 0.0)
    assert_allclose([result.mode, result.precision], [0.87571965, 2.48279133], rtol=1e-7)
    evidence = result.log_normaliser - 0.5 * np.log(2 * np.pi)
    assert_allclose(evidence, -2.79047560, rtol=1e-8)
    exact = np.log(quad(lambda w: np.exp(log_joint(w)), -12, 12)[0]) - 0.5 * np.log(2 * np.pi)
    assert_allclose(exact, -2.77507694, rtol=1e-8)


@pytest.mark.capability("IML-16-14")
def test_logistic_regression_with_bias_and_all_ways_of_derivatives():
    D = np.column_stack([np.ones(5), X])

    def gradient(w):
        return D.T @ (R - expit(D @ w)) - w

    def hessian(w):
        p = expit(D @ w)
        return -(D.T * (p * (1 - p))) @ D - np.eye(2)

    ways = [{}, {"gradient": gradient}, {"hessian": hessian}, {"gradient": gradient, "hessian": hessian}]
    for way in ways:
        result = laplace_approximation(log_joint, [0.0, 0.0], **way)
        assert_allclose(result.mode, [-0.32208251, 0.90262356], rtol=1e-6)
        precision = [[1.90043127, 0.29023427], [0.29023427, 2.45134173]]
        assert_allclose(result.precision, precision, rtol=1e-6)


def test_a_gaussian_is_reproduced_exactly_whatever_its_scale():
    rng = np.random.default_rng(0)
    for scale in (1e-6, 1.0, 1e8):
        B = rng.normal(size=(5, 5))
        target = MultivariateGaussian(rng.normal(size=5) * scale, scale**2 * (B @ B.T + np.eye(5)))
        result = laplace_approximation(target.logpdf, target.mean + scale * rng.normal(size=5))
        assert_allclose(result.mode, target.mean, atol=1e-5 * scale)
        assert_allclose(result.covariance, target.cov, rtol=1e-5, atol=1e-5 * scale**2)
        assert_allclose(result.log_normaliser, 0, atol=1e-6)


def test_the_words_of_a_belief():
    result = laplace_approximation(lambda t: float(NormalMean(2, 4).logpdf(t)), 0.0)
    assert_allclose([result.mean, result.map, result.var], [2, 2, 4], rtol=1e-7)
    assert_allclose(result.interval(0.9), NormalMean(2, 4).interval(0.9), rtol=1e-7)
    assert_allclose(result.hpd(0.9), result.interval(0.9))
    assert_allclose(result.logpdf([1.0, 3.0]), NormalMean(2, 4).logpdf([1.0, 3.0]), rtol=1e-7)
    draws = result.sample(20_000, random_state=0)
    assert_allclose([draws.mean(), draws.var()], [2, 4], rtol=0.03)
    several = laplace_approximation(lambda t: -0.5 * float(t @ t), [1.0, -1.0])
    assert several.sample(7, random_state=0).shape == (7, 2) and np.shape(several.interval()) == (2, 2)


def test_intervals_of_a_posterior_with_many_data_hold_the_truth():
    prior = BetaBernoulli(2, 2)

    def simulate(rng):
        truth = prior.sample(1, rng)[0]
        ones = rng.binomial(80, truth)

        def log_density(logit):  # of the log odds, with the derivative of p
            return (ones + 2) * log_expit(logit) + (80 - ones + 2) * log_expit(-logit)

        return np.log(truth / (1 - truth)), laplace_approximation(log_density, 0.0).interval()

    assert_covers(simulate, rounds=400)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: laplace_approximation(lambda x: x, 0.0),
            "no maximum was found; the log density still rises",
        ),
        (lambda: laplace_approximation(lambda x: x**2, 0.0), "is not a maximum"),
        (lambda: laplace_approximation(lambda v: v[0] ** 2 - v[1] ** 2, [0.0, 1.0]), "is not a maximum"),
        (lambda: laplace_approximation(lambda v: -(v[0] ** 2), [1.0, 1.0]), "is not a maximum"),
        (lambda: laplace_approximation(power_and_exponential(3), -1.0), "minus infinity .* at the start"),
        (lambda: laplace_approximation(3, 1.0), "log_density must be a function, got 3"),
        (
            lambda: laplace_approximation(lambda x: -x * x, 1.0, hessian=2),
            "hessian must be a function, got 2",
        ),
        (lambda: laplace_approximation(lambda x: np.nan, 1.0), "minus infinity .* at the start"),
        (lambda: laplace_approximation(lambda x: np.inf, 1.0), "the density is infinite"),
        (lambda: laplace_approximation(lambda x: -x * x, [[1.0]]), "a number or a vector, got shape"),
        (lambda: laplace_approximation(lambda v: -v * v, [1.0, 2.0]), "one number, got shape"),
        (
            lambda: laplace_approximation(lambda v: -v @ v, [1.0, 2.0], gradient=lambda v: v[:1]),
            "gradient must give",
        ),
        (
            lambda: laplace_approximation(lambda v: -v @ v, [1.0, 2.0], hessian=lambda v: v),
            "hessian must give",
        ),
        (
            lambda: laplace_approximation(lambda x: 0.0 if x == 1 else -np.inf, 1.0),
            "the density is 0 right beside",
        ),
    ],
)
def test_what_has_no_gaussian_at_its_mode_is_refused_with_a_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()
