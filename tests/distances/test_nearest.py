"""The native code of candidates: its twin, its slack, and arrays that do not fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

import assay.distances._nearest as _nearest
from assay.distances.brute import Stores
from assay.distances.search import searcher

RNG = np.random.default_rng(5)


def by_the_book(scores, k):
    rows = np.argsort(scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(scores, rows, axis=1), rows


@settings(max_examples=50, deadline=None)
@given(
    scores=arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 400)), elements=st.integers(0, 20)),
    k=st.integers(1, 20),
    block=st.integers(1, 100),
)
def test_blocks_of_scores_give_the_smallest_in_order(scores, k, block):
    k = min(k, scores.shape[1])
    stores = Stores(len(scores), k)
    for at in range(0, scores.shape[1], block):
        stores.gather(np.ascontiguousarray(scores[:, at : at + block]), at, -1)
    distances, rows = np.empty((len(scores), k)), np.empty((len(scores), k), np.int64)
    stores.sorted(distances, rows)
    expected = by_the_book(scores, k)
    assert_array_equal(rows, expected[1])
    assert_array_equal(distances, expected[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wrong_scores_within_the_slack_do_no_harm(dtype):
    X, Q = RNG.normal(size=(2000, 3)).astype(dtype), RNG.normal(size=(50, 3)).astype(dtype)
    D = ((Q[:, None].astype(float) - X) ** 2).sum(axis=2)
    wrong = D + RNG.uniform(-1e-3, 1e-3, D.shape)
    stores = Stores(50, 5, np.full(50, 2.1e-3))
    stores.gather(wrong.astype(dtype), 0, -1)
    distances, rows = np.empty((50, 5)), np.empty((50, 5), np.int64)
    stores.settle(Q, X, 2.0, distances, rows)
    assert_array_equal(rows, by_the_book(D, 5)[1])
    assert_allclose(distances**2, by_the_book(D, 5)[0], rtol=1e-12)


def test_a_store_is_given_up_when_too_many_are_equally_near():
    stores = Stores(1, 2, np.array([1.0]))
    stores.gather(np.zeros((1, 1000)), 0, -1)
    assert stores.count[0] == -1


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, 2.5, np.inf])
def test_pairs_and_scans_compute_the_formula(p):
    X, Q = RNG.normal(size=(30, 7)), RNG.normal(size=(4, 7))
    gaps = np.abs(Q[:, None] - X)
    expected = gaps.max(axis=2) if np.isinf(p) else (gaps**p).sum(axis=2) ** (1 / p)
    q, x = (part.ravel() for part in np.indices((4, 30)))
    out = np.empty(120)
    _nearest.pairs(Q, X, q, x, p, out)
    assert_allclose(out.reshape(4, 30), expected, rtol=1e-12)
    stores = Stores(4, 3)
    stores.scan(Q, X[:10], p, 0, 0)  # query i is row i, and left out
    stores.scan(Q, X[10:], p, 10, 0)
    distances, rows = np.empty((4, 3)), np.empty((4, 3), np.int64)
    stores.settle(Q, X, p, distances, rows)
    np.fill_diagonal(expected, np.inf)
    assert_array_equal(rows, by_the_book(expected, 3)[1])
    assert_allclose(distances, by_the_book(expected, 3)[0], rtol=1e-12)


def test_arrays_that_do_not_fit_are_refused():
    X, out = np.zeros((3, 2)), np.empty(1)
    one = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="a row number lies outside"):
        _nearest.pairs(X, X, one, one + 3, 2.0, out)
    with pytest.raises(ValueError, match="shapes do not fit"):
        _nearest.pairs(X, np.zeros((3, 1)), one, one, 2.0, out)
    with pytest.raises(ValueError, match="one store for each query"):
        Stores(2, 1).gather(X, 0, -1)
    small = Stores(3, 1)
    small.store = np.empty((3, 4), np.int64)
    with pytest.raises(ValueError, match="too small"):
        small.gather(X, 0, -1)
    full = Stores(3, 1)
    full.count[:] = 1000
    with pytest.raises(ValueError, match="overfull"):
        full.gather(X, 0, -1)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("n, d", [(1, 1), (3, 4), (5, 7), (12, 30), (64, 3)])
def test_the_closest_of_a_few_points_is_that_of_the_scan(p, n, d, monkeypatch):
    rng = np.random.default_rng(n * d)
    search = searcher(rng.integers(-3, 4, size=(n, d)) / 3.0, f"l{p}", "brute")  # with ties
    Q = rng.integers(-4, 5, size=(500, d)) / 3.0
    assert search._few
    distances, rows = search.nearest(Q)
    monkeypatch.setattr(type(search), "_few", False)
    expected = search.nearest(Q)
    np.testing.assert_array_equal(distances, expected[0])  # bit for bit
    np.testing.assert_array_equal(rows, expected[1])  # the lower of equals


def test_the_closest_refuses_shapes_that_do_not_fit():
    Q, row = np.zeros((2, 3)), np.empty(2, np.int64)
    for shape, n, p in [
        ((2, 4), 1, 2.0),
        ((3, 4), 5, 2.0),
        ((3, 5), 5, 2.0),
        ((3, 4), 0, 2.0),
        ((3, 4), 1, 3.0),
    ]:
        with pytest.raises(ValueError, match="shapes do not fit"):
            _nearest.closest(Q, np.zeros(shape), n, p, row)
