"""Rows that lie apart, from which k-means begins (k-means++)."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.distances._lloyd as _lloyd
from assay.distances.best_seeds import BestSeeds

__all__ = ["spread"]

NO_NUMBERS = np.empty(0)
MANY_ROWS, MANY_SEEDS = 2_000, 8  # from which on rows are looked at in single precision first
ROUNDS_IN_FULL = 2  # before that, when new seeds still come nearer to many rows


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
    room = np.empty(
        (max(trials, 1), 0 if sparse else n)
    )  # the same for all: new memory costs more than the distances
    rows = np.empty(K, dtype=np.int64)
    rows[0] = draw.choice(n, p=weights / weights.sum())

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

    out, potential = tried(rows[:1], NO_NUMBERS)
    closest, total = out[0].copy(), potential[0]
    chances = np.empty(n)
    search: BestSeeds | None = None
    for k in range(1, K):
        if k == ROUNDS_IN_FULL and not sparse and n >= MANY_ROWS and K >= MANY_SEEDS:
            search = BestSeeds.of(numbers, NO_NUMBERS if w is None else weights, closest)
        np.cumsum(closest if w is None else weights * closest, out=chances)
        total = chances[-1] if search else total
        some = np.minimum(np.searchsorted(chances, draw.uniform(size=trials) * total), n - 1)
        if search:
            rows[k] = some[search.take_best(some)]
            continue
        out, potential = tried(some, closest)
        best = int(np.argmin(potential))
        closest[:] = out[best]
        total, rows[k] = potential[best], some[best]
    seeds = X[rows].toarray() if sparse else X[rows]
    return np.asarray(seeds, dtype=np.float64), rows
