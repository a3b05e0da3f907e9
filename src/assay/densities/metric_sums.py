"""Sums of kernels of any distance, by looking at every point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, Object
from assay.densities.kernel_sums import (
    GEOMETRIES,
    PAIRS,
    KernelSums,
    check_points,
    in_pieces,
    log_profile,
    log_sum,
)
from assay.densities.kernels import Kernel
from assay.distances.metric import Metric
from assay.distances.minkowski import Minkowski

__all__ = ["MetricSums", "sums_over"]


@dataclass(frozen=True, eq=False)
class MetricSums:
    """Weighted rows with the sums of `KernelSums`, under any metric.

    Parameters
    ----------
    X : (n, d) rows, which may hold codes of categories and missing values if the metric takes them
    weights : (n,) above 0
    metric : Metric, fitted to the rows

    Examples
    --------
    >>> import numpy as np
    >>> from assay.densities.kernels import kernel_of
    >>> from assay.densities.metric_sums import MetricSums
    >>> from assay.distances import metric_of
    >>> points = MetricSums(np.array([[0.0, 1.0], [0.0, 3.0]]), np.ones(2), metric_of("canberra"))
    >>> points.log_sums(np.array([[0.0, 1.0]]), kernel_of("exponential"), 1.0).round(6)   # log(1 + exp(-1/2))
    array([0.474077])
    """

    X: np.ndarray
    weights: np.ndarray
    metric: Metric
    stored = {
        "X": FloatArray("n", "d"),
        "weights": FloatArray("n", low=0, finite=True),
        "metric": Object(Metric, d="d"),
    }

    def log_sums(
        self,
        Q: np.ndarray,
        kernel: Kernel,
        h: float | np.ndarray,
        *,
        cut: float = np.inf,
        atol: float = 0.0,
        rtol: float = 0.0,
        leave_out: np.ndarray | None = None,
    ) -> np.ndarray:
        """(q,) as those of `KernelSums`, exact whatever the tolerances."""
        check_points(Q, self.X, self.weights)
        out = np.empty(len(Q))
        h = np.broadcast_to(np.asarray(h, dtype=np.float64), len(Q))
        size = max(1, PAIRS // len(self.X))

        def some(start: int) -> None:
            part = slice(start, start + size)
            logs = log_profile(kernel, self.metric.between(Q[part], self.X) / h[part, None], cut)
            if leave_out is not None:
                left_out = np.flatnonzero(leave_out[part] >= 0)
                logs[left_out, leave_out[part][left_out]] = -np.inf
            with np.errstate(divide="ignore"):
                out[part] = log_sum(logs + np.log(self.weights))

        in_pieces(some, range(0, len(Q), size), 1 if self.metric.function else None)
        return out


def sums_over(X: np.ndarray, weights: np.ndarray, metric: Metric) -> KernelSums | MetricSums:
    """The quickest sums over these points: by a tree if their distance has one."""
    if type(metric) is Minkowski and metric.w is None and metric.power in _TREES:
        return KernelSums(X, weights, None, _TREES[metric.power])
    return MetricSums(X, weights, metric)


_TREES: dict[Any, str] = {2.0: GEOMETRIES[0], 1.0: GEOMETRIES[1], np.inf: GEOMETRIES[2]}
