"""Trees of any questions: shape, rows, pruning, words, files."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.errors import PersistenceError
from assay.tables import Schema
from assay.trees import FisherTreeClassifier
from assay.trees.multivariate.branch_tree import BranchTree
from assay.trees.multivariate.splits import Discriminants, Hyperplane, Threshold

LINE = Hyperplane(np.array([1.0, 1.0]), 0.0, np.ones(2))
THREE = Discriminants(
    np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]),
    np.array([0.0, 0.5, 0.0]),
    np.zeros(2),
    np.ones(2),
    np.array([0, 1, 1]),
)
# 0: line -> 1 leaf, 2: three ways -> 3 leaf, 4: threshold -> 5 leaf, 6 leaf; 7 leaf
TREE = BranchTree.of(
    [LINE, None, THREE, None, Threshold(1, 2.0), None, None, None],
    parent=[-1, 0, 0, 2, 2, 4, 4, 2],
    value=[[0.5, 0.5], [1, 0], [0.25, 0.75], [0, 1], [0.5, 0.5], [1, 0], [0, 1], [0, 1]],
    n=[20, 8, 12, 3, 6, 3, 3, 3],
    impurity=[0.5, 0, 0.375, 0, 0.5, 0, 0, 0],
    n_features=2,
)
X = np.random.default_rng(0).normal(size=(200, 2)) * 2


def leaf_by_the_book(x):
    if x[0] + x[1] <= 0:
        return 1
    scores = [-x[0], 0.5, x[0]]
    way = scores.index(max(scores))
    return [3, (5 if x[1] <= 2.0 else 6), 7][way]


def test_shape():
    assert (TREE.node_count, TREE.n_leaves, TREE.max_depth) == (8, 5, 3)
    assert_array_equal(TREE.parent, [-1, 0, 0, 2, 2, 4, 4, 2])
    assert_array_equal(TREE.depth, [0, 1, 1, 2, 2, 3, 3, 2])
    assert_array_equal(TREE.children(2), [3, 4, 7])
    assert TREE.n_parameters == 3 + (2 + 3) + 2
    TREE._check_stored()


def test_every_row_reaches_the_leaf_of_its_answers():
    wanted = [leaf_by_the_book(x) for x in X]
    assert_array_equal(TREE.apply(X), wanted)
    assert set(wanted) == {1, 3, 5, 6, 7}
    assert_array_equal(TREE.predict(X), TREE.value[wanted])
    assert_array_equal(TREE.apply(X[:0]), [])


def test_the_decision_path_ends_in_the_leaf_and_follows_parents():
    paths = TREE.decision_path(X)
    for i, leaf in enumerate(TREE.apply(X)):
        nodes = paths[i].indices
        assert nodes[-1] == leaf and [node for node, _ in TREE.path(X[i])] == list(nodes)
        assert_array_equal(TREE.parent[nodes[1:]], nodes[:-1])


def test_turning_nodes_to_leaves():
    pruned = TREE.turn_to_leaves([4])
    pruned._check_stored()
    assert pruned.node_count == 6 and pruned.splits[4] is None
    same = np.isin(TREE.apply(X), [5, 6])
    assert_array_equal(pruned.predict(X)[~same], TREE.predict(X)[~same])
    assert_array_equal(pruned.predict(X)[same], np.tile([0.5, 0.5], (same.sum(), 1)))
    root = TREE.turn_to_leaves([0, 4])
    assert root.node_count == 1 and root.is_leaf.all()


def test_importances_share_out_each_gain():
    """Gains 20 * .5 - 12 * .375 = 5.5 and 4.5 - 3 = 1.5 and 3; line half and half, the three ways all column 0."""
    assert_allclose(TREE.compute_feature_importances(False) * 20, [2.75 + 1.5, 2.75 + 3.0])
    assert_allclose(TREE.compute_feature_importances().sum(), 1.0)


def test_the_outline_has_a_branch_for_each_child():
    outline = TREE.outline(Schema.numeric(2), np.array(["no", "yes"]))
    assert [branch.words for branch in outline.nodes[0].branches] == ["x0 + x1 <= 0", "x0 + x1 > 0"]
    assert [branch.child for branch in outline.nodes[2].branches] == [3, 4, 7]
    assert outline.nodes[2].counts == (3.0, 9.0) and outline.nodes[1].answer == "no"
    assert_array_equal(outline.parent, TREE.parent)


def test_a_chain_of_thirty_thousand_nodes_is_walked():
    m = 30_000
    splits = [s for i in range(m) for s in (Threshold(0, float(i)), None)] + [None]
    parent = [-1] + [p for i in range(m) for p in (2 * i, 2 * i)]
    value = np.zeros((2 * m + 1, 1))
    tree = BranchTree.of(splits, parent, value, np.ones(2 * m + 1), np.zeros(2 * m + 1), 1)
    assert tree.max_depth == m
    assert_array_equal(tree.apply(np.array([[0.0], [10.5], [m + 1.0]])), [1, 23, 2 * m])
    assert len(tree.path(np.array([m + 1.0]))) == m + 1
    assert tree.turn_to_leaves([2 * m - 2]).max_depth == m - 1


@pytest.mark.parametrize(
    "change",
    [
        {"child": np.array([1, 2, 3, 4, 7, 5, 5], np.int32)},
        {"child": np.array([2, 1, 3, 4, 7, 5, 0], np.int32)},
        {"offset": np.array([0, 3, 2, 5, 5, 7, 7, 7, 7], np.int32)},
        {"value": TREE.value[:5]},
        {"splits": [*TREE.splits[:4], None, *TREE.splits[5:]]},
        {"splits": [THREE, *TREE.splits[1:]]},
        {"n_features": 1},
        {"value": TREE.value[:, :1]},
    ],
)
def test_parts_that_make_no_tree_are_refused(change):
    with pytest.raises(ValueError, match="BranchTree"):
        replace(TREE, **change)._check_stored()


def test_a_file_with_a_false_tree_is_not_loaded(tmp_path):
    from assay.core.persistence import container

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = FisherTreeClassifier(max_depth=3).fit(X, y)
    path = tmp_path / "model.assay"
    assay.save(model, path)
    assert_array_equal(assay.load(path).apply(X), model.apply(X))
    manifest, tensors = container.read(path)
    key = next(key for key in tensors if key.endswith("tree_.child"))
    container.write(path, manifest, {**tensors, key: tensors[key][::-1].copy()})
    with pytest.raises(PersistenceError):
        assay.load(path)
