"""Divisive clustering: the widest group is split, until there are enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.hierarchy import MergeTree, first_come
from assay.cluster.row_clusterer import METRIC_PARAMETERS, RowClusterer
from assay.core import Card
from assay.core.parameters import Count
from assay.core.stored import Integer, Object
from assay.errors import DataError
from assay.types import MetricLike

__all__ = ["DivisiveClustering"]


class DivisiveClustering(RowClusterer):
    r"""Begin with all rows in one group and split, again and again, the group with the largest diameter (DIANA).

    A splinter group begins with the row that is farthest, on average, from the others of its group; as long as some row
    is nearer, on average, to the splinter group than to those that remain, the one for which the difference is largest
    joins it. Splits go on down to single rows; ``tree_`` has all of them (a height is the diameter of the group that
    was split), ``labels_`` those up to ``n_clusters`` groups.

    Cost: fit O(n^3) at worst, O(n^2 log n) where splits are even; predict O(n d) a row; memory O(n^2).

    Parameters
    ----------
    n_clusters : int, default 2
    metric : str, callable or Metric, default "euclidean"
    metric_params : dict or None, default None

    Attributes
    ----------
    labels_ : (n,)      tree_ : MergeTree      n_clusters_ : int

    Examples
    --------
    >>> from assay.cluster import DivisiveClustering
    >>> model = DivisiveClustering(2).fit([[0], [1], [3], [10], [11]])
    >>> model.labels_.tolist(), model.tree_.heights.tolist()
    ([0, 0, 0, 1, 1], [1.0, 1.0, 3.0, 11.0])

    See Also
    --------
    AgglomerativeClustering, BisectingKMeans

    References
    ----------
    - Kaufman, L. and Rousseeuw, P. J. (1990). Finding Groups in Data, chapter 6. Wiley. doi:10.1002/9780470316801
    """

    card = Card("divisive clustering", "the widest group is split", also=("diana",), scale=True)
    accepts = {**METRIC_PARAMETERS, "n_clusters": Count(1)}
    stored = {"tree_": Object(MergeTree), "n_clusters_": Integer(low=1)}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.metric_params = metric_params

    def _check_stored(self) -> None:
        if "tree_" in vars(self):
            self.tree_.check(type(self).__name__)

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        n, who = X.shape[0], type(self).__name__
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        D = np.asarray(self._distances(X), dtype=np.float64)
        parts = [(np.arange(n), float(D.max(initial=0.0)))]
        above = [(-1, 0)]  # where the number of a part has to be written among the merges
        merges, heights = np.zeros((n - 1, 2), dtype=np.int64), np.zeros(n - 1)
        sizes = np.zeros(n - 1, dtype=np.int64)
        self.labels_ = np.zeros(n, dtype=np.int64)
        for m in range(n - 2, -1, -1):  # splits, from the last merge to the first
            at = max(
                (i for i, (rows, _) in enumerate(parts) if len(rows) > 1),
                key=lambda i: (parts[i][1], -int(parts[i][0][0])),
            )
            rows, heights[m] = parts[at]
            sizes[m] = len(rows)
            if above[at][0] >= 0:
                merges[above[at]] = n + m
            left, right = _split(D, rows)
            parts[at] = (left, float(D[np.ix_(left, left)].max()))
            parts.append((right, float(D[np.ix_(right, right)].max())))
            above[at] = (m, 0)
            above.append((m, 1))
            for i in (at, len(parts) - 1):
                if len(parts[i][0]) == 1:
                    merges[above[i]] = parts[i][0][0]
            if len(parts) == self.n_clusters:
                self.labels_ = _labels([rows for rows, _ in parts], n)
        merges.sort(axis=1)
        self.tree_ = MergeTree(merges, heights, sizes)
        self.n_clusters_ = self.n_clusters


def _labels(parts: list[np.ndarray], n: int) -> np.ndarray:
    labels = np.empty(n, dtype=np.int64)
    for k, rows in enumerate(parts):
        labels[rows] = k
    return first_come(labels)


def _split(D: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A group in two: those that remain, and the splinter group."""
    inner = D[np.ix_(rows, rows)]
    m = len(rows)
    away = np.zeros(m, dtype=bool)
    first = int(np.argmax(inner.sum(axis=1)))
    away[first] = True
    to_away, to_all = inner[:, first].copy(), inner.sum(axis=1)
    while (~away).sum() > 1:
        stay, gone = (~away).sum(), away.sum()
        gain = (to_all - to_away) / (stay - 1) - to_away / gone
        gain[away] = -np.inf
        i = int(np.argmax(gain))
        if not gain[i] > 0:
            break
        away[i] = True
        to_away += inner[:, i]
    return rows[~away], rows[away]
