"""The z test of a mean: the spread is known, or the sample large."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import is_number
from assay.stats.distributions.tails import judge
from assay.stats.significance.summary import Summary
from assay.stats.significance.t_test import t_test
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative

__all__ = ["z_test"]


def z_test(
    values: ArrayLike,
    mean: float = 0.0,
    *,
    sigma: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> TestResult:
    r"""Test whether values have a given mean when their standard deviation is known.

    .. math:: z = \sqrt n\,(m - \mu_0) / \sigma                                         \quad (1)

    against the normal distribution. Without ``sigma`` the sample's own deviation stands in, which is right
    for large n only: below some hundred values take ``t_test``. Values that are all equal are judged as there.

    Parameters
    ----------
    values : (n,) numbers, or their Summary
    mean : float
        The mean of the hypothesis.
    sigma : float, default None
        Standard deviation of one value.
    alternative : "two-sided", "greater" (the true mean is above) or "less"

    Returns
    -------
    TestResult, with the sample's mean as estimate

    Examples
    --------
    >>> from assay.stats import Summary, z_test
    >>> print(z_test(Summary(mean=5.2, sd=2, n=100), 5))
    z test: statistic 1.0000, p = 0.317: not significant at 0.05.

    See Also
    --------
    t_test, mean_interval

    References
    ----------
    - Fisher, R. A. (1925). Statistical Methods for Research Workers. Oliver and Boyd.
    """
    alpha, alternative = check_alpha(alpha, "z_test"), check_alternative(alternative, "z_test")
    if not is_number(mean) or (sigma is not None and not (is_number(sigma) and sigma > 0)):
        raise ParameterError(f"z_test: mean must be finite and sigma above 0, got {mean!r} and {sigma!r}.")
    s = Summary.of(values, "z_test")
    if sigma is None and s.n < 2:
        raise DataError("z_test: one value alone has no spread. Give sigma, or more values.")
    if sigma is None and s.constant:  # counts, and says so
        return replace(t_test(s, mean=mean, alpha=alpha, alternative=alternative), test="z test", df=None)
    error = (s.sd if sigma is None else sigma) / np.sqrt(s.n)
    z, p, low, high = (float(v) for v in judge(s.mean, error, np.inf, alpha, alternative, mean))  # (1)
    why = "The sample's own deviation stands in for sigma." if sigma is None and s.n < 30 else ""
    return TestResult("z test", z, p, None, alternative, alpha, s.mean, low, high, why)
