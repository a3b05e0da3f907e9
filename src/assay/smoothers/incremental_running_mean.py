"""Incremental running mean: store a row only if the stored ones do not predict it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.core.progress import track
from assay.core.stored import CodeArray, Integer
from assay.core.targets import check_weights, numeric_target
from assay.smoothers.local_smoother import LocalSmoother
from assay.tables import RowNames
from assay.types import MetricLike, TableLike, Target, Weights

__all__ = ["IncrementalRunningMean"]


class IncrementalRunningMean(LocalSmoother):
    r"""A running mean of the rows that were needed, taken in one by one as they arrive.

    A row :math:`(x, r)` is stored if no stored row is in its window, :math:`|x-x^s| < h`, or if

    .. math:: |r - \hat g(x)| > \theta                                                                   \quad (1)

    with :math:`\hat g` the running mean of the rows stored so far; otherwise it is forgotten. So memory follows how the
    function bends and not how many rows come, and each forgotten row was within θ when it came. What is stored depends
    on the order of arrival. Cost of a row: the number of stored rows.

    Cost: fit O(n m d) for m stored rows; predict O(m d) a row; memory O(m d).

    Parameters
    ----------
    bandwidth : number above 0, default 1
        h, in the units of the columns; half the width of the window.
    threshold : number from 0 up, default 0.1
        θ, in the units of y; 0 stores every row that is not met exactly.
    metric : str, function or Metric, default "auto"
        How distances are measured, as in `RunningMean`.
    empty : "nearest", "mean", "nan" or "raise", default "nearest"
        What a query with nothing in its window gets, as in `RunningMean`.

    Attributes
    ----------
    stored_ : (m,) which rows are remembered, counted from the first that came      n_seen_ : int, how many came
    X_ : (m, d)      y_ : (m,)      weight_ : (m,) or None, of the stored rows
    bandwidth_ : float

    Examples
    --------
    A step: the rows beside it are needed, and one on each side for the rest.

    >>> from assay.smoothers import IncrementalRunningMean
    >>> x, r = [[i / 10] for i in range(20)], [0.0] * 10 + [1.0] * 10
    >>> model = IncrementalRunningMean(bandwidth=0.95).fit(x, r)
    >>> model.n_seen_, len(model.stored_) < 12
    (20, True)

    See Also
    --------
    RunningMean, KernelSmoother

    References
    ----------
    - Aha, D. W., Kibler, D. and Albert, M. K. (1991). Instance-based learning algorithms. Machine Learning 6,
      37-66. doi:10.1007/BF00153759
    """

    card = Card(
        "incremental running mean",
        "a running mean that keeps the rows it needs as they arrive",
        learns=(
            "a mean of the stored rows nearby",
            "squared error",
            "rows stored one after the other",
            "greedy",
        ),
    )
    accepts = {
        "bandwidth": Range(0, open="low"),
        "threshold": Range(0),
        "metric": LocalSmoother.common["metric"],
        "empty": LocalSmoother.common["empty"],
    }
    stored = {
        "n_seen_": Integer(),
        "stored_": CodeArray("n"),
    }
    usual_noise = "local"
    n_neighbors = None
    _kernel = "box"

    def __init__(
        self,
        bandwidth: float = 1.0,
        *,
        threshold: float = 0.1,
        metric: MetricLike = "auto",
        empty: str = "nearest",
    ):
        self.bandwidth = bandwidth
        self.threshold = threshold
        self.metric = metric
        self.empty = empty

    def partial_fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Take in more rows; the first call is as ``fit``."""
        if "schema_" not in vars(self):
            return self.fit(X, y, sample_weight)
        self._check_parameters()
        values = np.asarray(self._admit(X), dtype=np.float64)
        target = numeric_target(y, len(values), type(self).__name__)
        weights = check_weights(sample_weight, values)
        if (weights is None) != (self.weight_ is None):
            weights = np.ones(len(values)) if weights is None else weights
            self.weight_ = np.ones(len(self.y_)) if self.weight_ is None else self.weight_
        self._take_in(values, target, weights)
        return self

    def _row(self, t: int) -> int | str:
        return self._cases.label(int(self.stored_[t]))

    @property
    def _cases(self) -> RowNames:
        return RowNames()  # rows come in several tables: they are counted through all of them

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._keep(X, y, w)
        values, target, weights = self.X_, self.y_, self.weight_
        self.X_, self.y_ = values[:0], target[:0]
        self.weight_ = None if weights is None else weights[:0]
        self.stored_, self.n_seen_ = np.zeros(0, np.int64), 0
        metric = self._unlearned().learn(values, None, weights)
        self._take_in(values, target, weights, metric)
        self.bandwidth_ = float(self.bandwidth)

    def _take_in(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None, metric: Any = None) -> None:
        metric = self._metric() if metric is None else metric
        old, n = len(self.y_), len(y)
        rows, numbers = np.concatenate([self.X_, X]), np.concatenate([self.y_, y])
        counts = np.ones(old + n) if w is None else np.concatenate([np.asarray(self.weight_), w])
        kept, held = list(range(old)), old
        near, targets, worth = rows[: old + n].copy(), numbers.copy(), counts.copy()
        for t in track(range(old, old + n), "rows"):
            if counts[t] == 0:
                continue
            window = (
                metric.between(rows[t : t + 1], near[:held])[0] < self.bandwidth
                if held
                else np.zeros(0, bool)
            )
            if window.any():
                part = worth[:held][window]
                if abs(numbers[t] - part @ targets[:held][window] / part.sum()) <= self.threshold:  # (1)
                    continue
            near[held], targets[held], worth[held] = rows[t], numbers[t], counts[t]
            kept.append(t)
            held += 1
        self.stored_ = np.concatenate([self.stored_, np.array(kept[old:], np.int64) - old + self.n_seen_])
        self.X_, self.y_ = near[:held].copy(), targets[:held].copy()
        self.weight_ = None if w is None else worth[:held].copy()
        self.n_seen_ += n
        self._order = np.argsort(self.X_[:, 0], kind="stable") if X.shape[1] == 1 else np.zeros(0, np.int64)
