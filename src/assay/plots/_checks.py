"""Checks of the inputs of curves of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.words import quoted
from assay.decide.scores import class_scores
from assay.errors import DataError, ParameterError
from assay.types import Estimator, Label, TableLike, Target

__all__ = ["both_classes", "score_of"]


def both_classes(y_true: Target, who: str) -> None:
    """Refuse no rows and rows of one class; scikit-learn checks the rest."""
    labels = np.asarray(y_true)
    if labels.size == 0:
        raise DataError(f"{who}: there are no rows.")
    if labels.ndim == 1 and len(classes := list(dict.fromkeys(labels.tolist()))) == 1:
        raise DataError(
            f"{who}: all {len(labels)} rows are of class {classes[0]!r}. A curve needs rows of both classes."
        )


def score_of(estimator: Estimator, X: TableLike, pos_label: Label, who: str) -> tuple[Any, np.ndarray]:
    """The positive label and every row's score for it; of two classes the second is positive by default."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    if not hasattr(estimator, "classes_"):
        raise TypeError(f"{who}: {type(estimator).__name__} is no classifier: it has no classes_.")
    classes = np.asarray(estimator.classes_).tolist()
    if pos_label is None and len(classes) == 2:
        pos_label = classes[1]
    if pos_label not in classes:
        raise ParameterError(
            f"{who}: pos_label must be one of {', '.join(quoted(c) for c in classes[:10])}, got {pos_label!r}."
        )
    return pos_label, class_scores(estimator, X)[0][:, classes.index(pos_label)]
