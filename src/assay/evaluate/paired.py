"""Tests of two learners on the same splits: the corrected resampled t test, and McNemar's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import DataError, ParameterError

__all__ = ["PairedTest", "corrected_interval", "mcnemar", "paired_t", "wilson_interval"]

_NO_SPREAD = 1e-10  # a standard deviation below this share of the values is rounding


@dataclass(frozen=True)
class PairedTest:
    """The verdict on one difference.

    Attributes
    ----------
    difference : float
        Mean of the first minus the second.
    p : float
    low, high : float
        Interval of the difference; NaN where the data determine none.
    statistic, df : float
    test : str
        Which test it is, and why not the usual one where it is not.
    """

    difference: float
    p: float
    low: float
    high: float
    statistic: float
    df: float
    test: str


def paired_t(
    differences: np.ndarray,
    ratio: float = 0.0,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    folds: int | None = None,
) -> PairedTest:
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
    differences : (J,) one per split
    ratio : float
        Test rows per training row: 1/9 for 10-fold cross-validation.
    alternative : "two-sided", "greater" (mean above zero) or "less"
    folds : int, default J
        K, the splits of one repetition.

    Examples
    --------
    >>> from assay.evaluate import paired_t
    >>> d = [.03, .00, .03, .01, .01, .01, .04, .02, .01, .04]
    >>> found = paired_t(d, ratio=1 / 9)
    >>> round(found.statistic, 4), round(found.p, 4)
    (3.0779, 0.0132)
    """
    d = np.asarray(differences, dtype=np.float64)
    if alternative not in ("two-sided", "greater", "less"):
        raise ParameterError(
            f"paired_t: alternative must be two-sided, greater or less, got {alternative!r}."
        )
    if d.ndim != 1 or len(d) < 2 or not np.isfinite(d).all():
        raise DataError("paired_t: needs at least two splits, all with a value.")
    J, mean, name = len(d), float(d.mean()), "corrected resampled t test" if ratio else "paired t test"
    spread = float(d.std(ddof=1))
    if spread <= _NO_SPREAD * float(np.abs(d).max()):
        return _without_spread(d, min(folds or J, J), alternative)
    from scipy.stats import t

    scale = spread * np.sqrt(1 / J + ratio)  # (1)
    statistic = mean / scale
    tail = {"two-sided": 2 * t.sf(abs(statistic), J - 1), "greater": t.sf(statistic, J - 1)}
    p = float(tail.get(alternative, t.cdf(statistic, J - 1)))
    half = float(t.isf(alpha / 2, J - 1)) * scale
    return PairedTest(mean, p, mean - half, mean + half, float(statistic), J - 1, name)


def _without_spread(d: np.ndarray, folds: int, alternative: str) -> PairedTest:
    if not d.any():
        return PairedTest(0.0, 1.0, 0.0, 0.0, 0.0, len(d) - 1, "no test: equal on every split")
    mean = float(d[0])
    if alternative == "two-sided":
        p = min(1.0, 2.0 ** (1 - folds))
    else:
        p = 2.0**-folds if (mean > 0) == (alternative == "greater") else 1.0
    name = "sign test over the folds (the difference is the same on every split)"
    return PairedTest(mean, p, np.nan, np.nan, np.copysign(np.inf, mean), len(d) - 1, name)


def mcnemar(only_first: int, only_second: int, method: str = "auto") -> tuple[float, float]:
    r"""Statistic and p of McNemar's test on rows that exactly one of two learners gets wrong.

    .. math:: \chi^2 = (|e_{01} - e_{10}| - 1)^2 / (e_{01} + e_{10}), \qquad
              p_{exact} = \min(1, 2 P(X \le \min(e_{01}, e_{10}))),\ X \sim Bin(e_{01} + e_{10}, 1/2)

    Parameters
    ----------
    only_first, only_second : rows that only the first, only the second learner gets wrong
    method : "auto" (exact below 25 such rows), "exact", "corrected" or "uncorrected"

    Examples
    --------
    >>> from assay.evaluate import mcnemar
    >>> statistic, p = mcnemar(15, 5, "corrected")
    >>> round(statistic, 4), round(p, 4)
    (4.05, 0.0442)
    """
    from scipy.stats import binom, chi2

    if method not in ("auto", "exact", "corrected", "uncorrected"):
        raise ParameterError(
            f"mcnemar: method must be auto, exact, corrected or uncorrected, got {method!r}."
        )
    n, gap = only_first + only_second, abs(only_first - only_second)
    if n == 0:
        return 0.0, 1.0
    statistic = (gap if method == "uncorrected" else max(gap - 1, 0)) ** 2 / n
    if method == "exact" or (method == "auto" and n < 25):
        return float(statistic), float(min(1.0, 2 * binom.cdf(min(only_first, only_second), n, 0.5)))
    return float(statistic), float(chi2.sf(statistic, 1))


def corrected_interval(values: np.ndarray, ratio: float, alpha: float = 0.05) -> tuple[float, float]:
    r"""Interval of a learner's mean over J splits that share rows.

    .. math:: \bar v \pm t_{1-\alpha/2,\,J-1} \sqrt{(1/J + n_{test}/n_{train})\, S^2}

    NaN if all values are equal, because then they say nothing about how sure one can be.

    >>> from assay.evaluate import corrected_interval
    >>> low, high = corrected_interval([.12, .15, .11, .14, .13, .16, .10, .12, .15, .12], ratio=0)
    >>> round(low, 4), round(high, 4)
    (0.1161, 0.1439)
    """
    v = np.asarray(values, dtype=np.float64)
    if len(v) < 2 or v.std(ddof=1) <= _NO_SPREAD * np.abs(v).max():
        return np.nan, np.nan
    from scipy.stats import t

    half = t.isf(alpha / 2, len(v) - 1) * v.std(ddof=1) * np.sqrt(1 / len(v) + ratio)
    return float(v.mean() - half), float(v.mean() + half)


def wilson_interval(share: float, n: int, alpha: float = 0.05) -> tuple[float, float]:
    r"""Wilson's interval of a share seen on n independent rows.

    .. math:: \frac{p + z^2/2n \pm z\sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}

    >>> from assay.evaluate import wilson_interval
    >>> low, high = wilson_interval(0.15, 100)
    >>> round(low, 6), round(high, 6)
    (0.09306, 0.232836)
    """
    from scipy.special import ndtri

    z2 = float(ndtri(1 - alpha / 2)) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))
