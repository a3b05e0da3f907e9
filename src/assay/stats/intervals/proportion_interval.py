"""Intervals of a share, such as an error rate, seen on n independent rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import _as_floats, is_number
from assay.stats.significance.test_result import check_alpha, check_alternative

__all__ = ["proportion_interval", "wilson_interval"]

METHODS = ("wilson", "normal", "clopper-pearson", "agresti-coull", "jeffreys")


def proportion_interval(
    successes: float,
    n: int,
    *,
    method: str = "wilson",
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> tuple[float, float]:
    r"""Interval of a probability of which ``successes`` of n throws were seen.

    With :math:`p = s/n` and :math:`z = z_{1-\alpha/2}`:

    .. math:: \text{normal: } p \pm z\sqrt{p(1-p)/n}                                        \quad (1)
    .. math:: \text{wilson: } \frac{p + z^2/2n \pm z\sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}  \quad (2)
    .. math:: \text{agresti-coull: } \tilde p \pm z\sqrt{\tilde p(1-\tilde p)/\tilde n},\quad
              \tilde n = n + z^2,\ \tilde p = (s + z^2/2)/\tilde n                          \quad (3)
    .. math:: \text{clopper-pearson: } B^{-1}_{\alpha/2}(s, n-s+1),\ B^{-1}_{1-\alpha/2}(s+1, n-s) \quad (4)
    .. math:: \text{jeffreys: } B^{-1}_{\alpha/2, 1-\alpha/2}(s + \tfrac12, n-s+\tfrac12)   \quad (5)

    with the beta quantile :math:`B^{-1}`. Clopper-Pearson covers at least 1 - alpha whatever the
    probability, and more than that mostly; Wilson and Jeffreys cover about 1 - alpha on average; the normal
    interval covers too little for few rows and for rare errors, and is there for comparison.

    Parameters
    ----------
    successes : from 0 to n
    n : rows
    alternative : "two-sided", "greater" (a lower bound; the upper one is 1) or "less" (an upper bound)

    Returns
    -------
    low, high

    Examples
    --------
    >>> from assay.stats import proportion_interval
    >>> low, high = proportion_interval(15, 100, method="clopper-pearson")
    >>> round(low, 6), round(high, 6)
    (0.086454, 0.235308)

    No error on 50 rows: the error rate is below 6 %, as the rule of three has it.

    >>> low, high = proportion_interval(0, 50, method="clopper-pearson", alternative="less")
    >>> low, round(high, 4)
    (0.0, 0.0582)

    See Also
    --------
    wilson_interval, binomial_test, proportion_test

    References
    ----------
    - Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
      American Statistical Association 22(158), 209-212. doi:10.1080/01621459.1927.10502953
    - Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of
      the binomial. Biometrika 26(4), 404-413. doi:10.1093/biomet/26.4.404
    - Brown, L. D., Cai, T. T. and DasGupta, A. (2001). Interval estimation for a binomial proportion. Statistical
      Science 16(2), 101-133. doi:10.1214/ss/1009213286
    """
    who = "proportion_interval"
    alpha, alternative = check_alpha(alpha, who), check_alternative(alternative, who)
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {method!r}.", who=who)
    if not is_number(n) or n < 1 or not is_number(successes) or not 0 <= successes <= n:
        raise DataError(f"needs 0 <= successes <= n and n from 1, got {successes!r} of {n!r}.", who=who)
    beyond = alpha / 2 if alternative == "two-sided" else alpha
    low, high = _bounds(float(successes), float(n), method, beyond)
    return 0.0 if alternative == "less" else low, 1.0 if alternative == "greater" else high


def _bounds(s: float, n: float, method: str, beyond: float) -> tuple[float, float]:
    """Both bounds, each of which is missed with probability ``beyond``."""
    from scipy.special import betaincinv, ndtri

    if method == "wilson":
        if beyond >= 0.5:  # not even the share itself
            raise ParameterError(f"proportion_interval: a one-sided alpha must be below 0.5, got {beyond:g}.")
        return wilson_interval(s / n, n, 2 * beyond)  # (2)
    if method == "clopper-pearson":  # (4)
        low = betaincinv(s, n - s + 1, beyond) if s else 0.0
        return float(low), float(betaincinv(s + 1, n - s, 1 - beyond)) if s < n else 1.0
    if method == "jeffreys":  # (5)
        low = betaincinv(s + 0.5, n - s + 0.5, beyond) if s else 0.0
        return float(low), float(betaincinv(s + 0.5, n - s + 0.5, 1 - beyond)) if s < n else 1.0
    z = float(ndtri(1 - beyond))
    size, p = n, s / n
    if method == "agresti-coull":
        size, p = n + z * z, (s + z * z / 2) / (n + z * z)
    half = z * np.sqrt(p * (1 - p) / size)  # (1), (3)
    return max(0.0, float(p - half)), min(1.0, float(p + half))


def wilson_interval(share: ArrayLike, n: ArrayLike, alpha: float = 0.05) -> tuple[Any, Any]:
    r"""Wilson's interval of a share seen on n independent rows; of many shares at once, if given arrays.

    .. math:: \frac{p + z^2/2n \pm z\sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}

    >>> from assay.stats import wilson_interval
    >>> low, high = wilson_interval(0.15, 100)
    >>> round(low, 6), round(high, 6)
    (0.09306, 0.232836)

    See Also
    --------
    proportion_interval

    References
    ----------
    - Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
      American Statistical Association 22(158), 209-212. doi:10.1080/01621459.1927.10502953
    """
    from scipy.special import ndtri

    who, alpha = "wilson_interval", check_alpha(alpha, "wilson_interval")
    share, n = _as_floats(share, f"{who}: share"), _as_floats(n, f"{who}: n")
    if (share < -1e-9).any() or (share > 1 + 1e-9).any() or not (n > 0).all():
        raise DataError(f"shares must lie from 0 to 1 and n above 0, got {share} of {n}.", who=who)
    share = np.clip(share, 0.0, 1.0)  # means of weighted rows exceed 1 by rounding
    z2 = float(ndtri(1 - alpha / 2)) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # a share of 0 or 1 is a bound itself, which rounding would miss
    low = np.where(np.equal(share, 0), 0.0, np.maximum(0.0, centre - half))
    high = np.where(np.equal(share, 1), 1.0, np.minimum(1.0, centre + half))
    return (float(low), float(high)) if low.ndim == 0 else (low, high)
