"""k and width chosen by leaving rows out: oracles of the book, and the slow way."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import LeaveOneOut, cross_val_score

from assay.errors import DataError, ParameterError
from assay.neighbors.k_neighbors_classifier import KNeighborsClassifier
from assay.neighbors.k_neighbors_classifier_cv import KNeighborsClassifierCV
from assay.tables.data import load_charity_donors


def charity(scale=(1, 1)):
    data = load_charity_donors()
    return np.asarray(data.X)[:, :2].astype(float) / scale, np.asarray(data.y)


# Oracle: DC 10.8.1.2, charity donors, leave-one-out accuracies for m = 1, 3, 5 with metrics fitted on all rows.
@pytest.mark.capability("DC-102", "DC-104", "DC-105")
@pytest.mark.parametrize(
    ("scale", "metric", "params", "right"),
    [
        ((1, 1), "euclidean", None, (8, 10, 9)),
        ((50, 50000), "euclidean", None, (9, 9, 10)),
        ((1, 1), "mahalanobis", None, (9, 8, 9)),
        ((50, 50000), "discriminant", {"epsilon": 0.0}, (10, 10, 10)),
        ((50, 50000), "discriminant", None, (10, 10, 10)),
    ],
)
def test_charity_donors_of_the_book(scale, metric, params, right):
    X, y = charity(scale)
    model = KNeighborsClassifierCV([1, 3, 5], metric=metric, metric_params=params).fit(X, y)
    assert_allclose(model.scores_[:, 0] * 11, right, rtol=1e-12)
    assert model.n_neighbors_ == (1, 3, 5)[int(np.argmax(right))]


@pytest.mark.capability("DC-101", "DC-102")
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_scores_are_those_of_leaving_one_out_the_slow_way(load):
    X, y = load(return_X_y=True)
    X, y = X[::6], y[::6]
    ks, widths = [1, 4, 9], [0.3, 2.0, 50.0]
    model = KNeighborsClassifierCV(ks, bandwidths=widths, weights="squared_exponential").fit(X, y)
    slow = [
        [
            cross_val_score(
                KNeighborsClassifier(k, weights="squared_exponential", bandwidth=t), X, y, cv=LeaveOneOut()
            ).mean()
            for t in widths
        ]
        for k in ks
    ]
    assert_allclose(model.scores_, slow, rtol=1e-12)
    assert slow[ks.index(model.n_neighbors_)][widths.index(model.bandwidth_)] == np.max(slow)
    chosen = KNeighborsClassifier(
        model.n_neighbors_, weights="squared_exponential", bandwidth=model.bandwidth_
    ).fit(X, y)
    assert_array_equal(model.predict_proba(X), chosen.predict_proba(X))
    assert model.kneighbors(X)[1].shape[1] == model.n_neighbors_


def test_the_first_of_equally_good_choices_wins():
    X, y = np.arange(20.0)[:, None], np.repeat(["a", "b"], 10)
    model = KNeighborsClassifierCV([5, 3, 1]).fit(X, y)
    assert model.scores_[0] == model.scores_.max() and model.n_neighbors_ == 5


def test_numbers_of_neighbours_that_are_too_large_are_left_out():
    X, y = np.arange(6.0)[:, None], list("aaabbb")
    model = KNeighborsClassifierCV().fit(X, y)
    assert model.offered_ == [1, 3, 5] and model.scores_.shape == (3, 1)
    with pytest.raises(DataError, match="no n_neighbors below it"):
        KNeighborsClassifierCV([7]).fit(X, y)
    with pytest.raises(ParameterError, match="n_neighbors must be a list of whole numbers"):
        KNeighborsClassifierCV(3).fit(X, y)
    with pytest.raises(ParameterError, match="bandwidths must be a list of numbers above 0 or None"):
        KNeighborsClassifierCV(bandwidths=[0.0]).fit(X, y)


def test_several_targets_are_right_together():
    X, y = load_iris(return_X_y=True)
    both = np.column_stack([y, y == 1])
    model = KNeighborsClassifierCV([3, 5]).fit(X, both)
    for k, score in zip([3, 5], model.scores_[:, 0]):
        assert score == (KNeighborsClassifier(k).fit(X, both).predict(None) == both).all(axis=1).mean()
