"""Bayesian logistic regression: the oracles of IML 16.4.4, its modes, and what a posterior should do."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import expit, log_expit, softmax
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.preprocessing import scale

from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear import BayesianLogisticRegression
from assay.linear.bayesian.logistic_normal import hermite, logistic_normal
from assay.stats import GridPosterior

X, r = np.array([[-2.0], [-1], [1], [2], [0.5]]), np.array([0, 0, 1, 1, 0])


@pytest.mark.capability("IML-16-15")
@pytest.mark.parametrize(
    "predictive, expected",
    [
        ("map", [0.70593444, 0.93258916]),
        ("probit", [0.69290334, 0.84390517]),
        ("quadrature", [0.69090379, 0.84570066]),
    ],
)
def test_one_weight(predictive, expected):
    model = BayesianLogisticRegression(fit_intercept=False, predictive=predictive).fit(X, r)
    assert_allclose(model.coef_[0, 0], 0.87571965, atol=5e-9)
    assert_allclose(model.posterior_.root[0, 0] ** 2, 2.48279133, atol=5e-9)
    assert_allclose(model.predict_proba([[1.0], [3.0]])[:, 1], expected, atol=5e-9)
    assert_allclose(model.log_evidence_, -2.79047560, atol=5e-9)


@pytest.mark.capability("IML-16-15")
def test_one_weight_by_the_normal_distribution_function_and_by_the_exact_posterior():
    nodes, weights = hermite(64)
    assert_allclose(weights @ norm.cdf(0.7 + 1.3 * nodes), 0.66523660, atol=5e-9)
    model = BayesianLogisticRegression(fit_intercept=False).fit(X, r)
    mean, sd = model.coef_[0, 0], 1 / abs(model.posterior_.root[0, 0])
    scale = np.sqrt(np.pi / 8)  # the normal distribution function that is as steep as the logistic one
    by_cdf = [weights @ norm.cdf(scale * x * (mean + sd * nodes)) for x in (1.0, 3.0)]
    assert_allclose(by_cdf, [0.69494918, 0.85486550], atol=5e-9)
    grid = np.linspace(-8, 12, 20_001)
    logs = log_expit(np.outer(grid, np.where(r == 1, X[:, 0], -X[:, 0]))).sum(axis=1)
    exact = GridPosterior(grid, logs, norm.logpdf(grid))
    assert_allclose(
        [exact.expect(expit(grid)), exact.expect(expit(3 * grid))], [0.71095805, 0.87183938], atol=5e-8
    )


@pytest.mark.capability("IML-16-15")
def test_with_a_bias():
    model = BayesianLogisticRegression(penalize_intercept=True).fit(X, r)
    assert_allclose([model.intercept_[0], model.coef_[0, 0]], [-0.32208251, 0.90262356], atol=5e-9)
    precision = model.posterior_.root.T @ model.posterior_.root
    assert_allclose(precision, [[1.90043127, 0.29023427], [0.29023427, 2.45134173]], atol=5e-9)


def test_draws_are_near_the_integral():
    exact = BayesianLogisticRegression(predictive="quadrature").fit(X, r).predict_proba(X)
    drawn = BayesianLogisticRegression(predictive="draws", n_draws=20_000).fit(X, r).predict_proba(X)
    assert_allclose(drawn, exact, atol=0.01)


@pytest.mark.parametrize("mean", [-8.0, 0.0, 0.3, 5.0])
@pytest.mark.parametrize("deviation", [1e-3, 0.5, 0.999, 1.0, 4.0, 60.0])
def test_average_of_the_logistic_function(mean, deviation):
    grid = np.linspace(-12, 12, 49)
    expected = sum(
        quad(lambda z: expit(mean + deviation * z) * norm.pdf(z), a, b, epsabs=1e-13)[0]
        for a, b in pairwise(grid)
    )
    assert_allclose(logistic_normal(np.array([mean]), np.array([deviation])), expected, rtol=1e-7, atol=1e-11)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
@pytest.mark.parametrize("alpha", [0.3, 10.0])
def test_its_mode_is_penalised_logistic_regression(load, alpha):
    """Peer: LogisticRegression, scikit-learn 1.9, C = 1 / alpha; a free constant, a softmax of all classes."""
    A, y = load(return_X_y=True)
    A = scale(A)
    model = BayesianLogisticRegression(alpha, predictive="map").fit(A, y)
    peer = Peer(C=1 / alpha, tol=1e-10, max_iter=10_000).fit(A, y)
    assert_allclose(model.coef_, peer.coef_, atol=2e-5)
    assert_allclose(model.predict_proba(A), peer.predict_proba(A), atol=2e-5)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_curvature_is_that_of_the_log_posterior(load):
    A, y = load(return_X_y=True)
    A = scale(A)[:, :3]
    model = BayesianLogisticRegression(2.0, penalize_intercept=True).fit(A, y)
    rows, K = np.column_stack((np.ones(len(A)), A)), len(model.classes_)
    p = BayesianLogisticRegression(2.0, penalize_intercept=True, predictive="map").fit(A, y).predict_proba(A)
    F = 1 if K == 2 else K
    H = 2.0 * np.eye(4 * F)
    for i, x in enumerate(rows):
        curve = np.diag(p[i]) - np.outer(p[i], p[i])
        H += np.kron(curve[1:, 1:] if K == 2 else curve, np.outer(x, x))
    assert_allclose(model.posterior_.root.T @ model.posterior_.root, H, rtol=1e-5, atol=1e-6)


def test_two_classes_as_a_softmax_of_two():
    """The pairwise rule of three classes, one of them impossible, is nearly that of two."""
    A, y = load_iris(return_X_y=True)
    three = BayesianLogisticRegression().fit(A, y)
    drawn = BayesianLogisticRegression(predictive="draws", n_draws=5000).fit(A, y)
    assert np.abs(three.predict_proba(A) - drawn.predict_proba(A)).max() < 0.06
    assert_allclose(three.predict_proba(A).sum(axis=1), 1)


def test_far_from_the_rows_it_is_less_sure_and_the_boundary_stays():
    A, y = load_breast_cancer(return_X_y=True)
    A = scale(A)[:, :2]
    careful, bold = (
        BayesianLogisticRegression().fit(A, y),
        BayesianLogisticRegression(predictive="map").fit(A, y),
    )
    far = 50 * A
    assert np.abs(careful.predict_proba(far) - 0.5).max() < np.abs(bold.predict_proba(far) - 0.5).max()
    assert (np.abs(careful.predict_proba(A) - 0.5) <= np.abs(bold.predict_proba(A) - 0.5) + 1e-12).all()
    assert (careful.predict(A) == bold.predict(A)).all()


def test_separable_classes():
    A, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    model = BayesianLogisticRegression().fit(A, y)
    assert np.isfinite(model.coef_).all()
    assert model.score(A, y) == 1
    chosen = BayesianLogisticRegression("evidence").fit(A, y)
    assert np.isfinite(chosen.log_evidence_)


def test_evidence_chooses_the_precision():
    random = np.random.default_rng(0)
    A = random.normal(size=(150, 8))
    y = random.random(150) < expit(A @ random.normal(0, 0.7, 8))
    model = BayesianLogisticRegression("evidence").fit(A, y)
    for factor in (0.7, 1.4):
        nearby = BayesianLogisticRegression(factor * model.alpha_).fit(A, y)
        assert nearby.log_evidence_ < model.log_evidence_
    assert 0.3 < model.alpha_ < 10  # the truth is 2
    noise = BayesianLogisticRegression("evidence").fit(A, random.random(150) < 0.5)
    assert noise.alpha_ > 10 * model.alpha_


def test_evidence_is_near_the_integral():
    """One weight: the Laplace approximation against quadrature, -2.77507694."""
    rows, sign = X[:, 0], 2 * r - 1

    def joint(w):
        return float(np.prod(expit(sign * rows * w)) * norm.pdf(w))

    exact = np.log(quad(joint, -10, 10)[0])
    assert_allclose(exact, -2.77507694, atol=5e-9)
    model = BayesianLogisticRegression(fit_intercept=False).fit(X, r)
    assert abs(model.log_evidence_ - exact) < 0.02


def test_flat_constant_is_the_limit_of_a_wide_prior():
    v, A = 1e8, scale(load_iris(return_X_y=True)[0])[:, :2]
    for y in (load_iris(return_X_y=True)[1], load_iris(return_X_y=True)[1] > 0):
        flat = BayesianLogisticRegression().fit(A, y)
        wide = BayesianLogisticRegression(penalize_intercept=True, S_0=np.diag([v, 1.0, 1.0])).fit(A, y)
        assert_allclose(flat.coef_, wide.coef_, atol=1e-5)
        free = len(flat.classes_) - 1
        # of K wide constants the direction that changes nothing integrates to 1
        assert_allclose(flat.log_evidence_, wide.log_evidence_ + free / 2 * np.log(2 * np.pi * v), atol=1e-3)


def test_intervals_of_the_weights_cover():
    random, inside = np.random.default_rng(1), []
    for _ in range(200):
        w = random.normal(size=3)
        A = random.normal(size=(120, 3))
        model = BayesianLogisticRegression(fit_intercept=False).fit(A, random.random(120) < expit(A @ w))
        low, high = model.posterior_.interval(0.95)
        inside.append((low < w) & (w < high))
    assert 0.93 < np.mean(inside) < 0.97


def test_intervals_of_the_weights_of_several_classes_cover():
    random, inside = np.random.default_rng(0), []
    for _ in range(200):
        W, A = random.normal(size=(3, 2)), random.normal(size=(150, 2))
        p = softmax(A @ W.T, axis=1)
        classes = (random.uniform(size=150)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)
        low, high = BayesianLogisticRegression(fit_intercept=False).fit(A, classes).posterior_.interval(0.95)
        inside.append((low < W.ravel()) & (W.ravel() < high))
    assert 0.93 < np.mean(inside) < 0.97


def test_prior_mean_and_covariance():
    S = np.array([[2.0, 0.5], [0.5, 1.0]])
    model = BayesianLogisticRegression(3.0, m_0=[0.5, -1.0], S_0=S, penalize_intercept=True).fit(X, r)
    w = np.array([model.intercept_[0], model.coef_[0, 0]])
    rows = np.column_stack((np.ones(5), X))
    gradient = rows.T @ (r - expit(rows @ w)) - 3 * np.linalg.solve(S, w - [0.5, -1.0])
    assert_allclose(gradient, 0, atol=1e-6)


def test_blocks_weights_and_columns_of_any_size():
    A, y = load_breast_cancer(return_X_y=True)
    A = scale(A)[:, :5]
    model = BayesianLogisticRegression().fit(A, y)
    blocks = BayesianLogisticRegression().fit_blocks([(A[:100], y[:100]), (A[100:], y[100:])])
    assert_allclose(blocks.coef_, model.coef_, atol=1e-6)
    assert_allclose(blocks.log_evidence_, model.log_evidence_, rtol=1e-9)
    twice = BayesianLogisticRegression().fit(np.vstack((A, A[:9])), np.append(y, y[:9]))
    weighted = BayesianLogisticRegression().fit(A, y, np.r_[np.full(9, 2.0), np.ones(len(A) - 9)])
    assert_allclose(weighted.coef_, twice.coef_, atol=1e-7)
    c = 1e120
    huge = BayesianLogisticRegression(c**2).fit(c * A, y)  # the same model in other units
    assert_allclose(huge.coef_ * c, model.coef_, rtol=1e-5)
    far = BayesianLogisticRegression().fit(A + 1e6, y)
    assert_allclose(far.coef_, model.coef_, atol=1e-4)


def test_summary_draws_and_explanation():
    A, y = load_iris(return_X_y=True)
    model = BayesianLogisticRegression().fit(A, y)
    assert model.summary().terms[0] == "0: constant"
    draws = model.sample_coef(3000, 0)
    assert draws["coef"].shape == (1, 3000, 3, 4)
    assert_allclose(draws.mean["coef"], model.coef_, atol=0.06)
    assert "Uncertainty of the log odds of 1 against" in str(model.explain(A[60:61]))
    two = BayesianLogisticRegression().fit(A[:100], y[:100])
    assert "averaged over all weights" in str(two.explain(A[:1]))
    assert two.summary().terms == ["constant", "x0", "x1", "x2", "x3"]


def test_awkward_tables():
    A, y = load_iris(return_X_y=True)
    few = BayesianLogisticRegression().fit(np.tile(A[[0, 50, 100]], (1, 5)), y[[0, 50, 100]])
    assert np.isfinite(few.predict_proba(np.tile(A, (1, 5)))).all()
    constant = BayesianLogisticRegression().fit(np.column_stack((A, np.ones(150))), y)
    assert_allclose(constant.coef_[:, -1], 0, atol=1e-6)
    with pytest.raises(DataError, match="y has one class, 0, expected"):
        BayesianLogisticRegression().fit(A[:10], y[:10])
    with pytest.raises(DataError, match="too large"):
        BayesianLogisticRegression().fit(1e200 * A, y)
    with pytest.raises(ParameterError, match="m_0 must be"):
        BayesianLogisticRegression(m_0=[1.0, 2.0]).fit(A, y)
    with pytest.raises(ParameterError, match="positive definite"):
        BayesianLogisticRegression(S_0=-np.eye(4)).fit(A, y)
    with pytest.raises(ParameterError, match="whole number"):
        BayesianLogisticRegression().fit(A, y).sample_coef(0)


@pytest.mark.parametrize("absent", [0, 2])
def test_a_class_that_does_not_weigh_has_no_posterior_with_a_flat_constant(absent):
    """The Laplace approximation would be of no curvature, and gave such a class a third of the probability."""
    A, y = load_iris(return_X_y=True)
    weights = (y != absent).astype(float)
    with pytest.raises(DegenerateError, match=f"no row of class {absent} .* penalize_intercept=True"):
        BayesianLogisticRegression().fit(A, y, weights)
    model = BayesianLogisticRegression(penalize_intercept=True).fit(A, y, weights)
    assert model.predict_proba(A[weights > 0])[:, absent].mean() < 0.15


@pytest.mark.parametrize("predictive", ["probit", "quadrature", "draws", "map"])
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_so_far_out_that_their_squares_overflow(classes, predictive):
    """The direction decides: 1e160 was answered with 0.5, because a number was divided by infinity."""
    A, y = load_iris(return_X_y=True)
    model = BayesianLogisticRegression(predictive=predictive, n_draws=50).fit(A[y < classes], y[y < classes])
    far = model.predict_proba(1e90 * A[::30])
    assert far.std() > 0.1
    for factor in (1e110, 1e160, 1e300):
        assert_allclose(model.predict_proba(factor * A[::30]), far, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("predictive", ["probit", "quadrature", "draws"])
@pytest.mark.parametrize("classes", [2, 3])
def test_columns_of_large_numbers_give_the_probabilities_of_small_ones(classes, predictive):
    """Weights so small have next to no prior at either scale; the variances of scores are numbers at both."""
    random = np.random.default_rng(0)
    A = random.normal(size=(150, 2))
    labels = random.integers(classes, size=150) * (A[:, 0] > -1)
    thousand, huge = (
        BayesianLogisticRegression(predictive=predictive).fit(scale * A, labels).predict_proba(scale * A[:9])
        for scale in (1e6, 1e145)
    )
    assert_allclose(huge, thousand, atol=1e-6)
    assert thousand.std() > 0.05
