"""The algebra of pairs against plain loops over rows and classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from assay.linear.separation.row_pairs import RowPairs, independent


def drawn(K, sparse, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3)) * (rng.random((12, 3)) < 0.7)
    y = np.append(np.arange(K), rng.integers(0, K, 12 - K))
    return RowPairs(csr_array(X) if sparse else X, y, K), X, y, rng


def vector(X, y, K, i, k):
    """z_ik of all classes, that of class 0 left out."""
    Z = np.zeros((K, X.shape[1]))
    Z[y[i]] += X[i]
    Z[k] -= X[i]
    return Z[1:].ravel()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("K", [2, 3, 4])
def test_sums_over_pairs(K, sparse):
    pairs, X, y, rng = drawn(K, sparse)
    all_pairs = [(i, k) for i in range(12) for k in range(K) if k != y[i]]
    i, k = np.array(all_pairs).T
    Z = np.array([vector(X, y, K, *pair) for pair in all_pairs])
    assert_allclose(pairs.vectors(i, k), Z)
    w = rng.normal(size=3 * (K - 1))
    W = pairs.weights(w)
    assert not W[:, 0].any()
    assert_allclose(pairs.flat_weights(W), w)
    assert_allclose(pairs.raw_margins(W)[i, k], Z @ w, atol=1e-14)
    lam = np.zeros((12, K))
    lam[i, k] = rng.random(len(i))
    assert_allclose(pairs.flat_gradient(pairs.net(lam)), lam[i, k] @ Z, atol=1e-13)
    assert_allclose(pairs.gram(lam), Z.T @ (lam[i, k][:, None] * Z), atol=1e-13)


@pytest.mark.parametrize("K", [2, 3])
def test_likelihood_and_its_derivatives(K):
    """Value, gradient and curvature by differences; a closed pair is as if its class did not exist for the row."""
    pairs, X, y, rng = drawn(K, False)
    open = ~pairs.own
    if K == 3:
        open[4, (y[4] + 1) % 3] = False
    w = rng.normal(size=3 * (K - 1))

    def value(v):
        return pairs.probabilities(pairs.weights(v), open)[1]

    P, loss = pairs.probabilities(pairs.weights(w), open)
    scores = np.where(open | pairs.own, X @ pairs.weights(w), -np.inf)
    assert_allclose(loss, np.sum(np.logaddexp.reduce(scores, axis=1) - scores[np.arange(12), y]))
    assert_allclose(P.sum(axis=1), 1)
    steps = 1e-5 * np.eye(len(w))
    slope = [(value(w + s) - value(w - s)) / 2e-5 for s in steps]
    assert_allclose(pairs.flat_gradient(P - pairs.own), slope, atol=1e-7)

    def gradient(v):
        return pairs.flat_gradient(pairs.probabilities(pairs.weights(v), open)[0] - pairs.own)

    bend = [(gradient(w + s) - gradient(w - s)) / 2e-5 for s in steps]
    assert_allclose(pairs.curvature(P), bend, atol=1e-7)


def test_margins_that_are_rounding_are_zero():
    pairs = RowPairs(np.array([[0.1, 0.2, -0.3], [1.0, 1.0, 1.0]]), np.array([0, 1]), 2)
    W = np.column_stack((np.zeros(3), np.ones(3)))
    assert pairs.raw_margins(W)[0, 1] != 0
    assert pairs.margins(W)[0, 1] == 0 and pairs.margins(W)[1, 0] == 3


def test_independent_columns():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 3))
    X = np.column_stack((A[:, 0], np.zeros(30), A[:, 1], A[:, 0] - 2 * A[:, 1], A[:, 2], A[:, 2]))
    assert independent(X.T @ X).tolist() == [0, 2, 4]
