"""Logistic regression with an absolute penalty."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix, random_array
from scipy.special import log_softmax, softmax
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from assay.errors import DataError
from assay.linear.compact import compact
from assay.linear.logistic import elastic_net_logistic
from assay.linear.logistic.elastic_net_logistic import Search, solve

NATIVE = elastic_net_logistic._logistic


@pytest.fixture(autouse=True)
def sparse_tables_stay_sparse(monkeypatch):
    monkeypatch.setattr(elastic_net_logistic, "compact", lambda X: X)


def table(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y.astype(np.int64)


def scores(X, W):
    z = X @ W[:, :-1].T + W[:, -1]
    return np.column_stack((np.zeros(len(z)), z[:, 0])) if len(W) == 1 else z


def objective(X, y, w, W, C, ratio):
    loss = -log_softmax(scores(X, W), axis=1)[np.arange(len(y)), y]
    V = W[:, :-1]
    return C * (loss * w).sum() + ratio * np.abs(V).sum() + (1 - ratio) / 2 * (V**2).sum()


def violations(X, y, w, W, C, ratio):
    """The smallest subgradient, from the definition."""
    K = max(2, len(W))
    G = softmax(scores(X, W), axis=1) - np.eye(K)[y]
    G = (G[:, 1:] if len(W) == 1 else G) * w[:, None] * C
    slope = G.T @ X + (1 - ratio) * W[:, :-1]
    V = W[:, :-1]
    held = np.sign(slope) * np.maximum(np.abs(slope) - ratio, 0)
    return np.where(V != 0, slope + ratio * np.sign(V), held), G.sum(axis=0)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("C", [0.02, 1.0])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_no_subgradient_is_left(load, C, ratio, sparse):
    X, y = table(load)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    K = y.max() + 1
    optimum = solve(csr_matrix(X) if sparse else X, y, w, K, C, ratio, tol=1e-10, max_iter=500)
    rule, constant = violations(X, y, w, optimum.w, C, ratio)
    assert optimum.converged
    assert np.abs(rule).max() < 1e-6 and np.abs(constant).max() < 1e-6
    assert_allclose(optimum.gradient[:, :-1], rule, atol=1e-6)
    assert_allclose(optimum.value, objective(X, y, w, optimum.w, C, ratio), rtol=1e-10)
    assert (np.diff([record.value for record in optimum.history]) <= 1e-9).all()


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_digits])
@pytest.mark.parametrize("C, ratio", [(0.05, 1.0), (0.03, 0.5)])
def test_the_value_is_not_above_that_of_saga(load, C, ratio):
    """Peer: LogisticRegression(solver="saga"), scikit-learn 1.9, at a tight tolerance."""
    X, y = table(load)
    if load is load_digits:
        X, y = X[:200], y[:200]
    peer = peers.LogisticRegression(C=C, l1_ratio=ratio, solver="saga", tol=1e-7, max_iter=3000).fit(X, y)
    there = np.column_stack((peer.coef_, peer.intercept_))
    ours = solve(X, y, None, y.max() + 1, C, ratio, tol=1e-9, max_iter=500)
    one = np.ones(len(y))
    value, best = objective(X, y, one, there, C, ratio), objective(X, y, one, ours.w, C, ratio)
    assert best <= value + 1e-9 * abs(value)
    assert_allclose(best, value, rtol=1e-5)
    assert_allclose(ours.w[:, :-1], there[:, :-1], atol=5e-3)


def test_with_a_ridge_alone_it_is_ridge_logistic_regression():
    X, y = table(load_iris)
    peer = peers.LogisticRegression(C=0.7, tol=1e-12, max_iter=10_000).fit(X, y)
    for data in (X, csr_matrix(X)):
        ours = solve(data, y, None, 3, 0.7, 0.0, tol=1e-11, max_iter=500)
        assert_allclose(ours.w[:, :-1], peer.coef_, atol=1e-6)
        assert_allclose(ours.w[:, -1], peer.intercept_ - peer.intercept_.mean(), atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(5, 40),
    d=st.integers(1, 40),
    K=st.integers(2, 4),
    C=st.floats(0.01, 3.0),
    ratio=st.floats(0.05, 1.0),
    intercept=st.booleans(),
)
def test_dense_and_sparse_end_at_the_same_minimum(seed, n, d, K, C, ratio, intercept):
    rng = np.random.default_rng(seed)
    X = random_array((n, d), density=0.4, rng=rng, format="csr") * 2
    y = rng.integers(0, K, n)
    results = [
        solve(Z, y, None, K, C, ratio, intercept, tol=1e-9, max_iter=2000)
        for Z in (csr_array(X), X.toarray())
    ]
    for optimum in results:
        rule, constant = violations(X.toarray(), y, np.ones(n), optimum.w, C, ratio)
        assert np.abs(rule).max() < 1e-5 * max(1, C * n)
        if intercept:
            assert np.abs(constant).max() < 1e-5 * max(1, C * n)
        else:
            assert not optimum.w[:, -1].any()
    assert_allclose(results[0].value, results[1].value, rtol=1e-7)


def test_a_wide_table_takes_columns_one_by_one(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 400))
    y = (X[:, :4].sum(axis=1) + 0.5 * rng.normal(size=60) > 0).astype(np.int64)
    columns = solve(X, y, None, 2, 0.5, 1.0, tol=1e-9)
    monkeypatch.setattr(elastic_net_logistic, "GRAM", 10_000)
    gram = solve(X, y, None, 2, 0.5, 1.0, tol=1e-9)
    assert_allclose(columns.w, gram.w, atol=1e-6)
    assert 0 < np.count_nonzero(columns.w[:, :-1]) < 60


def test_strong_penalties_leave_the_shares_of_the_classes():
    X, y = table(load_wine)
    optimum = solve(X, y, None, 3, 1e-4, 1.0, tol=1e-10)
    assert not optimum.w[:, :-1].any() and optimum.n_iter == 0
    assert_allclose(softmax(optimum.w[:, -1]), np.bincount(y) / len(y), rtol=1e-9)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_columns_far_from_zero_are_no_obstacle(load):
    """Sparse columns keep their means, which then compete with the intercepts."""
    X, y = load(return_X_y=True)
    X, y = X.astype(float), y.astype(np.int64)
    for C in (0.1, 1.0):
        dense, sparse = (solve(Z, y, None, 3, C, 1.0, tol=1e-7) for Z in (X, csr_matrix(X)))
        assert dense.converged and sparse.converged
        assert_allclose(sparse.value, dense.value, rtol=1e-8)


def test_small_sparse_tables_are_solved_as_dense_ones(monkeypatch):
    X, y = table(load_wine)
    monkeypatch.setattr(elastic_net_logistic, "compact", compact)
    sparse, dense = (solve(Z, y, None, 3, 0.1, 1.0) for Z in (csr_matrix(X), X))
    assert_array_equal(sparse.w, dense.w)


def test_a_start_at_the_minimum_is_noticed():
    X, y = table(load_breast_cancer)
    first = solve(X, y, None, 2, 0.1, 0.8, tol=1e-9)
    again = solve(X, y, None, 2, 0.1, 0.8, tol=1e-7, start=first.w)
    assert again.n_iter == 0 and first.n_iter > 2
    assert_allclose(again.w, first.w, atol=1e-9)


def test_a_path_is_as_good_as_single_fits():
    X, y = table(load_iris)
    search = Search(X, y, None, 3, True)
    for C in (0.01, 0.1, 1.0, 10.0):
        step = search.descend(C, 1.0, 1e-9, 500)
        alone = solve(X, y, None, 3, C, 1.0, tol=1e-9, max_iter=500)
        assert_allclose(step.value, alone.value, rtol=1e-9)


def test_too_few_steps_are_said():
    X, y = table(load_breast_cancer)
    optimum = solve(X, y, None, 2, 10.0, 1.0, tol=1e-10, max_iter=2)
    assert not optimum.converged and optimum.reason == "iterations" and optimum.n_iter == 2


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_extreme_scales_end_well(scale):
    X, y = table(load_breast_cancer)
    X = X * np.r_[scale, np.ones(29)]
    for data in (X, csr_matrix(X)):
        optimum = solve(data, y, None, 2, 1.0, 1.0, tol=1e-6, max_iter=1000)
        assert optimum.converged and np.isfinite(optimum.w).all()


def test_degenerate_tables_end_well():
    X, y = table(load_breast_cancer)
    separable = solve(
        np.array([[-1.0], [1.0]]), np.array([0, 1]), None, 2, 100.0, 1.0, tol=1e-8, max_iter=500
    )
    assert separable.converged and separable.w[0, 0] > 0
    twins = np.hstack((X[:, :3], X[:, :3], np.ones((len(y), 1))))
    twin = solve(twins, y, None, 2, 1.0, 0.5, tol=1e-8, max_iter=500)
    assert twin.converged and twin.w[0, 6] == 0
    assert_allclose(twin.w[0, :3], twin.w[0, 3:6], atol=1e-5)
    for data in (X * 1e200, csr_matrix(X * 1e200)):
        with pytest.raises(DataError, match="too large"):
            solve(data, y, None, 2, 1.0, 1.0)
    lacking = solve(X, y, None, 3, 1.0, 1.0, tol=1e-6, max_iter=500)  # nobody is of the third class
    assert np.isfinite(lacking.w).all()


@pytest.mark.parametrize("K", [2, 4])
def test_the_losses_of_the_kernel_are_those_of_the_book(K):
    rng = np.random.default_rng(K)
    n = 50
    e, y, u = rng.normal(size=(K, n)) * 30, rng.integers(0, K, n), rng.random(n)
    if K == 2:
        r, D = np.empty(n), np.empty(n)
        loss = NATIVE.loss_two(e[0], y.astype(float), u, r, D)
        p = 1 / (1 + np.exp(-e[0]))
        assert_allclose(loss, u @ (np.logaddexp(0, e[0]) - y * e[0]), rtol=1e-12)
        assert_allclose(r, u * (p - y), atol=1e-14)
        assert_allclose(D, u * p * (1 - p), atol=1e-15)
    else:
        P, R = np.empty((K, n)), np.empty((K, n))
        loss = NATIVE.loss_many(e, y, u, P, R)
        assert_allclose(loss, -u @ log_softmax(e, axis=0)[y, np.arange(n)], rtol=1e-12)
        assert_allclose(P, softmax(e, axis=0), atol=1e-14)
        assert_allclose(R, u * (P - np.eye(K)[:, y]), atol=1e-14)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("K", [2, 3])
def test_the_model_kernel_minimises_its_model(K, sparse):
    """Twin: the model's matrix written out, its minimum by a general optimiser of smooth parts (no absolute penalty),
    and optimality with it."""
    rng = np.random.default_rng(5)
    n, m, rows = 40, 5, 1 if K == 2 else K
    X = rng.normal(size=(n, m)) * (rng.random((n, m)) < 0.7)
    P, u = softmax(rng.normal(size=(K, n)), axis=0), rng.random(n) / n
    g, g0 = rng.normal(size=(rows, m)) * 0.01, rng.normal(size=rows) * 0.01
    g0 -= g0.mean() if K > 2 else 0
    D = [[u * P[k] * ((k == q) - P[q]) for q in range(K)] for k in range(K)]
    V0 = rng.normal(size=(rows, m)) * (rng.random((rows, m)) < 0.5)
    V, s, move = V0.copy(), np.empty((rows, n)), np.zeros(rows)
    Z = csr_matrix(X).tocsc()
    arrays = (
        {"value": Z.data, "row": Z.indices.astype(np.int32), "start": Z.indptr.astype(np.int64)}
        if sparse
        else {"Z": np.ascontiguousarray(X.T)}
    )
    a, b = 0.002, 0.01
    task = NATIVE.Task(a=a, b=b, intercept=True, tol=1e-28, max_sweeps=10_000)
    if K == 2:
        native = NATIVE.sparse_two if sparse else NATIVE.dense_two
        curve = D[1][1]
        native(**arrays, D=curve, g=g[0], g0=g0[0], task=task, v=V[0], s=s[0], move0=move)
        D = [[curve]]
    else:
        native = NATIVE.sparse_many if sparse else NATIVE.dense_many
        native(**arrays, P=P, u=u, g=g, g0=g0, task=task, v=V, s=s, move0=move)
    assert_allclose(s, (V - V0) @ X.T, atol=1e-10)
    change = s + move[:, None]
    slopes = np.array([sum(D[k][q] * change[q] for q in range(rows)) for k in range(rows)])
    total, constant = g + slopes @ X + b * V, g0 + slopes.sum(axis=1)
    assert_allclose(total[V != 0], -a * np.sign(V[V != 0]), atol=1e-10)
    assert (np.abs(total[V == 0]) <= a + 1e-10).all()
    assert_allclose(constant, 0, atol=1e-10)


def test_kernels_refuse_arrays_of_other_shapes():
    one, two = np.ones(1), np.ones(2)
    task = NATIVE.Task(a=0.0, b=0.0, intercept=True, tol=0.0, max_sweeps=5)
    model = {"g": one, "g0": 0.0, "task": task, "v": one, "s": two, "move0": one}
    for call in (
        lambda: NATIVE.loss_two(two, two, one, two, two),
        lambda: NATIVE.loss_many(
            np.ones((2, 2)), np.zeros(1, np.int64), two, np.ones((2, 2)), np.ones((2, 2))
        ),
        lambda: NATIVE.dense_two(Z=np.ones((1, 2)), D=one, **model),
        lambda: NATIVE.sparse_two(
            value=one, row=np.zeros(1, np.int32), start=np.array([0, 5]), D=two, **model
        ),
    ):
        with pytest.raises(ValueError):
            call()


def test_half_precision_of_the_input_is_no_obstacle():
    X, y = table(load_breast_cancer)
    single = solve(X.astype(np.float32), y, None, 2, 0.1, 1.0, tol=1e-8)
    double = solve(X, y, None, 2, 0.1, 1.0, tol=1e-8)
    assert_allclose(single.w, double.w, atol=1e-4)
    assert_array_equal(single.w != 0, double.w != 0)
