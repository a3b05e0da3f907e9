"""The native loops of feature maps, against their twins in NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import random as random_sparse

import assay.kernels.approximations._feature_maps as native
from assay.core.csr import csr_arrays
from assay.core.sums import Block, DaskRows, Rows, Stream


@pytest.mark.parametrize("size", [1.0, 1e3, 9e5, 1e7, 1e300])
def test_a_cosine_is_that_of_the_library(size):
    A = np.random.default_rng(0).uniform(-size, size, (50, 37))
    A[0, :5] = [0.0, np.pi / 2, -np.pi / 2, np.pi, size]
    offset = np.linspace(-np.pi, np.pi, 37)
    expected = 1.5 * np.cos(A + offset)
    native.waves(A, offset, 1.5)
    assert_allclose(A, expected, rtol=0, atol=6e-16)


def sketch_by_the_book(X, place, sign, m):
    out = np.zeros((len(X), len(place), m))
    for i, row in enumerate(X):
        for t in range(len(place)):
            for j, x in enumerate(row):
                out[i, t, place[t, j]] += sign[t, j] * x
    return out.reshape(len(X), -1)


def test_a_sketch_of_dense_and_of_sparse_rows_is_that_of_the_book():
    random = np.random.default_rng(1)
    S = random_sparse(30, 12, 0.3, format="csr", random_state=0)
    place, sign = random.integers(0, 7, (3, 12)), random.choice([-1.0, 1.0], (3, 12))
    expected = sketch_by_the_book(S.toarray(), place, sign, 7)
    dense, sparse = np.zeros((30, 21)), np.zeros((30, 21))
    native.sketch(S.toarray(), place, sign, 7, dense)
    start, column, data = csr_arrays(S, np.float64)
    native.sketch_sparse(data, column, start, place, sign, sparse)
    assert_allclose(dense, expected, atol=1e-14)
    assert_allclose(sparse, expected, atol=1e-14)


def test_rows_are_taken_alike_from_memory_blocks_and_dask():
    import dask.array

    X = np.arange(40.0).reshape(20, 2)
    rows = np.array([17, 3, 4, 0, 11])
    stream = Stream([X[:7], X[7:8], X[8:]], Block)
    dask_rows = DaskRows(dask.array.from_array(X, chunks=(6, 2)), None, None, Block)
    for source in (Rows(X), stream, dask_rows):
        assert source.count() == 20
        assert_allclose(source.take(rows), X[rows])
