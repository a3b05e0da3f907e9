"""k-means on small samples of the rows, one after the other."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.cluster.center_clusterer import CenterClusterer
from assay.cluster.starts import STARTS, start_centers
from assay.core import Card
from assay.core.fitting import observed
from assay.core.parameters import Array, Choice, Count, Flag, Function, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Integer, Unchecked
from assay.core.sums import Rows
from assay.core.targets import check_weights
from assay.distances.lloyd import center_sums, label_rows
from assay.errors import DataError, warn_user
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["MiniBatchKMeans"]

STARTS_OF_DRAWN = 3  # what n_init="auto" means for starts that are not spread out
BATCHES_TO_START = 3  # whose rows a start is made of


class MiniBatchKMeans(CenterClusterer):
    r"""k-means from small random samples: each moves the centres a little less than the one before.

    With :math:`v_k` the weight of all rows that came to centre k so far, a batch whose rows at k weigh :math:`n_k` and
    have the mean :math:`\bar x_k` moves it to

    .. math:: m_k \leftarrow \frac{v_k m_k + n_k\bar x_k}{v_k + n_k}, \qquad v_k \leftarrow v_k + n_k    \quad (1)

    until the smoothed loss of the batches has not fallen for a while. Much less work than :class:`KMeans` for a loss
    that is a little higher; ``partial_fit`` learns from rows as they come. Parameters, draws and answers are those of
    scikit-learn's class of this name.

    Cost: fit O(b k d) a batch of b rows, and O(n k d) once for ``labels_``; predict O(k d) a row; memory O(b d + k d).

    Parameters
    ----------
    n_clusters : int, default 8
    init : as KMeans, default "k-means++"
    max_iter : int, default 100
        The most rows drawn, in multiples of n.
    batch_size : int, default 1024
    verbose : accepted for scikit-learn's sake
    compute_labels : bool, default True
        Whether ``labels_`` and ``inertia_`` are of all rows; else the loss is estimated from the batches.
    random_state : int, RandomState or None, default None
    tol : float, default 0
        Stop when the centres' squared ways are at most this share of the mean variance of the columns; 0 never does.
    max_no_improvement : int or None, default 10
        Batches without a lower smoothed loss, after which it stops.
    init_size : int or None, default None
        Rows that a start is made of; None is three batches.
    n_init : "auto" or int, default "auto"
        Starts, of which the best on a sample is followed; "auto" is 1 for "k-means++", "component" and given centres,
        else 3.
    reassignment_ratio : float, default 0.01
        Centres with less than this share of the largest weight jump to a row drawn at random.

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,)      inertia_ : float      n_iter_ : int      n_steps_ : int, batches

    Examples
    --------
    >>> from assay.cluster import MiniBatchKMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [4, 2], [4, 0], [4, 4], [4, 5], [0, 1], [2, 2], [3, 2], [5, 5], [1, -1]]
    >>> model = MiniBatchKMeans(2, random_state=0, batch_size=6, max_iter=10).fit(X)
    >>> model.predict([[0, 0], [4, 4]]).tolist() in ([0, 1], [1, 0])
    True

    See Also
    --------
    KMeans

    References
    ----------
    - Sculley, D. (2010). Web-scale k-means clustering. Proceedings of the 19th International Conference on World Wide
      Web, 1177-1178. doi:10.1145/1772690.1772862
    """

    card = Card(
        "mini-batch k-means", "k-means on small samples of the rows", also=("minibatch kmeans",), scale=True
    )
    accepts = {
        "n_clusters": Count(1),
        "init": Choice(*STARTS) | Function() | Array(2),
        "max_iter": Count(1),
        "batch_size": Count(1),
        "verbose": Flag() | Count(0),
        "compute_labels": Flag(),
        "random_state": Seed(),
        "tol": Range(0),
        "max_no_improvement": Count(0) | None,
        "init_size": Count(1) | None,
        "n_init": Choice("auto") | Count(1),
        "reassignment_ratio": Range(0),
    }
    stored = {
        "n_iter_": Integer(low=0),
        "n_steps_": Integer(low=0),
        "_counts": FloatArray("c", low=0),
        "_since_jump": Integer(low=0),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int = 0,
        compute_labels: bool = True,
        random_state: RandomState = None,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: int | str = "auto",
        reassignment_ratio: float = 0.01,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        X = _numbers(X)
        n, who = X.shape[0], type(self).__name__
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        draw = random_state_of(self.random_state)
        size, batch = self._start_size(n), min(self.batch_size, n)
        centers = self._first(X, w, size, draw)
        self._counts, self._since_jump = np.zeros(len(centers)), 0
        tol = self.tol * _mean_variance(X) if self.tol > 0 else 0.0
        upto = np.cumsum(np.full(n, 1 / n) if w is None else w / w.sum())
        upto /= upto[-1]
        smoothed = least = None
        idle, step, steps = 0, 0, (self.max_iter * n) // batch
        for step in range(1, steps + 1):
            rows = upto.searchsorted(draw.random_sample(batch), side="right")  # as RandomState.choice draws
            before = centers
            centers, loss = self._step(X[rows], None, centers, draw)  # rows came by their weights
            if step == 1:
                continue
            loss /= batch
            share = min(2.0 * batch / (n + 1), 1.0)
            smoothed = loss if smoothed is None else smoothed * (1 - share) + loss * share
            if tol > 0 and np.sum((centers - before) ** 2) <= tol:
                break
            if least is None or smoothed < least:
                idle, least = 0, smoothed
            else:
                idle += 1
            if self.max_no_improvement is not None and idle >= self.max_no_improvement:
                break
        self.cluster_centers_, self.n_steps_ = centers, step
        self.n_iter_ = int(np.ceil(step * batch / n))
        if self.compute_labels:
            self.labels_, self.inertia_ = label_rows(X, w, centers)
            groups = len(np.unique(self.labels_))
            if groups < self.n_clusters:
                warn_user(
                    f"{who}: Number of distinct clusters ({groups}) found smaller than n_clusters "
                    f"({self.n_clusters}). Possibly due to duplicate points in X.",
                    ConvergenceWarning,
                )
        else:
            self.__dict__.pop("labels_", None)
            self.inertia_ = float((smoothed or 0.0) * (n if w is None else w.sum()))

    def _start_size(self, n: int) -> int:
        size = self.init_size
        if size is None:
            size = BATCHES_TO_START * min(self.batch_size, n)
            size = 3 * self.n_clusters if size < self.n_clusters else size
        elif size < self.n_clusters:
            warn_user(
                f"{type(self).__name__}: init_size={size} should be larger than n_clusters={self.n_clusters}. Setting "
                "it to min(3*n_clusters, n_samples)",
                RuntimeWarning,
            )
            size = 3 * self.n_clusters
        return min(size, n)

    def _first(self, X: Any, w: np.ndarray | None, size: int, draw: np.random.RandomState) -> np.ndarray:
        """The best of some starts, judged by a sample."""
        who = type(self).__name__
        array = not isinstance(self.init, str) and not callable(self.init)
        spread_out = array or self.init in ("k-means++", "component")
        starts = (1 if spread_out else STARTS_OF_DRAWN) if self.n_init == "auto" else int(self.n_init)
        if array and starts > 1:
            warn_user(
                f"{who}: Explicit initial center position passed: performing only one init in {who} instead of "
                f"n_init={starts}.",
                RuntimeWarning,
            )
            starts = 1
        if array:
            return start_centers(self.init, X, w, self.n_clusters, draw, who)
        judges = draw.randint(0, X.shape[0], size)
        best, least = None, np.inf
        for _ in range(starts):
            centers = self._start(X, w, size, draw)
            loss = label_rows(X[judges], None if w is None else w[judges], centers)[1]
            if best is None or loss < least:
                best, least = centers, loss
        assert best is not None
        return best

    def _start(self, X: Any, w: np.ndarray | None, size: int, draw: np.random.RandomState) -> np.ndarray:
        if size < X.shape[0]:
            rows = draw.randint(0, X.shape[0], size)
            X, w = X[rows], None if w is None else w[rows]
            if w is not None and not w.sum() > 0:
                w = None
        return start_centers(self.init, X, w, self.n_clusters, draw, type(self).__name__)

    def _step(
        self, X: Any, w: np.ndarray | None, centers: np.ndarray, draw: np.random.RandomState
    ) -> tuple[np.ndarray, float]:
        """One batch: the centres after it, and its loss before."""
        sums = center_sums(Rows(X, None, w), centers) if w is None or w.any() else None
        self._since_jump += X.shape[0]
        jump = bool((self._counts == 0).any()) or self._since_jump >= 10 * self.n_clusters
        if jump:
            self._since_jump = 0
        moved, loss = centers.copy(), 0.0
        if sums is not None:
            loss = sums.loss
            here = sums.counts > 0
            total = self._counts + sums.counts
            moved[here] = (centers[here] * self._counts[here, None] + sums.sums[here]) / total[
                here, None
            ]  # (1)
            self._counts = total
        if jump and self.reassignment_ratio > 0:
            light = self._counts < self.reassignment_ratio * self._counts.max()
            if light.sum() > 0.5 * X.shape[0]:
                light[np.argsort(self._counts)[int(0.5 * X.shape[0]) :]] = False
            many = int(light.sum())
            if many:
                rows = X[draw.choice(X.shape[0], replace=False, size=many)]
                moved[light] = rows.toarray() if hasattr(rows, "tocsr") else rows
                self._counts[light] = np.min(self._counts[~light])
        return moved, loss

    @observed
    def partial_fit(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """Take these rows as one batch; the first call also makes the start from them."""
        self._check_parameters()
        first = "cluster_centers_" not in vars(self)
        admitted = self._admit(X, fitting=first)
        values = _numbers(admitted)
        w = check_weights(sample_weight, values, type(self).__name__)
        if first:
            n = values.shape[0]
            if n < self.n_clusters:
                self.__dict__.pop("schema_", None)
                raise DataError(
                    f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=type(self).__name__
                )
            self._draw = random_state_of(self.random_state)
            centers = self._start(values, w, self._start_size(n), self._draw)
            self._counts, self._since_jump, self.n_steps_ = np.zeros(len(centers)), 0, 0
        else:
            centers = np.asarray(self.cluster_centers_, dtype=np.float64)
        draw = vars(self).get("_draw") or random_state_of(self.random_state)
        self.cluster_centers_, _ = self._step(values, w, centers, draw)
        self.n_steps_ += 1
        if self.compute_labels:
            self.labels_, self.inertia_ = label_rows(values, w, self.cluster_centers_)
        self._keep_precision(admitted)
        return self

    stored["_draw"] = (
        Unchecked("where the draws of later batches go on; none after loading: they begin anew") | None
    )


def _numbers(X: Any) -> Any:
    return X.tocsr() if hasattr(X, "tocsr") else np.ascontiguousarray(X, dtype=np.float64)


def _mean_variance(X: Any) -> float:
    if hasattr(X, "tocsr"):
        mean = np.asarray(X.mean(axis=0)).ravel()
        return float(np.mean(np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2))
    return float(np.mean(np.var(X, axis=0)))
