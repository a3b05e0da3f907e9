"""Subsets for k nearest neighbours: the scores of searching anew, ties included."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier as PeerClassifier
from sklearn.neighbors import KNeighborsRegressor as PeerRegressor
from tests.select.subsets.agreement import assert_same_choice, assert_same_scores

import assay.select.subsets._neighbors as _neighbors
from assay.neighbors import KNeighborsClassifier, KNeighborsRegressor
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import subset_scores
from assay.tables import Table

CLASSIFIERS = [
    KNeighborsClassifier(),
    KNeighborsClassifier(1, p=1),
    KNeighborsClassifier(7, weights="distance", metric="euclidean"),
    KNeighborsClassifier(weights="gaussian"),
    PeerClassifier(),
    PeerClassifier(3, weights="distance", p=1),
]
REGRESSORS = [
    KNeighborsRegressor(),
    KNeighborsRegressor(weights="distance"),
    PeerRegressor(weights="distance"),
]


def nearest_by_the_book(X, Q, columns, k, power):
    """Rows and sums, equal sums by the lower row."""
    sums = np.sum(np.abs(Q[:, None, columns] - X[None][:, :, columns]) ** power, axis=2)
    order = np.lexsort((np.broadcast_to(np.arange(len(X)), sums.shape), sums), axis=1)[:, :k]
    return order, np.take_along_axis(sums, order, axis=1)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("n", [7, 60, 700])
def test_neighbours_by_the_book(n, power):
    """Twin in NumPy; numbers that add without rounding, so that ties are ties."""
    rng = np.random.default_rng(n)
    X, Q = rng.integers(0, 6, size=(n, 5)).astype(float), rng.integers(0, 6, size=(20, 5)).astype(float)
    XT, order = np.ascontiguousarray(X.T), np.argsort(X.T, axis=1, kind="stable")
    base, others, k = np.array([1, 3]), np.array([4, 0]), 5
    out = {"squared": power == 2, "row": np.empty((40, k), np.int64), "sum": np.empty((40, k))}

    def check(sets):
        for c, columns in enumerate(sets):
            rows, sums = nearest_by_the_book(X, Q, columns, k, power)
            assert_array_equal(out["row"][20 * c : 20 * c + 20], rows)
            assert_array_equal(out["sum"][20 * c : 20 * c + 20], sums)

    _neighbors.nearest(XT=XT, Q=Q, base=base, candidates=others, adding=True, **out)
    check([[1, 3, 4], [0, 1, 3]])
    _neighbors.nearest(XT=XT, Q=Q, base=np.array([0, 1, 3, 4]), candidates=others, adding=False, **out)
    check([[0, 1, 3], [1, 3, 4]])
    _neighbors.nearest_alone(XT=XT, order=order, Q=Q, candidates=others, **out)
    check([[4], [0]])


def test_arrays_that_do_not_fit_are_refused():
    X = np.zeros((3, 4))
    out = {"squared": True, "row": np.empty((4, 2), np.int64), "sum": np.empty((4, 2))}
    sets = {"base": np.array([0]), "candidates": np.array([1]), "adding": True}
    for wrong in ({"base": np.array([3])}, {"candidates": np.array([-1])}, {"sum": np.empty((3, 2))}):
        with pytest.raises(ValueError, match="nearest"):
            _neighbors.nearest(XT=X, Q=np.zeros((4, 3)), **(sets | out | wrong))
    with pytest.raises(ValueError, match="nearest_alone"):
        _neighbors.nearest_alone(
            XT=X, order=np.full((3, 4), 4), Q=np.zeros((4, 3)), candidates=np.array([0]), **out
        )


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
def test_accuracy_as_by_refitting(learner, load):
    X, y = load(return_X_y=True)
    assert_same_scores(learner, X[:, ::3] if X.shape[1] > 20 else X, y)


@pytest.mark.parametrize("scoring", ["auc", "brier"])
def test_probabilities_as_by_refitting(scoring):
    assert_same_scores(KNeighborsClassifier(weights="distance"), *load_iris(return_X_y=True), scoring)


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
@pytest.mark.parametrize("learner", REGRESSORS, ids=repr)
def test_numbers_as_by_refitting(learner, scoring):
    assert_same_scores(learner, *load_diabetes(return_X_y=True), scoring)


def test_columns_of_other_sizes_constant_columns_and_few_rows():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X * [1.0, 1e9, 1e-9, 1.0], np.ones(len(y)), X[:, 0]])
    assert_same_scores(KNeighborsClassifier(), X, y, trials=5)
    rows = np.r_[0:4, 50:54, 100:104]
    assert_same_scores(KNeighborsClassifier(3), X[rows], y[rows], trials=5)


def test_the_same_columns_are_chosen():
    assert_same_choice(KNeighborsClassifier(), *load_wine(return_X_y=True))


def test_one_or_two_threads_the_same(monkeypatch):
    X, y = load_wine(return_X_y=True)
    monkeypatch.setattr("assay.select.subsets.neighbors.PAIRS_AT_ONCE", 4000)
    values = []
    for threads in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        values.append(subset_scores(KNeighborsClassifier(), Table.of(X), y, 2).additions((3, 6), (0, 1, 2)))
    assert_allclose(values[0], values[1], rtol=0, atol=0)


def test_what_is_not_reproduced_is_refitted():
    X, y = load_iris(return_X_y=True)
    for learner in (
        KNeighborsClassifier(metric="chebyshev"),
        KNeighborsClassifier(tie="nearest"),
        KNeighborsClassifier(metric="mahalanobis"),
        KNeighborsClassifier(p=3),
    ):
        assert isinstance(subset_scores(learner, Table.of(X), y, cv=2), Refit)
    assert isinstance(subset_scores(KNeighborsClassifier(), Table.of(X * 1e200), y, cv=2), Refit)
