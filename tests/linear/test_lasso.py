"""Lasso."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from assay.linear.elastic_net import ElasticNet
from assay.linear.lasso import Lasso

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
