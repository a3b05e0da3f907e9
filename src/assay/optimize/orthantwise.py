"""L-BFGS with a penalty on absolute values: steps that stay within an orthant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.optimize.lbfgs import lbfgs_direction
from assay.optimize.newton import Trail, largest, rounding
from assay.optimize.objective import Objective, Optimum, Record

__all__ = ["orthantwise"]

SEARCHES = 40  # points that one line search may try
ENOUGH = 1e-4  # share of the fall that the slope promises


def orthantwise(
    objective: Objective,
    start: np.ndarray,
    penalty: float,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    memory: int = 10,
    watch: Callable[[Record], bool | None] | None = None,
) -> Optimum:
    r"""Minimise a smooth function plus a penalty on absolute values.

    .. math:: F(w) = f(w) + c \sum_i |w_i|                                                    \quad (1)

    Within an orthant (1) is smooth. The orthant is that of w, and where :math:`w_i = 0` the one into which the
    pseudo-gradient (the derivative of least size that (1) has on either side) leads. A step is that of L-BFGS with the
    curvature of f, without the parts that point uphill; where it would leave the orthant a weight becomes 0.

    Parameters
    ----------
    objective : gives value_gradient(w) of f
    start : (p,)      penalty : float, c
    tol : stop once the pseudo-gradient is no larger
    max_iter, memory : steps at most; steps remembered
    watch : called with each Record of (1); True stops

    Examples
    --------
    Each weight is drawn towards 0 by half the penalty, and stops there:

    >>> import numpy as np
    >>> from assay.optimize.orthantwise import orthantwise
    >>> class Bowl:
    ...     def value_gradient(self, w):
    ...         return float(((w - [3.0, 0.4]) ** 2).sum()), 2 * (w - [3.0, 0.4])
    >>> orthantwise(Bowl(), np.zeros(2), 1.0).w
    array([2.5, 0. ])

    See Also
    --------
    lbfgs

    References
    ----------
    - Andrew, G. and Gao, J. (2007). Scalable training of L1-regularized log-linear models. International Conference on
      Machine Learning, 33-40. doi:10.1145/1273496.1273501
    """
    w = np.array(start, dtype=np.float64)
    steps: list[tuple[np.ndarray, np.ndarray, float]] = []
    gamma, reason = 1.0, ""
    with np.errstate(all="ignore"):
        f, g = objective.value_gradient(w)
        value, pseudo = f + penalty * float(np.abs(w).sum()), _pseudo_gradient(w, g, penalty)
        trail = Trail(w, value, largest(pseudo), False, watch)
        reason = trail.first_reason(tol)
        while not reason and trail.iteration < max_iter:
            p = -lbfgs_direction(pseudo, steps, None, gamma)
            p[p * pseudo >= 0] = 0.0  # uphill
            orthant = np.where(w != 0, np.sign(w), -np.sign(pseudo))
            t = 1.0 if steps else min(1.0, 1.0 / float(np.linalg.norm(pseudo)))
            for _ in range(SEARCHES):
                new_w = w + t * p
                new_w[new_w * orthant <= 0] = 0.0
                new_f, new_g = objective.value_gradient(new_w)
                new = new_f + penalty * float(np.abs(new_w).sum())
                slope = float(pseudo @ (new_w - w))
                if new <= value + ENOUGH * slope:
                    break
                t *= 0.5
            else:
                if steps:  # the memory has lost its grip: begin anew
                    steps, gamma = [], 1.0
                    continue
                reason = "value" if abs(slope) <= rounding(value) else "stuck"
                break
            s, y = new_w - w, new_g - g
            w, g, value = new_w, new_g, new
            pseudo = _pseudo_gradient(w, g, penalty)
            curvature = float(s @ y)
            if curvature > 0:
                steps = [*steps, (s, y, 1.0 / curvature)][-memory:]
                gamma = curvature / float(y @ y)
            now = largest(pseudo)
            stop = trail.add(w, value, now, float(np.linalg.norm(s)))
            if now <= tol:
                reason = "gradient"
            elif stop:
                reason = "watch"
    return trail.end(w, value, pseudo, reason or "iterations")


def _pseudo_gradient(w: np.ndarray, g: np.ndarray, penalty: float) -> np.ndarray:
    at_zero = np.sign(g) * np.maximum(np.abs(g) - penalty, 0.0)
    return np.where(w != 0, g + penalty * np.sign(w), at_zero)
