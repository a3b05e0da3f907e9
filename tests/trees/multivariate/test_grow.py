"""Growing and pruning trees of any node learner."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from assay.trees.multivariate.grow import Limits, grow, prune_by_error, usable
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Discriminants, Threshold


def univariate(rows, rng):
    return rows.best_threshold[0]


def grown(X, y, K, learn=univariate, criterion="gini", **limits):
    rows = NodeRows(np.asarray(X, float), y, np.ones(len(X)), K, criterion)
    return grow(rows, learn, Limits(**limits), np.random.default_rng(0))


@pytest.mark.parametrize("n, leaves", [(5, 9), (10, 19)])
@pytest.mark.capability("IML-9-32")
def test_univariate_nodes_need_a_staircase_for_a_diagonal(n, leaves):
    """The n x n grid, class 1 iff x1 + x2 > n - 1: 9 and 19 leaves with greedy univariate entropy nodes."""
    X = np.array([[i, j] for i in range(n) for j in range(n)], float)
    y = (X.sum(axis=1) > n - 1).astype(int)
    assert DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y).get_n_leaves() == leaves
    tree = grown(X, y, 2, criterion="entropy")
    assert tree.predict(X).argmax(axis=1).tolist() == y.tolist()
    assert tree.n_leaves == leaves


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize(
    "limits", [{"max_depth": 3}, {"min_samples_split": 20}, {"min_impurity_decrease": 0.01}]
)
def test_stopping_means_what_it_means_in_scikit_learn(load, limits):
    """Peer: DecisionTreeClassifier; equal gains may be broken differently, the impurity reached is the same."""
    X, y = load(return_X_y=True)
    ours, peer = (
        grown(X, y, len(np.unique(y)), **limits),
        DecisionTreeClassifier(random_state=0, **limits).fit(X, y),
    )
    assert abs(ours.node_count - peer.tree_.node_count) <= 4
    assert ours.splits[0].column == peer.tree_.feature[0] or load is load_iris  # petal length and width tie
    assert ours.max_depth <= limits.get("max_depth", np.inf)
    inner = ~ours.is_leaf
    assert (ours.n_node_samples[inner] >= limits.get("min_samples_split", 2)).all()
    mass = ours.weighted_n_node_samples * ours.impurity / len(X)
    gain = mass[inner] - [mass[ours.children(i)].sum() for i in np.flatnonzero(inner)]
    assert (gain >= limits.get("min_impurity_decrease", 0) - 1e-12).all()


def test_numbers_are_grown_by_variance():
    X, y = load_iris(return_X_y=True)
    ours = grown(X[:, :3], X[:, 3], 0, max_depth=4)
    peer = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X[:, :3], X[:, 3])
    assert np.mean((ours.predict(X[:, :3])[:, 0] - X[:, 3]) ** 2) <= 1.02 * np.mean(
        (peer.predict(X[:, :3]) - X[:, 3]) ** 2
    )


def test_a_split_that_does_not_divide_gives_way_to_the_best_threshold():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    tree = grown(X, y, 2, learn=lambda rows, rng: Threshold(0, 99.0))
    assert tree.n_leaves == 2 and tree.splits[0].threshold == 1.5


def test_equal_rows_of_different_classes_are_a_leaf():
    tree = grown(np.ones((6, 2)), np.array([0, 1, 1, 1, 2, 2]), 3)
    assert tree.node_count == 1
    assert_array_equal(tree.value[0], [1 / 6, 3 / 6, 2 / 6])


def test_discriminants_with_too_few_rows_are_left_out():
    split = Discriminants(
        np.array([[-1.0], [0.0], [1.0]]), np.array([0.0, 0.4, 0.0]), np.zeros(1), np.ones(1), np.arange(3)
    )
    X = np.array([[-3.0], [-2.0], [0.1], [2.0], [3.0]])
    rows = NodeRows(X, np.array([0, 0, 1, 2, 2]), np.ones(5), 3, min_leaf=2)
    kept, branch = usable(split, rows)
    assert_array_equal(kept.classes, [0, 2])
    assert_array_equal(branch, [0, 0, 1, 1, 1])
    assert usable(split, NodeRows(X[:3], np.array([0, 0, 1]), np.ones(3), 3, min_leaf=2))[0] is None


def test_reduced_error_pruning_keeps_what_errs_less_on_rows_set_aside():
    """x0 decides; the noise below it is cut away, since it errs on the rows set aside."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 3))
    y = ((X[:, 0] > 0.5) ^ (rng.uniform(size=400) < 0.15)).astype(int)
    tree = grown(X[:250], y[:250], 2)
    held = NodeRows(X[250:], y[250:], np.ones(150), 2)
    pruned = prune_by_error(tree, held)
    errors = [np.sum(one.predict(held.X).argmax(axis=1) != held.y) for one in (tree, pruned)]
    assert pruned.n_leaves < tree.n_leaves / 4 and errors[1] <= errors[0]
    assert pruned.splits[0].column == 0
    # no single node of the pruned tree can become a leaf without a loss
    for i in np.flatnonzero(~pruned.is_leaf):
        worse = pruned.turn_to_leaves([i]).predict(held.X).argmax(axis=1) != held.y
        assert worse.sum() > errors[1]


def test_a_tree_without_errors_on_the_rows_set_aside_stays():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([0, 1, 1, 0])
    tree = grown(X, y, 2)
    assert prune_by_error(tree, NodeRows(X, y, np.ones(4), 2)).n_leaves == 4
