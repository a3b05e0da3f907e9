"""The weights of several kernels at which their machine does best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["KernelWeights", "learn_weights", "onto_simplex"]

HALVINGS = 15  # of a step down the gradient until it helps
NEGLIGIBLE = 1e-6  # of the largest weight: kernels below it are left out

Solve = Callable[[np.ndarray], tuple[np.ndarray, float]]


@dataclass(frozen=True)
class KernelWeights:
    """Weights, and how far their objective can be from the least."""

    weights: np.ndarray  # (p,) they sum to 1
    objective: float
    gap: float  # as a share of the objective
    rounds: int
    settled: bool


def learn_weights(
    grams: np.ndarray,
    solve: Solve,
    *,
    rule: str,
    tol: float,
    max_rounds: int,
    watch: Callable[[dict[str, float]], None],
) -> KernelWeights:
    r"""Minimise the largest dual objective of the machine over the weights.

    .. math:: J(\eta) = \max_\alpha\; a(\alpha) - \tfrac12 \sum_i \eta_i q_i(\alpha), \quad
              q_i = c^TK_ic, \quad \eta_i \ge 0,\ \sum_i \eta_i = 1 \quad (1)

    (c the coefficients of the rows, :math:`a` what the dual has besides) is convex, and at any multipliers
    :math:`a(\alpha) - \tfrac12\max_i q_i` is below its minimum: the difference is the gap that the search ends by.

    Parameters
    ----------
    grams : (p, n, n) the kernel matrices
    solve : function of a kernel matrix, which gives the (P, n) coefficients of the machines and the value J
    rule : "gradient", steps along :math:`\partial J/\partial\eta_i = -q_i/2` projected onto the weights that are
        allowed, halved until J falls, or "norms", :math:`\eta_i \propto \|w_i\| = \eta_i\sqrt{q_i}`
    tol : the gap at which to stop, as a share of J
    watch : gets a record of each round
    """
    p = len(grams)
    eta, step, gap = np.full(p, 1.0 / p), 0.0, np.inf
    q, value = _measured(grams, eta, solve)
    for rounds in range(1, max_rounds + 1):
        gap = 0.5 * (float(q.max()) - float(eta @ q)) / max(abs(value), 1e-300)
        watch({"objective": value, "gap": gap, **{f"weight {i + 1}": float(w) for i, w in enumerate(eta)}})
        if gap <= tol or not q.any():
            return KernelWeights(_pruned(eta), value, gap, rounds, True)
        tried, new_q, new_value, step = eta, q, value, 2 * step if step else 1.0 / float(q.max())
        for _ in range(HALVINGS if rule == "gradient" else 0):
            tried = onto_simplex(eta + step * q / 2)
            new_q, new_value = _measured(grams, tried, solve)
            if new_value < value:
                break
            step /= 2
        if not new_value < value:  # by norms, which needs no length of a step
            norms = eta * np.sqrt(np.maximum(q, 0.0))
            tried = norms / norms.sum()
            new_q, new_value = _measured(grams, tried, solve)
            if rule == "gradient" and not new_value < value:  # the precision of the machine is reached
                return KernelWeights(_pruned(eta), value, gap, rounds, False)
        eta, q, value = tried, new_q, new_value
    return KernelWeights(_pruned(eta), value, gap, max_rounds, False)


def _measured(grams: np.ndarray, eta: np.ndarray, solve: Solve) -> tuple[np.ndarray, float]:
    """(p,) the squared norms q of (1) that belong to some weights, and J."""
    coefficients, value = solve(np.tensordot(eta, grams, 1))
    used = np.flatnonzero(coefficients.any(axis=0))
    C = coefficients[:, used]
    q = np.array([np.einsum("pi,pi->", C @ K[np.ix_(used, used)], C) for K in grams])
    return q, value


def _pruned(eta: np.ndarray) -> np.ndarray:
    eta = np.where(eta > NEGLIGIBLE * eta.max(), eta, 0.0)
    return eta / eta.sum()


def onto_simplex(v: np.ndarray) -> np.ndarray:
    """The nearest weights from 0 up with the sum 1.

    >>> import numpy as np
    >>> from assay.svm.several_kernels.learn_weights import onto_simplex
    >>> onto_simplex(np.array([0.5, 0.9, -1.0]))
    array([0.3, 0.7, 0. ])
    """
    falling = np.sort(v)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - excess[np.flatnonzero(falling > excess)[-1]], 0.0)
