"""Slacks that cost in a straight line, over dense rows of few columns: an interior-point method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.parallel import end_if_abandoned
from assay.linear.regression.tube_program import Program, solve_tube
from assay.svm.engine.interior import MOST_NATIVE_COLUMNS, natively
from assay.svm.linear.slack_problem import Floats, LinearSolution, SlackProblem

__all__ = ["interior_point"]

SAMPLE_ROWS = 8192  # rows that are solved first where there are many
SAMPLE_TOLERANCE = 1e-4  # of the objective over the sample, which only sorts the rows
SAMPLE_FACTOR = 4  # times as many rows make a sample worth its while
BAND_ROWS = 0.25  # share of the rows, next to where their slack begins, that are left open after a sample
ENOUGH = 1e-6  # relative gap with which a program that rounding stopped is done all the same
MAX_ROUNDS = 12  # of solving for the rows in the band


def interior_point(problem: SlackProblem, tol: float, max_iter: int) -> LinearSolution:
    r"""Minimise over dense rows with p = 1.

    Most rows are far from the edges of their tube: their loss is 0 or a straight line wherever the answer may be. So
    for many rows a sample is solved first; rows far from their edges there are replaced by their straight lines, which
    add up to one linear term, and the program has the others alone. Rows that turn out to lie on another side than was
    assumed join them, until there are none: then all conditions of a minimum hold.

    Parameters
    ----------
    problem : of dense rows, or of sparse ones of few columns
    tol : gap to the dual relative to E      max_iter : steps of a program at most
    """
    X = _with_constant(problem)
    whole = replace(problem, X=X, constant=0.0)
    n = X.shape[0]
    if not problem.dense or n < SAMPLE_FACTOR * SAMPLE_ROWS:
        return _solve(whole, tol, max_iter)
    every = n // SAMPLE_ROWS
    prices = problem.above[::every] * every, problem.below[::every] * every
    small = replace(whole, X=X[::every], target=problem.target[::every], above=prices[0], below=prices[1])
    v = _solve(small, SAMPLE_TOLERANCE, max_iter).v
    z, made, solution = X @ v, 0, None
    distance = np.abs(np.abs(problem.target - z) - problem.epsilon)
    width = float(np.partition(distance, int(BAND_ROWS * n))[int(BAND_ROWS * n)])
    open_rows = distance <= width
    for _ in range(MAX_ROUNDS):
        side = _side(problem, z)
        closed = np.flatnonzero(~open_rows & (side != 0))
        price = np.where(side[closed] > 0, problem.above[closed], -problem.below[closed])
        pull = price @ X[closed]
        level = float(price @ problem.target[closed] - np.abs(price).sum() * problem.epsilon)
        rows = np.flatnonzero(open_rows)
        part = replace(
            whole,
            X=X[rows],
            target=problem.target[rows],
            above=problem.above[rows],
            below=problem.below[rows],
        )
        solution = _solve(part, tol, max_iter, pull, level)
        made += solution.n_iter
        z = X @ solution.v
        moved = ~open_rows & (_side(problem, z) != side)
        value = 0.5 * float(solution.v @ solution.v) + problem.loss(z)
        if not moved.any():
            return replace(solution, n_iter=made, value=value)
        open_rows |= moved
        end_if_abandoned()
    return _solve(whole, tol, max_iter)


def _with_constant(problem: SlackProblem) -> Any:
    """(X, s)"""
    if not problem.constant:
        return problem.X
    constant = np.full((problem.X.shape[0], 1), problem.constant)
    if problem.dense:
        return np.hstack((problem.X, constant))
    from scipy.sparse import csr_array, hstack

    return csr_array(hstack((problem.X, csr_array(constant))))


def _side(problem: SlackProblem, z: Floats) -> np.ndarray:
    """(n,) 1 where a row pays above its tube, -1 below, 0 inside."""
    r = problem.target - z
    above, below = (problem.above > 0) & (r > problem.epsilon), (problem.below > 0) & (-r > problem.epsilon)
    return above.astype(np.int8) - below.astype(np.int8)


def _solve(
    problem: SlackProblem, tol: float, max_iter: int, pull: Any = 0.0, level: float = 0.0
) -> LinearSolution:
    """The minimum of E - pull'v + level, where the last two stand for rows that are not there."""
    one_sided = ((problem.above > 0) != (problem.below > 0)).all()
    if one_sided and isinstance(problem.X, np.ndarray) and problem.X.shape[1] <= MOST_NATIVE_COLUMNS:
        quick = _by_multipliers(problem, tol, max_iter, pull, level)
        if quick.converged:
            return quick  # else rows of very unequal prices or units ended it too soon
    epsilon, ridge = np.full(len(problem.target), problem.epsilon), np.ones(problem.X.shape[1])
    program = Program(problem.X, problem.target, problem.above, problem.below, epsilon, ridge, pull, level)
    tube = solve_tube(program, tol=tol, max_iter=max_iter, of_value=True)
    value = program.value(tube.beta)
    n_iter = tube.history[-1].iteration if tube.history else 0
    return LinearSolution(tube.beta, n_iter, bool(tube.gap <= max(tol, ENOUGH) * value), value, tube.gap)


def _by_multipliers(
    problem: SlackProblem, tol: float, max_iter: int, pull: Any, level: float
) -> LinearSolution:
    """The same by native code, where each row pays on one side: a multiplier between 0 and its price for each."""
    X, (n, d) = problem.X, problem.X.shape
    signed = problem.above - problem.below
    price = np.abs(signed)
    linear = problem.epsilon * price - problem.target * signed
    size = float(np.abs(linear).max()) or 1.0
    c, t, v = np.zeros(d) + pull, np.full(n, 0.5), np.zeros(d)
    rows = {"N": X * signed[:, None], "E": np.ones(d), "c": c, "R": np.zeros(n), "p": linear}
    made, _ = natively(rows, size, t, np.full(n, size), np.full(n, size), v, tol, max_iter)
    value, combined = problem.value(v) - float(c @ v) + level, c + t @ rows["N"]
    gap = value + 0.5 * float(combined @ combined) + float(linear @ t) - level  # less the value of the dual
    return LinearSolution(v, made, bool(gap <= max(tol, ENOUGH) * value), value, gap)
