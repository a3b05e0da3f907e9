"""Rows of a Gaussian process given their neighbours: sums over rows, in native code for most kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.processes.routes._given_neighbours as _native
from assay.core.parallel import in_threads
from assay.errors import DegenerateError
from assay.kernels import Kernel
from assay.processes.routes.terms import Terms, terms_of

__all__ = ["Conditionals", "conditionals_of"]

ROWS_A_PIECE = 512  # of work for a thread; pieces do not depend on the number of threads


def conditionals_of(
    kernel: Kernel, X: np.ndarray, Y: np.ndarray, noise: np.ndarray, near: np.ndarray
) -> Conditionals:
    """The last rows of X given their neighbours, in native code if it knows the kernel.

    Parameters
    ----------
    kernel : Kernel      X : (n, d)      Y : (n, t) targets      noise : (n,) variances beyond those of the kernel
    near : (q, m) rows that the last q rows are given; from the first -1 on there are none

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.routes.given_neighbours import conditionals_of
    >>> X, Y = np.array([[0.0], [0.0]]), np.zeros((2, 1))
    >>> coef, variance = conditionals_of(RBF(), X, Y, np.ones(2), np.array([[0]])).solve()
    >>> coef, variance  # half of the target of the same point; 1 + 1 - 1/2
    (array([[0.5]]), array([1.5]))
    """
    terms = terms_of(kernel, X.shape[1])
    return ByKernel(kernel, X, Y, noise, near) if terms is None else ByTerms(kernel, terms, X, Y, noise, near)


class Conditionals:
    """The last rows of X given their neighbours: the sums of evidence and derivatives, or each row's coefficients."""

    near: np.ndarray

    def evidence(self) -> tuple[float, np.ndarray]:
        """The log evidence and its (p,) derivatives."""
        sums = in_threads(self._sum_some, range(0, len(self.near), ROWS_A_PIECE))
        return self._total(np.sum(sums, axis=0))

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, m) coefficients and (q,) variances of (1)."""
        coef, variance = np.zeros(self.near.shape), np.empty(len(self.near))
        in_threads(
            lambda begin: self._solve_some(begin, coef, variance), range(0, len(self.near), ROWS_A_PIECE)
        )
        return coef, variance

    def _sum_some(self, begin: int) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _sum_some")

    def _total(self, sums: np.ndarray) -> tuple[float, np.ndarray]:
        return float(sums[0]), sums[1:]

    def _solve_some(self, begin: int, coef: np.ndarray, variance: np.ndarray) -> None:
        raise TypeError(f"{type(self).__name__} must define _solve_some")


class ByTerms(Conditionals):
    """A kernel that is a sum of terms."""

    def __init__(
        self, kernel: Kernel, terms: Terms, X: np.ndarray, Y: np.ndarray, noise: np.ndarray, near: np.ndarray
    ):
        self.terms, self.near, self.d, self.p = terms, near, X.shape[1], kernel.free
        self.profiles = _native.Terms(kind=terms.kinds, variance=terms.variances)
        self.points = _native.Points(
            scaled=terms.scaled(X), noise=noise + terms.white, Y=np.ascontiguousarray(Y), neighbours=near
        )

    def _sum_some(self, begin: int) -> np.ndarray:
        t = len(self.terms.terms)
        sums = np.empty(2 + t + t * self.d)
        end = min(begin + ROWS_A_PIECE, len(self.near))
        _raise_at(_native.evidence(self.profiles, self.points, begin, end, sums))
        return sums

    def _total(self, sums: np.ndarray) -> tuple[float, np.ndarray]:
        t = len(self.terms.terms)
        by_scale = sums[2 + t :].reshape(t, self.d)
        return float(sums[0]), self.terms.gradient(self.p, float(sums[1]), sums[2 : 2 + t], by_scale)

    def _solve_some(self, begin: int, coef: np.ndarray, variance: np.ndarray) -> None:
        end = min(begin + ROWS_A_PIECE, len(self.near))
        _raise_at(_native.conditionals(self.profiles, self.points, begin, end, coef, variance))


class ByKernel(Conditionals):
    """Any kernel, by its matrices for each row and its neighbours."""

    def __init__(self, kernel: Kernel, X: np.ndarray, Y: np.ndarray, noise: np.ndarray, near: np.ndarray):
        self.kernel, self.X, self.Y, self.noise, self.near = kernel, X, Y, noise, near

    def _of(self, i: int) -> tuple[np.ndarray, np.ndarray, Any]:
        """The rows of a block, the row itself last, their covariances, and the factor of those of the neighbours."""
        from scipy.linalg import cho_factor

        near = self.near[i]
        rows = np.append(near[near >= 0], len(self.X) - len(self.near) + i)
        K = np.array(self.kernel.gram(self.X[rows]))
        K.flat[:: len(K) + 1] += self.noise[rows]
        try:
            return rows, K, cho_factor(K[:-1, :-1], lower=True, check_finite=False) if len(rows) > 1 else None
        except np.linalg.LinAlgError:
            raise DegenerateError("no factor") from None

    def _sum_some(self, begin: int) -> np.ndarray:
        from scipy.linalg import cho_solve

        total = np.zeros(1 + self.kernel.free)
        for i in range(begin, min(begin + ROWS_A_PIECE, len(self.near))):
            rows, K, factor = self._of(i)
            y, k = self.Y[rows], len(rows) - 1
            right = np.column_stack([K[:k, k], y[:k]])
            solved = cho_solve(factor, right, check_finite=False) if k else right
            b, g = solved[:, 0], solved[:, 1:]
            v, e = K[k, k] - K[:k, k] @ b, y[k] - b @ y[:k]
            if not v > 0:
                raise DegenerateError("no variance")
            t = len(e)
            total[0] -= 0.5 * (e @ e / v + t * np.log(2.0 * np.pi * v))
            s, w = 0.5 * (e @ e / v - t) / v, np.append(g @ e / v, 0.0)
            b = np.append(b, -1.0)
            W = s * np.outer(b, b) - 0.5 * (np.outer(b, w) + np.outer(w, b))
            if len(total) > 1:
                total[1:] += self.kernel.parameter_sums(self.X[rows], W)
        return total

    def _solve_some(self, begin: int, coef: np.ndarray, variance: np.ndarray) -> None:
        from scipy.linalg import cho_solve

        for i in range(begin, min(begin + ROWS_A_PIECE, len(self.near))):
            _, K, factor = self._of(i)
            k = len(K) - 1
            coef[i, :k] = cho_solve(factor, K[:k, k], check_finite=False) if k else 0.0
            variance[i] = max(K[k, k] - K[:k, k] @ coef[i, :k], 0.0)


def _raise_at(row: int) -> None:
    if row >= 0:
        raise DegenerateError(f"row {row} has no positive variance given its neighbours")
