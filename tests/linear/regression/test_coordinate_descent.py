"""Coordinate descent: the native code against NumPy, optimality, and cross products without some rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array, random_array
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DataError, ParameterError
from assay.linear.regression import coordinate_descent
from assay.linear.regression.coordinate_descent import (
    Columns,
    CrossProducts,
    SparseColumns,
    complain,
    grid,
    problem,
)


def soft(z, t):
    return np.sign(z) * np.maximum(np.abs(z) - t, 0.0)


def descent_by_the_book(X, y, a, b, positive=False, sweeps=4000):
    """min 1/2 |y - Xw|^2 + a |w|_1 + b/2 |w|^2, one weight after the other, each sweep from fresh residuals."""
    w = np.zeros(X.shape[1])
    for _ in range(sweeps):
        for j in range(len(w)):
            square = X[:, j] @ X[:, j]
            z = X[:, j] @ (y - X @ w) + square * w[j]
            if square > 0:
                w[j] = max(z - a, 0.0) / (square + b) if positive else soft(z, a) / (square + b)
    return w


def objective(X, y, w, a, b):
    return 0.5 * ((y - X @ w) ** 2).sum() + a * np.abs(w).sum() + 0.5 * b * (w**2).sum()


def data(seed, n=30, d=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    y = X @ (rng.normal(size=d) * (rng.random(d) < 0.5)) + 0.5 * rng.normal(size=n)
    return X, y, rng.uniform(0.2, 3.0, n)


def forms(X, y, w=None, fit_intercept=True):
    """The same problem in all three forms."""
    return [
        problem(X, y[:, None], w, fit_intercept, True),
        problem(X, y[:, None], w, fit_intercept, False),
        problem(csc_array(X), y[:, None], w, fit_intercept),
    ]


def centred(X, y, w):
    u = np.ones(len(y)) if w is None else w
    Z, r = X - u @ X / u.sum(), y - u @ y / u.sum()
    return Z * np.sqrt(u)[:, None], r * np.sqrt(u), u.sum()


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
def test_all_forms_find_the_weights_of_the_book(l1_ratio, weighted, positive):
    X, y, w = data(0)
    w = w if weighted else None
    Z, r, total = centred(X, y, w)
    alphas = np.array([0.3, 0.1, 0.02])
    expected = [
        descent_by_the_book(Z, r, alpha * l1_ratio * total, alpha * (1 - l1_ratio) * total, positive, 500)
        for alpha in alphas
    ]
    for form, kind in zip(forms(X, y, w), (CrossProducts, Columns, SparseColumns)):
        assert isinstance(form, kind)
        weights, gaps, sweeps = form.path(0, alphas, l1_ratio, 1e-14, 10_000, positive)
        assert_allclose(weights, expected, atol=2e-6)
        assert (gaps >= 0).all() and (gaps <= 1e-14 * r @ r / total).all() and (sweeps > 0).all()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 25),
    d=st.integers(1, 25),
    share=st.floats(0.01, 1.2),
    l1_ratio=st.floats(0.05, 1.0),
    fit_intercept=st.booleans(),
    drawn=st.booleans(),
)
def test_no_column_outside_has_more_than_alpha_and_each_inside_has_just_that(
    seed, n, d, share, l1_ratio, fit_intercept, drawn
):
    """Karush, Kuhn and Tucker: |c_j - b w_j| <= a, with equality and the sign of w_j where w_j is not 0."""
    X, y, _ = data(seed, n, d)
    for form in forms(X, y, fit_intercept=fit_intercept):
        top = grid(form, l1_ratio, 1, 1.0)[0]
        alphas = np.array([top, share * top]) if share < 1 else np.array([share * top])
        w = form.path(0, alphas, l1_ratio, 1e-13, 20_000, False, 7 if drawn else 0)[0][-1]
        Z, r = (X - X.mean(axis=0), y - y.mean()) if fit_intercept else (X, y)
        a, b = alphas[-1] * l1_ratio, alphas[-1] * (1 - l1_ratio)
        slope = Z.T @ (r - Z @ w) / n - b * w
        scale = max(top * l1_ratio, 1e-12)
        assert (np.abs(slope) <= a + 1e-5 * scale).all()
        assert_allclose(slope[w != 0], a * np.sign(w[w != 0]), atol=1e-5 * scale)
        if share >= 1:
            assert not w.any()


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    sweeps=st.integers(1, 8),
    l1_ratio=st.floats(0.0, 1.0),
    positive=st.booleans(),
)
def test_the_gap_is_never_less_than_what_is_left_to_gain(seed, sweeps, l1_ratio, positive):
    X, y, _ = data(seed, 20, 15)
    alpha = np.array([0.05])
    for form in forms(X, y, fit_intercept=False):
        early, gap, _ = form.path(0, alpha, l1_ratio, 0.0, sweeps, positive)
        final = form.path(0, alpha, l1_ratio, 1e-15, 50_000, positive)[0]
        a, b = 20 * 0.05 * l1_ratio, 20 * 0.05 * (1 - l1_ratio)
        left = objective(X, y, early[0], a, b) - objective(X, y, final[0], a, b)
        assert left / 20 <= gap[0] + 1e-9


def test_the_history_falls_and_ends_below_the_tolerance():
    X, y, _ = data(3, 40, 20)
    X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    for form in forms(X, y):
        _, history = form.descend(0, 0.01, 1.0, 1e-10, 10_000, False, 0, np.zeros(20))
        values, gaps = [h.value for h in history], [h.gap for h in history]
        assert len(history) > 2 and history[0].iteration == 10
        assert (np.diff(values) <= 1e-14).all() and gaps[-1] <= 1e-10 * form.square[0] / form.total < gaps[0]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), k=st.integers(1, 20), weighted=st.booleans(), fit_intercept=st.booleans())
def test_rows_taken_out_of_cross_products_are_as_if_never_there(seed, k, weighted, fit_intercept):
    X, y, w = data(seed, 40, 6)
    X = X + 100.0
    w = w if weighted else None
    test, train = np.arange(k), np.arange(k, 40)
    part = None if w is None else w[test]
    rest = CrossProducts.of(X, y[:, None], w, fit_intercept).without(
        X[test], y[test, None], part, fit_intercept
    )
    own = CrossProducts.of(X[train], y[train, None], None if w is None else w[train], fit_intercept)
    assert_allclose([rest.total], [own.total], rtol=1e-12)
    assert_allclose(rest.mean, own.mean, rtol=1e-11)
    assert_allclose(rest.gram, own.gram, rtol=1e-9, atol=1e-9 * np.abs(own.gram).max())
    assert_allclose(rest.cross, own.cross, rtol=1e-9, atol=1e-8 * np.abs(own.cross).max())
    assert_allclose(rest.square, own.square, rtol=1e-9, atol=1e-9)


def test_blocks_of_rows_add_up_to_the_cross_products(monkeypatch):
    X, y, w = data(5, 100, 7)
    once = CrossProducts.of(X, y[:, None], w, True)
    monkeypatch.setattr(coordinate_descent, "BLOCK", 9)
    blocks = CrossProducts.of(X, y[:, None], w, True)
    assert_allclose(blocks.gram, once.gram, rtol=1e-12, atol=1e-13)
    assert_allclose(blocks.cross, once.cross, rtol=1e-12, atol=1e-13)


def test_a_long_path_in_pieces_is_the_same_path(monkeypatch):
    X, y, _ = data(6, 20, 30)
    for form in forms(X, y):
        alphas = grid(form, 1.0, 30, 1e-2)
        whole = form.path(0, alphas, 1.0, 1e-12, 10_000)[0]
        monkeypatch.setattr(coordinate_descent, "PATIENCE", form.cost * 100)
        pieces = form.path(0, alphas, 1.0, 1e-12, 10_000)[0]
        monkeypatch.undo()
        assert_allclose(pieces, whole, atol=1e-5)


def test_wide_sparse_path_equals_the_dense_one():
    rng = np.random.default_rng(8)
    X = random_array((60, 300), density=0.1, rng=rng, format="csc")
    y = X @ np.r_[np.full(5, 3.0), np.zeros(295)] + 0.1 * rng.normal(size=60)
    sparse, dense = (problem(Z, y[:, None], None, True, False) for Z in (X, X.toarray()))
    alphas = grid(dense, 1.0, 40, 1e-3)
    assert_allclose(sparse.correlations(), dense.correlations(), atol=1e-12)
    for seed in (0, 5):
        assert_allclose(
            sparse.path(0, alphas, 1.0, 1e-12, 50_000, False, seed)[0],
            dense.path(0, alphas, 1.0, 1e-12, 50_000, False, seed)[0],
            atol=2e-5,
        )


def test_the_grid_begins_where_all_weights_are_zero():
    X, y, _ = data(9, 30, 10)
    form = problem(X, y[:, None], None, True)
    alphas = grid(form, 0.5, 5, 1e-2)
    assert_allclose(alphas[0] / alphas[-1], 100)
    weights = form.path(0, alphas[:2], 0.5, 1e-12)[0]
    assert not weights[0].any() and weights[1].any()
    with pytest.raises(ParameterError, match="l1_ratio=0"):
        grid(form, 0.0, 5, 1e-2)


def test_constant_columns_get_no_weight():
    X, y, _ = data(10, 30, 5)
    X[:, 2] = 0.1
    for form in forms(X, y):
        assert form.path(0, np.array([1e-9]), 1.0, 1e-9, 5000)[0][0, 2] == 0


def test_squares_that_overflow_are_said():
    X, y, _ = data(11, 10, 3)
    for gram in (True, False):
        with pytest.raises(DataError, match="too large"):
            problem(X * 1e200, y[:, None], None, True, gram)
    with pytest.raises(DataError, match="too large"):
        problem(csc_array(X * 1e200), y[:, None], None, True)


def test_kernels_refuse_arrays_of_other_shapes():
    native = coordinate_descent._native
    one, two = np.ones(1), np.ones(2)
    out = {
        "w": two,
        "weights": np.empty((1, 2)),
        "gaps": np.empty((1, 2)),
        "sweeps": np.empty(1, dtype=np.int64),
    }

    def along(a, b):
        return native.Penalties(a=a, b=b, positive=False, seed=0, tol=0.0, calm=0.0, eager=True, max_iter=5)

    eye, good = np.eye(2), along(one, one)
    for call in (
        lambda: native.gram_path(gram=eye, xy=two, yy=1.0, along=along(one, two), **out),
        lambda: native.gram_path(gram=eye, xy=one, yy=1.0, along=good, **out),
        lambda: native.dense_path(Z=eye, squares=two, y=one, along=good, **out),
        lambda: native.dense_path(Z=eye, squares=one, y=two, along=good, **out),
        lambda: native.quadratic(gram=eye, q=one, a=0.0, b=0.0, tol=0.0, max_iter=5, w=two),
    ):
        with pytest.raises(ValueError):
            call()
    columns = {"value": one, "row": np.zeros(1, np.int32), "start": np.array([0, 1, 9])}
    with pytest.raises(ValueError):
        native.sparse_path(**columns, mean=two, root=two, y=two, along=good, **out)


def test_the_quadratic_kernel_solves_its_problem():
    rng = np.random.default_rng(12)
    A = rng.normal(size=(20, 6))
    G, q = A.T @ A, rng.normal(size=6) * 5
    w = np.zeros(6)
    sweeps = coordinate_descent._native.quadratic(gram=G, q=q, a=0.0, b=0.5, tol=1e-30, max_iter=5000, w=w)
    assert_allclose(w, np.linalg.solve(G + 0.5 * np.eye(6), q), rtol=1e-9)
    assert sweeps < 5000
    coordinate_descent._native.quadratic(gram=G, q=q, a=1e6, b=0.5, tol=1e-30, max_iter=5000, w=w)
    assert_array_equal(w, 0)


def test_squares_of_sparse_columns_far_from_zero_do_not_cancel():
    """Steps are divided by them: too small a square, and the weights grow for ever."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) + np.array([0.0, 1e5, -3e6])
    w = rng.uniform(0.5, 2, 50)
    y = ((X - X.mean(axis=0)) @ [1.0, -2.0, 0.5] + rng.normal(size=50))[:, None]
    sparse = SparseColumns(csr_array(X), y, w, True, "test")
    result, gaps, _ = sparse.path(0, np.array([0.1]), 1.0, tol=1e-8)
    expected, _, _ = Columns(X, y, w, True, "test").path(0, np.array([0.1]), 1.0, tol=1e-8)
    assert np.isfinite(gaps).all()
    assert_allclose(result, expected, rtol=1e-5)


def test_a_gap_that_is_no_number_is_complained_about():
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        complain(np.array([np.nan, 0.0]), 1.0, "Lasso", 10)
