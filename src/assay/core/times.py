"""Rows in order of time: moments that can be put in order, and blocks of rows with all rows before them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["as_moments", "time_blocks"]


def as_moments(times: np.ndarray | None, who: str) -> np.ndarray | None:
    """Times that can be put in order: numbers, dates, ISO text. A time without a zone counts as UTC."""
    if times is None or times.dtype.kind in "iufmM":
        return times
    try:
        return np.array([_moment(v) for v in times.tolist()], dtype="datetime64[us]")
    except (TypeError, ValueError):
        raise DataError(
            f"times must be numbers, dates or ISO text such as 2024-05-31, got {times.tolist()[0]!r}.",
            who=who,
        ) from None


def _moment(value: Any) -> dt.datetime | dt.date:
    if isinstance(value, str):
        value = dt.datetime.fromisoformat(value)
    if not isinstance(value, dt.date):  # a datetime is a date
        raise TypeError(value)
    zone = getattr(value, "tzinfo", None)
    return value if zone is None else value.astimezone(dt.UTC).replace(tzinfo=None)  # type: ignore[attr-defined]


def time_blocks(
    times: np.ndarray | None, n: int, folds: int, gap: int = 0, window: int | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(train, test) of each block of time: all rows before it teach, the block tests.

    The rows, in order of time, are cut into ``folds + 1`` blocks of equal size (the first one takes what is left
    over). Rows of one moment are never cut apart: a border moves back to the first row of its moment.

    Parameters
    ----------
    times : (n,) when each row was; None if the rows are in order
    gap : rows directly before a block that do not teach, as when outcomes become known late
    window : the largest number of training rows, the latest ones; None for all

    Examples
    --------
    >>> from assay.core.times import time_blocks
    >>> [(train.tolist(), test.tolist()) for train, test in time_blocks(None, 6, 2)]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """
    order = np.arange(n) if times is None else np.argsort(times, kind="stable")
    size = n // (folds + 1)
    borders = n - size * np.arange(folds, -1, -1)  # the starts of the tested blocks, and the end
    if times is not None and size:
        ranks = np.unique(times, return_inverse=True)[1][order]
        borders[:-1] = np.searchsorted(ranks, ranks[borders[:-1]])
    for start, end in pairwise(borders.tolist()):
        last = max(start - gap, 0)
        first = 0 if window is None else max(last - window, 0)
        yield order[first:last], order[start:end]
