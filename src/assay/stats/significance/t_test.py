"""Student's t test of a mean, of pairs, and of two samples (Welch's or pooled)."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import is_number
from assay.stats.distributions.tails import judge
from assay.stats.significance.differences import paired_differences
from assay.stats.significance.paired_t import paired_t
from assay.stats.significance.summary import Summary
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative

__all__ = ["t_test"]


def t_test(
    first: ArrayLike | Summary,
    second: ArrayLike | Summary | None = None,
    *,
    mean: float = 0.0,
    paired: bool = False,
    equal_variances: bool = False,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> TestResult:
    r"""Test the mean of one sample, of paired differences, or the difference of two samples.

    One sample, such as the error rates of K folds, against ``mean``; pairs alike, by their differences:

    .. math:: t = \sqrt K (m - \mu_0) / S \sim t_{K-1}                                            \quad (1)

    Two samples, by Welch, with variances of their own, or pooled (``equal_variances=True``):

    .. math:: t = \frac{m_1 - m_2 - \mu_0}{\sqrt{S_1^2/n_1 + S_2^2/n_2}}, \qquad
              df = \frac{(S_1^2/n_1 + S_2^2/n_2)^2}{\sum_j (S_j^2/n_j)^2 / (n_j - 1)}             \quad (2)

    .. math:: t = \frac{m_1 - m_2 - \mu_0}{S_p\sqrt{1/n_1 + 1/n_2}}, \qquad
              S_p^2 = \frac{\sum_j (n_j - 1) S_j^2}{n_1 + n_2 - 2}, \quad df = n_1 + n_2 - 2       \quad (3)

    Samples without any spread are judged by counting: a mean that all K values miss on the same side has
    p = 2 / 2^K; two constant samples that differ have p = 2 / C(n_1 + n_2, n_1), as a permutation test says.

    Parameters
    ----------
    first : (n,) numbers, or their Summary
    second : the same of a second sample, default None
    mean : float
        The mean, or difference of means, of the hypothesis.
    paired : bool
        Whether first and second belong together value by value.
    alternative : "two-sided", "greater" or "less"

    Returns
    -------
    TestResult, with the mean or the difference of means as estimate

    Examples
    --------
    >>> from assay.stats import t_test
    >>> errors = [.12, .15, .11, .14, .13, .16, .10, .12, .15, .12]
    >>> print(t_test(errors, mean=0.11, alternative="greater"))
    t test: statistic 3.2540 with 9 degrees of freedom, p = 0.005 (one-sided, greater): significant at 0.05.

    See Also
    --------
    paired_t, z_test, rank_sum, mean_interval

    References
    ----------
    - Student (1908). The probable error of a mean. Biometrika 6(1), 1-25. doi:10.1093/biomet/6.1.1
    - Welch, B. L. (1947). The generalization of Student's problem when several different population variances are
      involved. Biometrika 34(1-2), 28-35. doi:10.1093/biomet/34.1-2.28
    """
    alpha, alternative = check_alpha(alpha, "t_test"), check_alternative(alternative, "t_test")
    if not is_number(mean):
        raise ParameterError(f"t_test: mean must be finite, got {mean!r}.")
    if second is None:
        if paired:
            raise ParameterError("t_test: paired=True needs two samples, the second one is missing.")
        return _of_one(first, mean, alpha, alternative, "t test")
    if not paired:
        return _of_two(Summary.of(first, "t_test"), Summary.of(second, "t_test"), mean, equal_variances,
                       alpha, alternative)  # fmt: skip
    if isinstance(first, Summary) or isinstance(second, Summary):
        raise ParameterError(
            "t_test: pairs need their values; a summary does not know which belong together."
        )
    return _of_one(paired_differences(first, second, "t_test"), mean, alpha, alternative, "paired t test")


def _of_one(values: Any, mean: float, alpha: float, alternative: str, name: str) -> TestResult:
    s = Summary.of(values, "t_test")
    if s.n < 2:
        raise DataError("t_test: one value alone has no spread. Give at least 2 values, or use z_test.")
    gap = Summary(s.mean - mean, 0.0 if s.constant else s.sd, s.n)
    if s.constant and np.isclose(s.mean, mean, rtol=1e-12, atol=0):
        gap = Summary(0.0, 0.0, s.n)
    result = paired_t(gap, alpha=alpha, alternative=alternative)  # (1)
    if result.test == "paired t test":
        return replace(result, test=name, estimate=s.mean, low=result.low + mean, high=result.high + mean)
    why = result.why.replace("folds", "values").replace(
        "All differences are zero", "All values equal the mean"
    )
    return replace(result, test=name, estimate=s.mean, low=np.nan, high=np.nan, why=why)


def _of_two(a: Summary, b: Summary, mean: float, equal: bool, alpha: float, alternative: str) -> TestResult:
    if min(a.n, b.n) < (1 if equal else 2) or a.n + b.n < 3:
        raise DataError(f"t_test: needs at least 2 values in each sample, got {a.n} and {b.n}.")
    gap, name = a.mean - b.mean, "two-sample t test" if equal else "Welch's t test"
    if (a.n == 1 or a.constant) and (b.n == 1 or b.constant):
        return _two_constants(a, b, gap, mean, alpha, alternative, name)
    va, vb = (0.0 if s.n == 1 else s.sd**2 for s in (a, b))
    if equal:
        df = float(a.n + b.n - 2)
        pooled = ((a.n - 1) * va + (b.n - 1) * vb) / df
        error = np.sqrt(pooled * (1 / a.n + 1 / b.n))  # (3)
    else:
        square = va / a.n + vb / b.n
        error = np.sqrt(square)
        share = va / a.n / square
        df = 1 / (share**2 / (a.n - 1) + (1 - share) ** 2 / (b.n - 1))  # (2)
    t, p, low, high = (float(v) for v in judge(gap, error, df, alpha, alternative, mean))
    return TestResult(name, t, p, float(df), alternative, alpha, gap, low, high)


def _two_constants(
    a: Summary, b: Summary, gap: float, mean: float, alpha: float, alternative: str, name: str
) -> TestResult:
    df = float(a.n + b.n - 2)
    if np.isclose(gap, mean, rtol=1e-12, atol=1e-15):
        return TestResult(name, 0.0, 1.0, df, alternative, alpha, gap, why="Neither sample varies.")
    away, p = np.copysign(np.inf, gap - mean), 1 / comb(a.n + b.n, a.n)
    if alternative == "two-sided":
        p = min(1.0, 2 * p)
    elif (away > 0) != (alternative == "greater"):
        p = 1.0
    why = "Neither sample varies; p is that of all ways to deal the values into two samples."
    return TestResult(name, away, p, df, alternative, alpha, gap, why=why)
