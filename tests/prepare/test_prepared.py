"""A learner and its preparation as one."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import assay
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.ensembles import RandomForestClassifier
from assay.errors import DataError, ParameterError
from assay.neighbors import KNeighborsClassifier
from assay.prepare import Prepared, SimpleImputer, StandardScaler
from assay.tables.data import load_breast_cancer_ljubljana
from assay.trees import DecisionTreeClassifier


def frame_with_missing_values(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], n)
    frame = pd.DataFrame({"age": rng.normal(40, 10, n) + 8 * (y == "yes"), "pay": rng.normal(size=n)})
    frame["job"] = np.where(rng.random(n) < 0.5 + 0.3 * (y == "yes"), "clerk", "cook")
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n) < 0.2, "job"] = None
    return frame, y


@pytest.mark.parametrize("scale", [False, True])
def test_equals_the_steps_done_by_hand(scale):
    X, y = frame_with_missing_values()
    table = SimpleImputer().fit_transform(X)
    if scale:
        table = StandardScaler().fit_transform(table)
    by_hand = LinearDiscriminantAnalysis().fit(table, y).predict_proba(table)
    model = Prepared(LinearDiscriminantAnalysis(), scale=scale).fit(X, y)
    assert_array_equal(model.predict_proba(X), by_hand)


def test_a_learner_that_uses_missing_values_keeps_them():
    X, y = frame_with_missing_values()
    model = Prepared(NaiveBayes()).fit(X, y)
    assert model.steps_ == []
    assert_array_equal(model.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X))


def test_missing_values_and_new_categories_at_predict_time_are_filled():
    data = load_breast_cancer_ljubljana()
    X = data.frame("pandas", target=False)
    model = Prepared(LinearDiscriminantAnalysis()).fit(X, data.y)
    row = X.iloc[[0]].astype(object)
    row.iloc[0, 0] = None
    assert model.predict(row)[0] in data.classes


def test_survives_a_round_trip_as_data(tmp_path):
    X, y = frame_with_missing_values()
    model = Prepared(LinearDiscriminantAnalysis(), scale=True).fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict_proba(X), model.predict_proba(X))


def test_the_explanation_shows_the_row_as_it_came():
    X, y = frame_with_missing_values()
    with_missing = X[X["age"].isna()].iloc[[0]]
    explanation = Prepared(LinearDiscriminantAnalysis()).fit(X, y).explain(with_missing)
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


@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(random_state=0),
        KNeighborsClassifier(),
        RandomForestClassifier(5, random_state=0),
    ],
)
def test_several_targets_reach_a_classifier_that_learns_them(learner, tmp_path):
    """As scikit-learn's pipeline of the same steps; a classifier of one target refuses them in its own name."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    targets = pd.DataFrame({"ill": np.where(X[:, 0] > 0, "yes", "no"), "size": np.where(X[:, 1] > 0, 1, 2)})
    steps = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), clone(learner)).fit(
        X, targets
    )
    model = Prepared(learner, scale=True).fit(X, targets)
    assert_array_equal(model.predict(X), steps.predict(X))
    for ours, theirs in zip(model.predict_proba(X), steps.predict_proba(X), strict=True):
        assert_array_equal(ours, theirs)
    assert [labels.tolist() for labels in model.classes_] == [["no", "yes"], [1, 2]]
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert_array_equal(again.predict(X), model.predict(X))
    assert "ill" in str(again.explain(X[:1])) and "size" in str(again.explain(X[:1]))
    with pytest.raises(DataError, match=r"^GaussianNB: y should be a 1d array"):
        Prepared(GaussianNB()).fit(X, targets)


def test_means_of_dates_are_days():
    days = pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-02-01", "2020-02-03", "2020-02-04"])
    frame = pd.DataFrame({"when": days, "size": np.arange(6.0)})
    shown = str(Prepared(GaussianNB(), scale=True).fit(frame, list("ababab")).show())
    assert shown.count("2020-01-21") == 2 and ":12:00" not in shown  # the mean is 2020-01-20 19:12
