"""HDBSCAN: groups that stay dense over a range of densities."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.cluster._spanning as _spanning
from assay.cluster.hierarchy import MergeTree, first_come, in_order, spanning_tree, tree_of_edges
from assay.cluster.row_clusterer import METRIC_PARAMETERS, RowClusterer
from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Flag, Range
from assay.core.stored import FloatArray, Object
from assay.errors import DataError, ParameterError
from assay.tables.float_blocks import INFINITE_AS
from assay.types import MetricLike

__all__ = ["HDBSCAN"]

INFINITE, MISSING = -2, -3  # labels of rows that cannot be placed
MOST_COLUMNS_IN_BOXES = 20


class HDBSCAN(RowClusterer):
    r"""Find groups of rows that are dense compared with what lies between them, each at its own density.

    With the core distance :math:`c_i` of a row from its ``min_samples``-th nearest (itself the first), rows are as far
    apart as :math:`\max(c_i, c_j, d_{ij})`. The single-linkage tree of these distances is cut at all heights at once:
    going down (with :math:`\lambda` = 1 / height), a part of fewer than ``min_cluster_size`` rows falls out of its
    group, and a cut into two larger parts makes two new groups. Those groups are chosen whose stability

    .. math:: \sum_{i \in C} (\lambda_i - \lambda_\text{birth}(C))                                    \quad (1)

    is larger than that of the groups inside them; rows outside are noise, -1. A new row belongs to the group of its
    nearest training row. Rows with missing or infinite numbers are left out, with the labels -3 and -2, unless the
    metric takes them. Equal rows never part, so a table of them is all noise, or one group with
    ``allow_single_cluster``. Parameters and answers are those of scikit-learn's class of this name; the numbers of the
    groups may differ, and so may rows at equal distances, of which there are many by (mutual) reachability.

    Cost: fit O(n log n) in few columns, O(n^2 d) in many; predict O(log n) to O(n d) a row; memory O(n d), O(n^2) for
    metrics other than Minkowski's.

    Parameters
    ----------
    min_cluster_size : int, default 5
    min_samples : int or None, default None
        None is ``min_cluster_size``.
    cluster_selection_epsilon : float, default 0
        Groups that split below this distance are kept whole.
    max_cluster_size : int or None, default None
    metric : str, callable or Metric, default "euclidean"
    metric_params : dict or None, default None
    alpha : float, default 1
        Distances are divided by it.
    algorithm, leaf_size, n_jobs, copy : accepted for scikit-learn's sake
    cluster_selection_method : "eom" or "leaf", default "eom"
        By (1), or the smallest groups of the tree.
    allow_single_cluster : bool, default False
    store_centers : "centroid", "medoid", "both" or None, default None

    Attributes
    ----------
    labels_ : (n,)      probabilities_ : (n,) how far inside of its group a row is
    centroids_, medoids_ : (k, p) if asked for      tree_ : MergeTree of the rows that are used

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import numpy as np
    >>> from assay.cluster import HDBSCAN
    >>> model = HDBSCAN(min_cluster_size=10).fit(load_iris().data)
    >>> np.unique(model.labels_).tolist()
    [0, 1]

    See Also
    --------
    DBSCAN, AgglomerativeClustering, Genie

    References
    ----------
    - Campello, R. J. G. B., Moulavi, D. and Sander, J. (2013). Density-based clustering based on hierarchical density
      estimates. PAKDD, Lecture Notes in Computer Science 7819, 160-172. doi:10.1007/978-3-642-37456-2_14
    - McInnes, L. and Healy, J. (2017). Accelerated hierarchical density based clustering. ICDM Workshops, 33-42.
      doi:10.1109/ICDMW.2017.12
    """

    card = Card("hdbscan", "groups that stay dense over a range of densities", scale=True)
    accepts = {
        **METRIC_PARAMETERS,
        "min_cluster_size": Count(2),
        "min_samples": Count(1) | None,
        "cluster_selection_epsilon": Range(0),
        "max_cluster_size": Count(1) | None,
        "alpha": Range(0, open="low"),
        "algorithm": Choice("auto", "brute", "kd_tree", "ball_tree"),
        "leaf_size": Count(1),
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
        "cluster_selection_method": Choice("eom", "leaf"),
        "allow_single_cluster": Flag(),
        "store_centers": Choice("centroid", "medoid", "both") | None,
        "copy": Flag() | Choice("warn"),
    }
    stored = {
        "probabilities_": FloatArray("n"),
        "centroids_": FloatArray("*", "p"),
        "medoids_": FloatArray("*", "p"),
        "tree_": Object(MergeTree),
    }

    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 40,
        n_jobs: int | None = None,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        store_centers: str | None = None,
        copy: bool | str = "warn",
    ):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the metric can use as it is; rows with missing or infinite numbers are labelled as such."""
        return super().takes | {"missing", "infinite"}

    def _check_stored(self) -> None:
        if "tree_" in vars(self):
            self.tree_.check(type(self).__name__)

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        who = type(self).__name__
        if self.distance_.precomputed and self.store_centers is not None:
            raise ParameterError("Cannot store centers when using a precomputed distance matrix.", who=who)
        usable, odd = self._usable(X)
        rows = X if usable.all() else X[usable]
        n = rows.shape[0]
        if n < 2:
            raise DataError(
                f"n_samples={n} while HDBSCAN requires more than one sample{self._left_out(X, usable)}",
                who=who,
            )
        least = self.min_cluster_size if self.min_samples is None else self.min_samples
        if least > n:
            raise ParameterError(
                f"min_samples ({least}) must be at most the number of samples in X ({n})", who=who
            )
        self.tree_ = tree_of_edges(*self._edges(rows, least))
        self._refuse_infinite(self.tree_.heights)
        labels, strength = self._choose(self.tree_, n)
        self.labels_, self.probabilities_ = odd, np.zeros(X.shape[0])
        self.labels_[usable], self.probabilities_[usable] = labels, strength
        self.probabilities_[odd == MISSING] = np.nan
        if self.store_centers:
            self._centers(rows, labels, strength)

    def _usable(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Which rows have numbers alone, and the labels of the others."""
        labels = np.zeros(X.shape[0], dtype=np.int64)
        if hasattr(X, "tocsr") or self.distance_.precomputed:
            return np.ones(len(labels), dtype=bool), labels
        with np.errstate(invalid="ignore"):
            beyond = np.abs(X) >= np.float64(INFINITE_AS)  # in double precision, whatever the table's
        if beyond.any():
            labels[beyond.any(axis=1)] = INFINITE
        if "missing" not in self.distance_.takes and np.isnan(X).any():
            labels[np.isnan(X).any(axis=1)] = MISSING
        return labels == 0, labels

    def _left_out(self, X: Any, usable: np.ndarray) -> str:
        """The end of a sentence: how many rows were left out, and by which columns."""
        if usable.all():
            return ""
        odd = np.isnan(X) | (np.abs(X) >= np.float64(INFINITE_AS))
        columns = [
            repr(str(self._names[j]))
            for j in np.argsort(-odd.sum(axis=0), kind="stable")[:3]
            if odd[:, j].any()
        ]
        return (
            f": {np.sum(~usable)} of {len(usable)} rows have missing or infinite numbers and are left out, "
            f"most by column {', '.join(columns)}."
        )

    def _edges(self, X: Any, least: int) -> tuple[np.ndarray, np.ndarray]:
        """The shortest spanning tree by mutual reachability."""
        n, power = X.shape[0], self.distance_.power
        if power in (1, 2, np.inf) and not hasattr(X, "tocsr"):
            points = np.ascontiguousarray(self.distance_.points(X), dtype=np.float64)
            if points.shape[1] <= MOST_COLUMNS_IN_BOXES or power != 2:
                core = np.empty(n)
                _spanning.core_distances(points, least, {1: 1, 2: 2, np.inf: 0}[power], core)
            else:
                core = self._search_of(X).nearest(X, least)[0][:, -1] if least > 1 else np.zeros(n)
            return spanning_tree(points / self.alpha, core, power)
        D = self._distances_of(X) / self.alpha
        core = np.partition(D, least - 1, axis=1)[:, least - 1]
        np.maximum(D, core[:, None], out=D)
        np.maximum(D, core[None, :], out=D)
        if not np.isfinite(core).all():
            raise DataError(
                "there exists points with fewer than min_samples neighbors: the distances must be finite.",
                who=type(self).__name__,
            )
        edges, lengths = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
        _spanning.prim_of_matrix(np.ascontiguousarray(D), edges, lengths)
        if not np.isfinite(lengths).all():
            raise DataError(
                "The sparse distance matrix has more than one connected component: give more distances.",
                who=type(self).__name__,
            )
        return in_order(edges, lengths)

    def _search_of(self, X: Any) -> Any:
        from assay.distances.search import searcher

        return searcher(X, self.distance_)

    def _distances_of(self, X: Any) -> np.ndarray:
        if not self.distance_.precomputed:
            self._refuse_many(X.shape[0])
            return self.distance_.between(X, X)
        if hasattr(X, "tocsr"):  # what has no entry is no neighbour
            D = np.full(X.shape, np.inf)
            entries = X.tocoo()
            D[entries.row, entries.col] = entries.data
            np.fill_diagonal(D, 0.0)
            return np.minimum(D, D.T)
        D = self._distances(X)
        if not np.allclose(np.asarray(X), np.asarray(X).T):
            raise DataError("The precomputed distance matrix must be symmetric.", who=type(self).__name__)
        return D

    # ------------------------------------------------------------------ from the tree to groups

    def _choose(self, tree: MergeTree, n: int) -> tuple[np.ndarray, np.ndarray]:
        """(n,) labels and (n,) how far inside each row is."""
        parent, child, lam, size = _spanning.condense(
            tree.merges, tree.heights, tree.sizes, self.min_cluster_size
        )
        groups = int(parent.max()) - n + 1
        birth = np.zeros(groups)
        inner = child >= n
        birth[child[inner] - n] = lam[inner]
        above = np.full(groups, -1, dtype=np.int64)
        above[child[inner] - n] = parent[inner] - n
        sizes = np.full(groups, n, dtype=np.int64)
        sizes[child[inner] - n] = size[inner]
        with np.errstate(invalid="ignore"):
            stability = np.bincount(parent - n, (lam - birth[parent - n]) * size, groups)
        chosen = (
            self._by_stability(stability, above, sizes)
            if self.cluster_selection_method == "eom"
            else self._leaves(above)
        )
        if self.cluster_selection_epsilon > 0 and groups > 1 and chosen != {0}:
            chosen = self._joined(chosen, above, birth)
        home = np.arange(groups)  # the chosen group around each, or the root
        for g in range(1, groups):
            home[g] = g if g in chosen else home[above[g]]
        name = {g: i for i, g in enumerate(sorted(chosen))}
        labels, strength = np.full(n, -1, dtype=np.int64), np.zeros(n)
        point = ~inner
        rows, at = child[point], home[parent[point] - n]
        lam_of = np.zeros(n)
        lam_of[rows] = lam[point]
        code = np.full(groups, -1, dtype=np.int64)
        for g, i in name.items():
            code[g] = i
        labels[rows] = code[at]
        if chosen == {0}:
            limit = (
                1 / self.cluster_selection_epsilon
                if self.cluster_selection_epsilon > 0
                else lam[parent == n].max()
            )
            labels[~(lam_of >= limit)] = -1
            labels[(lam_of >= limit) & (labels < 0)] = 0
        elif 0 not in chosen:
            labels[rows[at == 0]] = -1
        death = np.zeros(groups)
        np.maximum.at(death, parent - n, lam)
        kept = labels >= 0
        number = np.array(sorted(chosen), dtype=np.int64)
        most = death[number[labels[kept]]] if kept.any() else np.empty(0)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.minimum(lam_of[kept], most) / most
        strength[kept] = np.where((most == 0) | ~np.isfinite(most), 1.0, share)
        return labels, strength

    def _by_stability(self, stability: np.ndarray, above: np.ndarray, sizes: np.ndarray) -> set[int]:
        groups, most = len(stability), self.max_cluster_size or np.inf
        inside = np.zeros(groups)
        chosen = np.ones(groups, dtype=bool)
        first = 0 if self.allow_single_cluster else 1
        for g in range(groups - 1, first - 1, -1):
            if inside[g] > stability[g] or sizes[g] > most:
                chosen[g] = False
                stability[g] = inside[g]
            if above[g] >= 0:
                inside[above[g]] += stability[g]
        if first:
            chosen[0] = False
        covered = np.zeros(groups, dtype=bool)  # inside of one that was chosen
        for g in range(1, groups):
            covered[g] = covered[above[g]] or bool(chosen[above[g]])
        return set(np.flatnonzero(chosen & ~covered).tolist())

    def _leaves(self, above: np.ndarray) -> set[int]:
        leaves = set(range(1, len(above))) - set(above.tolist())
        return leaves or {0}

    def _joined(self, chosen: set[int], above: np.ndarray, birth: np.ndarray) -> set[int]:
        """Groups that were born below the epsilon, replaced by the first one above them that was not."""
        out: set[int] = set()
        for g in sorted(chosen):
            at = g
            while at > 0 and 1 / birth[at] < self.cluster_selection_epsilon:
                if above[at] == 0 and not self.allow_single_cluster:
                    break
                at = int(above[at])
                if at == 0:
                    break
            out.add(at)
        covered = {g for g in out if any(self._inside(g, other, above) for other in out if other != g)}
        return out - covered

    @staticmethod
    def _inside(g: int, other: int, above: np.ndarray) -> bool:
        while g > other:
            g = int(above[g])
        return g == other

    def _centers(self, X: np.ndarray, labels: np.ndarray, strength: np.ndarray) -> None:
        groups = range(int(labels.max()) + 1)
        parts = [(X[labels == k], strength[labels == k]) for k in groups]
        if self.store_centers in ("centroid", "both"):
            self.centroids_ = np.array([np.average(rows, axis=0, weights=s) for rows, s in parts]).reshape(
                -1, X.shape[1]
            )
        if self.store_centers in ("medoid", "both"):
            self.medoids_ = np.array(
                [rows[np.argmin(self.distance_.between(rows, rows) @ s)] for rows, s in parts]
            ).reshape(-1, X.shape[1])

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> np.ndarray:
        """(n,) the labels of DBSCAN without borders: merges below ``cut_distance`` alone, small groups are noise."""
        self._ready()
        parts = first_come(self.tree_._parts(self.tree_.heights < cut_distance))
        sizes = np.bincount(parts)
        large = np.flatnonzero(sizes >= min_cluster_size)
        code = np.full(len(sizes), -1, dtype=np.int64)
        code[large] = np.arange(len(large))
        labels = self.labels_.copy()
        labels[labels >= -1] = code[parts]
        return labels

    def _assign(self, X: Any) -> np.ndarray:
        usable, labels = self._usable(X)
        if usable.any():
            known = np.flatnonzero(self.labels_ >= -1)
            if self.distance_.precomputed:
                D = X.toarray() if hasattr(X, "tocsr") else np.asarray(X)
                labels[usable] = self.labels_[np.argmin(D, axis=1)]
            else:
                rows = self._search_of(self._fit_X[known]).nearest(X[usable], 1)[1][:, 0]
                labels[usable] = self.labels_[known[rows]]
        return labels

    def _explain_block(self, X: Any, rows: Any) -> Any:
        from assay.core.explanation import Section
        from assay.core.explanations import Explanations, Reasons

        answers = self._assign(X)

        def sections(i: int) -> list[Section]:
            if answers[i] <= INFINITE:
                return [Section("Why", ["reason"], [["the row has missing or infinite numbers"]])]
            known = np.flatnonzero(self.labels_ >= -1)
            apart, near = self._search_of(self._fit_X[known]).nearest(X[i : i + 1], min(5, len(known)))
            lines = [
                [self._cases.label(int(known[r])), float(v), int(self.labels_[known[r]])]
                for r, v in zip(near[0], apart[0])
            ]
            return [Section("Nearest training rows", ["row", "distance", "group"], lines)]

        return Explanations(type(self).__name__, answers.tolist(), rows, Reasons(sections))
