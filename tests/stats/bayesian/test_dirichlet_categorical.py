import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import dirichlet

from assay.stats import BetaBernoulli, Categorical, DirichletCategorical, smoothed_frequencies


@pytest.mark.capability("BC-44", "C3-15")
@given(counts=st.lists(st.integers(0, 20), min_size=2, max_size=5).filter(any), alpha=st.floats(0.1, 5))
@settings(max_examples=50, deadline=None)
def test_a_symmetric_prior_is_additive_smoothing(counts, alpha):
    K = len(counts)
    x = np.repeat(np.arange(K), counts)
    posterior = DirichletCategorical(np.full(K, alpha)).update(x)
    assert_allclose(posterior.mean, smoothed_frequencies(counts, alpha), rtol=1e-12)
    assert_allclose(
        DirichletCategorical(np.full(K, alpha + 1)).update(x).map,
        smoothed_frequencies(counts, alpha),
        rtol=1e-9,
    )
    flat = DirichletCategorical(np.ones(K)).update(x)
    assert_allclose(flat.map, Categorical(categories=range(K)).fit(x).p, rtol=1e-12)


@pytest.mark.capability("BC-44")
def test_uniform_prior_on_the_apples_equals_laplace():
    colours = ["green", "yellow", "yellow-green"]
    fuji = ["yellow", "yellow-green", "yellow-green", "yellow", "yellow-green", "yellow-green"]
    posterior = DirichletCategorical([1, 1, 1], categories=colours).update(fuji)
    assert_allclose(posterior.mean, [1 / 9, 3 / 9, 5 / 9], rtol=1e-15)
    assert_allclose(posterior.density().pdf(["green"]), 1 / 9, rtol=1e-15)
    assert_array_equal(posterior.density("map").pdf(["green"]), 0)


def test_two_categories_are_a_coin():
    x = [1, 1, 0, 1]
    coin, die = BetaBernoulli(2, 3).update(x), DirichletCategorical([3, 2]).update(x)
    assert_allclose(die.mean, [1 - coin.mean, coin.mean], rtol=1e-15)
    assert_allclose(die.var[1], coin.var, rtol=1e-12)
    assert_allclose(die.map[1], coin.map, rtol=1e-12)
    assert_allclose(die.logpdf([0.3, 0.7]), coin.logpdf(0.7), rtol=1e-12)


def test_same_distribution_as_scipy():
    alpha = np.array([1.5, 2, 4])
    belief, peer = DirichletCategorical(alpha), dirichlet(alpha)
    P = np.array([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]])
    assert_allclose(belief.logpdf(P), [peer.logpdf(row) for row in P], rtol=1e-10)
    assert_allclose(belief.mean, peer.mean(), rtol=1e-12)
    assert_allclose(belief.var, peer.var(), rtol=1e-12)
    draws = belief.sample(20_000, random_state=0)
    assert (np.abs(draws.mean(axis=0) - belief.mean) < 5 * np.sqrt(belief.var / len(draws))).all()


def test_weights_count():
    assert_array_equal(DirichletCategorical([1, 1]).update([0, 1], weights=[2.5, 0]).alpha, [3.5, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DirichletCategorical([1, 0]), "above 0"),
        (lambda: DirichletCategorical([1, 1], categories=["a"]), "2 alphas for 1 categories"),
        (lambda: DirichletCategorical([1, 1]).map, "no single most probable value"),
        (lambda: DirichletCategorical([0.5, 3]).map, "no single most probable value"),
        (lambda: DirichletCategorical([1, 1]).update([2]), "row 1 is 2"),
        (lambda: DirichletCategorical([1, 1]).logpdf([0.5, 0.6]), "sum to 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Oracles: worked by hand and checked with SciPy.
@pytest.mark.capability("IML-16-02")
def test_three_categories_with_imaginary_counts():
    prior = DirichletCategorical([2, 1, 1])
    x = np.repeat([0, 1, 2], [3, 5, 2])
    posterior = prior.update(x)
    assert posterior.alpha.tolist() == [5, 6, 3]
    assert_allclose(posterior.mean, np.array([5, 6, 3]) / 14, rtol=1e-14)
    assert_allclose(posterior.map, np.array([4, 5, 2]) / 11, rtol=1e-14)
    assert_allclose(posterior.var, [0.01530612, 0.01632653, 0.01122449], rtol=1e-6)
    assert_allclose(prior.log_evidence(x), -np.log(180180), rtol=1e-13)
    assert_allclose(prior.maximum_likelihood(x).p, [0.3, 0.5, 0.2], rtol=1e-14)


@pytest.mark.capability("IML-16-02")
def test_evidence_of_an_ordered_sample():
    assert_allclose(DirichletCategorical.uniform(3).log_evidence([1, 1, 2]), np.log(1 / 30), rtol=1e-13)


@pytest.mark.capability("IML-16-02")
@pytest.mark.parametrize(
    ("alpha", "sd", "interval"),
    [((6, 4), 0.14770979, (0.29929506, 0.86300434)), ((60, 40), 0.04874667, (0.50278249, 0.69342747))],
)
def test_more_counts_more_confidence(alpha, sd, interval):
    belief = DirichletCategorical(alpha)
    assert_allclose(np.sqrt(belief.var[0]), sd, rtol=1e-7)
    low, high = belief.interval()
    assert_allclose([low[0], high[0]], interval, rtol=1e-7)
    assert_allclose([low[1], high[1]], 1 - np.array(interval)[::-1], rtol=1e-7)
    assert_allclose(belief.mean[0], 0.6)


def test_marginals_and_priors_by_name():
    prior = DirichletCategorical.jeffreys(["no", "yes", "maybe"])
    assert prior.alpha.tolist() == [0.5, 0.5, 0.5]
    assert repr(prior.update(["yes"]).marginal("yes")) == "BetaBernoulli(a=1.5, b=1)"
    with pytest.raises(ValueError, match=r"'yess' is no category. Did you mean yes"):
        prior.marginal("yess")
    with pytest.raises(ValueError, match="at least 1 category, got 0"):
        DirichletCategorical.uniform(0)
    with pytest.raises(ValueError, match="one category has probability 1"):
        DirichletCategorical([2.0]).interval()


@pytest.mark.parametrize("method", ["interval", "hpd"])
def test_a_level_that_is_none_is_refused_in_its_own_name(method):
    with pytest.raises(ValueError, match="DirichletCategorical: level must lie between 0 and 1, got 95"):
        getattr(DirichletCategorical([1, 2, 3]), method)(95)
