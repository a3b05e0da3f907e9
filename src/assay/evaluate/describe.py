"""What the rows of a comparison are: columns, kinds, missing values, classes, and what is odd about them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np

from assay.core.explanation import cell_text
from assay.core.words import one_line, shorter
from assay.errors import ParameterError
from assay.evaluate.design import Resampling
from assay.evaluate.diagnose import Finding, diagnose_table
from assay.evaluate.remarks import grouped
from assay.evaluate.target import as_target, check_task
from assay.sentence import Sentence
from assay.tables import Table
from assay.types import Codes

__all__ = ["ColumnSummary", "Description", "NumbersSummary", "describe"]


@dataclass(frozen=True)
class ColumnSummary:
    """One column in a line: kind, missing values, distinct values, and its range or its most frequent categories.

    Parameters
    ----------
    name, kind : what it is called; "numeric", "nominal", "ordinal", "date" or "sparse"
    missing, distinct : numbers of missing values and of distinct other ones
    words : the rest, as text shows it
    low, high : the least and the greatest number or date; None among categories
    mean : of the numbers
    frequent : how often each of the most frequent categories occurs
    """

    name: str
    kind: str
    missing: int
    distinct: int
    words: str
    low: float | str | None = None
    high: float | str | None = None
    mean: float | None = None
    frequent: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class NumbersSummary(ColumnSummary):
    """A target of numbers in a line: as a column, and where its middle half lies.

    Parameters
    ----------
    lower_quartile, median, upper_quartile : below these lie a quarter, half and three quarters of the numbers
    sd : their standard deviation
    """

    lower_quartile: float | None = None
    median: float | None = None
    upper_quartile: float | None = None
    sd: float | None = None


@dataclass(frozen=True)
class Description(Sentence):
    """A table in numbers.

    ``print`` it for text.

    Attributes
    ----------
    name : what the data are called
    rows : int, with a class
    columns : list of ColumnSummary
    missing : number of empty cells
    target : name of the target
    classes : dict of label (as text) to number of rows; empty without a target, and for one of numbers
    findings : list of Finding
    measured : NumbersSummary of a target of numbers, which are no classes; else None
    """

    name: str
    rows: int
    columns: list[ColumnSummary]
    missing: int
    target: str = "class"
    classes: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    measured: NumbersSummary | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data that JSON can hold.

        >>> from assay.evaluate import describe
        >>> describe({"size": [1, 2, 3]}, name="apples").to_dict()["columns"][0]["mean"]
        2.0
        """
        from assay.evaluate.records import plain

        record: dict[str, Any] = plain(asdict(self))
        return record if self.classes or self.measured else record | {"target": None}

    @property
    def kinds(self) -> dict[str, int]:
        """How many columns of each kind there are."""
        counts: dict[str, int] = {}
        for column in self.columns:
            counts[column.kind] = counts.get(column.kind, 0) + 1
        return counts

    @property
    def words(self) -> str:
        """One line: rows, columns, kinds, missing values, classes."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items())
        missing = (
            f"{self.missing} missing value{'' if self.missing == 1 else 's'}"
            if self.missing
            else "no missing values"
        )
        classes = (
            f", {len(self.classes)} class{'' if len(self.classes) == 1 else 'es'}" if self.classes else ""
        )
        plural = "" if len(self.columns) == 1 else "s"
        rows = f"{self.rows} row{'' if self.rows == 1 else 's'}"
        return f"{rows}, {len(self.columns)} column{plural} ({kinds}), {missing}{classes}"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, face: str = "python") -> str:
        """As text; remedies are those for "python" or for the "command line"."""
        lines = [f"{self.name}: {self.words}", ""]
        shown = self.columns[:60]
        names = [one_line(c.name, 40) for c in shown]
        width = max([len(name) for name in names] + [6])
        lines.append(f"  {'column':<{width}}  kind     missing  distinct  values")
        lines += [
            f"  {name:<{width}}  {c.kind:<8} {c.missing:>7}  {c.distinct:>8}  {c.words}".rstrip()
            for name, c in zip(names, shown)
        ]
        if len(self.columns) > 60:
            lines.append(f"  ... and {len(self.columns) - 60} more")
        if self.measured is not None:
            lines += ["", f"{self.target}, a number to predict (regression)", f"  {self.measured.words}"]
        if self.classes:
            lines += ["", f"classes of {self.target}"]
            total = sum(self.classes.values()) or 1
            listed = [(one_line(label, 40), n) for label, n in list(self.classes.items())[:60]]
            wide = max(len(label) for label, _ in listed)
            lines += [f"  {label:<{wide}}  {n:>7}  {n / total:6.1%}" for label, n in listed]
            if len(self.classes) > 60:
                lines.append(f"  ... and {len(self.classes) - 60} more")
        if self.findings:
            remarks = [f"  {f.severity}: {f.said(face)}" for f in grouped(self.findings)]
            lines += ["", "worth knowing", *remarks]
        return "\n".join(lines)


def describe(
    X: Any,
    y: Any = None,
    name: str | None = None,
    folds: int = 10,
    target: str | None = None,
    task: str | None = None,
) -> Description:
    """Columns, kinds, missing values, classes, and what a careful colleague would point at.

    Parameters
    ----------
    X : anything that ``Table.of`` takes, a Dataset, or what ``read_table`` gave
    y : (n,) classes or numbers, default None; rows without one are counted in a finding. A Dataset or the content of a
        file brings its own
    folds : int
        How many rows a class should have at least.
    name, target : what the data and the target are called; default for the data: as X says, for the target: as y
        says. Without y, ``target`` names the column of X that holds it
    task : "classification" or "regression", what the target holds; None goes by its values, as in ``compare``

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
    if hasattr(X, "X") and hasattr(X, "y") and not hasattr(X, "columns"):  # rows and target in one
        known = getattr(X, "target_name", None) or getattr(X, "target", None)
        title = getattr(X, "name", None) or PurePath(X.path).name
        X, y, name = X.X, X.y if y is None else y, name or title
        target = target or (known if y is not None else None)
    name = name or "data"
    table = Table.of(X, who="describe")
    if y is None and target is not None:
        table, y = _taken_apart(table, target)
    check_task(task, "describe")
    aim = None if y is None else as_target(y, len(table), "describe", lenient=True, name=target, task=task)
    return description(table, aim, name, folds)


