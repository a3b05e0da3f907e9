"""Which solver a linear machine is given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.svm.linear.dual_descent import descend
from assay.svm.linear.slack_problem import LinearSolution, SlackProblem
from assay.svm.linear.squared_slack import newton_exact, newton_truncated
from assay.svm.linear.straight_slack import interior_point

__all__ = ["minimise"]

MAX_MATRIX_COLUMNS = 500  # columns up to which second derivatives are a matrix
MAX_PROGRAM_COLUMNS = 1500  # the same for the interior-point method
MAX_WIDE_ROWS = 1500  # rows up to which a wide table is turned into one of as many columns as rows
FEW_PASSES = 50  # of coordinate descent over a small table, before a better method is called
SPARSE_PASSES = 300  # the same over sparse rows
SMALL_TABLE = 20_000  # numbers in one
PASS_NUMBERS = (
    1e7  # numbers of X that the passes of what counts as one iteration of descent read, or one pass
)
GAP_SHARE = 1e-2  # relative gap, in units of tol, at which descent stops
PROGRAM_SHARE = 1e-4  # the same for the interior-point method, of which the last steps cost little
PROMISE_SHARE = 1e-7  # relative promise of a Newton step, in units of tol


def minimise(problem: SlackProblem, tol: float, max_iter: int, seed: int) -> LinearSolution:
    """The minimum of a problem, by the solver that suits its rows.

    Newton's method for squared slacks while the columns are few; an interior-point method for straight ones; coordinate
    descent in the dual for sparse rows and for wide tables, with Newton's method by conjugate gradients where that is
    slow. A dense table of fewer rows than columns is rotated into the space of its rows first.

    Parameters
    ----------
    problem : rows of weight 0 left out      tol : 1e-4 stands for a relative gap of 1e-6 or less
    max_iter : steps or passes at most      seed : of the order in which descent visits rows
    """
    n, d = problem.X.shape
    if problem.dense and n < d and n <= MAX_WIDE_ROWS and d > MAX_MATRIX_COLUMNS:
        return _among_rows(problem, tol, max_iter, seed)
    if problem.power == 2:
        if problem.dense and d <= MAX_MATRIX_COLUMNS:
            return newton_exact(problem, PROMISE_SHARE * tol, max_iter)
        if problem.dense:
            return newton_truncated(
                problem, PROMISE_SHARE * tol, max_iter, np.zeros(d + bool(problem.constant))
            )
        solution = _descend(problem, tol, min(max_iter, SPARSE_PASSES), seed)
        if solution.converged or solution.n_iter >= max_iter:
            return solution
        left = max_iter - solution.n_iter
        return _after(newton_truncated(problem, PROMISE_SHARE * tol, left, solution.v), solution)
    if d > MAX_PROGRAM_COLUMNS or not problem.dense:
        solution = _descend(problem, tol, max_iter, seed)
        if solution.converged or d > MAX_PROGRAM_COLUMNS:
            return solution
        return _after(interior_point(problem, PROGRAM_SHARE * tol, max_iter), solution)
    if problem.X.size <= SMALL_TABLE:
        solution, _ = descend(problem, GAP_SHARE * tol, min(FEW_PASSES, max_iter), seed)
        if solution.converged or solution.n_iter >= max_iter:
            return solution
    return interior_point(problem, PROGRAM_SHARE * tol, max_iter)


def _descend(problem: SlackProblem, tol: float, max_iter: int, seed: int) -> LinearSolution:
    """Coordinate descent; passes over a small table are cheap, and many of them count as one iteration."""
    numbers = problem.X.size if problem.dense else problem.X.nnz
    passes = max(1, int(PASS_NUMBERS / (numbers + 1.0)))
    solution, _ = descend(problem, GAP_SHARE * tol, max_iter * passes, seed)
    return replace(solution, n_iter=-(-solution.n_iter // passes))


def _after(later: LinearSolution, first: LinearSolution) -> LinearSolution:
    return replace(later, n_iter=later.n_iter + first.n_iter)


def _among_rows(problem: SlackProblem, tol: float, max_iter: int, seed: int) -> LinearSolution:
    """With X = LQ, Q of orthonormal rows, the weights are Q' of those of the n columns of L: the ridge sees no turn."""
    from scipy.linalg import qr

    X = problem.X
    X = np.column_stack((X, np.full(len(X), problem.constant))) if problem.constant else X
    Q, R = qr(X.T, mode="economic", check_finite=False)
    small = replace(problem, X=np.ascontiguousarray(R.T), constant=0.0)
    solution = minimise(small, tol, max_iter, seed)
    return replace(solution, v=Q @ solution.v)
