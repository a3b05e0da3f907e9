"""User-defined distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from assay.distances.metric import Metric
from assay.errors import DataError

__all__ = ["Function", "Pairwise"]


@dataclass(frozen=True, eq=False)
class Function(Metric):
    """A Python function of two rows that gives their distance.

    Parameters
    ----------
    call : callable of two (d,) arrays; rows of a sparse table come as sparse (1, d) matrices
    params : dict of more arguments

    Examples
    --------
    >>> from assay.distances import Function
    >>> Function(lambda a, b: abs(a - b).max()).between([[0.0, 0.0]], [[3.0, 4.0]])
    array([[4.]])
    """

    stored = None  # a function is code
    function: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})

    call: Callable[..., float]
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return getattr(self.call, "__name__", "function")

    def _prepared(self, X: Any) -> Any:
        return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        out = np.empty((A.shape[0], B.shape[0]))
        others = _each(B)
        for i, a in enumerate(_each(A)):
            for j, b in enumerate(others):
                out[i, j] = self.call(a, b, **self.params)
        if np.isnan(out).any():
            raise DataError(
                f"metric {self.name}: the function gave NaN for a pair of rows, expected a distance."
            )
        return out


def _each(X: Any) -> list[Any]:
    """The rows one by one, sparse ones as matrices of one row."""
    return [X[i : i + 1] for i in range(X.shape[0])] if hasattr(X, "tocsr") else list(X)


@dataclass(frozen=True, eq=False)
class Pairwise(Metric):
    """An object that gives the distances of all pairs at once, such as scikit-learn's ``DistanceMetric``.

    Parameters
    ----------
    made : object with ``pairwise(A, B)``

    Examples
    --------
    >>> from sklearn.metrics import DistanceMetric
    >>> from assay.distances import metric_of
    >>> metric_of(DistanceMetric.get_metric("manhattan")).between([[0.0, 0.0]], [[3.0, 4.0]])
    array([[7.]])
    """

    stored = None  # a function is code
    made: Any = None

    @property
    def name(self) -> str:
        return type(self.made).__name__

    def _prepared(self, X: Any) -> Any:
        return np.ascontiguousarray(
            self._dense(X), dtype=np.float32 if self.name.endswith("32") else np.float64
        )

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return np.asarray(self.made.pairwise(A, B), dtype=np.float64)
