import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.stats import BetaBernoulli, DirichletCategorical, NormalInverseWishart, NormalMean, WithPrior


def test_three_estimates_of_a_coin():
    x = [1, 1, 1]
    expected = {"predictive": 5 / 7, "bayes": 5 / 7, "map": 4 / 5}
    for estimate, p in expected.items():
        coin = WithPrior(BetaBernoulli(2, 2), estimate=estimate).fit(x)
        assert_allclose(coin.pdf([1, 0]), [p, 1 - p], rtol=1e-12)
        assert_allclose(coin.mean, p)


def test_the_predictive_is_wider_than_the_plug_in():
    prior = NormalMean(0, 1, noise_var=4)
    averaged, fixed = (WithPrior(prior, estimate=e).fit([2, 3]) for e in ("predictive", "bayes"))
    assert averaged.mean == fixed.mean
    assert_allclose(averaged.var - fixed.var, averaged.posterior.var)


def test_fit_starts_from_the_prior_every_time():
    die = WithPrior(DirichletCategorical([1, 1]))
    first = die.fit([0, 0]).pdf([0, 1])
    assert_allclose(die.fit([0, 0]).pdf([0, 1]), first)
    assert_allclose(die.prior.mean, [0.5, 0.5])


def test_before_fit_it_speaks_for_the_prior():
    assert_allclose(WithPrior(BetaBernoulli(3, 1)).pdf([1]), 0.75)


def test_rows_of_several_variables():
    X = np.random.default_rng(0).normal(size=(2, 3))
    rows = WithPrior(NormalInverseWishart(np.zeros(3), np.eye(3)), estimate="map").fit(X)
    assert np.isfinite(
        rows.logpdf(X)
    ).all()  # two rows of three columns: maximum likelihood would be singular
    assert rows.sample(5, random_state=0).shape == (5, 3)


def test_unknown_estimate_is_named():
    with pytest.raises(ValueError, match="one of predictive, bayes, map, got 'ml'"):
        WithPrior(BetaBernoulli(), estimate="ml")
