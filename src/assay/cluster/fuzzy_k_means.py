"""Fuzzy k-means: every row belongs to every group to a degree."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.cluster.center_clusterer import CenterClusterer
from assay.cluster.starts import STARTS, start_centers
from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.parameters import Array, Choice, Count, Function, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Integer
from assay.core.sum_learner import WithoutTarget
from assay.core.sums import Block, Rows, Source
from assay.distances.lloyd import squared_distances
from assay.errors import DataError, warn_user
from assay.mixture.mixture_learner import start_rows
from assay.types import RandomState, TableLike

__all__ = ["FuzzyKMeans"]


class _Sums(tuple):  # weights (K,), sums (K, d), loss
    __slots__ = ()

    def __add__(self, other: Any) -> _Sums:  # type: ignore[override]
        return _Sums(a + b for a, b in zip(self, other))


class FuzzyKMeans(WithoutTarget, CenterClusterer):
    r"""k-means with memberships: a row between two centres counts for both.

    .. math::
       u_{ik} = \frac{1}{\sum_j (\|x_i-m_k\| / \|x_i-m_j\|)^{2/(q-1)}}, \qquad
       m_k = \frac{\sum_i w_i u_{ik}^q x_i}{\sum_i w_i u_{ik}^q}                                     \quad (1)

    by turns until no centre moves by more than ``tol``; :math:`\sum_{ik} w_i u_{ik}^q\|x_i - m_k\|^2` falls with each.
    A row that coincides with a centre has membership 1 there (shared by coincident centres). q near 1 is k-means, a
    large q makes all memberships alike.

    Cost: fit O(n k d) an iteration; predict O(k d) a row; memory O(n k).

    Parameters
    ----------
    n_clusters : int, default 8
    exponent : float, default 2
        q, above 1.
    init : as KMeans, default "k-means++"
    max_iter : int, default 300
    tol : float, default 1e-8
        Way of a centre, as a share of the standard deviation of all columns together.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,) the group of largest membership      memberships_ : (n, k)
    inertia_ : float, the loss      n_iter_ : int      history_ : list of dict, iteration and loss

    Examples
    --------
    >>> from assay.cluster import FuzzyKMeans
    >>> model = FuzzyKMeans(2, init=[[2.0], [11.0]]).fit([[1], [2], [3], [10], [11], [12]])
    >>> model.cluster_centers_.ravel().round(6).tolist()
    [1.997216, 11.002784]
    >>> model.memberships([[1]]).round(6).tolist()
    [[0.990159, 0.009841]]

    See Also
    --------
    KMeans, GaussianMixture

    References
    ----------
    - Bezdek, J. C. (1981). Pattern Recognition with Fuzzy Objective Function Algorithms. Plenum.
      doi:10.1007/978-1-4757-0450-1
    """

    card = Card(
        "fuzzy k-means", "k-means with memberships between 0 and 1", also=("fuzzy c-means",), scale=True
    )
    accepts = {
        "n_clusters": Count(1),
        "exponent": Range(1, open="low"),
        "init": Choice(*STARTS) | Function() | Array(2),
        "max_iter": Count(1),
        "tol": Range(0),
        "random_state": Seed(),
    }
    stored = {"n_iter_": Integer(low=0), "memberships_": FloatArray("n", "c", low=0)}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        exponent: float = 2.0,
        init: Any = "k-means++",
        max_iter: int = 300,
        tol: float = 1e-8,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.exponent = exponent
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn_from(self, source: Source) -> None:
        who, n = type(self).__name__, source.count()
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        draw = random_state_of(self.random_state)
        some = Block(source.X, None, source.w) if isinstance(source, Rows) else start_rows(source, n, draw)
        centers = start_centers(self.init, some.X, some.w, self.n_clusters, draw, who)
        spread = float(np.sqrt(np.mean(np.var(np.asarray(dense_block(some.X)), axis=0)))) or 1.0
        history: list[dict[str, Any]] = []
        for _ in range(self.max_iter):
            weights, sums, loss = source.add_up(lambda block, at=centers: self._block(block, at))  # type: ignore[misc]
            moved = np.where(weights[:, None] > 0, sums / np.where(weights > 0, weights, 1)[:, None], centers)
            way = float(np.sqrt(np.sum((moved - centers) ** 2, axis=1)).max())
            history.append({"iteration": len(history) + 1, "loss": float(loss)})
            centers = moved
            if way <= self.tol * spread:
                break
        else:
            warn_user(
                f"{who}: the centres still moved after {self.max_iter} iterations. Increase max_iter or tol.",
                ConvergenceWarning,
            )
        self.cluster_centers_, self.history_, self.n_iter_ = centers, history, len(history)
        self.inertia_ = float(source.add_up(lambda block: self._block(block, centers))[2])
        for name in ("labels_", "memberships_"):
            self.__dict__.pop(name, None)
        if isinstance(source, Rows):
            self.memberships_ = self._shares(squared_distances(source.X, centers))
            self.labels_ = np.argmax(self.memberships_, axis=1).astype(np.int32)

    def _shares(self, gaps: np.ndarray) -> np.ndarray:
        """(n, k) memberships (1) from squared distances, by ratios to the smallest, so that nothing overflows."""
        least = gaps.min(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(least > 0, least / gaps, (gaps == 0).astype(np.float64))
            shares = ratio ** (1 / (self.exponent - 1))
        return shares / shares.sum(axis=1, keepdims=True)

    def _block(self, block: Block, centers: np.ndarray) -> _Sums:
        gaps = squared_distances(block.X, centers)
        powers = self._shares(gaps) ** self.exponent
        if block.w is not None:
            powers = powers * block.w[:, None]
        sums = block.X.T @ powers if not hasattr(block.X, "tocsr") else np.asarray(block.X.T @ powers)
        return _Sums((powers.sum(axis=0), np.asarray(sums, dtype=np.float64).T, float((powers * gaps).sum())))

    def memberships(self, X: TableLike) -> np.ndarray:
        """(n, k) how far each row belongs to each group; rows sum to 1."""
        return self._shares(
            squared_distances(self._admit(X), np.asarray(self.cluster_centers_, dtype=np.float64))
        )
