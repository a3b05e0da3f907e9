"""Dot-product classifier: the class whose mean has the largest dot product with the row."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.gaussian_classifier import check_overflow
from assay.core import Card, Classifier, SumLearner
from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.moments import ClassMoments, class_moments
from assay.core.scores import winner
from assay.core.stored import FloatArray, Object
from assay.types import TableLike


def _never(self: Any) -> bool:
    raise AttributeError(
        "A dot product is a likeness, not a probability: use decision_function, or NearestMean for probabilities."
    )


class DotProductClassifier(SumLearner, Classifier):
    r"""Classify by the largest dot product with a class mean, the class's template.

    .. math:: g_k(x) = m_k^T x                                                      \quad (1)

    This is the nearest mean without its term :math:`-\frac12\lVert m_k\rVert^2`, so it
    is right when all templates have about the same length, for example when rows are scaled to unit length.
    A similarity is not a probability: there is no ``predict_proba``.

    Cost: fit O(n d) in one pass; predict O(d K) a row; memory O(d K).

    Attributes
    ----------
    means_ : (K, d) the templates; a class without weight has template 0 and never wins
    class_count_ : (K,) total weight of each class

    Examples
    --------
    >>> from assay.bayes import DotProductClassifier
    >>> model = DotProductClassifier().fit([[1.0, 0.0], [0.0, 1.0]], ["east", "north"])
    >>> model.decision_function([[2.0, 3.0]])                         # two classes: second minus first
    array([1.])
    >>> model.predict([[2.0, 3.0]])
    array(['north'], dtype='<U5')

    See Also
    --------
    NearestMean, LinearDiscriminantAnalysis

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "dot product",
        "the class whose mean has the largest dot product with the row",
        also=("template matching",),
        learns=("a mean of each class", "squared distance to the mean of the class", "means", "analytic"),
    )
    stored = {
        "_sums": Object(ClassMoments, K="K", d="p"),
        "class_count_": FloatArray("K", low=0),
        "means_": FloatArray("K", "p"),
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on clouds whose centres differ in length, by construction
        tags.input_tags.categorical = False
        return tags

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassMoments:
        return class_moments(X, y, w, len(self.classes_))

    def _solve(self, sums: ClassMoments) -> None:
        check_overflow(type(self).__name__, sums.mean)
        self.means_ = sums.mean
        self.class_count_ = sums.count

    def similarities(self, X: TableLike) -> np.ndarray:
        """(n, K) the dot product of each row with each template, (1)."""
        return self._likeness(self._admit(X))

    def _likeness(self, X: Any) -> np.ndarray:
        return np.where(self.class_count_ > 0, X @ self.means_.T, -np.inf)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the dot products; with two classes (n,), the second minus the first."""
        scores = self.similarities(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(_never)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Not available."""
        raise AttributeError("predict_proba")

    @available_if(_never)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Not available."""
        raise AttributeError("predict_log_proba")

    def _choose(self, X: Any) -> np.ndarray:
        return winner(self._likeness(X))

    def _posterior(self, X: Any) -> np.ndarray:
        """One-hot posterior of the predicted class, for explanations."""
        return np.eye(len(self.classes_))[self._choose(X)]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        labels = [str(label) for label in self.classes_]

        def sections(i: int) -> list[Section]:
            products = X[i] * self.means_
            lines = [[name, float(v), *map(float, p)] for name, v, p in zip(self._names, X[i], products.T)]
            lines.append(["sum", "", *map(float, products.sum(axis=1))])
            return [Section("Dot product with the class means", ["term", "value", *labels], lines)]

        return Reasons(sections)
