"""Kernels that come from outside: a matrix of values, or the user's own function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import DataError
from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.kernels.kernel import Kernel, mirror

__all__ = ["FunctionKernel", "PrecomputedKernel"]


@dataclass(frozen=True, eq=False)
class PrecomputedKernel(Kernel):
    """The rows are values of a kernel already: each row holds its values with the n training rows.

    Examples
    --------
    >>> from assay.kernels import PrecomputedKernel
    >>> PrecomputedKernel().between([[2.0, 1.0]], range(2))  # one row, two training rows
    array([[2., 1.]])
    """

    precomputed: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "precomputed"

    def between(self, A: Any, B: Any) -> np.ndarray:
        A, m = np.asarray(A, dtype=np.float64), len(B)
        if A.ndim != 2 or A.shape[1] != m:
            raise DataError(
                f"precomputed: each row must hold its kernel values with the {m} training rows, got shape {A.shape}."
            )
        return A

    def gram(self, A: Any) -> np.ndarray:
        return self.between(A, A)

    def diagonal(self, A: Any) -> np.ndarray:
        return np.diagonal(np.asarray(A, dtype=np.float64)).copy()

    def gram_rows(self, X: Any) -> GramRows:
        return MatrixRows(self.gram(X))

    def combine(self, Q: Any, S: Any, coef: np.ndarray) -> np.ndarray:
        return self.between(Q, S) @ coef


@dataclass(frozen=True, eq=False)
class FunctionKernel(Kernel):
    """A Python function of two tables that gives the matrix of their kernel values, as scikit-learn calls it.

    Parameters
    ----------
    call : callable of (n, d) and (m, d) arrays, which returns (n, m)

    Examples
    --------
    >>> from assay.kernels import FunctionKernel
    >>> FunctionKernel(lambda A, B: A @ B.T)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    stored = None  # a function is code
    function: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})

    call: Callable[[Any, Any], Any]

    @property
    def name(self) -> str:
        return getattr(self.call, "__name__", "function")

    def between(self, A: Any, B: Any) -> np.ndarray:
        """All pairs in one call, since the function may look at the tables as a whole."""
        return self._block(self._prepared(A), self._prepared(B))

    def gram(self, A: Any) -> np.ndarray:
        A = self._prepared(A)
        K = self._block(A, A).copy()
        mirror(K)
        return K

    def _prepared(self, X: Any) -> Any:
        return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        K = self.call(A, B)
        K = np.asarray(K.toarray() if hasattr(K, "toarray") else K, dtype=np.float64)
        if K.shape != (A.shape[0], B.shape[0]):
            raise DataError(
                f"kernel {self.name}: the function must return a matrix of shape {(A.shape[0], B.shape[0])}, "
                f"got {K.shape}."
            )
        if not np.isfinite(K).all():
            raise DataError(f"kernel {self.name}: the function gave a value that is no finite number.")
        return K
