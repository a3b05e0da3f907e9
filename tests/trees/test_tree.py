"""The flat tree: made by hand, walked, cut, and checked before anyone follows its indices."""

import dataclasses
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array, csr_array
from sklearn.tree import DecisionTreeClassifier as PeerTree

import assay
from assay.core.persistence import container
from assay.errors import PersistenceError
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor, _shap
from assay.trees.tree import LEAF, NWAY, SUBSET, TERNARY, THRESHOLD, Surrogates, Tree, as_words


def walk_by_the_book(tree, x, node=0):
    """The (leaf, share) pairs that a row reaches: the twin of the native code."""
    if tree.kind[node] == LEAF:
        return [(node, 1.0)]
    v, below = x[tree.feature[node]], tree.children(node)
    branch = _branch(tree, node, v) if not np.isnan(v) else None
    if branch is None and tree.surrogates is not None:
        s = tree.surrogates
        for at in range(s.offset[node], s.offset[node + 1]):
            u = x[s.feature[at]]
            if not np.isnan(u):
                branch = int(u > s.threshold[at]) ^ int(s.flip[at])
                break
    if branch is None:
        branch = tree.missing[node]
    if branch >= 0:
        return walk_by_the_book(tree, x, below[branch])
    w = tree.weighted_n_node_samples[below]
    return [
        (leaf, s * q) for c, q in zip(below, w / w.sum()) if q > 0 for leaf, s in walk_by_the_book(tree, x, c)
    ]


def _branch(tree, node, v):
    kind = tree.kind[node]
    if kind == THRESHOLD:
        return int(v > tree.threshold[node])
    if kind == TERNARY:
        return int(v > tree.threshold[node]) + int(v > tree.second(node))
    return int(v) if kind == NWAY else int(int(v) not in tree.subset(node))


CATEGORIES = [0, 3, 40, 0]


def random_tree(seed, depth=4):
    """A random tree over two numeric columns and two of 3 and 40 categories, with two classes."""
    rng = np.random.default_rng(seed)

    def node(level):
        if level == depth or rng.random() < 0.2:
            p = rng.random()
            return {"value": [p, 1 - p], "n": float(rng.integers(1, 9))}
        kind = rng.integers(4)
        if kind == 0:
            test = {"feature": int(rng.choice([0, 3])), "threshold": float(rng.normal())}
        elif kind == 1:
            test = {"feature": 2, "subset": rng.choice(40, 15, replace=False).tolist()}
        elif kind == 2:
            test = {"feature": 1}
        else:
            test = {"feature": 0, "threshold": -0.5, "second": 0.5}
        width = {0: 2, 1: 2, 2: 3, 3: 3}[int(kind)]
        test["missing"] = int(rng.integers(-1, width))
        return {**test, "children": [node(level + 1) for _ in range(width)]}

    return Tree.of(node(0), CATEGORIES)


def random_rows(seed, n=60):
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(0, 3, n), rng.integers(0, 40, n), rng.normal(size=n)]
    )
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000))
def test_walks_as_the_book_does(seed):
    tree, X = random_tree(seed), random_rows(seed)
    by_hand = [sum(s * tree.values[leaf] for leaf, s in walk_by_the_book(tree, x)) for x in X]
    assert_allclose(tree.predict(X), by_hand, rtol=1e-12)
    whole = [i for i, x in enumerate(X) if len(walk_by_the_book(tree, x)) == 1]
    leaves = [walk_by_the_book(tree, X[i])[0][0] for i in whole]
    assert_array_equal(tree.apply(X)[whole], leaves)


