"""Lasso."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from assay.linear.regression.elastic_net import ElasticNet
from assay.linear.regression.lasso import Lasso
from assay.linear.regression.ridge import Ridge

# Orthogonal columns of length 2 and mean 0: least squares has weights 2, -0.5 and 1.2.
HADAMARD = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
TARGET = HADAMARD @ [2.0, -0.5, 1.2]


@pytest.mark.capability("IML-16-10")
def test_orthonormal_columns_are_shrunk_towards_zero():
    """Oracle: IML 16.4.1. Orthonormal design, X'r = (3, -0.5, 1.2), sigma^2 alpha = 1: (2, 0, 0.2).

    There |r - Xw|^2 + 2 |w|_1 is minimised, which is n alpha = 1 here.
    """
    X = np.vstack((np.eye(3), np.zeros((1, 3))))
    y = np.array([3.0, -0.5, 1.2, 0.0])
    model = Lasso(alpha=1 / 4, fit_intercept=False, tol=1e-14).fit(X, y)
    assert_allclose(model.coef_, [2, 0, 0.2], atol=1e-12)


@pytest.mark.capability("IML-16-10")
@pytest.mark.parametrize("sigma2, laplace", [(1.0, 1.0), (0.25, 3.0), (4.0, 0.5)])
def test_it_is_the_most_probable_weight_under_a_laplacian_prior(sigma2, laplace):
    """IML 16.4.1: p(w) = prod a/2 e^(-a |w_i|), r = Xw + noise of variance s2. Then -log p(w | X, r) is
    sum (r - Xw)^2 / (2 s2) + a sum |w|, up to a constant, which is Lasso's objective with n alpha = s2 a."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6))  # columns that depend on each other
    r = X @ [2.0, 0.0, -1.0, 0.0, 0.5, 0.0] + rng.normal(size=40) * np.sqrt(sigma2)
    model = Lasso(alpha=sigma2 * laplace / 40, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(X, r)

    def improbability(w):
        return ((r - X @ w) ** 2).sum() / (2 * sigma2) + laplace * np.abs(w).sum()

    best = improbability(model.coef_)
    gradient = X.T @ (r - X @ model.coef_) / sigma2  # of the likelihood; the prior pulls with at most a
    active = model.coef_ != 0
    assert_allclose(gradient[active], laplace * np.sign(model.coef_[active]), rtol=1e-6)
    assert (np.abs(gradient[~active]) <= laplace * (1 + 1e-9)).all()
    for step in np.vstack((np.eye(6), rng.normal(size=(50, 6)))):
        for size in (1e-3, -1e-3, 0.1, -0.1):
            assert improbability(model.coef_ + size * step) > best
    ridge = Ridge(alpha=sigma2 * laplace, fit_intercept=False).fit(X, r)
    assert (ridge.coef_ != 0).all()  # a Gaussian prior makes no zeros


@pytest.mark.capability("IML-16-10")
@pytest.mark.parametrize(
    "n_alpha, expected", [(0.0, [3, -0.5, 1.2]), (0.5, [2.5, 0, 0.7]), (1.2, [1.8, 0, 0]), (3.5, [0, 0, 0])]
)
def test_zeros_come_where_the_soft_threshold_says(n_alpha, expected):
    X = np.vstack((np.eye(3), np.zeros((1, 3))))
    y = np.array([3.0, -0.5, 1.2, 0.0])
    model = Lasso(alpha=max(n_alpha, 1e-300) / 4, fit_intercept=False, tol=1e-14).fit(X, y)
    assert_allclose(model.coef_, expected, atol=1e-9)
    assert_array_equal(model.coef_ == 0, np.equal(expected, 0))  # exactly zero, not nearly


@settings(max_examples=50, deadline=None)
@given(alpha=st.floats(0.01, 3.0))
def test_soft_threshold(alpha):
    expected = np.sign([2, -0.5, 1.2]) * np.maximum(np.abs([2, -0.5, 1.2]) - alpha, 0)
    model = Lasso(alpha=alpha, tol=1e-14).fit(HADAMARD, TARGET + 7)
    assert_allclose(model.coef_, expected, atol=1e-9)
    assert_allclose(model.intercept_, 7, atol=1e-12)


@pytest.mark.parametrize("load", [load_diabetes, load_breast_cancer, load_digits])
@pytest.mark.parametrize("positive", [False, True])
def test_same_weights_as_scikit_learn(load, positive):
    """Peer: Lasso, scikit-learn 1.9, at a relative gap of 1e-12.

    On breast cancer and digits the columns are nearly dependent, and weights are free to move along such a direction:
    there the predictions are compared, and the objective.
    """
    X, y = load(return_X_y=True)
    setting = {"alpha": 0.05, "tol": 1e-12, "max_iter": 200_000, "positive": positive}
    ours, peer = Lasso(**setting).fit(X, y), peers.Lasso(**setting).fit(X, y)
    assert_allclose(ours.predict(X), peer.predict(X), atol=2e-4 * np.std(y))
    value = [((y - m.predict(X)) ** 2).mean() / 2 + 0.05 * np.abs(m.coef_).sum() for m in (ours, peer)]
    assert value[0] <= value[1] + 2e-12 * np.var(y)
    if load is load_diabetes:
        assert_allclose(ours.coef_, peer.coef_, atol=1e-3)
        assert_array_equal(ours.coef_ != 0, peer.coef_ != 0)


def test_it_is_the_elastic_net_of_ratio_one():
    X, y = load_diabetes(return_X_y=True)
    lasso, net = Lasso(alpha=0.1).fit(X, y), ElasticNet(alpha=0.1, l1_ratio=1.0).fit(X, y)
    assert_array_equal(lasso.coef_, net.coef_)
    assert "l1_ratio" not in lasso.get_params()


def test_least_squares_is_the_limit():
    X, y = load_diabetes(return_X_y=True)
    model = Lasso(alpha=0, tol=1e-15, max_iter=100_000).fit(X, y)
    least = peers.LinearRegression().fit(X, y)
    assert_allclose(model.predict(X), least.predict(X), rtol=1e-5)
    nobody = Lasso(alpha=1e6).fit(X, y)
    assert not nobody.coef_.any() and nobody.n_iter_ == 0
    assert_allclose(nobody.intercept_, y.mean())


@pytest.mark.parametrize("number", [3.0, 0.1, 1e-300, 7e10])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_target_is_its_own_mean(number, weighted):
    """No column explains it, and the score of an exact answer is 1, not 0."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.full(60, number)
    model = Lasso().fit(X, y, sample_weight=rng.uniform(0.1, 3, 60) if weighted else None)
    assert not model.coef_.any()
    assert_allclose(model.intercept_, number, rtol=2.3e-16)
    if not weighted:
        assert model.score(X, y) == 1
