"""The native functions of the preparations against their twins in NumPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.prepare.columns import columnwise, count_missing, extremes, fill_missing


def with_missing(seed, n, d, dtype, share=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    X[rng.random((n, d)) < share] = np.nan
    return X


shapes = given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 600),
    d=st.sampled_from([1, 2, 3, 7, 40, 300]),
    dtype=st.sampled_from([np.float64, np.float32]),
)


@shapes
@settings(max_examples=40, deadline=None)
def test_kernels_equal_their_numpy_twins(seed, n, d, dtype):
    X = with_missing(seed, n, d, dtype)
    value = np.arange(d, dtype=np.float64)
    low, high = extremes(X)
    assert_array_equal(low, np.fmin.reduce(X, axis=0, initial=np.inf))
    assert_array_equal(high, np.fmax.reduce(X, axis=0, initial=-np.inf))
    assert low.dtype == dtype
    assert_array_equal(count_missing(X), np.isnan(X).sum(axis=0))
    assert_array_equal(fill_missing(X, value), np.where(np.isnan(X), value.astype(dtype), X))


@shapes
@settings(max_examples=40, deadline=None)
def test_steps_in_pieces_equal_steps_on_the_whole(seed, n, d, dtype):
    X = with_missing(seed, n, d, dtype, share=0.1)
    a, b = np.linspace(-1, 1, d).astype(dtype), np.linspace(1, 2, d).astype(dtype)
    whole = (X - a) / b
    steps = [(np.subtract, a), (np.divide, b)]
    assert_array_equal(columnwise(X, steps), whole)
    assert_array_equal(columnwise(np.asfortranarray(X), steps), whole)
    assert_array_equal(columnwise(X, []), X)
    assert columnwise(X, steps, copy=False) is X
    assert_array_equal(X, whole)


def test_large_tables_go_through_threads_alike():
    X = with_missing(5, 80_000, 9, np.float64)
    a = np.arange(9.0)
    assert_array_equal(columnwise(X, [(np.subtract, a)]), X - a)
    assert_array_equal(fill_missing(X, a), np.where(np.isnan(X), a, X))


def test_a_read_only_array_is_not_written():
    X = with_missing(1, 10, 2, np.float64)
    X.flags.writeable = False
    filled = fill_missing(X, np.zeros(2), copy=False)
    assert filled is not X
    assert not np.isnan(filled).any()
