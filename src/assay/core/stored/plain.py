"""Kinds of single values: numbers, truth values, texts, plain data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from assay.core.stored.kind import Kind, Size, Sizes, is_whole

__all__ = ["Boolean", "Integer", "Plain", "Scalar", "Text", "Unchecked", "not_plain"]

NESTING_LIMIT = 20  # of lists within lists of plain values


class Integer(Kind):
    """One whole number: a size by name or formula, or a number from ``low`` to ``high``.

    >>> from assay.core.stored import Integer
    >>> Integer("n").fault(90, {"n": 60}), Integer(low=1, high=9).fault(5, {})
    ('is 90, expected n = 60', '')
    """

    def __init__(
        self,
        size: str | None = None,
        *,
        low: int = 0,
        high: int = 2**63 - 1,
        below: str | None = None,
    ):
        self.size = None if size is None else Size(size)
        self.low, self.high = low, high
        self.below = None if below is None else Size(below)

    def bind(self, value: object, sizes: Sizes) -> None:
        if self.size is not None and is_whole(value):
            self.size.bind(int(value), sizes)

    def fault(self, value: object, sizes: Sizes) -> str:
        if not is_whole(value):
            return "is not a whole number"
        if not self.low <= int(value) <= self.high:
            return f"is not a whole number from {self.low} to {self.high}"
        if self.size is not None and not self.size.fits(int(value), sizes):
            return f"is {int(value)}, expected {self.size.text} = {self.size.value(sizes)}"
        limit = None if self.below is None else self.below.value(sizes)
        return "" if limit is None or int(value) < limit else f"is not below {limit}"


class Scalar(Kind):
    """One number, from ``low`` to ``high``; NaN and infinities only unless ``finite``."""

    def __init__(self, low: float = -np.inf, high: float = np.inf, finite: bool = False):
        self.low, self.high, self.finite = low, high, finite

    def fault(self, value: object, sizes: Sizes) -> str:
        if not isinstance(value, (float, int, np.floating, np.integer, Fraction)) or isinstance(value, bool):
            return "is not a number"
        number: Any = value
        if number < self.low or number > self.high or (self.finite and not abs(number) < np.inf):
            return f"is not a number from {self.low:g} to {self.high:g}"
        return ""


class Boolean(Kind):
    """True or False."""

    def fault(self, value: object, sizes: Sizes) -> str:
        return "" if isinstance(value, (bool, np.bool_)) else "is not True or False"


class Text(Kind):
    """A text; with words given, one of these.

    >>> from assay.core.stored import Text
    >>> Text("svd", "cholesky").fault("magic", {})
    "is not one of 'svd', 'cholesky'"
    """

    def __init__(self, *words: str):
        self.words = words

    def fault(self, value: object, sizes: Sizes) -> str:
        if not isinstance(value, str):
            return "is not a text"
        if self.words and value not in self.words:
            return "is not one of " + ", ".join(map(repr, self.words))
        return ""


class Plain(Kind):
    """Plain data: None, numbers, text, and lists, tuples, sets and dicts of them; no array and no object.

    >>> import numpy as np
    >>> from assay.core.stored import Plain
    >>> Plain().fault({"error": [0.5, None]}, {}), Plain().fault([np.zeros(2)], {})
    ('', 'holds a ndarray, expected plain values')
    """

    def __init__(self, only: type | tuple[type, ...] = object):
        self.only = only

    def fault(self, value: object, sizes: Sizes) -> str:
        if not isinstance(value, self.only):
            return f"is of type {type(value).__name__}"
        return not_plain(value, NESTING_LIMIT)


def not_plain(value: Any, depth: int) -> str:
    """What keeps a value from being plain data nested at most ``depth`` deep; empty if nothing does."""
    if value is None or isinstance(value, (bool, int, float, str, bytes, Fraction, np.generic)):
        return ""
    if type(value) not in (list, tuple, set, frozenset, dict) or depth == 0:
        return f"holds a {type(value).__name__}, expected plain values"
    inside = (*value, *value.values()) if isinstance(value, dict) else value
    return next(filter(None, (not_plain(item, depth - 1) for item in inside)), "")


class Unchecked(Kind):
    """Any value, for the reason given: what uses it can deal with everything."""

    def __init__(self, why: str):
        self.why = why

    def fault(self, value: object, sizes: Sizes) -> str:
        return ""
