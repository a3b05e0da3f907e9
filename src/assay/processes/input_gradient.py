"""Derivatives of kernels, and of the answers of a Gaussian process, by the columns of a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels import ConstantKernel, Exponentiation, Kernel, Linear, Product, Sum, WhiteKernel
from assay.kernels.dot_products import DotProduct
from assay.kernels.matern import Matern
from assay.kernels.on_columns import OnColumns
from assay.kernels.rational_quadratic import RationalQuadratic
from assay.kernels.rbf import RBF
from assay.kernels.squared_distances import squared_distances

__all__ = ["diagonal_slope", "values_and_slopes"]

DIFFERENCE = 1e-6  # of a column's value, or of 1, where a kernel has no derivative of its own


def values_and_slopes(kernel: Kernel, x: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""K(x, b) for each row b of B, and its derivatives by the columns of x.

    Sums, products and powers follow the rules of calculus; kernels of the scaled distance have
    :math:`\partial K / \partial x_j = -g(r^2) (x_j - b_j) / \ell_j^2`; of others central differences are taken.

    Parameters
    ----------
    kernel : Kernel      x : (d,)      B : (m, d)

    Returns
    -------
    values : (m,)      slopes : (m, d)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.input_gradient import values_and_slopes
    >>> values_and_slopes(RBF(), np.array([1.0, 0.0]), np.zeros((1, 2)))[1].round(6)  # -x exp(-1/2)
    array([[-0.606531,  0.      ]])
    """
    if isinstance(kernel, (ConstantKernel, WhiteKernel)):
        return kernel.between(x[None], B)[0], np.zeros(B.shape)
    if isinstance(kernel, (Sum, Product)):
        (first, slope), (second, other) = (values_and_slopes(part, x, B) for part in (kernel.k1, kernel.k2))
        if isinstance(kernel, Sum):
            return first + second, slope + other
        return first * second, slope * second[:, None] + other * first[:, None]
    if isinstance(kernel, Exponentiation):
        value, slope = values_and_slopes(kernel.kernel, x, B)
        return value**kernel.exponent, (kernel.exponent * value ** (kernel.exponent - 1))[:, None] * slope
    if isinstance(kernel, (Linear, DotProduct)):
        return kernel.between(x[None], B)[0], np.asarray(B, dtype=np.float64)
    if isinstance(kernel, (RBF, Matern, RationalQuadratic)):
        return _of_distance(kernel, x, B)
    if isinstance(kernel, OnColumns) and not isinstance(kernel.columns, str):
        columns = np.asarray(kernel.columns, dtype=np.int64)
        slopes = np.zeros(B.shape)
        values, slopes[:, columns] = values_and_slopes(kernel.kernel, x[columns], B[:, columns])
        return values, slopes
    return kernel.between(x[None], B)[0], _differences(lambda Q: kernel.between(Q, B), x)


def _of_distance(kernel: Any, x: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scaled, others = kernel._prepared(x[None]), kernel._prepared(B)
    g = kernel._slope(squared_distances(scaled, others))[0]
    return kernel.between(x[None], B)[0], g[:, None] * (others - scaled) / kernel._scale()


def diagonal_slope(kernel: Kernel, x: np.ndarray) -> np.ndarray:
    """(d,) the derivatives of K(x, x) by the columns of x.

    >>> import numpy as np
    >>> from assay.kernels import Linear
    >>> from assay.processes.input_gradient import diagonal_slope
    >>> diagonal_slope(Linear(), np.array([3.0, 0.0])).round(6)  # 2 x
    array([6., 0.])
    """
    if kernel.stationary:
        return np.zeros(len(x))
    return _differences(lambda Q: kernel.diagonal(Q)[:, None], x)[0]


def _differences(function: Any, x: np.ndarray) -> np.ndarray:
    """(m, d) central differences of a function of rows with (q, m) values."""
    step = DIFFERENCE * np.maximum(1.0, np.abs(x))
    moved = np.concatenate([x + np.diag(step), x - np.diag(step)])
    values = function(moved)
    d = len(x)
    return ((values[:d] - values[d:]) / (2.0 * step[:, None])).T
