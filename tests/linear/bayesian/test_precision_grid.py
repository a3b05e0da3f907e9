"""Precisions that are integrated out: against integrals over weights and precisions, and calibration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, gammaln, log_expit, logsumexp, softmax
from scipy.stats import norm
from sklearn.datasets import load_iris
from tests.calibration import assert_calibrated

from assay import load, save
from assay.errors import DegenerateError, ParameterError, PersistenceError
from assay.linear import (
    BayesianGeneralizedLinearModel,
    BayesianLinearRegression,
    BayesianLogisticRegression,
)

ALPHAS = [0.1, 1.0, 10.0]
LEARNERS = [BayesianLogisticRegression, BayesianGeneralizedLinearModel]


def labels_and_counts(n, seed=0, d=3):
    random = np.random.default_rng(seed)
    A = random.normal(size=(n, d))
    eta = A @ np.linspace(0.6, -0.4, d)
    return A, (random.random(n) < expit(eta)).astype(int), random.poisson(np.exp(eta))


def made(cls, alpha, n=60, **parameters):
    A, labels, counts = labels_and_counts(n)
    return cls(alpha=alpha, **parameters).fit(A, labels if cls is BayesianLogisticRegression else counts)


def answers(model, A):
    return model.predict_proba(A)[:, 1] if hasattr(model, "predict_proba") else model.predict(A)


# Oracle: sums over a grid of the weights and the three precisions, of prior times likelihood; no approximation.


def integrated(log_likelihood, weights, values):
    """The probabilities of the precisions, the log evidence, and the posterior mean of ``values``."""
    step = weights[1] - weights[0]
    logs = np.array([log_likelihood + norm.logpdf(weights, scale=a**-0.5) for a in ALPHAS])
    evidences = logsumexp(logs, axis=1) + np.log(step)
    whole = np.exp(logs - logs.max())
    return (
        softmax(evidences),
        logsumexp(evidences) - np.log(len(ALPHAS)),
        np.sum(whole * values) / whole.sum(),
    )


def test_labels_against_the_integral_over_weight_and_precision():
    A, y, _ = labels_and_counts(150, d=1)
    w = np.linspace(-6, 6, 20_001)
    log_likelihood = log_expit(np.outer(w, np.where(y == 1, A[:, 0], -A[:, 0]))).sum(axis=1)
    p, evidence, mean = integrated(log_likelihood, w, expit(2 * w))
    model = BayesianLogisticRegression(ALPHAS, fit_intercept=False, predictive="quadrature").fit(A, y)
    assert_allclose(model.grid_posterior_, p, atol=0.002)
    assert_allclose(model.log_evidence_, evidence, atol=0.02)
    assert_allclose(model.predict_proba([[2.0]])[0, 1], mean, atol=0.005)
    assert_allclose(model.alpha_, p @ ALPHAS, rtol=0.005)


def test_counts_against_the_integral_over_weight_and_precision():
    A, _, y = labels_and_counts(150, d=1)
    w, x = np.linspace(-5, 5, 20_001), A[:, 0]
    log_likelihood = w * (y @ x) - np.exp(np.outer(w, x)).sum(axis=1) - gammaln(y + 1.0).sum()
    p, evidence, mean = integrated(log_likelihood, w, np.exp(1.5 * w))
    model = BayesianGeneralizedLinearModel("poisson", alpha=ALPHAS, fit_intercept=False).fit(A, y)
    assert_allclose(model.grid_posterior_, p, atol=0.001)
    assert_allclose(model.log_evidence_, evidence, atol=0.01)
    assert_allclose(model.predict([[1.5]])[0], mean, rtol=0.005)


def test_amounts_with_known_noise_against_bayesian_regression():
    """Where the likelihood is Gaussian nothing is approximated; the noise is that of each precision."""
    A, _, y = labels_and_counts(50)
    model = BayesianGeneralizedLinearModel("gaussian", alpha=ALPHAS).fit(A, y)
    each = [
        BayesianLinearRegression(a, 1 / phi).fit(A, y)
        for a, phi in zip(model.grid_, model.dispersions_, strict=True)
    ]
    assert_allclose(model.grid_posterior_, softmax([one.log_evidence_ for one in each]), rtol=1e-6)
    p = model.probabilities_
    assert_allclose(model.predict(A), p @ [one.predict(A) for one in each], rtol=1e-6)
    moments = np.array([one.predict(A, return_std=True) for one in each])
    second = p @ (moments[:, 0] ** 2 + moments[:, 1] ** 2)
    assert_allclose(model.predict(A, return_std=True)[1] ** 2, second - model.predict(A) ** 2, rtol=1e-6)


@pytest.mark.parametrize("cls", LEARNERS)
def test_answers_are_averages_of_the_answers_at_each_precision(cls):
    A = labels_and_counts(60)[0]
    model, each = made(cls, ALPHAS), [made(cls, a) for a in ALPHAS]
    p = softmax([one.log_evidence_ for one in each])
    assert_allclose(model.grid_posterior_, p, rtol=1e-6)
    assert_allclose(model.log_evidence_, logsumexp([m.log_evidence_ for m in each]) - np.log(3), rtol=1e-9)
    assert_allclose(model.coef_, np.tensordot(p, [m.coef_ for m in each], axes=1), rtol=1e-6)
    assert_allclose(answers(model, A), p @ [answers(m, A) for m in each], rtol=1e-6)
    assert_allclose(model.posterior_.mean, each[int(np.argmax(p))].posterior_.mean, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("predictive", ["map", "probit", "quadrature", "draws"])
def test_probabilities_of_three_classes_are_averages(predictive):
    A, y = load_iris(return_X_y=True)
    alphas = [0.02, 0.05, 0.1]
    model = BayesianLogisticRegression(alphas, predictive=predictive).fit(A, y)
    each = [BayesianLogisticRegression(a, predictive=predictive).fit(A, y) for a in alphas]
    assert model.grid_posterior_.max() < 0.9
    expected = np.tensordot(model.grid_posterior_, [m.predict_proba(A) for m in each], axes=1)
    assert_allclose(model.predict_proba(A), expected, atol=1e-6)
    assert_allclose(model.predict_proba(A).sum(axis=1), 1)


@pytest.mark.parametrize("cls", LEARNERS)
def test_one_precision_twice_is_that_precision(cls):
    A = labels_and_counts(60)[0]
    once, twice = made(cls, 2.0), made(cls, [2.0, 2.0])
    assert_allclose(twice.grid_posterior_, 0.5, rtol=1e-6)
    assert_allclose(answers(twice, A), answers(once, A), rtol=1e-6)
    assert_allclose(twice.log_evidence_, once.log_evidence_, rtol=1e-9)
    assert_allclose(twice.summary().upper, once.summary().upper, rtol=1e-5)


@pytest.mark.parametrize("cls", LEARNERS)
def test_the_posterior_of_weights_and_precisions_is_calibrated(cls):
    """Precision, weights and rows from the prior: 95 % intervals hold 95 %, and precisions are as probable as said."""
    inside, drawn, said = [], [], []

    def simulate(random):
        g = random.integers(3)
        w = random.normal(size=3) / np.sqrt(ALPHAS[g])
        A = random.normal(size=(250, 3)) / 2
        eta = A @ w
        if cls is BayesianLogisticRegression:
            y = (random.random(250) < expit(eta)).astype(int)
        else:
            y = random.poisson(np.exp(np.minimum(eta, 20)))
        model = cls(alpha=ALPHAS, fit_intercept=False).fit(A, y)
        table = model.summary()
        inside.append((table.lower < w) & (w < table.upper))
        drawn.append(np.arange(3) == g)
        said.append(model.grid_posterior_)
        return w, model.sample_coef(99, random)["coef"].reshape(99, 3)

    assert_calibrated(simulate)
    assert 0.93 < np.mean(inside) < 0.97
    assert_allclose(np.mean(drawn, axis=0), np.mean(said, axis=0), atol=0.05)


def test_draws_agree_with_the_summary_and_the_distribution():
    A = labels_and_counts(60)[0]
    model = made(BayesianGeneralizedLinearModel, [0.5, 50.0])
    table, draws = model.summary(), model.sample_coef(40_000, 0)
    assert_allclose(draws["coef"][0].std(axis=0), table.sd[1:], rtol=0.02)
    assert_allclose(np.quantile(draws["coef"][0], 0.025, axis=0), table.lower[1:], atol=0.01)
    numbers, distribution = model.sample_y(A[:2], 40_000, 1), model.predict_distribution(A[:2])
    assert_allclose(numbers.mean(axis=1), model.predict(A[:2]), rtol=0.02)
    assert_allclose(numbers.std(axis=1), distribution.sd, rtol=0.03)
    assert_allclose((numbers <= 1).mean(axis=1), distribution.cdf([1, 1]), atol=0.01)


@pytest.mark.parametrize("family", ["gamma", "negative_binomial", "tweedie", "inverse_gaussian"])
def test_each_precision_has_a_dispersion_of_its_own(family):
    A, _, y = labels_and_counts(80)
    y = y + 0.5 * (family != "negative_binomial")
    model = BayesianGeneralizedLinearModel(family, alpha=[0.1, 30.0]).fit(A, y)
    one = BayesianGeneralizedLinearModel(family, alpha=30.0).fit(A, y)
    assert_allclose(model.grid_, [0.1, 30.0])
    assert_allclose(model.dispersions_[-1], one.dispersion_, rtol=1e-5)
    assert_allclose(model.overdispersions_[-1], one.overdispersion_, rtol=1e-4, atol=1e-6)
    assert_allclose(model.dispersion_, model.probabilities_ @ model.dispersions_)
    distribution = model.predict_distribution(A[:3])
    assert_allclose(distribution.mean, model.predict(A[:3]), rtol=1e-4)
    assert_allclose(model.predict(A[:3], return_std=True)[1], distribution.sd)


def test_a_precision_that_no_row_supports_is_left_out():
    model = made(BayesianLogisticRegression, [1.0, 1e12], n=600)
    assert len(model.grid_) == 2
    assert len(model.posteriors_) == 1
    assert_allclose(model.coef_, made(BayesianLogisticRegression, 1.0, n=600).coef_, rtol=1e-6)


@pytest.mark.parametrize("cls", LEARNERS)
def test_blocks_weights_and_the_order_of_the_list(cls):
    A, labels, counts = labels_and_counts(60)
    y = labels if cls is BayesianLogisticRegression else counts
    model = made(cls, ALPHAS)
    blocks = cls(alpha=ALPHAS).fit_blocks([(A[:20], y[:20]), (A[20:], y[20:])])
    assert_allclose(blocks.coef_, model.coef_, atol=1e-7)
    assert_allclose(blocks.grid_posterior_, model.grid_posterior_, rtol=1e-6)
    assert_allclose(made(cls, ALPHAS[::-1]).grid_posterior_, model.grid_posterior_[::-1], rtol=1e-6)
    twice = cls(alpha=ALPHAS).fit(np.vstack((A, A[:9])), np.append(y, y[:9]))
    weighted = cls(alpha=ALPHAS).fit(A, y, np.r_[np.full(9, 2.0), np.ones(51)])
    assert_allclose(weighted.coef_, twice.coef_, atol=1e-6)


@pytest.mark.parametrize("cls", LEARNERS)
def test_on_dask_as_in_memory(cls):
    array = pytest.importorskip("dask.array")
    A, labels, counts = labels_and_counts(60)
    y = labels if cls is BayesianLogisticRegression else counts
    remote = cls(alpha=ALPHAS).fit(array.from_array(A, chunks=(17, 3)), array.from_array(y, chunks=17))
    assert_allclose(remote.coef_, made(cls, ALPHAS).coef_, atol=1e-7)
    assert_allclose(remote.grid_posterior_, made(cls, ALPHAS).grid_posterior_, rtol=1e-6)


@pytest.mark.parametrize("cls", LEARNERS)
def test_explanation_adds_the_doubt_about_the_precision(cls):
    A = labels_and_counts(60)[0]
    model = made(cls, ALPHAS)
    text = str(model.explain(A[:1]))
    assert "the mean weights" in text
    assert "the most probable weights" in str(made(cls, 1.0).explain(A[:1]))
    section = model.explain(A[:1]).sections
    table = next(part for part in section if part.title.startswith("Uncertainty"))
    rows = np.column_stack((np.ones(60_000), np.tile(A[0], (60_000, 1))))
    draws = model.sample_coef(60_000, 0)
    w = np.column_stack((draws["intercept"].ravel(), draws["coef"].reshape(60_000, 3)))
    assert_allclose(table.rows[-1][2], np.sum(rows * w, axis=1).std(), rtol=0.02)
    assert "precision of the weights" in str(model.summary())


@pytest.mark.parametrize("cls", LEARNERS)
@pytest.mark.parametrize("alpha", [[], [0.0, 1.0], [1.0, np.inf], [1.0, np.nan], [[1.0, 2.0]], [1.0, "b"]])
def test_lists_that_are_no_precisions(cls, alpha):
    with pytest.raises(ParameterError, match="alpha must be"):
        made(cls, alpha)


def test_a_family_without_a_density_has_no_evidence_to_weigh_by():
    A, _, y = labels_and_counts(60)
    with pytest.raises(DegenerateError, match="no precision of a list has an evidence"):
        BayesianGeneralizedLinearModel("tweedie", power=-0.5, link="identity", alpha=ALPHAS).fit(A, y + 1.0)


@pytest.mark.parametrize("cls", LEARNERS)
def test_files(cls, tmp_path):
    A = labels_and_counts(60)[0]
    model = made(cls, ALPHAS)
    best = model.posterior_  # asked for once, it is not kept in the file beside the others
    save(model, tmp_path / "m.assay")
    again = load(tmp_path / "m.assay")
    assert np.array_equal(answers(again, A), answers(model, A))
    assert np.array_equal(again.posterior_.mean, best.mean)
    whole = vars(model).copy()
    for torn in (
        {"posteriors_": model.posteriors_[:1]},
        {"probabilities_": 2 * model.probabilities_},
        {"probabilities_": np.full(3, np.nan)},
        {"grid_posterior_": np.ones(2)},
    ):
        vars(model).update(whole | torn)
        with pytest.raises(PersistenceError):
            save(model, tmp_path / "torn.assay")
            load(tmp_path / "torn.assay")


@pytest.mark.parametrize("learner", [BayesianGeneralizedLinearModel, BayesianLogisticRegression])
def test_a_precision_of_0_is_refused_where_the_words_say_above_0(learner):
    with pytest.raises(ParameterError, match=r"each finite and above 0, got \[0\.0, 1\.0\]"):
        learner(alpha=[0.0, 1.0]).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
