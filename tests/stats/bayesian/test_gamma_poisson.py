import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import gamma, nbinom, poisson

from assay.stats import GammaPoisson, NegativeBinomial, Poisson

X = np.array([3, 0, 2])


def test_same_distributions_as_scipy():
    posterior = GammaPoisson(2, 1).update(X)
    peer = gamma(7, scale=1 / 4)
    rates = np.array([0.3, 1.0, 4.0])
    assert_allclose(posterior.logpdf(rates), peer.logpdf(rates), rtol=1e-12)
    assert_allclose(posterior.interval(0.9), peer.interval(0.9), rtol=1e-9)
    assert_allclose([posterior.mean, posterior.var], peer.stats(), rtol=1e-12)
    counts = np.arange(9)
    assert_allclose(posterior.density().logpdf(counts), nbinom(7, 0.8).logpmf(counts), rtol=1e-10)
    assert_allclose(posterior.density("map").rate, 1.5)
    assert_allclose(posterior.density("bayes").logpdf(counts), poisson(1.75).logpmf(counts), rtol=1e-10)


def test_evidence_and_exposure_by_integration():
    prior, exposure = GammaPoisson(2, 1.5), np.array([1.0, 0.5, 3.0])

    def joint(rate):
        return np.exp(prior.logpdf(rate) + np.sum(poisson(rate * exposure).logpmf(X)))

    assert_allclose(prior.log_evidence(X, exposure=exposure), np.log(quad(joint, 0, 40)[0]), rtol=1e-9)
    posterior = prior.update(X, exposure=exposure)
    assert (posterior.a, posterior.b) == (7, 6)
    assert_allclose(posterior.density(exposure=2).logpdf(4), nbinom(7, 6 / 8).logpmf(4), rtol=1e-12)


def test_a_rate_that_nothing_supports_is_most_probably_zero():
    assert GammaPoisson.jeffreys().update([0, 0]).map == 0
    assert GammaPoisson.flat().update(X).map == pytest.approx(X.mean())


def test_densities_of_counts_know_their_moments_and_their_draws():
    for density in (Poisson(2.5), NegativeBinomial(3, 0.4)):
        draws = density.sample(40_000, random_state=0)
        assert_allclose([draws.mean(), draws.var()], [density.mean, density.var], rtol=0.03)
        assert_allclose(np.exp(density.logpdf(np.arange(200))).sum(), 1, rtol=1e-10)
    assert Poisson().fit([1, 4], weights=[2, 1]).rate == 2
    assert Poisson(0).logpdf([0, 1]).tolist() == [0, -np.inf]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GammaPoisson(0), "a must be above 0 and b not negative, got 0"),
        (lambda: GammaPoisson().update([1.5]), "whole numbers from 0 up, got 1.5"),
        (lambda: GammaPoisson().update([-1]), "whole numbers from 0 up, got -1"),
        (lambda: GammaPoisson().update([1, 2], exposure=[1.0]), "2 exposures above 0, got 1"),
        (lambda: GammaPoisson().update([1, 2], exposure=[1.0, 0.0]), "the least 0"),
        (lambda: GammaPoisson().density(exposure=0), "exposure must be above 0"),
        (lambda: GammaPoisson.flat().map, "improper prior has no mode"),
        (lambda: Poisson(-1), "rate must be finite and not negative, got -1"),
        (lambda: NegativeBinomial(0, 0.5), "r must be above 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
