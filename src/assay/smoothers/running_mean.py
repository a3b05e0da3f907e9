"""Running mean: the mean of the rows in a window around the query."""

from __future__ import annotations

from numpy.typing import ArrayLike

from assay.core import Card
from assay.smoothers.local_smoother import LocalSmoother
from assay.types import MetricLike

__all__ = ["RunningMean"]


class RunningMean(LocalSmoother):
    r"""Predict the mean of the numbers near x: of all rows nearer than h, or of the k nearest.

    .. math:: \hat g(x) = \frac{\sum_t w(\frac{x-x^t}h)\,r^t}{\sum_t w(\frac{x-x^t}h)}, \qquad
              w(u) = \begin{cases}1 & |u| < 1 \\ 0 & \text{else}\end{cases}                               \quad (1)

    The window is open, :math:`(x-h, x+h)`, and 2h wide (a naive density of width h has one half as wide). The curve
    jumps wherever a row enters or leaves; `KernelSmoother` weighs rows down before they leave. Cost of a query: the
    rows in its window, found by bisection, with one column; all rows with several.

    Cost: fit O(n log n); predict O(m d) a row for the m rows in its window, O(n d) of several columns; memory O(n d),
    the rows are kept.

    Parameters
    ----------
    bandwidth : number, (d,) numbers, "loo", "gcv" or "scott", default "loo"
        h. Several numbers are one for each column. "loo" takes the candidate with the least leave-one-out error,
        "gcv" the least generalised cross-validation, "scott" a rule of thumb.
    n_neighbors : int or None, default None
        Take the k nearest rows instead, of equally far ones those that come first; k above n takes all.
    metric : str, function or Metric, default "auto"
        How distances are measured: any name of ``assay.distances.metric_of`` but "precomputed". "auto" is Euclid's
        for numbers, and for tables with categories or missing values HEOM.
    empty : "nearest", "mean", "nan" or "raise", default "nearest"
        What a query with nothing in its window gets: the number of the nearest row (the mean of equally near ones),
        the mean of all rows, NaN, or an error that names it.

    Attributes
    ----------
    bandwidth_ : float or (d,), or None with n_neighbors
    X_ : (n, d)      y_ : (n,)      weight_ : (n,) or None

    Examples
    --------
    >>> from assay.smoothers import RunningMean
    >>> x, r = [[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6]
    >>> RunningMean(bandwidth=1.5).fit(x, r).predict([[2.0], [3.25]])       # of rows 1, 2, 3; of rows 2, 3, 4
    array([2.5, 3.5])

    See Also
    --------
    RunningLine, RunningMedian, IncrementalRunningMean

    References
    ----------
    - Hastie, T. J. and Tibshirani, R. J. (1990). Generalized Additive Models. Chapman and Hall.
    """

    card = Card(
        "running mean",
        "the mean of the numbers near the query",
        scale=True,
        learns=(
            "a mean, median or line of the rows nearby",
            "squared error of each row by the others",
            "a search over the bandwidth",
            "local",
        ),
    )
    accepts = dict(LocalSmoother.common)
    usual_noise = "local"
    _kernel = "box"
    _nearest = True

    def __init__(
        self,
        bandwidth: ArrayLike | str = "loo",
        *,
        n_neighbors: int | None = None,
        metric: MetricLike = "auto",
        empty: str = "nearest",
    ):
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.empty = empty
