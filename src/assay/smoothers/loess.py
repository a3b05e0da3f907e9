"""Loess: a locally weighted polynomial through the rows near the query, with robust iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Count, Range
from assay.core.progress import track
from assay.core.stored import FloatArray
from assay.smoothers.local_smoother import BANDWIDTH, KERNEL, LocalSmoother
from assay.smoothers.running_line import LINE_METRICS

__all__ = ["Loess"]


class Loess(LocalSmoother):
    r"""Predict by a polynomial through the rows near x, in which nearer rows count more.

    .. math:: \hat g(x) = \hat p(x), \qquad
              E(p \mid x) = \sum_t \delta_t\,K(\|x-x^t\|/h)\,[r^t - p(x^t)]^2                             \quad (1)

    The width is the distance to the k-th nearest row, k a ``span`` of all rows, or a fixed ``bandwidth``. The
    robustness weights are 1 at first; after each of ``robust_iterations`` fits, with the residuals e,

    .. math:: \delta_t = \left(1 - (e_t / 6m)^2\right)_+^2, \qquad m = \operatorname{median}|e_t|         \quad (2)

    (Cleveland 1979), so that outlying rows lose their weight. With the defaults and ``robust_iterations=3``
    this is lowess. A line follows a trend up to the ends of the data, where a kernel mean is biased. A window
    that does not determine the polynomial has one of a lower degree; one with one distinct x its mean. Cost of a
    query: the k nearest rows with one column, O(n p^2) for p terms with several; a robust fit asks for all n rows.

    Cost: fit O(n log n), and for each robust iteration the fit at all n rows; predict O(m d^2 + d^3) a row for the m
    rows in its window; memory O(n d), the rows are kept.

    Parameters
    ----------
    span : float from 0 to 1, default 2/3
        Which share of the rows sets the width (k is the whole part of span times n, at least 1).
    degree : int from 0 to 5, default 1
        Of the polynomial: 0 a kernel mean, 1 a line or plane, 2 a parabola. Several columns have all products.
    bandwidth : number, (d,) numbers, "loo", "gcv", "scott" or None, default None
        A fixed h instead of a span; "loo" takes the candidate with the least leave-one-out error, "gcv" the least
        generalised cross-validation, "scott" a rule of thumb.
    kernel : str, default "tricube"
        A name of ``assay.densities.kernels``, such as "gaussian".
    robust_iterations : int, default 0
        How often the rows are weighed anew by (2).
    metric : "euclidean", "seuclidean", "mahalanobis", "manhattan" or "chebyshev", default "euclidean"
        How distances are measured; "seuclidean" for several columns in different units. Categories become indicators.
    empty : "nearest", "mean", "nan" or "raise", default "nearest"
        What a query with nothing in its window gets, as in `RunningMean`.

    Attributes
    ----------
    robustness_ : (n,) the weights (2), all 1 without robust iterations
    bandwidth_ : float or (d,), or None with a span
    X_ : (n, d)      y_ : (n,)      weight_ : (n,) or None

    Examples
    --------
    With a width so large that all rows count alike it is the least-squares line:

    >>> from assay.smoothers import Loess
    >>> x, r = [[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6]
    >>> Loess(bandwidth=1.0, kernel="gaussian").fit(x, r).predict([[0.5], [2.0]]).round(6)
    array([1.4008  , 2.392327])
    >>> Loess(bandwidth=1e6).fit(x, r).predict([[0.5], [2.0]]).round(6)
    array([1.375, 2.625])

    See Also
    --------
    RunningLine, KernelSmoother

    References
    ----------
    - Cleveland, W. S. (1979). Robust locally weighted regression and smoothing scatterplots. Journal of the
      American Statistical Association 74(368), 829-836. doi:10.1080/01621459.1979.10481038
    """

    card = Card(
        "loess",
        "a polynomial through the rows near the query",
        also=("lowess", "local regression"),
        scale=True,
        suits="all numeric",
        most_rows=5_000,
        most_columns=3,
        learns=(
            "a mean, median or line of the rows nearby",
            "squared error of each row by the others",
            "a search over the bandwidth",
            "local",
        ),
    )
    accepts = {
        "span": Range(0, 1, open="low"),
        "degree": Count(0, 5),
        "bandwidth": BANDWIDTH | None,
        "kernel": KERNEL,
        "robust_iterations": Count(0),
        "metric": LINE_METRICS,
        "empty": LocalSmoother.common["empty"],
    }
    stored = {"robustness_": FloatArray("n")}
    steered_by = "span"

    def __init__(
        self,
        span: float = 2 / 3,
        *,
        degree: int = 1,
        bandwidth: ArrayLike | str | None = None,
        kernel: str = "tricube",
        robust_iterations: int = 0,
        metric: str = "euclidean",
        empty: str = "nearest",
    ):
        self.span = span
        self.degree = degree
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.robust_iterations = robust_iterations
        self.metric = metric
        self.empty = empty

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset()

    @property
    def keeps_lines(self) -> bool:  # type: ignore[override]
        return self.degree > 0

    @property
    def _kernel(self) -> str:  # type: ignore[override]
        return self.kernel

    @property
    def _degree(self) -> int:  # type: ignore[override]
        return self.degree

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.robustness_ = np.ones(len(X))
        super()._learn(X, y, w)
        for _ in track(range(self.robust_iterations), "robust fits"):
            apart = np.abs(self.y_ - self._predict(self.X_))
            scale = 6 * _median(apart, self.weight_)
            if scale <= 1e-12 * max(np.abs(self.y_).max(), 1e-300):
                break  # more than half of the rows lie on the curve
            self.robustness_ = np.maximum(1 - (apart / scale) ** 2, 0.0) ** 2  # (2)

    def _k(self) -> float | None:
        if self.bandwidth is not None:
            return None
        total = float(len(self.y_)) if self.weight_ is None else float(self.weight_.sum())
        return max(1.0, np.floor(self.span * total + 1e-10))

    def _prior(self) -> np.ndarray | None:
        if self.robust_iterations == 0:
            return self.weight_
        return self.robustness_ if self.weight_ is None else self.robustness_ * self.weight_

    def _held(self) -> dict[str, Any]:
        return {"span": self.span} if self.bandwidth is None else {"bandwidth": self.bandwidth_}


def _median(values: np.ndarray, w: np.ndarray | None) -> float:
    """The median of values that count as often as their weights say."""
    if w is None:
        return float(np.median(values))
    values, w = values[w > 0], w[w > 0]
    order = np.argsort(values)
    sums = np.cumsum(w[order])
    half = sums[-1] / 2
    low = values[order[np.searchsorted(sums, half * (1 - 1e-12))]]
    high = values[order[min(np.searchsorted(sums, half * (1 + 1e-12), side="right"), len(values) - 1)]]
    return float((low + high) / 2)
