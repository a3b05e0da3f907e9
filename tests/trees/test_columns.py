"""Ranks of columns: against NumPy's unique, for every kind of table."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.core import parallel
from assay.trees.columns import rank_columns


def ranks_by_the_book(x):
    """Dense ranks; missing has the rank behind the last."""
    values = np.unique(x[~np.isnan(x)])
    ranks = np.searchsorted(values, x)
    ranks[np.isnan(x)] = len(values)
    return ranks, values


def check(columns, X):
    for j, x in enumerate(X.T):
        ranks, values = ranks_by_the_book(x)
        assert_array_equal(columns.ranks[j], ranks)
        assert_array_equal(columns.values[columns.start[j] : columns.start[j + 1]], values)
        assert columns.has_missing[j] == np.isnan(x).any()
        key = columns.order[j]
        assert_array_equal(key >> np.uint64(32), np.sort(ranks))
        assert_array_equal(np.sort(key & np.uint64(0xFFFFFFFF)), np.arange(len(x)))
        assert_array_equal(ranks[(key & np.uint64(0xFFFFFFFF)).astype(int)], np.sort(ranks))


numbers = st.one_of(
    st.floats(allow_infinity=False, allow_nan=True),
    st.integers(-3, 3).map(float),
    st.sampled_from([0.0, -0.0]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=60), st.booleans())
def test_ranks_are_those_of_the_distinct_numbers(rows, presorted):
    X = np.array(rows, dtype=np.float64)
    check(rank_columns(X, presorted=presorted), X)


@pytest.mark.parametrize("n", [1, 24, 25, 3000, 9000])
def test_every_way_of_sorting(n):
    """Insertion up to 24 rows, buckets up to 8192, radix beyond; crowded buckets; runs of equal upper halves."""
    rng = np.random.default_rng(n)
    one = np.nextafter(1.0, 2.0)
    crowded = np.where(rng.random(n) < 0.9, 1 + 1e-9 * rng.random(n), rng.normal(size=n) * 1e6)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), crowded, rng.choice([1.0, one], n)])
    X[rng.random(X.shape) < 0.1] = np.nan
    check(rank_columns(X), X)
    check(rank_columns(X, presorted=False), X)


def test_dense_sparse_single_precision_and_column_major_rank_alike():
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (200, 19)).astype(np.float64)
    for other in (
        sp.csr_matrix(X),
        sp.csc_array(X),
        X.astype(np.float32),
        np.asfortranarray(X),
        X.astype(int),
    ):
        check(rank_columns(other), X)


def test_categories_are_ranked_by_their_codes():
    X = np.array([[2.0], [0.0], [np.nan], [2.0]])
    columns = rank_columns(X, [4])
    assert_array_equal(columns.ranks, [[2, 0, 4, 2]])
    assert_array_equal(columns.values, [0, 1, 2, 3])


def test_a_code_that_is_no_category_is_refused():
    with pytest.raises(ValueError, match="category code"):
        rank_columns(np.array([[3.0]]), [3])


def test_threads_do_not_change_ranks(monkeypatch):
    X = np.random.default_rng(0).normal(size=(5000, 30)).round(1)
    alone = rank_columns(X)
    monkeypatch.setattr(parallel, "threads", lambda limit=None: 4)
    assert_array_equal(rank_columns(X).order, alone.order)
    assert_array_equal(rank_columns(X, presorted=False).ranks, alone.ranks)
