"""Directions one after the other: at right angles, and each the best of what is left."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import null_space
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import assay
from assay.bayes import FisherDiscriminant
from assay.bayes.fisher_directions import FisherDirections
from assay.errors import DataError, DegenerateError
from assay.stats import fisher_criterion

CHARITY = np.array(
    [
        (21, 37000, 0), (27, 41000, 0), (43, 61000, 1), (38, 55000, 0), (44, 30000, 0), (51, 56000, 1),
        (53, 70000, 1), (56, 74000, 1), (59, 25000, 0), (61, 68000, 1), (63, 51000, 1),
    ], float,
)  # fmt: skip


@pytest.mark.capability("DC-11", "DC-12")
def test_charity_of_the_book():
    """DC 10.2.1.4: the first direction and its criterion; in the plane the second is the one at a right angle."""
    X, y = CHARITY[:, :2] / [50, 50000], CHARITY[:, 2]
    model = FisherDirections().fit(X, y)
    assert_allclose(model.within_, [[0.04182909, -0.01285091], [-0.01285091, 0.03354667]], atol=5e-9)
    assert_allclose(model.directions_[0], [0.567980, 0.823042], atol=5e-7)
    assert_allclose(model.criteria_[0], 15.540347, atol=5e-7)
    assert_allclose(np.abs(model.directions_[1]), [0.823042, 0.567980], atol=5e-7)
    gap = model.means_[1] - model.means_[0]
    assert_allclose(
        model.criteria_[1],
        fisher_criterion(model.directions_[1], model.within_, np.outer(gap, gap)),
        rtol=1e-12,
    )


@pytest.mark.capability("DC-12")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_directions_are_at_right_angles_and_fall_in_worth(load):
    X, y = load(return_X_y=True)
    model = FisherDirections(n_components=4).fit(X, y)
    assert_allclose(model.directions_ @ model.directions_.T, np.eye(4), atol=1e-9)
    assert (np.diff(model.criteria_) <= 1e-9 * model.criteria_[0]).all()
    assert (model.directions_ @ (model.means_[-1] - model.means_[0]) >= -1e-12).all()
    assert_allclose(model.transform(X), X @ model.directions_.T, rtol=1e-12)


@pytest.mark.capability("DC-12")
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(2, 5))
def test_each_direction_is_fisher_s_of_the_projected_rows(seed, d):
    """As the book says it: project the rows on the complement, and look for Fisher's direction there."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, d)) @ rng.normal(size=(d, d)), np.repeat([0, 1], [15, 25])
    X[y == 1] += rng.normal(size=d)
    model = FisherDirections(n_components=d).fit(X, y)
    for k in range(len(model.directions_)):
        basis = null_space(model.directions_[:k]) if k else np.eye(d)
        inside = FisherDiscriminant().fit(X @ basis, y)
        assert_allclose(model.directions_[k], basis @ inside.direction_, atol=1e-6)
        assert_allclose(model.criteria_[k], inside.criterion_ * len(y), rtol=1e-6)


def test_the_first_direction_of_several_classes_is_the_best_of_all():
    X, y = load_iris(return_X_y=True)
    model = FisherDirections().fit(X, y)
    gaps = [model.means_[j] - model.means_[i] for i, j in ((0, 1), (0, 2), (1, 2))]
    between = sum(np.outer(g, g) for g in gaps)
    rng = np.random.default_rng(0)
    others = [fisher_criterion(w, model.within_, between) for w in rng.normal(size=(500, 4))]
    assert model.criteria_[0] >= max(others)
    assert_allclose(model.criteria_, [fisher_criterion(w, model.within_, between) for w in model.directions_])


def test_directions_end_where_the_means_agree():
    """The classes differ along one axis, and the scatter is the same in all directions."""
    X = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], float)
    model = FisherDirections().fit(np.vstack((X, X + np.array([3, 0]))), np.repeat([0, 1], 4))
    assert_allclose(model.directions_, [[1, 0]], atol=1e-12)
    assert_allclose(model.criteria_, [9.0], rtol=1e-12)


def test_collinear_and_constant_columns_do_no_harm():
    X, y = load_wine(return_X_y=True)
    wide = np.column_stack((X, np.full(len(X), 3.0), X[:, 0]))
    plain, model = FisherDirections(n_components=1).fit(X, y), FisherDirections(n_components=1).fit(wide, y)
    assert_allclose(model.criteria_, plain.criteria_, rtol=1e-8)
    z, t = plain.transform(X)[:, 0], model.transform(wide)[:, 0]
    assert_allclose(abs(np.corrcoef(z, t)[0, 1]), 1.0, rtol=1e-9)


def test_collinear_columns_add_no_direction_that_says_the_same_again():
    """Two columns and their sum: after two directions nothing is left, and they are seen as in the plane."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y, A = X[:, 0] ** 2 + X[:, 1] > 0, np.array([[1.0, 0, 1], [0, 1, 1]])
    model = FisherDirections(n_components=None).fit(X @ A, y)
    assert model.directions_.shape == (2, 3)
    z = model.transform(X @ A)
    assert np.linalg.matrix_rank(z - z.mean(axis=0)) == 2
    assert model.criteria_[1] < model.criteria_[0]
    assert_allclose(model.criteria_[0], FisherDirections().fit(X, y).criteria_[0], rtol=1e-9)


def test_with_more_columns_than_rows_the_criterion_still_falls():
    rng = np.random.default_rng(3)
    model = FisherDirections(n_components=None).fit(rng.normal(size=(8, 20)), np.repeat([0, 1], 4))
    assert 1 < len(model.directions_) <= 6  # rows less classes vary
    assert (np.diff(model.criteria_) <= 1e-9 * model.criteria_[0]).all()
    assert_allclose(model.directions_ @ model.directions_.T, np.eye(len(model.directions_)), atol=1e-9)


def test_blocks_and_weights_give_the_directions_of_all_rows(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    whole = FisherDirections().fit(X, y)
    streamed = FisherDirections().fit_blocks([(X[i::3], y[i::3]) for i in (2, 0, 1)])
    assert_allclose(streamed.directions_, whole.directions_, atol=1e-8)
    w = np.random.default_rng(0).integers(1, 3, len(X))
    weighed = FisherDirections().fit(X, y, sample_weight=w)
    repeated = FisherDirections().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighed.directions_, repeated.directions_, atol=1e-7)
    assay.save(whole, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").transform(X), whole.transform(X))


def test_tables_with_names_and_categories():
    frame = pd.DataFrame({"size": [1.0, 2.0, 6.0, 9.0], "kind": ["a", "b", "a", "b"]})
    model = FisherDirections().fit(frame, ["n", "n", "y", "y"])
    assert model.get_feature_names_out()[0] == "fisherdirections0"
    assert model.transform(frame).shape == (4, len(model.directions_))


def test_what_has_no_direction_is_reported():
    with pytest.raises(DataError, match="y has one class"):
        FisherDirections().fit([[1.0], [2.0]], [0, 0])
    with pytest.raises(DegenerateError, match="no column varies within a class"):
        FisherDirections().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(DegenerateError, match="the classes have the same mean"):
        FisherDirections().fit([[1.0], [2.0], [1.0], [2.0]], [0, 0, 1, 1])
