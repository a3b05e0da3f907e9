"""Rows grouped by which of their entries are missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

__all__ = ["Pattern", "patterns_of"]


class Pattern(NamedTuple):
    """rows : (m,) their places      observed : (o,) the columns that none of them lacks"""

    rows: np.ndarray
    observed: np.ndarray


def patterns_of(X: np.ndarray) -> Iterator[Pattern]:
    """The rows of X (n, d) by pattern of missing values.

    >>> import numpy as np
    >>> from assay.reduce.factors.patterns import patterns_of
    >>> X = np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]])
    >>> [(p.rows.tolist(), p.observed.tolist()) for p in patterns_of(X)]
    [([1], [1]), ([0, 2], [0, 1])]
    """
    known = ~np.isnan(X)
    if known.all():
        yield Pattern(np.arange(len(X)), np.arange(X.shape[1]))
        return
    packed = np.packbits(known, axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(first) + 1))
    for g, at in enumerate(first):
        yield Pattern(order[starts[g] : starts[g + 1]], np.flatnonzero(known[at]))
