r"""Least squares from sums: what is kept of the rows, and how the weights follow from it.

With row weights :math:`v_i`, columns and targets about their weighted means :math:`m` and :math:`\bar y`, all that
squared error asks of the rows is

.. math:: S = \sum_i v_i (x_i-m)(x_i-m)^T,\qquad C = \sum_i v_i (x_i-m)(y_i-\bar y)^T                  \quad (1)

Minimising :math:`\sum_i v_i\lVert y_i - Wx_i - b\rVert^2 + \alpha\lVert W\rVert^2` gives

.. math:: (S + \kappa mm^T + \alpha I)\,W^T = C + \kappa m\bar y^T                                    \quad (2)

where :math:`\kappa` says what the constant b may do: 0 if it is free, :math:`b=\bar y-Wm`; :math:`n` (the total weight)
if there is none; :math:`n\alpha/(n+\alpha)` if it is penalised like the weights, :math:`b=n(\bar y-Wm)/(n+\alpha)`.

(2) is solved by Cholesky with columns scaled to unit diagonal. Squaring costs digits: where the condition of the scaled
matrix says so, the rows are looked at once more and the same problem is solved from their triangular factor (blocks of
rows add up there, too: the factor of two factors), whose singular values also tell which directions are rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core._moments import group
from assay.core.moments import ClassScatter, class_scatter
from assay.core.moments import _two_sum as two_sum
from assay.errors import DataError

__all__ = ["Answer", "Problem", "Sums", "Triangle", "problem_of", "solve", "solve_rows", "summarize"]

Floats = NDArray[np.float64]

WELL = 1e-6  # reciprocal condition (of the squared problem) down to which Cholesky's digits are enough
SINGULAR = 1e-13  # below it Cholesky's answer is noise
EPS = float(np.finfo(np.float64).eps)
TINY = 1e-280  # the square of a column that is not there
WIDEST = 20_000  # columns whose products with each other are still added up


class Kept(NamedTuple):
    """Rows as they are: shorter than their sums as long as there are fewer rows than columns."""

    X: Any
    y: np.ndarray
    w: np.ndarray | None


@dataclass
class Sums:
    """What some rows contribute: the sums of (1), or the rows themselves while they are fewer than their columns.

    Attributes
    ----------
    moments : ClassScatter or None
        Of the columns and targets side by side, as one class; or of the columns, class by class.
    kept : Kept or None
    classes : int
        0 if the targets are numbers; else y holds codes, so that targets and class weights may be chosen later.
    pooled : bool
        Whether one scatter serves all classes.
    """

    moments: ClassScatter | None
    kept: Kept | None
    classes: int = 0
    pooled: bool = True

    def __add__(self, other: Sums) -> Sums:
        if self.kept is not None and other.kept is not None:
            both = _joined(self.kept, other.kept)
            if both.X.shape[0] <= both.X.shape[1]:
                return Sums(None, both, self.classes, self.pooled)
        return Sums(self._full() + other._full(), None, self.classes, self.pooled)

    def _full(self) -> ClassScatter:
        return self.moments if self.kept is None else moments_of(*self.kept, self.classes, self.pooled)  # type: ignore


def summarize(X: Any, y: np.ndarray, w: np.ndarray | None, classes: int = 0, pooled: bool = True) -> Sums:
    """The sums of one block of rows.

    Parameters
    ----------
    X : (n, d) array or CSR matrix      y : (n,) or (n, q) numbers, or (n,) codes of classes      w : (n,) or None
    """
    if X.shape[0] <= X.shape[1]:
        return Sums(None, Kept(X.copy(), y.copy(), None if w is None else w.copy()), classes, pooled)
    return Sums(moments_of(X, y, w, classes, pooled), None, classes, pooled)


def _joined(a: Kept, b: Kept) -> Kept:
    from scipy.sparse import vstack

    dense = isinstance(a.X, np.ndarray) and isinstance(b.X, np.ndarray)
    X = np.concatenate((a.X, b.X)) if dense else vstack((a.X, b.X), format="csr")
    w = None
    if a.w is not None or b.w is not None:
        w = np.concatenate([np.ones(k.X.shape[0]) if k.w is None else k.w for k in (a, b)])
    return Kept(X, np.concatenate((a.y, b.y)), w)


def moments_of(X: Any, y: np.ndarray, w: np.ndarray | None, classes: int, pooled: bool) -> ClassScatter:
    """Means and scatter of the columns class by class, or, for 0 classes, of columns and targets side by side."""
    if not isinstance(X, np.ndarray):
        return _sparse_moments(X, y, w, classes, pooled)
    if classes:
        return class_scatter(X, y, w, classes, pooled)
    return _joint_moments(np.ascontiguousarray(X), y.reshape(len(X), -1), w)


@np.errstate(over="ignore", invalid="ignore")
def _joint_moments(X: Floats, Y: Floats, w: Floats | None) -> ClassScatter:
    """Means and scatter of columns and targets side by side, each block multiplied about a point near its mean."""
    (n, d), q = X.shape, Y.shape[1]
    count, rows, shift, first = np.zeros(1), np.zeros(1, np.int64), np.empty((1, d)), np.zeros((1, d))
    Z, weights = np.empty((n, d)), np.empty(0) if w is None else np.ascontiguousarray(w, dtype=np.float64)
    group(X, np.zeros(n, np.int64), weights, count, rows, shift, first, Z)  # Z = sqrt(w) (x - shift)
    if w is not None and rows[0] < n:  # a row that weighs nothing is not there
        there = w > 0
        Z, Y, w = Z[: rows[0]], Y[there], w[there]
    near = Y[:32].mean(axis=0) if len(Y) else np.zeros(q)
    T = Y - near
    begun = T.sum(axis=0) if w is None else w @ T
    T = T if w is None else np.sqrt(w)[:, None] * T
    total = float(count[0]) or 1.0
    scatter = np.empty((1, d + q, d + q))
    scatter[0, :d, :d] = Z.T @ Z - first.T @ (first / total)
    scatter[0, :d, d:] = Z.T @ T - first.T @ (begun[None] / total)
    scatter[0, d:, :d] = scatter[0, :d, d:].T
    scatter[0, d:, d:] = T.T @ T - np.outer(begun, begun / total)
    mean, low = two_sum(np.append(shift[0], near), np.append(first[0], begun) / total)
    if not rows[0]:
        mean, low, scatter = np.zeros(d + q), np.zeros(d + q), np.zeros_like(scatter)
    return ClassScatter(count, rows, mean[None], scatter, low[None])


def _sparse_moments(X: Any, y: np.ndarray, w: np.ndarray | None, classes: int, pooled: bool) -> ClassScatter:
    """The same of a sparse block; its zeros keep means small against spreads, so nothing cancels badly."""
    from scipy.sparse import csr_array, hstack

    if X.shape[1] > WIDEST:
        raise DataError(
            f"Least squares over blocks adds up the products of all pairs of columns, too many for {X.shape[1]} sparse "
            "columns. Use fit with all rows in memory, or SGDRegressor or SGDClassifier."
        )
    X = csr_array(X).astype(np.float64)
    codes = y if classes else np.zeros(X.shape[0], np.int64)
    if not classes:
        X = csr_array(hstack((X, csr_array(y.reshape(X.shape[0], -1)))))
    v = np.ones(X.shape[0]) if w is None else w
    K = max(classes, 1)
    member = csr_array((v, (codes, np.arange(X.shape[0]))), shape=(K, X.shape[0]))
    count = np.bincount(codes, v, K)
    mean = (member @ X).toarray() / np.where(count > 0, count, 1.0)[:, None]
    rows = np.bincount(codes[v > 0], minlength=K)
    groups = [np.arange(K)] if pooled or K == 1 else [np.array([k]) for k in range(K)]
    scatter = np.empty((len(groups), X.shape[1], X.shape[1]))
    for g, own in enumerate(groups):
        part = X if len(groups) == 1 else X[codes == own[0]]
        weights = v if len(groups) == 1 else v[codes == own[0]]
        product = (part.T @ part.multiply(weights[:, None]).tocsr()).toarray()
        product -= (mean[own] * count[own, None]).T @ mean[own]
        scatter[g] = (product + product.T) / 2
    return ClassScatter(count, rows, mean, scatter)


@dataclass
class Problem:
    """(1) ready to be solved: total weight n, means m and y-bar, S and C, and the number of rows."""

    n: float
    rows: int
    mean: Floats
    target: Floats
    S: Floats
    C: Floats

    def check(self, who: str, names: list[str]) -> None:
        """Say so where squares overflowed."""
        if np.isfinite(self.S).all() and np.isfinite(self.C).all():
            return
        bad = np.flatnonzero(~np.isfinite(np.diag(self.S)))
        what = f"column {names[bad[0]]}" if len(bad) else "y"
        raise DataError(
            f"{who}: the squares of {what} are too large to be added up. Divide it by a power of ten."
        )


def problem_of(
    moments: ClassScatter, d: int, codes: Floats | None = None, weights: Floats | None = None
) -> Problem:
    """(1) from sums: of numbers, or of classes whose targets are the rows of ``codes``, (K, q).

    ``weights`` (K,) multiplies the rows of each class.
    """
    if codes is None:
        S = moments.scatter[0]
        mean = moments.mean[0]
        return Problem(
            float(moments.count[0]), int(moments.rows[0]), mean[:d], mean[d:], S[:d, :d], S[:d, d:]
        )
    weights = np.ones(len(codes)) if weights is None else weights
    count = moments.count * weights
    n = float(count.sum())
    near = moments.mean[int(np.argmax(count))]
    gap = moments.mean - near
    offset = count @ gap / n
    gap = np.where(count[:, None] > 0, gap - offset, 0.0)  # m_k - m
    target = count @ codes / n
    with np.errstate(over="ignore", invalid="ignore"):  # whoever solves looks at the sums and says so
        within = (
            moments.scatter[0] if len(moments.scatter) == 1 else np.tensordot(weights, moments.scatter, 1)
        )
        S = within + (gap * count[:, None]).T @ gap
        C = (gap * count[:, None]).T @ (codes - target)
    return Problem(n, int(moments.rows[count > 0].sum()), near + offset, target, S, C)


@dataclass
class Triangle:
    """The triangular factor of rows that are centred and scaled; two of them add to the factor of all their rows."""

    R: Floats

    def __add__(self, other: Triangle) -> Triangle:
        return Triangle(_factor(np.vstack((self.R, other.R))))

    @classmethod
    def of(cls, X: Any, y: Floats, w: Floats | None, mean: Floats, scale: Floats, target: Floats) -> Triangle:
        """Of one block: rows :math:`\\sqrt{v_i}\\,((x_i-m)/s,\\; y_i-\\bar y)`."""
        X = X if isinstance(X, np.ndarray) else X.toarray()
        Z = np.column_stack(((X - mean) / scale, y.reshape(len(X), -1) - target))
        return cls(_factor(Z if w is None else Z * np.sqrt(w)[:, None]))


def _factor(Z: Floats) -> Floats:
    from scipy.linalg import qr

    return qr(Z, mode="r", overwrite_a=True, check_finite=False)[0][: Z.shape[1]]


class Answer(NamedTuple):
    """Weights (d, q), constants (q,), the rank of the centred columns, and how many directions it leaves out."""

    weights: Floats
    constant: Floats
    rank: int
    loose: int = 0


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
        if trust > WELL or (again is None and trust > SINGULAR):
            own = _nonnegative(L.T, _lower(L, B)) if positive else _solved(L, B)  # (2)
            W[live], rank = own / s[:, None], len(live)
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
    there = values > 10 * EPS * len(A) * values[-1]
    root = np.sqrt(np.where(there, values, 0.0))
    return root[:, None] * V.T, np.where(there, 1 / np.where(there, root, 1.0), 0.0)[:, None] * (V.T @ B)


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
        if trust > WELL:
            W = Z.T @ _solved(L, T)
            return Answer(W, _constant(problem, W, alpha, intercept), rank, loose)
    s = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    live = np.flatnonzero(s > np.sqrt(TINY))
    W, rank = np.zeros((X.shape[1], Y.shape[1])), 0
    if len(live):
        W[live], rank = _wide(Z[:, live], T, s[live], alpha, positive, _noise(problem, live, s[live]))
    return Answer(W, _constant(problem, W, alpha, intercept), rank, len(live) - rank)


def _wide(Z: Floats, T: Floats, s: Floats, alpha: float, positive: bool, noise: Floats) -> tuple[Floats, int]:
    """Weights and rank where the rows are dependent, too, or signs are asked for."""
    if positive:
        F = np.vstack((Z, np.sqrt(alpha) * np.eye(len(s)))) if alpha else Z
        G = np.vstack((T, np.zeros((len(s), T.shape[1])))) if alpha else T
        return _nonnegative(F / s, G) / s[:, None], _rank(Z / s, noise)
    if not alpha:
        return _shortest(Z / s, T, s, noise)
    U, sigma, Vt = np.linalg.svd(Z, full_matrices=False)
    return Vt.T @ ((sigma / (sigma**2 + alpha))[:, None] * (U.T @ T)), len(sigma)
