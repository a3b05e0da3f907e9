"""How alike a forest finds rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from assay.ensembles.extra_trees import ExtraTreesClassifier
from assay.ensembles.proximity import outlier_scores, proximity
from assay.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from assay.errors import DataError, ParameterError

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_the_share_of_trees_in_which_rows_meet(cls):
    forest = cls(25, random_state=0).fit(X, Y)
    leaf = forest.apply(X)
    by_hand = np.mean(leaf[:, None, :] == leaf[None, :, :], axis=2)
    assert_allclose(proximity(forest, X), by_hand, atol=1e-14)
    assert_allclose(proximity(forest, X[:7], X[40:60]), by_hand[:7, 40:60], atol=1e-14)


def test_rows_that_a_tree_has_seen_do_not_count():
    forest = RandomForestClassifier(30, random_state=0).fit(X, Y)
    leaf, P = forest.apply(X), proximity(forest, X, out_of_bag_only=True)
    outside = np.ones((150, 30), bool)
    for t, rows in enumerate(forest.estimators_samples_):
        outside[rows, t] = False
    for i, j in ((0, 1), (3, 60), (70, 80), (120, 149)):
        both = outside[i] & outside[j]
        assert_allclose(P[i, j], np.mean(leaf[i, both] == leaf[j, both]) if both.any() else 0)
    assert_array_equal(P, P.T)
    with pytest.raises(DataError, match="for its training table alone"):
        proximity(forest, X[:10], out_of_bag_only=True)
    with pytest.raises(DataError, match="bootstrap=True"):
        proximity(ExtraTreesClassifier(3).fit(X, Y), X, out_of_bag_only=True)


def test_a_row_that_lies_among_another_class_stands_out():
    labels = Y.copy()
    labels[10] = 2  # a setosa called virginica
    forest = RandomForestClassifier(100, random_state=0, min_samples_leaf=3).fit(X, labels)
    scores = outlier_scores(proximity(forest, X), labels)
    assert np.argmax(scores) == 10
    assert scores[10] > 10
    assert outlier_scores(np.eye(3), ["a", "b", "b"]).tolist() == [0, 0, 0]
    with pytest.raises(DataError, match="got shape"):
        outlier_scores(np.ones((2, 3)), [0, 1])


def test_what_is_no_forest_or_has_no_bags_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(
        ParameterError, match="proximity: expected a forest, such as RandomForestClassifier, got str"
    ):
        proximity("forest", X)
    with pytest.raises(NotFittedError):
        proximity(RandomForestClassifier(), X)
    compact = RandomForestClassifier(3, random_state=0).fit(X, y).compact()
    assert proximity(compact, X).shape == (150, 150)
    with pytest.raises(DataError, match="not if it was made compact"):
        proximity(compact, X, out_of_bag_only=True)
