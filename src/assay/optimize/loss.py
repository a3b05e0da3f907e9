"""Base class of losses of one number per row (margin or residual), with derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Loss", "Numbers", "numbers"]

Numbers = np.ndarray


def numbers(m: ArrayLike) -> Numbers:
    """m as float64."""
    return np.asarray(m, dtype=np.float64)


@dataclass(frozen=True)
class Loss:
    """Loss of one row as a function of one number, with its first two derivatives.

    Attributes
    ----------
    name : the word for it in the tables
    convex : whether it is convex
    bounds_error : of a loss of the margin: whether it is nowhere below the 0/1 error
    """

    name: ClassVar[str] = ""
    convex: ClassVar[bool] = True
    bounds_error: ClassVar[bool] = False

    def value(self, m: ArrayLike) -> Numbers:
        """The loss."""
        raise TypeError(f"{type(self).__name__} must define value")

    def slope(self, m: ArrayLike) -> Numbers:
        """Its first derivative."""
        raise TypeError(f"{type(self).__name__} must define slope")

    def curvature(self, m: ArrayLike) -> Numbers:
        """Its second derivative, 0 where there is none."""
        return np.zeros_like(numbers(m))
