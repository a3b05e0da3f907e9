"""Rows of a kernel matrix that is too large to hold, computed when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from assay.core.parallel import end_if_abandoned, in_threads
from assay.errors import DataError
from assay.tables.rows import row_count, take_rows
from assay.types import TableLike

if TYPE_CHECKING:
    from assay.kernels.kernel import Kernel

__all__ = ["GramRows", "KernelRows", "LaidOut", "MatrixRows", "PreparedRows", "SingleRows"]

VALUES_A_PIECE = 1 << 23  # computed between two looks for Ctrl-C
WHOLE_ROWS = 8  # times as many columns as are wanted may be copied along with them


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

    def fill(
        self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray, places: np.ndarray | None = None
    ) -> None:
        """Write K(rows, columns) to the first columns of ``out``, float32 or float64.

        Row i of them goes to row ``places[i]``, or to row i if there are no places. ``columns`` None takes all; the
        same array, given again, is not prepared anew.
        """
        raise TypeError(f"{type(self).__name__} must define fill")

    def whole(self, dtype: DTypeLike = np.float64) -> np.ndarray:
        """(n, n) the whole matrix."""
        out = np.empty((self.n, self.n), dtype)
        size = max(64, VALUES_A_PIECE // max(self.n, 1))
        for start in range(0, self.n, size):
            end_if_abandoned()
            self.fill(np.arange(start, min(start + size, self.n)), None, out[start : start + size])
        return out

    def times(
        self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray, dtype: DTypeLike = np.float64
    ) -> np.ndarray:
        """(len(rows),) K(rows, columns) @ coef, with values of ``dtype``; only some rows of them are held."""
        total = np.empty(len(rows))
        size = max(1, VALUES_A_PIECE // 8 // max(len(columns), 1))
        block = np.empty((min(size, len(rows)), len(columns)), dtype)
        for start in range(0, len(rows), size):
            end_if_abandoned()
            some = rows[start : start + size]
            self.fill(some, columns, block[: len(some)])
            total[start : start + size] = block[: len(some)] @ coef
        return total

    @property
    def row_by_row(self) -> bool:
        """Whether native code of solvers computes single rows when they are needed."""
        return False

    def single_rows(self) -> SingleRows | None:
        """What it computes them from; None where it cannot."""
        return None

    def held(self) -> MatrixRows | None:
        """The whole matrix in float64, kept for all who ask later; None where it is too large to be kept."""
        return None

    @property
    def rank(self) -> int | None:
        """The columns of ``factor()``; None where there is none."""
        return None

    def factor(self) -> np.ndarray:
        """(n, rank) numbers Z whose products are the kernel matrix, K = ZZ'."""
        raise TypeError(f"{type(self).__name__} has no factor")

    def computed(self, dtype: DTypeLike = np.float64, name: str = "precomputed") -> MatrixRows:
        """The whole matrix, with its factor if it has one."""
        return MatrixRows(self.whole(dtype), name, factor=None if self.rank is None else self.factor())

    def pairs_of(self, starts: np.ndarray, pairs: Sequence[tuple[int, int]]) -> list[GramRows]:
        """The matrix of each pair of classes, of training rows sorted by class; class k begins at starts[k]."""
        of_class = [np.arange(a, b) for a, b in pairwise(starts)]
        return [self.subset(np.concatenate([of_class[i], of_class[j]])) for i, j in pairs]

    def subset(self, rows: np.ndarray) -> GramRows:
        """The matrix of some of the training rows."""
        raise TypeError(f"{type(self).__name__} must define subset")


@dataclass(eq=False)
class LaidOut:
    """Rows of numbers from which native code computes rows of the kernel matrix, one by one.

    Attributes
    ----------
    form : of the kernel, as `assay.kernels.points.Form` has it
    A, half_a : (N, d) and (N,) rows, and what the kernel needs of their lengths
    panels, half_b : (p, d, 8) and (8 p,) the same rows, eight of them side by side, each segment in panels of its own
    first, last, panel : (s,) a segment, such as a class: the rows first to last of A, and the panel where they begin
    native : what a solver made of it
    """

    form: Any
    A: np.ndarray
    half_a: np.ndarray
    panels: np.ndarray
    half_b: np.ndarray
    first: np.ndarray
    last: np.ndarray
    panel: np.ndarray
    native: Any = None


@dataclass(frozen=True, eq=False)
class SingleRows:
    """The segments of rows, one after the other, that make a kernel matrix; None for all of them."""

    laid_out: LaidOut
    segments: np.ndarray | None = None


class KernelRows(GramRows):
    """Rows of the matrix of any kernel, block by block.

    >>> from assay.kernels import KernelRows, Linear
    >>> KernelRows(Linear(), np.array([[1.0], [2.0]])).diagonal
    array([1., 4.])
    """

    def __init__(self, kernel: Kernel, X: TableLike):
        self.kernel, self.X = kernel, X
        self.n = row_count(X, type(kernel).__name__)

    @cached_property
    def diagonal(self) -> np.ndarray:
        return np.asarray(self.kernel.diagonal(self.X), dtype=np.float64)

    def fill(
        self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray, places: np.ndarray | None = None
    ) -> None:
        others = self.X if columns is None else take_rows(self.X, columns)
        values = self.kernel.between(take_rows(self.X, rows), others)
        out[slice(None) if places is None else places, : values.shape[1]] = finite(values, self.kernel.name)

    def whole(self, dtype: DTypeLike = np.float64) -> np.ndarray:
        """(n, n) the whole matrix, each pair computed once; in float64 first, whatever the dtype."""
        return np.ascontiguousarray(finite(self.kernel.gram(self.X), self.kernel.name), dtype)

    def subset(self, rows: np.ndarray) -> GramRows:
        return KernelRows(self.kernel, take_rows(self.X, rows))


