"""Which rows are nearest: one question, several ways to answer it, one answer."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from assay.distances.metric import Metric, metric_of
from assay.errors import DataError, ParameterError

__all__ = ["Searcher", "searcher"]

Method = Literal["auto", "brute", "kd_tree", "ball_tree"]


class Searcher:
    """Rows that can be asked for neighbours.

    Every way of searching gives the same answer: distances are computed from the differences of the rows, and among
    equal distances the lower row comes first.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    metric : Metric that has learned what it must
    """

    method = ""

    def __init__(self, X: Any, metric: Metric):
        self.X, self.metric = X, metric
        self.n = X.shape[0]

    def nearest(
        self, Q: Any = None, k: int = 1, *, leave_out_self: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest rows of each query.

        Parameters
        ----------
        Q : (q, d) queries; None asks for the stored rows themselves
        k : how many
        leave_out_self : bool
            Query i is stored row i, and is not its own neighbour.

        Returns
        -------
        distances : (q, k) from near to far
        rows : (q, k) their row numbers
        """
        Q = self._queries(Q, leave_out_self)
        most = self.n - leave_out_self
        if not 1 <= k <= most:
            raise ParameterError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {self.n}, n_samples = "
                f"{Q.shape[0]}: there are {most} rows to find neighbours among."
            )
        return self._nearest(Q, int(k), leave_out_self)

    def within(
        self, Q: Any, radius: float, *, leave_out_self: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows at most ``radius`` from each query.

        Returns
        -------
        start : (q + 1,) where the rows of each query begin
        rows : row numbers, of each query from low to high
        distances : of these rows
        """
        Q = self._queries(Q, leave_out_self)
        if np.isnan(radius):
            raise ParameterError(f"radius must be a number from 0 up, got {radius!r}.")
        start, rows, distances = self._within(Q, float(radius))
        if leave_out_self:
            kept = rows != np.repeat(np.arange(Q.shape[0]), np.diff(start))
            start = np.concatenate([[0], np.cumsum(kept)])[start]
            rows, distances = rows[kept], distances[kept]
        return start, rows, distances

    def _queries(self, Q: Any, leave_out_self: bool) -> Any:
        if Q is None:
            return self.X
        if not hasattr(Q, "shape"):
            Q = np.asarray(Q, dtype=np.float64)
        if hasattr(Q, "tocsr") and isinstance(self.X, np.ndarray):
            if self.metric.given:
                raise DataError(
                    "precomputed: the stored distances are dense, the queries a sparse graph, in which no entry means "
                    "no neighbour (not supported due to its handling of explicit zeros). Give both alike."
                )
            Q = Q.toarray()
        if leave_out_self and Q.shape[0] != self.n:
            raise DataError(
                f"leave_out_self: query i must be stored row i of {self.n}, got {Q.shape[0]} queries."
            )
        return Q

    def _nearest(self, Q: Any, k: int, leave_out_self: bool) -> tuple[np.ndarray, np.ndarray]:
        raise TypeError(f"{type(self).__name__} must define _nearest")

    def _within(self, Q: Any, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        raise TypeError(f"{type(self).__name__} must define _within")


def searcher(
    X: Any,
    metric: Metric | str = "euclidean",
    method: Method = "auto",
    leaf_size: int = 30,
) -> Searcher:
    """Rows that can be asked for neighbours, by the way that suits them.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    metric : Metric or its name; one that learns from rows and has not, learns from these
    method : "auto", "brute", "kd_tree" or "ball_tree"
        Steers the time, not the answer.
    leaf_size : int
        Rows in a leaf of a tree.

    Examples
    --------
    >>> from assay.distances import searcher
    >>> found = searcher([[0.0], [1.0], [3.0]], "euclidean")
    >>> found.nearest([[0.75]], k=2)
    (array([[0.25, 0.75]]), array([[1, 0]]))
    >>> found.within([[0.75], [9.0]], radius=1.0)
    (array([0, 2, 2]), array([0, 1]), array([0.75, 0.25]))
    """
    if not hasattr(X, "shape"):
        X = np.asarray(X, dtype=np.float64)
    if not isinstance(metric, Metric):
        metric = metric_of(metric).learn(X)
    if method not in ("auto", "brute", "kd_tree", "ball_tree"):
        raise ParameterError(
            f"The way of searching must be one of 'auto', 'brute', 'kd_tree', 'ball_tree', got {method!r}."
        )
    dense = isinstance(X, np.ndarray)
    if metric.given and not dense:
        from assay.distances.graph import Graph

        return Graph(X, metric)
    if method == "kd_tree" and metric.power is None:
        raise ParameterError(
            f"A kd-tree cannot search by the metric {metric.name!r}; use algorithm='brute' or 'ball_tree'."
        )
    if method == "auto":
        method = _suitable(X, metric) if dense else "brute"
    if method == "kd_tree" and dense:
        from assay.distances.kd_tree import KDTree

        return KDTree(X, metric, leaf_size)
    if method == "ball_tree" and dense and (metric.triangle or metric.function):
        from assay.distances.balls import Balls

        return Balls(X, metric)
    from assay.distances.brute import Brute

    return Brute(X, metric)


def _suitable(X: np.ndarray, metric: Metric) -> Method:
    """What was quickest on drawn rows: trees while columns are few for so many rows.

    With Euclid's distance and 5 neighbours of normal rows a kd-tree overtook the product of matrices at 5 columns for
    500 rows, 7 for 10,000 and 8 for 50,000; without a product the scan is slower and the tree wins longer.
    """
    if metric.power is None:
        return "brute"
    columns, rows = metric.points(X[:1]).shape[1], max(len(X), 2)
    return "kd_tree" if columns <= np.log2(rows) / 2 + (1 if metric.power == 2 else 3) else "brute"
