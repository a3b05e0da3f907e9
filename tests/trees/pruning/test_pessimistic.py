"""Pessimistic pruning on trees small enough to work by hand."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.trees.multiway import SplitRules, grow_multiway
from assay.trees.pruning import pessimistic
from assay.trees.tree import Tree


def twig(a, b):
    return {"feature": 0, "threshold": 0.5, "children": [{"value": v, "n": n} for v, n in (a, b)]}


def test_a_leaf_within_one_standard_error():
    """By hand: 1 error as a leaf of 10, 1.5; two leaves without error, 1, standard error sqrt(1 * 9/10) = 0.949."""
    keep = Tree.of(twig(([1.0, 0.0], 9), ([0.0, 1.0], 1)), n_categories=[0])
    assert pessimistic(keep).node_count == 1  # 1.5 <= 1.949
    two = Tree.of(twig(([1.0, 0.0], 8), ([0.0, 1.0], 2)), n_categories=[0])
    assert pessimistic(two).node_count == 3  # 2.5 > 1.949


def test_the_root_is_looked_at_first():
    """A root within its own standard error goes with all that is below it, whatever that is worth."""
    inner = twig(([1.0, 0.0], 3), ([0.0, 1.0], 3))
    tree = Tree.of(
        {"feature": 0, "threshold": 9.0, "children": [inner, {"value": [0.9, 0.1], "n": 200}]},
        n_categories=[0],
    )
    # as a leaf 23 errors, 23.5; leaves 20 errors, 21.5 and a standard error of 4.4
    assert pessimistic(tree).node_count == 1
    assert pessimistic(Tree.of(inner, n_categories=[0])).node_count == 3  # 3.5 > 1 + 0.91


@given(seed=st.integers(0, 500))
@settings(max_examples=25, deadline=None)
def test_what_is_left_is_outside_its_standard_error(seed):
    random = np.random.default_rng(seed)
    X, y = random.random((60, 2)), random.integers(0, 2, 60)
    tree = grow_multiway(X, np.zeros(2, int), y, None, 2, SplitRules())
    pruned = pessimistic(tree)
    counts = pruned.values * pruned.weighted_n_node_samples[:, None]
    errors = counts.sum(axis=1) - counts.max(axis=1)
    assert pruned.node_count <= tree.node_count
    if (
        pruned.node_count > 1
    ):  # the root was compared with its grown subtree, without errors and all its leaves
        corrected = tree.n_leaves / 2
        assert errors[0] + 0.5 > corrected + np.sqrt(corrected * (60 - corrected) / 60) - 1e-9
