import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import gammaln
from tests.calibration import assert_calibrated, assert_covers

from assay import load, save
from assay.stats import BetaBernoulli, GammaPoisson, NormalGamma, NormalMean, PriorMixture

MIXTURE = PriorMixture([BetaBernoulli(2, 5), BetaBernoulli(6, 3)], [0.3, 0.7])
X = [1, 0, 1, 1]


def test_posterior_by_integration():
    def joint(p):
        return np.exp(MIXTURE.logpdf(p)) * p**3 * (1 - p)

    evidence = quad(joint, 0, 1)[0]
    posterior = MIXTURE.update(X)
    assert_allclose(MIXTURE.log_evidence(X), np.log(evidence), rtol=1e-10)
    assert_allclose(np.exp(posterior.logpdf(0.6)), joint(0.6) / evidence, rtol=1e-10)
    assert_allclose(posterior.mean, quad(lambda p: p * joint(p), 0, 1)[0] / evidence, rtol=1e-10)
    second = quad(lambda p: p * p * joint(p), 0, 1)[0] / evidence
    assert_allclose(posterior.var, second - posterior.mean**2, rtol=1e-9)
    assert_allclose(posterior.density().pdf([1]), posterior.mean, rtol=1e-12)
    low, high = posterior.interval(0.9)
    assert_allclose([quad(joint, 0, low)[0] / evidence, quad(joint, high, 1)[0] / evidence], 0.05, rtol=1e-8)
    low, high = posterior.hpd(0.9)
    assert_allclose(quad(joint, low, high)[0] / evidence, 0.9, rtol=1e-8)
    assert_allclose(posterior.logpdf(low), posterior.logpdf(high), atol=1e-8)
    top = posterior.map
    assert posterior.logpdf(top) >= max(posterior.logpdf(top - 1e-4), posterior.logpdf(top + 1e-4))


def test_a_hierarchical_prior_on_a_grid_is_the_level_two_integral():
    """p(x' = 1) of Beta(a, a) with a uncertain, against the double integral with its sum over a."""
    a = np.array([0.5, 1, 3, 10])
    prior = PriorMixture([BetaBernoulli(v, v) for v in a])
    log_evidence = gammaln(2 * a) - 2 * gammaln(a) + gammaln(a + 3) + gammaln(a + 1) - gammaln(2 * a + 4)
    weights = np.exp(log_evidence) / np.exp(log_evidence).sum()
    assert_allclose(prior.update(X).weights, weights, rtol=1e-12)
    assert_allclose(prior.update(X).density().pdf([1]), weights @ ((a + 3) / (2 * a + 4)), rtol=1e-12)
    assert_allclose(prior.update(X).weights, prior.update(X[:1]).update(X[1:]).weights, rtol=1e-12)


def test_groups_inform_the_prior_of_the_next_group():
    prior = PriorMixture([BetaBernoulli(a, a) for a in (0.3, 3, 300)])
    alike = prior.learned_from([[1, 0]] * 5, weights=[[50, 50]] * 5)
    apart = prior.learned_from([[1, 0]] * 5, weights=[[99, 1], [1, 99], [95, 5], [2, 98], [50, 50]])
    assert np.argmax(alike.weights) == 2 and np.argmax(apart.weights) == 0
    assert alike.priors[2].a == 300


def test_a_wide_part_makes_a_normal_prior_robust():
    narrow = NormalMean(0, 1, noise_var=1)
    robust = PriorMixture([narrow, NormalMean(0, 100, noise_var=1)], [0.9, 0.1])
    assert narrow.update([8.0]).mean == 4
    assert 7.5 < robust.update([8.0]).mean < 8
    assert abs(robust.update([0.5]).mean - 0.25) < 0.02


def test_parts_of_two_parameters(tmp_path):
    mixture = PriorMixture([NormalGamma(0, 1, 2, 2), NormalGamma(5, 1, 2, 2)]).update([4.0, 5.0, 6.0])
    means, precisions = mixture.sample(20_000, random_state=0)
    assert_allclose([means.mean(), means.var()], [mixture.mean, mixture.var], rtol=0.1)
    assert_allclose(
        precisions.mean(), mixture.weights @ [p.precision.mean for p in mixture.priors], rtol=0.03
    )
    share = np.mean(means < mixture.interval(0.8)[0])
    assert abs(share - 0.1) < 0.01
    save(mixture, tmp_path / "mixture.assay")
    assert_allclose(load(tmp_path / "mixture.assay").density().pdf([1.0]), mixture.density().pdf([1.0]))


def test_the_posterior_is_calibrated():
    def simulate(rng):
        truth = MIXTURE.sample(1, rng)[0]
        return truth, MIXTURE.update(rng.binomial(1, truth, 4)).sample(49, rng)

    def interval(rng):
        truth = MIXTURE.sample(1, rng)[0]
        return truth, MIXTURE.update(rng.binomial(1, truth, 4)).interval()

    assert_calibrated(simulate, rounds=250)
    assert_covers(interval, rounds=600)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PriorMixture([]), "conjugate models of one class, got none"),
        (
            lambda: PriorMixture([BetaBernoulli(), GammaPoisson()]),
            "one class, got BetaBernoulli, GammaPoisson",
        ),
        (lambda: PriorMixture([BetaBernoulli()], [0.5]), "1 probabilities that sum to 1"),
        (lambda: PriorMixture([BetaBernoulli(2, 20), BetaBernoulli(20, 2)]).hpd(), "several peaks"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
