"""The rows of a comparison: those with a target, and what belongs to each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.targets import check_weights, plain_values
from assay.core.times import as_moments
from assay.decide import LossMatrix
from assay.errors import DataError, ParameterError
from assay.evaluate.design import Resampling
from assay.evaluate.fold import Data
from assay.evaluate.given_splits import GivenSplits, as_rows
from assay.evaluate.stacking import stacked
from assay.evaluate.target import as_target, check_task, missing
from assay.tables import RowNames, Table, row_name
from assay.tables.rows import take_rows

__all__ = ["Rows", "as_column", "as_moments", "gather"]


@dataclass
class Rows:
    """What a comparison runs on.

    Attributes
    ----------
    data : Data
    design : the design, with given splits written down
    loss : costs of the rows that take part
    notes : what was left out
    """

    data: Data
    design: Resampling
    loss: Any
    notes: list[str] = field(default_factory=list)


def gather(
    X: Any,
    y: Any,
    design: Any,
    *,
    groups: Any = None,
    times: Any = None,
    weights: Any = None,
    test: Any = None,
    loss: Any = None,
    target: str | None = None,
    task: str | None = None,
    of_learners: str | None = None,
    who: str = "compare",
) -> Rows:
    """Check the rows and everything that has one entry per row; leave out rows without a class or a number.

    >>> from assay.evaluate.rows import gather
    >>> rows = gather([[1.0], [2.0], [3.0], [4.0], [5.0]], ["a", "b", None, "a", "b"], "2-fold")
    >>> rows.data.codes, rows.notes
    (array([0, 1, 0, 1]), ['1 of 5 rows has no class and was left out.'])
    """
    if y is None:
        raise ParameterError("y is missing; give the class or the number of each row.", who=who)
    names = None
    if test is not None:
        names = _names_with_test(X, test)
        X, y, design, groups, times, weights = _with_test(X, y, design, groups, times, weights, test)
    plan = Resampling.of(_default(times) if design is None else design)
    table = Table.of(X, who=who)
    table = table if names is None else table.replaced(row_names=names)
    n = table.shape[0]
    aim = as_target(y, n, who, name=target, task=check_task(task, who), of_learners=of_learners)
    groups, times = as_column(groups, n, "groups", who), as_moments(as_column(times, n, "times", who), who)
    weight = check_weights(weights, n, who, squared=True)
    kept, notes = aim.labelled, []
    if not kept.all():
        notes.append(_left_out(int((~kept).sum()), n, aim.name))
        rows = np.flatnonzero(kept)
        X, table, aim = take_rows(X, rows), take_rows(table, rows), aim.take(rows)
        groups, times, weight = (None if v is None else v[rows] for v in (groups, times, weight))
        if loss is not None and not isinstance(loss, (Mapping, LossMatrix)) and np.ndim(loss) == 3:
            loss = np.asarray(loss)[rows]
        if weight is not None and not weight.any():
            raise DataError(f"every row with a {aim.name} has the weight 0, so none counts.", who=who)
    data = Data(X, table, aim, groups, times, weight)
    if plan.given_splits is not None:
        splits = plan.given_splits.dealt(X, data.values_of_target, groups, n, kept)
        plan = Resampling(kind="given", folds=0, given_splits=splits)
    return Rows(data, plan, loss, notes)


def _default(times: Any) -> str:
    return "3x10" if times is None else "5-time"


def _left_out(lost: int, n: int, target: str) -> str:
    has, was = ("has", "was") if lost == 1 else ("have", "were")
    return f"{lost} of {n} rows {has} no {target} and {was} left out."


def as_column(values: Any, n: int, name: str, who: str) -> np.ndarray | None:
    """(n,) one entry per row, none of them missing; None for None.

    >>> from assay.evaluate.rows import as_column
    >>> as_column(["a", "b"], 2, "groups", "compare").tolist()
    ['a', 'b']
    """
    if values is None:
        return None
    column = np.asarray(plain_values(values))
    if column.shape != (n,):
        raise DataError(
            f"X has {n} rows, so {name} must have {n} entries; its shape is {column.shape}.", who=who
        )
    lost = missing(column)
    if lost.any():
        first = row_name(int(np.argmax(lost)), values)
        raise DataError(
            f"{name} is missing in {int(lost.sum())} of {n} rows, the first is {first}. "
            "Fill it or leave these rows out.",
            who=who,
        )
    if column.dtype == object and len({type(v) for v in column}) > 1:
        column = column.astype(str)
    return column


def _with_test(
    X: Any, y: Any, design: Any, groups: Any, times: Any, weights: Any, test: Any
) -> tuple[Any, ...]:
    """The design that trains on the other rows and tests once on the given ones; a second table is put below."""
    if design is not None and str(design).strip().lower() != "holdout":
        raise ParameterError(
            f'test= gives the test rows, so the design is "holdout"; got {design!r}. Leave one of them out.',
            who="compare",
        )
    if isinstance(test, tuple) and len(test) == 2 and not np.isscalar(test[0]):
        if any(v is not None for v in (groups, times, weights)):
            raise ParameterError(
                "with a second table as test=, groups, times and sample_weight have no entries for its rows. "
                "Put the tables together and give test= as a mask of rows.",
                who="compare",
            )
        more, labels = test
        train_target, test_target = _listed(y), _listed(labels)
        m = Table.of(more, who="compare").shape[0]
        if len(test_target) != m:
            raise DataError(
                f"the test table has {m} rows and {len(test_target)} labels; each row needs one.",
                who="compare",
            )
        X, y, n = stacked(X, more), [*train_target, *test_target], len(train_target) + len(test_target)
        rows = np.arange(len(train_target), n)
    else:
        n = len(y)
        rows = as_rows(test, n, "test=")
    pair = (np.setdiff1d(np.arange(n), rows), rows)
    plan = Resampling(
        kind="given", folds=0, given_splits=GivenSplits([pair], f"holdout with {len(rows)} given test rows")
    )
    return X, y, plan, groups, times, weights


def _names_with_test(X: Any, test: Any) -> RowNames | None:
    """What rows are called where a second table is tested: its own labels or numbers, and that they are of it."""
    if not (isinstance(test, tuple) and len(test) == 2 and not np.isscalar(test[0])):
        return None
    above, below = RowNames.of(X), RowNames.of(test[0])
    n, m = (Table.of(t, who="compare").shape[0] for t in (X, test[0]))
    labels = [str(above.label(i)) for i in range(n)] + [
        f"{below.label(i)} of the test table" for i in range(m)
    ]
    return RowNames(np.array(labels), above.indexed)


def _listed(y: Any) -> list[Any]:
    return list(y.tolist() if hasattr(y, "tolist") else y.to_list() if hasattr(y, "to_list") else y)
