"""Bias and variance over many samples: IML 4.7, 2 sin(1.5 x) with unit noise on [0, 5]."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from sklearn.linear_model import LinearRegression

from assay.errors import DataError, ParameterError
from assay.stats.estimators.bias_variance import (
    bias_variance,
    constant_model,
    first_model,
    mean_model,
    minimum_model,
    polynomial_model,
)

GRID = np.linspace(0, 5, 20)


def f(x):
    return 2 * np.sin(1.5 * x)


def uniform(random, n):
    return random.uniform(0, 5, n)


@pytest.mark.capability("IML-4-17")
def test_orderings_with_random_inputs():
    """IML figure 4-6: medians over repetitions of (bias^2, variance) fall and rise; degree 3 has the smallest sum.

    The spec's medians: (1.78, 0.33), (1.33, 0.63), (0.34, 0.64), (0.18, 1.4), (0.07, 4.6) over 200 repetitions of 100
    samples; 15 repetitions here.
    """
    models = {k: polynomial_model(k) for k in range(1, 6)}
    runs = [bias_variance(f, 1.0, uniform, 20, 100, models, GRID, random_state=i) for i in range(15)]
    bias, variance, error = (
        np.median([getattr(run, name) for run in runs], axis=0)
        for name in ("bias_squared", "variance", "error")
    )
    assert (np.diff(bias) < 0).all() and (np.diff(variance) > -0.1).all()
    assert np.argmin(variance) == 0 and np.argmin(bias) == 4 and np.argmin(error) == 2
    assert_allclose(bias[:3], [1.78, 1.33, 0.34], rtol=0.12)
    assert_allclose(variance[:2], [0.33, 0.63], rtol=0.2)
    assert sum(run.best == 3 for run in runs) >= 12


@pytest.mark.capability("IML-4-17")
def test_a_fixed_design_has_variance_k_plus_1_over_n():
    """IML 4.7, exact: bias^2 1.8657, 1.7276, 1.2035, 0.2361, 0.0700, 0.0044, 0.0006 and variance (k+1)/20.

    Without noise the fits are all alike and the bias is exact; with noise the variance is tested to four standard
    errors of 2000 samples: a chi-square of 20 (k+1)/20 degrees has relative deviation sqrt(2/(k+1)/2000).
    """
    models = {k: polynomial_model(k) for k in range(7)}
    exact = bias_variance(f, 0.0, lambda random, n: GRID, 20, 1, models, GRID)
    assert_allclose(exact.bias_squared, [1.8657, 1.7276, 1.2035, 0.2361, 0.0700, 0.0044, 0.0006], atol=5e-5)
    assert_allclose(exact.variance, 0, atol=1e-20)
    some = {k: polynomial_model(k) for k in (0, 3)}
    noisy = bias_variance(f, 1.0, lambda random, n: GRID, 20, 2000, some, GRID, random_state=0)
    for k, variance in zip(some, noisy.variance):
        assert abs(variance * 20 / (k + 1) - 1) < 4 * np.sqrt(2 / (k + 1) / 2000)


@pytest.mark.capability("IML-4-18")
def test_reference_estimators():
    """IML 4.7 and exercise 4-9: constant 2 (5.216373, 0); mean (1.882939, 0.144147); first: N times its variance;
    minimum: expected value -2.926, bias^2 11.49, variance 0.48. The first two are integrals, the rest drawn."""
    average = quad(f, 0, 5)[0] / 5
    assert_allclose(quad(lambda x: (2 - f(x)) ** 2, 0, 5)[0] / 5, 5.216373, atol=1e-6)
    assert_allclose(quad(lambda x: (average - f(x)) ** 2, 0, 5)[0] / 5, 1.882939, atol=1e-6)
    models = {"two": constant_model(2.0), "mean": mean_model, "first": first_model, "minimum": minimum_model}
    result = bias_variance(f, 1.0, uniform, 20, 4000, models, np.linspace(0, 5, 201), random_state=0)
    assert_allclose(result.bias_squared[:3], [5.216373, 1.882939, 1.882939], rtol=0.01)
    assert result.variance[0] == 0
    assert_allclose(result.variance[1:], [0.144147, 2.882939, 0.48], rtol=0.1)
    assert_allclose(result.variance[2] / result.variance[1], 20, rtol=0.1)
    assert_allclose(result.mean_fits[3, 0], -2.926, atol=0.05)
    assert_allclose(result.bias_squared[3], 11.49, rtol=0.03)


def test_learners_and_functions_are_models_alike():
    both = {"function": polynomial_model(1), "learner": LinearRegression()}
    result = bias_variance(f, 1.0, uniform, 10, 5, both, random_state=3)
    assert_allclose(result.fits[0], result.fits[1], atol=1e-9)
    assert result.points.shape == (10,) and result.names == ("function", "learner")
    assert_allclose(result.error, np.mean((result.fits - result.truth) ** 2, axis=(1, 2)), rtol=1e-9)
    assert str(result).splitlines()[0].split() == ["model", "bias²", "variance", "error"]


def test_noise_of_ones_own():
    result = bias_variance(
        f, lambda random, n: np.full(n, 7.0), lambda random, n: GRID, 20, 2, {"mean": mean_model}, GRID
    )
    assert_allclose(result.fits, f(GRID).mean() + 7, rtol=1e-12)


def test_what_cannot_be_simulated_is_said():
    with pytest.raises(ParameterError, match="must not be empty"):
        bias_variance(f, 1.0, uniform, 10, 5, {})
    with pytest.raises(DataError, match="draw must give 10 numbers"):
        bias_variance(f, 1.0, lambda random, n: random.normal(size=(n, 2)), 10, 5, {"m": mean_model})
