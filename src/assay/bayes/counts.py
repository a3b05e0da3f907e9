"""Counts and sums per class, and the base class of the naive Bayes learners of counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import assay.bayes._counts as _counts
from assay.core import Generative, SumLearner
from assay.core.parameters import Array, Flag, Range, Simplex
from assay.core.stored import FloatArray, IntArray
from assay.errors import DataError, ParameterError, warn_user
from assay.tables import Schema
from assay.tables.row_names import row_name

__all__ = [
    "CategoryCounts",
    "CountBayes",
    "FeatureSums",
    "category_counts",
    "class_shares",
    "class_weight",
    "extent",
    "feature_sums",
    "weigh",
]

SMALLEST_ALPHA = 1e-10  # with force_alpha=False, as in scikit-learn
TOO_MANY = 1 << 20  # numbers from here on are no codes: their table would be larger than most data
_NO_VALUES = np.empty(0)


@dataclass
class CategoryCounts:
    """How often each category of each column occurs in each class.

    Attributes
    ----------
    class_count : (K,)    total weight of each class
    width : (d,)          number of categories of each column
    cells : (sum of widths, K)
        Total weight of each category in each class, one column's categories after the other's.
    broken : (d,)         how many entries were not whole numbers
    """

    class_count: np.ndarray
    width: np.ndarray
    cells: np.ndarray
    broken: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    stored = {
        "class_count": FloatArray("K"),
        "width": IntArray("d", low=0),
        "cells": FloatArray("c", "K"),
        "broken": IntArray("*", low=0),
    }

    @property
    def start(self) -> np.ndarray:
        """(d + 1,) the row of ``cells`` at which each column begins, and their number."""
        return np.concatenate([[0], np.cumsum(self.width)]).astype(np.int64)

    def widened(self, width: np.ndarray) -> CategoryCounts:
        """The same counts with room for more categories; no column becomes narrower."""
        width = np.maximum(self.width, width)
        if np.array_equal(width, self.width):
            return self
        room = np.zeros((int(width.sum()), self.cells.shape[1]))
        new_start = np.cumsum(width) - width
        room[np.arange(len(self.cells)) + np.repeat(new_start - self.start[:-1], self.width)] = self.cells
        return CategoryCounts(self.class_count, width, room, self.broken)

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        a, b = self.widened(other.width), other.widened(self.width)
        return CategoryCounts(a.class_count + b.class_count, a.width, a.cells + b.cells, a.broken + b.broken)

    def recode(self, old: Schema, new: Schema) -> CategoryCounts:
        """The same counts by a schema with more categories."""
        tables = []
        for a, b, table in zip(old, new, self.tables()):
            if b.coded and len(table):
                place = {value: c for c, value in enumerate(b.categories)}
                wide = np.zeros((max(len(b.categories), len(table)), table.shape[1]))
                wide[[place[value] for value in a.categories]] = table[: len(a.categories)]
                table = wide
            tables.append(table)
        width = np.array([len(table) for table in tables], dtype=np.int64)
        return CategoryCounts(self.class_count, width, np.concatenate(tables), self.broken)

    def tables(self) -> list[np.ndarray]:
        """d arrays (categories, K)."""
        return np.split(self.cells, self.start[1:-1])

    def observed(self) -> np.ndarray:
        """(d, K) total weight of the rows whose entry is there."""
        total = np.zeros((len(self.width), self.cells.shape[1]))
        some = self.width > 0
        if some.any():
            total[some] = np.add.reduceat(self.cells, self.start[:-1][some], axis=0)
        return total

    def logs(self, alpha: float) -> np.ndarray:
        """(sum of widths, K) log probabilities of the categories in each class, smoothed.

        log((count + alpha) / (seen + alpha * width)), and -log(width), the limit for small alpha,
        where nothing was seen and alpha is 0.
        """
        total = self.observed() + alpha * self.width[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            nothing = -np.log(np.maximum(self.width, 1))[:, None]
            norm = np.log(total)
            logs = np.log(self.cells + alpha) - np.repeat(norm, self.width, axis=0)
        unseen = np.repeat(total == 0, self.width, axis=0)
        return np.where(unseen, np.repeat(nothing, self.width, axis=0), logs) if unseen.any() else logs


def category_counts(
    X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, width: np.ndarray
) -> CategoryCounts:
    """The counts of one block of rows of codes; entries that are no code of their column add nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.bayes.counts import category_counts
    >>> X = np.array([[0.0, 1.0], [1.0, np.nan], [1.0, 0.0]])
    >>> category_counts(X, np.array([0, 0, 1]), None, 2, np.array([2, 2])).cells
    array([[1., 0.],
           [1., 1.],
           [0., 1.],
           [1., 0.]])
    """
    sums = CategoryCounts(class_weight(y, w, K), width, np.zeros((int(width.sum()), K)))
    _counts.count(np.ascontiguousarray(X), _codes(y), _weights(w), sums.start, sums.cells)
    return sums


@dataclass
class FeatureSums:
    """The sum of each column in each class.

    Attributes
    ----------
    class_count : (K,)     total weight of each class
    feature_count : (K, d) weighted sum of each column over the rows of each class
    """

    class_count: np.ndarray
    feature_count: np.ndarray
    stored = {
        "class_count": FloatArray("K"),
        "feature_count": FloatArray("K", "p"),
    }

    def __add__(self, other: FeatureSums) -> FeatureSums:
        return FeatureSums(self.class_count + other.class_count, self.feature_count + other.feature_count)

    def recode(self, old: Schema, new: Schema) -> FeatureSums:
        """The same sums by a schema with more categories, so with more indicator columns, all 0 so far."""
        place: list[int] = []
        end = 0
        for a, b in zip(old, new):
            if b.kind == "nominal":
                position = {value: c for c, value in enumerate(b.categories)}
                place += [end + position[value] for value in a.categories]
                end += len(b.categories)
            else:
                place.append(end)
                end += 1
        wide = np.zeros((len(self.feature_count), end))
        wide[:, place] = self.feature_count
        return FeatureSums(self.class_count, wide)


def feature_sums(
    X: Any, y: np.ndarray, w: np.ndarray | None, K: int, threshold: float | None = None
) -> tuple[FeatureSums, float]:
    """The sums of one block of rows, dense or CSR, and its lowest entry (not looked for with a threshold).

    With a threshold each entry above it counts as 1, the others as 0.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.bayes.counts import feature_sums
    >>> sums, lowest = feature_sums(np.array([[2.0, 0.0], [1.0, 3.0], [0.0, 1.0]]), np.array([0, 0, 1]), None, 2)
    >>> sums.feature_count, lowest
    (array([[3., 3.],
           [0., 1.]]), 0.0)
    """
    sums = FeatureSums(class_weight(y, w, K), np.zeros((K, X.shape[1])))
    over, level = threshold is not None, 0.0 if threshold is None else float(threshold)
    rows = {"y": _codes(y), "w": _weights(w), "over": over, "threshold": level, "out": sums.feature_count}
    if isinstance(X, np.ndarray):
        return sums, _counts.sums(np.ascontiguousarray(X), **rows)
    data, indices = np.ascontiguousarray(X.data), np.ascontiguousarray(X.indices)
    indptr = np.ascontiguousarray(X.indptr, indices.dtype)
    return sums, min(0.0, _counts.sparse_sums(data=data, indices=indices, indptr=indptr, **rows))


def class_weight(y: np.ndarray, w: np.ndarray | None, K: int) -> np.ndarray:
    """(K,) total weight of each class."""
    return np.bincount(y, weights=w, minlength=K).astype(np.float64, copy=False)


def class_shares(who: str, class_prior: Any, class_count: np.ndarray) -> np.ndarray:
    """(K,) priors: as given, or the classes' shares of the rows, or all the same if there are none yet."""
    K = len(class_count)
    if class_prior is None:
        return class_count / class_count.sum() if class_count.any() else np.full(K, 1 / K)
    if len(class_prior) != K:
        raise ParameterError(
            f"{who}: got {len(class_prior)} priors for {K} classes. Number of priors must match number of classes."
        )
    return np.asarray(class_prior, dtype=np.float64)


