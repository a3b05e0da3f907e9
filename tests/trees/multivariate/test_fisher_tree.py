"""Trees of Fisher's directions between two groups of classes."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from assay.trees import FisherTreeClassifier


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.capability("IML-9-37")
def test_one_node_for_a_diagonal(n):
    X = np.array([[i, j] for i in range(n) for j in range(n)], float)
    y = X.sum(axis=1) > n - 1
    model = FisherTreeClassifier().fit(X, y)
    assert model.tree_.node_count == 3 and model.score(X, y) == 1.0


@pytest.mark.parametrize("grouping", ["exchange", "2-means"])
@pytest.mark.capability("IML-9-36", "IML-9-37")
def test_four_separated_classes_take_three_nodes(grouping):
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 0.0], [10.0, 9.0], [2.0, 0.5], [9.0, 12.0]])
    X = np.vstack([rng.normal(size=(30, 2)) * 0.3 + mean for mean in means])
    y = np.repeat(list("abcd"), 30)
    model = FisherTreeClassifier(grouping).fit(X, y)
    assert model.tree_.n_leaves == 4 and model.get_depth() == 2 and model.score(X, y) == 1.0
    left = model.tree_.splits[0].branch(means)
    assert left[0] == left[2] != left[1] == left[3]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_smaller_than_univariate_trees_and_as_accurate(load):
    """Digits: fourteen points ahead of the univariate tree."""
    X, y = load(return_X_y=True)
    ours, peer = FisherTreeClassifier(), DecisionTreeClassifier(random_state=0)
    assert ours.fit(X, y).get_n_leaves() < peer.fit(X, y).get_n_leaves()
    scores = [cross_val_score(model, X, y, cv=5).mean() for model in (ours, peer)]
    assert scores[0] > scores[1] - 0.01 + (0.08 if load is load_digits else 0)


@pytest.mark.capability("IML-9-48")
def test_inputs_that_tell_nothing_get_no_weight_when_asked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = X[:, 2] - X[:, 5] > 0
    assert np.count_nonzero(FisherTreeClassifier(max_depth=1).fit(X, y).tree_.splits[0].weights) == 6
    model = FisherTreeClassifier(deletion=0.1, max_depth=1).fit(X, y)
    assert_array_equal(np.flatnonzero(model.tree_.splits[0].weights), [2, 5])
