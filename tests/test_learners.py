"""Short names: every one leads to a learner that works."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import is_classifier

from assay.errors import ParameterError
from assay.evaluate.learners import suitable
from assay.learners import KINDS, all_learners, find_learner, learners, make_learner
from assay.tables import Table
from assay.tables.data import load_iris


@pytest.mark.filterwarnings(
    "ignore::assay.errors.SchemaWarning"
)  # CategoricalNB takes whole parts of numbers
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of textbook descents, unscaled
@pytest.mark.parametrize("name", learners())
def test_every_name_makes_a_classifier_that_learns_the_same_again(name):
    model, entry = make_learner(name), find_learner(name)
    assert is_classifier(model) and entry.summary
    X, y = load_iris()
    rows = slice(0, 100 if entry.multiclass == "two classes only" else 150)
    X, y = X.values[rows], y[rows]
    answers = model.fit(X, y).predict(X)
    assert set(answers) <= set(y)
    assert_array_equal(make_learner(name).fit(X, y).predict(X), answers)


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_makes_its_class(kind):
    assert learners(kind)
    for name, entry in learners(kind).items():
        made = entry.make(**dict.fromkeys(entry.needs))
        assert type(made).__name__ == entry.class_name and type(made).card.name == name
        assert find_learner(entry.class_name, kind) is entry


@pytest.mark.parametrize("name", ["Naive Bayes", "naive-bayes", "NaiveBayes", "nb", "naive_bayes"])
def test_names_are_read_kindly(name):
    assert find_learner(name).name == "naive bayes"


def test_one_name_stands_for_a_learner_of_each_kind():
    assert find_learner("ridge").class_name == "RidgeClassifier"
    assert find_learner("ridge", "regressor").class_name == "Ridge"


def test_settings_reach_the_learner_and_overrule_those_of_its_card():
    assert make_learner("lda", tol=0.01).tol == 0.01
    assert (
        make_learner("forest").random_state == 0 and make_learner("forest", random_state=3).random_state == 3
    )


def test_wrong_names_are_refused_with_what_to_do():
    with pytest.raises(
        ParameterError, match=r"no learner 'naive bays'. Did you mean naive bayes\? All names: assay"
    ):
        find_learner("naive bays")
    with pytest.raises(
        ParameterError, match=r"'lasso' is Lasso, a regressor, for numbers. Name a classifier, for classes"
    ):
        find_learner("lasso")
    with pytest.raises(ParameterError, match=r"is SVDD, an outlier detector\. Name a classifier, for"):
        find_learner("svdd")
    with pytest.raises(ParameterError, match="Tuned cannot be made by its name alone: it needs estimator"):
        find_learner("tuned", "wrapper").make()


def test_the_list_imports_no_learner():
    code = (
        "import sys, assay.learners as a; a.all_learners(); print([m for m in sys.modules if 'sklearn' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]" and len(all_learners()) > 170


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
