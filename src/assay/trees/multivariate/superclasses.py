"""Two groups of classes, so that a node with two branches can serve any number of classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.core.moments import class_scatter
from assay.trees.multivariate.rows import NodeRows

__all__ = ["GROUPINGS", "ClassSums", "class_sums", "exchange", "fisher_weights", "group_classes", "two_means"]

GROUPINGS = ("exchange", "2-means")


def two_means(means: np.ndarray, counts: np.ndarray) -> np.ndarray:
    r"""(K,) bool: classes in two groups by 2-means on the class means, each mean counting as its class does.

    Starts at the two means that are farthest apart; a mean goes to the nearer centre, centres become the weighted
    means of their groups, until nothing changes. The second of the two starts is in the group that is True.

    Parameters
    ----------
    means : (K, d)      counts : (K,)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees.multivariate.superclasses import two_means
    >>> two_means(np.array([[0.0, 0.0], [9.0, 9.0], [1.0, 0.0], [9.0, 8.0]]), np.ones(4))
    array([False,  True, False,  True])
    """
    group = _nearer(means, *_far_apart(means))
    for _ in range(100):
        centres = [
            np.average(means[group == side], axis=0, weights=counts[group == side]) for side in (False, True)
        ]
        moved = _distance(means, centres[1]) < _distance(means, centres[0])
        if (moved == group).all() or moved.all() or not moved.any():
            break
        group = moved
    return group


def exchange(means: np.ndarray, judge: Callable[[np.ndarray], float]) -> np.ndarray:
    """(K,) bool: classes in two groups that a split keeps apart as well as possible.

    Starts with the two classes whose means are farthest apart and each other class on the nearer side. Then the one
    class moves over whose move lowers the impurity after the split most, until no move does.

    Parameters
    ----------
    means : (K, d)
    judge : function of a grouping that gives the impurity after its best split

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees.multivariate.superclasses import exchange
    >>> wanted = np.array([False, True, True, True])
    >>> exchange(np.array([[0.0], [9.0], [1.0], [8.0]]), lambda group: float(np.sum(group != wanted)))
    array([False,  True,  True,  True])
    """
    group = _nearer(means, *_far_apart(means))
    best = judge(group)
    if len(means) == 2:
        return group
    while True:
        moves = [_moved(group, k) for k in range(len(means))]
        moves = [move for move in moves if move.any() and not move.all()]
        losses = [judge(move) for move in moves]
        least = int(np.argmin(losses))
        if not losses[least] < best - 1e-12:
            return group
        group, best = moves[least], losses[least]


def group_classes(rows: NodeRows, how: str = "exchange") -> np.ndarray:
    """(n,) bool: the group of each row's class, by 2-means or by exchange judged with Fisher's direction.

    Which of the two is True follows from where their means lie, and not from the order of the classes.
    """
    if how not in rows.groups:
        rows.groups[how] = _grouped(rows, how)
    return rows.groups[how]


def _grouped(rows: NodeRows, how: str) -> np.ndarray:
    sums, present = class_sums(rows), rows.classes
    means = sums.mean[present]
    if len(present) == 2:
        group = np.array([False, True])
    elif how == "2-means":
        group = two_means(means, sums.count[present])
    else:
        group = exchange(means, lambda sides: _after_fisher(rows, sums, _all(sides, present, rows.K)))
    high = _all(group, present, rows.K)[rows.y]
    gap = np.average(rows.standard[high], axis=0, weights=rows.w[high]) - np.average(
        rows.standard[~high], axis=0, weights=rows.w[~high]
    )
    largest = np.flatnonzero(np.abs(gap) >= np.abs(gap).max() * (1 - 1e-9))[0]
    return high if gap[largest] >= 0 else ~high


@dataclass(frozen=True)
class ClassSums:
    """What Fisher's direction needs of the classes: weights, means, and the scatter within, added over classes.

    In standardised columns; where the scatter is singular, in the principal components that hold 99 % of the variance,
    with a trace of their variance added. ``basis`` (d, r) leads back to the columns.
    """

    count: np.ndarray
    mean: np.ndarray
    within: np.ndarray
    basis: np.ndarray | None = None


def class_sums(rows: NodeRows) -> ClassSums:
    """The sums of the rows at a node."""
    sums = class_scatter(rows.standard, rows.y, rows.w, rows.K, pooled=True)
    within = sums.scatter[0]
    if _is_regular(within):
        return ClassSums(sums.count, sums.mean, within)
    about = sums.mean - sums.count @ sums.mean / sums.count.sum()
    values, vectors = np.linalg.eigh(within + (about.T * sums.count) @ about)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = min(int(np.searchsorted(np.cumsum(values), 0.99 * values.sum())) + 1, len(values))
    V = vectors[:, :kept]
    trace = 1e-6 * values[:kept].mean() or 1.0  # all rows alike: any direction is as good
    return ClassSums(sums.count, sums.mean @ V, V.T @ within @ V + trace * np.eye(kept), V)


def _is_regular(S: np.ndarray) -> bool:
    try:
        return bool(np.diag(np.linalg.cholesky(S)).min() > 1e-6 * np.sqrt(np.diag(S).max()))
    except np.linalg.LinAlgError:
        return False


def fisher_weights(sums: ClassSums, high: np.ndarray) -> np.ndarray:
    r"""(d,) Fisher's direction between two groups of classes, from the sums of the classes alone.

    .. math:: w = S_W^{-1} (m_1 - m_0), \qquad
              S_W = \sum_k S_k + \sum_k n_k (m_k - m_{g(k)})(m_k - m_{g(k)})^T                    \quad (1)

    Parameters
    ----------
    sums : ClassSums
    high : (K,) bool, the group of each class
    """
    within, centres = sums.within.copy(), []
    for side in (False, True):
        n, means = sums.count[high == side], sums.mean[high == side]
        centre = n @ means / n.sum()
        within += ((means - centre).T * n) @ (means - centre)  # (1)
        centres.append(centre)
    w = np.linalg.solve(within, centres[1] - centres[0])
    return w if sums.basis is None else sums.basis @ w


def _after_fisher(rows: NodeRows, sums: ClassSums, high: np.ndarray) -> float:
    return rows.cut(rows.standard @ fisher_weights(sums, high))[1]


def _all(group: np.ndarray, present: np.ndarray, K: int) -> np.ndarray:
    """(K,) the groups of all classes, given those of the classes that are present."""
    high = np.zeros(K, bool)
    high[present] = group
    return high


def _distance(means: np.ndarray, centre: np.ndarray) -> np.ndarray:
    return np.sum((means - centre) ** 2, axis=1)


def _far_apart(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    apart = np.array([_distance(means, mean) for mean in means])
    first, second = np.unravel_index(int(np.argmax(apart)), apart.shape)
    return means[first], means[second]


def _nearer(means: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(K,) bool: nearer to the second; if both are the same point, the last class stands alone."""
    high = _distance(means, second) < _distance(means, first)
    return high if high.any() else np.arange(len(means)) == len(means) - 1


def _moved(group: np.ndarray, k: int) -> np.ndarray:
    moved = group.copy()
    moved[k] = not moved[k]
    return moved
