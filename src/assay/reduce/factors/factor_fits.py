"""Loadings and specific variances from a correlation matrix, by four methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.reduce.components.spectrum import with_fixed_signs

__all__ = ["FLOOR", "FactorFit", "by_em", "by_likelihood", "by_principal_axes", "by_principal_components"]

SAME_DEVIANCE = 1e-9  # by which two maxima may differ by rounding
FLOOR = 1e-8  # smallest share of its variance that a column has for itself


@dataclass(frozen=True)
class FactorFit:
    """V (d, k) loadings, psi (d,) specific variances, and how the fit went.

    deviance : log|Sigma| + tr(Sigma^-1 R) of each step      converged : bool
    """

    V: np.ndarray
    psi: np.ndarray
    deviance: list[float]
    converged: bool


def by_principal_components(R: np.ndarray, k: int) -> FactorFit:
    r"""The k leading eigenvectors times the roots of their eigenvalues; what is left is specific."""
    values, C = _leading(R, k)
    V = C * np.sqrt(values)
    psi = np.maximum(np.diag(R) - np.einsum("ij,ij->i", V, V), FLOOR * np.diag(R))
    return FactorFit(V, psi, [deviance(R, V, psi)], True)


def by_principal_axes(R: np.ndarray, k: int, tol: float, max_iter: int) -> FactorFit:
    """Principal components of R less its specific variances, over and over."""
    psi, history, V = _first_specific(R), [], np.zeros((len(R), k))
    largest = float(np.diag(R).max(initial=0.0))
    for _ in range(max_iter):
        values, C = _leading(R - np.diag(psi), k)
        V = C * np.sqrt(values)
        new = np.maximum(np.diag(R) - np.einsum("ij,ij->i", V, V), FLOOR * np.diag(R))
        change, psi = float(np.abs(new - psi).max()), new
        history.append(deviance(R, V, psi))
        if change <= tol * largest:
            return FactorFit(V, psi, history, True)
    return FactorFit(V, psi, history, False)


def by_em(R: np.ndarray, k: int, tol: float, max_iter: int, psi: np.ndarray | None = None) -> FactorFit:
    r"""Maximum likelihood by expectation and maximisation (Rubin and Thayer).

    .. math:: \beta = V^T(VV^T+\Psi)^{-1}, \quad V' = R\beta^T(I-\beta V+\beta R\beta^T)^{-1}, \quad
              \Psi' = \mathrm{diag}(R - V'\beta R)
    """
    start = by_principal_components(R, k)
    V, psi = start.V, start.psi if psi is None else psi
    history = [deviance(R, V, psi)]
    for _ in range(max_iter):
        beta = _regression(V, psi)
        S = np.eye(k) - beta @ V + beta @ R @ beta.T
        V = np.linalg.solve(S.T, (R @ beta.T).T).T
        psi = np.maximum(np.diag(R) - np.einsum("ij,ji->i", V, beta @ R), FLOOR * np.diag(R))
        history.append(deviance(R, V, psi))
        if history[-2] - history[-1] < tol:
            return FactorFit(V, psi, history, True)
    return FactorFit(V, psi, history, False)


def by_likelihood(
    R: np.ndarray, k: int, tol: float, max_iter: int, psi: np.ndarray | None = None
) -> FactorFit:
    r"""Maximum likelihood by quasi-Newton steps in :math:`\log\psi`, the best of two starts.

    For given :math:`\Psi` the loadings are known: with :math:`\Psi^{-1/2}R\Psi^{-1/2} = U\Theta U^T`, they are
    :math:`\Psi^{1/2}U_k(\Theta_k - I)^{1/2}` (Lawley), and the slope of what is left is
    :math:`\sum_j u_{ij}^2(1/\Theta'_j - \theta_j/\Theta'^2_j)` with :math:`\Theta'` at least 1 and 1 beyond k.
    """
    starts = [_first_specific(R) * (1 - 0.5 * k / len(R)), by_principal_components(R, k).psi]
    first, *others = [_climb(R, k, start, tol, max_iter) for start in ([psi] if psi is not None else starts)]
    return next((fit for fit in others if fit.deviance[-1] < first.deviance[-1] - SAME_DEVIANCE), first)


def deviance(R: np.ndarray, V: np.ndarray, psi: np.ndarray) -> float:
    """log|Sigma| + tr(Sigma^-1 R) for Sigma = V V' + diag(psi)."""
    root = np.sqrt(psi)
    A = V / root[:, None]
    M = np.eye(V.shape[1]) + A.T @ A
    Z = R / root / root[:, None]
    log_det = float(np.sum(np.log(psi))) + float(np.linalg.slogdet(M)[1])
    return log_det + float(np.trace(Z)) - float(np.trace(np.linalg.solve(M, A.T @ Z @ A)))


def _climb(R: np.ndarray, k: int, start: np.ndarray, tol: float, max_iter: int) -> FactorFit:
    from scipy.optimize import minimize

    diagonal, history = np.diag(R), list[float]()

    def value_slope(x: np.ndarray) -> tuple[float, np.ndarray]:
        theta, U, capped = _whitened(R, x, k)
        slope = np.einsum("ij,j->i", U * U, 1 / capped - theta / capped**2)
        return float(np.sum(x) + np.sum(np.log(capped)) + np.sum(theta / capped)), slope

    def record(value: float) -> None:
        if not history or value < history[-1]:  # or it is the last value again, up to rounding
            history.append(value)

    low, high = np.log(FLOOR * diagonal), np.log(diagonal)
    result = minimize(
        value_slope,
        np.clip(np.log(start), low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(low, high)),
        options={"maxiter": max_iter, "maxcor": 20, "ftol": tol, "gtol": min(1e-9, tol)},
        callback=lambda x: record(value_slope(x)[0]),
    )
    theta, U, _ = _whitened(R, result.x, k)
    V = np.exp(result.x / 2)[:, None] * U[:, :k] * np.sqrt(np.maximum(theta[:k] - 1, 0))
    record(float(result.fun))
    return FactorFit(with_fixed_signs(V.T).T, np.exp(result.x), history, bool(result.status != 1))


def _whitened(R: np.ndarray, x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues of Psi^-1/2 R Psi^-1/2, the largest first, their vectors, and those of the model."""
    scale = np.exp(-x / 2)
    theta, U = np.linalg.eigh(R * scale * scale[:, None])
    theta, U = np.maximum(theta[::-1], 0.0), U[:, ::-1]
    capped = np.ones(len(theta))
    capped[:k] = np.maximum(theta[:k], 1.0)
    return theta, U, capped


def _regression(V: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """(k, d) V'(VV' + Psi)^-1, by the small matrix."""
    scaled = V / psi[:, None]
    return np.linalg.solve(np.eye(V.shape[1]) + V.T @ scaled, scaled.T)


def _leading(S: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    values, C = np.linalg.eigh(S)
    return np.maximum(values[::-1][:k], 0.0), with_fixed_signs(C[:, ::-1][:, :k].T).T


def _first_specific(R: np.ndarray) -> np.ndarray:
    """(d,) what of each column the others do not explain, 1 / (R^-1)_ii."""
    d, diagonal = len(R), np.diag(R)
    values, C = np.linalg.eigh(R)
    safe = np.maximum(values, 1e-6 * values[-1] if values[-1] > 0 else 1.0)
    return np.clip(1 / np.einsum("ij,j->i", C * C, 1 / safe), 1e-3 * diagonal, diagonal) if d else diagonal
