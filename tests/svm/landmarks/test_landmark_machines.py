"""Machines on landmarks: exact with all rows, the same from memory, from blocks and on a cluster."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris, make_moons
from sklearn.kernel_ridge import KernelRidge

from assay.errors import DataError, ParameterError
from assay.kernels import RBF
from assay.svm import LandmarkSVC, LandmarkSVR
from assay.svm.engine import Dual, solve

MOONS, SIDES = make_moons(300, noise=0.2, random_state=0)


def test_with_all_rows_as_landmarks_it_is_the_machine_of_squared_slacks():
    """The dual of squared slacks has 1 / (2 C) on the diagonal and no upper bound."""
    X, y, C = MOONS[:120], np.where(SIDES[:120] == 1, 1.0, -1.0), 3.0
    dual = Dual(y, -np.ones(120), np.full(120, np.inf), np.zeros(120), ridge=np.full(120, 0.5 / C))
    exact = solve(RBF(gamma=1.0).gram_rows(X), dual, tol=1e-9)
    expected = RBF(gamma=1.0)(X) @ (exact.alpha * y) + exact.offset
    model = LandmarkSVC(C, gamma=1.0, n_landmarks=120, tol=1e-10, random_state=0).fit(X, SIDES[:120])
    assert model.error_bound_ < 1e-9
    assert_allclose(model.decision_function(X), expected, atol=1e-5)
    assert_allclose(model.objective_, [-exact.objective], rtol=1e-6)


def test_regression_without_a_tube_is_kernel_ridge():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150] * 20, y[:150]
    ours = LandmarkSVR(0.5, gamma=0.05, n_landmarks=150, fit_intercept=False, tol=1e-10, random_state=0).fit(
        X, y
    )
    peer = KernelRidge(alpha=1.0, kernel="rbf", gamma=0.05).fit(X, y)
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-5, atol=1e-3)


def test_the_gradient_vanishes_with_few_landmarks_a_tube_and_weights():
    X, y = load_diabetes(return_X_y=True)
    X, w = X * 20, np.random.default_rng(0).uniform(0, 2, len(y))
    model = LandmarkSVR(0.01, epsilon=20.0, gamma=0.05, n_landmarks=40, tol=1e-12, random_state=0).fit(
        X, y, w
    )
    K, L = model.kernel_(X, model.support_vectors_), model.kernel_(model.support_vectors_)
    error = y - model.predict(X)
    r = np.sign(error) * np.maximum(0, np.abs(error) - 20.0)
    gradient = L @ model.dual_coef_[0] - 2 * 0.01 * K.T @ (w * r)
    assert np.abs(gradient).max() < 1e-6 * np.abs(K.T @ (w * r)).max()
    assert abs(w @ r) < 1e-6 * (w @ np.abs(r))


@pytest.mark.parametrize("classes", [2, 3])
def test_blocks_give_the_numbers_of_memory(classes):
    X, y = load_iris(return_X_y=True)
    rows = np.random.default_rng(0).permutation(np.flatnonzero(y < classes))
    X, y = X[rows], y[rows]
    settings = {"gamma": 0.3, "n_landmarks": 25, "class_weight": "balanced", "tol": 1e-8, "random_state": 0}
    whole = LandmarkSVC(**settings).fit(X, y)
    parts = LandmarkSVC(**settings).fit_blocks([(X[a : a + 37], y[a : a + 37]) for a in range(0, len(y), 37)])
    assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-6)
    unheld = LandmarkSVC(**settings, cache_size=1e-6).fit(X, y)
    assert_allclose(unheld.decision_function(X), whole.decision_function(X), atol=1e-6)


def test_a_cluster_gives_the_numbers_of_memory():
    array = pytest.importorskip("dask.array", reason="dask is an extra")
    settings = {"gamma": 1.0, "n_landmarks": 20, "tol": 1e-8, "random_state": 0}
    whole = LandmarkSVC(**settings).fit(MOONS, SIDES)
    spread = LandmarkSVC(**settings).fit(array.from_array(MOONS, (100, 2)), array.from_array(SIDES, 100))
    assert_allclose(spread.decision_function(MOONS), whole.decision_function(MOONS), atol=1e-6)


def test_more_landmarks_leave_less_over_and_reach_a_lower_objective():
    models = [
        LandmarkSVC(gamma=2.0, n_landmarks=m, landmarks="cholesky", tol=1e-8).fit(MOONS, SIDES)
        for m in (5, 20, 80)
    ]
    bounds, objectives = [m.error_bound_ for m in models], [m.objective_[0] for m in models]
    assert bounds == sorted(bounds, reverse=True) and objectives == sorted(objectives, reverse=True)


@pytest.mark.parametrize("landmarks", ["random", "leverage"])
def test_the_error_of_drawn_landmarks_is_measured(landmarks):
    model = LandmarkSVC(gamma=2.0, n_landmarks=30, landmarks=landmarks, random_state=0).fit(MOONS, SIDES)
    K, L = model.kernel_(MOONS, model.support_vectors_), model.kernel_(model.support_vectors_)
    left = 1 - np.einsum("ij,ij->i", K, np.linalg.lstsq(L, K.T, rcond=1e-12)[0].T)
    assert_allclose(model.error_bound_, left.mean(), atol=1e-6)


def test_a_precomputed_matrix_is_refused():
    with pytest.raises(ParameterError, match="landmarks are rows that a kernel compares"):
        LandmarkSVC(kernel="precomputed").fit(np.eye(4), [0, 0, 1, 1])


def test_targets_that_are_met_exactly_end_the_steps():
    """The least objective is 0 then, which no share of itself comes below."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows, y in (([[1.0, 2.0]], [3.0]), ([[1.0], [2.0], [4.0]], [1e9, 1e9, 1e9])):
            model = LandmarkSVR().fit(rows, y)
            assert model.n_iter_ < 10
            assert_allclose(model.predict(rows), y, rtol=1e-12)


def test_targets_whose_squares_are_no_numbers_are_refused():
    with pytest.raises(
        DataError, match=r"y has values as large as 1e\+200, whose squares cannot be added up"
    ):
        LandmarkSVR().fit([[1.0], [2.0]], [1.0, 1e200])
