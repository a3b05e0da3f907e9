"""Omnivariate trees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from assay.trees import OmnivariateTreeClassifier
from assay.trees.multivariate.omnivariate_tree import errors_of, logistic_split
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Hyperplane, Threshold


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.capability("IML-9-40")
def test_a_linear_root_and_univariate_nodes_below(seed):
    """IML 9.7: a diagonal boundary at the root; on one side of it x1 alone decides."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (500, 2))
    X = X[(np.abs(X.sum(axis=1)) > 0.05) & (np.abs(X[:, 0] - 0.2) > 0.05)]
    y = np.where(X.sum(axis=1) < 0, "low", np.where(X[:, 0] > 0.2, "right", "left"))
    model = OmnivariateTreeClassifier(random_state=0).fit(X, y)
    kinds = model.node_kinds()
    assert model.tree_.splits[0].kind == "linear"
    assert kinds["linear"] == 1 and kinds["network"] == 0 and kinds["univariate"] >= 1
    assert model.score(X, y) == 1.0 and sum(kinds.values()) == model.tree_.node_count


@pytest.mark.capability("IML-9-40")
def test_a_curved_boundary_asks_for_a_network():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (400, 2))
    y = np.sum(X**2, axis=1) <= 2
    model = OmnivariateTreeClassifier(random_state=0).fit(X, y)
    assert model.tree_.splits[0].kind == "network"


@pytest.mark.capability("IML-9-40")
def test_a_single_column_is_left_to_a_single_column():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    model = OmnivariateTreeClassifier(random_state=0).fit(X, X[:, 2] > 0.5)
    assert model.node_kinds() == {"univariate": 1, "linear": 0, "network": 0, "leaf": 2}


def test_a_stricter_level_makes_simpler_trees():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::2, :10], y[::2]
    complex_nodes = []
    for alpha in (1e-9, 0.9):
        kinds = OmnivariateTreeClassifier(alpha, random_state=0).fit(X, y).node_kinds()
        complex_nodes.append(kinds["linear"] + kinds["network"])
    assert complex_nodes[0] == 0 < complex_nodes[1]


def test_small_nodes_are_univariate():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    model = OmnivariateTreeClassifier(min_samples_test=1000, random_state=0).fit(X, X.sum(axis=1) > 0)
    assert model.node_kinds()["linear"] == model.node_kinds()["network"] == 0


def test_errors_of_a_candidate_are_those_of_a_tree_of_one_test():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=80) > 0).astype(int)
    rows = NodeRows(X, y, np.ones(80), 2)
    halves = [rows.halves(rng) for _ in range(5)]
    found = errors_of(
        lambda part: part.best_threshold[0], [(rows.take(half), rows.take(~half)) for half in halves]
    )
    for i, half in enumerate(halves):
        for j, seen in enumerate((half, ~half)):
            stump = DecisionTreeClassifier(max_depth=1).fit(X[seen], y[seen])
            assert_allclose(found[i, j], np.mean(stump.predict(X[~seen]) != y[~seen]))
    assert_array_equal(
        errors_of(lambda part: None, [(rows, rows)]), [[np.mean(y != np.argmax(np.bincount(y)))] * 2]
    )


def test_the_linear_candidate_separates_what_a_hyperplane_can():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (200, 3)) * [1.0, 100.0, 0.01]
    y = (X @ [1.0, 0.01, 100.0] > 0.2).astype(int)
    split = logistic_split(NodeRows(X, y, np.ones(200), 2))
    agree = np.mean(split.branch(X) == y)
    assert isinstance(split, Hyperplane) and max(agree, 1 - agree) > 0.98
    single = logistic_split(NodeRows(X[:, :1], (X[:, 0] > 0.1).astype(int), np.ones(200), 2))
    assert isinstance(single, Threshold)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_as_accurate_as_univariate_trees(load):
    X, y = load(return_X_y=True)
    X, y = X[::2], y[::2]
    ours, peer = OmnivariateTreeClassifier(hidden=2, random_state=0), DecisionTreeClassifier(random_state=0)
    scores = [cross_val_score(model, X, y, cv=3).mean() for model in (ours, peer)]
    assert scores[0] > scores[1] - 0.03
