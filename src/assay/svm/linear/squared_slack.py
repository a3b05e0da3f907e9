"""Squared slacks by Newton's method: exact matrices of second derivatives while the columns are few."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import assay.svm.linear._squared_slack as _squared_slack
from assay.core.parallel import end_if_abandoned
from assay.svm.linear.slack_problem import Floats, LinearSolution, SlackProblem

__all__ = ["newton_exact", "newton_truncated"]

SAMPLE_ROWS = 8192  # rows that are solved first where there are many
SAMPLE_FACTOR = 3  # times as many rows make a sample worth its while
SAMPLE_TOLERANCE = 1e-6  # of the objective over the sample, which is only a start
WORK_BETWEEN_LOOKS = 2e9  # multiplications before Ctrl-C is looked for
MAX_CG_STEPS = 500  # of the conjugate gradients inside one Newton step


def newton_exact(problem: SlackProblem, tol: float, max_iter: int) -> LinearSolution:
    """Minimise over dense rows with p = 2.

    Parameters
    ----------
    problem : of dense rows      tol : the share of E that a step must promise to be made      max_iter : steps at most
    """
    n, p = problem.X.shape[0], problem.X.shape[1] + bool(problem.constant)
    v = np.zeros(p)
    if n >= SAMPLE_FACTOR * SAMPLE_ROWS and max_iter > 1:
        every = n // SAMPLE_ROWS
        small = replace(
            problem, X=np.ascontiguousarray(problem.X[::every]), target=problem.target[::every].copy()
        )
        small = replace(small, above=problem.above[::every] * every, below=problem.below[::every] * every)
        v = newton_exact(small, SAMPLE_TOLERANCE, max_iter).v
    table = _squared_slack.Table(
        X=problem.X,
        target=problem.target,
        above=problem.above,
        below=problem.below,
        epsilon=problem.epsilon,
        constant=problem.constant,
    )
    z, c, H = np.zeros(n), np.zeros(n), np.zeros((p, p))
    if v.any():
        _squared_slack.scores(table, v, z)
    at_once, made, done = max(1, int(WORK_BETWEEN_LOOKS / (n * p * p + 1.0))), 0, False
    while not done:
        steps = min(at_once, max_iter - made)
        more, value, promise, done = _squared_slack.newton(
            table=table, tol=tol, steps=steps, v=v, z=z, c=c, H=H
        )
        made += more
        if more < steps or made >= max_iter:
            break
        end_if_abandoned()
    rounded = promise <= 1e-9 * value  # no step is left that lowers E, and none promises anything that counts
    return LinearSolution(v, made, bool(done or (rounded and made < max_iter)), value, promise)


def newton_truncated(problem: SlackProblem, tol: float, max_iter: int, start: Floats) -> LinearSolution:
    """The same for many columns, dense or sparse: Newton's equations by conjugate gradients.

    Only rows with slack take part in a product with the matrix, and the columns count in units of its diagonal.

    Parameters
    ----------
    problem, tol, max_iter : as above      start : where to begin
    """
    v, z = start.copy(), problem.scores(start)
    made = 0
    while True:
        value, g, c = _respond(problem, v, z)
        rows = np.flatnonzero(c)
        active, weight = problem.X[rows], c[rows]
        diagonal = 1.0 + _squares(problem, active, weight)
        guess = 0.5 * float(g @ (g / diagonal))  # of what a step promises, as if the columns did not depend
        step = _conjugate_gradients(problem, active, weight, diagonal, g, min(0.1, np.sqrt(guess / value)))
        promise = -0.5 * float(g @ step)
        if made >= max_iter or promise <= tol * value:
            break
        u = problem.scores(step)
        length = _line(problem, v, z, step, u, value, float(g @ step))
        if length == 0.0:
            break
        v, z, made = v + length * step, z + length * u, made + 1
        end_if_abandoned()
    return LinearSolution(v, made, promise <= max(tol, 1e-9) * value, value, promise)


def _respond(problem: SlackProblem, v: Floats, z: Floats) -> tuple[float, Floats, Floats]:
    """E, its gradient, and the second derivative of each row's loss."""
    r = problem.target - z
    over, under = np.maximum(r - problem.epsilon, 0.0), np.maximum(-r - problem.epsilon, 0.0)
    up, down = problem.above * over, problem.below * under
    g = v + problem.slopes(2.0 * (down - up))
    c = 2.0 * (problem.above * (over > 0) + problem.below * (under > 0))
    return 0.5 * float(v @ v) + float(up @ over + down @ under), g, c


def _squares(problem: SlackProblem, active: Any, weight: Floats) -> Floats:
    X = active
    d = (
        np.asarray(weight @ (X * X))
        if isinstance(X, np.ndarray)
        else np.asarray(X.multiply(X).T @ weight).ravel()
    )
    return np.append(d, problem.constant**2 * weight.sum()) if problem.constant else d


def _conjugate_gradients(
    problem: SlackProblem, active: Any, weight: Floats, diagonal: Floats, g: Floats, exactness: float
) -> Floats:
    """About -H^-1 g, H = 1 + (X, s)' diag(weight) (X, s) over the rows with slack."""
    part = replace(problem, X=active)
    step, residual = np.zeros_like(g), -g
    scaled = residual / diagonal
    direction, size = scaled.copy(), float(residual @ scaled)
    first = size
    for _ in range(MAX_CG_STEPS):
        product = direction + part.slopes(weight * part.scores(direction))
        a = size / float(direction @ product)
        step += a * direction
        residual -= a * product
        scaled = residual / diagonal
        size, before = float(residual @ scaled), size
        if size <= exactness**2 * first:
            break
        direction = scaled + size / before * direction
    return step


def _line(
    problem: SlackProblem, v: Floats, z: Floats, step: Floats, u: Floats, value: float, slope: float
) -> float:
    """About the lowest point along a step: Newton's method between a point where E falls and one where it rises."""
    linear, square = float(v @ step), float(step @ step)
    low, high, a, best, least = 0.0, np.inf, 1.0, 0.0, value
    for _ in range(40):
        r = problem.target - z - a * u
        over, under = np.maximum(r - problem.epsilon, 0.0), np.maximum(-r - problem.epsilon, 0.0)
        up, down = problem.above * over, problem.below * under
        here = 0.5 * float(v @ v) + a * linear + 0.5 * a * a * square + float(up @ over + down @ under)
        fall = linear + a * square + 2.0 * float((down - up) @ u)
        bend = square + 2.0 * float((problem.above * (over > 0) + problem.below * (under > 0)) @ (u * u))
        if here <= least:
            best, least = a, here
            if abs(fall) <= -0.1 * slope:
                return a
        low, high = (a, high) if fall < 0 else (low, a)
        guess = a - fall / bend
        a = guess if low < guess < high else (2.0 * a if np.isinf(high) else 0.5 * (low + high))
        if high - low <= 1e-14 * high:
            break
    return best
