"""What "frequent" means: a share or a count, as a whole number that miners compare with."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np

from assay.associations.baskets import Baskets
from assay.associations.ranked import whole_weights
from assay.errors import DataError, ParameterError

__all__ = ["Threshold", "check_support", "least_weight"]


class Threshold(NamedTuple):
    """What a set must weigh, and the baskets' weights, in whole numbers.

    Attributes
    ----------
    least : int
        The least weight of a frequent set.
    total : int
        What all baskets weigh.
    weights : (n,) int64 or None
    grain : float
        The unit of weights; 0 where baskets only count.
    """

    least: int
    total: int
    weights: np.ndarray | None
    grain: float

    @classmethod
    def of(cls, baskets: Baskets, min_support: float) -> Self:
        """The threshold for these baskets."""
        check_support(min_support)
        if not baskets.total > 0:
            what = "there are no baskets" if baskets.n == 0 else "no basket weighs anything"
            raise DataError(f"frequent_sets: {what}, so no share of them is defined.")
        if baskets.weights is None:
            return cls(least_weight(min_support, baskets.n, 0.0), baskets.n, None, 0.0)
        whole, grain = whole_weights(baskets.weights, baskets.total)
        total = int(whole.sum())
        return cls(least_weight(min_support, total, grain), total, whole, grain)

    def in_units(self, whole: Any) -> Any:
        """A whole weight, or several, as the caller counts."""
        return whole * self.grain if self.grain else whole


def check_support(min_support: Any, who: str = "frequent_sets") -> None:
    """Refuse what is neither a share nor a count."""
    real = isinstance(min_support, Real) and not isinstance(min_support, (bool, np.bool_))
    whole = real and isinstance(min_support, Integral)
    if not real or not (min_support >= 1 if whole else 0 < min_support <= 1):
        raise ParameterError(
            f"{who}: min_support must be a share (a float above 0 and up to 1) or a count of baskets (a whole "
            f"number from 1 up), got {min_support!r}."
        )


def least_weight(min_support: float, total: int, grain: float) -> int:
    """The least whole weight that reaches a share of the total, or a count; a share that is met exactly counts.

    >>> from assay.associations.threshold import least_weight
    >>> least_weight(0.07, 100, 0.0), least_weight(2 / 6, 6, 0.0), least_weight(3, 100, 0.0)
    (7, 2, 3)
    """
    if isinstance(min_support, Integral):
        least = math.ceil(int(min_support) / grain) if grain else int(min_support)
    else:
        least = math.ceil(float(min_support) * total * (1 - 1e-12))  # 0.07 * 100 is a little above 7
    return max(1, min(least, total + 1))  # above the total nothing is frequent, however far
