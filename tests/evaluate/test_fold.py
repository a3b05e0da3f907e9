"""One fold: its tables hold what its training rows know, and a cell's outcome fits the classes."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.evaluate import Resampling, Split
from assay.evaluate.fold import Data, Task, run_cell
from assay.evaluate.prepared import prepared
from assay.evaluate.target import Target
from assay.metrics import measures
from assay.tables import Table
from assay.tables.data import load_iris

ROWS = np.array([2, 0])
TASK = Task([measures()["error"], measures()["log-loss"]], None, None, 0)


def data_of(X, y):
    labels, codes = np.unique(y, return_inverse=True)
    return Data(X, Table.of(X), Target("class", labels, codes))


@given(st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=8, max_size=40), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_a_folds_tables_are_those_of_its_own_rows(words, seed):
    """Encoding once and cutting gives what encoding the training rows, then the test rows by them, would give."""
    frame = pd.DataFrame({"word": pd.Series(words, dtype=object), "number": np.arange(len(words)) * 0.5})
    data = data_of(frame, np.arange(len(words)) % 2)
    for split in Resampling(folds=3).splits(data.codes, seed):
        fold = data.fold(split)
        train = Table.of(frame.iloc[split.train])
        assert_array_equal(fold.train.values, train.values)
        if train.schema["word"].coded:  # a column of nothing but missing values has no kind of its own
            assert fold.train.schema == train.schema
            test = Table.like(frame.iloc[split.test], train.schema)
            assert_array_equal(fold.test.values, test.values)
            assert fold.test.unseen == test.unseen
        assert fold.train.complete == (not np.isnan(fold.train.values).any())


def test_ordinal_categories_are_declared_and_stay():
    order = pd.Categorical(["low", "high", "low", "low"], categories=["low", "middle", "high"], ordered=True)
    fold = data_of(pd.DataFrame({"x": order}), [0, 1, 0, 1]).fold(
        Split(0, 0, np.array([0, 2]), np.array([1, 3]))
    )
    assert fold.train.schema["x"].categories == ("low", "middle", "high") and not fold.test.unseen


class Answers(ClassifierMixin, BaseEstimator):
    """Knows two of three classes, in an order of its own."""

    def __init__(self, bad=False):
        self.bad = bad

    def fit(self, X, y):
        self.classes_ = np.array(["c", "a"])
        return self

    def predict(self, X):
        return np.array(["c"] * (len(X) - 1) + ["who?"], dtype=object)

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan) if self.bad else np.tile([0.75, 0.25], (len(X), 1))


def cell_of(learner):
    data = data_of(np.zeros((6, 1)), ["a", "b", "c"] * 2)
    fold = data.fold(Split(0, 0, np.arange(3), np.arange(3, 6)))
    return run_cell(prepared("it", learner, data.table), fold, TASK)


def test_answers_and_probabilities_are_put_in_the_order_of_the_classes():
    cell = cell_of(Answers())
    assert cell.answer.tolist() == [2, 2, -1]  # what is no class has the number -1
    assert cell.values["error"] == 1.0
    given_to_truth = [0.25, np.finfo(float).eps, 0.75]  # a, b (never heard of), c
    assert cell.values["log-loss"] == pytest.approx(-np.log(given_to_truth).mean())
    assert cell.fit_seconds >= 0 and cell.failure == ""


def test_probabilities_that_are_no_numbers_are_a_failure():
    assert cell_of(Answers(bad=True)).failure == "ValueError: predict_proba gave numbers that are not finite"


def test_a_long_message_ends_with_a_sentence():
    class Talks(Answers):
        def fit(self, X, y):
            raise RuntimeError("This is the reason for it, told at length so that it must be cut. " * 9)

    said = cell_of(Talks()).failure
    assert said.startswith("RuntimeError: This is") and said.endswith("cut.") and len(said) < 330


def test_an_error_without_words_has_at_least_its_name():
    class Silent(Answers):
        def fit(self, X, y):
            raise ZeroDivisionError

    assert cell_of(Silent()).failure == "ZeroDivisionError"


class Says(ClassifierMixin, BaseEstimator):
    """Answers and probabilities as told."""

    def __init__(self, answers=0, row=None):
        self.answers = answers
        self.row = row

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X) + self.answers, self.classes_[0])

    def predict_proba(self, X):
        return np.tile(self.row, (len(X), 1))


@pytest.mark.parametrize(
    ("learner", "words"),
    [(Says(-1, [1, 0, 0]), "predict gave 49 answers for 50 rows"),
     (Says(0, [1, 0]), "predict_proba gave an array of shape .50, 2., expected .50, 3."),
     (Says(0, [2, -1, 0]), "predict_proba gave no probabilities: row 1 has .2.0, -1.0, 0.0."),
     (Says(0, [0.2, 0.2, 0.2]), "gave no probabilities")],
)  # fmt: skip
def test_answers_that_are_none_are_told(learner, words):
    result = compare({"it": learner, "lda": "lda"}, load_iris(), design="3-fold", metrics=["log-loss"])
    assert re.search(words, result.failures["it"]) and result.best == "lda"


class Grouped(Says):
    """Remembers the groups it was given."""

    def fit(self, X, y, groups=None):
        assert groups is not None and len(groups) == len(y)
        self.best_params_ = {"groups": sorted(set(groups.tolist()))}
        return super().fit(X, y)


def test_learners_that_split_by_groups_get_those_of_their_training_rows():
    X, y = load_iris()
    groups = np.arange(150) % 10
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3]}, cv=GroupKFold(3))
    learners = {
        "it": Grouped(row=[1, 0, 0]),
        "search": search,
        "pipe": make_pipeline(StandardScaler(), search),
    }
    result = compare(learners, X, y, design="5-fold", groups=groups)
    assert not result.failures
    for told, split in zip(result.chosen("it"), result.splits, strict=True):
        assert told["groups"] == sorted(set(groups[split.train].tolist()))
