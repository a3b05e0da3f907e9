"""Nu support vector classifier: worked examples, what nu bounds, parity with scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import scale

from assay.errors import DegenerateWarning, ParameterError
from assay.svm import SVC, NuSVC
from assay.svm.engine import Dual, Solution

# Oracle: worked by hand (Introduction to Machine Learning, 13.3 and 13.4): one row on the wrong side.
LINE, SIDES = np.array([[-2.0], [-1.0], [1.0], [2.0], [1.5]]), np.array([-1, -1, 1, 1, -1])


def fitted(nu, X=LINE, y=SIDES, **settings):
    return NuSVC(nu=nu, kernel="linear", probability=False, **settings).fit(X, y)


@pytest.mark.capability("IML-13-09")
def test_the_worked_example_is_the_machine_of_its_price():
    model = fitted(0.6)
    assert_allclose(model.rho_, [0.3], rtol=1e-9)
    assert_allclose(model.coef_ * model.rho_, [[0.2]], rtol=1e-9)
    assert_allclose(model.intercept_ * model.rho_, [-0.1], rtol=1e-9)
    assert_allclose(np.abs(model.dual_coef_[0]) * model.rho_, [0.1, 0.2, 0.2, 0.1], rtol=1e-9)
    assert_array_equal(model.support_, [1, 4, 2, 3])
    same = SVC(C=2 / 3, kernel="linear", probability=False).fit(LINE, SIDES)
    assert_allclose(model.coef_, same.coef_, rtol=1e-9)
    assert_allclose(model.intercept_, same.intercept_, rtol=1e-9)


@pytest.mark.capability("IML-13-09")
@pytest.mark.parametrize(("nu", "w"), [(0.5, 0.05), (0.8, 0.5)])
def test_the_weight_for_other_shares(nu, w):
    model = fitted(nu)
    assert_allclose(model.coef_ * model.rho_, [[w]], rtol=1e-7)


@pytest.mark.capability("IML-13-10")
def test_a_share_that_cannot_be_met_is_refused_with_the_largest_that_can():
    with pytest.raises(ParameterError, match=r"nu is infeasible: nu=0.81, .* largest possible nu is 0\.8 "):
        fitted(0.81)


@pytest.mark.capability("IML-13-10")
def test_the_solution_zero_is_told():
    with pytest.warns(DegenerateWarning, match=r"nu=0.4 .* w = 0 with margin 0 .*: -1 against 1. Raise nu"):
        model = fitted(0.4)
    assert_array_equal(model.coef_, [[0.0]])
    assert_array_equal(model.rho_, [0.0])
    assert_array_equal(model.decision_function(LINE), np.zeros(5))


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.6])
def test_nu_bounds_the_shares_of_support_vectors_and_of_errors(nu):
    X, y = load_breast_cancer(return_X_y=True)
    model = NuSVC(nu=nu).fit(scale(X), y)
    margin = np.where(y == 1, 1, -1) * model.decision_function(scale(X))
    assert np.mean(margin < 1 - 1e-9) <= nu <= len(model.support_) / len(y)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize(
    "settings", [{"nu": 0.513}, {"kernel": "linear", "nu": 0.253}, {"kernel": "poly", "nu": 0.413}]
)
def test_same_scores_as_scikit_learn(load, settings):
    """Peer: NuSVC, scikit-learn 1.9, with a smaller tol. Not compared: class_weight, which the peer does not use.

    Where nu n / 2 is a whole number all multipliers may be at their bounds, and rho and the bias are not unique.
    """
    X, y = load(return_X_y=True)
    X = scale(X)
    ours = NuSVC(probability=False, **settings).fit(X, y)
    peer = sklearn.svm.NuSVC(tol=1e-9, **settings).fit(X, y)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-4)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)
    assert_array_equal(ours.n_support_, peer.n_support_)


def test_weights_of_classes_count():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    by_class = NuSVC(nu=0.2, class_weight={1: 2.0}).fit(X, y)
    by_row = NuSVC(nu=0.2).fit(X, y, sample_weight=np.where(y == 1, 2.0, 1.0))
    assert_allclose(by_class.decision_function(X), by_row.decision_function(X), atol=1e-9)
    assert np.abs(by_class.decision_function(X) - NuSVC(nu=0.2).fit(X, y).decision_function(X)).max() > 0.01


def test_weights_of_columns_are_in_units_of_the_margin():
    """Rows -1, -1, 1, 1 with half of each multiplier: w = 2 in the program, where the margin is 2."""
    x, sign = np.array([-1.0, -1.0, 1.0, 1.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    alpha = np.full(4, 0.5)
    dual = Dual(sign, np.zeros(4), np.ones(4), alpha, "each sign")
    solution = Solution(
        alpha=alpha, gradient=sign * (2.0 * x), offset=0.0, offset_range=(0.0, 0.0), margin=2.0, objective=2.0, gap=0.0,
        iterations=1, converged=True, weights=np.array([2.0]),
    )  # fmt: skip
    fitted = NuSVC(nu=0.5)._fit_of(dual, solution)
    assert fitted.solution.weights == [1.0] == [float((fitted.sign * fitted.alpha) @ x)]
    idle = NuSVC(nu=0.5)._fit_of(dual, replace(solution, margin=0.0))
    assert idle.solution.weights is None and not idle.alpha.any()
