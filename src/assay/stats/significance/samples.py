"""Input of tests of several learners: one sample each, or a table with a column each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, ParameterError
from assay.stats.checks import _as_floats
from assay.tables.row_names import row_name

Floats = NDArray[np.float64]


def named_samples(
    data: tuple[Any, ...], names: Sequence[str] | None, who: str
) -> tuple[tuple[str, ...], list[Floats], str]:
    """Names, finite samples of two or more learners, and a sentence about values left out."""
    column_names, columns = _columns(data, who)
    samples, lost = [], 0
    labels = checked_names(column_names if names is None else names, len(columns), who)
    for name, column in zip(labels, columns):
        values = _as_floats(column, f"{who}: {name}")
        if values.ndim != 1:
            raise DataError(f"{name} must be a list of numbers, got shape {values.shape}.", who=who)
        if np.isinf(values).any():
            raise DataError(f"{name} holds an infinite value. Leave it out or correct it first.", who=who)
        known = values[~np.isnan(values)]
        lost += len(values) - len(known)
        if not len(known):
            raise DataError(f"{name} has no values.", who=who)
        samples.append(known)
    if len(samples) < 2:
        raise DataError(f"expected two or more samples, got {len(samples)}.", who=who)
    return labels, samples, f"{lost} missing value{'s' * (lost > 1)} left out." if lost else ""


def named_table(
    data: Any, names: Sequence[str] | None, who: str, least: int = 2
) -> tuple[tuple[str, ...], Floats, NDArray[np.intp], str]:
    """Names, the complete rows of a table (N, k), which rows those are, and a sentence about the others."""
    column_names, columns = _columns((data,), who)
    if len(columns) < 2:
        raise DataError(f"expected a column for each of two or more learners, got {len(columns)}.", who=who)
    if len({np.size(c) for c in columns}) > 1:
        raise DataError(
            "the columns differ in length; each row must hold one value of every learner.", who=who
        )
    labels = checked_names(column_names if names is None else names, len(columns), who)
    table = np.column_stack([_as_floats(c, f"{who}: {name}") for name, c in zip(labels, columns)])
    if np.isinf(table).any():
        i, j = np.argwhere(np.isinf(table))[0]
        raise DataError(
            f"{row_name(i)}, column {labels[j]} is infinite. Leave it out or correct it first.", who=who
        )
    kept = np.flatnonzero(~np.isnan(table).any(axis=1))
    lost = len(table) - len(kept)
    why = f"{lost} of {len(table)} rows left out, a cell is missing there." if lost else ""
    if len(kept) < least:
        raise DataError(
            f"expected at least {least} complete rows, got {len(kept)}."
            + (f" {why} Run the missing cells, or leave out the learner they belong to." if lost else ""),
            who=who,
        )
    return labels, table[kept], kept, why


def checked_names(names: Sequence[str] | None, count: int, who: str) -> tuple[str, ...]:
    """As many different names as there are samples; without any they are numbered from 1."""
    labels = tuple(str(n) for n in names) if names is not None else tuple(str(j + 1) for j in range(count))
    if len(labels) != count:
        raise ParameterError(f"expected {count} names, got {len(labels)}.", who=who)
    if len(set(labels)) < count:
        twice = next(n for n in labels if labels.count(n) > 1)
        raise ParameterError(f"the name {twice!r} is given twice.", who=who)
    return labels


def place_of(control: Any, names: tuple[str, ...], who: str) -> int:
    """The number of the control, given by name or by number."""
    if isinstance(control, str) and control in names:
        return names.index(control)
    if isinstance(control, int | np.integer) and not isinstance(control, bool) and 0 <= control < len(names):
        return int(control)
    raise ParameterError(
        f"control must be one of {', '.join(names)} or a number from 0 to {len(names) - 1}, got {control!r}.",
        who=who,
    )


def both(*sentences: str) -> str:
    """Sentences joined, empty ones left out."""
    return " ".join(s for s in sentences if s)


def _columns(data: tuple[Any, ...], who: str) -> tuple[list[str] | None, list[Any]]:
    if len(data) != 1:
        return None, list(data)
    table = data[0]
    if isinstance(table, Mapping):
        return [str(k) for k in table], list(table.values())
    columns = getattr(table, "column_names", getattr(table, "columns", None))  # pyarrow; pandas, polars
    if columns is not None:
        return [str(c) for c in columns], [np.asarray(table[c]) for c in columns]
    try:
        values = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            f"expected a table of numbers with a column per learner, or one sample per learner as "
            f"arguments of their own, got {type(table).__name__}.",
            who=who,
        ) from None
    if values.ndim != 2:
        raise DataError(f"expected a table with a column per learner, got shape {values.shape}.", who=who)
    return None, list(values.T)
