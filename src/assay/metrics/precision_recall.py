"""The precision-recall curve as an object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import DataError, ParameterError
from assay.metrics._inputs import scored
from assay.metrics.curves import tallies
from assay.types import Label, Scores, Target, Weights

__all__ = ["PrecisionRecallCurve"]


@dataclass(frozen=True)
class PrecisionRecallCurve:
    """Precision against recall over all thresholds of a score.

    Parameters
    ----------
    precision, recall : (m + 1,) by rising threshold, then (1, 0) without a threshold
    thresholds : (m,)
    prevalence : float
        Share of positives: the precision of random predictions.
    label : the positive class

    Examples
    --------
    >>> from assay.metrics import PrecisionRecallCurve
    >>> curve = PrecisionRecallCurve.of([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(curve.average_precision, 4), curve.prevalence
    (0.8333, 0.5)
    >>> curve.best()
    (0.35, 0.8)
    """

    precision: np.ndarray
    recall: np.ndarray
    thresholds: np.ndarray
    prevalence: float
    label: Label | None = None

    @classmethod
    def of(
        cls,
        truth: Target,
        score: Scores,
        *,
        pos_label: Label | None = None,
        sample_weight: Weights | None = None,
    ) -> PrecisionRecallCurve:
        """The curve of (n,) labels of two classes and (n,) scores; ``pos_label`` as in :func:`roc_curve`."""
        rows = scored(truth, score, "PrecisionRecallCurve", pos_label, sample_weight)
        counted = tallies(rows)
        tps, fps = counted.tps, counted.fps
        if not tps[-1] > 0:
            raise DataError("PrecisionRecallCurve: the truth has no positive row, so there is no recall.")
        precision, recall = np.append((tps / (tps + fps))[::-1], 1.0), np.append((tps / tps[-1])[::-1], 0.0)
        return cls(
            precision, recall, counted.threshold[::-1], float(tps[-1] / (tps[-1] + fps[-1])), rows.label
        )

    @classmethod
    def mean(cls, curves: Sequence[PrecisionRecallCurve]) -> PrecisionRecallCurve:
        """The mean precision at every recall, as :meth:`RocCurve.mean` for scores of several models.

        Its average precision is exactly the mean of theirs.

        >>> from assay.metrics import PrecisionRecallCurve
        >>> one, two = (PrecisionRecallCurve.of([0, 1, 1], s) for s in ([1, 2, 3], [2, 1, 3]))
        >>> round(one.average_precision, 3), round(two.average_precision, 3)
        (1.0, 0.833)
        >>> round(PrecisionRecallCurve.mean([one, two]).average_precision, 3)
        0.917
        """
        if len(curves) == 1:
            return curves[0]
        recall = np.unique(np.concatenate([c.recall for c in curves]))[1:]  # rising, without 0
        total = np.zeros(len(recall))
        for c in curves:
            reached, last = np.unique(
                c.recall[::-1], return_index=True
            )  # of each recall the highest threshold
            at = np.searchsorted(reached, recall - 1e-12 * recall)
            total += c.precision[::-1][last[np.minimum(at, len(last) - 1)]]
        precision = np.append((total / len(curves))[::-1], 1.0)
        prevalence = float(np.mean([c.prevalence for c in curves]))
        return cls(
            precision, np.append(recall[::-1], 0.0), np.full(len(recall), np.nan), prevalence, curves[0].label
        )

    @property
    def average_precision(self) -> float:
        """Sum of precision times the step of recall, without interpolation."""
        return float(-np.diff(self.recall) @ self.precision[:-1])

    def truncated(self) -> PrecisionRecallCurve:
        """Without the thresholds below the highest that finds every positive row."""
        first = int(np.flatnonzero(self.recall == 1)[-1])
        return PrecisionRecallCurve(
            self.precision[first:], self.recall[first:], self.thresholds[first:], self.prevalence, self.label
        )

    def best(self, beta: float = 1.0) -> tuple[float, float]:
        """The threshold with the largest F, and that F; of equals the highest threshold."""
        if not (np.isfinite(beta) and beta >= 0):
            raise ParameterError(f"PrecisionRecallCurve.best: beta must be a number from 0 up, got {beta!r}.")
        P, R = self.precision[:-1], self.recall[:-1]
        whole = beta**2 * P + R
        F = np.divide((1 + beta**2) * P * R, whole, out=np.zeros_like(P), where=whole > 0)
        i = int(np.flatnonzero(F.max() - 1e-15 <= F)[-1])
        return float(self.thresholds[i]), float(F[i])
