"""Paired differences, with rounding noise taken out so that ties are ties and zeros are zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError
from assay.stats.summary import sample

__all__ = ["DIGITS", "paired_differences"]

DIGITS = 10  # differences that agree so far, measured by the largest one, are equal
DIGITS_OF_VALUES = 12  # measured by the largest value they are differences of, if it is known


def paired_differences(first: Any, second: Any, who: str, least: int = 1) -> np.ndarray:
    """(n,) first minus second, rounded; or the first alone, if it holds the differences already.

    >>> from assay.stats.differences import paired_differences
    >>> paired_differences([0.3, 0.2], [0.2, 0.1], "sign_test")   # 0.09999999999999998 and 0.1
    array([0.1, 0.1])
    """
    d = sample(first, who, least, "pairs")
    scale, digits = np.abs(d).max(initial=0.0), DIGITS
    if second is not None:
        other = sample(second, who, least, "pairs")
        if len(other) != len(d):
            raise DataError(f"{who}: pairs need two samples of one length, got {len(d)} and {len(other)}.")
        scale, digits = max(scale, np.abs(other).max(initial=0.0)), DIGITS_OF_VALUES
        d = d - other
    if scale == 0:
        return d
    decimals = digits - int(np.floor(np.log10(scale)))
    return np.round(d, decimals) if abs(decimals) < 300 else d
