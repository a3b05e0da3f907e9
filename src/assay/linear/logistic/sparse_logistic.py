r"""Logistic and softmax regression with a ridge penalty on sparse rows with many columns.

With S the sum of the row weights the objective is, as in scikit-learn,

.. math:: E(W) = \frac1S\sum_i w_i\,\ell(y_i, Wx_i) + \frac1{2CS}\lVert W\rVert^2 \qquad (1)

and it is minimised by truncated Newton steps: conjugate gradients, preconditioned by the diagonal of the Hessian,
solve :math:`Hs=-\nabla E` as exactly as the step deserves. Why this one: a product :math:`Hv` is one sweep over the
rows, in which a row's entries are read once for :math:`u_i=x_i^Tv` and, still in the cache, once more for
:math:`\sum_i D_iu_ix_i`; the sums :math:`u` of a step add up to the change of all scores, so that the line search and
the next scores cost no sweep at all. Coordinate descent in the dual (LIBLINEAR's other solver) visits the rows one by
one and computes logarithms on each visit; L-BFGS needs two to three times as many sweeps.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import assay.linear.logistic._sparse_logistic as _sparse_logistic
from assay.core.csr import csr_arrays
from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.errors import DataError
from assay.optimize.objective import Optimum, Record
from assay.types import TableLike

__all__ = ["solve"]

_BLOCK = 1 << 20  # multiplications that are worth a thread
_MAX_BLOCKS = 16  # blocks at most, since each has its own sums over the columns


def solve(
    X: TableLike,
    y: np.ndarray,
    w: np.ndarray | None,
    K: int,
    C: float,
    fit_intercept: bool = True,
    penalize_intercept: bool = False,
    tol: float = 1e-4,
    max_iter: int = 100,
    start: np.ndarray | None = None,
) -> Optimum:
    """The minimum of (1): for two classes of log(1 + e^z) - y z, for more of the softmax's cross-entropy.

    It stops when no entry of the gradient of (1) exceeds ``tol`` and Newton steps in each column alone promise a
    gain of at most ``tol``/10 of the value (plus log(K)/1000, for separable rows); the
    second matters where columns are rare, since their gradients are small wherever one stands.

    Parameters
    ----------
    X : (n, d) CSR matrix of numbers      y : (n,) class of each row, 0..K-1
    w : (n,) weights of the rows, or None for 1 each
    K : number of classes, 2 or more
    C : inverse strength of the penalty, above 0; ``inf`` for none
    fit_intercept : whether there are constants      penalize_intercept : whether they are penalised as well
    tol : see above      max_iter : Newton steps at most
    start : (R, d + 1) where to begin, None for zeros, which are also taken if they are better

    Returns
    -------
    Optimum : with R = 1 for K = 2 and else R = K, ``w.reshape(R, d + 1)`` has the weights of the columns and, last,
        the constants (0 without ``fit_intercept``), and ``gradient`` is laid out alike. ``value`` is E of (1). The
        constants of a softmax add up to 0 unless the penalty fixes them.
    """
    R = 1 if K == 2 else K
    problem = _Problem(X, y, w, R, C, fit_intercept, penalize_intercept)
    W = np.zeros((problem.d + 1, R))
    if start is not None:
        W[:] = np.reshape(start, (R, problem.d + 1)).T
        W *= problem.free
    Z = problem.scores(W)
    if start is not None and not problem.value(W, Z) <= np.log(K):  # worse than no weights, perhaps saturated
        W[:], Z[:] = 0.0, 0.0
    history: list[Record] = []
    reason, moved = "iterations", 0.0
    quiet = np.errstate(over="ignore", under="ignore", invalid="ignore")
    with progress(max_iter, "logistic regression, sparse rows") as bar, quiet:
        for iteration in range(max_iter + 1):
            value, gradient, diagonal = problem.value_gradient(W, Z)
            largest = float(np.abs(gradient).max())
            history.append(Record(iteration, value, largest, moved))
            promise = 0.5 * float((gradient * gradient / diagonal).sum())
            if largest <= tol and promise <= 0.1 * tol * (value + 1e-3 * np.log(K)):
                reason = "gradient"
                break
            if promise <= 1e-22 * value or _idle(history):
                reason = "value"
                break
            if iteration == max_iter:
                break
            exactness = min(
                0.25, max(0.1, np.sqrt(promise / max(value, 1e-300)))
            )  # far away, a rough step will do
            step, U = problem.newton_step(gradient, diagonal, exactness)
            t = problem.line_search(W, Z, step, U, value)
            if t == 0.0:
                reason = "value" if promise <= 1e-9 * (value + 1e-3 * np.log(K)) else "stuck"
                break
            W += t * step
            Z += t * U
            moved = t * float(np.sqrt((step * step).sum()))
            bar.advance()
    if R > 1 and fit_intercept and not (penalize_intercept and np.isfinite(C)):
        W[-1] -= W[-1].mean()
    return Optimum(W.T.ravel(), value, gradient.T.ravel(), reason in ("gradient", "value"), reason, history)


def _idle(history: list[Record]) -> bool:
    """Whether four steps changed neither the value nor the gradient for the better: what is left is rounding."""
    if len(history) < 5:
        return False
    then, now = history[-5], history[-1]
    return then.value - now.value <= 1e-15 * now.value and now.gradient >= 0.5 * then.gradient


class _Problem:
    """(1) on one set of rows; weights are (d + 1, R), the constants last."""

    def __init__(
        self,
        X: Any,
        y: np.ndarray,
        w: np.ndarray | None,
        R: int,
        C: float,
        fit_intercept: bool,
        penalize_intercept: bool,
    ):
        n, self.d = X.shape
        self.R = R
        self.rows = dict(zip(("start", "column", "value"), csr_arrays(X, np.float64)))
        self.y = np.ascontiguousarray(y, dtype=np.int64)
        total = float(n if w is None else w.sum())
        self.w = np.full(n, 1.0 / total) if w is None else np.ascontiguousarray(w / total, dtype=np.float64)
        self.penalty = np.full((self.d + 1, 1), 1.0 / (C * total) if np.isfinite(C) else 0.0)
        if not penalize_intercept:
            self.penalty[-1] = 0.0
        self.free = np.ones((self.d + 1, 1))  # 0 where a weight stays 0
        self.free[-1] = float(fit_intercept)
        self.G, self.D = np.empty((n, R)), np.empty((n, R))
        self.U = np.empty((n, R))
        work = len(self.rows["value"]) * R
        blocks = int(min(max(1, work // _BLOCK), _MAX_BLOCKS, max(1, work // (4 * (self.d + 1) * R))))
        start = self.rows["start"]
        cuts = np.searchsorted(start, np.linspace(0, start[-1], blocks + 1)[1:-1])
        edges = [0, *cuts.tolist(), n]
        self.blocks = [(b, lo, hi) for b, (lo, hi) in enumerate(pairwise(edges))]
        self.out = np.empty((blocks, self.d + 1, R))
        self.second = np.empty((blocks, self.d + 1, R))

    def scores(self, W: np.ndarray) -> np.ndarray:
        """(n, R)"""
        Z = np.empty((len(self.y), self.R))
        in_threads(
            lambda block: _sparse_logistic.scores(**self.rows, W=W, lo=block[1], hi=block[2], Z=Z),
            self.blocks,
        )
        return Z

    def value(self, W: np.ndarray, Z: np.ndarray) -> float:
        """E of (1)."""
        loss = _sparse_logistic.along(Z, Z, 0.0, self.y, self.w)[0]
        return loss + 0.5 * float((self.penalty * W * W).sum())

    def value_gradient(self, W: np.ndarray, Z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """E, its gradient and the diagonal of its second derivatives, the latter above 0."""
        loss = _sparse_logistic.respond(Z, self.y, self.w, self.G, self.D)

        def add(block: tuple[int, int, int]) -> None:
            b, lo, hi = block
            self.out[b] = 0.0
            self.second[b] = 0.0
            _sparse_logistic.back(
                **self.rows,
                G=self.G,
                D=self.D,
                w=self.w,
                lo=lo,
                hi=hi,
                out=self.out[b],
                diagonal=self.second[b],
            )

        in_threads(add, self.blocks)
        value = loss + 0.5 * float((self.penalty * W * W).sum())  # (1)
        gradient = (self.out.sum(axis=0) + self.penalty * W) * self.free
        diagonal = self.second.sum(axis=0) + self.penalty
        if not (np.isfinite(diagonal).all() and np.isfinite(value)):
            raise DataError(
                "The numbers of the sparse matrix are too large to be squared and added up. Scale its columns first."
            )
        return value, gradient, np.maximum(diagonal, float(diagonal.max()) * 1e-60 or 1.0)

    def curve(self, V: np.ndarray) -> np.ndarray:
        """H V, and in ``U`` the changes of the scores that V makes."""

        def add(block: tuple[int, int, int]) -> None:
            b, lo, hi = block
            self.out[b] = 0.0
            _sparse_logistic.curve(
                **self.rows, D=self.D, w=self.w, V=V, lo=lo, hi=hi, U=self.U, out=self.out[b]
            )

        in_threads(add, self.blocks)
        product = self.out.sum(axis=0) if len(self.out) > 1 else self.out[0].copy()
        product += self.penalty * V
        product *= self.free
        return product

    def newton_step(
        self, gradient: np.ndarray, diagonal: np.ndarray, exactness: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """About the solution s of H s = -gradient, and the change of the scores that it makes."""
        step, change = np.zeros_like(gradient), np.zeros_like(self.U)
        residual = -gradient
        scaled = residual / diagonal
        direction = scaled.copy()
        size = first = float((residual * scaled).sum())
        for _ in range(250):
            product = self.curve(direction)
            bend = float((direction * product).sum())
            a = size / bend if bend > 0.0 else np.inf
            if not np.isfinite(a * float(np.abs(direction).max())):  # flat: the line search says how far
                if not step.any():
                    unit = 1.0 / float(np.abs(direction).max())
                    return unit * direction, unit * self.U
                break
            step += a * direction
            change += a * self.U
            residual -= a * product
            scaled = residual / diagonal
            before, size = size, float((residual * scaled).sum())
            if size <= exactness**2 * first:
                break
            direction *= size / before
            direction += scaled
        return step, change

    def line_search(
        self, W: np.ndarray, Z: np.ndarray, step: np.ndarray, U: np.ndarray, value: float
    ) -> float:
        """About the best length of the step, by Newton's method on the line; no sweep over the entries."""
        linear = float((self.penalty * W * step).sum())
        square = float((self.penalty * step * step).sum())
        constant = 0.5 * float((self.penalty * W * W).sum())

        def at(t: float) -> tuple[float, float, float]:
            loss, slope, bend = _sparse_logistic.along(Z, U, t, self.y, self.w)
            return (
                loss + constant + t * linear + 0.5 * t * t * square,
                slope + linear + t * square,
                bend + square,
            )

        downhill = at(0.0)[1]
        if not downhill < 0.0:
            return 0.0
        low, high, t = 0.0, np.inf, 1.0
        best, least = 0.0, value * (1 + 1e-13)
        for _ in range(40):
            here, slope, bend = at(t)
            if here <= least:
                best, least = t, here
                if abs(slope) <= -0.3 * downhill or -downhill <= 1e-14 * value:  # or too little to be seen
                    return t
            low, high = (t, high) if slope < 0 and here <= value * (1 + 1e-13) else (low, t)
            guess = t - slope / bend if bend > 0 else np.inf
            t = guess if low < guess < high else (0.5 * (low + high) if np.isfinite(high) else 2.0 * t)
        return best
