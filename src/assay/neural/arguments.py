"""What the functions of networks are sizes, checked before anything is learned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError

__all__ = ["are_counts", "check_penalties", "finite_numbers"]


def are_counts(sizes: Any) -> bool:
    """Whether this is a list of whole numbers from 1 up.

    >>> from assay.neural.arguments import are_counts
    >>> are_counts([3, 2]), are_counts("32"), are_counts([0])
    (True, False, False)
    """
    if isinstance(sizes, (str, bytes)) or not np.iterable(sizes):
        return False
    return all(
        isinstance(k, (int, float, np.integer, np.floating)) and float(k).is_integer() and k >= 1
        for k in sizes
    )


def finite_numbers(values: Any, who: str, name: str) -> np.ndarray:
    """An array of finite numbers, or a sentence.

    >>> from assay.neural.arguments import finite_numbers
    >>> finite_numbers([1, 2], "example", "X")
    array([1., 2.])
    """
    try:
        array = np.asarray(values)
        numbers = array.astype(np.float64) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or not np.isfinite(numbers).all():
        raise DataError(f"{name} must be finite numbers, got {values!r:.80}.", who=who)
    return numbers


def check_penalties(penalties: Any, who: str) -> None:
    """Refuse what cannot be added to an error."""
    listed = isinstance(penalties, Iterable) and not isinstance(penalties, (str, bytes))
    if not listed or not all(hasattr(penalty, "value_gradient") for penalty in penalties):
        raise ParameterError(
            f"penalties must be a list of WeightDecay(...), hints and the like, got {penalties!r:.80}.",
            who=who,
        )
