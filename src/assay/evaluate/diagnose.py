"""What a careful colleague would point at before anything is learned from a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from assay.core.targets import plain_values
from assay.errors import DataError, ParameterError
from assay.evaluate.beforehand import BEFOREHAND_CHECKS
from assay.evaluate.design import Resampling
from assay.evaluate.finding import SEVERITIES, Case, Finding
from assay.evaluate.leakage import LEAKAGE_CHECKS
from assay.evaluate.near_copies import NEAR_COPY_CHECKS
from assay.evaluate.number_checks import NUMBER_CHECKS
from assay.evaluate.oddities import COLUMN_CHECKS, TARGET_CHECKS, imbalance, is_identifier, rare_class
from assay.evaluate.straddling import STRADDLING_CHECKS
from assay.evaluate.target import Target, as_target
from assay.tables import Table
from assay.types import RowLabels, TableLike

__all__ = ["CHECKS", "Finding", "diagnose"]

CHECKS: list[Callable[[Case], Iterator[Finding]]] = [
    *TARGET_CHECKS,
    *NUMBER_CHECKS,
    *LEAKAGE_CHECKS,
    *COLUMN_CHECKS,
    *STRADDLING_CHECKS,
    *NEAR_COPY_CHECKS,
    *BEFOREHAND_CHECKS,
]


def diagnose(
    X: TableLike,
    y: Target | None = None,
    folds: int = 10,
    *,
    groups: RowLabels | None = None,
    times: RowLabels | None = None,
    design: Any = None,
) -> list[Finding]:
    """All findings about a table and its classes, most severe first.

    Columns: constant, empty, with missing values, that name the rows, with rounded numbers or too many categories.
    Classes: one alone, rare, uneven. Leakage: columns that are the class in disguise or averages of it, missing
    values that tell the class; copies and near copies, groups and times on both sides of a split; scaling, filling,
    oversampling and selection of columns before it. Of more than 5000 rows, what a column knows of the class is
    judged by 5000 rows drawn with a fixed seed; near copies are looked for among 20,000 rows.

    Parameters
    ----------
    X : anything that ``Table.of`` takes
    y : (n,) classes, default None
    folds : int
        How many rows a class should have at least; the folds of the design if none is given.
    groups, times : (n,) what is going to be kept together or in order, default None
    design : how the rows are going to be split, as for ``compare``, default None for so many folds

    Examples
    --------
    >>> from assay.evaluate.diagnose import diagnose
    >>> for found in diagnose({"unit": ["g"] * 4, "weight": [190.5, 190.5, 260.0, 270.0]}):
    ...     print(found.code, "|", found.sentence)
    constant-column | column unit has one value only (g): it tells nothing apart. Drop it.
    duplicate-rows | 1 row repeats another one in every column; among so few distinct values that may be chance,
        but copies flatter learners that remember rows.
    """
    table = Table.of(X, who="diagnose")
    n = table.shape[0]
    target = None if y is None else as_target(y, n, "diagnose", lenient=True)
    group, time = _per_row(groups, n, "groups"), _per_row(times, n, "times")
    if design is None and times is not None:
        design = "5-time"  # as compare does
    plan = None if design is None else _plan(Resampling.of(design), target, n, group)
    return diagnose_table(table, target, folds, plan, group, time)


def diagnose_table(
    table: Table,
    target: Target | None,
    folds: int,
    design: Resampling | None = None,
    groups: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> list[Finding]:
    """The same for a table that is encoded already."""
    if not isinstance(table.values, np.ndarray):  # sparse: only what concerns the classes
        empty = Table(np.empty((table.shape[0], 0)), type(table.schema)([], table.schema.named))
        case = Case(empty.values, empty, target, folds, frozenset(), design, groups, times)
        findings = [f for check in (*TARGET_CHECKS, rare_class, imbalance) for f in check(case)]
    else:
        ids = frozenset(j for j in range(table.shape[1]) if is_identifier(table, j))
        case = Case(table.values, table, target, folds, ids, design, groups, times)
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # of numbers near the largest double nothing is said
            findings = [f for check in CHECKS for f in check(case)]
    return sorted(findings, key=lambda f: SEVERITIES.index(f.severity))


def _plan(plan: Resampling, target: Target | None, n: int, groups: np.ndarray | None) -> Resampling:
    """The design; splits that were given are written down, as numbers of the rows with a class."""
    if plan.kind == "leave-one-group-out" and groups is None:
        raise ParameterError("leave-one-group-out needs groups=, the group of each row.", who="diagnose")
    if plan.given_splits is None or target is None:
        return plan
    kept = target.labelled
    y = target.codes[kept]
    splits = plan.given_splits.dealt(y, y, None if groups is None else groups[kept], n, kept, whole=False)
    return Resampling(kind="given", folds=0, given_splits=splits)


def _per_row(values: Any, n: int, name: str) -> np.ndarray | None:
    """(n,) one entry per row, or None."""
    if values is None:
        return None
    column = np.asarray(plain_values(values))
    if column.shape != (n,):
        raise DataError(
            f"X has {n} rows, so {name} must have {n} entries; its shape is {column.shape}.", who="diagnose"
        )
    return column.astype(str) if column.dtype == object else column
