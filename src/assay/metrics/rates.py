"""Measures of predicted labels: accuracy, precision, recall, F, Jaccard, specificity and their means."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.targets import check_weights, plain_values
from assay.errors import DataError, ParameterError
from assay.metrics import _tables
from assay.metrics._averages import check_average, divided, margins
from assay.metrics._inputs import labelled, one_column, undefined
from assay.metrics._label_tables import also_of_label_tables
from assay.metrics.forms import OfTable
from assay.metrics.measure import Measure
from assay.types import Label, Labels, Target, Weights

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "f1_score",
    "fbeta_score",
    "geometric_mean_score",
    "jaccard_score",
    "macro_f1_score",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "specificity_score",
    "youden_score",
    "zero_one_loss",
]


@also_of_label_tables
def accuracy_score(
    y_true: Target, y_pred: Target, *, normalize: bool = True, sample_weight: Weights | None = None
) -> Any:
    r"""The share of correct predictions, :math:`\frac1n\sum_i I(\hat y_i = y_i)`.

    Parameters
    ----------
    y_true, y_pred : (n,) labels
    normalize : False gives the number of rows (or their weight) instead of the share
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import accuracy_score
    >>> accuracy_score(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """
    hit, w = _hits(y_true, y_pred, sample_weight, "accuracy_score")
    if w is not None:
        return float(w @ hit / w.sum()) if normalize else float(w @ hit)
    count = int(np.count_nonzero(hit))
    return count / len(hit) if normalize else count


@also_of_label_tables
def zero_one_loss(
    y_true: Target, y_pred: Target, *, normalize: bool = True, sample_weight: Weights | None = None
) -> Any:
    r"""The empirical 0/1 risk: the share of wrong predictions, :math:`\frac1n\sum_i I(\hat y_i \ne y_i)`.

    Parameters
    ----------
    y_true, y_pred, normalize, sample_weight : as in :func:`accuracy_score`

    Examples
    --------
    >>> from assay.metrics import zero_one_loss
    >>> zero_one_loss([1, 2, 2, 1], [1, 2, 1, 1]), zero_one_loss([1, 2, 2, 1], [1, 2, 1, 1], normalize=False)
    (0.25, 1)
    """
    hit, w = _hits(y_true, y_pred, sample_weight, "zero_one_loss")
    if w is not None:
        return float(w @ ~hit / w.sum()) if normalize else float(w @ ~hit)
    count = len(hit) - int(np.count_nonzero(hit))
    return count / len(hit) if normalize else count


def _hits(y_true: Any, y_pred: Any, sample_weight: Any, who: str) -> tuple[np.ndarray, np.ndarray | None]:
    """(n,) bool: right; whole numbers and text of NumPy are compared as they are."""
    y, z = plain_values(y_true), plain_values(y_pred)
    plain = [isinstance(v, np.ndarray) and v.ndim == 1 and v.dtype.kind in "biuUS" for v in (y, z)]
    if all(plain) and y.shape == z.shape and len(y) and _family(y) == _family(z):
        return y == z, check_weights(sample_weight, len(y), who, squared=True)
    pair = labelled(y, z, who, sample_weight)
    return pair.truth == pair.answer, pair.weight


def _family(y: np.ndarray) -> str:
    """What can be compared with what: whole numbers and truth values, text, or bytes."""
    return y.dtype.kind if y.dtype.kind in "US" else "i"


def balanced_accuracy_score(
    y_true: Target, y_pred: Target, *, sample_weight: Weights | None = None, adjusted: bool = False
) -> float:
    """The mean of the classes' recalls, so that a rare class counts as much as a common one.

    Parameters
    ----------
    y_true, y_pred : (n,) labels
    sample_weight : (n,)
    adjusted : rescale so that chance is 0 and a perfect classifier 1

    Examples
    --------
    >>> from assay.metrics import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    table = labelled(y_true, y_pred, "balanced_accuracy_score", sample_weight).table()
    recall = _tables.recalls(table)
    defined = recall[~np.isnan(recall)]
    if len(defined) < len(recall):
        undefined("balanced_accuracy_score: y_pred contains classes not in y_true; they are left out.")
    score = float(defined.mean())
    if not adjusted:
        return score
    if len(defined) < 2:
        raise DataError("balanced_accuracy_score: chance is certain with one class; adjusted=True needs two.")
    return (score - 1 / len(defined)) / (1 - 1 / len(defined))


@also_of_label_tables
def precision_recall_fscore_support(
    y_true: Target,
    y_pred: Target,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Any = ("precision", "recall", "f-score"),
    sample_weight: Weights | None = None,
    zero_division: str | float = "warn",
) -> tuple[Any, Any, Any, Any]:
    r"""Precision, recall, F and the number of rows of each class, or their averages.

    .. math:: P = \frac{TP}{TP+FP}, \quad R = \frac{TP}{TP+FN}, \quad
              F_\beta = \frac{(1+\beta^2)\,TP}{(1+\beta^2)\,TP + \beta^2 FN + FP}

    Parameters
    ----------
    y_true, y_pred : (n,) labels
    beta : how many times recall weighs as much as precision; 0 and infinity are allowed
    labels : the classes that count and, for ``average=None``, their order
    pos_label : the class of ``average="binary"``
    average : None (each class), "binary", "micro" (counts added first), "macro" (mean of the classes), "weighted"
        (mean weighted by rows)
    warn_for : for which undefined measures to warn
    sample_weight : (n,)
    zero_division : "warn" (0 and a warning), 0, 1 or NaN (left out of averages), where the denominator is 0

    Returns
    -------
    precision, recall, fscore : (K,) or floats      support : (K,) or None

    Examples
    --------
    >>> from assay.metrics import precision_recall_fscore_support
    >>> precision_recall_fscore_support(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    (array([1. , 0.66666667]), array([0.5, 1. ]), array([0.66666667, 0.8 ]), array([2, 2]))
    """
    who = "precision_recall_fscore_support"
    if not isinstance(beta, (int, float, np.number)) or not beta >= 0:
        raise ParameterError(f"beta must be a number from 0 up, got {beta!r}.", who=who)
    pair = labelled(y_true, y_pred, who, sample_weight)
    tp, predicted, true = margins(pair, check_average(pair, average, labels, pos_label, who))
    if average == "micro":
        tp, predicted, true = (np.array([v.sum()]) for v in (tp, predicted, true))
    warning_names = {m: m.capitalize() if m in warn_for else "" for m in ("precision", "recall", "f-score")}
    P = divided(tp, predicted, zero_division, who, warning_names["precision"])
    R = divided(tp, true, zero_division, who, warning_names["recall"])
    if np.isposinf(beta):
        F = R
    elif beta == 0:
        F = P
    else:
        # beta^2 : 1, divided by a large beta^2 so that neither overflows
        near, far = (1.0, (1 / float(beta)) ** 2) if beta > 1 else (float(beta) ** 2, 1.0)
        F = divided(
            (near + far) * tp, near * true + far * predicted, zero_division, who, warning_names["f-score"]
        )
    if average is None:
        return P, R, F, true
    mass = true if average == "weighted" else None
    return _mean(P, mass), _mean(R, mass), _mean(F, mass), None


def _mean(values: np.ndarray, mass: np.ndarray | None) -> float:
    """Mean of the values that are not NaN; weights that are all zero are ignored."""
    defined = ~np.isnan(values)
    if not defined.any():
        return float("nan")
    weights_of_defined = None if mass is None or not mass[defined].any() else mass[defined]
    return float(np.average(values[defined], weights=weights_of_defined))


@also_of_label_tables
def precision_score(
    y_true: Target,
    y_pred: Target,
    *,
    labels: Labels | None = None,
    pos_label: Label = 1,
    average: str | None = "binary",
    sample_weight: Weights | None = None,
    zero_division: str | float = "warn",
) -> Any:
    """Share of positives among rows predicted positive; parameters as in :func:`precision_recall_fscore_support`.

    >>> from assay.metrics import precision_score
    >>> precision_score([0, 1, 1, 0, 0], [0, 1, 1, 1, 1])
    0.5
    """
    return precision_recall_fscore_support(
        y_true, y_pred, labels=labels, pos_label=pos_label, average=average, warn_for=("precision",),
        sample_weight=sample_weight, zero_division=zero_division,
    )[0]  # fmt: skip


@also_of_label_tables
def recall_score(
    y_true: Target,
    y_pred: Target,
    *,
    labels: Labels | None = None,
    pos_label: Label = 1,
    average: str | None = "binary",
    sample_weight: Weights | None = None,
    zero_division: str | float = "warn",
) -> Any:
    """Share of the positive rows predicted positive; parameters as in :func:`precision_recall_fscore_support`.

    >>> from assay.metrics import recall_score
    >>> recall_score([0, 1, 1, 1, 1], [0, 1, 1, 1, 0])
    0.75
    """
    return precision_recall_fscore_support(
        y_true, y_pred, labels=labels, pos_label=pos_label, average=average, warn_for=("recall",),
        sample_weight=sample_weight, zero_division=zero_division,
    )[1]  # fmt: skip


@also_of_label_tables
def f1_score(
    y_true: Target,
    y_pred: Target,
    *,
    labels: Labels | None = None,
    pos_label: Label = 1,
    average: str | None = "binary",
    sample_weight: Weights | None = None,
    zero_division: str | float = "warn",
) -> Any:
    """The harmonic mean of precision and recall; ``average="macro"`` is the mean of the classes' F1.

    For the other convention, F1 of the mean precision and recall, see :func:`macro_f1_score`; parameters as in
    :func:`precision_recall_fscore_support`.

    >>> from assay.metrics import f1_score
    >>> round(f1_score([0, 1, 1, 1, 0], [0, 1, 1, 0, 1]), 4)
    0.6667
    """
    return fbeta_score(
        y_true, y_pred, beta=1.0, labels=labels, pos_label=pos_label, average=average, sample_weight=sample_weight,
        zero_division=zero_division,
    )  # fmt: skip


@also_of_label_tables
def fbeta_score(
    y_true: Target,
    y_pred: Target,
    *,
    beta: float,
    labels: Labels | None = None,
    pos_label: Label = 1,
    average: str | None = "binary",
    sample_weight: Weights | None = None,
    zero_division: str | float = "warn",
) -> Any:
    """F with recall weighing beta times as much; parameters as in :func:`precision_recall_fscore_support`.

    >>> from assay.metrics import fbeta_score
    >>> round(fbeta_score([0, 1, 1, 1, 1], [0, 1, 1, 0, 0], beta=2), 4)
    0.5556
    """
    return precision_recall_fscore_support(
        y_true, y_pred, beta=beta, labels=labels, pos_label=pos_label, average=average, warn_for=("f-score",),
        sample_weight=sample_weight, zero_division=zero_division,
    )[2]  # fmt: skip


def macro_f1_score(
    y_true: Target,
    y_pred: Target,
    *,
    of: str = "classes",
    labels: Labels | None = None,
    sample_weight: Weights | None = None,
) -> float:
    r"""Macro F1 in either of its two conventions, which differ.

    .. math:: \frac1K\sum_k \frac{2P_kR_k}{P_k+R_k} \quad\text{("classes")}, \qquad
              \frac{2\bar P\bar R}{\bar P+\bar R} \quad\text{("means")}

    Parameters
    ----------
    y_true, y_pred : (n,) labels
    of : "classes", the mean of the classes' F1 (scikit-learn's), or "means", F1 of the mean precision and recall
    labels : the classes that count
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import macro_f1_score
    >>> truth, answer = ["a", "a", "a", "b"], ["a", "a", "b", "b"]
    >>> round(macro_f1_score(truth, answer), 4), round(macro_f1_score(truth, answer, of="means"), 4)
    (0.7333, 0.7895)
    """
    if of not in ("classes", "means"):
        raise ParameterError(f"macro_f1_score: of must be 'classes' or 'means', got {of!r}.")
    P, R, F, _ = precision_recall_fscore_support(
        y_true, y_pred, labels=labels, average="macro", sample_weight=sample_weight, zero_division=0
    )
    if of == "classes":
        return float(F)
    return 2 * P * R / (P + R) if P + R > 0 else 0.0


@also_of_label_tables
def jaccard_score(
    y_true: Target,
    y_pred: Target,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Weights | None = None,
    zero_division: str | float = "warn",
) -> Any:
    """Rows in both over rows in either, TP / (TP + FP + FN); options as in :func:`precision_recall_fscore_support`.

    >>> from assay.metrics import jaccard_score
    >>> jaccard_score([0, 1, 1, 1, 0], [0, 1, 1, 0, 1])
    0.5
    """
    who = "jaccard_score"
    pair = labelled(y_true, y_pred, who, sample_weight)
    tp, predicted, true = margins(pair, check_average(pair, average, labels, pos_label, who))
    if average == "micro":
        tp, predicted, true = (np.array([v.sum()]) for v in (tp, predicted, true))
    J = divided(tp, predicted + true - tp, zero_division, who, "Jaccard")
    return J if average is None else _mean(J, true if average == "weighted" else None)


def specificity_score(
    y_true: Target, y_pred: Target, *, labels: Any = None, pos_label: Any = 1, average: str | None = "binary",
    sample_weight: Weights | None = None, zero_division: str | float = "warn",
) -> Any:  # fmt: skip
    """Of the negative rows, the share predicted negative: TN / (TN + FP).

    Options as in :func:`precision_recall_fscore_support`.

    >>> from assay.metrics import specificity_score
    >>> specificity_score([0, 0, 0, 0, 1], [0, 0, 0, 1, 1])
    0.75
    """
    who = "specificity_score"
    pair = labelled(y_true, y_pred, who, sample_weight)
    tp, predicted, true = margins(pair, check_average(pair, average, labels, pos_label, who))
    n = float(len(pair.truth)) if pair.weight is None else pair.weight.sum()
    outside, quiet = (
        n - true,
        np.maximum(n - true - (predicted - tp), 0),
    )  # rounding may give a negative number
    if average == "micro":
        outside, quiet = np.array([outside.sum()]), np.array([quiet.sum()])
    S = divided(quiet, outside, zero_division, who, "Specificity")
    return S if average is None else _mean(S, true if average == "weighted" else None)


def geometric_mean_score(y_true: Target, y_pred: Target, *, sample_weight: Weights | None = None) -> float:
    r"""The geometric mean of the classes' recalls, :math:`(\prod_k R_k)^{1/K}`: 0 if the recall of one class is 0.

    Parameters
    ----------
    y_true, y_pred : (n,) labels
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import geometric_mean_score
    >>> round(geometric_mean_score([0, 0, 1, 1], [0, 1, 1, 1]), 4)
    0.7071
    """
    return float(_tables.g_mean(labelled(y_true, y_pred, "geometric_mean_score", sample_weight).table()))


def youden_score(y_true: Target, y_pred: Target, *, sample_weight: Weights | None = None) -> float:
    r"""Youden's index, sensitivity + specificity - 1: 0 for chance, 1 for a perfect classifier.

    For K classes :math:`(\sum_k R_k - 1)/(K - 1)`, the balanced accuracy rescaled so that chance is 0.

    Parameters
    ----------
    y_true, y_pred : (n,) labels of at least two classes
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import youden_score
    >>> youden_score([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    one_column(y_true, "youden_score", "the truth")
    index = float(_tables.youden(labelled(y_true, y_pred, "youden_score", sample_weight).table()))
    if np.isnan(index):
        raise DataError("youden_score: the truth has one class only, the index needs two.")
    return index


UNIT = (0.0, 1.0)


def _right(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return np.trace(T), T.sum()


def _wrong(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T.sum() - np.trace(T), T.sum()


def _recall(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T[k, k], T[k].sum()


def _missed(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T[k].sum() - T[k, k], T[k].sum()


def _precision(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T[k, k], T[:, k].sum()


def _specificity(T: np.ndarray, k: int) -> tuple[Any, Any]:
    outside = T.sum() - T[k].sum()
    return outside - (T[:, k].sum() - T[k, k]), outside


def _jaccard(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T[k, k], T[k].sum() + T[:, k].sum() - T[k, k]


def _f1_of_jaccard(J: float) -> float:
    return 2 * J / (1 + J)


def _youden_per_recall(K: int) -> float:
    return K / (K - 1)


ERROR = Measure(
    "error", OfTable(_tables.error, _wrong), "lower", "share of rows classified wrongly", bounds=UNIT,
    functions=(zero_one_loss,),
)  # fmt: skip
ACCURACY = Measure(
    "accuracy", OfTable(_tables.accuracy, _right), "higher", "share of rows classified rightly", bounds=UNIT,
    functions=(accuracy_score,),
)  # fmt: skip
BALANCED_ERROR = Measure(
    "balanced error", OfTable(_tables.balanced_error, mean_of=_missed), "lower", "mean error of the classes",
    bounds=UNIT,
)  # fmt: skip
BALANCED_ACCURACY = Measure(
    "balanced accuracy", OfTable(_tables.balanced_accuracy, mean_of=_recall), "higher", "mean recall of the classes",
    bounds=UNIT, functions=(balanced_accuracy_score,),
)  # fmt: skip
PRECISION = Measure(
    "precision", OfTable(_tables.precisions_or_zero, _precision, mean_of=_precision, classes="positive"), "higher",
    "share of rows answered as the positive class that are of it, mean over classes if more than two", bounds=UNIT,
    functions=(precision_score,),
)  # fmt: skip
RECALL = Measure(
    "recall", OfTable(_tables.recalls, _recall, mean_of=_recall, classes="positive"), "higher",
    "share of rows of the positive class that are recognised, mean over classes if more than two", bounds=UNIT,
    functions=(recall_score,), aliases=("sensitivity",),
)  # fmt: skip
F1 = Measure(
    "f1", OfTable(_tables.f_measures, _jaccard, _f1_of_jaccard, classes="positive"), "higher",
    "harmonic mean of precision and recall of the positive class, mean over classes if more than two", bounds=UNIT,
    functions=(f1_score, fbeta_score),
)  # fmt: skip
JACCARD = Measure(
    "jaccard", OfTable(_tables.jaccards, _jaccard, classes="positive"), "higher",
    "rows of the positive class and answered so over rows in either, mean over classes if more than two", bounds=UNIT,
    functions=(jaccard_score,),
)  # fmt: skip
SPECIFICITY = Measure(
    "specificity", OfTable(_tables.specificities, _specificity, classes="positive"), "higher",
    "share of other rows not taken for the positive class, mean over classes if more than two", bounds=UNIT,
    functions=(specificity_score,),
)  # fmt: skip
MACRO_PRECISION = Measure(
    "macro precision", OfTable(_tables.precisions_or_zero, mean_of=_precision, classes="mean"), "higher",
    "mean precision of the classes", bounds=UNIT, aliases=("precision macro",),
)  # fmt: skip
MACRO_RECALL = Measure(
    "macro recall", OfTable(_tables.recalls, mean_of=_recall, classes="mean"), "higher", "mean recall of the classes",
    bounds=UNIT, aliases=("recall macro",),
)  # fmt: skip
MACRO_F1 = Measure(
    "macro f1", OfTable(_tables.f_measures, classes="mean"), "higher", "mean F1 of the classes", bounds=UNIT,
    functions=(macro_f1_score,), aliases=("f1 macro",),
)  # fmt: skip
F1_OF_MEANS = Measure(
    "f1 of means",
    OfTable(_tables.f1_of_means),
    "higher",
    "F1 of the mean precision and the mean recall",
    bounds=UNIT,
)
G_MEAN = Measure(
    "g-mean", OfTable(_tables.g_mean, mean_of=_recall, geometric=True), "higher",
    "geometric mean of the classes' recalls", bounds=UNIT, functions=(geometric_mean_score,),
)  # fmt: skip
YOUDEN = Measure(
    "youden", OfTable(_tables.youden, mean_of=_recall, stretch=_youden_per_recall), "higher",
    "mean recall with chance at 0", bounds=(-1.0, 1.0), functions=(youden_score,),
)  # fmt: skip
