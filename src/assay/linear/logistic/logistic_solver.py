"""Solvers of the logistic objective: Newton, or L-BFGS preconditioned by a sample of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.sums import Rows
from assay.linear.logistic.logistic_by_rows import ByRows, by_rows
from assay.linear.logistic.logistic_objective import LogisticObjective, inverse
from assay.optimize.lbfgs import lbfgs
from assay.optimize.newton import newton, newton_step
from assay.optimize.objective import Optimum, Record

__all__ = ["minimise", "runs_away"]

NEGLIGIBLE_GRADIENT = 1e-20  # a gradient that no row contributes to any more, as on separable classes
NEWTON_WEIGHTS = 70  # weights of a softmax up to which Newton's steps are cheap
MAX_CURVATURE_WEIGHTS = 1500  # weights beyond which no matrix of their curvatures is made
SAMPLE_FACTOR = 4  # times as many rows as the sample: then the sample is looked at first
SAMPLE_TOLERANCE = 1e-3  # gradient at which the fit to the sample ends
CHEAP_MULTIPLICATIONS = 3_000_000  # multiplications of a Newton step that are not worth avoiding
ROWS_PER_SCORE = 128  # rows for each score up to which a wide table is solved among sums of its rows
ROUNDS = 4  # of that, each with a smaller gradient
MAX_MATRIX_ENTRIES = 20_000_000  # numbers in one such matrix for each class, beyond which none is made either
MIN_DIAGONAL_STEPS = (
    12  # steps, at least, that take the columns for independent, before their curvature is looked at
)
MAX_DIAGONAL_STEPS = 40  # of them, so that some of the usual 100 are left for better ones


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
    keep: bool = False,
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
        sample's curvature as its metric, for which a few passes suffice; where rows are few and columns many, among
        sums of rows; else L-BFGS as if the columns did not depend on each other, then with the curvatures of the
        single classes, and Newton for the digits that are missing
    tol, max_iter, watch, keep : as in ``newton`` and ``lbfgs``
    """
    p, F = objective.shape
    tol = max(tol, NEGLIGIBLE_GRADIENT)
    how: dict[str, Any] = {"tol": tol, "norm": objective.size, "watch": watch, "keep": keep}

    def by_newton(w: np.ndarray, left: int) -> Optimum:
        return newton(objective, w, max_iter=left, **how)

    def by_classes(w: np.ndarray, left: int) -> Optimum:
        steps = min(
            left, max(4 * MIN_DIAGONAL_STEPS, p) if p * F > MAX_CURVATURE_WEIGHTS else 4 * MIN_DIAGONAL_STEPS
        )
        return lbfgs(objective, w, metric=objective.metric_of_classes(w), scaled=False, max_iter=steps, **how)

    few = p * F <= NEWTON_WEIGHTS or (F == 1 and p <= 2 * NEWTON_WEIGHTS)
    if method == "newton":
        if _is_wide(objective, rows) and (narrow := by_rows(objective)) is not None:
            return _go_on(
                _among_rows(narrow, start, rows, tol, max_iter, watch, keep, method), [by_newton], max_iter
            )
        return by_newton(start, max_iter)
    if (
        sample is not None
        and rows >= SAMPLE_FACTOR * len(sample.y)
        and p * F <= MAX_CURVATURE_WEIGHTS
        and max_iter > 0
    ):
        start, metric = _look_ahead(objective, sample, start)
        steps, scaled = 30, False
        how["tol"] = tol / 10  # a step costs little here
    elif few and rows * p * p * F * F <= CHEAP_MULTIPLICATIONS:
        return by_newton(start, max_iter)
    else:
        count = max(objective.scale.total, 1.0)  # a row of weight 2 is two rows, and goes the same way
        crowd = (1.0 + np.sqrt(p / count)) ** 2  # the largest variance of a direction, by chance alone
        flat = np.repeat(1.0 / (crowd / objective.K * (1.0 - 1.0 / objective.K) + objective.decay[:, 0]), F)
        metric, scaled = (lambda g: flat * g), True
        dear = (p + p * p / (3 * count)) / 8  # steps that cost as much as a look at the curvature
        steps = max(MIN_DIAGONAL_STEPS, int(min(dear, MAX_DIAGONAL_STEPS)))

    if p * F <= MAX_CURVATURE_WEIGHTS:
        later = [by_newton] if few else [by_classes, by_newton]
    elif p * p * F <= MAX_MATRIX_ENTRIES:
        later = [by_classes] * 50
    else:
        later, steps = [], max_iter

    def by_steps(w: np.ndarray, left: int) -> Optimum:
        return lbfgs(objective, w, metric=metric, scaled=scaled, max_iter=min(steps, left), **how)

    if _is_wide(objective, rows) and (narrow := by_rows(objective)) is not None:
        optimum = _among_rows(narrow, start, rows, tol, max_iter, watch, keep)
        return _go_on(optimum, [by_steps, *later], max_iter)
    return _go_on(by_steps(start, max_iter), later, max_iter)


