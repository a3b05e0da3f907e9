"""Squared slacks with an absolute penalty, which sets weights to 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.linear.logistic.elastic_net_logistic import Search
from assay.svm.linear.slack_problem import LinearSolution, SlackProblem

__all__ = ["minimise_lasso"]

LEAST_CURVATURE = 1e-10  # of a row without slack, so that no model is flat


class _SlackSearch(Search):
    """The search for weights with an absolute penalty, over squared slacks instead of the cross-entropy."""

    def __init__(self, X: Any, problem: SlackProblem):
        n = X.shape[0]
        super().__init__(X, (problem.target > 0).astype(np.int64), None, 2, False)
        self.problem = problem
        self.scores = np.zeros((1, n))

    def _loss(self, scores: np.ndarray) -> tuple[float, np.ndarray]:
        problem = self.problem
        r = problem.target - scores[0]
        over, under = np.maximum(r, 0.0), np.maximum(-r, 0.0)
        up, down = problem.above * over, problem.below * under
        curved = 2.0 * (problem.above * (over > 0) + problem.below * (under > 0))
        self.D = np.maximum(curved, LEAST_CURVATURE * curved.max(initial=1e-300)) / self.total
        return float(up @ over + down @ under) / self.total, 2.0 * (down - up)[None] / self.total


def minimise_lasso(problem: SlackProblem, tol: float, max_iter: int) -> LinearSolution:
    r"""The minimum of :math:`\lVert w\rVert_1 + |b / s| + \sum_i u_i (t_i - f_i)_+^2 + l_i (f_i - t_i)_+^2`.

    Quadratic models of the slacks, solved coordinate by coordinate over the columns in play.

    Parameters
    ----------
    problem : of dense or sparse rows; no tube
    tol : the largest violation of optimality, relative to the rows and the spread of the column
    max_iter : models at most
    """
    X = problem.X
    if problem.constant:
        constant = np.full((X.shape[0], 1), problem.constant)
        if problem.dense:
            X = np.hstack((X, constant))
        else:
            from scipy.sparse import csr_matrix, hstack

            X = hstack((X, csr_matrix(constant)), format="csr")
    optimum = _SlackSearch(X, problem).descend(1.0, 1.0, tol, max_iter)
    v = np.asarray(optimum.w)[0, :-1]
    return LinearSolution(v, optimum.n_iter, optimum.converged, optimum.value, np.nan)
