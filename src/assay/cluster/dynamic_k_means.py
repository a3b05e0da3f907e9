"""Dynamic k-means: centres with too many rows are split, those with too few are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.center_clusterer import CenterClusterer
from assay.cluster.starts import STARTS, start_centers
from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.parameters import Array, Choice, Count, Function, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Integer
from assay.core.sums import Rows
from assay.distances.lloyd import lloyd
from assay.errors import DataError
from assay.types import RandomState

__all__ = ["DynamicKMeans"]

SHARE_OF_SPREAD = 0.1  # of the deviation of a group: how far the copy of a split centre lies from it
MOST_ROUNDS = 100


class DynamicKMeans(CenterClusterer):
    r"""k-means that changes the number of centres by how many rows they cover.

    After k-means has settled, a centre that covers more than a share ``split`` of the rows is split (a copy with a
    small random vector), one that covers less than ``drop`` is left out, or with ``small="restart"`` jumps to the row
    farthest from all centres; then k-means goes on. It ends when nothing is split or left out, or there are
    ``max_clusters``.

    Cost: fit O(n k d) an iteration, a few rounds of them; predict O(k d) a row; memory O(n d).

    Parameters
    ----------
    n_clusters : int, default 3
        Centres to begin with.
    split : float, default 0.5
    drop : float, default 0
    max_clusters : int, default 50
    small : "drop" or "restart", default "drop"
    init : as KMeans, default "k-means++"
    max_iter : int, default 300
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,)      inertia_ : float      n_iter_ : int, rounds
    history_ : list of dict, round, clusters, loss, split and dropped

    Examples
    --------
    The poor start of k-means (centres 1, 2.5 and 13.25, loss 63.25) is mended:

    >>> from assay.cluster import DynamicKMeans
    >>> X = [[1], [2], [3], [10], [11], [12], [20]]
    >>> model = DynamicKMeans(init=[[1.0], [2.0], [3.0]], random_state=0).fit(X)
    >>> model.inertia_ < 63.25
    True

    See Also
    --------
    KMeans, LeaderClustering

    References
    ----------
    - Ball, G. H. and Hall, D. J. (1967). A clustering technique for summarizing multivariate data. Behavioral Science
      12(2), 153-155. doi:10.1002/bs.3830120210
    """

    card = Card("dynamic k-means", "k-means that splits large groups and leaves small ones out", scale=True)
    accepts = {
        "n_clusters": Count(1),
        "split": Range(0, 1, open="low"),
        "drop": Range(0, 1),
        "max_clusters": Count(1),
        "small": Choice("drop", "restart"),
        "init": Choice(*STARTS) | Function() | Array(2),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    stored = {"n_iter_": Integer(low=0)}

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        split: float = 0.5,
        drop: float = 0.0,
        max_clusters: int = 50,
        small: str = "drop",
        init: Any = "k-means++",
        max_iter: int = 300,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.split = split
        self.drop = drop
        self.max_clusters = max_clusters
        self.small = small
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        X, who = np.ascontiguousarray(dense_block(X), dtype=np.float64), type(self).__name__
        if len(X) < self.n_clusters:
            raise DataError(f"n_samples={len(X)} should be >= n_clusters={self.n_clusters}.", who=who)
        draw = random_state_of(self.random_state)
        weights = np.ones(len(X)) if w is None else w
        run = lloyd(
            Rows(X, None, w),
            start_centers(self.init, X, w, self.n_clusters, draw, who),
            max_iter=self.max_iter,
            tol=0.0,
        )
        history: list[dict[str, Any]] = []
        restarts = 0
        for _ in range(MOST_ROUNDS):
            assert run.labels is not None
            shares = np.bincount(run.labels, weights, len(run.centers)) / weights.sum()
            large = np.flatnonzero(
                (shares > self.split) & (np.bincount(run.labels, minlength=len(shares)) > 1)
            )
            large = large[: max(self.max_clusters - len(shares), 0)]
            few = np.flatnonzero(shares < self.drop) if len(shares) > 1 else np.empty(0, dtype=np.int64)
            few = few[: len(shares) - 1]
            history.append(
                {
                    "round": len(history) + 1,
                    "clusters": len(shares),
                    "loss": run.loss,
                    "split": len(large),
                    "dropped": len(few),
                }
            )
            if not len(large) and (not len(few) or restarts >= len(X)):
                break
            centers = run.centers.copy()
            if self.small == "restart" and len(few):
                gaps = np.sum((X - centers[run.labels]) ** 2, axis=1)
                centers[few] = X[np.argsort(-gaps, kind="stable")[: len(few)]]
                restarts += len(few)
                few = few[:0] if restarts < len(X) else few
            copies = []
            for k in large:
                spread = X[run.labels == k].std(axis=0)
                copies.append(centers[k] + SHARE_OF_SPREAD * spread * draw.standard_normal(X.shape[1]))
            centers = np.vstack([np.delete(centers, few, axis=0), *[copy[None] for copy in copies]])
            run = lloyd(Rows(X, None, w), centers, max_iter=self.max_iter, tol=0.0, empty="drop")
        assert run.labels is not None
        self.cluster_centers_, self.labels_, self.inertia_ = run.centers, run.labels, run.loss
        self.history_, self.n_iter_ = history, len(history)
