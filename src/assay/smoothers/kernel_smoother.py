"""Kernel smoother (Nadaraya-Watson): a mean weighted by a kernel of the distance."""

from __future__ import annotations

from numpy.typing import ArrayLike

from assay.core import Card
from assay.smoothers.local_smoother import KERNEL, LocalSmoother
from assay.types import MetricLike

__all__ = ["KernelSmoother"]


class KernelSmoother(LocalSmoother):
    r"""Predict the mean of all numbers, each weighted by how near its row is.

    .. math:: \hat g(x) = \frac{\sum_t K(\|x-x^t\|/h)\,r^t}{\sum_t K(\|x-x^t\|/h)}                        \quad (1)

    With ``n_neighbors`` the width is the distance to the k-th nearest row, :math:`h = d_k(x)`: narrow where rows are
    dense. Far from all rows a Gaussian's weights would underflow; they are taken relative to the nearest row's, so the
    estimate tends to the number of that row. ``metric="mahalanobis"`` gives the ellipsoidal kernel of several columns.
    At the ends of the data the curve is flat where the trend is not: `Loess` has no such bias. Cost of a query: O(n d).

    Cost: fit O(n log n); predict O(m d) a row for the m rows in its window, O(n d) of several columns; memory O(n d),
    the rows are kept.

    Parameters
    ----------
    bandwidth : number, (d,) numbers, "loo", "gcv" or "scott", default "loo"
        h. Several numbers are one for each column. "loo" takes the candidate with the least leave-one-out error,
        "gcv" the least generalised cross-validation, "scott" a rule of thumb.
    n_neighbors : int or None, default None
        k, for a width that follows the density of the rows; k above n is the distance to the farthest.
    kernel : str, default "gaussian"
        A name of ``assay.densities.kernels``: gaussian, box (tophat), triangular (linear), epanechnikov, biweight,
        triweight, tricube, cosine, exponential or logistic.
    metric : str, function or Metric, default "auto"
        How distances are measured: any name of ``assay.distances.metric_of`` but "precomputed". "auto" is Euclid's
        for numbers, and for tables with categories or missing values HEOM.
    empty : "nearest", "mean", "nan" or "raise", default "nearest"
        What a query gets that a kernel with an end leaves without rows: the number of the nearest row (the mean of
        equally near ones), the mean of all, NaN, or an error that names it.

    Attributes
    ----------
    bandwidth_ : float or (d,), or None with n_neighbors
    X_ : (n, d)      y_ : (n,)      weight_ : (n,) or None

    Examples
    --------
    >>> from assay.smoothers import KernelSmoother
    >>> x, r = [[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6]
    >>> KernelSmoother(bandwidth=1.0).fit(x, r).predict([[0.5], [2.0], [1000.0]]).round(6)
    array([1.555071, 2.406062, 6.      ])

    See Also
    --------
    RunningLine, Loess, choose_smoothing

    References
    ----------
    - Nadaraya, E. A. (1964). On estimating regression. Theory of Probability and Its Applications 9(1), 141-142.
      doi:10.1137/1109020
    - Watson, G. S. (1964). Smooth regression analysis. Sankhya A 26(4), 359-372.
    """

    card = Card(
        "kernel smoother",
        "the mean of all numbers, nearer rows weigh more",
        also=("nadaraya-watson",),
        scale=True,
        learns=(
            "a mean, median or line of the rows nearby",
            "squared error of each row by the others",
            "a search over the bandwidth",
            "local",
        ),
    )
    accepts = {**LocalSmoother.common, "kernel": KERNEL}
    usual_noise = "local"

    def __init__(
        self,
        bandwidth: ArrayLike | str = "loo",
        *,
        n_neighbors: int | None = None,
        kernel: str = "gaussian",
        metric: MetricLike = "auto",
        empty: str = "nearest",
    ):
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.metric = metric
        self.empty = empty

    @property
    def _kernel(self) -> str:  # type: ignore[override]
        return self.kernel
