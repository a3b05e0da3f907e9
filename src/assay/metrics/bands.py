"""Bands around ROC curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import DataError, ParameterError
from assay.metrics.bootstrap import plan
from assay.metrics.roc import RocCurve
from assay.stats.significance.test_result import check_alpha
from assay.types import RandomState

__all__ = ["RocBand", "roc_band"]


@dataclass(frozen=True)
class RocBand:
    """Confidence band of a ROC curve.

    Attributes
    ----------
    fpr, low, high : (m,) the band at false positive rates
    method : how it was computed
    alpha : float
    simultaneous : whether the whole curve lies inside with probability 1 - alpha, or each of its points

    Examples
    --------
    >>> from assay.metrics import RocCurve
    >>> RocCurve.of([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).band(points=3).high
    array([1., 1., 1.])
    """

    fpr: np.ndarray
    low: np.ndarray
    high: np.ndarray
    method: str
    alpha: float
    simultaneous: bool


def roc_band(
    curve: RocCurve,
    *,
    method: str = "kolmogorov",
    alpha: float = 0.05,
    simultaneous: bool = True,
    points: int = 101,
    resamples: int = 1000,
    random_state: RandomState = 0,
) -> RocBand:
    r"""A band around a ROC curve.

    "kolmogorov" (Campbell 1994) needs no assumption: both empirical distributions stay within

    .. math:: d_n = c / (\sqrt n + 0.12 + 0.11/\sqrt n)

    of the true ones with probability :math:`\sqrt{1-\alpha}` each, so the true curve stays within the rectangles
    :math:`\pm d_N` (FPR) by :math:`\pm d_P` (TPR) around the empirical one. Wide, but valid for every distribution.
    "bootstrap" resamples either class and looks at TPR at fixed FPR: simultaneous bands widen the standard errors by
    the 1 - alpha quantile of the largest standardised deviation, the others take the quantiles at each point alone.

    Parameters
    ----------
    curve : RocCurve of unweighted rows
    method : "kolmogorov" or "bootstrap"
    alpha : float
    simultaneous : for the bootstrap; "kolmogorov" always is
    points : number of false positive rates, evenly spaced from 0 to 1
    resamples, random_state : for the bootstrap

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import RocCurve, roc_band
    >>> curve = RocCurve.of(np.repeat([0, 1], 50), np.arange(100) % 60)
    >>> band = roc_band(curve, points=5)
    >>> band.low.round(2), band.high.round(2)
    (array([0.  , 0.  , 0.09, 0.34, 0.59]), array([0.41, 0.66, 0.91, 1.  , 1.  ]))
    """
    alpha = check_alpha(alpha, "roc_band")
    if method not in ("kolmogorov", "bootstrap"):
        raise ParameterError(f"roc_band: method must be kolmogorov or bootstrap, got {method!r}.")
    if curve.weighted:
        raise DataError("roc_band: a band needs rows that weigh alike.")
    check_count("roc_band", "points", points, low=2)
    grid = np.linspace(0, 1, points)
    if method == "kolmogorov":
        from scipy.special import kolmogi

        critical = float(kolmogi(1 - np.sqrt(1 - alpha)))
        across, up = (
            critical / (np.sqrt(n) + 0.12 + 0.11 / np.sqrt(n)) for n in (curve.negatives, curve.positives)
        )
        high = np.where(grid + across >= 1, 1.0, curve.at(np.minimum(grid + across, 1)) + up)
        low = np.where(grid - across <= 0, 0.0, curve._before(np.maximum(grid - across, 0)) - up)
        return RocBand(
            grid, np.clip(low, 0, 1), np.clip(high, 0, 1), "Kolmogorov (Campbell 1994)", alpha, True
        )
    resampled = _resampled(curve, grid, resamples, random_state)
    if not simultaneous:
        low, high = np.quantile(resampled, [alpha / 2, 1 - alpha / 2], axis=0)
        low[0], high[-1] = 0.0, 1.0
        return RocBand(grid, low, high, f"bootstrap, {resamples} resamples", alpha, False)
    centre = curve.at(grid)
    scale = np.maximum(
        resampled.std(axis=0, ddof=1), 0.5 / curve.positives
    )  # a jump of half a row where nothing varies
    widest = float(np.quantile(np.abs((resampled - centre) / scale).max(axis=1), 1 - alpha))
    low, high = np.clip(centre - widest * scale, 0, 1), np.clip(centre + widest * scale, 0, 1)
    low[0], high[-1] = 0.0, 1.0  # every curve begins at (0, 0) and ends at (1, 1)
    return RocBand(grid, low, high, f"bootstrap, {resamples} resamples", alpha, True)


def _resampled(curve: RocCurve, grid: np.ndarray, resamples: int, random_state: Any) -> np.ndarray:
    """(B, m) TPR of resampled curves at the rates of the grid."""
    check_count("roc_band", "resamples", resamples, low=50)
    steps = np.concatenate([np.diff(curve.tpr) * curve.positives, np.diff(curve.fpr) * curve.negatives])
    rows, m = np.rint(steps).astype(np.int64), len(curve.fpr) - 1  # of either class at each threshold
    P, N = int(rows[:m].sum()), int(rows[m:].sum())
    resampling = plan(
        P + N,
        strata=np.repeat([0, 1], [P, N]),
        resamples=resamples,
        random_state=random_state,
        who="roc_band",
    )
    cell, size = np.repeat(np.arange(2 * m), rows), max(1, 4_000_000 // (2 * m))
    curves = np.empty((resamples, len(grid)))
    for first in range(0, resamples, size):
        part = range(first, min(first + size, resamples))
        for b, counts in zip(part, resampling.cells(cell, None, 2 * m, part)):
            tpr, fpr = np.append(0, counts[:m].cumsum()) / P, np.append(0, counts[m:].cumsum()) / N
            curves[b] = RocCurve(fpr, tpr, curve.thresholds, P, N).at(grid)
    return curves
