"""Wilcoxon's signed-rank test of paired values, exact with ties and zeros."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.errors import ParameterError
from assay.stats.distributions.tails import tail
from assay.stats.significance.differences import paired_differences
from assay.stats.significance.ranks import mid_ranks, tie_sum
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative, shown_confidence

__all__ = ["SignedRankTest", "sum_distribution", "wilcoxon_signed_rank"]

EXACT_UP_TO = 1000  # pairs; auto stops at 100, where the normal approximation is good enough
WALSH_UP_TO = 4000


@dataclass(frozen=True)
class SignedRankTest(TestResult):
    """A TestResult with what it was made of.

    Attributes
    ----------
    r_plus, r_minus : float
        Sums of the ranks of positive and negative differences.
    n : int
        Pairs that were ranked.
    z : float
        Of the normal approximation.
    """

    r_plus: float = np.nan
    r_minus: float = np.nan
    n: int = 0
    z: float = np.nan


def wilcoxon_signed_rank(
    first: Any,
    second: Any = None,
    *,
    zeros: str = "split",
    method: str = "auto",
    tie_correction: bool = False,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> SignedRankTest:
    r"""Test whether paired differences lie evenly around zero, by the ranks of their sizes.

    The absolute differences are ranked, ties share the mean of their ranks, and with the sums
    :math:`R^+, R^-` of the ranks on either side

    .. math:: T = \min(R^+, R^-), \qquad p = \min(1, 2 P(\text{sum} \le T))                    \quad (1)

    over all 2^N ways to give the ranks a sign, counted one rank after another. For many pairs

    .. math:: z = \frac{T - N(N+1)/4}{\sqrt{N(N+1)(2N+1)/24}}                                   \quad (2)

    The estimate is the Hodges-Lehmann median of all means of two differences, with the interval that
    belongs to the test. Differences that agree to ten digits count as ties: floating point must not rank.

    Parameters
    ----------
    first : (N,) values of the first learner; or differences, if second is None
    second : (N,) values of the second learner on the same data sets
    zeros : "split" (ranked; their ranks go half to either side) or "drop" (left out, N is reduced)
    method : "auto" (exact up to 100 pairs), "exact" or "normal"
    tie_correction : bool
        Whether the variance in (2) is reduced for ties, by the sum of (t^3 - t)/48 over their groups.
    alternative : "two-sided", "greater" (the first is larger) or "less"

    Returns
    -------
    SignedRankTest, with T as statistic

    Examples
    --------
    >>> from assay.stats import wilcoxon_signed_rank
    >>> result = wilcoxon_signed_rank([.02, -.01, .05, .03, .04, -.015, .06, .025, .07, .035])
    >>> result.statistic, result.p
    (3.0, 0.009765625)

    See Also
    --------
    sign_test, rank_sum, signed_rank_posterior, rank_biserial

    References
    ----------
    - Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80-83.
      doi:10.2307/3001968
    - Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. Journal of the American
      Statistical Association 54(287), 655-667.
    """
    who = "wilcoxon_signed_rank"
    alpha, alternative = check_alpha(alpha, who), check_alternative(alternative, who)
    if zeros not in ("split", "drop") or method not in ("auto", "exact", "normal"):
        raise ParameterError(
            f"zeros must be split or drop, method auto, exact or normal, got {zeros!r} and {method!r}.",
            who=who,
        )
    d = paired_differences(first, second, who)
    none = int((d == 0).sum())
    kept = d[d != 0] if zeros == "drop" else d
    n = len(kept)
    exact = method == "exact" or (method == "auto" and n <= 100)
    if method == "exact" and n > EXACT_UP_TO:
        raise ParameterError(
            f"exact goes up to {EXACT_UP_TO} pairs, there are {n}. Take method='normal'.", who=who
        )
    name = f"Wilcoxon's signed-rank test ({'exact' if exact else 'normal'})"
    if none == len(d):
        why = "All differences are zero."
        return SignedRankTest(
            name, 0.0, 1.0, None, alternative, alpha, 0.0, np.nan, np.nan, why, 0.0, 0.0, n, 0.0
        )
    ranks = mid_ranks(np.abs(kept)[None])[0]
    shared = ranks[kept == 0].sum() / 2
    plus, minus = (float(ranks[side].sum() + shared) for side in (kept > 0, kept < 0))
    variance = n * (n + 1) * (2 * n + 1) / 24
    if tie_correction:
        variance -= tie_sum(ranks[None]) / 48
    z = float((min(plus, minus) - n * (n + 1) / 4) / np.sqrt(variance))  # (2)
    p = _exact_p(ranks, plus, minus, alternative) if exact else _normal_p(z, plus, minus, alternative)
    estimate, low, high, why = _located(kept, alpha, alternative)
    if none and zeros == "drop":
        why = f"{none} of {len(d)} differences are zero and left out. {why}".strip()
    return SignedRankTest(
        name, min(plus, minus), p, None, alternative, alpha, estimate, low, high, why, plus, minus, n, z
    )


def sum_distribution(steps: np.ndarray) -> np.ndarray:
    """P(sum of a random half of whole numbers = 0, 1, ...), each taken with probability 1/2.

    >>> from assay.stats.significance.wilcoxon import sum_distribution
    >>> sum_distribution([1, 2]).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    steps = np.asarray(steps, dtype=np.int64)
    chance = np.zeros(int(steps.sum()) + 1)
    chance[0], reach = 1.0, 0
    for step in np.sort(steps).tolist():
        chance[step : reach + step + 1] += chance[: reach + 1].copy()
        reach += step
        chance[: reach + 1] *= 0.5
    return chance


