"""The columns of a table as ranks: sorted once for a fit, shared by all trees of a forest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import assay.trees._ranks as _ranks
from assay.core.parallel import in_threads
from assay.errors import DataError

__all__ = ["Columns", "rank_columns"]

SIDE = 8  # columns that one thread takes at a time
WORTH_A_THREAD = 1 << 16  # entries


@dataclass(eq=False)
class Columns:
    r"""Columns of numbers as dense ranks, and the distinct numbers behind the ranks.

    Equal numbers have equal ranks 0, 1, 2, ... in ascending order; a missing entry has the rank behind the last.
    A tree compares only ranks, so it never sorts a number twice. Categories are ranked by their codes.

    Attributes
    ----------
    n : int      d : int
    start : (d + 1,) int64
        Where a column's distinct numbers begin in ``values``.
    n_categories : (d,) int32
        0 for a column of numbers, else its number of categories.
    has_missing : (d,) uint8
        Whether the column has missing entries.
    numbers : (n, d) float64 or None
        The table itself where it is a plain block: no copy.

    Memory: ``ranks`` takes 4 bytes an entry, ``order`` 8, ``values`` 8 for each distinct number; each is made when
    first asked for. They are dense, whether or not the table was.

    Examples
    --------
    >>> from assay.trees import rank_columns
    >>> columns = rank_columns(np.array([[0.5], [9.0], [0.5], [np.nan]]))
    >>> columns.ranks, columns.values, columns.has_missing
    (array([[0, 1, 0, 2]], dtype=int32), array([0.5, 9. ]), array([1], dtype=uint8))
    """

    n: int
    d: int
    start: np.ndarray
    n_categories: np.ndarray
    has_missing: np.ndarray
    numbers: np.ndarray | None = None
    _ranks: np.ndarray | None = None
    _order: np.ndarray | None = None
    _values: np.ndarray | None = None
    _native: dict[Any, Any] = field(default_factory=dict)  # records of these arrays, for trees of each kind

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n, self.d

    @property
    def ranks(self) -> np.ndarray:
        """(d, n) int32: the rank of each row, column by column."""
        if self._ranks is None and self._order is None:
            raise ValueError("Columns: a tree was grown with use_up=True; rank the columns again.")
        if self._ranks is None:
            ranks = np.empty((self.d, self.n), np.int32)
            order = self.order
            _by_column(lambda j: _ranks.ranks_of_order(order[j], ranks[j]), self)
            self._ranks = ranks
        return self._ranks

    @property
    def order(self) -> np.ndarray:
        """(d, n) uint64: ``rank << 32 | row``, each column in ascending order."""
        if self._order is None:
            order = np.empty((self.d, self.n), np.uint64)
            ranks, width = self.ranks, np.diff(self.start) + 1
            _by_column(lambda j: _ranks.order_of_ranks(ranks[j], int(width[j]), order[j]), self)
            self._order = order
        return self._order

    @property
    def values(self) -> np.ndarray:
        """(v,) float64: the distinct numbers of column j, ascending, at ``start[j]`` to ``start[j + 1]``."""
        if self._values is None:
            values, order, X = np.empty(self.start[-1]), self.order, self.numbers

            def find(j: int) -> None:
                mine = values[self.start[j] : self.start[j + 1]]
                if self.n_categories[j]:
                    mine[:] = np.arange(len(mine))
                else:
                    assert X is not None
                    _ranks.values_of_order(order[j], X, j, mine)

            _by_column(find, self)
            self._values = values
        return self._values

    @property
    def sorted_numbers(self) -> bool:
        """Whether a number is found by the row of its place in the order, so that ``values`` need not be made."""
        return self.numbers is not None and self._values is None

    def use_up(self) -> None:
        """Forget the sorted columns, because a tree has been grown in their place."""
        self._order = None
        self._native.clear()


def rank_columns(X: np.ndarray, n_categories: Any = None, *, presorted: bool = True) -> Columns:
    """Rank the columns of a dense or sparse block.

    Parameters
    ----------
    X : (n, d) float64 or float32 array, or SciPy sparse matrix
        Numbers, category codes, NaN where missing. A sparse matrix is read column by column.
    n_categories : (d,) ints, default None
        How many categories each column has; 0, or None for all, means numbers.
    presorted : bool, default True
        Keep the sorted columns (for trees that look at all columns), or the ranks (for trees that look at a few
        columns of each node). The other one is made when it is asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees.columns import rank_columns
    >>> columns = rank_columns(np.array([[2.5], [np.nan], [1.0], [2.5]]))
    >>> columns.ranks, columns.values
    (array([[1, 2, 0, 1]], dtype=int32), array([1. , 2.5]))
    """
    if isinstance(X, Columns):  # ranked already
        return X
    n, d = X.shape
    if n >= 2**31:
        raise DataError(f"A tree can learn from at most 2^31 - 1 rows, got {n}.")
    categories = (
        np.zeros(d, np.int32) if n_categories is None else np.ascontiguousarray(n_categories, np.int32)
    )
    order = np.empty((d, n) if presorted else (0, 0), np.uint64)
    ranks = np.empty((0, 0) if presorted else (d, n), np.int32)
    plain = isinstance(X, np.ndarray) and X.dtype == np.float64
    lean = plain and presorted  # the order and the table say the numbers
    blocks = [(j, min(j + SIDE, d)) for j in range(0, d, SIDE)]
    if isinstance(X, np.ndarray):
        X = np.ascontiguousarray(X, X.dtype if X.dtype in (np.float64, np.float32) else np.float64)

        def work(block: tuple[int, int]) -> Any:
            a, b = block
            return _ranks.rank_block(
                X=X, first=a, last=b, categories=categories, order=order, ranks=ranks, keep_values=not lean
            )
    else:
        S = X.tocsc()

        def work(block: tuple[int, int]) -> Any:
            a, b = block
            dense = np.ascontiguousarray(S[:, a:b].toarray(), np.float64)
            return _ranks.rank_block(
                X=dense,
                first=0,
                last=b - a,
                categories=categories[a:b],
                order=order[a:b],
                ranks=ranks[a:b],
                keep_values=True,
            )

    if n * d < WORTH_A_THREAD:
        parts = [work(block) for block in blocks]
    else:
        parts = in_threads(work, blocks)
    values, distinct, has_missing = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts))
    start = np.zeros(d + 1, np.int64)
    np.cumsum(distinct, out=start[1:])
    return Columns(
        n=n,
        d=d,
        start=start,
        n_categories=categories,
        has_missing=(has_missing > 0).view(np.uint8),
        numbers=X if plain else None,
        _ranks=None if presorted else ranks,
        _order=order if presorted else None,
        _values=None if lean else values,
    )


def _by_column(work: Any, columns: Columns) -> None:
    if columns.n * columns.d < WORTH_A_THREAD:
        for j in range(columns.d):
            work(j)
    else:
        in_threads(work, range(columns.d))
