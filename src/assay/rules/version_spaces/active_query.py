"""Active learning: the row whose label narrows the gap between S and G most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.rules.version_spaces.box import Box
from assay.rules.version_spaces.elimination import learned
from assay.rules.version_spaces.version_space import VersionSpace

__all__ = ["Query", "active_queries", "next_query"]


@dataclass(frozen=True)
class Query:
    """A row to be labelled.

    Attributes
    ----------
    row : (d,) its values, categories as codes
    index : int, its number in the pool, or -1 if it was made up
    gain : float
        By how much the gap between S and G narrows at least on one side, whatever the answer.
    """

    row: np.ndarray
    index: int
    gain: float


def next_query(space: VersionSpace, pool: Any = None) -> Query | None:
    r"""The row whose label narrows a version space most.

    A positive answer extends S to the row, a negative one lets G shrink from it. Where a side of S and the same side of
    G are a gap g apart and the row lies a part t of it outside S, one answer narrows the gap by t g and the other by
    (1 - t) g; the gain is the smaller one, at best g/2: bisection. A side without an end narrows by t g in either case.

    Parameters
    ----------
    space : VersionSpace
    pool : table or None
        The rows that can be asked about. None makes a row up: the middle of S, moved half-way into the widest gap.

    Returns
    -------
    Query, or None if no row is in doubt

    Examples
    --------
    >>> from assay.rules import VersionSpace, next_query
    >>> space = VersionSpace.of([[4.0], [6.0], [0.0], [7.0]], [1, 1, 0, 0])
    >>> next_query(space)
    Query(row=array([2.]), index=-1, gain=2.0)
    >>> next_query(space, [[1.0], [3.5], [5.0], [8.0]]).index
    0

    See Also
    --------
    active_queries, VersionSpace

    References
    ----------
    - Seung, H. S., Opper, M. and Sompolinsky, H. (1992). Query by committee. Workshop on Computational Learning
      Theory, 287-294.
    """
    if space.empty or space.specific.empty:
        raise DataError(
            "next_query: the version space needs a positive row and must not be empty. Begin with a positive row."
        )
    if pool is None:
        return _made_up(space)
    X = space._block(pool)
    doubt = np.flatnonzero(space.levels(X) == 0.5)
    if not len(doubt):
        return None
    gain = np.array([max(_gain(space.specific, G, X[i]) for G in space.general) for i in doubt])
    best = int(doubt[np.argmax(gain)])
    return Query(X[best], best, float(gain.max()))


def active_queries(
    space: VersionSpace, oracle: Callable[[np.ndarray], Any], n: int, pool: Any = None
) -> tuple[VersionSpace, list[tuple[Query, bool]]]:
    """Query up to n labels, each time of the most informative row.

    Parameters
    ----------
    oracle : function of a row, true if it is positive
    pool : table or None, as in :func:`next_query`

    Returns
    -------
    space : the version space after all answers
    asked : list of (Query, answer)

    Examples
    --------
    >>> from assay.rules import VersionSpace, active_queries
    >>> space = VersionSpace.of([[4.0], [6.0], [0.0], [7.0]], [1, 1, 0, 0])
    >>> space, asked = active_queries(space, lambda row: row[0] > 1, 1, [[1.0], [3.5], [5.0], [8.0]])
    >>> [(query.row.tolist(), answer) for query, answer in asked]
    [([1.0], False)]

    See Also
    --------
    next_query, VersionSpace

    References
    ----------
    - Seung, H. S., Opper, M. and Sompolinsky, H. (1992). Query by committee. Workshop on Computational Learning
      Theory, 287-294.
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """
    asked: list[tuple[Query, bool]] = []
    for _ in range(n):
        query = next_query(space, pool)
        if query is None:
            break
        answer = bool(oracle(query.row))
        space = learned(space, query.row, answer)
        asked.append((query, answer))
    return space, asked


def _gain(S: Box, G: Box, x: np.ndarray) -> float:
    """By how much an answer about x narrows the gap at least, on its best side; 0 if G does not hold x."""
    if not G.covers(x[None])[0]:
        return 0.0
    best = 0.0
    for s in S.conditions:
        g, v = G.on(s.column), x[s.column]
        if s.codes is not None:
            best = max(best, float(v not in s.codes))  # a category more, or one less
            continue
        low, high = (-np.inf, np.inf) if g is None else (g.low, g.high)
        for out, gap in ((s.low - v, s.low - low), (v - s.high, high - s.high)):
            if out > 0:
                best = max(best, float(min(out, gap - out)))
    return best


def _made_up(space: VersionSpace) -> Query | None:
    """The middle of S moved into the widest gap; where a side has no end, out by the width of S, or by 1."""
    S = space.specific
    middle = np.zeros(len(space.schema))
    for s in S.conditions:
        middle[s.column] = s.codes[0] if s.codes is not None else s.low / 2 + s.high / 2
    best: tuple[float, np.ndarray] | None = None
    for G in space.general:
        for s in S.conditions:
            if s.codes is not None:
                continue
            g = G.on(s.column)
            for low in (True, False):
                end = (-np.inf if low else np.inf) if g is None else (g.low if low else g.high)
                bound = s.low if low else s.high
                step = (s.high - s.low or 1.0) if np.isinf(end) else abs(end - bound) / 2
                at = bound - step if low else bound + step
                if at in (bound, end):
                    continue  # there is no number between
                x = middle.copy()
                x[s.column] = at
                gain = _gain(S, G, x)
                if gain > 0 and (best is None or gain > best[0]):
                    best = gain, x
    return None if best is None else Query(best[1], -1, best[0])
