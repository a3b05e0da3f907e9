"""Two learners by five replications of two-fold cross-validation: Dietterich's t and Alpaydin's F."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.stats.checks import as_matrix
from assay.stats.distributions.tails import tail
from assay.stats.significance.summary import squarable
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative

__all__ = ["five_by_two_f", "five_by_two_t"]


def five_by_two_t(
    differences: ArrayLike, *, alpha: float = 0.05, alternative: str = "two-sided"
) -> TestResult:
    r"""The 5 x 2 cv paired t test: one difference over the spread within five replications.

    With the difference :math:`p_i^{(j)}` of the error rates on fold j of replication i,

    .. math:: \bar p_i = \tfrac12 (p_i^{(1)} + p_i^{(2)}), \qquad
              s_i^2 = (p_i^{(1)} - \bar p_i)^2 + (p_i^{(2)} - \bar p_i)^2, \qquad
              t = p_1^{(1)} \Big/ \sqrt{\tfrac15 \sum_i s_i^2}                                  \quad (1)

    follows, if the learners err equally often, roughly Student's t with 5 degrees of freedom (Dietterich
    1998). Its numerator is one of ten that would do as well: ``five_by_two_f`` uses all of them.

    Parameters
    ----------
    differences : (5, 2) first learner minus second

    Returns
    -------
    TestResult, with the mean of the ten differences as estimate. Differences that never vary within a
    replication give an infinite statistic and p = 0, or 0 and p = 1 if they point nowhere; ``why`` says so.

    Examples
    --------
    >>> from assay.stats import five_by_two_t
    >>> result = five_by_two_t([[.03, .01], [.02, .04], [.05, .03], [.01, .02], [.04, .02]])
    >>> round(result.statistic, 4), round(result.p, 4)
    (2.3009, 0.0697)

    See Also
    --------
    five_by_two_f, paired_t

    References
    ----------
    - Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification learning
      algorithms. Neural Computation 10(7), 1895-1923. doi:10.1162/089976698300017197
    """
    alpha, alternative = check_alpha(alpha, "five_by_two_t"), check_alternative(alternative, "five_by_two_t")
    p, spread = _spread(differences, "five_by_two_t")
    name, mean = "5 x 2 cv paired t test", float(p.mean())
    if spread == 0:
        sign = float(np.sign(p.sum() if abs(p.sum()) > 1e-12 * np.abs(p).sum() else p[0, 0]))
        statistic = np.copysign(np.inf, sign) if sign else 0.0  # 0 also if gains and losses cancel out
        chance = float(tail(statistic, 5, alternative)) if sign else 1.0
        return TestResult(name, statistic, chance, 5, alternative, alpha, mean, why=_why(p))
    statistic = float(p[0, 0] / np.sqrt(spread / 5))  # (1)
    return TestResult(name, statistic, float(tail(statistic, 5, alternative)), 5, alternative, alpha, mean)


def five_by_two_f(differences: ArrayLike, *, alpha: float = 0.05) -> TestResult:
    r"""The combined 5 x 2 cv F test: all ten differences over the spread within five replications.

    With :math:`p_i^{(j)}` and :math:`s_i^2` as in ``five_by_two_t``,

    .. math:: F = \frac{\sum_i\sum_j (p_i^{(j)})^2}{2 \sum_i s_i^2}                             \quad (1)

    follows, if the learners err equally often, roughly an F distribution with 10 and 5 degrees of freedom
    (Alpaydin 1999). It is two-sided, and does not depend on the order of folds and replications.

    Parameters
    ----------
    differences : (5, 2) first learner minus second

    Returns
    -------
    TestResult, with the mean of the ten differences as estimate. Differences that never vary within a
    replication give an infinite statistic and p = 0, or 0 and p = 1 if they are all zero; ``why`` says so.

    Examples
    --------
    >>> from assay.stats import five_by_two_f
    >>> result = five_by_two_f([[0.1, 0.3]] * 5)          # sum of squares 0.5, spread 0.1
    >>> round(result.statistic, 12), round(result.p, 4)
    (2.5, 0.1618)

    See Also
    --------
    five_by_two_t, paired_t

    References
    ----------
    - Alpaydin, E. (1999). Combined 5 x 2 cv F test for comparing supervised classification learning algorithms.
      Neural Computation 11(8), 1885-1892. doi:10.1162/089976699300016007
    """
    from scipy.special import fdtrc

    alpha = check_alpha(alpha, "five_by_two_f")
    p, spread = _spread(differences, "five_by_two_f")
    name, mean = "combined 5 x 2 cv F test", float(p.mean())
    if spread == 0:
        F, chance = (np.inf, 0.0) if p.any() else (0.0, 1.0)
        return TestResult(
            name, F, chance, (10, 5), alpha=alpha, estimate=mean, why=_why(p), code="five_by_two_f"
        )
    F = float(np.sum(p**2) / (2 * spread))  # (1)
    return TestResult(
        name, F, float(fdtrc(10, 5, F)), (10, 5), alpha=alpha, estimate=mean, code="five_by_two_f"
    )


def _spread(differences: Any, who: str) -> tuple[np.ndarray, float]:
    """(5, 2) differences and the sum of their variances within replications; 0 where it is rounding."""
    p = squarable(as_matrix(differences, who), who)
    if p.shape != (5, 2):
        raise DataError(
            f"needs differences on 2 folds of 5 replications, shape (5, 2), got {p.shape}.", who=who
        )
    spread = float(np.sum((p - p.mean(axis=1, keepdims=True)) ** 2))
    return p, 0.0 if spread <= 1e-20 * float(np.max(p**2)) else spread


def _why(p: np.ndarray) -> str:
    if not p.any():
        return "All ten differences are zero."
    return "Both folds of every replication differ equally, so there is no spread to judge by."
