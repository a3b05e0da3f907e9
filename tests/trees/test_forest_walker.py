"""Many trees walked together, against each tree walked alone and against the book."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

import assay.trees._packed_forest as _packed_forest
from assay.core import parallel
from assay.trees.forest_walker import ForestWalker
from assay.trees.growing import grow, rank_columns
from assay.trees.tree import LEAF, THRESHOLD, Tree

CATEGORIES = [0, 5, 0, 40]  # two columns of numbers, two of categories


def random_tree(rng, depth=4, width=2):
    """Nested data of a random tree over the columns above."""
    if depth == 0 or rng.random() < 0.2:
        return {"value": rng.dirichlet(np.ones(width)), "n": int(rng.integers(1, 9))}
    f = int(rng.integers(4))
    node = {"feature": f, "missing": int(rng.integers(2)), "impurity": float(rng.random())}
    if CATEGORIES[f]:
        node["subset"] = np.flatnonzero(rng.random(CATEGORIES[f]) < 0.5).tolist()
    else:
        node["threshold"] = float(rng.normal())
    return node | {"children": [random_tree(rng, depth - 1, width) for _ in range(2)]}


def rows(rng, n):
    """Rows with missing values, and some categories that no tree knows."""
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(0, 7, n), rng.normal(size=n), rng.integers(0, 70, n)]
    )
    return np.where(rng.random(X.shape) < 0.1, np.nan, X)


def walk_by_the_book(tree, x):
    node = 0
    while tree.kind[node] != LEAF:
        v, words = x[tree.feature[node]], 32 * np.diff(tree.set_offset)[node]
        if np.isnan(v) or (tree.kind[node] != THRESHOLD and v >= words):
            branch = tree.missing[node]
        elif tree.kind[node] == THRESHOLD:
            branch = 0 if v <= tree.threshold[node] else 1
        else:
            branch = 0 if v in tree.subset(node) else 1
        node = tree.children(node)[branch]
    return node


def make(seed, n_trees, width=2):
    rng = np.random.default_rng(seed)
    return [Tree.of(random_tree(rng, width=width), CATEGORIES) for _ in range(n_trees)], rng


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 40), n_trees=st.integers(1, 20), width=st.integers(1, 3))
def test_a_row_reaches_the_leaf_of_the_book(seed, n, n_trees, width):
    trees, rng = make(seed, n_trees, width)
    walker, X = ForestWalker.from_trees(trees), rows(rng, n)
    leaf = np.array([[walk_by_the_book(tree, x) for tree in trees] for x in X], np.int64).reshape(n, n_trees)
    assert_array_equal(walker.apply(X), leaf)
    expected = np.zeros((n, width))
    for t, tree in enumerate(trees):
        expected += tree.values[leaf[:, t]]
    assert_array_equal(walker.sums(X), expected)


def test_a_threshold_keeps_its_last_bit():
    t = 0.1
    above = np.nextafter(t, 1)
    stump = {
        "feature": 0,
        "threshold": t,
        "missing": 1,
        "children": [{"value": 0, "n": 1}, {"value": 1, "n": 1}],
    }
    walker = ForestWalker.from_trees([Tree.of(stump, [0])])
    assert_array_equal(walker.sums(np.array([[t], [above]])), [[0], [1]])
    single = np.array([[t]], np.float32)  # 0.1 in single precision is larger than 0.1
    assert_array_equal(walker.sums(single), [[1]])
    assert_array_equal(walker.sums(np.array([[-0.0]])), [[0]])


def test_sparse_and_single_precision_blocks_give_the_same_sums():
    trees, rng = make(1, 10)
    X = np.where(rng.random((50, 4)) < 0.5, 0.0, rows(rng, 50)).astype(np.float32)
    walker = ForestWalker.from_trees(trees)
    assert_array_equal(walker.sums(X), walker.sums(X.astype(np.float64)))
    assert_array_equal(walker.sums(csr_array(X)), walker.sums(X))
    assert_array_equal(walker.sums(np.asfortranarray(X)), walker.sums(X))


def test_sums_depend_neither_on_threads_nor_on_the_other_rows(monkeypatch):
    trees, rng = make(2, 30)
    walker, X = ForestWalker.from_trees(trees), rows(rng, 20000)
    monkeypatch.setattr(parallel, "threads", lambda limit=None: 2)
    two = walker.sums(X)
    monkeypatch.setattr(parallel, "threads", lambda limit=None: 1)
    assert_array_equal(walker.sums(X), two)
    assert_array_equal(np.concatenate([walker.sums(X[i : i + 1]) for i in range(50)]), two[:50])


def test_some_trees_some_pairs_and_a_start():
    trees, rng = make(3, 12)
    walker, X = ForestWalker.from_trees(trees), rows(rng, 300)
    single = np.stack([tree.predict(X) for tree in trees])
    skip = rng.random((12, 300)) < 0.6
    assert_allclose(walker.sums(X, skip=skip), np.sum(single * ~skip[:, :, None], axis=0), atol=1e-14)
    assert_allclose(
        walker.sums(X, 3, 7, start=np.array([1.0, -1.0])), single[3:7].sum(0) + np.array([1, -1]), atol=1e-14
    )
    stages = list(walker.staged_sums(X, every=5))
    assert [len(s) for s in stages] == [300] * 3
    assert_array_equal(stages[-1], walker.sums(X))
    assert_allclose(stages[0], single[:5].sum(0), atol=1e-14)


def test_each_tree_adds_at_its_own_column():
    trees, rng = make(4, 6, width=1)
    X = rows(rng, 40)
    sums = ForestWalker.from_trees(trees, columns=[0, 1, 2] * 2).sums(X)
    single = np.hstack([tree.predict(X) for tree in trees])
    assert_allclose(sums, single[:, :3] + single[:, 3:], atol=1e-14)
    with pytest.raises(ValueError, match="expected 6 column numbers"):
        ForestWalker.from_trees(trees, columns=[0, 1])


def test_a_chain_of_a_hundred_thousand_nodes():
    m = 100_000
    parent = np.concatenate(([-1], np.repeat(np.arange(0, 2 * m, 2), 2)))
    branch = np.concatenate(([0], np.tile([1, 0], m)))
    inner = np.concatenate((np.arange(2 * m) % 2 == 0, [False]))
    tree = Tree.assemble(
        parent=parent,
        branch=branch,
        feature=np.where(inner, 0, -2),
        kind=np.where(inner, THRESHOLD, LEAF),
        threshold=np.where(inner, np.arange(2 * m + 1), -2.0),
        missing=np.where(inner, 1, -1),
        values=np.arange(2 * m + 1, dtype=float)[:, None],
        impurity=np.zeros(2 * m + 1),
        n_node_samples=np.ones(2 * m + 1),
        weighted_n_node_samples=np.ones(2 * m + 1),
        n_categories=[0],
    )
    X = np.array([[-1.0], [3e5], [100_000.5]])
    assert_array_equal(ForestWalker.from_trees([tree]).sums(X), tree.predict(X))


def test_trees_that_a_walker_cannot_hold_are_refused():
    leaves = [{"value": 0.0, "n": 1}] * 3
    spread = {"feature": 0, "threshold": 1.0, "children": leaves[:2]}
    for nested in (
        spread,
        {"feature": 1, "children": leaves},
        {"feature": 0, "threshold": 0, "second": 1} | {"children": leaves},
    ):
        with pytest.raises(ValueError, match=r"walked one by one, with Tree\.predict"):
            ForestWalker.from_trees([Tree.of(nested, [0, 3])])
    fine = Tree.of(spread | {"missing": 0}, [0, 3])
    with pytest.raises(ValueError, match="expected rows of 2 columns, got 3"):
        ForestWalker.from_trees([fine]).sums(np.zeros((1, 3)))


# ---------------------------------------------------------------- the small native functions


def test_rows_of_equal_bits_get_one_number():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (500, 3)).astype(float)
    number, example = np.empty(500, np.int32), np.empty(500, np.int32)
    found = _packed_forest.distinct(table, number, example)
    assert found == len(np.unique(table, axis=0))
    assert_array_equal(table[example[:found]][number], table)
    first_seen = [next(i for i in range(500) if number[i] == k) for k in range(found)]
    assert_array_equal(example[:found], first_seen)


def test_children_add_themselves_to_their_parents():
    trees, _ = make(5, 1)
    tree = trees[0]
    sums = np.where(tree.is_leaf, 1.0, 0.0)[:, None]
    _packed_forest.gather_up(tree.parent, sums)
    expected = [np.count_nonzero(tree.is_leaf[i : tree.end[i]]) for i in range(tree.node_count)]
    assert_array_equal(sums[:, 0], expected)


def class_weights_by_the_book(tree):
    """What class_weights finds, by whole-array steps."""
    leaf = tree.is_leaf
    at, present = np.nonzero(tree.values[leaf])
    weights = tree.values[leaf][at, present] * tree.weighted_n_node_samples[leaf][at]
    rounded = np.rint(weights)
    whole = np.abs(weights - rounded).max() <= 1e-9 * rounded.max()
    weights = rounded if whole else weights
    sums = np.zeros_like(tree.values)
    sums[np.flatnonzero(leaf)[at], present] = weights
    for i in range(tree.node_count - 1, 0, -1):
        sums[tree.parent[i]] += sums[i]
    total = sums.sum(axis=1, keepdims=True)
    follows = bool((np.abs(sums - tree.values * total) <= 1e-9 * total).all())
    return follows, np.bincount(at, minlength=leaf.sum()), present, weights


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("K", [2, 5])
def test_class_weights_of_the_leaves_are_those_of_the_book(K, real):
    rng = np.random.default_rng(K)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, K, 400)
    w = rng.uniform(0.1, 2, 400) if real else None
    tree = grow(rank_columns(X), y, w, n_classes=K, max_depth=6)
    for changed in (tree, replace(tree, values=np.where(tree.is_leaf[:, None], tree.values, 1 / K))):
        found = _packed_forest.class_weights(
            changed.kind, changed.offset, changed.child, changed.values, changed.weighted_n_node_samples
        )
        expected = class_weights_by_the_book(changed)
        assert found[0] == expected[0] == (changed is tree)
        for a, b in zip(found[1:], expected[1:]):
            assert_allclose(a, b, rtol=1e-14)


def lay_out(kind, feature=(), threshold=(), sets=(), leaf_row=(), roots=None, d=2):
    kind = np.array(kind, np.uint8)
    nodes = np.empty((len(kind), 2), np.int64)
    _packed_forest.lay_out(
        roots=np.array([0, len(kind)] if roots is None else roots, np.int64),
        kind=kind,
        feature=np.array(feature, np.int32),
        threshold=np.array(threshold, np.float64),
        sets=np.array(sets, np.uint32),
        leaf_row=np.array(leaf_row, np.int32),
        d=d,
        n_rows=2,
        nodes=nodes,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": [1, 0]},  # the second child is not there
        {"kind": [1, 0, 0, 0], "leaf_row": [0, 1, 0]},  # one node too many
        {"kind": [0, 1, 0], "feature": [0]},  # a leaf above a test
        {"kind": [3, 0, 0]},
        {"feature": [2]},
        {"feature": [-1]},
        {"feature": []},
        {"feature": [0, 0]},
        {"threshold": []},
        {"threshold": [np.nan]},
        {"threshold": [1.0, 2.0]},
        {"leaf_row": [0, 2]},
        {"leaf_row": [0, -1]},
        {"leaf_row": [0]},
        {"leaf_row": [0, 1, 1]},
        {"kind": [2, 0, 0], "threshold": []},
        {"kind": [2, 0, 0], "threshold": [], "sets": [2, 1]},
        {"kind": [2, 0, 0], "threshold": [], "sets": [1, 1, 1]},
        {"roots": [0, 2]},
        {"roots": [1, 3]},
        {"roots": [0, 0, 3]},
        {"roots": [0, 9, 3]},
        {"roots": []},
    ],
)
def test_arrays_that_are_no_trees_are_refused(wrong):
    sound = {"kind": [1, 0, 0], "feature": [0], "threshold": [1.0], "leaf_row": [0, 1]}
    lay_out(**sound)
    with pytest.raises(ValueError):
        lay_out(**sound | wrong)
