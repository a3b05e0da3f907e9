"""Class moments and scatters: the native code against NumPy, and the ways of adding them up."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.core.moments import class_moments, class_scatter


def sums_by_the_book(X, y, w, K):
    """count, seen, mean, scatter by two passes in NumPy; NaN is not there, nor is a row of weight zero."""
    X, w = X.astype(np.float64), np.ones(len(X)) if w is None else w
    d = X.shape[1]
    count, seen, mean, scatter = np.zeros(K), np.zeros((K, d)), np.zeros((K, d)), np.zeros((K, d))
    for k in range(K):
        own, v = X[y == k], w[y == k]
        count[k] = v.sum()
        for j in range(d):
            there = ~np.isnan(own[:, j]) & (v > 0)
            seen[k, j] = v[there].sum()
            if there.any():
                mean[k, j] = np.average(own[there, j], weights=v[there])
                scatter[k, j] = v[there] @ (own[there, j] - mean[k, j]) ** 2
    return count, seen, mean, scatter


def grouped_by_the_book(X, y, w, K):
    """(K, d, d) scatter matrices in NumPy."""
    X, w = X.astype(np.float64), np.ones(len(X)) if w is None else w
    out = np.zeros((K, X.shape[1], X.shape[1]))
    for k in range(K):
        own, v = X[y == k], w[y == k]
        if v.sum() > 0:
            R = own - np.average(own, axis=0, weights=v)
            out[k] = (R * v[:, None]).T @ R
    return out


def draw(seed, n, d, K, offset, dtype, weighted, missing):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    X = (rng.normal(size=(n, d)) + rng.normal(size=(K, d))[y] + offset).astype(dtype)
    if missing:
        X[rng.random(X.shape) < 0.3] = np.nan
    w = rng.choice([0.0, 0.5, 1.0, 3.0], n) if weighted else None
    return X, y, w


cases = {
    "seed": st.integers(0, 10**6),
    "n": st.integers(1, 120),
    "d": st.integers(1, 5),
    "K": st.integers(1, 4),
    "offset": st.sampled_from([0.0, 1e3, -1e6]),
    "weighted": st.booleans(),
}


@settings(max_examples=60, deadline=None)
@given(**cases, dtype=st.sampled_from([np.float64, np.float32]), missing=st.booleans())
def test_the_kernel_agrees_with_two_passes_in_numpy(seed, n, d, K, offset, weighted, dtype, missing):
    X, y, w = draw(seed, n, d, K, offset, dtype, weighted, missing)
    ours = class_moments(X, y, w, K, complete=not missing)
    count, seen, mean, scatter = sums_by_the_book(X, y, w, K)
    assert_allclose(ours.count, count, rtol=1e-12)
    assert_allclose(ours.observed, seen, rtol=1e-12)
    assert_allclose(ours.mean, mean, rtol=1e-14, atol=1e-14)
    # NumPy's own mean is off by an ulp of the offset, and the scatter about it by n ulp^2
    assert_allclose(
        ours.scatter, scatter, rtol=1e-11, atol=n * (np.finfo(float).eps * abs(offset)) ** 2 + 1e-14
    )


@settings(max_examples=60, deadline=None)
@given(**cases, dtype=st.sampled_from([np.float64, np.float32]))
def test_scatter_matrices_agree_with_numpy(seed, n, d, K, offset, weighted, dtype):
    X, y, w = draw(seed, n, d, K, offset, dtype, weighted, False)
    book = grouped_by_the_book(X, y, w, K)
    each = class_scatter(X, y, w, K, pooled=False)
    tolerance = 1e-11 * max(np.abs(book).max(), 1.0)
    assert_allclose(each.scatter, book, rtol=0, atol=tolerance)
    assert_allclose(
        class_scatter(X, y, w, K, pooled=True).scatter[0], book.sum(axis=0), rtol=0, atol=K * tolerance
    )
    assert_array_equal(each.rows, np.bincount(y if w is None else y[w > 0], minlength=K))
    assert_array_equal(each.scatter, np.swapaxes(each.scatter, 1, 2))
    moments = class_moments(X, y, w, K)
    assert_allclose(each.count, moments.count, rtol=1e-13)
    assert_allclose(each.mean, moments.mean, rtol=1e-13, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(**cases, cuts=st.lists(st.integers(0, 120), max_size=4), order=st.randoms(use_true_random=False))
def test_blocks_in_any_order_add_up_to_the_whole(seed, n, d, K, offset, weighted, cuts, order):
    X, y, w = draw(seed, n, d, K, offset, np.float64, weighted, False)
    edges = sorted({0, n, *(c for c in cuts if c < n)})
    blocks = [slice(a, b) for a, b in pairwise(edges)]
    order.shuffle(blocks)

    def added(summarize):
        parts = [summarize(X[b], y[b], None if w is None else w[b]) for b in blocks]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    whole, parts = class_moments(X, y, w, K), added(lambda *rows: class_moments(*rows, K))
    assert_allclose(parts.count, whole.count, rtol=1e-12)
    assert_allclose(parts.mean, whole.mean, rtol=1e-12, atol=1e-12)
    assert_allclose(parts.scatter, whole.scatter, rtol=1e-10, atol=1e-10)
    assert_allclose(parts.unweighted().scatter, whole.unweighted().scatter, rtol=1e-10, atol=1e-10)
    whole, parts = class_scatter(X, y, w, K, False), added(lambda *rows: class_scatter(*rows, K, False))
    assert_array_equal(parts.rows, whole.rows)
    assert_allclose(parts.scatter, whole.scatter, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("value", [0.1, 1e6 + 0.1, -3.3e-9])
def test_a_constant_column_has_a_scatter_of_exactly_zero(value):
    X = np.full((1000, 2), value)
    X[:, 1] = np.arange(1000)
    y, w = np.arange(1000) % 3, np.linspace(0.1, 7, 1000)
    moments = class_moments(X, y, w, 3) + class_moments(X[:10], y[:10], w[:10], 3)
    assert_array_equal(moments.scatter[:, 0], 0)
    assert_array_equal(moments.mean[:, 0], value)
    scatter = class_scatter(X, y, w, 3, True) + class_scatter(X[:10], y[:10], w[:10], 3, True)
    assert_array_equal(scatter.scatter[0, 0], 0)


def test_the_first_row_may_be_far_out():
    """The point the sums are taken about is a mean of several rows; one wild row costs few digits."""
    X = np.random.default_rng(0).normal(size=(2000, 1))
    X[0] = 1e8
    exact = sums_by_the_book(X[1:], np.zeros(1999, int), None, 1)
    far = class_moments(X, np.zeros(2000, int), None, 1)
    gap = 1e8 - exact[2][0, 0]
    assert_allclose(far.scatter[0, 0], exact[3][0, 0] + gap**2 * 1999 / 2000, rtol=1e-12)


def test_a_wild_row_of_weight_zero_is_not_there():
    X, w = np.array([[1e300], [1.0], [3.0]]), np.array([0.0, 1.0, 1.0])
    moments = class_moments(X, np.zeros(3, int), w, 1)
    assert moments.mean.item() == 2.0 and moments.scatter.item() == 2.0
    assert class_scatter(X, np.zeros(3, int), w, 1, True).scatter.item() == 2.0


def test_a_class_without_rows_is_empty_and_adds_nothing():
    X, y = np.array([[1.0], [3.0]]), np.array([0, 0])
    for part in (class_moments(X, y, None, 2), class_scatter(X, y, None, 2, False)):
        assert part.count[1] == 0 and part.mean[1] == 0 and part.scatter[1] == 0
        both = part + part
        assert both.count[1] == 0 and np.isfinite(both.mean).all() and both.mean[0] == 2.0


def test_weighted_and_unweighted_blocks_mix():
    """The total without weights counts all rows of both blocks."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    mixed = class_moments(X[:20], y[:20], rng.random(20), 2) + class_moments(X[20:], y[20:], None, 2)
    assert_allclose(mixed.unweighted().scatter[0], 50 * X.var(axis=0), rtol=1e-12)


@pytest.mark.parametrize("pooled", [True, False])
def test_squares_beyond_the_floats_are_left_for_the_learner_to_see(pooled):
    """No warning of NumPy; the scatter is not finite, which learners turn into a sentence."""
    X, y = 1e300 * np.random.default_rng(2).normal(size=(40, 2)), np.repeat([0, 1], 20)
    full = class_scatter(X, y, None, 2, pooled)
    for scatter in (full.scatter, (full + full).scatter, class_moments(X, y, None, 2).pooled().scatter):
        assert not np.isfinite(scatter).any()
    parts = class_moments(X[::2], y[::2], None, 2) + class_moments(X[1::2], y[1::2], None, 2)
    assert not np.isfinite(parts.scatter).any()
