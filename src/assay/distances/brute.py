"""Neighbours by looking at every row, many at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.distances._nearest as _nearest
from assay.core.parallel import in_threads
from assay.distances.search import Searcher

__all__ = ["Brute"]

QUERIES = 256  # in one piece of work
ROWS = 2048  # of scores at once: 256 x 2048 fit the cache


class Brute(Searcher):
    """A linear scan: O(n d) a query, in any number of columns and for every metric."""

    method = "brute"

    def _nearest(self, Q: Any, k: int, leave_out_self: bool) -> tuple[np.ndarray, np.ndarray]:
        distances, rows = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), np.int64)

        def some(start: int) -> None:
            q = Q[start : start + QUERIES]
            stores = Stores(q.shape[0], k)
            for at in range(0, self.n, ROWS):
                found = self.metric.between(q, self.X[at : at + ROWS])
                stores.gather(found, at, start if leave_out_self else -1)
            stores.sorted(distances[start : start + QUERIES], rows[start : start + QUERIES])

        in_threads(some, range(0, Q.shape[0], QUERIES), 1 if self.metric.function else None)
        return distances, rows

    def _within(self, Q: Any, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        def some(start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            found = self.metric.between(Q[start : start + QUERIES], self.X)
            i, j = np.nonzero(found <= radius)
            return np.bincount(i, minlength=len(found)), j, found[i, j]

        pieces = in_threads(some, range(0, Q.shape[0], QUERIES), 1 if self.metric.function else None)
        counts, rows, distances = (np.concatenate(parts) for parts in zip(*pieces))
        return np.concatenate([[0], np.cumsum(counts)]), rows, distances


class Stores:
    """The candidates of some queries, as the kernels keep them."""

    def __init__(self, q: int, k: int, slack: np.ndarray | None = None):
        self.k = k
        self.slack = np.zeros(q) if slack is None else slack
        self.limit = np.full(q, np.inf)
        self.count = np.zeros(q, np.int64)
        self.store = np.empty((q, 2 * (2 * k + 64)), np.int64)

    def gather(self, scores: np.ndarray, offset: int, own: int) -> None:
        _nearest.gather(scores, offset, own, self.k, self.slack, self.limit, self.count, self.store)

    def sorted(self, distances: np.ndarray, rows: np.ndarray) -> None:
        _nearest.sorted(self.k, self.count, self.store, distances, rows)
