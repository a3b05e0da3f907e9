"""Showing that two learners are equal: two one-sided tests against a difference that would matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError
from assay.stats.checks import is_number
from assay.stats.significance.differences import paired_differences
from assay.stats.significance.paired_t import paired_t
from assay.stats.significance.summary import Summary
from assay.stats.significance.t_test import t_test
from assay.stats.significance.test_result import TestResult, check_alpha, shown_confidence, shown_p

__all__ = ["Equivalence", "equivalence_test"]


@dataclass(frozen=True)
class Equivalence(TestResult):
    """A TestResult that is rejected when the two are shown to be practically equal; and both sides of it.

    Attributes
    ----------
    rope : (low, high)
        Differences in between do not matter.
    different : bool
        Whether the ordinary test finds a difference, at the same level.
    difference_p : float
        The p of that test.
    """

    rope: tuple[float, float] = (np.nan, np.nan)
    different: bool = False
    difference_p: float = np.nan

    @property
    def conclusion(self) -> str:
        """ "equal", "different but negligible", "different" or "undecided"."""
        if self.rejected:
            return "different but negligible" if self.different else "equal"
        return "different" if self.different else "undecided"

    def __str__(self) -> str:
        verdict = {
            "equal": "shown to be practically equal",
            "different but negligible": "different, but by less than matters",
            "different": "different, perhaps by enough to matter",
            "undecided": "neither shown to differ nor shown to be equal; more data are needed",
        }[self.conclusion]
        why = f" {self.why}" if self.why else ""
        sure = shown_confidence(2 * self.alpha)
        return (
            f"{self.test}: difference {self.estimate:.4g}, {sure} interval {self.low:.4g} to {self.high:.4g}, "
            f"region {self.rope[0]:g} to {self.rope[1]:g}; for equality {shown_p(self.p)}, "
            f"for a difference {shown_p(self.difference_p)}: {verdict}.{why}"
        )


def equivalence_test(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    rope: float | tuple[float, float] = 0.01,
    ratio: float = 0.0,
    paired: bool = True,
    alpha: float = 0.05,
) -> Equivalence:
    r"""Test the hypothesis that two learners differ by at least what matters (TOST, Schuirmann 1987).

    .. math:: p = \max\{P(T \ge t_-),\ P(T \le t_+)\}, \qquad
              t_\mp = \frac{\bar d - \text{rope}_\mp}{se}                                       \quad (1)

    A small p shows equality, which no large p of an ordinary test does. It is small exactly if the interval
    at 1 - 2 alpha lies within the region.

    Parameters
    ----------
    first : (J,) values of the first learner on J splits; or differences, if second is None; or a Summary
    second : values of the second learner
    rope : float, or (low, high)
        The largest difference that does not matter, either way.
    ratio : float
        Test rows per training row, for splits that share rows; see ``paired_t``.
    paired : bool
        False: two samples that do not belong together, by Welch's t test.

    Returns
    -------
    Equivalence, with the interval at 1 - 2 alpha; ``conclusion`` puts both questions together

    Examples
    --------
    >>> from assay.stats import equivalence_test
    >>> d = [.001, -.002, .000, .003, -.001, .002, .001, -.001, .000, .002]
    >>> result = equivalence_test(d, rope=0.01, ratio=1 / 9)
    >>> result.conclusion, result.p < 0.001
    ('equal', True)

    See Also
    --------
    paired_t, t_test, correlated_t

    References
    ----------
    - Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach for
      assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics 15,
      657-680. doi:10.1007/BF01068419
    """
    who = "equivalence_test"
    alpha = check_alpha(alpha, who)
    low, high = _region(rope, who)
    if alpha >= 0.5:
        raise ParameterError(
            f"alpha must be below 0.5, got {alpha:g}: the interval has 1 - 2 alpha.", who=who
        )
    if not paired and (second is None or ratio):
        raise ParameterError("paired=False needs two samples and no ratio.", who=who)
    if paired and second is not None:
        if isinstance(first, Summary) or isinstance(second, Summary):
            raise ParameterError("pairs need their values; give the Summary of the differences.", who=who)
        first = paired_differences(first, second, who, least=2)
    summary = Summary.of(first, who)

    def against(mean: float, level: float, alternative: str) -> TestResult:
        if not paired:
            return t_test(first, second, mean=mean, alpha=level, alternative=alternative)
        shifted = Summary(summary.mean - mean, 0.0 if summary.constant else summary.sd, summary.n)
        return paired_t(shifted, ratio, alpha=level, alternative=alternative)

    above, below = against(low, alpha, "greater"), against(high, alpha, "less")
    p = max(above.p, below.p)  # (1)
    wide, plain = against(0.0, 2 * alpha, "two-sided"), against(0.0, alpha, "two-sided")
    bounds = (wide.low, wide.high) if np.isfinite(wide.low) else (plain.estimate, plain.estimate)
    return Equivalence(
        "equivalence test", above.statistic if p == above.p else below.statistic, p, plain.df, "two-sided",
        alpha, plain.estimate, *bounds, plain.why, (low, high), plain.rejected, plain.p,
    )  # fmt: skip


def _region(rope: Any, who: str) -> tuple[float, float]:
    ends = (-rope, rope) if is_number(rope) else tuple(rope) if np.ndim(rope) == 1 else ()
    if len(ends) != 2 or not all(is_number(v) for v in ends) or not ends[0] < ends[1]:
        raise ParameterError(
            f"rope must be a number above 0 or two ends, low below high, got {rope!r}.", who=who
        )
    return float(ends[0]), float(ends[1])
