"""CART with linear combinations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from assay.tables.data import load_charity_donors
from assay.trees import LinearCombinationTreeClassifier
from assay.trees.multivariate.splits import Hyperplane


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.capability("IML-9-32")
def test_one_node_for_a_diagonal(n, criterion):
    """IML 9.6: the n x n grid, class 1 iff x1 + x2 > n - 1; univariate trees need 9 and 19 leaves."""
    X = np.array([[i, j] for i in range(n) for j in range(n)], float)
    y = X.sum(axis=1) > n - 1
    model = LinearCombinationTreeClassifier(criterion=criterion).fit(X, y)
    assert model.tree_.node_count == 3 and model.score(X, y) == 1.0
    w = model.tree_.splits[0].weights
    assert_allclose(w[1] / w[0], 1.0, atol=0.25)  # any line between the diagonals separates


@pytest.mark.capability("DC-25")
def test_one_oblique_split_tells_donors_apart():
    """DC Fig. 10.3b: one split of age and salary is right for all eleven rows, as Age/50 + Salary/50000 <= 2 is."""
    X, y = load_charity_donors()
    model = LinearCombinationTreeClassifier().fit(X, y)
    assert model.get_n_leaves() == 2 and model.score(X, y) == 1.0
    split = model.tree_.splits[0]
    assert isinstance(split, Hyperplane) and (split.weights > 0).all()
    books = Hyperplane(np.array([1 / 50, 1 / 50000]), 2.0, np.ones(2))
    assert_allclose(books.value(X.values)[[0, 2, 10]], [1.16, 2.08, 2.28])
    assert_array_equal(books.branch(X.values), split.branch(X.values))


@pytest.mark.capability("IML-9-48")
def test_inputs_that_tell_nothing_get_no_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = X[:, 2] - 2 * X[:, 5] > 0.3
    model = LinearCombinationTreeClassifier().fit(X, y)
    assert_array_equal(np.flatnonzero(model.tree_.splits[0].weights), [2, 5])
    assert model.feature_importances_[[2, 5]].sum() > 0.9
    keeping = LinearCombinationTreeClassifier(deletion=None).fit(X, y)
    assert np.count_nonzero(keeping.tree_.splits[0].weights) > 2


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_no_root_is_less_pure_than_the_best_univariate_one(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    ours = LinearCombinationTreeClassifier(max_depth=1).fit(X, y).tree_
    peer = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    after = [
        tree.weighted_n_node_samples[1:] @ tree.impurity[1:] / tree.weighted_n_node_samples[0]
        for tree in (ours, peer)
    ]
    assert after[0] <= after[1] + 1e-9


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_no_worse_than_univariate_trees_on_real_data(load):
    """Peer: scikit-learn's tree; oblique nodes give smaller trees that are as accurate or more so."""
    X, y = load(return_X_y=True)
    X, y = X[:600], y[:600]
    ours, peer = LinearCombinationTreeClassifier(), DecisionTreeClassifier(random_state=0)
    assert ours.fit(X, y).score(X, y) == 1.0
    assert ours.get_n_leaves() < peer.fit(X, y).get_n_leaves()
    scores = [cross_val_score(model, X, y, cv=5).mean() for model in (ours, peer)]
    assert scores[0] > scores[1] - 0.03


def test_a_weight_is_as_good_as_a_repeated_row():
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(60, 3)), rng.integers(0, 2, 60), rng.integers(0, 4, 60)
    weighted = LinearCombinationTreeClassifier(max_depth=4).fit(X, y, sample_weight=w)
    repeated = LinearCombinationTreeClassifier(max_depth=4).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)
