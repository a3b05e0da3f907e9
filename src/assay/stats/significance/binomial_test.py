"""Tests of one error rate by the number of errors: exact, and by the normal approximation; and of two."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from assay.errors import DataError, ParameterError
from assay.stats.checks import is_number
from assay.stats.distributions.tails import at_least, at_most, tail
from assay.stats.intervals.proportion_interval import proportion_interval, wilson_interval
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative

__all__ = ["binomial_test", "counts", "log_binomial", "proportion_test", "two_proportions_test"]


def binomial_test(
    successes: int, n: int, p0: float, *, alpha: float = 0.05, alternative: str = "two-sided"
) -> TestResult:
    r"""Exact test whether a probability is p0, by how often the event was seen among n.

    .. math:: P(X \ge e) = \sum_{x=e}^n \binom nx p_0^x (1-p_0)^{n-x}                        \quad (1)

    for "greater", the other tail for "less"; two-sided, the sum over all outcomes that are not more likely
    than the one seen. The interval is Clopper and Pearson's.

    Parameters
    ----------
    successes, n : int
        Say, errors among test rows.
    p0 : float
        The probability of the hypothesis; "greater" asks whether the true one is larger.

    Returns
    -------
    TestResult, with successes as statistic and their share as estimate

    Examples
    --------
    15 errors on 100 rows do not yet show that the error rate is above 10 %:

    >>> from assay.stats import binomial_test
    >>> print(binomial_test(15, 100, 0.1, alternative="greater"))
    binomial test: statistic 15.0000, p = 0.073 (one-sided, greater): not significant at 0.05.

    See Also
    --------
    proportion_test, proportion_interval

    References
    ----------
    - Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of
      the binomial. Biometrika 26(4), 404-413. doi:10.1093/biomet/26.4.404
    """
    who = "binomial_test"
    alpha, alternative = check_alpha(alpha, who), check_alternative(alternative, who)
    e, n, p0 = *counts(successes, n, who), _share(p0, who)
    if alternative == "greater":
        p = float(at_least(e, n, p0))  # (1)
    elif alternative == "less":
        p = float(at_most(e, n, p0))
    else:
        p = _two_sided(e, n, p0)
    low, high = proportion_interval(e, n, method="clopper-pearson", alpha=alpha, alternative=alternative)
    return TestResult("binomial test", float(e), p, None, alternative, alpha, e / n, low, high)


def _two_sided(e: int, n: int, p0: float) -> float:
    """Outcomes not more likely than e: its own tail, and the other one from where it is as unlikely."""
    if p0 in (0, 1):
        return 1.0 if e == n * p0 else 0.0
    if e == n * p0:
        return 1.0
    log_observed = log_binomial(e, n, p0) + 1e-7  # outcomes as likely but for rounding count as well
    mode = int((n + 1) * p0)
    above = e > n * p0
    near, far = mode, (0 if above else n)  # the far end's outcomes are the less likely the farther
    if log_binomial(far, n, p0) > log_observed:
        return float(at_least(e, n, p0) if above else at_most(e, n, p0))
    while abs(near - far) > 1:  # far: not more likely than e; near: more likely, or not yet known
        middle = (near + far) // 2
        near, far = (near, middle) if log_binomial(middle, n, p0) <= log_observed else (middle, far)
    if log_binomial(near, n, p0) <= log_observed:
        far = near
    if above:
        return min(1.0, float(at_least(e, n, p0) + at_most(far, n, p0)))
    return min(1.0, float(at_most(e, n, p0) + at_least(far, n, p0)))


def proportion_test(
    successes: int, n: int, p0: float, *, alpha: float = 0.05, alternative: str = "two-sided"
) -> TestResult:
    r"""Approximate normal test whether a probability is p0.

    .. math:: z = \frac{e/n - p_0}{\sqrt{p_0(1-p_0)/n}}                                       \quad (1)

    Fit for many rows: where n p0 or n (1 - p0) is below 10, ``why`` points to ``binomial_test``, and above
    that it still rejects a little too often. The interval is Wilson's, which belongs to this test.

    Parameters
    ----------
    successes, n : int
    p0 : float
        The probability of the hypothesis, not 0 and not 1.

    Examples
    --------
    >>> from assay.stats import proportion_test
    >>> result = proportion_test(15, 100, 0.1, alternative="greater")
    >>> round(result.statistic, 4), round(result.p, 4)
    (1.6667, 0.0478)

    See Also
    --------
    binomial_test, two_proportions_test, proportion_interval

    References
    ----------
    - Agresti, A. (2013). Categorical Data Analysis, third edition. Wiley.
    """
    who = "proportion_test"
    alpha, alternative = check_alpha(alpha, who), check_alternative(alternative, who)
    e, n, p0 = *counts(successes, n, who), _share(p0, who)
    if p0 in (0, 1):
        raise ParameterError(
            f"p0 must lie between 0 and 1, got {p0:g}. For the ends: binomial_test.", who=who
        )
    z = (e / n - p0) / np.sqrt(p0 * (1 - p0) / n)  # (1)
    low, high = proportion_interval(e, n, alpha=alpha, alternative=alternative)
    expected = n * min(p0, 1 - p0)
    why = "" if expected >= 10 else f"Only {expected:.3g} expected: rough. Exact: binomial_test."
    p = float(tail(z, np.inf, alternative))
    return TestResult("normal test of a share", float(z), p, None, alternative, alpha, e / n, low, high, why)


def two_proportions_test(
    first: int,
    n_first: int,
    second: int,
    n_second: int,
    *,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> TestResult:
    r"""Normal test whether two probabilities are equal, seen on two sets of rows that share none.

    .. math:: z = \frac{p_1 - p_2}{\sqrt{p(1-p)(1/n_1 + 1/n_2)}}, \qquad p = \frac{e_1 + e_2}{n_1 + n_2} \quad (1)

    The interval of the difference is Newcombe's: from the two Wilson intervals. For two learners on the same
    rows ``mcnemar`` is the right test, and sees more.

    Parameters
    ----------
    first, n_first, second, n_second : int
        Events and rows of either set.

    Examples
    --------
    >>> from assay.stats import two_proportions_test
    >>> result = two_proportions_test(30, 100, 15, 100)
    >>> round(result.statistic, 4), round(result.p, 4)
    (2.54, 0.0111)

    See Also
    --------
    proportion_test, mcnemar, cohen_h

    References
    ----------
    - Agresti, A. (2013). Categorical Data Analysis, third edition. Wiley.
    """
    who = "two_proportions_test"
    alpha, alternative = check_alpha(alpha, who), check_alternative(alternative, who)
    (e1, n1), (e2, n2) = counts(first, n_first, who), counts(second, n_second, who)
    p1, p2, p = e1 / n1, e2 / n2, (e1 + e2) / (n1 + n2)
    name, level = "normal test of two shares", alpha if alternative == "two-sided" else 2 * alpha
    if level >= 1:
        raise ParameterError(f"a one-sided alpha must be below 0.5, got {alpha:g}.", who=who)
    (l1, u1), (l2, u2) = wilson_interval(p1, n1, level), wilson_interval(p2, n2, level)
    low = -1.0 if alternative == "less" else p1 - p2 - float(np.hypot(p1 - l1, u2 - p2))
    high = 1.0 if alternative == "greater" else p1 - p2 + float(np.hypot(u1 - p1, p2 - l2))
    if p in (0, 1):
        why = "All rows are alike in both sets."
        return TestResult(name, 0.0, 1.0, None, alternative, alpha, 0.0, low, high, why)
    z = float((p1 - p2) / np.sqrt(p * (1 - p) * (1 / n1 + 1 / n2)))  # (1)
    return TestResult(
        name, z, float(tail(z, np.inf, alternative)), None, alternative, alpha, p1 - p2, low, high
    )


def log_binomial(k: Any, n: Any, p: float) -> Any:
    """Log of the binomial probability of k among n.

    >>> import numpy as np
    >>> from assay.stats.significance.binomial_test import log_binomial
    >>> np.exp(log_binomial(np.arange(3), 2, 0.5)).round(3)
    array([0.25, 0.5 , 0.25])
    """
    k = np.asarray(k, dtype=np.float64)
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlog1py(n - k, -p)


def counts(successes: Any, n: Any, who: str) -> tuple[int, int]:
    """Two whole numbers, 0 <= successes <= n and n from 1, or an error."""
    for name, value in (("successes", successes), ("n", n)):
        if not is_number(value) or value != int(value):
            raise ParameterError(f"{name} must be a whole number, got {value!r}.", who=who)
    if n < 1 or not 0 <= successes <= n:
        raise DataError(f"needs 0 <= successes <= n and n from 1, got {successes} of {n}.", who=who)
    return int(successes), int(n)


def _share(p0: Any, who: str) -> float:
    if not is_number(p0) or not 0 <= p0 <= 1:
        raise ParameterError(f"p0 must be a number from 0 to 1, got {p0!r}.", who=who)
    return float(p0)
