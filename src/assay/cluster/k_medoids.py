"""k-medoids: each group is described by one of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.row_clusterer import METRIC_PARAMETERS, RowClusterer
from assay.core import Card
from assay.core.parameters import Array, Choice, Count, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import IntArray, Integer, Scalar, TableRows
from assay.errors import DataError, ParameterError
from assay.types import MetricLike, RandomState

__all__ = ["KMedoids"]


class KMedoids(RowClusterer):
    r"""Choose k rows, the medoids, so that all rows are near to one of them.

    .. math:: E = \sum_i \min_{m \in M} d(x_i, m)                                                    \quad (1)

    Any metric will do, that of mixed tables (``metric="gower"``, with missing values) or given distances included, and
    an outlier pulls a medoid less than a mean. A medoid is swapped with another row as long as (1) falls; all k swaps
    with a row are judged together in O(n) (FasterPAM).

    Cost: fit O(n^2 d) for distances and O(n^2) a round of swaps; predict O(k d) a row; memory O(n^2).

    Parameters
    ----------
    n_clusters : int, default 8
    metric : str, callable or Metric, default "euclidean"
    metric_params : dict or None, default None
    init : "build", "k-medoids++", "random" or (k,) row numbers, default "build"
        "build": one after the other, the row that lowers (1) most; "k-medoids++": rows that lie apart, drawn; rows at
        random; or the rows to begin with.
    max_iter : int, default 100
        Rounds.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    labels_ : (n,)      medoid_indices_ : (k,) row numbers      cluster_centers_ : (k, p) these rows
    inertia_ : float, (1)      n_iter_ : int

    Examples
    --------
    >>> from assay.cluster import KMedoids
    >>> model = KMedoids(2).fit([[1], [2], [3], [10], [11], [99]])
    >>> model.cluster_centers_.ravel().tolist(), model.labels_.tolist()
    ([3.0, 99.0], [0, 0, 0, 0, 0, 1])
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, 1.2, 9.0, None], "colour": ["red", "red", "blue", "blue"]})
    >>> KMedoids(2, metric="gower").fit(table).labels_.tolist()
    [0, 0, 1, 1]

    See Also
    --------
    KMeans, KPrototypes

    References
    ----------
    - Kaufman, L. and Rousseeuw, P. J. (1990). Finding Groups in Data. Wiley. doi:10.1002/9780470316801
    - Schubert, E. and Rousseeuw, P. J. (2021). Fast and eager k-medoids clustering. Information Systems 101, 101804.
      doi:10.1016/j.is.2021.101804
    """

    card = Card("k-medoids", "k rows that are near to all others", also=("pam",), scale=True)
    accepts = {
        **METRIC_PARAMETERS,
        "n_clusters": Count(1),
        "init": Choice("build", "k-medoids++", "random") | Array(1, low=0),
        "max_iter": Count(0),
        "random_state": Seed(),
    }
    stored = {
        "medoid_indices_": IntArray("c", low=0, below="n"),
        "cluster_centers_": TableRows("c", "p"),
        "inertia_": Scalar(low=0),
        "n_iter_": Integer(low=0),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Any = "build",
        max_iter: int = 100,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        n, who = X.shape[0], type(self).__name__
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        D = np.asarray(self._distances(X), dtype=np.float64)
        np.fill_diagonal(D, 0.0)
        medoids, self.n_iter_ = swap(D, self._start(D, who), self.max_iter)
        medoids = np.sort(medoids)
        self.labels_ = np.argmin(D[:, medoids], axis=1)
        self.labels_[medoids] = np.arange(len(medoids))
        self.medoid_indices_, self.cluster_centers_ = medoids, X[medoids]
        self.inertia_ = float(D[:, medoids].min(axis=1).sum())

    def _start(self, D: np.ndarray, who: str) -> np.ndarray:
        n, k = len(D), self.n_clusters
        if not isinstance(self.init, str):
            rows = np.asarray(self.init)
            if (
                rows.shape != (k,)
                or len(np.unique(rows)) < k
                or rows.max() >= n
                or (rows != rows.astype(int)).any()
            ):
                raise ParameterError(f"init must be {k} different row numbers below {n}.", who=who)
            return rows.astype(np.int64)
        draw = random_state_of(self.random_state)
        if self.init == "random":
            return draw.choice(n, size=k, replace=False)
        chosen = [int(np.argmin(D.sum(axis=1))) if self.init == "build" else int(draw.randint(n))]
        near = D[chosen[0]].copy()
        while len(chosen) < k:
            if self.init == "build":
                gain = np.maximum(near[None, :] - D, 0.0).sum(axis=1)
                gain[chosen] = -1.0
                row = int(np.argmax(gain))
            else:
                mass = near**2
                mass[chosen] = 0.0
                free = np.setdiff1d(np.arange(n), chosen)
                row = int(draw.choice(n, p=mass / mass.sum())) if mass.sum() > 0 else int(free[0])
            chosen.append(row)
            near = np.minimum(near, D[row])
        return np.array(chosen, dtype=np.int64)

    def _assign(self, X: Any) -> np.ndarray:
        if self.distance_.precomputed:
            D = np.asarray(X.toarray() if hasattr(X, "tocsr") else X)[:, self.medoid_indices_]
        else:
            D = self.distance_.between(X, self.cluster_centers_)
        return np.argmin(D, axis=1)


def swap(D: np.ndarray, medoids: np.ndarray, rounds: int) -> tuple[np.ndarray, int]:
    """Medoids after swaps that lower the sum of distances, and the rounds that it took.

    For a row j in place of medoid i: what rows gain that come to j, and what the rows of i lose, which go to j or to
    their second medoid; the sums over all i are made together.
    """
    n, k = len(D), len(medoids)
    medoids = medoids.copy()
    everyone = np.arange(n)

    def standing() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        apart = D[:, medoids]
        first = np.argmin(apart, axis=1)
        nearest = apart[everyone, first]
        if k == 1:
            second = np.full(n, np.inf)
        else:
            apart[everyone, first] = np.inf
            second = apart.min(axis=1)
        removal = np.bincount(first, np.where(np.isinf(second), 0.0, second) - nearest, k)
        return first, nearest, second, removal

    first, nearest, second, removal = standing()
    last, iteration = -1, 0
    for iteration in range(1, rounds + 1):
        improved = False
        for j in range(n):
            if j == last:
                return medoids, iteration
            if (medoids == j).any():
                continue
            to_j = D[j]
            if k == 1:
                change = np.array([float(to_j.sum() - nearest.sum())])
            else:
                closer = to_j < nearest
                shared = float((to_j - nearest)[closer].sum())
                between = ~closer & (to_j < second)
                change = removal + shared
                change += np.bincount(first[closer], (nearest - second)[closer], k)
                change += np.bincount(first[between], (to_j - second)[between], k)
            i = int(np.argmin(change))
            if change[i] < -1e-12 * max(float(nearest.sum()), 1e-300):
                medoids[i] = j
                first, nearest, second, removal = standing()
                last, improved = j, True
        if not improved:
            break
    return medoids, iteration
