"""Trees of soft-margin splits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from assay.tables.data import load_charity_donors
from assay.trees import SoftMarginTreeClassifier
from assay.trees.multivariate.soft_margin import soft_margin


@pytest.mark.parametrize("C", [100.0, 1e4])
@pytest.mark.capability("DC-118", "DC-25")
def test_an_oblique_root_separates_donors_if_slack_is_dear(C):
    """DC exercise 4: for large C the root is the hard-margin hyperplane of the charity data."""
    X, y = load_charity_donors()
    model = SoftMarginTreeClassifier(C).fit(X, y)
    assert model.get_n_leaves() == 2 and model.score(X, y) == 1.0
    Z = (X.values - X.values.mean(axis=0)) / X.values.std(axis=0)
    peer = SVC(kernel="linear", C=C, tol=1e-8).fit(Z, y)
    split = model.tree_.splits[0]
    own = split.weights * X.values.std(axis=0)
    assert_allclose(own / own[0], peer.coef_[0] / peer.coef_[0, 0], rtol=1e-3)
    assert_allclose(np.sign(split.value(X.values) - split.threshold), np.sign(peer.decision_function(Z)))


@pytest.mark.capability("DC-118")
def test_a_univariate_node_is_the_machine_of_least_objective():
    """DC exercise 4: a machine for each column; threshold and column of the one with the least objective."""
    X, y = load_charity_donors()
    model = SoftMarginTreeClassifier(1.0, oblique=False, max_depth=1).fit(X, y)
    side = np.where(y == "Y", 1.0, -1.0)
    values = X.values
    machines = []
    for j in range(2):
        z = (values[:, j] - values[:, j].mean()) / values[:, j].std()
        w, b, objective = soft_margin(z[:, None], side, np.ones(11))
        machines.append((objective, j, values[:, j].mean() - values[:, j].std() * b / w[0]))
    _, column, threshold = min(machines)
    split = model.tree_.splits[0]
    assert split.column == column == 1
    assert_allclose(split.threshold, threshold, rtol=1e-6)


@pytest.mark.capability("DC-118")
def test_the_boundary_is_piecewise_linear_and_more_general_than_one_machine():
    """Exclusive or with a gap: no hyperplane does it, a tree of them does."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    X = X[np.abs(X).min(axis=1) > 0.1]
    y = X[:, 0] * X[:, 1] > 0
    assert SVC(kernel="linear").fit(X, y).score(X, y) < 0.8
    for oblique in (False, True):
        assert SoftMarginTreeClassifier(10.0, oblique).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_as_accurate_as_univariate_trees(load):
    X, y = load(return_X_y=True)
    ours, peer = SoftMarginTreeClassifier(), DecisionTreeClassifier(random_state=0)
    scores = [cross_val_score(model, X, y, cv=5).mean() for model in (ours, peer)]
    assert scores[0] > scores[1] - 0.01 + (0.08 if load is load_digits else 0)


def test_more_than_two_classes_go_in_groups():
    X, y = load_iris(return_X_y=True)
    for grouping in ("exchange", "2-means"):
        model = SoftMarginTreeClassifier(grouping=grouping, max_depth=2).fit(X, y)
        assert model.score(X, y) > 0.95 and model.get_n_leaves() == 3


def test_weights_of_very_different_size_do_no_harm():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 1)).round(2), rng.integers(0, 4, 30)
        w = rng.choice([1.0, 2.0, 0.5, 1e-9, 1e9], 30)
        shares = SoftMarginTreeClassifier(oblique=False).fit(X, y, sample_weight=w).predict_proba(X)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