class CountBayes(SumLearner, Generative):
    """Base of the learners of counts: checks alpha and the priors.

    Not for direct use; the learners are CategoricalNB, BernoulliNB, MultinomialNB and ComplementNB.
    """

    accepts = {
        "alpha": Range(0, open="high") | Array(1),
        "force_alpha": Flag(),
        "fit_prior": Flag(),
        "class_prior": Simplex() | None,
    }
    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    def _check_alpha(self) -> Any:
        """The pseudo-count: one number, or one for each column."""
        who = type(self).__name__
        alpha: Any = np.asarray(self.alpha, dtype=np.float64) if np.ndim(self.alpha) else float(self.alpha)
        if not np.isfinite(alpha).all():
            raise ParameterError(f"{who}: alpha must be finite, got {self.alpha}.")
        if np.ndim(alpha):
            if np.min(alpha) < 0:
                raise ParameterError(
                    f"{who}: All values in alpha must be greater than 0. Got {np.min(alpha)}."
                )
            d = len(self._names) if hasattr(self, "schema_") else self.n_features_in_
            if len(alpha) != d:
                raise ParameterError(
                    f"{who}: When alpha is an array, it should contains `n_features`: "
                    f"got {len(alpha)} values for {d} columns."
                )
        if np.min(alpha) < SMALLEST_ALPHA and not self.force_alpha:
            warn_user(
                f"{who}: alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. "
                "Use force_alpha=True to keep alpha unchanged.",
                UserWarning,
            )
            return np.maximum(alpha, SMALLEST_ALPHA)
        return alpha

    def _log_prior(self, class_count: np.ndarray) -> np.ndarray:
        """(K,) log priors: as given, or all the same, or the classes' shares of the rows."""
        prior = self.class_prior
        if prior is None and not self.fit_prior:
            prior = np.full(len(class_count), 1 / len(class_count))
        share = class_shares(type(self).__name__, prior, class_count)
        with np.errstate(divide="ignore"):
            return np.log(share)

    def _refuse_negative(self, X: Any) -> None:
        """Raise an error that names the first negative entry."""
        who = type(self).__name__
        rows, columns = np.nonzero(X < 0) if isinstance(X, np.ndarray) else (X < 0).nonzero()
        value = X[rows[0], columns[0]]
        raise DataError(
            f"Negative values in data passed to {who} (input X): {row_name(rows[0])}, column "
            f"{self._names[columns[0]]} is {value:g}. Expected counts, from 0 up."
        )


