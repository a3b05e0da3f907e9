"""Neighbours given by a sparse graph of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.csr import csr_arrays
from assay.distances.search import Searcher
from assay.errors import DataError

__all__ = ["Graph"]


class Graph(Searcher):
    """Entry (q, i) of a sparse matrix is the distance of query q to stored row i; what has no entry is no neighbour."""

    method = "brute"

    def _nearest(self, Q: Any, k: int, leave_out_self: bool) -> tuple[np.ndarray, np.ndarray]:
        start, rows, distances, query = self._edges(Q)
        if leave_out_self:
            kept = rows != query
            start = np.concatenate([[0], np.cumsum(kept)])[start]
            rows, distances, query = rows[kept], distances[kept], query[kept]
        fewest = int(np.diff(start).min(initial=k))
        if fewest < k:
            raise DataError(
                f"precomputed: {k} neighbors per samples are required, but some samples have only {fewest} neighbors "
                "in the graph. Make it with more neighbours, or ask for fewer."
            )
        order = np.lexsort((rows, distances, query))
        first = order[(start[:-1, None] + np.arange(k)).ravel()]
        return distances[first].reshape(-1, k), rows[first].reshape(-1, k)

    def _within(self, Q: Any, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        _, rows, distances, query = self._edges(Q)
        kept = distances <= radius
        rows, distances, query = rows[kept], distances[kept], query[kept]
        order = np.lexsort((rows, query))
        counts = np.bincount(query, minlength=Q.shape[0])
        return np.concatenate([[0], np.cumsum(counts)]), rows[order], distances[order]

    def _edges(self, Q: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Where the entries of each query begin, their columns, values and queries."""
        if Q.shape[1] != self.n:
            raise DataError(
                f"precomputed: each row must hold its distances to the {self.n} stored rows, got {Q.shape[1]} columns."
            )
        if isinstance(Q, np.ndarray):  # distances to all rows: every one is an entry
            start = np.arange(0, Q.size + 1, self.n)
            rows, distances = np.tile(np.arange(self.n), len(Q)), Q.astype(np.float64).ravel()
        else:
            start, rows, distances = csr_arrays(Q.tocsr(), np.float64)
        if (distances < 0).any():
            raise DataError("precomputed: Negative values in data: distances must not be below 0.")
        return start, rows.astype(np.int64), distances, np.repeat(np.arange(Q.shape[0]), np.diff(start))
