"""Conformal predictive distributions: samples of residuals whose intervals keep the promise for finite samples."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.decide.conformity import conformal_quantile, upper_rank
from assay.stats.distributions.predictive import Empirical, ShiftedSample
from assay.stats.distributions.predictive.predictive import Floats, check_coverage

__all__ = ["LeftOutSample", "ResidualSample", "plus_ends"]


class ResidualSample(ShiftedSample):
    """The prediction of each row with the signed residuals of calibration rows; its intervals are split conformal's.

    Parameters
    ----------
    location : (n,) predictions      errors : (m,) residuals, divided by their spread if there is a scale
    scale : (n,) above 0, default 1      counts : (m,) what each residual counts, or None

    Examples
    --------
    >>> from assay.decide.conformal_distributions import ResidualSample
    >>> ResidualSample([10.0], [-1.0, 2.0, 0.5, -3.0]).interval(0.8)          # the fourth of four
    (array([7.]), array([13.]))
    """

    def __init__(
        self, location: ArrayLike, errors: ArrayLike, scale: ArrayLike = 1.0, counts: Floats | None = None
    ):
        super().__init__(location, errors, scale, counts)
        self._absolute, self._counts = np.abs(np.asarray(errors, dtype=np.float64)), counts

    def interval(self, coverage: float = 0.9) -> tuple[Floats, Floats]:
        level = check_coverage(coverage, type(self).__name__)
        half = conformal_quantile(self._absolute, level, self._counts) * self.scale
        return self.location - half, self.location + half

    def take(self, rows: Any) -> Self:
        taken = super().take(rows)
        taken._absolute, taken._counts = self._absolute, self._counts
        return taken


class LeftOutSample(Empirical):
    """Predictions without each calibration row, with its signed residual; its intervals are those of the jackknife+.

    Parameters
    ----------
    left_out : (n, m) predictions without each of m rows      residuals : (m,) of these rows
    counts : (m,) what each row counts, or None

    Examples
    --------
    >>> import numpy as np
    >>> from assay.decide.conformal_distributions import LeftOutSample
    >>> LeftOutSample(np.zeros((1, 4)), np.array([-1.0, 2.0, 0.5, -3.0])).interval(0.8)
    (array([-3.]), array([3.]))
    """

    def __init__(self, left_out: Floats, residuals: Floats, counts: Floats | None = None):
        weights = None if counts is None else np.broadcast_to(counts, left_out.shape)
        super().__init__(left_out + residuals, weights)
        self._left_out, self._residuals, self._counts = left_out, residuals, counts

    def interval(self, coverage: float = 0.9) -> tuple[Floats, Floats]:
        level = check_coverage(coverage, type(self).__name__)
        ends = plus_ends(self._left_out, np.abs(self._residuals), level, self._counts)
        return ends[:, 0], ends[:, 1]

    def take(self, rows: Any) -> Self:
        return type(self)(self._left_out[rows], self._residuals, self._counts)


def plus_ends(
    left_out: np.ndarray, residuals: np.ndarray, coverage: float, weights: np.ndarray | None = None
) -> np.ndarray:
    """(q, 2) the interval of CV+ and the jackknife+.

    Parameters
    ----------
    left_out : (q, n) predictions without each row      residuals : (n,) absolute ones      weights : (n,) or None

    >>> import numpy as np
    >>> from assay.decide.conformal_distributions import plus_ends
    >>> plus_ends(np.zeros((1, 9)), np.arange(1.0, 10.0), 0.8)
    array([[-8.,  8.]])
    """
    n, ends = len(residuals), np.empty((len(left_out), 2))
    for column, values in enumerate((residuals - left_out, left_out + residuals)):
        if weights is None:
            rank = upper_rank(n, coverage)  # of -low, since the smallest are the largest of the negative
            ends[:, column] = np.partition(values, rank - 1, axis=1)[:, rank - 1] if rank <= n else np.inf
        else:
            ends[:, column] = [conformal_quantile(row, coverage, weights) for row in values]
    ends[:, 0] *= -1
    return ends
