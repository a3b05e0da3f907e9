"""The table of a textbook: every split of every column, with the value of each criterion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.core.explanation import text_table
from assay.core.targets import check_weights, encode_labels
from assay.errors import DataError, ParameterError
from assay.tables import Schema, Table
from assay.trees.criteria import entropy, error_rate, gini
from assay.trees.node_measures import ClassMeasure
from assay.trees.split_search import Candidates, SplitSearch
from assay.trees.textbook_tree import SEARCH
from assay.trees.tree import NWAY, SUBSET, TERNARY
from assay.types import TableLike, Target, Weights

__all__ = ["CriterionTable", "SplitScore", "criterion_table"]


@dataclass(frozen=True)
class SplitScore:
    """One split and its criteria.

    Attributes
    ----------
    column : name of the column      split : the test in words
    thresholds : the numbers of the test, none for categories
    entropy, gini, error : mean impurity of the branches, weighted by their rows
    gain : information gain in bits      split_information : entropy of the branch sizes in bits
    gain_ratio : gain divided by split information
    """

    column: str
    split: str
    thresholds: tuple[float, ...]
    entropy: float
    gain: float
    split_information: float
    gain_ratio: float
    gini: float
    error: float


@dataclass(frozen=True)
class CriterionTable:
    """All splits of a table, column by column; ``print`` it, or go through its records.

    Attributes
    ----------
    splits : tuple of SplitScore
    entropy, gini, error : impurities of all rows, before any split
    """

    splits: tuple[SplitScore, ...]
    entropy: float
    gini: float
    error: float

    def __iter__(self) -> Iterator[SplitScore]:
        return iter(self.splits)

    def __len__(self) -> int:
        return len(self.splits)

    def best(self, criterion: str = "gain") -> SplitScore:
        """The split that a criterion prefers; the first among equals.

        Parameters
        ----------
        criterion : "gain", "gain_ratio" (largest), "entropy", "gini" or "error" (least)
        """
        signs = {"gain": 1, "gain_ratio": 1, "entropy": -1, "gini": -1, "error": -1}
        if criterion not in signs:
            raise ParameterError(
                f"CriterionTable: criterion must be one of {', '.join(map(repr, signs))}, got {criterion!r}."
            )
        if not self.splits:
            raise DataError("CriterionTable: no column separates the rows, so there is no best split.")
        scores = signs[criterion] * np.array([getattr(s, criterion) for s in self.splits])
        return self.splits[int(np.argmax(scores >= scores.max() - 1e-12))]

    def of(self, column: str) -> list[SplitScore]:
        """The splits of one column."""
        return [s for s in self.splits if s.column == column]

    def __str__(self) -> str:
        columns = ["column", "split", "gain", "split info", "gain ratio", "entropy", "gini", "error"]
        before = ["(all rows)", "", 0.0, 0.0, 0.0, self.entropy, self.gini, self.error]
        rows = [
            [s.column, s.split, s.gain, s.split_information, s.gain_ratio, s.entropy, s.gini, s.error]
            for s in self.splits
        ]
        return text_table(columns, [before, *rows])


def criterion_table(
    X: TableLike,
    y: Target,
    sample_weight: Weights | None = None,
    *,
    nominal: str = "n-way",
    numeric: str = "binary",
    max_categories: int = 10,
) -> CriterionTable:
    """Information gain, split information, gain ratio, Gini and error rate of every split of every column.

    Rows without a value of the column are left out of its splits, and gains are reduced to the share of the rows that
    have one.

    Parameters
    ----------
    X : any table, (n, d)
    y : (n,) classes
    sample_weight : (n,) what each row counts
    nominal : "n-way", "binary grouping" or "one-vs-rest"
        How a nominal column is split.
    numeric : "binary" or "ternary"
        How a numeric column is split; all midpoints of neighbouring values are tried.
    max_categories : int
        Up to so many categories all groupings are tried; see ``TextbookTreeClassifier``.

    Examples
    --------
    >>> from assay.tables.data import load_apples
    >>> from assay.trees.criterion_table import criterion_table
    >>> apples = load_apples()
    >>> table = criterion_table(apples.X, apples.y)
    >>> print(table.best("gain").column, round(table.best("gain").gain, 5))
    colour 0.60999
    """
    settings = {"nominal": nominal, "numeric": numeric, "max_categories": max_categories}
    for name, value in settings.items():
        if not SEARCH[name].holds(value):
            raise ParameterError(f"criterion_table: {name} must be {SEARCH[name].words}, got {value!r}.")
    table = Table.of(X, who="criterion_table")
    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    classes, codes = encode_labels(y, len(values), "criterion_table")
    weights = check_weights(sample_weight, values)
    w = np.ones(len(values)) if weights is None else weights
    rows = np.flatnonzero(w > 0)
    measures = [ClassMeasure(codes, len(classes), f) for f in (entropy, gini, error_rate)]
    before = [m.node(rows, w[rows]) for m in measures]
    counts = table.schema.category_counts(ordered=False)
    candidates = [
        SplitSearch(m, counts, nominal, numeric, max_categories=max_categories).columns(values, rows, w[rows])
        for m in measures
    ]
    splits = [
        score
        for of_column in zip(*candidates)
        for score in _scores(of_column, measures, before[0], table.schema)
    ]
    return CriterionTable(tuple(splits), *before)


def _scores(
    candidates: tuple[Candidates, ...], measures: list[ClassMeasure], before: float, schema: Schema
) -> Iterator[SplitScore]:
    by_entropy = candidates[0]
    after = [m.combine(c.weight, c.impurity) for m, c in zip(measures, candidates)]
    information = by_entropy.information()
    for i in range(len(by_entropy.weight)):
        gain = by_entropy.decrease(before, float(after[0][i]))
        numbers = tuple(
            float(t[i]) for t in (by_entropy.thresholds, by_entropy.seconds) if not np.isnan(t[i])
        )
        yield SplitScore(
            column=schema.names[by_entropy.column],
            split=_words(by_entropy, i, schema),
            thresholds=numbers,
            entropy=float(after[0][i]),
            gain=gain,
            split_information=float(information[i]),
            gain_ratio=gain / float(information[i]),
            gini=float(after[1][i]),
            error=float(after[2][i]),
        )


def _words(candidates: Candidates, i: int, schema: Schema) -> str:
    if candidates.kind == NWAY:
        return "each"
    if candidates.kind == SUBSET:
        inside = [str(schema.label(candidates.column, c)) for c in candidates.codes[candidates.left[i]]]
        return f"= {inside[0]}" if len(inside) == 1 else "in {" + ", ".join(inside) + "}"
    if candidates.kind == TERNARY:
        return f"at {candidates.thresholds[i]:.10g} and {candidates.seconds[i]:.10g}"
    return f"<= {candidates.thresholds[i]:.10g}"
