"""Classifiers that learn several targets at once: y is a table with one column of classes for each target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Explanations, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Classifier, python_labels
from assay.core.targets import check_weights, encode_targets, is_table, side_by_side
from assay.types import TableLike, Target, Weights

__all__ = ["MultiTargetClassifier"]


class MultiTargetClassifier(Classifier):
    """A classifier whose y may have several columns, one for each target.

    With one target all is as in :class:`Classifier`. With O targets ``classes_`` and ``n_classes_`` are lists,
    ``predict`` gives (n, O) labels and ``predict_proba`` a list of O posteriors. A learner writes ``_learn_several``
    and ``_posteriors`` besides ``_learn`` and ``_posterior``.

    Attributes
    ----------
    classes_ : (K,) labels, or a list of such      n_classes_ : int, or a list of such      n_outputs_ : int

    Examples
    --------
    >>> from assay.trees import DecisionTreeClassifier
    >>> Y = [["a", "low"], ["a", "high"], ["b", "high"]]
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], Y)
    >>> model.predict([[0.0], [9.0]])
    array([['a', 'low'],
           ['b', 'high']], dtype='<U4')
    >>> [posterior.shape for posterior in model.predict_proba([[0.0], [9.0]])]
    [(2, 2), (2, 2)]
    """

    n_outputs_: int
    n_classes_: Any
    classes_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output = True
        return tags

    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and their classes y, (n,), or (n, O) for several targets."""
        if is_table(y, type(self).__name__):
            return self._fit_several(X, y, sample_weight)
        return super().fit(X, y, sample_weight)

    @all_or_nothing
    def _fit_several(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        values = self._admit(X, fitting=True)
        self.classes_, codes = encode_targets(y, values.shape[0], type(self).__name__)
        self._remember_targets(y)
        self.n_classes_, self.n_outputs_ = [len(labels) for labels in self.classes_], codes.shape[1]
        self._learn_several(values, codes, check_weights(sample_weight, values))
        return self

    @property
    def _several(self) -> bool:
        """Whether the model answers for several targets."""
        self._ready()
        return getattr(self, "n_outputs_", 1) > 1

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable class, among equals the first of ``classes_``; of several targets (n, O)."""
        return self._labels_of_targets(self._admit(X)) if self._several else super().predict(X)

    def predict_proba(self, X: TableLike) -> Any:
        """(n, K) the posterior probability of each class; of several targets a list of such."""
        return self._posteriors(self._admit(X)) if self._several else super().predict_proba(X)

    def predict_log_proba(self, X: TableLike) -> Any:
        """(n, K) the logarithm of the posterior; of several targets a list of such."""
        if not self._several:
            return super().predict_log_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(posterior) for posterior in self.predict_proba(X)]

    def _labels_of_targets(self, X: Any) -> np.ndarray:
        """(n, O) the most probable class of each target."""
        posteriors = zip(self.classes_, self._posteriors(X))
        return side_by_side([labels[np.argmax(posterior, axis=1)] for labels, posterior in posteriors])

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        if not self._several:
            return super()._explain_block(X, rows)
        answers = [python_labels(labels) for labels in self._labels_of_targets(X)]
        highest = [posterior.max(axis=1) for posterior in self._posteriors(X)]
        reasons = self._reasons(X, rows)
        names = self._target_names(len(highest))

        def sections(i: int) -> list[Section]:
            lines = [[name, str(a), float(p[i])] for name, a, p in zip(names, answers[i], highest)]
            return [Section("Targets", ["target", "answer", "probability"], lines), *reasons.sections(i)]

        return Explanations(type(self).__name__, answers, rows, replace(reasons, sections=sections))

    def _learn_several(self, X: Any, codes: np.ndarray, w: np.ndarray | None) -> None:
        raise TypeError(f"{type(self).__name__} must define _learn_several")

    def _posteriors(self, X: Any) -> list[np.ndarray]:
        """One (n, K) posterior for each target."""
        raise TypeError(f"{type(self).__name__} must define _posteriors")

    def _target_labels(self) -> list[str]:
        """The classes of all targets in one line: 'ill = no', 'ill = yes', 'size = low', ..."""
        names = self._target_names(len(self.classes_))
        return [
            f"{name} = {label}" for name, labels in zip(names, self.classes_) for label in labels.tolist()
        ]
