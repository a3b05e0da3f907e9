"""The last digits of small quadratic programs: exact conditions of an optimum, whatever the solver left."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.kernels import RBF, Linear, MatrixRows
from assay.svm.engine import Dual, solve
from assay.svm.multipliers import filled
from assay.svm.polish import polished

GAUSSIAN = RBF(gamma=0.4)


def problem(kind, n=60, seed=0, copies=False, kernel=GAUSSIAN):
    draw = np.random.default_rng(seed)
    sign = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = draw.normal(size=(n, 3)) + 0.6 * sign[:, None]
    if copies:
        X[n // 2 :], sign[n // 2 :] = X[: n - n // 2], sign[: n - n // 2]
    gram, ones = MatrixRows(kernel(X)), np.ones(n)
    if kind == "each sign":
        start = np.zeros(n)
        for side in (-1, 1):
            start[sign == side] = filled(ones[sign == side], 0.31 * n / 2)
        return gram, Dual(sign, np.zeros(n), ones, start, kind)
    if kind == "two multipliers":
        y, both = X @ [1.0, -2.0, 0.5], np.repeat([1.0, -1.0], n)
        return gram, Dual(both, 0.1 - both * np.tile(y, 2), np.ones(2 * n), np.zeros(2 * n))
    ridge = np.full(n, 0.2) if kind == "ridge" else None
    upper = np.full(n, np.inf) if kind == "ridge" else ones
    return gram, Dual(sign, -ones, upper, np.zeros(n), "none" if kind == "none" else "sum", ridge)


KINDS = ["sum", "none", "each sign", "ridge", "two multipliers"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_a_rough_solution_becomes_the_exact_one(kind, seed):
    gram, dual = problem(kind, seed=seed)
    rough, exact = solve(gram, dual, tol=1e-2), solve(gram, dual, tol=1e-11)
    better = polished(gram, dual, rough)
    assert better is not rough and better.gap == 0
    assert_allclose(better.alpha, exact.alpha, atol=1e-7)
    assert_allclose(better.gradient, exact.gradient, atol=1e-7)
    assert_allclose([better.offset, better.margin], [exact.offset, exact.margin], atol=1e-7)
    assert better.objective <= rough.objective + 1e-9
    assert_allclose(better.objective, exact.objective, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_and_sums_hold_exactly(kind):
    gram, dual = problem(kind, seed=9)
    better = polished(gram, dual, solve(gram, dual, tol=1e-2))
    assert (better.alpha >= 0).all() and (better.alpha <= dual.upper).all()
    if kind != "none":
        assert_allclose(dual.sign @ better.alpha, dual.sign @ dual.start, atol=1e-12)
    if kind == "each sign":
        assert_allclose(better.alpha.sum(), dual.start.sum(), rtol=1e-12)


@pytest.mark.parametrize("kernel", [GAUSSIAN, Linear()], ids=str)
def test_copies_of_rows_make_a_singular_system_with_one_score(kernel):
    gram, dual = problem("sum", copies=True, kernel=kernel)
    better = polished(gram, dual, solve(gram, dual, tol=1e-2))
    exact = solve(gram, dual, tol=1e-11)
    assert_allclose(better.gradient, exact.gradient, atol=1e-6)
    assert_allclose(better.objective, exact.objective, rtol=1e-9)


def test_what_is_too_large_or_not_converged_stays_as_it_is(monkeypatch):
    gram, dual = problem("sum")
    early = solve(gram, dual, tol=1e-6, max_iter=3)
    assert polished(gram, dual, early) is early
    rough = solve(gram, dual, tol=1e-2)
    monkeypatch.setattr("assay.svm.polish.MOST_VALUES", 10)
    assert polished(gram, dual, rough) is rough


def test_a_held_matrix_multiplies_by_whole_rows():
    K = RBF(gamma=0.2)(np.random.default_rng(0).normal(size=(40, 2)))
    rows, columns, coef = np.array([3, 7, 39]), np.array([0, 5, 6, 20]), np.array([1.0, -2.0, 0.5, 3.0])
    for dtype, within in ((np.float64, 1e-14), (np.float32, 1e-6)):
        gram = MatrixRows(K.astype(dtype))
        assert_allclose(gram.times(rows, columns, coef), K[np.ix_(rows, columns)] @ coef, atol=within)
        some = np.arange(0, 40, 3)
        part = gram.subset(some)
        expected = K[np.ix_(some[[1, 2]], some[[0, 9]])] @ coef[:2]
        assert_allclose(part.times(np.array([1, 2]), np.array([0, 9]), coef[:2]), expected, atol=within)
