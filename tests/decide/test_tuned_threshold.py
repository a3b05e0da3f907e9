"""Tuned thresholds. Peer: scikit-learn's TunedThresholdClassifierCV."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import model_selection
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import scale

from assay.bayes import GaussianNB
from assay.decide import DecisionRule, TunedThresholdClassifierCV
from assay.errors import DataError, ParameterError

X, y = load_breast_cancer(return_X_y=True)
Z = scale(X)  # where logistic regression converges quickly


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1", "accuracy"])
@pytest.mark.parametrize(
    ("model", "options"),
    [
        (LogisticRegression(), {"cv": 3, "thresholds": 50}),
        (RidgeClassifier(), {"thresholds": 17, "cv": StratifiedKFold(3)}),
        (LogisticRegression(), {"thresholds": [0.1, 0.3, 0.7], "cv": 0.3, "random_state": 5}),
    ],
)
def test_same_threshold_as_scikit_learn(model, options, scoring):
    options = {"scoring": scoring, "store_cv_results": True, **options}
    peer = model_selection.TunedThresholdClassifierCV(model, **options).fit(Z, y)
    ours = TunedThresholdClassifierCV(model, **options).fit(Z, y)
    assert_allclose(ours.best_threshold_, peer.best_threshold_, rtol=1e-12)
    assert_allclose(ours.best_score_, peer.best_score_, rtol=1e-12)
    assert_allclose(ours.cv_results_["scores"], peer.cv_results_["scores"], rtol=1e-12)
    assert_array_equal(ours.predict(Z), peer.predict(Z))


def test_by_cost_it_pays_less_than_the_plain_labels_and_than_uncalibrated_theory():
    loss = {(1, 0): 20}
    costs = np.array([[0, 1], [20, 0]])
    X1, X2, y1, y2 = train_test_split(X, y, random_state=0, test_size=0.5, stratify=y)
    tuned = TunedThresholdClassifierCV(GaussianNB(), loss=loss).fit(X1, y1)
    plain = GaussianNB().fit(X1, y1)
    trusting = DecisionRule(plain, loss=loss)  # believes posteriors that boast
    paid = [costs[model.predict(X2), y2].mean() for model in (tuned, trusting, plain)]
    assert paid[0] < paid[1] < paid[2]


def test_three_classes_have_weights():
    A, b = load_wine(return_X_y=True)
    A = A[:, :2]
    model = TunedThresholdClassifierCV(GaussianNB(), scoring="f1_macro", thresholds=20).fit(A, b)
    P = GaussianNB().fit(A, b).predict_proba(A)
    assert_array_equal(model.predict(A), (P * model.best_weights_).argmax(axis=1))
    wary = TunedThresholdClassifierCV(GaussianNB(), loss={(0, 1): 9, (2, 1): 9}, thresholds=20).fit(A, b)
    assert (wary.predict(A) == 1).sum() > (model.predict(A) == 1).sum()
    assert wary.best_weights_[1] == wary.best_weights_.max()


def test_a_fitted_classifier_is_tuned_on_other_rows():
    X1, X2, y1, y2 = train_test_split(X, y, random_state=0, test_size=0.5, stratify=y)
    bayes = GaussianNB().fit(X1, y1)
    tuned = TunedThresholdClassifierCV(bayes, cv="prefit", refit=False, scoring="f1").fit(X2, y2)
    assert tuned.estimator_ is bayes
    assert_allclose(f1_score(y2, tuned.predict(X2)), tuned.best_score_)
    with pytest.raises(ParameterError, match="set refit=False"):
        TunedThresholdClassifierCV(bayes, cv="prefit").fit(X2, y2)


def test_frames_positive_classes_and_pickle():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=120), "c": rng.choice(["u", "v"], size=120)})
    label = np.where(frame["x"] + (frame["c"] == "u") > 0.5, "bad", "good")
    model = TunedThresholdClassifierCV(GaussianNB(), loss={("good", "bad"): 5}, pos_label="bad").fit(
        frame, label
    )
    assert model.score(frame, label) > 0.8
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))
    assert list(model.feature_names_in_) == ["x", "c"]


def test_bad_input_is_told():
    with pytest.raises(DataError, match="the same score, so there is no threshold"):
        TunedThresholdClassifierCV(DummyClassifier()).fit(X, y)
    with pytest.raises(ParameterError, match="no single classifier to keep"):
        TunedThresholdClassifierCV(refit=False).fit(X, y)
    with pytest.raises(DataError, match="nothing to choose between"):
        TunedThresholdClassifierCV().fit(X, np.ones(len(y)))
    with pytest.raises(ParameterError, match="need a number of thresholds"):
        TunedThresholdClassifierCV(thresholds=[0.1, 0.2]).fit(*load_wine(return_X_y=True))
