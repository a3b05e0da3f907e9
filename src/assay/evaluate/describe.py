"""What the rows of a comparison are: columns, kinds, holes, classes, and what is odd about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.evaluate.design import Resampling
from assay.evaluate.diagnose import Finding, diagnose_table
from assay.evaluate.target import Target, as_target
from assay.tables import Table

__all__ = ["ColumnSummary", "Description", "describe"]


@dataclass(frozen=True)
class ColumnSummary:
    """One column in a line: kind, holes, distinct values, and its range or its most frequent categories."""

    name: str
    kind: str
    missing: int
    distinct: int
    words: str


@dataclass(frozen=True)
class Description:
    """A table in numbers.

    ``print`` it for text.

    Attributes
    ----------
    name : what the data are called
    rows : int, with a class
    columns : list of ColumnSummary
    missing : number of empty cells
    target : name of the target
    classes : dict of label (as text) to number of rows; empty without a target
    findings : list of Finding
    """

    name: str
    rows: int
    columns: list[ColumnSummary]
    missing: int
    target: str = "class"
    classes: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def kinds(self) -> dict[str, int]:
        """How many columns of each kind there are."""
        counts: dict[str, int] = {}
        for column in self.columns:
            counts[column.kind] = counts.get(column.kind, 0) + 1
        return counts

    @property
    def words(self) -> str:
        """One line: rows, columns, kinds, holes, classes."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items())
        holes = (
            f"{self.missing} missing value{'' if self.missing == 1 else 's'}"
            if self.missing
            else "no missing values"
        )
        classes = (
            f", {len(self.classes)} class{'' if len(self.classes) == 1 else 'es'}" if self.classes else ""
        )
        plural = "" if len(self.columns) == 1 else "s"
        rows = f"{self.rows} row{'' if self.rows == 1 else 's'}"
        return f"{rows}, {len(self.columns)} column{plural} ({kinds}), {holes}{classes}"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.words}", ""]
        shown = self.columns[:60]
        names = [_short(c.name) for c in shown]
        width = max([len(name) for name in names] + [6])
        lines.append(f"  {'column':<{width}}  kind     missing  distinct  values")
        lines += [
            f"  {name:<{width}}  {c.kind:<8} {c.missing:>7}  {c.distinct:>8}  {c.words}".rstrip()
            for name, c in zip(names, shown)
        ]
        if len(self.columns) > 60:
            lines.append(f"  ... and {len(self.columns) - 60} more")
        if self.classes:
            lines += ["", f"classes of {self.target}"]
            total = sum(self.classes.values()) or 1
            listed = [(_short(label), n) for label, n in list(self.classes.items())[:60]]
            wide = max(len(label) for label, _ in listed)
            lines += [f"  {label:<{wide}}  {n:>7}  {n / total:6.1%}" for label, n in listed]
            if len(self.classes) > 60:
                lines.append(f"  ... and {len(self.classes) - 60} more")
        if self.findings:
            lines += ["", "worth knowing", *(f"  {f.severity}: {f.sentence}" for f in self.findings)]
        return "\n".join(lines)


def describe(
    X: Any, y: Any = None, name: str = "data", folds: int = 10, target: str | None = None
) -> Description:
    """Columns, kinds, holes, classes, and what a careful colleague would point at.

    Parameters
    ----------
    X : anything that ``Table.of`` takes
    y : (n,) classes, default None; rows without a class are counted in a finding
    folds : int
        How many rows a class should have at least.
    name, target : what the data and the classes are called; default for the classes: as y says

    Examples
    --------
    >>> from assay.evaluate import describe
    >>> print(describe({"taste": ["sour", "sweet", None, "sour"], "size": [1, 2, 3, 3]},
    ...                ["a", "b", "a", "b"], name="apples", folds=2))
    apples: 4 rows, 2 columns (1 nominal, 1 numeric), 1 missing value, 2 classes
    <BLANKLINE>
      column  kind     missing  distinct  values
      taste   nominal        1         2  sour 2, sweet 1
      size    numeric        0         3  1 to 3, mean 2.25
    <BLANKLINE>
    classes of class
      a        2   50.0%
      b        2   50.0%
    <BLANKLINE>
    worth knowing
      note: column taste has 1 missing value of 4 (25.0%).
    """
    table = Table.of(X, who="describe")
    classes = None if y is None else as_target(y, table.shape[0], "describe", lenient=True, name=target)
    return description(table, classes, name, folds)


def description(
    table: Table,
    target: Target | None,
    name: str,
    folds: int,
    design: Resampling | None = None,
    groups: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> Description:
    """The same for a table that is encoded already, and the target of its rows; how they are going to be split."""
    if isinstance(table.values, np.ndarray):
        columns = [_summary(table, j) for j in range(table.shape[1])]
    else:
        columns = _sparse_summaries(table)
    classes = {}
    if target is not None:
        counts = np.bincount(target.codes[target.codes >= 0], minlength=len(target.labels))
        classes = {str(label): int(n) for label, n in zip(target.labels, counts)}
    return Description(
        name,
        table.shape[0],
        columns,
        sum(c.missing for c in columns),
        target.name if target is not None else "class",
        classes,
        diagnose_table(table, target, folds, design, groups, times),
    )


def _summary(table: Table, j: int) -> ColumnSummary:
    column, values = table.schema[j], table.values[:, j]
    there = values[~np.isnan(values)]
    levels, counts = np.unique(there, return_counts=True)
    kind = "date" if column.date else column.kind
    if not len(there):
        words = "all missing"
    elif column.date:
        words = f"{table.schema.label(j, levels[0])} to {table.schema.label(j, levels[-1])}"
    elif column.coded:
        most = np.argsort(-counts, kind="stable")[:5]
        words = ", ".join(f"{_short(table.schema.label(j, levels[i]))} {counts[i]}" for i in most)
        words += ", ..." if len(levels) > 5 else ""
    else:
        words = f"{levels[0]:g} to {levels[-1]:g}, mean {there.mean():.4g}"
    return ColumnSummary(column.name, kind, len(values) - len(there), len(levels), words)


def _sparse_summaries(table: Table) -> list[ColumnSummary]:
    """Of a sparse table, which may have very many columns: what can be had for all at once."""
    columns = table.values.tocsc()
    low, high = columns.min(axis=0).toarray().ravel(), columns.max(axis=0).toarray().ravel()
    mean, distinct = np.asarray(columns.mean(axis=0)).ravel(), _sparse_distinct(columns)
    return [
        ColumnSummary(c.name, "sparse", 0, int(distinct[j]), f"{low[j]:g} to {high[j]:g}, mean {mean[j]:.4g}")
        for j, c in enumerate(table.schema)
    ]


def _sparse_distinct(columns: Any) -> np.ndarray:
    """(d,) numbers of distinct values in a CSC matrix, the zeros that are not stored counting as one."""
    n, d = columns.shape
    there = columns.data != 0
    column, value = np.repeat(np.arange(d), np.diff(columns.indptr))[there], columns.data[there]
    order = np.lexsort((value, column))
    column, value = column[order], value[order]
    new = np.ones(len(value), dtype=bool)
    new[1:] = (np.diff(column) != 0) | (value[1:] != value[:-1])
    return np.bincount(column[new], minlength=d) + (np.bincount(column, minlength=d) < n)


def _short(value: Any) -> str:
    """A value in one line of at most 40 characters."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(value)[:41])
    return text if len(text) <= 40 else text[:37] + "..."