def _taken_apart(table: Table, target: str) -> tuple[Table, list[Any]]:
    """The other columns, and the values of the column ``target``."""
    names = table.schema.names
    if target not in names:
        raise ParameterError(
            f"describe: target is {target!r}, which is no column of X, and there is no y. Columns: "
            f"{', '.join(names[:20])}{', ...' if len(names) > 20 else ''}."
        )
    if len(names) == 1:
        raise ParameterError(f"describe: {target!r} is the only column, so nothing is left to describe.")
    j = table.schema.index(target)
    others = [k for k in range(len(names)) if k != j]
    return table.select(others), table.select([j]).to_columns()[target]


def description(
    table: Table,
    target: Any,
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
    classes, measured = {}, None
    if target is not None and target.numbers is not None:
        measured = _number_summary(target.name, target.numbers)
    elif target is not None:
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
        measured,
    )


def _summary(table: Table, j: int) -> ColumnSummary:
    column, values = table.schema[j], table.values[:, j]
    known = values[~np.isnan(values)]
    levels, counts = np.unique(known, return_counts=True)
    kind = "date" if column.date else column.kind
    facts = (column.name, kind, len(values) - len(known), len(levels))
    if not len(known):
        return ColumnSummary(*facts, "all missing")
    if column.date:
        first, last = (str(table.schema.label(j, levels[end])) for end in (0, -1))
        return ColumnSummary(*facts, f"{first} to {last}", first, last)
    if column.coded:
        most = np.argsort(-counts, kind="stable")[:5]
        frequent = {str(table.schema.label(j, levels[i])): int(counts[i]) for i in most}
        words = ", ".join(f"{one_line(label, 40)} {count}" for label, count in frequent.items())
        return ColumnSummary(*facts, words + (", ..." if len(levels) > 5 else ""), frequent=frequent)
    low, high, mean = float(levels[0]), float(levels[-1]), float(known.mean())
    return ColumnSummary(*facts, _range(low, high, mean), low, high, mean)


def _number_summary(name: str, numbers: np.ndarray) -> NumbersSummary:
    """Of a target of numbers."""
    known = numbers[~np.isnan(numbers)]
    low, high = float(known.min()), float(known.max())
    first, median, third = np.percentile(known, [25, 50, 75]).tolist()
    size = max(abs(low), abs(high)) or 1.0
    scaled = known / size  # sums and squares of numbers near the largest double would overflow
    mean, sd = size * float(scaled.mean()), size * float(scaled.std())
    distinct = len(np.unique(known))
    middle = f"half of them from {cell_text(first)} to {cell_text(third)}, median {cell_text(median)}"
    values = f"{distinct} distinct value{'' if distinct == 1 else 's'}"
    words = f"{_range(low, high, mean)}, {middle}, standard deviation {cell_text(sd)}, {values}"
    return NumbersSummary(
        name,
        "numeric",
        len(numbers) - len(known),
        distinct,
        words,
        low,
        high,
        mean,
        lower_quartile=first,
        median=median,
        upper_quartile=third,
        sd=sd,
    )


def _range(low: float, high: float, mean: float) -> str:
    return f"{shorter(low)} to {shorter(high)}, mean {cell_text(mean)}"


def _sparse_summaries(table: Table) -> list[ColumnSummary]:
    """Of a sparse table, which may have very many columns: what can be had for all at once."""
    columns = table.values.tocsc()
    low, high = columns.min(axis=0).toarray().ravel(), columns.max(axis=0).toarray().ravel()
    mean, distinct = np.asarray(columns.mean(axis=0)).ravel(), _sparse_distinct(columns)
    return [
        ColumnSummary(
            c.name, "sparse", 0, int(distinct[j]), _range(low[j], high[j], mean[j]), low[j], high[j], mean[j]
        )
        for j, c in enumerate(table.schema)
    ]


def _sparse_distinct(columns: Any) -> np.ndarray:
    """(d,) numbers of distinct values in a CSC matrix, the zeros that are not stored counting as one."""
    n, d = columns.shape
    nonzero = columns.data != 0
    column, value = np.repeat(np.arange(d), np.diff(columns.indptr))[nonzero], columns.data[nonzero]
    order = np.lexsort((value, column))
    column, value = column[order], value[order]
    new = np.ones(len(value), dtype=bool)
    new[1:] = (np.diff(column) != 0) | (value[1:] != value[:-1])
    distinct: Codes = np.bincount(column[new], minlength=d) + (np.bincount(column, minlength=d) < n)
    return distinct
