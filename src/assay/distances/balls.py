"""Nearest-neighbour search by balls around some rows; distant balls are skipped."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parallel import in_threads
from assay.distances.metric import Metric
from assay.distances.search import Searcher

__all__ = ["Balls"]

QUERIES = 256  # in one piece of work
ROUNDING = 1 + 1e-9  # bounds that rounding may have moved


class Balls(Searcher):
    r"""Search for any metric that obeys the triangle inequality, including user-defined ones.

    About :math:`\sqrt n` rows, drawn with a fixed seed, are centres; each row lies in the ball of its nearest centre
    c, whose radius :math:`r_c` is the distance of its farthest row. No row of a ball can be nearer to a query than

    .. math:: D(q, x) \ge D(q, c) - r_c \quad (1)

    so only balls with a bound up to the k-th smallest distance so far are opened.
    """

    method = "ball_tree"

    def __init__(self, X: Any, metric: Metric):
        super().__init__(X, metric)
        rows = metric._prepared(X)
        m = int(np.ceil(np.sqrt(self.n)))
        chosen = np.sort(np.random.default_rng(0).choice(self.n, m, replace=False))
        self.centres = rows[chosen]
        nearest, apart = np.empty(self.n, np.int64), np.empty(self.n)
        for at in range(0, self.n, 4096):
            block = metric._block(rows[at : at + 4096], self.centres)
            nearest[at : at + 4096] = block.argmin(axis=1)
            apart[at : at + 4096] = block.min(axis=1)
        self.order = np.argsort(nearest, kind="stable")
        self.start = np.searchsorted(nearest[self.order], np.arange(m + 1))
        self.radius = np.zeros(m)
        np.maximum.at(self.radius, nearest, apart)
        self.rows = rows[self.order]
        self._all = rows

    def _nearest(self, Q: Any, k: int, leave_out_self: bool) -> tuple[np.ndarray, np.ndarray]:
        asked = self._all if Q is self.X else self.metric._prepared(Q)
        distances, rows = np.empty((len(asked), k)), np.empty((len(asked), k), np.int64)

        def some(at: int) -> None:
            here = slice(at, at + QUERIES)
            leave_out = np.arange(at, min(at + QUERIES, len(asked))) if leave_out_self else None
            self._some(asked[here], leave_out, k, distances[here], rows[here])

        in_threads(some, range(0, len(asked), QUERIES), 1 if self.metric.function else None)
        return distances, rows

    def _some(
        self, Q: Any, leave_out: np.ndarray | None, k: int, distances: np.ndarray, rows: np.ndarray
    ) -> None:
        bound = self.metric._block(Q, self.centres)
        near_first = np.argsort(bound, axis=1, kind="stable")
        sizes = np.diff(self.start)[near_first]
        # first the nearest balls until they hold k rows (and the query itself), which bounds the k-th distance
        enough = np.cumsum(sizes, axis=1) - sizes < k + (leave_out is not None)
        first = np.zeros(bound.shape, bool)
        np.put_along_axis(first, near_first, enough, axis=1)
        bound -= self.radius  # (1)
        best = _Best(len(Q), k)
        for ball in np.flatnonzero(first.any(axis=0)).tolist():
            self._open(ball, np.flatnonzero(first[:, ball]), Q, leave_out, best)
        for ball in np.argsort(bound.min(axis=0), kind="stable").tolist():
            reached = (bound[:, ball] <= best.limit * ROUNDING + 1e-300) & ~first[:, ball]
            self._open(ball, np.flatnonzero(reached), Q, leave_out, best)
        distances[:], rows[:] = best.distances, best.rows

    def _open(self, ball: int, asking: np.ndarray, Q: Any, leave_out: np.ndarray | None, best: _Best) -> None:
        inside = slice(self.start[ball], self.start[ball + 1])
        if not len(asking) or inside.start == inside.stop:
            return
        apart = np.array(self.metric._block(Q[asking], self.rows[inside]))
        members = self.order[inside]
        if leave_out is not None:
            apart[members == leave_out[asking, None]] = np.inf
        best.add(asking, apart, members)

    def _within(self, Q: Any, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        asked = self._all if Q is self.X else self.metric._prepared(Q)

        def some(at: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            q = asked[at : at + QUERIES]
            reached = self.metric._block(q, self.centres) - self.radius <= radius * ROUNDING
            hits = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
            for ball in np.flatnonzero(reached.any(axis=0)):
                asking = np.flatnonzero(reached[:, ball])
                inside = slice(self.start[ball], self.start[ball + 1])
                apart = self.metric._block(q[asking], self.rows[inside])
                i, j = np.nonzero(apart <= radius)
                hits.append((asking[i], self.order[inside][j], apart[i, j]))
            query, row, apart = (np.concatenate(parts) for parts in zip(*hits))
            order = np.lexsort((row, query))
            return np.bincount(query, minlength=len(q)), row[order], apart[order]

        pieces = in_threads(some, range(0, len(asked), QUERIES), 1 if self.metric.function else None)
        counts, rows, distances = (np.concatenate(parts) for parts in zip(*pieces))
        return np.concatenate([[0], np.cumsum(counts)]), rows, distances


class _Best:
    """The k best rows so far of some queries, in order."""

    def __init__(self, q: int, k: int):
        self.distances = np.full((q, k), np.inf)
        self.rows = np.full((q, k), np.iinfo(np.int64).max)

    @property
    def limit(self) -> np.ndarray:
        return self.distances[:, -1]

    def add(self, asking: np.ndarray, apart: np.ndarray, members: np.ndarray) -> None:
        k = self.distances.shape[1]
        apart = np.concatenate([self.distances[asking], apart], axis=1)
        rows = np.concatenate(
            [self.rows[asking], np.broadcast_to(members, (len(asking), len(members)))], axis=1
        )
        order = np.lexsort((rows, apart), axis=1)[:, :k]
        self.distances[asking] = np.take_along_axis(apart, order, axis=1)
        self.rows[asking] = np.take_along_axis(rows, order, axis=1)