def _exact_p(ranks: np.ndarray, plus: float, minus: float, alternative: str) -> float:
    below = np.cumsum(sum_distribution(np.rint(2 * ranks)))  # doubled, midranks are whole numbers

    def at_most(total: float) -> float:
        return float(below[round(2 * total)])

    sides = {"greater": at_most(minus), "less": at_most(plus)}
    return min(1.0, sides.get(alternative, 2 * at_most(min(plus, minus))))  # (1)


def _normal_p(z: float, plus: float, minus: float, alternative: str) -> float:
    upward = abs(z) if plus >= minus else -abs(z)
    return float(tail(upward, np.inf, alternative))


def _located(d: np.ndarray, alpha: float, alternative: str) -> tuple[float, float, float, str]:
    """The Hodges-Lehmann estimate, and the interval between two ordered means of pairs."""
    n = len(d)
    if n > WALSH_UP_TO:
        return float(np.median(d)), np.nan, np.nan, f"More than {WALSH_UP_TO} pairs: the median, no interval."
    means = np.concatenate([(d[i:] + d[i]) / 2 for i in range(n)])
    cut = _cut(n, alpha / 2 if alternative == "two-sided" else alpha)
    estimate, low, high = middle_and_ends(means, cut)
    if cut < 1:
        return estimate, np.nan, np.nan, f"Too few pairs ({n}) for an interval at {shown_confidence(alpha)}."
    return (
        estimate,
        -np.inf if alternative == "less" else low,
        np.inf if alternative == "greater" else high,
        "",
    )


def middle_and_ends(values: np.ndarray, cut: int) -> tuple[float, float, float]:
    """Median, and the values ``cut`` places from either end (the ends themselves below 1), without sorting all.

    >>> from assay.stats.significance.wilcoxon import middle_and_ends
    >>> middle_and_ends(np.array([5.0, 1, 4, 2, 3, 6]), 2)
    (3.5, 2.0, 5.0)
    """
    m, k = len(values), max(cut, 1)
    places = [k - 1, (m - 1) // 2, m // 2, m - k]
    low, left, right, high = np.partition(values, places)[places].tolist()
    return (left + right) / 2, low, high


@lru_cache(maxsize=64)
def _cut(n: int, beyond: float) -> int:
    """How many of the ordered means lie outside the interval on one side."""
    if n <= 100:
        return int(np.searchsorted(np.cumsum(sum_distribution(np.arange(1, n + 1))), beyond, side="right"))
    return int(n * (n + 1) / 4 + ndtri(beyond) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
