import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay import load, save
from assay.stats import (
    Bernoulli,
    BetaBernoulli,
    DirichletCategorical,
    DiscretePrior,
    GammaPoisson,
    NormalGamma,
    NormalInverseWishart,
    NormalMean,
    WithPrior,
)


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
    with pytest.raises(ValueError, match="one of predictive, bayes, map, ml, got 'mode'"):
        WithPrior(BetaBernoulli(), estimate="mode")
    with pytest.raises(ValueError, match="Call fit first"):
        WithPrior(BetaBernoulli(), estimate="ml").pdf([1])


# Oracle: a coin of one of three kinds, heads heads tails heads; worked by hand.
@pytest.mark.capability("IML-16-01")
def test_three_modes_of_the_three_value_coin(tmp_path):
    prior = DiscretePrior([0.2, 0.5, 0.8], Bernoulli, [0.25, 0.5, 0.25])
    x = [1, 1, 0, 1]
    fits = {mode: WithPrior(prior, estimate=mode).fit(x) for mode in ("ml", "map", "predictive")}
    assert_allclose([float(fits[mode].pdf(1)) for mode in fits], [0.8, 0.5, 0.62318221], rtol=1e-7)
    for fitted in fits.values():
        save(fitted, tmp_path / "coin.assay")
        assert_allclose(load(tmp_path / "coin.assay").pdf([0, 1]), fitted.pdf([0, 1]), rtol=1e-15)


@pytest.mark.capability("IML-16-01")
def test_a_flat_prior_makes_map_maximum_likelihood():
    x = [1.0, 2.5, 4.0]
    for prior, data in (
        (NormalGamma.flat(), x),
        (NormalInverseWishart.flat(1), np.array(x)[:, None]),
        (GammaPoisson.flat(), [1, 2, 6]),
        (BetaBernoulli.uniform(), [1, 1, 0]),
        (DirichletCategorical.uniform(3), [0, 1, 1]),
    ):
        by_map, by_likelihood = (WithPrior(prior, estimate=mode).fit(data) for mode in ("map", "ml"))
        assert_allclose(by_map.logpdf(data), by_likelihood.logpdf(data), rtol=1e-12)
