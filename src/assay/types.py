"""Names for what public functions take: what a table, a target or a random state may be.

Import them to annotate your own functions:

>>> from assay.types import TableLike, Target
>>> def errors(X: TableLike, y: Target) -> int: ...
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes as _Axes

__all__ = [
    "Axes",
    "ClassWeight",
    "DataFrameLike",
    "Estimator",
    "FileLike",
    "Label",
    "Labels",
    "Losses",
    "PathLike",
    "Priors",
    "RandomState",
    "RowLabels",
    "Scores",
    "Scoring",
    "SparseLike",
    "Splitter",
    "TableLike",
    "Target",
    "Weights",
]


class DataFrameLike(Protocol):
    """A data frame of any library: pandas, polars, pyarrow."""

    def __dataframe__(self, nan_as_null: bool = ..., allow_copy: bool = ...) -> Any: ...


class SparseLike(Protocol):
    """A sparse matrix or array of SciPy."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def tocsr(self) -> Any: ...


class TableObject(Protocol):
    """A table of Assay: :class:`assay.tables.Table`."""

    @property
    def schema(self) -> Any: ...

    def __len__(self) -> int: ...


class Estimator(Protocol):
    """A learner that follows scikit-learn: parameters, ``fit``, and ``predict`` or ``transform``."""

    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...

    def fit(self, X: TableLike, y: Target = ...) -> Any: ...


TableLike: TypeAlias = (
    ArrayLike | DataFrameLike | SparseLike | TableObject | Mapping[str, Any] | Sequence[Mapping[str, Any]]
)
"""Rows and columns: an array, a list of rows, a data frame, a sparse matrix, a dict of columns, a Table."""

Target: TypeAlias = ArrayLike | DataFrameLike
"""What is to be predicted, one entry for each row: classes or numbers; for several targets one column each."""

Label: TypeAlias = Any
"""One class: text, a number, a bool."""

Labels: TypeAlias = ArrayLike
"""Classes in a list or an array."""

Weights: TypeAlias = ArrayLike
"""How much each row counts: one number from 0 up for each row."""

RowLabels: TypeAlias = ArrayLike
"""One entry for each row, such as its group."""

Scores: TypeAlias = ArrayLike
"""Probabilities or scores, one row each; of several classes a column each."""

ClassWeight: TypeAlias = Mapping[Any, float] | Sequence[Mapping[Any, float]] | str | None
"""Factors of the rows' weights by class; "balanced" lets all classes weigh the same."""

RandomState: TypeAlias = int | np.integer[Any] | np.random.RandomState | np.random.Generator | None
"""What makes random choices reproducible; None draws anew each time."""

Splitter: TypeAlias = Any
"""Folds: their number, a splitter of scikit-learn, or an iterable of (training rows, test rows)."""

Priors: TypeAlias = ArrayLike | Mapping[Any, float]
"""Probabilities of the classes, in the order of the sorted labels or by label; some functions take a word."""

Losses: TypeAlias = ArrayLike | Mapping[tuple[Any, Any], float]
"""What errors cost: {(predicted, true): cost}, or a matrix with a row for each action and a column for each class."""

Scoring: TypeAlias = str | Callable[..., Any]
"""How models are judged: the name of a scorer, or a function of (estimator, X, y)."""

PathLike: TypeAlias = str | os.PathLike[str]
"""Where a file is."""

FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]
"""Where a file is, or a file that is open; "-" is standard input."""

Axes: TypeAlias = "_Axes"
"""Axes of matplotlib to draw on."""
