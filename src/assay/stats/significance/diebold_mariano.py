"""Diebold and Mariano's test: do two series of forecasts lose the same on average?"""

from __future__ import annotations

import numpy as np

from assay.errors import DataError, ParameterError
from assay.stats.significance.summary import NO_SPREAD
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative
from assay.types import Scores

__all__ = ["diebold_mariano"]


def diebold_mariano(
    first: Scores,
    second: Scores,
    *,
    horizon: int | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
) -> TestResult:
    r"""Whether two forecasters have the same mean loss, on losses in order of time, which may be correlated.

    With the differences :math:`d_t` of the losses (squared errors, absolute errors, costs) at n times, their mean
    :math:`\bar d` and autocovariances :math:`\gamma_k`,

    .. math:: DM = \frac{\bar d}{\sqrt{V / n}}, \qquad V = \gamma_0 + 2 \sum_{k=1}^{L} w_k \gamma_k   \quad (1)

    For forecasts h steps ahead, whose errors overlap by h - 1 steps, L = h - 1 and :math:`w_k = 1`, and the statistic
    is multiplied by :math:`\sqrt{(n + 1 - 2h + h(h-1)/n) / n}` (Harvey, Leybourne and Newbold 1997). Where such a sum
    is not positive, and without a horizon, Bartlett's weights :math:`w_k = 1 - k/(L + 1)` keep it so; without a horizon
    :math:`L = \lfloor 4 (n/100)^{2/9} \rfloor` (Newey and West 1994). The p-value is Student's with n - 1 degrees of
    freedom.

    Parameters
    ----------
    first, second : (n,) losses of the two at the same times, in order
    horizon : int, default None
        How many steps ahead was forecast; None for any dependence that fades.
    alternative : "two-sided", "less" (the first loses less) or "greater"
    alpha : 1 - confidence of the interval

    Returns
    -------
    TestResult of the mean loss of the first minus that of the second

    Examples
    --------
    >>> from assay.stats import diebold_mariano
    >>> result = diebold_mariano([1.0, 4.0, 2.0, 5.0, 3.0], [0.5, 2.0, 2.5, 3.0, 1.0], horizon=1)
    >>> round(result.statistic, 4), round(result.p, 4)
    (2.3311, 0.0802)

    See Also
    --------
    paired_t

    References
    ----------
    - Diebold, F. X. and Mariano, R. S. (1995). Comparing predictive accuracy. Journal of Business & Economic Statistics
      13(3), 253-263. doi:10.1080/07350015.1995.10524599
    - Harvey, D., Leybourne, S. and Newbold, P. (1997). Testing the equality of prediction mean squared errors.
      International Journal of Forecasting 13(2), 281-291. doi:10.1016/S0169-2070(96)00719-4
    - Newey, W. K. and West, K. D. (1994). Automatic lag selection in covariance matrix estimation. Review of Economic
      Studies 61(4), 631-653. doi:10.2307/2297912
    """
    who = "diebold_mariano"
    alpha = check_alpha(alpha, who)
    a, b = (np.asarray(v, dtype=np.float64) for v in (first, second))
    if a.shape != b.shape or a.ndim != 1 or len(a) < 2:
        raise DataError(
            f"the two need one loss each at the same times, at least 2; got shapes {a.shape} and {b.shape}.",
            who=who,
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise DataError("the losses must be finite numbers.", who=who)
    if horizon is not None and (
        isinstance(horizon, bool) or int(horizon) != horizon or not 1 <= horizon < len(a)
    ):
        raise ParameterError(
            f"horizon must be a whole number of steps from 1 to {len(a) - 1}, or None, got {horizon!r}.",
            who=who,
        )
    check_alternative(alternative, who)
    return of_differences(a - b, horizon, alternative, alpha)


def of_differences(
    d: np.ndarray, horizon: int | None = None, alternative: str = "two-sided", alpha: float = 0.05
) -> TestResult:
    """The test of differences of losses in order of time."""
    from scipy.special import stdtr, stdtrit

    n, mean = len(d), float(d.mean())
    name = "Diebold-Mariano test"
    error = standard_error(d, horizon)
    if error <= NO_SPREAD * abs(mean):
        same = mean == 0
        why = "The losses are equal at every time." if same else "The losses differ alike at every time."
        statistic, p_value = (0.0, 1.0) if same else (float(np.copysign(np.inf, mean)), 0.0)
        return TestResult(name, statistic, p_value, n - 1.0, alternative, alpha, mean, mean, mean, why,
                          code="diebold_mariano")  # fmt: skip
    t = mean / error
    below = float(stdtr(n - 1, t))
    p = {
        "two-sided": 2 * min(below, float(stdtr(n - 1, -t))),
        "less": below,
        "greater": float(stdtr(n - 1, -t)),
    }
    half = float(stdtrit(n - 1, 1 - alpha / 2)) * error
    return TestResult(name, t, min(p[alternative], 1.0), n - 1.0, alpha=alpha, estimate=mean, low=mean - half,
                      high=mean + half, alternative=alternative, code="diebold_mariano")  # fmt: skip


def standard_error(d: np.ndarray, horizon: int | None = None) -> float:
    """The standard error of the mean of correlated differences, by (1), with the correction for small samples."""
    n = len(d)
    lags = horizon - 1 if horizon is not None else min(int(4 * (n / 100) ** (2 / 9)), n - 2)
    scale = float(np.abs(d).max())
    if not scale:
        return 0.0
    x = d / scale
    x = x - x.mean()
    gamma = np.array([x[k:] @ x[: n - k] / n for k in range(lags + 1)])
    variance = gamma[0] + 2 * gamma[1:].sum()
    if horizon is None or variance <= 0:
        variance = gamma[0] + 2 * ((1 - np.arange(1, lags + 1) / (lags + 1)) @ gamma[1:])
    h = 1 if horizon is None else horizon
    shrink = (n + 1 - 2 * h + h * (h - 1) / n) / n
    return scale * float(np.sqrt(variance / n / shrink))
