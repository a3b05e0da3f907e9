"""Paired differences, with rounding noise taken out so that ties are ties and zeros are zeros."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.stats.significance.summary import sample

__all__ = ["DIGITS", "paired_differences"]

DIGITS = 10  # differences that agree so far, measured by the largest one, are equal
DIGITS_OF_VALUES = 12  # measured by the larger of the two values, if these are known


def paired_differences(first: ArrayLike, second: ArrayLike, who: str, least: int = 1) -> np.ndarray:
    """(n,) first minus second, each rounded by the size of its pair; or the first alone, if it holds the
    differences already, rounded by the largest.

    >>> from assay.stats.significance.differences import paired_differences
    >>> paired_differences([0.3, 0.2], [0.2, 0.1], "sign_test")   # 0.09999999999999998 and 0.1
    array([0.1, 0.1])
    """
    d = sample(first, who, least, "pairs")
    if second is None:
        return _rounded(d, np.full(len(d), np.abs(d).max(initial=0.0)), DIGITS)
    other = sample(second, who, least, "pairs")
    if len(other) != len(d):
        raise DataError(f"pairs need two samples of one length, got {len(d)} and {len(other)}.", who=who)
    return _rounded(d - other, np.maximum(np.abs(d), np.abs(other)), DIGITS_OF_VALUES)


def _rounded(d: np.ndarray, scale: np.ndarray, digits: int) -> np.ndarray:
    """Each difference to so many digits of its scale; where the scale is 0, so is the difference."""
    decimals = np.minimum(digits - np.floor(np.log10(np.where(scale > 0, scale, 1.0))), 300)
    up, down = 10.0 ** np.maximum(decimals, 0), 10.0 ** np.maximum(-decimals, 0)
    return np.rint(d * up / down) * down / up
