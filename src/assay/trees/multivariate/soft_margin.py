"""The soft-margin hyperplane: a linear support vector machine by an interior-point method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["soft_margin"]


def soft_margin(
    X: np.ndarray, side: np.ndarray, cost: np.ndarray, tol: float = 1e-8, enough: float = np.inf
) -> tuple[np.ndarray, float, float]:
    r"""Weights, bias and objective of the hyperplane with the widest margin for the price of its slack.

    .. math:: \min_{w, b}\; \tfrac12\lVert w\rVert^2 + \sum_i c_i \max\bigl(0, 1 - r_i (w^Tx_i + b)\bigr)    \quad (1)

    solved by its dual, with :math:`V` the rows :math:`r_i x_i`,

    .. math:: \min_\lambda\; \tfrac12 \lVert V^T\lambda\rVert^2 - \mathbf 1^T\lambda, \qquad
              0 \le \lambda_i \le c_i, \quad r^T\lambda = 0, \qquad w = V^T\lambda                       \quad (2)

    A primal-dual method: each step solves the Newton equations of (2) with barriers of weight :math:`\mu`, a matrix
    :math:`D + VV^T` with diagonal D, whose inverse costs O(n d^2). It predicts with :math:`\mu = 0` and corrects.

    Parameters
    ----------
    X : (n, d)      side : (n,) -1 or 1, both present      cost : (n,) above 0
    tol : where the gap between (1) and (2), relative to (1), counts as zero
    enough : once (1) cannot come below this number, it is not sought further

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees.multivariate.soft_margin import soft_margin
    >>> w, b, objective = soft_margin(np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0]), np.full(3, 10.0))
    >>> round(float(w[0]), 6), round(b, 6), round(objective, 6)          # margin from 1 to 3
    (1.0, -2.0, 0.5)
    """
    V = X * side[:, None]
    n, several = len(X), [cost[side < 0].sum(), cost[side > 0].sum()]
    lam = cost * np.where(side < 0, several[1], several[0]) / (2 * max(several))  # so that r' lambda = 0
    slack, low, high = cost - lam, np.ones(n), np.ones(n)  # the other side of lambda, and both multipliers
    bias = 0.0
    for _ in range(60):
        w = V.T @ lam
        value = 0.5 * w @ w + cost @ np.maximum(0.0, 1 - V @ w - side * bias)
        dual = lam.sum() - 0.5 * w @ w
        if value - dual <= tol * (1 + value) or dual > enough:
            break
        residual = V @ w - 1 + side * bias - low + high, side @ lam
        at = lam, slack, low, high
        solve = _newton(V, side, low / lam + high / slack)
        if solve is None:  # as close as rounding lets one come
            break
        guess = _step(solve, residual, at, lam * low, slack * high)
        mu = (lam @ low + slack @ high) / (2 * n)
        t = _reach(at, guess)
        ahead = (lam + t * guess[0]) @ (low + t * guess[2]) + (slack + t * guess[1]) @ (high + t * guess[3])
        aim = mu * (ahead / (2 * n * mu)) ** 3  # the further a step with mu = 0 may go, the bolder
        step = _step(
            solve,
            residual,
            at,
            lam * low + guess[0] * guess[2] - aim,
            slack * high + guess[1] * guess[3] - aim,
        )
        t = 0.995 * _reach(at, step)
        lam, slack, low, high = (variable + t * by for variable, by in zip(at, step[:4]))
        bias += t * step[4]
    return _primal(X, side, cost, V.T @ lam)


Solve = Callable[[np.ndarray, float], tuple[np.ndarray, float]]


def _newton(V: np.ndarray, side: np.ndarray, diagonal: np.ndarray) -> Solve | None:
    """A solver of (D + VV') x + side b = r, side' x = s; None if rounding leaves nothing to solve."""
    from scipy.linalg import cho_factor, cho_solve

    scaled = V / diagonal[:, None]
    try:
        factor = cho_factor(np.eye(V.shape[1]) + V.T @ scaled)
    except (np.linalg.LinAlgError, ValueError):
        return None

    def inverse(r: np.ndarray) -> np.ndarray:  # (D + VV')^-1 r = D^-1 r - D^-1 V (I + V'D^-1V)^-1 V'D^-1 r
        return r / diagonal - scaled @ cho_solve(factor, scaled.T @ r)

    across = inverse(side)

    def solve(r: np.ndarray, s: float) -> tuple[np.ndarray, float]:
        x = inverse(r)
        b = float(side @ x - s) / float(side @ across)
        return x - b * across, b

    return solve


def _step(
    solve: Solve, residual: tuple[np.ndarray, float], at: tuple[np.ndarray, ...], low_gap: Any, high_gap: Any
) -> tuple[Any, ...]:
    """The steps of lambda, its slack, both multipliers and the bias that close all gaps to first order."""
    lam, slack, low, high = at
    d_lam, d_bias = solve(-residual[0] - low_gap / lam + high_gap / slack, -residual[1])
    return d_lam, -d_lam, -(low_gap + low * d_lam) / lam, -(high_gap - high * d_lam) / slack, d_bias


def _reach(at: tuple[np.ndarray, ...], step: tuple[Any, ...]) -> float:
    """How far a step may go, at most 1, until one of the positive numbers is zero."""
    with np.errstate(over="ignore"):  # a step of next to nothing may go any way
        ends = [
            np.min(np.where(by < 0, -value / np.minimum(by, -1e-300), 1.0)) for value, by in zip(at, step)
        ]
    return min(1.0, *map(float, ends))


def _primal(
    X: np.ndarray, side: np.ndarray, cost: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, float, float]:
    """(1) for these weights with the bias that is best for them: where the slopes of the hinges balance."""
    z = X @ w
    at = side - z  # each row's hinge bends where the bias is r_i - z_i
    order = np.argsort(at, kind="stable")
    slope = np.cumsum(cost[order]) - cost[side > 0].sum()
    i = int(np.searchsorted(slope, -1e-12 * cost.sum()))
    i = min(i, len(order) - 1)
    b = at[order[i]]
    if abs(slope[i]) <= 1e-12 * cost.sum() and i + 1 < len(
        order
    ):  # flat from here to the next bend: the middle
        b = (b + at[order[i + 1]]) / 2
    slack = np.maximum(0.0, 1 - side * (z + b))
    return w, float(b), float(0.5 * w @ w + cost @ slack)
