"""How large a tree may grow: what the parameters of scikit-learn's trees accept, for trees, forests and boosting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from assay.core.parameters import Accepted, Choice, Count, Range

__all__ = ["GROWTH", "LIMITS", "Share", "rows_of"]


class Share(Accepted):
    """A fraction: a real number, not a whole one, so that 1 (one row) and 1.0 (all rows) differ."""

    def __init__(self, top: bool = True):
        self.top = top
        self.words = "a fraction above 0.0 " + ("to 1.0" if top else "and below 1.0")

    def holds(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, Integral):
            return False
        return 0 < float(value) <= 1 if self.top else 0 < float(value) < 1


LIMITS: Mapping[str, Accepted] = {  # of every tree
    "max_depth": Count(1) | None,
    "min_samples_split": Count(2) | Share(),
    "min_samples_leaf": Count(1) | Share(top=False),
    "min_weight_fraction_leaf": Range(0, 0.5),
    "min_impurity_decrease": Range(0),
}
GROWTH: Mapping[str, Accepted] = {  # of trees that split on one column
    **LIMITS,
    "max_features": Count(1) | Share() | Choice("sqrt", "log2") | None,
    "max_leaf_nodes": Count(2) | None,
    "ccp_alpha": Range(0),
}


def rows_of(limit: float, n: int, least: int) -> int:
    """A number of rows, given as such or as a share of n; a share is ``least`` rows at least.

    >>> from assay.trees.limits import rows_of
    >>> rows_of(3, 100, 1), rows_of(0.025, 100, 1), rows_of(0.001, 100, 2)
    (3, 3, 2)
    """
    return int(limit) if isinstance(limit, Integral) else max(least, math.ceil(limit * n))
