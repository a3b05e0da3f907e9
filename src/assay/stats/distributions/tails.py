"""What tests and intervals share: tails of the normal, of Student's and of the binomial distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammaincc, nctdtr, ndtr, stdtr, stdtrit

__all__ = ["Judged", "at_least", "at_most", "judge", "noncentral_t", "tail"]

Judged = tuple[Any, Any, Any, Any]


def tail(statistic: Any, df: Any, alternative: str) -> Any:
    """p of a statistic that follows Student's t with df degrees of freedom; df = inf is the normal.

    >>> from assay.stats.distributions.tails import tail
    >>> round(float(tail(1.0, float("inf"), "two-sided")), 6)
    0.317311
    """
    if alternative == "greater":
        return stdtr(df, -np.asarray(statistic, np.float64))
    if alternative == "less":
        return stdtr(df, np.asarray(statistic, np.float64))
    return 2 * stdtr(df, -np.abs(statistic))


def judge(gap: Any, error: Any, df: Any, alpha: float, alternative: str, null: float = 0.0) -> Judged:
    r"""Statistic, p, and the interval of an estimate whose standard error is known or estimated.

    .. math:: t = (\hat\theta - \theta_0) / se, \qquad \hat\theta \pm t_{1-\alpha/2,\,df}\, se

    A one-sided test has a one-sided interval: "greater" bounds the estimate from below only.

    Parameters
    ----------
    gap, error : estimates and their standard errors, above zero; numbers or arrays
    df : degrees of freedom; inf for the normal
    null : the value of the hypothesis

    >>> from assay.stats.distributions.tails import judge
    >>> [round(float(v), 4) for v in judge(5.2, 0.2, float("inf"), 0.05, "two-sided", null=5)]
    [1.0, 0.3173, 4.808, 5.592]
    """
    statistic = (gap - null) / error
    p = tail(statistic, df, alternative)
    half = stdtrit(df, 1 - alpha / (2 if alternative == "two-sided" else 1)) * error
    low = np.full_like(gap, -np.inf, dtype=np.float64) if alternative == "less" else gap - half
    high = np.full_like(gap, np.inf, dtype=np.float64) if alternative == "greater" else gap + half
    return statistic, p, low, high


def at_most(k: Any, n: ArrayLike, p: float) -> Any:
    r"""P(X <= k) of the binomial distribution, also for n beyond what SciPy's ``bdtr`` can count to.

    .. math:: P(X \le k) = I_{1-p}(n - k,\ k + 1)

    >>> from assay.stats.distributions.tails import at_most
    >>> float(at_most(1, 2, 0.5)), float(at_most(-1, 2, 0.5)), float(at_most(2, 2, 0.5))
    (0.75, 0.0, 1.0)
    """
    k, n = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = betainc(np.maximum(n - k, 1), np.maximum(k, 0) + 1, 1 - p)
    return np.where(k < 0, 0.0, np.where(k >= n, 1.0, inside))


def at_least(k: Any, n: ArrayLike, p: float) -> Any:
    """P(X >= k) of the binomial distribution.

    >>> from assay.stats.distributions.tails import at_least
    >>> float(at_least(1, 2, 0.5)), float(at_least(0, 2, 0.5)), float(at_least(3, 2, 0.5))
    (0.75, 1.0, 0.0)
    """
    k, n = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = betainc(np.maximum(k, 1), np.maximum(n - k, 0) + 1, p)
    return np.where(k <= 0, 1.0, np.where(k > n, 0.0, inside))


def noncentral_t(t: float, df: float, shift: float) -> float:
    """P(T <= t) of the noncentral t distribution; far out, where SciPy gives up, what it tends to.

    There the shift exceeds the normal's own spread by far, so that T is the shift over the deviation s, whose
    square is a chi-squared over df; or normal, if df is so large that s hardly varies.

    >>> from assay.stats.distributions.tails import noncentral_t
    >>> round(noncentral_t(2.0, 9, 1.5), 4), round(noncentral_t(-2.0, 9, -1.5), 4)
    (0.6559, 0.3441)
    """
    if shift < 0:
        return 1 - noncentral_t(-t, df, -shift)
    p = float(nctdtr(df, shift, t))
    if np.isnan(p):
        if t > 10 * np.sqrt(2 * df):
            p = float(gammaincc(df / 2, df / 2 * (shift / t) ** 2))
        else:
            p = float(ndtr((t * (1 - 1 / (4 * df)) - shift) / np.sqrt(1 + t * t / (2 * df))))
    return min(1.0, max(0.0, p))
