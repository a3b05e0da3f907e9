r"""At most d rows with the squares and products of all rows: all that a Gaussian model of the weights needs.

With row weights :math:`v_i`, columns and targets less their weighted means (or as they are, without a constant), there
are (k, d) rows R and k numbers t, k at most min(n, d), and a number o with

.. math:: \sum_i v_i(y_i-\bar y-w^T(x_i-m))^2 = \lVert t-Rw\rVert^2 + o \quad\text{for every } w          \quad (1)

R is the Cholesky factor of the scatter of the columns, or, where squaring would lose digits, the triangular factor of
the rows themselves (one more look at them); of fewer rows than columns, the rows. The residual squares by (1) are a sum
of squares, never a difference, so that iterations on R keep their digits however small the noise is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, Integer, Object, Scalar
from assay.core.sum_learner import SumLearner
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError, DegenerateError
from assay.linear.compact import compact
from assay.linear.regression.least_squares import SINGULAR, TINY, WELL_CONDITIONED, _cholesky, _lower, _root
from assay.linear.regression.least_squares_sums import Floats, Problem, Sums, Triangle, problem_of, summarize

__all__ = ["CompressedRows", "CompressingLearner", "Spectrum"]

NOISE_SHARE = 1e-9  # share of the targets' squares below which the residual squares are worth another look


@dataclass(frozen=True)
class Spectrum:
    """The singular values s of R, (k,), its right singular vectors V, (k, d), and t along the left ones, (k,)."""

    s: Floats
    V: Floats
    along: Floats


@dataclass(frozen=True)
class CompressedRows:
    """(1): R, t, o, the means m and y-bar, the total weight, and the number of rows.

    Attributes
    ----------
    R : (k, d)      t : (k,)      outside : o
    mean : (d,)      target : float      (both 0 without a constant)
    weight : float      count : number of rows that weigh something      variance : of the targets about their mean
    """

    R: Floats
    t: Floats
    outside: float
    mean: Floats
    target: float
    weight: float
    count: int
    variance: float

    storable = True
    stored = {
        "R": FloatArray("k", "q", finite=True),
        "t": FloatArray("k", finite=True),
        "outside": Scalar(low=0, finite=True),
        "mean": FloatArray("q", finite=True),
        "target": Scalar(finite=True),
        "weight": Scalar(low=0, finite=True),
        "count": Integer(low=0),
        "variance": Scalar(low=0, finite=True),
    }

    @cached_property
    def spectrum(self) -> Spectrum:
        """The singular values of R."""
        U, s, V = np.linalg.svd(self.R, full_matrices=False)
        return Spectrum(s, V, U.T @ self.t)

    def with_constant(self) -> tuple[Floats, Floats]:
        """(k + 1, d + 1) rows and their targets, of columns as they are after a column of ones."""
        k, d = self.R.shape
        A = np.zeros((k + 1, d + 1))
        root = np.sqrt(self.weight)
        A[0, 0], A[0, 1:], A[1:, 1:] = root, root * self.mean, self.R
        return A, np.append(root * self.target, self.t)


class CompressingLearner(SumLearner):
    """Mixin of regressors that learn from compressed rows; they write ``_infer(rows)`` and have ``fit_intercept``."""

    stored = {"_sums": Object(Sums)}

    fit_intercept: bool
    _sums: Any

    def _check_stored(self) -> None:
        rows, coef = vars(self).get("_rows"), vars(self).get("coef_")
        if rows is not None and (coef is None or rows.R.shape[1] != len(coef)):
            raise ValueError("_rows must have a column for each weight")

    def _infer(self, rows: CompressedRows) -> None:
        raise TypeError(f"{type(self).__name__} must define _infer")

    def _basis(self, X: Any) -> Any:
        """The columns that are weighted: those of the table, unless there are basis functions."""
        return X

    def _summarize(self, X: Any, y: Any, w: Any) -> Sums:
        return summarize(self._basis(X), y, w)

    def _learn_from(self, source: Source) -> None:
        if isinstance(source, Rows):
            source = Rows(compact(source.X), source.y, source.w)
        self._sums = source.add_up(self._summarize_block)
        self._solve(self._sums, source)

    def _solve(self, sums: Sums, source: Source | None = None) -> None:
        who = type(self).__name__
        if sums.kept is not None:
            rows = _few_rows(*sums.kept, self.fit_intercept, who)
        else:
            assert sums.moments is not None
            if not sums.moments.count[0] > 0:
                raise DegenerateError(f"{who}: no row so far weighs anything.")
            d = sums.moments.mean.shape[1] - 1
            rows = _many_rows(self, problem_of(sums.moments, d), float(sums.moments.scatter[0, d, d]), source)
        self._infer(rows)


def _few_rows(X: Any, y: np.ndarray, w: Floats | None, centred: bool, who: str) -> CompressedRows:
    """Rows that are fewer than their columns, each once."""
    dense = (X if isinstance(X, np.ndarray) else X.toarray()).astype(np.float64)
    v = np.ones(len(dense)) if w is None else w
    total = float(v.sum())
    if not total > 0:
        raise DegenerateError(f"{who}: no row so far weighs anything.")
    mean, target = (v @ dense) / total, float(v @ y) / total
    with np.errstate(over="ignore"):
        _refuse_large_targets(float(v @ (y * y)), who)
    variance = float(v @ (y - target) ** 2) / total
    if not centred:
        mean, target = np.zeros(dense.shape[1]), 0.0
    root = np.sqrt(v)
    R, t = (dense - mean) * root[:, None], (y - target) * root
    _refuse_overflow(R, who)
    return CompressedRows(R, t, 0.0, mean, target, total, int((v > 0).sum()), variance)


def _many_rows(learner: Any, problem: Problem, squares: float, source: Source | None) -> CompressedRows:
    """More rows than columns, from their sums."""
    who = type(learner).__name__
    names = getattr(learner, "term_names_", None) or learner._names
    problem.check(who, names)
    n, m, target = problem.n, problem.mean, float(problem.target[0])
    S, c, variance = problem.S, problem.C[:, 0], squares / problem.n
    _refuse_large_targets(squares + n * target * target, who)
    if not learner.fit_intercept:
        S, c = S + n * np.outer(m, m), c + n * m * target
        squares, m, target = squares + n * target**2, np.zeros(len(m)), 0.0
    size = np.sqrt(np.maximum(np.diag(S), 0.0))
    live = size > np.sqrt(TINY)  # a column without any spread gets no row
    unit = np.where(live, size, 1.0)
    A = S / unit / unit[:, None]
    A.flat[:: len(A) + 1] = 1.0
    A[~live], A[:, ~live] = 0.0, 0.0
    A[~live, ~live] = 1.0
    b = np.where(live, c / unit, 0.0)
    L, trust = _cholesky(A)
    t = _lower(L, b) if trust > SINGULAR else b
    outside = squares - float(t @ t)
    doubtful = trust <= WELL_CONDITIONED or outside < NOISE_SHARE * squares
    if doubtful and source is not None and squares > 0:
        R = source.add_up(_Look(learner, m, unit, target)).R
        d = len(m)
        R, t, outside = R[:d, :d], R[:d, d], float(np.sum(R[d:, d] ** 2)) if len(R) > d else 0.0
    elif trust <= SINGULAR:
        R, T = _root(A, b[:, None])
        t = T[:, 0]
        outside = squares - float(t @ t)
    else:
        R = L.T
    R = np.where(live, R, 0.0) * unit
    return CompressedRows(R, t, max(outside, 0.0), m, target, n, problem.rows, variance)


class _Look:
    """One block's part of the triangular factor of all rows, columns scaled."""

    def __init__(self, learner: Any, mean: Floats, unit: Floats, target: float):
        self.learner, self.mean, self.unit, self.target = learner, mean, unit, target

    def __call__(self, block: Block) -> Triangle:
        X, y = self.learner._basis(block.X), np.asarray(block.y, dtype=np.float64)
        return Triangle.of(X, y, block.w, self.mean, self.unit, np.array([self.target]))


def _refuse_large_targets(squares: float, who: str) -> None:
    if not np.isfinite(squares):
        raise DataError(f"{who}: the squares of y are too large to be added up. Divide it by a power of ten.")


def _refuse_overflow(R: Floats, who: str) -> None:
    if not np.isfinite(np.sum(R * R)):
        raise DataError(f"{who}: the squares of X are too large to be added up. Divide it by a power of ten.")
