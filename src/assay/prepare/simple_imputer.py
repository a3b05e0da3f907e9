"""Simple imputation: the missing values of a column filled with one value, learned from the column alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.complaints import warn_unseen
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.moments import ClassMoments, class_moments
from assay.core.parameters import Any_, Choice, Flag, Function
from assay.core.stored import AnyArray, CodeArray, IntArray, Integer, Mapped, Object
from assay.core.sums import Rows, Source
from assay.errors import DegenerateWarning, ParameterError, warn_user
from assay.prepare.as_given import as_given
from assay.prepare.columns import count_missing, fill_missing
from assay.prepare.missing_indicator import PREFIX, MissingIndicator, is_missing, is_nan, missing_stored
from assay.prepare.preparation import Preparation, Summed
from assay.prepare.sparse_moments import sparse_moments
from assay.prepare.tally import Tally
from assay.stats.quantile_sketch import QuantileSketch
from assay.tables import Column, Schema, Table
from assay.types import Label, TableLike

__all__ = ["SimpleImputer"]

MISSING_CATEGORY = "missing_value"  # the category that missing values become with strategy "constant"


class SimpleImputer(Summed, Preparation):
    """Fill the missing values of each column with its mean, median, most frequent value or a constant.

    Columns of categories are filled too, in the same object: with their most frequent category (under
    "median" an ordinal column with its middle one), and under "constant" with a category of their own, which
    keeps the fact that the value was missing. A category that is not in the training rows counts as missing,
    with a warning. Where columns are related, ``RegressionImputer`` is more accurate.

    In a sparse table what is not stored is the number 0, and a stored NaN (or ``missing_values``) is missing; it stays
    sparse. Means and modes are sums over rows, so ``partial_fit``, ``fit_blocks`` and Dask work; for the most frequent
    number they keep a count of each distinct value, and ``partial_fit`` also for the median. Medians of blocks and on
    Dask come from sketches of bounded size: exact up to 65,536 rows or half as many distinct values, beyond with ranks
    that are off by about 0.01 % of the rows (:class:`~assay.stats.QuantileSketch`).

    Cost: fit O(n d), for medians O(n d log n); transform O(d) a row; memory O(d), for medians O(n d) to fit.

    Parameters
    ----------
    missing_values : default NaN
        What else stands for a missing value besides NaN, None and null: a number or a text.
    strategy : "mean", "median", "most_frequent", "constant" or a function, default "mean"
        What to fill number columns with. A function gets a column's values in ascending order and returns a
        number.
    fill_value : number, text, dict of column name to value, or None
        For "constant". None fills numbers with 0 and categories with "missing_value".
    copy : bool, default True
        False lets ``transform`` write into a float array instead of making a new one.
    add_indicator : bool, default False
        Whether to append a column of zeros and ones for each column with missing values in ``fit``.
    keep_empty_features : bool, default False
        A column without any value in ``fit`` is dropped, with a warning; True keeps it, filled with 0, or with
        the category "missing_value" (under "constant" with ``fill_value``).

    Attributes
    ----------
    statistics_ : (d,) what each column's missing values are filled with; NaN for an empty column
    fill_ : (d,) the same as numbers, categories by their code in ``filled_schema_``
    kept_ : numbers of the columns that are not dropped      missing_columns_ : of those with missing values in ``fit``
    indicator_ : the MissingIndicator of the appended columns, or None

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.prepare import SimpleImputer
    >>> people = pd.DataFrame({"age": [30, None, 50], "job": ["clerk", "clerk", None]})
    >>> SimpleImputer().fit_transform(people)
        age    job
    0  30.0  clerk
    1  40.0  clerk
    2  50.0  clerk
    >>> SimpleImputer(strategy="constant", fill_value={"age": -1}, add_indicator=True).fit_transform(people)
        age            job  missingindicator_age  missingindicator_job
    0  30.0          clerk                   0.0                   0.0
    1  -1.0          clerk                   1.0                   0.0
    2  50.0  missing_value                   0.0                   1.0

    See Also
    --------
    RegressionImputer, MissingIndicator, drop_missing

    References
    ----------
    - Little, R. J. A. and Rubin, D. B. (2019). Statistical Analysis with Missing Data, third edition. Wiley.
      doi:10.1002/9781119482260
    """

    card = Card(
        "simple imputer",
        "missing values by the mean, the median or the most frequent value",
        also=("imputer",),
    )
    takes = frozenset({"nominal", "missing", "sparse"})
    accepts = {
        "missing_values": Any_(),
        "strategy": Choice("mean", "median", "most_frequent", "constant") | Function(),
        "fill_value": Any_(),
        "copy": Flag(),
        "add_indicator": Flag(),
        "keep_empty_features": Flag(),
    }
    stored = {
        "fill_": AnyArray("d"),
        "filled_schema_": Object(Schema),
        "missing_columns_": CodeArray("*", below="d"),
        "kept_": CodeArray("*", below="d"),
        "statistics_": AnyArray("d"),
        "_sums": Object("assay.prepare.simple_imputer.ColumnSums", d="d"),
    }
    renamed = {"holed_": "missing_columns_"}  # in model files of earlier versions

    def __init__(
        self,
        *,
        missing_values: float | str | None = np.nan,
        strategy: str | Callable[[np.ndarray], float] = "mean",
        fill_value: Label | None = None,
        copy: bool = True,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
    ):
        self.missing_values = missing_values
        self.strategy = strategy
        self.fill_value = fill_value
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Add some rows to what was learned so far; y is ignored."""
        if hasattr(self, "statistics_") and not hasattr(self, "_sums"):
            raise ParameterError(
                f"SimpleImputer: strategy {self.strategy!r} keeps no values after fit, so partial_fit cannot go on "
                "from there. Begin with partial_fit."
            )
        return super().partial_fit(X, y, sample_weight)

    def _learn_from(self, source: Source) -> None:
        self._sketched = self.strategy == "median" and not isinstance(source, Rows)
        try:
            super()._learn_from(source)
        finally:
            del self._sketched
        if self.strategy not in ("mean", "constant"):
            del self._sums  # it holds the columns' values, and a fitted model should not

    @property
    def indicator_(self) -> MissingIndicator | None:
        """The indicator that appends its columns; None without ``add_indicator``."""
        check_is_fitted(self, "missing_columns_")
        if not self.add_indicator:
            return None
        indicator = MissingIndicator(missing_values=self.missing_values, error_on_new=False)
        indicator._remember(self.schema_)
        indicator.features_ = self.missing_columns_
        return indicator

    def _summarize(self, X: Any, y: Any, w: np.ndarray | None) -> ColumnSums:
        if not isinstance(X, np.ndarray):
            return self._summarize_sparse(X, w)
        if not is_nan(self.missing_values):
            X = np.where(is_missing(Table(X, self.schema_), self.missing_values), np.nan, X)
        counted = self.schema_.coded if self.strategy in ("mean", "constant") else np.ones(X.shape[1], bool)
        moments = None
        missing = count_missing(X if w is None else X[w > 0])
        if self.strategy == "mean":
            moments = class_moments(X, np.zeros(len(X), np.int64), w, 1, complete=not missing.any())
            moments = replace(moments, total=None)
        sketched = vars(self).get("_sketched", False) & ~self.schema_.coded
        tallies = {
            int(j): QuantileSketch.of(X[:, j], w) if sketched[j] else Tally.of(X[:, j], w)
            for j in np.flatnonzero(counted)
        }
        return ColumnSums(len(X) if w is None else int((w > 0).sum()), missing, moments, tallies)

    def _summarize_sparse(self, X: Any, w: np.ndarray | None) -> ColumnSums:
        """The same of a sparse table, from its stored entries and the number of the others."""
        if w is not None:
            X, w = X[w > 0], w[w > 0]
        X = _with_nan(X, self.missing_values)
        missing = np.bincount(_columns_of(X)[np.isnan(X.data)], minlength=X.shape[1])
        moments = replace(sparse_moments(X.tocsr(), w), total=None) if self.strategy == "mean" else None
        tallies = {}
        for j in range(X.shape[1]) if self.strategy not in ("mean", "constant") else ():
            stored = slice(X.indptr[j], X.indptr[j + 1])
            weights = np.ones(stored.stop - stored.start) if w is None else w[X.indices[stored]]
            zeros = (X.shape[0] if w is None else w.sum()) - weights.sum()
            present = ~np.isnan(X.data[stored])
            values = [X.data[stored][present].astype(np.float64), np.zeros(1)]
            has_zeros = zeros > 1e-12 * X.shape[0]
            tallies[j] = Tally(
                values[: 1 + has_zeros], [weights[present], np.array([zeros])][: 1 + has_zeros]
            )
        return ColumnSums(X.shape[0], missing, moments, tallies)

    def _solve(self, sums: ColumnSums) -> None:
        d = len(self.schema_)
        empty = sums.missing == sums.rows
        filled = [self._column(j, bool(empty[j])) for j in range(d)]
        self.filled_schema_ = Schema(filled, self.schema_.named)
        self.fill_ = np.array([self._value(j, bool(empty[j]), sums) for j in range(d)])
        self.kept_ = np.flatnonzero(~empty | self.keep_empty_features)
        self.missing_columns_ = np.flatnonzero(sums.missing)
        known = ~empty | self.keep_empty_features | (self.strategy == "constant")
        shown = [_label(filled[j], self.fill_[j]) if known[j] else np.nan for j in range(d)]
        self.statistics_ = np.array(shown, dtype=object if self.filled_schema_.coded.any() else np.float64)

    def _column(self, j: int, empty: bool) -> Column:
        """Column j after filling: a constant may be a category of its own."""
        column = self.schema_[j]
        if empty and self.strategy == "constant" and isinstance(self.fill_value, str):
            return Column(column.name, "nominal", (self.fill_value,))  # nothing says that these were numbers
        if not column.coded or not (empty or self.strategy == "constant"):
            return column
        value = self._constant(column) if self.strategy == "constant" else MISSING_CATEGORY
        if value in column.categories:
            return column
        return Column(column.name, column.kind, (*column.categories, value))

    def _value(self, j: int, empty: bool, sums: ColumnSums) -> float:
        """The number or the code that fills column j."""
        column = self.filled_schema_[j]
        if self.strategy == "constant":
            value = self._constant(column)
            return float(column.categories.index(value)) if column.coded else float(value)
        if empty:
            return float(column.categories.index(MISSING_CATEGORY)) if column.coded else 0.0
        if self.strategy == "mean" and not column.coded:
            return float(sums.moments.mean[0, j])  # type: ignore[union-attr]
        tally = sums.tallies[j]
        if isinstance(tally, QuantileSketch):
            return float(tally.quantile(0.5))
        if self.strategy == "median" and column.kind != "nominal":
            return tally.median(lower=column.coded)
        if callable(self.strategy) and not column.coded:
            return float(self.strategy(tally.repeated()))
        return tally.mode()

    def _constant(self, column: Column) -> Any:
        """What ``fill_value`` means for one column."""
        value = self.fill_value
        if isinstance(value, Mapping):
            strange = set(value) - set(self.schema_.names)
            if strange:
                raise ParameterError(
                    f"SimpleImputer: fill_value names {sorted(strange)}, which are no columns."
                )
            value = value.get(column.name)
        if value is None:
            return MISSING_CATEGORY if column.coded else 0.0
        number = isinstance(value, (int, float, np.number))
        if number == column.coded and not (column.coded and value in column.categories):
            wanted = "a category" if column.coded else "a number"
            raise ParameterError(
                f"SimpleImputer: fill_value={value!r} does not fit column {column.name!r}, which needs {wanted}. "
                "Give a dict with a value for each column that needs one."
            )
        return value

    def _convert(self, table: Table, copy: bool) -> Table:
        if not isinstance(table.values, np.ndarray):
            return self._convert_sparse(table)
        X, missing = table.values, None
        if table.unseen:
            warn_unseen(table, type(self).__name__, "filled like missing values")
        if self.add_indicator or table.unseen or not is_nan(self.missing_values):
            missing = is_missing(table, self.missing_values) | ((X < 0) & table.schema.coded)
            X, copy = np.where(missing, np.nan, X), False
        if not table.complete or missing is not None:
            X = fill_missing(X, self.fill_, copy)
        elif copy:
            X = X.copy()
        if len(self.kept_) < len(self.schema_):
            X = np.ascontiguousarray(X[:, self.kept_])
            self._warn_of_dropped()
        if missing is not None and self.add_indicator:
            X = np.hstack([X, missing[:, self.missing_columns_].astype(X.dtype)])
        return Table(X, self._schema_out())  # nothing is missing any more

    def _convert_sparse(self, table: Table) -> Table:
        mask = is_missing(table, self.missing_values)
        X = _with_nan(table.values, self.missing_values)
        missing = np.isnan(X.data)
        X.data[missing] = self.fill_[_columns_of(X)[missing]]
        if len(self.kept_) < len(self.schema_):
            X = X[:, self.kept_]
            self._warn_of_dropped()
        if self.add_indicator:
            from scipy.sparse import hstack

            X = hstack([X, mask.tocsc()[:, self.missing_columns_].astype(X.dtype)], format="csc")
        return Table(X, self._schema_out())

    def _warn_of_dropped(self) -> None:
        names = ", ".join(c.name for j, c in enumerate(self.schema_) if j not in self.kept_)
        warn_user(
            f"SimpleImputer: dropped without any value in fit: {names}. keep_empty_features=True keeps them.",
            DegenerateWarning,
        )

    def _model_parts(self) -> list[Part]:
        rows = [
            [self.schema_[int(j)].name, self.filled_schema_.average(int(j), self.fill_[j])]
            for j in self.kept_
        ]
        return [Section("Imputation", ["column", "missing values become"], rows)]

    def _schema_out(self) -> Schema:
        columns = [self.filled_schema_[int(j)] for j in self.kept_]
        if self.add_indicator:
            columns += [Column(PREFIX + self.schema_[int(j)].name) for j in self.missing_columns_]
        return Schema(columns, self.schema_.named)

    def inverse_transform(self, X: TableLike) -> Any:
        """The rows with missing values where the indicators are 1; needs ``add_indicator=True``."""
        check_is_fitted(self)
        if not self.add_indicator:
            raise ParameterError(
                "SimpleImputer: 'inverse_transform' works only with add_indicator=True: else it is not known which "
                "values were missing."
            )
        table = Table.like(X, self._schema_out(), "SimpleImputer")
        values = np.full((len(table), len(self.schema_)), np.nan)
        values[:, self.kept_] = table.values[:, : len(self.kept_)]
        missing = np.zeros(values.shape, dtype=bool)
        missing[:, self.missing_columns_] = table.values[:, len(self.kept_) :] > 0
        number = isinstance(self.missing_values, (int, float, np.number))
        values[missing] = self.missing_values if number else np.nan
        return as_given(X, table, Table(values, self.schema_, None))

    def _names_out(self, names: list[str] | None = None) -> list[str]:
        names = self.schema_.names if names is None else names
        added = self.missing_columns_ if self.add_indicator else ()
        return [names[j] for j in self.kept_] + [PREFIX + names[j] for j in added]


