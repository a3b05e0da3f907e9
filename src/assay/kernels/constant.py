"""A constant, and independent noise."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import Scalar
from assay.kernels.gram_rows import GramRows, KernelRows
from assay.kernels.kernel import Kernel
from assay.kernels.parameters import BOUNDS, SEARCH_BOUNDS
from assay.tables.rows import row_count
from assay.types import PointsLike, TableLike

__all__ = ["ConstantKernel", "WhiteKernel"]

ANY_ROWS = frozenset({"nominal", "missing", "sparse", "objects"})


@dataclass(frozen=True, eq=False)
class ConstantKernel(Kernel):
    r"""The same value for all pairs: a factor of other kernels, or an offset.

    .. math:: K(a, b) = c \quad (1)

    Parameters
    ----------
    constant_value : float, default 1
    constant_value_bounds : (low, high) or "fixed", default (1e-5, 1e5)

    Examples
    --------
    >>> from assay.kernels import RBF, ConstantKernel
    >>> ConstantKernel(4.0), 4.0 * RBF() == ConstantKernel(4.0) * RBF()
    (2**2, True)
    """

    takes: ClassVar[frozenset[str]] = ANY_ROWS
    stationary: ClassVar[bool] = True
    searched: ClassVar[tuple[str, ...]] = ("constant_value",)

    constant_value: float = 1.0
    constant_value_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    stored = {"constant_value": Scalar(low=0, finite=True), "constant_value_bounds": BOUNDS}

    @property
    def name(self) -> str:
        return "constant"

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.full(row_count(A, self.name), float(self.constant_value))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.full((self.free, row_count(A, self.name)), float(self.constant_value))

    def feature_map(self, X: TableLike) -> np.ndarray:
        return np.full((row_count(X, self.name), 1), np.sqrt(self.constant_value))

    def column_sums(
        self, Q: PointsLike, S: PointsLike, coef: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        if getattr(Q, "ndim", 0) != 2:
            return None
        return np.zeros((*Q.shape, coef.shape[1])), self.constant_value * coef.sum(axis=0)

    def _prepared(self, X: Any) -> Any:
        return np.empty((row_count(X, self.name), 0))

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return np.full((len(A), len(B)), float(self.constant_value))

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        return [self._block(A, B)] * self.free

    def __repr__(self) -> str:
        return f"{np.sqrt(self.constant_value):.3g}**2"


_row_numbers = count()  # of all rows ever prepared: a row is the same as itself alone


@dataclass(frozen=True, eq=False)
class WhiteKernel(Kernel):
    r"""Noise of each row by itself: on the diagonal of the training rows' matrix and nowhere else.

    .. math:: K(a_i, a_j) = \sigma^2 [i = j] \quad (1)

    Between rows of two tables it is 0, also if they have equal values.

    Parameters
    ----------
    noise_level : float, default 1
        :math:`\sigma^2`.
    noise_level_bounds : (low, high) or "fixed", default (1e-5, 1e5)

    Examples
    --------
    >>> from assay.kernels import RBF, WhiteKernel
    >>> kernel = RBF() + WhiteKernel(0.5)
    >>> kernel([[1.0], [1.0]])
    array([[1.5, 1. ],
           [1. , 1.5]])
    >>> kernel([[1.0]], [[1.0]])
    array([[1.]])
    """

    takes: ClassVar[frozenset[str]] = ANY_ROWS
    stationary: ClassVar[bool] = True
    searched: ClassVar[tuple[str, ...]] = ("noise_level",)

    noise_level: float = 1.0
    noise_level_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    stored = {"noise_level": Scalar(low=0, finite=True), "noise_level_bounds": BOUNDS}

    @property
    def name(self) -> str:
        return "white"

    @property
    def _noisy(self) -> bool:
        return True

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.full(row_count(A, self.name), float(self.noise_level))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.full((self.free, row_count(A, self.name)), float(self.noise_level))

    def _prepared(self, X: Any) -> Any:
        """Numbers of the rows that no other prepared rows have."""
        n = row_count(X, self.name)
        first = next(_row_numbers) << 32
        return np.arange(first, first + n)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        out = np.zeros((len(A), len(B)))
        out[_same_rows(A, B)] = self.noise_level
        return out

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        return [self._block(A, B) if K is None else K] * self.free

    def _derivative_sums(self, A: Any, B: Any, W: np.ndarray, K: np.ndarray | None = None) -> np.ndarray:
        return np.full(self.free, self.noise_level * W[_same_rows(A, B)].sum())


def _same_rows(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places in A and in B of rows with the same numbers; those of B follow one another."""
    place = A - B[0] if len(B) else np.full(len(A), -1)
    same = np.flatnonzero((place >= 0) & (place < len(B)))
    return same, place[same]


class NoisyRows(KernelRows):
    """Rows of the matrix of a kernel with noise, which rows have with themselves alone."""

    def fill(
        self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray, places: np.ndarray | None = None
    ) -> None:
        super().fill(rows, columns, out, places)
        others = np.arange(self.n) if columns is None else np.asarray(columns)
        i, j = np.nonzero(np.asarray(rows)[:, None] == others)
        out[i if places is None else np.asarray(places)[i], j] = self.diagonal[rows][i]

    def subset(self, rows: np.ndarray) -> GramRows:
        from assay.tables.rows import take_rows

        return NoisyRows(self.kernel, take_rows(self.X, rows))
