"""Running line: a least-squares line through the rows in a window around the query."""

from __future__ import annotations

from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Choice
from assay.smoothers.local_smoother import LocalSmoother

__all__ = ["LINE_METRICS", "RunningLine"]

LINE_METRICS = Choice("euclidean", "seuclidean", "mahalanobis", "manhattan", "chebyshev")


class RunningLine(LocalSmoother):
    r"""Predict by the least-squares line through the rows near x, a line of its own for each query.

    .. math:: \hat g(x) = \hat a x + \hat b, \qquad
              E(a, b \mid x) = \sum_t w\!\left(\tfrac{x-x^t}h\right)[r^t - (ax^t+b)]^2                    \quad (1)

    with w as in `RunningMean`: 1 for the rows in the window and 0 for the others; of several columns it is a plane. A
    window with one distinct x has no slope, and its mean is taken. `Loess` weighs the rows by a kernel. Cost of a
    query: the rows in its window, found by bisection, with one column; O(n d^2) with several.

    Cost: fit O(n log n); predict O(m d) a row for the m rows in its window, O(n d) of several columns; memory O(n d),
    the rows are kept.

    Parameters
    ----------
    bandwidth : number, (d,) numbers, "loo", "gcv" or "scott", default "loo"
        h. Several numbers are one for each column. "loo" takes the candidate with the least leave-one-out error,
        "gcv" the least generalised cross-validation, "scott" a rule of thumb.
    n_neighbors : int or None, default None
        Take the k nearest rows instead, of equally far ones those that come first; k above n takes all.
    metric : "euclidean", "seuclidean", "mahalanobis", "manhattan" or "chebyshev", default "euclidean"
        How distances are measured. Categories become indicators.
    empty : "nearest", "mean", "nan" or "raise", default "nearest"
        What a query with nothing in its window gets: the number of the nearest row (the mean of equally near ones),
        the mean of all rows, NaN, or an error that names it.

    Attributes
    ----------
    bandwidth_ : float or (d,), or None with n_neighbors
    X_ : (n, d)      y_ : (n,)      weight_ : (n,) or None

    Examples
    --------
    >>> from assay.smoothers import RunningLine
    >>> x, r = [[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6]
    >>> RunningLine(bandwidth=2.5).fit(x, r).predict([[0.5], [2.0], [3.25]])
    array([1.375 , 2.7   , 3.6125])

    See Also
    --------
    Loess, RunningMean, KernelSmoother

    References
    ----------
    - Hastie, T. J. and Tibshirani, R. J. (1990). Generalized Additive Models. Chapman and Hall.
    """

    card = Card(
        "running line",
        "a straight line through the rows near the query",
        scale=True,
        learns=(
            "a mean, median or line of the rows nearby",
            "squared error of each row by the others",
            "a search over the bandwidth",
            "local",
        ),
    )
    accepts = {**LocalSmoother.common, "metric": LINE_METRICS}
    keeps_lines = True
    _kernel = "box"
    _degree = 1
    _nearest = True

    def __init__(
        self,
        bandwidth: ArrayLike | str = "loo",
        *,
        n_neighbors: int | None = None,
        metric: str = "euclidean",
        empty: str = "nearest",
    ):
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.empty = empty

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset()
