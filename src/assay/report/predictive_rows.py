"""What a learner's predictive distributions say of the test rows: prediction intervals, and the spread of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.evaluate import Comparison
from assay.evaluate.design import Split
from assay.evaluate.fold import INTERVAL_COVERAGE
from assay.evaluate.residuals import IntervalCoverage, Residuals
from assay.tables.rows import take_rows

__all__ = ["NOMINAL", "PredictiveRows", "gives_intervals", "predictive_rows"]

NOMINAL = (0.5, 0.6, 0.7, 0.8, INTERVAL_COVERAGE, 0.95)  # coverages of the intervals that are looked at
BLOCK_ROWS = 2000  # whose distributions are in memory at a time


@dataclass(frozen=True)
class PredictiveRows:
    """Of the test rows of the first repetition, sorted by row.

    Attributes
    ----------
    rows : (n,) their numbers
    lower, upper : (n, L) prediction intervals of the coverages ``NOMINAL``
    spread : (n,) standard deviation of each row's distribution; of a learner that gives intervals alone, the one that a
        normal distribution with the interval of ``INTERVAL_COVERAGE`` has
    """

    rows: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    spread: np.ndarray

    def coverage(self, residuals: Residuals, alpha: float) -> IntervalCoverage:
        """Nominal and observed coverage, with the widths."""
        return IntervalCoverage.of(residuals.truth, self.lower, self.upper, NOMINAL, residuals.weight, alpha)


def gives_intervals(result: Comparison, name: str) -> bool:
    """Whether a learner gives prediction intervals or predictive distributions."""
    estimator = result.candidates[name].estimator if name in result.candidates else None
    return hasattr(estimator, "predict_distribution") or hasattr(estimator, "predict_interval")


def predictive_rows(result: Comparison, name: str, splits: list[Split]) -> PredictiveRows:
    """Intervals and spreads on the test rows of some splits.

    The learner is fitted again on each of them, unless the comparison kept its distributions.

    Parameters
    ----------
    splits : of the first repetition
    """
    assert result.source is not None
    candidate, blocks = result.candidates[name], []
    kept = {place[:2]: cell for place, cell in zip(result.places, result.cells[name])}
    for split in splits:
        cell = kept.get((split.repetition, split.fold))
        if cell is not None and cell.distribution is not None:
            blocks.append(_ends(cell.distribution))
            continue
        fold = result.source.fold(split)
        train, test = fold.tables(candidate)
        model = fold.fit(clone(candidate.seeded(result.settings["seed"])), train)
        starts = range(0, len(split.test), BLOCK_ROWS)
        blocks += [
            _of_model(model, take_rows(test, np.arange(s, min(s + BLOCK_ROWS, len(split.test)))))
            for s in starts
        ]
    rows = np.concatenate([s.test for s in splits])
    order = np.argsort(rows, kind="stable")
    lower, upper, spread = (np.concatenate(part)[order] for part in zip(*blocks))
    return PredictiveRows(rows[order], lower, upper, spread)


def _of_model(model: Any, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if hasattr(model, "predict_distribution"):
        return _ends(model.predict_distribution(X))
    from scipy.special import ndtri

    ends = np.array([model.predict_interval(X, coverage=level) for level in NOMINAL])  # (L, n, 2)
    lower, upper = ends[:, :, 0].T, ends[:, :, 1].T
    j = NOMINAL.index(INTERVAL_COVERAGE)
    return lower, upper, (upper[:, j] - lower[:, j]) / (2 * float(ndtri((1 + INTERVAL_COVERAGE) / 2)))


def _ends(distribution: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ends = [distribution.interval(level) for level in NOMINAL]
    return (
        np.column_stack([low for low, _ in ends]),
        np.column_stack([high for _, high in ends]),
        np.asarray(distribution.sd, dtype=np.float64),
    )
