"""Minimise a smooth function of a few variables within bounds, in as few evaluations as possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["Descent", "box_descent"]

LONGEST_STEP = 3.0  # change of one variable: the variables are logs, so that is a factor of 20
SUFFICIENT = 1e-4  # share of the fall that the slope promises
WOLFE = 0.9  # share of the slope that a step must use up, or it goes further
SEARCHES = 25  # points that one line search may try
SMALLEST_CURVATURE = 1e-8
FLAT_STEPS = 3  # steps that hardly lower the value, after which no more is to be had


@dataclass(frozen=True)
class Descent:
    """Where a descent ended.

    Attributes
    ----------
    x : (p,)      value : float      gradient : (p,)      evaluations : int
    converged : bool
        Whether a step would gain less than the tolerance; otherwise it ran out of steps, or of falling points.
    """

    x: np.ndarray
    value: float
    gradient: np.ndarray
    evaluations: int
    converged: bool


def box_descent(
    function: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    bounds: np.ndarray,
    *,
    curvature: np.ndarray | None = None,
    tol: float = 1e-6,
    max_evaluations: int = 500,
) -> Descent:
    r"""Minimise by quasi-Newton steps on the variables that no bound holds.

    With a curvature B (p, p), positive definite, and F the variables that are free to go downhill, the step is
    :math:`d_F = -B_{FF}^{-1} g_F`, cut off at the bounds; B learns from each step s and the change of the gradient y
    (Broyden, Fletcher, Goldfarb, Shanno, damped as by Powell so that it stays positive definite). The descent ends
    when :math:`\tfrac12 g_F^T B_{FF}^{-1} g_F`, what the next step can gain, is below ``tol``. A point at which the
    function is infinite is one that is too far.

    Unlike a memory of the last few steps, B may be known beforehand: with the curvature of the same function of a
    quarter of the rows, few steps remain.

    Parameters
    ----------
    function : x -> (value, gradient)
    start : (p,)
    bounds : (p, 2)
    curvature : (p, p) array, default None
        A first guess of the matrix of second derivatives; None is learned from the first step.
    tol : float, default 1e-6
    max_evaluations : int, default 500

    Examples
    --------
    >>> import numpy as np
    >>> from assay.processes.box_descent import box_descent
    >>> end = box_descent(lambda x: (float((x - 3) @ (x - 3)), 2 * (x - 3)), np.zeros(2), np.array([[-9, 9], [-9, 1]]))
    >>> end.x.round(3), end.converged
    (array([3., 1.]), True)

    References
    ----------
    - Kim, D., Sra, S. and Dhillon, I. S. (2010). Tackling box-constrained optimization via a new projected quasi-Newton
      approach. SIAM Journal on Scientific Computing, 32(6), 3548-3563.
    - Nocedal, J. and Wright, S. J. (2006). Numerical Optimization, 2nd edition, chapters 6 and 18. Springer.
    """
    low, high = bounds[:, 0], bounds[:, 1]
    x = np.clip(start, low, high)
    value, g = function(x)
    spent, flat = 1, 0
    B = curvature
    if not np.isfinite(value):
        return Descent(x, value, g, spent, False)
    while spent < max_evaluations:
        held = ((x <= low) & (g >= 0)) | ((x >= high) & (g <= 0))
        downhill = np.where(held, 0.0, -g)
        steepest = float(np.abs(downhill).max(initial=0.0))
        if not steepest > 0:
            return Descent(x, value, g, spent, True)
        step, gain = _step(B, downhill, held)
        if gain < tol and (B is not None or steepest < 1e-5):
            return Descent(x, value, g, spent, True)
        point = _search(function, x, value, g, step, bounds)
        spent += point.evaluations
        if not point.converged:
            if B is None or curvature is None:
                return Descent(x, value, g, spent, gain < 1e3 * tol)
            B = curvature = None  # a wrong guess: begin again without one
            continue
        s, y = point.x - x, point.gradient - g
        flat = flat + 1 if value - point.value < tol else 0
        B = _learned(B, s, y)
        x, value, g = point.x, point.value, point.gradient
        if flat >= FLAT_STEPS:
            return Descent(x, value, g, spent, True)
    return Descent(x, value, g, spent, False)


def _step(B: np.ndarray | None, downhill: np.ndarray, held: np.ndarray) -> tuple[np.ndarray, float]:
    """The step on the variables that no bound holds, and what it promises to gain."""
    if B is None:
        step = downhill / max(1.0, float(np.sqrt(downhill @ downhill)))
    elif not held.any():
        step = _solved(B, downhill)
    else:
        free = ~held
        step = np.zeros_like(downhill)
        step[free] = _solved(B[np.ix_(free, free)], downhill[free])
    gain = 0.5 * float(downhill @ step)
    longest = float(np.abs(step).max())
    return step * (LONGEST_STEP / longest) if longest > LONGEST_STEP else step, gain


def _solved(B: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The solution of Bx = b; the direction b where B has lost its positive definiteness to rounding."""
    from scipy.linalg.lapack import dposv

    _, x, singular = dposv(B, b)
    return b / max(1.0, float(np.sqrt(b @ b))) if singular else x


