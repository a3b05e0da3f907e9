"""Linear scores of rows, and lengths of vectors, without overflow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["affine", "length"]

MAX_SCORE = 1e300  # scores of rows whose terms overflow are cut here


def affine(X: Any, W: Any, b: Any, refuse: Callable[[Any], Any] | None = None) -> np.ndarray:
    """(n, k) X Wᵀ + b of dense or sparse X and W; never NaN, and infinite terms lose no comparison.

    A row whose terms overflow is added up once more at a smaller scale; its scores keep their order, the largest being
    cut at 1e300. Where the entries of X were not looked at before, ``refuse(X)`` is called if some are no numbers.

    >>> import numpy as np
    >>> from assay.linear.affine import affine
    >>> affine(np.array([[1.0, 2.0], [1e308, 1e308]]), np.array([[3.0, -2.0], [5.0, 1.0]]), np.zeros(2)).round(3)
    array([[-1.00000000e+000,  7.00000000e+000],
           [ 1.66666667e+299,  1.00000000e+300]])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        product = X @ W.T
        table = product.toarray() if hasattr(product, "toarray") else np.asarray(product)
        table += b
        if np.isfinite(np.add.reduce(table, axis=None)):
            return table
        bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if not len(bad):
        return table
    rows = X[bad] if isinstance(X, np.ndarray) else X.tocsr()[bad].toarray()
    rows, table = rows.astype(np.float64), table.astype(np.float64)
    if refuse is not None and not np.isfinite(rows).all():
        refuse(X)
    W = W if isinstance(W, np.ndarray) else W.toarray()
    size = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1.0)
    weight = max(float(np.abs(W).max()), 1.0)
    with np.errstate(over="ignore", under="ignore"):
        small = (rows / size) @ (W / weight).T + b / weight / size
        top = np.abs(small).max(axis=1, keepdims=True)
        room = MAX_SCORE / np.where(top > 0, top, 1.0)
        table[bad] = small * np.minimum(np.minimum(size, room) * weight, room)
    return table


def length(W: np.ndarray) -> np.ndarray:
    """The Euclidean length along the last axis, also of very large and very small vectors.

    >>> import numpy as np
    >>> from assay.linear.affine import length
    >>> length(np.array([[3e200, 4e200], [3e-200, 4e-200]]))
    array([5.e+200, 5.e-200])
    """
    top = np.abs(W).max(axis=-1, initial=0.0)
    safe = np.where(top > 0, top, 1.0)
    return safe * np.linalg.norm(W / np.expand_dims(safe, -1), axis=-1)
