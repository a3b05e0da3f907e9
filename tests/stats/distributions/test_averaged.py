import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.stats import AveragedDensity, Bernoulli, Gaussian, MultivariateGaussian


def test_density_moments_and_draws_are_averages():
    parts, weights = [Gaussian(0, 1), Gaussian(4, 9)], [0.25, 0.75]
    average = AveragedDensity(parts, weights)
    points = np.linspace(-3, 9, 5)
    assert_allclose(
        average.pdf(points), 0.25 * parts[0].pdf(points) + 0.75 * parts[1].pdf(points), rtol=1e-12
    )
    assert_allclose([average.mean, average.var], [3, 0.25 * (1 + 9) + 0.75 * (9 + 1)])
    draws = average.sample(40_000, random_state=0)
    assert_allclose([draws.mean(), draws.var()], [average.mean, average.var], rtol=0.03)


def test_densities_of_rows():
    average = AveragedDensity([MultivariateGaussian([0, 0]), MultivariateGaussian([2, 2])], [0.5, 0.5])
    assert average.logpdf(np.zeros((3, 2))).shape == (3,) and average.sample(5, random_state=0).shape == (
        5,
        2,
    )
    assert_allclose(average.mean, [1, 1])
    assert_allclose(average.var, [2, 2])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="no density to average"):
        AveragedDensity([], [])
    with pytest.raises(ValueError, match="weights must be 1 probabilities that sum to 1"):
        AveragedDensity([Bernoulli()], [0.4])
