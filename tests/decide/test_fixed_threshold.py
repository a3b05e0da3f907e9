"""A threshold of one's own. Peer: scikit-learn's FixedThresholdClassifier."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import model_selection
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.preprocessing import scale

from assay.bayes import GaussianNB
from assay.decide import FixedThresholdClassifier
from assay.errors import DataError, ParameterError

X, y = load_breast_cancer(return_X_y=True)
Z = scale(X)  # where logistic regression converges quickly


@pytest.mark.parametrize("pos_label", [None, 0, 1])
@pytest.mark.parametrize(
    ("model", "options"),
    [
        (LogisticRegression(), {"threshold": 0.2}),
        (LogisticRegression(), {"threshold": -1.0, "response_method": "decision_function"}),
        (RidgeClassifier(), {"response_method": "decision_function"}),
        (LogisticRegression(), {}),
    ],
)
def test_same_labels_as_scikit_learn(model, options, pos_label):
    peer = model_selection.FixedThresholdClassifier(model, pos_label=pos_label, **options).fit(Z, y)
    ours = FixedThresholdClassifier(model, pos_label=pos_label, **options).fit(Z, y)
    assert_array_equal(ours.predict(Z), peer.predict(Z))


def test_a_score_at_the_threshold_is_positive():
    even = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    at = even.predict_proba([[3.2]])[0, 1]
    assert FixedThresholdClassifier(even, threshold=at).predict([[3.2]]) == ["b"]
    assert FixedThresholdClassifier(even, threshold=np.nextafter(at, 1)).predict([[3.2]]) == ["a"]


def test_the_scores_of_the_classifier_are_passed_on():
    logistic = LogisticRegression().fit(Z, y)
    model = FixedThresholdClassifier(logistic, threshold=0.3)
    assert_array_equal(model.decision_function(Z), logistic.decision_function(Z))
    assert_array_equal(model.predict_log_proba(Z), logistic.predict_log_proba(Z))
    assert not hasattr(FixedThresholdClassifier(RidgeClassifier()), "predict_proba")
    assert not hasattr(FixedThresholdClassifier(GaussianNB()), "decision_function")


def test_a_fitted_classifier_is_used_as_it_is():
    bayes = GaussianNB().fit(X, y)
    model = FixedThresholdClassifier(bayes, threshold=0.99)
    assert_array_equal(model.predict(X), (bayes.predict_proba(X)[:, 1] >= 0.99).astype(int))
    assert_array_equal(model.predict_proba(X), bayes.predict_proba(X))
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_bad_input_is_told():
    with pytest.raises(DataError, match=r"Only binary classification is supported.*y has 3 classes"):
        FixedThresholdClassifier().fit(*load_iris(return_X_y=True))
    with pytest.raises(DataError, match="Only binary"):
        FixedThresholdClassifier(GaussianNB().fit(*load_iris(return_X_y=True))).predict(load_iris().data)
    with pytest.raises(ParameterError, match="threshold must be"):
        FixedThresholdClassifier(threshold="low").fit(X, y)
    with pytest.raises(ParameterError, match="pos_label 3 is not among classes"):
        FixedThresholdClassifier(pos_label=3).fit(X, y)
    with pytest.raises(ParameterError, match="GaussianNB has no decision_function"):
        FixedThresholdClassifier(response_method="decision_function").fit(X, y).predict(X)
    with pytest.raises(NotFittedError):
        FixedThresholdClassifier().predict(np.zeros((1, 30)))
