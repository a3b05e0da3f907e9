"""Base class of density estimators: fitted without labels, ``score_samples`` gives log densities."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import DensityMixin

from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.targets import check_weights
from assay.types import TableLike, Target, Weights

__all__ = ["DensityEstimator"]


class DensityEstimator(DensityMixin, Learner):
    r"""A learner of the density that rows were drawn from.

    Subclasses define ``_learn(X, w)``, with weights w above 0, and ``_log_density(X)``. Where there are no
    training rows nearby a density may be 0 and its logarithm minus infinity.
    """

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X; y is ignored.

        Parameters
        ----------
        X : array, or pandas, polars, pyarrow frame, (n, d)
        y : ignored
        sample_weight : (n,) what each row counts; None counts each once
        """
        self._check_parameters()
        values = self._admit(X, fitting=True)
        w = check_weights(sample_weight, values)
        if w is None:
            w = np.ones(len(values))
        elif not w.all():
            values, w = values[w > 0], w[w > 0]
        self._learn(np.ascontiguousarray(values, dtype=np.float64), w)
        return self

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the logarithm of the density at each row."""
        return self._log_density(np.ascontiguousarray(self._admit(X), dtype=np.float64))

    def density(self, X: TableLike) -> np.ndarray:
        """(n,) the density at each row."""
        with np.errstate(over="ignore"):
            return np.exp(self.score_samples(X))

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The log likelihood of the rows: the sum of ``score_samples``."""
        return float(np.sum(self.score_samples(X)))

    def _learn(self, X: np.ndarray, w: np.ndarray) -> None:
        raise TypeError(f"{type(self).__name__} must define _learn")

    def _log_density(self, X: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _log_density")


def log(values: np.ndarray) -> np.ndarray:
    """The logarithm, minus infinity at 0."""
    with np.errstate(divide="ignore"):
        return np.log(values)
