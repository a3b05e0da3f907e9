"""The rank-sum test of Wilcoxon, Mann and Whitney: two samples that are not paired."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError
from assay.stats.distributions.tails import tail
from assay.stats.significance.ranks import mid_ranks, tie_sum
from assay.stats.significance.summary import sample
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative, shown_confidence
from assay.stats.significance.wilcoxon import middle_and_ends

__all__ = ["rank_sum"]

EXACT_UP_TO = 60  # values in both samples together; auto counts exactly so far


def rank_sum(
    first: ArrayLike,
    second: ArrayLike,
    *,
    method: str = "auto",
    continuity: bool = True,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> TestResult:
    r"""Test whether values of one sample tend to be larger than those of another.

    .. math:: U = \#\{x_i > y_j\} + \tfrac12\#\{x_i = y_j\}                                      \quad (1)

    Exact: over all ways to deal the pooled (mid)ranks into two samples of these sizes. Normal: with mean
    :math:`n_1n_2/2` and, reduced for ties of sizes t,

    .. math:: \sigma^2 = \frac{n_1n_2}{12}\left(N + 1 - \frac{\sum(t^3 - t)}{N(N-1)}\right)      \quad (2)

    The estimate is the Hodges-Lehmann shift, the median of all differences between the samples, with the
    interval that belongs to the test. Learners measured on the same splits are paired: use
    ``wilcoxon_signed_rank``.

    Parameters
    ----------
    first, second : (n1,) and (n2,) numbers
    method : "auto" (exact up to 60 values together), "exact" or "normal"
    continuity : bool
        Whether the normal approximation moves U by 1/2 towards its mean.
    alternative : "two-sided", "greater" (the first is larger) or "less"

    Returns
    -------
    TestResult, with U as statistic

    Examples
    --------
    >>> from assay.stats import rank_sum
    >>> result = rank_sum([5, 6, 7, 8], [1, 2, 3, 4])
    >>> result.statistic, round(result.p, 6), result.estimate      # 2 of 70 ways to deal them
    (16.0, 0.028571, 4.0)

    See Also
    --------
    wilcoxon_signed_rank, kruskal_wallis, cliff_delta

    References
    ----------
    - Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80-83.
      doi:10.2307/3001968
    - Mann, H. B. and Whitney, D. R. (1947). On a test of whether one of two random variables is stochastically
      larger than the other. Annals of Mathematical Statistics 18(1), 50-60. doi:10.1214/aoms/1177730491
    """
    alpha, alternative = check_alpha(alpha, "rank_sum"), check_alternative(alternative, "rank_sum")
    if method not in ("auto", "exact", "normal"):
        raise ParameterError(f"rank_sum: method must be auto, exact or normal, got {method!r}.")
    a, b = sample(first, "rank_sum", 1), sample(second, "rank_sum", 1)
    pooled = np.concatenate([a, b])
    n1, n2, n = len(a), len(b), len(pooled)
    exact = method == "exact" or (method == "auto" and n <= EXACT_UP_TO)
    if method == "exact" and n > 200:
        raise ParameterError(f"rank_sum: exact goes up to 200 values, there are {n}. Take method='normal'.")
    ranks = mid_ranks(pooled[None])[0]
    U = float(ranks[:n1].sum() - n1 * (n1 + 1) / 2)  # (1)
    name = f"rank-sum test ({'exact' if exact else 'normal'})"
    estimate, low, high, why = _shift(pooled[:n1], pooled[n1:], alpha, alternative)
    if (ranks == ranks[0]).all():
        return TestResult(name, U, 1.0, None, alternative, alpha, 0.0, low, high, "All values are equal.")
    p = (
        _exact_p(ranks, n1, alternative)
        if exact
        else _normal_p(U, n1, n2, tie_sum(ranks[None]), continuity, alternative)
    )
    return TestResult(name, U, p, None, alternative, alpha, estimate, low, high, why)


def _exact_p(ranks: np.ndarray, n1: int, alternative: str) -> float:
    """Tails of the sum of n1 ranks drawn without replacement; doubled, if ties make halves of them."""
    untied = len(np.unique(ranks)) == len(ranks)
    if untied:  # the distribution is symmetric, so the upper tail is a lower one and keeps its digits
        below, observed = _untied(n1, len(ranks) - n1), round(ranks[:n1].sum() - n1 * (n1 + 1) / 2)
        fewer, more = below[observed], below[len(below) - 1 - observed]
    else:
        steps = np.rint(2 * ranks).astype(np.int64)
        chance, observed = _draws(steps, n1), int(steps[:n1].sum())
        fewer, more = chance[: observed + 1].sum(), chance[observed:].sum()
    sides = {"greater": more, "less": fewer}
    return float(min(1.0, max(0.0, sides.get(alternative, 2 * min(fewer, more)))))


@lru_cache(maxsize=64)
def _untied(n1: int, n2: int) -> np.ndarray:
    """P(U <= 0, 1, ..., n1 n2) without ties."""
    few = min(n1, n2)  # U has the same distribution whichever sample is counted
    return np.cumsum(_draws(np.arange(1, n1 + n2 + 1), few)[few * (few + 1) // 2 :])


def _draws(steps: np.ndarray, n1: int) -> np.ndarray:
    """P(sum = 0, 1, ...) of n1 of the steps; one step joins after another, with counts scaled to stay small."""
    size = int(np.sort(steps)[-n1:].sum()) + 1
    ways = np.zeros((n1 + 1, size))
    ways[0, 0] = 1.0
    for step in steps.tolist():
        ways[1:, step:] += ways[:-1, : size - step].copy()
        ways /= 2.0
    return ways[n1] / ways[n1].sum()


def _normal_p(U: float, n1: int, n2: int, ties: float, continuity: bool, alternative: str) -> float:
    n = n1 + n2
    spread = np.sqrt(n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1))))  # (2)
    gap = U - n1 * n2 / 2
    if continuity and alternative == "two-sided":
        gap = np.sign(gap) * max(abs(gap) - 0.5, 0)
    elif continuity:
        gap += 0.5 if alternative == "less" else -0.5
    return float(tail(gap / spread, np.inf, alternative))


def _shift(a: np.ndarray, b: np.ndarray, alpha: float, alternative: str) -> tuple[float, float, float, str]:
    n1, n2 = len(a), len(b)
    if n1 * n2 > 4_000_000:
        return float(np.median(a) - np.median(b)), np.nan, np.nan, "The difference of medians, no interval."
    gaps = np.subtract.outer(a, b).ravel()
    beyond = alpha / 2 if alternative == "two-sided" else alpha
    if n1 + n2 <= EXACT_UP_TO:
        cut = int(np.searchsorted(_untied(n1, n2), beyond, side="right"))
    else:
        from scipy.special import ndtri

        cut = int(n1 * n2 / 2 + ndtri(beyond) * np.sqrt(n1 * n2 * (n1 + n2 + 1) / 12))
    estimate, low, high = middle_and_ends(gaps, cut)
    if cut < 1:
        return estimate, np.nan, np.nan, f"Too few values for an interval at {shown_confidence(alpha)}."
    return (
        estimate,
        -np.inf if alternative == "less" else low,
        np.inf if alternative == "greater" else high,
        "",
    )
