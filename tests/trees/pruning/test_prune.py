"""Pruning any fitted tree learner."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split

from assay.bayes import GaussianNB
from assay.errors import DataError, ParameterError
from assay.tables.data import load_breast_cancer_ljubljana, load_iris
from assay.trees.c45_classifier import C45Classifier
from assay.trees.cart_regressor import CARTRegressor
from assay.trees.continuous_tree_regressor import ContinuousTreeRegressor
from assay.trees.id3_classifier import ID3Classifier
from assay.trees.model_tree_regressor import ModelTreeRegressor
from assay.trees.pruning import cost_complexity, error_based, prune, reduced_error

DATA = load_breast_cancer_ljubljana()  # nominal, with missing values
FRAME, Y = DATA.frame(target=False), DATA.y


@pytest.fixture(scope="module")
def model():
    return ID3Classifier().fit(FRAME, Y)


@pytest.mark.parametrize(
    ("method", "settings", "rows"),
    [
        ("collapse", {}, False),
        ("pessimistic", {}, False),
        ("mdl", {"structure": 0.5}, False),
        ("error-based", {"confidence": 0.3}, False),
        ("error-based", {}, True),
        ("cost-complexity", {"alpha": 0.005}, False),
        ("cost-complexity", {"cv": 3, "random_state": 0, "cost": "error"}, True),
        ("reduced-error", {"when": "not worse"}, True),
    ],
)
def test_a_copy_is_pruned(model, method, settings, rows):
    before = model.tree_
    pruned = prune(model, *((FRAME, Y) if rows else ()), method=method, **settings)
    assert model.tree_ is before and type(pruned) is ID3Classifier
    assert pruned.get_n_leaves() < model.get_n_leaves()
    pruned.tree_.check()
    assert pruned.predict_proba(FRAME).shape == (len(Y), 2)
    assert pruned.get_params() == model.get_params()


def test_the_functions_do_the_work():
    X, y = load_iris().X.values, load_iris().codes
    labels = np.array(["s", "t", "v"])[y]
    train, test = train_test_split(np.arange(150), random_state=0)
    model = ID3Classifier().fit(X[train], labels[train])
    tree = model.tree_
    same = lambda a, b: assert_array_equal(a.tree_.threshold, b.threshold)  # noqa: E731
    same(prune(model, X[test], labels[test], method="reduced-error"), reduced_error(tree, X[test], y[test]))
    same(prune(model, method="error-based", confidence=0.1), error_based(tree, 0.1))
    same(
        prune(model, X[train], labels[train], method="error-based"),
        error_based(tree, 0.25, X[train], y[train]),
    )
    same(prune(model, method="cost-complexity", alpha=0.1), cost_complexity(tree, 0.1))


def test_trees_of_numbers():
    random = np.random.default_rng(0)
    X = random.random((300, 2))
    y = np.where(X[:, 0] > 0.5, 2.0, 0.0) + random.normal(size=300)
    model = CARTRegressor(within=0, min_samples_leaf=3, random_state=0).fit(X[:200], y[:200])
    full = CARTRegressor(within=0, cv=2, random_state=0).fit(X[:200], y[:200])
    full.tree_ = full._grown(X[:200], y[:200], None)
    pruned = prune(full, X[200:], y[200:], method="reduced-error")
    assert pruned.get_n_leaves() < full.get_n_leaves() and pruned.score(X[200:], y[200:]) > full.score(
        X[200:], y[200:]
    )
    assert prune(full, method="cost-complexity", alpha=0.2).get_n_leaves() < full.get_n_leaves()
    for method in ("pessimistic", "mdl", "collapse", "error-based"):
        with pytest.raises(ParameterError, match="counts classes, and CARTRegressor predicts numbers"):
            prune(model, method=method)


def test_what_is_wrong_is_said(model):
    with pytest.raises(ParameterError, match="method must be one of 'cost-complexity', 'reduced-error'"):
        prune(model, method="ccp")
    with pytest.raises(ParameterError, match="'mdl' has no setting 'confidence'"):
        prune(model, method="mdl", confidence=0.1)
    with pytest.raises(ParameterError, match="when must be 'not worse' or 'better', got 'worse'"):
        prune(model, FRAME, Y, method="reduced-error", when="worse")
    with pytest.raises(DataError, match="'reduced-error' needs rows to prune with"):
        prune(model, method="reduced-error")
    with pytest.raises(DataError, match="needs the price of a leaf"):
        prune(model, method="cost-complexity")
    with pytest.raises(DataError, match="y has the label 'perhaps'"):
        prune(model, FRAME[:2], ["perhaps", Y[0]], method="reduced-error")
    with pytest.raises(ParameterError, match="GaussianNB has no tree_"):
        prune(GaussianNB().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), method="mdl")
    with pytest.raises(NotFittedError):
        prune(C45Classifier(), method="mdl")


def test_rows_count_as_they_did_in_growing():
    """Rows of class 1 count four times in growing, and so in the raising of subtrees."""
    from assay.trees.decision_tree_classifier import DecisionTreeClassifier

    random = np.random.default_rng(0)
    X, y = random.random((120, 3)), random.integers(0, 2, 120)
    model = DecisionTreeClassifier(class_weight={0: 1, 1: 4}, random_state=0).fit(X, y)
    pruned = prune(model, X, y, method="error-based").tree_
    assert pruned.weighted_n_node_samples[0] == (y == 0).sum() + 4 * (y == 1).sum()
    assert_array_equal(
        pruned.threshold, error_based(model.tree_, 0.25, X, y, np.where(y == 1, 4.0, 1.0)).threshold
    )


@pytest.mark.parametrize("learner", [ModelTreeRegressor, ContinuousTreeRegressor])
def test_leaves_with_functions_are_not_pruned(learner):
    """They would answer with the functions of other leaves."""
    X = np.arange(60.0)[:, None]
    with pytest.raises(ParameterError, match="very leaves"):
        prune(learner().fit(X, np.abs(X[:, 0] - 20)), method="cost-complexity", alpha=1.0)


def test_one_row_is_not_enough_for_folds():
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])
    with pytest.raises(DataError, match="two rows"):
        prune(ID3Classifier().fit(X, y), X[:1], y[:1], method="cost-complexity")
