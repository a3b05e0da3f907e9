"""Bandwidth selection by leave-one-out cross-validation."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.progress import track
from assay.densities.bandwidth import deviations, rows_of
from assay.densities.kernel_sums import KernelSums
from assay.densities.kernels import Kernel, kernel_of
from assay.errors import DegenerateError, ParameterError

__all__ = [
    "least_squares_bandwidth",
    "least_squares_scores",
    "leave_one_out_log_likelihood",
    "likelihood_bandwidth",
]


def leave_one_out_log_likelihood(
    X: ArrayLike,
    bandwidths: ArrayLike,
    weights: ArrayLike | None = None,
    kernel: str | Kernel = "gaussian",
) -> NDArray[np.float64]:
    r"""For each width the log likelihood of the rows, each judged by the kernels of the others.

    .. math:: L(h) = \sum_t w_t \log \hat p_{-t}(x^t), \qquad
              \hat p_{-t}(x) = \frac1{(N-w_t)h^d}\sum_{s\ne t} w_s K\Big(\frac{\|x-x^s\|}h\Big) \quad (1)

    Minus infinity if some row has no other within the reach of a kernel that ends.

    Parameters
    ----------
    X : (n, d) rows, at least two
    bandwidths : (m,) widths above 0
    weights : (n,) what each row counts; a row of weight 2 is left out as a whole
    kernel : str or Kernel

    Examples
    --------
    >>> from assay.densities.leave_one_out import leave_one_out_log_likelihood
    >>> X = [[1], [2], [2.5], [4], [6], [6.5], [7], [9]]
    >>> leave_one_out_log_likelihood(X, [1, 2, 3]).round(4)
    array([-22.5344, -20.8222, -21.0195])
    """
    X, w = rows_of(X, weights, least=2)
    bandwidths = _widths(bandwidths)
    kernel, d = kernel_of(kernel), X.shape[1]
    points = KernelSums(X, w)
    rows, log_weight = np.arange(len(X)), np.log(w.sum() - w)
    scores = np.empty(len(bandwidths))
    for i, h in enumerate(track(bandwidths, "bandwidths")):
        logs = (
            points.log_sums(X, kernel, h, leave_out=rows)
            - log_weight
            - d * math.log(h)
            - kernel.log_constant(d)
        )
        scores[i] = np.sum(w * logs)  # (1)
    return scores


def least_squares_scores(
    X: ArrayLike, bandwidths: ArrayLike, weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""For each width the integrated squared error of the Gaussian kernel density, up to a constant, estimated.

    .. math:: J(h) = \int\hat p^2 - \frac2N\sum_t w_t\hat p_{-t}(x^t) \quad (1)

    The first term is a sum over all pairs of rows of Gaussians of width :math:`\sqrt2h`, which are the convolution of
    two kernels.

    >>> from assay.densities.leave_one_out import least_squares_scores
    >>> X = [[1], [2], [2.5], [4], [6], [6.5], [7], [9]]
    >>> least_squares_scores(X, [1, 2, 3]).round(6)
    array([-0.042621, -0.06994 , -0.077558])
    """
    X, w = rows_of(X, weights, least=2)
    bandwidths = _widths(bandwidths)
    kernel, d, N = kernel_of("gaussian"), X.shape[1], w.sum()
    points, rows = KernelSums(X, w), np.arange(len(X))
    scores = np.empty(len(bandwidths))
    for i, h in enumerate(track(bandwidths, "bandwidths")):
        volume = [d * math.log(width) + kernel.log_constant(d) for width in (math.sqrt(2) * h, h)]
        square = np.exp(points.log_sums(X, kernel, math.sqrt(2) * h) - volume[0])
        left_out = np.exp(points.log_sums(X, kernel, h, leave_out=rows) - volume[1])
        scores[i] = np.sum(w * square) / N**2 - 2 / N * np.sum(w * left_out / (N - w))  # (1)
    return scores


