import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr

from assay.stats import (
    Categorical,
    Gaussian,
    density_bayes_error,
    density_cross_entropy,
    gaussian_thresholds,
)


def error_by_areas(first, second, priors):
    """Bayes error of two Gaussians from the normal distribution function at their thresholds."""
    right = 0.0
    for low, high, k in gaussian_thresholds(first, second, priors).regions:
        owner = (first, second)[k]
        sd = np.sqrt(owner.var)
        right += priors[k] * (ndtr((high - owner.mean) / sd) - ndtr((low - owner.mean) / sd))
    return 1 - right


@pytest.mark.capability("IML-3-03")
def test_error_of_two_equal_gaussians_is_the_tail():
    # closed form: half the distance of the means is 2 standard deviations
    error = density_bayes_error([0.5, 0.5], [Gaussian(-2, 1), Gaussian(2, 1)])
    assert_allclose(error, ndtr(-2), rtol=1e-9)


@pytest.mark.capability("IML-3-03")
@pytest.mark.parametrize("priors", [(0.5, 0.5), (0.8, 0.2), (0.05, 0.95)])
@pytest.mark.parametrize(
    "second", [Gaussian(2, 4), Gaussian(-2, 9), Gaussian(-1.9, 1.21), Gaussian(-1.7654321, 1e-8)]
)
def test_error_agrees_with_the_areas_between_thresholds(priors, second):
    first = Gaussian(-2, 1)
    exact = error_by_areas(first, second, priors)
    assert_allclose(density_bayes_error(priors, [first, second]), exact, atol=1e-10)


def test_three_classes_with_a_narrow_one():
    """Each wide class loses its tail beyond 0 and what lies under the spike; checked by a fine sum."""
    densities, priors = [Gaussian(-3, 1), Gaussian(0.0123, 1e-6), Gaussian(3, 1)], [0.45, 0.1, 0.45]
    x = np.concatenate(
        [np.linspace(-20, 0, 400_001), np.linspace(0, 0.03, 400_001)[1:], np.linspace(0.03, 20, 400_001)[1:]]
    )
    joint = np.array([p * density.pdf(x) for p, density in zip(priors, densities)])
    direct = np.trapezoid(joint.sum(axis=0) - joint.max(axis=0), x)
    assert_allclose(density_bayes_error(priors, densities), direct, rtol=1e-6)


def test_cross_entropy_of_gaussians_has_its_closed_form():
    q, p = Gaussian(1, 2), Gaussian(-0.5, 3)
    closed = 0.5 * np.log(2 * np.pi * 3) + (2 + 1.5**2) / (2 * 3)
    assert_allclose(density_cross_entropy(q, p), closed, rtol=1e-10)
    assert_allclose(density_cross_entropy(q, p, base=2), closed / np.log(2), rtol=1e-10)


@pytest.mark.capability("IML-3-03")
def test_many_random_problems_agree_with_their_areas():
    rng = np.random.default_rng(6)
    for _ in range(20):
        first, second = (Gaussian(rng.normal(0, 5), 10 ** rng.uniform(-3, 3)) for _ in range(2))
        p = rng.uniform(0.01, 0.99)
        exact = error_by_areas(first, second, (p, 1 - p))
        assert_allclose(density_bayes_error([p, 1 - p], [first, second]), exact, atol=1e-10)


def test_without_numbers_for_mean_and_variance_bounds_are_needed():
    with pytest.raises(ValueError, match="Categorical has no mean and var as numbers; give bounds"):
        density_bayes_error([0.5, 0.5], [Categorical([0.5, 0.5]), Gaussian()])
    with pytest.raises(ValueError, match="the lower first"):
        density_bayes_error([0.5, 0.5], [Gaussian(), Gaussian(1)], bounds=(1, -1))
    with pytest.raises(ValueError, match="2 priors"):
        density_bayes_error([1.0], [Gaussian(), Gaussian(1)])
