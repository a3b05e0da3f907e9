"""Classifiers whose rows may have several labels at once: y is a table with a column of 0 and 1 for each label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.core.explanations import Explanations
from assay.core.fitting import all_or_nothing
from assay.core.targets import is_table
from assay.errors import DataError
from assay.types import TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.core.learner import Classifier as _Classifier
else:
    _Classifier = object  # a mixin: it stands before a classifier's base

__all__ = ["LabelTable", "has_labels"]


class LabelTable(_Classifier):
    """Mixin of linear classifiers that also learn a table of labels, one score for each; stands before the others.

    Subclasses define ``_label_regressor()``, an unfitted regressor on -1 and +1.
    """

    class_weight: Any
    coef_: Any
    intercept_: np.ndarray
    multilabel_: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **params: Any) -> Self:
        """Learn from the rows of X and their classes y, or their labels.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) class labels of any kind, or (n, labels) with 1 where a row has the label and 0 elsewhere
        sample_weight : (n,) what each row counts; None counts each once
        params : metadata for the splitter and the scorer, if the learner has them
        """
        if has_labels(y):
            return self._fit_labels(X, y, sample_weight, **params)
        if is_table(y, type(self).__name__):
            raise DataError(
                f"{type(self).__name__}: y should be a 1d array of classes, or a table of labels with 0 and 1 in each "
                "column; it has several columns of other values. Fit one model for each column of y."
            )
        self.__dict__.pop("multilabel_", None)
        return super().fit(X, y, sample_weight, **params)

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the class of each row; after learning a table of labels, (n, labels) of 0 and 1."""
        if not getattr(self, "multilabel_", False):
            return super().predict(X)
        return (self.decision_function(X) > 0).astype(np.int64)  # type: ignore[attr-defined]

    def _explain_table(self, X: Any) -> Explanations:
        if getattr(self, "multilabel_", False):
            raise DataError(
                f"{type(self).__name__}: explain speaks of one class a row, this model has learned "
                f"{len(self.classes_)} labels. Fit one model for each column of y."
            )
        return super()._explain_table(X)

    @all_or_nothing
    def _fit_labels(self, X: Any, y: Any, sample_weight: Any, **params: Any) -> Self:
        self._check_parameters()
        values = self._admit(X, fitting=True)
        has = np.asarray(y.toarray() if hasattr(y, "toarray") else y) > 0
        if len(has) != values.shape[0]:
            raise DataError(f"{type(self).__name__}: X has {values.shape[0]} rows and y has {len(has)}.")
        if self.class_weight is not None:
            from sklearn.utils.class_weight import compute_sample_weight

            factors = compute_sample_weight(self.class_weight, has.astype(int))
            sample_weight = factors if sample_weight is None else factors * np.asarray(sample_weight)
        model = self._label_regressor().fit(values, np.where(has, 1.0, -1.0), sample_weight, **params)
        self.classes_, self.multilabel_ = np.arange(has.shape[1]), True
        for name in ("coef_", "intercept_", "n_iter_", "solver_", "alpha_", "best_score_", "cv_results_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        self.intercept_ = np.broadcast_to(self.intercept_, len(self.classes_)).copy()
        return self

    def _label_regressor(self) -> Any:
        raise TypeError(f"{type(self).__name__} must define _label_regressor")


def has_labels(y: Target) -> bool:
    """Whether y is a table of labels: several columns of two values each.

    >>> from assay.linear.discriminants.label_table import has_labels
    >>> has_labels([[0, 1], [1, 1]]), has_labels([0, 1]), has_labels([[0], [1]])
    (True, False, False)
    """
    from sklearn.utils.multiclass import is_multilabel

    if isinstance(y, (list, tuple)) and not (y and isinstance(y[0], (list, tuple, np.ndarray))):
        return False
    shape = getattr(y, "shape", None)
    if shape is not None and len(shape) != 2:
        return False
    try:
        return bool(is_multilabel(y))
    except (TypeError, ValueError):
        return False
