"""ReliefF: the native neighbours and the scores against plain loops, theory, missing values, samples."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import ParameterError
from assay.select import relieff
from assay.select.filters.relieff import _Differences
from assay.tables import Table


def mixed(n=50, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n) + y,
            "taste": np.array(["sour", "sweet", "salt"])[
                np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))
            ],
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
        }
    )
    return frame, y


def with_missing(frame, seed=1):
    rng = np.random.default_rng(seed)
    frame = frame.copy()
    for name in ("number", "taste"):
        frame.loc[rng.random(len(frame)) < 0.25, name] = None
    return frame


def diffs_by_the_book(table, y):
    """(n, n, d) the diffs of all pairs, missing values by class-conditional expectations."""
    X, (n, d) = table.values, table.shape
    diff = np.empty((n, n, d))
    for j, column in enumerate(table.schema):
        nominal = column.kind == "nominal"
        x = X[:, j] if nominal else X[:, j] / (np.nanmax(X[:, j]) - np.nanmin(X[:, j]))
        for a in range(n):
            for b in range(n):
                left = [x[a]] if not np.isnan(x[a]) else x[(y == y[a]) & ~np.isnan(x)]
                right = [x[b]] if not np.isnan(x[b]) else x[(y == y[b]) & ~np.isnan(x)]
                pairs = [float(u != v) if nominal else abs(u - v) for u in left for v in right]
                diff[a, b, j] = np.mean(pairs)
    return diff


def scores_by_the_book(diff, y, k):
    n, K = len(y), y.max() + 1
    prior, scores = np.bincount(y) / n, np.zeros(diff.shape[2])
    distance = diff.sum(axis=2)
    for i in range(n):
        for c in range(K):
            rows = np.array([r for r in np.flatnonzero(y == c) if r != i])
            near = rows[np.lexsort((rows, distance[i, rows].round(12)))][:k]
            factor = -1 if c == y[i] else prior[c] / (1 - prior[y[i]])
            scores += factor * diff[i, near].mean(axis=0)
    return scores / n


@pytest.mark.parametrize("missing", [False, True])
def test_scores_are_those_of_plain_loops(missing):
    frame, y = mixed()
    frame = with_missing(frame) if missing else frame
    expected = scores_by_the_book(diffs_by_the_book(Table.of(frame), y), y, 5)
    assert_allclose(relieff(frame, y, n_neighbors=5).scores, expected, rtol=1e-9, atol=1e-12)


def test_native_neighbours_are_those_of_plain_loops():
    frame, y = mixed()
    table = Table.of(with_missing(frame))
    distance = diffs_by_the_book(table, y).sum(axis=2)
    measure = _Differences(table.values, table.schema, y, None)
    rows, share = measure.nearest(np.arange(50), 4, True)
    for i in range(50):
        for c in range(3):
            others = np.array([r for r in np.flatnonzero(y == c) if r != i])
            nearest = np.sort(distance[i, others])[:4]
            assert_allclose(distance[i, rows[3 * i + c]], nearest, atol=1e-12)
    assert (share == 1).all()


def test_a_target_of_numbers():
    """RReliefF by its three sums (Robnik-Sikonja and Kononenko 2003)."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    y = X[:, 0] + 2 * X[:, 1]
    diff = np.abs(X[:, None] - X[None]) / np.ptp(X, axis=0)
    dy = np.abs(y[:, None] - y) / np.ptp(y)
    distance = diff.sum(axis=2) + np.diag(np.full(60, np.inf))
    both, column, target = np.zeros(3), np.zeros(3), 0.0
    for i in range(60):
        near = np.argsort(distance[i], kind="stable")[:7]
        target += dy[i, near].mean()
        column += diff[i, near].mean(axis=0)
        both += (dy[i, near, None] * diff[i, near]).mean(axis=0)
    expected = both / target - (column - both) / (60 - target)
    result = relieff(X, y, n_neighbors=7)
    assert_allclose(result.scores, expected, rtol=1e-10)
    assert result.order[0] == 1


def test_columns_that_tell_only_together_are_seen():
    X = np.random.default_rng(0).random((300, 4))
    result = relieff(X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5))
    assert set(result.order[:2].tolist()) == {0, 1} and result.scores[:2].min() > 4 * result.scores[2:].max()


def test_drawn_rows_and_few_rows():
    X, y = np.random.default_rng(0).random((80, 3)), np.arange(80) % 2
    some = relieff(X, y, n_iterations=20, random_state=3)
    assert_array_equal(some.scores, relieff(X, y, n_iterations=20, random_state=3).scores)
    assert not np.allclose(some.scores, relieff(X, y).scores)
    assert_array_equal(relieff(X, y, n_iterations=80).scores, relieff(X, y).scores)
    assert relieff(X[:2], [0, 1]).scores.shape == (3,)
    assert (relieff(X[:3], [0, 0, 0]).scores <= 0).all()  # hits alone
    with pytest.raises(ParameterError, match="n_neighbors"):
        relieff(X, y, n_neighbors=0)


def test_the_number_of_threads_does_not_matter(monkeypatch):
    X, y = np.random.default_rng(0).random((600, 4)), np.arange(600) % 3
    results = []
    for n in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", n)
        results.append(relieff(X, y).scores)
    assert_array_equal(*results)
