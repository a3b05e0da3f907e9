"""What classifiers by the sign of one score share: two classes, and what a score of 0 means."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from assay.core.discriminant import Discriminant
from assay.core.explanations import Explanations, RowValues
from assay.core.seeds import random_state_of
from assay.core.targets import check_weights, encode_labels
from assay.errors import DataError
from assay.linear.linear_classifier import LinearClassifier
from assay.types import TableLike, Target, Weights

__all__ = ["SignClassifier"]


class SignClassifier(LinearClassifier, Discriminant):
    r"""Base of learners of :math:`\hat y = \mathrm{sign}(w^Tx + w_0)`: the second class above 0, the first below.

    On the hyperplane itself ``tie`` decides: "positive" is the second class, "random" draws one, "reject" answers
    "reject" (then answers are Python objects, unless the labels are text).
    """

    remedy_for_more: ClassVar[str] = (
        "For more: LogisticRegression, Perceptron, or OneVsRestClassifier around it."
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the class on whose side each row is; on the hyperplane according to ``tie``."""
        values = self._admit(X)
        chosen = self._choose(values)
        if self._tie != "reject":
            return self.classes_[chosen]
        text = self.classes_.dtype.kind == "U"
        names = np.array([*self.classes_.tolist(), "reject"], dtype=None if text else object)
        return names[np.where(self._scores(values) == 0, 2, chosen)]

    def score(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> float:
        """The share of rows answered right; a rejected row is not."""
        if self._tie != "reject":
            return super().score(X, y, sample_weight)
        answers = self.predict(X)
        labels, codes = encode_labels(y, len(answers), type(self).__name__)
        right = answers == labels.astype(object)[codes]
        return float(np.average(right, weights=check_weights(sample_weight, answers)))

    def _choose(self, X: Any) -> np.ndarray:
        scores = self._scores(X)
        chosen = (scores >= 0).astype(np.int64)
        even = np.flatnonzero(scores == 0)
        if self._tie == "random" and len(even):
            chosen[even] = random_state_of(getattr(self, "random_state", None)).randint(2, size=len(even))
        return chosen

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        block = super()._explain_block(X, rows)
        if self._tie != "reject":
            return block
        answers = ["reject" if g == 0 else a for g, a in zip(self._scores(X), block.answers)]
        return replace(block, answers=answers)

    @property
    def _tie(self) -> str:
        return getattr(self, "tie", "positive")

    def _refuse_other_than_two(self) -> None:
        K = len(self.classes_)
        if K == 1:
            raise DataError(
                f"{type(self).__name__} tells two classes apart, y has 1 class ({self.classes_[0]})."
            )
        if K > 2:
            # scikit-learn's checks look for the first sentence
            raise DataError(
                f"Only binary classification is supported. {type(self).__name__} separates two classes, y has {K}. "
                f"{self.remedy_for_more}"
            )
