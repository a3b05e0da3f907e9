"""What is odd about the columns and the classes of a table, whatever will be done with it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.evaluate.copies import rounded
from assay.evaluate.finding import Case, Finding, cleaned, dropped
from assay.evaluate.target import Target, are_whole, is_number
from assay.tables import Table
from assay.tables.remedies import recognise

__all__ = ["COLUMN_CHECKS", "TARGET_CHECKS", "is_identifier", "task_taken"]

NAMES_ROWS = (
    0.7  # a column with so many different values a row, or more, names rows rather than describing them
)
_ID = re.compile(r"(^|[^a-z])(id|ids|uuid|guid|key|nr|no)$|[a-z](Id|ID)$")


def constant_column(case: Case) -> Iterator[Finding]:
    """One value throughout, missing values aside."""
    for j, name, known in case.columns():
        if len(known) and (known == known[0]).all() and len(case.values) > 1:
            value = case.table.schema.label(j, known[0])
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            yield Finding(
                "constant-column",
                "warning",
                name,
                f"column {name} has one value only ({shown}): it tells nothing apart.",
                "Drop it.",
                f"Leave it out with {dropped(name)}.",
            )


def missing_values(case: Case) -> Iterator[Finding]:
    """Missing values: how many, and whether most or all of a column."""
    n = len(case.values)
    for _, name, known in case.columns():
        n_missing = n - len(known)
        if n_missing == n:
            yield Finding(
                "empty-column",
                "warning",
                name,
                f"column {name} is empty: every value is missing.",
                "Drop it.",
                f"Leave it out with {dropped(name)}.",
            )
        elif n_missing:
            much = n_missing > n / 2
            yield Finding(
                "missing-values",
                "warning" if much else "note",
                name,
                f"column {name} has {n_missing} missing value{'' if n_missing == 1 else 's'} of {n} "
                f"({n_missing / n:.1%})" + ("; what is filled in would be mostly made up." if much else "."),
            )


def identifier(case: Case) -> Iterator[Finding]:
    """A category of its own for every row, or running numbers."""
    for j in sorted(case.identifiers):
        column = case.table.schema[j]
        kind = "a different value in every row" if column.coded else "running whole numbers"
        yield Finding(
            "identifier",
            "warning",
            column.name,
            f"column {column.name} has {kind}: it names the rows and cannot help with new ones.",
            "Drop it.",
            f"Leave it out with {dropped(column.name)}.",
        )


def rounded_numbers(case: Case) -> Iterator[Finding]:
    """Whole numbers that floats cannot tell apart: identifiers of 16 digits and more."""
    for _, name, known in case.columns():
        if rounded(known):
            yield Finding(
                "rounded-numbers",
                "warning",
                name,
                f"column {name} holds whole numbers beyond 2^53, which are rounded, so that different ones "
                "may fall together.",
                "Drop it if it names the rows, or make it text.",
                f"If it names the rows, leave it out with {dropped(name)}.",
            )


def nearly_identifier(case: Case) -> Iterator[Finding]:
    """Different values in most rows, though a few repeat: customers, tickets, free text."""
    for j, name, known in case.columns():
        if j in case.identifiers or j in case.remedies or not _names_things(case, j, known):
            continue
        levels = len(np.unique(known))
        yield Finding(
            "identifier",
            "warning",
            name,
            f"column {name} has {levels} different values in {len(known)} rows: it names things rather than "
            "describing them, and cannot help with new ones.",
            "Drop it; if rows of one value belong together, keep them in one fold with groups=.",
            f"Leave it out with {dropped(name)}, or keep rows of one value in one fold with --group "
            f"{shlex.quote(name)}.",
        )


def _names_things(case: Case, j: int, known: np.ndarray) -> bool:
    """Whether most rows have a value of their own: a category, or a whole number that is called an id."""
    column, n = case.table.schema[j], len(known)
    if n < 20 or column.date or column.kind == "ordinal":
        return False
    levels = len(np.unique(known))
    if column.coded:
        return levels >= NAMES_ROWS * n
    named = bool(_ID.search(column.name))
    return named and levels >= NAMES_ROWS * n and bool((known == np.floor(known)).all())


def many_categories(case: Case) -> Iterator[Finding]:
    """Categories so many that most are rare."""
    for j, name, known in case.columns():
        if not case.table.schema[j].coded or j in case.identifiers or _names_things(case, j, known):
            continue
        if j in case.remedies and case.remedies[j].kind != "spelling":
            continue
        levels = int(np.count_nonzero(np.bincount(case.codes(j))))
        if levels > 50 or (levels > 10 and levels > len(known) / 5):
            yield Finding(
                "many-categories",
                "note",
                name,
                f"column {name} has {levels} categories in {len(known)} rows, "
                f"{len(known) / levels:.1f} rows each.",
                "Join the rare ones.",
                f"If it names the rows, leave it out with {dropped(name)}.",
            )


def text_in_disguise(case: Case) -> Iterator[Finding]:
    """Numbers and dates that are text, and categories in several spellings."""
    codes = {"numbers": "number-as-text", "dates": "date-as-text", "spelling": "spelling-variants"}
    why = {
        "numbers": "; each number counts as a category of its own",
        "dates": "; each date counts as a category of its own",
        "spelling": "",
    }
    for j, remedy in case.remedies.items():
        name = case.table.schema[j].name
        if remedy.kind == "numbers" and not remedy.exceptions and len(case.table.schema[j].categories) <= 2:
            continue  # "1" and "2" are codes, and a number with two values is a category just as well
        yield Finding(
            codes[remedy.kind],
            "warning",
            name,
            f"column {name} {remedy.fact}{why[remedy.kind]}.",
            *cleaned(name),
        )
    for j, column in enumerate(case.table.schema):
        if column.kind == "nominal" and j not in case.remedies and _ambiguous_dates(column.categories):
            example = column.categories[0]
            yield Finding(
                "date-as-text",
                "warning",
                column.name,
                f"column {column.name} holds dates as text ({example}), and whether the day or the month comes first "
                "cannot be known.",
                f"Say it: assay.tables.clean(frame, [{column.name!r}], day_first=True).",
                f"Write dates as 2024-05-31, or leave the column out with {dropped(column.name)}.",
            )


def mark_of_missing_values(case: Case) -> Iterator[Finding]:
    """A category of punctuation alone among words: most likely nothing was known there."""
    for j, column in enumerate(case.table.schema):
        if column.kind != "nominal" or j in case.identifiers:
            continue
        bare = [c for c in column.categories if isinstance(c, str) and c and not any(map(str.isalnum, c))]
        if len(bare) != 1 or len(column.categories) < 3:  # + and - are answers
            continue
        n = int(np.sum(case.codes(j) == column.categories.index(bare[0])))
        if n:
            yield Finding(
                "missing-mark",
                "note",
                column.name,
                f"column {column.name} is {bare[0]!r} in {n} row{'' if n == 1 else 's'}, which counts as a category of "
                "its own.",
                f"If it stands for missing values: read_table(..., na={bare[0]!r}).",
                f"If it stands for missing values, add --na={shlex.quote(bare[0])}.",
            )


def _ambiguous_dates(categories: tuple[Any, ...]) -> bool:
    some = [v for v in categories[:200] if isinstance(v, str)]
    if not some or recognise(some, [1] * len(some), "dates") is not None:
        return False
    return recognise(some, [1] * len(some), "dates", day_first=True) is not None


def classes_in_disguise(case: Case) -> Iterator[Finding]:
    """Classes that differ in capitals or spaces only, or that are numbers with signs and units."""
    if case.target is None:
        return
    counts = [(label, n) for label, n in _class_counts(case) if isinstance(label, str)]
    labels, rows = [label for label, _ in counts], [n for _, n in counts]
    name, plain = case.target.name, all(is_number(label) for label in labels)
    if not plain and (remedy := recognise(labels, rows, "numbers")) is not None:
        yield Finding(
            "number-as-text",
            "warning",
            name,
            f"{name} {remedy.fact}; each number counts as a class of its own.",
            *cleaned(name),
        )
    elif (remedy := recognise(labels, rows, "spelling")) is not None:
        yield Finding(
            "spelling-variants",
            "warning",
            name,
            f"{name} has classes that differ in {remedy.words} only ({remedy.example}); each counts as a "
            "class of its own.",
            *cleaned(name),
        )


def one_class(case: Case) -> Iterator[Finding]:
    """Nothing to tell apart."""
    if case.target is not None and case.target.task == "classification" and len(case.target.labels) < 2:
        label = case.target.labels[0]
        yield Finding(
            "one-class",
            "error",
            case.target.name,
            f"every row of {case.target.name} has the class {label}; there is nothing to learn.",
        )


def which_task(case: Case) -> Iterator[Finding]:
    """Numbers that could be classes or numbers to predict: which of them was taken, and why."""
    if case.target is not None and case.target.why:
        yield task_taken(case.target)


def task_taken(target: Target) -> Finding:
    """What a target was taken for, why, and how to have it otherwise.

    >>> from assay.evaluate.oddities import task_taken
    >>> from assay.evaluate.target import as_target
    >>> print(task_taken(as_target([0.5, 1.5, 2.5], 3, "fit", name="price")).sentence)
    price holds 3 distinct numbers with fractions, so it is predicted as a number (regression).
    """
    regression = target.task == "regression"
    other = "classification" if regression else "regression"
    taken = "predicted as a number (regression)" if regression else "predicted as a class (classification)"
    advice = "If the numbers name classes" if regression else "To predict the number itself"
    possible = target.numbers is None or are_whole(target.numbers[target.labelled])
    return Finding(
        "task",
        "note",
        target.name,
        f"{target.why}, so it is {taken}.",
        f'{advice}: task="{other}".' if possible else "",
        f"{advice}: --task {other}." if possible else "",
    )


def unlabelled(case: Case) -> Iterator[Finding]:
    """Rows without a class."""
    if case.target is not None and not case.target.labelled.all():
        n = int((~case.target.labelled).sum())
        yield Finding(
            "unlabelled-rows",
            "warning",
            case.target.name,
            f"{n} row{' has' if n == 1 else 's have'} no {case.target.name}; nothing can be learned from or "
            "tested on them.",
        )


def rare_class(case: Case) -> Iterator[Finding]:
    """Classes with fewer rows than folds."""
    counts = _class_counts(case)
    rare = [(label, n) for label, n in counts if 0 < n < case.folds]
    if len(rare) > 5:
        label, n = min(rare, key=lambda c: c[1])
        yield Finding(
            "rare-class",
            "warning",
            case.target.name if case.target else "",
            f"{len(rare)} of {len(counts)} classes have fewer rows than {case.folds} folds, such as {label} "
            f"with {n}; what is said about them rests on little.",
        )
    else:
        for label, n in rare:
            yield Finding(
                "rare-class",
                "warning",
                case.target.name if case.target else "",
                f"class {label} has {n} row{'' if n == 1 else 's'}, fewer than {case.folds} folds; what is "
                "said about it rests on little.",
            )


def imbalance(case: Case) -> Iterator[Finding]:
    """One class so frequent that answering it always looks good."""
    counts = _class_counts(case)
    total = sum(n for _, n in counts)
    if len(counts) < 2:
        return
    label, most = max(counts, key=lambda c: c[1])
    if most > 0.8 * total or (len(counts) > 2 and most > 10 * min(n for _, n in counts)):
        rarest, least = min(counts, key=lambda c: c[1])
        yield Finding(
            "imbalance",
            "note",
            case.target.name if case.target else "",
            f"classes are uneven: {label} has {most / total:.1%} of the rows, {rarest} {least / total:.1%}. "
            f"Answering {label} always is right as often and finds no {rarest}.",
            "Look at the balanced error, auc or the cost, not at the error alone.",
            "Look at more than the error: --metric 'balanced error', --metric auc, or --cost.",
        )


def _class_counts(case: Case) -> list[tuple[Any, int]]:
    if case.target is None or case.target.task == "regression":
        return []
    counts = np.bincount(case.target.codes[case.target.labelled], minlength=len(case.target.labels))
    return [(label, int(n)) for label, n in zip(case.target.labels, counts)]


def is_identifier(table: Table, j: int) -> bool:
    """All distinct and a category, or whole numbers that run up by one."""
    column, values = table.schema[j], table.values[:, j]
    if column.date or len(values) < 10 or np.isnan(values).any():
        return False
    if column.kind == "nominal":
        if len(column.categories) < len(values) or len(np.unique(values)) != len(values):
            return False
        once = [1] * len(column.categories)
        return not any(recognise(column.categories, once, kind) for kind in ("numbers", "dates"))
    if column.kind != "numeric" or values.max() != values.min() + (len(values) - 1):
        return False
    return bool((np.diff(np.sort(values)) == 1).all())


TARGET_CHECKS = [one_class, which_task, unlabelled, classes_in_disguise]
COLUMN_CHECKS = [
    identifier,
    nearly_identifier,
    rounded_numbers,
    constant_column,
    missing_values,
    rare_class,
    imbalance,
    many_categories,
    text_in_disguise,
    mark_of_missing_values,
]