def test_single_precision_rows_take_the_same_way():
    tree, X = random_tree(3), random_rows(3).astype(np.float32)
    assert_array_equal(tree.predict(X), tree.predict(X.astype(np.float64)))
    assert_array_equal(tree.apply(X), tree.apply(X.astype(np.float64)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("seed", range(5))
def test_sparse_rows_take_the_same_way(seed, form):
    """Zeros that are stored, entries that are stored twice, and missing ones too."""
    tree, X = random_tree(seed), random_rows(seed, 9000)
    X[np.random.default_rng(seed).random(X.shape) < 0.5] = 0.0
    rows = coo_array(X)
    twice = coo_array(
        (
            np.concatenate((rows.data / 2, rows.data / 2, [0.0])),
            (np.append(np.tile(rows.coords[0], 2), 5), np.append(np.tile(rows.coords[1], 2), 1)),
        ),
        shape=X.shape,
    )
    for table in (rows.asformat(form), csr_array((twice.data, twice.coords), shape=X.shape)):
        assert_array_equal(tree.predict(table), tree.predict(X))
        assert_array_equal(tree.apply(table), tree.apply(X))
    with pytest.raises(ValueError, match="4 columns"):
        tree.predict(csr_array((3, 5)))


def test_surrogates_are_asked_before_the_default():
    nested = {
        "feature": 0,
        "threshold": 0.0,
        "missing": 1,
        "children": [{"value": 1.0, "n": 1}, {"value": 2.0, "n": 1}],
    }
    plain = Tree.of(nested, [0, 0, 3])
    backups = Surrogates(
        offset=np.array([0, 2, 2, 2], np.int32),
        feature=np.array([1, 2], np.int32),
        kind=np.array([THRESHOLD, SUBSET], np.uint8),
        threshold=np.array([5.0, -2.0]),
        set_offset=np.array([0, 0, 1], np.int32),
        sets=as_words([2], 3),
        flip=np.array([1, 0], np.uint8),
    )
    tree = dataclasses.replace(plain, surrogates=backups)
    tree.check()
    nan = np.nan
    rows = [[-1, nan, nan], [nan, 4, nan], [nan, 6, 2], [nan, nan, 2], [nan, nan, 0], [nan, nan, nan]]
    assert tree.predict(np.array(rows)).ravel().tolist() == [1, 2, 1, 1, 2, 2]
    assert tree.turn_to_leaves([0]).surrogates.offset.tolist() == [0, 0]


@pytest.mark.capability("IML-9-01")
def test_counts_of_a_tree_and_the_path_of_a_row():
    # IML Fig. 9-1: x1 <= 0.5 is C1; else x2 <= 0.5 is C1, above C2.
    tree = Tree.of(
        {
            "feature": 0,
            "threshold": 0.5,
            "children": [
                {"value": [1, 0], "n": 200},
                {
                    "feature": 1,
                    "threshold": 0.5,
                    "children": [{"value": [1, 0], "n": 100}, {"value": [0, 1], "n": 100}],
                },
            ],
        },
        [0, 0],
    )
    assert (tree.node_count, tree.n_leaves, tree.max_depth) == (5, 3, 2)
    assert tree.depth.tolist() == [0, 1, 1, 2, 2] and tree.parent.tolist() == [-1, 0, 0, 2, 2]
    assert tree.children_left.tolist() == [1, -1, 3, -1, -1]
    assert tree.children_right.tolist() == [2, -1, 4, -1, -1]
    assert tree.values[0].tolist() == [0.75, 0.25] and tree.weighted_n_node_samples[0] == 400
    assert tree.path(np.array([0.7, 0.9])) == [(0, 1), (2, 1), (4, -1)]
    passed = tree.decision_path(np.array([[0.7, 0.9], [0.5, 0.9]])).toarray()
    assert passed.tolist() == [[1, 0, 1, 0, 1], [1, 1, 0, 0, 0]]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.data())
def test_nodes_turned_to_leaves_answer_for_all_below(seed, data):
    tree, X = random_tree(seed), random_rows(seed)
    cut = data.draw(st.lists(st.integers(0, tree.node_count - 1), max_size=4))
    pruned = tree.turn_to_leaves(cut)
    pruned.check()
    assert pruned.node_count == tree.node_count - sum(
        any(c < i < tree.end[c] for c in cut) for i in range(tree.node_count)
    )
    full = np.where(np.isnan(X), 0.0, X)  # without missing values: one path
    for x, answer in zip(full, pruned.predict(full)):
        node = next((i for i, _ in tree.path(x) if i in cut), tree.path(x)[-1][0])
        assert_array_equal(answer, tree.values[node])


def test_nodes_made_in_any_order_stand_in_preorder():
    made = Tree.assemble(
        parent=np.array([-1, 0, 0, 1, 1]),
        branch=np.array([0, 1, 0, 1, 0]),
        feature=np.array([0, 1, -2, -2, -2]),
        kind=np.array([1, 1, 0, 0, 0]),
        threshold=np.array([1.0, 2.0, -2, -2, -2]),
        missing=np.full(5, -1),
        values=np.arange(5.0)[:, None],
        impurity=np.zeros(5),
        n_node_samples=np.ones(5),
        weighted_n_node_samples=np.ones(5),
        n_categories=np.array([0, 0]),
    )
    made.check()
    assert made.value.ravel().tolist() == [0, 2, 1, 4, 3]
    assert made.predict(np.array([[0.0, 0], [3, 1], [3, 5]])).ravel().tolist() == [2, 4, 3]


def test_a_chain_of_a_hundred_thousand_tests():
    m = 100_000
    parent = np.concatenate(([-1], np.repeat(np.arange(0, 2 * m - 2, 2), 2)))
    branch = np.concatenate(([0], np.tile([0, 1], m - 1)))
    # node 2k tests x <= k; its child 0 is the leaf 2k + 1, its child 1 the next test
    inner = np.arange(2 * m - 1) % 2 == 0
    inner[-1] = False
    tree = Tree.assemble(
        parent=parent,
        branch=branch,
        feature=np.where(inner, 0, -2),
        kind=inner.astype(int),
        threshold=np.where(inner, np.arange(2 * m - 1) // 2, -2),
        missing=np.where(inner, 1, -1),
        values=np.arange(2 * m - 1.0)[:, None],
        impurity=np.zeros(2 * m - 1),
        n_node_samples=np.ones(2 * m - 1),
        weighted_n_node_samples=np.ones(2 * m - 1),
        n_categories=np.array([0]),
    )
    assert tree.max_depth == m - 1
    assert tree.predict(np.array([[-1.0], [1e9], [np.nan]])).ravel().tolist() == [1, 2 * m - 2, 2 * m - 2]
    assert len(tree.path(np.array([1e9]))) == m
    assert tree.turn_to_leaves([4]).node_count == 5


def test_importances_are_the_impurity_that_each_column_removes():
    tree = Tree.of(
        {
            "feature": 1,
            "threshold": 0.0,
            "impurity": 0.5,
            "children": [
                {"value": [1, 0], "n": 5},
                {
                    "feature": 0,
                    "threshold": 0.0,
                    "impurity": 0.4,
                    "children": [{"value": [1, 0], "n": 2}, {"value": [0, 1], "n": 3}],
                },
            ],
        },
        [0, 0],
    )
    assert_allclose(tree.compute_feature_importances(normalize=False), [0.2, 0.3], rtol=1e-12)
    assert_allclose(tree.compute_feature_importances(), [0.4, 0.6], rtol=1e-12)


def test_sets_of_many_categories():
    codes = [0, 31, 32, 63, 64, 999]
    assert as_words(codes, 1000).size == 32
    tree = Tree.of(
        {"feature": 0, "subset": codes, "children": [{"value": 1.0, "n": 1}, {"value": 0.0, "n": 1}]}, [1000]
    )
    assert tree.subset(0).tolist() == codes
    inside = tree.predict(np.arange(1000.0)[:, None]).ravel()
    assert np.flatnonzero(inside).tolist() == codes


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match=r"4 columns, got shape \(2, 3\)"):
        random_tree(1).predict(np.zeros((2, 3)))


@pytest.mark.parametrize("name", [f.name for f in dataclasses.fields(Tree) if f.name != "surrogates"])
def test_a_stored_tree_with_wild_numbers_is_refused_or_harmless(name, tmp_path):
    tree = random_tree(5)
    tree = dataclasses.replace(tree, output_sizes=np.array([tree.values.shape[1]], np.int32))
    assay.save(tree, tmp_path / "tree.assay")
    assert_array_equal(
        assay.load(tmp_path / "tree.assay").predict(random_rows(1)), tree.predict(random_rows(1))
    )
    manifest, tensors = container.read(tmp_path / "tree.assay")
    (key,) = [k for k in tensors if k.split(".")[-1] == name]
    for wild in (-7, 1, 100_000):
        spoiled = tensors[key].copy()
        spoiled.flat[spoiled.size // 2] = np.array(wild).astype(spoiled.dtype)
        container.write(tmp_path / "wild", manifest, {**tensors, key: spoiled})
        try:
            other = assay.load(tmp_path / "wild")
        except PersistenceError:
            continue
        other.predict(random_rows(1))
        other.apply(random_rows(1))


def test_a_set_names_all_categories_of_its_column():
    """Else the words of a stored tree would be sought for categories without end."""
    leaf = {"value": 0.0, "n": 1}
    tree = Tree.of({"subset": [1], "feature": 0, "missing": 0, "children": [leaf, leaf]}, n_categories=[3])
    tree.check()
    with pytest.raises(ValueError, match="a set does not name all categories"):
        dataclasses.replace(tree, n_categories=np.array([2**31 - 1], np.int32)).check()


def test_values_of_several_outputs_are_laid_out_as_in_scikit_learn():
    X = np.arange(6.0)[:, None]
    Y = np.column_stack([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    ours, peer = DecisionTreeClassifier().fit(X, Y).tree_, PeerTree(random_state=0).fit(X, Y).tree_
    assert_allclose(ours.value, peer.value, rtol=1e-12)
    assert (ours.n_outputs, ours.max_n_classes) == (2, 3) and ours.n_classes.tolist() == [2, 3]
    assert_array_equal(ours.children_left, peer.children_left)
    pruned = ours.turn_to_leaves([1])
    assert pruned.value.shape == (pruned.node_count, 2, 3)
    numbers = DecisionTreeRegressor(max_depth=1).fit(X, X @ [[1.0, 2.0]]).tree_
    assert_allclose(numbers.value, [[[2.5], [5]], [[1], [2]], [[4], [8]]])
    one = DecisionTreeRegressor(max_depth=1).fit(X, X[:, 0]).tree_
    assert_allclose(one.value, [[[2.5]], [[1]], [[4]]])


def test_native_nodes_let_go_of_the_arrays_of_the_tree():
    X, y = np.random.default_rng(0).random((50, 3)), np.arange(50) % 2
    tree = DecisionTreeClassifier(random_state=0).fit(X, y).tree_
    arrays = [tree.feature, tree.kind, tree.threshold, tree.offset, tree.child, tree.weighted_n_node_samples]
    vars(tree).pop("_nodes", None)
    before = [sys.getrefcount(array) for array in arrays]
    nodes = tree._nodes
    assert [
        sys.getrefcount(array) for array in arrays
    ] > before  # it holds them, or it would walk freed memory
    paths = _shap.Paths(nodes, tree.parent, tree.branch, tree.depth)
    del nodes, vars(tree)["_nodes"]
    assert paths.distinct > 0  # holds the nodes
    del paths
    assert [sys.getrefcount(array) for array in arrays] == before
