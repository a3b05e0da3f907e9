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
