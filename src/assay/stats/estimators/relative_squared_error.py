"""How much of the variance of a number a regression leaves unexplained."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError

__all__ = ["r_squared", "relative_squared_error"]


def relative_squared_error(y: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Squared error relative to that of the mean of the same rows.

    .. math:: E_{RSE} = \frac{\sum_t v_t\,(r^t-g(x^t))^2}{\sum_t v_t\,(r^t-\bar r)^2}

    Near 1 the regression is no better than the mean, near 0 it explains nearly all; on unseen rows it may exceed 1.
    Undefined, and an error, if all y are equal.

    >>> relative_squared_error([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    0.5
    """
    r, g = np.asarray(y, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if r.shape != g.shape or r.ndim != 1 or not len(r):
        raise DataError(
            f"relative_squared_error: y has shape {r.shape} and predicted {g.shape}, expected (n,) twice."
        )
    if not (np.isfinite(r).all() and np.isfinite(g).all()):
        raise DataError(
            "relative_squared_error: y and predicted must be finite numbers. Drop rows without them."
        )
    w = check_weights(weights, len(r), "relative_squared_error", "weights")
    v = np.ones(len(r)) if w is None else w
    spread = float(v @ (r - v @ r / v.sum()) ** 2)
    if (r[v > 0] == r[v > 0][:1]).all() or spread == 0:
        raise DegenerateError("relative_squared_error: all y are equal, so there is no variance to explain.")
    return float(v @ (r - g) ** 2) / spread


def r_squared(y: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The coefficient of determination, 1 minus the relative squared error.

    >>> r_squared([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    0.5
    """
    return 1 - relative_squared_error(y, predicted, weights)
