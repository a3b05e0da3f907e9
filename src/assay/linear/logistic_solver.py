"""The quickest way to the minimum of a logistic objective: Newton, or L-BFGS with curvatures from a sample of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.sums import Rows
from assay.linear.logistic_objective import LogisticObjective, inverse
from assay.optimize.lbfgs import lbfgs
from assay.optimize.newton import newton, newton_step
from assay.optimize.objective import Optimum, Record

__all__ = ["minimise", "runs_away"]

SMALL = 70  # weights of a softmax up to which Newton's steps are cheap
WIDE = 1500  # weights beyond which no matrix of their curvatures is made
MANY = 4  # times as many rows as the sample: then the sample is looked at first
ROUGH = 1e-3  # gradient at which the sample has told what it can
FIRST = 8  # steps with the bound, after which the curvature is worth looking at

Stage = Callable[[np.ndarray, int], Optimum]  # from a start, with as many steps at most


def minimise(
    objective: LogisticObjective,
    sample: Rows | None,
    rows: int,
    start: np.ndarray,
    *,
    method: str = "quick",
    tol: float,
    max_iter: int,
    watch: Callable[[Record], Any] | None = None,
) -> Optimum:
    """Minimise the objective.

    Parameters
    ----------
    objective : over all rows
    sample : some of the rows, weighted so that they stand for all, or None
    rows : number of all rows
    start : where to begin
    method : "newton" for a full curvature at every step, "quick" for whatever needs the least time: Newton where
        weights and rows are few; where rows are many, first the minimum over the sample, from there L-BFGS with the
        sample's curvature as its metric, for which a few passes suffice; else L-BFGS with Boehning's bound, then with
        the curvatures of the single classes, and Newton for the digits that are still missing
    tol, max_iter, watch : as in ``newton`` and ``lbfgs``
    """
    p, F = objective.shape
    how: dict[str, Any] = {"tol": tol, "norm": objective.size, "watch": watch}
    if (
        method == "newton"
        or (F == 1 and p <= 2 * SMALL and sample is None)
        or (p * F <= SMALL and sample is None)
    ):
        return newton(objective, start, max_iter=max_iter, **how)
    stages: list[Stage] = []
    if sample is not None and rows >= MANY * len(sample.y) and p * F <= WIDE and max_iter > 0:
        start, metric = _look_ahead(objective, sample, start)
        how["tol"] = tol / 10  # a step costs little here
        stages = [
            lambda w, left: lbfgs(objective, w, metric=metric, scaled=False, max_iter=min(30, left), **how)
        ]
    elif p <= WIDE:
        bound = objective.metric_of_bound()
        stages = [lambda w, left: lbfgs(objective, w, metric=bound, max_iter=min(FIRST, left), **how)]
    else:
        flat = np.repeat(1.0 / (0.25 + objective.decay[:, 0]), F)
        return lbfgs(objective, start, metric=lambda g: flat * g, max_iter=max_iter, **how)

    def by_classes(w: np.ndarray, left: int) -> Optimum:
        steps = min(left, max(4 * FIRST, p))
        return lbfgs(objective, w, metric=objective.metric_of_classes(w), scaled=False, max_iter=steps, **how)

    stages += [by_classes] * (1 if p * F <= WIDE else 1000)
    return _one_after_another(
        [*stages, lambda w, left: newton(objective, w, max_iter=left, **how)], start, max_iter
    )


def _one_after_another(stages: list[Stage], start: np.ndarray, max_iter: int) -> Optimum:
    """Each stage goes on where the one before ran out of steps or got stuck."""
    found = stages[0](start, max_iter)
    history = found.history
    for stage in stages[1:]:
        behind = history[-1].iteration
        if found.reason not in ("iterations", "stuck") or behind >= max_iter:
            break
        found = stage(found.w, max_iter - behind)
        history = history + [
            replace(record, iteration=record.iteration + behind) for record in found.history[1:]
        ]
    return replace(found, history=history)


def _look_ahead(
    objective: LogisticObjective, sample: Rows, start: np.ndarray
) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The minimum over the sample, and the inverse of the curvature there."""
    small = objective.over(sample)
    found = minimise(small, None, len(sample.y), start, tol=ROUGH, max_iter=100)
    H = small.curvature(found.w)[2]
    here = small.scatter().diagonal()  # 1, if the sample is like the table
    unseen = np.where(here < 0.5, 0.25 * np.maximum(1.0 - here, 0.0), 0.0)
    return found.w, inverse(H, np.repeat(unseen, objective.shape[1]))


def runs_away(objective: LogisticObjective, v: np.ndarray) -> bool:
    """Whether there is no minimum nearby: Newton's steps do not become smaller quickly, as they do near one.

    What a Newton step promises falls to its square near a minimum. Where a loss falls for ever, like exp(-t), it
    falls by a factor of e only. Two passes over the rows; no answer (False) where the weights are very many.
    """
    if v.size > WIDE:
        return False
    value, g, H = objective.curvature(v)
    p = newton_step(H, g)
    promise = -float(g @ p)
    if not promise > 1e-13 * objective.K:
        return value < 1e-12
    _, g, H = objective.curvature(v + p)
    return -float(g @ newton_step(H, g)) > 0.05 * promise
