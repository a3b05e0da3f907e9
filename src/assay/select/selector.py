"""Selectors: learners of which columns to keep; the kept ones come out as they went in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from assay.core.complaints import missing_message
from assay.core.explanation import Section
from assay.core.fitting import all_or_nothing
from assay.core.learner import Transformer, fit_elsewhere
from assay.core.model_view import Part
from assay.core.stored import BoolArray
from assay.core.sum_learner import WithoutTarget
from assay.core.targets import check_weights, encode_labels, numeric_target
from assay.errors import AssayWarning, DataError, warn_user
from assay.evaluate.selected_beforehand import note_fitted, note_kept
from assay.tables import Table
from assay.tables.float_blocks import is_sparse
from assay.types import TableLike, Target, Weights

__all__ = ["Selector"]


class Selector(Transformer):
    """A transformer that keeps some of the columns, each as it is: a frame stays a frame, sparse stays sparse.

    A nominal column is one feature, kept or removed as a whole. The author writes ``_choose(table, target, weights)``,
    which returns the mask of the columns to keep, and perhaps ``_why(j)``, a sentence on what became of column j; one
    that is a sum over rows writes ``_summarize`` and ``_solve`` instead, and sets ``support_`` there.

    Attributes
    ----------
    support_ : (d,) bool, the columns that are kept

    See Also
    --------
    SubsetSelector, SequentialFeatureSelector

    References
    ----------
    - Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection. Journal of Machine Learning
      Research 3, 1157-1182.
    """

    takes = frozenset({"nominal", "missing", "sparse"})
    stored = {"support_": BoolArray("d")}
    _target_of: ClassVar[str] = ""  # "classes" or "numbers", read for the author; "" hands y on as it is
    support_: np.ndarray
    classes_: np.ndarray

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Choose the columns to keep.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) the classes or the numbers to predict
        sample_weight : (n,) what each row counts; None counts each once
        """
        self._check_parameters()
        if fit_elsewhere(self, X, y, sample_weight):
            return self
        values = self._admit(X, fitting=True)
        who, n = type(self).__name__, values.shape[0]
        self._learn(values, self._read_target(y, n), check_weights(sample_weight, values, who))
        return self

    def _read(self, X: Any, fitting: bool = False) -> Table:
        table = super()._read(X, fitting)
        if fitting and not isinstance(self, WithoutTarget):
            note_fitted(self, table)
        return table

    def _read_target(self, y: Any, n: int) -> Any:
        """y as ``_choose`` sees it: codes of classes, numbers, or what was given."""
        who = type(self).__name__
        if self._target_of and y is None:
            raise DataError(f"requires y to be passed, but the target y is None: the {self._target_of} "
                            "by which columns are judged.", who=who)  # fmt: skip
        if self._target_of == "classes":
            self.classes_, codes = encode_labels(y, n, who)
            return codes
        return numeric_target(y, n, who) if self._target_of == "numbers" else y

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        table = X if isinstance(X, Table) else Table(X, self.schema_, complete=None)
        self.support_ = np.asarray(self._choose(table, y, w), dtype=bool)

    def _choose(self, table: Table, target: Any, weights: np.ndarray | None) -> np.ndarray:
        """(d,) bool, the columns to keep."""
        raise TypeError(f"{type(self).__name__} must define _choose")

    # ------------------------------------------------------------------ what was chosen

    def _support(self) -> np.ndarray:
        """(d,) bool; overridden by selectors that decide by scores when they are asked."""
        return self.support_

    def get_support(self, indices: bool = False) -> np.ndarray:
        """(d,) a mask of the columns that are kept, or with ``indices`` their numbers."""
        self._ready()
        mask = self._support()
        return np.flatnonzero(mask) if indices else mask

    @property
    def selected_(self) -> list[str]:
        """The names of the columns that are kept."""
        return [self.schema_[int(j)].name for j in self.get_support(indices=True)]

    def reasons(self) -> list[dict[str, Any]]:
        """One record for each column: its name, whether it is kept, and a sentence that says why."""
        mask = self.get_support()
        return [
            {"column": column.name, "kept": bool(mask[j]), "why": self._why(j)}
            for j, column in enumerate(self.schema_)
        ]

    def _why(self, j: int) -> str:
        """A sentence on what became of column j."""
        return "kept" if self._support()[j] else "removed"

    def _model_parts(self) -> list[Part]:
        mask = self.get_support()
        title = f"Columns: {int(mask.sum())} of {len(mask)} kept"
        rows = [[r["column"], "yes" if r["kept"] else "no", r["why"]] for r in self.reasons()]
        return [Section(title, ["column", "kept", "why"], rows)]

    # ------------------------------------------------------------------ new tables

    def transform(self, X: TableLike) -> Any:
        """The kept columns of X, as they are: a frame of the same library and types, an array of the same dtype."""
        table = self._read(X)
        if "missing" not in self.takes and not table.complete:
            raise DataError(missing_message(type(self).__name__, table, self._missing_remedy()))
        return self._keep_columns(table if isinstance(X, Table) else X, table)

    def _keep_columns(self, X: Any, table: Table | None = None) -> Any:
        """The kept columns of X, which was looked at as ``table``."""
        if table is not None:
            note_kept(self, table, self.get_support())
        columns = self.get_support(indices=True)
        if not len(columns):
            warn_user(
                f"{type(self).__name__}: No features were selected: either the data is too noisy or the selection "
                "test too strict.",
                AssayWarning,
            )
        if isinstance(X, Table):
            return X.select(columns)
        if isinstance(X, Mapping) and not is_sparse(X):
            return {name: X[name] for name in self.selected_}
        return _columns_of(X, columns, self.schema_.names if self.schema_.named else None)

    def inverse_transform(self, X: TableLike) -> Any:
        """The table of all columns: kept ones as in X, removed ones filled with zeros, or missing where nominal.

        An array gives an array, a sparse matrix a sparse one, a frame a frame of its library.
        """
        columns = self.get_support(indices=True)
        if is_sparse(X):
            return _spread_sparse(X, columns, self.n_features_in_, type(self).__name__)
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            return self._spread_frame(X, columns)
        block = np.atleast_1d(np.asarray(X))
        block = block[None, :] if block.ndim == 1 else block
        _refuse_other_width(block.shape[1], len(columns), type(self).__name__)
        if np.iscomplexobj(block):
            raise DataError("Complex data not supported.", who=type(self).__name__)
        full = np.zeros((len(block), self.n_features_in_), dtype=block.dtype)
        full[:, columns] = block
        return full

    def _spread_frame(self, X: Any, columns: np.ndarray) -> Any:
        import narwhals.stable.v2 as nw

        frame = nw.from_native(X, eager_only=True)
        _refuse_other_width(len(frame.columns), len(columns), type(self).__name__)
        place = {int(j): name for j, name in zip(columns, frame.columns)}
        series = []
        for j, column in enumerate(self.schema_):
            if j in place:
                series.append(frame[place[j]])
            elif column.coded:
                blank = nw.new_series(
                    column.name, [None] * len(frame), nw.String, backend=frame.implementation
                )
                series.append(blank)
            else:
                zeros = np.zeros(len(frame))
                series.append(nw.new_series(column.name, zeros, nw.Float64, backend=frame.implementation))
        if not place:
            return nw.DataFrame.from_dict(
                {s.name: s for s in series}, backend=frame.implementation
            ).to_native()
        return frame.with_columns(*series).select([s.name for s in series]).to_native()

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the kept columns."""
        all_names = super().get_feature_names_out(input_features)  # checks them against those of fit
        return all_names[self.get_support(indices=True)]

    def _names_out(self) -> list[str]:
        return self.schema_.names


def _columns_of(X: Any, columns: np.ndarray, names: list[str] | None) -> Any:
    """Some columns of a frame, an array or a sparse matrix; those of a frame by name where ``fit`` knew names."""
    if hasattr(X, "column_names") and hasattr(X, "select"):  # pyarrow
        held = list(X.column_names)
        return X.select([names[j] if names else held[j] for j in columns])
    if hasattr(X, "columns"):
        held = [str(label) for label in X.columns]
        places = [held.index(names[j]) if names else int(j) for j in columns]
        if hasattr(X, "iloc"):
            return X.iloc[:, places]
        if not places:  # such a frame without columns has no rows either
            return np.empty((len(X), 0))
        return X.select([X.columns[place] for place in places])
    if is_sparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsr()
        return X[:, columns]
    return (X if hasattr(X, "shape") else np.asarray(X))[:, columns]


def _spread_sparse(X: Any, columns: np.ndarray, d: int, who: str) -> Any:
    """A sparse matrix with empty columns where some were removed."""
    _refuse_other_width(X.shape[1], len(columns), who)
    compressed = X.tocsc()
    counts = np.zeros(d, dtype=compressed.indptr.dtype)
    counts[columns] = np.diff(compressed.indptr)
    offsets = np.concatenate([np.zeros(1, counts.dtype), np.cumsum(counts)])
    return type(compressed)((compressed.data, compressed.indices, offsets), shape=(X.shape[0], d))


def _refuse_other_width(width: int, expected: int, who: str) -> None:
    if width != expected:
        raise DataError(
            f"X has a different shape than during fitting: {width} columns, and {expected} were kept.",
            who=who,
        )
