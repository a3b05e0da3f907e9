"""Pessimistic pruning: half an error more for every leaf, and a standard error of grace."""

from __future__ import annotations

import numpy as np

from assay.trees.pruning.bottom_up import below, training_errors
from assay.trees.tree import Tree

__all__ = ["pessimistic"]


def pessimistic(tree: Tree) -> Tree:
    r"""Make a node a leaf if its corrected errors lie within one standard error of those of its subtree.

    Training errors are too few; a continuity correction adds half an error for every leaf. With e errors of the node
    as a leaf, and :math:`E = \sum_l (e_l + 1/2)` over the leaves l of its subtree, n rows in all, the node is made
    a leaf if

    .. math:: e + \tfrac12 \le E + \sqrt{E (n - E) / n} \quad (1)

    From the root down; no rows are held out, and every node is looked at once (Quinlan 1987).

    Parameters
    ----------
    tree : Tree of class shares

    Examples
    --------
    Two errors as a leaf: 2.5 against two leaves' 1 and a standard error of 0.93:

    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 5}, {"value": [0.0, 1.0], "n": 2}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> pessimistic(tree).node_count
    3
    """
    n = tree.weighted_n_node_samples
    errors = training_errors(tree)
    corrected = below(tree, errors + 0.5)
    grace = np.sqrt(np.maximum(corrected * (n - corrected), 0) / np.maximum(n, 1e-300))
    within = errors + 0.5 <= corrected + grace + 1e-9  # (1)
    return tree.turn_to_leaves(np.flatnonzero(within & ~tree.is_leaf))
