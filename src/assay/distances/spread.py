"""Rows that lie apart, from which k-means begins (k-means++)."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.distances._lloyd as _lloyd
from assay.distances.best_seeds import BestSeeds

__all__ = ["spread"]

NO_NUMBERS = np.empty(0)
MANY_ROWS, MANY_COORDINATES = (
    2_000,
    150,
)  # of all seeds, from which on rows are looked at in single precision first
ROWS_OF_A_SUM, ROWS_IN_ONE_SUM = 512, 10_000  # whose chances are added up at a time


def spread(
    X: Any, w: np.ndarray | None, K: int, draw: np.random.RandomState, trials: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(K, d) rows of X, dense or sparse, and their numbers: each drawn by its squared distance from those before.

    Of ``trials`` draws, None is 2 + log K, the one that lowers the sum of the distances most.

    >>> import numpy as np
    >>> from assay.distances.spread import spread
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> sorted(spread(X, None, 2, np.random.RandomState(0))[0].ravel().tolist())
    [1.0, 9.0]
    """
    sparse = hasattr(X, "tocsr")
    n = X.shape[0]
    numbers = X if sparse else np.ascontiguousarray(X, dtype=np.float64)
    weights = np.ones(n) if w is None else np.asarray(w, dtype=np.float64)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse else None
    trials = 2 + int(np.log(K)) if trials is None else trials
    rows = np.empty(K, dtype=np.int64)
    rows[0] = _first(n, w, draw)
    room = np.empty((1, 0 if sparse else n))

    def tried(some: np.ndarray, closest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if sparse:
            assert squares is not None
            cross = np.asarray((X[some] @ X.T).todense())
            out = np.maximum(squares[some][:, None] + squares - 2 * cross, 0.0)
            out = np.minimum(out, closest) if len(closest) else out
            return out, out @ weights
        out, potential = room[: len(some)], np.empty(len(some))
        _lloyd.try_seeds(numbers, NO_NUMBERS if w is None else weights, some, closest, out, potential)
        return out, potential

    closest = tried(rows[:1], NO_NUMBERS)[0][0]
    search: BestSeeds | None = None
    if not sparse and n >= MANY_ROWS and K * X.shape[1] >= MANY_COORDINATES:
        search = BestSeeds.of(numbers, NO_NUMBERS if w is None else weights, int(rows[0]), closest)
    if search is None and not sparse:  # the same for all: new memory costs more than the distances
        room = np.empty((max(trials, 1), n))
    for k in range(1, K):
        some = _drawn(closest if w is None else weights * closest, draw.uniform(size=trials))
        if search:
            rows[k] = some[search.take_best(some)]
            continue
        out, potential = tried(some, closest)
        best = int(np.argmin(potential))
        closest[:] = out[best]
        rows[k] = some[best]
    seeds = X[rows].toarray() if sparse else X[rows]
    return np.asarray(seeds, dtype=np.float64), rows


def _first(n: int, w: np.ndarray | None, draw: np.random.RandomState) -> int:
    """A row by its weight, as ``draw.choice`` gives it; without weights by a product, unless that leaves a doubt."""
    if w is not None:
        return int(draw.choice(n, p=w / w.sum()))
    share = draw.random_sample()
    place = n * share
    if abs(place - round(place)) > 1e-9 + 1e-15 * n * n:  # running sums of 1/n are wrong by less
        return int(place)
    sums = np.cumsum(np.full(n, 1 / n))
    return int(np.searchsorted(sums / sums[-1], share, side="right"))


def _drawn(masses: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The rows at which the running sums of masses reach some shares of their total.

    >>> import numpy as np
    >>> from assay.distances.spread import _drawn
    >>> _drawn(np.array([1.0, 0.0, 2.0, 1.0]), np.array([0.0, 0.25, 0.26, 0.75, 0.99])).tolist()
    [0, 0, 2, 2, 3]
    """
    if len(masses) <= ROWS_IN_ONE_SUM:
        sums = np.cumsum(masses)
        return np.searchsorted(sums, shares * sums[-1])
    starts = np.arange(0, len(masses), ROWS_OF_A_SUM)
    ends = np.cumsum(np.add.reduceat(masses, starts))
    rows = np.empty(len(shares), dtype=np.int64)
    for i, mass in enumerate((shares * ends[-1]).tolist()):
        block = min(int(np.searchsorted(ends, mass)), len(ends) - 1)
        sums = np.cumsum(masses[starts[block] : starts[block] + ROWS_OF_A_SUM])
        if block:
            sums += ends[block - 1]
        rows[i] = starts[block] + np.searchsorted(sums, min(mass, sums[-1]))
    return rows
