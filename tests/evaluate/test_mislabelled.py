"""Doubted labels: flipped ones come first."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from assay.bayes import GaussianNB
from assay.errors import DataError, ParameterError
from assay.evaluate.mislabelled import mislabelled
from assay.linear import Perceptron
from assay.tables.generators import make_gaussian_classes

DATA = make_gaussian_classes(200, [[0, 0], [6, 6]], np.eye(2), random_state=0)
X, TRUE = DATA.X.values, DATA.codes
FLIPPED = np.array([3, 50, 77, 121, 180])
Y = TRUE.copy()
Y[FLIPPED] = 1 - Y[FLIPPED]


@pytest.mark.capability("IML-2-26")
@pytest.mark.parametrize(
    "settings",
    [{}, {"learners": []}, {"n_neighbors": 0}, {"learners": [GaussianNB(), LogisticRegression()], "cv": 4}],
)
def test_five_flipped_labels_of_a_separable_set_are_ranked_first(settings):
    found = mislabelled(X, Y, **settings)
    assert set(found.order[:5]) == set(FLIPPED) and set(found.suspects) == set(FLIPPED)
    assert_array_equal(found.suggested[FLIPPED], TRUE[FLIPPED])
    assert found.doubt[found.order[4]] >= 0.8 and found.doubt[found.order[5]] < 0.5


def test_the_doubt_is_the_mean_of_the_votes():
    found = mislabelled(X, Y, learners={"bayes": GaussianNB()}, n_neighbors=3)
    assert found.voters == ("neighbours", "bayes") and found.votes.shape == (200, 2)
    assert_allclose(found.doubt, found.votes.mean(axis=1))
    assert ((found.doubt >= 0) & (found.doubt <= 1)).all()
    near = np.linalg.norm(X - X[7], axis=1).argsort()[1:4]
    assert found.votes[7, 0] == np.mean(Y[near] != Y[7])


def test_the_ranked_table():
    found = mislabelled(X, np.array(["no", "yes"])[Y])
    frame = found.to_frame()
    assert list(frame.columns) == [
        *(
            "row",
            "label",
            "doubt",
            "suggested",
            "neighbours",
            "NaiveBayes",
            "C45Classifier",
            "LogisticRegression",
        )
    ]
    assert frame["doubt"].is_monotonic_decreasing and len(frame) == 200
    assert str(found).startswith("5 of 200 labels are doubted by more than half\n")


def test_categories_gaps_and_equal_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": np.where(TRUE, "u", "v"), "x": X[:, 0]})
    assert set(FLIPPED) == set(mislabelled(frame, Y).suspects)
    gaps = frame.assign(x=np.where(rng.random(200) < 0.1, np.nan, X[:, 0]))
    found = mislabelled(gaps, Y)
    assert found.voters == ("NaiveBayes", "C45Classifier") and set(FLIPPED) <= set(found.order[:8])
    same = mislabelled([[1.0]] * 20 + [[2.0]] * 20, [0] * 19 + [1] + [1] * 20, learners=[], n_neighbors=3)
    assert same.order[0] == 19


def test_a_class_of_one_row():
    A, b = load_iris(return_X_y=True)
    rows = np.append(np.arange(100), 149)
    assert len(mislabelled(A[rows], b[rows], learners=[GaussianNB()]).doubt) == 101


def test_what_it_cannot_do_is_said():
    with pytest.raises(DataError, match="one label only"):
        mislabelled(X, np.zeros(200))
    with pytest.raises(ParameterError, match="no voter"):
        mislabelled(X, Y, learners=[], n_neighbors=0)
    with pytest.raises(ParameterError, match="has no predict_proba"):
        mislabelled(X, Y, learners=[object()])


def test_what_cannot_vote_is_refused():
    X, y = [[1.0], [2.0], [3.0], [4.0]], list("aabb")
    for wrong, words in [
        ({"n_neighbors": -1}, "n_neighbors must be a whole number from 0 up"),
        ({"n_neighbors": 2.5}, "n_neighbors must be a whole number from 0 up"),
        ({"cv": 1}, "cv must be a whole number from 2 up"),
        ({"learners": {"mine": Perceptron()}}, "Perceptron has no predict_proba"),
    ]:
        with pytest.raises(ParameterError, match=f"mislabelled: {words}"):
            mislabelled(X, y, **wrong)


def test_neighbours_vote_in_any_units_and_of_sparse_tables():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 1, (20, 2)), rng.normal(3, 1, (20, 2))]
    y = np.repeat(["a", "b"], 20)
    plain = mislabelled(X, y, learners=[])
    for other in (X * 1e200, X * 1e-200, csr_matrix(X)):
        assert_allclose(mislabelled(other, y, learners=[]).doubt, plain.doubt)
