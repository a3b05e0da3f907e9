"""Kernel Fisher discriminant: the linear kernel is Fisher's, and the equations of the book."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.bayes import FisherDiscriminant, LinearDiscriminantAnalysis
from assay.errors import DataError, DegenerateError, ParameterError
from assay.kernels import RBF
from assay.svm import KernelFisherDiscriminant

X, KINDS = load_iris(return_X_y=True)


@pytest.mark.capability("DC-96")
def test_the_linear_kernel_with_a_small_ridge_gives_fishers_direction():
    rows, y = X[50:], KINDS[50:]
    model = KernelFisherDiscriminant(kernel="linear", ridge=1e-10).fit(rows, y)
    direction = rows.T @ model.dual_coef_[:, 0]
    fisher = FisherDiscriminant().fit(rows, y).direction_
    assert_allclose(direction / np.linalg.norm(direction), fisher, atol=1e-5)


@pytest.mark.capability("DC-96")
def test_the_linear_kernel_spans_the_directions_of_the_linear_discriminant():
    model = KernelFisherDiscriminant(kernel="linear", ridge=1e-10).fit(X, KINDS)
    peer = LinearDiscriminantAnalysis().fit(X, KINDS)
    ours, theirs = model.transform(X), peer.transform(X)
    for j in range(2):
        assert abs(np.corrcoef(ours[:, j], theirs[:, j])[0, 1]) > 1 - 1e-6
    assert (model.predict(X) == peer.predict(X)).all()
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=0.02)  # its divisor is n - 3


def test_two_classes_by_the_book():
    """a = (N + mu I)^-1 (m_1 - m_0), one class at a time."""
    rows, y = X[50:, :2], KINDS[50:] - 1
    K = RBF(gamma=0.5)(rows)
    model = KernelFisherDiscriminant(kernel=RBF(gamma=0.5), ridge=0.01).fit(rows, y)
    N, means = np.zeros((100, 100)), []
    for k in (0, 1):
        part = K[:, y == k]
        N += part @ (np.eye(50) - np.full((50, 50), 1 / 50)) @ part.T
        means.append(part.mean(axis=1))
    mu = 0.01 * np.trace(N) / 100
    assert_allclose(model.mu_, mu)
    a = np.linalg.solve(N + mu * np.eye(100), means[1] - means[0])
    scale = model.dual_coef_[:, 0] @ a / (a @ a)
    assert scale > 0
    assert_allclose(model.dual_coef_[:, 0], scale * a, rtol=1e-6, atol=1e-9)
    gap = means[1] - means[0]
    assert_allclose(model.criterion_, [25 * (gap @ a) ** 2 / (a @ (N + mu * np.eye(100)) @ a)])  # n0 n1 / n


def test_no_direction_is_better_than_the_first():
    y, rng = KINDS, np.random.default_rng(0)
    model = KernelFisherDiscriminant(gamma=0.3, ridge=0.01).fit(X, y)
    K = model.kernel_(X)
    means = np.stack([K[:, y == k].mean(axis=1) for k in range(3)])
    M = sum(50 * np.outer(m - means.mean(axis=0), m - means.mean(axis=0)) for m in means)
    centred = K - means[y].T
    N = centred @ centred.T + model.mu_ * np.eye(150)

    def criterion(a):
        return a @ M @ a / (a @ N @ a)

    a, b = model.dual_coef_.T
    assert_allclose([criterion(a), criterion(b)], model.criterion_, rtol=1e-6)
    assert_allclose(a @ N @ b, 0, atol=1e-6)
    for size in (1e-6, 1e-4, 1e-2):
        assert criterion(a + size * np.abs(a).mean() * rng.normal(size=150)) <= model.criterion_[0] * (
            1 + 1e-9
        )


def test_coordinates_have_unit_variance_within_the_classes():
    model = KernelFisherDiscriminant().fit(X, KINDS)
    Z = model.transform(X)
    centred = Z - model.means_[KINDS]
    assert_allclose((centred**2).mean(axis=0), 1, rtol=1e-6)
    assert_allclose(model.means_, [Z[k == KINDS].mean(axis=0) for k in range(3)], rtol=1e-6)


def test_a_weight_of_two_is_two_rows():
    w = np.ones(150)
    w[::3] = 2
    twice = np.concatenate([np.arange(150), np.arange(0, 150, 3)])
    settings = {"kernel": RBF(gamma=0.2), "ridge": 1e-3}
    weighted = KernelFisherDiscriminant(**settings).fit(X, KINDS, sample_weight=w)
    repeated = KernelFisherDiscriminant(**settings).fit(X[twice], KINDS[twice])
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_priors_move_the_log_odds():
    even = KernelFisherDiscriminant(priors=[0.5, 0.5]).fit(X[50:], KINDS[50:])
    tilted = KernelFisherDiscriminant(priors=[0.1, 0.9]).fit(X[50:], KINDS[50:])
    assert_allclose(tilted.decision_function(X) - even.decision_function(X), np.log(9), atol=1e-9)
    with pytest.raises(ParameterError, match="one number for each class"):
        KernelFisherDiscriminant(priors=[0.5, 0.5]).fit(X, KINDS)


def test_what_cannot_be_separated_is_said():
    with pytest.raises(DataError, match="only one class"):
        KernelFisherDiscriminant().fit(X, np.zeros(150))
    with pytest.raises(DegenerateError, match="no row differs"):
        KernelFisherDiscriminant().fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
