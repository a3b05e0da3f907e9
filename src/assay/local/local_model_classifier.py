"""Local learning on demand for classes: a softmax regression of the neighbours of each query."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.learner import python_label
from assay.core.meta_estimator import aligned
from assay.core.parallel import end_if_abandoned
from assay.core.scores import softmax
from assay.errors import ParameterError
from assay.local.local_model import LocalModel
from assay.local.softmax_layer import softmax_layer

__all__ = ["LocalModelClassifier"]

STEPS = 100  # of Newton's method, at most


class LocalModelClassifier(LocalModel, Classifier):
    r"""Classification by a simple model that is fitted to the neighbours of each query, asked once and forgotten.

    .. math:: P(k \mid x) = \mathrm{softmax}_k(V(x)\,(x, 1)), \qquad
              V(x) = \arg\min -\sum_{t \in N(x)} \ln P_V(r^t \mid x^t) + \tfrac{\alpha}{2}\|V\|^2        \quad (1)

    Nothing is learned before a question is asked (Bottou and Vapnik 1992). With all rows as neighbours this is softmax
    regression; neighbours of one class answer with it.

    Cost: fit O(n log n); predict the k nearest rows and O(k (K d)^2) a step of a row, or one fit of the estimator to k
    rows; memory O(n d), the rows are kept.

    Parameters
    ----------
    n_neighbors : int, default 30
        k; all rows where there are fewer.
    estimator : classifier with predict_proba, default None
        Fitted to the neighbours instead of a softmax regression.
    alpha : float, default 1e-3
        Penalty on the squares of the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import LocalModelClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> LocalModelClassifier(20).fit(X, y).predict([[0.5, 0.5], [0.5, -0.5]])
    array(['same', 'other'], dtype='<U5')

    See Also
    --------
    LocalModelRegressor, KNeighborsClassifier, MixtureOfExpertsClassifier

    References
    ----------
    - Bottou, L. and Vapnik, V. (1992). Local learning algorithms. Neural Computation 4(6), 888-900.
      doi:10.1162/neco.1992.4.6.888
    """

    card = Card(
        "local lines",
        "a softmax regression of the neighbours of each query",
        also=("local learning", "local model"),
        scale=True,
        most_rows=5_000,
        learns=(
            "a linear model for each query",
            "cross-entropy of its neighbours",
            "Newton steps on demand",
            "stored",
        ),
    )
    _wanted = "classifier"

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if self.estimator is not None and not hasattr(self.estimator, "predict_proba"):
            raise ParameterError(
                f"{type(self).__name__}: estimator must have predict_proba, got {self.estimator!r}."
            )
        super()._learn(X, y, w)

    def _posterior(self, X: Any) -> np.ndarray:
        if self.estimator is None:
            return softmax(self._lines(X)[1])
        near, codes = self._neighbours(X)[1], np.arange(len(self.classes_))
        posterior = np.zeros((len(X), len(codes)))
        for i, rows in enumerate(near):
            present = np.unique(self._fit_y[rows])
            if len(present) == 1:
                posterior[i, present[0]] = 1.0
                continue
            model = self._fitted(rows)
            posterior[i] = aligned(np.asarray(model.predict_proba(X[i : i + 1])), model.classes_, codes)[0]
        return posterior

    def _lines(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        near, K = self._neighbours(X)[1], len(self.classes_)
        n, d = X.shape
        slopes, scores = np.zeros((n, K, d)), np.full((n, K), -np.inf)
        for i, rows in enumerate(near):
            end_if_abandoned()
            present, codes = np.unique(self._fit_y[rows], return_inverse=True)
            if len(present) == 1:
                scores[i, present[0]] = 0.0
                continue
            A = self._fit_X[rows]
            w = self._fit_w[rows]
            middle = w @ A / w.sum()
            unit = (
                np.sqrt((w @ (A - middle) ** 2).mean() / w.sum()) or 1.0
            )  # so that Newton's steps are well scaled
            F = np.column_stack([(A - middle) / unit, np.ones(len(A))])
            penalty = np.full(d + 1, float(self.alpha))
            V = softmax_layer(F, np.eye(len(present))[codes], w, penalty, STEPS)[0]
            slopes[i, present] = V[:, :-1] / unit
            scores[i, present] = V[:, -1] + V[:, :-1] @ ((X[i] - middle) / unit)
        return slopes, scores

    def _target_word(self, row: int) -> Any:
        return python_label(self.classes_[self._fit_y[row]])
