"""Weights of classes: what may be written, and what is refused before anything is learned."""

import numpy as np
import pytest
import sklearn.ensemble as peers
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay.ensembles.class_weights import times_class_weights, weights_of_classes
from assay.ensembles.hist_gradient_boosting import HistGradientBoostingClassifier
from assay.ensembles.random_forest import RandomForestClassifier
from assay.errors import DataError, ParameterError

X, y = load_iris(return_X_y=True)
LEARNERS = [
    lambda weight: RandomForestClassifier(3, class_weight=weight, random_state=0),
    lambda weight: RandomForestClassifier(3, class_weight=weight, bootstrap=False, random_state=0),
    lambda weight: HistGradientBoostingClassifier(max_iter=3, class_weight=weight),
]


def test_names_that_y_lacks_are_passed_over_if_all_of_its_own_are_there():
    classes = np.array(["a", "b"])
    assert_array_equal(weights_of_classes({"a": 2, "b": 3, "c": 9}, classes, "Me"), [2.0, 3.0])
    assert_array_equal(weights_of_classes({"b": 3}, classes, "Me"), [1.0, 3.0])
    with pytest.raises(ParameterError, match="Me: class_weight names 'c', which y does not have"):
        weights_of_classes({"b": 3, "c": 9}, classes, "Me")


@pytest.mark.parametrize("make", LEARNERS)
@pytest.mark.parametrize(
    "weight",
    [{0: -1, 1: 1, 2: 1}, {0: 0, 1: 0, 2: 0}, {0: np.nan, 1: 1, 2: 1}, {0: np.inf, 1: 1, 2: 1}, {0: "heavy"}],
)
def test_weights_that_are_no_numbers_from_0_up_are_refused(make, weight):
    with pytest.raises(ParameterError, match="class_weight must hold numbers from 0 up, not all 0"):
        make(weight).fit(X, y)


def test_a_list_of_weights_needs_several_targets():
    with pytest.raises(ParameterError, match="y has one target, got a list"):
        RandomForestClassifier(3, class_weight=[{0: 1}, {1: 2}]).fit(X, y)
    with pytest.raises(ParameterError, match="numbers from 0 up"):
        RandomForestClassifier(3, class_weight=[{0: 1, 1: 1, 2: -1}, {False: 1, True: 1}]).fit(
            X, np.c_[y, y > 0]
        )


def test_weights_that_leave_nothing_are_refused():
    with pytest.raises(DataError, match="Me: sample_weight times class_weight is 0 for all rows"):
        times_class_weights(np.array([1.0, 0.0]), np.array([0.0, 1.0]), "Me")
    for make in LEARNERS:
        with pytest.raises(DataError, match="nothing to learn from"):
            make({0: 0, 1: 1, 2: 1}).fit(X, y, sample_weight=(y == 0).astype(float))


@pytest.mark.parametrize("weight", ["balanced", {0: 1, 1: 5, 2: 0.5}, {1: 3}])
def test_the_same_posterior_as_scikit_learn_with_class_weights(weight):
    some = np.r_[0:50, 50:80, 100:120]
    settings = {"max_iter": 5, "min_samples_leaf": 5, "class_weight": weight, "max_leaf_nodes": 4}
    ours = HistGradientBoostingClassifier(**settings).fit(X[some], y[some])
    peer = peers.HistGradientBoostingClassifier(**settings).fit(X[some], y[some])
    assert_allclose(ours.baseline_, np.ravel(peer._baseline_prediction), atol=1e-12)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-5)
