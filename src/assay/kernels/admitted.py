"""What a kernel of numbers is given by its caller: a table of finite numbers, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["alike", "finite_rows"]


def finite_rows(X: Any, who: str) -> Any:
    """X as a float64 table, or a sparse one of rows; an error that says what in it is no finite number.

    >>> from assay.kernels.admitted import finite_rows
    >>> finite_rows([[1.0, float("nan")]], "rbf")
    Traceback (most recent call last):
    ...
    assay.errors.DataError: rbf: row 1, column 2 is nan, expected finite numbers. Drop or impute it first.
    """
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        values = X.data
        if values.dtype.kind not in "biuf":
            raise DataError(f"{who}: expected numbers, got a sparse table of {values.dtype}.")
    else:
        X = values = _floats(X, who)
    if X.ndim != 2:
        raise DataError(f"{who}: rows must be a table of rows and columns, got shape {X.shape}.")
    if not np.isfinite(values).all():
        i, j = (int(k[0]) for k in (X != X if np.isnan(values).any() else abs(X) == np.inf).nonzero())
        raise DataError(
            f"{who}: row {i + 1}, column {j + 1} is {X[i, j]}, expected finite numbers. Drop or impute it first."
        )
    return X


def _floats(X: Any, who: str) -> np.ndarray:
    if type(X) is np.ndarray and X.dtype == np.float64:
        return X
    try:
        X = X if isinstance(X, np.ndarray) or hasattr(X, "columns") else np.asarray(X)
        if getattr(X, "dtype", None) is not None and X.dtype.kind in "mMc":
            raise TypeError
        return np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{who}: expected a table of numbers, got {type(X).__name__} that does not turn into floats."
        ) from None


def alike(X: Any, known: Any) -> Any:
    """Rows to answer as the known ones are: sparse or dense."""
    if hasattr(X, "tocsr") == hasattr(known, "tocsr"):
        return X
    import scipy.sparse

    return X.toarray() if hasattr(X, "tocsr") else scipy.sparse.csr_matrix(X)
