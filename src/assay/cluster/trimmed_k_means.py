"""Trimmed k-means: rows far from all centres do not count."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.center_clusterer import CenterClusterer
from assay.cluster.starts import STARTS, start_centers
from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.parameters import Array, Choice, Count, Function, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Integer, Scalar
from assay.distances.lloyd import squared_distances
from assay.errors import DataError
from assay.types import RandomState

__all__ = ["TrimmedKMeans"]


class TrimmedKMeans(CenterClusterer):
    r"""k-means that outliers do not move: in every step the rows farthest from their centre are left out.

    Of n rows, the :math:`\lfloor \alpha n \rfloor` with the largest distance from their nearest centre enter neither
    the means nor the loss, which still falls with every step. Their label is -1, and so is that of a new row farther
    from all centres than any row that counts (``radius_``).

    Cost: fit O(n k d) an iteration; predict O(k d) a row; memory O(n k).

    Parameters
    ----------
    n_clusters : int, default 8
    trim : float, default 0.05
        :math:`\alpha`, from 0 to below 1.
    init : as KMeans, default "k-means++"
        With "k-means++" the farthest rows are not drawn either: by their squared distances outliers would come first.
    n_init : int, default 10
        Starts, of which the best is kept.
    max_iter : int, default 300
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,) -1 for rows left out      inertia_ : float, of the rows that count
    radius_ : float      n_iter_ : int

    Examples
    --------
    >>> from assay.cluster import TrimmedKMeans
    >>> X = [[1], [2], [3], [10], [11], [12], [20]]
    >>> model = TrimmedKMeans(2, trim=1 / 7, init=[[1.0], [10.0]], n_init=1).fit(X)
    >>> model.cluster_centers_.ravel().tolist(), model.inertia_, model.labels_.tolist()
    ([2.0, 11.0], 4.0, [0, 0, 0, 1, 1, 1, -1])

    See Also
    --------
    KMeans, KMedoids, DBSCAN

    References
    ----------
    - Cuesta-Albertos, J. A., Gordaliza, A. and Matran, C. (1997). Trimmed k-means: an attempt to robustify quantizers.
      The Annals of Statistics 25(2), 553-576. doi:10.1214/aos/1031833664
    """

    card = Card(
        "trimmed k-means", "k-means that leaves the farthest rows out", also=("robust k-means",), scale=True
    )
    accepts = {
        "n_clusters": Count(1),
        "trim": Range(0, 1, open="high"),
        "init": Choice(*STARTS) | Function() | Array(2),
        "n_init": Count(1),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    stored = {"n_iter_": Integer(low=0), "radius_": Scalar(low=0)}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        trim: float = 0.05,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.trim = trim
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find groups among the rows of X; y is ignored."""
        return super().fit(X)

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:  # type: ignore[override]
        """(n,) the group of each row of X, after learning from these rows."""
        return self.fit(X).labels_

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:  # type: ignore[override]
        """(n, c) the distances of the rows of X from the centres, after learning from these rows."""
        return self.fit(X).transform(X)

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        X = np.asarray(dense_block(X), dtype=np.float64)
        n, who = len(X), type(self).__name__
        kept = n - int(np.floor(self.trim * n + 1e-9))
        if kept < self.n_clusters:
            raise DataError(
                f"{kept} of n_samples={n} rows count, which should be >= n_clusters={self.n_clusters}.",
                who=who,
            )
        draw = random_state_of(self.random_state)
        array = not isinstance(self.init, str) and not callable(self.init)
        best: Any = None
        for _ in range(1 if array or self.init == "component" else self.n_init):
            if isinstance(self.init, str) and self.init == "k-means++":
                centers = spread_within(X, self.n_clusters, kept, draw)
            else:
                centers = start_centers(self.init, X, None, self.n_clusters, draw, who)
            run = self._run(X, centers, kept)
            if best is None or run[0] < best[0]:
                best = run
        self.inertia_, self.cluster_centers_, labels, gaps, self.n_iter_ = best
        counted = np.zeros(n, dtype=bool)
        counted[np.argsort(gaps, kind="stable")[:kept]] = True
        self.labels_ = np.where(counted, labels, -1).astype(np.int32)
        self.radius_ = float(np.sqrt(gaps[counted].max()))

    def _run(
        self, X: np.ndarray, centers: np.ndarray, kept: int
    ) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, int]:
        before = None
        iteration = 0
        while iteration < self.max_iter:
            iteration += 1
            labels, gaps, inner = self._nearest(X, centers, kept)
            if before is not None and np.array_equal(before, np.where(inner, labels, -1)):
                break
            before = np.where(inner, labels, -1)
            counts = np.bincount(labels[inner], minlength=len(centers))
            sums = np.zeros(centers.shape)
            np.add.at(sums, labels[inner], X[inner])
            far = iter(np.argsort(-np.where(inner, gaps, -1.0), kind="stable"))
            centers = centers.copy()
            for k in range(len(centers)):
                centers[k] = sums[k] / counts[k] if counts[k] else X[next(far)]
        labels, gaps, inner = self._nearest(X, centers, kept)
        return float(gaps[inner].sum()), centers, labels, gaps, iteration

    @staticmethod
    def _nearest(X: np.ndarray, centers: np.ndarray, kept: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        apart = squared_distances(X, centers)
        labels = np.argmin(apart, axis=1)
        gaps = apart[np.arange(len(X)), labels]
        inner = np.zeros(len(X), dtype=bool)
        inner[np.argsort(gaps, kind="stable")[:kept]] = True
        return labels, gaps, inner

    def _assign(self, X: Any) -> np.ndarray:
        gaps = squared_distances(X, np.asarray(self.cluster_centers_, dtype=np.float64))
        labels = np.argmin(gaps, axis=1)
        beyond = np.sqrt(gaps[np.arange(len(gaps)), labels]) > self.radius_ * (1 + 1e-9)
        return np.where(beyond, -1, labels).astype(np.int32)


def spread_within(X: np.ndarray, K: int, kept: int, draw: np.random.RandomState) -> np.ndarray:
    """(K, d) rows that lie apart, as k-means++ draws them, but only from the ``kept`` nearest to those chosen before.

    >>> import numpy as np
    >>> from assay.cluster.trimmed_k_means import spread_within
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [1e9]])
    >>> starts = [spread_within(X, 2, 6, np.random.RandomState(seed)) for seed in range(20)]
    >>> bool(sum(start.max() > 6 for start in starts) <= 4)
    True
    """
    closest = np.full(len(X), np.inf)
    rows = [int(draw.randint(len(X)))]
    trials = 2 + int(np.log(K))
    while True:
        closest = np.minimum(closest, squared_distances(X, X[rows[-1:]])[:, 0])
        if len(rows) == K:
            return X[rows]
        chances = np.zeros(len(X))
        near = np.argsort(closest, kind="stable")[:kept]
        chances[near] = closest[near]
        if not chances.sum() > 0:
            chances[near] = 1.0
        some = draw.choice(len(X), size=trials, p=chances / chances.sum())
        losses = np.minimum(squared_distances(X, X[some]), closest[:, None])
        rows.append(int(some[np.argmin(np.partition(losses, kept - 1, axis=0)[:kept].sum(axis=0))]))
