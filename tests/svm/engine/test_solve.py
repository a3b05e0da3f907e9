"""The engine: oracles of small problems that are solved by hand, and optimality on random ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.kernels import RBF, Linear, Polynomial
from assay.svm.engine import Dual, solve

# Oracle: worked by hand; five points on a line, one of them on the wrong side.
LINE = np.array([[-2.0], [-1.0], [1.0], [2.0], [1.5]])
SIDES = np.array([-1.0, -1.0, 1.0, 1.0, -1.0])


def soft_margin(y, C, ridge=None):
    n = len(y)
    return Dual(y, -np.ones(n), np.full(n, C), np.zeros(n), ridge=ridge)


@pytest.mark.parametrize(
    ("C", "w", "offset", "objective"), [(0.5, 2 / 3, -1 / 3, 1.388889), (1.0, 2 / 3, -1 / 3, 2.555556)]
)
def test_soft_margin_on_a_line(C, w, offset, objective):
    found = solve(Linear().gram_rows(LINE), soft_margin(SIDES, C), tol=1e-10)
    assert_allclose((found.alpha * SIDES) @ LINE, [w], atol=1e-9)
    assert_allclose(found.offset, offset, atol=1e-9)
    assert_allclose(-found.objective, objective, atol=1e-6)
    assert found.converged and found.gap < 1e-10


def test_without_free_multipliers_the_offset_is_in_the_middle_of_its_range():
    found = solve(Linear().gram_rows(LINE), soft_margin(SIDES, 0.1), tol=1e-10)
    assert_allclose(found.offset_range, (-0.75, -0.5), atol=1e-9)
    assert_allclose(found.offset, -0.625, atol=1e-9)
    assert_allclose(-found.objective, 0.36875, atol=1e-9)


def test_nu_form_on_a_line():
    nu, n = 0.6, 5
    start = np.zeros(n)
    for sign in (-1, 1):  # nu / 2 on either side, filled up in the order of the rows
        left = nu / 2
        for i in np.flatnonzero(sign == SIDES):
            start[i] = min(left, 1 / n)
            left -= start[i]
    dual = Dual(SIDES, np.zeros(n), np.full(n, 1 / n), start, "each sign")
    found = solve(Linear().gram_rows(LINE), dual, tol=1e-12)
    assert_allclose(found.alpha, [0, 0.1, 0.2, 0.1, 0.2], atol=1e-9)
    assert_allclose([found.offset, found.margin], [-0.1, 0.3], atol=1e-9)


def test_exclusive_or_with_the_quadratic_kernel():
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    y = -X[:, 0] * X[:, 1]
    found = solve(Polynomial(2).gram_rows(X), soft_margin(y, np.inf), tol=1e-12)
    assert_allclose(found.alpha, np.full(4, 1 / 8), atol=1e-9)
    assert_allclose([found.offset, -found.objective], [0, 1 / 4], atol=1e-9)


def test_regression_with_two_multipliers_a_row():
    X, y, n = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0]), 3
    dual = Dual(
        np.repeat([1.0, -1.0], n),
        np.concatenate([0.25 - y, 0.25 + y]),
        np.full(2 * n, 10.0),
        np.zeros(2 * n),
    )
    found = solve(Linear().gram_rows(X), dual, tol=1e-10)
    assert_allclose(found.alpha, [0, 0, 0.375, 0.375, 0, 0], atol=1e-8)
    assert_allclose([found.offset, -found.objective], [0.25, 0.28125], atol=1e-8)


@pytest.mark.parametrize("constraint", ["sum", "none"])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_no_direction_that_is_allowed_lowers_the_objective(constraint, ridge):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.sign(rng.normal(size=60))
    dual = Dual(y, -np.ones(60), np.full(60, 2.0), np.zeros(60), constraint, np.full(60, ridge))
    found = solve(RBF().gram_rows(X), dual, tol=1e-9)
    Q = np.outer(y, y) * RBF()(X) + ridge * np.eye(60)
    assert_allclose(found.gradient, Q @ found.alpha - 1, atol=1e-9)
    level = y * found.gradient + found.offset  # 0 for free multipliers
    rises, falls = found.alpha < 2.0, found.alpha > 0
    assert (y[rises] * level[rises] >= -1e-8).all() and (y[falls] * level[falls] <= 1e-8).all()
    if constraint == "sum":
        assert_allclose(y @ found.alpha, 0, atol=1e-9)
