"""One hypothesis for each class: refusals, the summed error, and hypotheses of different kinds."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from assay.bayes import GaussianNB
from assay.errors import ParameterError
from assay.rules.version_spaces.ball_classifier import BallClassifier
from assay.rules.version_spaces.box_classifier import BoxClassifier
from assay.rules.version_spaces.one_class_each import OneClassEach

X = np.array([[1, 1], [2, 2], [1, 2], [6, 6], [7, 7], [6, 7], [1, 7], [2, 8], [1, 8]], float)
Y = np.repeat(["family", "luxury", "sports"], 3)


@pytest.mark.capability("IML-2-13")
def test_none_or_several_are_refused_and_one_answers():
    """IML figure 2-9: three rectangles and the regions of doubt between them."""
    model = OneClassEach(BoxClassifier("specific", positive=1), decision="reject").fit(X, Y)
    assert model.predict([[1.5, 1.5], [6.5, 6.5], [1.5, 7.5], [4, 4]]).tolist() == [
        *("family", "luxury", "sports", "reject")
    ]
    wide = OneClassEach(BoxClassifier("general", positive=1), decision="reject").fit(X, Y)
    grid = np.random.default_rng(0).uniform(0, 9, (500, 2))
    fires = wide.fires(grid)
    assert {1, 2} <= set(fires.sum(axis=1).tolist())
    assert_array_equal(wide.predict(grid) == "reject", fires.sum(axis=1) != 1)
    chosen = wide.predict(grid)[fires.sum(axis=1) == 1]
    assert_array_equal(chosen, wide.classes_[fires[fires.sum(axis=1) == 1].argmax(axis=1)])


@pytest.mark.capability("IML-2-13")
def test_a_row_taken_for_another_class_counts_two_errors():
    """IML eq. 2-10."""
    model = OneClassEach(BoxClassifier("specific", positive=1)).fit(X, Y)
    assert model.summed_error(X, Y) == 0
    swapped = Y.copy()
    swapped[0] = "luxury"
    assert model.summed_error(X, swapped) == 2
    assert model.summed_error([[4.0, 4.0]], ["family"]) == 1  # none says yes: one error only


@pytest.mark.capability("IML-2-14")
def test_two_hypotheses_of_two_classes_refuse_rows_of_a_third():
    two = Y != "sports"
    model = OneClassEach(BoxClassifier("specific", positive=1), decision="reject").fit(X[two], Y[two])
    assert len(model.estimators_) == 2
    assert_array_equal(model.predict(X[two]), Y[two])
    assert_array_equal(model.predict(X[~two]), ["reject"] * 3)


@pytest.mark.capability("IML-2-13")
def test_classes_may_have_hypotheses_of_different_kinds():
    kinds = {
        "family": BallClassifier("specific", positive=1),
        "luxury": DecisionTreeClassifier(random_state=0),
        "sports": KNeighborsClassifier(1),
    }
    model = OneClassEach(kinds, decision="reject").fit(X, Y)
    assert_array_equal(model.predict(X), Y)
    assert [type(m).__name__ for m in model.estimators_] == [type(kinds[c]).__name__ for c in model.classes_]
    some = OneClassEach({"sports": GaussianNB()}).fit(X, Y)
    assert [type(m).__name__ for m in some.estimators_] == ["BoxClassifier", "BoxClassifier", "GaussianNB"]
    assert_array_equal(some.predict(X), Y)


def test_probabilities_of_yes_are_divided_by_their_sum():
    A, b = load_iris(return_X_y=True)
    model = OneClassEach(LogisticRegression(max_iter=1000)).fit(A, b)
    yes = np.column_stack([m.predict_proba(A)[:, 1] for m in model.estimators_])
    assert_allclose(model.predict_proba(A), yes / yes.sum(axis=1, keepdims=True))
    nowhere = OneClassEach(BallClassifier("specific", positive=1)).fit(X[:8], Y[:8])
    assert_allclose(nowhere.predict_proba([[99.0, 99.0]]), [[3 / 8, 3 / 8, 2 / 8]])


def test_tables_reach_learners_as_they_are():
    frame = pd.DataFrame({"kind": ["u", "u", "v", "w"], "size": [1.0, 2.0, np.nan, 4.0]})
    model = OneClassEach().fit(frame, ["a", "a", "b", "b"])
    assert_array_equal(model.predict(frame), ["a", "a", "b", "b"])
    assert "kind" in str(model) and "What each hypothesis says" in str(model.explain(frame.iloc[[0]]))
    assert OneClassEach().fit([[1.0], [2.0]], ["a", "a"]).predict([[5.0]]) == ["a"]


def test_what_it_cannot_do_is_said():
    with pytest.raises(ParameterError, match="names the class 'z'"):
        OneClassEach({"z": GaussianNB()}).fit(X, Y)
    with pytest.raises(ParameterError, match="estimator must be a classifier"):
        OneClassEach("box").fit(X, Y)
    with pytest.raises(ParameterError, match="cannot be fitted with sample_weight"):
        OneClassEach(KNeighborsClassifier(1)).fit(X, Y, sample_weight=np.ones(9))
    with pytest.raises(ParameterError, match="name of a class"):
        OneClassEach(decision="reject", reject_label="sports").fit(X, Y)
