"""Genie: single linkage that lets no few groups swallow the others."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.cluster._spanning as _spanning
from assay.cluster.hierarchy import MergeTree, first_come, in_order, spanning_tree, tree_of_edges
from assay.cluster.row_clusterer import METRIC_PARAMETERS, RowClusterer
from assay.core import Card
from assay.core.parameters import Count, Range
from assay.core.stored import Integer, Object
from assay.errors import DataError
from assay.types import MetricLike

__all__ = ["Genie"]


class Genie(RowClusterer):
    r"""Merge along the shortest spanning tree, but keep the sizes of the groups from growing too unequal.

    Single linkage finds groups of any form, but a few outliers make it end in one large group and crumbs. Here, as long
    as the Gini index of the sizes :math:`c_{(1)} \le \dots \le c_{(g)}` of the groups

    .. math:: G = \frac{\sum_i (2i - g - 1)\, c_{(i)}}{(g - 1)\, n}                                  \quad (1)

    is above ``gini_threshold``, the next merge must be one of a smallest group, along its shortest edge; else it is the
    nearest pair. In benchmarks of clustering it is among the best without any tuning, on groups of like and of unlike
    form; it is the best default here when nothing is known of the groups but their number. Written from the paper.

    Cost: fit O(n log n) in few columns, O(n^2 d) in many, and O(n sqrt n) for the merges; predict O(log n) to O(n d) a
    row; memory O(n d), O(n^2) for metrics other than Minkowski's.

    Parameters
    ----------
    n_clusters : int, default 2
    gini_threshold : float, default 0.3
        From 0 (sizes as equal as the tree allows) to 1 (single linkage).
    min_samples : int, default 1
        Above 1, distances are by mutual reachability as in :class:`HDBSCAN`, which keeps thin bridges apart.
    metric : str, callable or Metric, default "euclidean"
    metric_params : dict or None, default None

    Attributes
    ----------
    labels_ : (n,)      n_clusters_ : int      tree_ : MergeTree, in the order of the merges (heights may fall)

    Examples
    --------
    Two lines and an outlier: single linkage would take the outlier for a group.

    >>> from assay.cluster import Genie
    >>> X = [[i, 0] for i in range(10)] + [[i, 4] for i in range(10)] + [[4.5, 9.0]]
    >>> Genie(2).fit(X).labels_.tolist() == [0] * 10 + [1] * 11
    True

    See Also
    --------
    AgglomerativeClustering, HDBSCAN

    References
    ----------
    - Gagolewski, M., Bartoszuk, M. and Cena, A. (2016). Genie: a new, fast, and outlier-resistant hierarchical
      clustering algorithm. Information Sciences 363, 8-23. doi:10.1016/j.ins.2016.05.003
    """

    card = Card("genie", "single linkage that keeps the sizes of groups from growing too unequal", scale=True)
    accepts = {
        **METRIC_PARAMETERS,
        "n_clusters": Count(1),
        "gini_threshold": Range(0, 1),
        "min_samples": Count(1),
    }
    stored = {"n_clusters_": Integer(low=1), "tree_": Object(MergeTree)}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        gini_threshold: float = 0.3,
        min_samples: int = 1,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
    ):
        self.n_clusters = n_clusters
        self.gini_threshold = gini_threshold
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params

    def _check_stored(self) -> None:
        if "tree_" in vars(self):
            self.tree_.check(type(self).__name__)

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        n, who = X.shape[0], type(self).__name__
        if n < self.n_clusters or self.min_samples > n:
            raise DataError(
                f"n_samples={n} should be >= n_clusters={self.n_clusters} and min_samples={self.min_samples}.",
                who=who,
            )
        edges, lengths = self._edges(X)
        order = np.empty(n - 1, dtype=np.int64)
        _spanning.genie(edges, float(self.gini_threshold), order)
        self.tree_ = tree_of_edges(edges[order], lengths[order])
        self._refuse_infinite(self.tree_.heights)
        self.n_clusters_ = self.n_clusters
        self.labels_ = first_come(self.tree_._parts(np.arange(n - 1) < n - self.n_clusters))

    def _edges(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        n, power = X.shape[0], self.distance_.power
        if power in (1, 2, np.inf) and not hasattr(X, "tocsr"):
            points = np.ascontiguousarray(self.distance_.points(X), dtype=np.float64)
            core = None
            if self.min_samples > 1:
                core = np.empty(n)
                _spanning.core_distances(points, self.min_samples, {1: 1, 2: 2, np.inf: 0}[power], core)
            return spanning_tree(points, core, power)
        D = self._distances(X)
        if self.min_samples > 1:
            core = np.partition(D, self.min_samples - 1, axis=1)[:, self.min_samples - 1]
            D = np.maximum(D, np.maximum(core[:, None], core[None, :]))
        edges, lengths = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
        _spanning.prim_of_matrix(np.ascontiguousarray(D), edges, lengths)
        return in_order(edges, lengths)
