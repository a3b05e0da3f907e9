"""Reduced-error pruning: rows that the tree has not seen say which of its subtrees are worth keeping."""

from __future__ import annotations

import numpy as np

import assay.trees.pruning._raising as _raising
from assay.trees.pruning.bottom_up import below, cut_where_cheaper
from assay.trees.tree import Tree

__all__ = ["reduced_error"]


def reduced_error(
    tree: Tree,
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray | None = None,
    *,
    regression: bool = False,
    when: str = "not worse",
) -> Tree:
    """Make a node a leaf if the leaf does not do worse on the pruning rows that reach it.

    From the leaves up. The leaf answers with the majority (or mean) of the *training* rows of its node. Errors are
    counted for classes and squared for numbers. A subtree that no pruning row reaches is pruned.

    Parameters
    ----------
    tree : Tree
    X : (n, d)
        The pruning rows, as the tree sees them; none of them may have been used to grow it.
    y : (n,) class codes, or (n,) or (n, V) numbers
    w : (n,) weights, default None
    regression : bool, default False
        Whether y holds numbers.
    when : "not worse" or "better"
        "better" is the stricter rule that prunes only nodes whose children are all leaves, and only if the error
        falls; subtrees that no pruning row reaches then stay.

    Examples
    --------
    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 6}, {"value": [0.0, 1.0], "n": 1}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> reduced_error(tree, np.array([[2.0], [3.0]]), np.array([0, 0])).node_count
    1
    """
    errors = _squared_errors(tree, X, y, w) if regression else _wrong(tree, X, y, w)
    rounding = 1e-9 * np.maximum(errors, 1e-300) if regression else 1e-9
    if when == "better":
        return cut_where_cheaper(tree, errors, slack=-rounding - 1e-300, twigs=True)[0]
    return cut_where_cheaper(tree, errors, slack=rounding)[0]


def _wrong(tree: Tree, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(m,) the weight of the pruning rows that each node would get wrong as a leaf."""
    K = tree.values.shape[1]
    classes = np.zeros((len(X), K))
    classes[np.arange(len(X)), y] = 1 if w is None else w
    counts = below(tree, _reach(tree, X, classes))
    return counts.sum(axis=1) - counts[np.arange(tree.node_count), tree.values.argmax(axis=1)]


def _squared_errors(tree: Tree, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(m,) the squared errors of the pruning rows at each node, if it were a leaf."""
    y = np.asarray(y, np.float64).reshape(len(X), -1)
    centre = y.mean(axis=0) if len(y) else np.zeros(y.shape[1])  # so that squares do not cancel
    y, value = y - centre, tree.values - centre
    V = y.shape[1]
    sums = np.hstack((np.ones((len(y), 1)), y, y * y)) * (1.0 if w is None else np.reshape(w, (-1, 1)))
    at = below(tree, _reach(tree, X, sums))
    n, first, second = at[:, :1], at[:, 1 : V + 1], at[:, V + 1 :]
    return np.maximum(second - 2 * value * first + n * value**2, 0).sum(axis=1)


def _reach(tree: Tree, X: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """(m, q) the amounts of the rows that reach each leaf; a row that is spread arrives in fractions."""
    X = np.ascontiguousarray(X, np.float64)
    out = np.zeros((tree.node_count, amounts.shape[1]))
    spreads = bool(((tree.missing < 0) & ~tree.is_leaf).any()) and bool(np.isnan(X).any())
    if spreads and tree.surrogates is None:
        _raising.distribute(tree._nodes, X, np.ascontiguousarray(amounts), out)
    else:
        np.add.at(out, tree.apply(X), amounts)
    return out
