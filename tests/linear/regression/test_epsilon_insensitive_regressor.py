"""Regression that does not mind small errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVR

from assay.linear.regression.epsilon_insensitive_regressor import EpsilonInsensitiveRegressor
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.quantile_regressor import QuantileRegressor

X, Y = load_diabetes(return_X_y=True)


def value(coef, intercept, A, y, w, epsilon, alpha):
    outside = np.maximum(np.abs(y - A @ coef - intercept) - epsilon, 0.0)
    return w @ outside / w.sum() + alpha / 2 * coef @ coef


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.1, 20.0])
def test_same_machine_as_libsvm(epsilon, C):
    """Peer: SVR with a linear kernel, scikit-learn 1.9 (LIBSVM), C = 1 / (n alpha), and row weights."""
    w = np.random.default_rng(0).uniform(0.2, 2, len(Y))
    alpha = 1 / (w.sum() * C)
    ours = EpsilonInsensitiveRegressor(epsilon, alpha=alpha).fit(X, Y, w)
    peer = SVR(kernel="linear", epsilon=epsilon, C=C, tol=1e-7).fit(X, Y, sample_weight=w)
    coef = peer.coef_[0]
    assert_allclose(ours.coef_, coef, atol=1e-4 * np.abs(coef).max())
    best = value(ours.coef_, ours.intercept_, X, Y, w, epsilon, alpha)
    assert best <= value(coef, peer.intercept_[0], X, Y, w, epsilon, alpha) * (1 + 1e-12)
    assert set(np.flatnonzero(ours.outside_)) >= set(peer.support_)
    sparse = EpsilonInsensitiveRegressor(epsilon, alpha=alpha).fit(csr_matrix(X), Y, w)
    assert_allclose(sparse.coef_, ours.coef_, atol=1e-6 * np.abs(coef).max())


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_rows_inside_of_the_tube_have_no_say(seed):
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    model = EpsilonInsensitiveRegressor(0.5, alpha=0.01).fit(A, y)
    kept = model.outside_
    n = kept.sum()
    again = EpsilonInsensitiveRegressor(0.5, alpha=0.01 * 40 / n).fit(A[kept], y[kept])
    assert_allclose(again.coef_, model.coef_, atol=1e-6)


@pytest.mark.capability("IML-2-17")
def test_one_gross_outlier_hardly_moves_the_line():
    """IML 2.10, exercise 6."""
    x, r = np.arange(1.0, 8.0)[:, None], np.array([3.0, 5.0, 6.0, 8.0, 9.0, 12.0, 13.0])
    clean = EpsilonInsensitiveRegressor(0.1).fit(x, r).coef_[0]
    r[6] = 100.0
    assert abs(EpsilonInsensitiveRegressor(0.1).fit(x, r).coef_[0] - clean) < 0.2
    assert abs(LinearRegression().fit(x, r).coef_[0] - clean) > 5


def test_without_a_tube_it_is_least_absolute_error():
    A, y = X[:, :4], Y
    ours = EpsilonInsensitiveRegressor(0.0, alpha=0.0).fit(A[:441], y[:441])
    absolute = QuantileRegressor(quantile=0.5, alpha=0.0).fit(A[:441], y[:441])
    assert_allclose(
        np.abs(y[:441] - ours.predict(A[:441])).sum(),
        np.abs(y[:441] - absolute.predict(A[:441])).sum(),
        rtol=1e-12,
    )


def test_degenerate_tables():
    x = np.arange(6.0)
    inside = EpsilonInsensitiveRegressor(10.0).fit(x[:, None], x)  # the flattest line inside of the tube
    assert_allclose(inside.coef_, [0], atol=1e-9)
    assert_allclose(inside.intercept_, 2.5, atol=1.0)
    assert not inside.outside_.any()
    flat = EpsilonInsensitiveRegressor(0.0).fit(np.full((5, 2), 3.0), np.arange(5.0))
    assert_array_equal(flat.coef_, [0, 0])
    assert_allclose(flat.intercept_, 2.0, atol=1e-6)
    same = EpsilonInsensitiveRegressor(0.1).fit(x[:, None], np.full(6, 4.0))
    assert_allclose(same.predict([[3.0]]), [4.0], atol=1e-6)
    assert_allclose(EpsilonInsensitiveRegressor(0.0).fit([[2.0]], [7.0]).predict([[2.0]]), [7.0], atol=1e-9)
    twice = EpsilonInsensitiveRegressor(0.0, alpha=1e-6).fit(np.column_stack((x, x)), 2 * x)
    assert_allclose(twice.coef_, [1, 1], atol=1e-4)
    wide = np.random.default_rng(1).normal(size=(4, 9))
    assert_allclose(
        EpsilonInsensitiveRegressor(0.0, alpha=1e-9).fit(wide, x[:4]).predict(wide), x[:4], atol=1e-6
    )


def test_too_few_steps_are_reported():
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        EpsilonInsensitiveRegressor(max_iter=1).fit(X, Y)
