"""Bisecting k-means: the worst group is cut in two, until there are k."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.center_clusterer import CenterClusterer
from assay.cluster.starts import STARTS, start_centers
from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.parameters import Choice, Count, Flag, Function, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, IntArray
from assay.core.sums import Rows
from assay.distances.lloyd import label_rows, lloyd
from assay.errors import DataError
from assay.types import RandomState

__all__ = ["BisectingKMeans"]

LEAF = -1


class BisectingKMeans(CenterClusterer):
    r"""Cut the rows in two by k-means, then the group with the largest loss, until there are k groups.

    Groups are nested, so the model for k is a cut of the model for more; a new row goes down the tree of cuts, each
    time to the nearer of two centres. Less work than :class:`KMeans` for large k. Parameters, draws and answers are
    those of scikit-learn's class of this name.

    Cost: fit O(n d log k) an iteration where cuts are even; predict O(d log k) a row; memory O(n d) to fit.

    Parameters
    ----------
    n_clusters : int, default 8
    init : str or callable, default "random"
        Where a cut begins, as in :class:`KMeans`.
    n_init : int, default 1
        Starts of each cut.
    random_state : int, RandomState or None, default None
    max_iter : int, default 300
    verbose, copy_x, algorithm : accepted for scikit-learn's sake
    tol : float, default 1e-4
        Of each cut: centres that move less, squared, end it. Where the mean variance of the columns is below 1, as a
        share of it, so that small units end no cut early.
    bisecting_strategy : "biggest_inertia" or "largest_cluster", default "biggest_inertia"
        Which group is cut next: that with the largest sum of squared distances, or with most rows.

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,)      inertia_ : float
    tree_centers_ : (2k - 1, p) centres of all groups on the way, the first that of all rows
    tree_children_ : (2k - 1, 2) the two parts of each, -1 for those that were not cut
    tree_labels_ : (2k - 1,) the label of those that were not cut, else -1

    Examples
    --------
    >>> from assay.cluster import BisectingKMeans
    >>> X = [[1, 1], [10, 1], [3, 1], [10, 0], [2, 1], [10, 2], [10, 8], [10, 9], [10, 10]]
    >>> model = BisectingKMeans(3, random_state=0).fit(X)
    >>> model.labels_.tolist()
    [0, 2, 0, 2, 0, 2, 1, 1, 1]

    See Also
    --------
    KMeans, DivisiveClustering

    References
    ----------
    - Steinbach, M., Karypis, G. and Kumar, V. (2000). A comparison of document clustering techniques. KDD Workshop on
      Text Mining.
    """

    card = Card("bisecting k-means", "the worst group is cut in two, until there are k", scale=True)
    accepts = {
        "n_clusters": Count(1),
        "init": Choice(*STARTS) | Function(),
        "n_init": Count(1),
        "random_state": Seed(),
        "max_iter": Count(1),
        "verbose": Flag() | Count(0),
        "tol": Range(0),
        "copy_x": Flag(),
        "algorithm": Choice("lloyd", "elkan"),
        "bisecting_strategy": Choice("biggest_inertia", "largest_cluster"),
    }
    stored = {
        "tree_centers_": FloatArray("t", "p", finite=True),
        "tree_children_": IntArray("t", "2", low=LEAF, below="t"),
        "tree_labels_": IntArray("t", low=-1, below="c"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "random",
        n_init: int = 1,
        random_state: RandomState = None,
        max_iter: int = 300,
        verbose: int = 0,
        tol: float = 1e-4,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        bisecting_strategy: str = "biggest_inertia",
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.random_state = random_state
        self.max_iter = max_iter
        self.verbose = verbose
        self.tol = tol
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.bisecting_strategy = bisecting_strategy

    def _check_stored(self) -> None:
        if "tree_children_" in vars(self):
            children = self.tree_children_
            parent = np.arange(len(children))[:, None]
            if not ((children == LEAF) | (children > parent)).all():  # each path ends
                raise ValueError(
                    f"{type(self).__name__}: parts of the tree must come behind what they are parts of."
                )

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        who, n = type(self).__name__, X.shape[0]
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        sparse = hasattr(X, "tocsr")
        center = 0.0 if sparse else np.mean(X, axis=0, dtype=np.float64)
        rows = X.tocsr() if sparse else np.ascontiguousarray(X, dtype=np.float64) - center
        draw = random_state_of(self.random_state)
        mean = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
        tol = float(self.tol) * min(1.0, _mean_variance(rows))
        nodes = [
            (mean, np.arange(n), 0.0, label_rows(rows, w, mean[None])[1] if self.n_clusters == 1 else 0.0)
        ]
        children: list[tuple[int, int]] = [(LEAF, LEAF)]
        for _ in range(self.n_clusters - 1):
            leaves = [at for at in _leaves(children) if len(nodes[at][1]) > 1]
            worst = max(leaves, key=lambda at: nodes[at][2])  # the first among equals, from left to right
            members = nodes[worst][1]
            some = rows if len(members) == n else rows[members] if sparse else rows.take(members, axis=0)
            labels, centers = self._cut(some, None if w is None else w[members], tol, draw, who)
            gaps = np.empty(len(members))
            label_rows(some, None, centers, gaps)
            if w is not None:
                gaps *= w[members]
            for side in (0, 1):
                part = labels == side
                loss = float(gaps[part].sum())
                score = loss if self.bisecting_strategy == "biggest_inertia" else float(part.sum())
                nodes.append((centers[side], members[part], score, loss))
                children.append((LEAF, LEAF))
            children[worst] = (len(nodes) - 2, len(nodes) - 1)
            nodes[worst] = (nodes[worst][0], members[:0], 0.0, 0.0)  # its parts have its rows
        self.tree_centers_ = np.array([node[0] for node in nodes]) + center
        self.tree_children_ = np.array(children, dtype=np.int64).reshape(-1, 2)
        self.tree_labels_ = np.full(len(nodes), -1, dtype=np.int64)
        self.labels_ = np.empty(n, dtype=np.int32)
        leaves = list(_leaves(children))
        for label, at in enumerate(leaves):
            self.labels_[nodes[at][1]] = label
            self.tree_labels_[at] = label
        self.cluster_centers_ = self.tree_centers_[leaves]
        self.inertia_ = sum(nodes[at][3] for at in leaves)

    def _cut(
        self, X: Any, w: np.ndarray | None, tol: float, draw: np.random.RandomState, who: str
    ) -> tuple[np.ndarray, np.ndarray]:
        best = None
        if w is not None and np.count_nonzero(w) < 2:
            w = None
        for _ in range(self.n_init):
            first = start_centers(self.init, X, w, 2, draw, who)
            run = lloyd(Rows(X, None, w), first, max_iter=self.max_iter, tol=tol)
            if best is None or run.loss < best.loss * (1 - 1e-6):
                best = run
        assert best is not None and best.labels is not None
        return best.labels, best.centers

    def _assign(self, X: Any) -> np.ndarray:
        X = np.asarray(dense_block(X), dtype=np.float64)
        out, centers = np.zeros(len(X), dtype=np.int32), np.asarray(self.tree_centers_, dtype=np.float64)
        waiting = [(0, np.arange(len(X)))]
        while waiting:
            at, rows = waiting.pop()
            left, right = self.tree_children_[at].tolist()
            if left == LEAF:
                out[rows] = self.tree_labels_[at]
                continue
            side = label_rows(X[rows], None, centers[[left, right]])[0]
            waiting += [(child, rows[side == s]) for s, child in ((0, left), (1, right)) if (side == s).any()]
        return out


def _mean_variance(centered: Any) -> float:
    """Of the columns; sparse rows are not centered."""
    if not hasattr(centered, "multiply"):
        return float(np.mean(np.einsum("ij,ij->j", centered, centered))) / len(centered)
    means = np.asarray(centered.mean(axis=0)).ravel()
    return float(np.mean(np.asarray(centered.multiply(centered).mean(axis=0)).ravel() - means**2))


def _leaves(children: list[tuple[int, int]], at: int = 0) -> list[int]:
    """The parts that were not cut, from left to right."""
    out, waiting = [], [at]
    while waiting:
        node = waiting.pop()
        left, right = children[node]
        if left == LEAF:
            out.append(node)
        else:
            waiting += [right, left]
    return out
