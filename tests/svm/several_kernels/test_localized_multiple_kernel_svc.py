"""Localised multiple kernel learning: gates, their gradient, and what they are good for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.kernels import RBF, Linear
from assay.svm import SVC, LocalizedMultipleKernelSVC
from assay.svm.several_kernels.gated_sum import GatedSum, gates
from assay.svm.several_kernels.localized_multiple_kernel_svc import gate_gradient, gated
from assay.svm.several_kernels.weighted_sum import WeightedSum


def half_winding(seed=0, n=200):
    """A boundary that is straight on the left and winding on the right."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    return X, X[:, 1] > np.where(X[:, 0] < 0, 0, np.sin(12 * X[:, 0]) / 2)


KERNELS = [Linear(), RBF(gamma=20.0)]


@pytest.mark.capability("IML-13-28")
def test_a_constant_gate_is_the_plain_sum_with_squared_weights():
    """Oracle: eta_i(x) = c_i reduces to weights c_i^2, not c_i."""
    X, y = half_winding()
    c = np.array([0.3, 0.7])
    gate = GatedSum(tuple(KERNELS), np.zeros((2, 2)), np.log(c))
    plain = WeightedSum(tuple(KERNELS), c**2)
    assert_allclose(gate(X[:30], X), plain(X[:30], X), atol=1e-12)
    assert_allclose(gate.diagonal(X), plain.diagonal(X))
    ours, theirs = (SVC(kernel=kernel, tol=1e-8).fit(X, y) for kernel in (gate, plain))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)


@pytest.mark.capability("IML-13-28")
def test_the_gradient_of_the_objective():
    """By differences of the optimal dual value; at the optimum the multipliers may be held fixed."""
    X, y = half_winding(1, 40)
    sign = np.where(y, 1.0, -1.0)
    grams = np.array([kernel(X) for kernel in KERNELS])
    Z = np.column_stack([X, np.ones(40)])
    theta = np.random.default_rng(2).normal(size=(2, 3))

    def machine(theta):
        K = gated(grams, gates(Z[:, :2], theta[:, :2], theta[:, 2]))
        model = SVC(C=2.0, kernel="precomputed", tol=1e-12, probability=False).fit(K, sign)
        c = np.zeros(40)
        c[model.support_] = model.dual_coef_[0]
        return c, np.abs(c).sum() - 0.5 * c @ K @ c

    gradient = gate_gradient(grams, gates(X, theta[:, :2], theta[:, 2]), Z, machine(theta)[0][None])
    for k in range(2):
        for j in range(3):
            shift = np.zeros((2, 3))
            shift[k, j] = 1e-4
            slope = (machine(theta + shift)[1] - machine(theta - shift)[1]) / 2e-4
            assert_allclose(gradient[k, j], slope, rtol=1e-3, atol=1e-5)


@pytest.mark.capability("IML-13-28")
def test_the_gradient_is_that_of_the_book():
    """Equation (2) with its four sums."""
    X, _ = half_winding(3, 12)
    rng = np.random.default_rng(4)
    Z, theta, c = np.column_stack([X, np.ones(12)]), rng.normal(size=(2, 3)), rng.normal(size=12)
    grams = np.array([kernel(X) for kernel in KERNELS])
    eta = gates(X, theta[:, :2], theta[:, 2])
    book = np.zeros((2, 3))
    for k in range(2):
        for t in range(12):
            for s in range(12):
                for i in range(2):
                    part = c[t] * c[s] * eta[t, i] * grams[i, t, s] * eta[s, i]
                    inner = Z[t] * ((i == k) - eta[t, k]) + Z[s] * ((i == k) - eta[s, k])
                    book[k] -= 0.5 * part * inner
    assert_allclose(gate_gradient(grams, eta, Z, c[None]), book, atol=1e-12)


def test_two_linear_kernels_make_a_boundary_of_two_pieces():
    """Each kernel gets a region of its own, and the objective falls in every round."""
    X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    y = X[:, 1] > np.abs(X[:, 0])
    model = LocalizedMultipleKernelSVC([Linear(), Linear()], C=100.0).fit(X, y)
    objective = [record["objective"] for record in model.history_]
    assert np.all(np.diff(objective) < 0)
    assert model.score(X, y) > 0.98 > 0.9 > SVC(kernel="linear", C=100.0).fit(X, y).score(X, y)
    gate = model.gate(X)
    assert_allclose(gate.sum(axis=1), 1)
    left, right = gate[X[:, 0] < -0.5].mean(axis=0), gate[X[:, 0] > 0.5].mean(axis=0)
    assert np.abs(left - right).min() > 0.5
    plain = SVC(kernel=model.kernel_, C=100.0, tol=1e-4).fit(X, y)
    assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-2)


def test_columns_of_other_units_give_the_same_gates():
    X, y = half_winding()
    first = LocalizedMultipleKernelSVC(["linear", "rbf"], probability=False).fit(X, y)
    second = LocalizedMultipleKernelSVC(["linear", "rbf"], probability=False).fit(X * 1000.0, y)
    assert_allclose(second.gate(X * 1000.0), first.gate(X), atol=1e-4)


def test_three_classes_share_the_gates():
    X, _ = half_winding(5)
    y = np.digitize(X[:, 1] + 0.3 * np.sin(6 * X[:, 0]), [-0.3, 0.3])
    model = LocalizedMultipleKernelSVC(KERNELS, C=10.0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.gate_slopes_.shape == (2, 2)
    assert "mean gate" in str(model.show())
