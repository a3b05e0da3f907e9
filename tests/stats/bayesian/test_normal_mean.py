import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal, norm

from assay.stats import Gaussian, NormalMean, normal_from_interval

X = [5, 6, 7, 6, 5, 8, 6, 5]


@pytest.mark.capability("IML-4-08")
def test_posterior_and_predictive_of_the_worked_example():
    # IML 4.4: prior N(7, (2/1.64)^2), noise variance 4
    prior = normal_from_interval(5, 9, 0.9, quantile=1.64)
    posterior = NormalMean(prior.mean, prior.var, noise_var=4).update(X)
    assert_allclose(posterior.mean, 6.2516090406, atol=5e-11)
    assert_allclose(posterior.var, 0.3741954797, atol=5e-11)
    assert posterior.map == posterior.mean  # MAP = Bayes for a normal posterior
    predictive = posterior.density()
    assert_allclose([predictive.mean, predictive.var], [6.2516090406, 4.3741954797], atol=5e-11)
    assert posterior.density("map").var == 4


@pytest.mark.capability("IML-4-08")
@given(x=st.lists(st.floats(-10, 10), min_size=1, max_size=20), noise=st.floats(0.1, 10))
@settings(max_examples=50, deadline=None)
def test_between_prior_and_sample_and_the_limits(x, noise):
    m = np.mean(x)
    posterior = NormalMean(1.0, 2.0, noise).update(x)
    assert min(1, m) - 1e-9 <= posterior.mean <= max(1, m) + 1e-9
    assert posterior.var < min(2.0, noise / len(x))
    assert_allclose(NormalMean(1.0, 1e12, noise).update(x).mean, m, atol=1e-6)  # vague prior
    assert_allclose(NormalMean(1.0, 1e-12, noise).update(x).mean, 1.0, atol=1e-6)  # stubborn prior
    assert_allclose(NormalMean(1.0, 2.0, noise).update(x * 10_000).mean, m, atol=1e-2)  # many data


def test_one_by_one_is_all_at_once():
    belief = NormalMean(7, 1.5, 4)
    for x in X:
        belief = belief.update([x])
    whole = NormalMean(7, 1.5, 4).update(X)
    assert_allclose([belief.mean, belief.var], [whole.mean, whole.var], rtol=1e-12)
    weighted = NormalMean(7, 1.5, 4).update([5, 6, 7, 8], weights=[3, 3, 1, 1])
    assert_allclose([weighted.mean, weighted.var], [whole.mean, whole.var], rtol=1e-12)


def test_belief_is_a_gaussian():
    belief = NormalMean(1, 4, 1)
    assert_allclose(belief.logpdf([0, 3]), Gaussian(1, 4).logpdf([0, 3]))
    assert_allclose(belief.interval(0.9), norm(1, 2).interval(0.9), rtol=1e-12)
    draws = belief.sample(10_000, random_state=0)
    assert abs(draws.mean() - 1) < 5 * 2 / 100


@pytest.mark.parametrize("bad", [{"var": 0}, {"noise_var": -1}, {"mean": np.nan}])
def test_bad_input_is_named(bad):
    with pytest.raises(ValueError, match=f"NormalMean: .*{next(iter(bad))}"):
        NormalMean(**bad)


# Oracles: 20 numbers with mean 6 and known variance 1.5^2, prior N(4, 0.8^2); and 4..8 with variance 4, prior N(4, 1).
@pytest.mark.capability("IML-16-04")
@pytest.mark.parametrize(
    ("n", "mean", "sd"),
    [
        (20, 5.70099668, 0.30932356),
        (1, 4.44290657, 0.70588235),
        (5, 5.17431193, 0.51402352),
        (100, 5.93207547, 0.14743083),
    ],
)
def test_the_posterior_moves_to_the_data_as_they_grow(n, mean, sd):
    posterior = NormalMean(4, 0.64, noise_var=2.25).update(np.full(n, 6.0))
    assert_allclose([posterior.mean, np.sqrt(posterior.var)], [mean, sd], rtol=1e-7)
    if n == 20:
        assert_allclose(np.sqrt(posterior.density().var), 1.53156164, rtol=1e-8)
    assert 4 < posterior.mean < 6 and posterior.var < min(0.64, 2.25 / n)


@pytest.mark.capability("IML-16-04")
def test_five_numbers():
    posterior = NormalMean(4, 1, noise_var=4).update([4, 5, 6, 7, 8])
    assert_allclose([posterior.mean, posterior.var], [46 / 9, 4 / 9], rtol=1e-14)


@pytest.mark.capability("IML-16-04")
def test_a_share_of_many_trials_as_a_normal_number():
    """30 of 100, prior N(0.5, 0.1^2), with the estimated variance 0.3 (1 - 0.3) of one trial."""
    posterior = NormalMean(0.5, 0.01, noise_var=0.21).update([0.3], weights=[100])
    assert_allclose([posterior.mean, posterior.var], [0.33471074, 0.00173554], rtol=1e-5)


@pytest.mark.capability("IML-16-16")
def test_a_flat_prior_leaves_the_data_alone():
    posterior = NormalMean.flat(noise_var=4).update([4, 5, 6, 7, 8])
    assert_allclose([posterior.mean, posterior.var], [6, 4 / 5], rtol=1e-14)


def test_evidence_is_that_of_correlated_numbers():
    """Peer: the multivariate normal density of SciPy, with the shared mean as covariance."""
    x = np.array([4.0, 5.5, 6, 9])
    peer = multivariate_normal(np.full(4, 1.0), 2 * np.eye(4) + 3).logpdf(x)
    assert_allclose(NormalMean(1, 3, noise_var=2).log_evidence(x), peer, rtol=1e-12)
