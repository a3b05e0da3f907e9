"""One oddity, and what every check of a table looks at."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np

from assay.evaluate.copies import equal_rows, rounded
from assay.evaluate.design import Resampling, Split
from assay.evaluate.target import Target
from assay.tables import Table
from assay.tables.remedies import Remedy, recognise
from assay.types import Bools

__all__ = ["Case", "Finding", "cleaned", "dropped", "listed"]

SAMPLE = 5000  # rows looked at where all rows would take long; drawn with a fixed seed
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One oddity: what was seen, and what to do about it in Python and on the command line.

    Parameters
    ----------
    code : short name of the check, such as "constant-column"
    severity : "error" (nothing can be learned), "warning" (results would mislead), or "note"
    columns : the columns concerned, as a tuple; one name alone may be given as text
    fact : what was seen, as a sentence
    remedy : what to do, in a sentence for Python; "" if there is nothing to do
    command : the same for the command line, where it differs
    learner : the learner concerned, or ""

    Attributes
    ----------
    column : the only column concerned, or the learner; "" for several or none
    sentence : fact and remedy, as Python users read them

    Examples
    --------
    >>> from assay.evaluate.diagnose import diagnose
    >>> found = diagnose({"unit": ["g", "g", "g"]})[0]
    >>> found.code, found.severity, found.columns
    ('constant-column', 'warning', ('unit',))
    >>> print(found.sentence)
    column unit has one value only (g): it tells nothing apart. Drop it.
    >>> print(found.said("command line"))
    column unit has one value only (g): it tells nothing apart. Leave it out with --drop unit.
    """

    code: str
    severity: str
    columns: tuple[str, ...] | str
    fact: str
    remedy: str = ""
    command: str = ""
    learner: str = ""

    def __post_init__(self) -> None:
        columns = self.columns
        names = (columns,) if isinstance(columns, str) and columns else tuple(map(str, columns))
        object.__setattr__(self, "columns", names)

    @property
    def column(self) -> str:
        return self.learner or (self.columns[0] if len(self.columns) == 1 else "")

    @property
    def sentence(self) -> str:
        return self.said()

    def said(self, face: str = "python") -> str:
        """Fact and remedy as one reads them in "python" or on the "command line"."""
        advice = self.command or self.remedy if face == "command line" else self.remedy
        return f"{self.fact} {advice}".strip()

    @classmethod
    def read(cls, held: dict[str, Any]) -> Finding:
        """The finding that was stored as plain data, also by earlier versions.

        >>> from assay.evaluate import Finding
        >>> Finding.read({"code": "imbalance", "severity": "note", "column": "class", "sentence": "It is."}).column
        'class'
        """
        if "sentence" in held:
            return cls(held["code"], held["severity"], held["column"], held["sentence"])
        return cls(**{**held, "columns": tuple(held["columns"])})


def dropped(*columns: str) -> str:
    """The options that leave columns out on the command line.

    >>> from assay.evaluate.finding import dropped
    >>> dropped("unit", "first name")
    "--drop unit --drop 'first name'"
    """
    return " ".join(f"--drop {shlex.quote(name)}" for name in columns)


def cleaned(column: str) -> tuple[str, str]:
    """How to have a column cleaned, in Python and on the command line.

    >>> from assay.evaluate.finding import cleaned
    >>> for advice in cleaned("price"):
    ...     print(advice)
    Have it cleaned: read_table(..., clean=['price']) or assay.tables.clean(frame).
    Have it cleaned with --clean price.
    """
    return (
        f"Have it cleaned: read_table(..., clean=[{column!r}]) or assay.tables.clean(frame).",
        f"Have it cleaned with --clean {shlex.quote(column)}.",
    )


