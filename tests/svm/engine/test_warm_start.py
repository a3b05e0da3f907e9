"""Starts along a path over the penalty, and the cost that is told beforehand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.kernels import RBF, MatrixRows
from assay.svm.engine import Dual, estimate, solve, warm_start


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] * X[:, 1] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)


def test_a_path_over_the_penalty_takes_fewer_steps_to_the_same_optima():
    X, y = rows()
    gram, cold, warm, before = MatrixRows(RBF()(X)), 0, 0, None
    for C in np.logspace(-1, 3, 9):
        dual = Dual(y, -np.ones(400), np.full(400, C), np.zeros(400))
        first = solve(gram, dual)
        cold += first.iterations
        if before is None:
            found = first
        else:
            begun = warm_start(dual, *before)
            assert (begun.start >= 0).all() and (begun.start <= C).all()
            assert_allclose(y @ begun.start, 0, atol=1e-9 * C)
            found = solve(gram, begun)
        warm += found.iterations
        assert found.converged
        assert_allclose(found.objective, first.objective, rtol=1e-5)
        before = dual, found
    assert warm < 0.8 * cold


@pytest.mark.parametrize("form", ["sum", "each sign", "none"])
@pytest.mark.parametrize("old", [0.5, 2.0, np.inf])
@pytest.mark.parametrize("new", [0.1, 2.0, np.inf])
@pytest.mark.parametrize("two", [False, True])
def test_the_start_meets_its_bounds_and_the_constraint_of_the_new_problem(form, old, new, two):
    rng = np.random.default_rng(0)
    n, m = 50, 100 if two else 50
    sign = np.repeat([1.0, -1.0], n) if two else rows(n)[1]
    weight = rng.choice([0.0, 1.0, 2.0], size=m)
    with np.errstate(invalid="ignore"):
        upper, other = (np.where(weight > 0, C * weight, 0.0) for C in (old, new))
    start = np.zeros(m) if form != "each sign" else 0.03 * (weight > 0)
    before = Dual(sign, -rng.random(m), upper, np.zeros(m), form)
    dual = Dual(sign, -np.ones(m), other, start, form)
    alpha = np.where(weight > 0, np.minimum(3 * rng.random(m) ** 2, upper), 0.0)

    class FromElsewhere:
        pass

    solution = FromElsewhere()
    solution.alpha = alpha
    begun = warm_start(dual, before, solution)
    assert (begun.start >= 0).all() and (begun.start <= other).all()
    groups = {"none": [], "sum": [sign != 0], "each sign": [sign > 0, sign < 0]}[form]
    for group in groups:
        assert_allclose((sign * begun.start)[group].sum(), (sign * start)[group].sum(), atol=1e-12)


def test_the_cost_is_told_within_a_factor():
    X, y = rows(3000)
    dual = Dual(y, -np.ones(3000), np.ones(3000), np.zeros(3000))
    told, found = estimate(RBF().gram_rows(X), dual), solve(RBF().gram_rows(X), dual)
    assert 1 / 3 < told.steps / found.iterations < 3
    assert 0.5 < told.support / np.count_nonzero(found.alpha) < 2
    assert told.seconds > 0 and told.values == 3000**2
    assert_allclose(told.megabytes, 4 * 3000**2 / 2**20)
    small = estimate(RBF().gram_rows(X), dual, cache_size=1.0)
    assert small.megabytes == 1.0 and small.values != told.values
    two = Dual(
        np.repeat([1.0, -1.0], 3000), np.concatenate([0.1 - y, 0.1 + y]), np.ones(6000), np.zeros(6000)
    )
    assert 0 < estimate(RBF().gram_rows(X), two).support <= 3000