def likelihood_bandwidth(
    X: ArrayLike, weights: ArrayLike | None = None, kernel: str | Kernel = "gaussian"
) -> float:
    """The width with the greatest leave-one-out likelihood, to three digits.

    Copies of rows drive it towards 0, since every copy predicts the others; then an error is raised.

    >>> from assay.densities.leave_one_out import likelihood_bandwidth
    >>> round(likelihood_bandwidth([[1], [2], [2.5], [4], [6], [6.5], [7], [9]]), 2)
    2.15

    See Also
    --------
    least_squares_bandwidth, leave_one_out_log_likelihood

    References
    ----------
    - Habbema, J. D. F., Hermans, J. and van den Broek, K. (1974). A stepwise discriminant analysis program using
      density estimation. COMPSTAT, 101-110.
    """
    X, w = rows_of(X, weights, least=2)
    X, unit = _in_units(X)
    return unit * _best(
        "likelihood", X, w, lambda h: -leave_one_out_log_likelihood(X, h, w, kernel), kernel_of(kernel), unit
    )


def least_squares_bandwidth(X: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The width with the least estimated squared error of the Gaussian kernel density, to three digits.

    >>> from assay.densities.leave_one_out import least_squares_bandwidth
    >>> round(least_squares_bandwidth([[1], [2], [2.5], [4], [6], [6.5], [7], [9]]), 2)
    3.36

    See Also
    --------
    likelihood_bandwidth, least_squares_scores

    References
    ----------
    - Rudemo, M. (1982). Empirical choice of histograms and kernel density estimators. Scandinavian Journal of
      Statistics 9(2), 65-78.
    - Bowman, A. W. (1984). An alternative method of cross-validation for the smoothing of density estimates.
      Biometrika 71(2), 353-360. doi:10.1093/biomet/71.2.353
    """
    X, w = rows_of(X, weights, least=2)
    X, unit = _in_units(X)
    return unit * _best(
        "least_squares", X, w, lambda h: least_squares_scores(X, h, w), kernel_of("gaussian"), unit
    )


def _in_units(X: np.ndarray) -> tuple[np.ndarray, float]:
    """The rows from their middle on in a power of two, where no square or power of a width leaves the range."""
    X = X - (X.min(axis=0) / 2 + X.max(axis=0) / 2)
    unit = float(np.ldexp(1.0, np.frexp(np.abs(X).max())[1] - 1)) if X.any() else 1.0
    return X / unit, unit


def _best(
    rule: str,
    X: np.ndarray,
    w: np.ndarray,
    loss: Callable[[np.ndarray], np.ndarray],
    kernel: Kernel,
    unit: float,
) -> float:
    """The width of least loss, in units: the best of a coarse list, then the best around it, to three digits."""
    spread = math.sqrt(float(np.mean(deviations(X, w) ** 2)))
    if spread == 0:
        raise DegenerateError(
            f"bandwidth={rule!r}: all rows are equal, so no width is best. Give one yourself."
        )
    start = spread * len(X) ** (-1 / (X.shape[1] + 4)) / math.sqrt(kernel.variance(X.shape[1]))
    widths = start * np.geomspace(1e-3, 10, 33)
    for _ in range(4):
        at = int(np.argmin(loss(widths)))
        if at == 0:
            raise DegenerateError(
                f"bandwidth={rule!r}: the narrower the better, down to {unit * widths[0]:.3g}, as happens when "
                "rows are repeated. Give a number, or add a little noise to the rows."
            )
        widths = np.geomspace(widths[at - 1], widths[min(at + 1, len(widths) - 1)], 9)
    return float(widths[int(np.argmin(loss(widths)))])


def _widths(bandwidths: ArrayLike) -> np.ndarray:
    widths = np.atleast_1d(np.asarray(bandwidths, dtype=np.float64))
    if widths.ndim != 1 or not np.all((widths > 0) & np.isfinite(widths)):
        raise ParameterError(f"bandwidths must be numbers above 0, got {bandwidths!r}.")
    return widths
