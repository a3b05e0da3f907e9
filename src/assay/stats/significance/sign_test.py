"""The sign test: does one learner win more often than the other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import is_whole
from assay.stats.distributions.tails import at_least, at_most, tail
from assay.stats.intervals.proportion_interval import proportion_interval
from assay.stats.significance.differences import paired_differences
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative

__all__ = ["SignTest", "Wins", "sign_test"]


class Wins(NamedTuple):
    """How often the first was the larger one, the second was, and neither."""

    wins: int
    losses: int
    ties: int = 0


@dataclass(frozen=True)
class SignTest(TestResult):
    """A TestResult with the counts it was made of: ``wins``, ``losses`` and ``ties`` as seen."""

    wins: int = 0
    losses: int = 0
    ties: int = 0


def sign_test(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    ties: str = "drop",
    method: str = "exact",
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> SignTest:
    r"""Test whether the first of two learners wins on half of the data sets.

    With w wins among N,

    .. math:: p = \min(1, 2 P(X \ge \max(w, N - w))),\ X \sim Bin(N, \tfrac12), \qquad
              z = \frac{w - N/2}{\sqrt{N/4}}                                                    \quad (1)

    It ignores the size of the differences, and so has less power than ``wilcoxon_signed_rank``.

    Parameters
    ----------
    first : (N,) values of the first learner; or differences, if second is None; or Wins(wins, losses, ties)
    second : (N,) values of the second learner on the same data sets
    ties : "drop", or "split": half to either side, an odd one is dropped
    method : "exact", "normal" or "corrected" (normal, with continuity correction)
    alternative : "two-sided", "greater" (the first is larger more often) or "less"

    Returns
    -------
    SignTest; the statistic is w or z, the estimate the share of wins with Clopper and Pearson's interval

    Examples
    --------
    >>> from assay.stats import Wins, sign_test
    >>> result = sign_test(Wins(12, 3))
    >>> round(result.p, 8), round(result.estimate, 2)
    (0.03515625, 0.8)

    See Also
    --------
    wilcoxon_signed_rank, binomial_test

    References
    ----------
    - Dixon, W. J. and Mood, A. M. (1946). The statistical sign test. Journal of the American Statistical
      Association 41(236), 557-566.
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    """
    alpha, alternative = check_alpha(alpha, "sign_test"), check_alternative(alternative, "sign_test")
    if ties not in ("drop", "split") or method not in ("exact", "normal", "corrected"):
        raise ParameterError(
            "sign_test: ties must be drop or split, method exact, normal or corrected, "
            f"got {ties!r} and {method!r}."
        )
    counts = _counted(first, second)
    share = counts.ties // 2 if ties == "split" else 0
    w, n = counts.wins + share, counts.wins + counts.losses + 2 * share
    name = {"exact": "sign test", "normal": "sign test (normal)"}.get(method, "sign test (normal, corrected)")
    if n == 0:
        why = "Every pair is tied, so there is no evidence for either."
        return SignTest(name, 0.0, 1.0, None, alternative, alpha, 0.5, 0.0, 1.0, why, *counts)
    left_out = counts.ties - 2 * share
    why = (
        f"{left_out} of {sum(counts)} pairs {'is' if left_out == 1 else 'are'} tied and left out."
        if left_out
        else ""
    )
    low, high = proportion_interval(w, n, method="clopper-pearson", alpha=alpha, alternative=alternative)
    statistic, p = _judged(w, n, method, alternative)
    return SignTest(name, statistic, p, None, alternative, alpha, w / n, low, high, why, *counts)


def _judged(w: int, n: int, method: str, alternative: str) -> tuple[float, float]:
    if method == "exact":
        more, fewer = float(at_least(w, n, 0.5)), float(at_most(w, n, 0.5))
        sides = {"greater": more, "less": fewer}
        return float(w), sides.get(alternative, min(1.0, 2 * min(more, fewer)))
    gap = w - n / 2
    if method == "corrected":  # by half a win, away from what would be rejected
        if alternative == "two-sided":
            gap = float(np.sign(gap)) * max(abs(gap) - 0.5, 0.0)
        else:
            gap += -0.5 if alternative == "greater" else 0.5
    z = float(gap / np.sqrt(n / 4))  # (1)
    return z, float(tail(z, np.inf, alternative))


def _counted(first: Any, second: Any) -> Wins:
    if not isinstance(first, Wins):
        d = paired_differences(first, second, "sign_test")
        return Wins(int((d > 0).sum()), int((d < 0).sum()), int((d == 0).sum()))
    if second is not None or not all(is_whole(v) for v in first) or not any(first):
        raise DataError(
            f"sign_test: Wins must be whole numbers from 0, not all 0, and come alone, got {first}."
        )
    return Wins(*(int(v) for v in first))
