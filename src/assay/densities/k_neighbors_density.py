"""Nearest-neighbour density: from the distance to the k-th nearest row."""

from __future__ import annotations

import math

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count, Range
from assay.core.stored import Object
from assay.densities.density_estimator import DensityEstimator, log
from assay.densities.kernel_sums import KernelSums
from assay.densities.kernels import ALIASES, KERNELS, kernel_of
from assay.distances.metric import metric_of
from assay.distances.search import kept_searcher
from assay.errors import DegenerateError

__all__ = ["KNeighborsDensity"]


class KNeighborsDensity(DensityEstimator):
    r"""The density from the distance to the k-th nearest row: narrow windows where rows are many, wide ones elsewhere.

    With the distance :math:`d_k(x)` and the volume :math:`c_d r^d` of a ball (:math:`c_1=2, c_2=\pi,
    c_3=\tfrac{4\pi}3`),

    .. math:: \hat p(x) = \frac k{N c_d\, d_k(x)^d} \quad (1)

    It has kinks, and its integral is infinite, so it is a score rather than a density. It is infinite where k rows
    coincide with x (for k = 1 on every row), unless ``floor`` says how near is near enough. With a kernel,

    .. math:: \hat p(x) = \frac1{N d_k(x)^d}\sum_t K\!\left(\frac{\|x-x^t\|}{d_k(x)}\right) \quad (2)

    is smooth as the kernel is. Rows with weights: k counts rows, and the mass of the k rows replaces k in (1).

    Cost: fit O(n d), with a tree O(n d log n); score O(n d) a row at most; memory O(n d), the rows are kept.

    Parameters
    ----------
    n_neighbors : int
        The k; at most the number of rows.
    kernel : "none" or the name of a kernel
        "none" is (1), others (2).
    floor : float
        Distances below it count as it.

    Attributes
    ----------
    points_ : the rows and their weights

    Examples
    --------
    >>> from assay.densities import KNeighborsDensity
    >>> X = [[1], [2], [2.5], [4], [6], [6.5], [7], [9]]
    >>> KNeighborsDensity(n_neighbors=3).fit(X).density([[0], [2], [5]])
    array([0.075 , 0.1875, 0.125 ])
    >>> KNeighborsDensity(n_neighbors=1).fit(X).density([[0], [2]])
    array([0.0625,    inf])
    >>> KNeighborsDensity(n_neighbors=3, kernel="gaussian").fit(X).density([[0], [2]]).round(6)
    array([0.052768, 0.13089 ])

    See Also
    --------
    KernelDensity, AdaptiveKernelDensity

    References
    ----------
    - Loftsgaarden, D. O. and Quesenberry, C. P. (1965). A nonparametric estimate of a multivariate density
      function. Annals of Mathematical Statistics 36(3), 1049-1051.
    """

    card = Card(
        "knn density",
        "the density from the distance to the k-th nearest row",
        also=("nearest neighbours density",),
    )
    accepts = {
        "n_neighbors": Count(1),
        "kernel": Choice("none", *KERNELS, *ALIASES),
        "floor": Range(0),
    }
    stored = {"points_": Object(KernelSums, d="p")}

    def __init__(self, n_neighbors: int = 5, *, kernel: str = "none", floor: float = 0.0):
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.floor = floor

    def _learn(self, X: np.ndarray, w: np.ndarray) -> None:
        if self.n_neighbors > len(X):
            raise DegenerateError(
                f"KNeighborsDensity: n_neighbors={self.n_neighbors}, but n_samples={len(X)} rows (of weight above 0) "
                "are all there are. Lower n_neighbors."
            )
        self.points_ = KernelSums(X, w)

    def _log_density(self, X: np.ndarray) -> np.ndarray:
        d, points = X.shape[1], self.points_
        distances, rows = kept_searcher(self, points.X, metric_of("euclidean")).nearest(X, self.n_neighbors)
        radius = np.maximum(distances[:, -1], self.floor)
        log_total, log_size = np.log(points.weights.sum()), d * log(radius)
        if self.kernel == "none":
            ball = d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1)
            return np.log(points.weights[rows].sum(axis=1)) - log_total - ball - log_size  # (1)
        kernel = kernel_of(self.kernel)
        out = np.full(len(X), np.inf)
        some = radius > 0
        sums = points.log_sums(X[some], kernel, radius[some])
        out[some] = sums - log_total - kernel.log_constant(d) - log_size[some]  # (2)
        return out
