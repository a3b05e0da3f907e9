"""The majority classifier: the most frequent class, without looking at the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.stored import FloatArray

__all__ = ["MajorityClassifier"]


class MajorityClassifier(Classifier):
    r"""Always predict the most frequent class.

    The posterior is the share of each class among the training rows, :math:`P(C_k|x) = n_k/n`. A learner that
    is no better than this one has learned nothing from the columns. It takes every table: categories,
    missing values, sparse.

    Cost: fit O(n); predict O(1) a row; memory O(K).

    Attributes
    ----------
    class_prior_ : (K,) the share of each class

    Examples
    --------
    >>> from assay.baselines import MajorityClassifier
    >>> model = MajorityClassifier().fit([[1], [2], [3], [4]], ["no", "yes", "no", "no"])
    >>> model.predict([[2]]), model.predict_proba([[2]])
    (array(['no'], dtype='<U3'), array([[0.75, 0.25]]))

    See Also
    --------
    OneRClassifier, MeanRegressor

    References
    ----------
    - Holte, R. C. (1993). Very simple classification rules perform well on most commonly used datasets.
      Machine Learning 11, 63-90. doi:10.1023/A:1022631118932
    """

    card = Card(
        "majority",
        "the most frequent class; the baseline",
        also=("baseline", "dummy", "prior"),
        suits="any",
        learns=("the class shares", "log loss", "counting", "analytic"),
    )
    stored = {"class_prior_": FloatArray("K", low=0)}

    takes = frozenset({"nominal", "missing", "sparse"})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # it does not look at the columns
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        counts = np.bincount(y, weights=w, minlength=len(self.classes_))
        self.class_prior_ = counts / counts.sum()

    def _posterior(self, X: Any) -> np.ndarray:
        return np.tile(self.class_prior_, (X.shape[0], 1))
