"""Kernels of vectors: their values, rows for solvers and sums for predictions come from native code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from assay.kernels.gram_rows import GramRows, LaidOut, MatrixRows, SingleRows
from assay.kernels.kernel import Kernel, mirror
from assay.kernels.points import DENSE_ROWS_ONLY, GAUSSIAN, LINEAR, Form, Points, evaluate, sums
from assay.types import PointsLike, TableLike

__all__ = ["MOST_ROWS_HELD", "PairRows", "VectorKernel", "VectorRows"]

MOST_ROWS_HELD = 2048  # whose kernel matrix is computed once, as a whole, for all that use it
PANEL = 8  # rows side by side in float64
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
        self._held: MatrixRows | None = None

    @cached_property
    def diagonal(self) -> np.ndarray:
        return np.asarray(self.kernel.diagonal(self.X), dtype=np.float64)

    def fill(
        self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray, places: np.ndarray | None = None
    ) -> None:
        if self._held is not None and out.dtype == np.float64:
            self._held.fill(rows, columns, out, places)
            return
        points = self._all(out.dtype)
        evaluate(points.take(rows), self._some(points, columns), out, places)

    def whole(self, dtype: Any = np.float64) -> np.ndarray:
        return _symmetric(self._all(np.dtype(dtype)), dtype)

    def held(self) -> MatrixRows | None:
        if self._held is None and self.n <= MOST_ROWS_HELD:
            self._held = MatrixRows(self.whole(), self.kernel.name)
        return self._held

    def times(
        self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray, dtype: Any = np.float64
    ) -> np.ndarray:
        points = self._all(np.dtype(dtype))
        return sums(points.take(rows), points.take(columns), coef[:, None])[:, 0]

    def subset(self, rows: np.ndarray) -> GramRows:
        return VectorRows(self.kernel, self.form, self.X[rows])

    @property
    def rank(self) -> int | None:
        if self.form.kind != LINEAR or hasattr(self.X, "tocsr"):
            return None
        return int(self._all(np.dtype(np.float64)).d)

    def factor(self) -> np.ndarray:
        return np.asarray(self._all(np.dtype(np.float64)).rows)

    def pairs_of(self, starts: np.ndarray, pairs: Sequence[tuple[int, int]]) -> list[GramRows]:
        laid_out = self.by_class(starts)
        return [PairRows(self, starts, i, j, laid_out) for i, j in pairs]

    @property
    def row_by_row(self) -> bool:
        return self._held is None and self._in_panels is not None

    def single_rows(self) -> SingleRows | None:
        points = None if self._held is not None else self._in_panels
        if points is None:
            return None
        ends = np.array([0, self.n])
        return SingleRows(
            LaidOut(
                points.form,
                points.rows,
                points.half,
                *points.panels(),
                ends[:1],
                ends[1:],
                np.zeros(1, np.int64),
            )
        )

    @cached_property
    def _in_panels(self) -> Points | None:
        """All rows, if native code computes single rows."""
        points = self._all(np.dtype(np.float64))
        return points if points.tiled and points.dtype == np.float64 else None

    def by_class(self, starts: np.ndarray) -> LaidOut | None:
        """The rows laid out class by class, of training rows sorted by class."""
        points = self._in_panels
        if points is None:
            return None
        first, bounds = [0], starts.tolist()
        for start, end in pairwise(bounds):
            first.append(first[-1] - (start - end) // PANEL)
        rows, half = np.zeros((first[-1] * PANEL, points.d)), np.zeros(first[-1] * PANEL)
        for panel, (start, end) in zip(first, pairwise(bounds)):
            to = slice(panel * PANEL, panel * PANEL + end - start)
            rows[to], half[to] = points.rows[start:end], points.half[start:end]
        panels = np.ascontiguousarray(rows.reshape(-1, PANEL, points.d).transpose(0, 2, 1))
        return LaidOut(
            points.form, points.rows, points.half, panels, half, starts[:-1], starts[1:], np.array(first[:-1])
        )

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


class PairRows(GramRows):
    """Rows of the matrix of two classes, of training rows sorted by class; the classes are laid out once for all pairs.

    Parameters
    ----------
    of : VectorRows of all classes
    starts : (K + 1,) where each class begins      i, j : the two classes
    laid_out : the rows of all classes for native code, if it computes single rows
    """

    def __init__(self, of: VectorRows, starts: np.ndarray, i: int, j: int, laid_out: LaidOut | None):
        self.of, self.starts, self.classes = of, starts, (i, j)
        self.n = int(starts[i + 1] - starts[i] + starts[j + 1] - starts[j])
        self._single = None if laid_out is None else SingleRows(laid_out, np.array([i, j]))

    @cached_property
    def rows(self) -> np.ndarray:
        """(n,) these training rows among all."""
        return np.concatenate([np.arange(self.starts[k], self.starts[k + 1]) for k in self.classes])

    @cached_property
    def diagonal(self) -> np.ndarray:
        return np.concatenate([self.of.diagonal[self.starts[k] : self.starts[k + 1]] for k in self.classes])

    def fill(
        self, rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray, places: np.ndarray | None = None
    ) -> None:
        self.of.fill(self.rows[rows], self.rows if columns is None else self.rows[columns], out, places)

    def whole(self, dtype: Any = np.float64) -> np.ndarray:
        return _symmetric(self.of._all(np.dtype(dtype)).take(self.rows), dtype)

    def times(
        self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray, dtype: Any = np.float64
    ) -> np.ndarray:
        return self.of.times(self.rows[rows], self.rows[columns], coef, dtype)

    def subset(self, rows: np.ndarray) -> GramRows:
        return self.of.subset(self.rows[rows])

    @property
    def rank(self) -> int | None:
        return self.of.rank

    def factor(self) -> np.ndarray:
        return self.of.factor()[self.rows]

    def single_rows(self) -> SingleRows | None:
        return self._single
