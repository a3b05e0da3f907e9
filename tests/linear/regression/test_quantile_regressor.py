"""Quantile regression."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import linear_model as peers
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DataError
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.quantile_regressor import QuantileRegressor

X, Y = load_diabetes(return_X_y=True)


def value(model, A, y, w):
    r = y - A @ model.coef_ - model.intercept_
    q = model.quantile
    return w @ np.where(r > 0, q * r, (q - 1) * r) / w.sum() + model.alpha * np.abs(model.coef_).sum()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.05, 1.0])
@pytest.mark.parametrize("quantile", [0.1, 0.45, 0.9])
def test_same_weights_as_scikit_learn(quantile, alpha, weighted):
    """Peer: QuantileRegressor, scikit-learn 1.9, HiGHS. Quantiles that no even number of rows leaves undecided."""
    w = np.random.default_rng(0).uniform(0, 2, len(Y)) if weighted else np.ones(len(Y))
    w[:40] *= not weighted  # rows that weigh nothing
    ours = QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, Y, w)
    peer = peers.QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, Y, w)
    assert value(ours, X, Y, w) <= value(peer, X, Y, w) * (1 + 1e-12)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-7 * max(1, np.abs(peer.coef_).max()))
    assert_allclose(ours.intercept_, peer.intercept_, rtol=1e-9)
    assert_array_equal(ours.coef_ == 0, peer.coef_ == 0)
    sparse = QuantileRegressor(quantile=quantile, alpha=alpha).fit(csr_matrix(X), Y, w)
    assert_allclose(sparse.coef_, ours.coef_, atol=1e-7 * max(1, np.abs(peer.coef_).max()))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), fit_intercept=st.booleans())
def test_never_worse_than_scikit_learn(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(25, 3)) * 10.0 ** rng.integers(-2, 3, 3), rng.normal(size=25)
    made = {
        "quantile": rng.uniform(0.05, 0.95),
        "alpha": rng.choice([0.0, 0.1]),
        "fit_intercept": fit_intercept,
    }
    ours, peer = QuantileRegressor(**made).fit(A, y), peers.QuantileRegressor(**made).fit(A, y)
    assert value(ours, A, y, np.ones(25)) <= value(peer, A, y, np.ones(25)) + 1e-10


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), q=st.floats(0.05, 0.95))
def test_a_share_q_lies_below(seed, q):
    """Koenker and Bassett: with a constant, at most q n rows lie below and at most (1 - q) n above."""
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(40, 2)), rng.standard_t(2, size=40)
    r = y - QuantileRegressor(quantile=q, alpha=0).fit(A, y).predict(A)
    assert np.sum(r < -1e-9) <= q * 40 + 1e-9
    assert np.sum(r > 1e-9) <= (1 - q) * 40 + 1e-9


@pytest.mark.capability("IML-2-17")
def test_least_absolute_error_does_not_see_how_far_an_outlier_is():
    """IML 2.10, exercise 6: the least-squares line follows the outlier, the least-absolute line stays."""
    x, r = np.arange(1.0, 8.0), np.array([3.0, 5.0, 6.0, 8.0, 9.0, 12.0, 13.0])
    lines = []
    for last in (13.0, 100.0, 1e6):
        r[6] = last
        lines.append(QuantileRegressor(alpha=0).fit(x[:, None], r))
    assert_allclose(lines[1].coef_, lines[2].coef_, rtol=1e-9)
    assert abs(lines[1].coef_[0] - lines[0].coef_[0]) < 0.2
    r[6] = 100.0
    assert LinearRegression().fit(x[:, None], r).coef_[0] > 9


@pytest.mark.parametrize("quantile, alpha, coef", [(0.49, 0, 1), (0.5, 0.01, 1), (0.51, 0, 10)])
def test_weights_that_are_whole_numbers_are_found_exactly(quantile, alpha, coef):
    """Through (0, 1) and (1, 2) or (1, 11), by hand; sizes and means would round them."""
    model = QuantileRegressor(quantile=quantile, alpha=alpha).fit([[0], [1], [1]], [1, 2, 11])
    assert model.coef_.tolist() == [coef]
    assert model.intercept_ == 1


def test_degenerate_tables():
    x = np.arange(5.0)
    flat = QuantileRegressor(alpha=0).fit(np.full((5, 2), 3.0), x)
    assert_array_equal(flat.coef_, [0, 0])
    assert_allclose(flat.intercept_, 2.0)
    nothing = QuantileRegressor(fit_intercept=False).fit(np.zeros((5, 2)), x)
    assert_array_equal(nothing.predict([[1.0, 1.0]]), [0.0])
    same = QuantileRegressor().fit(x[:, None], np.full(5, 4.0))
    assert_allclose(same.predict([[9.0]]), [4.0])
    assert_allclose(QuantileRegressor().fit([[2.0]], [7.0]).predict([[2.0]]), [7.0])
    twice = QuantileRegressor(alpha=0).fit(np.column_stack((x, x)), x)
    assert_allclose(twice.predict([[2.5, 2.5]]), [2.5], atol=1e-9)
    wide = np.random.default_rng(1).normal(size=(4, 9))
    assert_allclose(QuantileRegressor(alpha=0).fit(wide, x[:4]).predict(wide), x[:4], atol=1e-7)
    scale = 10.0 ** np.array([-12.0, 0.0, 12.0])
    A, y = X[:, :3] + 1, Y
    assert_allclose(
        QuantileRegressor(alpha=0, quantile=0.45).fit(A * scale, y).coef_ * scale,
        QuantileRegressor(alpha=0, quantile=0.45).fit(A, y).coef_,
        rtol=1e-8,
    )
    with pytest.raises(DataError, match="too large"):
        QuantileRegressor().fit(x[:, None] * 1e200, x)
    with pytest.raises(DataError, match="1d array"):
        QuantileRegressor().fit(X, np.column_stack((Y, Y)))


def test_too_few_steps_are_reported():
    with pytest.warns(ConvergenceWarning, match="maxiter"):
        QuantileRegressor(solver_options={"maxiter": 1}).fit(X, Y)
