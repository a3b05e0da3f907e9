"""The sparse logistic solver: native functions against their twins, the optimum, and rows that are awkward."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, log_softmax, logsumexp, softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression

import assay.linear.logistic._sparse_logistic as _sparse_logistic
from assay.core import parallel
from assay.errors import DataError
from assay.linear.logistic import sparse_logistic
from assay.linear.logistic.sparse_logistic import solve


def rows(n, d, K, seed=0, density=0.3):
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, density, "csr", random_state=seed, data_rvs=rng.standard_normal)
    return X, rng.integers(0, K, n), rng.uniform(0.5, 2.0, n)


def arrays(X):
    return {"start": X.indptr.astype(np.int64), "column": X.indices.astype(np.int32), "value": X.data}


def with_ones(X):
    return np.column_stack((X.toarray(), np.ones(X.shape[0])))


def losses_by_the_book(Z, y):
    if Z.shape[1] == 1:
        return np.logaddexp(0, Z[:, 0]) - y * Z[:, 0]
    return -log_softmax(Z, axis=1)[np.arange(len(y)), y]


def residuals_by_the_book(Z, y):
    if Z.shape[1] == 1:
        return expit(Z) - y[:, None]
    return softmax(Z, axis=1) - np.eye(Z.shape[1])[y]


def hessians_by_the_book(Z):
    """(n, R, R) second derivatives of the loss in the scores."""
    if Z.shape[1] == 1:
        p = expit(Z)
        return (p * (1 - p))[:, :, None]
    p = softmax(Z, axis=1)
    return np.eye(Z.shape[1]) * p[:, :, None] - p[:, :, None] * p[:, None, :]


def objective_by_the_book(X, y, w, C, fit_intercept, penalize_intercept):
    """Value and gradient of the objective at (R, d + 1) weights."""
    A = with_ones(X)
    total = w.sum()

    def at(W):
        Z = A @ W.T
        penalty = np.full(W.shape[1], 0.0 if np.isinf(C) else 1 / (C * total))
        if not penalize_intercept:
            penalty[-1] = 0.0
        value = w @ losses_by_the_book(Z, y) / total + 0.5 * (penalty * W**2).sum()
        gradient = (w[:, None] * residuals_by_the_book(Z, y)).T @ A / total + penalty * W
        if not fit_intercept:
            gradient[:, -1] = 0.0
        return value, gradient

    return at


# ---------------------------------------------------------------- native functions and their twins


@pytest.mark.parametrize("K", [2, 3, 4, 5, 7])
def test_kernels_agree_with_their_twins(K):
    X, y, w = rows(60, 9, K, seed=K)
    A, R = with_ones(X), 1 if K == 2 else K
    rng = np.random.default_rng(K)
    W, V = rng.normal(size=(10, R)), rng.normal(size=(10, R))
    Z = np.zeros((60, R))
    _sparse_logistic.scores(**arrays(X), W=W, lo=0, hi=60, Z=Z)
    assert_allclose(Z, A @ W, rtol=1e-12, atol=1e-14)

    G, D = np.empty_like(Z), np.empty_like(Z)
    loss = _sparse_logistic.respond(Z, y, w, G, D)
    assert_allclose(loss, w @ losses_by_the_book(Z, y), rtol=1e-12)
    assert_allclose(G, w[:, None] * residuals_by_the_book(Z, y), rtol=1e-10, atol=1e-14)

    H = w[:, None, None] * hessians_by_the_book(Z)
    out, diagonal = np.zeros((10, R)), np.zeros((10, R))
    for lo, hi in ((0, 25), (25, 60)):
        _sparse_logistic.back(**arrays(X), G=G, D=D, w=w, lo=lo, hi=hi, out=out, diagonal=diagonal)
    assert_allclose(out, A.T @ G, rtol=1e-10, atol=1e-12)
    assert_allclose(diagonal, (A**2).T @ np.einsum("ikk->ik", H), rtol=1e-10, atol=1e-12)

    U, product = np.zeros_like(Z), np.zeros((10, R))
    for lo, hi in ((0, 25), (25, 60)):
        _sparse_logistic.curve(**arrays(X), D=D, w=w, V=V, lo=lo, hi=hi, U=U, out=product)
    assert_allclose(U, A @ V, rtol=1e-12, atol=1e-14)
    assert_allclose(product, A.T @ np.einsum("ikl,il->ik", H, U), rtol=1e-10, atol=1e-12)

    value, slope, bend = _sparse_logistic.along(Z, U, 0.7, y, w)
    moved = Z + 0.7 * U
    assert_allclose(value, w @ losses_by_the_book(moved, y), rtol=1e-12)
    assert_allclose(slope, (w[:, None] * residuals_by_the_book(moved, y) * U).sum(), rtol=1e-10)
    assert_allclose(bend, np.einsum("i,ik,ikl,il->", w, U, hessians_by_the_book(moved), U), rtol=1e-10)


def test_losses_of_far_scores_are_exact():
    Z = np.array([[800.0], [-800.0], [40.0], [-40.0]])
    y = np.array([0, 1, 1, 0])
    G, D = np.empty_like(Z), np.empty_like(Z)
    loss = _sparse_logistic.respond(Z, y, np.ones(4), G, D)
    assert_allclose(loss, 1600.0 + 2 * np.exp(-40.0), rtol=1e-15)
    assert_allclose(G[:, 0], [1.0, -1.0, -np.exp(-40.0), np.exp(-40.0)], rtol=1e-12)
    three = np.array([[900.0, 0.0, -900.0]])
    G, D = np.empty_like(three), np.empty_like(three)
    loss = _sparse_logistic.respond(three, np.array([1]), np.ones(1), G, D)
    assert_allclose(loss, logsumexp([900.0, 0.0]), rtol=1e-15)
    assert_allclose(G, [[1.0, -1.0, 0.0]], atol=1e-15)


def test_kernels_refuse_arrays_that_do_not_fit():
    X, y, w = rows(10, 4, 2)
    Z = np.zeros((10, 1))
    with pytest.raises(ValueError, match="rows out of range"):
        _sparse_logistic.scores(**arrays(X), W=np.zeros((5, 1)), lo=0, hi=11, Z=Z)
    with pytest.raises(ValueError, match="one entry a row"):
        _sparse_logistic.respond(Z, y[:5], w, Z.copy(), Z.copy())
    with pytest.raises(ValueError, match="shaped like"):
        _sparse_logistic.curve(
            **arrays(X), D=Z, w=w, V=np.zeros((4, 1)), lo=0, hi=10, U=Z.copy(), out=np.zeros((5, 1))
        )


# ---------------------------------------------------------------- the optimum


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(5, 60),
    d=st.integers(1, 20),
    K=st.sampled_from([2, 3, 6]),
    C=st.sampled_from([0.01, 1.0, 100.0]),
    fit_intercept=st.booleans(),
    penalize_intercept=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_gradient_vanishes_at_the_optimum(n, d, K, C, fit_intercept, penalize_intercept, seed):
    X, y, w = rows(n, d, K, seed)
    result = solve(X, y, w, K, C, fit_intercept, penalize_intercept, 1e-9, 200)
    W = result.w.reshape(-1, d + 1)
    value, gradient = objective_by_the_book(X, y, w, C, fit_intercept, penalize_intercept)(W)
    assert_allclose(result.value, value, rtol=1e-10)
    if result.reason == "gradient":  # else a class without rows sends its constant away for ever
        assert np.abs(gradient).max() < 1e-8
    else:
        assert fit_intercept
        assert not penalize_intercept
        assert len(np.unique(y)) < K
    if not fit_intercept:
        assert_array_equal(W[:, -1], 0.0)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
def test_same_weights_as_scikit_learn(load, C, fit_intercept):
    """Peer: LogisticRegression with newton-cholesky and a tight tolerance, scikit-learn 1.9."""
    X, y = load(return_X_y=True)
    X = X[:500] / (1.0 + X.std(axis=0))
    y = y[:500]
    K = len(np.unique(y))
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    peer = LogisticRegression(
        C=C, solver="newton-cholesky", tol=1e-12, fit_intercept=fit_intercept, max_iter=500
    )
    peer.fit(X, y, sample_weight=w)
    ours = solve(sp.csr_matrix(X), y, w, K, C, fit_intercept, False, 1e-11, 200)
    W = ours.w.reshape(-1, X.shape[1] + 1)
    assert ours.converged
    assert_allclose(W[:, :-1], peer.coef_, atol=1e-6)
    if fit_intercept:
        assert_allclose(W[:, -1], peer.intercept_ - peer.intercept_.mean() * (K > 2), atol=1e-6)


@pytest.mark.parametrize("dual", [False, True])
def test_same_objective_as_liblinear(dual):
    """Peer: LIBLINEAR, which penalises the constant as well; to 1e-4 of the objective at default tolerances."""
    X, y, _ = rows(2000, 800, 2, seed=3, density=0.02)
    y = (np.asarray(X @ np.random.default_rng(1).normal(size=800)) + 0.3 > 0).astype(np.int64)
    w = np.ones(2000)
    peer = LogisticRegression(solver="liblinear", dual=dual, random_state=0, max_iter=1000).fit(X, y)
    ours = solve(X, y, None, 2, 1.0, True, True)
    at = objective_by_the_book(X, y, w, 1.0, True, True)
    theirs = at(np.column_stack((peer.coef_, peer.intercept_)))[0]
    assert ours.converged
    assert ours.value <= theirs * (1 + 1e-4)
    assert ours.value >= theirs * (1 - 1e-4)


def test_softmax_of_three_irises_is_the_one_of_the_book():
    """Oracle: BC 5.3.2, Fisher's iris (rows 35 and 38 as published), penalty 1/2 |W|^2, biases free."""
    X, y = load_iris(return_X_y=True)
    X[34], X[37] = [4.9, 3.1, 1.5, 0.2], [4.9, 3.6, 1.4, 0.1]
    result = solve(sp.csr_matrix(X), y, None, 3, 1.0, True, False, 1e-11, 200)
    W = result.w.reshape(3, 5)
    book = [
        [-0.423510, 0.967351, -2.517152, -1.079337, 9.849568],
        [0.534462, -0.321588, -0.206392, -0.944298, 2.237206],
        [-0.110952, -0.645763, 2.723544, 2.023635, -12.086774],
    ]
    assert_allclose(result.value * 150, 28.886317, atol=1e-6)
    assert_allclose(W, book, atol=1e-5)
    assert ((X @ W[:, :4].T + W[:, 4]).argmax(axis=1) == y).sum() == 146


