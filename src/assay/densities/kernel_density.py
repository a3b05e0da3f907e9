"""Kernel density estimation: the mean of a kernel centred at every row."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Any_, Array, Choice, Count, Flag, Instance, Range, check_count
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object, Scalar
from assay.core.targets import row_counts
from assay.densities.bandwidth import RULES, bandwidth_by
from assay.densities.density_estimator import DensityEstimator
from assay.densities.draws import drawn_from
from assay.densities.grid_sums import grid_sums
from assay.densities.kernel_sums import KernelSums
from assay.densities.kernels import ALIASES, KERNELS, kernel_of
from assay.densities.metric_sums import MetricSums, sums_over
from assay.distances.extremes import refuse_extremes
from assay.distances.mahalanobis import covariance_of
from assay.distances.metric import METRICS, Metric, metric_of
from assay.errors import DegenerateError, ParameterError
from assay.types import MetricLike, RandomState

__all__ = ["KernelDensity"]

# The metrics whose balls a box can bound, as scikit-learn lists them.
BOXED = ("euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev", "infinity")

# By number of columns: at how many places along each side of a cell the box kernel is looked at.
WITHIN_CELLS = {1: 64, 2: 32, 3: 10}


class KernelDensity(DensityEstimator):
    r"""The density of rows as the mean of a kernel at each of them (Parzen windows).

    .. math:: \hat p(x) = \frac1{Nh^d}\sum_t w_t K\!\left(\frac{\|x-x^t\|}h\right), \qquad N = \sum_t w_t \quad (1)

    With a small width h the estimate follows the sample, with a large one it is smooth. A product kernel multiplies
    :math:`K((x_j-x_j^t)/h_j)/h_j` over the columns; the ellipsoid of Mahalanobis measures lengths in units of the
    sample covariance S (divisor N - 1),

    .. math:: \hat p(x) = \frac1{Nh^d|S|^{1/2}}\sum_t w_t K\Big(\tfrac1h\sqrt{(x-x^t)^TS^{-1}(x-x^t)}\Big) \quad (2)

    A tree of boxes answers for many rows at once; with the tolerances at 0 it leaves out only what is lost in rounding.
    Densities too small for a number are right in their logarithm.

    Cost: fit O(n d log n); score O(n d) a row at most; memory O(n d), the rows are kept.

    Parameters
    ----------
    bandwidth : float, array of d, or str, default 1.0
        The width h. One number for each column widens them one by one. "scott" and "silverman" are
        :math:`n^{-1/(d+4)}` and :math:`(n(d+2)/4)^{-1/(d+4)}` as in scikit-learn, which suit standardized columns
        only. In the units of the rows: "normal" widens each column by its deviation times the second of these,
        "isj" is the improved Sheather-Jones rule of one column, and "likelihood" and "least_squares" choose one h by
        leave-one-out cross-validation (`assay.densities.leave_one_out`).
    algorithm : "auto", "kd_tree" or "ball_tree"
        As in scikit-learn; the answer and the way are the same here, but "kd_tree" refuses metrics that have none.
    kernel : str
        "gaussian", "box" ("tophat"), "triangular" ("linear"), "epanechnikov", "biweight" ("quartic"), "triweight",
        "tricube", "cosine", "exponential", "logistic".
    metric : str, callable or Metric
        A name that `assay.distances.metric_of` knows, but not "precomputed". (1) integrates to one for the Euclidean
        distance only, (2) is chosen by ``shape``.
    atol, rtol : float
        How wrong the density may be: by ``atol + rtol * density``. More is quicker.
    breadth_first : bool
        As in scikit-learn, where it steers the search; no effect here.
    leaf_size : int
        As in scikit-learn, where it steers the search; no effect here.
    metric_params : dict
        More arguments of the metric.
    shape : "spherical", "product" or "mahalanobis"
        The kernel of several columns: of the length, as a product over columns, or (2).
    truncate : float, default None
        Rows farther than so many widths count nothing; what is lost is not made up for. Usual for the Gaussian: 3.
    reg_covar : float
        Added to the diagonal of S in (2), for columns that determine each other.

    Attributes
    ----------
    bandwidth_ : float or (d,)      points_ : the rows and their weights      covariance_ : (d, d) S of (2), or None

    Examples
    --------
    >>> import numpy as np
    >>> from assay.densities import KernelDensity
    >>> X = np.array([[1], [2], [2.5], [4], [6], [6.5], [7], [9]])
    >>> KernelDensity(bandwidth=1.0).fit(X).density([[2], [5]]).round(6)
    array([0.13089, 0.08621])
    >>> KernelDensity(bandwidth="likelihood").fit(X).bandwidth_.round(2)
    np.float64(2.15)

    See Also
    --------
    AdaptiveKernelDensity, KNeighborsDensity, silverman, improved_sheather_jones

    References
    ----------
    - Rosenblatt, M. (1956). Remarks on some nonparametric estimates of a density function. Annals of Mathematical
      Statistics 27(3), 832-837. doi:10.1214/aoms/1177728190
    - Parzen, E. (1962). On estimation of a probability density function and mode. Annals of Mathematical Statistics
      33(3), 1065-1076. doi:10.1214/aoms/1177704472
    - Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. Chapman and Hall.
    """

    card = Card("kernel density", "the mean of a kernel at each row", also=("kde", "parzen windows"))
    accepts = {
        "bandwidth": Range(0, open="low") | Choice("scott", "silverman", *RULES) | Array(1),
        "algorithm": Choice("auto", "kd_tree", "ball_tree"),
        "kernel": Choice(*KERNELS, *ALIASES),
        "metric": Any_(
            "the name of a metric, a function of two rows, or a Metric", lambda metric: _measures(metric)
        ),
        "atol": Range(0),
        "rtol": Range(0),
        "breadth_first": Flag(),
        "leaf_size": Count(1),
        "metric_params": Instance(dict, words="a dict") | None,
        "shape": Choice("spherical", "product", "mahalanobis"),
        "truncate": Range(0, open="low") | None,
        "reg_covar": Range(0),
    }
    stored = {
        "bandwidth_": Scalar(low=0) | FloatArray("p", low=0),
        "covariance_": FloatArray("p", "p") | None,
        "points_": Object(KernelSums, MetricSums, d="p"),
    }

    def __init__(
        self,
        *,
        bandwidth: float | ArrayLike | str = 1.0,
        algorithm: str = "auto",
        kernel: str = "gaussian",
        metric: MetricLike = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: Mapping[str, Any] | None = None,
        shape: str = "spherical",
        truncate: float | None = None,
        reg_covar: float = 0.0,
    ):
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.shape = shape
        self.truncate = truncate
        self.reg_covar = reg_covar

    def _learn(self, X: np.ndarray, w: np.ndarray) -> None:
        if self.algorithm == "kd_tree" and self.metric not in BOXED:
            raise ParameterError(
                f"KernelDensity: invalid metric for a kd-tree: {self.metric!r}; it has {', '.join(BOXED)}. Use "
                "algorithm='auto'."
            )
        self.covariance_ = self._covariance(X, w) if self.shape == "mahalanobis" else None
        self.bandwidth_ = self._width(X, w)
        self.points_ = self._sums(self._inside(X), w)

    def _width(self, X: np.ndarray, w: np.ndarray) -> Any:
        n, d = X.shape
        if isinstance(self.bandwidth, str):
            if self.bandwidth == "scott":
                return n ** (-1 / (d + 4))
            if self.bandwidth == "silverman":
                return (n * (d + 2) / 4) ** (-1 / (d + 4))
            if self.covariance_ is not None:  # in units of the covariance
                X = np.linalg.solve(np.linalg.cholesky(self.covariance_), X.T).T
            h = bandwidth_by(self.bandwidth, X, w, kernel=self.kernel, who="KernelDensity")
        else:
            h = np.asarray(self.bandwidth, dtype=np.float64)
            if h.ndim == 1 and (len(h) != d or not np.all((h > 0) & np.isfinite(h))):
                raise ParameterError(
                    f"KernelDensity: bandwidth must be a number or {d} numbers above 0, one for each column, got "
                    f"{self.bandwidth!r}."
                )
        if np.ndim(h) == 1 and self.covariance_ is not None:
            raise ParameterError(
                "KernelDensity: shape='mahalanobis' has one bandwidth, since the covariance widens the columns; "
                "give a number or use shape='spherical'."
            )
        return h if np.ndim(h) else float(h) if not isinstance(h, np.float64) else h

    def _covariance(self, X: np.ndarray, w: np.ndarray) -> np.ndarray:
        refuse_extremes(X, "KernelDensity", self._names)
        if row_counts(w).sum() <= 1:
            raise DegenerateError(
                "KernelDensity: n_samples=1, and one row has no covariance. Use shape='spherical'."
            )
        S = covariance_of(X, w) + self.reg_covar * np.eye(X.shape[1])
        unit = np.sqrt(np.diag(S))
        unit[unit == 0] = 1.0
        rank = np.linalg.matrix_rank(S / unit[:, None] / unit, hermitian=True)  # whatever the columns' units
        if rank < len(S):
            raise DegenerateError(
                f"KernelDensity: the covariance is singular (rank {rank} of {len(S)}). Raise reg_covar above 0 or "
                "drop a column."
            )
        return S

    def _inside(self, X: np.ndarray) -> np.ndarray:
        """The rows as points among which the kernel is round."""
        if self.covariance_ is not None:
            return np.linalg.solve(np.linalg.cholesky(self.covariance_), X.T).T
        return X / self.bandwidth_ if np.ndim(self.bandwidth_) else X

    def _sums(self, points: np.ndarray, w: np.ndarray) -> KernelSums | MetricSums:
        if self.shape == "product":
            return KernelSums(points, w, None, "product")
        return sums_over(
            points, w, metric_of(self.metric, metric_params=self.metric_params).learn(points, None, w)
        )

    @property
    def _h(self) -> float:
        """The width among the points."""
        return 1.0 if np.ndim(self.bandwidth_) else float(self.bandwidth_)

    def _log_volume(self) -> float:
        """log of the divisor of (1) or (2) without N: the constant of the kernel, and how much it is widened."""
        d, kernel = self.points_.X.shape[1], kernel_of(self.kernel)
        constant = d * kernel.log_constant(1) if self.shape == "product" else kernel.log_constant(d)
        if np.ndim(self.bandwidth_):
            return constant + float(np.log(self.bandwidth_).sum())
        constant += d * float(np.log(self.bandwidth_))
        if self.covariance_ is not None:
            constant += 0.5 * float(np.linalg.slogdet(self.covariance_)[1])
        return constant

    def _log_density(self, X: np.ndarray) -> np.ndarray:
        log_divisor = np.log(self.points_.weights.sum()) + self._log_volume()
        logs = self.points_.log_sums(
            self._inside(X),
            kernel_of(self.kernel),
            self._h,
            cut=np.inf if self.truncate is None else self.truncate,
            atol=self.atol * np.exp(min(log_divisor, 700.0)),
            rtol=self.rtol,
        )
        return logs - log_divisor  # (1)

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> np.ndarray:
        """(n_samples, d) rows drawn from the density: a stored row, and a step drawn from the kernel.

        For the Gaussian and the box the draws are scikit-learn's for the same seed. The step is that of the Euclidean
        kernel whatever the metric, with which alone (1) is a density. Rows of a table with categories come as the
        numbers that stand for them (``design_``).
        """
        self._ready()
        check_count("KernelDensity", "n_samples", n_samples, low=0)
        rng = random_state_of(random_state)
        points, w = self.points_.X, self.points_.weights
        u = rng.uniform(0, 1, size=n_samples)
        total = np.cumsum(w)
        rows = np.minimum(np.searchsorted(total, u * total[-1], side="right"), len(w) - 1)
        cut = np.inf if self.truncate is None else self.truncate
        steps = drawn_from(
            kernel_of(self.kernel), n_samples, points.shape[1], rng, self.shape == "product", cut
        )
        drawn = points[rows] + self._h * steps
        if self.covariance_ is not None:
            return drawn @ np.linalg.cholesky(self.covariance_).T
        return drawn * self.bandwidth_ if np.ndim(self.bandwidth_) else drawn

    def on_grid(
        self, size: int | tuple[int, ...] = 256, margin: float = 4.0
    ) -> tuple[list[np.ndarray], np.ndarray]:
        r"""The density on a grid around the rows, all points at once by Fourier transform (1 to 3 columns).

        The estimate is the convolution of the sample with the kernel. Each row is shared by the corners of its cell,
        so the error falls with the square of the cells' sides: a grid of about 10 points a width gives 3 digits. The
        box kernel has a jump: of the cells that its edge cuts the share inside counts.

        Parameters
        ----------
        size : int or tuple of d ints
            Points along each column.
        margin : float
            How many widths the grid reaches beyond the rows.

        Returns
        -------
        axes : list of d arrays, where the points lie
        density : array of shape ``size``
        """
        self._ready()
        if not isinstance(margin, Real) or not 0 <= margin < np.inf:
            raise ParameterError(f"KernelDensity: margin must be a number from 0 up, got {margin!r}.")
        d = self.points_.X.shape[1]
        if d > 3 or isinstance(self.points_, MetricSums):
            raise NotImplementedError(
                f"KernelDensity: a grid is for 1 to 3 columns of numbers and the metrics euclidean, manhattan and "
                f"chebyshev, got {d} columns and {self.metric!r}."
            )
        wide = np.sqrt(np.diag(self.covariance_)) if self.covariance_ is not None else np.ones(d)
        inside = self.points_.X
        X = inside * self.bandwidth_ if np.ndim(self.bandwidth_) else inside
        if self.covariance_ is not None:
            X = inside @ np.linalg.cholesky(self.covariance_).T
        reach = margin * wide * np.broadcast_to(self.bandwidth_, d)

        def bump(offsets: np.ndarray) -> np.ndarray:
            single = KernelSums(np.zeros((1, d)), np.ones(1), None, self.points_.geometry)  # type: ignore[union-attr]
            cut = np.inf if self.truncate is None else self.truncate
            with np.errstate(under="ignore"):
                return np.exp(
                    single.log_sums(self._inside(offsets), kernel_of(self.kernel), self._h, cut=cut)
                )

        within = WITHIN_CELLS[d] if kernel_of(self.kernel).name == "box" else 1
        axes, total = grid_sums(X, self.points_.weights, bump, size, reach, within)
        return axes, total * np.exp(-np.log(self.points_.weights.sum()) - self._log_volume())


def _measures(metric: Any) -> bool:
    """Whether this is a metric between rows."""
    named = isinstance(metric, str) and metric in METRICS and metric != "precomputed"
    return named or isinstance(metric, Metric) or (callable(metric) and not isinstance(metric, type))
