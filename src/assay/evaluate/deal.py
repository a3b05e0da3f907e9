"""Splitting rows into training and test rows: by class, by group, by time, at random."""

from __future__ import annotations

import numpy as np

from assay.core.times import time_blocks
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
