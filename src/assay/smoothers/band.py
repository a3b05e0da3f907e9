"""A curve with its confidence band."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Band"]


@dataclass(frozen=True)
class Band:
    """Estimates and their pointwise confidence intervals; made by ``confidence_band`` of a smoother.

    Attributes
    ----------
    estimate : (q,)      low, high : (q,) the ends of the intervals
    error : (q,) standard errors      dof : (q,) degrees of freedom of Student's t
    level : float

    Examples
    --------
    >>> from assay.smoothers import RunningMean
    >>> model = RunningMean(bandwidth=2.5).fit([[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6])
    >>> band = model.confidence_band([[3.25]])
    >>> band.estimate.round(6), band.error.round(6), band.high.round(6)
    (array([3.4]), array([0.696419]), array([5.33357]))
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    error: np.ndarray
    dof: np.ndarray
    level: float

    @classmethod
    def of(cls, estimate: np.ndarray, error: np.ndarray, dof: np.ndarray, level: float) -> Band:
        """The intervals that follow from standard errors; infinite where the error is."""
        from scipy.special import stdtrit

        known = np.isfinite(error)
        reach = np.where(known, stdtrit(np.where(known, dof, 1.0), (1 + level) / 2), 1.0)
        with np.errstate(invalid="ignore", over="ignore"):
            half = reach * error
        return cls(estimate, estimate - half, estimate + half, error, dof, level)
