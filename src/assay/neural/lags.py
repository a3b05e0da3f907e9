"""Sequences cut into windows of the last values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import Count, check
from assay.errors import DataError
from assay.neural.arguments import finite_numbers

__all__ = ["lagged_windows"]


def lagged_windows(sequence: ArrayLike, width: int, ahead: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The last ``width`` values at each step as one row: with a perceptron on top, a time-delay network.

    Parameters
    ----------
    sequence : (T,) or (T, d)
    width : values of a window; the first width - 1 steps have no row
    ahead : int, default 0
        Steps from the end of a window to its target; 0 gives the last value itself.

    Returns
    -------
    (m, width d) windows, oldest values first, and (m,) or (m, d) targets

    Examples
    --------
    >>> from assay.neural import lagged_windows
    >>> X, y = lagged_windows([1, 2, 3, 4, 5], 3, ahead=1)
    >>> X.tolist(), y.tolist()
    ([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]], [4.0, 5.0])

    See Also
    --------
    Convolution, Recurrent
    """
    accepted = {"width": Count(), "ahead": Count(0)}
    check("lagged_windows", accepted, {"width": width, "ahead": ahead})
    values = finite_numbers(sequence, "lagged_windows", "the sequence")
    if values.ndim not in (1, 2):
        raise DataError(f"lagged_windows: the sequence must be (T,) or (T, d), got the shape {values.shape}.")
    m = len(values) - width + 1 - ahead
    if m < 1:
        raise DataError(
            f"lagged_windows: {len(values)} steps are too few for windows of {width}, {ahead} ahead."
        )
    views = np.lib.stride_tricks.sliding_window_view(values, width, axis=0)[:m]
    if values.ndim == 2:
        views = views.transpose(0, 2, 1)
    end = width - 1 + ahead
    return views.reshape(m, -1).copy(), values[end : end + m].copy()
