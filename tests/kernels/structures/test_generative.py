"""Kernels of generative models."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.datasets import load_iris

import assay
from assay.bayes import BernoulliNB, GaussianNB, MultinomialNB
from assay.densities import KernelDensity
from assay.errors import ParameterError
from assay.kernels import FisherKernel, Linear, Nystroem, ProbabilityProduct
from assay.kernels.structures.fisher_kernel import fisher_scores
from assay.stats import Bernoulli, Gaussian, MultivariateGaussian

X, y = load_iris(return_X_y=True)
COUNTS = np.round(X)
BITS = (X.mean(axis=0) < X).astype(float)
MODELS = {
    "GaussianNB": (GaussianNB().fit(X, y), X),
    "MultinomialNB": (MultinomialNB().fit(COUNTS, y), COUNTS),
    "BernoulliNB": (BernoulliNB(binarize=0.5).fit(BITS, y), BITS),
    "MultivariateGaussian": (MultivariateGaussian().fit(X), X),
    "Gaussian": (Gaussian().fit(X[:, 0]), X[:, :1]),
}


@pytest.mark.capability("IML-13-24")
@pytest.mark.parametrize(
    "model", [GaussianNB().fit(X, y), KernelDensity().fit(X), MultivariateGaussian().fit(X)]
)
def test_products_of_probabilities_have_rank_one(model):
    K = ProbabilityProduct(model)(X)
    values = np.linalg.eigvalsh(K)
    assert values[-1] > 0 and np.abs(values[:-1]).max() < 1e-12 * values[-1]
    p = np.exp(model.logpdf(X)) if hasattr(model, "logpdf") else None
    if p is not None:
        assert_allclose(K, np.outer(p, p), rtol=1e-10)
    with pytest.raises(ParameterError, match="generative model"):
        ProbabilityProduct(Linear())(X)


@pytest.mark.capability("IML-13-25")
def test_the_fisher_kernel_of_a_mean():
    """Oracle: IML 13.7, (x - mu)(y - mu) / sigma^2."""
    kernel = FisherKernel(Gaussian(1.5, 2.0), groups=("means",))
    x, z = X[:, :1], X[:7, :1]
    assert_allclose(kernel(x, z), (x - 1.5) * (z.T - 1.5) / 2.0, rtol=1e-12)
    mahalanobis = FisherKernel(MODELS["MultivariateGaussian"][0], groups=("means",))
    off = X - X.mean(axis=0)
    assert_allclose(
        mahalanobis(X), off @ np.linalg.solve(np.cov(X.T, bias=True), off.T), rtol=1e-8, atol=1e-9
    )


def log_density(model, rows):
    if hasattr(model, "logpdf"):
        return model.logpdf(rows[:, 0] if rows.shape[1] == 1 else rows)
    return logsumexp(model._log_joint(rows), axis=1)


def numeric_gradient(model, attribute, rows, change):
    """By a small step of each entry of a parameter; ``change`` says what a step is."""
    value, columns, step = np.array(getattr(model, attribute), dtype=float), [], 1e-6
    for place in np.ndindex(value.shape):
        sides = []
        for sign in (1, -1):
            moved, other = value.copy(), copy.deepcopy(model)
            change(moved, place, sign * step)
            setattr(other, attribute, moved if moved.ndim else float(moved))
            sides.append(log_density(other, rows))
        columns.append((sides[0] - sides[1]) / (2 * step))
    return np.array(columns).T


def add(value, place, step):
    value[place] += step


def logit(value, place, step):
    """Another logit of one of the probabilities of a row, which sum to 1; logarithms."""
    value[place] += step
    value[place[0]] -= logsumexp(value[place[0]])


@pytest.mark.parametrize(
    ("name", "group", "attribute", "change"),
    [
        ("GaussianNB", "means", "theta_", add),
        ("GaussianNB", "variances", "var_", add),
        ("GaussianNB", "weights", "class_prior_", add),
        ("MultinomialNB", "probabilities", "feature_log_prob_", logit),
        ("Gaussian", "means", "mean", add),
        ("Gaussian", "variances", "var", add),
        ("MultivariateGaussian", "means", "mean", add),
    ],
)
def test_scores_are_gradients_of_the_log_likelihood(name, group, attribute, change):
    model, rows = MODELS[name]
    gradient = next(s.gradient for s in fisher_scores(model, rows[:9]) if s.name == group)
    numeric = numeric_gradient(model, attribute, rows[:9], change)
    if group == "weights":  # as if weights summed to 1 by division
        numeric -= 1.0
    assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)


def test_scores_of_bits_are_gradients_of_the_log_likelihood():
    model, rows = MODELS["BernoulliNB"]
    p, prior = np.exp(model.feature_log_prob_), np.exp(model.class_log_prior_)

    def log_likelihood(p):
        parts = rows[:, None, :] * np.log(p) + (1 - rows[:, None, :]) * np.log(1 - p)
        return logsumexp(parts.sum(axis=2) + np.log(prior), axis=1)

    gradient = next(s.gradient for s in fisher_scores(model, rows) if s.name == "probabilities")
    for column, place in enumerate(np.ndindex(p.shape)):
        step = np.zeros(p.shape)
        step[place] = 1e-6
        slope = (log_likelihood(p + step) - log_likelihood(p - step)) / 2e-6
        assert_allclose(gradient[:, column], slope, rtol=1e-5, atol=1e-6)


def test_the_information_of_a_density_gives_scores_of_covariance_one():
    random = np.random.default_rng(0)
    model = MultivariateGaussian(np.array([1.0, -1.0]), np.array([[2.0, 0.6], [0.6, 1.0]]))
    rows = random.multivariate_normal(model.mean, model.cov, 200_000)
    whitened = np.hstack([s.whitened for s in fisher_scores(model, rows)])[:, [0, 1, 2, 5]]
    assert_allclose(whitened.T @ whitened / len(rows), np.eye(4), atol=0.03)
    bits = (random.random((100_000, 1)) < 0.3).astype(float)
    assert (fisher_scores(Bernoulli(0.3), bits)[0].whitened ** 2).mean() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("information", ["model", "empirical", "identity"])
@pytest.mark.parametrize("name", MODELS)
def test_fisher_kernels_are_positive_semidefinite_and_are_saved(name, information, tmp_path):
    model, rows = MODELS[name]
    kernel = FisherKernel(model, information=information).learn(rows)
    K = kernel(rows)
    assert (K == K.T).all() and np.linalg.eigvalsh(K)[0] > -1e-9 * K.max()
    assert_allclose(kernel.diagonal(rows), np.diagonal(K), rtol=1e-9, atol=1e-12 * K.max())
    assert_allclose(np.diagonal(kernel.normalized()(rows)), 1.0)
    coef = np.ones((len(rows), 1))
    assert_allclose(kernel.combine(rows, rows, coef), K @ coef, rtol=1e-7, atol=1e-9 * np.abs(K).sum())
    if information == "empirical":
        assert np.trace(K) / len(rows) == pytest.approx(kernel.whitening_.shape[1])
    learner = Nystroem(kernel, n_components=5, random_state=0).fit(rows)
    assay.save(learner, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").transform(rows), learner.transform(rows), rtol=0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FisherKernel(Gaussian(), information="none"), "information must be"),
        (lambda: FisherKernel(Gaussian(), groups=("means", "colours"))([[1.0]]), "groups must be of"),
        (lambda: FisherKernel(Gaussian(), information="empirical")([[1.0]]), "learn"),
        (lambda: FisherKernel(Linear())([[1.0]]), "model must be a fitted"),
    ],
)
def test_what_is_wrong_is_said(make, words):
    with pytest.raises(ParameterError, match=words):
        make()
