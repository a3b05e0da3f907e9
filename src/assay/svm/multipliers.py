"""Bounds of the multipliers of rows with weights, and multipliers from which a search can start."""

from __future__ import annotations

import numpy as np

__all__ = ["filled", "upper_bounds"]


def upper_bounds(C: float, weight: np.ndarray) -> np.ndarray:
    """(n,) C times the weight of each row; 0 for a row without weight even if C is infinite.

    >>> import numpy as np
    >>> from assay.svm.multipliers import upper_bounds
    >>> upper_bounds(np.inf, np.array([0.0, 2.0]))
    array([ 0., inf])
    """
    return np.multiply(C, weight, out=np.zeros(len(weight)), where=weight > 0)


def filled(upper: np.ndarray, total: float) -> np.ndarray:
    """(n,) multipliers that sum to ``total``: the first ones at their upper bounds, then what is left, then 0.

    >>> import numpy as np
    >>> from assay.svm.multipliers import filled
    >>> filled(np.array([1.0, 1.0, 1.0]), 1.5)
    array([1. , 0.5, 0. ])
    """
    before = np.cumsum(upper) - upper
    return np.clip(total - before, 0.0, upper)
