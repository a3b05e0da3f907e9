"""Areas under curves: AUC, average precision, and thousands of them from one sort."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights, encode_labels
from assay.errors import DataError, ParameterError
from assay.metrics._areas import pairs_in_order
from assay.metrics._inputs import Scored, classes_of, numbers, one_column, scored, undefined
from assay.metrics._label_tables import also_of_label_tables
from assay.metrics.curves import tallies
from assay.metrics.forms import OfScores
from assay.metrics.measure import Measure
from assay.stats.checks import is_number
from assay.types import Label, Labels, Scores, Target, Weights

__all__ = ["auc", "average_precision_score", "roc_auc_score"]


def auc(x: ArrayLike, y: Any) -> float:
    """The area under points joined by lines (trapezoids); x must rise or fall throughout.

    >>> from assay.metrics import auc
    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    x, y = numbers(x, "auc", "x"), numbers(y, "auc", "y")
    if len(x) != len(y) or len(x) < 2:
        raise DataError(
            f"auc: at least 2 points are needed to compute an area, got {len(x)} of x and {len(y)} of y."
        )
    with np.errstate(over="ignore"):
        step = np.diff(x)
    if (step < 0).any():
        if (step > 0).any():
            raise DataError("auc: x is neither increasing nor decreasing. Sort the points by x first.")
        step = -step
    with np.errstate(over="ignore", invalid="ignore"):
        area = float(step @ (y[1:] / 2 + y[:-1] / 2))
    if not np.isfinite(area):
        raise DataError("auc: the area leaves the range of numbers. Divide x or y by some power of ten.")
    return area


def area_of(rows: Scored) -> float:
    """P(score of a positive > score of a negative) + P(equal)/2; NaN if a class has no row."""
    if rows.weight is None:
        pos, neg = np.sort(rows.score[rows.positive]), np.sort(rows.score[~rows.positive])
        if not len(pos) or not len(neg):
            return float("nan")
        return float(pairs_in_order(pos, neg)) / (float(len(pos)) * float(len(neg)))
    counted = tallies(rows)
    P, N = counted.tps[-1], counted.fps[-1]
    if not (P > 0 and N > 0):
        return float("nan")
    above = counted.tps - np.diff(counted.tps, prepend=0.0) / 2
    return float(np.clip(np.diff(counted.fps, prepend=0.0) @ above / (P * N), 0.0, 1.0))


def average_precision_of(rows: Scored) -> float:
    """Sum of precision times the step of recall; 0 without a positive row, as in scikit-learn."""
    counted = tallies(rows)
    tps, fps = counted.tps, counted.fps
    if not tps[-1] > 0:
        return 0.0
    n_predicted = tps + fps
    precision = np.divide(
        tps, n_predicted, out=np.zeros_like(tps), where=n_predicted > 0
    )  # the first rows may have weight 0
    return float(np.diff(tps, prepend=0.0) @ precision / tps[-1])


