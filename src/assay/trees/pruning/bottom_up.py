"""What the prunings share: class weights of nodes, sums over subtrees, and one pass from the leaves to the root."""

from __future__ import annotations

import numpy as np

from assay.trees.tree import Tree

__all__ = ["below", "class_weights", "collapse", "cut_where_cheaper", "training_errors"]


def class_weights(tree: Tree) -> np.ndarray:
    """(m, K) the weight of each class among the training rows of each node."""
    return tree.values * tree.weighted_n_node_samples[:, None]


def training_errors(tree: Tree) -> np.ndarray:
    """(m,) the weight of the training rows that each node would get wrong as a leaf."""
    counts = class_weights(tree)
    return counts.sum(axis=1) - counts.max(axis=1)


def below(tree: Tree, amount: np.ndarray) -> np.ndarray:
    """(m, ...) the sum of an amount over the leaves under each node, itself included.

    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 3}, {"value": [0.0, 1.0], "n": 4}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> below(tree, tree.weighted_n_node_samples)
    array([7., 3., 4.])
    """
    at_leaves = np.where(tree.is_leaf.reshape(-1, *[1] * (amount.ndim - 1)), amount, 0)
    start = np.zeros((1, *amount.shape[1:]))
    sums = np.concatenate((start, np.cumsum(at_leaves, axis=0, dtype=np.float64)))
    return sums[tree.end] - sums[:-1]  # a subtree is one stretch of the preorder


def cut_where_cheaper(
    tree: Tree,
    as_leaf: np.ndarray,
    as_test: np.ndarray | None = None,
    slack: float | np.ndarray = 0.0,
    twigs: bool = False,
) -> tuple[Tree, float]:
    """From the leaves up, make each node a leaf that costs no more as one than its test and its children do.

    Parameters
    ----------
    as_leaf : (m,) what each node costs as a leaf
    as_test : (m,) what its test costs, if it keeps it
    slack : float, or (m,)
        A leaf may cost this much more; with a negative slack it must cost less.
    twigs : bool
        Look only at nodes all of whose children are leaves by now.

    Returns
    -------
    tree, cost : the pruned tree and what it costs
    """
    m = tree.node_count
    as_subtree = ([0.0] * m) if as_test is None else np.asarray(as_test, np.float64).tolist()
    leaf_cost, leaf, parent = np.asarray(as_leaf).tolist(), tree.is_leaf.tolist(), tree.parent.tolist()
    allowed = np.broadcast_to(slack, (m,)).tolist()
    inner_children, cut, cost = [0] * m, [], 0.0
    for i in range(m - 1, -1, -1):  # children stand behind their parents
        shut = leaf[i]
        if not shut and leaf_cost[i] <= as_subtree[i] + allowed[i] and not (twigs and inner_children[i]):
            cut.append(i)
            shut = True
        cost = leaf_cost[i] if shut else as_subtree[i]
        if i:
            as_subtree[parent[i]] += cost
            inner_children[parent[i]] += not shut
    return tree.turn_to_leaves(cut), cost


def collapse(tree: Tree) -> Tree:
    """Make every node a leaf whose subtree gets no more of the training rows right than a leaf would.

    C4.5 does so before it prunes; splits for the sake of purer, yet equally classified leaves go.

    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 3}, {"value": [0.6, 0.4], "n": 5}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> collapse(tree).node_count
    1
    """
    errors = training_errors(tree)
    same = ~tree.is_leaf & (below(tree, errors) >= errors - 1e-3)
    return tree.turn_to_leaves(np.flatnonzero(same))
