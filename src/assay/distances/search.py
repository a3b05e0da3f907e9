"""Nearest-neighbour search: one interface, several methods, the same result."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from assay.distances.extremes import largest, most, other_units, scaled
from assay.distances.metric import Metric, metric_of
from assay.errors import DataError, ParameterError
from assay.tables import Table
from assay.types import PointsLike

__all__ = ["Searcher", "kept_searcher", "rows_of_index", "searcher"]

Method = Literal["auto", "brute", "kd_tree", "ball_tree"]

_kept: WeakKeyDictionary[Any, Searcher] = WeakKeyDictionary()  # trees follow from the rows: never in a file


class Searcher:
    """Rows indexed for nearest-neighbour queries.

    Every way of searching gives the same answer: distances are computed from the differences of the rows, and among
    equal distances the lower row comes first.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    metric : Metric, fitted to the rows
    """

    method = ""

    def __init__(self, X: Any, metric: Metric):
        self.X, self.metric = X, metric
        self.n = X.shape[0]
        self._top: float | None = None  # largest absolute value of a point
        self._most = 0.0  # queries below it need no other unit

    def nearest(
        self, Q: PointsLike | None = None, k: int = 1, *, leave_out_self: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest rows of each query.

        Parameters
        ----------
        Q : (q, d) queries; None queries the stored rows
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
        units = self._units(Q, leave_out_self)
        if units is None:
            return self._reader_of(Q)._nearest(Q, int(k), leave_out_self)
        distances, rows = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), np.int64)
        for some, search, asked, finish in self._in_units(Q, units):
            apart, rows[some] = search._nearest(asked, int(k), leave_out_self)
            distances[some] = finish(apart)
        return distances, rows

    def within(
        self, Q: Any, radius: Any, *, leave_out_self: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows at most ``radius`` from each query.

        Parameters
        ----------
        Q : (q, d) queries; None queries the stored rows
        radius : float, or (q,) one for each query

        Returns
        -------
        start : (q + 1,) where the rows of each query begin
        rows : row numbers, of each query from low to high
        distances : of these rows
        """
        Q = self._queries(Q, leave_out_self)
        each = None
        if np.ndim(radius) == 1 and len(radius) == Q.shape[0] and len(radius):
            each = np.asarray(radius, dtype=np.float64)
            radius = float(each.max())
        if not isinstance(radius, Real) or np.isnan(radius):
            raise ParameterError(f"radius must be a number from 0 up, or one for each query, got {radius!r}.")
        units = self._units(Q, leave_out_self)
        start, rows, distances = (
            self._reader_of(Q)._within(Q, float(radius))
            if units is None
            else self._within_in_units(Q, float(radius), units)
        )
        if leave_out_self or each is not None:
            query = np.repeat(np.arange(Q.shape[0]), np.diff(start))
            kept = (rows != query) if leave_out_self else np.ones(len(rows), dtype=bool)
            if each is not None:
                kept &= distances <= each[query]
            start = np.concatenate([[0], np.cumsum(kept)])[start]
            rows, distances = rows[kept], distances[kept]
        return start, rows, distances

    def _queries(self, Q: Any, leave_out_self: bool) -> Any:
        if Q is None:
            return self.X
        if not hasattr(Q, "shape"):
            Q = np.asarray(Q, dtype=np.float64)
        if hasattr(Q, "tocsr") and isinstance(self.X, np.ndarray) and not self.metric.precomputed:
            Q = Q.toarray()
        if leave_out_self and Q.shape[0] != self.n:
            raise DataError(
                f"leave_out_self: query i must be stored row i of {self.n}, got {Q.shape[0]} queries."
            )
        return Q

    def _reader_of(self, Q: Any) -> Searcher:
        """The search that reads the queries: a sparse graph of given distances names the neighbours by itself."""
        if not self.metric.precomputed or isinstance(Q, np.ndarray) or not isinstance(self.X, np.ndarray):
            return self
        from assay.distances.graph import Graph

        return Graph(self.X, self.metric)

    def _units(self, Q: Any, together: bool) -> np.ndarray | None:
        """(q,) exponents of the units in which powers stay in range; None where all do as they are."""
        power, d = self.metric.power, self.X.shape[1]
        if power is None:
            return None
        if self._top is None:
            self._top = float(largest(self.metric.points(self.X)))
            self._most = 0.0 if other_units(np.array([self._top]), d, power)[0] else most(d, power)
        points = None if Q is self.X else self.metric.points(Q)
        top = self._top if points is None else max(self._top, float(largest(points)))
        if top < self._most:
            return None
        if together or points is None:
            return np.repeat(other_units(np.array([top]), d, power), Q.shape[0])
        return other_units(np.maximum(self._top, largest(points, axis=1)), d, power)

    def _in_units(self, Q: Any, units: np.ndarray) -> Any:
        """Queries of one unit, the search in it, the queries as it wants them, and distances from what it says."""
        from assay.distances.brute import Brute
        from assay.distances.minkowski import Minkowski

        assert self.metric.power is not None
        for unit in np.unique(units).tolist():
            some = np.flatnonzero(units == unit)
            asked = Q if len(some) == Q.shape[0] else Q[some]
            search: Searcher = self
            if unit:
                search = Brute(scaled(self.metric.points(self.X), unit), Minkowski(self.metric.power))
                asked = search.X if asked is self.X else scaled(self.metric.points(asked), unit)

            def finish(apart: np.ndarray, unit: int = unit) -> np.ndarray:
                with np.errstate(over="ignore", under="ignore"):
                    return self.metric.finish(np.ldexp(apart, unit)) if unit else apart

            yield some, search, asked, finish

    def _within_in_units(
        self, Q: Any, radius: float, units: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        hits = []
        for some, search, asked, finish in self._in_units(Q, units):
            reach, unit = float(radius), int(units[some[0]])
            if search is not self:
                with np.errstate(over="ignore", under="ignore"):
                    reach = float(np.ldexp(self.metric.begin(radius) * (1 + 1e-9), -unit))
            start, rows, apart = search._within(asked, reach)
            distances, query = finish(apart), np.repeat(some, np.diff(start))
            kept = distances <= radius
            hits.append((query[kept], rows[kept], distances[kept]))
        query, rows, distances = (np.concatenate(parts) for parts in zip(*hits))
        order = np.argsort(query, kind="stable")
        counts = np.bincount(query, minlength=Q.shape[0])
        return np.concatenate([[0], np.cumsum(counts)]), rows[order], distances[order]

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
    """Index rows for nearest-neighbour queries, by the fastest method.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    metric : Metric or its name; one that learns from rows and has not, learns from these
    method : "auto", "brute", "kd_tree" or "ball_tree"
        Affects the time, not the result.
    leaf_size : int
        Rows in a leaf of a tree.

    Examples
    --------
    >>> from assay.distances import searcher
    >>> result = searcher([[0.0], [1.0], [3.0]], "euclidean")
    >>> result.nearest([[0.75]], k=2)
    (array([[0.25, 0.75]]), array([[1, 0]]))
    >>> result.within([[0.75], [9.0]], radius=1.0)
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
    if metric.precomputed and not dense:
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


def kept_searcher(
    owner: Any,
    X: Any,
    metric: Metric,
    method: Method = "auto",
    leaf_size: int = 30,
    *,
    anew: bool = False,
) -> Searcher:
    """The searcher of a learner's rows, made at its first question (or ``anew``) and kept as long as they are the same.

    >>> import numpy as np
    >>> from assay.distances import metric_of
    >>> from assay.distances.search import kept_searcher
    >>> class Owner:
    ...     rows = np.array([[0.0], [1.0], [3.0]])
    >>> owner = Owner()
    >>> first = kept_searcher(owner, owner.rows, metric_of("euclidean"))
    >>> first is kept_searcher(owner, owner.rows, metric_of("euclidean"))
    True
    """
    stored = _kept.get(owner)
    same = stored is not None and stored.X is X and stored.metric.name == metric.name
    if anew or not same or stored is None or stored.metric.power != metric.power:
        stored = _kept[owner] = searcher(X, metric, method, leaf_size)
    return stored


def rows_of_index(X: Any) -> Any:
    """The rows that a fitted neighbour learner or one of scikit-learn's trees holds; any other X as it is.

    >>> from assay.distances.search import rows_of_index
    >>> from sklearn.neighbors import NearestNeighbors
    >>> rows_of_index(NearestNeighbors().fit([[0.0], [1.0]])).tolist()
    [[0.0], [1.0]]
    """
    if hasattr(X, "_ready"):  # a learner of ours, which says so if it is not fitted
        X._ready()
    if hasattr(X, "_fit_X"):
        schema = getattr(X, "schema_", None)
        return X._fit_X if schema is None or len(schema) != X._fit_X.shape[1] else Table(X._fit_X, schema)
    return np.asarray(X.data) if hasattr(X, "node_data") and hasattr(X, "query") else X


def _suitable(X: np.ndarray, metric: Metric) -> Method:
    """What was quickest on drawn rows: trees while columns are few for so many rows.

    With Euclid's distance and 5 neighbours of normal rows a kd-tree overtook the product of matrices at 5 columns for
    500 rows, 7 for 10,000 and 8 for 50,000; without a product the scan is slower and the tree wins longer.
    """
    if metric.power is None:
        return "brute"
    columns, rows = metric.points(X[:1]).shape[1], max(len(X), 2)
    return "kd_tree" if columns <= np.log2(rows) / 2 + (1 if metric.power == 2 else 3) else "brute"
