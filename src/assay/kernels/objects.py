"""Rows that never become a table: strings, graphs, whatever a kernel compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.tables import Table

__all__ = ["is_column_of_objects", "objects_of"]


def objects_of(X: Any, who: str) -> np.ndarray:
    """(n,) objects of a sequence or of a column; of several columns or views, one dict for each row.

    Parameters
    ----------
    X : sequence; Series or frame of one column; frame of several columns; mapping of views, ``{"text": [...], "sizes":
        array}``, where a view may be an array with several columns
    who : who asks, for messages

    >>> from assay.kernels.objects import objects_of
    >>> objects_of(["statistics", "computation"], "SVC")
    array(['statistics', 'computation'], dtype=object)
    >>> objects_of({"text": ["ab", "b"], "size": [2.0, 1.0]}, "SVC")
    array([{'text': 'ab', 'size': 2.0}, {'text': 'b', 'size': 1.0}],
          dtype=object)
    """
    if isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1:
        return _checked(X, who)
    if isinstance(X, (str, bytes)) or not isinstance(X, (Iterable, Table)) or not hasattr(X, "__len__"):
        raise DataError(
            f"X must be a sequence of what the kernel compares, one for each row, got {type(X).__name__}.",
            who=who,
        )
    views = _views(X, who)
    values: Any
    if views is None:
        values = X.tolist() if hasattr(X, "tolist") else list(X)  # type: ignore[arg-type]
    elif len(views) == 1 and not isinstance(X, Mapping):
        values = next(iter(views.values()))
    else:
        values = [dict(zip(views, row)) for row in zip(*views.values())]
    rows = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # not at once: a list of lists would become a table
        rows[i] = value
    return _checked(rows, who)


def _checked(rows: np.ndarray, who: str) -> np.ndarray:
    if not len(rows):
        raise DataError("X has no rows: Found array with 0 sample(s).", who=who)
    missing = [i for i, value in enumerate(rows) if value is None]
    if missing:
        raise DataError(f"row {missing[0] + 1} of X is None. Drop the row.", who=who)
    return rows


def _views(X: Any, who: str) -> dict[str, list[Any]] | None:
    """The columns or views of X by name, each as one value a row; None if X is one sequence."""
    if isinstance(X, Table):  # new texts would be missing
        raise DataError(
            "X was read as a table, in which texts are categories; a kernel of objects compares rows as they are. Give "
            "them to fit and predict, or to scikit-learn's cross_val_score.",
            who=who,
        )
    if isinstance(X, Mapping):
        views = {str(name): _values(view) for name, view in X.items()}
        if len({len(view) for view in views.values()}) > 1:
            sizes = ", ".join(f"{name} {len(view)}" for name, view in views.items())
            raise DataError(f"the views of X have different numbers of rows: {sizes}.", who=who)
        return views
    if hasattr(X, "columns") or hasattr(X, "column_names"):  # a frame
        import narwhals.stable.v2 as nw

        frame = nw.from_native(X, eager_only=True)
        return {str(name): frame[name].to_list() for name in frame.columns}
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        return {"": np.asarray(X, dtype=object)[:, 0].tolist()}
    if shape is not None and len(shape) != 1:
        raise DataError(f"X must have one object a row for this kernel, got the shape {shape}.", who=who)
    return None


def _values(view: Any) -> list[Any]:
    """One value a row: of an array with several columns, a tuple."""
    if getattr(view, "ndim", 1) == 2:
        view = view.toarray() if hasattr(view, "toarray") else np.asarray(view)
        return [tuple(row) for row in view.tolist()]
    return view.tolist() if hasattr(view, "tolist") else list(view)


def is_column_of_objects(X: Any) -> bool:
    """Whether X is a sequence of single things that are no numbers, such as texts, rather than a table.

    >>> from assay.kernels.objects import is_column_of_objects
    >>> is_column_of_objects(["a", "b"]), is_column_of_objects([[1.0], [2.0]]), is_column_of_objects([1.0, 2.0])
    (True, False, False)
    """
    if hasattr(X, "shape"):
        return len(X.shape) == 1 and getattr(X, "dtype", np.dtype(float)).kind not in "biuf"
    if not isinstance(X, (list, tuple)) or not X:
        return False
    return isinstance(X[0], str) or not (hasattr(X[0], "__len__") or np.isscalar(X[0]))
