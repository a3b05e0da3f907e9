"""Sammon's stress, its gradient, and the descent along it."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.reduce.embedding.majorization import pulled

__all__ = ["POWERS", "quasi_newton", "sammon_factor", "sammon_terms"]

POWERS = {"sammon": 2.0, "sammon1969": 1.0}  # weights of the squared errors: delta^-power


def sammon_terms(delta: np.ndarray, Z: np.ndarray, normalization: str) -> tuple[float, np.ndarray]:
    """The stress of (n, k) points for distances of pairs, as `quality.stress` defines it, and its gradient (n, k)."""
    pull = pulled(delta, np.ascontiguousarray(Z.T), POWERS[normalization], slopes=True)
    factor = sammon_factor(delta, normalization)
    return factor * pull.stress, 2 * factor * (pull.S - pull.T).T


def sammon_factor(delta: np.ndarray, normalization: str) -> float:
    """What the sum over pairs is multiplied with: ordered pairs count twice, or all distances divide it."""
    return 2.0 if normalization == "sammon" else 1.0 / (float(delta.sum()) or 1.0)


def quasi_newton(terms: Any, start: np.ndarray, max_iter: int, tol: float) -> tuple[np.ndarray, list[float]]:
    """L-BFGS from a start: where it ends, and the stress at the start and after each step."""
    from scipy.optimize import minimize

    stresses = [float(terms(start)[0])]
    result = minimize(
        terms, start, jac=True, method="L-BFGS-B",
        callback=lambda intermediate_result: stresses.append(float(intermediate_result.fun)),
        options={"maxiter": max_iter, "ftol": tol, "gtol": 1e-12, "maxfun": 4 * max_iter + 50, "maxcor": 20},
    )  # fmt: skip
    return result.x, stresses
