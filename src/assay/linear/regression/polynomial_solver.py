"""Least squares in a basis of polynomials, with or without a penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from assay.linear.regression.polynomial_basis import PolynomialBasis

__all__ = ["PolynomialFit", "curve", "fit_polynomial"]

MANY_ROWS = 20  # a term, from which on squares are summed instead of keeping all terms of all rows
SOUND = 1e-5  # the smallest share of a triangle's diagonal with which one step of refinement is enough


@dataclass(frozen=True)
class PolynomialFit:
    """Result of `fit_polynomial`.

    weights : (m, outputs) of the basis functions      smoother : (m, m) covariance of the weights for unit noise
    parameters : trace of the hat matrix      rank : of the equations      sse : (outputs,) weighted squares left
    """

    weights: np.ndarray
    smoother: np.ndarray
    parameters: float
    rank: int
    sse: np.ndarray


def fit_polynomial(
    basis: PolynomialBasis, X: np.ndarray, y: np.ndarray, w: np.ndarray, penalty: np.ndarray
) -> PolynomialFit:
    r"""Minimise :math:`\sum_i w_i \|y_i - c^Tz(x_i)\|^2 + \|Pc\|^2`; the shortest c if there are several.

    By the singular values of :math:`[\sqrt w Z; P]`. Of many rows only a triangle R with :math:`R^TR = Z^TWZ` is kept,
    and one step with the true residual brings back the digits that squaring lost.

    Parameters
    ----------
    basis : m functions of a row      X : (n, d)      y : (n, outputs)      w : (n,)      penalty : (p, m) P

    Examples
    --------
    >>> from assay.linear.regression.polynomial_basis import PolynomialBasis
    >>> from assay.linear.regression.polynomial_solver import fit_polynomial
    >>> basis = PolynomialBasis(np.array([[0], [1]]), np.array([1.0]), np.array([1.0]))   # 1 and x - 1
    >>> x, y = np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]])
    >>> fit_polynomial(basis, x, y, np.ones(3), np.zeros((0, 2))).weights.round(9)
    array([[3.],
           [2.]])
    """
    n, m = len(X), len(basis.powers)
    R, target = _equations(basis, X, y, w)
    U, s, Vt = np.linalg.svd(np.vstack([R, penalty]), full_matrices=False)
    kept = s > max(n, m) * np.finfo(np.float64).eps * s[0]
    s, Vt = s[kept], Vt[kept]
    data, penalised = U[: len(R), kept], U[len(R) :, kept]
    weights = Vt.T @ ((data.T @ target) / s[:, None])
    sse, slope = _left(basis, X, y, w, weights)
    if len(R) < n:
        pull = data.T @ solve_triangular(R, slope, trans="T") - penalised.T @ (penalty @ weights)
        weights = weights + Vt.T @ (pull / s[:, None])
        sse, _ = _left(basis, X, y, w, weights)
    smoother = Vt.T @ ((data.T @ data) / np.outer(s, s)) @ Vt
    return PolynomialFit(weights, smoother, float(np.sum(data**2)), int(kept.sum()), sse)


def curve(basis: PolynomialBasis, weights: np.ndarray, X: np.ndarray) -> np.ndarray:
    """(n, outputs) the polynomials at each row."""
    out = np.empty((len(X), weights.shape[1]))
    for rows, Z in basis.blocks(X):
        out[rows] = Z.T @ weights
    return out


def _equations(
    basis: PolynomialBasis, X: np.ndarray, y: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A and b with the same least squares as √w Z and √w y: a triangle if the rows are many, else these."""
    m = len(basis.powers)
    if len(X) >= MANY_ROWS * m:
        G, b = np.zeros((m, m)), np.zeros((m, y.shape[1]))
        for rows, Z in basis.blocks(X):
            weighted = Z * w[rows]
            G += weighted @ Z.T
            b += weighted @ y[rows]
        try:
            R = np.linalg.cholesky(G).T
        except np.linalg.LinAlgError:  # dependent terms
            R = np.zeros((m, m))
        if np.abs(np.diag(R)).min() > SOUND * np.abs(np.diag(R)).max():
            return R, solve_triangular(R, b, trans="T")
    root = np.sqrt(w)[:, None]
    return root * basis.columns(X), root * y


def _left(
    basis: PolynomialBasis, X: np.ndarray, y: np.ndarray, w: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(outputs,) the sum of squared residuals e, and (m, outputs) ZᵀWe."""
    sse, slope = np.zeros(y.shape[1]), np.zeros((len(weights), y.shape[1]))
    for rows, Z in basis.blocks(X):
        e = y[rows] - Z.T @ weights
        pull = w[rows, None] * e
        sse += np.sum(pull * e, axis=0)
        slope += Z @ pull
    return sse, slope
