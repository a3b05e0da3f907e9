"""Leader clustering: one pass over the rows, a new centre where none is near."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.cluster.center_clusterer import CenterClusterer
from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.fitting import observed
from assay.core.parameters import Choice, Count, Flag, Range
from assay.core.stored import FloatArray
from assay.types import TableLike, Target

__all__ = ["LeaderClustering"]


class LeaderClustering(CenterClusterer):
    r"""Go over the rows once: a row farther than ``threshold`` from all centres becomes one, else it joins the nearest.

    The number of groups follows from the largest distance that is allowed. What comes first matters. With ``update``
    a centre is the mean of its rows so far, or moves by a share of the way to each row: then this is adaptive resonance
    (ART) with the threshold as its vigilance. ``partial_fit`` goes on with more rows.

    .. math:: \|x - m_i\| > \rho:\ m_{k+1} = x, \qquad \text{else}\ m_i \leftarrow m_i + \eta\,(x - m_i)     \quad (1)

    Cost: fit O(n k d) for k groups; predict O(k d) a row; memory O(n + k d).

    Parameters
    ----------
    threshold : float, default 1
        :math:`\rho`: the largest distance, or with "dot" the least similarity, at which a row joins a group.
    update : bool or float, default False
        Whether centres move: True to the mean of their rows, a number by that share of the way (:math:`\eta`).
    similarity : "euclidean" or "dot", default "euclidean"
        "dot" takes rows at length one, and the product with the centre, which stays at length one, too.
    max_clusters : int, default None
        Once there are as many groups, every row joins one.

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,) of the training rows, or of the last that were added
    counts_ : (k,) rows that joined      inertia_ : float, the squared distances together

    Examples
    --------
    >>> from assay.cluster import LeaderClustering
    >>> LeaderClustering(5).fit([[1], [2], [3], [10], [11], [12], [20]]).cluster_centers_.ravel().tolist()
    [1.0, 10.0, 20.0]
    >>> LeaderClustering(2, update=0.5).fit([[0], [1], [5], [5.5], [0.4]]).cluster_centers_.ravel().tolist()
    [0.45, 5.25]

    See Also
    --------
    OnlineKMeans, DynamicKMeans, FuzzyART

    References
    ----------
    - Hartigan, J. A. (1975). Clustering Algorithms, chapter 3. Wiley.
    - Carpenter, G. A. and Grossberg, S. (1988). The ART of adaptive pattern recognition by a self-organizing neural
      network. Computer 21(3), 77-88. doi:10.1109/2.33
    """

    card = Card(
        "leader",
        "one pass; a row far from all centres becomes one",
        also=("leader clustering", "adaptive resonance"),
        scale=True,
    )
    accepts = {
        "threshold": Range(0),
        "update": Flag() | Range(0, 1, open="low"),
        "similarity": Choice("euclidean", "dot"),
        "max_clusters": Count(1) | None,
    }
    stored = {"counts_": FloatArray("c", low=0, finite=True)}

    def __init__(
        self,
        threshold: float = 1.0,
        *,
        update: bool | float = False,
        similarity: str = "euclidean",
        max_clusters: int | None = None,
    ):
        self.threshold = threshold
        self.update = update
        self.similarity = similarity
        self.max_clusters = max_clusters

    def fit(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find groups among the rows of X, in their order; y is ignored."""
        return super().fit(X)

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:  # type: ignore[override]
        """(n,) the group of each row of X, after learning from these rows."""
        return self.fit(X).labels_

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:  # type: ignore[override]
        """(n, c) the distances of the rows of X from the centres, after learning from these rows."""
        return self.fit(X).transform(X)

    @observed
    def partial_fit(self, X: TableLike, y: Target | None = None) -> Self:
        """One more pass, over the rows of X; groups that are there stay, and new ones may begin."""
        if "cluster_centers_" not in vars(self):
            return self.fit(X)
        self._check_parameters()
        self._visit(np.asarray(dense_block(self._admit(X)), dtype=np.float64))
        return self

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        X = np.asarray(dense_block(X), dtype=np.float64)
        self.cluster_centers_, self.counts_ = np.empty((0, X.shape[1])), np.empty(0)
        if self.update is False and self.similarity == "euclidean" and self.max_clusters is None:
            self._first_come(X, float(self.threshold) ** 2)
        else:
            self._visit(X)

    def _first_come(self, X: np.ndarray, limit: float) -> None:
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
        self.counts_ = np.bincount(labels, minlength=len(leaders)).astype(np.float64)
        self._note(X, labels)

    def _visit(self, X: np.ndarray) -> None:
        """Row by row: a new group, or a step of the nearest centre."""
        product, rows = self.similarity == "dot", self._scaled(X)
        many = len(self.cluster_centers_)
        room = max(16, 2 * many)
        centers, counts = np.zeros((room, X.shape[1])), np.zeros(room)
        centers[:many], counts[:many] = self.cluster_centers_, self.counts_
        labels = np.empty(len(X), dtype=np.int64)
        for i, row in enumerate(rows):
            if product:
                gaps, limit = -(centers[:many] @ row), -float(self.threshold)
            else:
                gaps, limit = np.sum((centers[:many] - row) ** 2, axis=1), float(self.threshold) ** 2
            k = int(np.argmin(gaps)) if many else 0
            if not many or (gaps[k] > limit and many != self.max_clusters):
                if many == len(centers):
                    centers, counts = np.vstack([centers, np.zeros_like(centers)]), np.r_[counts, 0 * counts]
                k, many = many, many + 1
                centers[k] = row
            elif self.update is not False:
                rate = 1 / (counts[k] + 1) if self.update is True else float(self.update)
                centers[k] += rate * (row - centers[k])
                if product:
                    centers[k] = _unit_rows(centers[k : k + 1])[0]
            counts[k] += 1
            labels[i] = k
        self.cluster_centers_, self.counts_ = centers[:many].copy(), counts[:many].copy()
        self._note(rows, labels)

    def _note(self, X: np.ndarray, labels: np.ndarray) -> None:
        self.labels_ = labels.astype(np.int32)
        self.inertia_ = float(np.sum((X - self.cluster_centers_[labels]) ** 2))

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        return _unit_rows(X) if self.similarity == "dot" else X

    def _assign(self, X: Any) -> np.ndarray:
        if self.similarity == "dot":
            return np.argmax(dense_block(X) @ self.cluster_centers_.T, axis=1)
        return super()._assign(X)


def _unit_rows(X: np.ndarray) -> np.ndarray:
    """Rows at length one; those of zeros stay."""
    length = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return X / np.where(length > 0, length, 1.0)
