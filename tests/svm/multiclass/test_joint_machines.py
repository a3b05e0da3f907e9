"""Weston and Watkins' and Crammer and Singer's machines: oracles, optimality by a peer solver, parity."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.svm import SVC as PeerSVC

from assay.errors import DegenerateWarning
from assay.kernels import RBF
from assay.svm import CrammerSingerSVC, LinearSVC, WestonWatkinsSVC

MACHINES = [WestonWatkinsSVC, CrammerSingerSVC]


def slack(model, F, y):
    rows = np.arange(len(y))
    short = np.maximum(0.0, model.margin + F - F[rows, y][:, None])
    short[rows, y] = 0.0
    return short.sum() if model.each else short.max(axis=1).sum()


@pytest.mark.capability("IML-13-31")
@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_two_classes_of_the_book(kernel):
    """C = 0.5: w1 = 2/3, w10 = -1/3, objective 2 x 1.388889, slacks twice those of the binary machine."""
    x, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [1.5]]), np.array([-1, -1, 1, 1, -1])
    model = WestonWatkinsSVC(C=0.5, kernel=kernel, tol=1e-10).fit(
        x @ x.T if kernel == "precomputed" else x, y
    )
    W = model.coef_[:, 0] if kernel == "linear" else model.dual_coef_ @ x[model.support_, 0]
    assert_allclose(W, [-2 / 3, 2 / 3], atol=1e-6)
    assert_allclose(model.intercept_, [1 / 3, -1 / 3], atol=1e-6)
    assert_allclose(model.objective_, 2.777778, atol=1e-6)


@pytest.mark.capability("IML-13-31")
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_two_classes_are_the_binary_machine_for_any_kernel(C):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:]
    model = WestonWatkinsSVC(C=C, gamma=0.5, tol=1e-8).fit(X, y)
    peer = PeerSVC(C=C, gamma=0.5, tol=1e-8).fit(X, y)
    assert_allclose(model.decision_function(X) / 2, peer.decision_function(X), atol=2e-3)


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_objective_and_dual_meet(Machine, kernel, load):
    X, y = load(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    model = Machine(kernel=kernel, tol=1e-6).fit(X, y)
    K = X @ X.T if kernel == "linear" else np.exp(-model.kernel_.gamma * ((X[:, None] - X) ** 2).sum(-1))
    A = np.zeros((len(y), 3))
    A[model.support_] = np.asarray(model.dual_coef_).T
    F = K @ A + model.intercept_
    assert_allclose(model.decision_function(X), F, atol=1e-8)
    value = 0.5 * np.sum(A * (K @ A)) + slack(model, F, y)
    assert_allclose(model.objective_, value, rtol=1e-5)
    wrong = np.arange(3) != y[:, None]
    dual = -0.5 * np.sum(A * (K @ A)) - model.margin * A[wrong].sum()
    assert abs(value - dual) <= 1e-4 * value
    assert_allclose(A.sum(axis=1), 0, atol=1e-9)
    assert_allclose(model.intercept_.sum(), 0, atol=1e-9)
    assert model.score(X, y) > 0.9


def test_without_constants_the_linear_machine_is_liblinears():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    ours = CrammerSingerSVC(kernel="linear", fit_intercept=False, tol=1e-8).fit(X, y)
    other = LinearSVC(multi_class="crammer_singer", fit_intercept=False, tol=1e-6).fit(X, y)
    assert_allclose(ours.coef_, other.coef_, atol=1e-4)


@pytest.mark.parametrize("Machine", MACHINES)
def test_sparse_rows_kernel_objects_weights_and_classes(Machine):
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    dense = Machine(kernel="linear", C=0.1).fit(X, names)
    sparse = Machine(kernel="linear", C=0.1).fit(sp.csr_array(X), names)
    assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=2e-2)
    by_object = Machine(kernel=RBF(1.0), tol=1e-8).fit(X, names)
    by_name = Machine(gamma=0.5, tol=1e-8).fit(X, names)  # 1 / (2 length^2)
    assert_allclose(by_object.decision_function(X), by_name.decision_function(X), atol=1e-2)
    weight = (np.arange(150) % 2).astype(float)
    weighted = Machine(C=2.0, tol=1e-8).fit(X, names, weight)
    fewer = Machine(C=2.0, tol=1e-8, gamma=weighted.kernel_.gamma).fit(X[1::2], names[1::2])
    assert_allclose(weighted.decision_function(X), fewer.decision_function(X), atol=1e-2)
    with pytest.raises(ValueError, match="at least 2 classes"):
        Machine().fit(X[:5], names[:5])


@pytest.mark.parametrize("Machine", MACHINES)
def test_explanations_and_files(Machine, tmp_path):
    import assay

    X, y = load_iris(return_X_y=True)
    model = Machine(C=10.0).fit(X, y)
    text = str(model.explain(X[:1]))
    assert "By how much 0 leads" in text and "constant" in text
    assay.save(model, tmp_path / "m.assay")
    assert_array_equal(assay.load(tmp_path / "m.assay").predict(X), model.predict(X))


@pytest.mark.parametrize("machine", MACHINES)
def test_of_an_indefinite_matrix_the_matrix_is_blamed_alone(machine):
    K = np.random.default_rng(0).normal(size=(30, 30))
    with pytest.warns(DegenerateWarning, match="repair_gram") as record:
        machine(kernel="precomputed").fit(K + K.T, np.arange(30) % 3)
    assert len(record) == 1


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("few", [False, True])
def test_a_low_price_is_paid_in_few_rounds(Machine, kernel, C, few):
    """Nearly all coefficients are at their bound: the objective is least at the constants, also of unequal classes."""
    X, y = load_wine(return_X_y=True)
    kept = np.flatnonzero((y == 1) | (np.arange(len(y)) % 3 == 0)) if few else np.arange(len(y))
    X, y = ((X - X.mean(0)) / X.std(0))[kept], y[kept]
    model = Machine(C=C, kernel=kernel).fit(X, y)  # a ConvergenceWarning would be an error
    F, rng = model.decision_function(X), np.random.default_rng(0)
    least = slack(model, F, y)
    for size in (1e-4, 1e-3, 1e-2, 0.1, 1.0):
        for move in rng.normal(size=(20, 3)) * size:
            assert slack(model, F + move, y) >= least * (1 - 1e-4)
