"""Online k-means: the winning centre moves a little towards each row as it comes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

import assay.cluster._online_k_means as _online
from assay.cluster.center_clusterer import CenterClusterer
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import dense_block
from assay.core.fitting import observed
from assay.core.model_view import Part
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Array, Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Integer, Plain
from assay.core.targets import check_weights
from assay.distances.lloyd import label_rows
from assay.errors import DataError, ParameterError
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["OnlineKMeans"]

FLAT = 1e-10  # variance, as a share of the largest, below which a direction has none


class OnlineKMeans(CenterClusterer):
    r"""Competitive learning: rows come one after the other, and the winning centre alone moves towards each.

    .. math:: m_i \leftarrow m_i + \eta\,(x - m_i), \qquad i = \arg\min_l \|x - m_l\|                       \quad (1)

    the stochastic gradient of the reconstruction error :math:`\tfrac12\sum_t\|x^t - m_{i(t)}\|^2`. The rate falls to 0
    in a line, stays, or is one over the wins of the centre, which makes each the running mean of what it has won.
    ``partial_fit`` learns from rows as they come and follows groups that move.

    A centre far from all rows never wins; ``dead_units_`` lists such centres, and a ``conscience`` helps them: units
    that win more than their share are held back,
    :math:`i = \arg\min_l \|x - m_l\|^2 - c\,(1/k - p_l)` (DeSieno 1988).

    Cost: fit O(n k d) a pass; predict O(k d) a row; memory O(k d).

    Parameters
    ----------
    n_clusters : int, default 8
        k; fewer where there are fewer distinct rows.
    init : "random" or (k, d) centres, default "random"
        Rows drawn at random, or where centres begin.
    winner : "euclidean", "dot" or "mahalanobis", default "euclidean"
        The nearest centre; the largest product, which is the nearest where all centres are equally long; or the nearest
        in units of the covariance of the (first) rows.
    schedule : "linear", "constant" or "wins", default "linear"
    learning_rate : float, default 0.1
        :math:`\eta` at first; not of "wins".
    momentum : float, default 0
        Which share of its last step a centre repeats, won or not.
    conscience : float, default None
        c, in units of squared distance; None is none.
    memory : float, default 1e-4
        How quickly shares of wins are forgotten, with a conscience.
    max_iter : int, default 100
        Passes over all rows.
    tol : float, default 1e-4
        Passes end when no centre moves farther in one.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,)      inertia_ : float      n_iter_ : int
    wins_ : (k,) rows won by each centre, all passes together      shares_ : (k,) of the conscience
    dead_units_ : list of the centres that never won
    history_ : list of dicts, one a pass: pass, rate, move (the farthest), inertia

    Examples
    --------
    >>> from assay.cluster import OnlineKMeans
    >>> model = OnlineKMeans(2, init=[[0.0, 0.0], [10.0, 0.0]], max_iter=1).fit([[2.0, 2.0]])
    >>> model.cluster_centers_.tolist(), model.dead_units_
    ([[0.2, 0.2], [10.0, 0.0]], [1])

    See Also
    --------
    KMeans, MiniBatchKMeans, LeaderClustering, SelfOrganizingMap

    References
    ----------
    - MacQueen, J. (1967). Some methods for classification and analysis of multivariate observations. Fifth Berkeley
      Symposium on Mathematical Statistics and Probability 1, 281-297.
    - DeSieno, D. (1988). Adding a conscience to competitive learning. IEEE International Conference on Neural Networks,
      117-124. doi:10.1109/ICNN.1988.23839
    """

    takes = frozenset()
    card = Card(
        "online k-means",
        "the winning centre moves a little towards each row",
        also=("competitive learning",),
        scale=True,
        settings={"random_state": 0},
    )
    accepts = {
        "n_clusters": Count(1),
        "init": Choice("random") | Array(2),
        "winner": Choice("euclidean", "dot", "mahalanobis"),
        "schedule": Choice("linear", "constant", "wins"),
        "learning_rate": Range(0, 1, open="low"),
        "momentum": Range(0, 1, open="high"),
        "conscience": Range(0, open="both") | None,
        "memory": Range(0, 1, open="low"),
        "max_iter": Count(1),
        "tol": Range(0),
        "random_state": Seed(),
    }
    stored = {
        "wins_": FloatArray("c", low=0, finite=True),
        "shares_": FloatArray("c", finite=True),
        "dead_units_": Each(Integer(low=0)),
        "history_": Each(Plain(dict)),
        "_whitening": FloatArray("p", "p", finite=True),
        "_motion": FloatArray("c", "p", finite=True) | FloatArray("0", "0"),
    }
    wins_: np.ndarray

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str | ArrayLike = "random",
        winner: str = "euclidean",
        schedule: str = "linear",
        learning_rate: float = 0.1,
        momentum: float = 0.0,
        conscience: float | None = None,
        memory: float = 1e-4,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.winner = winner
        self.schedule = schedule
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.conscience = conscience
        self.memory = memory
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        X = np.ascontiguousarray(dense_block(X), dtype=np.float64)
        draw = random_state_of(self.random_state)
        self._begin(X, w, draw)
        counted = np.arange(len(X)) if w is None else np.flatnonzero(w > 0)
        self.history_ = []
        for step in range(self.max_iter):
            end_if_abandoned()
            before = self.cluster_centers_.copy()
            rate = float(self.learning_rate)
            if self.schedule == "linear":
                rate *= 1 - step / self.max_iter
            self._pass(X, w, draw.permutation(counted), rate)
            move = float(np.sqrt(((self.cluster_centers_ - before) ** 2).sum(axis=1)).max())
            inertia = label_rows(X, w, self.cluster_centers_)[1]
            self.history_.append({"pass": step + 1, "rate": rate, "move": move, "inertia": inertia})
            if move <= self.tol:
                break
        self.n_iter_ = len(self.history_)
        self._finish(X, w)

    def _begin(self, X: np.ndarray, w: np.ndarray | None, draw: np.random.RandomState) -> None:
        who, d = type(self).__name__, X.shape[1]
        if isinstance(self.init, str):
            distinct = np.unique(X if w is None else X[w > 0], axis=0)
            k = min(self.n_clusters, len(distinct))
            centers = distinct[np.sort(draw.choice(len(distinct), k, replace=False))]
        else:
            centers = np.array(self.init, dtype=np.float64)
            if centers.shape != (self.n_clusters, d) or not np.isfinite(centers).all():
                raise ParameterError(
                    f"{who}: init must be ({self.n_clusters}, {d}) finite numbers, got the shape {centers.shape}."
                )
        self.cluster_centers_ = centers
        k = len(centers)
        self.wins_, self.shares_ = np.zeros(k), np.full(k, 1 / k)
        self._motion = np.zeros((k, d)) if self.momentum else np.zeros((0, 0))
        self.__dict__.pop("_whitening", None)
        if self.winner == "mahalanobis":
            self._whitening = _whitening(X, w)

    def _pass(self, X: np.ndarray, w: np.ndarray | None, order: np.ndarray, rate: float) -> None:
        """One visit of each row in this order; the centres move in the space in which winners are found."""
        root = getattr(self, "_whitening", None)
        rows = X if root is None else X @ root
        centers = self.cluster_centers_ if root is None else self.cluster_centers_ @ root
        centers, old = np.ascontiguousarray(centers), np.array(centers)
        rule = _online.OnlineRule(
            product=self.winner == "dot",
            rate=0.0 if self.schedule == "wins" else rate,
            momentum=float(self.momentum),
            conscience=float(self.conscience or 0.0),
            memory=float(self.memory),
        )
        _online.visit(
            X=np.ascontiguousarray(rows), weight=np.empty(0) if w is None else w / w.max(), order=order, M=centers,
            motion=self._motion, wins=self.wins_, share=self.shares_, rule=rule,
        )  # fmt: skip
        if root is None:
            self.cluster_centers_ = centers
        else:  # a step is linear, so that it can be taken back into the table's units
            self.cluster_centers_ = (
                self.cluster_centers_ + np.linalg.lstsq(root.T, (centers - old).T, rcond=None)[0].T
            )

    def _finish(self, X: np.ndarray, w: np.ndarray | None) -> None:
        if not np.isfinite(self.cluster_centers_).all():
            raise DataError(
                f"{type(self).__name__}: centres left all bounds. Lower momentum or learning_rate."
            )
        self.dead_units_ = np.flatnonzero(self.wins_ == 0).tolist()
        self.labels_ = self._assign(X).astype(np.int32)
        weight = np.ones(len(X)) if w is None else w
        self.inertia_ = float(weight @ ((X - self.cluster_centers_[self.labels_]) ** 2).sum(axis=1))

    @observed
    def partial_fit(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """Visit the rows of X once, in their order, at the first learning rate (or by wins)."""
        who = type(self).__name__
        if "cluster_centers_" not in vars(self):
            self._check_parameters()
            values = np.ascontiguousarray(dense_block(self._admit(X, fitting=True)), dtype=np.float64)
            w = check_weights(sample_weight, values, who)
            self._begin(values, w, random_state_of(self.random_state))
            self.n_iter_, self.history_ = 0, []
        else:
            values = np.ascontiguousarray(dense_block(self._admit(X)), dtype=np.float64)
            w = check_weights(sample_weight, values, who)
        self._pass(values, w, np.arange(len(values)), float(self.learning_rate))
        self.n_iter_ += 1
        self._finish(values, w)
        return self

    def _assign(self, X: Any) -> np.ndarray:
        if self.winner == "dot":
            return np.argmax(X @ self.cluster_centers_.T, axis=1).astype(np.int32)
        if self.winner == "mahalanobis":
            return label_rows(
                np.ascontiguousarray(X @ self._whitening), None, self.cluster_centers_ @ self._whitening
            )[0]
        return super()._assign(X)

    def _model_parts(self) -> list[Part]:
        dead = set(self.dead_units_)
        lines = [[k, float(wins), "never won" if k in dead else ""] for k, wins in enumerate(self.wins_)]
        return [*super()._model_parts(), Section("Wins", ["group", "wins", ""], lines)]


def _whitening(X: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(p, p) the symmetric root of the inverse covariance, in whose image distances are those of Mahalanobis."""
    C = X - np.average(X, axis=0, weights=w)
    covariance = (C * (1.0 if w is None else w[:, None])).T @ C / (len(X) if w is None else w.sum())
    values, axes = np.linalg.eigh(covariance)
    values = np.maximum(values, FLAT * max(float(values.max(initial=0.0)), 1e-300))
    return (axes / np.sqrt(values)) @ axes.T if values.max(initial=0.0) > 1e-290 else np.eye(len(values))
