"""Intervals of a mean (spread known or estimated) and of a variance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import is_number
from assay.stats.distributions.tails import judge
from assay.stats.significance.summary import Summary
from assay.stats.significance.test_result import check_alpha, check_alternative

__all__ = ["mean_interval", "variance_interval"]


def mean_interval(
    values: ArrayLike, *, sigma: float | None = None, alpha: float = 0.05, alternative: str = "two-sided"
) -> tuple[float, float]:
    r"""Interval of the mean of independent values.

    .. math:: m \pm z_{1-\alpha/2}\,\sigma/\sqrt n \quad (1), \qquad
              m \pm t_{1-\alpha/2,\,n-1}\,S/\sqrt n \quad (2)

    (1) if the standard deviation is known, (2) with the sample's own. Values that come from splits which
    share rows are not independent: see ``corrected_interval``.

    Parameters
    ----------
    values : (n,) numbers, or their Summary
    sigma : float, default None
        The known standard deviation of one value.
    alternative : "two-sided", "greater" (a lower bound alone; the upper one is infinite) or "less"

    Returns
    -------
    low, high : equal, if the values do not vary and sigma is not given

    Examples
    --------
    >>> from assay.stats import Summary, mean_interval
    >>> low, high = mean_interval(Summary(mean=5.2, sd=2, n=100), sigma=2)
    >>> round(low, 4), round(high, 4)
    (4.808, 5.592)

    See Also
    --------
    t_test, variance_interval

    References
    ----------
    - Student (1908). The probable error of a mean. Biometrika 6(1), 1-25. doi:10.1093/biomet/6.1.1
    """
    who = "mean_interval"
    alpha, alternative = check_alpha(alpha, who), check_alternative(alternative, who)
    if sigma is not None and not (is_number(sigma) and sigma > 0):
        raise ParameterError(f"sigma must be a number above 0, got {sigma!r}.", who=who)
    s = Summary.of(values, who)
    if sigma is None and s.n < 2:
        raise DataError("one value alone has no spread. Give sigma, or more values.", who=who)
    error, df = (s.sd, s.n - 1) if sigma is None else (sigma, np.inf)
    if sigma is None and s.constant:
        return (
            -np.inf if alternative == "less" else s.mean,
            np.inf if alternative == "greater" else s.mean,
        )
    _, _, low, high = judge(s.mean, error / np.sqrt(s.n), df, alpha, alternative)  # (1), (2)
    return float(low), float(high)


def variance_interval(
    values: ArrayLike, *, alpha: float = 0.05, alternative: str = "two-sided"
) -> tuple[float, float]:
    r"""Interval of the variance of independent normal values.

    .. math:: \frac{(n-1)S^2}{\chi^2_{1-\alpha/2,\,n-1}} \le \sigma^2 \le \frac{(n-1)S^2}{\chi^2_{\alpha/2,\,n-1}}

    Unlike the interval of the mean, this one is wrong for values that are not normal, however many.

    Parameters
    ----------
    values : (n,) numbers, or their Summary
    alternative : "two-sided", "greater" (a lower bound alone) or "less" (an upper bound; the lower one is 0)

    Examples
    --------
    >>> from assay.stats import variance_interval
    >>> low, high = variance_interval([.12, .15, .11, .14, .13, .16, .10, .12, .15, .12])
    >>> round(low, 6), round(high, 6)
    (0.000179, 0.001259)

    See Also
    --------
    mean_interval

    References
    ----------
    - Fisher, R. A. (1925). Statistical Methods for Research Workers. Oliver and Boyd.
    """
    from scipy.special import chdtri

    who = "variance_interval"
    alpha, alternative = check_alpha(alpha, who), check_alternative(alternative, who)
    s = Summary.of(values, who)
    if s.n < 2:
        raise DataError("one value alone has no variance. Give at least 2 values.", who=who)
    beyond = alpha / 2 if alternative == "two-sided" else alpha
    squares = 0.0 if s.constant else (s.n - 1) * s.sd**2
    low = 0.0 if alternative == "less" else squares / float(chdtri(s.n - 1, beyond))
    high = np.inf if alternative == "greater" else squares / float(chdtri(s.n - 1, 1 - beyond))
    return low, high