def test_two_classes_as_a_softmax_have_half_the_difference():
    """Two softmax rows w/2 and -w/2 share a penalty of |w|^2 / 4, so C doubles."""
    X, y, w = rows(80, 6, 2, seed=5)
    one = solve(X, y, w, 2, 2.0, True, False, 1e-11, 100).w
    at = objective_by_the_book(X, y, w, 1.0, True, False)
    _, gradient = at(np.array([-one / 2, one / 2]))
    assert np.abs(gradient).max() < 1e-9


def test_whole_weights_are_repeated_rows():
    X, y, _ = rows(40, 5, 3, seed=8)
    w = np.random.default_rng(0).integers(0, 4, 40)
    again = np.repeat(np.arange(40), w)
    weighted = solve(X, y, w.astype(float), 3, 1.0, tol=1e-11)
    repeated = solve(X[again], y[again], None, 3, 1.0, tol=1e-11)
    assert_allclose(weighted.w, repeated.w, atol=1e-8)


def test_history_falls_and_a_good_start_needs_no_step():
    X, y, w = rows(200, 30, 4, seed=2)
    first = solve(X, y, w, 4, 1.0, tol=1e-8)
    values = [record.value for record in first.history]
    assert values == sorted(values, reverse=True)
    assert_allclose(values[0], np.log(4))
    assert first.n_iter == len(values) - 1 > 1
    again = solve(X, y, w, 4, 1.0, tol=1e-7, start=first.w.reshape(4, 31))
    assert again.n_iter == 0
    assert_allclose(again.w, first.w, atol=1e-14)


