"""Packed trees grow back bit for bit, take little room, and are checked before anyone walks them."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.trees.packed_forest import PackedForest
from assay.trees.tree import Tree

CATEGORIES = [0, 40]


def nested(rng, depth, width):
    """A random tree over a column of numbers and one of categories, as plain data."""
    if depth == 0 or rng.random() < 0.2:
        return {"value": rng.dirichlet(np.ones(width)), "n": int(rng.integers(1, 9))}
    test = {"threshold": rng.normal(), "feature": 0}
    if rng.random() < 0.5:
        test = {"subset": np.flatnonzero(rng.random(40) < 0.5), "feature": 1}
    children = [nested(rng, depth - 1, width) for _ in range(2)]
    return {**test, "missing": int(rng.integers(2)), "impurity": rng.random(), "children": children}


def make(seed, n_trees, width=2):
    rng = np.random.default_rng(seed)
    return [Tree.of(nested(rng, 5, width), CATEGORIES) for _ in range(n_trees)], rng


def rows(rng, n):
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 50, n)])
    return np.where(rng.random(X.shape) < 0.1, np.nan, X)


def of_counts(tree, rng, K):
    """The same tree with whole class counts at its leaves, as a grower makes them."""
    counts = np.where(tree.is_leaf[:, None], rng.integers(0, 300, (tree.node_count, K)), 0)
    counts[tree.is_leaf, 0] += 1
    for i in range(tree.node_count - 1, 0, -1):
        counts[tree.parent[i]] += counts[i]
    n = counts.sum(axis=1)
    return replace(
        tree, values=counts / n[:, None], n_node_samples=n, weighted_n_node_samples=n.astype(float)
    )


def assert_same_tree(ours, tree, tolerance=0.0):
    for f in fields(Tree):
        a, b = getattr(ours, f.name), getattr(tree, f.name)
        if f.name in ("surrogates", "output_sizes"):
            assert a is b is None
        elif tolerance and f.name in ("values", "weighted_n_node_samples"):
            assert_allclose(a, b, rtol=tolerance, atol=tolerance)
        else:
            assert a.dtype == b.dtype, f.name
            assert_array_equal(a, b, err_msg=f.name)
    ours.check()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n_trees=st.integers(1, 4), K=st.integers(2, 5))
def test_trees_of_class_counts_grow_back_bit_for_bit(seed, n_trees, K):
    trees, rng = make(seed, n_trees, K)
    trees = [of_counts(tree, rng, K) for tree in trees]
    packed = PackedForest.of(trees, n_classes=K)
    assert packed.value.size == 0
    for t, tree in enumerate(trees):
        assert_same_tree(packed.tree(t), tree)
    X = rows(rng, 20)
    assert_array_equal(packed.walker.sums(X), sum(tree.predict(X) for tree in trees))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_values_that_are_no_means_of_their_leaves_are_kept_for_all_nodes(seed):
    trees, rng = make(seed, 2, 2)
    odd = [replace(tree, values=tree.values + rng.random((tree.node_count, 1))) for tree in trees]
    for n_classes in (0, 2):
        packed = PackedForest.of([trees[0], *odd], n_classes)
        for t, tree in enumerate([trees[0], *odd]):
            assert_same_tree(packed.tree(t), tree, 1e-14)
        X = rows(rng, 20)
        assert_allclose(packed.walker.sums(X), sum(tree.predict(X) for tree in [trees[0], *odd]), rtol=1e-14)


def test_means_of_numbers_follow_from_the_leaves():
    trees, rng = make(7, 3, 1)
    whole = [replace(tree, n_node_samples=tree.weighted_n_node_samples.astype(np.int64)) for tree in trees]
    packed = PackedForest.of(whole)
    assert len(packed.value) == len(packed.samples)
    for t, tree in enumerate(whole):
        assert_same_tree(packed.tree(t), tree, 1e-14)


def test_a_saved_packed_forest_comes_back_and_answers_the_same(tmp_path):
    trees, rng = make(8, 5)
    trees = [of_counts(tree, rng, 2) for tree in trees]
    packed = PackedForest.of(trees, 2)
    assay.save(packed, tmp_path / "trees.assay")
    again = assay.load(tmp_path / "trees.assay")
    for f in fields(PackedForest):
        assert_array_equal(getattr(again, f.name), getattr(packed, f.name))
    X = rows(rng, 10)
    assert_array_equal(again.walker.sums(X), packed.walker.sums(X))


def test_a_pickle_holds_the_packed_form_alone():
    trees, rng = make(8, 5)
    packed = PackedForest.of(trees, 2)
    before, X = len(pickle.dumps(packed)), rows(rng, 10)
    sums = packed.walker.sums(X)
    assert len(pickle.dumps(packed)) == before
    assert_array_equal(pickle.loads(pickle.dumps(packed)).walker.sums(X), sums)


@pytest.mark.parametrize("factor", [1e-12, 0.3, 1e12])
def test_weights_of_any_size_grow_back(factor):
    trees, rng = make(11, 3)
    trees = [of_counts(tree, rng, 2) for tree in trees]
    trees = [replace(t, weighted_n_node_samples=t.weighted_n_node_samples * factor) for t in trees]
    packed = PackedForest.of(trees, 2)
    assert packed.value.size == 0
    for t, tree in enumerate(trees):
        assert_allclose(packed.tree(t).weighted_n_node_samples, tree.weighted_n_node_samples, rtol=1e-12)
        assert_allclose(packed.tree(t).values, tree.values, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [0, 2])
def test_arrays_cut_short_turned_or_replaced_are_refused_or_do_no_harm(n_classes):
    trees, rng = make(9, 4)
    trees = [of_counts(tree, rng, 2) for tree in trees]
    packed, X = PackedForest.of(trees, n_classes), rows(rng, 30)
    for f in fields(PackedForest):
        array = getattr(packed, f.name)
        if f.name == "n_classes":
            continue
        largest = np.full_like(array, np.iinfo(array.dtype).max if array.dtype.kind != "f" else 1e300)
        for other in (
            array[:-1],
            array[1:],
            array[::-1].copy(),
            largest,
            array.astype("U"),
            array[None],
            None,
        ):
            hostile = replace(packed, **{f.name: other})
            try:
                hostile.walker.sums(X)
                hostile.tree(1).check()
            except ValueError:
                pass


def test_the_wrong_number_of_classes_is_refused():
    trees, rng = make(9, 4)
    packed = PackedForest.of([of_counts(tree, rng, 2) for tree in trees], 2)
    with pytest.raises(ValueError, match="not trees"):
        replace(packed, n_classes=1).tree(0)


def test_how_many_bytes_a_node_takes():
    """Sets of categories come on top: one bit per category and test."""
    trees, rng = make(10, 40)
    trees = [of_counts(tree, rng, 2) for tree in trees if tree.node_count > 1]
    weighted = [replace(t, weighted_n_node_samples=t.weighted_n_node_samples * 0.7) for t in trees]
    for some, n_classes, most in ((trees, 2, 20), (weighted, 2, 28), (trees, 0, 28)):
        packed = PackedForest.of(some, n_classes)
        arrays = (getattr(packed, f.name) for f in fields(packed) if f.name not in ("n_classes", "sets"))
        assert sum(a.nbytes for a in arrays) <= most * packed.node_count, n_classes


@pytest.mark.parametrize("many", [0, 33, 2**31 - 1])
def test_sets_have_the_words_that_their_column_needs(many):
    """Else the words of a tree would be sought for categories without end."""
    leaf = {"value": [1.0, 0.0], "n": 1}
    tree = Tree.of({"subset": [1], "feature": 0, "missing": 0, "children": [leaf, leaf]}, n_categories=[3])
    packed = PackedForest.of([tree], n_classes=2)
    packed._check_stored()
    with pytest.raises(ValueError, match="n_categories or set_length"):
        replace(packed, n_categories=np.array([many], np.int32))._check_stored()


def test_as_many_classes_as_the_values_are_wide():
    """Else a file could ask for any amount of memory."""
    leaf = {"value": [1.0, 0.0], "n": 1}
    tree = Tree.of({"threshold": 0.5, "feature": 0, "missing": 0, "children": [leaf, leaf]}, n_categories=[0])
    with pytest.raises(ValueError, match="n_classes"):
        replace(PackedForest.of([tree], n_classes=2), n_classes=10**9)._check_stored()
