r"""Profile likelihood intervals: all values of a coefficient that a likelihood-ratio test does not reject.

.. math:: \{\beta : 2[\ell(\hat\theta) - \max_{\theta:\,a^T\theta=\beta}\ell(\theta)] \le \chi^2_{1,level}\}  \quad (1)

Unlike the estimate plus or minus some standard errors it need not be symmetric, and it does not depend on how the
coefficient is written: the interval of the odds ratio is its exponential.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["profile_interval"]


def profile_interval(
    objective: Any, best: np.ndarray, row: np.ndarray, error: float, total: float, level: float
) -> tuple[float, float]:
    """Both ends of (1).

    Parameters
    ----------
    objective : value and derivatives of the mean of minus the log likelihood
    best : (p,) where it is smallest      row : (p,) a, the coefficient is a'w
    error : its standard error            total : number of rows
    """
    from scipy.special import chdtri

    wanted = float(np.sqrt(chdtri(1, 1 - level)))
    lowest, _, H = objective.curvature(best)
    first = best, _solved(H, row)

    def fall(value: float) -> float:
        """By how much the likelihood fell, as the root of the statistic: nearly a straight line."""
        return float(np.sqrt(max(2 * total * (value - lowest), 0.0)))

    ends = [_end(objective, first, row, error, wanted, fall, side) for side in (-1.0, 1.0)]
    return ends[0], ends[1]


def _end(
    objective: Any,
    first: tuple[np.ndarray, np.ndarray],
    row: np.ndarray,
    error: float,
    wanted: float,
    fall: Callable[[float], float],
    side: float,
) -> float:
    """Where the fall reaches the wanted one: secant steps outwards, then between a point inside and one outside."""
    w, across = first
    middle = float(row @ w)
    inner, inner_fall, outer = middle, 0.0, None
    at = middle + side * wanted * error
    for _ in range(60):
        w, across, value = constrained(objective, w, across, row, at)
        here = fall(value)
        if abs(here - wanted) < 1e-9 * wanted:
            return at
        if here < wanted:
            slope = side * (here - inner_fall) / (at - inner)
            inner, inner_fall = at, here
            reach = (wanted - here) / slope if slope > 0 else np.inf
            step = at + side * min(reach, 2 * abs(at - middle))
        else:
            outer = at
            step = inner + (at - inner) * (wanted - inner_fall) / (here - inner_fall)
        if outer is not None and not min(inner, outer) < step < max(inner, outer):
            step = (inner + outer) / 2
        if step == at:
            return at
        if outer is None and abs(step - middle) > 1e4 * error:
            return side * np.inf  # so far out, and the likelihood has still not fallen enough
        at = float(step)
    return at


def constrained(
    objective: Any, start: np.ndarray, across: np.ndarray, row: np.ndarray, target: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """The smallest value with row'w = target, by Newton steps within the plane.

    Parameters
    ----------
    start : where to begin      across : the way from there to the plane on which the others follow best

    Returns
    -------
    w : where      across : the same way from there      value : how small
    """
    w = start + across * (target - row @ start) / (row @ across)
    value, g, H = objective.curvature(w)
    for _ in range(100):
        both = _solved(H, np.column_stack((g, row)))
        along, across = both.T
        step = -along + across * (row @ along) / (row @ across)
        gain = -float(g @ step)
        if gain <= 1e-15 * (1 + abs(value)):
            break
        rate, (new, g_new, H_new) = 1.0, objective.curvature(w + step)
        while not new <= value - 1e-4 * rate * gain and rate > 1e-8:
            rate /= 2
            new, g_new, H_new = objective.curvature(w + rate * step)
        if not new < value:
            break
        w, value, g, H = w + rate * step, new, g_new, H_new
    return w, across, value


def _solved(H: np.ndarray, right: np.ndarray) -> np.ndarray:
    """H^-1 right in units of the diagonal; a flat direction is lifted a little."""
    size = np.sqrt(np.maximum(H.diagonal(), 1e-300))
    units = size if right.ndim == 1 else size[:, None]
    unit = H / size[:, None] / size + 1e-14 * np.eye(len(H))
    return np.linalg.solve(unit, right / units) / units
