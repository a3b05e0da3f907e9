"""Any table as a numeric design matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.complaints import missing_message
from assay.core.csr import csr_arrays
from assay.errors import DataError
from assay.tables import Design, Table

__all__ = ["number_columns"]


def number_columns(X: Any, who: str, drop_first: bool = False) -> tuple[Any, list[str]]:
    """(n, D) float64, dense or CSR, without missing values, and its D names; nominal columns become indicators.

    ``drop_first`` leaves out each one's first category.

    >>> from assay.linear.number_columns import number_columns
    >>> number_columns({"age": [30, 40], "job": ["cook", "nurse"]}, "somebody", drop_first=True)
    (array([[30.,  0.],
           [40.,  1.]]), ['age', 'job=nurse'])
    """
    if getattr(X, "shape", (1, 1))[1:] == (0,) and X.shape[0]:  # rows without columns are rows all the same
        return np.empty(X.shape), []
    table = Table.of(X, who=who)
    if not table.complete:
        raise DataError(
            missing_message(who, table, "Fill them in first (assay.prepare.SimpleImputer), or drop the rows.")
        )
    if not isinstance(table.values, np.ndarray):
        from scipy.sparse import csr_array

        csr_arrays(table.values)  # a damaged matrix is refused
        sparse = csr_array(table.values, dtype=np.float64)
        if not sparse.has_canonical_format:
            sparse = sparse.copy()
            sparse.sum_duplicates()
        return sparse, list(table.schema.names)
    design = Design(table.schema, drop_first)
    return np.asarray(design.expand(table.values), dtype=np.float64), design.names
