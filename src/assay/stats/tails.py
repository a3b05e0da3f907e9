"""What tests and intervals share: tails and quantiles of the normal and Student's distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

__all__ = ["Tested", "tail", "tested"]

Tested = tuple[Any, Any, Any, Any]


def tail(statistic: Any, df: Any, alternative: str) -> Any:
    """p of a statistic that follows Student's t with df degrees of freedom; df = inf is the normal.

    >>> from assay.stats.tails import tail
    >>> round(float(tail(1.0, float("inf"), "two-sided")), 6)
    0.317311
    """
    if alternative == "greater":
        return stdtr(df, -np.asarray(statistic, np.float64))
    if alternative == "less":
        return stdtr(df, np.asarray(statistic, np.float64))
    return 2 * stdtr(df, -np.abs(statistic))


def tested(gap: Any, error: Any, df: Any, alpha: float, alternative: str, null: float = 0.0) -> Tested:
    r"""Statistic, p, and the interval of an estimate whose standard error is known or estimated.

    .. math:: t = (\hat\theta - \theta_0) / se, \qquad \hat\theta \pm t_{1-\alpha/2,\,df}\, se

    A one-sided test has a one-sided interval: "greater" bounds the estimate from below only.

    Parameters
    ----------
    gap, error : estimates and their standard errors, above zero; numbers or arrays
    df : degrees of freedom; inf for the normal
    null : the value of the hypothesis

    >>> from assay.stats.tails import tested
    >>> [round(float(v), 4) for v in tested(5.2, 0.2, float("inf"), 0.05, "two-sided", null=5)]
    [1.0, 0.3173, 4.808, 5.592]
    """
    statistic = (gap - null) / error
    p = tail(statistic, df, alternative)
    half = stdtrit(df, 1 - alpha / (2 if alternative == "two-sided" else 1)) * error
    low = np.full_like(gap, -np.inf, dtype=np.float64) if alternative == "less" else gap - half
    high = np.full_like(gap, np.inf, dtype=np.float64) if alternative == "greater" else gap + half
    return statistic, p, low, high
