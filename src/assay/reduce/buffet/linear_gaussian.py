"""Rows as sums of binary features plus noise, the features' values integrated out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["feature_posterior", "feature_values", "log_likelihood"]


def log_likelihood(X: ArrayLike, Z: ArrayLike, noise: float, feature_scale: float) -> float:
    r"""log p(X | Z) of X = Z A + noise with Gaussian A integrated out.

    .. math:: \frac{\exp\{-\frac1{2\sigma_x^2}\mathrm{tr}[X^T(I - ZM^{-1}Z^T)X]\}}
              {(2\pi)^{ND/2}\sigma_x^{(N-K)D}\sigma_A^{KD}|M|^{D/2}},
              \qquad M = Z^TZ + \frac{\sigma_x^2}{\sigma_A^2}I

    Parameters
    ----------
    X : (N, D)
    Z : (N, K) zeros and ones
    noise, feature_scale : standard deviations of the noise and of the features' values

    Examples
    --------
    >>> from assay.reduce.buffet.linear_gaussian import log_likelihood
    >>> X, Z = [[1, 2], [0.5, 1.5], [0.7, 0.2]], [[1, 1], [1, 0], [0, 1]]
    >>> round(log_likelihood(X, Z, noise=0.5, feature_scale=1.0), 8)
    -7.05744308
    """
    X, Z = np.asarray(X, dtype=np.float64), np.asarray(Z, dtype=np.float64)
    (N, D), K = X.shape, Z.shape[1]
    value = -0.5 * N * D * np.log(2 * np.pi) - (N - K) * D * np.log(noise) - K * D * np.log(feature_scale)
    if K == 0:
        return float(value - (X**2).sum() / (2 * noise**2))
    L = _factor(Z, noise, feature_scale)
    value -= D * np.log(np.diag(L)).sum()
    explained = np.linalg.solve(L, Z.T @ X)
    return float(value - ((X**2).sum() - (explained**2).sum()) / (2 * noise**2))


def feature_values(X: ArrayLike, Z: ArrayLike, noise: float, feature_scale: float) -> np.ndarray:
    """(K, D) E[A | X, Z] = M^-1 Z'X.

    >>> from assay.reduce.buffet.linear_gaussian import feature_values
    >>> X, Z = [[1, 2], [0.5, 1.5], [0.7, 0.2]], [[1, 1], [1, 0], [0, 1]]
    >>> feature_values(X, Z, noise=0.5, feature_scale=1.0).round(8)
    array([[0.41230769, 1.39692308],
           [0.57230769, 0.35692308]])
    """
    return feature_posterior(np.asarray(X, float), np.asarray(Z, float), noise, feature_scale)[1]


def feature_posterior(
    X: np.ndarray, Z: np.ndarray, noise: float, feature_scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """M^-1 (K, K), which times noise^2 is the covariance of each column of A, and E[A] (K, D)."""
    if not Z.shape[1]:
        return np.zeros((0, 0)), np.zeros((0, X.shape[1]))
    root = np.linalg.inv(_factor(Z, noise, feature_scale))
    H = root.T @ root
    return H, H @ (Z.T @ X)


def _factor(Z: np.ndarray, noise: float, feature_scale: float) -> np.ndarray:
    """The lower triangular factor of M."""
    return np.linalg.cholesky(Z.T @ Z + (noise / feature_scale) ** 2 * np.eye(Z.shape[1]))
