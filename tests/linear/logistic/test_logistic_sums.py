"""What a block adds: native code against NumPy, the logistic function, matrices of weighted products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from scipy.special import expit, log_softmax, softmax

import assay.linear.logistic._logistic as _logistic
from assay.core.sums import Block
from assay.linear.logistic.logistic_sums import Scale, curvature_part, gradient_part, grams, scatter_part

NO_VALUES = np.empty(0)


def by_the_book(X, y, w, W):
    """Loss, gradient and posteriors of (d + 1, K) weights, the intercepts last."""
    Z = X.astype(np.float64) @ W[:-1] + W[-1]
    w = np.ones(len(y)) if w is None else w
    loss = -(w * log_softmax(Z, axis=1)[np.arange(len(y)), y]).sum()
    P = softmax(Z, axis=1)
    R = w[:, None] * (P - np.eye(W.shape[1])[y])
    return loss, np.vstack((X.T.astype(np.float64) @ R, R.sum(axis=0))), P, R


def rows(n, d, K, weighted=False, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = np.ascontiguousarray(rng.normal(size=(n, d)).astype(dtype))
    y = rng.integers(0, K, n)
    return X, y, rng.uniform(0.1, 3, n) if weighted else None, rng.normal(size=(d + 1, K))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n", "d", "K"), [(1, 1, 3), (37, 5, 3), (100, 7, 5), (259, 30, 8), (70, 13, 11), (64, 4, 16)]
)
def test_kernel_of_few_classes_is_the_formula(n, d, K, weighted, dtype):
    X, y, w, W = rows(n, d, K, weighted, dtype)
    wide = 4 if K <= 4 else 8 if K <= 8 else 16
    padded, G = np.zeros((d + 1, wide)), np.zeros((d + 1, wide))
    padded[:, :K] = W
    loss = _logistic.few_classes(X, y, NO_VALUES if w is None else w, K, padded, G)
    expected, gradient, _, _ = by_the_book(X, y, w, W)
    assert_allclose(loss, expected, rtol=1e-12)
    assert_allclose(G[:, :K], gradient, atol=1e-11 * n)
    assert not G[:, K:].any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 3), (33, 4), (100, 8), (259, 30), (131, 67)])
def test_kernel_of_two_classes_is_the_formula(n, d, weighted, dtype):
    X, y, w, W = rows(n, d, 2, weighted, dtype)
    G = np.zeros(d + 1)
    beta = W[:, 1] - W[:, 0]
    loss = _logistic.two_classes(X, y, NO_VALUES if w is None else w, beta[:-1].copy(), beta[-1], G)
    expected, gradient, _, _ = by_the_book(X, y, w, np.column_stack((np.zeros(d + 1), beta)))
    assert_allclose(loss, expected, rtol=1e-12)
    assert_allclose(G, gradient[:, 1], atol=1e-11 * n)


@pytest.mark.parametrize("weighted", [False, True])
def test_residuals_and_posteriors_of_given_scores(weighted):
    X, y, w, W = rows(211, 3, 40, weighted)
    loss, _, P, R = by_the_book(X, y, w, W)
    Z, out = X @ W[:-1] + W[-1], np.empty((211, 40))
    assert_allclose(_logistic.residuals(Z, y, NO_VALUES if w is None else w, out), loss, rtol=1e-12)
    assert_allclose(out, P, atol=1e-14)
    assert_allclose(Z, R, atol=1e-13)
    z, h = X[:, 0] * 5, np.empty(211)
    p = expit(z)
    two = (y > 20).astype(np.int64)
    _logistic.two_residuals(z, two, NO_VALUES if w is None else w, h)
    weight = 1.0 if w is None else w
    assert_allclose(z, weight * (p - two), atol=1e-14)
    assert_allclose(h, weight * p * (1 - p), atol=1e-14)


def test_column_sums():
    X, _, w, _ = rows(50, 3, 2, True)
    for weights, w_or_none in ((np.ones(50), NO_VALUES), (w, w)):
        first, second = np.zeros(3), np.zeros(3)
        _logistic.columns(X, w_or_none, X[0].copy(), first, second)
        assert_allclose(first, weights @ (X - X[0]), atol=1e-12)
        assert_allclose(second, weights @ (X - X[0]) ** 2, atol=1e-12)


def test_kernels_refuse_shapes_that_do_not_fit():
    X, y, _, W = rows(5, 3, 2)
    with pytest.raises(ValueError, match="shapes"):
        _logistic.two_classes(X, y[:4], NO_VALUES, np.zeros(3), 0.0, np.zeros(4))
    with pytest.raises(ValueError, match="shapes"):
        _logistic.few_classes(X, y, NO_VALUES, 5, np.zeros((4, 4)), np.zeros((4, 4)))
    with pytest.raises(ValueError, match="shapes"):
        _logistic.residuals(np.zeros((5, 2)), y, np.ones(4), np.empty((0, 2)))


@pytest.mark.capability("BC-27", "LS-12", "C3-19", "IML-10-10")
@given(a=st.floats(-40, 40))
@settings(max_examples=60, deadline=None)
def test_sigmoid_and_its_identities(a):
    """theta(-s) = 1 - theta(s), theta' = theta (1 - theta), the logit its inverse; three equal rules."""
    from assay.core.scores import logistic

    p = logistic(np.array([a]))[0]
    assert_allclose(p, [expit(-a), expit(a)], rtol=1e-13)
    assert_allclose(p.sum(), 1.0, rtol=1e-15)
    assert_allclose(logistic(np.array([-a]))[0], p[::-1], rtol=1e-15)
    h = np.empty(1)
    _logistic.two_residuals(np.array([a]), np.array([0]), NO_VALUES, h)
    assert_allclose(h[0], expit(a) * expit(-a), rtol=1e-12)
    step = 1e-5
    slope = (expit(a + step) - expit(a - step)) / (2 * step)
    assert_allclose(h[0], slope, atol=1e-9)
    odds = p[1] / p[0]
    assert_allclose(np.log(odds), a, atol=1e-9 * max(1, abs(a)) + 1e-12)
    assert (p[1] > 0.5) == (odds > 1) == (np.log(odds) > 0) or abs(a) < 1e-15


