r"""Least squares from sums: how the weights follow from the scatter S and the products C of the rows.

With S, C and the means m and :math:`\bar y` of (1) in :mod:`assay.linear.regression.least_squares_sums`, minimising
:math:`\sum_i v_i\lVert y_i - Wx_i - b\rVert^2 + \alpha\lVert W\rVert^2` gives

.. math:: (S + \kappa mm^T + \alpha I)\,W^T = C + \kappa m\bar y^T                                    \quad (2)

where :math:`\kappa` is the penalty of the constant b: 0 if it is free, :math:`b=\bar y-Wm`; :math:`n` (the total
weight) if there is none; :math:`n\alpha/(n+\alpha)` if it is penalised like the weights, :math:`b=n(\bar
y-Wm)/(n+\alpha)`.

(2) is solved by Cholesky with columns scaled to unit diagonal. Squaring costs digits: where the condition of the scaled
matrix says so, the rows are looked at once more and the same problem is solved from their triangular factor (blocks of
rows add up there, too: the factor of two factors), whose singular values also tell which directions are rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.linear.regression.least_squares_sums import Problem, Triangle

__all__ = ["Answer", "lsqr_centred", "solve", "solve_rows"]

Floats = NDArray[np.float64]

WELL_CONDITIONED = (
    1e-6  # reciprocal condition (of the squared problem) down to which Cholesky's digits are enough
)
SINGULAR = 1e-13  # below it Cholesky's answer is noise
EPS = float(np.finfo(np.float64).eps)
TINY = 1e-300  # the square of a column that is not there


class Answer(NamedTuple):
    """Weights (d, q), constants (q,), the rank of the centred columns, and how many directions it leaves out."""

    weights: Floats
    constant: Floats
    rank: int
    loose: int = 0


def intercept_kind(fit_intercept: bool, penalize_intercept: bool = False) -> str:
    """What the constant may do: "none" if there is none, "penalised" like the weights, or "free"."""
    if not fit_intercept:
        return "none"
    return "penalised" if penalize_intercept else "free"


def weights_of(W: Floats) -> Floats:
    """``coef_`` of weights (d, outputs): (d,) for one output, else (outputs, d)."""
    return W[:, 0].copy() if W.shape[1] == 1 else np.ascontiguousarray(W.T)


def _pull(n: float, alpha: float, intercept: str) -> float:
    """kappa of (2)."""
    return {"free": 0.0, "none": n, "penalised": n * alpha / (n + alpha) if alpha else 0.0}[intercept]


def _constant(problem: Problem, W: Floats, alpha: float, intercept: str) -> Floats:
    if intercept == "none":
        return np.zeros(W.shape[1])
    b = problem.target - problem.mean @ W
    return b if intercept == "free" else b * (problem.n / (problem.n + alpha))


def solve(
    problem: Problem,
    alpha: float,
    intercept: str,
    positive: bool = False,
    again: Callable[[Floats], Triangle] | None = None,
) -> Answer:
    """W and b of (2).

    Parameters
    ----------
    alpha : the penalty
    intercept : "free", "none" or "penalised"
    positive : whether weights below 0 are forbidden
    again : function that looks at the rows once more, given a scale for each column; None if they are gone
    """
    kappa = _pull(problem.n, alpha, intercept)
    A = problem.S + kappa * np.outer(problem.mean, problem.mean) if kappa else problem.S
    B = problem.C + kappa * np.outer(problem.mean, problem.target) if kappa else problem.C
    power = np.diag(A)
    live = np.flatnonzero(power > TINY)  # a column without any spread gets weight 0
    W, rank = np.zeros_like(B), 0
    if len(live):
        if len(live) < len(power):
            A, B = A[np.ix_(live, live)], B[live]
        s = np.sqrt(power[live] + alpha)
        A = A / s / s[:, None]
        A.flat[:: len(live) + 1] = 1.0
        B = B / s[:, None]
        L, trust = _cholesky(A)
        if trust > WELL_CONDITIONED or (again is None and trust > SINGULAR):
            solution = _nonnegative(L.T, _lower(L, B)) if positive else _solved(L, B)  # (2)
            W[live], rank = solution / s[:, None], len(live)
        else:
            F, T = _root(A, B) if again is None else _rows_again(problem, again, live, s, alpha, kappa)
            noise = _noise(problem, live, s)
            if positive:
                W[live], rank = _nonnegative(F, T) / s[:, None], _rank(F, noise)
            else:
                W[live], rank = _shortest(F, T, s, noise)
    return Answer(W, _constant(problem, W, alpha, intercept), rank, len(live) - rank)


def _rows_again(
    problem: Problem, again: Callable[[Floats], Triangle], live: Any, s: Floats, alpha: float, kappa: float
) -> tuple[Floats, Floats]:
    """F and T with |T - F v|^2 what (2) minimises, v = s W: the triangle, and a row for each penalty."""
    d = len(problem.mean)
    unit = np.ones(d)
    unit[live] = np.sqrt(np.maximum(np.diag(problem.S)[live], 0.0))
    unit[unit == 0] = 1.0
    R = again(unit).R
    F, T = R[:d, live] * (unit[live] / s), R[:d, d:]
    if alpha:
        F, T = np.vstack((F, np.diag(np.sqrt(alpha) / s))), np.vstack((T, np.zeros((len(live), T.shape[1]))))
    if kappa:
        F = np.vstack((F, np.sqrt(kappa) * problem.mean[None, live] / s))
        T = np.vstack((T, np.sqrt(kappa) * problem.target[None]))
    return F, T


def _noise(problem: Problem, live: Any, s: Floats) -> Floats:
    """How large rounding alone can make each scaled column: more where its values are far from zero."""
    far = np.abs(problem.mean[live]) * np.sqrt(problem.n) / s
    return 8 * EPS * (1 + far) * max(len(live), np.sqrt(problem.rows))


def _cholesky(A: Floats) -> tuple[Floats, float]:
    """The lower factor and the reciprocal condition; 0 if there is none."""
    from scipy.linalg.lapack import dpocon, dpotrf

    L, failed = dpotrf(A.T, lower=1, clean=1)  # A is symmetric, and its transpose lies as LAPACK wants it
    if failed:
        return L, 0.0
    norm = float(np.abs(A).sum(axis=0).max())
    return L, float(dpocon(L, norm, uplo="L")[0])


def _solved(L: Floats, B: Floats) -> Floats:
    from scipy.linalg.lapack import dpotrs

    return dpotrs(L, B, lower=1)[0]


def _lower(L: Floats, B: Floats) -> Floats:
    from scipy.linalg import solve_triangular

    return solve_triangular(L, B, lower=True)


def _root(A: Floats, B: Floats) -> tuple[Floats, Floats]:
    """F and T with F'F = A and F'T = B, directions that are rounding left out."""
    values, V = np.linalg.eigh(A)
    positive = values > 10 * EPS * len(A) * values[-1]
    root = np.sqrt(np.where(positive, values, 0.0))
    return root[:, None] * V.T, np.where(positive, 1 / np.where(positive, root, 1.0), 0.0)[:, None] * (
        V.T @ B
    )


def _shortest(F: Floats, T: Floats, s: Floats, noise: Floats) -> tuple[Floats, int]:
    """Among the W that minimise |T - F (s W)| the shortest, and the rank of F."""
    U, sigma, Vt = np.linalg.svd(F, full_matrices=False)
    keep = _there(sigma, Vt, noise)
    c = (U[:, keep].T @ T) / sigma[keep][:, None]
    W = (Vt[keep].T @ c) / s[:, None]
    if keep.all() and len(sigma) == len(s):
        return W, len(s)
    if len(sigma) == len(s):  # W may move along the directions left out: take from it what lies along them
        N = Vt[~keep].T / s[:, None]
        Q = np.linalg.qr(N / np.linalg.norm(N, axis=0))[0]
        return W - Q @ (Q.T @ W), int(keep.sum())
    from scipy.linalg import solve_triangular

    Q, R = np.linalg.qr(s[:, None] * Vt[keep].T)  # the shortest W with V'(s W) = c
    return Q @ solve_triangular(R, c, trans="T"), int(keep.sum())


def _there(sigma: Floats, Vt: Floats, noise: Floats) -> NDArray[np.bool_]:
    """Which singular directions are more than rounding."""
    return sigma > sigma[0] * np.sqrt((Vt * Vt) @ noise**2)


def _rank(F: Floats, noise: Floats) -> int:
    _, sigma, Vt = np.linalg.svd(F, full_matrices=False)
    return int(_there(sigma, Vt, noise).sum())


def _nonnegative(F: Floats, T: Floats) -> Floats:
    from scipy.optimize import nnls

    return np.column_stack([nnls(F, t)[0] for t in T.T])


def solve_rows(
    X: Any, Y: Floats, w: Floats | None, alpha: float, intercept: str, positive: bool = False
) -> Answer:
    r"""W and b for fewer rows than columns: the same problem in as many unknowns as there are rows.

    :math:`W^T = Z^T(ZZ^T+\alpha I)^{-1}T` with the centred, weighted rows Z and T; for :math:`\alpha=0` the shortest W.
    """
    X = (X if isinstance(X, np.ndarray) else X.toarray()).astype(np.float64, copy=False)
    v = np.ones(len(X)) if w is None else w
    n, root = float(v.sum()), np.sqrt(v)[:, None]
    empty = np.zeros((0, 0))
    with np.errstate(over="ignore", invalid="ignore"):
        problem = Problem(n, int(np.count_nonzero(v)), v @ X / n, v @ Y / n, empty, empty)
        Z, T = (X, Y) if intercept == "none" else (X - problem.mean, Y - problem.target)
        Z, T = (Z, T) if w is None else (Z * root, T * root)
        if intercept == "penalised" and (kappa := _pull(n, alpha, intercept)):
            Z = np.vstack((Z, np.sqrt(kappa) * problem.mean))
            T = np.vstack((T, np.sqrt(kappa) * problem.target))
        K = Z @ Z.T
    if not np.isfinite(K).all() or not np.isfinite(T).all():
        raise DataError(
            "Least squares: the squares of X or y are too large to be added up. Divide by a power of ten."
        )
    rank, loose = len(K) - (intercept == "free"), 1
    if not positive:
        if intercept == "free" and not alpha:  # the rows of Z add up to nothing: any stiffness there will do
            K += (np.trace(K) / len(K) / n) * (root @ root.T)
        K.flat[:: len(K) + 1] += alpha
        L, trust = _cholesky(K)
        if trust > WELL_CONDITIONED:
            W = Z.T @ _solved(L, T)
            return Answer(W, _constant(problem, W, alpha, intercept), rank, loose)
    s = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    live = np.flatnonzero(s > np.sqrt(TINY))
    W, rank = np.zeros((X.shape[1], Y.shape[1])), 0
    if len(live):
        W[live], rank = _wide(Z[:, live], T, s[live], alpha, positive, _noise(problem, live, s[live]))
    return Answer(W, _constant(problem, W, alpha, intercept), rank, len(live) - rank)


def _wide(Z: Floats, T: Floats, s: Floats, alpha: float, positive: bool, noise: Floats) -> tuple[Floats, int]:
    """Weights and rank where the rows are dependent, too, or signs are constrained."""
    if positive:
        F = np.vstack((Z, np.sqrt(alpha) * np.eye(len(s)))) if alpha else Z
        G = np.vstack((T, np.zeros((len(s), T.shape[1])))) if alpha else T
        return _nonnegative(F / s, G) / s[:, None], _rank(Z / s, noise)
    if not alpha:
        return _shortest(Z / s, T, s, noise)
    U, sigma, Vt = np.linalg.svd(Z, full_matrices=False)
    return Vt.T @ ((sigma / (sigma**2 + alpha))[:, None] * (U.T @ T)), len(sigma)


def lsqr_centred(
    X: Any, t: Floats, root: Floats, alpha: float, intercept: str, tol: float, steps: int | None
) -> tuple[Floats, float, bool]:
    r"""Weights and constant for one target of a sparse table, by iterations, and whether these settled.

    LSQR on the rows :math:`\sqrt{v_i}\,(x_i-m)/s`, which are never made, and a row :math:`\sqrt\alpha\,e_j/s_j` for
    each penalty; s makes all columns equally long, so that their units do not matter. ``root`` is :math:`\sqrt v`.
    """
    from scipy.sparse.linalg import LinearOperator, lsqr

    n, d = X.shape
    v = root * root
    total = float(v.sum())
    free, tail = intercept == "free", intercept == "penalised"
    mean = np.asarray(v @ X).ravel() / total if free else np.zeros(d)
    middle = float(v @ t) / total if free else 0.0
    power = np.asarray(v @ X.multiply(X)).ravel() - total * mean * mean + alpha
    power = np.append(power, total + alpha) if tail else power
    s = np.sqrt(np.where(power > TINY, power, 1.0))
    if not alpha and n <= d:  # the shortest weights are the shortest in their own units
        s = np.ones(d + tail)
    stiff = np.sqrt(alpha) / s if alpha else np.zeros(0)

    def forward(u: Floats) -> Floats:
        u = u.ravel() / s
        fitted = root * (X @ u[:d] - mean @ u[:d] + (u[d] if tail else 0.0))
        return np.concatenate((fitted, stiff * (u * s))) if alpha else fitted

    def backward(r: Floats) -> Floats:
        r = r.ravel()
        weighted = root * r[:n]
        down = X.T @ weighted - mean * weighted.sum()
        down = (np.append(down, weighted.sum()) if tail else down) / s
        return down + stiff * r[n:] if alpha else down

    height = n + (d + tail if alpha else 0)
    rows = LinearOperator((height, d + tail), matvec=forward, rmatvec=backward, dtype=np.float64)
    target = np.concatenate((root * (t - middle), np.zeros(height - n)))
    small = min(tol, 1e-6)
    u, why = lsqr(rows, target, atol=small, btol=small, conlim=0.0, iter_lim=steps)[:2]
    u = u / s
    return u[:d], float(u[d]) if tail else middle - float(mean @ u[:d]), why not in (3, 6, 7)
