"""Rows whose distances are squared: numbers too large for that are refused by the name of their column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import DataError

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["LARGEST", "SquaredRows", "refuse_huge"]

LARGEST = 1e145  # a sum of 1e17 squares of differences is still a number


class SquaredRows(_Learner):
    """Mixin for a learner that squares distances between rows; stands before its base class.

    Rows to learn from and rows to answer alike may hold no number beyond ``LARGEST``, so that no answer is NaN.
    """

    def _numbers(self, table: Any, design: Any) -> Any:
        X = super()._numbers(table, design)
        refuse_huge(X, type(self).__name__, self._names)
        return X


def refuse_huge(X: Any, who: str, names: Sequence[str] | None = None) -> None:
    """Raise for numbers, dense or sparse, whose squares overflow; missing values are none.

    >>> import numpy as np
    >>> from assay.distances.squared_rows import refuse_huge
    >>> refuse_huge(np.array([[1.0, 1e200]]), "KMeans", ["age", "income"])
    Traceback (most recent call last):
    ...
    assay.errors.DataError: KMeans: column income has numbers too large to be squared. Scale it below 1e+145.
    """
    values = np.asarray(X.data if hasattr(X, "tocsr") else X)
    if values.dtype.kind != "f" or not values.size or float(np.finfo(values.dtype).max) <= LARGEST:
        return
    top = np.maximum(values.max(), -values.min())
    if np.isnan(top):
        top = np.maximum(np.fmax.reduce(values, axis=None), -np.fmin.reduce(values, axis=None))
    if not float(top) > LARGEST:
        return
    where = "y has"
    if names is not None:
        far = abs(X) > LARGEST
        column = int(far.nonzero()[1][0]) if hasattr(X, "tocsr") else int(np.argmax(far.any(axis=0)))
        where = f"column {names[column]} has"
    raise DataError(f"{who}: {where} numbers too large to be squared. Scale it below {LARGEST:g}.")
