"""One way to solve the quadratic programs of all kernel machines."""

from __future__ import annotations

import numpy as np

import assay.svm.engine._smo as _smo
from assay.core.parallel import end_if_abandoned
from assay.kernels.gram_rows import GramRows
from assay.svm.engine.dual import CONSTRAINTS, Dual, Solution

__all__ = ["solve"]

STEPS_A_CALL = 20_000  # of the native code, between two looks for Ctrl-C


def solve(
    gram: GramRows, dual: Dual, *, tol: float = 1e-3, cache_size: float = 200.0, max_iter: int = -1
) -> Solution:
    """The multipliers at which no pair violates the optimality conditions by more than ``tol``.

    Parameters
    ----------
    gram : GramRows, the kernel matrix of the training rows
    dual : Dual
    tol : float
    cache_size : float, megabytes of kernel values that may be held
    max_iter : int, the most steps; -1 for as many as it takes
    """
    m = len(dual.sign)
    K = gram.whole()
    ridge = np.zeros(m) if dual.ridge is None else np.ascontiguousarray(dual.ridge, dtype=np.float64)
    alpha = np.array(dual.start, dtype=np.float64)
    F = -dual.sign * dual.linear
    moved = np.flatnonzero(alpha)
    if len(moved):
        pull = np.zeros(gram.n)
        np.add.at(pull, moved % gram.n, (dual.sign * alpha)[moved])
        F -= np.tile(K @ pull, m // gram.n) + dual.sign * ridge * alpha
    gap, iterations = np.array([np.inf]), 0
    while iterations != max_iter:
        end_if_abandoned()
        most = STEPS_A_CALL if max_iter < 0 else min(STEPS_A_CALL, max_iter - iterations)
        done = _smo.steps(
            K=K,
            diagonal=np.ascontiguousarray(np.diagonal(K), dtype=np.float64),
            sign=dual.sign,
            upper=dual.upper,
            ridge=ridge,
            constraint=CONSTRAINTS.index(dual.constraint),
            tol=tol,
            most=most,
            alpha=alpha,
            F=F,
            gap=gap,
        )
        iterations += done
        if done < most:
            break
    return _solution(dual, alpha, F, float(gap[0]), iterations, bool(gap[0] < tol))


def _solution(
    dual: Dual, alpha: np.ndarray, F: np.ndarray, gap: float, iterations: int, converged: bool
) -> Solution:
    gradient = -dual.sign * F
    objective = 0.5 * float(alpha @ (gradient + dual.linear))
    if dual.constraint == "none":
        return Solution(alpha, gradient, 0.0, (0.0, 0.0), 1.0, objective, gap, iterations, converged)
    if dual.constraint == "sum":
        low, high, offset = _level(dual, alpha, F, np.ones(len(alpha), dtype=bool))
        return Solution(alpha, gradient, offset, (low, high), 1.0, objective, gap, iterations, converged)
    (low1, high1, above), (low2, high2, below) = (
        _level(dual, alpha, F, dual.sign == sign) for sign in (1.0, -1.0)
    )
    span = ((low1 + low2) / 2, (high1 + high2) / 2)
    return Solution(
        alpha, gradient, (above + below) / 2, span, (below - above) / 2, objective, gap, iterations, converged
    )


def _level(dual: Dual, alpha: np.ndarray, F: np.ndarray, of: np.ndarray) -> tuple[float, float, float]:
    """The F at which all multipliers strictly between their bounds lie, else the middle of what the others allow."""
    free = of & (alpha > 0) & (alpha < dual.upper)
    up = of & np.where(dual.sign > 0, alpha < dual.upper, alpha > 0)
    down = of & np.where(dual.sign > 0, alpha > 0, alpha < dual.upper)
    if free.any():
        level = float(F[free].mean())
        return level, level, level
    low = float(F[up].max()) if up.any() else -np.inf
    high = float(F[down].min()) if down.any() else np.inf
    if not np.isfinite(low + high):  # all at one bound: the nearest value that is allowed
        return low, high, low if np.isfinite(low) else high if np.isfinite(high) else 0.0
    return low, high, (low + high) / 2
