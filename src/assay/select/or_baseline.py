"""A learner for selected columns, and the baseline where none was selected."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import get_tags

from assay.baselines import MajorityClassifier, MeanRegressor
from assay.core.available import available_if

__all__ = ["OrBaseline"]


def _has(method: str) -> Any:
    return lambda model: hasattr(model.estimator, method)


class OrBaseline(BaseEstimator):
    """An estimator; of a table without columns the most frequent class, or the mean of the numbers, is predicted.

    It stands behind a selector that may find no column worth keeping: the choice of none has an error, too, that of
    the baseline.

    Parameters
    ----------
    estimator : a classifier or a regressor, not fitted

    Attributes
    ----------
    model_ : the fitted estimator, or the baseline

    Examples
    --------
    >>> import numpy as np
    >>> from assay.bayes import GaussianNB
    >>> from assay.select.or_baseline import OrBaseline
    >>> OrBaseline(GaussianNB()).fit(np.empty((3, 0)), ["a", "b", "b"]).predict(np.empty((2, 0)))
    array(['b', 'b'], dtype='<U1')

    See Also
    --------
    nested_selection, MajorityClassifier, MeanRegressor

    References
    ----------
    - Ambroise, C. and McLachlan, G. J. (2002). Selection bias in gene extraction on the basis of microarray
      gene-expression data. Proceedings of the National Academy of Sciences 99, 6562-6566. doi:10.1073/pnas.102102699
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    @property
    def classes_(self) -> np.ndarray:
        """(K,) the labels, of a classifier."""
        return self.model_.classes_

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator, or the baseline if X has no columns."""
        baseline = MajorityClassifier() if is_classifier(self.estimator) else MeanRegressor()
        self.model_ = clone(self.estimator) if X.shape[1] else baseline
        self.model_.fit(_columns(X), y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """(n,) the classes, or the numbers."""
        return self.model_.predict(_columns(X))

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """(n, K) the probabilities of the classes, if the estimator has them."""
        return self.model_.predict_proba(_columns(X))

    @available_if(_has("predict_distribution"))
    def predict_distribution(self, X: Any) -> Any:
        """The predictive distributions of the rows, if the estimator has them."""
        return self.model_.predict_distribution(_columns(X))

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of the estimator, if it has them; the baseline prefers no row."""
        if X.shape[1]:
            return self.model_.decision_function(X)
        K = len(self.classes_)
        return np.zeros(X.shape[0]) if K == 2 else np.tile(self.model_.class_prior_, (X.shape[0], 1))


def _columns(X: Any) -> Any:
    """X, or a constant for a table without columns, which learners do not take."""
    return X if X.shape[1] else np.zeros((X.shape[0], 1))
