"""Gaussian process regression of many rows: few points stand for all of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core.stored import FloatArray, Integer, Object, ObjectRows, Scalar, TableRows
from assay.core.sums import Rows, Source
from assay.errors import DegenerateError
from assay.kernels import Kernel, pivoted_cholesky
from assay.processes.cholesky import Factor
from assay.processes.noise import noise_variance, without_noise
from assay.processes.routes.collapsed_bound import CollapsedBound
from assay.processes.routes.route import Route
from assay.tables.rows import row_count, take_rows

__all__ = ["InducingPoints"]

SAMPLE = 4_000  # rows at least among which points are chosen
SAMPLE_FACTOR = 8  # or so many for each of them
ROWS_AT_ONCE = 1 << 20  # kernel values of new rows that are in memory at a time


class InducingPoints(Route):
    r"""Many rows by few points that stand for them: the function is known through its values at these.

    The kernel matrix K of the rows is approximated by :math:`Q = K_{XZ} K_{ZZ}^{-1} K_{ZX}`, and parameters maximise
    Titsias' lower bound of the evidence, which charges what Q lacks; see `CollapsedBound`. An upper bound says how far
    the evidence can be from it: ``gap`` is their difference.

    The points Z are training rows, chosen by pivoted Cholesky decomposition of the kernel matrix of a sample of them:
    each next one where the points so far explain least, so that the trace of K - Q, and with it the gap, falls quickly.
    They are chosen at the parameters that are asked for first (after a search on some of the rows), stay while
    parameters are searched, and are chosen again at the parameters found if that makes the bound larger. Moving them by
    gradient steps costs m d more parameters and pays where the points are few; more points cost less.

    Variances of new rows have the part that the points do not explain. All is sums over rows: blocks from disk and Dask
    give the same numbers. Cost: O(n m^2) for the bound and its derivatives, O(m^2) a new row; memory O(m^2) and one
    block.

    Parameters
    ----------
    n_inducing : int, default 400
        m, at most; fewer if they explain the sample to 1e-8 of its variance.

    Attributes
    ----------
    Z : (m, d) the points      gap : float, the upper minus the lower bound of the log evidence

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.routes.inducing_points import InducingPoints
    >>> x = np.linspace(0, 9, 300)[:, None]
    >>> route = InducingPoints(20).fit(RBF(1.0), x, np.sin(x), np.full(300, 0.01)).condition(RBF(1.0))
    >>> route.mean([[1.0]]).round(2), route.gap < 0.1  # sin(1) = 0.84
    (array([[0.84]]), True)

    References
    ----------
    - Titsias, M. K. (2009). Variational learning of inducing variables in sparse Gaussian processes. Proceedings of the
      12th International Conference on Artificial Intelligence and Statistics, 567-574.
    - Burt, D. R., Rasmussen, C. E. and van der Wilk, M. (2020). Convergence of sparse variational inference in Gaussian
      processes regression. Journal of Machine Learning Research 21(131), 1-63.
    """

    stored = {
        "n_inducing": Integer(low=1),
        "Z": TableRows("m", "*") | ObjectRows("m"),
        "L": Object(Factor),
        "B": Object(Factor),
        "beta": FloatArray("m", "t", finite=True),
        "gap": Scalar(),
    }
    Z: Any = None
    L: Factor
    B: Factor
    beta: np.ndarray
    gap: float

    def __init__(self, n_inducing: int = 400):
        self.n_inducing = n_inducing

    @property
    def words(self) -> str:  # type: ignore[override]
        """What is announced."""
        if "gap" not in vars(self):
            return f"inducing points: at most {self.n_inducing} rows stand for all, O(n)"
        return (
            f"inducing points: {row_count(self.Z, 'points')} rows stand for all, O(n); the log evidence is at most "
            f"{self.gap:.3g} above the bound of it that was maximised"
        )

    def fit(self, kernel: Kernel, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        self.Z = None
        return super().fit(kernel, X, Y, noise)

    def log_evidence(self, theta: np.ndarray, gradient: bool = True) -> tuple[float, np.ndarray]:
        """The lower bound of the log evidence and its derivatives, with the points as they were first chosen."""
        kernel = self.kernel.with_theta(theta)
        try:
            if self.Z is None:
                self.Z = self._points(kernel)
            bound = CollapsedBound(kernel, self.Z, self._source())
        except DegenerateError:
            return -np.inf, np.zeros(len(theta))
        return bound.value, bound.gradient() if gradient else np.zeros(0)

    def _source(self) -> Source:
        return Rows(self.X, self.Y, self.noise)

    def _points(self, kernel: Kernel) -> Any:
        """The rows that explain most of a sample, by a kernel."""
        n = row_count(self.X, "inducing points")
        size = min(n, max(SAMPLE, SAMPLE_FACTOR * self.n_inducing))
        sample = take_rows(self.X, np.sort(np.random.default_rng(0).permutation(n)[:size]))
        chosen = pivoted_cholesky(without_noise(kernel).gram_rows(sample), self.n_inducing, tol=1e-8)
        return take_rows(sample, np.sort(chosen.pivots))

    def _condition(self) -> None:
        source = self._source()
        bounds = [CollapsedBound(self.kernel, self._points(self.kernel), source)]
        if self.Z is not None:
            bounds.append(CollapsedBound(self.kernel, self.Z, source))
        best = max(bounds, key=lambda bound: bound.value)
        self.Z, self.jitter = best.Z, best.L.jitter
        self.L, self.B, self.beta = best.L, best.B, best.beta
        self.gap = best.upper - best.value

    def mean(self, Q: Any) -> np.ndarray:
        return self.moments(Q)[0]

    def variance(self, Q: Any) -> np.ndarray:
        return self.moments(Q)[1]

    def moments(self, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        latent = without_noise(self.kernel)
        variance = np.array(self.kernel.diagonal(Q))
        mean = np.empty((len(variance), self.beta.shape[1]))
        size = max(1, ROWS_AT_ONCE // max(len(self.L), 1))
        for start in range(0, len(variance), size):
            some = slice(start, start + size)
            V = self.L.half_solve(np.asfortranarray(latent.between(self.Z, Q[some])))
            mean[some] = V.T @ self.beta
            variance[some] -= np.einsum("mi,mi->i", V, V)
            H = self.B.half_solve(V)
            variance[some] += np.einsum("mi,mi->i", H, H)
        return mean, np.maximum(variance, noise_variance(self.kernel, Q))

    def covariance(self, Q: Any) -> np.ndarray:
        V = self.L.half_solve(np.asfortranarray(without_noise(self.kernel).between(self.Z, Q)))
        C = self.kernel.gram(Q) - V.T @ V
        H = self.B.half_solve(V)
        C += H.T @ H
        np.fill_diagonal(C, self.variance(Q))
        return C

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        r"""Of the density with Q in the place of K; the variance has what the points leave unexplained besides."""
        noise = self.noise + noise_variance(self.kernel, self.X)
        latent = without_noise(self.kernel)
        V = self.L.half_solve(np.asfortranarray(latent.between(self.Z, self.X)))
        left = np.maximum(latent.diagonal(self.X) - np.einsum("mi,mi->i", V, V), 0.0)
        a = (self.Y - V.T @ self.beta) / noise[:, None]
        H = self.B.half_solve(V)
        inverse = 1.0 / noise - np.einsum("mi,mi->i", H, H) / noise**2
        variance = 1.0 / inverse + left
        return self.Y - a / inverse[:, None], np.repeat(variance[:, None], self.Y.shape[1], axis=1)
