"""Rows by which a fit is judged while it learns."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError

__all__ = ["SPLITS", "drawn_rows", "held_out", "rows_and_targets"]

SPLITS = ("random", "last")  # which rows validation_split sets aside


def rows_and_targets(validation: Any, who: str) -> tuple[Any, Any]:
    """The two parts of a validation set of your own.

    >>> from assay.neural.held_out import rows_and_targets
    >>> rows_and_targets(([[1.0], [2.0]], ["a", "b"]), "example")[1]
    ['a', 'b']
    """
    if not isinstance(validation, (tuple, list)) or len(validation) != 2:
        raise ParameterError(
            "validation must be a pair (X, y) of rows and their targets", who=who, got=validation
        )
    X, y = validation
    return X, y


def held_out(
    n: int,
    share: float,
    random: np.random.Generator,
    who: str,
    codes: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    split: str = "random",
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the rows to learn from, and of those to judge by.

    Classes are divided in proportion; a class of one row is learned from. Rows of one group stay together. The last
    rows, for rows in the order of time, are no draw at all.

    Parameters
    ----------
    n : rows      share : of them that is set aside      random : generator of the draw      who : for the messages
    codes : (n,) classes as numbers, or None      groups : (n,) labels of groups, or None
    split : "random" or "last"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.held_out import held_out
    >>> held_out(5, 0.4, np.random.default_rng(0), "example", split="last")
    (array([0, 1, 2]), array([3, 4]))
    """
    if split == "last":
        if groups is not None:
            raise ParameterError(
                f"{who}: validation_split='last' takes the last rows, groups a draw. Give one."
            )
        cut = n - round(share * n)
        return np.arange(cut), np.arange(cut, n)
    if groups is not None:
        return _by_groups(np.asarray(groups), share, random, n, who)
    order = random.permutation(n)
    if codes is not None:
        order = order[np.argsort(codes[order], kind="stable")]
        alone = np.bincount(codes)[codes[order]] == 1
        order = np.concatenate([order[~alone], order[alone]])
        eligible = n - int(alone.sum())
    else:
        eligible = n
    marks = np.floor(np.arange(eligible + 1) * share + 0.5)  # every 1/share-th row of the order
    chosen = order[:eligible][np.diff(marks) > 0]
    judge = np.zeros(n, dtype=bool)
    judge[chosen] = True
    return np.flatnonzero(~judge), np.flatnonzero(judge)


def _by_groups(
    groups: np.ndarray, share: float, random: np.random.Generator, n: int, who: str
) -> tuple[np.ndarray, np.ndarray]:
    if groups.shape != (n,):
        raise DataError(f"{who}: groups has the shape {groups.shape}, expected ({n},): a label of each row.")
    labels, codes, counts = np.unique(groups, return_inverse=True, return_counts=True)
    if len(labels) < 2:
        raise DataError(f"{who}: all rows are of one group, so that none can be set aside. Leave groups out.")
    order = random.permutation(len(labels))
    reached = np.cumsum(counts[order])
    count = int(np.clip(np.searchsorted(reached, share * n) + 1, 1, len(labels) - 1))
    judge = np.isin(codes, order[:count])
    return np.flatnonzero(~judge), np.flatnonzero(judge)


def drawn_rows(
    n: int, share: float, random: np.random.RandomState, stratify: np.ndarray | None, who: str
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the rows to learn from, and of those to judge by, as scikit-learn draws them.

    Parameters
    ----------
    n : rows      share : of them that is set aside      random : source of the draw      who : for the messages
    stratify : (n,) or (n, 1) classes that are divided in proportion, or None
    """
    from sklearn.model_selection import train_test_split

    try:
        train, judge = train_test_split(np.arange(n), random_state=random, test_size=share, stratify=stratify)
    except ValueError:
        classes = "" if stratify is None else ", with some of each class in both parts"
        raise DataError(
            f"{who}: early_stopping cannot set {share:g} of {n} row{'s' if n != 1 else ''} aside{classes}. Give more "
            "rows, another validation_fraction, or early_stopping=False."
        ) from None
    return train, judge
