"""Missing indicators: one column for each column with missing values, true where one is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_, Choice, Flag
from assay.core.stored import CodeArray, IntArray, Object
from assay.errors import DataError
from assay.prepare.as_given import beside, with_text_names
from assay.prepare.preparation import Preparation, Summed
from assay.tables import Schema, Table
from assay.tables.table import UNSEEN
from assay.types import TableLike

__all__ = ["MissingIndicator", "is_missing", "is_nan", "missing_stored"]

PREFIX = "missingindicator_"


class MissingIndicator(Summed, Preparation):
    """Mark missing values: True for a missing entry, one column for each column with missing values.

    A missing value can carry information of its own, as no telephone number on a request for credit does;
    this makes it visible to every learner.

    Cost: fit O(n d) in one pass; transform O(d) a row; memory O(d).

    Parameters
    ----------
    missing_values : default NaN
        What else stands for a missing value besides NaN, None and null: a number or a text.
    features : "missing-only" or "all"
        Indicators for the columns with missing values in ``fit``, or for all.
    sparse : "auto", True or False
        True gives a sparse matrix, False an array; "auto" a sparse matrix for a sparse one, an array for an array and a
        frame for a frame.
    error_on_new : bool, default True
        Whether a missing value in a column that had none in ``fit`` is an error (only for "missing-only").

    Attributes
    ----------
    features_ : the numbers of the columns that have an indicator

    Examples
    --------
    >>> from assay.prepare import MissingIndicator
    >>> MissingIndicator().fit_transform([[1.0, None], [2.0, 3.0]])
    array([[ True],
           [False]])

    See Also
    --------
    SimpleImputer, drop_missing

    References
    ----------
    - Little, R. J. A. and Rubin, D. B. (2019). Statistical Analysis with Missing Data, third edition. Wiley.
      doi:10.1002/9781119482260
    """

    card = Card(
        "missing indicator", "a column for each column with missing values, true where one is missing"
    )
    accepts = {
        "missing_values": Any_(),
        "features": Choice("missing-only", "all"),
        "sparse": Any_("True, False or 'auto'", lambda v: isinstance(v, (bool, np.bool_)) or v == "auto"),
        "error_on_new": Flag(),
    }
    stored = {
        "features_": CodeArray("*", below="d"),
        "_sums": Object("assay.prepare.missing_indicator.MissingCounts", d="d"),
    }

    def __init__(
        self,
        *,
        missing_values: float | str | None = np.nan,
        features: str = "missing-only",
        sparse: bool | str = "auto",
        error_on_new: bool = True,
    ):
        self.missing_values = missing_values
        self.features = features
        self.sparse = sparse
        self.error_on_new = error_on_new

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    takes = frozenset({"nominal", "missing", "sparse"})

    def _summarize(self, X: Any, y: Any, w: np.ndarray | None) -> MissingCounts:
        mask = is_missing(Table(X, self.schema_), self.missing_values)
        return MissingCounts(np.asarray((mask if w is None else mask[w > 0]).sum(axis=0)).ravel())

    def _solve(self, sums: MissingCounts) -> None:
        everything = np.arange(len(self.schema_))
        self.features_ = everything if self.features == "all" else everything[sums.count > 0]

    def transform(self, X: TableLike) -> Any:
        """(n, features) True where an entry is missing."""
        table = self._read(X)
        mask = is_missing(table, self.missing_values)
        new = np.setdiff1d(np.flatnonzero(np.asarray(mask.sum(axis=0)).ravel()), self.features_)
        if self.error_on_new and self.features == "missing-only" and len(new):
            names = ", ".join(self.schema_[int(j)].name for j in new)
            raise DataError(
                f"MissingIndicator: The features [{names}] have missing values in transform but have no missing "
                "values in fit. Use error_on_new=False, or features='all'."
            )
        return self._given(X, mask[:, self.features_])

    def _given(self, X: Any, mask: Any) -> Any:
        dense = isinstance(mask, np.ndarray)
        if self.sparse is True or (not dense and self.sparse == "auto"):
            from scipy.sparse import csc_matrix

            return csc_matrix(mask)
        mask = mask if dense else mask.toarray()
        if not (hasattr(X, "columns") or hasattr(X, "column_names")):
            return mask
        import narwhals.stable.v2 as nw

        frame, _ = with_text_names(X)
        made = [
            nw.new_series(name, mask[:, j], nw.Boolean, backend=frame.implementation)
            for j, name in enumerate(self._names_out())
        ]
        return beside(frame, made)

    def _names_out(self, names: list[str] | None = None) -> list[str]:
        names = self.schema_.names if names is None else names
        return [PREFIX + names[j] for j in self.features_]


@dataclass
class MissingCounts:
    """How many entries of each column are missing."""

    count: np.ndarray
    stored = {"count": IntArray("d", low=0)}

    def __add__(self, other: MissingCounts) -> MissingCounts:
        return MissingCounts(self.count + other.count)

    def recode(self, old: Schema, new: Schema) -> MissingCounts:
        """The same: new categories change no count."""
        return self


def is_missing(table: Table, missing_values: Any = np.nan) -> Any:
    """(n, d) where entries are missing: NaN, and whatever else stands for a missing value; sparse for a sparse table.

    >>> from assay.prepare.missing_indicator import is_missing
    >>> from assay.tables import Table
    >>> is_missing(Table.of({"age": [1.0, -1.0], "job": [None, "?"]}), "?")
    array([[False,  True],
           [False,  True]])
    """
    X = table.values
    if not isinstance(X, np.ndarray):
        where = X.astype(bool)
        where.data = missing_stored(X, missing_values)
        where.eliminate_zeros()
        return where
    mask = np.isnan(X)
    if is_nan(missing_values):
        return mask
    for j, column in enumerate(table.schema):
        if not column.coded:
            if isinstance(missing_values, (int, float, np.number)):
                mask[:, j] |= X[:, j] == missing_values
        elif missing_values in column.categories:
            mask[:, j] |= X[:, j] == column.categories.index(missing_values)
        elif missing_values in table.unseen.get(column.name, ()):
            mask[:, j] |= X[:, j] == UNSEEN
    return mask


def missing_stored(X: Any, missing_values: Any) -> np.ndarray:
    """Which of the stored entries of a sparse table are missing; what is not stored is the number 0."""
    number = isinstance(missing_values, (int, float, np.number))
    if number and missing_values == 0:
        raise DataError(
            "missing_values=0 cannot be distinguished from the zeros of a sparse table, which are not stored. "
            "Provide a dense array instead: X.toarray()."
        )
    mask = np.isnan(X.data)
    return mask | (X.data == missing_values) if number else mask


def is_nan(value: Any) -> bool:
    """Whether a value is what is missing anyway: NaN, None, NA."""
    return value is None or str(value) in ("nan", "<NA>", "NaT")
