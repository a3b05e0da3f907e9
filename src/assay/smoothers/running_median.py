"""Running median: the median of the rows in a window around the query."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from assay.core import Card
from assay.smoothers.local_smoother import LocalSmoother
from assay.types import MetricLike

__all__ = ["RunningMedian"]


class RunningMedian(LocalSmoother):
    r"""Predict the median of the numbers near x, which a few gross errors do not move.

    .. math:: \hat g(x) = \operatorname{median}\{r^t : |x - x^t| < h\}                                    \quad (1)

    An even number of rows has the mean of the two in the middle; rows with weights are as many rows as they weigh. The
    window is as in `RunningMean`. Cost of a query: m log m for the m rows in its window.

    Cost: fit O(n log n); predict O(m log m) a row for the m rows in its window, which takes O(n d) to find in several
    columns; memory O(n d), the rows are kept.

    Parameters
    ----------
    bandwidth : number, (d,) numbers, "loo" or "scott", default "loo"
        h; "loo" takes the candidate with the least leave-one-out squared error, "scott" a rule of thumb.
    n_neighbors : int or None, default None
        Take the k nearest rows instead, of equally far ones those that come first; k above n takes all.
    metric : str, function or Metric, default "auto"
        How distances are measured, as in `RunningMean`.
    empty : "nearest", "mean", "nan" or "raise", default "nearest"
        What a query with nothing in its window gets, as in `RunningMean`.

    Attributes
    ----------
    bandwidth_ : float or (d,), or None with n_neighbors
    X_ : (n, d)      y_ : (n,)      weight_ : (n,) or None

    Examples
    --------
    >>> from assay.smoothers import RunningMedian
    >>> x = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> RunningMedian(bandwidth=1.5).fit(x, [1.0, 2.0, 300.0, 4.0, 5.0]).predict([[1.0], [2.0]])
    array([2., 4.])

    See Also
    --------
    RunningMean, Loess

    References
    ----------
    - Tukey, J. W. (1977). Exploratory Data Analysis. Addison-Wesley.
    """

    card = Card(
        "running median",
        "the median of the numbers near the query",
        scale=True,
        learns=(
            "a mean, median or line of the rows nearby",
            "squared error of each row by the others",
            "a search over the bandwidth",
            "local",
        ),
    )
    accepts = {**LocalSmoother.common}
    linear = False
    _kernel = "box"
    _degree = -1
    _nearest = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # in ten columns a window's median is hardly informative
        return tags

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
