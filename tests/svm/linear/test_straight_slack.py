"""The interior-point method for straight slacks: optimality, and rows replaced by their straight lines."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import assay.svm.linear.straight_slack as straight_slack
from assay.svm.linear.slack_problem import SlackProblem
from assay.svm.linear.straight_slack import interior_point


def problem_of(n, d, C, epsilon, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-2, 2, d)
    y = np.where(
        X @ rng.normal(size=d) / np.linalg.norm(X, axis=0).mean() + rng.normal(size=n) > 0, 1.0, -1.0
    )
    if epsilon:
        return SlackProblem(X, rng.normal(size=n), np.full(n, C), np.full(n, C), epsilon, 1, 1.0)
    return SlackProblem(X, y, np.where(y > 0, C, 0.0), np.where(y < 0, C, 0.0), 0.0, 1, 1.0)


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_rows_replaced_by_lines_change_nothing(monkeypatch, C, epsilon):
    problem = problem_of(2000, 4, C, epsilon)
    whole = interior_point(problem, 1e-9, 200)
    monkeypatch.setattr(straight_slack, "SAMPLE_ROWS", 150)
    by_sample = interior_point(problem, 1e-9, 200)
    assert whole.converged and by_sample.converged
    assert_allclose(by_sample.value, whole.value, rtol=1e-7)
    assert_allclose(by_sample.value, problem.value(by_sample.v), rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_multipliers_exist(epsilon):
    """At the minimum v is a sum of the rows, each within its price: the subgradient holds 0."""
    problem = problem_of(120, 3, 1.0, epsilon)
    v = interior_point(problem, 1e-12, 200).v
    r = problem.target - problem.scores(v)
    fixed = np.where(r > epsilon + 1e-6, problem.above, 0.0) - np.where(
        -r > epsilon + 1e-6, problem.below, 0.0
    )
    edge = np.abs(np.abs(r) - epsilon) <= 1e-6
    Z = np.column_stack((problem.X, np.ones(120)))
    beta, *_ = np.linalg.lstsq(Z[edge].T, v - fixed @ Z, rcond=None)
    assert_allclose(beta @ Z[edge], v - fixed @ Z, atol=1e-6 * np.abs(Z).max())
    assert (beta <= problem.above[edge] + 1e-6).all() and (beta >= -problem.below[edge] - 1e-6).all()


def test_sparse_rows_of_few_columns():
    problem = problem_of(300, 5, 1.0, 0.0)
    rows = SlackProblem(
        sp.csr_array(problem.X),
        *[getattr(problem, name) for name in ("target", "above", "below")],
        0.0,
        1,
        1.0,
    )
    assert_allclose(
        interior_point(rows, 1e-9, 200).value, interior_point(problem, 1e-9, 200).value, rtol=1e-8
    )


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("pulled", [False, True])
def test_native_code_ends_where_the_program_of_tubes_does(monkeypatch, C, pulled):
    problem = problem_of(90, 5, C, 0.0, seed=3)
    more = (np.linspace(-1.0, 1.0, 5), 7.0) if pulled else (0.0, 0.0)
    problem = replace(problem, constant=0.0)
    native = straight_slack._solve(problem, 1e-9, 200, *more)
    monkeypatch.setattr(straight_slack, "MOST_NATIVE_COLUMNS", 0)
    tubes = straight_slack._solve(problem, 1e-9, 200, *more)
    assert native.converged and tubes.converged and native.n_iter < 40
    assert_allclose(native.value, tubes.value, rtol=1e-8)
    assert_allclose(native.v, tubes.v, rtol=1e-4, atol=1e-4 * np.abs(tubes.v).max())
    assert native.gap + 1e-12 * abs(native.value) >= 0 and native.gap <= 1e-7 * abs(native.value)


def test_the_program_of_tubes_takes_over_where_native_code_ends_too_soon(monkeypatch):
    problem, native = problem_of(90, 5, 1.0, 0.0), straight_slack._by_multipliers
    best = interior_point(problem, 1e-9, 200)

    def ended_too_soon(*program):
        solution = native(*program)
        return replace(solution, v=0.5 * solution.v, converged=False)

    monkeypatch.setattr(straight_slack, "_by_multipliers", ended_too_soon)
    solution = interior_point(problem, 1e-9, 200)
    assert solution.converged
    assert_allclose(solution.v, best.v, rtol=1e-4, atol=1e-4 * np.abs(best.v).max())
