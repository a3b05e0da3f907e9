"""The measures that have names, each with what its interval needs to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.metrics import _tables

__all__ = ["MEASURES", "Measure", "measure_named"]

Table = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Measure:
    """A measure by name.

    Parameters
    ----------
    name : str
    kind : "table" (a function of the confusion table), "rows" (a mean over rows), "score" (of the order of scores) or
        "probability" (of the whole posterior)
    of : for "table", the function of (..., K, K) tables, or of such tables and a class
    rate : for a share of rows, the function (table, class) -> (successes, rows); None if it is no share
    bounds : smallest and largest value
    mean_of : for a mean over classes of such shares, the function (table, class) of each; None elsewhere
    per_class : whether it is of one class, and the mean over classes if none is named

    Examples
    --------
    >>> from assay.metrics.measures import measure_named
    >>> measure_named("Balanced_Accuracy").name
    'balanced accuracy'
    """

    name: str
    kind: str
    of: Any = None
    rate: Any = None
    bounds: tuple[float, float] = (0.0, 1.0)
    per_class: bool = False
    mean_of: Any = None


def _hit(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return np.trace(T), T.sum()


def _missed(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T.sum() - np.trace(T), T.sum()


def _recall(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T[k, k], T[k].sum()


def _precision(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T[k, k], T[:, k].sum()


def _specificity(T: np.ndarray, k: int) -> tuple[Any, Any]:
    outside = T.sum() - T[k].sum()
    return outside - (T[:, k].sum() - T[k, k]), outside


def _jaccard(T: np.ndarray, k: int) -> tuple[Any, Any]:
    return T[k, k], T[k].sum() + T[:, k].sum() - T[k, k]


SIGNED = (-1.0, 1.0)
MEASURES: dict[str, Measure] = {
    m.name: m
    for m in (
        Measure("accuracy", "table", _tables.accuracy, _hit),
        Measure("error", "table", _tables.error, _missed),
        Measure("balanced accuracy", "table", _tables.balanced_accuracy, mean_of=_recall),
        Measure("balanced error", "table", _tables.balanced_error, mean_of=_recall),
        Measure("macro precision", "table", _tables.macro_precision, mean_of=_precision),
        Measure("macro f1", "table", _tables.macro_f1),
        Measure("g-mean", "table", _tables.g_mean, mean_of=_recall),
        Measure("youden", "table", _tables.youden, bounds=SIGNED, mean_of=_recall),
        Measure("kappa", "table", _tables.kappa, bounds=SIGNED),
        Measure("matthews", "table", _tables.matthews, bounds=SIGNED),
        Measure("f1 of means", "table", _tables.f1_of_means),
        Measure("recall", "table", _tables.recalls, _recall, per_class=True, mean_of=_recall),
        Measure("precision", "table", _tables.precisions, _precision, per_class=True, mean_of=_precision),
        Measure("specificity", "table", _tables.specificities, _specificity, per_class=True),
        Measure("jaccard", "table", _tables.jaccards, _jaccard, per_class=True),
        Measure("f1", "table", _tables.f_measures, _jaccard, per_class=True),  # 2 J / (1 + J)
        Measure("log-loss", "rows", bounds=(0.0, np.inf)),
        Measure("brier", "rows", bounds=(0.0, 2.0)),
        Measure("cost", "rows", bounds=(-np.inf, np.inf)),
        Measure("auc", "score"),
        Measure("gini", "score", bounds=SIGNED),
        Measure("average precision", "score"),
        Measure("ece", "probability"),
    )
}
_ALSO = {
    "accuracy score": "accuracy", "balanced accuracy score": "balanced accuracy", "zero one loss": "error",
    "cohen kappa score": "kappa", "cohen kappa": "kappa", "mcc": "matthews", "matthews corrcoef": "matthews",
    "f1 score": "f1", "precision score": "precision", "recall score": "recall", "sensitivity": "recall",
    "specificity score": "specificity", "jaccard score": "jaccard", "geometric mean score": "g-mean",
    "g mean": "g-mean", "youden score": "youden", "log loss": "log-loss", "logloss": "log-loss",
    "brier score loss": "brier", "expected cost": "cost", "roc auc score": "auc", "roc auc": "auc",
    "gini score": "gini", "average precision score": "average precision", "calibration error": "ece",
    "f1 macro": "macro f1", "macro f1 score": "macro f1",
}  # fmt: skip


def measure_named(measure: Any) -> Measure | None:
    """The measure of a name, or of a function of this room; None for any other function."""
    if isinstance(measure, Measure):
        return measure
    if callable(measure):
        if not getattr(measure, "__module__", "").startswith("assay.metrics."):
            return None
        found = _ALSO.get(measure.__name__.replace("_", " "))
        return MEASURES.get(found) if found else None
    key = str(measure).strip().lower().replace("_", " ")
    key = _ALSO.get(key, key)
    if not isinstance(measure, str) or key not in MEASURES:
        raise ParameterError(
            f"with_interval: there is no measure {measure!r}. Known: {', '.join(MEASURES)}; or a function."
        )
    return MEASURES[key]
