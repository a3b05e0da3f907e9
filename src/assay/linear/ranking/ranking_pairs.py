"""Preference pairs of rows from grades, orders or clicks, and the ranking error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Integer
from assay.core.targets import plain_values
from assay.errors import DataError, ParameterError
from assay.tables.row_names import row_name
from assay.types import RandomState, RowLabels, Scores

__all__ = ["RankingError", "pairs_from_clicks", "pairs_from_grades", "ranking_error"]

PAIRS_PER_BLOCK = 1 << 20  # pairs that are looked at together


@dataclass(frozen=True)
class RankingError:
    r"""How well scores g agree with pairs (u, v), u above v.

    Attributes
    ----------
    pairs : number of pairs
    violated : pairs with g(u) < g(v)
    tied : pairs with g(u) = g(v)
    hinge : sum of :math:`[\text{margin} + g(v) - g(u)]_+` over the pairs
    """

    pairs: int
    violated: int
    tied: int
    hinge: float
    stored = {
        "pairs": Integer(),
        "violated": Integer(),
        "tied": Integer(),
    }

    @property
    def share(self) -> float:
        """The share of pairs in the wrong order, a tie counting one half."""
        return (self.violated + self.tied / 2) / self.pairs if self.pairs else 0.0


def ranking_error(scores: Scores, pairs: ArrayLike | None, margin: float = 0.0) -> RankingError:
    """Compare scores with pairs of rows.

    >>> from assay.linear.ranking.ranking_pairs import ranking_error
    >>> ranking_error([3.0, 0.0, 2.0, -1.0, -1.0], [[0, 1], [1, 2], [3, 4]])
    RankingError(pairs=3, violated=1, tied=1, hinge=2.0)

    See Also
    --------
    PairwiseRanker, pairs_from_grades

    References
    ----------
    - Herbrich, R., Graepel, T. and Obermayer, K. (2000). Large margin rank boundaries for ordinal regression. In
      Advances in Large Margin Classifiers, 115-132. MIT Press.
    """
    g = np.asarray(scores, dtype=np.float64)
    if g.ndim != 1 or not np.isfinite(g).all():
        raise DataError("ranking_error: scores must be one column of finite numbers.")
    rows = checked_pairs(pairs, len(g), "ranking_error")
    violated, tied, hinge = 0, 0, 0.0
    for a in range(0, len(rows), PAIRS_PER_BLOCK):
        gap = g[rows[a : a + PAIRS_PER_BLOCK, 0]] - g[rows[a : a + PAIRS_PER_BLOCK, 1]]
        violated += int((gap < 0).sum())
        tied += int((gap == 0).sum())
        hinge += float(np.maximum(margin - gap, 0.0).sum())
    return RankingError(len(rows), violated, tied, hinge)


def pairs_from_grades(
    grades: ArrayLike,
    group: RowLabels | None = None,
    *,
    best: str = "highest",
    max_pairs: int | None = None,
    random_state: RandomState = 0,
) -> np.ndarray:
    """(m, 2) all pairs of rows of one group with different grades, the better row first.

    Parameters
    ----------
    grades : (n,) numbers; equal ones are not compared
    group : (n,) the query or list that each row belongs to; None for one list
    best : "highest" or "lowest"
        Which grade is the best; "lowest" for ranks, 1 being the first.
    max_pairs : int or None
        If there are more, this many are drawn at random, with replacement, so that memory stays small.
    random_state : seed of the draw

    >>> from assay.linear.ranking.ranking_pairs import pairs_from_grades
    >>> pairs_from_grades([2, 0, 1, 1, 3], group=["a", "a", "a", "b", "b"]).tolist()
    [[0, 2], [0, 1], [2, 1], [4, 3]]
    """
    who = "pairs_from_grades"
    if best not in ("highest", "lowest") or not (max_pairs is None or max_pairs >= 0):
        raise ParameterError(
            f"{who}: best must be 'highest' or 'lowest' and max_pairs a whole number from 0 up or None, got {best!r} "
            f"and {max_pairs!r}."
        )
    value = numbers_in(grades)
    if value is None or value.ndim != 1 or not np.isfinite(value).all():
        raise DataError(f"{who}: grades must be one column of finite numbers, none missing.")
    code = group_codes(group, len(value), who)
    order = np.lexsort((-value if best == "highest" else value, code))
    g, v = code[order], value[order]
    n, place = len(order), np.arange(len(order))
    last = np.append(np.flatnonzero(np.diff(g)) + 1, n)
    end = last[np.searchsorted(last, place, side="right")]  # where the row's group ends
    turn = np.append(np.flatnonzero((np.diff(g) != 0) | (np.diff(v) != 0)) + 1, n)
    start = turn[
        np.searchsorted(turn, place, side="right")
    ]  # where rows begin that are worse, or of the next group
    count = np.maximum(end - start, 0)
    before = np.cumsum(count) - count
    total = int(count.sum())
    if max_pairs is not None and total > max_pairs:
        from assay.core.seeds import random_state_of

        pick = random_state_of(random_state).randint(0, total, max_pairs)
        first = np.searchsorted(before + count, pick, side="right")
        second = start[first] + pick - before[first]
    else:
        first = np.repeat(place, count)
        second = np.repeat(start - before, count) + np.arange(total)
    return np.column_stack((order[first], order[second])).astype(np.int64, copy=False)


def group_codes(group: Any, n: int, who: str) -> np.ndarray:
    """(n,) the number of each row's group; zeros for one list.

    >>> from assay.linear.ranking.ranking_pairs import group_codes
    >>> group_codes(["b", "a", "b"], 3, "rank")
    array([1, 0, 1])
    """
    if group is None:
        return np.zeros(n, dtype=np.int64)
    names = np.asarray(plain_values(group))
    if names.shape != (n,):
        raise DataError(f"{who}: there are {n} rows, but group has shape {names.shape}.")
    try:
        return np.unique(names, return_inverse=True)[1]
    except TypeError:
        raise DataError(
            f"{who}: group must be labels of one kind, all text or all numbers, none missing."
        ) from None


def numbers_in(values: Any) -> np.ndarray | None:
    """The values as floats, None if some are no numbers."""
    try:
        return np.asarray(plain_values(values), dtype=np.float64)
    except (TypeError, ValueError):
        return None


def pairs_from_clicks(shown: Sequence[Any], clicked: Sequence[Any]) -> np.ndarray:
    """(m, 2) preferences from clicks: a clicked row outranks the rows above it that were skipped.

    Parameters
    ----------
    shown : row numbers in the order in which they were shown, or a list of such lists
    clicked : the row numbers that were clicked, or a list of such lists

    >>> from assay.linear.ranking.ranking_pairs import pairs_from_clicks
    >>> pairs_from_clicks([4, 7, 5, 6], [5]).tolist()
    [[5, 4], [5, 7]]

    See Also
    --------
    pairs_from_grades, PairwiseRanker

    References
    ----------
    - Joachims, T. (2002). Optimizing search engines using clickthrough data. Knowledge Discovery and Data Mining,
      133-142. doi:10.1145/775047.775067
    """
    nested = len(shown) > 0 and np.ndim(shown[0]) == 1
    lists, clicks = (shown, clicked) if nested else ([shown], [clicked])
    if len(lists) != len(clicks):
        raise DataError(f"pairs_from_clicks: {len(lists)} lists were shown, but {len(clicks)} have clicks.")
    pairs = []
    for rows, chosen in zip(lists, clicks):
        wanted = {int(row) for row in chosen}
        if strange := wanted - {int(row) for row in rows}:
            raise DataError(f"pairs_from_clicks: the row number {min(strange)} was clicked, but not shown.")
        skipped: list[int] = []
        for row in map(int, rows):
            if row in wanted:
                pairs += [(row, other) for other in skipped]
            else:
                skipped.append(row)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def checked_pairs(pairs: Any, n: int, who: str) -> np.ndarray:
    """(m, 2) int32, if they are rows of a table of n."""
    rows = np.asarray(pairs)
    if not rows.size:
        rows = rows.reshape(0, 2).astype(np.int64)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise DataError(
            f"{who}: pairs must be two columns of row numbers, the better row first, got shape {rows.shape} of "
            f"{rows.dtype}."
        )
    if rows.size and (rows.min() < 0 or rows.max() >= n):
        outside = rows.max() if rows.max() >= n else rows.min()
        raise DataError(
            f"{who}: pairs hold the row number {outside}; X has {n} rows, whose numbers are 0 to {n - 1}."
        )
    itself = np.flatnonzero(rows[:, 0] == rows[:, 1])
    if len(itself):
        first = itself[0]
        raise DataError(
            f"{who}: pairs[{first}] is {rows[first].tolist()}, which puts {row_name(rows[first, 0])} above itself. "
            "Leave such pairs out."
        )
    if n > np.iinfo(np.int32).max:
        raise DataError(f"{who}: X has {n} rows, at most {np.iinfo(np.int32).max} can be ranked.")
    return np.ascontiguousarray(rows, np.int32)
