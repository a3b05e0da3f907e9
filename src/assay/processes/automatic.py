"""A kernel for a table of which nothing is known: one length scale for each column, and noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels import ConstantKernel, Kernel, Matern, MixedKernel, WhiteKernel
from assay.tables import Schema

__all__ = ["MIXED", "automatic_kernel", "filled_in"]

MIXED = ConstantKernel() * MixedKernel() + WhiteKernel(0.1)  # takes categories and missing values as they are
MOST_LENGTH_SCALES = 50  # columns up to which each has its own


def automatic_kernel(schema: Schema, X: np.ndarray) -> Kernel:
    r"""A variance times a Matern kernel of the numbers, times one of the other columns, plus noise.

    .. math:: K = c\; k_{5/2}(\text{numbers})\; k_{\text{mixed}}(\text{categories, columns with gaps}) +
              \sigma^2 [i = j] \quad (1)

    The numbers have one length scale for each column, at first its standard deviation times the root of the number of
    columns.

    Parameters
    ----------
    schema : Schema      X : (n, d) the training rows, categories as codes

    Examples
    --------
    >>> from assay.processes.automatic import automatic_kernel
    >>> from assay.tables import Table
    >>> table = Table.of({"age": [31.0, 45.0], "city": ["Bern", "Rome"], "size": [1.0, 3.0]})
    >>> automatic_kernel(table.schema, table.values).k1
    1**2 * Matern(length_scale=[9.9, 1.41], nu=2.5).on([0, 2]) * MixedKernel(gamma=1).on([1])
    """
    numbers = _complete_numbers(schema, X)
    others = [j for j in range(len(schema)) if j not in numbers]
    kernel: Kernel = ConstantKernel()
    if numbers:
        sd = X[:, numbers].std(axis=0)
        scales = np.where(sd > 0, sd, 1.0) * np.sqrt(len(numbers))
        if len(numbers) > MOST_LENGTH_SCALES:
            factor: Kernel = Matern(float(scales.mean()), nu=2.5)
        else:
            factor = Matern(scales, [(1e-3 * s, 1e4 * s) for s in scales], nu=2.5)
        kernel = kernel * (factor.on(numbers) if others else factor)
    if others:
        mixed = MixedKernel()
        kernel = kernel * (mixed.on(others) if numbers else mixed)
    return kernel + WhiteKernel(0.1, (1e-6, 1e2))


def filled_in(values: Any, X: np.ndarray, schema: Schema) -> Any:
    """New rows in which means of the training rows X stand for missing values that (1) has no kernel for.

    >>> import numpy as np
    >>> from assay.processes.automatic import filled_in
    >>> from assay.tables import Table
    >>> table = Table.of({"age": [31.0, 45.0], "size": [1.0, np.nan]})
    >>> filled_in(np.array([[np.nan, np.nan]]), table.values, table.schema)
    array([[38., nan]])
    """
    if not isinstance(values, np.ndarray) or not np.isnan(values).any():
        return values
    values = values.copy()
    for j in _complete_numbers(schema, X):
        values[np.isnan(values[:, j]), j] = X[:, j].mean()
    return values


def _complete_numbers(schema: Schema, X: np.ndarray) -> list[int]:
    """The columns of numbers that no training row lacks."""
    complete = ~np.isnan(X).any(axis=0)
    return [j for j, column in enumerate(schema) if column.kind == "numeric" and complete[j]]
