"""What filters add up: of each column, its moments and counts beside the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.bayes.counts import CategoryCounts, FeatureSums, category_counts
from assay.core.moments import ClassMoments, ClassScatter, class_moments
from assay.core.stored import Each, FloatArray, Object
from assay.errors import DataError
from assay.prepare.sparse_moments import sparse_moments
from assay.tables import Schema

__all__ = [
    "ClassSums",
    "NumberSums",
    "class_sums",
    "each_part",
    "number_sums",
    "refuse_overflow",
    "refuse_overflow_of_numbers",
    "with_classes",
]

NEAR = 1e3  # standard deviations from zero up to which products lose three digits at most


@dataclass
class ClassSums:
    """Columns and classes: the moments of numbers, the counts of categories, in each class.

    Attributes
    ----------
    moments : ClassMoments of all columns; those of codes of categories mean nothing
    counts : CategoryCounts of the nominal and ordinal columns; numbers have no categories
    """

    moments: ClassMoments
    counts: CategoryCounts
    stored = {"moments": Object(ClassMoments), "counts": Object(CategoryCounts)}

    def __add__(self, other: ClassSums) -> ClassSums:
        return ClassSums(self.moments + other.moments, self.counts + other.counts)

    def recode(self, old: Schema, new: Schema) -> ClassSums:
        """The same by a schema with more categories."""
        return ClassSums(self.moments, self.counts.recode(old, new))

    def table(self, j: int, missing: str) -> np.ndarray:
        """(c, K) the categories of column j by class; with ``missing`` "value" a last row counts missing values."""
        start = self.counts.start
        cells = self.counts.cells[start[j] : start[j + 1]]
        if missing != "value":
            return cells
        absent = self.counts.class_count - cells.sum(axis=0)
        absent[absent < 1e-9 * self.counts.class_count] = 0.0
        return np.vstack([cells, absent])


def class_sums(X: Any, y: np.ndarray, w: np.ndarray | None, K: int, schema: Schema) -> ClassSums:
    """The sums of one block of rows, dense or CSR.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.filters.column_sums import class_sums
    >>> from assay.tables import Column, Schema
    >>> schema = Schema([Column("weight"), Column("taste", "nominal", ("sour", "sweet"))])
    >>> sums = class_sums(np.array([[1.0, 0], [3.0, 1], [8.0, 1]]), np.array([0, 0, 1]), None, 2, schema)
    >>> sums.moments.mean[:, 0], sums.table(1, "leave out")
    (array([2., 8.]), array([[1., 0.],
           [1., 1.]]))
    """
    width = schema.category_counts().astype(np.int64)
    if not isinstance(X, np.ndarray):
        empty = CategoryCounts(np.bincount(y, w, minlength=K).astype(float), width, np.zeros((0, K)))
        return ClassSums(sparse_moments(X, w, y, K), empty)
    moments = _dense_moments(X, y, w, K)
    if not width.any():
        return ClassSums(moments, CategoryCounts(moments.count, width, np.zeros((0, K))))
    return ClassSums(moments, category_counts(X, y, w, K, width))


def refuse_overflow(squares: np.ndarray, names: Sequence[str], who: str) -> None:
    """Raise if a sum of squares is not a number, since those that it adds up are too large to be squared.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.filters.column_sums import refuse_overflow
    >>> refuse_overflow(np.array([[2.0, np.inf]]), ["age", "income"], "SelectKBest")
    Traceback (most recent call last):
    assay.errors.DataError: SelectKBest: column income has numbers too large to be squared. Divide it by a power of ten.
    """
    fits = np.isfinite(squares).all(axis=0)
    if not fits.all():
        _refuse(f"column {names[int(np.argmin(fits))]}", who)


def refuse_overflow_of_numbers(sums: NumberSums, schema: Schema, who: str) -> None:
    """The same of columns of numbers and of a target of numbers."""
    numbers = ~schema.coded
    refuse_overflow(sums.x.scatter[:, numbers], [column.name for column in schema if not column.coded], who)
    if not np.isfinite(sums.y.scatter).all():
        _refuse("y", who)


def _refuse(what: str, who: str) -> None:
    raise DataError(f"{what} has numbers too large to be squared. Divide it by a power of ten.", who=who)


def each_part(moments: ClassMoments, change: Callable[[np.ndarray], np.ndarray]) -> ClassMoments:
    """Moments with each of their arrays changed alike."""
    low = None if moments.low is None else change(moments.low)
    count, observed = change(moments.count), change(moments.observed)
    return ClassMoments(count, observed, change(moments.mean), change(moments.scatter), moments.total, low)


def with_classes(sums: Any, place: np.ndarray, K: int) -> Any:
    """Sums (of scatters those pooled over classes) of fewer classes as sums of K; class k of them is now ``place[k]``.

    >>> import numpy as np
    >>> from assay.bayes.counts import FeatureSums
    >>> from assay.select.filters.column_sums import with_classes
    >>> with_classes(FeatureSums(np.array([4.0]), np.array([[7.0]])), np.array([1]), 2).feature_count
    array([[0.],
           [7.]])
    """

    def spread(part: np.ndarray) -> np.ndarray:
        wide = np.zeros((K, *part.shape[1:]))
        wide[place] = part
        return wide

    if isinstance(sums, FeatureSums):
        return FeatureSums(spread(sums.class_count), spread(sums.feature_count))
    if isinstance(sums, ClassScatter):
        return sums.with_classes(place, K, pooled=True)
    moments, counts = sums.moments, sums.counts
    return ClassSums(
        each_part(moments, spread),
        CategoryCounts(spread(counts.class_count), counts.width, spread(counts.cells.T).T, counts.broken),
    )


def _dense_moments(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int) -> ClassMoments:
    moments = class_moments(X, y, w, K)
    if np.isnan(moments.mean).any():  # something is missing
        moments = class_moments(X, y, w, K, complete=False)
    return moments


@dataclass
class NumberSums:
    """Columns and a target of numbers.

    Attributes
    ----------
    x : ClassMoments of the columns as one class
    y : ClassMoments of the target as one class, for each column over the rows in which it is known
    xy : (d,) sums of products of the deviations of both
    groups : for each column None, or of categories the moments of the target in each, missing values the last
    """

    x: ClassMoments
    y: ClassMoments
    xy: np.ndarray
    groups: list[ClassMoments | None]
    stored = {
        "x": Object(ClassMoments),
        "y": Object(ClassMoments),
        "xy": FloatArray("d"),
        "groups": Each(Object(ClassMoments) | None),
    }

    def __add__(self, other: NumberSums) -> NumberSums:
        x, y = self.x + other.x, self.y + other.y
        both = np.where(x.observed[0] > 0, x.observed[0], 1.0)
        gap = _gap(self.x, other.x) * _gap(self.y, other.y)
        xy = self.xy + other.xy + gap * self.x.observed[0] * other.x.observed[0] / both
        groups = [None if a is None or b is None else a + b for a, b in zip(self.groups, other.groups)]
        return NumberSums(x, y, xy, groups)

    def recode(self, old: Schema, new: Schema) -> NumberSums:
        """The same by a schema with more categories."""
        groups = [
            None if group is None else _recoded(group, a.categories, b.categories)
            for group, a, b in zip(self.groups, old, new)
        ]
        return NumberSums(self.x, self.y, self.xy, groups)


def _gap(a: ClassMoments, b: ClassMoments) -> np.ndarray:
    low_a, low_b = (0.0 if part.low is None else part.low[0] for part in (a, b))
    return (b.mean[0] - a.mean[0]) + (low_b - low_a)


def _recoded(group: ClassMoments, old: tuple[Any, ...], new: tuple[Any, ...]) -> ClassMoments:
    place = {value: c for c, value in enumerate(new)}
    rows = [*(place[value] for value in old), len(new)]

    def spread(part: np.ndarray) -> np.ndarray:
        wide = np.zeros((len(new) + 1, *part.shape[1:]))
        wide[rows] = part
        return wide

    return each_part(group, spread)


def number_sums(X: Any, y: np.ndarray, w: np.ndarray | None, schema: Schema) -> NumberSums:
    """The sums of one block of rows, dense or CSR.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.filters.column_sums import number_sums
    >>> from assay.tables import Schema
    >>> number_sums(np.array([[1.0], [3.0]]), np.array([2.0, 6.0]), None, Schema.numeric(1)).xy
    array([4.])
    """
    n, d = X.shape
    one_class, weights = np.zeros(n, np.int64), np.ones(n) if w is None else w
    target = class_moments(y[:, None], one_class, w, 1)
    deviation = weights * ((y - target.mean[0, 0]) - target.low[0, 0])  # type: ignore[index]
    if not isinstance(X, np.ndarray):
        x = sparse_moments(X, w)
        return NumberSums(x, _repeated(target, d), X.T @ deviation - x.mean[0] * deviation.sum(), [None] * d)
    x = _dense_moments(X, one_class, w, 1)
    y_moments = _repeated(target, d)
    complete = np.array_equal(x.observed[0], y_moments.observed[0])
    if complete and _near_zero(x) and X.dtype == np.float64 and not schema.coded.any():
        return NumberSums(x, y_moments, deviation @ X - x.mean[0] * deviation.sum(), [None] * d)
    centred = X - x.mean
    if not complete:
        known = ~np.isnan(X)
        centred[~known] = 0.0
        y_moments = _where_known(y, known, deviation, weights, target)
    groups = [
        _by_category(X[:, j], y, w, len(column.categories)) if column.coded else None
        for j, column in enumerate(schema)
    ]
    return NumberSums(x, y_moments, deviation @ centred, groups)


def _near_zero(moments: ClassMoments) -> bool:
    """Whether the means are so near to zero that products need not be centred to keep their digits."""
    spread = np.sqrt(moments.scatter[0] / max(float(moments.count[0]), 1.0))
    return bool((np.abs(moments.mean[0]) <= NEAR * spread).all())


def _repeated(target: ClassMoments, d: int) -> ClassMoments:
    """The moments of the target once for each column."""
    wide = each_part(target, lambda part: np.repeat(part, d, axis=1) if part.ndim == 2 else part)
    wide.total = None
    return wide


def _where_known(
    y: np.ndarray, known: np.ndarray, deviation: np.ndarray, weights: np.ndarray, target: ClassMoments
) -> ClassMoments:
    """The moments of the target over the rows in which each column is known."""
    observed = weights @ known
    safe = np.where(observed > 0, observed, 1.0)
    offset = (deviation @ known) / safe
    scatter = (weights * (y - target.mean[0, 0]) ** 2) @ known - observed * offset**2
    mean = np.where(observed > 0, target.mean[0, 0] + offset, 0.0)
    return ClassMoments(target.count, observed[None], mean[None], np.maximum(scatter, 0.0)[None])


def _by_category(x: np.ndarray, y: np.ndarray, w: np.ndarray | None, c: int) -> ClassMoments:
    codes = np.where(np.isnan(x) | (x < 0), c, x).astype(np.int64)
    return class_moments(y[:, None], codes, w, c + 1)
