"""Counts and sums per class: the native functions against their twins, and sums that add."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix

from assay.bayes import _counts
from assay.bayes.counts import CategoryCounts, FeatureSums, category_counts, extent, feature_sums, weigh
from assay.tables import Column, Schema


def counts_by_the_book(X, y, w, K, width):
    tables = [np.zeros((m, K)) for m in width]
    for i in range(len(X)):
        for j, m in enumerate(width):
            if X[i, j] >= 0 and X[i, j] < m:  # NaN is neither
                tables[j][int(X[i, j]), y[i]] += w[i]
    return np.concatenate(tables)


def logs_by_the_book(X, start, table):
    out = np.zeros((len(X), table.shape[1]))
    for i in range(len(X)):
        for j in range(X.shape[1]):
            if 0 <= X[i, j] < start[j + 1] - start[j]:
                out[i] += table[start[j] + int(X[i, j])]
    return out


def sums_by_the_book(X, y, w, K, threshold):
    values = X if threshold is None else (threshold < X).astype(float)
    return np.array([(w * (y == k)) @ values for k in range(K)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("K", [1, 2, 3, 5])
def test_kernels_and_twins_agree(dtype, K):
    rng = np.random.default_rng(K)
    n, width = 200, np.array([3, 1, 0, 5])
    X = rng.integers(-1, 7, (n, 4)).astype(dtype)
    X[rng.random((n, 4)) < 0.2] = np.nan
    y, w = rng.integers(0, K, n), rng.uniform(0, 2, n)
    sums = category_counts(X, y, w, K, width)
    assert_allclose(sums.cells, counts_by_the_book(X, y, w, K, width), rtol=1e-12)
    assert_array_equal(
        category_counts(X, y, None, K, width).cells, counts_by_the_book(X, y, np.ones(n), K, width)
    )
    table, out = rng.normal(size=(9, K)), np.zeros((n, K))
    _counts.look_up(X, sums.start, table, out)
    assert_allclose(out, logs_by_the_book(X, sums.start, table), rtol=1e-12, atol=1e-12)
    low, high, broken = extent(X)
    assert_array_equal(low, np.nanmin(X, axis=0))
    assert_array_equal(high, np.nanmax(X, axis=0))
    assert not broken.any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("threshold", [None, 0.0, 1.5])
def test_dense_and_sparse_sums_agree_with_the_twin(dtype, threshold):
    rng = np.random.default_rng(7)
    X = (rng.poisson(0.7, (90, 6)) * 0.5).astype(dtype)
    y, w = rng.integers(0, 3, 90), rng.uniform(0, 2, 90)
    expected = sums_by_the_book(X, y, w, 3, threshold)
    dense, lowest = feature_sums(X, y, w, 3, threshold)
    assert_allclose(dense.feature_count, expected, rtol=1e-12)
    assert threshold is not None or lowest == 0
    for container in (csr_matrix, csr_array):
        S = container(X)
        for index in (np.int32, np.int64):
            S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
            assert_allclose(feature_sums(S, y, w, 3, threshold)[0].feature_count, expected, rtol=1e-12)
    assert feature_sums(csr_matrix(-X), y, None, 3)[1] < 0
    assert feature_sums(-X, y, None, 3)[1] < 0


def test_numbers_that_are_not_whole_are_counted_per_column():
    low, high, broken = extent(np.array([[0.0, 1.5], [2.0, np.nan], [1.0, 2.5]]))
    assert broken.tolist() == [0, 2]
    assert low.tolist() == [0, 1.5] and high.tolist() == [2, 2.5]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.integers(1, 3), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_counts_of_two_blocks_add_to_the_counts_of_both(n, K, seed, cut):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, (n, 3)).astype(float), rng.integers(0, K, n)
    c = int(cut * n)

    def block(rows):  # as wide as its own highest code
        width = np.array([int(max(X[rows, j], default=-1)) + 1 for j in range(3)])
        return category_counts(X[rows], y[rows], None, K, width)

    a, b, both = block(slice(0, c)), block(slice(c, n)), block(slice(0, n))
    for total in (a + b, b + a):
        assert_array_equal(total.cells, both.cells)
        assert_array_equal(total.width, both.width)
        assert_array_equal(total.class_count, both.class_count)
        assert_array_equal(total.observed().sum(axis=1), np.full(3, n))


def test_counts_move_with_their_categories():
    old = Schema([Column("taste", "nominal", ("sour", "sweet")), Column("size")])
    new = Schema([Column("taste", "nominal", ("bitter", "sour", "sweet")), Column("size")])
    sums = CategoryCounts(np.array([3.0]), np.array([2, 1]), np.array([[1.0], [2.0], [5.0]]))
    assert sums.recode(old, new).cells.ravel().tolist() == [0, 1, 2, 5]
    design = FeatureSums(np.array([3.0]), np.array([[1.0, 2.0, 7.0]]))
    assert design.recode(old, new).feature_count.tolist() == [[0, 1, 2, 7]]


def test_a_class_that_saw_nothing_finds_all_categories_equally_probable():
    sums = CategoryCounts(np.array([2.0, 0.0]), np.array([2]), np.array([[2.0, 0.0], [0.0, 0.0]]))
    assert_allclose(np.exp(sums.logs(0.0)), [[1, 0.5], [0, 0.5]], rtol=1e-15)


def test_zero_times_the_log_of_zero_is_zero():
    logs = np.log(np.array([[0.5, 0.5, 1.0], [1.0, 1.0, 1.0]]))
    logs[1, 0] = -np.inf
    X = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 0.0]])
    for rows in (X, csr_matrix(X)):
        assert_allclose(weigh(rows, logs), [[np.log(0.25), 0.0], [np.log(0.5), -np.inf]])
