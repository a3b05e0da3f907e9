"""What all machines with a kernel do: look at matrices that may be none of a kernel."""

import sys

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.kernels import Matern
from assay.svm import (
    SVC,
    SVDD,
    SVR,
    LandmarkSVC,
    LinearSVC,
    OneClassSVM,
    SubgradientSVC,
    margin_diagnostics,
)


def test_matrices_that_are_no_kernel_matrices_are_named():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 60))
    y = np.tile([0, 1], 30)
    with pytest.warns(
        DegenerateWarning, match="symmetric, but not positive semidefinite: .* The solution may be one"
    ):
        SVC(kernel="precomputed").fit(A + A.T, y)
    with pytest.warns(DegenerateWarning, match="not symmetric: K and its transpose differ"):
        SVC(kernel="precomputed").fit(A @ A.T + np.triu(A), y)
    with pytest.warns(DegenerateWarning, match="not positive semidefinite"):
        SVR(kernel="sigmoid", gamma=2.0, coef0=1.0).fit(rng.normal(size=(60, 2)), y)
    SVC(kernel="precomputed").fit(A @ A.T, y)  # without a word


@pytest.mark.parametrize("machine", [SVDD(nu=0.3), OneClassSVM(nu=0.3)])
def test_what_is_explained_is_what_is_predicted(machine):
    X = np.random.default_rng(0).normal(size=(80, 3))
    machine.fit(X)
    answers = [explanation.answer for explanation in machine.explain(X)]
    assert answers == ["outlier" if side < 0 else "inlier" for side in machine.predict(X)]


def test_wrong_use_is_named():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.tile([0, 1], 15)
    with pytest.raises(ParameterError, match="must be a fitted SVC or NuSVC, got LinearSVC"):
        margin_diagnostics(LinearSVC().fit(X, y), X, y)
    with pytest.raises(DataError, match="is too small for gamma='scale'"):
        SVC().fit(X * 1e-160, y)
    for machine in (LinearSVC(C=np.inf), LandmarkSVC(C=np.inf)):
        with pytest.raises(ParameterError, match="C must be a number above 0"):
            machine.fit(X, y)
    with pytest.raises(ParameterError, match="nu must be at most 150"):
        Matern(nu=200.0)
    with pytest.warns(ConvergenceWarning, match="no pass lowered the objective"):
        SubgradientSVC(C=1e6).fit(X * 1000, y)


def test_a_kernel_whose_values_are_too_large_is_named():
    with pytest.raises(DataError, match="linear: the kernel gave an infinite value"):
        SVC(kernel="linear").fit([[1e200], [2e200], [-1e200], [3.0]], [0, 1, 0, 1])


def test_steps_that_max_iter_does_not_name_are_counted(monkeypatch):
    monkeypatch.setattr(sys.modules["assay.svm.engine.solve"], "LEAST_STEPS", 7)
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.warns(ConvergenceWarning, match=r"after 6000 steps; max_iter=-1 allows no more.*or lower C"):
        SVR(kernel="precomputed", C=1e6, tol=1e-9).fit(X @ X.T, X[:, 0] ** 3)