@pytest.mark.capability("BC-27", "C3-19", "IML-10-10")
def test_sigmoid_at_the_ends_of_the_floats():
    from assay.core.scores import logistic

    assert_allclose(logistic(np.array([0.0, 1e4, -1e4]))[:, 1], [0.5, 1.0, 0.0], atol=0)
    z = np.array([1e300, -1e300, 800.0])
    loss = _logistic.two_residuals(z, np.array([1, 0, 0]), NO_VALUES, NO_VALUES)
    assert loss == 800.0
    assert_allclose(z, [0, 0, 1], atol=1e-300)


@pytest.mark.parametrize("K", [2, 3, 16, 17])
def test_every_kind_of_block_adds_the_same(K):
    """Dense, single, in another order, sparse: native code, BLAS and SciPy's products."""
    X, y, w, W = rows(90, 5, K, True)
    X[X < 0.3] = 0
    X = X.astype(np.float32).astype(np.float64)
    W = W[:, 1:] - W[:, :1] if K == 2 else W
    full = np.column_stack((np.zeros(6), W)) if K == 2 else W
    loss, G, _, _ = by_the_book(X, y, w * np.linspace(1, 2, K)[y], full)
    expected = np.append(loss, G[:, -W.shape[1] :])
    for table in (
        X,
        X.astype(np.float32),
        np.asfortranarray(X),
        X.astype(int) + (X - X.astype(int)),
        csr_matrix(X),
    ):
        result = gradient_part(Block(table, y, w), W=W, K=K, class_weight=np.linspace(1, 2, K))
        assert_allclose(result, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("intercept", [False, True])
def test_products_of_dense_and_sparse_rows(intercept):
    X, y, w, W = rows(60, 4, 3, True)
    X[X < 0] = 0
    scale = Scale.of(X.mean(axis=0), X.var(axis=0), 60.0, True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    Z = np.column_stack((Z, np.ones(60))) if intercept else Z
    expected = (Z.T * w) @ Z
    for table in (X, csr_matrix(X)):
        assert_allclose(grams(table, [w], scale, intercept)[0], expected, atol=1e-11)
        assert_allclose(scatter_part(Block(table, y, w), None, scale, intercept), expected, atol=1e-11)
        sums = curvature_part(Block(table, y, w), W, [(0, 1), (2, 2)], 3, None, scale, intercept)
        loss, G, P, _ = by_the_book(X, y, w, W)
        assert_allclose(sums.loss, loss, rtol=1e-12)
        assert_allclose(sums.gradient, G, atol=1e-11)
        for (j, k), result in zip([(0, 1), (2, 2)], sums.blocks, strict=True):
            h = w * P[:, j] * (P[:, k] if j != k else 1 - P[:, k])
            assert_allclose(result, (Z.T * h) @ Z, atol=1e-11)
    assert_allclose((sums + sums).blocks, 2 * sums.blocks)


def test_columns_that_do_not_vary_keep_their_unit():
    scale = Scale.of(np.array([7.0, 1e9, 0.0]), np.array([0.0, 1e-9, 4.0]), 10.0, True)
    assert scale.spread.tolist() == [1.0, 1.0, 2.0]
    assert_allclose(Scale.of(np.array([3.0]), np.array([16.0]), 1.0, False).spread, 5.0)
    assert Scale.of(np.array([3.0]), np.array([16.0]), 1.0, False).mean == 0
