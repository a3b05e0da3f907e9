"""A learner and its preparation as one."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import assay
from assay.bayes import LinearDiscriminantAnalysis, NaiveBayes
from assay.errors import ParameterError
from assay.prepare import Prepared, SimpleImputer, StandardScaler
from assay.tables.data import load_breast_cancer_ljubljana


def frame_with_holes(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], n)
    frame = pd.DataFrame({"age": rng.normal(40, 10, n) + 8 * (y == "yes"), "pay": rng.normal(size=n)})
    frame["job"] = np.where(rng.random(n) < 0.5 + 0.3 * (y == "yes"), "clerk", "cook")
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n) < 0.2, "job"] = None
    return frame, y


@pytest.mark.parametrize("scale", [False, True])
def test_equals_the_steps_done_by_hand(scale):
    X, y = frame_with_holes()
    table = SimpleImputer().fit_transform(X)
    if scale:
        table = StandardScaler().fit_transform(table)
    by_hand = LinearDiscriminantAnalysis().fit(table, y).predict_proba(table)
    model = Prepared(LinearDiscriminantAnalysis(), scale=scale).fit(X, y)
    assert_array_equal(model.predict_proba(X), by_hand)


def test_a_learner_that_uses_holes_keeps_them():
    X, y = frame_with_holes()
    model = Prepared(NaiveBayes()).fit(X, y)
    assert model.steps_ == []
    assert_array_equal(model.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X))


def test_holes_and_new_categories_at_predict_time_are_filled():
    data = load_breast_cancer_ljubljana()
    X = data.frame("pandas", target=False)
    model = Prepared(LinearDiscriminantAnalysis()).fit(X, data.y)
    row = X.iloc[[0]].astype(object)
    row.iloc[0, 0] = None
    assert model.predict(row)[0] in data.classes


def test_survives_a_round_trip_as_data(tmp_path):
    X, y = frame_with_holes()
    model = Prepared(LinearDiscriminantAnalysis(), scale=True).fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict_proba(X), model.predict_proba(X))


def test_the_explanation_shows_the_row_as_it_came():
    X, y = frame_with_holes()
    holed = X[X["age"].isna()].iloc[[0]]
    explanation = Prepared(LinearDiscriminantAnalysis()).fit(X, y).explain(holed)
    assert explanation.row["age"] is None
    assert explanation.learner == "LinearDiscriminantAnalysis"


def test_a_stranger_is_refused():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(ParameterError, match="one of Assay's classifiers"):
        Prepared(LogisticRegression()).fit([[1.0], [2.0]], [0, 1])


def test_what_the_classifier_cannot_say_is_not_promised():
    from assay.linear import RidgeClassifier

    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    model = Prepared(RidgeClassifier(), scale=True).fit(X, y)
    assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    assert (model.decision_function(X) > 0).tolist() == [False, False, True, True]
    assert hasattr(Prepared(), "predict_proba") and not hasattr(Prepared(), "decision_function")
