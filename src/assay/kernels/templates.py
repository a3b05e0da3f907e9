"""Which training rows others are compared with: all, some at random, central ones, or ones that cover the rest."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from assay.distances.metric import Metric
from assay.errors import DataError
from assay.kernels.kernel import Kernel
from assay.tables.rows import row_count, take_rows
from assay.types import TableLike, Target

__all__ = ["TEMPLATES", "choose_templates", "distances_between"]

TEMPLATES = ("random", "centers", "covering", "by class")
MOST_ROUNDS = 20  # of the search for central rows


class Comparison(Protocol):
    """A kernel or a metric: values for all pairs of rows."""

    def between(self, A: Any, B: Any) -> np.ndarray: ...


def distances_between(comparison: Comparison, A: Any, B: Any) -> np.ndarray:
    r"""(n, m) distances: those of a metric, of a kernel :math:`\sqrt{s(a, a) + s(b, b) - 2s(a, b)}`.

    >>> from assay.kernels import Linear
    >>> from assay.kernels.templates import distances_between
    >>> import numpy as np
    >>> distances_between(Linear(), np.array([[0.0]]), np.array([[3.0], [-4.0]]))
    array([[3., 4.]])
    """
    if not isinstance(comparison, Kernel):
        return comparison.between(A, B)
    squares = comparison.diagonal(A)[:, None] + comparison.diagonal(B) - 2.0 * comparison.between(A, B)
    return np.sqrt(np.maximum(squares, 0.0))


def choose_templates(
    comparison: Kernel | Metric,
    X: TableLike,
    n_templates: int | None,
    how: str = "random",
    y: Target | None = None,
    random: np.random.RandomState | None = None,
) -> np.ndarray:
    """(m,) the places of rows that others are compared with, ascending.

    "covering" takes, one after the other, the row that is farthest from those taken, beginning with the most central
    one: every row is then at most twice as far from a template as with the best choice. "centers" takes rows in the
    middle of groups (k-medoids, from a covering start). "by class" covers each class with its share of the templates.

    Parameters
    ----------
    comparison : Kernel or Metric
    X : rows
    n_templates : int, or None for all rows
    how : "random", "centers", "covering" or "by class", default "random"
    y : (n,) classes, for "by class"
    random : RandomState, for "random"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import Linear, choose_templates
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [9.0], [9.1]])
    >>> choose_templates(Linear(), X, 3, "covering")
    array([0, 3, 5])

    References
    ----------
    - Gonzalez, T. F. (1985). Clustering to minimize the maximum intercluster distance. Theoretical Computer Science 38,
      293-306. doi:10.1016/0304-3975(85)90224-5
    """
    n = row_count(X, "choose_templates")
    m = n if n_templates is None else min(int(n_templates), n)
    if m == n:
        return np.arange(n)
    if how == "random":
        return np.sort((random or np.random.RandomState(0)).permutation(n)[:m])
    if how == "covering":
        return np.sort(_covering(comparison, X, m))
    if how == "centers":
        return np.sort(_medoids(comparison, X, _covering(comparison, X, m)))
    if y is None:
        raise DataError("templates='by class' needs the classes y of the rows.")
    return np.sort(_by_class(comparison, X, np.asarray(y), m))


def _covering(comparison: Any, X: Any, m: int) -> np.ndarray:
    n = row_count(X, "choose_templates")
    some = take_rows(X, np.arange(0, n, max(1, n // 500)))  # the centre of some rows is central enough
    chosen = [int(np.argmin(distances_between(comparison, X, some).sum(axis=1)))]
    nearest = np.full(n, np.inf)
    while True:
        nearest = np.minimum(nearest, distances_between(comparison, X, take_rows(X, chosen[-1:]))[:, 0])
        nearest[chosen] = -1.0
        if len(chosen) == m:
            return np.array(chosen)
        chosen.append(int(np.argmax(nearest)))


def _medoids(comparison: Any, X: Any, start: np.ndarray) -> np.ndarray:
    medoids = start.copy()
    for _ in range(MOST_ROUNDS):
        group = np.argmin(distances_between(comparison, X, take_rows(X, medoids)), axis=1)
        before = medoids.copy()
        for k in range(len(medoids)):
            members = np.flatnonzero(group == k)
            if len(members):
                rows = take_rows(X, members)
                medoids[k] = members[np.argmin(distances_between(comparison, rows, rows).sum(axis=1))]
        if np.array_equal(medoids, before):
            break
    return np.unique(medoids)


def _by_class(comparison: Any, X: Any, y: np.ndarray, m: int) -> np.ndarray:
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    share = np.maximum(1, np.floor(m * counts / len(y)).astype(int))
    for k in np.argsort(-(m * counts / len(y) - share), kind="stable")[: max(0, m - share.sum())]:
        share[k] += 1
    places = []
    for k in range(len(classes)):
        rows = np.flatnonzero(codes.ravel() == k)
        some = min(int(share[k]), len(rows))
        places.append(rows if some == len(rows) else rows[_covering(comparison, take_rows(X, rows), some)])
    return np.concatenate(places)
