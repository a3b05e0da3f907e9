"""What a score of columns is, and the scores that there are, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.bayes.counts import FeatureSums, feature_sums
from assay.core.parallel import in_threads
from assay.errors import DataError, ParameterError
from assay.select.filters.bins import binned
from assay.select.filters.column_sums import (
    ClassSums,
    NumberSums,
    class_sums,
    each_part,
    number_sums,
    refuse_overflow,
    refuse_overflow_of_numbers,
)
from assay.select.filters.impurities import (
    entropy_of_table,
    gain_ratio_of_table,
    gini_of_table,
    uncertainty_of_table,
)
from assay.select.filters.mutual_info import information, spread_of
from assay.select.filters.relieff import relieff_of_rows
from assay.select.filters.tests_of_columns import (
    anova_of_moments,
    chi2_of_counts,
    correlations,
    f_of_correlations,
    f_of_table,
    fisher_of_moments,
    fisher_of_table,
    independence_of_table,
)
from assay.stats import mutual_information
from assay.tables import Schema, Table
from assay.tables.float_blocks import is_sparse

__all__ = ["SCORES", "Score", "score_named"]

Scores = tuple[np.ndarray, np.ndarray | None]  # (d,) scores, (d,) p-values where there is a test


@dataclass(frozen=True)
class Score:
    """A score of columns by what they tell of the target, and where it comes from.

    One that has no ``of_rows`` is a function of sums over the rows. A table of counts has a row for each category and a
    column for each class; where a score has nothing but ``of_table``, numbers are cut into bins first.

    Parameters
    ----------
    name, summary : what it is called, and what it is in a few words
    better : "higher" or "lower"
    of_table : function from (c, K) counts to (score, p-value or None)
    of_classes : function from the ClassMoments of all columns to their scores and p-values
    of_numbers : function of (NumberSums, schema, missing), for a target of numbers
    of_counts : function of FeatureSums, for columns of counts
    of_rows : function of (table, target, weights, classes or not, missing), for what is no sum
    """

    name: str
    summary: str
    better: str = "higher"
    of_table: Callable[[np.ndarray], Any] | None = None
    of_classes: Callable[[Any], Any] | None = None
    of_numbers: Callable[[NumberSums, Schema, str], Any] | None = None
    of_counts: Callable[[FeatureSums], Any] | None = None
    of_rows: Callable[[Table, np.ndarray, np.ndarray | None, bool, str], Any] | None = None
    tasks: tuple[str, ...] = ("classification",)

    @property
    def sign(self) -> int:
        return 1 if self.better == "higher" else -1

    def task_for(self, task: str, who: str) -> str:
        """The task, if the score is made for it."""
        if task not in self.tasks:
            kind, other = ("classes", "numbers") if "classification" in self.tasks else ("numbers", "classes")
            fitting = [repr(s.name) for s in SCORES.values() if task in s.tasks]
            raise ParameterError(
                f"the score {self.name!r} is for a target of {kind}, y holds {other}. For these: {', '.join(fitting)}.",
                who=who,
            )
        return task

    def is_sum(self, schema: Schema, classes: bool) -> bool:
        """Whether sums over the rows suffice for these columns."""
        if not classes:
            return self.of_numbers is not None
        numbers = not schema.coded.all()
        return self.of_counts is not None or (
            self.of_table is not None and (not numbers or self.of_classes is not None)
        )

    def sums(
        self, X: Any, y: np.ndarray, w: np.ndarray | None, K: int | None, schema: Schema, who: str
    ) -> Any:
        """What one block of rows adds; K classes, or None for a target of numbers."""
        if K is None:
            numbers = number_sums(X, y, w, schema)
            refuse_overflow_of_numbers(numbers, schema, who)
            return numbers
        if self.of_counts is None:
            classes = class_sums(X, y, w, K, schema)
            refuse_overflow(classes.moments.scatter[:, ~schema.coded], _numbers_of(schema), who)
            return classes
        return counts_of(X, y, w, K, schema, who)

    def of_sums(self, sums: Any, schema: Schema, missing: str) -> Scores:
        """The scores that follow from the sums of all rows."""
        if isinstance(sums, FeatureSums):
            assert self.of_counts is not None
            return self.of_counts(sums)
        if isinstance(sums, NumberSums):
            assert self.of_numbers is not None
            return self.of_numbers(sums, schema, missing)
        d, coded = len(schema), schema.coded
        scores, p = np.full(d, np.nan), np.full(d, np.nan)
        if not coded.all():
            assert self.of_classes is not None
            scores[:], of_test = self.of_classes(sums.moments)
            p[:] = np.nan if of_test is None else of_test
        tested = self in (SCORES["f"], SCORES["chi-squared"])
        for j in np.flatnonzero(coded).tolist():
            scores[j], of_test = self._of_column(sums, j, missing)
            p[j] = np.nan if of_test is None else of_test
        return scores, p if tested else None

    def _of_column(self, sums: ClassSums, j: int, missing: str) -> Any:
        assert self.of_table is not None
        table = sums.table(j, missing)
        if not table.sum() > 0:
            return np.nan, np.nan
        score, p = self.of_table(table)
        if self is SCORES["gain ratio"] and missing != "value":  # what is missing gains nothing
            score *= table.sum() / sums.counts.class_count.sum()
        return score, p

    def of(
        self,
        table: Table,
        target: np.ndarray,
        w: np.ndarray | None,
        K: int | None,
        *,
        missing: str = "value",
        bins: Any = "mdl",
        who: str,
    ) -> Scores:
        """The scores of a table in memory; target has codes of K classes, or numbers if K is None."""
        if not self.is_sum(table.schema, K is not None):
            if self.of_rows is not None:
                return self.of_rows(table, target, w, K is not None, missing)
            table = binned(table, target, w, bins, who)
        return self.of_sums(self.sums(table.values, target, w, K, table.schema, who), table.schema, missing)


def _numbers_of(schema: Schema) -> list[str]:
    """The names of the columns of numbers."""
    return [column.name for column in schema if not column.coded]


def counts_of(X: Any, y: np.ndarray, w: np.ndarray | None, K: int, schema: Schema, who: str) -> FeatureSums:
    """The sums of columns of counts by class."""
    if schema.coded.any():
        name = schema[int(np.argmax(schema.coded))].name
        raise DataError(
            f"column {name!r} holds categories, expected counts from 0 up. For categories: 'chi-squared'.",
            who=who,
        )
    sums, lowest = feature_sums(X, y, w, K)
    if lowest < 0:
        raise DataError(
            f"Input X must be non-negative: counts from 0 up, its lowest number is {lowest:g}.", who=who
        )
    if np.isnan(sums.feature_count).any():
        j = int(np.argmax(np.isnan(sums.feature_count).any(axis=0)))
        raise DataError(
            f"column {schema[j].name!r} has missing values, expected counts. Impute 0 for words that do not occur.",
            who=who,
        )
    return sums


def f_of_numbers(sums: NumberSums, schema: Schema, missing: str) -> Scores:
    """F of a line through each column of numbers, and of the means of the target in each category."""
    f, p = f_of_correlations(correlations(sums), sums.x.observed[0])
    for j, group in enumerate(sums.groups):
        if group is not None:
            f[j], p[j] = (float(v[0]) for v in anova_of_moments(_shown(group, missing)))
            f[j], p[j] = (0.0, 1.0) if np.isnan(f[j]) else (min(f[j], np.finfo(float).max), p[j])
    return f, p


def correlation_of_numbers(sums: NumberSums, schema: Schema, missing: str) -> Scores:
    """|r| of each column of numbers; of categories the square root of the share of variance between them."""
    r = np.abs(np.nan_to_num(correlations(sums)))
    for j, group in enumerate(sums.groups):
        if group is not None:
            shown = _shown(group, missing)
            within, total = float(shown.scatter.sum()), float(shown.pooled().scatter[0, 0])
            r[j] = np.sqrt(max(0.0, 1 - within / total)) if total > 0 else 0.0
    return r, f_of_numbers(sums, schema, missing)[1]


def _shown(group: Any, missing: str) -> Any:
    """The categories to compare: with or without the missing values, which are the last."""
    if missing == "value":
        return group
    known = each_part(group, lambda part: part[:-1])
    known.total = None
    return known


def information_of_table(table: np.ndarray) -> tuple[float, None]:
    """Mutual information in nats."""
    return float(mutual_information(table)), None


def information_of_rows(
    table: Table, target: np.ndarray, w: np.ndarray | None, classes: bool, missing: str
) -> Scores:
    """Mutual information of columns of any kind and the target, by counts and by three nearest neighbours."""
    if is_sparse(table.values):
        table = table.replaced(values=table.values.toarray())
    coded = table.schema.coded
    y = target if classes else target / _unit(target, w)

    def estimate(j: int) -> float:
        x, rows = np.asarray(table.values[:, j], np.float64), slice(None)
        if coded[j]:
            x = np.where(np.isnan(x), len(table.schema[j].categories), x) if missing == "value" else x
        elif not classes:  # two numbers are compared by one distance
            x = x / _unit(x, w)
        if missing != "value":
            rows = ~np.isnan(x)  # type: ignore[assignment]
            if not np.any(rows):
                return np.nan
        return information(x[rows], y[rows], bool(coded[j]), classes, w=None if w is None else w[rows])

    return np.array(in_threads(estimate, range(len(coded)))), None


def _unit(x: np.ndarray, w: np.ndarray | None) -> float:
    """The standard deviation to nine digits: weights and repeats, whose last digits differ, give the same distances."""
    return float(f"{spread_of(x, w):.8e}")


BOTH = ("classification", "regression")
SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score(
            "f", "F of the means of the classes, or of a line", "higher", f_of_table, anova_of_moments, f_of_numbers,
            tasks=BOTH,
        ),
        Score("fisher", "variance between classes over variance within", "higher", fisher_of_table, fisher_of_moments),
        Score("gini", "mean Gini index of the classes in each category or bin", "lower", gini_of_table),
        Score("entropy", "mean entropy of the classes in each category or bin, in bits", "lower", entropy_of_table),
        Score("gain ratio", "information gain over the information of the column", "higher", gain_ratio_of_table),
        Score("chi-squared", "Pearson's chi-squared of categories or bins", "higher", independence_of_table),
        Score("symmetrical uncertainty", "mutual information, from 0 to 1", "higher", uncertainty_of_table),
        Score(
            "mutual information", "in nats, of any kinds", "higher", information_of_table,
            of_rows=information_of_rows, tasks=BOTH,
        ),
        Score("chi2", "chi-squared of columns of counts", "higher", of_counts=chi2_of_counts),
        Score("correlation", "absolute correlation", of_numbers=correlation_of_numbers, tasks=("regression",)),
        Score("relieff", "differences of near rows of other classes", "higher", of_rows=relieff_of_rows, tasks=BOTH),
    )
}  # fmt: skip


def score_named(name: str, who: str) -> Score:
    """The score of that name.

    >>> from assay.select.filters.score import score_named
    >>> score_named("gini", "SelectKBest").better
    'lower'
    """
    if name not in SCORES:
        raise ParameterError(f"there is no score {name!r}. Scores: {', '.join(SCORES)}.", who=who)
    return SCORES[name]
