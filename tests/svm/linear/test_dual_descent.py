"""Coordinate descent in the dual: bounds, optimality of each row, and the same minimum as the primal solvers."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import assay.svm.linear._dual_descent as _dual_descent
from assay.svm.linear.dual_descent import descend
from assay.svm.linear.slack_problem import SlackProblem
from assay.svm.linear.squared_slack import newton_exact
from assay.svm.linear.straight_slack import interior_point


def classes(n, d, power, C=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    return SlackProblem(X, y, np.where(y > 0, C, 0.0), np.where(y < 0, C, 0.0), 0.0, power, 1.0)


def numbers(n, d, power, C=1.0, epsilon=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    price = np.full(n, C)
    return SlackProblem(X, X @ rng.normal(size=d) + rng.normal(size=n), price, price, epsilon, power, 1.0)


def visit_by_the_book(problem, beta, v, i):
    """The best beta_i for the others as they are: a parabola with a corner at 0, cut at the bounds."""
    z = np.append(problem.X[i], problem.constant)
    ridge = problem.ridge()[i]
    grid_low = -np.inf if problem.power == 2 and problem.below[i] else -problem.below[i]
    grid_high = np.inf if problem.power == 2 and problem.above[i] else problem.above[i]
    power, g = z @ z + ridge, z @ v - problem.target[i] + ridge * beta[i]

    def dual(b):
        return 0.5 * power * (b - beta[i]) ** 2 + g * (b - beta[i]) + problem.epsilon * abs(b)

    lowest = beta[i] - (g + np.array([problem.epsilon, -problem.epsilon])) / power
    candidates = np.clip([*lowest, 0.0, grid_low, grid_high], grid_low, grid_high)
    return min(candidates[np.isfinite(candidates)], key=dual)


@pytest.mark.parametrize("make", [classes, numbers])
@pytest.mark.parametrize("power", [1, 2])
def test_a_pass_over_one_row_is_its_best_move(make, power):
    for seed in range(30):
        problem = make(1, 3, power, seed=seed)
        v, beta = np.zeros(4), np.zeros(1)
        dual = native_dual(problem)
        state = np.array([1.0, np.inf, 1.0, np.inf])
        _dual_descent.descend_dense(
            X=problem.X, dual=dual, tol=0.0, most=1, v=v, beta=beta, order=np.arange(1), state=state
        )
        assert_allclose(beta[0], visit_by_the_book(problem, np.zeros(1), np.zeros(4), 0), atol=1e-12)
        assert_allclose(v, beta[0] * np.append(problem.X[0], 1.0), atol=1e-12)


def native_dual(problem):
    bounded, ridge = problem.power == 1, problem.ridge()
    return _dual_descent.Dual(
        target=problem.target,
        low=-problem.below if bounded else np.where(problem.below > 0, -np.inf, 0.0),
        high=problem.above if bounded else np.where(problem.above > 0, np.inf, 0.0),
        ridge=ridge,
        power=(problem.X**2).sum(axis=1) + problem.constant**2 + ridge,
        epsilon=problem.epsilon,
        constant=problem.constant,
    )


@pytest.mark.parametrize("make", [classes, numbers])
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_minimum_of_the_primal_solvers(make, power, sparse):
    problem = make(150, 6, power)
    exact = newton_exact(problem, 1e-14, 100) if power == 2 else interior_point(problem, 1e-10, 200)
    rows = sp.csr_matrix(problem.X) if sparse else problem.X
    table = SlackProblem(rows, problem.target, problem.above, problem.below, problem.epsilon, power, 1.0)
    solution, beta = descend(table, 1e-7, 100_000, seed=3)
    assert solution.converged and 0 <= solution.gap <= 1e-7 * solution.value
    assert_allclose(solution.value, exact.value, rtol=1e-7)
    assert_allclose(solution.v, np.append(beta @ problem.X, beta.sum()), atol=1e-9)
    if power == 1:
        assert (beta <= problem.above).all() and (beta >= -problem.below).all()


def test_the_order_of_rows_does_not_change_the_minimum():
    problem = classes(300, 5, 2)
    values = [descend(problem, 1e-9, 10_000, seed)[0].value for seed in (1, 2, 99)]
    assert_allclose(values, values[0], rtol=1e-8)


def test_arrays_that_do_not_fit_are_refused():
    problem = classes(10, 3, 1)
    dual, state = native_dual(problem), np.array([10.0, np.inf, 1.0, np.inf])
    common = {"dual": dual, "tol": 0.1, "most": 1, "v": np.zeros(4), "beta": np.zeros(10), "state": state}
    with pytest.raises(ValueError, match="row numbers"):
        _dual_descent.descend_dense(X=problem.X, order=np.full(10, 10), **common)
    with pytest.raises(ValueError, match="one target"):
        _dual_descent.descend_dense(X=problem.X[:9].copy(), order=np.arange(10), **common)
    with pytest.raises(ValueError, match="CSR"):
        _dual_descent.descend_sparse(
            start=np.arange(11),
            column=np.full(10, 9, np.int32),
            value=np.ones(10),
            order=np.arange(10),
            **common,
        )
