"""Rows of numbers laid out for native code, and the values of kernels for all pairs of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.kernels._vector as _vector
from assay.core.parallel import in_threads
from assay.types import PointsLike

__all__ = [
    "DENSE_ROWS_ONLY",
    "GAUSSIAN",
    "LAPLACIAN",
    "LINEAR",
    "MATERN",
    "POLYNOMIAL",
    "SIGMOID",
    "SQUARES",
    "WIDEST",
    "Form",
    "Points",
    "evaluate",
    "sums",
]

LINEAR, POLYNOMIAL, SIGMOID, GAUSSIAN, GAUSSIAN_APART, LAPLACIAN, SQUARES, MATERN = range(
    8
)  # as native code has them
OF_DIFFERENCES = (GAUSSIAN_APART, LAPLACIAN, SQUARES, MATERN)
DENSE_ROWS_ONLY = (SQUARES, MATERN)
PAIRS_A_BLOCK = 1 << 20  # pairs of rows in one piece of work
ROWS_TOGETHER = 48  # a piece has so many rows at least: they share the loads of the others
FEW_ROWS = 8  # below this many, it is not worth to lay out the others
WIDEST = 128  # columns up to which native code adds up products as fast as BLAS
LARGEST_SINGLE = 1e38  # numbers beyond are computed with in float64
LONGEST = 32.0  # half a squared length, up to which products in float32 give a Gaussian kernel to five digits
SPREAD_BYTES = 1 << 26  # room in which sparse rows may be spread out


@dataclass(frozen=True)
class Form:
    """A kernel as the native code knows it.

    Parameters
    ----------
    kind : LINEAR a'b, POLYNOMIAL (gamma a'b + coef0)^degree, SIGMOID tanh(gamma a'b + coef0), GAUSSIAN
        exp(-|a - b|^2 / 2), LAPLACIAN exp(-sum_j |a_j - b_j|), SQUARES |a - b|^2, or MATERN with z^2 = gamma |a - b|^2
        and degree 1, 2 or 3 for nu = 1/2, 3/2 or 5/2; the last two of dense rows alone
    gamma, coef0 : float
    degree : int from 1 to 64
    """

    kind: int
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 1

    @property
    def native(self) -> Any:
        return _vector.Form(
            kind=self.kind, degree=self.degree, gamma=float(self.gamma), coef0=float(self.coef0)
        )


class Points:
    """Rows of numbers, prepared for one kernel.

    A Gaussian kernel in float64 goes by differences, which lose nothing, and beyond `WIDEST` columns by products of
    centred rows. In float32 it goes by products of centred rows, as long as these are short enough to be exact.

    Parameters
    ----------
    form : Form
    rows : (n, d) float64 array, or sparse matrix of rows
    dtype : float32 or float64, in which values are wanted; `dtype` says in which they are computed
    centre : (d,) array, taken away first; None takes the means of these rows where that helps

    Attributes
    ----------
    half : (n,) half the squared lengths (GAUSSIAN), or the sums of absolute values (LAPLACIAN)
    """

    def __init__(self, form: Form, rows: Any, dtype: Any, centre: np.ndarray | None = None):
        self.form, self.dtype = form, np.dtype(dtype)
        self.n, self.d = rows.shape
        self.sparse, self.rows, self.centre = hasattr(rows, "tocsr"), rows, centre
        self.half = np.zeros(self.n)
        single, wide = self.dtype == np.float32, self.d > WIDEST
        if form.kind == GAUSSIAN and not (self.sparse or single or wide):
            self.form = Form(GAUSSIAN_APART, form.gamma, form.coef0, form.degree)
        elif centre is None and form.kind in (GAUSSIAN, LAPLACIAN) and not self.sparse:
            self.centre = rows.mean(axis=0) if self.n else np.zeros(self.d)
        if self.centre is not None:
            self.rows = rows - self.centre
        if not self.sparse:
            if single and np.abs(self.rows).max(initial=0.0) > LARGEST_SINGLE:
                self.dtype = np.dtype(np.float64)
            self.rows = np.ascontiguousarray(self.rows, self.dtype)
        if self.form.kind in (GAUSSIAN, LAPLACIAN):
            self.half = _lengths(self.rows, form.kind)
        if self.form.kind == GAUSSIAN and single and self.half.max(initial=0.0) > LONGEST:
            if self.sparse or wide:
                self.__init__(form, rows, np.float64, centre)  # type: ignore[misc]
                return
            self.form = Form(GAUSSIAN_APART, form.gamma, form.coef0, form.degree)
        self.half = self.half.astype(self.dtype)
        self._panels: tuple[np.ndarray, np.ndarray] | None = None
        self._native: Any = None

    def beside(self, rows: PointsLike) -> Points:
        """Other rows, prepared in the same way."""
        other = Points(self.form, rows, self.dtype, self.centre)
        other.form = self.form
        return other

    @property
    def tiled(self) -> bool:
        """Whether native code adds up the columns itself; else a matrix product does."""
        kind = self.form.kind
        return not self.sparse and (kind in OF_DIFFERENCES or self.d <= WIDEST)

    def take(self, rows: Any) -> Points:
        """Some of the rows."""
        some = object.__new__(Points)
        some.__dict__.update(self.__dict__)
        some.rows, some.half = self.rows[rows], self.half[rows]
        some.n, some._panels, some._native = len(some.half), None, None
        return some

    def panels(self) -> tuple[np.ndarray, np.ndarray]:
        """(p, d, width) the rows, ``width`` of them side by side, and (p width,) ``half``; zeros fill up."""
        if self._panels is None:
            width = 64 // self.dtype.itemsize
            p = -(-self.n // width)
            padded, half = np.zeros((p * width, self.d), self.dtype), np.zeros(p * width, self.dtype)
            padded[: self.n], half[: self.n] = self.rows, self.half
            self._panels = np.ascontiguousarray(padded.reshape(p, width, self.d).transpose(0, 2, 1)), half
        return self._panels

    def native(self) -> Any:
        """Sparse rows as the record of native code."""
        if self._native is None:
            rows = self.rows
            parts = {"indices": rows.indices.astype(np.int64), "indptr": rows.indptr.astype(np.int64)}
            self._native = _vector.Sparse(data=np.asarray(rows.data, np.float64), **parts, d=rows.shape[1])
        return self._native


def _lengths(rows: Any, kind: int) -> np.ndarray:
    if hasattr(rows, "tocsr"):
        parts = abs(rows) if kind == LAPLACIAN else rows.multiply(rows) * 0.5
        return np.asarray(parts.sum(axis=1), dtype=np.float64).ravel()
    rows = rows.astype(np.float64, copy=False)  # of what the native code will see
    return np.abs(rows).sum(axis=1) if kind == LAPLACIAN else 0.5 * np.einsum("ij,ij->i", rows, rows)


def evaluate(
    A: Points, B: Points, out: np.ndarray, places: np.ndarray | None = None, upper: bool = False
) -> None:
    """Write K(a, b) for all pairs to the first columns of ``out``: row i of A to row ``places[i]``, or to row i.

    With ``upper``, what is below the diagonal may be left out.
    """
    places = np.arange(A.n) if places is None else np.ascontiguousarray(places, dtype=np.int64)
    direct = A.tiled and out.dtype == A.dtype and out.flags.c_contiguous
    native, size = A.form.native, _rows_a_piece(B)
    _lay_out(B)

    def some(start: int) -> None:
        few, to = A.take(slice(start, start + size)), places[start : start + size]
        if direct:
            _tile(native, few, B, out, to, start if upper else -few.n)
        else:
            out[to, : B.n] = _block(native, few, B)

    in_threads(some, range(0, A.n, size))


def sums(A: Points, B: Points, coef: np.ndarray) -> np.ndarray:
    """(n, k) sum_j coef[j] K(a_i, b_j) for (m, k) coefficients; no more than blocks of values are held."""
    native, size = A.form.native, _rows_a_piece(B)
    if A.tiled and A.n < FEW_ROWS <= B.n:
        return _block(native, B, A).T @ coef
    out = np.empty((A.n, coef.shape[1]))
    _lay_out(B)
    if A.tiled:
        panels, half = B.panels()
        padded = np.zeros((coef.shape[1], len(half)), A.dtype)
        padded[:, : B.n] = coef.T

    def some(start: int) -> None:
        few, part = A.take(slice(start, start + size)), out[start : start + size]
        if A.tiled:
            _vector.combine(
                form=native,
                A=few.rows,
                half_a=few.half,
                panels=panels,
                half_b=half,
                m=B.n,
                coef=padded,
                out=part,
            )
        else:
            part[...] = _block(native, few, B) @ coef

    in_threads(some, range(0, A.n, size))
    return out


def _rows_a_piece(B: Points) -> int:
    return max(1, PAIRS_A_BLOCK // max(B.n, 1) // ROWS_TOGETHER) * ROWS_TOGETHER


def _lay_out(B: Points) -> None:
    """What all threads read of B is made by one of them."""
    if B.tiled:
        B.panels()
    elif B.sparse:
        B.native()


def _tile(native: Any, A: Points, B: Points, out: np.ndarray, places: np.ndarray, diagonal: int) -> None:
    panels, half = B.panels()
    _vector.values(
        form=native, A=A.rows, half_a=A.half, panels=panels, half_b=half, m=B.n, places=places, diagonal=diagonal,
        out=out,
    )  # fmt: skip


def _block(native: Any, A: Points, B: Points) -> np.ndarray:
    """(n, m) the values of a block that fits in memory."""
    K = np.empty((A.n, B.n), A.dtype)
    if A.tiled:
        _tile(native, A, B, K, np.arange(A.n), -A.n)
        return K
    if A.sparse:
        first, second = A.native(), B.native()
        if A.d * 64 > SPREAD_BYTES:  # only columns that occur in A are spread out
            used = np.unique(A.rows.indices)
            first, second = (Points(Form(LINEAR), P.rows[:, used], A.dtype).native() for P in (A, B))
        _vector.sparse_products(first, second, A.form.kind == LAPLACIAN, A.half, B.half, K)
    else:
        with np.errstate(over="ignore", invalid="ignore"):  # whoever asks looks at what is not finite
            np.matmul(A.rows, B.rows.T, out=K)
    if A.form.kind != LINEAR:
        _vector.finish_products(native, A.half, B.half, K)
    return K
