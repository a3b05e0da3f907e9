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
