"""Classifiers with scores alone."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from assay.core.discriminant import Discriminant


class Column(Discriminant):
    """Scores that are the columns of the table."""

    def _learn(self, X, y, w):
        pass

    def _scores(self, X):
        return X[:, 0] if len(self.classes_) <= 2 else X


def test_the_second_class_is_where_the_score_is_positive():
    model = Column().fit([[1.0], [2.0]], ["a", "b"])
    assert_array_equal(model.predict([[-1.0], [0.0], [1.0]]), ["a", "a", "b"])
    assert_array_equal(model.decision_function([[-1.0], [3.0]]), [-1.0, 3.0])


def test_the_largest_score_of_several_wins_the_first_among_equals():
    model = Column().fit(np.eye(3), ["a", "b", "c"])
    assert_array_equal(model.predict([[0.0, 2.0, 1.0], [5.0, 5.0, 0.0]]), ["b", "a"])


def test_one_class_is_always_the_answer():
    assert_array_equal(Column().fit([[1.0]], ["a"]).predict([[5.0], [-5.0]]), ["a", "a"])


def test_probabilities_are_not_there_and_the_error_says_what_to_do():
    model = Column().fit([[1.0], [2.0]], ["a", "b"])
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(model, name) and not hasattr(clone(model), name)
        with pytest.raises(AttributeError):
            getattr(model, name)
    told = model.explain([[3.0]])
    assert told.answer == "b" and told.posterior == {}


def test_scores_must_be_written():
    with pytest.raises(TypeError, match="must define _scores"):
        Discriminant.decision_function(
            type("Bare", (Column,), {"_scores": Discriminant._scores})().fit([[1.0]], [1]), [[1.0]]
        )