def test_a_start_that_is_worse_than_nothing_is_not_taken():
    X, y, w = rows(50, 5, 3, seed=6)
    result = solve(X, y, w, 3, 1.0, tol=1e-10, start=np.full((3, 6), 1e9) * [[1], [-1], [2]])
    assert_allclose(result.history[0].value, np.log(3), rtol=1e-12)
    assert_allclose(result.w, solve(X, y, w, 3, 1.0, tol=1e-10).w, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 25),
    d=st.integers(1, 10),
    K=st.integers(2, 4),
    C=st.sampled_from([1e-12, 1.0, 1e6, 1e12, np.inf]),
    tol=st.sampled_from([1e-2, 1e-6, 1e-11]),
    seed=st.integers(0, 10**6),
)
def test_columns_of_all_scales_at_once_end_lower_than_they_began(n, d, K, C, tol, seed):
    X, y, w = rows(n, d, K, seed)
    factors = 10.0 ** np.random.default_rng(seed).integers(-12, 13, d)
    result = solve((X @ sp.diags(factors)).tocsr(), y, w, K, C, True, False, tol, 100)
    assert np.isfinite(result.w).all()
    values = np.array([record.value for record in result.history])
    assert (np.diff(values) <= 1e-12 * values[:-1]).all()
    assert values[-1] <= np.log(K)


