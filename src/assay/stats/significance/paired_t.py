"""The paired t test of two learners on the same splits, and its correction for splits that share rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import as_matrix, is_number, is_whole
from assay.stats.distributions.tails import judge
from assay.stats.significance.summary import NO_SPREAD, Summary, sample, squarable
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative

__all__ = ["paired_t", "paired_t_all"]


def paired_t(
    differences: ArrayLike | Summary,
    ratio: float = 0.0,
    *,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    folds: int | None = None,
) -> TestResult:
    r"""Test whether the mean difference over J splits is zero, although the splits share rows.

    .. math:: t = \bar d \Big/ \sqrt{\left(\tfrac1J + \tfrac{n_{test}}{n_{train}}\right) S^2},
              \qquad S^2 = \tfrac1{J-1}\sum_i (d_i - \bar d)^2                            \quad (1)

    against Student's t with J - 1 degrees of freedom (Nadeau and Bengio 2003; for repeated
    cross-validation Bouckaert and Frank 2004). With ``ratio=0`` it is the plain paired t test, which takes
    overlapping training sets for independent ones and finds too many differences.

    If all differences are zero then p = 1. If all are equal and not zero, there is no variance to judge by,
    and each fold of one repetition counts as one throw of a coin instead: p = 2 / 2^K, without interval.

    Parameters
    ----------
    differences : (J,) one per split, first learner minus second; or a Summary of them
    ratio : float
        Test rows per training row: 1/9 for 10-fold cross-validation.
    alternative : "two-sided", "greater" (mean above zero) or "less"
    folds : int, default J
        K, the splits of one repetition.

    Returns
    -------
    TestResult, with the mean difference as estimate

    Examples
    --------
    >>> from assay.stats import paired_t
    >>> d = [.03, .00, .03, .01, .01, .01, .04, .02, .01, .04]
    >>> result = paired_t(d, ratio=1 / 9)
    >>> round(result.statistic, 4), round(result.p, 4)
    (3.0779, 0.0132)
    >>> [round(v, 4) for v in (result.estimate, result.low, result.high)]
    [0.02, 0.0053, 0.0347]

    See Also
    --------
    five_by_two_t, wilcoxon_signed_rank, correlated_t, equivalence_test

    References
    ----------
    - Student (1908). The probable error of a mean. Biometrika 6(1), 1-25. doi:10.1093/biomet/6.1.1
    - Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
      doi:10.1023/A:1024068626366
    """
    if isinstance(differences, Summary):
        if differences.n < 2:
            raise DataError("paired_t: needs at least 2 splits, the summary is of one.")
        means, J, largest = np.array([differences.mean]), differences.n, np.zeros(1)
        spreads = np.array([0.0 if differences.constant else differences.sd])
    else:
        d = sample(differences, "paired_t", least=2, what="splits")[:, None]
        means, spreads, J, largest = d.mean(axis=0), d.std(axis=0, ddof=1), len(d), np.abs(d).max(axis=0)
    return _judged(means, spreads, largest, J, ratio, alpha, alternative, folds)[0]


def paired_t_all(
    differences: np.ndarray,
    ratio: float = 0.0,
    *,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    folds: int | None = None,
) -> list[TestResult]:
    """``paired_t`` of every column at once: 190 pairs of 20 learners cost about as much as one.

    Parameters
    ----------
    differences : (J, pairs)

    >>> from assay.stats import paired_t_all
    >>> [round(result.p, 4) for result in paired_t_all([[.03, .1], [.01, -.1], [.02, .1]])]
    [0.0742, 0.6667]

    See Also
    --------
    paired_t, adjust

    References
    ----------
    - Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
      doi:10.1023/A:1024068626366
    """
    D = squarable(as_matrix(differences, "paired_t_all"), "paired_t_all")
    if len(D) < 2:
        raise DataError("paired_t_all: needs a table of at least two splits by pairs, got one split.")
    largest = np.abs(D).max(axis=0)
    return _judged(D.mean(axis=0), D.std(axis=0, ddof=1), largest, len(D), ratio, alpha, alternative, folds)


def _judged(
    means: np.ndarray, spreads: np.ndarray, largest: np.ndarray, J: int,
    ratio: float, alpha: float, alternative: str, folds: int | None,
) -> list[TestResult]:  # fmt: skip
    alpha, alternative = check_alpha(alpha, "paired_t"), check_alternative(alternative, "paired_t")
    if not is_number(ratio) or ratio < 0:
        raise ParameterError(
            f"paired_t: ratio must be a number from 0 (test rows per training row), got {ratio!r}."
        )
    if folds is not None and not is_whole(folds, 1):
        raise ParameterError(f"paired_t: folds must be a whole number from 1, got {folds!r}.")
    varies = spreads > NO_SPREAD * largest
    scale = np.where(varies, spreads, 1.0) * np.sqrt(1 / J + ratio)
    statistics, p, low, high = (v.tolist() for v in judge(means, scale, J - 1, alpha, alternative))  # (1)
    name = "corrected resampled t test" if ratio else "paired t test"
    return [
        TestResult(
            name, statistics[i], p[i], J - 1, alternative, alpha, mean, low[i], high[i], code="paired_t"
        )
        if varies[i]
        else without_spread(mean, J, min(int(folds or J), J), alpha, alternative)
        for i, mean in enumerate(means.tolist())
    ]


def without_spread(mean: float, J: int, folds: int, alpha: float, alternative: str) -> TestResult:
    """What is left of a t test when all differences are equal: nothing, or the throws of a coin."""
    if mean == 0:
        return TestResult("no test: equal on every split", 0.0, 1.0, J - 1, alternative, alpha, 0.0, 0.0, 0.0,
                          "All differences are zero.", code="none")  # fmt: skip
    if alternative == "two-sided":
        p = min(1.0, 2.0 ** (1 - folds))
    else:
        p = 2.0**-folds if (mean > 0) == (alternative == "greater") else 1.0
    return TestResult(
        "sign test over the folds (the difference is the same on every split)",
        float(np.copysign(np.inf, mean)), p, J - 1, alternative, alpha, mean,
        why=f"Without spread there is no t; each of {folds} folds counts as one throw of a coin.",
    )  # fmt: skip
