"""Description lengths."""

from math import comb, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.trees.multiway import SplitRules, grow_multiway
from assay.trees.pruning import mdl, tree_description_length
from assay.trees.tree import Tree


def test_bits_by_hand():
    """Two classes, two columns: 1 + 1 bits for a leaf, log2(n + 1) for how many exceptions, then which they are."""
    leaf = Tree.of({"value": [0.75, 0.25], "n": 8}, n_categories=[0, 0])
    assert_allclose(tree_description_length(leaf), 2 + log2(9) + log2(comb(8, 2)), rtol=1e-12)
    three = Tree.of({"value": [0.5, 0.25, 0.25], "n": 8}, n_categories=[0, 0])
    assert_allclose(tree_description_length(three), 1 + log2(3) + log2(9) + log2(comb(8, 4)) + 4, rtol=1e-12)
    leaves = [{"value": [1.0, 0.0], "n": 6}, {"value": [0.0, 1.0], "n": 2}]
    tests = {
        "threshold": ({"threshold": 0.5}, [0, 0], 1 + 1 + log2(7)),
        "subset": ({"subset": [0]}, [5, 0], 1 + 1 + 5),
        "n-way": ({}, [2, 0], 1 + 1),
    }
    for how, n_categories, bits in tests.values():
        tree = Tree.of({"feature": 0, "children": leaves, **how}, n_categories=n_categories)
        assert_allclose(tree_description_length(tree), bits + 4 + log2(7) + log2(3), rtol=1e-12)


@pytest.mark.capability("DC-31")
@given(seed=st.integers(0, 500), structure=st.sampled_from([0.25, 1.0, 3.0]))
@settings(max_examples=30, deadline=None)
def test_the_message_never_gets_longer(seed, structure):
    random = np.random.default_rng(seed)
    X = np.column_stack([random.random(50), random.integers(0, 4, 50)])
    y = (X[:, 0] > 0.6).astype(int) ^ (random.random(50) < 0.15)
    tree = grow_multiway(X, np.array([0, 4]), y, None, 2, SplitRules())
    pruned = mdl(tree, structure)
    shortest = tree_description_length(pruned, structure)
    assert shortest <= tree_description_length(tree, structure) + 1e-9
    for node in np.flatnonzero(~pruned.is_leaf):  # no further cut makes it shorter
        assert shortest < tree_description_length(pruned.turn_to_leaves([node]), structure)


def test_noise_is_not_worth_its_bits():
    random = np.random.default_rng(1)
    X = random.random((300, 3))
    y = (X[:, 0] > 0.5).astype(int) ^ (random.random(300) < 0.2)
    tree = grow_multiway(X, np.zeros(3, int), y, None, 2, SplitRules())
    assert tree.n_leaves > 50 and mdl(tree).n_leaves == 2
