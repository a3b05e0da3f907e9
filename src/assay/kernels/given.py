"""Kernels that come from outside: a matrix of values, or the user's own function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from assay.errors import DataError, ParameterError
from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.kernels.kernel import OBJECTS, Kernel, mirror
from assay.kernels.objects import objects_of
from assay.types import PointsLike, TableLike

__all__ = ["FunctionKernel", "PrecomputedKernel"]

COMPARED = ("tables", "rows", "objects", "auto")  # what a function may be one of two of


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
    of_numbers: ClassVar[bool] = False  # training rows may be any sequence of their number
    psd: ClassVar[bool] = False  # nobody knows

    @property
    def name(self) -> str:
        return "precomputed"

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        A, m = np.asarray(A, dtype=np.float64), len(B)
        if A.ndim != 2 or A.shape[1] != m:
            raise DataError(
                f"precomputed: each row must hold its kernel values with the {m} training rows, got shape {A.shape}."
            )
        return A

    def gram(self, A: PointsLike) -> np.ndarray:
        return self.between(A, A)

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.diagonal(np.asarray(A, dtype=np.float64)).copy()

    def gram_rows(self, X: TableLike) -> GramRows:
        return MatrixRows(self.gram(X))

    def combine(self, Q: PointsLike, S: PointsLike, coef: np.ndarray) -> np.ndarray:
        return self.between(Q, S) @ coef


@dataclass(frozen=True, eq=False)
class FunctionKernel(Kernel):
    """A Python function as a kernel: of two tables, as scikit-learn's machines call it, of two rows or of two objects.

    A function of two tables gets an (n, d) and an (m, d) array and returns the (n, m) matrix of values; it is called
    once for all pairs. A function of two rows gets two (d,) arrays and returns a number; it is called for each pair,
    which is slow. Rows of a sparse table come as sparse matrices. A function of objects gets two rows as they are,
    whatever they are.

    Parameters
    ----------
    call : callable
    of : "tables", "rows", "objects" or "auto", default "auto"
        What the function compares; "auto" tries it with two and three rows, and takes it as a function of tables if it
        returns a matrix of that shape.
    params : dict, default none
        More arguments of the function.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import FunctionKernel
    >>> FunctionKernel(lambda A, B: A @ B.T)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    >>> FunctionKernel(lambda a, b: float(np.minimum(a, b).sum()))([[1.0, 2.0]], [[3.0, 1.0]])
    array([[2.]])
    >>> FunctionKernel(lambda a, b: len(set(a) & set(b)), of="objects")(["cat", "hat"], ["tar"])
    array([[2.],
           [2.]])
    """

    stored = None  # a function is code
    function: ClassVar[bool] = True
    of_numbers: ClassVar[bool] = False  # what the function makes of its rows is up to it
    psd: ClassVar[bool] = False  # nobody knows

    call: Callable[..., Any]
    of: str = "auto"
    params: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not callable(self.call):
            raise ParameterError(f"FunctionKernel: call must be a function, got {self.call!r}.")
        if self.of not in COMPARED:
            raise ParameterError(
                f"FunctionKernel: of must be one of {', '.join(map(repr, COMPARED))}, got {self.of!r}."
            )

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """Objects, or the numbers of a table."""
        return OBJECTS if self.of == "objects" else frozenset({"sparse"})

    @property
    def name(self) -> str:
        return getattr(self.call, "__name__", "function")

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> FunctionKernel:
        return replace(self, of=self._compares(self._prepared(X)))

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        """All pairs in one call, since the function may look at the tables as a whole."""
        return self._block(self._prepared(A), self._prepared(B))

    def gram(self, A: PointsLike) -> np.ndarray:
        A = self._prepared(A)
        K = self._block(A, A, half=True).copy()
        mirror(K)
        return K

    def diagonal(self, A: PointsLike) -> np.ndarray:
        A = self._prepared(A)
        if self._compares(A) != "tables":
            return np.array([self._value(row, row) for row in _rows(A)])
        return super().diagonal(A)

    def combine(self, Q: PointsLike, S: PointsLike, coef: np.ndarray) -> np.ndarray:
        return self.between(Q, S) @ coef

    def _prepared(self, X: Any) -> Any:
        if self.of == "objects":
            return X if isinstance(X, np.ndarray) and X.ndim == 1 else objects_of(X, self.name)
        return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)

    def _compares(self, X: Any) -> str:
        """Whether the function is one of "tables" or of "rows", by what it makes of three and two rows."""
        if self.of != "auto" or not X.shape[0]:
            return self.of
        more, few = (X[np.arange(k) % X.shape[0]] for k in (3, 2))
        try:
            shape = np.shape(_dense(self.call(more, few, **self.params)))
        except Exception:  # whatever a function of rows says about tables
            return "rows"
        return "tables" if shape == (3, 2) else "rows"

    def _block(self, A: Any, B: Any, half: bool = False) -> np.ndarray:
        """The values; with ``half``, those below the diagonal may be anything."""
        if self._compares(B) == "tables":
            K = np.asarray(_dense(self.call(A, B, **self.params)), dtype=np.float64)
        else:
            K = self._pairs(A, B, half)
        if K.shape != (A.shape[0], B.shape[0]):
            raise DataError(
                f"kernel {self.name}: the function must return a matrix of shape {(A.shape[0], B.shape[0])}, "
                f"got {K.shape}."
            )
        if not np.isfinite(K).all():
            raise DataError(f"kernel {self.name}: the function gave a value that is no finite number.")
        return K

    def _pairs(self, A: Any, B: Any, half: bool) -> np.ndarray:
        out, others = np.zeros((A.shape[0], B.shape[0])), _rows(B)
        for i, a in enumerate(_rows(A)):
            first = i if half else 0
            out[i, first:] = [self._value(a, b) for b in others[first:]]
        return out

    def _value(self, a: Any, b: Any) -> float:
        value = self.call(a, b, **self.params)
        try:
            return float(np.asarray(_dense(value), dtype=np.float64).item())
        except (TypeError, ValueError):
            got = f"the shape {np.shape(value)}" if np.size(value) != 1 else repr(value)
            raise DataError(
                f"kernel {self.name}: the function must return a number for two rows, or an (n, m) matrix for tables "
                f"of n and m rows; it returned {got} for two rows."
            ) from None

    def __repr__(self) -> str:
        return f"FunctionKernel({self.name})"


def _dense(K: Any) -> Any:
    return K.toarray() if hasattr(K, "toarray") else K


def _rows(X: Any) -> list[Any]:
    """The rows one by one, sparse ones as matrices of one row."""
    return [X[i : i + 1] for i in range(X.shape[0])] if hasattr(X, "tocsr") else list(X)
