r"""Squared slacks of linear functions of features, minimised by Newton's steps that are sums over rows.

With the features z of a row (1 behind them for the constant), its target t and weight v, each function f = w^T z has

.. math:: E(w) = \tfrac12\lVert w\rVert^2 + C\sum_i v_i\,r_i^2,\qquad
          \nabla E = w - 2C\sum_i v_i r_i z_i,\qquad H = I + 2C\sum_{i:\,r_i\ne0} v_i z_i z_i^T                \quad (1)

where the slack r is :math:`t(1-tf)_+` for classes t = -1, 1 and the part of t - f beyond the tube for numbers. The
constant has no penalty. E is piecewise quadratic, so that Newton's steps end at its minimum after finitely many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.progress import progress
from assay.core.sums import Block, Source

__all__ = ["Fitted", "minimise_slacks"]

SUFFICIENT = 1e-4  # share of the fall that the slope promises which a step must reach
LEAST_STEP = 1e-10
ROUNDING = (
    64 * float(np.finfo(float).eps) ** 2
)  # share of the squared targets that slacks of rounding add up to


@dataclass
class Slacks:
    """What blocks add up to: (K,) losses, (K, p) gradients and (K, p, p) curvatures, without the penalty."""

    loss: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray

    def __add__(self, other: Slacks) -> Slacks:
        return Slacks(
            self.loss + other.loss, self.gradient + other.gradient, self.curvature + other.curvature
        )


@dataclass(frozen=True)
class Fitted:
    """(K, p) weights, the constant last, their (K,) objectives, the steps made, and whether they converged."""

    W: np.ndarray
    objective: np.ndarray
    n_iter: int
    converged: bool


def minimise_slacks(
    source: Source,
    features: Callable[[Any], np.ndarray],
    targets: Callable[[np.ndarray], np.ndarray],
    slack: Callable[[np.ndarray, np.ndarray], np.ndarray],
    weights: Callable[[Block], np.ndarray | None],
    *,
    C: float,
    size: tuple[int, int],
    fit_intercept: bool,
    tol: float,
    max_iter: int,
    who: str,
) -> Fitted:
    """The weights of (1) for K functions at once.

    Parameters
    ----------
    source : gives blocks (X, y, w)
    features : (b, p - 1) features of the rows of a block
    targets : (b, K) targets from y
    slack : r from (b,) targets and function values
    weights : (b,) weights of the rows of a block; None weighs all alike
    size : (K, p), p counting the constant
    tol : stop once a step lowers each objective by less than this share, or by less than rounding
    """
    K, p = size
    penalty = np.ones(p)
    penalty[-1] = 0.0 if fit_intercept else 1.0

    def sums_at(W: np.ndarray) -> Slacks:
        def part(block: Block) -> Slacks:
            Z = np.empty((block.X.shape[0], p))
            Z[:, :-1], Z[:, -1] = features(block.X), float(fit_intercept)
            values, wanted, weight = Z @ W.T, targets(block.y), weights(block)
            sums = Slacks(np.zeros(K), np.zeros((K, p)), np.zeros((K, p, p)))
            for k in range(K):
                r = slack(wanted[:, k], values[:, k])
                active = np.flatnonzero(r)
                Za, r = Z[active], r[active]
                v = np.ones(len(active)) if weight is None else weight[active]
                sums.loss[k] = v @ (r * r)
                sums.gradient[k] = Za.T @ (v * r)
                Zv = Za if weight is None else Za * np.sqrt(v)[:, None]
                sums.curvature[k] = Zv.T @ Zv
            return sums

        return source.add_up(part)

    def value(W: np.ndarray, sums: Slacks) -> np.ndarray:
        return 0.5 * (W * W) @ penalty + C * sums.loss

    W = np.zeros(size)
    sums = sums_at(W)
    objective = value(W, sums)
    least = ROUNDING * objective
    direction, slope, step = np.zeros(size), np.zeros(K), np.zeros(K)
    live = np.ones(K, dtype=bool)
    iteration = 0
    with progress(max_iter, f"{who}: steps") as bar:
        while iteration < max_iter:
            for k in np.flatnonzero(live & (step == 0)):
                gradient = W[k] * penalty - 2 * C * sums.gradient[k]
                H = 2 * C * sums.curvature[k]
                H.flat[:: p + 1] += penalty
                direction[k] = -_solved(H, gradient)
                slope[k] = gradient @ direction[k]
                step[k] = 1.0
                live[k] = -slope[k] > max(tol * objective[k], least[k], np.finfo(float).tiny)
            if not live.any():
                break
            trial = W + (step * live)[:, None] * direction
            new = sums_at(trial)
            reached = value(trial, new)
            for k in np.flatnonzero(live):
                if reached[k] <= objective[k] + SUFFICIENT * step[k] * slope[k] or step[k] < LEAST_STEP:
                    W[k], objective[k], step[k] = trial[k], reached[k], 0.0
                    sums.loss[k], sums.gradient[k] = new.loss[k], new.gradient[k]
                    sums.curvature[k] = new.curvature[k]
                else:
                    step[k] /= 2
            iteration += 1
            bar.advance()
    return Fitted(W, objective, max(1, iteration), not live.any())


def _solved(H: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq

    try:
        return cho_solve(cho_factor(H), gradient)
    except LinAlgError:  # no row pulls at the constant
        return lstsq(H, gradient)[0]