def weigh(X: Any, logs: np.ndarray) -> np.ndarray:
    """(n, K) the sums over columns of x_j log p_kj, where 0 log 0 = 0; X (n, d) is not negative."""
    never = np.isneginf(logs)
    if not never.any():
        return X @ logs.T
    joint = X @ np.where(never, 0.0, logs).T
    joint[(X @ never.T.astype(np.float64)) > 0] = -np.inf
    return joint


def extent(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each column: its lowest and highest entry (+inf, -inf if all are missing), how many are not whole."""
    d = X.shape[1]
    low, high, broken = np.full(d, np.inf), np.full(d, -np.inf), np.zeros(d, dtype=np.int64)
    _counts.extent(np.ascontiguousarray(X), low, high, broken)
    return low, high, broken


def _codes(y: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(y, dtype=np.int64)


def _weights(w: np.ndarray | None) -> np.ndarray:
    return _NO_VALUES if w is None else np.ascontiguousarray(w, dtype=np.float64)


class FrequencyBayes(CountBayes):
    """Base of the learners of frequencies: sparse or dense counts from 0 up, summed by class and column.

    Not for direct use; the learners are MultinomialNB and ComplementNB.
    """

    takes = frozenset({"sparse"})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # the checks' data are no counts
        return tags

    def _summarize(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> FeatureSums:
        sums, lowest = feature_sums(X, y, w, len(self.classes_))
        if lowest < 0:
            self._refuse_negative(X)
        return sums
