"""DBSCAN: groups are where rows are dense."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import assay.cluster._spanning as _spanning
from assay.cluster.row_clusterer import METRIC_PARAMETERS, RowClusterer
from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_, Choice, Count, Range
from assay.core.stored import FloatArray, IntArray
from assay.errors import DataError
from assay.types import MetricLike, TableLike, Target, Weights

__all__ = ["DBSCAN", "dbscan"]

QUERIES_AT_A_TIME = 1024  # whose neighbourhoods are in memory together, where there is no tree
MOST_COLUMNS_IN_BOXES = 20


class DBSCAN(RowClusterer):
    r"""Find regions dense with rows, of any form, and the rows that lie outside of all of them.

    A row is a core row if at least ``min_samples`` rows (itself included) lie within ``eps``. Core rows within ``eps``
    of each other are in one group; other rows within ``eps`` of a core row are at the border of its group (of the
    first, if of several); all others are noise, -1. A new row belongs to the group of its nearest core row, if that is
    within ``eps``.

    Neighbourhoods are never stored: counting ends when there are enough, and a box of rows that are known to be in one
    group is passed over. Labels are those of scikit-learn's class of this name.

    Cost: fit O(n log n) in few columns, O(n^2 d) in many; predict O(log n) to O(n d) a row; memory O(n d).

    Parameters
    ----------
    eps : float, default 0.5
    min_samples : int, default 5
    metric : str, callable or Metric, default "euclidean"
    metric_params : dict or None, default None
    algorithm, leaf_size, n_jobs : accepted for scikit-learn's sake
    p : float or None, default None
        The exponent of metric="minkowski"; None is 2.

    Attributes
    ----------
    labels_ : (n,) -1 is noise      core_sample_indices_ : row numbers      components_ : the core rows

    Examples
    --------
    >>> from assay.cluster import DBSCAN
    >>> model = DBSCAN(eps=3, min_samples=2).fit([[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]])
    >>> model.labels_.tolist()
    [0, 0, 0, 1, 1, -1]
    >>> model.predict([[7, 7], [50, 50]]).tolist()
    [1, -1]

    See Also
    --------
    HDBSCAN, AgglomerativeClustering

    References
    ----------
    - Ester, M., Kriegel, H.-P., Sander, J. and Xu, X. (1996). A density-based algorithm for discovering clusters in
      large spatial databases with noise. Proceedings of the 2nd International Conference on Knowledge Discovery and
      Data Mining, 226-231.
    """

    card = Card("dbscan", "groups are where rows are dense, others are noise", scale=True)
    accepts = {
        **METRIC_PARAMETERS,
        "eps": Range(0, open="low"),
        "min_samples": Count(1),
        "algorithm": Choice("auto", "ball_tree", "kd_tree", "brute"),
        "leaf_size": Count(1),
        "p": Range(0) | None,
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
    }
    stored = {
        "core_sample_indices_": IntArray("*", low=0, below="n"),
        "components_": FloatArray("*", "p"),
    }

    def __init__(
        self,
        eps: float = 0.5,
        *,
        min_samples: int = 5,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = None,
        n_jobs: int | None = None,
    ):
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:  # type: ignore[override]
        """Find groups among the rows of X; y is ignored.

        Parameters
        ----------
        X : table (n, d), or distances with ``metric="precomputed"``, dense or sparse
        y : ignored
        sample_weight : (n,), default None
            What a row counts towards ``min_samples``; negative weights keep rows around them from being core rows.
        """
        self._check_parameters()
        values = self._admit(X, fitting=True)
        w = None
        if sample_weight is not None:
            w = np.asarray(sample_weight, dtype=np.float64)
            if w.shape != (values.shape[0],) or not np.isfinite(w).all():
                raise DataError(
                    f"sample_weight must be {values.shape[0]} finite numbers, got the shape {w.shape}.",
                    who=type(self).__name__,
                )
            if not w.any():
                raise DataError("all sample_weight are zero: no row counts.", who=type(self).__name__)
        self._learn(values, None, w)
        return self

    def fit_predict(  # type: ignore[override]
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> np.ndarray:
        """(n,) the group of each row of X, after learning from these rows."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        n, power = X.shape[0], float(self.distance_.power or 0)
        weights = np.empty(0) if w is None else w
        boxes = power in (1, 2, np.inf) and not hasattr(X, "tocsr") and not self.distance_.precomputed
        points = self.distance_.points(X) if boxes else None
        if boxes and points is not None and points.shape[1] <= MOST_COLUMNS_IN_BOXES:
            self.labels_, core = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.uint8)
            _spanning.dbscan(
                X=np.ascontiguousarray(points, dtype=np.float64),
                w=weights,
                eps=float(self.distance_.begin(float(self.eps))),
                least=float(self.min_samples),
                p={1: 1, 2: 2, np.inf: 0}[power],
                labels=self.labels_,
                core=core,
            )
            core = core.astype(bool)
        else:
            self.labels_, core = self._by_search(X, w)
        self.core_sample_indices_ = np.flatnonzero(core)
        rows = X[self.core_sample_indices_]
        self.components_ = rows.toarray() if hasattr(rows, "tocsr") else rows.copy()

    def _neighbors(self, X: Any) -> Any:
        """The neighbourhoods of some rows at a time."""
        for start in range(0, X.shape[0], QUERIES_AT_A_TIME):
            some = np.arange(start, min(start + QUERIES_AT_A_TIME, X.shape[0]))
            begin, rows, _ = self._search.within(X[some], float(self.eps))
            query = np.repeat(some, np.diff(begin))
            if self.distance_.precomputed:  # a sparse graph may leave out that a row is near to itself
                missing = np.setdiff1d(some, query[query == rows])
                query, rows = np.r_[query, missing], np.r_[rows, missing]
            yield some, query, rows

    def _by_search(self, X: Any, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Two passes over the neighbourhoods: how many, then which core rows hang together."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        n = X.shape[0]
        total = np.zeros(n)
        for _, query, rows in self._neighbors(X):
            total += np.bincount(query, None if w is None else w[rows], minlength=n)
        core = total >= self.min_samples
        parts = np.arange(n)
        for _, query, rows in self._neighbors(X):
            both = core[query] & core[rows]
            edges = coo_matrix((np.ones(both.sum()), (parts[query[both]], parts[rows[both]])), shape=(n, n))
            parts = connected_components(edges, directed=False)[1][parts]
        labels = np.full(n, -1, dtype=np.int64)
        _, first, codes = np.unique(parts[core], return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        labels[core] = rank[codes.ravel()]
        border = np.full(n, n)
        for _, query, rows in self._neighbors(X):
            kept = core[rows] & ~core[query]
            np.minimum.at(border, query[kept], labels[rows[kept]])
        labels[~core & (border < n)] = border[~core & (border < n)]
        return labels, core

    def _assign(self, X: Any) -> np.ndarray:
        core = self.core_sample_indices_
        if not len(core):
            return np.full(X.shape[0], -1, dtype=np.int64)
        from assay.distances.search import searcher

        if self.distance_.precomputed:
            D = X.toarray() if hasattr(X, "tocsr") else np.asarray(X)
            nearest = np.argmin(D[:, core], axis=1)
            apart = D[np.arange(len(D)), core[nearest]]
        else:
            gaps, rows = searcher(self._fit_X[core], self.distance_).nearest(X, 1)
            apart, nearest = gaps[:, 0], rows[:, 0]
        return np.where(apart <= self.eps, self.labels_[core[nearest]], -1)


def dbscan(
    X: Any,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: MetricLike = "minkowski",
    metric_params: dict[str, Any] | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    p: float | None = 2,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The core rows and labels of :class:`DBSCAN`, as a function.

    Cost: as :class:`DBSCAN`.

    Parameters
    ----------
    X, sample_weight : as DBSCAN.fit
    eps, min_samples, metric, metric_params, algorithm, leaf_size, p, n_jobs : as DBSCAN

    Examples
    --------
    >>> from assay.cluster import dbscan
    >>> dbscan([[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]], eps=3, min_samples=2)
    (array([0, 1, 2, 3, 4]), array([ 0,  0,  0,  1,  1, -1]))

    See Also
    --------
    DBSCAN
    """
    model = DBSCAN(
        eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
