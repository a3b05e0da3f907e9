"""Scores that stay numbers, and lengths that neither overflow nor vanish."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.linear.affine import MAX_SCORE, affine, length


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-12, 1.0, 1e12]))
def test_it_is_the_product_plus_the_constant(seed, scale):
    rng = np.random.default_rng(seed)
    X, W, b = scale * rng.normal(size=(7, 3)), rng.normal(size=(2, 3)), rng.normal(size=2)
    meant = [[sum(x * w for x, w in zip(row, weights)) + c for weights, c in zip(W, b)] for row in X]
    assert_allclose(affine(X, W, b), meant, rtol=1e-9, atol=1e-12 * scale)
    assert_allclose(affine(sp.csr_array(X), W, b), meant, rtol=1e-9, atol=1e-12 * scale)


def test_numbers_of_half_the_size_stay_so_unless_they_overflow():
    X, W = np.array([[1, 2], [3e38, 3e38]], dtype=np.float32), np.array([[1, 1], [1, -1]], dtype=np.float32)
    assert affine(X[:1], W, np.zeros(2)).dtype == np.float32
    table = affine(X, 4 * W, np.zeros(2))
    assert table.dtype == np.float64
    assert_allclose(table, 4 * X.astype(float) @ W.T, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_terms_beyond_all_numbers_keep_their_order(kind):
    X = np.array([[1.7e308, 1.7e308], [-1.7e308, 1.7e308], [1.0, 1.0]])
    W = np.array([[4.0, -4.5], [7.0, -7.0], [9.0, 1.0]])
    table = affine(kind(X), W, np.ones(3))
    assert np.isfinite(table).all() and np.abs(table).max() <= MAX_SCORE * (1 + 1e-12)
    assert_array_equal(np.argsort(table[0]), [0, 1, 2])  # -0.5, 0 and 10 times 1.7e308
    assert_array_equal(np.sign(table[:2]), [[-1, np.sign(table[0, 1]), 1], [-1, -1, -1]])
    assert_allclose(table[2], [0.5, 1.0, 11.0], rtol=1e-12)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_lengths_of_all_sizes(size):
    assert_allclose(length(size * np.array([[3.0, 4.0], [0.0, 2.0]])), [5 * size, 2 * size], rtol=1e-12)
    assert length(np.zeros(3)) == 0
