"""Scores of every classifier, cost-weighted maximum, ranking, sign."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from assay.bayes import GaussianNB
from assay.decide import class_scores, decide, decide_sign, rank, weighted_maximum
from assay.errors import DataError, ParameterError

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]


class Label:
    """A classifier that gives labels and nothing else."""

    def __init__(self, model):
        self.predict, self.classes_ = model.predict, model.classes_


@pytest.mark.capability("DC-03")
@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(),
        LogisticRegression(max_iter=2000),
        LinearSVC(),
        RidgeClassifier(),
        Perceptron(),
        DecisionTreeClassifier(),
    ],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("rows", [slice(None), slice(50, None)], ids=["three classes", "two classes"])
def test_the_largest_score_is_the_label(model, rows):
    model.fit(X[rows], NAMES[rows])
    scores, comparable = class_scores(model, X[rows])
    assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X[rows]))
    assert comparable == hasattr(model, "predict_proba")
    labels, _ = class_scores(Label(model), X[rows])
    assert_array_equal(model.classes_[labels.argmax(axis=1)], model.predict(X[rows]))


@pytest.mark.capability("DC-04")
def test_equal_costs_reproduce_the_plain_maximum_and_unequal_ones_the_rule_of_least_risk():
    P = GaussianNB().fit(X, y).predict_proba(X)
    assert_array_equal(weighted_maximum(P, [7, 7, 7]), P.argmax(axis=1))
    costs = np.array([1.0, 2.0, 30.0])  # missing class k costs costs[k]
    loss = np.tile(costs, (3, 1)) * (1 - np.eye(3))
    assert_array_equal(weighted_maximum(P, costs), decide(P, loss).chosen)
    assert (weighted_maximum(P, costs) != P.argmax(axis=1)).any()
    named = weighted_maximum(P, {"virginica": 30.0, "versicolor": 2}, ["setosa", "versicolor", "virginica"])
    assert_array_equal(named, np.unique(NAMES)[weighted_maximum(P, costs)])


@pytest.mark.capability("DC-05")
def test_ranking_follows_the_normalised_posterior():
    model = GaussianNB().fit(X, NAMES)
    order = rank(model, X, "virginica")
    P = model.predict_proba(X)[:, 2]
    assert (np.diff(P[order]) <= 0).all()
    # log P(x, k) alone is not comparable between rows: its order is another one
    joint = model.predict_joint_log_proba(X)[:, 2]
    assert not np.array_equal(order, np.argsort(-joint, kind="stable"))


def test_ranking_sees_through_posteriors_that_round_to_one():
    model = GaussianNB().fit([[0.0], [2.0], [40.0], [42.0]], [0, 0, 1, 1])
    far = [[60.0], [50.0], [70.0]]
    assert_array_equal(model.predict_proba(far)[:, 1], 1)
    assert_array_equal(rank(model, far, 1), [2, 0, 1])


def test_ranking_by_margins_and_by_counts():
    svc = LinearSVC().fit(X[50:], NAMES[50:])
    assert_array_equal(rank(svc, X, "virginica"), np.argsort(-svc.decision_function(X), kind="stable"))
    near = KNeighborsClassifier(3).fit(X, y)
    order = rank(near, X, 1)  # scikit-learn takes the logarithm of zero counts
    assert (np.diff(near.predict_proba(X)[order, 1]) <= 0).all()


@pytest.mark.capability("BC-05")
def test_a_linear_score_of_zero_is_drawn_or_positive_or_rejected():
    w, w0 = np.array([1.0, -2.0]), 0.5
    points = np.array([[1.5, 1.0], [3.0, 0.0], [0.0, 3.0]])  # the first lies on the line
    score = points @ w + w0
    assert_allclose(score, [0, 3.5, -5.5], atol=1e-15)
    assert decide_sign(score, ["C2", "C1"]).labels.tolist() == ["C1", "C1", "C2"]
    assert decide_sign(score, ["C2", "C1"], tie="reject").labels.tolist() == ["reject", "C1", "C2"]
    drawn = decide_sign(np.zeros(4000), tie="random", random_state=1)
    assert abs(drawn.chosen.mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)
    assert decide_sign(score, ["C2", "C1"]).ties == [("C2", "C1"), ("C1",), ("C2",)]


def test_rounding_does_not_break_a_tie():
    assert decide_sign([0.1 + 0.2 - 0.3, 2.0], tie="reject").rejected.tolist() == [True, False]


def test_bad_input_is_told():
    with pytest.raises(DataError, match="must not be negative"):
        weighted_maximum([[-1.0, 1.0]], [1, 1])
    with pytest.raises(ParameterError, match="2 finite numbers above 0"):
        weighted_maximum([[0.5, 0.5]], [1, 0])
    with pytest.raises(ParameterError, match="names 'c'"):
        weighted_maximum([[0.5, 0.5]], {"c": 1}, ["a", "b"])
    with pytest.raises(ParameterError, match="but 1 classes"):
        weighted_maximum([[0.5, 0.5]], [1, 1], ["a"])
    with pytest.raises(DataError, match="none NaN"):
        weighted_maximum([[np.nan, 0.5]], [1, 1])
    with pytest.raises(ParameterError, match="'rose' is not among classes"):
        rank(GaussianNB().fit(X, NAMES), X, "rose")
    with pytest.raises(ParameterError, match="'positive', 'random' or 'reject'"):
        decide_sign([0.0], tie="negative")
    with pytest.raises(ParameterError, match="two classes apart, got 3"):
        decide_sign([0.0], [1, 2, 3])
    with pytest.raises(DataError, match="none NaN"):
        decide_sign([np.nan])
