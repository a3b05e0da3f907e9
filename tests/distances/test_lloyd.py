"""Lloyd's steps and the seeds of k-means++: the native loops against NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay.distances._lloyd as native
import assay.distances.spread as spread_rows
from assay.distances.best_seeds import BestSeeds
from assay.distances.lloyd import half_gaps
from assay.distances.spread import spread


@pytest.mark.parametrize("k", [1, 3, 10, 17, 40])
def test_the_native_steps_are_those_of_the_book(k):
    """move() with its bounds, over several moves of the centres, against all distances."""
    rng = np.random.default_rng(k)
    X = rng.normal(size=(1203, 3))
    w = rng.uniform(0, 2, 1203)
    centers = X[:k].copy()
    groups = -(-k // 16)
    labels, upper, lower = np.full(1203, -1, np.int32), np.zeros(1203), np.zeros((1203, groups))
    counts, sums, shift = np.zeros(k), np.zeros((k, 3)), np.zeros(k)
    for _ in range(8):
        native.move(
            X=X, w=w, centers=centers, shift=shift, apart=half_gaps(centers), labels=labels, upper=upper, lower=lower,
            counts=counts, sums=sums,
        )  # fmt: skip
        expected = move_by_the_book(X, centers)
        assert_array_equal(labels, expected)
        assert_allclose(counts, np.bincount(expected, w, k), atol=1e-9)
        assert_allclose(sums, np.array([w * (expected == c) @ X for c in range(k)]), atol=1e-9)
        moved = np.where(counts[:, None] > 1e-9, sums / np.maximum(counts, 1e-9)[:, None], centers)
        shift, centers = np.linalg.norm(moved - centers, axis=1), moved
    out, gaps = np.empty(1203, np.int32), np.empty(1203)
    loss = native.label(
        X=X, w=w, centers=centers, labels=out, counts=np.empty(0), sums=np.empty((0, 3)), gaps=gaps
    )
    assert_array_equal(out, move_by_the_book(X, centers))
    assert_allclose(loss, w @ np.sum((X - centers[out]) ** 2, axis=1))


def move_by_the_book(X, centers):
    return np.argmin(((X[:, None] - centers[None]) ** 2).sum(axis=2), axis=1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", ["plain", "far from zero", "an outlier", "tiny", "copies", "a line"])
def test_seeds_by_single_precision_are_those_of_all_distances(case, weighted, monkeypatch):
    """best_seed() and strips() against measuring all rows, from the same draws."""
    rng = np.random.default_rng(len(case))
    X = rng.normal(size=(1003, 3)) + 3 * rng.integers(0, 4, (1003, 1))
    X = {
        "plain": X, "far from zero": X + 1e7, "an outlier": np.vstack([X, [[1e9, 0, 0]]]), "tiny": X * 1e-140,
        "copies": np.repeat(X[:60], 20, axis=0), "a line": np.column_stack([np.arange(1000.0), np.zeros(1000)]),
    }[case]  # fmt: skip
    w = rng.uniform(0, 3, len(X)) if weighted else None
    monkeypatch.setattr(spread_rows, "MANY_ROWS", 0)
    monkeypatch.setattr(spread_rows, "MANY_COORDINATES", 10**9)
    plain = [spread(X, w, 30, np.random.RandomState(seed))[1] for seed in range(5)]
    monkeypatch.setattr(spread_rows, "MANY_COORDINATES", 2)
    fast = [spread(X, w, 30, np.random.RandomState(seed))[1] for seed in range(5)]
    if case != "copies":  # of two points close together, either is worth the same, and rounding decides
        assert_array_equal(fast, plain)
    closest = ((X - X[0]) ** 2).sum(axis=1)
    search = BestSeeds.of(X, np.empty(0) if w is None else w, 0, closest.copy())
    some = rng.integers(0, len(X), 7)
    apart = np.minimum(((X[:, None] - X[some]) ** 2).sum(axis=2), closest[:, None])
    losses = (np.ones(len(X)) if w is None else w) @ apart
    best = search.take_best(some)
    assert_allclose(losses[best], losses.min(), rtol=1e-12)
    assert_allclose(search.closest, apart[:, best], rtol=1e-12, atol=1e-14 * closest.max())


@pytest.mark.parametrize("n", [1, 7, 512, 10_001, 15_000])
def test_rows_are_drawn_as_by_running_sums_of_all(n):
    """Twin: one running sum; and the first row is the one that NumPy chooses, with the same state after it."""
    for seed in range(20):
        draw, twin = np.random.RandomState(seed), np.random.RandomState(seed)
        assert spread_rows._first(n, None, draw) == twin.choice(n, p=np.full(n, 1 / n))
        masses = np.where(draw.uniform(size=n) < 0.5, 0.0, draw.uniform(size=n))
        masses[draw.randint(n)] = 1.0
        twin.set_state(draw.get_state())
        shares = draw.uniform(size=20)
        rows = spread_rows._drawn(masses, shares)
        assert_array_equal(rows, np.searchsorted(np.cumsum(masses), shares * masses.sum()))
        assert (masses[rows] > 0).all()
        assert_array_equal(shares, twin.uniform(size=20))


@pytest.mark.parametrize("K", [2, 3, 40, 300])
def test_half_the_gap_to_the_nearest_other_centre(K):
    """Twin: all distances at once by SciPy; a little less, so that it stays a bound."""
    from scipy.spatial.distance import cdist

    centers = np.random.default_rng(K).normal(size=(K, 500))
    gaps = cdist(centers, centers) + np.diag(np.full(K, np.inf))
    half = half_gaps(centers)
    assert_allclose(half, gaps.min(axis=1) / 2, rtol=1e-12)
    assert (half <= gaps.min(axis=1) / 2).all()
