"""A table as numbers of comparable size: indicators for nominal columns, every column with mean 0 and variance 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.targets import EncodedLabels
from assay.errors import DataError
from assay.evaluate.target import Target, as_target
from assay.tables import Design, Table

__all__ = ["StandardBlock", "outputs_of", "read_aim"]

Floats = NDArray[np.float64]

CONSTANT = 1e-13  # of a column's largest size: a standard deviation below it is rounding


@dataclass(frozen=True)
class StandardBlock:
    """The columns of a table at unit variance, and which of the table's columns is behind each.

    Attributes
    ----------
    Z : (n, D) mean 0 and variance 1 by the weights; 0 where a column does not vary
    source : (D,) the table's column      d : number of the table's columns      w : (n,) weights or None
    """

    Z: Floats
    source: NDArray[np.int64]
    d: int
    w: Floats | None = None

    @classmethod
    def of(cls, table: Table, w: Floats | None = None) -> StandardBlock:
        """Of a table without missing values."""
        design = Design(table.schema)
        X = np.asarray(design.expand(table.values), dtype=np.float64)
        size = np.abs(X).max(axis=0, initial=0.0)
        Z = X / np.where(size > 0, size, 1.0)
        Z = Z - np.average(Z, axis=0, weights=w)
        spread = np.sqrt(np.average(Z * Z, axis=0, weights=w))
        varies = spread > CONSTANT
        Z = np.where(varies, Z / np.where(varies, spread, 1.0), 0.0)
        return cls(Z, design.source, len(table.schema), w)

    def by_column(self, values: Floats) -> Floats:
        """(d,) the largest of each column's values, none of which is negative."""
        largest = np.zeros(self.d)
        np.maximum.at(largest, self.source, values)
        return largest

    def norms(self, weights: Floats) -> Floats:
        """(d,) the length of each column's weights, given (D,) or (outputs, D)."""
        squares = (np.atleast_2d(weights) ** 2).sum(axis=0)
        return np.sqrt(np.bincount(self.source, squares, minlength=self.d))

    def rows(self, rows: Any) -> StandardBlock:
        """Some of the rows, again with mean 0 and variance 1."""
        Z, w = self.Z[rows], None if self.w is None else self.w[rows]
        Z = Z - np.average(Z, axis=0, weights=w)
        spread = np.sqrt(np.average(Z * Z, axis=0, weights=w))
        varies = spread > CONSTANT
        return StandardBlock(np.where(varies, Z / np.where(varies, spread, 1.0), 0.0), self.source, self.d, w)


def read_aim(y: Any, n: int, who: str, task: str | None = None, of_learners: str | None = None) -> Target:
    """The classes or numbers that columns are chosen for; all rows must have one."""
    if y is None:
        raise DataError(
            "requires y to be passed, but the target y is None: columns are judged by how well they tell it.",
            who=who,
        )
    if isinstance(y, EncodedLabels):
        classes, codes = y.present()
        aim = Target("class", classes, codes)
    else:
        y = y if hasattr(y, "__len__") else np.asarray(y)
        aim = as_target(y, n, who, lenient=True, task=task, of_learners=of_learners)
    if not aim.labelled.all():
        raise DataError(
            f"y is missing in row {int(np.argmin(aim.labelled)) + 1}. Leave such rows out.", who=who
        )
    if aim.numbers is None and len(aim.labels) < 2:
        raise DataError(f"y has only one class, {aim.labels.tolist()[0]!r}; at least 2 are needed.", who=who)
    return aim


def outputs_of(aim: Target) -> Floats:
    """(n, q) numbers for least squares: the numbers at unit size, one indicator of two classes, else one for each."""
    if aim.numbers is not None:
        size = float(np.abs(aim.numbers).max(initial=0.0)) or 1.0
        return (aim.numbers / size)[:, None]
    K = len(aim.labels)
    indicators = (aim.codes[:, None] == np.arange(K)).astype(np.float64)
    return indicators[:, 1:] if K == 2 else indicators
