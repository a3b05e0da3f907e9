"""Minimal cost-complexity pruning: the best subtree for every price of a leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.trees.pruning._weakest_links as _weakest_links
from assay.errors import ParameterError
from assay.trees.pruning.bottom_up import training_errors
from assay.trees.tree import Tree

__all__ = ["PruningPath", "cost_complexity", "cost_complexity_path", "critical_alphas", "sums_on_path"]


@dataclass(frozen=True)
class PruningPath:
    """The best subtrees, from the whole tree to its root.

    Attributes
    ----------
    alphas : (s,) ascending from 0: subtree i is best for prices from ``alphas[i]`` up to the next
    costs : (s,) the cost R of its leaves
    leaves : (s,) how many leaves it has
    """

    alphas: np.ndarray
    costs: np.ndarray
    leaves: np.ndarray


def critical_alphas(tree: Tree, cost: str = "impurity") -> np.ndarray:
    r"""(m,) the price of a leaf from which on each node is a leaf; infinite at leaves.

    With the cost R(t) of node t as a leaf, the best subtree under t at price :math:`\alpha` costs

    .. math:: f_t(\alpha) = \min\Bigl(R(t) + \alpha,\; \sum_c f_c(\alpha)\Bigr) \quad (1)

    over its children c. The critical price is where the two are equal: the weakest link of Breiman, Friedman, Olshen
    and Stone (1984), found for all nodes in O(m log m).

    Parameters
    ----------
    cost : "impurity" or "error"
        R(t) is the share of the rows at t times their impurity (as scikit-learn has it), or the share of all rows
        that t gets wrong (the book's own, for trees of class shares).
    """
    alpha = np.empty(tree.node_count)
    _weakest_links.strengths(tree.parent, _costs(tree, cost), alpha)
    return alpha


def cost_complexity(tree: Tree, alpha: float, cost: str = "impurity") -> Tree:
    r"""The smallest subtree that minimises R + alpha times its number of leaves.

    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 6}, {"value": [0.0, 1.0], "n": 2}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> [cost_complexity(tree, alpha, cost="error").n_leaves for alpha in (0.24, 0.25)]
    [2, 1]
    """
    reach = alpha + _noise(alpha, _costs(tree, cost))
    return tree.turn_to_leaves(np.flatnonzero(critical_alphas(tree, cost) <= reach))


def cost_complexity_path(tree: Tree, cost: str = "impurity") -> PruningPath:
    """All subtrees that are best for some price, with the prices at which one gives way to the next.

    >>> from assay.trees.tree import Tree
    >>> leaves = [{"value": [1.0, 0.0], "n": 6}, {"value": [0.0, 1.0], "n": 2}]
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": leaves}, n_categories=[0])
    >>> cost_complexity_path(tree, cost="error")
    PruningPath(alphas=array([0.  , 0.25]), costs=array([0.  , 0.25]), leaves=array([2, 1]))
    """
    strength, R = critical_alphas(tree, cost), _costs(tree, cost)
    inner = ~tree.is_leaf & (
        strength < _least_above(tree, strength)
    )  # those that stop testing before they vanish
    alphas = np.unique(np.maximum(strength[inner], 0.0))
    alphas = alphas[alphas > _noise(0.0, R)]
    last = np.append(np.diff(alphas) > _noise(alphas[1:], R), True) if len(alphas) else np.zeros(0, bool)
    alphas = np.concatenate(([0.0], alphas[last]))  # of prices that differ by rounding alone, the last
    sums = sums_on_path(tree, np.column_stack((R, np.ones(len(R)))), alphas, cost)
    return PruningPath(alphas, sums[:, 0], np.round(sums[:, 1]).astype(np.int64))


def sums_on_path(tree: Tree, amounts: np.ndarray, prices: np.ndarray, cost: str) -> np.ndarray:
    """(s, q) for each of s ascending prices: the sum of (m, q) amounts over the leaves of the tree pruned at it.

    A node is a leaf at the prices from where it stops testing up to where an ancestor does.
    """
    strength = critical_alphas(tree, cost)
    reach = prices + _noise(prices, _costs(tree, cost))
    born = np.where(tree.is_leaf, -np.inf, strength)
    ends = _least_above(tree, strength)
    first = np.searchsorted(reach, born)
    last = np.where(np.isinf(ends), len(prices), np.searchsorted(reach, ends))
    nonempty = first < last
    sums = np.zeros((len(prices) + 1, amounts.shape[1]))
    np.add.at(sums, first[nonempty], amounts[nonempty])
    np.subtract.at(sums, last[nonempty], amounts[nonempty])
    return np.cumsum(sums, axis=0)[:-1]


def _noise(alpha: Any, R: np.ndarray) -> Any:
    """By how much equal prices may differ through rounding."""
    return 1e-10 * alpha + 1e-15 * R[0]


def _least_above(tree: Tree, strength: np.ndarray) -> np.ndarray:
    """(m,) the least strength among a node's ancestors."""
    least, parent = [np.inf] * tree.node_count, tree.parent.tolist()
    strengths = strength.tolist()
    for i in range(1, tree.node_count):  # parents stand before their children
        least[i] = min(least[parent[i]], strengths[parent[i]])
    return np.array(least)


def _costs(tree: Tree, cost: str) -> np.ndarray:
    whole = max(float(tree.weighted_n_node_samples[0]), 1e-300)
    if cost == "impurity":
        return tree.impurity * (tree.weighted_n_node_samples / whole)
    if cost == "error":
        return training_errors(tree) / whole
    raise ParameterError(f"cost_complexity: cost must be 'impurity' or 'error', got {cost!r}.")
