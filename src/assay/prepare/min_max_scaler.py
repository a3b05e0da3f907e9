"""Min-max scaling: every column stretched to the same interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_, Array, Flag
from assay.core.stored import FloatArray, IntArray, Integer, Object
from assay.errors import ParameterError
from assay.prepare.as_given import as_given
from assay.prepare.columns import columnwise, extremes
from assay.prepare.preparation import Preparation, Summed, without_dates
from assay.tables import Schema, Table
from assay.types import TableLike

__all__ = ["MinMaxScaler"]


class MinMaxScaler(Summed, Preparation):
    r"""Stretch each numeric column so that its smallest value is a and its largest b.

    .. math:: z_{ij} = a + (x_{ij} - l_j)\,\frac{b - a}{u_j - l_j}                       \quad (1)

    with the smallest and largest training values :math:`l_j, u_j`. Missing entries are left out and stay
    missing; nominal and ordinal columns pass as they are; a constant column becomes a. The learner is a sum
    (of extremes): ``partial_fit``, ``fit_blocks`` and Dask give the same numbers. One outlier squeezes all
    other rows; then prefer ``StandardScaler``.

    Cost: fit O(n d) in one pass; transform O(d) a row; memory O(d).

    Parameters
    ----------
    feature_range : (a, b), default (0, 1)
    copy : bool, default True
        False lets ``transform`` write into a float array instead of making a new one.
    clip : bool, default False
        Whether rows beyond the training range are brought back to a or b.

    Attributes
    ----------
    data_min_, data_max_, data_range_ : (d,)
    scale_ : (d,) (b - a) / range      min_ : (d,) a - l scale; so (1) is x scale_ + min_
        1 and 0 for columns of categories, which (1) then leaves alone.
    n_samples_seen_ : int

    Examples
    --------
    >>> from assay.prepare import MinMaxScaler
    >>> scaler = MinMaxScaler().fit([[0.0, 5.0], [2.0, 5.0], [4.0, None]])
    >>> scaler.transform([[1.0, 5.0], [6.0, None]])
    array([[0.25, 0.  ],
           [1.5 ,  nan]])

    See Also
    --------
    StandardScaler, Prepared

    References
    ----------
    - Han, J., Kamber, M. and Pei, J. (2011). Data Mining: Concepts and Techniques, third edition. Morgan Kaufmann.
    """

    card = Card("min max scaler", "numbers stretched to a given range", also=("min-max",))
    accepts = {
        "feature_range": Any_("two numbers, the smaller first", lambda r: Array(1).holds(r) and len(r) == 2),
        "copy": Flag(),
        "clip": Flag(),
    }
    stored = {
        "data_max_": FloatArray("d"),
        "data_min_": FloatArray("d"),
        "data_range_": FloatArray("d"),
        "min_": FloatArray("d"),
        "scale_": FloatArray("d"),
        "n_samples_seen_": Integer() | IntArray("d"),
        "_sums": Object("assay.prepare.min_max_scaler.Extent", d="d"),
    }

    def __init__(self, feature_range: tuple[float, float] = (0, 1), *, copy: bool = True, clip: bool = False):
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _summarize(self, X: np.ndarray, y: Any, w: np.ndarray | None) -> Extent:
        if w is not None:
            X = X[w > 0]  # a row of weight zero is not there
        low, high = extremes(X)
        return Extent(np.asarray(low, np.float64), np.asarray(high, np.float64), len(X))

    def _solve(self, sums: Extent) -> None:
        a, b = self.feature_range
        if not a < b:
            raise ParameterError(
                f"MinMaxScaler: Minimum of desired feature range must be smaller than maximum. Got {(a, b)}."
            )
        has_value = sums.low <= sums.high
        self.data_min_ = np.where(has_value, sums.low, np.nan)
        self.data_max_ = np.where(has_value, sums.high, np.nan)
        self.data_range_ = self.data_max_ - self.data_min_
        constant = self.data_range_ < 10 * np.finfo(np.float64).eps
        self.scale_ = (b - a) / np.where(constant, 1.0, self.data_range_)
        self.min_ = a - self.data_min_ * self.scale_
        self.scale_[self.schema_.coded], self.min_[self.schema_.coded] = 1.0, 0.0
        self.n_samples_seen_ = sums.rows

    def _convert(self, table: Table, copy: bool) -> Table:
        steps: list[Any] = [(np.multiply, self.scale_), (np.add, self.min_)]  # (1)
        if self.clip:
            a, b = self.feature_range
            coded = self.schema_.coded
            steps += [(np.maximum, np.where(coded, -1.0, a)), (np.minimum, np.where(coded, np.inf, b))]
        return without_dates(Table(columnwise(table.values, steps, copy), table.schema, table.complete))

    def inverse_transform(self, X: TableLike) -> Any:
        """The rows in their old units; what was clipped stays clipped."""
        table = self._read(X)
        steps = [(np.subtract, self.min_), (np.divide, self.scale_)]
        return as_given(X, table, Table(columnwise(table.values, steps), table.schema, table.complete))


@dataclass
class Extent:
    """The smallest and the largest value of each column, and the number of rows."""

    low: np.ndarray
    high: np.ndarray
    rows: int
    stored = {
        "low": FloatArray("d"),
        "high": FloatArray("d"),
        "rows": Integer() | IntArray("d"),
    }

    def __add__(self, other: Extent) -> Extent:
        return Extent(
            np.minimum(self.low, other.low), np.maximum(self.high, other.high), self.rows + other.rows
        )

    def recode(self, old: Schema, new: Schema) -> Extent:
        """The same: new categories change no number column."""
        return self
