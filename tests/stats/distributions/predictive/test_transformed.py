"""Distributions by change of variables: those of a lognormal target are those of scipy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import lognorm, norm

from assay.stats.distributions.predictive import (
    Empirical,
    Normal,
    ShiftedSample,
    TransformedDistribution,
    change_of_variables,
)


class Log:
    transform = staticmethod(np.log)
    inverse_transform = staticmethod(np.exp)

    def log_derivative(self, y):
        return -np.log(y)

    def within(self, y):
        return y > 0


MEAN, SD = np.array([0.0, 1.0, -2.0]), np.array([1.0, 0.3, 0.8])
PEER = lognorm(SD, scale=np.exp(MEAN))
OURS = TransformedDistribution(Normal(MEAN, SD), Log())
Y = np.array([0.7, 3.0, 0.4])


def test_a_lognormal_target_is_scipys():
    assert_allclose(OURS.mean, PEER.mean(), rtol=1e-10)
    assert_allclose(OURS.sd, PEER.std(), rtol=1e-8)
    assert_allclose(OURS.cdf(Y), PEER.cdf(Y), rtol=1e-12)
    assert_allclose(OURS.logpdf(Y), PEER.logpdf(Y), rtol=1e-12)
    assert_allclose(OURS.quantile(0.3), PEER.ppf(0.3), rtol=1e-12)
    assert OURS.quantile([0.1, 0.9]).shape == (3, 2)
    assert_allclose(OURS.interval(0.8), (PEER.ppf(0.1), PEER.ppf(0.9)), rtol=1e-12)


def test_the_ranked_probability_score_of_a_lognormal_is_its_closed_form():
    """Baran and Lerch (2015), Quarterly Journal of the Royal Meteorological Society 141, equation for the lognormal."""
    omega = (np.log(Y) - MEAN) / SD
    closed = Y * (2 * norm.cdf(omega) - 1) - 2 * np.exp(MEAN + SD**2 / 2) * (
        norm.cdf(omega - SD) + norm.cdf(SD / np.sqrt(2)) - 1
    )
    assert_allclose(OURS.crps(Y), closed, rtol=2e-6)


def test_factors_multiply_all():
    factor = np.array([2.0, 10.0, 0.5])
    ours = TransformedDistribution(Normal(MEAN, SD), Log(), factor)
    peer = lognorm(SD, scale=np.exp(MEAN) * factor)
    assert_allclose(ours.mean, peer.mean(), rtol=1e-10)
    assert_allclose(ours.logpdf(Y), peer.logpdf(Y), rtol=1e-12)
    assert_allclose(ours.cdf(Y), peer.cdf(Y), rtol=1e-12)
    assert_allclose(ours.quantile([0.2, 0.5]), peer.ppf(np.array([[0.2], [0.5]])).T, rtol=1e-12)
    some = ours.take([2, 0])
    assert_allclose(some.mean, peer.mean()[[2, 0]], rtol=1e-10)


def test_outside_of_the_domain_there_is_no_probability():
    assert_allclose(OURS.cdf(np.array([-1.0, 0.0, -5.0])), 0)
    assert (OURS.logpdf(np.array([-1.0, 0.0, -5.0])) == -np.inf).all()


@pytest.mark.parametrize("n", [1, 5000])
def test_many_rows_are_integrated_block_by_block(n):
    many = TransformedDistribution(Normal(np.linspace(0, 1, n), np.full(n, 0.5)), Log())
    assert_allclose(many.mean, np.exp(np.linspace(0, 1, n) + 0.125), rtol=1e-10)
    assert many.crps(np.ones(n)).shape == (n,)


def test_a_sample_of_logarithms_is_a_sample_of_targets():
    ours = change_of_variables(Empirical([[0.0, 1.0, 2.0], [1.0, 1.5, 4.0]]), Log(), np.array([1.0, 3.0]))
    assert_allclose(ours.values, np.concatenate([np.exp([0.0, 1.0, 2.0]), 3 * np.exp([1.0, 1.5, 4.0])]))
    assert_allclose(ours.mean, [np.exp([0, 1, 2]).mean(), 3 * np.exp([1, 1.5, 4]).mean()])


def test_errors_drawn_from_a_sample_have_the_mean_and_score_of_the_sample():
    errors = np.random.default_rng(0).normal(size=400)
    ours = change_of_variables(ShiftedSample([0.0, 1.0], errors), Log())
    plain = Empirical(np.exp(np.array([[0.0], [1.0]]) + errors))
    assert_allclose(ours.quantile([0.1, 0.9]), plain.quantile([0.1, 0.9]), rtol=1e-12)
    assert_allclose(ours.cdf([2.0, 5.0]), plain.cdf([2.0, 5.0]))
    assert_allclose(ours.mean, plain.mean, rtol=0.01)  # trapezoids across 400 jumps
    assert_allclose(ours.crps([2.0, 5.0]), plain.crps([2.0, 5.0]), rtol=0.01)
