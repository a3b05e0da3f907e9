"""A kernel of some columns of the table, or of one of several views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.stored import IntArray, Object, Plain, Text
from assay.errors import DataError, ParameterError, SchemaError
from assay.kernels.kernel import OBJECTS, Kernel
from assay.kernels.objects import objects_of
from assay.tables import Schema, Table
from assay.tables.rows import take_columns
from assay.types import PointsLike, TableLike

__all__ = ["OnColumns"]


@dataclass(frozen=True, eq=False)
class OnColumns(Kernel):
    r"""A kernel that sees some columns only.

    .. math:: K(a, b) = K_0(a_J, b_J) \quad (1)

    Sums and products of such kernels treat groups of columns each in their way. Columns of categories and missing
    values elsewhere do not matter; among these columns they do, unless the kernel takes them.

    Parameters
    ----------
    kernel : Kernel
    columns : list of int or of str, a slice, or one name
        Numbers of columns; names, for frames and for learners, which know the names of their table; or the name of one
        view, where rows are given as a mapping of views: ``{"text": [...], "numbers": array}``.

    Examples
    --------
    >>> from assay.kernels import RBF, Linear
    >>> kernel = RBF().on([0]) + Linear().on([1, 2])
    >>> kernel
    RBF(length_scale=1).on([0]) + Linear().on([1, 2])
    >>> kernel([[5.0, 1.0, 2.0]], [[5.0, 3.0, 4.0]])
    array([[12.]])
    """

    kernel: Kernel
    columns: Any
    stored = {
        "kernel": Object("assay.kernels.kernel.Kernel"),
        "columns": IntArray("*") | Plain((list, tuple)) | Text(),
    }

    def __post_init__(self) -> None:
        columns = self.columns
        if isinstance(columns, str):
            return
        if isinstance(columns, slice):
            if columns.stop is None or (columns.start or 0) < 0 or columns.stop < 0:
                raise ParameterError("on: a slice of columns must have an end, both counted from 0.")
            columns = list(range(columns.stop)[columns])
        if isinstance(columns, (int, np.integer)) and not isinstance(columns, bool):
            columns = [columns]
        names = isinstance(columns, (list, tuple, np.ndarray)) and all(isinstance(c, str) for c in columns)
        if not names:
            array = np.asarray(columns)
            if array.ndim != 1 or array.dtype.kind not in "iu" or (array < 0).any():
                raise ParameterError(
                    "on: columns must be their numbers from 0, their names, or the name of a view, got "
                    f"{self.columns!r}."
                )
            columns = columns if isinstance(columns, list) else array.tolist()
        object.__setattr__(self, "columns", columns if isinstance(columns, list) else list(columns))

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """Any table: what stands in other columns does not matter. Objects alone, if the kernel compares objects."""
        if self.kernel.takes == OBJECTS:
            return OBJECTS
        objects = {"objects"} if isinstance(self.columns, str) else set()
        return frozenset({"nominal", "missing"} | (self.kernel.takes & {"sparse"}) | objects)

    @property
    def function(self) -> bool:  # type: ignore[override]
        return self.kernel.function

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return self.kernel.stationary

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return self.kernel.psd if isinstance(self.columns, str) else self.kernel.psd_on(len(self.columns))

    def psd_on(self, columns: int) -> bool:
        return self.psd

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> OnColumns:
        return replace(self, kernel=self.kernel.learn(self._picked(X), y, w))

    def with_schema(self, schema: Schema) -> OnColumns:
        names = [self.columns] if isinstance(self.columns, str) else self.columns
        numbers = [schema.index(c) if isinstance(c, str) else c for c in names]
        if any(j >= len(schema) for j in numbers):
            raise SchemaError(f"{self!r}: there is no column {max(numbers)}, the table has {len(schema)}.")
        columns = [schema[j] for j in numbers]
        for column in columns:
            if column.kind == "nominal" and "nominal" not in self.kernel.takes:
                raise SchemaError(
                    f"{self!r}: column {column.name!r} holds categories, which {self.kernel!r} cannot use. Take a "
                    "kernel of categories for it, such as CategoryKernel()."
                )
        return OnColumns(self.kernel.with_schema(Schema(columns, schema.named)), numbers)

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return self.kernel.diagonal(self._picked(A))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return self.kernel.diagonal_gradient(self._picked(A))

    def feature_map(self, X: TableLike) -> np.ndarray:
        return self.kernel.feature_map(self._picked(X))

    def column_sums(
        self, Q: PointsLike, S: PointsLike, coef: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        if getattr(Q, "ndim", 0) != 2 or any(isinstance(j, str) for j in self.columns):
            return None
        part = self.kernel.column_sums(self._picked(Q), self._picked(S), coef)
        if part is None:
            return None
        values = np.zeros((*Q.shape, coef.shape[1]))
        for place, j in enumerate(self.columns):  # a column may be named twice
            values[:, j] += part[0][:, place]
        return values, part[1]

    def _picked(self, X: Any) -> Any:
        """The columns of a table, or the view of a mapping."""
        if isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1:
            return self._of_objects(X)
        if self.kernel.takes == OBJECTS:
            numbered = [j for j in self.columns if not isinstance(j, str)]
            return (
                np.asarray(X, dtype=object)[:, numbered[0]]
                if numbered
                else self._of_objects(objects_of(X, repr(self)))
            )
        if isinstance(X, Mapping) and not hasattr(X, "shape"):
            return self._view(X)
        if isinstance(X, Table):
            numbers = [
                X.schema.index(c) if isinstance(c, str) else c for c in np.atleast_1d(self.columns).tolist()
            ]
            return self._checked(X.values[:, numbers])
        if any(isinstance(c, str) for c in self.columns):
            if not hasattr(X, "columns"):
                raise SchemaError(
                    f"{self!r}: columns are given by name, but the table has no names. Give their numbers, or a frame."
                )
            names = [self.columns] if isinstance(self.columns, str) else list(self.columns)
            return self._checked(np.asarray(X[names], dtype=np.float64))
        if not hasattr(X, "shape"):
            X = np.asarray(X)
        if X.ndim != 2 or max(self.columns, default=-1) >= X.shape[1]:
            raise DataError(
                f"{self!r}: there is no column {max(self.columns)} in a table of shape {X.shape}."
            )
        return self._checked(take_columns(X, self.columns))

    def _of_objects(self, rows: np.ndarray) -> Any:
        """The columns or the view of rows that are mappings; a kernel of objects sees one of them."""
        names = [self.columns] if isinstance(self.columns, str) else list(self.columns)
        if self.kernel.takes == OBJECTS and len(names) > 1:
            raise ParameterError(
                f"{self!r}: {self.kernel!r} compares one object a row, got {len(names)} columns."
            )
        if len(names) == 1 and not isinstance(rows[0], Mapping):
            columns: list[Any] = [rows]
        else:
            unknown = [name for name in names if not isinstance(rows[0], Mapping) or name not in rows[0]]
            if unknown:
                known = ", ".join(map(str, rows[0])) if isinstance(rows[0], Mapping) else "none"
                raise DataError(f"{self!r}: there is no column or view {unknown[0]!r}, there are {known}.")
            columns = [[row[name] for row in rows] for name in names]
        if self.kernel.takes == OBJECTS:
            return objects_of(columns[0], repr(self))
        try:
            numbers = [np.array(list(column), dtype=np.float64).reshape(len(rows), -1) for column in columns]
        except (TypeError, ValueError):
            raise DataError(
                f"{self!r}: these columns do not hold numbers, which {self.kernel!r} needs."
            ) from None
        return self._checked(np.hstack(numbers))

    def _view(self, X: Mapping[str, Any]) -> Any:
        if not isinstance(self.columns, str):
            return np.column_stack([np.asarray(X[name], dtype=np.float64) for name in self.columns])
        if self.columns not in X:
            raise DataError(
                f"{self!r}: there is no view {self.columns!r}, there are {', '.join(map(str, X))}."
            )
        return X[self.columns]

    def _checked(self, X: Any) -> Any:
        numbers = X.data if hasattr(X, "tocsr") else X
        if "missing" not in self.kernel.takes and numbers.dtype.kind == "f" and np.isnan(numbers).any():
            raise DataError(
                f"{self!r}: these columns have missing values, which {self.kernel!r} cannot use. Impute them first, or "
                "take MixedKernel()."
            )
        return X

    def _prepared(self, X: Any) -> Any:
        return self.kernel._prepared(self._picked(X))

    def _check_widths(self, A: Any, B: Any) -> None:
        self.kernel._check_widths(A, B)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return self.kernel._block(A, B)

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> Any:
        return self.kernel._derivatives(A, B, K)

    def _derivative_sums(self, A: Any, B: Any, W: np.ndarray, K: np.ndarray | None = None) -> np.ndarray:
        return self.kernel._derivative_sums(A, B, W, K)

    def __repr__(self) -> str:
        from assay.kernels.algebra import Compound

        inner = f"({self.kernel!r})" if isinstance(self.kernel, Compound) else repr(self.kernel)
        return f"{inner}.on({self.columns!r})"
