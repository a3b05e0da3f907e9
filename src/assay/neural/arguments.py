"""What the functions of networks are given, checked before anything is learned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.stats.checks import is_whole

__all__ = ["are_counts", "check_penalties", "finite_numbers"]


def are_counts(sizes: Any) -> bool:
    """Whether this is a list of whole numbers from 1 up.

    What can be gone through only once is none: nothing would be left of it after this look.

    >>> from assay.neural.arguments import are_counts
    >>> are_counts([3, 2]), are_counts("32"), are_counts([0]), are_counts(iter([3]))
    (True, False, False, False)
    """
    if isinstance(sizes, (str, bytes)) or not np.iterable(sizes) or not hasattr(sizes, "__len__"):
        return False
    return all(is_whole(k, 1) for k in sizes)


def finite_numbers(values: Any, who: str, name: str) -> np.ndarray:
    """An array of finite numbers, or a sentence.

    >>> from assay.neural.arguments import finite_numbers
    >>> finite_numbers([1, 2], "example", "X")
    array([1., 2.])
    """
    try:
        array = np.ma.asanyarray(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        numbers = array.astype(np.float64) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if isinstance(numbers, np.ma.MaskedArray):
        numbers = numbers.filled(np.nan)
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
