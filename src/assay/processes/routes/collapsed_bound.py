"""A lower bound of the evidence by few points that stand for all rows, as sums over rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, Object, ObjectRows, TableRows
from assay.core.sums import Block, Source
from assay.errors import DegenerateError
from assay.kernels import Kernel
from assay.processes.cholesky import Factor, factor
from assay.processes.noise import noise_variance, without_noise
from assay.processes.routes.support import Support

__all__ = ["CollapsedBound", "PointsPosterior"]

INDEFINITE = 1e-6  # share of a row's variance that points may explain beyond it, by rounding
VALUES_AT_ONCE = 1 << 20  # kernel values of rows with the points that are in memory at a time, on each thread


@dataclass
class Sums:
    """What the rows add to the bound; see `CollapsedBound`.

    Attributes
    ----------
    M : (m, m)      q : (m, t)      squares : sum of y^2 / noise of all targets      logs : sum of the logs of noises
    prior : sum of K(x, x) / noise      left : trace of K - Q      rows : sum of weights      targets : number
    least : the smallest noise
    """

    M: np.ndarray
    q: np.ndarray
    squares: float
    logs: float
    prior: float
    left: float
    rows: float
    targets: int
    least: float

    def __add__(self, other: Sums) -> Sums:
        total = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return Sums(
            **(total | {"targets": max(self.targets, other.targets), "least": min(self.least, other.least)})
        )


@dataclass(frozen=True, eq=False)
class PointsPosterior:
    r"""What answers need of all rows: the function's values at few points.

    .. math:: m(x) = v^T \beta, \qquad v(x) = K(x, x) - v^T v + v^T (I + M)^{-1} v, \quad v = L^{-1} k_Z(x) \quad (1)

    Attributes
    ----------
    kernel : Kernel      Z : (m, d) the points      L : Factor, of their kernel matrix      B : Factor, of I + M
    beta : (m, t)
    """

    kernel: Kernel
    Z: Any
    L: Factor
    B: Factor
    beta: np.ndarray
    stored = {
        "kernel": Object(Kernel),
        "Z": TableRows("m", "*") | ObjectRows("m"),
        "L": Object(Factor),
        "B": Object(Factor),
        "beta": FloatArray("m", "t", finite=True),
    }

    def moments(self, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        """(q, t) means and (q,) variances of the rows Q, the kernel's noise part included."""
        variance = np.array(self.kernel.diagonal(Q))
        mean = np.empty((len(variance), self.beta.shape[1]))
        size = max(1, VALUES_AT_ONCE // max(len(self.L), 1))
        for start in range(0, len(variance), size):
            some = slice(start, start + size)
            V, H = self._whitened(Q[some])
            mean[some] = V.T @ self.beta
            variance[some] += np.einsum("mi,mi->i", H, H) - np.einsum("mi,mi->i", V, V)
        return mean, np.maximum(variance, noise_variance(self.kernel, Q))

    def values(self) -> np.ndarray:
        """(m, t) the means of the function at the points."""
        return self.L.lower @ self.beta

    def similarities(self, Q: Any) -> np.ndarray:
        """(m, q) the values of the kernel, without noise, of the points with the rows Q."""
        Z, Q = self._alike(Q)
        return without_noise(self.kernel).between(Z, Q)

    def support(self, x: Any) -> Support:
        """What the answer at one row, the table x, is made of."""
        latent = without_noise(self.kernel)
        Z, x = self._alike(x)
        weights = self.L.solve(np.array(latent.between(x, Z)[0]))
        coefficients = _whiten_back(self.L, np.asfortranarray(self.beta))

        def solved(k: np.ndarray) -> np.ndarray:
            v = self.L.half_solve(k[:, None].copy(order="F"))
            return _whiten_back(self.L, np.asfortranarray(v - self.B.solve(v)))[:, 0]

        places = np.arange(len(self.beta))
        return Support(latent, x, Z, places, True, coefficients, weights, self.values(), solved)

    def covariance(self, Q: Any) -> np.ndarray:
        """(q, q) the covariances of the rows Q."""
        V, H = self._whitened(Q)
        C = self.kernel.gram(Q) - V.T @ V + H.T @ H
        np.fill_diagonal(C, self.moments(Q)[1])
        return C

    def leave_one_out(self, X: Any, Y: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, t) and (n, t) of the training rows: of the density with Q for K, plus what the points leave."""
        noise = noise + noise_variance(self.kernel, X)
        V, H = self._whitened(X)
        left = np.maximum(without_noise(self.kernel).diagonal(X) - np.einsum("mi,mi->i", V, V), 0.0)
        a = (Y - V.T @ self.beta) / noise[:, None]
        inverse = 1.0 / noise - np.einsum("mi,mi->i", H, H) / noise**2
        return Y - a / inverse[:, None], np.repeat((1.0 / inverse + left)[:, None], Y.shape[1], axis=1)

    def _whitened(self, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        """(m, q) v of (1), and it again with the factor of I + M."""
        V = self.L.half_solve(np.asfortranarray(self.similarities(Q)))
        return V, self.B.half_solve(V.copy(order="F"))

    def _alike(self, Q: Any) -> tuple[Any, Any]:
        """The points and the rows Q, both dense or both sparse."""
        Z = self.Z.toarray() if hasattr(self.Z, "tocsr") and isinstance(Q, np.ndarray) else self.Z
        return Z, Q.toarray() if hasattr(Q, "tocsr") and isinstance(Z, np.ndarray) else Q


class CollapsedBound:
    r"""Titsias' bound at one set of parameters.

    With m points Z, :math:`K_{ZZ} = LL^T`, :math:`V = L^{-1} K_{ZX}`, noises :math:`\Lambda` of the rows,
    :math:`M = V\Lambda^{-1}V^T` and :math:`q = V\Lambda^{-1}y`, the covariance matrix K is approximated by
    :math:`Q = V^TV`, and

    .. math:: \ln p(y) \ge -\tfrac12 \Big( \ln |2\pi\Lambda| + \ln |I + M| + y^T \Lambda^{-1} y
              - q^T (I + M)^{-1} q \Big) - \tfrac12 \operatorname{tr} \Lambda^{-1} (K - Q) \quad (1)

    M, q and the other terms are sums over rows. So are the derivatives, in a second pass: with
    :math:`\beta = (I + M)^{-1} q` and :math:`G = \tfrac12 (I - (I + M)^{-1} - \beta\beta^T)`, the bound changes with V
    by :math:`(2GV + \beta y^T) \Lambda^{-1}`, and with :math:`K_{ZZ}` by
    :math:`-\tfrac12 L^{-T} (M - (I+M)^{-1} M + \beta\beta^T) L^{-1}`.

    Since :math:`K \le Q + cI` with c the trace of K - Q, and :math:`cI \le \frac{c}{\min\Lambda} \Lambda`, with
    :math:`\kappa = 1 + c / \min\Lambda` the evidence is at most

    .. math:: -\tfrac12 \Big( \ln |2\pi\Lambda| + \ln |I + M| + y^T (Q + \kappa\Lambda)^{-1} y \Big) \quad (2)

    Cost: O(n m^2) in two passes, m^2 numbers and one block of rows in memory.

    Parameters
    ----------
    kernel : Kernel, its noise part included      Z : the points, m rows as the kernel takes them
    source : Source
    read : function of a block, default None
        Gives X, y (n, t), noise variances (n,) beyond that of the kernel, and weights (n,) or None of its rows; None
        takes the weights of blocks for their noise. A row of weight w counts as w equal rows.

    Examples
    --------
    With all rows as points it is the evidence:

    >>> import numpy as np
    >>> from assay.core.sums import Rows
    >>> from assay.kernels import RBF
    >>> from assay.processes.routes.collapsed_bound import CollapsedBound
    >>> from assay.processes.routes.exact import Exact
    >>> X, Y, noise = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [0.5]]), np.full(3, 0.1)
    >>> bound = CollapsedBound(RBF(), X, Rows(X, Y, noise))
    >>> evidence = Exact().fit(RBF(), X, Y, noise).log_evidence(np.zeros(1))[0]
    >>> bool(np.isclose(bound.value, evidence)), bool(np.isclose(bound.upper, evidence))
    (True, True)

    References
    ----------
    - Titsias, M. K. (2009). Variational learning of inducing variables in sparse Gaussian processes. Proceedings of the
      12th International Conference on Artificial Intelligence and Statistics, 567-574.
    - Titsias, M. K. (2014). Variational inference for Gaussian and determinantal point processes. Workshop on Advances
      in Variational Inference, NIPS 27.
    """

    def __init__(self, kernel: Kernel, Z: Any, source: Source, read: Callable[[Block], Any] | None = None):
        self.kernel, self.Z, self.source, self.read = kernel, Z, source, read or _noise_for_weights
        self.latent = without_noise(kernel)
        self.L = factor(np.array(self.latent.gram(Z)))
        self.sums: Sums = source.add_up(self._of_block)
        M = self.sums.M
        self.B = factor(np.eye(len(M)) + M)
        self.beta = self.B.solve(self.sums.q)

    @property
    def value(self) -> float:
        """(1), for all targets."""
        s = self.sums
        fitted = float(np.einsum("mt,mt->", s.q, self.beta))
        return -0.5 * (self._volume + s.squares - fitted + s.targets * (s.prior - float(np.trace(s.M))))

    @property
    def upper(self) -> float:
        """(2), for all targets."""
        s = self.sums
        kappa = 1.0 + max(s.left, 0.0) / s.least
        solved = factor(kappa * np.eye(len(s.M)) + s.M).solve(s.q)
        return -0.5 * (self._volume + (s.squares - float(np.einsum("mt,mt->", s.q, solved))) / kappa)

    @property
    def _volume(self) -> float:
        s = self.sums
        return float(s.targets * (s.rows * np.log(2.0 * np.pi) + s.logs + self.B.logdet))

    @property
    def posterior(self) -> PointsPosterior:
        return PointsPosterior(self.kernel, self.Z, self.L, self.B, self.beta)

    def gradient(self) -> np.ndarray:
        """(p,) the derivatives of (1) by the kernel's theta."""
        t, M = self.sums.targets, self.sums.M
        inverse = self.B.inverse()
        outer = self.beta @ self.beta.T
        G = 0.5 * (t * (np.eye(len(M)) - inverse) - outer)
        P = t * (M - inverse @ M) + outer
        by_points = -0.5 * _whiten_back(self.L, _whiten_back(self.L, 0.5 * (P + P.T)).T)
        sums = self.kernel.between_and_sums(self.Z, self.Z)[1]  # rows of two tables share no noise
        return sums(by_points) + self.source.add_up(lambda block: self._slopes(block, G))

    def _pieces(self, block: Block) -> Iterator[tuple[Any, np.ndarray, np.ndarray, np.ndarray]]:
        """Some rows at a time: X, y (n, t), the noise beyond that of the kernel, weights."""
        X, Y, noise, weights = self.read(block)
        weights = np.ones(len(Y)) if weights is None else weights
        size = max(1, VALUES_AT_ONCE // max(len(self.L), 1))
        for start in range(0, len(Y), size):
            some = slice(start, start + size)
            yield X[some], Y[some], noise[some], weights[some]

    def _noise(self, X: Any, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The noise of the rows, and the kernel of each with itself without noise."""
        prior = self.latent.diagonal(X)
        noise = noise + (self.kernel.diagonal(X) - prior if self.kernel._noisy else 0.0)
        if not (noise > 0).all():
            raise DegenerateError(
                "Inducing points need noise of all rows. Set alpha above 0, or add a WhiteKernel."
            )
        return noise, prior

    def _of_block(self, block: Block) -> Sums:
        m = len(self.L)
        total = Sums(np.zeros((m, m)), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, np.inf)  # type: ignore[arg-type]
        for X, Y, noise, weights in self._pieces(block):
            noise, prior = self._noise(X, noise)
            V = self.L.half_solve(np.asfortranarray(self.latent.between(self.Z, X)))
            ratio, counted = weights / noise, weights > 0
            scaled = V * ratio
            left = (prior - np.einsum("mi,mi->i", V, V))[counted]
            if (left < -INDEFINITE * np.abs(prior[counted])).any():
                raise DegenerateError(
                    f"{self.latent!r}: points explain more than the variance of some rows, so the kernel is not "
                    "positive semidefinite. Take another kernel."
                )
            total = (
                Sums(
                    scaled @ V.T,
                    scaled @ Y,
                    float(np.einsum("it,it,i->", Y, Y, ratio)),
                    float(weights @ np.log(noise)),
                    float(ratio @ prior),
                    float(left.sum()),
                    float(weights.sum()),
                    Y.shape[1],
                    float(1.0 / ratio.max()) if counted.any() else np.inf,
                )
                + total
            )
        return total

    def _slopes(self, block: Block, G: np.ndarray) -> np.ndarray:
        """(p,) what the rows of a block add to the gradient."""
        p, t = self.kernel.free, self.sums.targets
        free = np.array([not name.endswith("noise_level") for name in self.kernel.theta_names], dtype=bool)
        total = np.zeros(p)
        for X, Y, noise, weights in self._pieces(block):
            noise, prior = self._noise(X, noise)
            ratio = weights / noise
            K, sums = self.kernel.between_and_sums(self.Z, X)
            V = self.L.half_solve(np.asfortranarray(K))
            by_V = 2.0 * (G @ V)
            explained = 0.5 * np.einsum("mi,mi->i", V, by_V)
            fitted = np.einsum("mi,it,mt->i", V, Y, self.beta, optimize=True)
            by_V += self.beta @ Y.T
            by_V *= ratio
            total += sums(_whiten_back(self.L, by_V))
            by_noise = (0.5 * np.einsum("it,it->i", Y, Y) + 0.5 * t * prior - explained - fitted) / noise
            by_noise = ratio * (by_noise - 0.5 * t)
            slopes = np.zeros((p, len(Y)))
            slopes[free] = self.latent.diagonal_gradient(X)
            total -= slopes @ (0.5 * t * ratio)
            if self.kernel._noisy:
                total += (self.kernel.diagonal_gradient(X) - slopes) @ by_noise
        return total


def _noise_for_weights(block: Block) -> tuple[Any, np.ndarray, np.ndarray, None]:
    return block.X, block.y, block.w, None


def _whiten_back(L: Factor, B: np.ndarray) -> np.ndarray:
    """L^-T B."""
    from scipy.linalg.blas import dtrsm

    return dtrsm(1.0, L.L.T, B, lower=0, trans_a=0)
