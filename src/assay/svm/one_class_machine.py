"""What the one-class machines share: one class of rows, a region that holds most of them, and its outside."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from assay.core.fitting import all_or_nothing
from assay.core.stored import Scalar
from assay.core.targets import check_weights
from assay.outliers.detector import Detector
from assay.svm.exact_machine import ExactMachine
from assay.types import TableLike, Target, Weights

__all__ = ["OneClassMachine"]

ROUNDING = (
    1e-12  # of a score, as a share of the numbers it is made of: support vectors lie on the boundary itself
)


class OneClassMachine(ExactMachine, Detector):
    """Base of the machines that describe one class; a machine writes ``_learn_class(X, weight)`` and ``_score``.

    Attributes
    ----------
    offset_ : float, the score below which a row is an outlier
    """

    stored = {"offset_": Scalar()}
    _for_more_rows: ClassVar[str] = (
        "assay.outliers.IsolationForest looks for outliers in time that grows with the rows alone."
    )

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X where most of them lie; y is ignored."""
        self._check_parameters()
        values = self._admit(X, fitting=True)
        w = check_weights(sample_weight, values, type(self).__name__)
        weight = np.ones(values.shape[0]) if w is None else np.asarray(w, dtype=np.float64)
        self._learn_class(values, weight)
        return self

    def fit_predict(self, X: TableLike, y: Target | None = None, **params: Any) -> np.ndarray:
        """(n,) -1 for outliers among the rows of X, 1 for all others."""
        return self.fit(X, **params).predict(X)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) the score less the threshold: negative for outliers, exactly 0 on the boundary up to rounding."""
        return self._decided(self._score(self._admit(X)))

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) how usual each row is: the lower, the more of an outlier."""
        return self.decision_function(X) + self.offset_

    def _decided(self, scores: np.ndarray) -> np.ndarray:
        decision = scores - self.offset_
        size = abs(self.offset_) + float(abs(self.dual_coef_).sum())
        return np.where(np.abs(decision) <= ROUNDING * size, 0.0, decision)

    def _learn_class(self, X: Any, weight: np.ndarray) -> None:
        raise TypeError(f"{type(self).__name__} must define _learn_class")