@dataclass(frozen=True)
class Case:
    """What every check looks at: the table, its classes, and how it is going to be split."""

    values: np.ndarray
    table: Table
    target: Target | None
    folds: int
    identifiers: frozenset[int]
    design: Resampling | None = None
    groups: np.ndarray | None = None
    times: np.ndarray | None = None

    def known(self, j: int) -> np.ndarray:
        """The values of a column that are there."""
        present = self.present[:, j]
        return self.values[:, j] if present.all() else self.values[present, j]

    def columns(self) -> Iterator[tuple[int, str, np.ndarray]]:
        """Number, name and values of each column."""
        for j, column in enumerate(self.table.schema):
            yield j, column.name, self.known(j)

    @cached_property
    def present(self) -> np.ndarray:
        """(n, d) bool: what is not missing."""
        present: Bools = ~np.isnan(self.values)
        return present

    @cached_property
    def remedies(self) -> dict[int, Remedy]:
        """What columns of text should rather be: numbers, dates, or categories in one spelling."""
        known: dict[int, Remedy] = {}
        for j, column in enumerate(self.table.schema):
            if column.kind == "nominal" and j not in self.identifiers:
                counts = np.bincount(self.codes(j), minlength=len(column.categories))
                used = np.flatnonzero(counts)
                remedy = recognise([column.categories[c] for c in used], counts[used].tolist())
                if remedy is not None:
                    known[j] = remedy
        return known

    def codes(self, j: int) -> np.ndarray:
        """The codes of a nominal column's categories, where they are known."""
        codes = self.known(j).astype(np.intp)
        return codes[codes >= 0]

    @cached_property
    def compared(self) -> list[int]:
        """The columns by which rows are called equal: all but those that name the rows."""
        return [j for j in range(self.values.shape[1]) if j not in self.identifiers]

    @cached_property
    def equal(self) -> np.ndarray | None:
        """(n,) the same number for equal rows; None if nothing can be said: too few rows, or rounded numbers."""
        if not self.compared or len(self.values) < 2 or any(rounded(self.known(j)) for j in self.compared):
            return None
        return equal_rows(self.values[:, self.compared])

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows with a class; of very many, 5000 of them."""
        rows = self.labelled
        if len(rows) > SAMPLE:
            rows = np.sort(np.random.default_rng(0).choice(rows, SAMPLE, replace=False))
        return rows

    @cached_property
    def labelled(self) -> np.ndarray:
        """All rows with a class."""
        return np.empty(0, np.intp) if self.target is None else np.flatnonzero(self.target.labelled)

    @cached_property
    def y(self) -> np.ndarray:
        """The classes of ``rows``."""
        return np.empty(0, np.int64) if self.target is None else self.target.codes[self.rows]

    @cached_property
    def blind(self) -> float:
        """The error of answering the most frequent class always; 0 without classes."""
        return 1 - np.bincount(self.y).max() / len(self.y) if len(self.y) else 0.0

    @cached_property
    def classes_usable(self) -> bool:
        """Whether there are classes that something could be said about."""
        target = self.target
        if target is None or len(target.labels) < 2:
            return False
        return len(self.rows) >= 20 and len(target.labels) <= len(self.rows) / 3 and self.blind > 0

    @property
    def plan(self) -> Resampling:
        """The design that was asked for, or as many folds as were named."""
        return self.design or Resampling(folds=max(2, min(self.folds, len(self.labelled))))

    def splits(self) -> list[Split]:
        """The splits of the design's first repetition, over the labelled rows; none for a table too small to split."""
        if self.target is None or len(self.labelled) < 4:
            return []
        groups, times = (None if v is None else v[self.labelled] for v in (self.groups, self.times))
        timed = self.plan.kind == "time"
        dealt = self.plan.splits(
            self.target.codes[self.labelled], 0, None if timed else groups, times if timed else None
        )
        return list(takewhile(lambda s: s.repetition == 0, dealt))


def listed(names: Any, most: int = 5) -> str:
    """Names in a row, so many at most.

    >>> from assay.evaluate.finding import listed
    >>> listed(["a", "b"]), listed("abcdefg", most=3)
    ('a, b', 'a, b, c and 4 more')
    """
    names = [str(name) for name in names]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