def _is_wide(objective: LogisticObjective, rows: int) -> bool:
    """Whether the cross products of the rows cost less than the steps that they spare."""
    d, most = len(objective.scale.mean), ROWS_PER_SCORE * objective.shape[1]
    count = objective.scale.total  # a row of weight 2 is two rows, and goes the same way
    few = 2 * count <= d and count <= most and rows <= min(d, 2 * most)
    return few and objective.seen is not objective.scale


def _among_rows(
    narrow: ByRows,
    start: np.ndarray,
    rows: int,
    tol: float,
    max_iter: int,
    watch: Callable[[Record], Any] | None,
    keep: bool = False,
    method: str = "quick",
) -> Optimum:
    """The minimum in few coordinates, sought until the gradient in the many ones is small enough, too."""
    v, history = narrow.inside(start), []

    def outside(record: Record) -> Record:
        return record if record.weights is None else replace(record, weights=narrow.outside(record.weights))

    large, d = narrow.large, len(narrow.large.scale.mean)
    unit = float((np.sqrt(large.decay[:d, 0]) * np.maximum(large.scale.spread, 1.0)).max())
    aim = 0.5 * tol / max(1.0, unit * np.sqrt(len(narrow.rows) / d))
    for _ in range(ROUNDS):
        behind = history[-1].iteration if history else 0
        how: dict[str, Any] = {"method": method, "tol": aim, "max_iter": max_iter - behind, "keep": keep}
        how["watch"] = None if watch is None else lambda record: watch(outside(record))
        optimum = minimise(narrow.small, None, rows, v, **how)
        v = optimum.w
        history += [
            replace(outside(r), iteration=r.iteration + behind) for r in optimum.history[bool(history) :]
        ]
        w = narrow.outside(v)
        value, g = large.value_gradient(w)
        size = large.size(g)
        done = size <= tol
        if done or optimum.reason != "gradient" or history[-1].iteration >= max_iter:
            break
        aim *= 0.3 * tol / size
    history[-1] = replace(history[-1], value=value, gradient=size)
    reason = "gradient" if done else "watch" if optimum.reason == "watch" else "iterations"
    return Optimum(w, value, g, done, reason, history)


def _go_on(
    optimum: Optimum, stages: Sequence[Callable[[np.ndarray, int], Optimum]], max_iter: int
) -> Optimum:
    """Each stage goes on where the one before ran out of steps or got stuck; a stage without a step is the last."""
    history = optimum.history
    for stage in stages:
        behind = history[-1].iteration
        if optimum.reason not in ("iterations", "stuck") or behind >= max_iter:
            break
        optimum = stage(optimum.w, max_iter - behind)
        if optimum.n_iter == 0:
            break
        history = history + [replace(r, iteration=r.iteration + behind) for r in optimum.history[1:]]
    return replace(optimum, history=history)


def _look_ahead(
    objective: LogisticObjective, sample: Rows, start: np.ndarray
) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The minimum over the sample, and the inverse of the curvature there."""
    small = objective.over(sample)
    optimum = minimise(small, None, len(sample.y), start, tol=SAMPLE_TOLERANCE, max_iter=100)
    H = small.curvature(optimum.w)[2]
    here = small.scatter().diagonal()  # 1, if the sample is like the table
    unseen = np.where(here < 0.5, 0.25 * np.maximum(1.0 - here, 0.0), 0.0)
    return optimum.w, inverse(H, np.repeat(unseen, objective.shape[1]))


@np.errstate(over="ignore", invalid="ignore")
def runs_away(objective: LogisticObjective, v: np.ndarray) -> bool:
    """Whether there is no minimum nearby: Newton's steps do not become smaller quickly, as they do near one.

    What a Newton step promises falls to its square near a minimum. Where a loss falls for ever, like exp(-t), it
    falls by a factor of e only. Two passes over the rows; no answer (False) where the weights are very many.
    """
    if v.size > MAX_CURVATURE_WEIGHTS:
        return False
    value, g, H = objective.curvature(v)
    p = newton_step(H, g)
    promise = -float(g @ p)
    if not promise > 1e-13 * objective.K:
        return value < 1e-12
    _, g, H = objective.curvature(v + p)
    return -float(g @ newton_step(H, g)) > 0.05 * promise
