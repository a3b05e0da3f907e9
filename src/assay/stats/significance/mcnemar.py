"""McNemar's test: do two learners err equally often on the same test rows?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import is_whole
from assay.stats.distributions.tails import at_most
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative
from assay.types import Target

__all__ = ["discordant", "mcnemar"]

METHODS = ("auto", "exact", "mid-p", "corrected", "uncorrected")


def mcnemar(
    only_first: int,
    only_second: int,
    method: str = "auto",
    *,
    n: int | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> TestResult:
    r"""McNemar's test on the rows that exactly one of two learners gets wrong.

    .. math:: \chi^2 = (|e_{01} - e_{10}| - 1)^2 / (e_{01} + e_{10}), \qquad
              p_{exact} = \min(1, 2 P(X \le \min(e_{01}, e_{10}))),\ X \sim Bin(e_{01} + e_{10}, 1/2) \quad (1)

    The corrected statistic of equal counts is 0. The mid-p value takes half of the probability of what was
    seen off the exact one, which is a little too careful. The difference of the two error rates is

    .. math:: \hat\delta = (e_{01} - e_{10}) / n, \qquad
              \tilde\delta \pm z_{1-\alpha/2}\sqrt{(\tilde p_{01} + \tilde p_{10} - \tilde\delta^2)/(n + 2)}
                                                                                              \quad (2)

    with :math:`\tilde p = (e + 1)/(n + 2)` and :math:`\tilde\delta = \tilde p_{01} - \tilde p_{10}`
    (Bonett and Price 2012), which keeps its promise for few rows, too.

    Parameters
    ----------
    only_first, only_second : int
        Rows that only the first, only the second learner gets wrong; ``discordant`` counts them.
    method : "auto" (exact below 25 such rows, else corrected), "exact", "mid-p", "corrected" or "uncorrected"
    n : int, default None
        All test rows; without it there is no estimate and no interval.
    alternative : "two-sided", "greater" (the first errs more often) or "less"

    Examples
    --------
    >>> from assay.stats import mcnemar
    >>> result = mcnemar(15, 5, "corrected", n=200)
    >>> round(result.statistic, 4), round(result.p, 4)
    (4.05, 0.0442)
    >>> [round(v, 4) for v in (result.estimate, result.low, result.high)]
    [0.05, 0.0045, 0.0945]

    See Also
    --------
    discordant, cochran_q, discordant_odds

    References
    ----------
    - McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or
      percentages. Psychometrika 12, 153-157. doi:10.1007/BF02295996
    - Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification learning
      algorithms. Neural Computation 10(7), 1895-1923. doi:10.1162/089976698300017197
    """
    from scipy.special import ndtr

    if method not in METHODS:
        raise ParameterError(f"mcnemar: method must be one of {', '.join(METHODS)}, got {method!r}.")
    alpha, alternative = check_alpha(alpha, "mcnemar"), check_alternative(alternative, "mcnemar")
    e01, e10 = _count(only_first, "only_first"), _count(only_second, "only_second")
    split, gap = e01 + e10, e01 - e10
    estimate = _difference(e01, e10, n, alpha, alternative)
    if split == 0:
        why = "No row is wrong for exactly one of the two."
        return TestResult("McNemar's test", 0.0, 1.0, 1, alternative, alpha, *estimate, why, code="mcnemar")
    if method == "auto":
        method = "exact" if split < 25 else "corrected"
    statistic = (abs(gap) if method == "uncorrected" else max(abs(gap) - 1, 0)) ** 2 / split  # (1)
    side = 1 if alternative == "greater" else -1 if alternative == "less" else np.sign(gap) or 1
    fewer = e10 if side > 0 else e01
    if method in ("exact", "mid-p"):
        p = float(at_most(fewer, split, 0.5))
        if method == "mid-p":
            p = (p + float(at_most(fewer - 1, split, 0.5))) / 2
    else:
        p = float(ndtr(-side * np.sign(gap) * np.sqrt(statistic)))
    p = min(1.0, 2 * p) if alternative == "two-sided" else p
    words = {
        "exact": "exact",
        "mid-p": "mid-p",
        "corrected": "chi-square",
        "uncorrected": "chi-square, not corrected",
    }
    return TestResult(
        f"McNemar's test ({words[method]})",
        float(statistic),
        p,
        1,
        alternative,
        alpha,
        *estimate,
        code="mcnemar",
    )


def discordant(truth: Target, first: ArrayLike, second: ArrayLike) -> tuple[int, int, int]:
    """Rows that only the first, that only the second learner gets wrong, and all rows.

    >>> from assay.stats import discordant
    >>> discordant(["a", "b", "a", "b"], ["b", "b", "a", "b"], ["a", "a", "b", "b"])
    (1, 2, 4)

    See Also
    --------
    mcnemar, discordant_odds

    References
    ----------
    - McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or
      percentages. Psychometrika 12, 153-157. doi:10.1007/BF02295996
    """
    t, a, b = (np.asarray(v) for v in (truth, first, second))
    if t.ndim != 1 or not t.shape == a.shape == b.shape:
        raise DataError(
            f"discordant: truth and both answers must be of one length, got {t.shape}, {a.shape}, {b.shape}."
        )
    if len({v.dtype.kind in "US" for v in (t, a, b) if v.dtype != object}) > 1:
        raise DataError("discordant: truth and answers must be of one kind, got text and numbers.")
    wrong_first, wrong_second = a != t, b != t
    return int((wrong_first & ~wrong_second).sum()), int((wrong_second & ~wrong_first).sum()), len(t)


def _difference(
    e01: int, e10: int, n: int | None, alpha: float, alternative: str
) -> tuple[float, float, float]:
    from scipy.special import ndtri

    if n is None:
        return np.nan, np.nan, np.nan
    if _count(n, "n") < max(e01 + e10, 1):
        raise DataError(f"mcnemar: n must be at least the {e01 + e10} rows that differ, got {n}.")
    p01, p10 = (e01 + 1) / (n + 2), (e10 + 1) / (n + 2)
    z = float(ndtri(1 - alpha / (2 if alternative == "two-sided" else 1)))
    half = z * np.sqrt((p01 + p10 - (p01 - p10) ** 2) / (n + 2))  # (2)
    low = -1.0 if alternative == "less" else max(-1.0, p01 - p10 - half)
    high = 1.0 if alternative == "greater" else min(1.0, p01 - p10 + half)
    return (e01 - e10) / n, float(low), float(high)


def _count(value: Any, name: str) -> int:
    if not is_whole(value):
        raise ParameterError(f"mcnemar: {name} must be a whole number from 0, got {value!r}.")
    return int(value)
