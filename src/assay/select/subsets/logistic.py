"""Subsets for logistic regression of two classes: all candidates start at the base's solution and step together.

The curvature of the base at its solution, bordered by each candidate, is kept as the metric of all steps, so that one
step of all candidates is two matrix products; a candidate that does not come closer in this metric gets Newton steps of
its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from assay.core.parallel import end_if_abandoned
from assay.select.subsets.fast_scores import (
    Answers,
    ClassFold,
    FastClassScores,
    claims_measure,
    exactly,
    numbers_of,
)
from assay.select.subsets.folds import Folds
from assay.types import Estimator

__all__ = ["Scores"]

OURS = "assay.linear.logistic.logistic_regression.LogisticRegression"
SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")  # all of them minimise the same function
GRADIENT = 1e-11  # at which a solution ends, for each unit of weight and columns of spread 1
MAX_STEPS = 30  # of all candidates together
SLOW = 0.3  # ratio of two gradients above which a candidate gets steps of its own
MAX_NEWTON = 60


class Scores(FastClassScores):
    """Subsets of numbers for LogisticRegression with a ridge and two classes, warm-started at the base's solution.

    Scores are those of the minimum, with a gradient below 1e-11. The learner itself stops at its ``tol``, 1e-4 by
    default, so refitting may answer otherwise in rows that near to the boundary; with a small ``tol`` they agree.

    Cost: for C candidates of a base of b columns O(n b C) a step and fold, 5 to 15 steps, where refitting takes some
    O(n b^2 C).
    """

    @classmethod
    def claims(cls, estimator: Estimator, folds: Folds) -> bool:
        if (
            not exactly(estimator, OURS)
            or not _reproduced(estimator)
            or not claims_measure(folds, "classification")
        ):
            return False
        arrays = numbers_of(folds)
        rows = None if arrays is None else cls.rows_of(folds, arrays)
        return rows is not None and rows[0].K == 2

    @classmethod
    def of(cls, estimator: Estimator, folds: Folds) -> Scores:
        rows = cls.rows_of(folds, numbers_of(folds) or [])
        assert rows is not None
        return cls(estimator, folds, [Logistic(fold, estimator) for fold in rows], rows)


def _reproduced(estimator: Any) -> bool:
    return (
        estimator.solver in SOLVERS
        and estimator.penalty in ("deprecated", "l2")
        and not estimator.l1_ratio
        and np.isfinite(estimator.C)
        and estimator.class_weight is None
        and not estimator.penalize_intercept
        and not estimator.dual
        and not estimator.warm_start
        and estimator.reference is None
        and estimator.max_iter >= 100
    )


class Logistic:
    r"""The rows of a fold in units in which columns have mean 0 and spread 1, and the ridge in these units.

    .. math:: f(u, b) = \frac1W\sum_i w_i \ln(1 + e^{-s_i z_i}) + \tfrac12\sum_j \lambda_j u_j^2, \quad
              z_i = x_i^Tu + b,\ s_i = \pm1,\ \lambda_j = 1/(C W \sigma_j^2)
    """

    def __init__(self, rows: ClassFold, estimator: Any):
        w = np.ones(len(rows.y)) if rows.w is None else rows.w
        self.w = w / w.sum()
        self.intercept = estimator.fit_intercept
        mean = self.w @ rows.X if self.intercept else np.zeros(rows.X.shape[1])
        X = rows.X - mean
        spread = np.sqrt(self.w @ (X * X))
        unit = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
        ones = (np.ones((len(X), 1)), np.ones((len(rows.X_test), 1)))
        # the intercept is a last column that is never penalised and in every set
        self.X = np.hstack([X * unit, ones[0]]) if self.intercept else X * unit
        test = (rows.X_test - mean) * unit
        self.X_test = np.hstack([test, ones[1]]) if self.intercept else test
        self.ridge = np.append(unit**2, 0.0) if self.intercept else unit**2
        self.ridge = self.ridge / (estimator.C * w.sum())
        self.y = (rows.y == 1).astype(np.float64)
        self._base: tuple[tuple[int, ...], np.ndarray] = ((), np.empty(0))

    def subset(self, subset: np.ndarray) -> Answers:
        columns = self._columns(subset)
        u, sure = self._solution(columns)
        return self._answers((self.X_test[:, columns] @ u)[:, None], np.array([sure]))

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        columns, C = self._columns(base), len(candidates)
        start, sure = self._solution(columns)
        X, new = self.X[:, columns], self.X[:, candidates]
        h = self._curvature(X @ start)
        A = self._inverse(X, h, self.ridge[columns])
        if not sure or A is None:
            return self._one_by_one([np.append(columns, j) for j in candidates])
        corners = np.einsum("ic,i,ic->c", new, h, new) + self.ridge[candidates]
        metric = _Bordered(A, X.T @ (new * h[:, None]), corners)
        U, v = np.tile(start[:, None], (1, C)), np.zeros(C)
        left = np.arange(C)  # candidates that still move
        size = np.full(C, np.inf)
        slow = np.zeros(C, dtype=bool)
        for _ in range(MAX_STEPS):
            end_if_abandoned()
            R = self.w[:, None] * (expit(X @ U[:, left] + new[:, left] * v[left]) - self.y[:, None])
            G = X.T @ R + self.ridge[columns][:, None] * U[:, left]
            g = np.einsum("ic,ic->c", new[:, left], R) + self.ridge[candidates][left] * v[left]
            largest = np.maximum(np.abs(G).max(axis=0, initial=0.0), np.abs(g))
            slow[left] = largest > SLOW * size[left]
            size[left] = largest
            moves = (largest > GRADIENT) & ~slow[left]
            if not moves.any():
                break
            left = left[moves]
            dU, dv = metric.step(G[:, moves], g[moves], left)
            U[:, left] -= dU
            v[left] -= dv
        scores = self.X_test[:, columns] @ U + self.X_test[:, candidates] * v
        finished = np.ones(C, dtype=bool)
        for c in np.flatnonzero(size > GRADIENT):
            chosen = np.append(columns, candidates[c])
            u, finished[c] = self._newton(chosen, np.append(U[:, c], v[c]))
            scores[:, c] = self.X_test[:, chosen] @ u
        return self._answers(scores, finished)

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        columns, at = self._columns(base), np.searchsorted(base, candidates)
        start, sure = self._solution(columns)
        X = self.X[:, columns]
        A = self._inverse(X, self._curvature(X @ start), self.ridge[columns])
        if not sure or A is None:
            return self._one_by_one([np.delete(columns, a) for a in at])
        taken = A[:, at] / A[at, at]
        C = len(at)
        U = start[:, None] - taken * start[at]
        U[at, np.arange(C)] = 0.0
        left, size, slow = np.arange(C), np.full(C, np.inf), np.zeros(C, dtype=bool)
        for _ in range(MAX_STEPS):
            end_if_abandoned()
            R = self.w[:, None] * (expit(X @ U[:, left]) - self.y[:, None])
            G = X.T @ R + self.ridge[columns][:, None] * U[:, left]
            G[at[left], np.arange(len(left))] = 0.0
            largest = np.abs(G).max(axis=0, initial=0.0)
            slow[left] = largest > SLOW * size[left]
            size[left] = largest
            moves = (largest > GRADIENT) & ~slow[left]
            if not moves.any():
                break
            left, G = left[moves], G[:, moves]
            step = A @ G
            step -= taken[:, left] * step[at[left], np.arange(len(left))]
            step[at[left], np.arange(len(left))] = 0.0
            U[:, left] -= step
        scores, finished = self.X_test[:, columns] @ U, np.ones(C, dtype=bool)
        for c in np.flatnonzero(size > GRADIENT):
            chosen = np.delete(columns, at[c])
            u, finished[c] = self._newton(chosen, np.delete(U[:, c], at[c]))
            scores[:, c] = self.X_test[:, chosen] @ u
        return self._answers(scores, finished)

    def _columns(self, subset: np.ndarray) -> np.ndarray:
        return np.append(subset, self.X.shape[1] - 1) if self.intercept else subset

    def _answers(self, z: np.ndarray, sure: np.ndarray) -> Answers:
        scores = np.zeros((z.shape[1], z.shape[0], 2))
        scores[:, :, 1] = z.T
        return Answers(scores, sure)

    def _one_by_one(self, sets: list[np.ndarray]) -> Answers:
        solved = [self._newton(columns, np.zeros(len(columns))) for columns in sets]
        z = np.column_stack([self.X_test[:, columns] @ u for columns, (u, _) in zip(sets, solved)])
        return self._answers(z, np.array([sure for _, sure in solved]))

    def _solution(self, columns: np.ndarray) -> tuple[np.ndarray, bool]:
        """The minimum for a set of columns, from that of the set before where they share columns."""
        key = tuple(columns.tolist())
        if key == self._base[0]:
            return self._base[1], True
        before = dict(zip(*self._base))
        u, sure = self._newton(columns, np.array([before.get(j, 0.0) for j in key]))
        if sure:
            self._base = key, u
        return u, sure

    def _curvature(self, z: np.ndarray) -> np.ndarray:
        p = expit(z)
        return self.w * p * (1 - p)

    def _inverse(self, X: np.ndarray, h: np.ndarray, ridge: np.ndarray) -> np.ndarray | None:
        H = X.T @ (X * h[:, None]) + np.diag(ridge)
        flat = np.diag(H) == 0  # a constant column: its weight stays 0
        H[flat, flat] = 1.0
        try:
            return cho_solve(cho_factor(H, lower=True), np.eye(len(H)))
        except LinAlgError:
            return None

    def _newton(self, columns: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, bool]:
        """Newton's steps, halved until the objective falls; and whether the gradient vanished."""
        X, ridge = self.X[:, columns], self.ridge[columns]
        value = self._value(X @ u, u, ridge)
        for _ in range(MAX_NEWTON):
            z = X @ u
            g = X.T @ (self.w * (expit(z) - self.y)) + ridge * u
            if np.abs(g).max(initial=0.0) <= GRADIENT:
                return u, True
            A = self._inverse(X, self._curvature(z), ridge)
            if A is None:
                return u, False
            step = A @ g
            for _ in range(40):
                moved = self._value(X @ (u - step), u - step, ridge)
                if moved <= value + 1e-14 * abs(value):
                    break
                step = step / 2
            u, value = u - step, moved
        return u, False

    def _value(self, z: np.ndarray, u: np.ndarray, ridge: np.ndarray) -> float:
        return float(self.w @ (np.logaddexp(0.0, z) - self.y * z) + 0.5 * ridge @ (u * u))


class _Bordered:
    """The inverse of the base's curvature, and what each candidate's border makes of a gradient."""

    def __init__(self, A: np.ndarray, borders: np.ndarray, corners: np.ndarray):
        self.A, self.u = A, A @ borders
        self.pivots = corners - np.einsum("jc,jc->c", borders, self.u)
        self.pivots = np.where(
            self.pivots > 1e-12 * corners, self.pivots, np.inf
        )  # a dependent column stays at 0

    def step(self, G: np.ndarray, g: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The changes of the base's weights (p, C) and of the candidates' (C,)."""
        dv = (g - np.einsum("jc,jc->c", self.u[:, which], G)) / self.pivots[which]
        return self.A @ G - self.u[:, which] * dv, dv
