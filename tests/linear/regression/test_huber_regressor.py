"""Huber regression."""

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
from assay.linear.regression import huber_loss
from assay.linear.regression.huber_regressor import HuberRegressor
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.quantile_regressor import QuantileRegressor

X, Y = load_diabetes(return_X_y=True)


def value_and_slopes(model, A, y, w):
    """The objective of the docstring, and its derivatives by w, b and sigma, row by row."""
    e, sigma = model.epsilon, model.scale_
    z = (y - A @ model.coef_ - model.intercept_) / sigma
    loss = np.where(np.abs(z) <= e, z**2, 2 * e * np.abs(z) - e**2)
    pull = np.where(np.abs(z) <= e, z, e * np.sign(z))
    value = w @ (sigma + sigma * loss) + model.alpha * model.coef_ @ model.coef_
    slopes = -2 * (w * pull) @ A + 2 * model.alpha * model.coef_
    return value, slopes, -2 * w @ pull, w @ (1 + loss - 2 * z * pull)


def noisy(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d)
    y = A @ (rng.normal(size=d) / np.abs(A).max(axis=0)) + rng.standard_t(2, size=n)
    return A, y, rng.uniform(0, 2, n)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), epsilon=st.sampled_from([1.1, 1.35, 3.0]), fit_intercept=st.booleans())
def test_the_gradient_vanishes_by_the_book(seed, epsilon, fit_intercept):
    A, y, w = noisy(seed)
    model = HuberRegressor(epsilon=epsilon, alpha=0.1, fit_intercept=fit_intercept).fit(A, y, w)
    _, slopes, constant, scale = value_and_slopes(model, A, y, w)
    assert_allclose(slopes / np.sqrt(w @ A**2), 0, atol=1e-5)
    assert abs(scale) < 1e-5 and (not fit_intercept or abs(constant) < 1e-5)
    assert_array_equal(model.outliers_, np.abs(y - model.predict(A)) > epsilon * model.scale_)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "made", [{}, {"epsilon": 1.1, "alpha": 1.0}, {"fit_intercept": False, "epsilon": 2.0}]
)
def test_at_least_as_good_as_scikit_learn(made, weighted):
    """Peer: HuberRegressor, scikit-learn 1.9, which stops where its value hardly falls any more."""
    y = Y.copy()
    y[:30] += 3000
    for A in (X, X * 10.0 ** np.arange(-2.0, 3.0, 0.5)):
        w = np.random.default_rng(0).uniform(0, 2, len(y)) if weighted else np.ones(len(y))
        ours = HuberRegressor(**made).fit(A, y, w)
        peer = peers.HuberRegressor(max_iter=10_000, tol=1e-10, **made).fit(A, y, w)
        best, theirs = (value_and_slopes(m, A, y, w)[0] for m in (ours, peer))
        assert best <= theirs * (1 + 1e-12)
    well = np.random.default_rng(1).normal(size=(300, 4))
    t = well @ [1.0, 2.0, 3.0, 4.0] + np.random.default_rng(2).standard_t(2, size=300)
    ours, peer = (m.fit(well, t) for m in (HuberRegressor(), peers.HuberRegressor(tol=1e-12, max_iter=1000)))
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-4)
    assert_allclose(ours.scale_, peer.scale_, rtol=1e-4)
    assert_array_equal(ours.outliers_, peer.outliers_)


@pytest.mark.capability("IML-2-17")
def test_one_gross_outlier_hardly_moves_the_line():
    """IML 2.10, exercise 6."""
    rng = np.random.default_rng(3)
    x = np.linspace(0, 10, 30)[:, None]
    y = 2 * x[:, 0] + 1 + rng.normal(scale=0.3, size=30)
    moved = y.copy()
    moved[29] = -100.0
    squares = LinearRegression().fit(x, moved).coef_ - LinearRegression().fit(x, y).coef_
    robust = HuberRegressor().fit(x, moved).coef_ - HuberRegressor().fit(x, y).coef_
    assert abs(squares[0]) > 1.0
    assert abs(robust[0]) < 0.02
    assert HuberRegressor().fit(x, moved).outliers_[29]