def test_threads_and_blocks_do_not_change_the_weights(monkeypatch):
    X, y, w = rows(400, 20, 3, seed=4)
    monkeypatch.setattr(sparse_logistic, "_BLOCK", 100)
    result = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(parallel, "threads", lambda limit=None, n=threads: n)
        result.append(solve(X, y, w, 3, 1.0).w)
    assert_array_equal(result[0], result[1])
    assert_array_equal(result[0], result[2])
    monkeypatch.undo()
    assert_allclose(result[0], solve(X, y, w, 3, 1.0).w, atol=1e-10)


# ---------------------------------------------------------------- awkward rows


def test_an_early_end_is_admitted():
    X, y, w = rows(100, 10, 2)
    result = solve(X, y, w, 2, 1.0, tol=1e-12, max_iter=1)
    assert not result.converged
    assert result.reason == "iterations"
    assert result.n_iter == 1


def test_separable_rows_without_penalty_stay_finite():
    X = sp.csr_matrix([[-2.0], [-1.0], [1.0], [2.0]])
    result = solve(X, np.array([0, 0, 1, 1]), None, 2, np.inf, True, False, 1e-6, 100)
    assert np.isfinite(result.w).all()
    assert result.value < 1e-5
    assert ((X @ result.w[:1] + result.w[1]) > 0).tolist() == [False, False, True, True]


def test_no_penalty_and_overlapping_classes_is_maximum_likelihood():
    """Oracle: IML 10.7.1, x = 0..5, r = (0, 0, 1, 0, 1, 1)."""
    X = sp.csr_matrix(np.arange(6.0)[:, None])
    result = solve(X, np.array([0, 0, 1, 0, 1, 1]), None, 2, np.inf, tol=1e-10)
    assert_allclose(result.w, [1.214028, -3.035069], atol=1e-6)
    assert_allclose(result.value * 6, 2.477987, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6, 1e12])
def test_scale_of_a_column_does_not_matter_without_penalty(scale):
    X, y, _ = rows(60, 3, 2, seed=11, density=0.9)
    plain = solve(X, y, None, 2, np.inf, tol=1e-10, max_iter=300)
    factors = np.array([scale, 1.0, 1.0 / scale])
    scaled = solve((X @ sp.diags(factors)).tocsr(), y, None, 2, np.inf, tol=1e-10, max_iter=300)
    assert_allclose(scaled.value, plain.value, rtol=1e-12)
    assert_allclose(scaled.w[:3] * factors, plain.w[:3], rtol=1e-4)


@pytest.mark.parametrize("K", [2, 3])
def test_empty_rows_empty_columns_twins_and_fewer_rows_than_columns(K):
    X, y, _ = rows(30, 8, K, seed=1)
    X = sp.csr_matrix(sp.hstack((X, X[:, :2], sp.csr_matrix((30, 40)))))
    X = sp.csr_matrix(sp.vstack((X, sp.csr_matrix((4, 50)))))
    y = np.append(y, [0, 1, 0, 1])
    result = solve(X, y, None, K, 1.0, tol=1e-10)
    W = result.w.reshape(-1, 51)
    assert result.converged
    assert_allclose(W[:, :2], W[:, 8:10], atol=1e-9)  # a column and its twin share
    assert_array_equal(W[:, 10:50], 0.0)


def test_no_entries_at_all_leave_the_class_shares():
    result = solve(sp.csr_matrix((8, 3)), np.array([0, 0, 0, 0, 0, 0, 1, 1]), None, 2, 1.0, tol=1e-12)
    assert_allclose(result.w, [0, 0, 0, -np.log(3)], atol=1e-10)


def test_one_row_and_one_class():
    result = solve(sp.csr_matrix([[1.0, 0.0]]), np.array([1]), None, 2, 1.0, False, False, 1e-10)
    assert_allclose(result.w[0], expit(-result.w[0]), atol=1e-9)  # w = C (1 - p)


def test_huge_numbers_are_refused_in_words():
    X = sp.csr_matrix([[1e200], [-1e200]])
    with pytest.raises(DataError, match="too large to be squared"):
        solve(X, np.array([0, 1]), None, 2, 1.0)


def test_a_damaged_matrix_is_refused():
    X = sp.csr_matrix(np.eye(3))
    X.indices[1] = 7
    with pytest.raises(DataError, match="damaged"):
        solve(X, np.array([0, 1, 0]), None, 2, 1.0)
