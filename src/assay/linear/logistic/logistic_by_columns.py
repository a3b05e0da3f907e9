"""Logistic regression by the solvers that go over the columns: sparse rows, and penalties with corners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.optimize.objective import Optimum

__all__ = ["solve_by_columns"]


def solve_by_columns(
    X: Any,
    y: np.ndarray,
    w: np.ndarray | None,
    K: int,
    C: float,
    l1_ratio: float,
    *,
    fit_intercept: bool,
    intercept_strength: float,
    tol: float,
    max_iter: int,
    start: np.ndarray | None,
) -> tuple[np.ndarray, Optimum]:
    """The (d + 1, rows) weights, the intercepts last, and how they were found.

    A penalised intercept is the weight of a column of constants; the constant makes its penalty ``intercept_strength``
    times that of a weight. The history holds the objective and its gradient divided by C times the sum of the weights.

    Parameters
    ----------
    X, y, w, K, C, l1_ratio, fit_intercept, tol, max_iter : as in the two solvers
    start : (rows, d + 1) weights to begin with, or None
    """
    X = X.astype(np.float64, copy=False)
    if intercept_strength:
        constant = intercept_strength**-0.5
        X, fit_intercept = _with_column(X, constant), False
        if start is not None:
            start = np.hstack((start[:, :-1], start[:, -1:] / constant, np.zeros((len(start), 1))))
    how: dict[str, Any] = {"fit_intercept": fit_intercept, "tol": tol, "max_iter": max_iter, "start": start}
    if l1_ratio:
        from assay.linear.logistic import elastic_net_logistic

        optimum = elastic_net_logistic.solve(X, y, w, K, C, l1_ratio, **how)
        unit = C * float(len(y) if w is None else w.sum())
        history = [replace(r, value=r.value / unit, gradient=r.gradient / unit) for r in optimum.history]
        optimum = replace(optimum, history=history)
    else:
        from assay.linear.logistic import sparse_logistic

        optimum = sparse_logistic.solve(X, y, w, K, C, **how)
    W = optimum.w.reshape(-1, X.shape[1] + 1).T
    return np.vstack((W[:-2], W[-2] * constant)) if intercept_strength else W, optimum


def _with_column(X: Any, constant: float) -> Any:
    if isinstance(X, np.ndarray):
        return np.column_stack((X, np.full(len(X), constant)))
    from scipy.sparse import csr_matrix, hstack

    return hstack((X, csr_matrix(np.full((X.shape[0], 1), constant))), format="csr")
