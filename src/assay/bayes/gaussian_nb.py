"""Gaussian naive Bayes: in each class, each column is a Gaussian of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Generative, SumLearner
from assay.core.moments import ClassMoments, class_moments
from assay.core.parameters import Range, Simplex


class GaussianNB(SumLearner, Generative):
    r"""placeholder

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> model.predict([[1.0], [5.0]])
    array(['a', 'b'], dtype='<U1')
    """

    accepts = {"priors": Simplex() | None, "var_smoothing": Range(0)}

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9):
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassMoments:
        return class_moments(X, y, w, len(self.classes_))

    def _solve(self, sums: ClassMoments) -> None:
        everything = sums.total or sums.pooled()
        self.epsilon_ = self.var_smoothing * float((everything.scatter / everything.seen).max())
        self.class_count_ = sums.count
        self.theta_ = sums.mean
        safe = np.where(sums.seen > 0, sums.seen, 1.0)
        self.var_ = sums.scatter / safe + self.epsilon_
        self.class_prior_ = sums.count / sums.count.sum() if self.priors is None else np.asarray(self.priors)

    def _log_joint(self, X: Any) -> np.ndarray:
        precision = 1 / self.var_
        offset = np.log(self.class_prior_) - 0.5 * np.sum(np.log(2 * np.pi * self.var_), axis=1)
        out = np.empty((len(X), len(offset)))
        for k in range(len(offset)):
            out[:, k] = offset[k] - 0.5 * ((X - self.theta_[k]) ** 2) @ precision[k]
        return out
