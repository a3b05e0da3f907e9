"""What a careful colleague would point at before anything is learned from a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.evaluate.design import Resampling
from assay.evaluate.target import Target, as_target
from assay.tables import Table

__all__ = ["CHECKS", "Finding", "diagnose"]

SAMPLE = 5000  # rows looked at for a column that tells the classes apart alone
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")


@dataclass(frozen=True)
class Finding:
    """One oddity.

    Attributes
    ----------
    code : short name of the check, such as "constant-column"
    severity : "error" (nothing can be learned), "warning" (results would mislead), or "note"
    column : the column it is about, or ""
    sentence : what was found and what to do

    Examples
    --------
    >>> from assay.evaluate import diagnose
    >>> diagnose({"weight": [1.0, 2.0, None]})[0]
    Finding(code='missing-values', severity='note', column='weight',
            sentence='column weight has 1 missing value of 3 (33.3%).')
    """

    code: str
    severity: str
    column: str
    sentence: str


@dataclass(frozen=True)
class _Case:
    """What every check looks at."""

    values: np.ndarray
    table: Table
    target: Target | None
    folds: int
    identifiers: frozenset[int]

    def known(self, j: int) -> np.ndarray:
        column = self.values[:, j]
        return column[~np.isnan(column)]

    def columns(self) -> Iterator[tuple[int, str, np.ndarray]]:
        for j, column in enumerate(self.table.schema):
            yield j, column.name, self.known(j)


def diagnose(X: Any, y: Any = None, folds: int = 10) -> list[Finding]:
    """All findings about a table and its classes, most severe first.

    Parameters
    ----------
    X : anything that ``Table.of`` takes
    y : (n,) classes, default None
    folds : int
        How many rows a class should have at least.

    Examples
    --------
    >>> from assay.evaluate import diagnose
    >>> for found in diagnose({"unit": ["g"] * 4, "weight": [190, 190, 260, 270]}):
    ...     print(found.code, "|", found.sentence)
    constant-column | column unit has one value only (g): it tells nothing apart. Drop it.
    duplicate-rows | 1 row repeats another one in every column; copies in training and test rows flatter every learner.
    """
    table = Table.of(X, who="diagnose")
    target = None if y is None else as_target(y, table.shape[0], "diagnose", lenient=True)
    return diagnose_table(table, target, folds)


def diagnose_table(table: Table, target: Target | None, folds: int) -> list[Finding]:
    """The same for a table that is encoded already."""
    if not isinstance(table.values, np.ndarray):  # sparse: only what concerns the classes
        empty = Table(np.empty((table.shape[0], 0)), type(table.schema)([], table.schema.named))
        case = _Case(empty.values, empty, target, folds, frozenset())
        found = [f for check in (one_class, measured, rare_class, imbalance, unlabelled) for f in check(case)]
    else:
        ids = frozenset(j for j in range(table.shape[1]) if _is_identifier(table, j))
        case = _Case(table.values, table, target, folds, ids)
        found = [f for check in CHECKS for f in check(case)]
    return sorted(found, key=lambda f: ("error", "warning", "note").index(f.severity))


def constant_column(case: _Case) -> Iterator[Finding]:
    """One value throughout; holes aside."""
    for j, name, known in case.columns():
        if len(known) and (known == known[0]).all() and len(case.values) > 1:
            value = case.table.schema.label(j, known[0])
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            yield Finding("constant-column", "warning", name,
                          f"column {name} has one value only ({shown}): it tells nothing apart. Drop it.")  # fmt: skip


def missing_values(case: _Case) -> Iterator[Finding]:
    """Holes: how many, and whether most or all of a column."""
    n = len(case.values)
    for _, name, known in case.columns():
        holes = n - len(known)
        if holes == n:
            yield Finding(
                "empty-column", "warning", name, f"column {name} is empty: every value is missing. Drop it."
            )
        elif holes:
            much = holes > n / 2
            yield Finding(
                "missing-values",
                "warning" if much else "note",
                name,
                f"column {name} has {holes} missing value{'' if holes == 1 else 's'} of {n} ({holes / n:.1%})"
                + ("; what is filled in would be mostly made up." if much else "."),
            )


def identifier(case: _Case) -> Iterator[Finding]:
    """A category of its own for every row, or running numbers."""
    for j in sorted(case.identifiers):
        column = case.table.schema[j]
        kind = "a different value in every row" if column.coded else "running whole numbers"
        yield Finding("identifier", "warning", column.name,
                      f"column {column.name} has {kind}: it names the rows and cannot help with new "
                      "ones. Drop it.")  # fmt: skip


def rounded_numbers(case: _Case) -> Iterator[Finding]:
    """Whole numbers that floats cannot tell apart: identifiers of 16 digits and more."""
    for _, name, known in case.columns():
        if _rounded(known):
            yield Finding("rounded-numbers", "warning", name,
                          f"column {name} holds whole numbers beyond 2^53, which are rounded, so that different ones "
                          "may fall together. Drop it if it names the rows, or make it text.")  # fmt: skip


def _rounded(known: np.ndarray) -> bool:
    """Whether all numbers are as large as 64-bit integers that have no double of their own."""
    size = np.abs(known)
    return bool(len(size) and size.min() >= 2**53 and size.max() <= 2**64)


def many_categories(case: _Case) -> Iterator[Finding]:
    """Categories so many that most are rare."""
    for j, name, known in case.columns():
        if not case.table.schema[j].coded or j in case.identifiers:
            continue
        levels = len(np.unique(known))
        if levels > 50 or (levels > 10 and levels > len(known) / 5):
            yield Finding("many-categories", "note", name,
                          f"column {name} has {levels} categories in {len(known)} rows, "
                          f"{len(known) / levels:.1f} rows each; join the rare ones.")  # fmt: skip


def date_column(case: _Case) -> Iterator[Finding]:
    """Dates, read as such or still text."""
    for j, name, _ in case.columns():
        column = case.table.schema[j]
        if column.date:
            yield Finding("date", "note", name,
                          f"column {name} holds dates. If rows of one time resemble each other, random splits flatter "
                          "every learner; test on later rows.")  # fmt: skip
        elif column.coded and column.categories:
            some = [str(v) for v in column.categories[:200]]
            if sum(bool(_DATE.fullmatch(v)) for v in some) >= 0.8 * len(some):
                yield Finding("date-as-text", "note", name,
                              f"column {name} looks like dates but is text ({some[0]}); each date counts as a category "
                              "of its own. Convert it.")  # fmt: skip


def duplicate_rows(case: _Case) -> Iterator[Finding]:
    """Rows that repeat another one, and equal rows of different classes."""
    keep = [j for j in range(case.values.shape[1]) if j not in case.identifiers]
    if not keep or len(case.values) < 2 or any(_rounded(case.known(j)) for j in keep):
        return
    _, first, group = np.unique(_row_hashes(case.values[:, keep]), return_index=True, return_inverse=True)
    n = len(case.values)
    copies = n - len(first)
    if copies:
        yield Finding(
            "duplicate-rows",
            "warning" if copies > n / 20 else "note",
            "",
            f"{copies} row{' repeats' if copies == 1 else 's repeat'} another one in every column"
            f"{_but([case.table.schema[j].name for j in sorted(case.identifiers)])}; copies in training and test rows "
            "flatter every learner.",
        )
    if case.target is not None and copies:
        known = case.target.labelled
        K = len(case.target.labels)
        counts = np.zeros((len(first), K), dtype=np.int64)
        np.add.at(counts, (group[known], case.target.codes[known]), 1)
        wrong = int((counts.sum(axis=1) - counts.max(axis=1)).sum())
        if wrong:
            yield Finding("contradictions", "note", "",
                          f"{wrong} row{'' if wrong == 1 else 's'} must be classified wrongly by any learner: equal "
                          "rows have different classes.")  # fmt: skip


def _but(names: list[str]) -> str:
    """What a look at all columns leaves out, since it names the rows."""
    if not names:
        return ""
    return f" but {names[0]}" if len(names) == 1 else f" but the {len(names)} that name the rows"


def _row_hashes(block: np.ndarray) -> np.ndarray:
    """(n,) 64-bit numbers, equal for equal rows; for different rows equal once in 1e19 pairs. A hole equals a hole."""
    total = np.zeros(len(block), dtype=np.uint64)
    for column in block.T:
        bits = (np.where(np.isnan(column), np.inf, column) + 0.0).view(np.uint64)  # + 0.0: minus zero is zero
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        total = total * np.uint64(0x9E3779B97F4A7C15) + (bits ^ (bits >> np.uint64(31)))
    return total


def one_class(case: _Case) -> Iterator[Finding]:
    """Nothing to tell apart."""
    if case.target is not None and len(case.target.labels) < 2:
        label = case.target.labels[0]
        yield Finding("one-class", "error", case.target.name,
                      f"every row of {case.target.name} has the class {label}; nothing can be told apart.")  # fmt: skip


def measured(case: _Case) -> Iterator[Finding]:
    """Numbers with fractions where classes are expected."""
    if case.target is not None and case.target.measured:
        yield Finding("measured-target", "error", case.target.name,
                      f"{case.target.name} holds {len(case.target.labels)} distinct numbers with fractions, expected "
                      "classes. Cut it into classes first, or choose another target.")  # fmt: skip


def unlabelled(case: _Case) -> Iterator[Finding]:
    """Rows without a class."""
    if case.target is not None and not case.target.labelled.all():
        n = int((~case.target.labelled).sum())
        yield Finding("unlabelled-rows", "warning", case.target.name,
                      f"{n} row{' has' if n == 1 else 's have'} no {case.target.name}; nothing can be learned from or "
                      "tested on them.")  # fmt: skip


def rare_class(case: _Case) -> Iterator[Finding]:
    """Classes with fewer rows than folds."""
    counts = [] if case.target is None or case.target.measured else _class_counts(case)
    rare = [(label, n) for label, n in counts if 0 < n < case.folds]
    if len(rare) > 5:
        label, n = min(rare, key=lambda c: c[1])
        yield Finding("rare-class", "warning", case.target.name if case.target else "",
                      f"{len(rare)} of {len(counts)} classes have fewer rows than {case.folds} folds, such as {label} "
                      f"with {n}; what is said about them rests on little.")  # fmt: skip
    else:
        for label, n in rare:
            yield Finding("rare-class", "warning", case.target.name if case.target else "",
                          f"class {label} has {n} row{'' if n == 1 else 's'}, fewer than {case.folds} folds; what is "
                          "said about it rests on little.")  # fmt: skip


def imbalance(case: _Case) -> Iterator[Finding]:
    """One class so frequent that answering it always looks good."""
    counts = _class_counts(case)
    total = sum(n for _, n in counts)
    if len(counts) < 2:
        return
    label, most = max(counts, key=lambda c: c[1])
    if most > 0.8 * total or (len(counts) > 2 and most > 10 * min(n for _, n in counts)):
        rarest, least = min(counts, key=lambda c: c[1])
        yield Finding("imbalance", "note", case.target.name if case.target else "",
                      f"classes are uneven: {label} has {most / total:.1%} of the rows, {rarest} {least / total:.1%}. "
                      "Look at the balanced error or the cost, not at the error alone.")  # fmt: skip


def target_in_disguise(case: _Case) -> Iterator[Finding]:
    """A column that tells the classes apart alone, in rows it has not seen."""
    if case.target is None or len(case.target.labels) < 2:
        return
    rows = np.flatnonzero(case.target.labelled)
    if len(rows) < 20 or len(case.target.labels) > len(rows) / 3:
        return
    if len(rows) > SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(rows, SAMPLE, replace=False))
    y = case.target.codes[rows]
    blind = 1 - np.bincount(y).max() / len(y)
    for j, name, known in case.columns():
        if j in case.identifiers or blind < 0.02 or not len(known):
            continue
        if not case.table.schema[j].coded and _wrong_in_bins(case.values[rows, j], y) > 0.08:
            continue  # the quick look already says no
        wrong = _wrong_alone(case.values[rows, j], y, case.table.schema[j].coded)
        if wrong <= min(0.01, blind / 10):
            yield Finding("target-in-disguise", "warning", name,
                          f"column {name} alone tells the classes apart in {1 - wrong:.1%} of the rows. Is it known "
                          "before the class is? If not, drop it.")  # fmt: skip


def _wrong_in_bins(x: np.ndarray, y: np.ndarray) -> float:
    """Error of the majorities of equally filled bins, on the same rows.

    Where classes meet, half a bin is wrong at most: with eight bins a class, a perfect column has 1/16 at most.
    """
    bins = max(32, 8 * (int(y.max()) + 1))
    there = ~np.isnan(x)
    edges = (
        np.unique(np.quantile(x[there], np.linspace(0, 1, bins + 1)[1:-1])) if there.any() else np.empty(0)
    )
    bin_of = np.where(there, np.searchsorted(edges, x), len(edges) + 1)
    counts = np.bincount(bin_of * (y.max() + 1) + y, minlength=(len(edges) + 2) * (y.max() + 1))
    return 1 - counts.reshape(-1, y.max() + 1).max(axis=1).sum() / len(y)


def _wrong_alone(x: np.ndarray, y: np.ndarray, coded: bool) -> float:
    """Error of a small one-column tree (of the categories' majorities) on rows held out, five-fold."""
    from sklearn.tree import DecisionTreeClassifier

    K, wrong = int(y.max()) + 1, 0
    x = np.where(np.isnan(x), -1.0 if coded else np.nan, x)
    for split in Resampling(folds=5).splits(y):
        if coded:
            counts = np.zeros((int(x.max()) + 2, K))
            np.add.at(counts, (x[split.train].astype(np.intp) + 1, y[split.train]), 1)
            said = counts.argmax(axis=1)[x[split.test].astype(np.intp) + 1]
        else:
            tree = DecisionTreeClassifier(max_leaf_nodes=2 * K, random_state=0)
            said = tree.fit(x[split.train, None], y[split.train]).predict(x[split.test, None])
        wrong += int((said != y[split.test]).sum())
    return wrong / len(y)


def _class_counts(case: _Case) -> list[tuple[Any, int]]:
    if case.target is None:
        return []
    counts = np.bincount(case.target.codes[case.target.labelled], minlength=len(case.target.labels))
    return [(label, int(n)) for label, n in zip(case.target.labels, counts)]


def _is_identifier(table: Table, j: int) -> bool:
    """All distinct and a category, or whole numbers that run up by one."""
    column, values = table.schema[j], table.values[:, j]
    if column.date or len(values) < 10 or np.isnan(values).any():
        return False
    if column.kind == "nominal":
        return len(np.unique(values)) == len(values)
    if column.kind != "numeric" or values.max() - values.min() != len(values) - 1:
        return False
    return bool((np.diff(np.sort(values)) == 1).all())


CHECKS: list[Callable[[_Case], Iterator[Finding]]] = [
    one_class,
    measured,
    unlabelled,
    target_in_disguise,
    identifier,
    rounded_numbers,
    constant_column,
    missing_values,
    rare_class,
    imbalance,
    many_categories,
    date_column,
    duplicate_rows,
]
