"""Names for what public functions take: what a table, a target or a random state may be.

Import them to annotate your own functions:

>>> from assay.types import TableLike, Target
>>> def errors(X: TableLike, y: Target) -> int: ...
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes as _Axes

__all__ = [
    "Axes",
    "Bools",
    "ClassWeight",
    "Codes",
    "DataFrameLike",
    "Estimator",
    "FileLike",
    "Floats",
    "KernelLike",
    "Label",
    "Labels",
    "Losses",
    "MeasureLike",
    "MetricLike",
    "PathLike",
    "PointsLike",
    "Priors",
    "RandomState",
    "RowIndex",
    "RowLabels",
    "Scores",
    "Scoring",
    "SequencesLike",
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


class SequencesObject(Protocol):
    """Sequences of Assay: :class:`assay.sequences.Sequences`."""

    @property
    def lengths(self) -> np.ndarray: ...

    def __len__(self) -> int: ...


class Estimator(Protocol):
    """A learner that follows scikit-learn: parameters, ``fit``, and ``predict`` or ``transform``."""

    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...

    def fit(self, X: TableLike, y: Target = ...) -> Any: ...


class SplitterObject(Protocol):
    """A splitter of scikit-learn."""

    def split(self, X: Any, y: Any = ..., groups: Any = ...) -> Iterable[Any]: ...


class MetricObject(Protocol):
    """A distance of :mod:`assay.distances`."""

    def between(self, A: Any, B: Any = ...) -> Any: ...


class PairwiseObject(Protocol):
    """A distance of another library."""

    def pairwise(self, A: Any, B: Any = ..., /) -> Any: ...


class MeasureObject(Protocol):
    """A measure of quality: :class:`assay.metrics.Measure`."""

    @property
    def name(self) -> str: ...

    @property
    def better(self) -> str: ...


Floats: TypeAlias = NDArray[np.float64]
"""An array of numbers in double precision."""

Bools: TypeAlias = NDArray[np.bool_]
"""An array of yes and no, such as a mask of rows."""

Codes: TypeAlias = NDArray[np.int64]
"""An array of whole numbers from 0, such as the number of each row's class."""

TableLike: TypeAlias = (
    ArrayLike | DataFrameLike | SparseLike | TableObject | Mapping[str, Any] | Sequence[Mapping[str, Any]]
)
"""Rows and columns: an array, a list of rows, a data frame, a sparse matrix, a dict of columns, a Table."""

SequencesLike: TypeAlias = TableLike | SequencesObject | Sequence[Any]
"""Rows in order, cut into sequences: Sequences, a list of sequences, a frame of lists, or rows beside their lengths."""

Target: TypeAlias = ArrayLike | DataFrameLike
"""What is to be predicted, one entry for each row: classes or numbers; for several targets one column each."""

Label: TypeAlias = Hashable
"""One class: text, a number, a bool."""

Labels: TypeAlias = ArrayLike
"""Classes in a list or an array."""

Weights: TypeAlias = ArrayLike
"""How much each row counts: one number from 0 up for each row."""

RowLabels: TypeAlias = ArrayLike
"""One entry for each row, such as its group."""

RowIndex: TypeAlias = int | slice | ArrayLike
"""Which rows: a place, a slice, several places, or a mask."""

PointsLike: TypeAlias = np.ndarray | Any
"""Rows as a metric or a kernel reads them: an array, a sparse matrix, or a list of texts, trees or graphs."""

Scores: TypeAlias = ArrayLike
"""Probabilities or scores, one row each; of several classes a column each."""

ClassWeight: TypeAlias = Mapping[Any, float] | Sequence[Mapping[Any, float]] | str | None
"""Factors of the rows' weights by class; "balanced" lets all classes weigh the same."""

RandomState: TypeAlias = int | np.integer[Any] | np.random.RandomState | np.random.Generator | None
"""What makes random choices reproducible; None draws anew each time."""

Splitter: TypeAlias = int | SplitterObject | Iterable[Any] | None
"""Folds: their number, a splitter of scikit-learn, or an iterable of (training rows, test rows)."""

Priors: TypeAlias = ArrayLike | Mapping[Any, float]
"""Probabilities of the classes, in the order of the sorted labels or by label; some functions take a word."""

Losses: TypeAlias = ArrayLike | Mapping[tuple[Any, Any], float]
"""What errors cost: {(predicted, true): cost}, or a matrix with a row for each action and a column for each class."""

Scoring: TypeAlias = str | Callable[..., Any]
"""How models are judged: the name of a scorer, or a function of (estimator, X, y)."""

MeasureLike: TypeAlias = str | Callable[..., Any] | MeasureObject
"""A measure of quality: its name, a :class:`assay.metrics.Measure`, or a function of (estimator, X, y)."""

MetricLike: TypeAlias = str | Callable[..., Any] | MetricObject | PairwiseObject
"""A distance: its name, a function of two rows, a metric of :mod:`assay.distances`, or an object with pairwise."""

KernelLike: TypeAlias = str | Callable[..., Any]
"""A kernel function: its name, a function of two tables or two rows, or a kernel of :mod:`assay.kernels`."""

PathLike: TypeAlias = str | os.PathLike[str]
"""Where a file is."""

FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]
"""Where a file is, or a file that is open; "-" is standard input."""

Axes: TypeAlias = "_Axes"
"""Axes of matplotlib to draw on."""
