"""How much a choice of columns changes from sample to sample: one number with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.stats.significance.test_result import check_alpha, shown_confidence

__all__ = ["StabilityIndex", "stability_index"]

GRADES = ((0.75, "excellent"), (0.4, "intermediate"), (-np.inf, "poor"))  # of the authors, after Fleiss


@dataclass(frozen=True)
class StabilityIndex:
    """The agreement of several choices of columns, made by `stability_index`.

    Attributes
    ----------
    value : float
        1 if all choices are the same, about 0 if they are drawn at random; NaN if every choice has no column or all.
    low, high : interval      alpha : 1 - its confidence
    choices : how many sets of columns were compared
    """

    value: float
    low: float
    high: float
    alpha: float
    choices: int

    @property
    def grade(self) -> str:
        """ "excellent" from 0.75 up, "intermediate" from 0.4, "poor" below; "" if there is no value."""
        return (
            ""
            if np.isnan(self.value)
            else next(word for least, word in GRADES if self.value >= least - 1e-12)
        )

    def __str__(self) -> str:
        if np.isnan(self.value):
            return f"Stability over {self.choices} choices: not defined, since each has no column or all of them."
        return (
            f"Stability over {self.choices} choices: {self.value:.2f} ({self.grade}), {shown_confidence(self.alpha)} "
            f"interval {self.low:.2f} to {self.high:.2f}; 1 is always the same columns, 0 is chance."
        )


def stability_index(selections: Any, alpha: float = 0.05) -> StabilityIndex:
    r"""How alike several choices of columns are, corrected for chance, with an interval.

    Of M choices among d columns, column f is in a share :math:`\hat p_f`, and a choice has :math:`\bar k` columns on
    average. With the unbiased variances :math:`s_f^2 = \tfrac M{M-1}\hat p_f(1-\hat p_f)`

    .. math:: \hat\Phi = 1 - \frac{\tfrac1d\sum_f s_f^2}{\tfrac{\bar k}d\big(1-\tfrac{\bar k}d\big)}     \quad (1)

    It is 1 where all choices agree, 0 in expectation where each is drawn at random, and does not depend on how many
    columns there are. It is asymptotically normal with the variance

    .. math:: v = \frac4{M^2}\sum_i(\hat\Phi_i - \bar\Phi)^2,\quad
              \hat\Phi_i = \frac{\tfrac1d\sum_f z_{if}\hat p_f - \tfrac{k_i\bar k}{d^2}
              + \tfrac{\hat\Phi}2\big(\tfrac{2\bar kk_i}{d^2} - \tfrac{k_i}d - \tfrac{\bar k}d + 1\big)}
              {\tfrac{\bar k}d\big(1-\tfrac{\bar k}d\big)}                                           \quad (2)

    Cost: O(M d).

    Parameters
    ----------
    selections : (M, d) True where a choice has the column
    alpha : float, default 0.05
        1 - confidence of the interval.

    Returns
    -------
    StabilityIndex

    Examples
    --------
    Three choices of two out of four columns, of which two agree:

    >>> from assay.select import stability_index
    >>> index = stability_index([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(index.value, 4)
    0.3333

    References
    ----------
    - Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection algorithms. Journal of
      Machine Learning Research 18(174), 1-54.
    """
    check_alpha(alpha, "stability_index")
    Z = np.asarray(selections)
    if Z.ndim != 2 or len(Z) < 2 or not np.isin(Z, (0, 1)).all():
        raise DataError(
            "stability_index: selections must be a table of True and False (or 1 and 0) with at least 2 rows, one for "
            f"each choice, and a column for each feature, got the shape {Z.shape}."
        )
    Z = Z.astype(np.float64)
    M, d = Z.shape
    share, size = Z.mean(axis=0), Z.sum(axis=1) / d
    mean = size.mean()
    spread = mean * (1 - mean)
    if spread == 0:
        return StabilityIndex(np.nan, np.nan, np.nan, alpha, M)
    value = 1 - np.mean(M / (M - 1) * share * (1 - share)) / spread  # (1)
    each = (Z @ share / d - size * mean + value / 2 * (2 * mean * size - size - mean + 1)) / spread
    error = np.sqrt(4 / M**2 * np.sum((each - each.mean()) ** 2))  # (2)
    from scipy.special import ndtri

    z = float(ndtri(1 - alpha / 2))
    return StabilityIndex(
        float(value), float(value - z * error), float(min(value + z * error, 1.0)), alpha, M
    )