def test_sparse_rows_and_many_columns_give_the_same_answer(monkeypatch):
    rng = np.random.default_rng(4)
    A = np.where(rng.random((200, 5)) < 0.5, 0.0, rng.normal(size=(200, 5)))
    y = A @ np.arange(5.0) + rng.standard_t(2, size=200)
    dense = HuberRegressor().fit(A, y)
    assert_allclose(HuberRegressor().fit(csr_matrix(A), y).coef_, dense.coef_, rtol=1e-9)
    monkeypatch.setattr(huber_loss, "NEWTON_COLUMNS", 3)
    for many in (A, csr_matrix(A)):
        assert_allclose(HuberRegressor(tol=1e-7).fit(many, y).coef_, dense.coef_, rtol=1e-5)


def test_rows_that_lie_on_a_plane_have_no_scale():
    x = np.arange(10.0)
    exact = HuberRegressor().fit(x[:, None], 2 * x + 1)
    assert_allclose([exact.coef_[0], exact.intercept_], [2, 1], atol=1e-8)
    y = 2 * x + 1
    y[9] = 1000.0
    model = HuberRegressor().fit(x[:, None], y)
    assert_allclose([model.coef_[0], model.intercept_], [2, 1], atol=1e-6)
    assert 0 < model.scale_ < 1e-6
    assert_array_equal(np.flatnonzero(model.outliers_), [9])
    assert [record.iteration for record in model.history_] == list(range(model.n_iter_ + 1))


def test_at_epsilon_one_it_is_least_absolute_error():
    """The derivative by sigma, the sum of 1 - pull^2, is then never below 0."""
    rng = np.random.default_rng(6)
    A = rng.normal(size=(41, 2))
    y = A @ [1.0, -1.0] + rng.standard_t(2, size=41)
    huber = HuberRegressor(epsilon=1.0, alpha=0.0).fit(A, y)
    absolute = QuantileRegressor(alpha=0.0).fit(A, y)
    assert_allclose(huber.coef_, absolute.coef_, atol=1e-6)


def test_degenerate_tables():
    x = np.arange(10.0)
    flat = HuberRegressor().fit(np.full((10, 2), 3.0), x)
    assert_array_equal(flat.coef_, [0, 0])
    assert_allclose(flat.intercept_, 4.5)
    far = HuberRegressor().fit(x[:, None] + 1e10, x + np.tile([0.1, -0.1], 5))
    near = HuberRegressor().fit(x[:, None], x + np.tile([0.1, -0.1], 5))
    assert_allclose([far.coef_[0], far.scale_], [near.coef_[0], near.scale_], rtol=1e-5)
    tiny = HuberRegressor(fit_intercept=False).fit(x[:, None] * 1e-160, x * 1e-160)
    assert_array_equal(tiny.coef_, [0])  # squares that are no numbers any more
    same = HuberRegressor().fit(x[:, None], np.ones(10))
    assert_allclose(same.predict([[3.0]]), [1.0])
    assert_allclose(HuberRegressor().fit([[2.0]], [7.0]).predict([[2.0]]), [7.0])
    twice = HuberRegressor().fit(np.column_stack((x, x)), 2 * x + np.tile([0.1, -0.1], 5))
    assert_allclose(twice.coef_[0], twice.coef_[1], rtol=1e-6)
    wide = np.random.default_rng(5).normal(size=(5, 9))
    assert_allclose(HuberRegressor().fit(wide, x[:5]).predict(wide), x[:5], atol=1e-3)
    with pytest.raises(DataError, match="too large"):
        HuberRegressor().fit(x[:, None] * 1e200, x)
    with pytest.raises(DataError, match="1d array"):
        HuberRegressor().fit(X, np.column_stack((Y, Y)))


def test_a_warm_start_begins_where_the_last_fit_ended():
    model = HuberRegressor(warm_start=True).fit(X, Y)
    first = model.coef_.copy()
    model.fit(X, Y)
    assert model.n_iter_ <= 1
    assert_allclose(model.coef_, first, rtol=1e-6)


def test_too_few_steps_are_reported():
    y = Y.copy()
    y[:50] += 5000
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        HuberRegressor(max_iter=1).fit(X, y)
