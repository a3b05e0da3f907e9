"""A lower bound of the evidence by few points that stand for all rows, as sums over rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from assay.core.sums import Block, Source
from assay.errors import DegenerateError
from assay.kernels import Kernel
from assay.processes.cholesky import Factor, factor
from assay.processes.noise import without_noise

__all__ = ["CollapsedBound"]

VALUES_AT_ONCE = 1 << 20  # kernel values of rows with the points that are in memory at a time, on each thread


@dataclass
class Sums:
    """What the rows add to the bound; see `CollapsedBound`.

    Attributes
    ----------
    M : (m, m)      q : (m, t)      squares : sum of y^2 / noise of all targets      logs : sum of the logs of noises
    prior : sum of K(x, x) / noise      left : trace of K - Q      rows, targets : their numbers
    least : the smallest noise
    """

    M: np.ndarray
    q: np.ndarray
    squares: float
    logs: float
    prior: float
    left: float
    rows: int
    targets: int
    least: float

    def __add__(self, other: Sums) -> Sums:
        total = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return Sums(**(total | {"targets": self.targets, "least": min(self.least, other.least)}))


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
    source : Source of blocks X, y (n, t) and noise variances (n,)

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

    def __init__(self, kernel: Kernel, Z: Any, source: Source):
        self.kernel, self.Z, self.source = kernel, Z, source
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

    def _pieces(self, block: Block) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        """Some rows at a time: X, y (n, t) and the noise beyond that of the kernel."""
        n = block.X.shape[0] if hasattr(block.X, "shape") else len(block.X)
        size = max(1, VALUES_AT_ONCE // max(len(self.L), 1))
        for start in range(0, n, size):
            some = slice(start, start + size)
            yield block.X[some], block.y[some], block.w[some]

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
        total = None
        for X, Y, noise in self._pieces(block):
            noise, prior = self._noise(X, noise)
            V = self.L.half_solve(np.asfortranarray(self.latent.between(self.Z, X)))
            scaled = V / noise
            sums = Sums(
                scaled @ V.T,
                scaled @ Y,
                float(np.einsum("it,it,i->", Y, Y, 1.0 / noise)),
                float(np.log(noise).sum()),
                float((prior / noise).sum()),
                float(prior.sum() - np.einsum("mi,mi->", V, V)),
                len(Y),
                Y.shape[1],
                float(noise.min()),
            )
            total = sums if total is None else total + sums
        assert total is not None
        return total

    def _slopes(self, block: Block, G: np.ndarray) -> np.ndarray:
        """(p,) what the rows of a block add to the gradient."""
        p, t = self.kernel.free, self.sums.targets
        free = np.array([not name.endswith("noise_level") for name in self.kernel.theta_names], dtype=bool)
        total = np.zeros(p)
        for X, Y, noise in self._pieces(block):
            noise, prior = self._noise(X, noise)
            K, sums = self.kernel.between_and_sums(self.Z, X)
            V = self.L.half_solve(np.asfortranarray(K))
            by_V = 2.0 * (G @ V)
            explained = 0.5 * np.einsum("mi,mi->i", V, by_V)
            fitted = np.einsum("mi,it,mt->i", V, Y, self.beta, optimize=True)
            by_V += self.beta @ Y.T
            by_V /= noise
            total += sums(_whiten_back(self.L, by_V))
            by_noise = (0.5 * np.einsum("it,it->i", Y, Y) + 0.5 * t * prior - explained - fitted) / noise**2
            by_noise -= 0.5 * t / noise
            slopes = np.zeros((p, len(Y)))
            slopes[free] = self.latent.diagonal_gradient(X)
            total -= slopes @ (0.5 * t / noise)
            if self.kernel._noisy:
                total += (self.kernel.diagonal_gradient(X) - slopes) @ by_noise
        return total


def _whiten_back(L: Factor, B: np.ndarray) -> np.ndarray:
    """L^-T B."""
    from scipy.linalg.blas import dtrsm

    return dtrsm(1.0, L.L.T, B, lower=0, trans_a=0)
