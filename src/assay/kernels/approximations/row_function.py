"""A kernel that is the user's own function of two rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from assay.errors import DataError
from assay.kernels.kernel import Kernel
from assay.kernels.objects import objects_of

__all__ = ["RowFunction"]


@dataclass(frozen=True, eq=False)
class RowFunction(Kernel):
    """A Python function of two rows, called once for each pair.

    Parameters
    ----------
    call : callable of two rows, which returns a number
    params : dict, default none
        More arguments of the function.
    objects : bool, default False
        Whether rows are objects of any kind rather than rows of a table.

    Examples
    --------
    >>> from assay.kernels import RowFunction
    >>> RowFunction(lambda a, b: len(set(a) & set(b)), objects=True)(["cat", "hat"], ["tar"])
    array([[2.],
           [2.]])
    """

    stored = None  # a function is code
    function: ClassVar[bool] = True
    psd: ClassVar[bool] = False  # nobody knows

    call: Callable[..., float]
    params: Mapping[str, Any] = field(default_factory=dict)
    objects: bool = False

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """Objects, or the numbers of a table."""
        return frozenset({"objects"} if self.objects else ())

    @property
    def name(self) -> str:
        return getattr(self.call, "__name__", "function")

    def gram(self, A: Any) -> np.ndarray:
        rows = self._prepared(A)
        n = len(rows)
        K = np.empty((n, n))
        for i in range(n):
            for j in range(i, n):
                K[i, j] = K[j, i] = self._value(rows[i], rows[j])
        return K

    def diagonal(self, A: Any) -> np.ndarray:
        return np.array([self._value(row, row) for row in self._prepared(A)])

    def _prepared(self, X: Any) -> Any:
        if self.objects:
            return X if isinstance(X, np.ndarray) and X.ndim == 1 else objects_of(X, self.name)
        return X.toarray() if hasattr(X, "toarray") else np.asarray(X)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return np.array([[self._value(a, b) for b in B] for a in A]).reshape(len(A), len(B))

    def _value(self, a: Any, b: Any) -> float:
        value = self.call(a, b, **self.params)
        try:
            number = float(np.asarray(value, dtype=np.float64).item())
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number):
            raise DataError(
                f"kernel {self.name}: the function must give one finite number for two rows, got {value!r}."
            )
        return number
