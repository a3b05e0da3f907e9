"""Three-learner boosting: who is trained on what, the error it promises, and nesting."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

import assay
from assay.ensembles.boosting_theory import three_learner_error
from assay.ensembles.three_learner_boosting import ThreeLearnerBoosting
from assay.trees.decision_tree_classifier import DecisionTreeClassifier


class Coin(ClassifierMixin, BaseEstimator):
    """Right with probability 1 - error, independently of everything: column j of X says where learner j errs."""

    made = 0

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.column_ = Coin.made % 3
        Coin.made += 1
        return self

    def predict(self, X):
        return (X[:, 3] != X[:, self.column_]).astype(int)


@pytest.mark.capability("IML-17-09")
@pytest.mark.parametrize("error, expected", [(0.2, 0.104), (0.3, 0.216), (0.4, 0.352)])
def test_independent_learners_err_as_promised(error, expected):
    """Oracle: IML 17.7. 40000 rows: the standard error is below 0.0024, five of them are allowed."""
    Coin.made = 0
    rng = np.random.default_rng(7)
    wrong, y = rng.random((40000, 3)) < error, rng.integers(2, size=40000)
    X = np.column_stack((wrong, y)).astype(float)
    model = ThreeLearnerBoosting(Coin(), random_state=0).fit(X, y)
    assert_allclose(1 - model.score(X, y), expected, atol=0.012)
    assert_allclose(three_learner_error(error), expected, rtol=1e-12)


class Recorder(ClassifierMixin, BaseEstimator):
    """Answers by a column of X of its own, and remembers the numbers (the last column) of the rows it was fitted on."""

    fitted: list = []

    def fit(self, X, y):
        self.classes_ = np.array([0, 1, 2])
        self.column_ = len(Recorder.fitted)
        Recorder.fitted.append(X[:, -1].astype(int))
        return self

    def predict(self, X):
        return X[:, self.column_].astype(int)


@pytest.mark.capability("IML-17-09")
def test_each_learner_is_trained_on_its_rows_and_the_third_decides():
    """Oracle: IML 17.7: d1 on X1; d2 on what d1 gets wrong in X2 and as much that it gets right; d3 on the rows of X3
    where they disagree; the agreed label, else that of d3, also if all three differ (where a vote would be a tie)."""
    rng = np.random.default_rng(3)
    n = 3000
    y = rng.integers(3, size=n)
    said = np.where(rng.random((n, 3)) < 0.3, (y[:, None] + rng.integers(1, 3, (n, 3))) % 3, y[:, None])
    X = np.column_stack((said, np.arange(n))).astype(float)
    Recorder.fitted = []
    model = ThreeLearnerBoosting(Recorder(), random_state=5).fit(X, y)
    first, second, third = Recorder.fitted
    part = model._deal(y, np.random.RandomState(5))
    assert_array_equal(np.sort(first), np.flatnonzero(part == 0))
    X2, X3 = np.flatnonzero(part == 1), np.flatnonzero(part == 2)
    wrong = X2[said[X2, 0] != y[X2]]
    right = X2[said[X2, 0] == y[X2]]
    assert set(wrong) <= set(second) <= set(X2)
    chosen = np.setdiff1d(second, wrong)
    assert len(second) == len(set(second)) == 2 * len(wrong) and set(chosen) <= set(right)
    assert (
        abs(np.searchsorted(right, chosen).mean() / len(right) - 0.5) < 0.06
    )  # from all of them, not the first ones
    assert_array_equal(np.sort(third), X3[said[X3, 0] != said[X3, 1]])
    assert_array_equal(model.predict(X), np.where(said[:, 0] == said[:, 1], said[:, 0], said[:, 2]))
    every = (said[:, 0] != said[:, 1]) & (said[:, 1] != said[:, 2]) & (said[:, 0] != said[:, 2])
    assert every.sum() > 50 and (model.predict(X)[every] == said[every, 2]).all()


def test_the_second_learns_from_half_wrong_rows_and_the_third_from_disputed_ones():
    X, y = load_breast_cancer(return_X_y=True)
    model = ThreeLearnerBoosting(random_state=0).fit(X, y)
    part = model._deal(y, np.random.RandomState(0))
    rows = [np.flatnonzero(part == k) for k in range(3)]
    first, second, _ = model.members_
    wrong = first.predict(X[rows[1]]) != y[rows[1]]
    disputed = first.predict(X[rows[2]]) != second.predict(X[rows[2]])
    assert [r["part"] for r in model.history_] == [len(r) for r in rows]
    assert [r["rows"] for r in model.history_] == [len(rows[0]), 2 * wrong.sum(), disputed.sum()]


def test_the_third_decides_where_the_first_two_disagree():
    X, y = load_breast_cancer(return_X_y=True)
    model = ThreeLearnerBoosting(random_state=0).fit(X, y)
    one, two, three = (m.predict(X) for m in model.members_)
    assert_array_equal(model.predict(X), np.where(one == two, one, three))
    assert_array_equal(model.classes_[np.argmax(model.predict_proba(X), axis=1)], model.predict(X))
    for i in (int(np.argmax(one != two)), int(np.argmax(one == two))):
        told = str(model.explain(X[i : i + 1]))
        assert ("the third decides" in told) == (one[i] != two[i])


def test_it_is_better_than_one_stump_and_can_be_nested():
    """Four intervals of one column: a stump cannot have them, three can, and nine can no worse."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 3, (3000, 1))
    y = np.where((X[:, 0] > 1) & (X[:, 0] < 2), "in", "out")
    A, B, a, b = train_test_split(X, y, random_state=0)
    stump = DecisionTreeClassifier(max_depth=1).fit(A, a).score(B, b)
    three = ThreeLearnerBoosting(random_state=0).fit(A, a).score(B, b)
    nine = ThreeLearnerBoosting(ThreeLearnerBoosting(), random_state=0).fit(A, a).score(B, b)
    assert three > stump + 0.05 and nine >= three - 0.02


def test_a_learner_for_which_nothing_remains_is_left_out():
    X, y = np.concatenate((np.arange(15.0), np.arange(100.0, 115.0)))[:, None], np.arange(30) > 14
    alone = ThreeLearnerBoosting(random_state=0).fit(X, y)
    assert len(alone) == 1 and alone.score(X, y) == 1
    assert len(ThreeLearnerBoosting().fit([[0.0]], ["a"])) == 1
    assert ThreeLearnerBoosting().fit([[0.0], [1.0]], ["a", "a"]).predict_proba([[0.0]]).tolist() == [[1.0]]


def test_any_classifier_any_table_and_model_files(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    assert ThreeLearnerBoosting(LinearSVC(), random_state=0).fit(X / X.max(axis=0), y).predict_proba(
        X / X.max(axis=0)
    ).shape == (569, 2)
    table = pd.DataFrame({"kind": np.where(X[:, 0] > 14, "large", "small"), "texture": X[:, 1]})
    table.loc[::7, "texture"] = np.nan
    w = np.where(np.arange(569) % 5 == 0, 0.0, 1.0)
    model = ThreeLearnerBoosting(random_state=0).fit(table, y, sample_weight=w)
    assert model.score(table, y) > 0.8
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict_proba(table), model.predict_proba(table))
