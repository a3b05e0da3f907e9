r"""Fisher scoring: Newton's steps with the expected curvature, which is iteratively reweighted least squares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.linear.generalized.deviance_objective import DevianceObjective
from assay.optimize.newton import newton_step
from assay.optimize.objective import Optimum, Record

__all__ = ["fisher_scoring"]

HALVINGS = 40
ROUNDING = 1e-13  # relative change of the linear predictors that is nothing but rounding


def fisher_scoring(
    objective: DevianceObjective,
    start: np.ndarray,
    *,
    rows: float,
    tol: float,
    max_iter: int,
    watch: Callable[[Record], object] | None = None,
) -> Optimum:
    r"""Minimise the deviance by steps :math:`-H^{-1}\nabla E`, halved while the deviance does not fall.

    The length of a step in the metric of the information, :math:`\sqrt{n\,p^THp/\hat\phi}`, is how many standard errors
    it moves the coefficients at most; once it is below ``tol`` the step is made (where no mean can leave the family's
    range by it), and the search ends. That criterion depends neither on the units of the columns nor on the target's.

    Parameters
    ----------
    objective : DevianceObjective
    start : (p,) where the deviance is finite
    rows : number of rows, for standard errors
    tol : standard errors
    max_iter : steps at most
    watch : called with each Record
    """
    v = start
    history: list[Record] = []

    def note(value: float, g: np.ndarray, step: float) -> None:
        history.append(Record(len(history), value, float(np.abs(g).max(initial=0.0)), step))
        if watch is not None:
            watch(history[-1])

    with np.errstate(all="ignore"):
        value, g, H = objective.curvature(v)
        note(value, g, 0.0)
        while True:
            p = newton_step(H, g)
            length = max(float(p @ H @ p), 0.0)
            noise = ROUNDING**2 * float(v @ H @ v)
            done = rows * length <= tol * tol * 2 * value or length <= noise
            if done or len(history) > max_iter:
                break
            t, new = 1.0, objective.curvature(v + p)
            level = 1e-14 * abs(value)
            while not new[0] <= value + level and t > 0.5**HALVINGS:
                t /= 2
                new = objective.curvature(v + t * p)
            if not new[0] <= value + level:
                break
            v = v + t * p
            value, g, H = new
            note(value, g, t * float(np.linalg.norm(p)))
        if done and objective.unbounded:
            v = v + p
    reason = "gradient" if done else "iterations" if len(history) > max_iter else "stuck"
    return Optimum(v, value, g, done, reason, history, H)
