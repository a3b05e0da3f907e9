"""What the prunings share, and trees too deep for recursion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.trees.pruning import (
    collapse,
    cost_complexity,
    cost_complexity_path,
    error_based,
    mdl,
    pessimistic,
    reduced_error,
)
from assay.trees.pruning.bottom_up import below, cut_where_cheaper, training_errors
from assay.trees.tree import LEAF, THRESHOLD, Tree


def chain(depth, n_leaf=2.0, noise=0.0):
    """A tree as deep as it has tests: x <= 0, x <= 1, ...; its leaves alternate between two classes."""
    m = 2 * depth + 1
    inner = np.arange(0, 2 * depth, 2)
    parent, branch, kind = np.empty(m, int), np.empty(m, int), np.zeros(m, int)
    parent[0], branch[0] = -1, 0
    parent[inner + 1], branch[inner + 1] = inner, 0
    parent[inner + 2], branch[inner + 2] = inner, 1
    kind[inner] = THRESHOLD
    threshold = np.full(m, -2.0)
    threshold[inner] = inner / 2
    n = np.full(m, n_leaf)
    n[inner] = n_leaf * (depth - inner / 2 + 1)
    counts = np.zeros((m, 2))
    leaf = np.flatnonzero(kind == LEAF)
    counts[leaf, np.arange(len(leaf)) % 2] = n_leaf * (1 - noise)
    counts[leaf, 1 - np.arange(len(leaf)) % 2] = n_leaf * noise
    total = np.cumsum(counts[::-1], axis=0)[::-1]  # all that stands behind a node is below it
    counts[inner] = total[inner]
    value = counts / counts.sum(axis=1, keepdims=True)
    return Tree.assemble(
        parent=parent,
        branch=branch,
        feature=np.where(kind == LEAF, -2, 0),
        kind=kind,
        threshold=threshold,
        missing=np.full(m, -1),
        values=value,
        impurity=1 - (value**2).sum(axis=1),
        n_node_samples=n,
        weighted_n_node_samples=counts.sum(axis=1),
        n_categories=np.array([0]),
    )


def test_sums_over_leaves():
    tree = chain(3)
    assert_array_equal(below(tree, np.ones(7)), [4, 1, 3, 1, 2, 1, 1])
    assert_allclose(below(tree, training_errors(tree) + 0.5), [2, 0.5, 1.5, 0.5, 1, 0.5, 0.5])


def test_a_cut_costs_what_is_said():
    tree = chain(3)
    pruned, cost = cut_where_cheaper(tree, np.array([9.0, 1, 2, 1, 9, 1, 1]), np.full(7, 0.25))
    assert (pruned.node_count, cost) == (3, 0.25 + 1 + 2)
    kept, cost = cut_where_cheaper(tree, np.array([4.0, 1, 2.9, 1, 2, 1, 1]), slack=-1e-9)
    assert (kept.node_count, cost) == (3, 3.9)  # 2.9 is less than three leaves, and 4 is not less than 3.9
    twigs, cost = cut_where_cheaper(tree, np.array([0.0, 1, 0, 1, 9, 1, 1]), twigs=True)
    assert (twigs.node_count, cost) == (7, 4)  # the twig stays, so nothing above it is looked at


def test_collapse_keeps_training_errors():
    tree = chain(9, n_leaf=10.0, noise=0.3)
    assert collapse(tree).node_count == tree.node_count
    same = Tree.of(
        {
            "feature": 0,
            "threshold": 0.0,
            "children": [{"value": [0.9, 0.1], "n": 10}, {"value": [0.6, 0.4], "n": 10}],
        },
        n_categories=[0],
    )
    assert collapse(same).node_count == 1


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_a_tree_of_a_hundred_thousand_levels(noise):
    tree = chain(100_000, noise=noise)
    X = np.arange(-1, 50_000, 1000.0)[:, None]
    y = tree.predict(X).argmax(axis=1)
    assert collapse(tree).max_depth == 100_000
    assert pessimistic(tree).node_count >= 1
    assert mdl(tree).node_count >= 1
    assert error_based(tree).node_count >= 1
    assert error_based(tree, 0.25, X, y).node_count < tree.node_count
    assert reduced_error(tree, X, y).max_depth <= 50_001  # nobody reaches the rest
    path = cost_complexity_path(tree)
    assert path.leaves[0] <= tree.n_leaves and path.leaves[-1] == 1
    assert cost_complexity(tree, path.alphas[-1]).node_count == 1
