"""Two tables of the same columns, one below the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import SchemaError
from assay.tables import Schema, Table

__all__ = ["stacked"]


def stacked(X: Any, more: Any) -> Any:
    """The rows of X and, below them, more rows of the same columns; whatever kind of table both are.

    >>> from assay.evaluate.stacking import stacked
    >>> stacked({"a": [1, 2]}, {"a": [3]})
    {'a': [1, 2, 3]}
    """
    if isinstance(X, Table) or isinstance(more, Table) or _kind(X) != _kind(more):
        X, more = (t if isinstance(t, Table) else Table.of(t, who="compare") for t in (X, more))
        return _stacked_tables(X, more)
    if hasattr(X, "tocsr"):
        from scipy.sparse import vstack

        _same_width(X, more)
        return vstack([X, more]).tocsr()
    if hasattr(X, "iloc"):
        import pandas as pd

        _same_columns(list(X.columns), list(more.columns))
        return pd.concat([X, more[list(X.columns)]], ignore_index=True)
    if isinstance(X, dict):
        _same_columns(list(X), list(more))
        return {k: [*X[k], *more[k]] for k in X}
    if isinstance(X, (np.ndarray, list, tuple)):
        above, below = np.asarray(X), np.asarray(more)
        _same_width(above, below)
        return np.concatenate([above, below])
    import narwhals.stable.v2 as nw

    above, below = (nw.from_native(t, eager_only=True) for t in (X, more))
    _same_columns(above.columns, below.columns)
    return nw.concat([above, below.select(above.columns)]).to_native()


def _kind(X: Any) -> str:
    return "array" if isinstance(X, (np.ndarray, list, tuple)) else type(X).__module__.split(".")[0]


def _stacked_tables(X: Table, more: Table) -> Table:
    """Categories that only the second table has come after those of the first."""
    _same_columns(X.schema.names, more.schema.names)
    if hasattr(X.values, "tocsr") or hasattr(more.values, "tocsr"):
        return Table.of(stacked(X.values, more.values), who="compare")
    columns, below = [], np.empty(more.shape)
    for j, column in enumerate(X.schema):
        other, values = more.schema[column.name], more.values[:, more.schema.index(column.name)].copy()
        if other.coded != column.coded:
            raise SchemaError(
                f"column {column.name!r} is {column.kind} in X and {other.kind} in the test table.",
                who="compare",
            )
        if column.coded:
            known = {v: c for c, v in enumerate(column.categories)}
            merged = {
                **known,
                **{v: len(known) + i for i, v in enumerate(v for v in other.categories if v not in known)},
            }
            code = np.array([merged[v] for v in other.categories] or [0], dtype=np.float64)
            present = ~np.isnan(values) & (values >= 0)
            values[present] = code[values[present].astype(np.intp)]
            column = replace(column, categories=tuple(merged))
        columns.append(column)
        below[:, j] = values
    values = np.concatenate([X.values, below])
    return Table(values, Schema(columns, X.schema.named), X.complete and more.complete)


def _same_width(above: Any, below: Any) -> None:
    if above.shape[1:] != below.shape[1:]:
        raise SchemaError(
            f"the test table must have the columns of X; its rows have shape {below.shape[1:]}, those of X "
            f"{above.shape[1:]}.",
            who="compare",
        )


def _same_columns(above: list[Any], below: list[Any]) -> None:
    if set(above) != set(below):
        odd = sorted(map(str, set(above) ^ set(below)))
        raise SchemaError(
            f"the test table must have the columns of X; {', '.join(odd[:5])} "
            f"{'is' if len(odd) == 1 else 'are'} in one of them alone.",
            who="compare",
        )
