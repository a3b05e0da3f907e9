"""Splits that somebody else made: a scikit-learn splitter, a list of (train, test) pairs, a test set."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assay.core.targets import plain_values
from assay.errors import DataError, ParameterError

__all__ = ["GivenSplits", "as_rows", "is_given"]

Pair = tuple[np.ndarray, np.ndarray]


def is_given(design: Any) -> bool:
    """Whether a design is a splitter, ``split(X, y, groups)``, or a list of pairs of row numbers.

    >>> from sklearn.model_selection import KFold
    >>> from assay.evaluate.given_splits import is_given
    >>> is_given(KFold(3)), is_given([([0, 1], [2])]), is_given("10-fold")
    (True, True, False)
    """
    if hasattr(design, "split") and not isinstance(design, (str, bytes)):
        return True
    if hasattr(design, "__next__"):  # such as what a splitter's split returns
        return True
    return (
        isinstance(design, Sequence)
        and not isinstance(design, str)
        and len(design) > 0
        and all(
            isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2 for pair in design
        )
    )


class GivenSplits:
    """The pairs of a splitter or of a list, checked, in the order in which they come.

    Parameters
    ----------
    design : anything with ``split(X, y, groups)``, or a list of (train, test)
        Row numbers or masks of the rows as they were given.
    words : how it is called; None for the splitter's own words
    """

    def __init__(self, design: Any, words: str | None = None):
        self.design: Any = list(design) if hasattr(design, "__next__") else design
        self.words = words or _words(self.design)
        self.pairs: list[Pair] | None = None

    def dealt(
        self, X: Any, y: Any, groups: Any, n: int, kept: np.ndarray | None = None, whole: bool = True
    ) -> GivenSplits:
        """The same with its pairs written down, as numbers of the kept rows.

        Parameters
        ----------
        X, y, groups : of the kept rows, for a splitter
        n : number of rows as they were given
        kept : (n,) bool, rows that take part; None for all
        whole : whether splits that part a group are refused
        """
        if self.pairs is not None:
            return self
        splits = GivenSplits(self.design, self.words)
        listed = self._split(X, y, groups) if hasattr(self.design, "split") else self.design
        if any(not isinstance(pair, Sequence) or len(pair) != 2 for pair in listed):
            raise DataError(f"{self.words}: each split must be a pair (train, test) of rows.", who="compare")
        if hasattr(self.design, "split"):
            m = n if kept is None else int(kept.sum())
            pairs = [tuple(as_rows(rows, m, self.words) for rows in pair) for pair in listed]
        else:
            pairs = [tuple(as_rows(rows, n, self.words) for rows in pair) for pair in listed]
            if kept is not None and not kept.all():
                number = np.cumsum(kept) - 1
                pairs = [tuple(number[rows[kept[rows]]] for rows in pair) for pair in pairs]
        splits.pairs = [_checked(train, test, j, self.words) for j, (train, test) in enumerate(pairs)]
        if not splits.pairs:
            raise ParameterError(
                f"{self.words} gives no split. Give at least one (train, test) pair.", who="compare"
            )
        if groups is not None and whole:
            for j, (train, test) in enumerate(splits.pairs):
                _refuse_parted(np.asarray(groups)[train], np.asarray(groups)[test], j, self.words)
        return splits

    def _split(self, X: Any, y: Any, groups: Any) -> Iterable[Any]:
        if isinstance(self.design, type):
            name = self.design.__name__
            raise ParameterError(
                f"design must be a splitter, {name} is its class. Give {name}().", who="compare"
            )
        try:
            with (
                warnings.catch_warnings()
            ):  # groups that a splitter ignores are an error below, not a warning
                warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
                return list(self.design.split(X, y, groups))
        except (ValueError, TypeError) as error:
            hint = "" if groups is not None else "If it needs groups, give groups=."
            raise DataError(
                f"{self.words} cannot split these rows: {error}. {hint}", who="compare"
            ) from error

    def repetitions(self) -> list[int]:
        """Of each split its repetition: a new one begins where a row would be tested for the second time."""
        numbers: list[int] = []
        tested: set[int] = set()
        for _, test in self.pairs or []:
            rows = set(test.tolist())
            fresh = not (tested & rows)
            tested = tested | rows if fresh else rows
            numbers.append((numbers[-1] if numbers else 0) + (0 if fresh else 1))
        return numbers

    def __repr__(self) -> str:
        return self.words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GivenSplits) and other.design is self.design

    def __hash__(self) -> int:
        return id(self.design)


def as_rows(rows: Any, n: int, who: str) -> np.ndarray:
    """Row numbers from numbers or from a mask of n rows.

    >>> from assay.evaluate.given_splits import as_rows
    >>> as_rows([True, False, True], 3, "compare")
    array([0, 2])
    """
    numbers = np.asarray(plain_values(rows))
    if numbers.dtype == bool:
        if numbers.shape != (n,):
            raise DataError(
                f"{who}: a mask of rows needs {n} entries, its shape is {numbers.shape}.", who="compare"
            )
        return np.flatnonzero(numbers)
    if numbers.ndim != 1 or (numbers.size and not np.issubdtype(numbers.dtype, np.integer)):
        raise DataError(
            f"{who}: rows are whole numbers or a mask in one column, got shape {numbers.shape} "
            f"of {numbers.dtype}.",
            who="compare",
        )
    if numbers.size and (numbers.min() < 0 or numbers.max() >= n):
        raise DataError(
            f"{who}: row numbers go from 0 to {n - 1}, got {numbers.min()} to {numbers.max()}.", who="compare"
        )
    return numbers.astype(np.int64)


def _checked(train: np.ndarray, test: np.ndarray, j: int, words: str) -> Pair:
    if not len(train) or not len(test):
        side = "teach" if not len(train) else "test"
        raise DataError(f"{words}: split {j} has no row to {side}.", who="compare")
    both = np.intersect1d(train, test)
    if len(both):
        raise DataError(
            f"{words}: split {j} tests {len(both)} row{'' if len(both) == 1 else 's'} that it also trains "
            f"on (row number {both[0]}, counted from 0, for one). Such an error says nothing about new rows.",
            who="compare",
        )
    if len(np.unique(test)) < len(test):
        raise DataError(f"{words}: split {j} tests a row twice.", who="compare")
    return train, test


def _refuse_parted(train: np.ndarray, test: np.ndarray, j: int, words: str) -> None:
    both = np.intersect1d(train, test)
    if len(both):
        raise DataError(
            f"{words}: split {j} parts {len(both)} group{'' if len(both) == 1 else 's'}: rows of {both[0]} "
            "teach and test. Give a design by name or a splitter that keeps groups whole, or leave groups out.",
            who="compare",
        )


def _words(design: Any) -> str:
    if hasattr(design, "split"):
        text = " ".join(repr(design).split())
        return text if len(text) <= 80 else type(design).__name__
    return "one given split" if len(design) == 1 else f"{len(design)} given splits"
