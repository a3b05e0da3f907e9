"""Nearest-neighbour search by brute force, in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.distances._nearest as _nearest
from assay.core.parallel import in_threads
from assay.distances.metric import Metric
from assay.distances.search import Searcher

__all__ = ["Brute", "Stores", "points_of"]

QUERIES = 256  # in one piece of work
SCAN_POINTS = 64  # points that are all compared with a query at once
ROWS = 2048  # of scores at once: 256 x 2048 of them fit the cache


class Brute(Searcher):
    r"""A linear scan: O(n d) a query, in any number of columns and for every metric.

    For Euclid's distance all scores of a block come from one product of matrices,

    .. math:: s_{qi} = \|x_i\|^2 - 2\, q \cdot x_i = \|q - x_i\|^2 - \|q\|^2 \quad (1)

    of rows about their mean. Rounding makes a score wrong by at most

    .. math:: e_q = (d + 8)\, u\, (\|q\| + \max_i \|x_i\|)^2 \quad (2)

    (u is half the distance from 1 to the next number), so every row whose score is within :math:`2 e_q` of the k-th
    smallest is looked at once more, and the distances come from the differences themselves. This holds for single
    precision as well, where the product takes half the time.
    """

    method = "brute"

    def __init__(self, X: Any, metric: Metric):
        super().__init__(X, metric)
        dense = isinstance(X, np.ndarray)
        self.points = points_of(metric, X) if dense and metric.power is not None else None
        self.product = _Product(self.points) if self.points is not None and metric.power == 2 else None
        self.prepared = None if self.points is not None or metric.precomputed else metric._prepared(X)

    def _nearest(self, Q: Any, k: int, leave_out_self: bool) -> tuple[np.ndarray, np.ndarray]:
        distances, rows = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), np.int64)
        asked = self._asked(Q)
        if k == 1 and not leave_out_self and self._few:
            return self._closest(asked)
        search = self._by_distances if self.points is None else self._by_points

        def some(start: int) -> None:
            here = slice(start, start + QUERIES)
            search(asked[here], start if leave_out_self else -1, k, distances[here], rows[here])

        in_threads(some, range(0, Q.shape[0], QUERIES), 1 if self.metric.function else None)
        return (self.metric.finish(distances) if self.points is not None else distances), rows

    @property
    def _few(self) -> bool:
        """Whether the points are so few that each query is compared with all of them at once."""
        points = self.points
        return (
            points is not None
            and len(points) <= SCAN_POINTS
            and points.shape[1] < 10_000
            and points.dtype == np.float64
            and self.metric.power in (1, 2)
        )

    def _closest(self, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest of a few points."""
        assert self.points is not None and self.metric.power is not None
        points, n, p = self.points, len(self.points), float(self.metric.power)
        columns = np.zeros((points.shape[1], -(-n // 4) * 4))
        columns[:, :n] = points.T
        distances, rows = np.empty(len(Q)), np.empty(len(Q), np.int64)

        def some(start: int) -> None:
            here = slice(start, start + 32 * QUERIES)
            asked, nearest = Q[here], rows[here]
            _nearest.closest(asked, columns, n, p, nearest)
            _nearest.pairs(asked, points, np.arange(len(asked)), nearest, p, distances[here])

        in_threads(some, range(0, len(Q), 32 * QUERIES))
        return self.metric.finish(distances)[:, None], rows[:, None]

    def _asked(self, Q: Any) -> Any:
        """The queries as the search wants them."""
        if self.points is not None:
            return self.points if Q is self.X else points_of(self.metric, Q, self.points.dtype)
        if self.metric.precomputed:
            return self.metric.between(Q, self.X)
        return self.prepared if Q is self.X else self.metric._prepared(Q)

    def _by_points(
        self, Q: np.ndarray, first_row: int, k: int, distances: np.ndarray, rows: np.ndarray
    ) -> None:
        """Neighbours among points of a Minkowski space."""
        p = float(self.metric.power)  # type: ignore[arg-type]
        if self.product is None or not self.product.safe(Q):
            self._by_scan(Q, first_row, k, distances, rows)
            return
        assert self.points is not None
        asked, slack = self.product.asked(Q)
        stores = Stores(len(Q), k, slack)
        for at in range(0, self.n, ROWS):
            stores.gather(self.product.scores(asked, at), at, first_row)  # (1)
        stores.settle(Q, self.points, p, distances, rows)
        for q in np.flatnonzero(
            stores.count < 0
        ).tolist():  # more rows are about equally near than a store holds
            here = slice(q, q + 1)
            self._by_scan(Q[here], first_row + q if first_row >= 0 else -1, k, distances[here], rows[here])

    def _by_scan(
        self, Q: np.ndarray, first_row: int, k: int, distances: np.ndarray, rows: np.ndarray
    ) -> None:
        """Neighbours from the differences of all pairs."""
        stores, p = Stores(len(Q), k), float(self.metric.power)  # type: ignore[arg-type]
        assert self.points is not None
        for at in range(0, self.n, 16 * ROWS):
            stores.scan(Q, self.points[at : at + 16 * ROWS], p, at, first_row)
        stores.settle(Q, self.points, p, distances, rows)

    def _by_distances(self, Q: Any, first_row: int, k: int, distances: np.ndarray, rows: np.ndarray) -> None:
        """Neighbours from the distances of all pairs."""
        stores = Stores(Q.shape[0], k)
        for at in range(0, self.n, ROWS):
            stores.gather(self._apart(Q, at), at, first_row)
        stores.sorted(distances, rows)

    def _apart(self, Q: Any, at: int) -> np.ndarray:
        """(q, ROWS) the distances to the rows from ``at`` on."""
        if self.prepared is None:
            return np.ascontiguousarray(Q[:, at : at + ROWS])
        return np.ascontiguousarray(self.metric._block(Q, self.prepared[at : at + ROWS]))

    def _within(self, Q: Any, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        asked = self._asked(Q)
        find = self._near_distances if self.points is None else self._near_points

        def some(start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            return find(asked[start : start + QUERIES], radius)

        pieces = in_threads(some, range(0, Q.shape[0], QUERIES), 1 if self.metric.function else None)
        counts, rows, distances = (np.concatenate(parts) for parts in zip(*pieces))
        return np.concatenate([[0], np.cumsum(counts)]), rows, distances

    def _near_distances(self, Q: Any, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        hits = []
        for at in range(0, self.n, ROWS):
            apart = self._apart(Q, at)
            q, row = np.nonzero(apart <= radius)
            hits.append((q, row + at, apart[q, row]))
        return _by_query(hits, Q.shape[0])

    def _near_points(self, Q: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        p, hits = float(self.metric.power), []  # type: ignore[arg-type]
        assert self.points is not None
        asked, farthest = None, None
        if self.product is not None and self.product.safe(Q):
            asked, slack = self.product.asked(Q)
            size = np.einsum("ij,ij->i", asked[:, :-1], asked[:, :-1], dtype=np.float64) / 4
            with np.errstate(over="ignore"):  # a radius beyond every row
                farthest = (np.square(self.metric.begin(radius)) - size + slack)[:, None]
        for at in range(0, self.n, ROWS):
            if asked is None:
                q, row = (part.ravel() for part in np.indices((len(Q), min(ROWS, self.n - at))))
            else:
                q, row = np.nonzero(self.product.scores(asked, at) <= farthest)  # type: ignore[union-attr]
            apart = np.empty(len(q))
            _nearest.pairs(Q, self.points, q, row + at, p, apart)
            apart = self.metric.finish(apart)
            kept = apart <= radius
            hits.append((q[kept], row[kept] + at, apart[kept]))
        return _by_query(hits, len(Q))


class _Product:
    """The scores of (1), from one product of matrices."""

    def __init__(self, points: np.ndarray):
        self.dtype = points.dtype
        with np.errstate(over="ignore", invalid="ignore"):
            self.mean = points.mean(axis=0, dtype=np.float64)
            self.rows = np.empty((len(points), points.shape[1] + 1), self.dtype)
            self.rows[:, :-1] = points - self.mean
            squares = np.einsum("ij,ij->i", self.rows[:, :-1], self.rows[:, :-1], dtype=np.float64)
            self.rows[:, -1] = squares
        self.largest = float(np.sqrt(squares.max()))
        self.most = float(np.sqrt(np.finfo(self.dtype).max)) / 8

    def safe(self, Q: np.ndarray) -> bool:
        """Whether no square can overflow."""
        with np.errstate(over="ignore", invalid="ignore"):
            top = max(self.largest, float(np.abs(Q - self.mean).max(initial=0.0)) * np.sqrt(Q.shape[1]))
        return top < self.most

    def asked(self, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The left factor of the product, and twice the error of a score."""
        centred = np.empty((len(Q), Q.shape[1] + 1), self.dtype)
        centred[:, :-1] = Q - self.mean
        size = np.sqrt(np.einsum("ij,ij->i", centred[:, :-1], centred[:, :-1], dtype=np.float64))
        centred[:, :-1] *= -2
        centred[:, -1] = 1
        unit = float(np.finfo(self.dtype).eps) / 2
        return centred, 2 * (Q.shape[1] + 8) * unit * (size + self.largest) ** 2  # (2)

    def scores(self, asked: np.ndarray, at: int) -> np.ndarray:
        return asked @ self.rows[at : at + ROWS].T


class Stores:
    """The candidates of some queries, as the native code keeps them."""

    def __init__(self, q: int, k: int, slack: np.ndarray | None = None):
        self.k = k
        self.slack = np.zeros(q) if slack is None else slack
        self.limit = np.full(q, np.inf)
        self.count = np.zeros(q, np.int64)
        self.store = np.empty((q, 2 * (2 * k + 32)), np.int64)  # 16 to 64 more than 2 k are about as quick

    def gather(self, scores: np.ndarray, offset: int, first_row: int) -> None:
        _nearest.gather(
            scores=scores,
            offset=offset,
            left_out=first_row,
            k=self.k,
            slack=self.slack,
            limit=self.limit,
            count=self.count,
            store=self.store,
        )

    def scan(self, Q: np.ndarray, X: np.ndarray, p: float, offset: int, first_row: int) -> None:
        _nearest.scan(
            Q=Q,
            X=X,
            p=p,
            offset=offset,
            left_out=first_row,
            k=self.k,
            slack=self.slack,
            limit=self.limit,
            count=self.count,
            store=self.store,
        )

    def settle(self, Q: np.ndarray, X: np.ndarray, p: float, distances: np.ndarray, rows: np.ndarray) -> None:
        _nearest.settle(
            Q=Q,
            X=X,
            p=p,
            k=self.k,
            slack=self.slack,
            limit=self.limit,
            count=self.count,
            store=self.store,
            distance=distances,
            row=rows,
        )

    def sorted(self, distances: np.ndarray, rows: np.ndarray) -> None:
        _nearest.sorted(self.k, self.count, self.store, distances, rows)


def points_of(metric: Metric, X: np.ndarray, dtype: Any = None) -> np.ndarray:
    """The rows as contiguous points, in the precision they have or are asked for."""
    points = metric.points(X)
    wanted = dtype or (np.float32 if points.dtype == np.float32 else np.float64)
    return np.ascontiguousarray(points, dtype=wanted)


def _by_query(hits: list[tuple[np.ndarray, np.ndarray, np.ndarray]], q: int) -> Any:
    """How many pairs each query has, and the pairs in the order of queries and rows."""
    query, row, apart = (np.concatenate(parts) for parts in zip(*hits))
    order = np.argsort(query, kind="stable")  # rows came from low to high
    return np.bincount(query, minlength=q), row[order].astype(np.int64), apart[order]
