"""Mean and spread of all entries of a table, as a sum over blocks of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Boolean, Integer, Scalar

__all__ = ["EntryMoments"]


@dataclass(frozen=True)
class EntryMoments:
    """How many entries, their mean, their sum of squares around it; their columns; whether all were float32.

    >>> import numpy as np
    >>> from assay.kernels.approximations.entry_moments import EntryMoments
    >>> both = EntryMoments.of(np.array([[0.0, 2.0]])) + EntryMoments.of(np.array([[4.0, 6.0]]))
    >>> both.mean, both.variance
    (3.0, 5.0)
    """

    count: int
    mean: float
    squares: float
    columns: int
    single: bool
    stored = {
        "count": Integer(),
        "mean": Scalar(finite=True),
        "squares": Scalar(0, finite=True),
        "columns": Integer(low=1),
        "single": Boolean(),
    }

    @classmethod
    def of(cls, X: Any) -> EntryMoments:
        """Those of one block, dense or sparse."""
        count, values = int(np.prod(X.shape)), X if isinstance(X, np.ndarray) else X.data
        with np.errstate(over="ignore", invalid="ignore"):  # infinite where the squares are no numbers
            mean = float(values.sum(dtype=np.float64)) / max(count, 1)
            squares = float(np.sum((values - mean) ** 2, dtype=np.float64))
            if values.size < count:
                squares += (count - values.size) * (mean * mean)
        return cls(count, mean, squares, X.shape[1], X.dtype == np.float32)

    @property
    def variance(self) -> float:
        return self.squares / max(self.count, 1)

    def __add__(self, other: EntryMoments) -> EntryMoments:
        count, step = self.count + other.count, other.mean - self.mean
        share = other.count / max(count, 1)
        squares = self.squares + other.squares + step * step * self.count * share
        return EntryMoments(
            count, self.mean + share * step, squares, self.columns, self.single and other.single
        )
