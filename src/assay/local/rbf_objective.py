"""What a network of Gaussian units is fitted by: its error, and the gradient with respect to all it is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from assay.core.parallel import end_if_abandoned
from assay.core.scores import softmax
from assay.local.units import Units, squared_distances

__all__ = ["RBFLayers", "descend", "error_and_gradient", "gradient_of_units", "hidden"]


@dataclass(frozen=True)
class RBFLayers:
    """A network of Gaussian units: (K, H) weights, (K, d) direct weights or (K, 0), (K,) constants."""

    units: Units
    weights: np.ndarray
    direct: np.ndarray
    intercept: np.ndarray
    normalize: bool

    def outputs(self, X: np.ndarray) -> np.ndarray:
        """(n, K) sums of the units, before any softmax."""
        total = hidden(self.units, X, self.normalize) @ self.weights.T + self.intercept
        return total + X @ self.direct.T if self.direct.shape[1] else total


def hidden(units: Units, X: np.ndarray, normalize: bool) -> np.ndarray:
    """(n, H) activations of the units, or their shares."""
    return units.shares(X) if normalize else units.activations(X)


def error_and_gradient(
    net: RBFLayers, X: np.ndarray, target: np.ndarray, weight: np.ndarray, kind: str, alpha: float
) -> tuple[float, dict[str, np.ndarray]]:
    r"""The error of a network, and how it changes with weights, constants, centres and spreads.

    .. math:: E = \tfrac12\sum_t w_t \|r^t - y^t\|^2 \quad\text{or}\quad -\sum_t w_t\sum_i r_i^t\ln y_i^t,
              \qquad \text{and } \tfrac{\alpha}{2}\|W\|^2                                             \quad (1)

    With the error of a row :math:`\delta = y - r` (numbers, or the softmax of classes) and
    :math:`e_h = \sum_i \delta_i w_{ih}`, the derivative by :math:`\ln p_h` is :math:`c_h = e_h p_h`, or for shares
    :math:`c_h = g_h (e_h - \sum_l g_l e_l)`; then

    .. math:: \frac{\partial E}{\partial m_h} = \sum_t c_h (x - m_h)/s_h^2, \qquad
              \frac{\partial E}{\partial s_h} = \sum_t c_h \|x - m_h\|^2/s_h^3                          \quad (2)

    Spreads of full covariances stay as they are.
    """
    F = hidden(net.units, X, net.normalize)
    Z = F @ net.weights.T + net.intercept
    if net.direct.shape[1]:
        Z = Z + X @ net.direct.T
    if kind == "numbers":
        D = Z - target
        value = 0.5 * float((weight[:, None] * D**2).sum())
    else:
        shifted = Z - Z.max(axis=1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        value = -float((weight[:, None] * target * logs).sum())
        D = softmax(Z) - target
    D = D * weight[:, None]
    value += 0.5 * alpha * float((net.weights**2).sum() + (net.direct**2).sum())
    e = D @ net.weights
    c = F * (e - (F * e).sum(axis=1, keepdims=True)) if net.normalize else F * e
    gradient = {
        "weights": D.T @ F + alpha * net.weights,
        "direct": D.T @ X + alpha * net.direct if net.direct.shape[1] else np.zeros_like(net.direct),
        "intercept": D.sum(axis=0),
        **gradient_of_units(net.units, X, c),
    }
    return value, gradient


def gradient_of_units(units: Units, X: np.ndarray, c: np.ndarray) -> dict[str, np.ndarray]:
    """The gradient by centres and by the logarithms of spreads, (2)."""
    m, s = units.centers, units.spreads
    totals = c.sum(axis=0)
    pull = c.T @ X - totals[:, None] * m  # sum_t c_h (x - m_h)
    if s.ndim == 1:
        squares = (c * squared_distances(X, m)).sum(axis=0)
        return {"centers": pull / s[:, None] ** 2, "spreads": squares / s**2}
    if s.ndim == 2:
        squares = np.stack([c[:, h] @ (X - m[h]) ** 2 for h in range(len(m))])
        return {"centers": pull / s**2, "spreads": squares / s**2}
    return {
        "centers": np.stack([np.linalg.solve(S, p) for S, p in zip(s, pull)]),
        "spreads": np.zeros_like(s),
    }


def descend(
    net: RBFLayers,
    X: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    kind: str,
    *,
    alpha: float,
    free: tuple[str, ...],
    max_iter: int,
    tol: float,
    history: list[dict[str, Any]] | None = None,
) -> tuple[RBFLayers, int, bool]:
    """Minimise the error by some of the network's parts.

    Centres stay within the range of the rows, spreads within a thousandth and a thousand times of where they began.
    Spreads are moved by their logarithms. Steps are those of L-BFGS with bounds.
    """
    start = {name: _part(net, name) for name in free}
    first = np.concatenate([part.ravel() for part in start.values()])
    low, high = X.min(axis=0), X.max(axis=0)
    bounds = list[tuple[float | None, float | None]]()
    for name, part in start.items():
        if name == "centers":
            bounds += [(min(a, m), max(b, m)) for row in part for a, b, m in zip(low, high, row)]
        elif name == "spreads":
            bounds += [(v - np.log(1000), v + np.log(1000)) for v in part.ravel()]
        else:
            bounds += [(None, None)] * part.size

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        end_if_abandoned()
        moved = _with(net, start, flat)
        value, gradient = error_and_gradient(moved, X, target, weight, kind, alpha)
        if not np.isfinite(value):
            return np.inf, np.zeros_like(flat)
        return value, np.concatenate([gradient[name].ravel() for name in start])

    def note(result: Any) -> None:
        if history is not None:
            history.append({"iteration": len(history) + 1, "error": float(result.fun)})

    def callback(intermediate_result: Any) -> None:
        note(intermediate_result)

    result = minimize(
        objective, first, jac=True, method="L-BFGS-B", bounds=bounds, callback=callback,
        options={"maxiter": max_iter, "ftol": 1e-10, "gtol": tol * max(float(weight.sum()), 1e-300), "maxcor": 20},
    )  # fmt: skip
    return _with(net, start, result.x), int(result.nit), bool(result.success)


def _part(net: RBFLayers, name: str) -> np.ndarray:
    if name == "centers":
        return net.units.centers
    if name == "spreads":
        return np.log(net.units.spreads)
    part: np.ndarray = getattr(net, name)
    return part


def _with(net: RBFLayers, parts: dict[str, np.ndarray], flat: np.ndarray) -> RBFLayers:
    place, new = 0, dict[str, Any]()
    for name, part in parts.items():
        new[name] = flat[place : place + part.size].reshape(part.shape)
        place += part.size
    units = Units(
        new.pop("centers", net.units.centers),
        np.exp(new.pop("spreads")) if "spreads" in new else net.units.spreads,
    )
    return replace(net, units=units, **new)
