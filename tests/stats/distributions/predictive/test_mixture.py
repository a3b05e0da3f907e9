"""Mixtures of predictive distributions: known averages, and identities between their functions."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import nbinom

from assay.errors import ParameterError
from assay.stats.distributions.predictive import (
    Gamma,
    Mixture,
    NegativeBinomial,
    Normal,
    Poisson,
    Student,
    Tweedie,
)

KINDS = {
    "normal": [Normal([0.0, 1.0], [1.0, 2.0]), Normal([4.0, 1.5], [1.0, 0.5])],
    "student": [Student([0.0, 1.0], [1.0, 2.0], 3.0), Normal([4.0, 1.5], [1.0, 0.5])],
    "gamma": [Gamma([1.0, 5.0], 0.5), Gamma([2.0, 3.0], 1.5)],
    "tweedie": [Tweedie([1.0, 5.0], 1.5, 1.5), Tweedie([2.0, 3.0], 0.7, 1.5)],
    "counts": [Poisson([2.0, 30.0]), NegativeBinomial([5.0, 20.0], 0.5)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_score_is_the_integral_that_defines_it(kind):
    mixture = Mixture(KINDS[kind], [0.3, 0.7])
    y = np.array([1.0, 4.0])
    score = mixture.crps(y)
    for i in range(2):
        one, grid = mixture.take([i]), np.unique(np.r_[-60.0, 0.0, y[i], np.arange(-60, 400, 1.0)])
        expected = sum(
            quad(lambda t: (one.cdf([t])[0] - (t >= y[i])) ** 2, a, b, epsabs=1e-9)[0]  # noqa: B023
            for a, b in pairwise(grid)
            if one.cdf([a])[0] > 1e-9 or one.cdf([b])[0] > 1e-9
            if one.cdf([a])[0] < 1 - 1e-9 or y[i] > a
        )
        assert_allclose(score[i], expected, rtol=2e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_quantiles_turn_the_distribution_function_around(kind):
    mixture = Mixture(KINDS[kind], [[0.3, 0.7], [0.5, 0.5]])
    for p in (0.01, 0.3, 0.5, 0.9, 0.999):
        q = mixture.quantile(p)
        assert (mixture.cdf(q) >= p - 1e-9).all()
        assert (mixture.cdf(q - 1e-6 * np.maximum(1, np.abs(q))) <= p + 1e-4).all() or mixture.discrete
        assert (mixture._cdf_below(q) <= p + 1e-9).all()


def test_a_gamma_mixture_of_counts_is_negative_binomial():
    """Poisson means that are gamma with shape 2 and mean 3, at 400 quantiles of that gamma."""
    from scipy.stats import gamma

    rates = gamma(2, scale=1.5).ppf((np.arange(400) + 0.5) / 400)
    mixture = Mixture([Poisson([rate]) for rate in rates])
    k = np.arange(8.0)
    expected = nbinom(2, 2 / (2 + 3)).cdf(k)
    assert_allclose([mixture.cdf([v])[0] for v in k], expected, atol=2e-3)
    assert_allclose(mixture.sd, np.sqrt(3 + 9 / 2), rtol=0.01)


def test_one_part_is_itself():
    part = KINDS["student"][0]
    mixture, y = Mixture([part]), np.array([0.3, -4.0])
    for name in ("crps", "cdf", "logpdf"):
        assert_allclose(getattr(mixture, name)(y), getattr(part, name)(y), rtol=1e-7)
    assert_allclose(mixture.quantile(0.9), part.quantile(0.9), rtol=1e-9)
    assert_allclose([mixture.mean, mixture.sd], [part.mean, part.sd])


def test_what_cannot_be_averaged_is_said():
    with pytest.raises(ParameterError, match="same rows"):
        Mixture([Normal([0.0], 1.0), Normal([0.0, 1.0], 1.0)])
    with pytest.raises(ParameterError, match="from 0 up"):
        Mixture([Normal([0.0], 1.0)], [-1.0])
    with pytest.raises(ParameterError, match="add up to 0"):
        Mixture([Normal([0.0], 1.0)], [0.0])
