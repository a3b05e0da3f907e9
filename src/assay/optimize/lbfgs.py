"""L-BFGS: Newton's steps from the memory of the last few, in a metric that the caller may know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.optimize.newton import Trail, falls, largest, rounding
from assay.optimize.objective import Objective, Optimum, Record

__all__ = ["lbfgs", "lbfgs_direction"]

SEARCHES = 40  # points that one line search may try
WOLFE = 0.9  # share of the slope that a step must use up, or it goes further
PATIENCE = 5  # steps at rounding level that do not bring the gradient down


def lbfgs(
    objective: Objective,
    start: np.ndarray,
    *,
    metric: Callable[[np.ndarray], np.ndarray] | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
    memory: int = 10,
    keep: bool = False,
    watch: Callable[[Record], bool | None] | None = None,
    norm: Callable[[np.ndarray], float] | None = None,
    scaled: bool = True,
) -> Optimum:
    r"""Minimise a smooth function of many variables from its values and gradients.

    The inverse curvature is built from the last steps :math:`s_k = w_{k+1}-w_k` and the changes of the gradient
    :math:`y_k` on them (Nocedal 1980), on top of a first guess M:

    .. math:: H_{k+1} = (I-\rho s y^T) H_k (I-\rho y s^T) + \rho s s^T,\quad \rho = 1/s^Ty,\quad
              H_0 = \frac{s^Ty}{y^TMy}\,M                                                        \quad (1)

    M is the identity unless ``metric`` knows better: with a bound of the curvature, or its estimate from some
    rows, the scale of the columns does not matter any more and few steps remain. The line search asks for
    a sufficient fall and a flatter slope (Wolfe), and at the level of rounding for the slopes alone, so that the
    gradient goes down as far as the arithmetic lets it.

    Parameters
    ----------
    objective : gives value_gradient(w)
    start : (p,)
    metric : function g -> M g with M symmetric and positive; None is the identity
    tol : stop once the gradient is no larger
    max_iter, memory : steps at most; steps remembered
    keep : whether the history keeps the weights of every step
    watch : called with each Record; True stops ("watch"), and so does an exception
    norm : how large a gradient is; None takes its largest absolute entry
    scaled : False if the metric has the right scale, too, so that :math:`H_0 = M`

    Examples
    --------
    >>> import numpy as np
    >>> from assay.optimize.lbfgs import lbfgs
    >>> class Valley:
    ...     def value_gradient(self, w):
    ...         return (w[0] - 1) ** 2 + 50 * w[1] ** 2, np.array([2 * (w[0] - 1), 100 * w[1]])
    >>> lbfgs(Valley(), np.array([0.0, 1.0]), metric=lambda g: g / [2, 100]).w
    array([1., 0.])

    See Also
    --------
    newton, gradient_descent

    References
    ----------
    - Liu, D. C. and Nocedal, J. (1989). On the limited memory BFGS method for large scale optimization.
      Mathematical Programming 45, 503-528. doi:10.1007/BF01589116
    - Nocedal, J. and Wright, S. J. (2006). Numerical Optimization, second edition. Springer.
    """
    w = np.array(start, dtype=np.float64)
    size = norm or largest
    steps: list[tuple[np.ndarray, np.ndarray, float]] = []
    gamma = 1.0
    with np.errstate(all="ignore"):
        value, g = objective.value_gradient(w)
        best, stalled = size(g), 0
        trail = Trail(w, value, best, keep, watch)
        reason = trail.first_reason(tol)
        while not reason and trail.iteration < max_iter:
            p = -lbfgs_direction(g, steps, metric, gamma)
            slope = float(g @ p)
            if not slope < 0:  # the memory has lost its grip: begin anew
                steps, gamma = [], 1.0
                p = -lbfgs_direction(g, steps, metric, gamma)
                slope = float(g @ p)
            t = 1.0 if steps or metric is not None else min(1.0, 1.0 / largest(g))
            t, new, new_g = _search(objective, w, p, value, slope, t)
            if t == 0.0:
                if steps:
                    steps, gamma = [], 1.0
                    continue
                reason = "value" if abs(slope) <= rounding(value) else "stuck"
                break
            s, y = t * p, new_g - g
            noisy = abs(slope) <= rounding(value)
            w, value, g = w + s, new, new_g
            curvature = float(s @ y)
            if curvature > 1e-10 * abs(t * slope):
                steps = [*steps, (s, y, 1.0 / curvature)][-memory:]
                if scaled:
                    gamma = curvature / float(y @ (y if metric is None else metric(y)))
            now = size(g)
            stop = trail.add(w, value, now, float(np.linalg.norm(s)))
            stalled, best = (0, now) if now < 0.9 * best else (stalled + 1, best)
            if now <= tol:
                reason = "gradient"
            elif stop:
                reason = "watch"
            elif stalled >= PATIENCE and noisy:
                reason = "value"
    return trail.end(w, value, g, reason or "iterations")


def lbfgs_direction(
    g: np.ndarray,
    steps: list[tuple[np.ndarray, np.ndarray, float]],
    metric: Callable[[np.ndarray], np.ndarray] | None,
    gamma: float,
) -> np.ndarray:
    """H g of (1) by the two loops over the remembered steps."""
    q = g.copy()
    parts = []
    for s, y, rho in reversed(steps):
        a = rho * float(s @ q)
        parts.append(a)
        q -= a * y
    p = q if metric is None else metric(q)
    p = gamma * p
    for (s, y, rho), a in zip(steps, reversed(parts)):
        p += (a - rho * float(y @ p)) * s
    return p


def _search(
    objective: Objective, w: np.ndarray, p: np.ndarray, value: float, slope: float, t: float
) -> tuple[float, float, np.ndarray]:
    """A step t with a sufficient fall and a flatter slope; 0 if there is none."""
    low, high = 0.0, np.inf
    level = rounding(value)
    accepted: tuple[float, float, np.ndarray] = (0.0, value, w)
    for _ in range(SEARCHES):
        new, g = objective.value_gradient(w + t * p)
        end = float(g @ p) if np.isfinite(new) else np.inf
        enough = falls(value, new, t, slope, level, end)
        if enough and WOLFE * slope <= end <= -WOLFE * slope:
            return t, new, g
        if enough and (new < accepted[1] or not accepted[0]):
            accepted = (t, new, g)
        if enough and end < 0:  # still steep: further on
            low = t
            t = 2 * t if np.isinf(high) else (low + high) / 2
        else:
            high = t
            t = _between(low, high, t, value, slope, new, end)
        if t > 1e10 or high - low <= 1e-3 * high:
            break
    return accepted


def _between(low: float, high: float, t: float, value: float, slope: float, new: float, end: float) -> float:
    """Where the parabola through what is known has its bottom, kept away from the ends."""
    guess = -slope * t * t / (2 * (new - value - slope * t)) if np.isfinite(new) else 0.5 * (low + high)
    if np.isfinite(end) and end > 0:
        guess = t * slope / (slope - end)  # where a straight slope passes 0: exact to rounding
    width = high - low
    return (
        float(min(max(guess, low + 0.1 * width), high - 0.1 * width)) if guess == guess else low + width / 2
    )