@also_of_label_tables
def roc_auc_score(
    y_true: Target,
    y_score: Scores,
    *,
    average: str | None = "macro",
    sample_weight: Weights | None = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Labels | None = None,
) -> Any:
    r"""Area under the ROC curve: how often a positive row scores above a negative one, an equal pair counting half.

    .. math:: A = P(s_+ > s_-) + \tfrac12 P(s_+ = s_-)

    Two sorts and a merge. Cost: O(n log n).

    Parameters
    ----------
    y_true : (n,) labels; of two, the last of the sorted ones is positive
    y_score : (n,) scores, or for more than two classes (n, K) probabilities
    average : "macro", "weighted" (by class size), "micro" (all pairs of row and class together; ovr), or None (each)
    sample_weight : (n,)
    max_fpr : the area up to this false positive rate, rescaled to 0.5 to 1 (McClish 1989)
    multi_class : "ovr" (a class against the rest) or "ovo" (mean over pairs of classes that both have rows; Hand and
        Till 2001)
    labels : (K,) the classes of the columns (sorted), if not those of y_true

    Examples
    --------
    >>> from assay.metrics import roc_auc_score
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    who = "roc_auc_score"
    s = numbers(y_score, who, "the score", (1, 2))
    if s.ndim == 2 and s.shape[1] == 1:
        s = s[:, 0]
    if s.ndim == 2 and s.shape[1] > 2:
        return _of_many(y_true, s, average, sample_weight, max_fpr, multi_class, labels)
    rows = scored(y_true, s, who, _last_label(y_true, who), sample_weight)
    if rows.positive.all() or not rows.positive.any():
        undefined(f"{who}: Only one class is present in y_true, so the area is NaN.")
        return float("nan")
    if max_fpr is None or max_fpr == 1:
        return area_of(rows)
    if not (is_number(max_fpr) and 0 < max_fpr < 1):
        raise ParameterError(f"max_fpr must lie in (0, 1], got {max_fpr!r}.", who=who)
    counted = tallies(rows)
    raw = partial_area(counted.fps / counted.fps[-1], counted.tps / counted.tps[-1], max_fpr)
    least = max_fpr**2 / 2
    return float((1 + (raw - least) / (max_fpr - least)) / 2)


def partial_area(fpr: np.ndarray, tpr: np.ndarray, until: float) -> float:
    """Area up to a false positive rate; the curve begins at (0, 0)."""
    x, y = np.append(0.0, fpr), np.append(0.0, tpr)
    stop = int(np.searchsorted(x, until, "right"))
    if stop < len(x):
        x, y = (
            np.append(x[:stop], until),
            np.append(y[:stop], np.interp(until, x[stop - 1 : stop + 1], y[stop - 1 : stop + 1])),
        )
    return float(np.diff(x) @ (y[1:] + y[:-1]) / 2)


def _last_label(y_true: Any, who: str) -> Any:
    """None where 1 or the last of two labels is positive by default; else the last label."""
    y = one_column(y_true, who, "the truth")
    if y.dtype.kind in "biuf" and len(y) and y.max() == 1:
        return None
    if not len(y):
        return None
    labels = encode_labels(y, len(y), who)[0].tolist()
    if len(labels) > 2:
        raise ParameterError(
            f"the truth has {len(labels)} classes and the score one column; give (n, K) scores.", who=who
        )
    return labels[-1]


def _of_many(
    y_true: Any,
    s: np.ndarray,
    average: str | None,
    sample_weight: Any,
    max_fpr: Any,
    multi_class: str,
    labels: Any,
) -> Any:
    who = "roc_auc_score"
    if max_fpr not in (None, 1):
        raise ParameterError("the partial area, max_fpr, is of two classes only.", who=who)
    if multi_class not in ("ovr", "ovo"):
        raise ParameterError(
            f"for more than two classes multi_class must be 'ovr' or 'ovo', got {multi_class!r}.", who=who
        )
    allowed = ("macro", "weighted", None, "micro") if multi_class == "ovr" else ("macro", "weighted")
    if average not in allowed:
        raise ParameterError(
            f"average must be one of {allowed} with {multi_class}, got {average!r}.", who=who
        )
    if not np.allclose(1, s.sum(axis=1)):
        raise DataError(
            "scores of more than two classes must be probabilities that sum to 1 in each row.", who=who
        )
    _, codes = classes_of(y_true, s.shape[1], labels, who)
    if len(codes) != len(s):
        raise DataError(f"{len(codes)} true labels and {len(s)} rows of scores.", who=who)
    if multi_class == "ovo":
        if sample_weight is not None:
            raise ParameterError("sample_weight is not defined for pairs of classes (ovo); use ovr.", who=who)
        return _pairs(codes, s, average)
    return _averaged(area_of, codes, s, average, check_weights(sample_weight, len(s), who, squared=True), who)


def _pairs(codes: np.ndarray, s: np.ndarray, average: str | None) -> float:
    """Hand and Till: for each pair the mean of two areas, one with either class's column."""
    rows = [np.flatnonzero(codes == k) for k in range(s.shape[1])]
    present = [k for k, members in enumerate(rows) if len(members)]
    if len(present) < 2:
        undefined("roc_auc_score: Only one class is present in y_true, so the area is NaN.")
        return float("nan")
    areas, sizes = [], []
    for i, a in enumerate(present):
        for b in present[i + 1 :]:
            size = float(len(rows[a])) * len(rows[b])
            first = pairs_in_order(np.sort(s[rows[a], a]), np.sort(s[rows[b], a]))
            second = pairs_in_order(np.sort(s[rows[b], b]), np.sort(s[rows[a], b]))
            areas.append((first + second) / (2 * size))
            sizes.append(len(rows[a]) + len(rows[b]))
    return float(np.average(areas, weights=sizes if average == "weighted" else None))


