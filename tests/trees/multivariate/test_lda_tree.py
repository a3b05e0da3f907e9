"""Trees of linear discriminants, one branch for each class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer

from assay.bayes import LinearDiscriminantAnalysis
from assay.trees import LDATreeClassifier


@pytest.mark.capability("IML-9-34")
def test_the_root_of_gaussian_classes_is_the_linear_discriminant():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 3))
    X = np.vstack([rng.normal(size=(80, 3)) @ A + mean for mean in ([0, 0, 0], [2, 1, 0], [0, 3, 1])])
    y = np.repeat([0, 1, 2], 80)
    model = LDATreeClassifier(max_depth=1).fit(X, y)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    grid = rng.normal(size=(500, 3)) * 3
    split = model.tree_.splits[0]
    assert_array_equal(split.branch(grid), lda.predict(grid))
    scores, wanted = split.value(grid), lda.decision_function(grid)
    assert_allclose(scores - scores[:, :1], wanted - wanted[:, :1], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.capability("IML-9-34")
def test_the_root_branches_as_linear_discriminant_analysis_predicts(load):
    """Peer: LinearDiscriminantAnalysis of scikit-learn 1.9. Constant and collinear columns are left out by both."""
    X, y = load(return_X_y=True)
    branch = LDATreeClassifier(max_depth=1).fit(X, y).tree_.splits[0].branch(X)
    assert np.mean(branch != Peer().fit(X, y).predict(X)) < 0.003


def test_weights_are_those_of_the_discriminant():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.1, 3, 150)
    split = LDATreeClassifier(max_depth=1).fit(X, y, sample_weight=w).tree_.splits[0]
    lda = LinearDiscriminantAnalysis().fit(X, y, sample_weight=w)
    assert_array_equal(split.branch(X), lda.predict(X))


def test_nodes_below_learn_what_the_root_gets_wrong():
    X, y = load_iris(return_X_y=True)
    scores = [LDATreeClassifier(max_depth=depth).fit(X, y).score(X, y) for depth in (1, 2, None)]
    assert scores[0] < scores[1] <= scores[2] == 1.0


def test_a_class_that_no_row_is_sent_to_has_no_branch():
    """One row of class b in the middle of many of class a: its score never wins."""
    rng = np.random.default_rng(0)
    X = np.vstack((rng.normal(size=(100, 1)), [[0.01]], rng.normal(size=(100, 1)) + 20))
    y = np.array(["a"] * 100 + ["b"] + ["c"] * 100)
    split = LDATreeClassifier(max_depth=1).fit(X, y).tree_.splits[0]
    assert_array_equal(split.classes, [0, 2])


def test_classes_with_the_same_mean_are_separated_by_thresholds():
    """Exclusive or: the scores are equal everywhere, so single columns take over."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = LDATreeClassifier().fit(X, [0, 1, 1, 0])
    assert model.score(X, [0, 1, 1, 0]) == 1.0 and model.tree_.splits[0].kind == "univariate"
