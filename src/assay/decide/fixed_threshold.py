"""FixedThresholdClassifier: say the positive class where its score reaches a threshold of your own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from assay.core import Card
from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Explanations
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_, Choice, Range
from assay.decide._meta import MetaClassifier, Wrapper, posterior_of
from assay.decide.reasoning import inner_reasoning
from assay.decide.scores import class_scores
from assay.decide.threshold import positive_class
from assay.errors import DataError, ParameterError
from assay.types import Estimator, Label, TableLike, Target, Weights

__all__ = ["FixedThresholdClassifier"]


class Thresholded(MetaClassifier):
    """Two classes, one score, one threshold."""

    response_method: str
    pos_label: Any

    @available_if(lambda self: self._inner_has("predict_proba"))
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the wrapped classifier's posterior, unchanged."""
        return posterior_of(self._model(), self._admit(X), self.classes_, type(self).__name__)

    @available_if(lambda self: self._inner_has("predict_proba"))
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the wrapped classifier's posterior."""
        return np.asarray(self._model().predict_log_proba(self._admit(X)))

    @available_if(lambda self: self._inner_has("decision_function"))
    def decision_function(self, X: TableLike) -> np.ndarray:
        """The wrapped classifier's decision function, unchanged."""
        return np.asarray(self._model().decision_function(self._admit(X)))

    def _inner_has(self, name: str) -> bool:
        return hasattr(getattr(self, "estimator_", None) or self._template(), name)

    def _score(self, model: Any, X: Any, positive: int) -> tuple[np.ndarray, float]:
        """(n,) the score of the positive class, and the threshold that stands for no preference."""
        if self.response_method == "decision_function" or not hasattr(model, "predict_proba"):
            if not hasattr(model, "decision_function"):
                raise ParameterError(
                    f"{type(self).__name__}: {type(model).__name__} has no decision_function to set a threshold on."
                )
            scores = np.asarray(model.decision_function(X), dtype=np.float64)
            if scores.ndim == 2:
                scores = scores[:, 1] - scores[:, 0]
            return (scores if positive == 1 else -scores), 0.0
        return class_scores(model, X)[0][:, positive], 0.5

    def _explain_table(self, X: Any) -> Explanations:
        model, X = self._model(), self._admit(X)
        answers = self.predict(X).tolist()
        inner = inner_reasoning(model, X, len(answers))
        return inner.then(type(self).__name__, self._comparison(model, X), answers=answers)

    def _comparison(self, model: Any, X: Any) -> Callable[[int], list[Section]]:
        """For each row, the score beside the threshold in use."""
        positive = positive_class(self.classes_, self.pos_label, type(self).__name__)
        score, even = self._score(model, X, positive)
        cut = even if isinstance(self._cut, str) else float(self._cut)
        name = str(self.classes_[positive])
        heads, note = (
            ["class", "score", "threshold"],
            f"{name} is predicted where its score reaches the threshold.",
        )
        return lambda i: [Section("Threshold", heads, [[name, float(score[i]), cut]], note)]

    @property
    def _cut(self) -> Any:
        """The threshold in use, or "auto"."""
        raise TypeError(f"{type(self).__name__} must say which threshold it uses")

    def _predict_by(self, model: Any, X: Any, threshold: Any) -> np.ndarray:
        positive = positive_class(self.classes_, self.pos_label, type(self).__name__)
        score, even = self._score(model, X, positive)
        cut = even if isinstance(threshold, str) else threshold
        return self.classes_[np.where(score >= cut, positive, 1 - positive)]


class FixedThresholdClassifier(Wrapper, Thresholded):
    """Say the positive class where its score reaches a threshold of your own.

    Cost: fit that of the classifier; predict that of the classifier, and O(K) a row; memory O(1), and the classifier.

    Parameters
    ----------
    estimator : classifier of two classes, fitted or not; default None is Gaussian naive Bayes
        One that came fitted is used as it is, without ``fit``.
    threshold : "auto" (default: 0.5 for probabilities, 0 for a decision function) or a number
    pos_label : the positive class, default the last of ``classes_``
    response_method : "auto" (default: probabilities if there are any), "predict_proba", "decision_function"

    Attributes
    ----------
    classes_ : (2,)      estimator_ : the fitted classifier

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.decide import FixedThresholdClassifier
    >>> bayes = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["no", "no", "yes", "yes"])
    >>> bayes.predict_proba([[2.7], [3.5]])[:, 1].round(2)
    array([0.23, 0.88])
    >>> FixedThresholdClassifier(bayes, threshold=0.2).predict([[2.7], [3.5]])
    array(['yes', 'yes'], dtype='<U3')

    See Also
    --------
    TunedThresholdClassifierCV : chooses the threshold
    DecisionRule : computes it from costs

    References
    ----------
    - Elkan, C. (2001). The foundations of cost-sensitive learning. International Joint Conference on Artificial
      Intelligence, 973-978.
    """

    card = Card("fixed threshold", "two classes: a classifier with a threshold of one's own", wraps=True)
    multiclass = "two classes only"
    accepts = {
        "estimator": Any_("a classifier, or None"),
        "pos_label": Any_("a class label, or None"),
        "threshold": Range() | Choice("auto"),
        "response_method": Choice("auto", "predict_proba", "decision_function"),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        threshold: float | str = "auto",
        pos_label: Label | None = None,
        response_method: str = "auto",
    ):
        self.estimator = estimator
        self.threshold = threshold
        self.pos_label = pos_label
        self.response_method = response_method

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **fit_params: Any) -> Self:
        """Fit a clone of the wrapped classifier; X reaches it as it is."""
        values, target, w = self._start(X, y, sample_weight)
        two_classes(self.classes_, type(self).__name__)
        positive_class(self.classes_, self.pos_label, type(self).__name__)
        self.estimator_ = self._fit_part(values, target, w, self._routed(sample_weight, fit_params))
        return self

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) labels by the threshold."""
        model = self._model()
        two_classes(self.classes_, type(self).__name__)
        return self._predict_by(model, self._admit(X), self.threshold)

    @property
    def _cut(self) -> Any:
        return self.threshold

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def two_classes(classes: np.ndarray, who: str) -> None:
    """Raise unless there are two classes."""
    if len(classes) != 2:
        raise DataError(
            f"{who}: Only binary classification is supported by one threshold, y has {len(classes)} "
            f"class{'' if len(classes) == 1 else 'es'}. For more: DecisionRule, TunedThresholdClassifierCV."
        )
