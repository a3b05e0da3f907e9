"""Kinds of arrays: the type of their numbers, their shape, the range of their values."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.core.stored.kind import Kind, Size, Sizes, shape_text
from assay.core.stored.plain import not_plain

__all__ = [
    "AnyArray",
    "BoolArray",
    "CodeArray",
    "FloatArray",
    "IntArray",
    "NumberArray",
    "OffsetArray",
    "TableRows",
]


class _Array(Kind):
    """An array: kinds of its numbers, its shape, and the range of its values."""

    kinds: ClassVar[str] = ""
    words: ClassVar[str] = "an array"

    def __init__(
        self,
        *shape: str | int,
        low: float | None = None,
        high: float | None = None,
        below: str | int | None = None,
        finite: bool = False,
        ascending: bool = False,
    ):
        self.shape = tuple(map(Size, shape))
        self.low, self.high, self.finite, self.ascending = low, high, finite, ascending
        self.below = None if below is None else Size(below)

    def bind(self, value: object, sizes: Sizes) -> None:
        if isinstance(value, np.ndarray) and value.ndim == len(self.shape):
            for size, length in zip(self.shape, value.shape):
                size.bind(length, sizes)

    def fault(self, value: object, sizes: Sizes) -> str:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in self.kinds:
            return f"is not {self.words}"
        if value.ndim != len(self.shape) or not all(
            size.fits(length, sizes) for size, length in zip(self.shape, value.shape)
        ):
            return f"has the shape {value.shape}, expected {shape_text(self.shape, sizes)}"
        return self._outside(value, sizes) if value.size else ""

    def _outside(self, value: np.ndarray, sizes: Sizes) -> str:
        if self.finite and not np.isfinite(value).all():
            return "has values that are not finite"
        limit = None if self.below is None else self.below.value(sizes)
        if self.low is not None and np.fmin.reduce(value, axis=None) < self.low:  # fmin passes NaN over
            return f"has values below {self.low:g}"
        if self.high is not None or limit is not None:
            most = np.fmax.reduce(value, axis=None)
            if self.high is not None and most > self.high:
                return f"has values above {self.high:g}"
            if limit is not None and most >= limit:
                return f"has values that are not below {limit}"
        if self.ascending and not (value[1:] >= value[:-1]).all():
            return "is not in ascending order"
        return ""


class FloatArray(_Array):
    """Floating-point numbers of that shape; ``low``, ``high``, ``finite`` and ``ascending`` limit them.

    NaN is within every range, unless ``finite`` is asked for.

    >>> import numpy as np
    >>> from assay.core.stored import FloatArray
    >>> FloatArray("K", "p", finite=True).fault(np.array([[1.0, np.nan]]), {"K": 1, "p": 2})
    'has values that are not finite'
    >>> FloatArray("K", "p").fault(np.zeros((3, 2)), {"K": 3, "p": 4})
    'has the shape (3, 2), expected (K, p) = (3, 4)'
    """

    kinds = "f"
    words = "an array of floating-point numbers"


class IntArray(_Array):
    """Whole numbers of that shape; ``low``, ``high``, ``below`` and ``ascending`` limit them."""

    kinds = "iu"
    words = "an array of whole numbers"


class NumberArray(_Array):
    """Numbers of any type: floating-point, whole, or truth values."""

    kinds = "fiub"
    words = "an array of numbers"


class BoolArray(_Array):
    """Truth values of that shape."""

    kinds = "b"
    words = "an array of truth values"


class AnyArray(_Array):
    """Values of any type, such as labels; an array of objects may hold plain ones."""

    kinds = "biufcmMOSU"

    def _outside(self, value: np.ndarray, sizes: Sizes) -> str:
        return not_plain(value.ravel().tolist(), 4) if value.dtype.kind == "O" else ""


class CodeArray(IntArray):
    """Positions in something that is ``below`` long: whole numbers from 0, or from ``low``.

    >>> import numpy as np
    >>> from assay.core.stored import CodeArray
    >>> CodeArray("n", below="K").fault(np.array([0, 2, 3]), {"n": 3, "K": 3})
    'has values that are not below 3'
    """

    def __init__(
        self, *shape: str | int, below: str | int | None = None, low: int = 0, ascending: bool = False
    ):
        super().__init__(*shape, low=low, below=below, ascending=ascending)


class OffsetArray(IntArray):
    """Where each of several parts begins in a longer array: 0 first, never falling, ``end`` last.

    >>> import numpy as np
    >>> from assay.core.stored import OffsetArray
    >>> OffsetArray("m + 1", end="e").fault(np.array([0, 2, 9]), {"m": 2, "e": 5})
    'does not end with 5'
    """

    def __init__(self, size: str | int, end: str):
        super().__init__(size)
        self.end = Size(end)

    def fault(self, value: Any, sizes: Sizes) -> str:
        wrong = super().fault(value, sizes)
        if wrong:
            return wrong
        if not len(value) or value[0] != 0 or (value[1:] < value[:-1]).any():
            return "does not begin with 0 and rise"
        end = self.end.value(sizes)
        return "" if end is None or int(value[-1]) == end else f"does not end with {end}"


class TableRows(Kind):
    """Rows of a table as a learner sees them: (n, p) floating-point numbers, dense or a SciPy CSR or CSC matrix."""

    def __init__(self, n: str = "n", p: str = "p", finite: bool = False):
        self.shape, self.finite = (Size(n), Size(p)), finite

    def bind(self, value: Any, sizes: Sizes) -> None:
        if len(getattr(value, "shape", ())) == 2:
            for size, length in zip(self.shape, value.shape):
                size.bind(length, sizes)

    def fault(self, value: Any, sizes: Sizes) -> str:
        dense = isinstance(value, np.ndarray)
        if not (dense or getattr(value, "format", "") in ("csr", "csc")) or value.dtype.kind not in "fiub":
            return "is not a table of numbers"
        if value.ndim != 2 or not all(
            size.fits(length, sizes) for size, length in zip(self.shape, value.shape)
        ):
            return f"has the shape {value.shape}, expected {shape_text(self.shape, sizes)}"
        if self.finite and not np.isfinite(value if dense else value.data).all():
            return "has values that are not finite"
        return ""
