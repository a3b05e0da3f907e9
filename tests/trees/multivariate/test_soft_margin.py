"""The soft-margin hyperplane."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.svm import SVC

from assay.trees.multivariate.soft_margin import soft_margin


def objective(X, side, cost, w, b):
    return 0.5 * w @ w + cost @ np.maximum(0, 1 - side * (X @ w + b))


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_same_machine_as_libsvm(load, C):
    """Peer: SVC with a linear kernel, scikit-learn 1.9, tol 1e-8; ours never has the larger objective."""
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    side = np.where(y == 1, 1.0, -1.0)
    cost = np.full(len(y), C)
    w, b, value = soft_margin(X, side, cost)
    peer = SVC(kernel="linear", C=C, tol=1e-8).fit(X, side)
    assert_allclose(value, objective(X, side, cost, w, b), rtol=1e-12)
    assert value <= objective(X, side, cost, peer.coef_[0], peer.intercept_[0]) * (1 + 1e-7)
    assert_allclose(w, peer.coef_[0], atol=2e-3 * np.abs(w).max())


@given(seed=st.integers(0, 10**6), d=st.integers(1, 4), C=st.sampled_from([0.1, 1.0, 50.0]))
@settings(max_examples=40, deadline=None)
def test_no_small_change_lowers_the_objective(seed, d, C):
    rng = np.random.default_rng(seed)
    X, side = rng.normal(size=(30, d)), np.where(np.arange(30) < 10 + seed % 10, 1.0, -1.0)
    X[side > 0] += rng.normal(size=d)
    cost = C * rng.uniform(0.2, 2, 30)
    w, b, value = soft_margin(X, side, cost)
    for scale in (1e-1, 1e-3):
        for _ in range(20):
            dw, db = rng.normal(size=d) * scale, rng.normal() * scale
            assert objective(X, side, cost, w + dw, b + db) >= value * (1 - 1e-6) - 1e-9


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(0)
    X, side, many = rng.normal(size=(40, 2)), rng.choice([-1.0, 1.0], 40), rng.integers(1, 4, 40)
    a = soft_margin(X, side, many.astype(float))
    b = soft_margin(np.repeat(X, many, axis=0), np.repeat(side, many), np.ones(many.sum()))
    assert_allclose(a[0], b[0], atol=1e-5)
    assert_allclose(a[2], b[2], rtol=1e-7)


def test_separable_rows_with_a_large_price_have_the_widest_margin():
    """Worked by hand: (0, 0) and (1, 0) against (2, 2): w = (0.4, 0.8), margin sqrt(5), objective 0.4."""
    w, b, value = soft_margin(
        np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 2.0]]), np.array([-1.0, -1.0, 1.0]), np.full(3, 1e4)
    )
    assert_allclose(w, [0.4, 0.8], atol=1e-5)
    assert_allclose([b, value], [-1.4, 0.4], atol=1e-5)


def test_the_search_ends_once_it_cannot_matter():
    rng = np.random.default_rng(1)
    X, side = rng.normal(size=(100, 2)), rng.choice([-1.0, 1.0], 100)
    exact = soft_margin(X, side, np.ones(100))[2]
    given_up = soft_margin(X, side, np.ones(100), enough=exact / 2)[2]
    assert given_up >= exact * (1 - 1e-9) > exact / 2


@pytest.mark.parametrize(
    "X", [np.zeros((4, 2)), np.array([[1e-9], [2e-9], [3e-9], [4e-9]]), np.full((4, 1), 7.0)]
)
def test_rows_that_tell_nothing(X):
    w, _, value = soft_margin(X, np.array([-1.0, 1.0, -1.0, 1.0]), np.ones(4))
    assert np.isfinite(w).all()
    assert_allclose(value, 4.0, rtol=1e-6)
