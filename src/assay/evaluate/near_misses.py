"""The most informative rows: negatives that are nearly positive, and rows that are nearly of another class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.explanation import text_table
from assay.core.parameters import check_count
from assay.core.targets import encode_labels
from assay.distances import HEOM
from assay.errors import DataError, ParameterError
from assay.rules.version_spaces.version_space import positive_rows
from assay.sentence import Sentence
from assay.tables import RowNames, Table
from assay.types import Label, TableLike, Target

__all__ = ["CloseCalls", "NearMisses", "close_calls", "near_misses"]


@dataclass(frozen=True, eq=False)
class NearMisses(Sentence):
    """Negative rows, the nearest to the positives first.

    Attributes
    ----------
    rows : (k,) row numbers, counted from 0
    outside : (k,) in how many columns the row lies outside of the tightest box around the positives
    nearest : (k,) the positive row that differs least
    distance : (k,) how much it differs, see `assay.distances.HEOM`
    differences : list of k dicts: column to (value of the negative, value of the positive), where they differ
    positive : the label
    row_names : RowNames, what the rows are called in the table
    """

    rows: np.ndarray
    outside: np.ndarray
    nearest: np.ndarray
    distance: np.ndarray
    differences: list[dict[str, tuple[Any, Any]]]
    positive: Label
    row_names: RowNames = field(default_factory=RowNames)

    def __len__(self) -> int:
        return len(self.rows)

    def table(self) -> list[dict[str, Any]]:
        """One record per near miss."""
        return [
            {
                self.row_names.head: self.row_names.label(int(i)),
                "columns outside": int(outside),
                "nearest positive": self.row_names.label(int(near)),
                "distance": float(distance),
                "differs in": ", ".join(differs),
            }
            for i, outside, near, distance, differs in zip(
                self.rows, self.outside, self.nearest, self.distance, self.differences
            )
        ]

    def __str__(self) -> str:
        if not len(self):
            return "There is no negative row."
        shown = self.table()
        single = int((self.outside == 1).sum())
        head = f"{len(self)} near misses of {self.positive}; {single} lie outside in a single column"
        return f"{head}\n{text_table(list(shown[0]), [list(r.values()) for r in shown])}"


def near_misses(X: TableLike, y: Target, positive: Label | None = None, *, k: int = 10) -> NearMisses:
    """The negative rows that differ least from a positive one.

    A near miss (Winston 1975) tells which property matters, since it lacks few: it is what moves the most
    general boxes of a version space, while a negative far away moves nothing. Rows are ranked by the number of columns
    in which they lie outside of S, the tightest box around the positives (0: they contradict every box; 1: that column
    alone keeps them out), then by the distance to the nearest positive row, Euclid's over all columns: categories
    differ by 1 or not at all, numbers by the share of their range, a missing value by 1 (`assay.distances.HEOM`).

    Parameters
    ----------
    X : table      y : (n,) labels
    positive : the label of the concept; with two classes None is the second
    k : how many near misses

    Examples
    --------
    The family car: the third of the other cars is too weak and nothing else, the last is too strong and too dear.

    >>> from assay.evaluate import near_misses
    >>> X = [[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]]
    >>> result = near_misses(X, [1] * 4 + [0] * 5)
    >>> result.rows, result.outside
    (array([6, 4, 5, 7, 8]), array([1, 1, 1, 1, 2]))
    """
    table = Table.of(X, who="near_misses")
    check_count("near_misses", "k", k)
    labels, codes = encode_labels(y, len(table), "near_misses")
    if len(labels) == 1:
        raise DataError(f"near_misses: all rows have the class {labels[0]}; there is nothing to miss.")
    if positive is None and len(labels) != 2:
        raise ParameterError(f"near_misses: y has {len(labels)} classes; say which one is positive.")
    which = len(labels) - 1 if positive is None else positive_rows(labels, positive, "near_misses")
    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    yes, no = np.flatnonzero(codes == which), np.flatnonzero(codes != which)
    if not len(yes):
        raise DataError("near_misses: there is no positive row.")
    coded = np.array([c.coded for c in table.schema])
    outside = _outside(values[no], values[yes], coded)
    metric = HEOM(coded=coded).learn(values)
    apart = metric.between(values[no], values[yes]) if len(no) else np.empty((0, len(yes)))
    nearest = apart.argmin(axis=1) if len(no) else np.empty(0, np.int64)
    distance = apart[np.arange(len(no)), nearest]
    order = np.lexsort((distance, outside))[:k]
    rows, near = no[order], yes[nearest[order]]
    differences = [_differences(table, values, int(i), int(p)) for i, p in zip(rows, near)]
    return NearMisses(rows, outside[order], near, distance[order], differences, labels[which], RowNames.of(X))


def _outside(N: np.ndarray, P: np.ndarray, coded: np.ndarray) -> np.ndarray:
    """(m,) in how many columns rows of N lie outside of the tightest box around P; a missing value is inside."""
    count = np.zeros(len(N), np.int64)
    for j, category in enumerate(coded):
        known = P[~np.isnan(P[:, j]), j]
        if not len(known):
            continue
        x = N[:, j]
        out = ~np.isin(x, known) if category else (x < known.min()) | (x > known.max())
        count += out & ~np.isnan(x)
    return count


def _differences(table: Table, values: np.ndarray, i: int, p: int) -> dict[str, tuple[Any, Any]]:
    schema = table.schema
    return {
        column.name: (schema.label(j, values[i, j]), schema.label(j, values[p, j]))
        for j, column in enumerate(schema)
        if values[i, j] != values[p, j] and not (np.isnan(values[i, j]) and np.isnan(values[p, j]))
    }


@dataclass(frozen=True, eq=False)
class CloseCalls(Sentence):
    """Rows whose decision was closest.

    Attributes
    ----------
    rows : (k,) row numbers, counted from 0, the smallest margin first
    margin : (k,) the lead of the answer over the runner-up: a difference of probabilities, or of scores
    answer, runner_up : (k,) labels
    measure : "probability" or "score"
    row_names : RowNames
    """

    rows: np.ndarray
    margin: np.ndarray
    answer: np.ndarray
    runner_up: np.ndarray
    measure: str
    row_names: RowNames = field(default_factory=RowNames)

    def __len__(self) -> int:
        return len(self.rows)

    def table(self) -> list[dict[str, Any]]:
        """One record per row."""
        return [
            {
                self.row_names.head: self.row_names.label(int(i)),
                "answer": answer,
                "runner-up": second,
                f"margin ({self.measure})": float(margin),
            }
            for i, answer, second, margin in zip(self.rows, self.answer, self.runner_up, self.margin)
        ]

    def __str__(self) -> str:
        shown = self.table()
        return text_table(
            list(shown[0]), [[str(v) if not isinstance(v, float) else v for v in r.values()] for r in shown]
        )


def close_calls(model: Any, X: TableLike, *, k: int = 10) -> CloseCalls:
    """The rows whose decision margin is smallest: where a fitted classifier was nearly of another opinion.

    The margin is the difference of the two largest probabilities, or of the two largest scores of a classifier without
    probabilities (for two classes twice the absolute score).

    Parameters
    ----------
    model : fitted classifier with ``predict_proba`` or ``decision_function``
    X : table
    k : how many rows

    Examples
    --------
    >>> from assay.bayes import NearestMean
    >>> from assay.evaluate import close_calls
    >>> model = NearestMean().fit([[0.0], [2.0]], ["low", "high"])
    >>> print(close_calls(model, [[0.0], [0.9], [1.2]], k=2))
      row  answer  runner-up  margin (probability)
        2  low     high                    0.09967
        3  high    low                      0.1974
    """
    check_count("close_calls", "k", k)
    if isinstance(getattr(model, "classes_", None), list) or getattr(model, "multilabel_", False):
        raise DataError(
            f"close_calls: {type(model).__name__} answers for several targets, a decision is of one. Fit one model for "
            "each column of y."
        )
    if hasattr(model, "predict_proba"):
        scores, measure = np.asarray(model.predict_proba(X), np.float64), "probability"
    elif hasattr(model, "decision_function"):
        scores, measure = np.asarray(model.decision_function(X), np.float64), "score"
        scores = np.column_stack((-scores, scores)) if scores.ndim == 1 else scores
    else:
        raise ParameterError(
            f"close_calls: {type(model).__name__} has neither predict_proba nor decision_function, so no margins."
        )
    if scores.shape[1] < 2:
        raise DataError("close_calls: the model knows one class, so no decision is close.")
    order = np.argsort(-scores, axis=1, kind="stable")
    rows = np.arange(len(scores))
    margin = scores[rows, order[:, 0]] - scores[rows, order[:, 1]]
    first = np.argsort(margin, kind="stable")[:k]
    classes = np.asarray(model.classes_)
    return CloseCalls(
        first, margin[first], classes[order[first, 0]], classes[order[first, 1]], measure, RowNames.of(X)
    )
