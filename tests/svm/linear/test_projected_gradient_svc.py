"""Projected gradient ascent on the dual: the optimum of the quadratic program, and what the plain scheme misses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from assay.svm import HardMarginSVC, LinearSVC, MarginReport, ProjectedGradientSVC
from assay.svm.linear.margin_machine import bias
from assay.svm.linear.projected_gradient_svc import project_box_plane
from assay.tables.data import load_charity_donors

STATUS = ["outside", "on the margin", "inside the margin", "on the margin", "misclassified"]
BOOK = np.array([[-2.0], [-1.0], [1.0], [2.0], [1.5]]), np.array([-1, -1, 1, 1, -1])


def charity():
    data = load_charity_donors()
    return np.asarray(data.X, dtype=float) / [50.0, 50000.0], np.asarray(data.y)


@pytest.mark.capability("DC-79", "DC-81", "DC-78")
@pytest.mark.parametrize(
    "C, w, b, value",
    [
        (1.0, (1.034611, 1.890824), -2.833747, 6.163711),
        (10.0, (25 / 14, 50 / 14), -4.892857, 22.614796),
        (100.0, (8.196721, 9.836066), -18.049180, 81.967213),
        (np.inf, (8.196721, 9.836066), -18.049180, 81.967213),
    ],
)
def test_charity_table(C, w, b, value):
    X, y = charity()
    model = ProjectedGradientSVC(C=C, tol=1e-9).fit(X, y)
    assert_allclose(model.coef_[0], w, atol=1e-5)
    assert_allclose(model.intercept_[0], b, atol=1e-5)
    assert_allclose([model.report_.primal, model.report_.dual], value, atol=1e-4)
    assert (model.predict(X) == y).sum() == (11 if C >= 100 else 10)
    # exercise 16: the weights, the equation, the bound, and the same dual objective
    s = np.where(y == "Y", 1.0, -1.0)
    assert_allclose(model.coef_[0], (model.alpha_ * s) @ X, rtol=1e-12)
    assert abs(model.report_.balance) < 1e-9 and model.alpha_.max() <= C
    duals = [step.dual for step in model.history_]
    assert (np.diff(duals) >= -1e-9).all() and abs(duals[-1] - value) < 1e-4


@pytest.mark.capability("IML-13-03", "IML-13-06")
@pytest.mark.parametrize(
    "C, alpha, value",
    [(0.5, (0, 0.30556, 0.5, 0.30556, 0.5), 1.388889), (1.0, (0, 0.38889, 1, 0.38889, 1), 2.555556)],
)
def test_multipliers_slacks_and_status_of_the_book(C, alpha, value):
    X, y = BOOK
    model = ProjectedGradientSVC(C=C, tol=1e-10).fit(X, y)
    report = model.report_
    assert_allclose(model.alpha_, alpha, atol=1e-5)
    assert_allclose([model.coef_[0, 0], model.intercept_[0]], [2 / 3, -1 / 3], atol=1e-6)
    assert_allclose([report.primal, report.dual], value, atol=1e-6)
    assert_allclose(report.slack, [0, 0, 2 / 3, 0, 5 / 3], atol=1e-6)
    assert report.status == STATUS
    assert report.support_share == 0.8  # 4 of 5, no less than the leave-one-out error
    wrong = 0
    for i in range(5):
        without = ProjectedGradientSVC(C=C, tol=1e-8).fit(np.delete(X, i, axis=0), np.delete(y, i))
        wrong += without.predict(X[[i]])[0] != y[i]
    assert wrong / 5 <= report.support_share


@pytest.mark.capability("IML-13-04")
def test_the_constant_without_a_free_support_vector():
    X, y = BOOK
    model = ProjectedGradientSVC(C=0.1, tol=1e-10).fit(X, y)
    assert_allclose(model.coef_, [[0.25]], atol=1e-9)
    assert_allclose(model.report_.dual, 0.36875, atol=1e-9)
    assert_allclose(model.intercept_, -0.625, atol=1e-9)
    for b in (-0.75, -0.5):  # the ends of the interval are as good
        other = MarginReport.of(X, y, model.coef_[0], b, model.alpha_, 0.1)
        assert_allclose(other.primal, model.report_.primal, atol=1e-9)
    assert MarginReport.of(X, y, model.coef_[0], -0.4, model.alpha_, 0.1).primal > model.report_.primal + 1e-3


def test_the_constant_of_one_sided_rows():
    assert bias(np.array([1.0, 2.0]), np.array([1.0, 1.0]), np.zeros(2), 1.0) == 0.0


@pytest.mark.capability("DC-80")
@pytest.mark.parametrize("C", [0.3, 5.0])
def test_without_a_constant_it_is_the_machine_without_intercept(C):
    X, y = charity()
    model = ProjectedGradientSVC(C=C, fit_intercept=False, tol=1e-9, max_iter=100_000).fit(X, y)
    other = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-8).fit(X, y)
    assert_allclose(model.coef_, other.coef_, atol=1e-4)
    assert model.intercept_[0] == 0


@pytest.mark.capability("DC-79")
def test_the_plain_scheme_leaves_the_plane():
    X, y = charity()
    with pytest.warns(ConvergenceWarning, match="stopped after"):
        plain = ProjectedGradientSVC(C=1.0, projection="plain", max_iter=500).fit(X, y)
    exact = ProjectedGradientSVC(C=1.0, max_iter=500).fit(X, y)
    assert max(abs(step.balance) for step in plain.history_) > 0.1
    assert max(abs(step.balance) for step in exact.history_) < 1e-9
    assert plain.report_.gap > 100 * exact.report_.gap


def test_a_hard_margin_of_overlapping_classes_does_not_end():
    with pytest.warns(ConvergenceWarning, match="classes may overlap"):
        ProjectedGradientSVC(C=np.inf, max_iter=50).fit([[0.0], [2.0], [1.0], [3.0]], [0, 0, 1, 1])


def test_separable_classes_have_their_hard_margin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X.sum(axis=1) > 0
    X += 0.5 * np.where(y, 1, -1)[:, None]
    model = ProjectedGradientSVC(C=np.inf, tol=1e-9).fit(X, y)
    assert_allclose(model.coef_, HardMarginSVC().fit(X, y).coef_, atol=1e-5)


@pytest.mark.parametrize("seed", range(25))
def test_the_projection_is_the_nearest_point(seed):
    rng = np.random.default_rng(seed)
    n = 6
    u, normal = rng.normal(size=n) * 3, rng.permutation([1.0, -1.0, 1.0, -1.0, 1.0, rng.choice([-1.0, 1.0])])
    upper = np.where(rng.random(n) < 0.3, np.inf, rng.uniform(0, 2, n))
    a = project_box_plane(u, upper, normal)
    assert (a >= 0).all() and (a <= upper).all() and abs(normal @ a) < 1e-12
    result = minimize(
        lambda x: 0.5 * ((x - u) ** 2).sum(),
        np.zeros(n),
        jac=lambda x: x - u,
        bounds=[(0, None if np.isinf(top) else top) for top in upper],
        constraints={"type": "eq", "fun": lambda x: normal @ x, "jac": lambda x: normal},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    assert ((a - u) ** 2).sum() <= ((result.x - u) ** 2).sum() + 1e-6


def test_weights_bound_the_multipliers():
    X, y = BOOK
    weighted = ProjectedGradientSVC(C=0.5, tol=1e-9).fit(X, y, [1.0, 2.0, 1.0, 1.0, 0.0])
    repeated = ProjectedGradientSVC(C=0.5, tol=1e-9).fit(X[[0, 1, 1, 2, 3]], y[[0, 1, 1, 2, 3]])
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)
    assert weighted.alpha_[4] == 0
    assert_allclose(weighted.report_.gap, 0, atol=1e-6)
