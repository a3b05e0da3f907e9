"""Leader clustering: one pass over the rows, a new centre where none is near."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.center_clusterer import CenterClusterer
from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.parameters import Flag, Range

__all__ = ["LeaderClustering"]


class LeaderClustering(CenterClusterer):
    r"""Go over the rows once: a row farther than ``threshold`` from all centres becomes one, else it joins the nearest.

    The number of groups follows from the largest distance that is allowed. What comes first matters. With ``update``
    a centre is the mean of its rows so far.

    Cost: fit O(n k d) for k groups; predict O(k d) a row; memory O(n + k d).

    Parameters
    ----------
    threshold : float, default 1
    update : bool, default False

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,)      inertia_ : float, the squared distances together

    Examples
    --------
    >>> from assay.cluster import LeaderClustering
    >>> LeaderClustering(5).fit([[1], [2], [3], [10], [11], [12], [20]]).cluster_centers_.ravel().tolist()
    [1.0, 10.0, 20.0]

    See Also
    --------
    KMeans, DynamicKMeans, FuzzyART

    References
    ----------
    - Hartigan, J. A. (1975). Clustering Algorithms, chapter 3. Wiley.
    """

    card = Card("leader", "one pass; a row far from all centres becomes one", scale=True)
    accepts = {"threshold": Range(0), "update": Flag()}

    def __init__(self, threshold: float = 1.0, *, update: bool = False):
        self.threshold = threshold
        self.update = update

    def fit(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find groups among the rows of X, in their order; y is ignored."""
        return super().fit(X)

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:  # type: ignore[override]
        """(n,) the group of each row of X, after learning from these rows."""
        return self.fit(X).labels_

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:  # type: ignore[override]
        """(n, c) the distances of the rows of X from the centres, after learning from these rows."""
        return self.fit(X).transform(X)

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        X = np.asarray(dense_block(X), dtype=np.float64)
        limit = float(self.threshold) ** 2
        labels = self._with_means(X, limit) if self.update else self._first_come(X, limit)
        self.labels_ = labels.astype(np.int32)
        self.inertia_ = float(np.sum((X - self.cluster_centers_[labels]) ** 2))

    def _first_come(self, X: np.ndarray, limit: float) -> np.ndarray:
        """Each leader in turn takes the later rows that are near to it, and nearer than to those before."""
        n = len(X)
        labels, least, leaders, at = np.full(n, -1, dtype=np.int64), np.full(n, np.inf), [], 0
        while at < n:
            gaps = np.sum((X[at:] - X[at]) ** 2, axis=1)
            nearer = gaps < least[at:]
            nearer[0] = True
            labels[at:][nearer] = len(leaders)
            least[at:] = np.where(nearer, gaps, least[at:])
            leaders.append(at)
            open_rows = np.flatnonzero(least[at + 1 :] > limit)
            at = at + 1 + int(open_rows[0]) if len(open_rows) else n
        self.cluster_centers_ = X[leaders]
        return labels

    def _with_means(self, X: np.ndarray, limit: float) -> np.ndarray:
        centers, counts, many = np.empty((16, X.shape[1])), np.zeros(16), 0
        labels = np.empty(len(X), dtype=np.int64)
        for i, row in enumerate(X):
            gaps = np.sum((centers[:many] - row) ** 2, axis=1)
            k = int(np.argmin(gaps)) if many else 0
            if not many or gaps[k] > limit:
                if many == len(centers):
                    centers, counts = np.vstack([centers, np.empty_like(centers)]), np.r_[counts, 0 * counts]
                k, many = many, many + 1
                centers[k], counts[k] = row, 0.0
            counts[k] += 1
            centers[k] += (row - centers[k]) / counts[k]
            labels[i] = k
        self.cluster_centers_ = centers[:many].copy()
        return labels
