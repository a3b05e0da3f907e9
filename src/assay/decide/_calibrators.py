"""What the calibrators of one score share."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.targets import check_weights
from assay.errors import DataError
from assay.tables.row_names import row_name
from assay.types import Codes, Scores, Weights


class Calibrator:
    """A curve from scores to probabilities; tags let scikit-learn's ``check_is_fitted`` look at it."""

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))


def check_calibration(
    scores: Scores, y: Any, sample_weight: Weights, who: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n,) finite scores, labels 0 and 1 as floats, weights; rows of weight 0 are left out."""
    s = np.asarray(scores, dtype=np.float64)
    try:
        label = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{who}: labels must be 0 and 1, got {next(iter(y))!r}. Give y == the class."
        ) from None
    if s.ndim != 1 or not len(s) or s.shape != label.shape:
        raise DataError(f"{who}: expected as many scores as labels, got {s.shape} and {label.shape}.")
    if not np.isfinite(s).all():
        raise DataError(
            f"{who}: the score of {row_name(int(np.argmin(np.isfinite(s))))} is not a finite number."
        )
    if not np.isin(label, (0.0, 1.0)).all():
        raise DataError(f"{who}: labels must be 0 and 1, got {label[~np.isin(label, (0.0, 1.0))][0]:g}.")
    w = check_weights(sample_weight, len(s), who)
    w = np.ones(len(s)) if w is None else w
    counted = w > 0
    return s[counted], label[counted], w[counted]


def check_class_numbers(y: Any, shape: tuple[int, ...], who: str) -> Codes:
    """(n,) the number of each row's class, for scores of the shape (n, K)."""
    codes = np.asarray(y)
    n, K = shape
    if codes.shape != (n,) or codes.dtype.kind not in "iu" or not ((codes >= 0) & (codes < K)).all():
        raise DataError(f"expected {n} class numbers from 0 to {K - 1}.", who=who)
    return codes


def pooled_scores(s: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct scores in order, with the weight of label 1 and the weight of all at each."""
    levels, place = np.unique(s, return_inverse=True)
    return levels, np.bincount(place, weights=w * y), np.bincount(place, weights=w)
