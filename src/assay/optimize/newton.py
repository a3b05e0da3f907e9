"""Newton's method: minimise the quadratic approximation at the current point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.optimize.objective import Objective, Optimum, Record

__all__ = ["newton", "newton_step"]

ARMIJO = 1e-4  # share of the promised fall that a step must bring
HALVINGS = 60
PATIENCE = 3  # steps at rounding level that do not bring the gradient down


class _Functions:
    """An objective made of plain functions of one number, or of a vector."""

    def __init__(self, value: Callable, gradient: Callable, second: Callable, scalar: bool):
        self.value, self.gradient, self.second, self.scalar = value, gradient, second, scalar

    def value_gradient(self, w: np.ndarray, /) -> tuple[float, np.ndarray]:
        x = float(w[0]) if self.scalar else w
        return float(self.value(x)), np.array(self.gradient(x), dtype=np.float64, ndmin=1)

    def curvature(self, w: np.ndarray, /) -> tuple[float, np.ndarray, np.ndarray]:
        H = np.array(self.second(float(w[0]) if self.scalar else w), dtype=np.float64, ndmin=2)
        return *self.value_gradient(w), H


def newton(
    objective: Objective | tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], Any]],
    start: Any,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    keep: bool = False,
    watch: Callable[[Record], bool | None] | None = None,
    norm: Callable[[np.ndarray], float] | None = None,
) -> Optimum:
    r"""Minimise a smooth function of few variables in few steps.

    .. math:: w \leftarrow w - t\,H(w)^{-1}\nabla E(w)                                          \quad (1)

    with t = 1, halved until the value falls by enough. Where H is singular or not positive its eigenvalues are
    taken without their signs, and flat directions are left alone (the pseudo-inverse). Near the optimum the number
    of right digits doubles in each step. Cost of a step: one curvature, and O(p^3) to solve.

    Parameters
    ----------
    objective : an Objective, or the functions (value, gradient, second derivative)
    start : (p,), or a number for a function of one variable
    tol : stop once the gradient is no larger
    max_iter : steps at most
    keep : whether the history keeps the weights of every step
    watch : called with each Record; True stops ("watch"), and so does an exception
    norm : how large a gradient is; None takes its largest absolute entry

    Examples
    --------
    The lowest point of x^2 - ln x is 1 / sqrt(2):

    >>> from assay.optimize.newton import newton
    >>> import numpy as np
    >>> result = newton((lambda x: x * x - np.log(x), lambda x: 2 * x - 1 / x, lambda x: 2 + x**-2), 0.5, keep=True)
    >>> [round(float(record.weights[0]), 6) for record in result.history]
    [0.5, 0.666667, 0.705882, 0.707106, 0.707107]

    See Also
    --------
    lbfgs, gradient_descent

    References
    ----------
    - Boyd, S. and Vandenberghe, L. (2004). Convex Optimization. Cambridge University Press.
    - Nocedal, J. and Wright, S. J. (2006). Numerical Optimization, second edition. Springer.
    """
    w = np.array(start, dtype=np.float64, ndmin=1)
    if isinstance(objective, tuple):
        objective = _Functions(*objective, scalar=np.ndim(start) == 0)
    size = norm or largest
    with np.errstate(all="ignore"):
        value, g, H = objective.curvature(w)
        best, stalled = size(g), 0
        trail = Trail(w, value, best, keep, watch)
        reason = trail.first_reason(tol)
        while not reason and trail.iteration < max_iter:
            p = newton_step(H, g)
            slope, t = float(g @ p), 1.0
            new = objective.curvature(w + p)
            level = rounding(value)
            if not falls(value, new[0], t, slope, level, float(new[1] @ p)):
                t, new = _halve(objective, w, p, value, slope, level)
                if t == 0.0:
                    reason = "value" if abs(slope) <= level else "stuck"
                    break
            w = w + t * p
            value, g, H = new
            now = size(g)
            stop = trail.add(w, value, now, t * float(np.linalg.norm(p)))
            stalled, best = (0, now) if now < 0.5 * best else (stalled + 1, best)
            if now <= tol:
                reason = "gradient"
            elif stop:
                reason = "watch"
            elif stalled >= PATIENCE and abs(slope) <= level:
                reason = "value"
    return replace(trail.end(w, value, g, reason or "iterations"), curvature=H)


def newton_step(H: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The step of (1): -H^-1 g, in units in which H has ones on its diagonal."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    diagonal = np.abs(np.diagonal(H))
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    A = H * scale[:, None] * scale
    b = -g * scale
    factor, failed = dpotrf(A, lower=1)
    pivots = np.diagonal(factor)
    if not failed and np.isfinite(pivots).all() and (pivots.min() > 1e-7 * pivots.max()):
        return dpotrs(factor, b, lower=1)[0] * scale
    if not np.isfinite(A).all():
        return b * scale
    values, vectors = np.linalg.eigh(A)
    steep = np.abs(values)
    flat = steep <= 1e-13 * len(b) * steep.max(initial=0.0)
    along = vectors.T @ b
    along = np.where(flat, 0.0, along / np.where(flat, 1.0, steep))
    step = (vectors @ along) * scale
    return step if step.any() else b * scale


def falls(value: float, new: float, t: float, slope: float, level: float, new_slope: float) -> bool:
    """Whether a step of t along a direction of this slope brought enough; below ``level`` values are noise.

    There the slopes decide (Hager and Zhang 2005, the approximate Wolfe condition).
    """
    if not np.isfinite(new):
        return False
    if new <= value + ARMIJO * t * slope:
        return True
    return new <= value + level and (2 * ARMIJO - 1) * slope >= new_slope


def rounding(value: float) -> float:
    """How much of a value is noise."""
    return 64 * np.finfo(np.float64).eps * abs(value) + 1e-200


def largest(g: np.ndarray) -> float:
    """The largest absolute entry."""
    return float(np.abs(g).max(initial=0.0))


def _halve(
    objective: Objective, w: np.ndarray, p: np.ndarray, value: float, slope: float, level: float
) -> tuple[float, Any]:
    t = 1.0
    for _ in range(HALVINGS):
        t /= 2
        new, g = objective.value_gradient(w + t * p)
        if falls(value, new, t, slope, level, float(g @ p)):
            return t, objective.curvature(w + t * p)
    return 0.0, None


class Trail:
    """The history of an optimiser while it is made."""

    def __init__(
        self,
        w: np.ndarray,
        value: float,
        size: float,
        keep: bool,
        watch: Callable[[Record], bool | None] | None,
    ):
        self.history: list[Record] = []
        self.keep, self.watch = keep, watch
        self.stop = self.add(w, value, size, 0.0)

    @property
    def iteration(self) -> int:
        return len(self.history) - 1

    def first_reason(self, tol: float) -> str:
        """Why to stop at the start; nothing if there is no reason."""
        start = self.history[0]
        if start.gradient <= tol:
            return "gradient"
        return "diverged" if not np.isfinite(start.value) else "watch" if self.stop else ""

    def add(self, w: np.ndarray, value: float, size: float, step: float) -> bool:
        """Note a step; whether the watcher wants to stop."""
        record = Record(len(self.history), value, size, step, w.copy() if self.keep else None)
        self.history.append(record)
        return self.watch is not None and bool(self.watch(record))

    def end(self, w: np.ndarray, value: float, g: np.ndarray, reason: str) -> Optimum:
        return Optimum(w, value, g, reason in ("gradient", "value"), reason, self.history)
