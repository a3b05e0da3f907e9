"""The pocket algorithm: what it keeps, and when."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

from assay.errors import DataError, DegenerateError
from assay.linear.discriminants.pocket import PocketClassifier

IRIS, KIND = load_iris(return_X_y=True)
X, Y = IRIS[50:], KIND[50:]  # versicolor and virginica: no hyperplane separates them
HISTORY = [
    (29, 49),
    (41, 48),
    (56, 45),
    (60, 36),
    (62, 35),
    (64, 31),
    (66, 30),
    (68, 27),
    (80, 25),
    (102, 20),
    (113, 18),
    (115, 10),
    (119, 5),
    (140, 4),
    (232, 3),
    (374, 2),
]


def weights(model):
    return np.append(model.intercept_, model.coef_)


@pytest.mark.capability("LS-09")
@pytest.mark.parametrize(
    ("updates", "expected", "errors"),
    [
        (100, [0, -31, -6.8, 37.8, 32.2], 25),
        (1000, [-6, -65.7, -48.4, 87.1, 75.8], 2),
        (10_000, [-6, -65.7, -48.4, 87.1, 75.8], 2),
    ],
)
def test_iris(updates, expected, errors):
    """LS-2: rows in order, zero start, sign(0) = +1."""
    model = PocketClassifier(updates, training_tie="positive").fit(X, Y)
    assert_allclose(weights(model), expected, atol=1e-10)
    assert model.n_errors_ == errors == (model.predict(X) != Y).sum()
    assert model.n_updates_ == updates == len(model.errors_) - 1


@pytest.mark.capability("LS-09")
def test_the_history_of_errors():
    model = PocketClassifier(1000, training_tie="positive").fit(X, Y)
    assert [(e.update, e.errors) for e in model.history_] == [(0, 50), *HISTORY]
    for exchange in model.history_:
        wrong = ((X @ exchange.weights[1:] + exchange.weights[0] >= 0) != (Y == 2)).sum()
        assert wrong == exchange.errors == model.errors_[exchange.update]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["cyclic", "random"]), st.booleans())
def test_the_pocket_is_the_best_of_the_walk(seed, order, sparse):
    rng = np.random.default_rng(seed)
    rows, y = rng.normal(size=(20, 2)), rng.integers(0, 2, 20)
    if len(set(y)) < 2:
        return
    model = PocketClassifier(60, order=order, random_state=seed).fit(csr_array(rows) if sparse else rows, y)
    assert model.n_errors_ == model.errors_.min() == (model.predict(rows) != y).sum()
    kept = [e.errors for e in model.history_]
    assert kept == sorted(set(kept), reverse=True)
    assert model.history_[-1].update == model.errors_.argmin()


def test_it_stops_when_nothing_is_wrong():
    model = PocketClassifier(10_000).fit(IRIS[:100], KIND[:100])
    assert model.n_errors_ == 0 and model.n_updates_ < 100
    assert model.score(IRIS[:100], KIND[:100]) == 1


def test_it_ends_when_no_row_is_corrected_any_more():
    """Only the first row may be visited; then nothing happens, and that is the end."""
    model = PocketClassifier(100, order=[0]).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    assert model.n_updates_ == 1 and model.n_errors_ == 1


def test_weighted_errors():
    """The row at -1 lies behind the other class: to get it right costs both of that class, who then weigh less."""
    rows, y = [[0.0], [0.4], [2.0], [3.0], [-1.0]], [0, 0, 1, 1, 1]
    assert PocketClassifier(500).fit(rows, y).n_errors_ == 1
    assert PocketClassifier(500).fit(rows, y, sample_weight=[1, 1, 1, 1, 5.0]).n_errors_ == 2
    assert PocketClassifier(500).fit(rows, y, sample_weight=[1, 1, 1, 1, 0.25]).n_errors_ == 0.25


def test_three_classes_are_refused():
    with pytest.raises(DataError, match="PocketClassifier separates two classes, y has 3"):
        PocketClassifier().fit(IRIS, KIND)


@pytest.mark.parametrize("rows", [np.zeros((4, 2)), np.ones((4, 1)), np.full((4, 1), 1e12)])
def test_columns_that_say_nothing(rows):
    model = PocketClassifier(50).fit(rows, [0, 1, 0, 1])
    assert model.n_errors_ == 2 and np.isfinite(weights(model)).all()


def test_numbers_whose_squares_overflow_are_refused():
    with pytest.raises(DegenerateError, match=r"PocketClassifier: X holds 3e\+300, too large to be squared"):
        PocketClassifier().fit([[1e300], [-2e300], [-3e300]], [0, 1, 1])
