"""Bayesian model averaging: probabilities by the evidence, averages, and the search among many subsets."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln
from sklearn.datasets import load_diabetes

from assay.errors import DataError, ParameterError
from assay.linear import BayesianLinearRegression, LinearRegression, ModelAveragingRegressor
from assay.stats import bayesian_model_selection

X, y = load_diabetes(return_X_y=True)
CURVE_X = np.arange(-1.5, 1.51, 0.25)[:, None]
CURVE_R = np.array([-1.09, -0.11, 0.66, 0.73, 0.49, 0.45, 0.33, -0.12, -0.80, -1.02, -0.66, 0.09, 0.54])


@pytest.mark.capability("IML-16-19")
def test_weights_are_proportional_to_the_evidence():
    """Of each subset the evidence is that of BayesianLinearRegression with the same prior."""
    A = X[:60, :3] * 20
    model = ModelAveragingRegressor(prior="gaussian", alpha=0.7, a_0=1.0, b_0=2.0, inclusion=0.5).fit(
        A, y[:60]
    )
    settings = {"alpha": 0.7, "beta": "gamma", "a_0": 1.0, "b_0": 2.0}
    for chosen, log_evidence in zip(model.models_, model.log_evidences_):
        if chosen.any():
            one = BayesianLinearRegression(**settings).fit(A[:, chosen], y[:60])
            assert_allclose(log_evidence, one.log_evidence_, rtol=1e-10)
    odds = np.exp(model.log_evidences_ - model.log_evidences_.max())
    assert_allclose(model.probabilities_, odds / odds.sum(), rtol=1e-9)
    assert len(model.models_) == 8
    assert_allclose(model.inclusion_, model.probabilities_ @ model.models_)


@pytest.mark.capability("IML-16-19")
def test_predictions_are_averaged():
    A = X[:60, :3] * 20
    model = ModelAveragingRegressor(prior="gaussian", alpha=0.7, a_0=1.0, b_0=2.0).fit(A, y[:60])
    settings = {"alpha": 0.7, "beta": "gamma", "a_0": 1.0, "b_0": 2.0}
    means, sds = [], []
    for chosen in model.models_:
        if chosen.any():
            mean, sd = (
                BayesianLinearRegression(**settings).fit(A[:, chosen], y[:60]).predict(A[:5, chosen], True)
            )
        else:
            alone = BayesianLinearRegression(1e12, "gamma", a_0=1.0, b_0=2.0).fit(A[:, :1], y[:60])
            mean, sd = alone.predict(A[:5, :1], True)
        means.append(mean)
        sds.append(sd)
    p, means, sds = model.probabilities_, np.array(means), np.array(sds)
    answer, sd = model.predict(A[:5], return_std=True)
    assert_allclose(answer, p @ means, rtol=1e-4)
    assert_allclose(sd**2, p @ (sds**2 + means**2) - (p @ means) ** 2, rtol=1e-3)
    assert_allclose(model.predict_distribution(A[:5]).mean, answer, rtol=1e-9)


@pytest.mark.capability("IML-16-19")
def test_degrees_of_a_polynomial():
    """The evidence chooses degree 3, and the average of all degrees is that of their evidences."""
    model = ModelAveragingRegressor(search="degrees", degree=8, prior="gaussian", a_0=1.0, b_0=1.0)
    model.fit(CURVE_X, CURVE_R)
    assert model.models_[0].sum() == 3
    degrees = model.models_.sum(axis=1)
    for degree in (1, 3, 8):
        one = BayesianLinearRegression(1.0, "gamma", a_0=1.0, b_0=1.0, degree=degree).fit(CURVE_X, CURVE_R)
        assert_allclose(model.log_evidences_[degrees == degree], one.log_evidence_, rtol=1e-8)
    # of known noise and a constant with a prior, by the function of stats
    result = bayesian_model_selection(
        [np.vander(CURVE_X[:, 0], k + 1, increasing=True) for k in range(9)], CURVE_R, 1.0, 1 / 16
    )
    assert result.best == 3


def test_zellners_prior_in_closed_form():
    """Liang et al. (2008): log BF of a model to none = (n-1-k)/2 log(1+g) - (n-1)/2 log(1+g(1-R2)), for a, b -> 0."""
    model = ModelAveragingRegressor(g=50.0, a_0=1e-12, b_0=1e-12).fit(X[:, :4], y)
    n = len(y)
    none = model.log_evidences_[~model.models_.any(axis=1)][0]
    for chosen, log_evidence in zip(model.models_, model.log_evidences_):
        if not chosen.any():
            continue
        columns = X[:, :4][:, chosen]
        R2, k = LinearRegression().fit(columns, y).score(columns, y), chosen.sum()
        expected = (n - 1 - k) / 2 * np.log1p(50.0) - (n - 1) / 2 * np.log(1 + 50.0 * (1 - R2))
        assert_allclose(log_evidence - none, expected, rtol=1e-8, atol=1e-8)


def test_no_scale_of_the_columns_changes_zellners_answer():
    model = ModelAveragingRegressor().fit(X[:, :5], y)
    other = ModelAveragingRegressor().fit(X[:, :5] * [1, 10, 1e6, 1e-6, 1] + 7, y)
    assert_allclose(other.inclusion_, model.inclusion_, rtol=1e-6)
    assert_allclose(other.predict(X[:, :5] * [1, 10, 1e6, 1e-6, 1] + 7), model.predict(X[:, :5]), rtol=1e-6)


def test_prior_of_models():
    flat, rare = (ModelAveragingRegressor(inclusion=p).fit(X, y) for p in (0.5, 0.01))
    assert rare.inclusion_.sum() < flat.inclusion_.sum() - 1
    sizes = ModelAveragingRegressor().fit(X, y)
    logs = sizes._log_prior(10)
    ways = np.exp(gammaln(11) - gammaln(np.arange(11) + 1) - gammaln(11 - np.arange(11)))
    assert_allclose(ways * np.exp(logs), 1 / 11)


def test_the_walk_finds_what_all_subsets_show():
    exact = ModelAveragingRegressor(search="exact").fit(X, y)
    walked = ModelAveragingRegressor(search="mc3", n_steps=3000).fit(X, y)
    assert len(walked.models_) < len(exact.models_) == 1024
    assert_allclose(walked.inclusion_, exact.inclusion_, atol=0.01)
    assert_allclose(walked.predict(X), exact.predict(X), rtol=1e-3)
    assert "Metropolis" in walked.search_


def test_many_columns_and_few_rows():
    random = np.random.default_rng(0)
    A = random.normal(size=(40, 80))
    b = 3 * A[:, 5] - 2 * A[:, 11] + 0.5 * random.normal(size=40)
    model = ModelAveragingRegressor(n_steps=1500).fit(A, b)
    assert set(np.flatnonzero(model.inclusion_ > 0.5)) == {5, 11}
    assert np.isfinite(model.predict(A, return_std=True)).all()


def test_categories_are_in_a_model_together():
    import pandas as pd

    random = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": random.choice(list("abc"), 120), "size": random.normal(size=120)})
    b = frame["kind"].map({"a": 0.0, "b": 2.0, "c": -1.0}) + random.normal(size=120) * 0.5
    model = ModelAveragingRegressor(prior="gaussian").fit(frame, b)
    assert model.units_ == ["kind", "size"]
    assert model.inclusion_[0] > 0.999
    assert len(model.models_) == 4


def test_intervals_cover():
    random, inside = np.random.default_rng(2), []
    for _ in range(60):
        A = random.normal(size=(25, 3))
        w = random.normal(size=3) * (random.random(3) < 0.5)
        low, high = (
            ModelAveragingRegressor().fit(A, A @ w + random.normal(size=25)).predict_interval(A + 0.1, 0.95).T
        )
        truth = (A + 0.1) @ w + random.normal(size=25)
        inside.append((low < truth) & (truth < high))
    assert 0.93 < np.mean(inside) < 0.97


def test_draws_blocks_summary_and_explanation():
    model = ModelAveragingRegressor().fit(X, y)
    draws = model.sample_coef(4000, 0)
    assert_allclose((draws.flat("coef") != 0).mean(axis=0), model.inclusion_, atol=0.04)
    assert_allclose(draws.flat("coef").mean(axis=0), model.coef_, atol=25)
    sampled = model.sample_y(X[:2], 5000, 0)
    assert_allclose(sampled.std(axis=1), model.predict(X[:2], True)[1], rtol=0.05)
    blocks = ModelAveragingRegressor().fit_blocks([(X[:200], y[:200]), (X[200:], y[200:])])
    assert_allclose(blocks.inclusion_, model.inclusion_, rtol=1e-6, atol=1e-9)
    table = model.summary()
    assert_allclose(table.mean[1:], model.coef_, rtol=1e-9)
    assert "The most probable models" in str(model.explain(X[:1]))


def test_two_rows_have_no_variance_but_an_explanation():
    """With two degrees of freedom the deviations are infinite, and said to be; no difference of infinities."""
    model = ModelAveragingRegressor().fit([[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0])
    mean, sd = model.predict([[0.5, 0.5]], return_std=True)
    assert np.isfinite(mean).all() and np.isinf(sd).all()
    rows = model.explain([[0.5, 0.5]]).sections[-1].rows
    assert not any(np.isnan(cell) for row in rows for cell in row if isinstance(cell, float))


def test_awkward_tables():
    twins = ModelAveragingRegressor().fit(np.column_stack((X[:, :3], X[:, :3], np.ones(442))), y)
    assert not (twins.models_[:, :3] & twins.models_[:, 3:6]).any()  # both of a pair have no evidence
    assert_allclose(twins.inclusion_[:3], twins.inclusion_[3:6], rtol=1e-6)
    assert np.isfinite(ModelAveragingRegressor().fit(X, np.zeros(442)).predict(X)).all()
    with pytest.raises(ParameterError, match="too many subsets"):
        ModelAveragingRegressor(search="exact").fit(
            np.random.default_rng(0).normal(size=(50, 30)), np.arange(50.0)
        )
    with pytest.raises(DataError, match="1d array"):
        ModelAveragingRegressor().fit(X, np.column_stack((y, y)))


@pytest.mark.parametrize("prior", ["g", "gaussian"])
def test_a_nominal_column_that_matters_is_in(prior):
    """Its indicators add up to the constant: Zellner's prior took every model that has them for impossible."""
    random = np.random.default_rng(0)
    group, a = np.repeat(["u", "v", "w"], 20), random.normal(size=60)
    y = 2 * a + 3.0 * (group == "u") - 2.0 * (group == "w") + 0.1 * random.normal(size=60)
    table = pd.DataFrame({"a": a, "group": group, "noise": random.normal(size=60)})
    model = ModelAveragingRegressor(prior=prior).fit(table, y)
    assert model.inclusion_[:2].min() > 0.99 and model.inclusion_[2] < 0.5
    assert_allclose(model.predict(table), y, atol=0.6)
