"""Fewer training rows: those that the others foretell can go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.processes.routes.exact import Exact
from assay.stats.checks import tail_of

__all__ = ["Pruning", "prune"]

TIES = 1e-9  # difference of scores that is rounding


@dataclass(frozen=True)
class Pruning:
    """Which training rows are kept.

    Attributes
    ----------
    kept : (m,) their places, in order
    removed : (n - m,) the places of the others, in the order in which they went
    """

    kept: np.ndarray
    removed: np.ndarray


def prune(model: Any, level: float = 0.95) -> Pruning:
    r"""Remove training rows whose target lies in the interval that the other rows give for it.

    One row at a time goes: the one with the smallest :math:`|y_i - m_{(i)}| / \sqrt{v_{(i)}}` (noise included), as long
    as it is inside the interval of that level; among equals the first. With :math:`V = C^{-1}` of the rows that are
    left, :math:`y_i - m_{(i)} = [Vy]_i / V_{ii}` and :math:`v_{(i)} = 1 / V_{ii}`, and without row i

    .. math:: V \leftarrow V - V_{\cdot i} V_{i \cdot} / V_{ii} \quad (1)

    so that a removal costs O(n^2). At least one row stays. Testing all rows at once could remove all of them.

    Parameters
    ----------
    model : fitted GaussianProcessRegressor of one target, computed by the exact route
    level : float, default 0.95
        Of the interval.

    Returns
    -------
    Pruning

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes import GaussianProcessRegressor, prune
    >>> x = np.linspace(0, 6, 30)[:, None]
    >>> y = 9 * np.sin(x[:, 0])
    >>> process = GaussianProcessRegressor(RBF(1.0), alpha=0.01, optimizer=None)
    >>> kept = prune(process.fit(x, y)).kept
    >>> len(kept), bool(np.abs(process.fit(x[kept], y[kept]).predict(x) - y).max() < 2)
    (6, True)

    See Also
    --------
    GaussianProcessRegressor, next_queries
    """
    from scipy.special import ndtri

    tail = tail_of(level, "prune")
    route = getattr(model, "route_", None)
    if not isinstance(route, Exact) or route.Y.shape[1] != 1:
        raise DataError(
            "prune: expected a fitted GaussianProcessRegressor of one target, computed with method='exact'."
        )
    limit = -float(ndtri(tail))
    V, left, removed = route.factor.inverse(), np.arange(len(route.Y)), []
    while len(left) > 1:
        diagonal = np.diagonal(V)
        score = np.abs(V @ route.Y[left, 0]) / np.sqrt(diagonal)
        first = int(np.argmax(score <= score.min() + TIES))
        if score[first] > limit:
            break
        removed.append(int(left[first]))
        others = np.delete(np.arange(len(left)), first)
        column = V[others, first]
        V = V[np.ix_(others, others)] - np.outer(column, column / diagonal[first])  # (1)
        left = left[others]
    return Pruning(left, np.array(removed, dtype=np.int64))
