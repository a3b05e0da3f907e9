"""Loadings and specific variances from a correlation matrix, by four methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.reduce.components.spectrum import with_fixed_signs

__all__ = [
    "FLOOR",
    "FactorFit",
    "by_em",
    "by_likelihood",
    "by_principal_axes",
    "by_principal_components",
    "vanishing",
]

SAME_DEVIANCE = 1e-9  # by which two maxima may differ by rounding
LONGEST_STEP = 2.0  # of the logarithm of a specific variance
ENOUGH_GAIN = 1e-4  # of what the slope promises
MOST_HALVINGS = 30
RIDGE = 1e-8
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


def vanishing(variances: np.ndarray) -> bool:
    """Whether a variance above 0 is so small that its digits are lost."""
    return bool(((variances > 0) & (variances < np.finfo(np.float64).tiny)).any())


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
    r"""Maximum likelihood by Newton's steps in :math:`\log\psi`, the best of two starts.

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
    """Newton's steps from one start, within bounds; each is shortened until the deviance falls."""
    low, high = np.log(FLOOR * np.diag(R)), np.log(np.diag(R))
    point = _Specific.of(R, np.clip(np.log(start), low, high), k)
    history, converged = [point.deviance], False
    for _ in range(max_iter):
        slope = point.slope
        free = ~((point.x <= low) & (slope > 0) | (point.x >= high) & (slope < 0))
        step = np.zeros_like(slope)
        step[free] = -_solved(point, free, slope[free])
        step *= min(1.0, LONGEST_STEP / np.abs(step).max(initial=LONGEST_STEP))
        rounding = tol * abs(point.deviance)
        if not -float(slope @ step) > rounding:  # the last step: too near for the deviance to tell
            point, converged = _Specific.of(R, np.clip(point.x + step, low, high), k), True
            break
        for _ in range(MOST_HALVINGS):
            next_point = _Specific.of(R, np.clip(point.x + step, low, high), k)
            if next_point.deviance <= point.deviance + ENOUGH_GAIN * float(slope @ (next_point.x - point.x)):
                break
            step /= 2
        gain = point.deviance - next_point.deviance
        if gain > 0:
            point = next_point
            history.append(point.deviance)
        if gain <= rounding:
            converged = True
            break
    leading = np.sqrt(np.maximum(point.theta[:k] - 1, 0))
    V = np.exp(point.x / 2)[:, None] * point.U[:, :k] * leading
    return FactorFit(with_fixed_signs(V.T).T, np.exp(point.x), history, converged)


@dataclass(frozen=True)
class _Specific:
    r"""Specific variances exp(x), and eigenvalues and vectors of :math:`\Psi^{-1/2}R\Psi^{-1/2}` that belong to them.

    The deviance is :math:`\sum x + \sum_{j\in L}(\log\theta_j + 1) + \sum_{m\notin L}\theta_m`, with L the first k as
    far as they exceed 1.
    """

    x: np.ndarray
    theta: np.ndarray  # (d,) the largest first
    U: np.ndarray  # (d, d)
    leading: int  # how many are in L

    @classmethod
    def of(cls, R: np.ndarray, x: np.ndarray, k: int) -> _Specific:
        scale = np.exp(-x / 2)
        theta, U = np.linalg.eigh(R * scale * scale[:, None])
        theta = np.maximum(theta[::-1], 0.0)
        return cls(x, theta, U[:, ::-1], int(np.count_nonzero(theta[:k] > 1.0)))

    @property
    def deviance(self) -> float:
        q = self.leading
        return float(self.x.sum() + np.log(self.theta[:q]).sum() + q + self.theta[q:].sum())

    @property
    def slope(self) -> np.ndarray:
        others = self.U[:, self.leading :]
        return (others * others) @ (1 - self.theta[self.leading :])

    def curvature(self) -> np.ndarray:
        r"""(d, d) the second derivatives of the deviance by x, with m outside of L and l in it.

        .. math:: \Big(\sum_m u_{im}u_{jm}\Big)\Big(\sum_m\theta_mu_{im}u_{jm}\Big) + \sum_l u_{il}u_{jl}\sum_m
                  \frac{(\theta_m-1)(\theta_m+\theta_l)}{\theta_m-\theta_l}\,u_{im}u_{jm}
        """
        q, others = self.leading, self.U[:, self.leading :]
        small = self.theta[q:]
        H = (others @ others.T) * ((others * small) @ others.T)
        for large, u in zip(self.theta[:q], self.U[:, :q].T):
            gap = np.minimum(small - large, -np.finfo(float).eps * large)
            H += np.outer(u, u) * ((others * ((small - 1) * (small + large) / gap)) @ others.T)
        return H


def _solved(at: _Specific, free: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """The curvature's solution; where that is not positive definite, that of a model that fits (Joreskog)."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    others = at.U[:, at.leading :]
    for H in (at.curvature, lambda: (others @ others.T) ** 2 + RIDGE * np.eye(len(others))):
        try:
            return cho_solve(cho_factor(H()[np.ix_(free, free)]), slope)
        except LinAlgError:
            continue
    return slope


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
