"""Error-based pruning, C4.5's own: believe the upper end of a confidence interval of each leaf's errors."""

from __future__ import annotations

import numpy as np

import assay.trees.pruning._raising as _raising
from assay.errors import ParameterError
from assay.stats.information.entropy import gini
from assay.trees.multiway import tree_of_counts
from assay.trees.pruning.bottom_up import class_weights, cut_where_cheaper
from assay.trees.tree import LEAF, NO_TEST, Tree

__all__ = ["error_based", "upper_errors"]


def upper_errors(n: np.ndarray, e: np.ndarray, confidence: float = 0.25) -> np.ndarray:
    r"""How many errors to expect on new rows of a leaf that gets e of its n training rows wrong.

    The upper end of a one-sided confidence interval of a binomial share; with :math:`f = (e + 1/2)/n` and z the
    (1 - confidence) quantile of the normal distribution

    .. math:: U(n, e) = n\,\frac{f + \frac{z^2}{2n} + z\sqrt{\frac{f - f^2}{n} + \frac{z^2}{4n^2}}}
                                {1 + \frac{z^2}{n}} \quad (e \ge 1), \qquad
              U(n, 0) = n (1 - \mathrm{confidence}^{1/n})

    with a straight line between e = 0 and e = 1, and n where e + 1/2 reaches n. These are the numbers of C4.5
    release 8 and of Weka's J48.

    >>> upper_errors(np.array([6.0, 9.0, 1.0]), np.array([0.0, 0.0, 0.0])).round(3)
    array([1.238, 1.285, 0.75 ])
    """
    from scipy.special import ndtri

    n, e = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(e, np.float64))
    z, size = float(-ndtri(confidence)), np.maximum(n, 1e-6)

    def from_one(e: np.ndarray) -> np.ndarray:
        f = (e + 0.5) / size
        inside = np.maximum(f / size - f * f / size + z * z / (4 * size * size), 0)
        top = size * (f + z * z / (2 * size) + z * np.sqrt(inside)) / (1 + z * z / size)
        return np.where(e + 0.5 >= n, np.maximum(n, e), top)

    with np.errstate(under="ignore", over="ignore"):
        none = n * -np.expm1(np.log(confidence) / size)
        expected = np.where(e >= 1, from_one(e), none + e * (from_one(np.ones_like(e)) - none))
    return np.where(n < 1e-6, 0.0, expected)


def error_based(
    tree: Tree,
    confidence: float = 0.25,
    X: np.ndarray | None = None,
    y: np.ndarray | None = None,
    w: np.ndarray | None = None,
) -> Tree:
    """Replace each subtree by a leaf, or by its heaviest branch, where that is expected to make no more errors.

    From the leaves up, three numbers of :func:`upper_errors` are compared: of the node as a leaf, of its subtree
    (the sum over its leaves), and of the subtree of its heaviest child once all rows of the node go through it.
    Within 0.1 error the leaf wins, then the child is raised into its parent's place. Without the training rows only
    leaves are tried.

    Parameters
    ----------
    tree : Tree of class shares
    confidence : float, default 0.25
        Smaller prunes more.
    X, y, w : (n, d), (n,) class codes, (n,) weights or None
        The training rows, for subtree raising.

    Examples
    --------
    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 6}, {"value": [1 / 3, 2 / 3], "n": 3}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> error_based(tree).node_count, error_based(tree, confidence=0.05).node_count
    (3, 1)
    """
    if not 0 < confidence <= 0.5:
        raise ParameterError(
            f"error_based: confidence must be a number above 0 up to 0.5, got {confidence!r}."
        )
    if X is None or y is None:
        counts = class_weights(tree)
        n = counts.sum(axis=1)
        expected = upper_errors(n, n - counts.max(axis=1), confidence)
        return cut_where_cheaper(tree, expected, slack=0.1 + 1e-6)[0]
    if tree.surrogates is not None:
        raise ParameterError("error_based: a tree with surrogate splits cannot be raised. Leave out X and y.")
    return _raised(tree, confidence, X, y, w)


def _raised(tree: Tree, confidence: float, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> Tree:
    from scipy.special import ndtri

    weights = np.ones(len(X)) if w is None else np.asarray(w, np.float64)
    weighted = weights > 0
    if not weighted.all():
        X, y, weights = X[weighted], y[weighted], weights[weighted]
    K = tree.values.shape[1]
    content, parent, branch, leaf, rows, counts = _raising.raise_subtrees(
        nodes=tree._nodes,
        X=np.ascontiguousarray(X, np.float64),
        y=np.ascontiguousarray(y, np.int32),
        w=weights,
        K=K,
        confidence=float(confidence),
        z=float(-ndtri(confidence)),
    )
    shut = leaf.astype(bool)
    sets = None
    if len(tree.sets):
        none = np.zeros(0, np.uint32)
        sets = [
            none if stop else tree.sets[tree.set_offset[c] : tree.set_offset[c + 1]]
            for c, stop in zip(content, shut)
        ]
    return tree_of_counts(
        counts.reshape(len(content), K),
        parent,
        criterion="gini" if abs(tree.impurity[0] - gini(tree.values[0])) < 1e-9 else "gain",
        branch=branch,
        feature=np.where(shut, NO_TEST, tree.feature[content]),
        kind=np.where(shut, LEAF, tree.kind[content]),
        threshold=np.where(shut, NO_TEST, tree.threshold[content]),
        sets=sets,
        missing=np.where(shut, -1, tree.missing[content]),
        n_node_samples=rows,
        n_categories=tree.n_categories,
    )
