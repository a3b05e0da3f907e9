"""How far the values of each column lie apart: whether a mixture can tell groups of them from each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.sums import Block
from assay.errors import DataError, DegenerateWarning, warn_user

__all__ = ["ColumnRanges"]

SMALLEST_SQUARE = 1e-305  # below which squares have no digits
LEAST_VARIANCE = 1e-6  # the default of reg_covar and floor


@dataclass(frozen=True)
class ColumnRanges:
    """The least and the largest value of each column, NaN where it has none; ranges of blocks add.

    Parameters
    ----------
    low, high : (d,)      count : int, rows

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.sums import Block
    >>> from assay.mixture.column_ranges import ColumnRanges
    >>> first, second = Block(np.array([[1.0], [2.0]]), None, None), Block(np.array([[7.0]]), None, None)
    >>> (ColumnRanges.of_block(first) + ColumnRanges.of_block(second)).widths()
    array([6.])
    """

    low: np.ndarray
    high: np.ndarray
    count: int

    @classmethod
    def of_block(cls, block: Block) -> ColumnRanges:
        """The ranges of the rows of a block; rows of weight 0 have no say."""
        X = np.asarray(block.X, dtype=np.float64)
        if block.w is not None and (np.asarray(block.w) == 0).any():
            X = X[np.asarray(block.w) > 0]
        nothing, columns = np.full(X.shape[1], np.nan), np.ascontiguousarray(X.T)
        low, high = (limit.reduce(columns, axis=1) if len(X) else nothing for limit in (np.fmin, np.fmax))
        return cls(low, high, len(X))

    def __add__(self, other: ColumnRanges) -> ColumnRanges:
        return ColumnRanges(
            np.fmin(self.low, other.low), np.fmax(self.high, other.high), self.count + other.count
        )

    def widths(self) -> np.ndarray:
        """(d,) the distances of the largest values from the least."""
        with np.errstate(over="ignore"):
            widths: np.ndarray = self.high - self.low
        return widths

    def refuse_without_squares(self, names: Sequence[str], who: str) -> None:
        """A DataError that names the first column whose deviations have no squares."""
        with np.errstate(over="ignore", under="ignore"):
            squares = self.widths() ** 2
            sums = squares * self.count
        for j, square in enumerate(squares):
            size = "large" if np.isinf(sums[j]) else "small"
            if np.isinf(sums[j]) or (square < SMALLEST_SQUARE and self.high[j] > self.low[j]):
                raise DataError(
                    f"{who}: column {names[j]} has numbers too {size} to be squared. Scale the columns first: "
                    "StandardScaler."
                )

    def warn_below(self, variance: float, parameter: str, names: Sequence[str], who: str) -> None:
        """A DegenerateWarning if no variance of a column can reach the one that ``parameter`` gives to all.

        One above the default was chosen, to smooth, and is not warned of.
        """
        widths: Any = self.widths()
        lost = np.flatnonzero((widths > 0) & (widths**2 / 4 < variance))
        if len(lost) and variance <= LEAST_VARIANCE:
            j = lost[0]
            more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
            warn_user(
                f"{who}: the values of column {names[j]}{more} lie within {widths[j]:.3g}: {parameter}={variance:g} is "
                f"more than their variance, and hides groups. Scale the columns first, StandardScaler, or lower "
                f"{parameter}.",
                DegenerateWarning,
            )
