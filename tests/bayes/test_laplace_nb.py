"""LaplaceNB: medians, mean absolute deviations, and the exercise of the book."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import laplace
from sklearn.datasets import load_iris, load_wine

from assay.bayes.laplace_nb import LaplaceNB
from assay.tables.data.loaders import load_charity_donors


def charity():
    data = load_charity_donors()
    return data.X.values / [50, 50_000], np.asarray(data.y)


@pytest.mark.capability("DC-120")
def test_medians_and_training_accuracy_of_the_charity_table():
    """Oracle: DC 10.12, exercise 8: density proportional to exp(-|x - mu|_1), medians as centres."""
    X, y = charity()
    model = LaplaceNB(scale="unit").fit(X, y)
    assert_allclose(np.sort(model.medians_, axis=0), [[0.76, 0.74], [1.09, 1.29]], rtol=1e-12)
    assert int(np.sum(model.predict(X) == y)) == 10
    distance = np.abs(X[:, None] - model.medians_).sum(axis=2)
    score = np.log(model.class_prior_) - distance
    assert_array_equal(model.predict(X), model.classes_[score.argmax(axis=1)])


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_joint_density_is_a_product_of_laplace_densities(load):
    X, y = load(return_X_y=True)
    model = LaplaceNB().fit(X, y)
    for k in range(3):
        mine = X[y == k]
        median = np.median(mine, axis=0)
        b = np.abs(mine - median).mean(axis=0)
        expected = laplace(median, b).logpdf(X).sum(axis=1) + np.log(np.mean(y == k))
        assert_allclose(model.predict_joint_log_proba(X)[:, k], expected, rtol=1e-9)
    shared = LaplaceNB(scale="shared").fit(X, y)
    assert_allclose(shared.scales_[0], np.abs(X - shared.medians_[y]).mean(axis=0))


def test_one_row_far_away_hardly_moves_the_answer():
    X = np.array([[0.0], [1.0], [2.0], [1e6], [5.0], [6.0], [7.0], [8.0]])
    model = LaplaceNB(scale="unit").fit(X, list("aaaabbbb"))
    assert_array_equal(model.predict([[1.0], [6.0]]), ["a", "b"])


def test_constant_columns_have_a_least_scale():
    X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 5.0], [1.0, 6.0]])
    model = LaplaceNB().fit(X, list("aabb"))
    assert (model.scales_ > 0).all() and np.isfinite(model.predict_joint_log_proba(X)).all()
    assert_array_equal(model.predict(X), list("aabb"))
    alike = LaplaceNB().fit(np.ones((4, 1)), list("aabb"))
    assert_allclose(alike.predict_proba([[1.0]]), [[0.5, 0.5]])
