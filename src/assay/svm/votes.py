"""Machines of pairs of classes: their problems, their coefficients side by side, and what their scores decide."""

from __future__ import annotations

from itertools import combinations

import numpy as np

__all__ = ["pair_scores", "pairs_of", "sides", "votes_and_confidence"]


def pairs_of(K: int) -> list[tuple[int, int]]:
    """The pairs of K classes, in the order in which scikit-learn has their machines.

    >>> from assay.svm.votes import pairs_of
    >>> pairs_of(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(K), 2))


def sides(
    y: np.ndarray, counts: np.ndarray, K: int, one_vs_rest: bool
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The rows of each binary problem, and the side, 1 or -1, on which each of them is.

    With two classes the second is on the side 1; of a pair the first, as with LIBSVM; of one against the rest the one.

    Parameters
    ----------
    y : (n,) class numbers      counts : (n,) whether a row has a weight
    """
    if K == 2:
        rows = np.flatnonzero(counts)
        return [(rows, np.where(y[rows] == 1, 1.0, -1.0))]
    if one_vs_rest:
        rows = np.flatnonzero(counts)
        return [(rows, np.where(y[rows] == k, 1.0, -1.0)) for k in range(K)]
    in_order, problems = bool((y[1:] >= y[:-1]).all()), []
    if in_order and counts.all():
        starts = np.searchsorted(y, np.arange(K + 1))
        of_class = [np.arange(starts[k], starts[k + 1]) for k in range(K)]
    else:
        of_class = [np.flatnonzero(counts & (y == k)) for k in range(K)]
    for i, j in pairs_of(K):
        rows = np.concatenate([of_class[i], of_class[j]])
        sign = np.ones(len(rows))
        sign[len(of_class[i]) :] = -1.0
        if not in_order:
            order = np.argsort(rows)
            rows, sign = rows[order], sign[order]
        problems.append((rows, sign))
    return problems


def pair_scores(sums: list[np.ndarray]) -> np.ndarray:
    """(q, P) the scores of all pairs, of (q, K - 1) sums over the support vectors of each class.

    The coefficients of a class have one column for each other class, those after it one place earlier: in the machine
    (i, j) class i has column j - 1, and class j column i.
    """
    return np.stack([sums[i][:, j - 1] + sums[j][:, i] for i, j in pairs_of(len(sums))], axis=1)


def votes_and_confidence(scores: np.ndarray, K: int) -> tuple[np.ndarray, np.ndarray]:
    """(q, K) twice: how many pairs each class wins, and the sum of its scores over them.

    >>> import numpy as np
    >>> from assay.svm.votes import votes_and_confidence
    >>> votes_and_confidence(np.array([[1.0, -2.0, 0.5]]), 3)  # the first beats the second, the third the first
    (array([[1., 1., 1.]]), array([[-1. , -0.5,  1.5]]))
    """
    votes, sums = np.zeros((2, len(scores), K))
    for p, (i, j) in enumerate(pairs_of(K)):
        second = scores[:, p] < 0
        votes[:, i] += ~second
        votes[:, j] += second
        sums[:, i] += scores[:, p]
        sums[:, j] -= scores[:, p]
    return votes, sums
