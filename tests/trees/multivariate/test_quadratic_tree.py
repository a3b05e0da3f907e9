"""Trees of quadrics."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from assay.trees import QuadraticTreeClassifier
from assay.trees.multivariate.quadratic_tree import own_covariances
from assay.trees.multivariate.rows import NodeRows


@pytest.mark.capability("IML-9-38")
def test_a_disc_in_a_square_takes_one_quadric():
    """IML 9.6, on a grid so that no point is nearer to the circle than 0.04."""
    side = np.linspace(-2, 2, 31)
    X = np.array([[a, b] for a in side for b in side])
    y = np.sum(X**2, axis=1) <= 1
    model = QuadraticTreeClassifier().fit(X, y)
    assert model.get_n_leaves() == 2 and model.score(X, y) == 1.0
    W = model.tree_.splits[0].matrix
    assert_allclose(W / W[0, 0], np.eye(2), atol=1e-6)


@pytest.mark.capability("IML-9-38")
def test_exclusive_or_takes_one_quadric():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    X = X[np.abs(X[:, 0] * X[:, 1]) > 0.02]
    y = X[:, 0] * X[:, 1] > 0
    model = QuadraticTreeClassifier(max_depth=1).fit(X, y)
    assert model.score(X, y) > 0.97


def test_many_rows_give_the_quadratic_discriminant():
    """Peer: QuadraticDiscriminantAnalysis with even priors; added rows and ridge fade as rows grow."""
    rng = np.random.default_rng(1)
    X = np.vstack(
        (rng.normal(size=(20000, 2)), rng.normal(size=(20000, 2)) @ np.array([[2.0, 0.5], [0.0, 0.7]]) + 1.5)
    )
    y = np.repeat([0, 1], 20000)
    split = QuadraticTreeClassifier(max_depth=1).fit(X, y).tree_.splits[0]
    peer = QuadraticDiscriminantAnalysis().fit(X, y).decision_function(X)
    assert np.corrcoef(split.value(X), peer)[0, 1] > 0.99999


def test_covariances_lean_on_the_common_one():
    rng = np.random.default_rng(2)
    rows = NodeRows(rng.normal(size=(50, 3)), (np.arange(50) < 3).astype(int), rng.uniform(0.5, 2, 50), 2)
    means, covariances = own_covariances(rows, rows.y, 2)
    Z, w = rows.standard, rows.w
    scatter = []
    for k in (0, 1):
        own = rows.y == k
        assert_allclose(means[k], np.average(Z[own], axis=0, weights=w[own]))
        scatter.append((Z[own] - means[k]).T * w[own] @ (Z[own] - means[k]))
    common = sum(scatter) / w.sum()
    for k in (0, 1):
        n = w[rows.y == k].sum()
        added = 16 / (n + 4)
        wanted = (scatter[k] + added * common) / (n + added) + 1e-4 * np.eye(3)
        assert_allclose(covariances[k], wanted, rtol=1e-9)
    assert (np.linalg.eigvalsh(covariances) > 0.01).all()  # three rows in three dimensions, and yet sound


@pytest.mark.parametrize("load, leaves", [(load_iris, 10), (load_wine, 6), (load_digits, 40)])
def test_few_leaves_suffice_for_real_data(load, leaves):
    X, y = load(return_X_y=True)
    model = QuadraticTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0 and model.get_n_leaves() <= leaves
