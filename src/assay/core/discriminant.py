"""Classifiers whose scores are no probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.available import available_if
from assay.core.explanations import Explanations, RowValues
from assay.core.learner import Classifier, python_labels
from assay.types import Codes, TableLike

__all__ = ["Discriminant"]


def _never(self: Any) -> bool:
    raise AttributeError(
        f"{type(self).__name__} gives scores, no probabilities: use decision_function, or calibrate it with "
        "assay.decide.CalibratedClassifierCV."
    )


class Discriminant(Classifier):
    """A learner of classes that scores them without believing in probabilities.

    A subclass writes ``_learn(X, y, w)`` and ``_scores(X)``: (n,) for two classes, the second where the score is
    above 0, or (n, K), the class with the largest. ``predict_proba`` is not there (``hasattr`` says so).
    """

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) the score of the second class for two classes, else (n, K)."""
        return self._scores(self._admit(X))

    @available_if(_never)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Not available: scores are no probabilities."""
        raise AssertionError("available_if lets nobody in")

    @available_if(_never)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Not available: scores are no probabilities."""
        raise AssertionError("available_if lets nobody in")

    def _choose(self, X: Any) -> np.ndarray:
        scores = self._scores(X)
        if scores.ndim == 2:
            best: Codes = np.argmax(scores, axis=1)
            return best
        return (scores > 0).astype(np.int64) if len(self.classes_) > 1 else np.zeros(len(scores), np.int64)

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        answers = python_labels(self.classes_[self._choose(X)])
        return Explanations(type(self).__name__, answers, rows, self._reasons(X, rows))

    def _scores(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _scores")
