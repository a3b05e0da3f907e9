"""Adaptive kernel density: wide kernels where rows are few, narrow ones where they are many."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count, Range
from assay.core.stored import FloatArray, Object, Scalar
from assay.densities.bandwidth import RULES, bandwidth_by
from assay.densities.density_estimator import DensityEstimator
from assay.densities.kernel_sums import KernelSums
from assay.densities.kernels import ALIASES, KERNELS, kernel_of
from assay.distances.search import searcher
from assay.errors import DegenerateError

__all__ = ["AdaptiveKernelDensity"]


class AdaptiveKernelDensity(DensityEstimator):
    r"""A kernel density in which every row has a width of its own.

    .. math:: \hat p(x) = \frac1N\sum_t\frac{w_t}{h_t^d} K\!\left(\frac{\|x-x^t\|}{h_t}\right) \quad (1)

    With ``local="pilot"`` a pilot estimate of constant width h comes first, and

    .. math:: h_t = h\left(\frac{\tilde p(x^t)}g\right)^{-\alpha}, \qquad
              \log g = \frac1N\sum_t w_t\log\tilde p(x^t) \quad (2)

    (Abramson's square root for :math:`\alpha=\tfrac12`; 0 is the plain kernel density). With ``local="neighbors"``
    :math:`h_t` is h times the distance of row t to its k-th neighbour (Breiman, Meisel and Purcell). Unlike the
    neighbour density (1) integrates to one. Tails are smooth and hills are sharp, where one width must choose.

    Cost: fit O(n^2 d) at most, for the widths of all rows; score O(n d) a row at most; memory O(n d), the rows are
    kept.

    Parameters
    ----------
    bandwidth : float or str
        The h, or "isj", "likelihood", "least_squares" for the rule that finds it; with ``local="neighbors"`` a number.
    kernel : str
        As of `KernelDensity`.
    local : "pilot" or "neighbors"
    sensitivity : float from 0 to 1
        The :math:`\alpha` of (2).
    n_neighbors : int
        The k; at most one less than the rows there are.
    atol, rtol : float
        How wrong the density may be: by ``atol + rtol * density``.

    Attributes
    ----------
    bandwidth_ : float      bandwidths_ : (n,) of the rows      points_ : the rows and their weights

    Examples
    --------
    >>> import numpy as np
    >>> from assay.densities import AdaptiveKernelDensity
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0]])
    >>> AdaptiveKernelDensity(bandwidth=0.5).fit(X).bandwidths_.round(2)   # alone, hence wide
    array([0.44, 0.43, 0.44, 0.75])

    See Also
    --------
    KernelDensity, KNeighborsDensity

    References
    ----------
    - Abramson, I. S. (1982). On bandwidth variation in kernel estimates: a square root law. Annals of Statistics
      10(4), 1217-1223.
    - Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. Chapman and Hall.
    """

    card = Card(
        "adaptive kernel density", "a kernel density whose width follows the density", also=("adaptive kde",)
    )
    accepts = {
        "bandwidth": Range(0, open="low") | Choice(*(rule for rule in RULES if rule != "normal")),
        "kernel": Choice(*KERNELS, *ALIASES),
        "local": Choice("pilot", "neighbors"),
        "sensitivity": Range(0, 1),
        "n_neighbors": Count(1),
        "atol": Range(0),
        "rtol": Range(0),
    }
    stored = {
        "bandwidth_": Scalar(low=0),
        "bandwidths_": FloatArray("n", low=0),
        "points_": Object(KernelSums, d="p", n="n"),
        "total_": Scalar(low=0),
    }

    def __init__(
        self,
        bandwidth: float | str = 1.0,
        *,
        kernel: str = "gaussian",
        local: str = "pilot",
        sensitivity: float = 0.5,
        n_neighbors: int = 5,
        atol: float = 0,
        rtol: float = 0,
    ):
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.local = local
        self.sensitivity = sensitivity
        self.n_neighbors = n_neighbors
        self.atol = atol
        self.rtol = rtol

    def _learn(self, X: np.ndarray, w: np.ndarray) -> None:
        if self.local == "neighbors":
            self.bandwidth_ = 1.0 if isinstance(self.bandwidth, str) else float(self.bandwidth)
            self.bandwidths_ = self.bandwidth_ * self._distances(X)
        else:
            if isinstance(self.bandwidth, str):
                h = bandwidth_by(self.bandwidth, X, w, self.kernel, "AdaptiveKernelDensity")
            else:
                h = self.bandwidth
            self.bandwidth_ = float(h)
            pilot = KernelSums(X, w).log_sums(X, kernel_of(self.kernel), self.bandwidth_)
            pilot -= w @ pilot / w.sum()
            self.bandwidths_ = self.bandwidth_ * np.exp(-self.sensitivity * pilot)  # (2)
        # widths of 1 and their inverses: the sum of (1) has w_t / h_t^d for weights
        scale = np.exp(-X.shape[1] * (np.log(self.bandwidths_) - np.log(self.bandwidth_)))
        self.total_ = float(w.sum())
        self.points_ = KernelSums(X, w * scale, self.bandwidth_ / self.bandwidths_)

    def _distances(self, X: np.ndarray) -> np.ndarray:
        if self.n_neighbors >= len(X):
            raise DegenerateError(
                f"AdaptiveKernelDensity: n_neighbors={self.n_neighbors} others are needed, but n_samples={len(X)}. "
                "Lower n_neighbors."
            )
        distance = searcher(X).nearest(None, self.n_neighbors, leave_out_self=True)[0][:, -1]
        if not distance.all():
            raise DegenerateError(
                f"AdaptiveKernelDensity: {int((distance == 0).sum())} rows coincide with {self.n_neighbors} others, "
                "so their kernels would have no width. Raise n_neighbors, or use local='pilot'."
            )
        return distance

    def _log_density(self, X: np.ndarray) -> np.ndarray:
        kernel, d = kernel_of(self.kernel), X.shape[1]
        log_divisor = np.log(self.total_) + kernel.log_constant(d) + d * np.log(self.bandwidth_)
        atol = self.atol * np.exp(min(log_divisor, 700.0))
        return (
            self.points_.log_sums(X, kernel, self.bandwidth_, atol=atol, rtol=self.rtol) - log_divisor
        )  # (1)
