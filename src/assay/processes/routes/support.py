"""What an answer of a Gaussian process regression is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.kernels import Kernel
from assay.processes.input_gradient import diagonal_slope, values_and_slopes

__all__ = ["Support"]


@dataclass(frozen=True, eq=False)
class Support:
    r"""The rows that speak in the answer at one row x, and how.

    .. math:: m(x) = k(x)^T c = w^T y, \qquad v(x) = K(x, x) - k(x)^T S k(x) \quad (1)

    k(x) are the kernel's values of x with the rows: training rows with their targets y, all of them or the nearest, or
    points that stand for them, with the function's values there.

    Attributes
    ----------
    kernel : Kernel, without noise
    x : the row, as a table of one      rows : m rows      places : (m,) their numbers, from 0
    points : whether the rows are points that stand for others
    coefficients : (m, t) c      weights : (m,) w      levels : (m, t) y
    solved : function of k (m,) that gives S k (m,)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.routes.exact import Exact
    >>> route = Exact().fit(RBF(), np.array([[0.0], [1.0]]), np.array([[2.0], [1.0]]), np.full(2, 0.1))
    >>> at = route.condition(route.kernel).support(np.array([[0.5]]))
    >>> bool(np.isclose(at.weights @ at.levels, route.mean(np.array([[0.5]])))[0])
    True
    """

    kernel: Kernel
    x: Any
    rows: Any
    places: np.ndarray
    points: bool
    coefficients: np.ndarray
    weights: np.ndarray
    levels: np.ndarray
    solved: Callable[[np.ndarray], np.ndarray]

    @property
    def similarities(self) -> np.ndarray:
        """(m,) k(x)."""
        return self.kernel.between(self.x, self.rows)[0]

    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """(d, t) and (d,) the derivatives of mean and variance by the columns of x, if it has numbers alone."""
        x = np.asarray(self.x[0], dtype=np.float64)
        k, slopes = values_and_slopes(self.kernel, x, self.rows)
        return slopes.T @ self.coefficients, diagonal_slope(self.kernel, x) - 2.0 * (self.solved(k) @ slopes)
