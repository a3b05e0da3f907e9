"""A kernel for a table of which nothing is known: one length scale for each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels import ConstantKernel, Kernel, Matern, MixedKernel, WhiteKernel
from assay.kernels.kernel_learner import KernelLearner
from assay.tables import Schema

__all__ = ["AutomaticKernel", "automatic_kernel", "filled_in"]

MIXED = ConstantKernel() * MixedKernel() + WhiteKernel(0.1)  # takes categories and missing values as they are
MOST_LENGTH_SCALES = 50  # columns up to which each has its own


class AutomaticKernel(KernelLearner):
    """What learners share whose ``kernel="auto"`` is made of the training rows: :func:`automatic_kernel`."""

    noise_in_kernel = True  # of the targets; classes have none of their own

    @property
    def _automatic(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "auto"

    def _known_rows(self) -> Any:
        """The training rows."""
        raise TypeError(f"{type(self).__name__} must define _known_rows")

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        values = super()._admit(X, fitting)
        return (
            values if fitting or not self._automatic else filled_in(values, self._known_rows(), self.schema_)
        )

    def _fit_kernel(self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None) -> None:
        if not self._automatic:
            super()._fit_kernel(X, y, w)
            return
        kernel = automatic_kernel(self.schema_, X, self.noise_in_kernel)
        self.kernel_ = kernel.with_schema(self.schema_).learn(X)
        self.shape_fit_ = tuple(map(int, X.shape))


def automatic_kernel(schema: Schema, X: np.ndarray, noise: bool = True) -> Kernel:
    r"""A variance times a Matern kernel of the numbers, times one of the other columns, plus noise.

    .. math:: K = c\; k_{5/2}(\text{numbers})\; k_{\text{mixed}}(\text{categories, columns with gaps}) +
              \sigma^2 [i = j] \quad (1)

    The numbers have one length scale for each column, at first its standard deviation times the root of the number of
    columns.

    Parameters
    ----------
    schema : Schema      X : (n, d) the training rows, categories as codes
    noise : bool, default True
        Whether the last term of (1) is there.

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
    return kernel + WhiteKernel(0.1, (1e-6, 1e2)) if noise else kernel


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
