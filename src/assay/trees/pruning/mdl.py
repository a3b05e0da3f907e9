"""Pruning by description length: the tree that encodes the training classes in the fewest bits."""

from __future__ import annotations

import numpy as np

from assay.trees.pruning.bottom_up import class_weights, cut_where_cheaper
from assay.trees.tree import NWAY, SUBSET, TERNARY, THRESHOLD, Tree

__all__ = ["mdl", "tree_description_length"]


def tree_description_length(tree: Tree, structure: float = 1.0) -> float:
    """The bits that encode the classes given the columns: the tree, then its exceptions.

    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 8}, {"value": [0.0, 1.0], "n": 8}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> round(tree_description_length(tree), 3), round(tree_description_length(tree.turn_to_leaves([0])), 3)
    (15.247, 19.739)
    """
    leaf, test = _bits(tree, structure)
    return float(np.where(tree.is_leaf, leaf, test).sum())


def mdl(tree: Tree, structure: float = 1.0) -> Tree:
    r"""Make a node a leaf if that takes no more bits than its test and its subtree.

    A message that lets its receiver, who has the columns, write down the classes: for every node one bit says whether
    it is a leaf; a test names its column and its cut; a leaf names its class and the exceptions to it,

    .. math:: \text{test} = s\,(1 + \log_2 d + c), \qquad
              \text{leaf} = s\,(1 + \log_2 K) + \log_2 (n + 1) + \log_2 \binom{n}{e} + e \log_2 (K - 1) \quad (1)

    with n rows, e exceptions, K classes, d columns; the cut takes :math:`c = \log_2 (n - 1)` bits for a threshold
    (one of at most n - 1 places), one bit for each category of a subset, none for a branch per category. One pass
    from the leaves to the root finds the shortest message among all prunings, so it never gets longer.

    Parameters
    ----------
    tree : Tree of class shares
    structure : float, default 1
        What a bit of structure s costs in bits of exceptions. Larger prunes more.

    Examples
    --------
    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 8}, {"value": [0.0, 1.0], "n": 8}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> mdl(tree).node_count, mdl(tree, structure=3.0).node_count
    (3, 1)
    """
    leaf, test = _bits(tree, structure)
    return cut_where_cheaper(tree, leaf, test, slack=1e-9)[0]


def _bits(tree: Tree, structure: float) -> tuple[np.ndarray, np.ndarray]:
    """(m,) (1) of each node as a leaf, and of its test."""
    from scipy.special import betaln

    counts = class_weights(tree)
    n, K, d = counts.sum(axis=1), counts.shape[1], tree.n_features
    e = np.clip(n - counts.max(axis=1), 0, None)
    which = (-np.log1p(n) - betaln(n - e + 1, e + 1)) / np.log(2)  # log2 of n over e
    named = e * np.log2(max(K - 1, 1))
    leaf = structure * (1 + np.log2(K)) + np.log2(n + 1) + np.maximum(which, 0) + named
    place = np.log2(np.maximum(n - 1, 1))
    categories = tree.n_categories[np.maximum(tree.feature, 0)]
    cut = np.select(
        [tree.kind == THRESHOLD, tree.kind == SUBSET, tree.kind == NWAY, tree.kind == TERNARY],
        [place, categories, 0.0, 2 * place],
        0.0,
    )
    return leaf, structure * (1 + np.log2(d) + cut)
