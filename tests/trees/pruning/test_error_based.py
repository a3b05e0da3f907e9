"""Error-based pruning against its twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from assay.errors import ParameterError
from assay.trees.multiway import SplitRules, grow_multiway
from assay.trees.pruning import error_based, upper_errors
from assay.trees.tree import NWAY, Tree


def upper_by_the_book(n, e, confidence):
    if n < 1e-6:
        return 0.0
    if e < 1:
        base = n * (1 - confidence ** (1 / n))
        return base if e == 0 else base + e * (upper_by_the_book(n, 1, confidence) - base)
    if e + 0.5 >= n:
        return max(n, e)
    z, f = norm.ppf(1 - confidence), (e + 0.5) / n
    r = (f + z * z / (2 * n) + z * np.sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return r * n


@given(n=st.floats(0, 200), share=st.floats(0, 1), confidence=st.floats(0.01, 0.5))
@settings(max_examples=100, deadline=None)
def test_expected_errors(n, share, confidence):
    e = n * share
    assert_allclose(upper_errors(n, e, confidence), upper_by_the_book(n, e, confidence), rtol=1e-9, atol=1e-9)


def test_expected_errors_of_quinlans_example():
    """Oracle: Quinlan 1993, section 4.2: U(0, 6) = 0.206, U(0, 9) = 0.143, U(0, 1) = 0.750, U(1, 16) = 0.157.

    The last is exact there (a binomial limit), here by the formula of C4.5's own program: 0.155.
    """
    n = np.array([6.0, 9.0, 1.0])
    assert_allclose(upper_errors(n, np.zeros(3)) / n, [0.206, 0.143, 0.750], atol=5e-4)
    assert_allclose(upper_errors(16.0, 1.0) / 16, 0.157, atol=0.003)


class Node:
    """A node of the twin: a test of the tree, or none, and children that are nodes."""

    def __init__(self, tree, i):
        self.tree, self.test = tree, None if tree.is_leaf[i] else i
        self.children = [Node(tree, c) for c in tree.children(i)]

    def divide(self, X, rows):
        """Rows (number, weight) of each child."""
        tree, i = self.tree, self.test
        parts, spread = [[] for _ in self.children], []
        for r, w in rows:
            v = X[r, tree.feature[i]]
            if np.isnan(v):
                spread.append((r, w))
            else:
                parts[int(v) if tree.kind[i] == NWAY else int(v > tree.threshold[i])].append((r, w))
        weights = [sum(w for _, w in p) for p in parts]
        for part, weight in zip(parts, weights):
            share = weight / sum(weights)
            if share > 1e-6:
                part += [(r, w * share) for r, w in spread]
        return parts


def prune_by_the_book(node, X, y, rows, K, confidence):
    """Prune a node in place; returns the errors expected of it."""

    def as_leaf(rows):
        counts = np.bincount([y[r] for r, _ in rows], [w for _, w in rows], K) if rows else np.zeros(K)
        return upper_by_the_book(counts.sum(), counts.sum() - counts.max(), confidence)

    def as_it_is(node, rows):
        if node.test is None:
            return as_leaf(rows)
        return sum(as_it_is(c, part) for c, part in zip(node.children, node.divide(X, rows)))

    node.rows = rows
    if node.test is None:
        return as_leaf(rows)
    parts = node.divide(X, rows)
    subtree = sum(prune_by_the_book(c, X, y, part, K, confidence) for c, part in zip(node.children, parts))
    weights = [sum(w for _, w in part) for part in parts]
    heir = node.children[max(b for b, w in enumerate(weights) if w >= max(weights) - 1e-6)]
    leaf, raised = as_leaf(rows), as_it_is(heir, rows)
    if leaf <= subtree + 0.1 + 1e-6 and leaf <= raised + 0.1 + 1e-6:
        node.test, node.children = None, []
        return leaf
    if raised <= subtree + 0.1 + 1e-6:
        node.test, node.children = heir.test, heir.children
        return prune_by_the_book(node, X, y, rows, K, confidence)
    return subtree


def rows_of(seed, missing):
    random = np.random.default_rng(seed)
    n_categories = np.array([0, 3, 0, 4], np.int32)
    X = np.column_stack(
        [random.integers(0, 9, 80), random.integers(0, 3, 80), random.random(80), random.integers(0, 4, 80)]
    )
    y = ((X[:, 0] > 4) & (X[:, 1] < 2)).astype(int) + (random.random(80) < 0.25)
    X[random.random(X.shape) < missing] = np.nan
    return X, n_categories, y, np.where(random.random(80) < 0.5, 1.0, 1.5)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("confidence", [0.05, 0.25, 0.5])
def test_the_kernel_prunes_as_its_twin_does(missing, confidence):
    raisings = 0
    for seed in range(8):
        X, n_categories, y, w = rows_of(seed, missing)
        grown = grow_multiway(X, n_categories, y, w, 3, SplitRules("gain"))
        pruned = error_based(grown, confidence, X, y, w)
        pruned.check()
        book = Node(grown, 0)
        prune_by_the_book(book, X, y, list(enumerate(w)), 3, confidence)
        todo = [(0, book)]
        seen = 0
        while todo:
            i, node = todo.pop()
            seen += 1
            assert pruned.feature[i] == (-2 if node.test is None else grown.feature[node.test])
            assert_allclose(pruned.weighted_n_node_samples[i], sum(w for _, w in node.rows), rtol=1e-9)
            if node.test is not None:
                assert pruned.threshold[i] == grown.threshold[node.test]
            todo += list(zip(pruned.children(i).tolist(), node.children, strict=True))
        assert seen == pruned.node_count
        raisings += pruned.node_count != error_based(grown, confidence).node_count
    assert raisings  # so that raising was put to the test


def test_the_heaviest_branch_is_raised():
    """A test that tells nothing apart above one that does: its branch takes its place, with all rows."""
    X = np.array([[i % 5 == 0, i % 2] for i in range(40)], float)
    y = (np.arange(40) % 2).astype(np.int64)
    good = {
        "feature": 1,
        "threshold": 0.5,
        "children": [{"value": [1.0, 0.0], "n": 16}, {"value": [0.0, 1.0], "n": 16}],
    }
    tree = Tree.of(
        {"feature": 0, "threshold": 0.5, "children": [good, {"value": [0.5, 0.5], "n": 8}]},
        n_categories=[0, 0],
    )
    raised = error_based(tree, 0.25, X, y)
    assert_array_equal(raised.feature, [1, -2, -2])
    assert_array_equal(raised.weighted_n_node_samples, [40, 20, 20])
    assert_array_equal(raised.values, [[0.5, 0.5], [1, 0], [0, 1]])


@pytest.mark.parametrize("criterion", ["gain", "gini"])
def test_impurities_stay_of_their_kind(criterion):
    X, n_categories, y, w = rows_of(2, 0.0)
    grown = grow_multiway(X, n_categories, y, w, 3, SplitRules(criterion))
    pruned = error_based(grown, 0.25, X, y, w)
    assert 1 < pruned.node_count < grown.node_count
    assert_allclose(pruned.impurity[0], grown.impurity[0], rtol=1e-9)


def test_rows_without_weight_do_not_count():
    X, n_categories, y, _ = rows_of(1, 0.1)
    w = (np.arange(80) % 3 > 0).astype(float)
    grown = grow_multiway(X, n_categories, y, w, 3, SplitRules("gain"))
    some, there = error_based(grown, 0.25, X, y, w), w > 0
    same = error_based(grown, 0.25, X[there], y[there])
    assert_array_equal(some.feature, same.feature)
    assert_array_equal(some.value, same.value)


def test_a_confidence_above_a_half_is_refused():
    tree = Tree.of({"value": [1.0, 0.0], "n": 1}, n_categories=[0])
    with pytest.raises(ParameterError, match="confidence must be a number above 0 up to"):
        error_based(tree, 0.6)
