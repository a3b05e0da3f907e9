"""Base class of outlier detectors: score of normality, threshold, prediction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OutlierMixin

from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.parameters import Accepted, Choice, Range
from assay.core.stored import Scalar
from assay.types import TableLike, Target

__all__ = ["CONTAMINATION", "Detector", "above"]

CONTAMINATION: Accepted = Choice("auto") | Range(0, 0.5, open="low")


class Detector(OutlierMixin, Learner):
    """A learner of what is usual: rows unlike most of the training rows are outliers.

    A detector writes ``_learn(X)``, which may keep the scores of the training rows in ``_training_scores`` (where a row
    must not contribute to its own score), ``_score(X)``, larger for usual rows, and ``usual_offset``, the score below
    which a row is an outlier when ``contamination="auto"``.

    Attributes
    ----------
    offset_ : float, the score below which a row is an outlier
    """

    stored = {"offset_": Scalar()}

    usual_offset: ClassVar[float] = -1.5
    contamination: Any
    offset_: float

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:
        """Learn from the rows of X what is usual; y is ignored."""
        self._check_parameters()
        return self._fit_values(self._admit(X, fitting=True))

    def _fit_values(self, values: Any) -> Self:
        scores = self._learn(values)
        if isinstance(self.contamination, str):
            self.offset_ = float(self._auto_offset())
        else:
            scores = self._score(values) if scores is None else scores
            self.offset_ = quantile(scores, self.contamination)
        return self

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) how usual each row is: the lower, the more of an outlier."""
        return self._score(self._admit(X))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) the score less the threshold: negative for outliers."""
        return above(self.score_samples(X), self.offset_)

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) -1 for outliers, 1 for all others."""
        return sides(self.decision_function(X))

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row is an outlier or is none: an Explanation for one row, Explanations for several."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        scores, threshold = self._score(X), float(self.offset_)
        answers = ["outlier" if side < 0 else "inlier" for side in self._decided(scores)]
        reasons = self._reasons(X, rows)

        def sections(i: int) -> list[Section]:
            return [
                Section("Score", ["score", "threshold"], [[float(scores[i]), threshold]]),
                *reasons.sections(i),
            ]

        return Explanations(type(self).__name__, answers, rows, replace(reasons, sections=sections))

    def _decided(self, scores: np.ndarray) -> np.ndarray:
        """The scores less the threshold."""
        return above(scores, self.offset_)

    def _auto_offset(self) -> float:
        return self.usual_offset

    def _learn(self, X: Any) -> np.ndarray | None:
        """Learn; and return the scores of the training rows if they are known, else None."""
        raise TypeError(f"{type(self).__name__} must define _learn")

    def _score(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _score")


def quantile(scores: np.ndarray, share: float) -> float:
    """The score below which that share of the rows lies, between neighbours by a straight line."""
    if np.isfinite(scores).all():
        return float(np.percentile(scores, 100.0 * share))
    return float(np.percentile(scores, 100.0 * share, method="lower"))  # there is no line to infinity


def above(scores: np.ndarray, offset: float) -> np.ndarray:
    """The scores less the offset; equal infinities are 0 apart."""
    with np.errstate(invalid="ignore"):
        return np.where(scores == offset, 0.0, scores - offset)


def sides(decision: np.ndarray) -> np.ndarray:
    """-1 where a decision is negative, else 1."""
    return np.where(decision < 0, -1, 1)
