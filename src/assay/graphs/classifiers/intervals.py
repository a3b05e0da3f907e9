"""Numbers as intervals: cuts of numeric columns from sums over rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.bayes.drawing import as_table
from assay.core.sums import Block, Source
from assay.stats.information.mdl_cuts import mdl_cuts
from assay.tables import Schema

__all__ = ["ValueCounts", "codes_of", "column_intervals", "drawn_table"]

MOST_VALUES = 65_536  # distinct numbers of a column that are kept; beyond that neighbours become one
NONE = np.zeros(0)


@dataclass
class ValueCounts:
    """The distinct numbers of each numeric column with the weight of each class there; they add.

    Attributes
    ----------
    values : list of d ascending arrays (m,), empty for categories      weights : list of d arrays (m, K)
    """

    values: list[np.ndarray]
    weights: list[np.ndarray]

    def __add__(self, other: ValueCounts) -> ValueCounts:
        values, weights = [], []
        for a, v, b, w in zip(self.values, self.weights, other.values, other.weights):
            merged, total = _gathered(np.concatenate([a, b]), np.concatenate([v, w]))
            values.append(merged)
            weights.append(total)
        return ValueCounts(values, weights)


def _gathered(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    distinct, inverse = np.unique(values, return_inverse=True)
    total = np.zeros((len(distinct), weights.shape[1]))
    np.add.at(total, inverse.ravel(), weights)
    while len(distinct) > MOST_VALUES:
        starts = np.arange(0, len(distinct), 2)
        distinct, total = distinct[starts], np.add.reduceat(total, starts, axis=0)
    return distinct, total


def _values_of(block: Block, schema: Schema, K: int) -> ValueCounts:
    values: list[np.ndarray] = []
    weights: list[np.ndarray] = []
    w = np.ones(len(block.X)) if block.w is None else block.w
    for j, column in enumerate(schema):
        if column.coded:
            values.append(NONE)
            weights.append(np.zeros((0, K)))
            continue
        x = block.X[:, j].astype(np.float64, copy=False)
        kept = ~np.isnan(x) & (w > 0)
        distinct, inverse = np.unique(x[kept], return_inverse=True)
        cells = np.bincount(inverse.ravel() * K + block.y[kept], w[kept], minlength=len(distinct) * K)
        values.append(distinct)
        weights.append(cells.reshape(len(distinct), K))
    return ValueCounts(values, weights)


def column_intervals(
    source: Source, schema: Schema, K: int, cuts: Any
) -> tuple[list[np.ndarray], np.ndarray]:
    """Of each column the cuts of its numbers, and (d, 2) the least and the largest of them.

    Cuts are by class entropy (MDL), or into intervals of equal weight; categories have no cuts, and NaN for a range.
    """
    ranges = np.full((len(schema), 2), np.nan)
    if schema.coded.all():
        return [NONE for _ in schema], ranges
    sums = source.add_up(lambda block: _values_of(block, schema, K))
    made = []
    for j, (column, values, weights) in enumerate(zip(schema, sums.values, sums.weights)):
        if len(values):
            ranges[j] = values[0], values[-1]
        if column.coded or len(values) < 2:
            made.append(NONE)
        elif cuts == "mdl":
            rows, classes = np.nonzero(weights)
            made.append(mdl_cuts(values[rows], classes, weights[rows, classes]))
        else:
            total = np.cumsum(weights.sum(axis=1))
            at = np.searchsorted(total, total[-1] * np.arange(1, int(cuts)) / int(cuts) * (1 - 1e-12))
            edges = np.unique(values[np.minimum(at, len(values) - 1)])
            made.append(edges[edges < values[-1]])
    return made, ranges


def codes_of(X: np.ndarray, schema: Schema, cuts: list[np.ndarray], first: int = 0) -> np.ndarray:
    """(n, first + d) codes of categories and intervals, -1 where missing; ``first`` columns are left free, as 0."""
    n, d = X.shape
    codes = np.empty((n, first + d), np.int64)
    codes[:, :first] = 0
    if schema.coded.all():
        codes[:, first:] = np.where(np.isnan(X), -1.0, X) if np.isnan(np.add.reduce(X, axis=None)) else X
        return codes
    gaps = np.isnan(X)
    for j, column in enumerate(schema):
        x = X[:, j]
        codes[:, first + j] = np.where(gaps[:, j], 0, x) if column.coded else np.searchsorted(cuts[j], x)
    codes[:, first:][gaps] = -1
    return codes


def card_of(schema: Schema, cuts: list[np.ndarray], j: int) -> int:
    """How many states a column has."""
    return max(1, len(schema[j].categories)) if schema[j].coded else len(cuts[j]) + 1


def drawn_table(
    codes: np.ndarray, schema: Schema, cuts: list[np.ndarray], ranges: np.ndarray, rng: np.random.Generator
) -> Any:
    """The table that (n, d) codes stand for; of an interval any of its numbers, each as likely as the others."""
    values = codes.astype(np.float64)
    for j, column in enumerate(schema):
        if column.coded:
            values[:, j] = codes[:, j] if column.categories else np.nan
            continue
        edges = np.concatenate([ranges[j, :1], cuts[j], ranges[j, 1:]])
        low, high = edges[codes[:, j]], edges[codes[:, j] + 1]
        values[:, j] = high - (high - low) * rng.random(len(codes))  # an interval holds its upper end
    return as_table(schema, values)
