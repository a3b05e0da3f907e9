"""Linear machines by coordinate descent over the rows' multipliers, for sparse and for wide tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import assay.svm.linear._dual_descent as _dual_descent
from assay.core.csr import csr_arrays
from assay.core.parallel import end_if_abandoned
from assay.svm.linear.slack_problem import Floats, LinearSolution, SlackProblem

__all__ = ["descend"]

FIRST_VIOLATION = 0.03  # at which the gap is looked at first
SMALLEST_SHARE, LARGEST_SHARE = 0.05, 0.7  # of a violation, at which the gap is looked at next
WORK_BETWEEN_LOOKS = 3e8  # numbers of X that are read before Ctrl-C is looked for


def descend(problem: SlackProblem, tol: float, most: int, seed: int) -> tuple[LinearSolution, Floats]:
    """Minimise until E is at most ``tol`` of itself above the dual; also the multipliers.

    Parameters
    ----------
    problem : of sparse or dense rows      tol : relative gap      most : passes at most
    seed : of the order in which rows are visited
    """
    n, d = problem.X.shape
    run: Callable[..., int]
    if problem.dense:
        norm, size = np.einsum("ij,ij->i", problem.X, problem.X), float(problem.X.size)
        arrays, run = {"X": problem.X}, _dual_descent.descend_dense
    else:
        start, column, entries = csr_arrays(problem.X, np.float64)
        norm = np.bincount(np.repeat(np.arange(n), np.diff(start)), entries * entries, minlength=n)
        size = float(len(entries))
        arrays, run = {"start": start, "column": column, "value": entries}, _dual_descent.descend_sparse
    ridge, bounded = problem.ridge(), problem.power == 1
    dual = _dual_descent.Dual(
        target=problem.target,
        low=-problem.below if bounded else np.where(problem.below > 0, -np.inf, 0.0),
        high=problem.above if bounded else np.where(problem.above > 0, np.inf, 0.0),
        ridge=ridge,
        power=np.maximum(norm + problem.constant**2 + ridge, 1e-300),
        epsilon=problem.epsilon,
        constant=problem.constant,
    )
    v, beta, order = np.zeros(d + 1), np.zeros(n), np.arange(n)
    state = np.array([n, np.inf, float(seed), np.inf])
    weights = v if problem.constant else v[:d]
    at_once = max(1, int(WORK_BETWEEN_LOOKS / (2.0 * size + 4.0 * n + 1.0)))
    made, violation = 0, FIRST_VIOLATION
    while True:
        passes = min(at_once, most - made)
        made += run(**arrays, dual=dual, tol=violation, most=passes, v=v, beta=beta, order=order, state=state)
        if state[3] <= violation or made >= most:
            value, gap = problem.gap(weights, beta)
            if gap <= tol * value or made >= most or violation < 1e-14:
                break
            # the gap falls with the violation, or with its square for squared slacks
            violation *= min(
                max((0.5 * tol * value / gap) ** (1 / problem.power), SMALLEST_SHARE), LARGEST_SHARE
            )
            state[0] = n
        end_if_abandoned()
    return LinearSolution(weights.copy(), made, gap <= tol * value, value, gap), beta
