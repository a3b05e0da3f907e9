"""Mean, variance and interval of an error that was estimated several times, on splits that share rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.sentence import Sentence
from assay.stats.checks import _as_floats, is_number
from assay.stats.significance.summary import NO_SPREAD_OF_VALUES, sample
from assay.stats.significance.test_result import check_alpha, shown_confidence

__all__ = ["RepeatedEstimate", "corrected_interval", "repeated_estimate"]


@dataclass(frozen=True)
class RepeatedEstimate(Sentence):
    """Mean, variance and interval of b estimates of one error; print it for a sentence.

    Attributes
    ----------
    mean, variance : of the b estimates; divisor b - 1
    low, high : interval of the mean; NaN if all estimates are equal
    b : int
    ratio : float
        Test rows per training row, by which the interval was widened.
    alpha : float
    """

    mean: float
    variance: float
    low: float
    high: float
    b: int
    ratio: float = 0.0
    alpha: float = 0.05

    def __str__(self) -> str:
        start = f"{self.mean:.4f} over {self.b} estimates (standard deviation {np.sqrt(self.variance):.4f})"
        if np.isnan(self.low):
            return f"{start}; they are all equal and give no interval."
        return f"{start}; {shown_confidence(self.alpha)} interval {self.low:.4f} to {self.high:.4f}."


def repeated_estimate(values: ArrayLike, ratio: float = 0.0, *, alpha: float = 0.05) -> RepeatedEstimate:
    r"""Mean, variance and interval of the error over b rounds of a resampling.

    .. math:: \bar v = \tfrac1b\sum_i v_i, \qquad S^2 = \tfrac1{b-1}\sum_i(v_i - \bar v)^2, \qquad
              \bar v \pm t_{1-\alpha/2,\,b-1} \sqrt{(1/b + n_{test}/n_{train})\, S^2}

    Rounds that share rows are not independent; ``ratio`` widens the interval for that.

    Parameters
    ----------
    values : (b,) one estimate per round
    ratio : float
        Test rows per training row; 0 takes the rounds for independent.

    Examples
    --------
    >>> from assay.stats import repeated_estimate
    >>> print(repeated_estimate([.12, .15, .11, .14, .13, .16, .10, .12, .15, .12], ratio=1 / 9))
    0.1300 over 10 estimates (standard deviation 0.0194); 95% interval 0.1098 to 0.1502.

    See Also
    --------
    corrected_interval, mean_interval

    References
    ----------
    - Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
      doi:10.1023/A:1024068626366
    """
    alpha = check_alpha(alpha, "repeated_estimate")
    v = sample(values, "repeated_estimate", what="estimates")
    low, high = corrected_interval(v, ratio, alpha)
    return RepeatedEstimate(float(v.mean()), float(v.var(ddof=1)), low, high, len(v), ratio, alpha)


def corrected_interval(values: ArrayLike, ratio: float, alpha: float = 0.05) -> tuple[float, float]:
    r"""Interval of a learner's mean over J splits that share rows.

    .. math:: \bar v \pm t_{1-\alpha/2,\,J-1} \sqrt{(1/J + n_{test}/n_{train})\, S^2}

    NaN if there is one value only, if all are equal, or if one is not finite.

    >>> from assay.stats import corrected_interval
    >>> low, high = corrected_interval([.12, .15, .11, .14, .13, .16, .10, .12, .15, .12], ratio=0)
    >>> round(low, 4), round(high, 4)
    (0.1161, 0.1439)

    See Also
    --------
    repeated_estimate, paired_t

    References
    ----------
    - Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
      doi:10.1023/A:1024068626366
    """
    from scipy.special import stdtrit

    who, alpha = "corrected_interval", check_alpha(alpha, "corrected_interval")
    v = _as_floats(values, who)
    if v.ndim != 1:
        raise DataError(f"expected one value per split, got shape {v.shape}.", who=who)
    if not is_number(ratio) or ratio < 0:
        raise ParameterError(
            f"ratio must be a number from 0 (test rows per training row), got {ratio!r}.", who=who
        )
    if len(v) < 2 or not np.isfinite(v).all() or v.std(ddof=1) <= NO_SPREAD_OF_VALUES * np.abs(v).max():
        return np.nan, np.nan
    half = stdtrit(len(v) - 1, 1 - alpha / 2) * v.std(ddof=1) * np.sqrt(1 / len(v) + ratio)
    return float(v.mean() - half), float(v.mean() + half)
