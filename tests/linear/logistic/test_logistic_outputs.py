"""The objective of logistic outputs and the native code of its batches, against readable twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.special import expit, softmax

from assay.errors import DataError
from assay.linear.logistic.logistic_outputs import Outputs

KINDS = {"softmax": (True, False), "sigmoids": (False, False), "squared": (False, True)}


def outputs(X, R, w=None, kind="softmax", bias=True, exclusive=True):
    soft, squared = KINDS[kind]
    return Outputs(X, R, w, who="Learner", softmax=soft, squared=squared, bias=bias, exclusive=exclusive)


def epoch_by_the_book(X, R, w, order, size, rates, kind, bias, W):
    """The twin: batch after batch, in NumPy."""
    W, ones = W.copy(), np.column_stack([np.full(len(X), float(bias)), X])
    full = np.column_stack([np.ones(len(X)), X])
    for begin in range(0, len(order), size):
        rows = order[begin : begin + size]
        scores = full[rows] @ W.T
        y = softmax(scores, axis=1) if kind == "softmax" else expit(scores)
        delta = (R[rows] - y) * w[rows, None]
        if kind == "squared":
            delta *= y * (1 - y)
        W += rates[:, None] * (delta.T @ ones[rows])
    return W


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10_000),
    st.integers(1, 20),
    st.integers(1, 6),
    st.integers(1, 4),
    st.sampled_from(sorted(KINDS)),
    st.booleans(),
    st.booleans(),
)
def test_the_kernel_descends_like_its_twin(seed, n, d, K, kind, bias, sparse):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    R = np.eye(K)[rng.integers(0, K, n)]
    w, order = rng.uniform(0, 2, n), rng.permutation(n)
    size, rates, W = int(rng.integers(1, n + 1)), rng.uniform(0.1, 1, K), rng.normal(size=(K, d + 1)) * 3
    expected = epoch_by_the_book(X, R, w, order, size, rates, kind, bias, W)
    outputs(csr_array(X) if sparse else X, R, w, kind, bias).epoch(W, order, size, rates)
    assert_allclose(W, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_the_derivative(kind, sparse):
    rng = np.random.default_rng(7)
    X, R, w = rng.normal(size=(15, 3)), np.eye(3)[rng.integers(0, 3, 15)], rng.uniform(0, 2, 15)
    error = outputs(csr_array(X) if sparse else X, R, w, kind)
    W = rng.normal(size=12)
    gradient = error.value_gradient(W)[1]
    h = 1e-6
    for j in range(12):
        step = h * np.eye(12)[j]
        slope = (error.value_gradient(W + step)[0] - error.value_gradient(W - step)[0]) / (2 * h)
        assert_allclose(gradient[j], slope, atol=1e-7)


def test_softmax_of_two_equals_one_sigmoid():
    """IML exercise 10.4: w = w_1 - w_2."""
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(12, 2)), rng.integers(0, 2, 12)
    both, one = outputs(X, np.eye(2)[y]), outputs(X, y[:, None], kind="sigmoids")
    W = rng.normal(size=(2, 3))
    assert_allclose(both.value_gradient(W.ravel())[0], one.value_gradient(W[1] - W[0])[0], rtol=1e-12)
    assert both.errors == one.errors


def test_errors_of_labels_that_do_not_exclude_each_other():
    error = outputs(np.array([[1.0], [-1.0]]), np.array([[1, 1], [1, 0]]), kind="sigmoids", exclusive=False)
    error.value_gradient(np.array([0.0, 1.0, 0.0, 1.0]))
    assert error.errors == 1  # of four outputs


@pytest.mark.parametrize("kind", KINDS)
def test_huge_scores_are_finite(kind):
    error = outputs(np.array([[1e6], [-1e6]]), np.eye(2), kind=kind)
    value, gradient = error.value_gradient(np.array([0.0, -1.0, 0.0, 1.0]))
    assert np.isfinite(value) and np.isfinite(gradient).all()


def test_a_broken_sparse_matrix_is_refused():
    broken = csr_array(np.eye(3))
    broken.indices[1] = 17
    with pytest.raises(DataError, match="Learner: The sparse matrix is damaged"):
        outputs(broken, np.eye(3))
