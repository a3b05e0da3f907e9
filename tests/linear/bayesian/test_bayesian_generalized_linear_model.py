"""Bayesian generalised linear models: modes, curvatures and evidences by their definitions, and calibration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import expit, gammaln
from scipy.stats import norm
from sklearn.linear_model import PoissonRegressor as Peer

from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear import (
    BayesianGeneralizedLinearModel,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    GeneralizedLinearModel,
)
from assay.linear.generalized.families import find_family

FAMILIES = ["gaussian", "poisson", "gamma", "inverse_gaussian", "binomial", "negative_binomial", "tweedie"]


def some_rows(family, n=200, seed=0):
    random = np.random.default_rng(seed)
    A = random.normal(size=(n, 3))
    eta = 0.5 + A @ [0.6, -0.4, 0.0]
    kind = find_family(family, alpha=0.5)
    mu = eta if family == "gaussian" else expit(eta) if family == "binomial" else np.exp(eta)
    return A, kind.sample(mu, 1.0 if kind.dispersion else 0.3, random)


@pytest.mark.parametrize("family", FAMILIES)
def test_mode_is_that_of_the_penalised_model(family):
    """The penalty of GeneralizedLinearModel is of the mean deviance: alpha phi / n."""
    A, y = some_rows(family)
    model = BayesianGeneralizedLinearModel(family, alpha=2.0).fit(A, y)
    ridge = GeneralizedLinearModel(
        family, alpha=2.0 * model.dispersion_ / 200, overdispersion=model.overdispersion_ or 1.0
    )
    ridge.fit(A, y)
    assert_allclose(model.coef_, ridge.coef_, atol=2e-6)
    assert_allclose(model.intercept_, ridge.intercept_, atol=2e-6)


def test_counts_as_scikit_learn():
    """Peer: PoissonRegressor, scikit-learn 1.9; its penalty is alpha n times ours."""
    A, y = some_rows("poisson")
    peer = Peer(alpha=3.0 / 200, tol=1e-10, max_iter=1000).fit(A, y)
    assert_allclose(
        BayesianGeneralizedLinearModel("poisson", alpha=3.0).fit(A, y).coef_, peer.coef_, atol=1e-6
    )


@pytest.mark.parametrize("family", ["gamma", "poisson", "inverse_gaussian", "tweedie"])
def test_curvature_is_the_observed_one(family):
    """Second differences of the log posterior at its mode, the link not being canonical for three of them."""
    A, y = some_rows(family, 60)
    model = BayesianGeneralizedLinearModel(family, alpha=1.5).fit(A, y)
    rows, kind = np.column_stack((np.ones(60), A)), find_family(family)

    def log_posterior(w):
        logs = kind.log_density(y, np.exp(rows @ w), np.ones(60), model.dispersion_)
        return logs.sum() - 0.75 * w[1:] @ w[1:]

    w, h = model.posterior_.mean, 1e-3
    H = np.empty((4, 4))
    for i in range(4):
        for j in range(4):
            a, b = h * np.eye(4)[i], h * np.eye(4)[j]
            pieces = [log_posterior(w + s * a + t * b) * s * t for s in (1, -1) for t in (1, -1)]
            H[i, j] = -sum(pieces) / (4 * h * h)
    precision = model.posterior_.root.T @ model.posterior_.root
    assert_allclose(precision, H, rtol=2e-3, atol=2e-3 * np.abs(H).max())


def test_evidence_is_near_the_integral():
    y, x = np.array([1.0, 0, 3, 2, 5]), np.array([-1.0, -0.5, 0.2, 0.5, 1.3])

    def joint(w):
        return float(np.exp((y * w * x - np.exp(w * x) - gammaln(y + 1)).sum()) * norm.pdf(w))

    model = BayesianGeneralizedLinearModel("poisson", fit_intercept=False).fit(x[:, None], y)
    assert_allclose(model.log_evidence_, np.log(quad(joint, -10, 10)[0]), atol=0.02)


def test_gaussian_is_bayesian_regression():
    A, y = some_rows("gaussian")
    model = BayesianGeneralizedLinearModel("gaussian", alpha=2.0).fit(A, y)
    same = BayesianLinearRegression(2.0, 1 / model.dispersion_).fit(A, y)
    assert_allclose(model.coef_, same.coef_, rtol=1e-7)
    assert_allclose(model.log_evidence_, same.log_evidence_, rtol=1e-9)
    assert_allclose(model.predict(A, return_std=True), same.predict(A, return_std=True), rtol=1e-7)


def test_binomial_is_bayesian_logistic_regression():
    A, y = some_rows("binomial")
    model = BayesianGeneralizedLinearModel("binomial", alpha=2.0).fit(A, y)
    same = BayesianLogisticRegression(2.0, predictive="quadrature").fit(A, y)
    assert_allclose(model.coef_, same.coef_[0], atol=1e-7)
    assert_allclose(model.log_evidence_, same.log_evidence_, rtol=1e-9)
    assert_allclose(model.predict(A), same.predict_proba(A)[:, 1], atol=1e-7)


@pytest.mark.parametrize("family", FAMILIES)
def test_draws_agree_with_the_distribution(family):
    A, y = some_rows(family)
    model = BayesianGeneralizedLinearModel(family).fit(A, y)
    draws = model.sample_y(A[:2], 40_000, 1)
    distribution = model.predict_distribution(A[:2])
    assert_allclose(draws.mean(axis=1), model.predict(A[:2]), rtol=0.03, atol=0.02)
    assert_allclose(draws.std(axis=1), distribution.sd, rtol=0.05)
    assert_allclose(distribution.mean, model.predict(A[:2]), rtol=1e-4)
    assert_allclose((draws <= 1.5).mean(axis=1), distribution.cdf([1.5, 1.5]), atol=0.01)


@pytest.mark.parametrize("family", [f for f in FAMILIES if f != "gaussian"])  # bayesian linear regression
def test_intervals_of_the_weights_cover(family):
    inside = []
    for seed in range(120):
        A, y = some_rows(family, 120, seed)
        low, high = BayesianGeneralizedLinearModel(family, alpha=0.01).fit(A, y).posterior_.interval(0.95)
        truth = np.array([0.5, 0.6, -0.4, 0.0])
        inside.append((low < truth) & (truth < high))
    assert 0.93 < np.mean(inside) < 0.97


@pytest.mark.parametrize("alpha", [1.0, [0.1, 1.0]])
@pytest.mark.parametrize("family", ["poisson", "negative_binomial", "gamma", "tweedie"])
def test_rows_whose_means_are_no_numbers_are_named(family, alpha):
    """Far along the log link the mean and its spread overflow: no deviation of nearly 0, no error of NumPy."""
    A, y = some_rows(family)
    model = BayesianGeneralizedLinearModel(family, alpha=alpha).fit(A, y)
    far = np.vstack((A[:1], 1e4 * A[1:2]))
    for answer in (
        lambda: model.predict(far, return_std=True),
        lambda: model.predict_distribution(far),
        lambda: model.sample_y(far, 3, 0),
        lambda: model.sample_y(far, 3, 0, noise=False),
    ):
        with pytest.raises(DegenerateError, match=r"the linear predictor of row 2 is .* beyond all bounds"):
            answer()
    assert np.isfinite(model.predict_distribution(A).sd).all()


def test_counts_that_are_too_large_to_draw():
    A, y = some_rows("poisson")
    model = BayesianGeneralizedLinearModel("poisson").fit(A, y)
    far = np.array([[60.0, -20.0, 0.0]])  # means of 1e19
    assert np.isfinite(model.sample_y(far, 3, 0, noise=False)).all()
    with pytest.raises(DegenerateError, match=r"cannot be drawn\. Draw the means alone with noise=False"):
        model.sample_y(far, 3, 0)


def test_evidence_chooses_the_precision():
    A, y = some_rows("poisson")
    model = BayesianGeneralizedLinearModel("poisson", alpha="evidence").fit(A, y)
    for factor in (0.6, 1.6):
        assert (
            BayesianGeneralizedLinearModel("poisson", alpha=factor * model.alpha_).fit(A, y).log_evidence_
            < model.log_evidence_
        )


def test_exposure_and_blocks():
    random = np.random.default_rng(0)
    A = np.column_stack((random.normal(size=200), random.uniform(1, 9, 200)))
    y = random.poisson(np.exp(0.2 + 0.5 * A[:, 0]) * A[:, 1])
    model = BayesianGeneralizedLinearModel("poisson", exposure=1, alpha=1e-6).fit(A, y)
    plain = GeneralizedLinearModel("poisson", exposure=1).fit(A, y)
    assert_allclose(model.coef_, plain.coef_, atol=1e-5)
    assert model.summary().terms == ["constant", "x0"]
    assert_allclose(model.predict(A * [1, 2]), 2 * model.predict(A), rtol=1e-9)
    assert_allclose(model.sample_y(A[:3], 20_000, 0).mean(axis=1), model.predict(A[:3]), rtol=0.02)
    blocks = BayesianGeneralizedLinearModel("poisson", exposure=1, alpha=1e-6).fit_blocks(
        [(A[:50], y[:50]), (A[50:], y[50:])]
    )
    assert_allclose(blocks.coef_, model.coef_, atol=1e-7)
    assert_allclose(blocks.log_evidence_, model.log_evidence_, rtol=1e-9)


def test_explanation_and_summary():
    A, y = some_rows("poisson")
    model = BayesianGeneralizedLinearModel("poisson").fit(A, y)
    text = str(model.explain(A[:1]))
    assert "Uncertainty of the terms" in text
    assert "linear predictor" in text
    table = model.summary(0.9)
    assert (table.lower < table.upper).all()
    assert "dispersion" in table.measures


def test_awkward_tables():
    A, y = some_rows("poisson")
    few = BayesianGeneralizedLinearModel("poisson").fit(A[:2], y[:2])
    assert np.isfinite(few.predict(A[:5])).all()
    twins = BayesianGeneralizedLinearModel("poisson").fit(np.column_stack((A, A, np.ones(200))), y)
    assert np.isfinite(twins.predict(np.column_stack((A, A, np.ones(200))))).all()
    zeros = BayesianGeneralizedLinearModel("poisson", penalize_intercept=True).fit(A, np.zeros(200))
    assert (zeros.predict(A) < 0.5).all()  # maximum likelihood would run away
    with pytest.raises(DataError, match="valid range"):
        BayesianGeneralizedLinearModel("gamma").fit(A, y - 5)
    with pytest.raises(ParameterError, match="m_0 must be"):
        BayesianGeneralizedLinearModel("poisson", m_0=[1.0]).fit(A, y)
    with pytest.raises(DegenerateError, match="residuals are all 0"):
        BayesianGeneralizedLinearModel("gaussian").fit(A, np.zeros(200))


def test_other_links():
    A, y = some_rows("gamma")
    model = BayesianGeneralizedLinearModel("gamma", "inverse", alpha=1e-4).fit(np.abs(A), y)
    plain = GeneralizedLinearModel("gamma", "inverse").fit(np.abs(A), y)
    assert_allclose(model.coef_, plain.coef_, atol=1e-3)
    ratio = model.predict(np.abs(A)) / plain.predict(np.abs(A))
    assert 1 < np.median(ratio) < 1.05  # the average of 1 / eta is above 1 over the average


@pytest.mark.parametrize(
    ("family", "value"), [("poisson", 0), ("binomial", 0), ("binomial", 1), ("negative_binomial", 0)]
)
def test_targets_at_the_edge_of_a_family_need_a_prior_of_the_constant(family, value):
    """With a flat prior there is no mode; the mean of a Poisson family came out infinite."""
    A, y = np.random.default_rng(0).normal(size=(30, 2)), np.full(30, value)
    with pytest.raises(DegenerateError, match=f"y is {value} in all rows, .* penalize_intercept=True"):
        BayesianGeneralizedLinearModel(family).fit(A, y)
    model = BayesianGeneralizedLinearModel(family, penalize_intercept=True, overdispersion=1.0).fit(A, y)
    assert (np.abs(model.predict(A) - value) < 0.8).all()


@pytest.mark.parametrize("deviations", [False, True])
@pytest.mark.parametrize("alpha", [1.0, [0.1, 1.0]])
def test_a_row_beyond_all_bounds_is_refused_with_and_without_deviations(deviations, alpha):
    """Without them infinity was the answer."""
    A = np.random.default_rng(0).normal(size=(60, 2))
    model = BayesianGeneralizedLinearModel("poisson", alpha=alpha).fit(A, np.exp(A[:, 0]).round())
    with pytest.raises(DegenerateError, match=r"the linear predictor of row 2 is .* beyond all bounds"):
        model.predict([[0.0, 0.0], [1e6, 0.0]], return_std=deviations)
