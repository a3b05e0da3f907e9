"""Bandwidth selection by rules based on the spread of the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.targets import check_weights
from assay.densities.grid_sums import shared_by_corners
from assay.densities.kernels import Kernel, kernel_of
from assay.errors import DataError, DegenerateError, ParameterError

__all__ = ["bandwidth_by", "improved_sheather_jones", "normal_reference", "scott", "silverman"]

RULES = ("normal", "isj", "likelihood", "least_squares")


def scott(X: ArrayLike, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    r"""Scott's rule: :math:`h_j = s_j\,n^{-1/(d+4)}`, with the deviations :math:`s_j` of the columns (divisor n - 1).

    >>> from assay.densities.bandwidth import scott
    >>> scott([[1], [2], [2.5], [4], [6], [6.5], [7], [9]]).round(6)
    array([1.84933])

    See Also
    --------
    silverman, normal_reference

    References
    ----------
    - Scott, D. W. (2015). Multivariate Density Estimation, second edition. Wiley.
    """
    X, w = rows_of(X, weights)
    n, d = _effective(w), X.shape[1]
    return deviations(X, w) * n ** (-1 / (d + 4))


def silverman(X: ArrayLike, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    r"""Silverman's rule: :math:`h_j = s_j\,(4/((d+2)n))^{1/(d+4)}`, best for Gaussian rows and kernel.

    >>> from assay.densities.bandwidth import silverman
    >>> silverman([[1], [2], [2.5], [4], [6], [6.5], [7], [9]]).round(6)
    array([1.958854])

    See Also
    --------
    scott, normal_reference, improved_sheather_jones

    References
    ----------
    - Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. Chapman and Hall.
    """
    X, w = rows_of(X, weights)
    n, d = _effective(w), X.shape[1]
    return deviations(X, w) * (4 / ((d + 2) * n)) ** (1 / (d + 4))


def normal_reference(
    X: ArrayLike, weights: ArrayLike | None = None, kernel: str | Kernel = "gaussian"
) -> NDArray[np.float64]:
    r"""Silverman's rule with a robust spread, for any kernel.

    The spread is the lesser of the deviation and the quartile range over 1.349. A kernel of another shape gets the
    width with which it smooths one column as much as the Gaussian does, times :math:`(R(K)/R(G))^{1/5}\,
    \sigma_K^{-4/5}` (canonical bandwidths), with the roughness R and the deviation :math:`\sigma_K` of the kernel.

    >>> from assay.densities.bandwidth import normal_reference
    >>> normal_reference([[1], [2], [2.5], [4], [6], [6.5], [7], [9]]).round(6)
    array([1.958854])

    See Also
    --------
    silverman, scott

    References
    ----------
    - Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. Chapman and Hall.
    """
    X, w = rows_of(X, weights)
    kernel, gauss = kernel_of(kernel), kernel_of("gaussian")
    spread = deviations(X, w)
    for j in range(X.shape[1]):
        order = np.argsort(X[:, j], kind="stable")
        share = np.cumsum(w[order]) / w.sum()
        low, high = (X[order[int(np.searchsorted(share, p).clip(max=len(w) - 1))], j] for p in (0.25, 0.75))
        if high > low:
            spread[j] = min(spread[j], (high - low) / 1.349)
    n, d = _effective(w), X.shape[1]
    canonical = (kernel.roughness / gauss.roughness) ** 0.2 * kernel.variance() ** -0.4
    return spread * (4 / ((d + 2) * n)) ** (1 / (d + 4)) * canonical


def improved_sheather_jones(x: ArrayLike, weights: ArrayLike | None = None, size: int = 4096) -> float:
    r"""The improved Sheather-Jones rule (Botev, Grotowski and Kroese, 2010) for one column and the Gaussian kernel.

    The best width depends on the roughness of the second derivative of the density, which depends on that of the
    third, and so on; with the seventh taken as known, the width is the fixed point

    .. math:: t = (2N\sqrt\pi\,\|f''_{t_2}\|^2)^{-2/5}, \qquad
              t_s = \Big(\tfrac{1+2^{-s-1/2}}3\,\tfrac{1\cdot3\cdots(2s-1)}{N\sqrt{\pi/2}\,\|f^{(s+1)}_{t_{s+1}}\|^2}
              \Big)^{2/(3+2s)} \quad (1)

    with the norms from the cosine transform of the sample on a grid. No shape is assumed, so it finds the separate
    modes of a mixture that the normal rules blur. Needs some dozens of rows at least.

    Parameters
    ----------
    x : (n,) or (n, 1)
    weights : (n,)
    size : int
        Points of the grid.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.densities.bandwidth import improved_sheather_jones, silverman
    >>> x = np.random.default_rng(0).normal([-5.0, 5.0], 1.0, (500, 2)).ravel()[:, None]
    >>> round(improved_sheather_jones(x), 2), silverman(x).round(2)
    (0.32, array([1.37]))

    See Also
    --------
    silverman, scott, least_squares_bandwidth

    References
    ----------
    - Botev, Z. I., Grotowski, J. F. and Kroese, D. P. (2010). Kernel density estimation via diffusion. Annals of
      Statistics 38(5), 2916-2957. doi:10.1214/10-AOS799
    """
    from scipy.fft import dct
    from scipy.optimize import brentq

    X, w = rows_of(x, weights)
    if X.shape[1] != 1:
        raise DataError(f"improved_sheather_jones: one column expected, got {X.shape[1]}.")
    low, high = X.min(), X.max()
    if low == high:
        raise DegenerateError(
            "improved_sheather_jones: all rows are equal, so no width is best. Give one yourself."
        )
    reach = (high - low) / 2
    span = high - low + 2 * reach
    axis = np.linspace(low - reach, high + reach, size)
    shares = shared_by_corners(X, w / w.sum(), [axis])
    k2 = np.arange(1, size) ** 2.0
    a2 = (dct(shares)[1:] / 2) ** 2
    N = max(2, len(np.unique(X)))

    def norm(s: int, t: float) -> float:  # of the s-th derivative, smoothed by t
        return 2 * math.pi ** (2 * s) * float(np.sum(k2**s * a2 * np.exp(-k2 * math.pi**2 * t)))

    def gap(t: float) -> float:
        f = norm(7, t)
        for s in range(6, 1, -1):
            if not 0 < f < math.inf:
                return math.nan
            odd = math.prod(range(1, 2 * s, 2)) / math.sqrt(2 * math.pi)
            f = norm(s, (2 * (1 + 0.5 ** (s + 0.5)) / 3 * odd / (N * f)) ** (2 / (3 + 2 * s)))
        return t - (2 * N * math.sqrt(math.pi) * f) ** -0.4 if f > 0 else math.nan  # (1)

    trials = np.geomspace(1e-12, 0.1, 120)
    gaps = np.array([gap(t) for t in trials])
    rising = np.flatnonzero((gaps[:-1] < 0) & (gaps[1:] >= 0))
    if not len(rising):
        raise DegenerateError(
            f"improved_sheather_jones: no width solves (1) for these {len(X)} rows. Use likelihood_bandwidth."
        )
    at = rising[0]
    return float(math.sqrt(brentq(gap, trials[at], trials[at + 1], xtol=1e-16, rtol=1e-10)) * span)


def bandwidth_by(
    rule: str, X: np.ndarray, weights: np.ndarray, kernel: str = "gaussian", who: str = "bandwidth_by"
) -> Any:
    """The width by the rule of this name: "normal", "isj", "likelihood", "least_squares"."""
    from assay.densities.leave_one_out import least_squares_bandwidth, likelihood_bandwidth

    if rule == "normal":
        widths = normal_reference(X, weights, kernel)
        if not widths.all():
            raise DegenerateError(
                f"{who}: a column is constant, so it has no width. Drop it, or give bandwidth."
            )
        return widths
    if rule == "isj":
        gauss, chosen = kernel_of("gaussian"), kernel_of(kernel)
        canonical = (chosen.roughness / gauss.roughness) ** 0.2 * chosen.variance() ** -0.4
        return improved_sheather_jones(X, weights) * canonical
    if rule == "least_squares" and kernel != "gaussian":
        raise ParameterError(f"{who}: bandwidth='least_squares' is for kernel='gaussian', got {kernel!r}.")
    return (
        np.float64(likelihood_bandwidth(X, weights, kernel))
        if rule == "likelihood"
        else np.float64(least_squares_bandwidth(X, weights))
    )


def rows_of(X: ArrayLike, weights: ArrayLike | None, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The rows that weigh something as an (n, d) array, and their weights; what cannot be used is an error."""
    X = np.asarray(X, dtype=np.float64)
    X = X[:, None] if X.ndim == 1 else X
    if X.ndim != 2 or len(X) < least or not X.shape[1] or not np.isfinite(X).all():
        raise DataError(f"bandwidth: expected at least {least} rows of finite numbers, got shape {X.shape}.")
    w = check_weights(weights, len(X), "bandwidth", "weights")
    w = np.ones(len(X)) if w is None else w
    return np.ascontiguousarray(X[w > 0]), w[w > 0]


def _effective(w: np.ndarray) -> float:
    """How many rows of equal weight these are worth."""
    return float(w.sum() ** 2 / (w @ w))


def deviations(X: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(d,) of the columns, with divisor n - 1; 0 for one row."""
    share, n = w / w.sum(), _effective(w)
    R = X - share @ X
    largest = np.abs(R).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)  # whose squares are no larger than 1
    return unit * np.sqrt(share @ (R / unit) ** 2 * (n / (n - 1) if n > 1 else 0.0))
