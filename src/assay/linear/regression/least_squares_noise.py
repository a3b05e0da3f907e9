"""The noise around a least-squares fit, from the sums that the fit kept: variance, degrees of freedom, leverages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Boolean, FloatArray, Scalar
from assay.errors import DegenerateError
from assay.linear.regression.least_squares_sums import Floats, Problem, problem_of
from assay.stats.distributions.predictive import Student

__all__ = ["FROM_EARLIER_VERSION", "LeastSquaresNoise", "inverse_root", "least_squares_noise"]

FROM_EARLIER_VERSION = (
    "it was fitted by an earlier version, which kept nothing for predictive distributions. Fit it again."
)
ROUNDING = 1e-13  # of the targets' squares: residual squares below it are lost in their difference
BLOCK_NUMBERS = 2**22  # of rows times columns that are centred at a time


@dataclass(frozen=True)
class LeastSquaresNoise:
    r"""What a new row adds to a fit's own uncertainty.

    With :math:`A = \sum_i v_iu_iu_i^T + P`, u the row with a 1 for the constant and P the penalty, a new row of
    weight 1 has the predictive distribution

    .. math:: y \sim t_\nu\!\left(w^Tx+b,\; \hat\sigma^2(1+u^TA^{-1}u)\right), \quad
              \hat\sigma^2 = \frac{\sum_iv_ie_i^2}{\nu}, \quad
              \nu = n - \mathrm{tr}(2H-H^2),\; H = A^{-1}(A-P)                                    \quad (1)

    Without a penalty this is the prediction interval of the textbook, exact under normal noise of one variance. With
    one, :math:`\hat\sigma^2A^{-1}` is the covariance of the weights after seeing the rows if they were
    :math:`N(0,\sigma^2/\alpha)` beforehand.

    Attributes
    ----------
    sigma : float      dof : float
    center : (d,) subtracted from the columns      root : (D, r) with :math:`A^{-1}` = root rootᵀ
    constant : whether u ends with a 1
    """

    storable = True
    stored = {
        "sigma": Scalar(low=0, finite=True),
        "dof": Scalar(low=0, finite=True),
        "center": FloatArray("d", finite=True),
        "root": FloatArray("D", "r", finite=True),
        "constant": Boolean(),
    }

    sigma: float
    dof: float
    center: Floats
    root: Floats
    constant: bool

    def rooted(self, X: Any) -> Floats:
        """(n, r) rows z with :math:`z^Tz' = u^TA^{-1}u'`."""
        d = len(self.center)
        block = X if isinstance(X, np.ndarray) else X.toarray()
        Z = (block - self.center) @ self.root[:d]
        return Z + self.root[d] if self.constant else Z

    def leverages(self, X: Any) -> Floats:
        """(n,) :math:`u^TA^{-1}u` of new rows."""
        out = np.empty(X.shape[0])
        step = max(1, BLOCK_NUMBERS // max(len(self.center), 1))
        for a in range(0, X.shape[0], step):
            Z = self.rooted(X[a : a + step])
            out[a : a + step] = np.einsum("ij,ij->i", Z, Z)
        return out

    def distribution(self, X: Any, mean: Floats) -> Student:
        """The predictive distribution (1) of new rows."""
        return Student(mean, self.sigma * np.sqrt(1 + self.leverages(X)), self.dof)


def least_squares_noise(
    sums: Any, w: Floats, b: float, alpha: float, intercept: str, who: str
) -> LeastSquaresNoise:
    """The noise around the weights w and the constant b.

    Parameters
    ----------
    sums : Sums of the training rows, with one target
    alpha : the penalty      intercept : "free", "none" or "penalised"
    who : the learner, for messages
    """
    moments = sums._full()
    problem, d = problem_of(moments, len(w)), len(w)
    S, m, n = problem.S, problem.mean, problem.n
    targets = float(moments.scatter[0][d, d])
    c, gap = problem.C[:, 0], float(problem.target[0]) - b - float(w @ m)
    squares = targets - 2 * float(w @ c) + float(w @ (S @ w)) + n * gap * gap
    squares = squares if squares > ROUNDING * targets else 0.0
    gram, penalty = _gram(problem, alpha, intercept)
    root, freedom = inverse_root(gram, penalty)
    dof = problem.rows - freedom
    if not dof > 1e-9 * problem.rows:
        raise DegenerateError(
            f"{who}: {problem.rows} rows for {freedom:.4g} parameters leave nothing to estimate the noise from, so "
            "there is no predictive distribution. Give more rows or fewer columns."
        )
    center = np.zeros(d) if intercept == "none" else m
    return LeastSquaresNoise(float(np.sqrt(squares / dof)), dof, center, root, intercept != "none")


def _gram(problem: Problem, alpha: float, intercept: str) -> tuple[Floats, Floats]:
    """The matrices A - P and P of (1), in the columns less their means and a 1."""
    S, m, n, d = problem.S, problem.mean, problem.n, len(problem.mean)
    if intercept == "none":
        return S + n * np.outer(m, m), alpha * np.eye(d)
    gram, penalty = np.zeros((d + 1, d + 1)), np.zeros((d + 1, d + 1))
    gram[:d, :d], gram[d, d] = S, n
    penalty[:d, :d] = alpha * np.eye(d)
    if (
        intercept == "penalised"
    ):  # the constant of the columns as they are is that of the centred ones less w'm
        penalty[:d, :d] += alpha * np.outer(m, m)
        penalty[:d, d] = penalty[d, :d] = -alpha * m
        penalty[d, d] = alpha
    return gram, penalty


def inverse_root(gram: Floats, penalty: Floats) -> tuple[Floats, float]:
    """(D, r) a root of the inverse of gram + penalty, directions without any spread left out; and tr(2H - H^2)."""
    A = gram + penalty
    power = np.sqrt(np.maximum(np.diag(A), 0.0))
    scale = np.where(power > 0, power, 1.0)
    values, vectors = np.linalg.eigh(A / scale / scale[:, None])
    known = values > len(A) * np.finfo(np.float64).eps * max(float(values[-1]), 1e-300)
    root = vectors[:, known] / np.sqrt(values[known]) / scale[:, None]
    if not penalty.any():
        return root, float(known.sum())
    H = root.T @ gram @ root
    return root, float(2 * np.trace(H) - np.sum(H * H))
