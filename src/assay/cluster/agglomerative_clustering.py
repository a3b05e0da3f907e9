"""Agglomerative clustering: the two nearest groups become one, until few are left."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from assay.cluster.hierarchy import LINKAGES, MergeTree, labels_of_largest, merge_tree, squares_are_numbers
from assay.cluster.row_clusterer import METRIC_PARAMETERS, RowClusterer
from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Flag, Range
from assay.core.stored import FloatArray, IntArray, Integer, Object
from assay.errors import DataError, ParameterError, warn_user
from assay.types import MetricLike

__all__ = ["AgglomerativeClustering"]

EUCLIDEAN = ("euclidean", "l2")


class AgglomerativeClustering(RowClusterer):
    r"""Begin with every row alone and merge the two nearest groups, again and again.

    How far two groups are apart is the ``linkage``:

    .. math::
       \text{single} &: \min_{i\in a, j\in b} d_{ij}, \quad \text{complete}: \max d_{ij}, \quad
       \text{average}: \text{mean of } d_{ij}                                                          \quad (1) \\
       \text{centroid} &: \|m_a - m_b\|, \qquad
       \text{ward}: \sqrt{\tfrac{2 n_a n_b}{n_a + n_b}}\,\|m_a - m_b\|                                 \quad (2)

    Single linkage follows chains (groups of any form, also those joined by a bridge of few rows), complete linkage
    keeps all rows of a group within its height, Ward's makes the loss of k-means grow least; the heights of centroid
    linkage may fall. "weighted" is the average in which both merged groups count alike. The whole tree is kept in
    ``tree_``: cut it elsewhere, prune it, draw it. A new row belongs to the group of its nearest training row.

    Rows may be of mixed kinds (``metric="gower"``) or distances (``metric="precomputed"``). Parameters and answers are
    those of scikit-learn's class of this name; "centroid", "weighted" and ``predict`` are ours.

    Cost: fit O(n^2 d), less for "single" in few columns; predict O(n d) a row; memory O(n d) for "ward", "centroid" and
    "single" of numbers, O(n^2) for the others, of which "euclidean" takes about a quarter.

    Parameters
    ----------
    n_clusters : int or None, default 2
    metric : str, callable or Metric, default "euclidean"
        Ward's and centroid linkage need "euclidean".
    memory : accepted for scikit-learn's sake; the tree is kept
    connectivity : (n, n) sparse or dense matrix, callable or None, default None
        Only groups with an entry between their rows may merge; pieces without any are joined at last.
    compute_full_tree : accepted; the tree is always whole
    linkage : "ward", "complete", "average", "single", "centroid" or "weighted", default "ward"
    distance_threshold : float or None, default None
        Instead of ``n_clusters``: merges at this height and above are undone.
    compute_distances : bool, default False
        Whether ``distances_`` is there without a threshold, too.
    metric_params : dict or None, default None

    Attributes
    ----------
    labels_ : (n,)      n_clusters_ : int      n_leaves_ : int      n_connected_components_ : int
    children_ : (n - 1, 2) the groups of each merge      distances_ : (n - 1,) their heights
    tree_ : MergeTree

    Examples
    --------
    >>> from assay.cluster import AgglomerativeClustering
    >>> model = AgglomerativeClustering().fit([[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]])
    >>> model.labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    >>> model.tree_.largest_gap()[0]
    2

    See Also
    --------
    merge_rows, MergeTree, DivisiveClustering, Genie, HDBSCAN

    References
    ----------
    - Murtagh, F. (1983). A survey of recent advances in hierarchical clustering algorithms. The Computer Journal 26(4),
      354-359. doi:10.1093/comjnl/26.4.354
    - Mullner, D. (2011). Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378
    - Ward, J. H. (1963). Hierarchical grouping to optimize an objective function. Journal of the American Statistical
      Association 58, 236-244. doi:10.1080/01621459.1963.10500845
    """

    card = Card(
        "agglomerative clustering",
        "the nearest groups merge",
        also=("hierarchical clustering", "ward"),
        scale=True,
    )
    accepts = {
        **METRIC_PARAMETERS,
        "n_clusters": Count(1) | None,
        "memory": Any_(),
        "connectivity": Any_("a matrix, a function of X, or None"),
        "compute_full_tree": Flag() | Choice("auto"),
        "linkage": Choice(*LINKAGES),
        "distance_threshold": Range(0) | None,
        "compute_distances": Flag(),
    }
    stored = {
        "children_": IntArray("n - 1", "2", low=0),
        "distances_": FloatArray("n - 1"),
        "n_clusters_": Integer(low=1),
        "n_leaves_": Integer(low=1),
        "n_connected_components_": Integer(low=1),
        "tree_": Object(MergeTree),
    }

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: MetricLike = "euclidean",
        memory: Any = None,
        connectivity: Any = None,
        compute_full_tree: bool | str = "auto",
        linkage: str = "ward",
        distance_threshold: float | None = None,
        compute_distances: bool = False,
        metric_params: dict[str, Any] | None = None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances
        self.metric_params = metric_params

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the metric can use of a table as it is; no sparse rows."""
        return super().takes - {"sparse"}

    def _check_stored(self) -> None:
        if "tree_" in vars(self):
            self.tree_.check(type(self).__name__)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        who = type(self).__name__
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ParameterError(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None.",
                who=who,
            )
        if self.distance_threshold is not None and self.compute_full_tree is False:
            raise ParameterError("compute_full_tree must be True if distance_threshold is set.", who=who)
        if self.linkage in ("ward", "centroid") and not self._of_euclid():
            raise ParameterError(
                f"{self.metric} was provided as metric. {self.linkage.capitalize()} can only work with euclidean "
                "distances (i.e. 'euclidean' and 'l2').",
                who=who,
            )

    def _of_euclid(self) -> bool:
        return isinstance(self.metric, str) and self.metric in EUCLIDEAN

    def _distances_or_none(self, X: Any) -> np.ndarray | None:
        """The distances of rows, or None where the merges are found without their matrix."""
        if not (self._of_euclid() and squares_are_numbers(X)):
            return self._distances(X)
        self._refuse_many(X.shape[0])
        return None

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        who, n = type(self).__name__, X.shape[0]
        if n < 2:
            raise DataError(f"Found array with {n} sample(s) while a minimum of 2 is required.", who=who)
        self.n_connected_components_ = 1
        if self.connectivity is not None:
            self.tree_ = self._connected(X, w)
        else:
            by_rows = self._of_euclid() and self.linkage in ("ward", "centroid", "single")
            distances = self._distances(X) if self.distance_.precomputed else self._distances_or_none
            self.tree_ = merge_tree(X, self.linkage, None if by_rows else distances, w)
        self._refuse_infinite(self.tree_.heights)
        self.children_, self.n_leaves_ = self.tree_.merges, n
        self.__dict__.pop("distances_", None)
        if self.distance_threshold is not None or self.compute_distances:
            self.distances_ = self.tree_.heights
        if self.distance_threshold is None:
            assert self.n_clusters is not None
            self.n_clusters_ = self.n_clusters
        else:
            self.n_clusters_ = int(np.count_nonzero(self.tree_.heights >= self.distance_threshold)) + 1
        try:
            self.labels_ = labels_of_largest(self.children_, self.n_clusters_)
        except DataError as error:
            raise DataError(str(error), who=who) from None

    # ------------------------------------------------------------------ only neighbours merge

    def _connected(self, X: Any, w: np.ndarray | None) -> MergeTree:
        from scipy.sparse import coo_matrix, csr_matrix
        from scipy.sparse.csgraph import connected_components

        who, n = type(self).__name__, X.shape[0]
        matrix = self.connectivity(X) if callable(self.connectivity) else self.connectivity
        graph = csr_matrix(matrix)
        if graph.shape != (n, n):
            raise DataError(
                f"Wrong shape for connectivity matrix: {graph.shape} when X is {X.shape}.", who=who
            )
        if self.linkage in ("centroid", "weighted"):
            raise ParameterError(f"linkage={self.linkage!r} takes no connectivity.", who=who)
        graph = coo_matrix(graph + graph.T)
        pieces, labels = connected_components(graph, directed=False)
        self.n_connected_components_ = int(pieces)
        i, j = graph.row.astype(np.int64), graph.col.astype(np.int64)
        if pieces > 1:
            warn_user(
                f"{who}: the number of connected components of the connectivity matrix is {pieces} > 1. Completing it "
                "to avoid stopping the tree early."
            )
            joins = [self._closest(X, labels == a, labels == b) for a in range(pieces) for b in range(a)]
            i = np.r_[i, [pair[0] for pair in joins]]
            j = np.r_[j, [pair[1] for pair in joins]]
        pairs = np.unique(np.column_stack([np.minimum(i, j), np.maximum(i, j)])[i != j], axis=0)
        return _merge_neighbors(self._start_lengths(X, pairs, w), pairs, X, w, self.linkage)

    def _closest(self, X: Any, a: np.ndarray, b: np.ndarray) -> tuple[int, int]:
        rows, columns = np.flatnonzero(a), np.flatnonzero(b)
        if self.distance_.precomputed:
            D = np.asarray(X)[np.ix_(rows, columns)]
        else:
            D = self.distance_.between(X[rows], X[columns])
        i, j = divmod(int(np.argmin(D)), len(columns))
        return int(rows[i]), int(columns[j])

    def _start_lengths(self, X: Any, pairs: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        if self.distance_.precomputed:
            return np.asarray(X, dtype=np.float64)[pairs[:, 0], pairs[:, 1]]
        return self.distance_.paired(X[pairs[:, 0]], X[pairs[:, 1]])


def _merge_neighbors(
    lengths: np.ndarray, pairs: np.ndarray, X: Any, w: np.ndarray | None, linkage: str
) -> MergeTree:
    """Merges along a graph: a heap of edges, of which those of merged groups are stale."""
    n = X.shape[0]
    size = np.concatenate([np.ones(n) if w is None else w, np.zeros(n - 1)])
    rows = np.concatenate([np.ones(n, dtype=np.int64), np.zeros(n - 1, dtype=np.int64)])
    means = np.zeros((2 * n - 1, X.shape[1])) if linkage == "ward" else None
    if means is not None:
        means[:n] = X
        gaps = means[pairs[:, 0]] - means[pairs[:, 1]]
        share = size[pairs[:, 0]] * size[pairs[:, 1]] / (size[pairs[:, 0]] + size[pairs[:, 1]])
        lengths = np.sqrt(2 * share * np.einsum("ij,ij->i", gaps, gaps))
    near: list[dict[int, float]] = [{} for _ in range(2 * n - 1)]
    for (a, b), v in zip(pairs.tolist(), lengths.tolist()):
        near[a][b] = near[b][a] = v
    heap = [(v, a, b) for (a, b), v in zip(pairs.tolist(), lengths.tolist())]
    heapify(heap)
    alive = np.zeros(2 * n - 1, dtype=bool)
    alive[:n] = True
    merges, heights, sizes = (
        np.empty((n - 1, 2), dtype=np.int64),
        np.empty(n - 1),
        np.empty(n - 1, dtype=np.int64),
    )
    for m in range(n - 1):
        while True:
            v, a, b = heappop(heap)
            if alive[a] and alive[b]:
                break
        new = n + m
        merges[m], heights[m] = (min(a, b), max(a, b)), v
        rows[new] = sizes[m] = rows[a] + rows[b]
        alive[[a, b]], alive[new] = False, True
        size[new] = size[a] + size[b]
        if means is not None:
            means[new] = (size[a] * means[a] + size[b] * means[b]) / size[new]
        for k in {*near[a], *near[b]} - {a, b}:
            if not alive[k]:
                continue
            u, t = near[a].get(k), near[b].get(k)
            if means is not None:
                gap = means[k] - means[new]
                apart = float(np.sqrt(2 * size[k] * size[new] / (size[k] + size[new]) * (gap @ gap)))
            elif u is None or t is None:
                apart = t if u is None else u  # type: ignore[assignment]
            elif linkage == "average":
                apart = (size[a] * u + size[b] * t) / size[new]
            else:
                apart = max(u, t) if linkage == "complete" else min(u, t)
            near[new][k] = near[k][new] = apart
            heappush(heap, (apart, k, new))
        near[a], near[b] = {}, {}
    return MergeTree(merges, heights, sizes)
