"""Whether a network has learned more than a constant answer knows, and which column may be the cause if not."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "LARGE_COLUMN",
    "ROWS_TO_LOOK_AT",
    "error_of",
    "error_of_constant",
    "largest_column",
    "rows_to_look_at",
]

LARGE_COLUMN = 1e3  # absolute values beyond which a column is named as the likely cause of a fit that failed
ROWS_TO_LOOK_AT = 256  # enough to tell a network that knows nothing
LEAST_PROBABILITY = 1e-15  # of which a logarithm is taken
LARGEST_ERROR = 1e300  # whose square is no number any more


def rows_to_look_at(n: int) -> np.ndarray:
    """Numbers of some rows of n, evenly spread.

    >>> from assay.neural.constant_answer import rows_to_look_at
    >>> rows_to_look_at(3)
    array([0, 1, 2])
    """
    return np.unique(np.linspace(0, n - 1, min(n, ROWS_TO_LOOK_AT)).astype(np.int64))


def error_of(outputs: np.ndarray, codes: np.ndarray | None, numbers: np.ndarray | None) -> float:
    """The mean squared error of answers to numbers (n, K), or the mean log loss of the probabilities of classes (n,).

    >>> import numpy as np
    >>> from assay.neural.constant_answer import error_of
    >>> error_of(np.array([[1.0], [3.0]]), None, np.array([[1.0], [5.0]]))
    2.0
    """
    if codes is None:
        distance = np.clip(outputs - numbers, -LARGEST_ERROR, LARGEST_ERROR)
        with np.errstate(over="ignore"):
            return float((distance**2).mean())
    if outputs.shape[1] == 1:
        outputs = np.hstack([1 - outputs, outputs])
    chances = outputs[np.arange(len(codes)), codes]
    return float(-np.log(np.maximum(chances, LEAST_PROBABILITY)).mean())


def error_of_constant(codes: np.ndarray | None, numbers: np.ndarray | None) -> float:
    """The least error of one answer for all rows: the variance of numbers, or the entropy of classes.

    >>> import numpy as np
    >>> from assay.neural.constant_answer import error_of_constant
    >>> round(error_of_constant(np.array([0, 1, 0, 1]), None), 4)
    0.6931
    """
    if codes is None:
        assert numbers is not None
        return error_of(np.broadcast_to(numbers.mean(axis=0), numbers.shape), None, numbers)
    shares = np.bincount(codes) / len(codes)
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())


def largest_column(X: Any) -> tuple[int, float]:
    """The column with the largest absolute value, and that value.

    >>> import numpy as np
    >>> from assay.neural.constant_answer import largest_column
    >>> largest_column(np.array([[1.0, -7.0], [2.0, np.nan]]))
    (1, 7.0)
    """
    if isinstance(X, np.ndarray):
        largest = np.fmax(np.fmax.reduce(X, axis=0), -np.fmin.reduce(X, axis=0))
    else:
        largest = np.asarray(abs(X).max(axis=0).toarray()).ravel()
    j = int(np.nanargmax(np.where(np.isnan(largest), 0.0, largest)))
    return j, float(largest[j])
