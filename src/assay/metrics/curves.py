"""Curves over all thresholds: ROC, detection error, precision and recall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import DataError
from assay.metrics._areas import tallies as _tallies
from assay.metrics._inputs import Scored, scored, undefined
from assay.types import Label, Scores, Target, Weights

__all__ = ["det_curve", "precision_recall_curve", "roc_curve"]


@dataclass(frozen=True)
class Tallies:
    """Weight of the positives and negatives at or above each distinct score.

    threshold, tps, fps : (m,) by falling threshold; equal scores move together
    """

    threshold: np.ndarray
    tps: np.ndarray
    fps: np.ndarray


def tallies(rows: Scored) -> Tallies:
    """Count from the highest score down. Cost: O(n log n)."""
    if rows.weight is None:  # two sorts and a merge, no permutation
        pos, neg = np.sort(rows.score[rows.positive]), np.sort(rows.score[~rows.positive])
        room = np.empty((3, len(rows.score)))
        m = _tallies(pos, neg, *room)
        return Tallies(*room[:, :m])
    order = np.argsort(rows.score)[::-1]  # rows of equal score are added up together
    score, w = rows.score[order], rows.weight[order]
    inside = np.where(rows.positive[order], w, 0.0)
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    return Tallies(score[last], np.cumsum(inside)[last], np.cumsum(w - inside)[last])


def roc_curve(
    y_true: Target,
    y_score: Scores,
    *,
    pos_label: Label | None = None,
    sample_weight: Weights | None = None,
    drop_intermediate: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """False and true positive rates as the threshold falls; ``score >= threshold`` predicts positive.

    .. math:: FPR = FP / (TN + FP), \\qquad TPR = TP / (TP + FN)

    Equal scores move together. The first point is (0, 0) with threshold infinity. Cost: O(n log n).

    Parameters
    ----------
    y_true : (n,) labels of two classes
    y_score : (n,) larger for the positive class, or (n, 2) a posterior
    pos_label : the positive class; default 1, or the last of the sorted labels
    sample_weight : (n,)
    drop_intermediate : leave out collinear points

    Returns
    -------
    fpr, tpr, thresholds : (m,) NaN, with a warning, for a rate without rows

    Examples
    --------
    >>> from assay.metrics import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, tpr, thresholds
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]), array([ inf, 0.8 , 0.4 , 0.35, 0.1 ]))
    """
    counted = tallies(scored(y_true, y_score, "roc_curve", pos_label, sample_weight))
    fps, tps, threshold = counted.fps, counted.tps, counted.threshold
    if drop_intermediate and len(fps) > 2:
        corner = np.ones(len(fps), dtype=bool)
        corner[1:-1] = (np.diff(fps, 2) != 0) | (np.diff(tps, 2) != 0)
        fps, tps, threshold = fps[corner], tps[corner], threshold[corner]
    fpr, tpr = _rates(fps, "negative"), _rates(tps, "positive")
    return fpr, tpr, np.append(np.inf, threshold)


def _rates(counts: np.ndarray, what: str) -> np.ndarray:
    whole = counts[-1]
    if whole <= 0:
        undefined(f"roc_curve: the truth has no {what} row, so the rate of {what} rows is NaN.")
        return np.full(len(counts) + 1, np.nan)
    rates = np.empty(len(counts) + 1)
    rates[0] = 0
    np.divide(counts, whole, out=rates[1:])
    return rates


def det_curve(
    y_true: Target,
    y_score: Scores,
    pos_label: Label | None = None,
    sample_weight: Weights | None = None,
    drop_intermediate: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """False positive and false negative rates as the threshold rises (detection error trade-off).

    From the highest threshold without a false negative to the lowest without a false positive.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight : as in :func:`roc_curve`
    drop_intermediate : leave out points whose two neighbours have as many false negatives

    Returns
    -------
    fpr, fnr, thresholds : (m,)

    Examples
    --------
    >>> from assay.metrics import det_curve
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, fnr, thresholds
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]), array([0.35, 0.4 , 0.8 ]))
    """
    counted = tallies(scored(y_true, y_score, "det_curve", pos_label, sample_weight))
    fps, tps = np.append(0.0, counted.fps), np.append(0.0, counted.tps)
    threshold = np.append(np.inf, counted.threshold)
    if not (fps[-1] > 0 and tps[-1] > 0):
        raise DataError("det_curve: Only one class is present in y_true; the trade-off needs two.")
    if drop_intermediate and len(fps) > 2:
        steps = _steps(tps)
        fps, tps, threshold = fps[steps], tps[steps], threshold[steps]
    first = int(np.searchsorted(fps, 0.0, side="right")) - 1  # the last threshold without a false positive
    until = int(np.searchsorted(tps, tps[-1])) + 1  # the first without a false negative
    part = slice(first, until)
    return fps[part][::-1] / fps[-1], (tps[-1] - tps[part])[::-1] / tps[-1], threshold[part][::-1]


def _steps(tps: np.ndarray) -> np.ndarray:
    """(m,) bool: the first and the last point of each run of equal true positives."""
    ends = np.ones(len(tps), dtype=bool)
    ends[1:-1] = (np.diff(tps[:-1]) != 0) | (np.diff(tps[1:]) != 0)
    return ends


def precision_recall_curve(
    y_true: Target,
    y_score: Scores,
    *,
    pos_label: Label | None = None,
    sample_weight: Weights | None = None,
    drop_intermediate: bool = False,
    truncated: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision and recall as the threshold rises, then the point (1, 0) that no threshold has.

    .. math:: P = TP / (TP + FP), \\qquad R = TP / (TP + FN)

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight : as in :func:`roc_curve`
    drop_intermediate : keep only the first and the last point of each run of equal recall
    truncated : begin at the highest threshold with full recall: lower ones only add false positives

    Returns
    -------
    precision, recall : (m + 1,)      thresholds : (m,)

    Examples
    --------
    >>> from assay.metrics import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision.round(3), recall, thresholds
    (array([0.5  , 0.667, 0.5  , 1.   , 1.   ]), array([1. , 1. , 0.5, 0.5, 0. ]), array([0.1 , 0.35, 0.4 , 0.8 ]))
    >>> precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], truncated=True)[2]
    array([0.35, 0.4 , 0.8 ])
    """
    counted = tallies(scored(y_true, y_score, "precision_recall_curve", pos_label, sample_weight))
    fps, tps, threshold = counted.fps, counted.tps, counted.threshold
    if drop_intermediate and len(fps) > 2:
        steps = _steps(tps)
        fps, tps, threshold = fps[steps], tps[steps], threshold[steps]
    if truncated and tps[-1] > 0:
        until = int(np.searchsorted(tps, tps[-1])) + 1
        fps, tps, threshold = fps[:until], tps[:until], threshold[:until]
    m = len(tps)
    precision, recall = np.ones(m + 1), np.zeros(m + 1)
    np.divide(tps[::-1], (tps + fps)[::-1], out=precision[:m])
    if tps[-1] > 0:
        np.divide(tps[::-1], tps[-1], out=recall[:m])
    else:
        undefined(
            "precision_recall_curve: the truth has no positive row, so recall is one at every threshold."
        )
        recall[:m] = 1
    return precision, recall, threshold[::-1]
