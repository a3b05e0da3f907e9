"""The largest of many differences: Tukey's studentized range and Dunnett's comparison with a control."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from assay.core.parameters import check_count
from assay.errors import ParameterError
from assay.stats.checks import _as_floats, is_number

__all__ = ["dunnett_quantile", "dunnett_sf", "studentized_range_quantile", "studentized_range_sf"]

Floats = NDArray[np.float64]
MAX_RANGE = 24.0  # beyond this range of standard normals the tail is below 1e-60
CELLS = 250_000  # values held at once


def studentized_range_sf(q: ArrayLike, k: int, df: float = np.inf) -> Floats:
    r"""Probability that the range of k standard normals, divided by an independent deviation, exceeds q.

    With the deviation known (df infinite), and with one estimated from df degrees of freedom:

    .. math:: S_\infty(w) = k\int \varphi(z)\left[\Phi(z)^{k-1} - \{\Phi(z)-\Phi(z-w)\}^{k-1}\right]dz \quad (1),
              \qquad S_\nu(q) = \int_0^\infty f_\nu(s)\,S_\infty(qs)\,ds \quad (2)

    where :math:`\nu s^2` is chi-squared. Both integrals are sums over equal steps (of log s in (2)), vectorised
    over q, and tails down to about 1e-20 keep their relative accuracy.

    Parameters
    ----------
    q : array of any shape, at least 0
    k : int, number of means that are compared, at least 2
    df : float, degrees of freedom of the deviation; infinite for ranks and known variances

    Examples
    --------
    >>> from assay.stats import studentized_range_sf
    >>> round(float(studentized_range_sf(3.77292897, 3, 12)), 6)
    0.05

    See Also
    --------
    studentized_range_quantile, nemenyi, post_hoc

    References
    ----------
    - Tukey, J. W. (1949). Comparing individual means in the analysis of variance. Biometrics 5(2), 99-114.
    """
    points = _checked(q, k, df, "studentized_range_sf")
    m = k - 1
    z, weight = _normal_steps(0.48 * k**-0.23, 14.0)
    base = k * weight * np.exp(m * log_ndtr(z))
    share = ndtr(z)

    def tail(w: Floats) -> Floats:  # (1); a^m - b^m = a^m (1 - (1 - (a - b)/a)^m) loses no digits
        ratio = np.minimum(ndtr(z - w[:, None]) / share, 1.0)
        if m == 1:
            return ratio @ base
        with np.errstate(divide="ignore"):  # log 0 where w is 0: the bracket is 1
            return -np.expm1(m * np.log1p(-ratio)) @ base

    return _mixed(points.ravel(), k, df, tail).reshape(points.shape)[()]


def studentized_range_quantile(p: float, k: int, df: float = np.inf) -> float:
    """The value that the studentized range exceeds with probability p: Tukey's and Nemenyi's critical value.

    Parameters
    ----------
    p : float, above 0 and below 1
    k, df : as in `studentized_range_sf`

    Examples
    --------
    >>> from assay.stats import studentized_range_quantile
    >>> round(studentized_range_quantile(0.05, 3, 12), 6)
    3.772929
    >>> round(studentized_range_quantile(0.05, 10) / 2**0.5, 3)  # Nemenyi's q for ten learners
    3.164

    See Also
    --------
    studentized_range_sf, nemenyi

    References
    ----------
    - Tukey, J. W. (1949). Comparing individual means in the analysis of variance. Biometrics 5(2), 99-114.
    """
    level = _level(p, "studentized_range_quantile")
    _checked(level, k, df, "studentized_range_quantile")
    return _tukey_point(level, int(k), float(df))


def dunnett_sf(t: ArrayLike, loadings: ArrayLike, df: float = np.inf, *, two_sided: bool = True) -> Floats:
    r"""Probability that the largest of m t statistics, all against one control, exceeds t.

    Statistics that share a control correlate as :math:`\rho_{ij}=\lambda_i\lambda_j` with
    :math:`\lambda_i = \sqrt{n_i/(n_i+n_0)}`, so that given the control's own deviation z they are independent:

    .. math:: P(\max_i|t_i| \le t) = \int f_\nu(s)\int\varphi(z)\prod_i
              \left[\Phi\left(\tfrac{\lambda_iz+ts}{\sqrt{1-\lambda_i^2}}\right)
                   -\Phi\left(\tfrac{\lambda_iz-ts}{\sqrt{1-\lambda_i^2}}\right)\right]dz\,ds

    Parameters
    ----------
    t : array of any shape; at least 0 if two_sided
    loadings : (m,), above 0 and below 1; equal groups have all of them the square root of 1/2
    df : float, degrees of freedom of the deviation
    two_sided : bool, False for the largest t itself in place of the largest absolute one

    Examples
    --------
    Three learners against a control, 20 degrees of freedom; Dunnett's table says 2.54 at 5 %:

    >>> from assay.stats import dunnett_sf
    >>> round(float(dunnett_sf(2.5403, [0.5**0.5] * 3, 20)), 4)
    0.05

    See Also
    --------
    dunnett_quantile, post_hoc

    References
    ----------
    - Dunnett, C. W. (1955). A multiple comparison procedure for comparing several treatments with a control.
      Journal of the American Statistical Association 50(272), 1096-1121.
    """
    rho = np.atleast_1d(_as_floats(loadings, "dunnett_sf: loadings"))
    if rho.ndim != 1 or not len(rho) or not ((rho > 0) & (rho < 1)).all():
        raise ParameterError("dunnett_sf: loadings must be numbers above 0 and below 1, one per comparison.")
    points = _checked(t, 2, df, "dunnett_sf", signed=not two_sided)
    values, times = np.unique(rho, return_counts=True)
    z, weight = _normal_steps(min(0.48, 0.4 * np.sqrt(1 - rho.max() ** 2)) * (len(rho) + 1) ** -0.23, 8.75)

    def tail(w: Floats) -> Floats:
        log = np.zeros((len(w), len(z)))
        for loading, count in zip(values, times):
            residual_sd = np.sqrt(1 - loading**2)
            outside = ndtr((-w[:, None] - loading * z) / residual_sd)
            if two_sided:
                outside = outside + ndtr((loading * z - w[:, None]) / residual_sd)
            with np.errstate(divide="ignore"):
                log += count * np.log1p(-np.minimum(outside, 1.0))
        return -np.expm1(log) @ weight

    return _mixed(points.ravel(), len(rho) + 1, df, tail).reshape(points.shape)[()]


def dunnett_quantile(p: float, loadings: ArrayLike, df: float = np.inf, *, two_sided: bool = True) -> float:
    """The value that the largest of the statistics exceeds with probability p, as in `dunnett_sf`.

    >>> from assay.stats import dunnett_quantile
    >>> round(dunnett_quantile(0.05, [0.5**0.5] * 3, 20), 4)
    2.5403

    See Also
    --------
    dunnett_sf, post_hoc

    References
    ----------
    - Dunnett, C. W. (1955). A multiple comparison procedure for comparing several treatments with a control.
      Journal of the American Statistical Association 50(272), 1096-1121.
    """
    rho = _as_floats(loadings, "dunnett_quantile: loadings").ravel()
    return _dunnett_point(_level(p, "dunnett_quantile"), tuple(rho.tolist()), float(df), bool(two_sided))


@lru_cache(maxsize=256)  # one design, one critical value: simulations and reports need it again and again
def _tukey_point(p: float, k: int, df: float) -> float:
    return _inverse(p, lambda q: float(studentized_range_sf(q, k, df)), "studentized_range_quantile")


@lru_cache(maxsize=256)
def _dunnett_point(p: float, loadings: tuple[float, ...], df: float, two_sided: bool) -> float:
    return _inverse(p, lambda t: float(dunnett_sf(t, loadings, df, two_sided=two_sided)), "dunnett_quantile")


def _mixed(q: Floats, k: int, df: float, tail) -> Floats:  # type: ignore[no-untyped-def]
    """(2): the mean of tail(q s) over the deviation s; with df infinite s is 1."""
    s, weight = (np.ones(1), np.ones(1)) if np.isinf(df) else _deviations(float(df), k)
    w = np.clip(np.clip(q, -1e300, 1e300)[:, None] * s, -MAX_RANGE, MAX_RANGE).ravel()
    out = np.empty(len(w))
    step = CELLS // 128
    for i in range(0, len(w), step):
        out[i : i + step] = tail(w[i : i + step])
    return np.clip(out.reshape(len(q), len(s)) @ weight, 0.0, 1.0)


def _normal_steps(step: float, high: float) -> tuple[Floats, Floats]:
    """Equal steps and their normal densities: the trapezoidal rule, exact to rounding on such smooth integrands."""
    z = np.arange(-8.75, high, step)
    return z, step * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)


def _deviations(df: float, k: int) -> tuple[Floats, Floats]:
    """Nodes and weights for the mean over s: equal steps of u = log s, where log f = c + df (u - e^2u / 2)."""
    spread = 1 / np.sqrt(2 * df)  # of log s
    low, high = -(33 / df + 9 * spread), min(9 * spread, 0.5 * np.log(2 + 90 / df))
    u = np.arange(low, high, min(0.18 * k**-0.18, 0.6 * spread))
    weight = np.exp(df * (u - np.expm1(2 * u) / 2))
    keep = weight > 1e-20
    return np.exp(u[keep]), weight[keep] / weight[keep].sum()


def _inverse(p: float, sf, who: str) -> float:  # type: ignore[no-untyped-def]
    from scipy.optimize import brentq

    high = max(1.0, float(-ndtri(p / 2)))
    while sf(high) > p:
        high *= 2
        if high > 1e12:
            raise ParameterError(f"no finite value is exceeded with probability {p:g} only.", who=who)
    low = 0.0 if sf(0.0) > p else -1.0
    while sf(low) < p:  # of one side, where most values lie above
        low *= 2
    return float(brentq(lambda q: sf(q) - p, low, high, xtol=1e-12, rtol=1e-13))


def _level(p: float, who: str) -> float:
    if not is_number(p) or not 0 < p < 1:
        raise ParameterError(f"p must lie between 0 and 1, got {p!r}.", who=who)
    return float(p)


def _checked(q: ArrayLike, k: int, df: float, who: str, signed: bool = False) -> Floats:
    points = _as_floats(q, who)
    if np.isnan(points).any() or (not signed and (points < 0).any()):
        raise ParameterError(f"expected numbers from 0 upwards, got {points!r}.", who=who)
    check_count(who, "k", k, low=2)
    if not df > 0:
        raise ParameterError(f"df must be above 0, got {df!r}.", who=who)
    return points
