"""Result of a statistical test: its numbers, the decision, and a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.sentence import Sentence

__all__ = ["TestResult", "check_alpha", "check_alternative", "shown_confidence", "shown_p"]


@dataclass(frozen=True)
class TestResult(Sentence):
    """One test of one hypothesis.

    Parameters
    ----------
    test : str
        Which test it is, in words, such as "McNemar's test (exact)".
    statistic : float
    p : float
        Never NaN without a sentence in ``why``.
    df : float, a pair of them, or None for a test without degrees of freedom
    alternative : "two-sided", "greater" or "less"
    alpha : float
        The level at which ``rejected`` decides.
    estimate, low, high : float
        What is estimated (a mean, a difference) and its interval at 1 - alpha; NaN where there is none.
    why : str
        What is unusual about this result (no spread, ties, too few rows), or "".
    code : str
        Which test it is, for programs: the name of its function, such as "mcnemar"; "none" if nothing was tested; ""
        where no program asks.

    Examples
    --------
    >>> from assay.stats.significance.test_result import TestResult
    >>> result = TestResult("paired t test", statistic=4.4721, p=0.00155, df=9, estimate=0.02)
    >>> result.rejected
    True
    >>> print(result)
    paired t test: statistic 4.4721 with 9 degrees of freedom, p = 0.002: significant at 0.05.
    """

    __test__ = False  # not a class of tests, whatever its name suggests to a test runner

    test: str
    statistic: float
    p: float
    df: float | tuple[float, float] | None = None
    alternative: str = "two-sided"
    alpha: float = 0.05
    estimate: float = np.nan
    low: float = np.nan
    high: float = np.nan
    why: str = ""
    code: str = field(default="", kw_only=True)

    @property
    def rejected(self) -> bool:
        """Whether the hypothesis of no difference is rejected at level alpha."""
        return bool(self.p <= self.alpha)

    def __str__(self) -> str:
        if np.isnan(self.p):
            return f"{self.test}: no decision: {self.why}"
        df = ""
        if self.df is not None:
            shown = [f"{v:g}" for v in np.atleast_1d(self.df)]
            df = f" with {' and '.join(shown)} degree{'' if shown == ['1'] else 's'} of freedom"
        side = "" if self.alternative == "two-sided" else f" (one-sided, {self.alternative})"
        verdict = "significant" if self.rejected else "not significant"
        why = f" {self.why}" if self.why else ""
        return (
            f"{self.test}: statistic {self.statistic:.4f}{df}, {shown_p(self.p)}{side}: "
            f"{verdict} at {self.alpha:g}.{why}"
        )


def shown_p(p: float) -> str:
    """A p-value as people write it.

    >>> from assay.stats.significance.test_result import shown_p
    >>> shown_p(0.0131), shown_p(0.00002)
    ('p = 0.013', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def shown_confidence(alpha: float) -> str:
    """The confidence of an interval at level alpha, with all its digits.

    >>> from assay.stats.significance.test_result import shown_confidence
    >>> shown_confidence(0.05), shown_confidence(0.005)
    ('95%', '99.5%')
    """
    return f"{100 * (1 - alpha):.10g}%"


def check_alternative(alternative: Any, who: str) -> str:
    """The side of a test, or an error that names the three.

    >>> from assay.stats.significance.test_result import check_alternative
    >>> check_alternative("less", "sign_test")
    'less'
    """
    if alternative not in ("two-sided", "greater", "less"):
        raise ParameterError(f"alternative must be two-sided, greater or less, got {alternative!r}.", who=who)
    return str(alternative)


def check_alpha(alpha: Any, who: str) -> float:
    """A level strictly between 0 and 1.

    >>> from assay.stats.significance.test_result import check_alpha
    >>> check_alpha(0.05, "sign_test")
    0.05
    """
    if (
        isinstance(alpha, bool)
        or np.ndim(alpha) != 0
        or not np.issubdtype(np.asarray(alpha).dtype, np.number)
    ):
        raise ParameterError(f"alpha must be a number above 0 and below 1, got {alpha!r}.", who=who)
    if not 0 < float(alpha) < 1:
        raise ParameterError(f"alpha must be a number above 0 and below 1, got {alpha!r}.", who=who)
    return float(alpha)