def _averaged(
    area: Any, codes: np.ndarray, s: np.ndarray, average: str | None, w: np.ndarray | None, who: str
) -> Any:
    """Each class against the rest, then averaged."""
    n, K = s.shape
    if average == "micro":
        flat = (codes[:, None] == np.arange(K)).ravel()
        return area(Scored(flat, s.ravel(), None if w is None else np.repeat(w, K), None))
    if w is not None and not w.all():
        codes, s, w = codes[w > 0], s[w > 0], w[w > 0]
    areas = np.array([area(Scored(codes == k, s[:, k], w, None)) for k in range(K)])
    sizes = np.bincount(codes, weights=w, minlength=K)
    if average == "weighted":  # a class without rows has weight 0
        areas, sizes = areas[sizes > 0], sizes[sizes > 0]
    if np.isnan(areas).any():
        undefined(f"{who}: a class has no row, or no other class has one, so its area is NaN.")
    if average is None:
        return areas
    if average == "macro":
        return float(areas.mean())
    return float(np.average(areas, weights=sizes))


@also_of_label_tables
def average_precision_score(
    y_true: Target,
    y_score: Scores,
    *,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: Weights | None = None,
) -> Any:
    r"""Mean precision over the steps of recall; no interpolation.

    .. math:: AP = \sum_m (R_m - R_{m-1}) P_m

    over the distinct scores, highest first. Without ties it is the mean, over the positive rows, of the precision
    at their rank. Cost: O(n log n).

    Parameters
    ----------
    y_true : (n,) labels
    y_score : (n,) scores, or for more than two classes (n, K)
    average : over the classes if there are more than two: "macro", "weighted", "micro" or None (each); "samples" ranks
        the classes of each row and averages over the rows
    pos_label : the positive class of two; default 1, or the last of the sorted labels if 1 is none of them
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import average_precision_score
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    who = "average_precision_score"
    s = numbers(y_score, who, "the score", (1, 2))
    if s.ndim == 2 and s.shape[1] > 2:
        if average not in ("macro", "weighted", "micro", "samples", None):
            raise ParameterError(
                f"average must be macro, weighted, micro, samples or None, got {average!r}.", who=who
            )
        if pos_label != 1:
            raise ParameterError(
                f"pos_label is for two classes, the scores have {s.shape[1]} columns.", who=who
            )
        _, codes = classes_of(y_true, s.shape[1], None, who)
        if len(codes) != len(s):
            raise DataError(f"{len(codes)} true labels and {len(s)} rows of scores.", who=who)
        w = check_weights(sample_weight, len(s), who, squared=True)
        if average == "samples":  # the one class of a row at its rank among all: precision 1 / rank
            ranks = (s >= s[np.arange(len(s)), codes][:, None]).sum(axis=1)
            return float(np.average(1 / ranks, weights=w))
        return _averaged(average_precision_of, codes, s, average, w, who)
    y = one_column(y_true, who, "the truth")
    if pos_label == 1 and (y.dtype.kind in "US" or (y.dtype.kind == "O" and 1 not in y.tolist())):
        pos_label = None
    elif pos_label == 1 and y.dtype.kind in "biuf" and len(y) and y.max() == 1 and y.min() >= -1:
        pos_label = None  # 1 is positive anyway; found without encoding
    elif len(y) and len(names := encode_labels(y, len(y), who)[0]) > 2:
        raise ParameterError(
            f"the truth has {len(names)} classes and the score one column; give (n, K) scores.", who=who
        )
    rows = scored(y, s, who, pos_label, sample_weight)
    if not rows.positive.any():
        undefined(f"{who}: the truth has no positive row, so the mean precision is 0.")
    return average_precision_of(rows)


AUC = Measure(
    "auc", OfScores(area_of), "higher", "area under the ROC curve, mean over classes if more than two", "scores",
    bounds=(0.0, 1.0), functions=(roc_auc_score,),
)  # fmt: skip
AVERAGE_PRECISION = Measure(
    "average precision", OfScores(average_precision_of, column=1, positive_is_one=True), "higher",
    "mean precision over the steps of recall, mean over classes if more than two", "scores", bounds=(0.0, 1.0),
    functions=(average_precision_score,),
)  # fmt: skip
