"""Splitting rows into training and test rows: by class, by group, by time, at random."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from assay.types import Bools

__all__ = ["bootstrap_rows", "deal", "deal_groups", "draw", "draw_groups", "time_blocks"]

_MOST_DRAWS = 1000  # of a bootstrap sample that leaves no row out, or holds one class alone


def deal(y: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """(n,) the fold of each row: the shuffled rows, class by class, dealt like cards."""
    shuffled = rng.permutation(len(y))
    pile = shuffled[np.argsort(y[shuffled], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[pile] = np.arange(len(y)) % folds
    return fold


def deal_groups(y: np.ndarray, groups: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """(n,) the fold of each row: groups whole, large ones first, each where classes stay most even."""
    _, group = np.unique(groups, return_inverse=True)
    counts = np.zeros((group.max() + 1, y.max() + 1))
    np.add.at(counts, (group, y), 1)
    order = rng.permutation(len(counts))
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    share = counts / np.maximum(counts.sum(axis=0), 1)  # of each class, what a group holds
    filled = np.zeros((folds, counts.shape[1]))
    where = np.empty(len(counts), dtype=np.int64)
    for g in order:
        # the sum of squares grows least in the fold that has least of what this group brings
        where[g] = int(np.argmin(((filled + share[g]) ** 2 - filled**2).sum(axis=1)))
        filled[where[g]] += share[g]
    return where[group]


def draw(y: np.ndarray, share: float, rng: np.random.Generator) -> Bools:
    """(n,) bool: the test rows, drawn from each class in proportion, at least one row on each side."""
    n = len(y)
    wanted = min(max(round(share * n), 1), n - 1)
    shuffled = rng.permutation(n)
    pile = shuffled[np.argsort(y[shuffled], kind="stable")]
    at = np.floor((np.arange(wanted) + 0.5) * n / wanted).astype(np.int64)  # evenly spaced in the pile
    test = np.zeros(n, dtype=bool)
    test[pile[at]] = True
    return test


def draw_groups(y: np.ndarray, groups: np.ndarray, share: float, rng: np.random.Generator) -> Bools:
    """(n,) bool: the test rows, as one of so many folds of whole groups as the share asks for."""
    smaller = min(share, 1 - share)
    first_fold = deal_groups(y, groups, max(2, round(1 / smaller)), rng) == 0
    test_rows: Bools = first_fold if share <= 0.5 else ~first_fold
    return test_rows


def bootstrap_rows(y: np.ndarray, rng: np.random.Generator, groups: np.ndarray | None = None) -> np.ndarray:
    """(m,) sorted row numbers, drawn with replacement; whole groups are drawn if there are any.

    A draw that leaves no row to test, or that holds one class alone, is drawn again.

    >>> import numpy as np
    >>> from assay.evaluate.deal import bootstrap_rows
    >>> drawn = bootstrap_rows(np.array([0, 0, 1, 1]), np.random.default_rng(0))
    >>> drawn.size, np.unique(drawn).size < 4
    (4, True)
    """
    unit = np.arange(len(y)) if groups is None else np.unique(groups, return_inverse=True)[1]
    units = int(unit.max()) + 1
    several = len(np.unique(y)) > 1
    for _ in range(_MOST_DRAWS):
        times = np.bincount(rng.integers(units, size=units), minlength=units)[unit]
        is_drawn = times > 0
        if not is_drawn.all() and (not several or len(np.unique(y[is_drawn])) > 1):
            break
    return np.repeat(np.arange(len(y)), times)


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
    >>> from assay.evaluate.deal import time_blocks
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