@dataclass
class ColumnSums:
    """Rows, missing values, means of the numbers and tallies of the categories."""

    rows: int
    missing: np.ndarray
    moments: ClassMoments | None
    tallies: dict[int, Any]  # Tally, or while medians of blocks are summed up QuantileSketch
    stored = {
        "rows": Integer(),
        "missing": IntArray("d", low=0),
        "moments": Object(ClassMoments) | None,
        "tallies": Mapped(Object(Tally)),
    }
    renamed = MappingProxyType({"holes": "missing"})  # in model files of earlier versions; no field

    def __add__(self, other: ColumnSums) -> ColumnSums:
        moments = None
        if self.moments is not None and other.moments is not None:
            moments = self.moments + other.moments
        tallies = {**self.tallies, **other.tallies}  # a column without values may have been of another kind
        for j in self.tallies.keys() & other.tallies.keys():
            tallies[j] = self.tallies[j] + other.tallies[j]
        return ColumnSums(self.rows + other.rows, self.missing + other.missing, moments, tallies)

    def recode(self, old: Schema, new: Schema) -> ColumnSums:
        """The same after more categories have become known."""
        tallies = dict(self.tallies)
        for j, (before, after) in enumerate(zip(old, new)):
            if before != after and j in tallies:
                place = {value: c for c, value in enumerate(after.categories)}
                tallies[j] = tallies[j].recode(np.array([float(place[v]) for v in before.categories]))
        return replace(self, tallies=tallies)


def _label(column: Column, number: float) -> Any:
    return column.categories[int(number)] if column.coded else number


def _with_nan(X: Any, missing_values: Any) -> Any:
    """A sparse table by columns, with NaN where stored entries are missing."""
    X = X.tocsc(copy=True)
    X.data = np.where(missing_stored(X, missing_values), np.nan, X.data)
    return X


def _columns_of(X: Any) -> np.ndarray:
    """The column of each stored entry of a CSC matrix."""
    return np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
