"""Short names: every one leads to a learner that works."""

import numpy as np
import pytest
from sklearn.base import is_classifier

from assay.errors import ParameterError
from assay.evaluate import LEARNERS, Entry, find_learner, make_learner, register
from assay.evaluate.learners import suitable
from assay.tables import Table
from assay.tables.data import load_iris


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_name_makes_a_classifier_that_learns(name):
    model = make_learner(name)
    assert is_classifier(model)
    X, y = load_iris()
    assert set(model.fit(X.values, y).predict(X.values)) <= set(y)
    assert LEARNERS[name].description


@pytest.mark.parametrize("name", ["Naive Bayes", "naive-bayes", "NaiveBayes", "nb", "naive_bayes"])
def test_names_are_read_kindly(name):
    assert find_learner(name).name == "naive bayes"


def test_settings_reach_the_learner():
    assert make_learner("lda", tol=0.01).tol == 0.01


def test_a_new_learner_is_one_line():
    try:
        register(
            Entry("tiny", "assay.bayes:GaussianNB", "for this test", {"var_smoothing": 0.5}, other=("small",))
        )
        assert make_learner("small").var_smoothing == 0.5
        with pytest.raises(ParameterError, match="the name 'small' is taken by GaussianNB"):
            register(Entry("small", "assay.bayes:NaiveBayes"))
    finally:
        LEARNERS.pop("tiny", None)


def test_which_learners_suit_a_table():
    numbers, words = np.zeros((2, 1)), [["a"], ["b"]]
    names = {kind: [e.name for e in suitable(Table.of(X))] for kind, X in
             {"numbers": numbers, "words": words, "both": [[1.0, "a"], [2.0, "b"]]}.items()}  # fmt: skip
    assert "qda" in names["numbers"] and "qda" not in names["both"]
    assert "lda" in names["both"] and "lda" not in names["words"]
    assert all("majority" in found for found in names.values())
    assert all("ripper" in found and "part" not in found for found in names.values())
    assert all("knn" in found and "parzen" not in found for found in names.values())


def test_neighbours_are_not_searched_in_large_tables_unless_named():
    small, large = Table.of(np.zeros((50_000, 1))), Table.of(np.zeros((50_001, 1)))
    assert "knn" in [e.name for e in suitable(small)]
    assert "knn" not in [e.name for e in suitable(large)] and "c45" in [e.name for e in suitable(large)]
