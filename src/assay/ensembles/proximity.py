r"""How alike a forest finds rows: the share of trees in which they end in the same leaf.

.. math:: p(i, j) = \frac1T\sum_{t=1}^T [\,l_t(x_i) = l_t(x_j)\,]                 \quad (1)

Proximities are a similarity made for the question at hand: columns that do not help to predict do not count, and
mixed, missing and badly scaled columns need no preparation. :math:`1-p` is a distance for clustering or a map of
the rows; rows that are far from all others of their class are outliers (Breiman and Cutler).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.csr import compressed_matrix
from assay.core.targets import encode_labels
from assay.ensembles.forest import refuse_no_forest
from assay.ensembles.out_of_bag import out_of_bag
from assay.errors import DataError
from assay.types import TableLike, Target

__all__ = ["outlier_scores", "proximity"]

BLOCK = 512  # rows that are compared with all others at a time


def proximity(forest: Any, X: TableLike, others: Any = None, *, out_of_bag_only: bool = False) -> np.ndarray:
    """(n, m) the share of trees in which a row of X and a row of ``others`` end in the same leaf (1).

    Cost: O(n m) memory, O(n m T) time at worst; leaves with few rows make it much less.

    Parameters
    ----------
    forest : a fitted forest
    X : the rows
    others : the rows to compare them with; None compares the rows of X with each other
    out_of_bag_only : bool
        Count only trees that have seen neither of the two rows; X must be the training table. Rows that a tree has
        seen are less alike than new ones. Pairs without such a tree get 0.

    Examples
    --------
    >>> from assay.ensembles import RandomForestClassifier
    >>> from assay.ensembles.proximity import proximity
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, ["a", "a", "b", "b"])
    >>> P = proximity(forest, X)
    >>> P[0, 0], P[0, 1] > P[0, 2]
    (np.float64(1.0), np.True_)
    """
    refuse_no_forest(forest, "proximity")
    ours, T = _leaves(forest, X), len(forest.trees_)
    if not out_of_bag_only:
        theirs = ours if others is None else _leaves(forest, others)
        return _products(ours, theirs) / T  # (1)
    n = ours.shape[0]
    if others is not None or not forest.bootstrap or getattr(forest, "_bags", {"rows": -1})["rows"] != n:
        raise DataError(
            f"proximity: which rows a {type(forest).__name__} has not seen is known for its training table alone, "
            "only with bootstrap=True, and not if it was made compact."
        )
    outside = np.stack([out_of_bag(rows, n) for rows in forest.estimators_samples_], axis=1)
    known = ours.copy()
    known.data = outside.ravel().astype(np.float64)  # one entry for each tree, in order
    both = outside.astype(np.float64) @ outside.T
    return np.divide(_products(known, known), both, out=np.zeros((n, n)), where=both > 0)


def outlier_scores(proximities: np.ndarray, y: Target) -> np.ndarray:
    r"""(n,) how far each row is from the others of its class; above about 10 it is worth a look.

    The raw score of row i is :math:`n\,/\sum_{j\ne i,\,y_j=y_i}p(i,j)^2`; within each class the median is subtracted
    and the result divided by the mean absolute deviation from it.

    >>> from assay.ensembles.proximity import outlier_scores
    >>> P = np.array([[1, 0.9, 0.8, 0.1], [0.9, 1, 0.9, 0.1], [0.8, 0.9, 1, 0.1], [0.1, 0.1, 0.1, 1]])
    >>> outlier_scores(P, [0, 0, 0, 0]).round(1) + 0.0
    array([0., 0., 0., 4.])
    """
    P = np.asarray(proximities, np.float64)
    n = len(P)
    if P.shape != (n, n):
        raise DataError(
            f"outlier_scores: expected the proximities of n rows with each other, got shape {P.shape}."
        )
    classes, codes = encode_labels(y, n, "outlier_scores")
    scores = np.zeros(n)
    for k in range(len(classes)):
        rows = np.flatnonzero(codes == k)
        squares = P[np.ix_(rows, rows)] ** 2
        raw = n / np.maximum(squares.sum(axis=1) - np.diag(squares), 1e-12)
        middle = np.median(raw)
        spread = np.mean(np.abs(raw - middle))
        scores[rows] = (raw - middle) / spread if spread > 0 else 0.0
    return scores


def _leaves(forest: Any, X: Any) -> Any:
    """(n, nodes) sparse: 1 at the leaf of each tree that a row reaches."""
    trees = forest.trees_
    leaf = trees.walker.apply(forest._admit(X), forest.n_jobs) + trees.roots[:-1]
    n, T = leaf.shape
    indptr = np.arange(0, n * T + 1, T)
    return compressed_matrix("csr_array", np.ones(n * T), leaf.ravel(), indptr, (n, trees.node_count))


def _products(a: Any, b: Any) -> np.ndarray:
    """(n, m) the dense product of a and b transposed, some rows at a time."""
    turned = b.T.tocsr()
    out = np.empty((a.shape[0], b.shape[0]))
    for start in range(0, a.shape[0], BLOCK):
        out[start : start + BLOCK] = (a[start : start + BLOCK] @ turned).toarray()
    return out
