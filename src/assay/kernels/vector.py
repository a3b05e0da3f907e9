"""Kernels of vectors: their values, rows for solvers and sums for predictions come from native code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from assay.kernels.gram_rows import GramRows
from assay.kernels.kernel import Kernel, mirror
from assay.kernels.points import DENSE_ROWS_ONLY, GAUSSIAN, Form, Points, evaluate, sums
from assay.types import PointsLike, TableLike

__all__ = ["VectorKernel", "VectorRows"]

KEPT_COLUMNS = 2  # a solver's block, and all rows that it has not set aside


@dataclass(frozen=True, eq=False)
class VectorKernel(Kernel):
    """A kernel of numbers whose values native code computes from inner products or differences.

    A new one writes ``_prepared`` (rows scaled as its form wants them), ``_form`` and ``diagonal``. ``_form`` is None
    for parameters that native code does not know; then ``_block`` computes the values.
    """

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})

    def _form(self) -> Form | None:
        raise TypeError(f"{type(self).__name__} must define _form")

    def _form_for(self, *tables: Any) -> Form | None:
        """The form, if native code knows it for rows of this kind, dense or sparse."""
        form = self._form()
        sparse = any(hasattr(X, "tocsr") for X in tables)
        return None if form is not None and sparse and form.kind in DENSE_ROWS_ONLY else form

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        form = self._form_for(A, B)
        if form is None:
            return super().between(A, B)
        A, B = self._prepared(A), self._prepared(B)
        self._check_widths(A, B)
        return _values(form, A, B)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        form = self._form_for(A, B)
        if form is None:
            return super()._block(A, B)
        return _symmetric(Points(form, A, np.float64), np.float64) if A is B else _values(form, A, B)

    def gram(self, A: PointsLike) -> np.ndarray:
        form = self._form_for(A)
        if form is None:
            return super().gram(A)
        return _symmetric(Points(form, self._prepared(A), np.float64), np.float64)

    def gram_rows(self, X: TableLike) -> GramRows:
        form = self._form_for(X)
        return super().gram_rows(X) if form is None else VectorRows(self, form, X)

    def combine(self, Q: Any, S: Any, coef: np.ndarray) -> np.ndarray:
        form = self._form_for(Q, S)
        if form is None:
            return super().combine(Q, S, coef)
        Q, S = self._prepared(Q), self._prepared(S)
        self._check_widths(Q, S)
        others = Points(form, S, np.float64)
        return sums(others.beside(Q), others, coef)


def _values(form: Form, A: Any, B: Any) -> np.ndarray:
    others = Points(form, B, np.float64)
    rows = others.beside(A)
    out = np.empty((rows.n, others.n))
    evaluate(rows, others, out)
    return out


def _symmetric(points: Points, dtype: Any) -> np.ndarray:
    """(n, n) the values of all pairs of these rows; each pair is computed once."""
    K = np.empty((points.n, points.n), dtype)
    evaluate(points, points, K, upper=True)
    mirror(K)
    if not points.tiled and points.form.kind == GAUSSIAN:
        np.fill_diagonal(K, 1.0)
    return K


class VectorRows(GramRows):
    """Rows of the matrix of a kernel of vectors."""

    def __init__(self, kernel: VectorKernel, form: Form, X: Any):
        self.kernel, self.form, self.X = kernel, form, X
        self.n = X.shape[0] if hasattr(X, "shape") else len(X)
        self._points: dict[np.dtype, Points] = {}  # all rows, by the type of values
        self._columns: list[tuple[np.ndarray, Points]] = []  # those asked for last

    @cached_property
    def diagonal(self) -> np.ndarray:
        return np.asarray(self.kernel.diagonal(self.X), dtype=np.float64)

    def fill(
        self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray, places: np.ndarray | None = None
    ) -> None:
        points = self._all(out.dtype)
        evaluate(points.take(rows), self._some(points, columns), out, places)

    def whole(self, dtype: Any = np.float64) -> np.ndarray:
        return _symmetric(self._all(np.dtype(dtype)), dtype)

    def times(
        self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray, dtype: Any = np.float64
    ) -> np.ndarray:
        points = self._all(np.dtype(dtype))
        return sums(points.take(rows), points.take(columns), coef[:, None])[:, 0]

    def subset(self, rows: np.ndarray) -> GramRows:
        return VectorRows(self.kernel, self.form, self.X[rows])

    def _all(self, dtype: np.dtype) -> Points:
        if dtype not in self._points:
            self._points[dtype] = Points(self.form, self.kernel._prepared(self.X), dtype)
        return self._points[dtype]

    def _some(self, points: Points, columns: np.ndarray | None) -> Points:
        if columns is None:
            return points
        held = self._columns  # other threads may put theirs in its place
        for known, laid_out in held:
            if known is columns and laid_out.dtype == points.dtype:
                self._columns = [(known, laid_out), *(pair for pair in held if pair[0] is not known)]
                return laid_out
        laid_out = points.take(columns)
        self._columns = [(columns, laid_out), *held][:KEPT_COLUMNS]
        return laid_out
