"""What the meta-classifiers share: one wrapped classifier, its posterior, and folds."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from assay.core.explanation import Explanation
from assay.core.explanations import Explanations
from assay.core.meta_estimator import MetaEstimator, aligned, takes_tables
from assay.core.targets import EncodedLabels, check_weights, encode_labels
from assay.decide.decision import check_posterior
from assay.errors import DataError, ParameterError
from assay.tables import RowNames
from assay.tables.rows import row_count
from assay.types import Estimator, Splitter, TableLike


class MetaClassifier(ClassifierMixin, MetaEstimator):
    """A classifier around another one, ``estimator``; None stands for Gaussian naive Bayes."""

    multiclass = "as the estimator"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._template())
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags is None or inner.classifier_tags.multi_class
        tags.classifier_tags.poor_score = (
            inner.classifier_tags is not None and inner.classifier_tags.poor_score
        )
        return tags

    def _score_by_blocks(self) -> str:
        return "mean"

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """The wrapped classifier's reasoning, then what was made of it; Explanations for several rows."""
        return replace(copy(self)._explain_table(X), names=RowNames.of(X)).one_or_all()

    def _explain_table(self, X: Any) -> Explanations:
        raise TypeError(f"{type(self).__name__} must define _explain_table")

    def _default_estimator(self) -> Any:
        from assay.bayes import GaussianNB

        return GaussianNB()

    def _start(
        self, X: Any, y: Any, sample_weight: Any = None, fitted: Any = None
    ) -> tuple[Any, EncodedLabels, np.ndarray | None]:
        """Check the parameters; set ``classes_``; return X as the classifier takes it, the target and the weights.

        ``fitted`` is a classifier that is used as it is: the columns are those that it knows.
        """
        self._check_parameters()
        who = type(self).__name__
        if fitted is None:
            values = self._admit(X, fitting=True)
        else:
            self._show_columns_of(fitted)
            values = self._read(X) if takes_tables(fitted) else X
        n = row_count(values, who)
        self.classes_, codes = encode_labels(y, n, who)
        weights = None if sample_weight is None else check_weights(sample_weight, np.empty((n, 1)))
        return values, EncodedLabels(codes, self.classes_), weights

    def _show_columns_of(self, model: Any) -> None:
        """Show what a model that came fitted has seen."""
        for name in ("n_features_in_", "feature_names_in_", "schema_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
            elif name in vars(self):
                delattr(self, name)


class Wrapper(MetaClassifier):
    """A meta-classifier that uses a classifier which came fitted as it is, without ``fit``."""

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self) or (self.estimator is not None and is_fitted(self.estimator))

    def __getattr__(self, name: str) -> Any:
        """What a wrapped classifier that came fitted knows: its classes and columns."""
        if name in ("classes_", "estimator_", "n_features_in_", "feature_names_in_", "schema_"):
            inner = vars(self).get("estimator")
            if "estimator_" not in vars(self) and inner is not None and is_fitted(inner):
                return inner if name == "estimator_" else getattr(inner, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _model(self) -> Any:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call fit, or wrap a fitted classifier."
            )
        return self.estimator_


def posterior_of(model: Any, X: TableLike, classes: np.ndarray, who: str) -> np.ndarray:
    """(n, K) posterior of a fitted model, its columns in the order of ``classes``; absent classes get 0."""
    if not hasattr(model, "predict_proba"):
        raise ParameterError(
            f"{who}: {type(model).__name__} has no predict_proba, so there is no posterior to decide by. "
            f"Wrap it first: CalibratedClassifierCV({type(model).__name__}())."
        )
    P = np.asarray(model.predict_proba(X))
    P = check_posterior(P, f"{who} ({type(model).__name__})")
    return aligned(P, model.classes_, classes)


def is_fitted(model: Estimator) -> bool:
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        return False
    return hasattr(model, "classes_")


def folds(
    cv: Splitter, X: TableLike, y: EncodedLabels, who: str, split: Mapping[str, Any] | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs (train, test) of row numbers; ``split`` is what the splitter is given besides, such as groups.

    A splitter of the user's own is given X as it came, and labels.
    """
    from sklearn.model_selection import check_cv

    counts = np.bincount(y.present()[1])
    if cv is None:
        cv = min(5, max(2, int(counts.min())))
    if isinstance(cv, int) and counts.min() < cv:
        raise DataError(
            f"{who}: {cv} folds need at least {cv} rows of each class, one class has {counts.min()}. "
            "Lower cv, or merge rare classes."
        )
    splitter_sees_X = not isinstance(cv, int) and not isinstance(X, (list, tuple, Mapping))
    rows, labels = (X, np.asarray(y)) if splitter_sees_X else (np.zeros((len(y), 1)), y.codes)
    pairs = check_cv(cv, labels, classifier=True).split(rows, labels, **(split or {}))
    return [(np.asarray(a), np.asarray(b)) for a, b in pairs]
