"""Sparse features of the rows of sequences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.sequences.sequences import Sequences
from assay.tables import Schema

__all__ = ["FeatureRows", "features_of"]

BIAS = "bias"  # a feature that every row of a table has


@dataclass(frozen=True)
class FeatureRows:
    """Rows of features: begin (n + 1,), feature (m,), value (m,) or (0,) for ones; offsets (S + 1,) of sequences."""

    begin: np.ndarray
    feature: np.ndarray
    value: np.ndarray
    offsets: np.ndarray


def features_of(
    X: Any,
    lengths: Any = None,
    names: list[str] | None = None,
    schema: Schema | None = None,
    who: str = "features",
) -> tuple[FeatureRows, list[str], Schema | None]:
    """The features of all rows, what they are called, and the schema, if X is a table.

    Parameters
    ----------
    X : lists of rows as dicts or lists of features, or whatever `Sequences.of` takes
    names : the features learned before; others are left out
    schema : the columns learned before

    >>> from assay.sequences.features import features_of
    >>> rows, names, _ = features_of([[{"word": "dog", "title": False}, ["short", "last"]]])
    >>> names, rows.feature.tolist()
    (['word:dog', 'title', 'short', 'last'], [0, 2, 3])
    """
    if schema is None and _has_feature_rows(X):
        return *_of_items(X, names, who), None
    data = Sequences.of(X, lengths, schema=schema, who=who)
    return *_of_table(data, names), data.schema


def _has_feature_rows(X: Any) -> bool:
    """Whether X is a list of sequences whose rows are dicts or lists of texts."""
    if not isinstance(X, (list, tuple)):
        return False
    for part in X:
        if not isinstance(part, (list, tuple)):
            return False
        for row in part:
            return isinstance(row, Mapping) or (
                isinstance(row, (list, tuple, set, frozenset)) and all(isinstance(v, str) for v in row)
            )
    return False


def _of_items(X: Any, names: list[str] | None, who: str) -> tuple[FeatureRows, list[str]]:
    index: dict[str, int] = {} if names is None else {name: j for j, name in enumerate(names)}
    feature: list[int] = []
    value: list[float] = []
    begin, learns = [0], names is None
    for s, part in enumerate(X):
        for t, row in enumerate(part):
            for name, x in _items(row, s, t, who):
                j = index.setdefault(name, len(index)) if learns else index.get(name, -1)
                if j >= 0 and x:
                    feature.append(j)
                    value.append(x)
            begin.append(len(feature))
    values = np.array(value)
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in X])]).astype(np.int64)
    ones = bool((values == 1.0).all())
    rows = FeatureRows(
        np.array(begin, dtype=np.int64),
        np.array(feature, dtype=np.int32),
        np.empty(0) if ones else values,
        offsets,
    )
    return rows, list(index)


def _items(row: Any, s: int, t: int, who: str) -> Iterator[tuple[str, float]]:
    """Names and values of the features of one row, as CRFsuite calls them."""
    if not isinstance(row, Mapping):
        for name in row:
            yield str(name), 1.0
        return
    for name, x in row.items():
        if isinstance(x, str):
            yield f"{name}:{x}", 1.0
        elif isinstance(x, (bool, np.bool_)):
            yield str(name), float(x)
        elif isinstance(x, (int, float, np.number)):
            number = float(x)
            if not np.isfinite(number):
                raise DataError(
                    f"feature {name!r} of row {t} of sequence {s} (counted from 0) is {number}. Leave out what is "
                    "missing.",
                    who=who,
                )
            yield str(name), number
        elif isinstance(x, (list, tuple, set, frozenset)):
            for item in x:
                yield f"{name}:{item}", 1.0
        elif x is not None:
            raise DataError(
                f"feature {name!r} of row {t} of sequence {s} (counted from 0) is a {type(x).__name__}, expected a "
                "number, text, truth value or list of texts.",
                who=who,
            )


def _of_table(data: Sequences, names: list[str] | None) -> tuple[FeatureRows, list[str]]:
    """A column of numbers is a feature with that value, a category one of its own; missing entries are left out."""
    n = len(data.values)
    rows, columns, values = [np.arange(n)], [np.zeros(n, dtype=np.int64)], [np.ones(n)]
    made = [BIAS]
    for j, column in enumerate(data.schema.columns):
        x = data.values[:, j]
        at = np.flatnonzero(~np.isnan(x))
        if column.categories:
            columns.append(len(made) + x[at].astype(np.int64))
            values.append(np.ones(len(at)))
            made += [f"{column.name}:{category}" for category in column.categories]
        else:
            columns.append(np.full(len(at), len(made)))
            values.append(x[at])
            made.append(column.name)
        rows.append(at)
    row, column_number, value = np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
    order = np.argsort(row, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]).astype(np.int64)
    return FeatureRows(begin, column_number[order].astype(np.int32), value[order], data.offsets), made
