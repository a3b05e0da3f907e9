"""Logistic regression with an absolute penalty: quadratic models of the loss, solved coordinate by coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.linear.logistic._elastic_net_logistic as _logistic
import assay.linear.regression._coordinate_descent as _coordinate_descent
from assay.errors import DataError
from assay.linear.compact import compact
from assay.optimize import Optimum, Record
from assay.types import TableLike

__all__ = ["solve"]

GRAM = 300  # coordinates up to which a model's matrix is worth its making
SWEEPS = 1000  # over one model at most
RESTING = 0.8  # share of the penalty that a column without a weight must stay below to be left out


def solve(
    X: TableLike,
    y: np.ndarray,
    w: np.ndarray | None,
    K: int,
    C: float,
    l1_ratio: float,
    fit_intercept: bool = True,
    tol: float = 1e-4,
    max_iter: int = 100,
    start: np.ndarray | None = None,
) -> Optimum:
    r"""Minimise the penalised cross-entropy of K classes.

    .. math:: C\sum_i w_i\,\ell(y_i, Wx_i+w_0) + \rho\|W\|_1 + \tfrac{1-\rho}{2}\|W\|_2^2 \quad (1)

    Each step replaces the loss by its quadratic model and minimises that, penalties included, by coordinate descent
    over the columns in play: those with a weight and those that break optimality or nearly so (Friedman, Hastie and
    Tibshirani 2010; Yuan, Ho and Lin 2012). A line search keeps (1) falling. Whether the other columns may stay out is
    looked at once those in play are at rest.

    Parameters
    ----------
    X : (n, d) float64, dense or SciPy sparse        y : (n,) classes 0 .. K-1 as int64
    w : (n,) weights of the rows, or None
    K : number of classes, from 2 up; two classes have one row of weights (of class 1 against class 0)
    C : above 0, may be infinite (no penalty)        l1_ratio : rho, from 0 to 1
    tol : the largest entry of the smallest subgradient of (1) divided by C times the sum of the weights, each entry
        relative to the spread (standard deviation) of its column
    max_iter : quadratic models at most
    start : (rows, d + 1) where to begin, None for zeros

    Returns
    -------
    Optimum with ``w`` and ``gradient`` (the smallest subgradient) of shape (rows, d + 1), the intercept last (0
    without one); ``value`` is (1); ``history`` has one Record a model, so that n_iter is ``len(history) - 1``
    """
    search = Search(X, y, w, K, fit_intercept)
    if start is not None:
        search.begin(start)
    return search.descend(C, l1_ratio, tol, max_iter)


class Search:
    """The cross-entropy of a table, and the weights so far; ``descend`` along a path of penalties goes on from there.

    Parameters
    ----------
    X, y, w, K, fit_intercept : as in :func:`solve`
    """

    def __init__(self, X: Any, y: np.ndarray, w: np.ndarray | None, K: int, fit_intercept: bool):
        n, d = X.shape
        X = compact(X.astype(np.float64, copy=False))
        self.K, self.intercept = K, fit_intercept
        self.total = float(n if w is None else w.sum())
        self.u = np.full(n, 1 / self.total) if w is None else w / self.total
        self.y: Any = y.astype(np.float64) if K == 2 else np.ascontiguousarray(y, dtype=np.int64)
        kind = _DenseColumns if isinstance(X, np.ndarray) else _SparseColumns
        with np.errstate(over="ignore", invalid="ignore"):
            self.columns: Any = kind(X, self.u, fit_intercept)
        if not np.isfinite(self.columns.spread).all():
            raise DataError(
                "LogisticRegression: X has values too large to be squared. Divide their columns by some power of ten."
            )
        self._half = np.empty((0, 0))  # kept, since fresh memory is slow
        rows = 1 if K == 2 else K
        self.W, self.b = np.zeros((rows, d)), np.zeros(rows)
        if fit_intercept:
            share = np.bincount(y, self.u, K)
            with np.errstate(divide="ignore"):
                level = np.maximum(np.log(share), -30.0)
            self.b[:] = level[1] - level[0] if K == 2 else level - level.mean()
        self.scores = np.repeat(self.b[:, None], n, axis=1)

    def begin(self, start: np.ndarray) -> None:
        """Take weights (rows, d + 1), the intercept last, as they would be for the original columns."""
        self.W = np.array(start[:, :-1], dtype=np.float64)
        self.b = np.array(start[:, -1], dtype=np.float64) + self.W @ self.columns.mean
        self.scores = self.columns.scores(self.W) + self.b[:, None]

    def weights(self) -> np.ndarray:
        """(rows, d + 1) for the original columns."""
        b = self.b - self.W @ self.columns.mean if self.intercept else self.b
        if self.K > 2:
            b = b - b.mean()  # only differences of intercepts matter
        return np.column_stack((self.W, b))

    def descend(self, C: float, l1_ratio: float, tol: float, max_iter: int) -> Optimum:
        """Minimise (1) of :func:`solve` from the weights so far on."""
        a, b = l1_ratio / (C * self.total), (1 - l1_ratio) / (C * self.total)
        scale = self.total if np.isinf(C) else C * self.total
        loss, G = self._loss(self.scores)
        history: list[Record] = []
        value = loss + _penalty(self.W, a, b)
        full = self.columns.slopes(G)
        columns = np.flatnonzero((self.W != 0).any(axis=0) | (np.abs(full) > a).any(axis=0))
        part, reason, worst, moved = self.columns.take(columns), "iterations", np.inf, 0.0
        self.exactness, before = 0.5, np.inf
        while True:
            gradient = full[:, columns] if full is not None else part.slopes(G)
            V = self.W[:, columns]
            g0 = G.sum(axis=1)
            worst = self._worst(_subgradient(gradient, V, a, b), self.columns.spread[columns], g0)
            if worst <= tol or reason == "stuck":
                full = self.columns.slopes(G) if full is None else full
                rule = _subgradient(full, self.W, a, b)
                outside = np.setdiff1d(np.flatnonzero((rule != 0).any(axis=0)), columns)
                everywhere = self._worst(rule, self.columns.spread, g0)
                if everywhere <= tol or not len(outside):
                    worst = everywhere
                    reason = "gradient" if worst <= tol else reason
                    break
                columns, reason, before = np.union1d(columns, outside), "iterations", np.inf
                part = self.columns.take(columns)
                continue
            history.append(Record(len(history), scale * value, scale * worst, moved))
            if len(history) > max_iter:
                break
            if worst > 0.7 * before:  # a rough minimum of the model was not worth much
                self.exactness = max(0.2 * self.exactness, 1e-4)
            before, full = worst, None
            idle = ((V == 0) & (np.abs(gradient) < RESTING * a)).all(axis=0)
            if 3 * idle.sum() > len(columns):
                columns, gradient, V = columns[~idle], gradient[:, ~idle], V[:, ~idle]
                part = self.columns.take(columns)
            new, s, move = self._model(part, gradient, g0, V, a, b, worst)
            fall = float((gradient * (new - V)).sum() + g0 @ move)
            fall += _penalty(new, a, b) - _penalty(V, a, b)
            s += move[:, None]
            t, lower, scores, G_new = self._line(s, V, new, a, b, value, fall)
            if scores is None:
                reason = "stuck"
                continue
            moved = t * float(np.sqrt(((new - V) ** 2).sum() + (move**2).sum()))
            self.W[:, columns] = V + t * (new - V) if t < 1 else new
            self.b += t * move
            self.scores, G = scores, G_new
            if lower >= value:
                reason = "stuck"
            value = lower
        if reason == "stuck" and worst <= 100 * tol:
            reason = "value"
        full = self.columns.slopes(G) if full is None else full
        rule = _subgradient(full, self.W, a, b)
        if not history or history[-1].gradient != scale * worst:
            history.append(Record(len(history), scale * value, scale * worst, moved))
        slopes = np.column_stack((rule, G.sum(axis=1) if self.intercept else np.zeros(len(self.b))))
        return Optimum(
            self.weights(), scale * value, scale * slopes, reason in ("gradient", "value"), reason, history
        )

    def _worst(self, rule: np.ndarray, spread: np.ndarray, g0: np.ndarray) -> float:
        """The largest violation of optimality, columns relative to their spread."""
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(rule == 0, 0.0, np.abs(rule) / spread)
        worst = float(relative.max(initial=0.0))
        return max(worst, float(np.abs(g0).max())) if self.intercept else worst

    def _loss(self, scores: np.ndarray) -> tuple[float, np.ndarray]:
        """Mean loss, and its derivatives (rows, n) in the scores."""
        G = np.empty_like(scores)
        if self.K == 2:
            self.D = np.empty(scores.shape[1])
            return _logistic.loss_two(scores[0], self.y, self.u, G[0], self.D), G
        self.P = np.empty_like(scores)
        return _logistic.loss_many(scores, self.y, self.u, self.P, G), G

    def _line(
        self, s: np.ndarray, V: np.ndarray, new: np.ndarray, a: float, b: float, value: float, fall: float
    ) -> tuple[float, float, np.ndarray | None, np.ndarray]:
        """The first of the steps 1, 1/2, 1/4 ... that lowers the objective enough."""
        t = 1.0
        smooth_value = value - _penalty(V, a, b)
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(40):
                scores = self.scores + t * s
                loss, G = self._loss(scores)
                extra = _penalty(V + t * (new - V), a, b) - _penalty(V, a, b)
                gain = (loss - smooth_value) + extra
                if gain <= 1e-4 * t * fall or abs(gain) <= 4e-16 * abs(value):
                    return t, value + gain, scores, G
                t /= 2
        self._loss(self.scores)
        return 0.0, value, None, s

    def _model(
        self, part: Any, g: np.ndarray, g0: np.ndarray, V: np.ndarray, a: float, b: float, worst: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Minimise the quadratic model: the new weights, the change of the scores, the step of the intercept."""
        rows, m = V.shape
        if part.dense and rows * m <= GRAM and part.n >= m:
            return self._gram_model(part, g, g0, V, a, b, (1e-3 * worst) ** 2)
        new, s, move = np.ascontiguousarray(V), np.empty((rows, part.n)), np.zeros(rows)
        tol = (self.exactness * worst) ** 2
        task = _logistic.Task(a=a, b=b, intercept=self.intercept, tol=tol, max_sweeps=SWEEPS)
        common: dict[str, Any] = {"task": task, "move0": move}
        if self.K == 2:
            two: dict[str, Any] = {"D": self.D, "g": g[0], "g0": g0[0], "v": new[0], "s": s[0]}
            (_logistic.dense_two if part.dense else _logistic.sparse_two)(**part.arrays, **two, **common)
        else:
            many: dict[str, Any] = {"P": self.P, "u": self.u, "g": g, "g0": g0, "v": new, "s": s}
            (_logistic.dense_many if part.dense else _logistic.sparse_many)(**part.arrays, **many, **common)
        return new, s, move

    def _gram_model(
        self, part: Any, g: np.ndarray, g0: np.ndarray, V: np.ndarray, a: float, b: float, tol: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same with the matrix of second derivatives, from which the intercept has been eliminated."""
        Z, (rows, m) = part.arrays["Z"], V.shape
        H, cross, intercepts = self._second(Z)
        slope = g.ravel()
        if self.intercept:
            inner = np.linalg.pinv(intercepts, hermitian=True)
            H = H - cross @ inner @ cross.T
            slope = slope - cross @ (inner @ g0)
        v = V.ravel().copy()
        H = np.ascontiguousarray(H)
        _coordinate_descent.quadratic(gram=H, q=H @ v - slope, a=a, b=b, tol=tol, max_iter=SWEEPS, w=v)
        new = v.reshape(rows, m)
        step = new - V
        move = -inner @ (g0 + cross.T @ step.ravel()) if self.intercept else np.zeros(rows)
        return new, step @ Z, move

    def _second(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Second derivatives: among weights (p, p), of weights and intercepts (p, rows), among intercepts."""
        m = len(Z)
        if self.K == 2:
            if self._half.shape != Z.shape:
                self._half = np.empty_like(Z)
            half = np.multiply(Z, np.sqrt(self.D), out=self._half)
            return half @ half.T, (Z @ self.D)[:, None], np.array([[self.D.sum()]])
        K, P, u = self.K, self.P, self.u
        H, cross, intercepts = np.empty((K, m, K, m)), np.empty((K, m, K)), np.empty((K, K))
        for k in range(K):
            for q in range(k, K):
                D = u * P[k] * ((k == q) - P[q])
                H[k, :, q, :] = (Z * D) @ Z.T
                H[q, :, k, :] = H[k, :, q, :].T
                cross[k, :, q] = cross[q, :, k] = Z @ D
                intercepts[k, q] = intercepts[q, k] = D.sum()
        return H.reshape(K * m, K * m), cross.reshape(K * m, K), intercepts


class _DenseColumns:
    """(d, n) the columns of a dense table, minus their means if there is an intercept."""

    dense = True

    def __init__(self, X: np.ndarray, u: np.ndarray, centre: bool):
        mean = u @ X
        self.mean = mean if centre else np.zeros(len(mean))
        Z = np.subtract(X.T, mean[:, None], order="C") if centre else np.ascontiguousarray(X.T)
        even = len(u) > 0 and u.min() == u.max()
        squares = np.einsum("jn,jn->j", Z, Z) * u[0] if even else np.einsum("jn,jn,n->j", Z, Z, u)
        self.spread = np.sqrt(squares)
        if centre:  # a constant, up to rounding
            Z[self.spread <= 1e-14 * np.abs(mean)] = 0.0
        self.arrays, self.n = {"Z": Z}, len(X)

    def scores(self, W: np.ndarray) -> np.ndarray:
        return W @ self.arrays["Z"]

    def slopes(self, G: np.ndarray) -> np.ndarray:
        return G @ self.arrays["Z"].T

    def take(self, columns: np.ndarray) -> _DenseColumns:
        part = object.__new__(_DenseColumns)
        Z = self.arrays["Z"]
        part.arrays, part.n = {"Z": Z if len(columns) == len(Z) else Z[columns]}, self.n
        return part


class _SparseColumns:
    """The columns of a sparse table as they are."""

    dense = False

    def __init__(self, X: Any, u: np.ndarray, centre: bool):
        X.check_format(full_check=True)  # the native code follows its indices
        self.X = X.tocsc()
        self.n = X.shape[0]
        self.mean = np.zeros(X.shape[1])
        first, second = self.X.T @ u, self.X.multiply(self.X).T @ u
        self.spread = np.sqrt(np.maximum(second - first**2 if centre else second, 1e-14 * second))

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        row, start = self.X.indices.astype(np.int32, copy=False), self.X.indptr.astype(np.int64)
        return {"value": self.X.data, "row": row, "start": start}

    def scores(self, W: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray((self.X @ W.T).T)

    def slopes(self, G: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray((self.X.T @ G.T).T)

    def take(self, columns: np.ndarray) -> _SparseColumns:
        part = object.__new__(_SparseColumns)
        part.X, part.n = self.X[:, columns] if len(columns) < self.X.shape[1] else self.X, self.n
        return part


def _penalty(W: np.ndarray, a: float, b: float) -> float:
    return a * float(np.abs(W).sum()) + 0.5 * b * float((W * W).sum())


def _subgradient(g: np.ndarray, W: np.ndarray, a: float, b: float) -> np.ndarray:
    """The smallest subgradient of loss and penalty: 0 where the absolute penalty can hold a weight at 0."""
    slope = g + b * W
    return np.where(W != 0, slope + a * np.sign(W), np.sign(slope) * np.maximum(np.abs(slope) - a, 0.0))
