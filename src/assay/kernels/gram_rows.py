"""Rows of a kernel matrix that is too large to hold, computed when they are asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.tables.rows import row_count, take_rows

if TYPE_CHECKING:
    from assay.kernels.kernel import Kernel

__all__ = ["GramRows", "KernelRows", "MatrixRows"]


class GramRows:
    """What solvers ask of a kernel matrix: its size, its diagonal, and some of its rows.

    Attributes
    ----------
    n : int, the number of training rows
    """

    n: int

    @property
    def diagonal(self) -> np.ndarray:
        """(n,) float64 K(i, i)."""
        raise TypeError(f"{type(self).__name__} must define diagonal")

    def fill(self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray) -> None:
        """Write K(rows, columns) to ``out``, float32 or float64; None takes all columns."""
        raise TypeError(f"{type(self).__name__} must define fill")

    def whole(self, dtype: Any = np.float64) -> np.ndarray:
        """(n, n) the whole matrix."""
        out = np.empty((self.n, self.n), dtype)
        self.fill(np.arange(self.n), None, out)
        return out

    def subset(self, rows: np.ndarray) -> GramRows:
        """The matrix of some of the training rows."""
        raise TypeError(f"{type(self).__name__} must define subset")


class KernelRows(GramRows):
    """Rows of the matrix of any kernel, block by block."""

    def __init__(self, kernel: Kernel, X: Any):
        self.kernel, self.X = kernel, X
        self.n = row_count(X, type(kernel).__name__)

    @cached_property
    def diagonal(self) -> np.ndarray:
        return np.asarray(self.kernel.diagonal(self.X), dtype=np.float64)

    def fill(self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray) -> None:
        others = self.X if columns is None else take_rows(self.X, columns)
        out[...] = self.kernel.between(take_rows(self.X, rows), others)

    def subset(self, rows: np.ndarray) -> GramRows:
        return KernelRows(self.kernel, take_rows(self.X, rows))


class MatrixRows(GramRows):
    """Rows of a kernel matrix that is there already."""

    def __init__(self, K: np.ndarray):
        self.K, self.n = K, len(K)

    @property
    def diagonal(self) -> np.ndarray:
        return np.diagonal(self.K).astype(np.float64)

    def fill(self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray) -> None:
        out[...] = self.K[rows] if columns is None else self.K[np.ix_(rows, columns)]

    def whole(self, dtype: Any = np.float64) -> np.ndarray:
        return np.ascontiguousarray(self.K, dtype)

    def subset(self, rows: np.ndarray) -> GramRows:
        return MatrixRows(self.K[np.ix_(rows, rows)])