class PreparedRows(KernelRows):
    """Rows of the matrix of a kernel of objects, which are turned into what it compares once."""

    def __init__(self, kernel: Kernel, X: Any):
        super().__init__(kernel, X)
        self._columns: tuple[np.ndarray, Any] | None = None  # the columns asked for last

    @cached_property
    def prepared(self) -> Any:
        return self.kernel._prepared(self.X)

    def fill(
        self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray, places: np.ndarray | None = None
    ) -> None:
        others, some = self._some(columns), self.prepared[np.asarray(rows)]
        m = self.n if columns is None else len(columns)
        size = max(1, VALUES_A_PIECE // 16 // max(m, 1))
        to = np.arange(len(rows)) if places is None else places

        def piece(start: int) -> None:
            values = self.kernel._block(some[start : start + size], others)
            out[to[start : start + size], :m] = finite(values, self.kernel.name)

        in_threads(piece, range(0, len(rows), size), 1 if self.kernel.function else None)

    def _some(self, columns: np.ndarray | None) -> Any:
        if columns is None:
            return self.prepared
        if self._columns is None or self._columns[0] is not columns:
            self._columns = columns, self.prepared[np.asarray(columns)]
        return self._columns[1]

    def subset(self, rows: np.ndarray) -> GramRows:
        return PreparedRows(self.kernel, take_rows(self.X, rows))


class MatrixRows(GramRows):
    """Rows of a kernel matrix that is there already, or of the part of it that belongs to some of the training rows.

    Parameters
    ----------
    K : (N, N) array of finite numbers; float32 and float64 stay as they are
    name : of the kernel, for what is said of numbers that are not finite
    checked : whether the numbers are known to be finite
    factor : (N, r) columns whose products K holds, or None

    Attributes
    ----------
    rows : (n,) the training rows that count, in this order; None for all
    """

    def __init__(
        self,
        K: np.ndarray,
        name: str = "precomputed",
        checked: bool = False,
        factor: np.ndarray | None = None,
    ):
        dtype = K.dtype if K.dtype in (np.float32, np.float64) else np.float64
        self.K: np.ndarray = np.ascontiguousarray(K, dtype)
        self.rows: np.ndarray | None = None
        self.n = len(K)
        self._factor = factor
        if checked:
            return
        with np.errstate(over="ignore", invalid="ignore"):
            total = self.K.sum()
        if not np.isfinite(total):  # also of large numbers
            finite(self.K, name)

    @cached_property
    def diagonal(self) -> np.ndarray:
        diagonal = np.diagonal(self.K) if self.rows is None else self.K[self.rows, self.rows]
        return diagonal.astype(np.float64)

    def fill(
        self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray, places: np.ndarray | None = None
    ) -> None:
        to = slice(None) if places is None else places
        if self.rows is not None:
            rows, columns = self.rows[rows], self.rows if columns is None else self.rows[columns]
        if columns is None:
            values = self.K[rows]
        elif WHOLE_ROWS * len(columns) > len(
            self.K
        ):  # whole rows first: entry by entry takes several times as long
            if places is None and out.dtype == self.K.dtype and out.shape == (len(rows), len(columns)):
                np.take(self.K[rows], columns, axis=1, out=out, mode="clip")
                return
            values = self.K[rows].take(columns, axis=1)
        else:
            values = self.K[np.asarray(rows)[:, None], columns]
        out[to, : values.shape[1]] = values

    def whole(self, dtype: DTypeLike = np.float64) -> np.ndarray:
        return super().whole(dtype) if self.rows is not None else np.ascontiguousarray(self.K, dtype)

    def times(
        self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray, dtype: DTypeLike = np.float64
    ) -> np.ndarray:
        if self.rows is not None:
            rows, columns = self.rows[rows], self.rows[columns]
        total, size = np.zeros(len(self.K)), max(1, VALUES_A_PIECE // 8 // max(len(self.K), 1))
        for start in range(0, len(columns), size):  # whole rows of a symmetric matrix, which lie together
            end_if_abandoned()
            some = slice(start, start + size)
            total += coef[some] @ self.K[columns[some]].astype(np.float64, copy=False)
        return total[rows]

    def subset(self, rows: np.ndarray) -> GramRows:
        part: MatrixRows = object.__new__(MatrixRows)
        part.K, part.n, part._factor = self.K, len(rows), self._factor
        part.rows = np.ascontiguousarray(rows if self.rows is None else self.rows[rows], dtype=np.int64)
        return part

    @property
    def rank(self) -> int | None:
        return None if self._factor is None else self._factor.shape[1]

    def factor(self) -> np.ndarray:
        if self._factor is None:
            return super().factor()
        return self._factor if self.rows is None else self._factor[self.rows]


def finite(values: np.ndarray, who: str) -> np.ndarray:
    """The values, if all of them are finite numbers."""
    if not np.isfinite(values).all():
        what = "NaN" if np.isnan(values).any() else "an infinite value"
        raise DataError(
            f"{who}: the kernel gave {what} for a pair of training rows. Scale the columns, or choose other parameters "
            "of the kernel."
        )
    return values
