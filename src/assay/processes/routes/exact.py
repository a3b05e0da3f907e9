"""Gaussian process regression by the whole covariance matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from assay.core.stored import FloatArray, Object
from assay.errors import DegenerateError
from assay.kernels import Kernel
from assay.kernels.memory import refuse_beyond_memory
from assay.processes.cholesky import Factor, factor
from assay.processes.leave_out import left_out, pseudo_likelihood
from assay.processes.noise import without_noise
from assay.processes.routes.route import Route, rows_below
from assay.processes.routes.support import Support

__all__ = ["Exact"]

ROWS_AT_ONCE = 1 << 21  # kernel values of new rows with the training rows that are in memory at a time


class Exact(Route):
    r"""The posterior as it is, by the Cholesky factor of the covariance matrix C of the targets.

    With :math:`C = K + \mathrm{diag}(\sigma^2)`, :math:`a = C^{-1} y` and t targets,

    .. math:: \ln p(y) = -\tfrac12 y^T a - \tfrac12 \ln |C| - \tfrac n2 \ln 2\pi, \qquad
              \frac{\partial \ln p}{\partial\theta_k} = \tfrac12 \sum_{ij} W_{ij}
              \frac{\partial K_{ij}}{\partial\theta_k}, \quad W = aa^T - C^{-1} \quad (1)

    .. math:: m(x) = k(x)^T a, \qquad v(x) = K(x, x) - |L^{-1} k(x)|^2 \quad (2)

    .. math:: m_{(i)} = y_i - a_i / [C^{-1}]_{ii}, \qquad v_{(i)} = 1 / [C^{-1}]_{ii} \quad (3)

    W takes the place of C, and the sums over pairs come in blocks, so that the memory is one matrix and the blocks,
    whatever the number of parameters. Cost: O(n^3) for (1), O(n) a mean, O(n^2) a variance.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.routes.exact import Exact
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> route = Exact().fit(RBF(0.5), x, np.array([[0.0], [1.0], [0.0], [-1.0]]), np.full(4, 0.1))
    >>> value, gradient = route.log_evidence(route.kernel.theta)
    >>> round(value, 8), route.condition(route.kernel).mean([[1.5]]).round(8)
    (-4.75962729, array([[0.5477526]]))
    """

    words = "exact: the covariance matrix of all training rows, O(n^3)"
    stored = {"factor": Object(Factor), "a": FloatArray("n", "t", finite=True)}
    factor: Factor
    a: np.ndarray

    def fit(self, kernel: Kernel, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        refuse_beyond_memory("GaussianProcessRegressor", len(Y), "Use method='auto' or 'inducing'.")
        return super().fit(kernel, X, Y, noise)

    def log_evidence(self, theta: np.ndarray, gradient: bool = True) -> tuple[float, np.ndarray]:
        kernel = self.kernel.with_theta(theta)
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # what is no number has no factor
                K, sums = kernel.gram_and_sums(self.X) if gradient else (kernel.gram(self.X), None)
                L = self._factor(K)
        except DegenerateError:
            return -np.inf, np.zeros(len(theta))
        n, t = self.Y.shape
        a = L.solve(self.Y)
        value = float(-0.5 * np.einsum("ij,ij->", self.Y, a) - 0.5 * t * (L.logdet + n * np.log(2.0 * np.pi)))
        return value, np.zeros(0) if sums is None else 0.5 * sums(self._weights(L, a))

    def log_pseudo_likelihood(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        kernel = self.kernel.with_theta(theta)
        K, sums = kernel.gram_and_sums(self.X)
        try:
            L = self._factor(K)
        except DegenerateError:
            return -np.inf, np.zeros(len(theta))
        a = L.solve(self.Y)
        value, W = pseudo_likelihood(L.inverse(overwrite=True), a)
        return value, sums(W)

    def _weights(self, L: Factor, a: np.ndarray) -> np.ndarray:
        """(n, n) W of (1), for all targets, in the place of L."""
        W = L.inverse(overwrite=True)
        W *= -a.shape[1]
        for start in range(0, len(W), 256):
            W[start : start + 256] += a[start : start + 256] @ a.T
        return W

    def _factor(self, K: np.ndarray) -> Factor:
        C = K if K.flags.writeable and K.flags.c_contiguous else np.array(K, order="C")
        C.flat[:: len(C) + 1] += self.noise
        return factor(C, overwrite=True)

    def _condition(self) -> None:
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # what is no number is refused by name
                self.factor = self._factor(self.kernel.gram(self.X))
        except DegenerateError as error:
            raise DegenerateError(f"{self.kernel!r}: {error}") from None
        self.jitter = self.factor.jitter
        self.a = self.factor.solve(self.Y)

    def _check_stored(self) -> None:
        if len(self.factor) != len(self.Y):
            raise ValueError(f"the factor is of {len(self.factor)} rows, {len(self.Y)} are stored")

    def mean(self, Q: Any) -> np.ndarray:
        return self.kernel.combine(Q, self.X, self.a)  # (2)

    def variance(self, Q: Any) -> np.ndarray:
        return self.moments(Q)[1]

    def moments(self, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        variance = np.array(self.kernel.diagonal(Q))
        mean = np.empty((len(variance), self.a.shape[1]))
        size = max(1, ROWS_AT_ONCE // max(len(self.a), 1))
        for start in range(0, len(variance), size):
            some = slice(start, start + size)
            K = np.ascontiguousarray(self.kernel.between(Q[some], self.X))
            mean[some] = K @ self.a
            V = self.factor.half_solve(K.T)  # K is C-ordered, so its transpose may be written over
            variance[some] -= np.einsum("ij,ij->j", V, V)
        return mean, np.maximum(variance, 0.0, out=variance)  # (2)

    def covariance(self, Q: Any) -> np.ndarray:
        V = self.factor.half_solve(self.kernel.between(Q, self.X).T)
        C = self.kernel.gram(Q) - V.T @ V
        diagonal = np.diagonal(C)
        np.fill_diagonal(C, np.maximum(diagonal, 0.0))
        return C

    def support(self, x: Any) -> Support:
        weights = self.factor.solve(np.array(self.kernel.between(x, self.X)[0]))
        latent, places = without_noise(self.kernel), np.arange(len(self.Y))
        return Support(latent, x, self.X, places, False, self.a, weights, self.Y, self.factor.solve)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        inverse = np.diagonal(self.factor.inverse())[:, None]
        return self.Y - self.a / inverse, np.repeat(1.0 / inverse, self.Y.shape[1], axis=1)  # (3)

    def leave_out(self, folds: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = left_out(self.factor.inverse(), self.a, self.Y, folds)
        return mean, np.repeat(variance[:, None], self.Y.shape[1], axis=1)

    def extend(self, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        new = np.array(self.kernel.gram(X))
        new.flat[:: len(new) + 1] += noise
        self.factor = self.factor.extend(self.kernel.between(self.X, X), new)
        self.jitter, self.X = self.factor.jitter, rows_below(self.X, X)
        self.Y, self.noise = np.concatenate([self.Y, Y]), np.concatenate([self.noise, noise])
        self.a = self.factor.solve(self.Y)
        return self