def _search(
    function: Callable[[np.ndarray], tuple[float, np.ndarray]],
    x: np.ndarray,
    value: float,
    g: np.ndarray,
    step: np.ndarray,
    bounds: np.ndarray,
) -> Descent:
    """A point along the step, cut off at the bounds, that is low enough; not ``converged`` if there is none."""
    share, best, least, most = 1.0, None, 0.0, np.inf
    spent, low, high = 0, bounds[:, 0], bounds[:, 1]
    rounding = 1e-14 * max(1.0, abs(value))
    while spent < SEARCHES:
        to = np.minimum(np.maximum(x + share * step, low), high)
        new, slope = function(to)
        spent += 1
        promised = float(g @ (to - x))
        if not np.isfinite(new) or not new <= value + SUFFICIENT * promised + rounding:
            most = share
            if best is not None:
                break
            parabola = -0.5 * promised * share / (new - value - promised) if np.isfinite(new) else 0.0
            share = float(np.clip(parabola, 0.1 * share, 0.5 * share))
            continue
        if best is not None and new >= best.value:
            break
        best, least = Descent(to, new, slope, spent, True), share
        along = to - x
        if float(slope @ along) >= WOLFE * promised or np.abs(share * step).max() >= LONGEST_STEP:
            break
        share = 2.0 * share if not np.isfinite(most) else 0.5 * (least + most)
    if best is None:
        return Descent(x, value, g, spent, False)
    return Descent(best.x, best.value, best.gradient, spent, True)


def _learned(B: np.ndarray | None, s: np.ndarray, y: np.ndarray) -> np.ndarray:
    """B after a step s along which the gradient changed by y."""
    with np.errstate(over="ignore", invalid="ignore"):
        sy, ss, yy = float(s @ y), float(s @ s), float(y @ y)
    if not np.isfinite([sy, ss, yy]).all():  # gradients so large teach nothing about curvature
        return np.eye(len(s)) if B is None else B
    if not ss > 0:
        return np.eye(len(s)) if B is None else B
    if B is None:
        B = np.eye(len(s)) * max(abs(yy / sy) if sy > 0 else np.sqrt(yy / ss), SMALLEST_CURVATURE)
    Bs = B @ s
    sBs = float(s @ Bs)
    if not sBs > 0:
        return B
    if sy < 0.2 * sBs:  # Powell's damping
        share = 0.8 * sBs / (sBs - sy)
        y = share * y + (1.0 - share) * Bs
        sy = float(s @ y)
    return B - (Bs / sBs)[:, None] * Bs + (y / sy)[:, None] * y
