"""Gaussian process regression on a line in linear time."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import assay.processes.routes._state_space as _native
from assay.errors import DegenerateError, ParameterError
from assay.kernels import Kernel
from assay.processes.cholesky import JITTERS
from assay.processes.noise import without_noise
from assay.processes.routes.chain import Link, Memory, Slopes, links_of, no_chain
from assay.processes.routes.route import Evidence, Route
from assay.processes.routes.support import Support

__all__ = ["StateSpace"]


class StateSpace(Route):
    r"""The exact posterior of one column in linear time: the process as a chain of states.

    A Matern process of order p + 1/2 is known at all later points once its value and p derivatives are known at one
    (it is Markov). Kalman's filter runs along the sorted points and gives each target's innovation :math:`v_i` and its
    variance :math:`F_i` given the targets before,

    .. math:: \ln p(y) = -\tfrac12 \sum_i \Big(\frac{v_i^2}{F_i} + \ln 2\pi F_i\Big) \quad (1)

    and a run back gives the derivatives of (1), the smoothed means and variances at training rows and any others
    merged among them, and the diagonal of the inverse covariance for leave-one-out. Nothing is approximated.

    For Matern kernels of nu 1/2, 3/2, 5/2 and 7/2, Laplacian, harmonic, constant and white kernels, their sums and
    products. Equal points, gaps of any size and noise of each row are taken as they are. Cost: O(n s^3) for (1) and its
    derivatives, O((n + q) s^3) for q new rows, with s states: p + 1 of a Matern kernel, 2 of a harmonic one, added
    up in sums and multiplied in products; memory 4 n s^2 numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import Matern
    >>> from assay.processes.routes.exact import Exact
    >>> from assay.processes.routes.state_space import StateSpace
    >>> x = np.array([[0.0], [3.0], [1.0]])
    >>> data = Matern(nu=2.5), x, np.array([[0.0], [1.0], [2.0]]), np.full(3, 0.1)
    >>> line, exact = StateSpace().fit(*data), Exact().fit(*data)
    >>> bool(np.isclose(line.log_evidence(np.zeros(1))[0], exact.log_evidence(np.zeros(1))[0], rtol=1e-14))
    True

    References
    ----------
    - Hartikainen, J. and Sarkka, S. (2010). Kalman filtering and smoothing solutions to temporal Gaussian process
      regression models. IEEE International Workshop on Machine Learning for Signal Processing, 379-384.
    - Koopman, S. J. and Shephard, N. (1992). Exact score for time series models in state space form. Biometrika 79(4),
      823-826.
    - Durbin, J. and Koopman, S. J. (2012). Time Series Analysis by State Space Methods, 2nd edition. Oxford University
      Press, chapter 4.
    """

    words = "on a line: the exact posterior by a chain of states, O(n)"

    def fit(self, kernel: Kernel, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        refusal = no_chain(kernel) if X.shape[1] == 1 else f"there are {X.shape[1]} columns, expected one"
        if refusal:
            raise ParameterError(
                f"The chain of states is for one column and some kernels: {refusal}. Use method='auto'."
            )
        return super().fit(kernel, X, Y, noise)

    def log_evidence(self, theta: np.ndarray, gradient: bool = True) -> tuple[float, np.ndarray]:
        return self._log_evidence(theta, gradient, Memory())

    def searched_log_evidence(self) -> Evidence:
        memory = Memory()
        return lambda theta: self._log_evidence(theta, True, memory.begin())

    def _log_evidence(self, theta: np.ndarray, gradient: bool, memory: Memory) -> tuple[float, np.ndarray]:
        kernel = self.kernel.with_theta(theta)
        try:
            run = _Run(kernel, self.X[:, 0], self.Y, self.noise, memory=memory)
        except DegenerateError:
            return -np.inf, np.zeros(len(theta))
        return run.log_evidence, run.gradient() if gradient else np.zeros(0)

    def _condition(self) -> None:
        self.jitter = _Run(self.kernel, self.X[:, 0], self.Y, self.noise).jitter

    def mean(self, Q: Any) -> np.ndarray:
        return self._smooth(Q, self.Y)[0]

    def variance(self, Q: Any) -> np.ndarray:
        return self._smooth(Q, self.Y[:, :1])[1]

    def moments(self, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        return self._smooth(Q, self.Y)

    def covariance(self, Q: Any) -> np.ndarray:
        mean, variance = self._smooth(Q, self.kernel.between(self.X, Q))
        C = self.kernel.between(Q, Q) - 0.5 * (mean + mean.T)
        np.fill_diagonal(C, variance)
        return C

    @property
    def a(self) -> np.ndarray:
        """(n, t) the targets times the inverse of their covariance matrix."""
        return self._solve(self.Y)

    def support(self, x: Any) -> Support:
        k = self.kernel.between(x, self.X)[0]
        solved = self._solve(np.column_stack([self.Y, k]))
        latent, places = without_noise(self.kernel), np.arange(len(self.Y))
        a, weights = solved[:, :-1], solved[:, -1]
        return Support(latent, x, self.X, places, False, a, weights, self.Y, self._solve_one)

    def _solve_one(self, k: np.ndarray) -> np.ndarray:
        return self._solve(k[:, None])[:, 0]

    def _solve(self, Y: np.ndarray) -> np.ndarray:
        """(n, t) Y times the inverse of the covariance matrix."""
        return _Run(self.kernel, self.X[:, 0], Y, self.noise, self.jitter).solve()[0]

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        u, D = _Run(self.kernel, self.X[:, 0], self.Y, self.noise, self.jitter).solve()
        return self.Y - u / D[:, None], np.repeat(1.0 / D[:, None], self.Y.shape[1], axis=1)

    def _smooth(self, Q: Any, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, t) means and (q,) variances with the kernel's noise."""
        n, q = len(self.X), len(Q)
        x = np.concatenate([self.X[:, 0], np.asarray(Q, dtype=np.float64)[:, 0]])
        targets = np.concatenate([Y, np.zeros((q, Y.shape[1]))])
        noise = np.concatenate([self.noise, np.full(q, np.inf)])
        run = _Run(self.kernel, x, targets, noise, self.jitter)
        mean, variance = run.smooth()
        return mean[n:], variance[n:] + run.link.white


class _Run:
    """A forward pass over the sorted points, and what a pass back makes of it, in the order of the rows."""

    def __init__(
        self,
        kernel: Kernel,
        x: np.ndarray,
        Y: np.ndarray,
        noise: np.ndarray,
        jitter: float | None = None,
        memory: Memory | None = None,
    ):
        self.memory = memory or Memory()
        self.order = np.argsort(x, kind="stable")
        self.link: Link = links_of(kernel, np.diff(x[self.order], prepend=x[self.order[:1]]), self.memory)
        self.Y, self.s = np.ascontiguousarray(Y[self.order]), max(len(self.link.h), 1)
        n, s = len(x), self.s
        if len(self.link.h) == 0:  # nothing but noise: one state that is 0
            A, Q, P, h = np.zeros((n, 1)), np.zeros((n, 1)), np.zeros((1, 1)), np.zeros(1)
        else:
            A, Q = self.link.A.reshape(n, s * s), self.link.Q.reshape(n, s * s)
            P, h = self.link.P, self.link.h
        unit = self.link.variance + self.link.white
        for share in JITTERS if jitter is None else (jitter / unit if unit else 0.0,):
            self.jitter = share * unit
            variances = noise[self.order] + self.link.white + self.jitter
            self.chain = _native.Chain(A=A, Q=Q, P0=P, h=h, noise=variances)
            self._forward()
            if self.done == n:
                return
        raise DegenerateError(
            f"Row {int(self.order[self.done])} has no variance given the rows before it, with {kernel!r}: there are "
            "equal points and no noise. Add noise (alpha), or a WhiteKernel."
        )

    def _forward(self) -> None:
        (n, t), memory = self.Y.shape, self.memory
        self.innovation, self.variance = memory.take(n, t), memory.take(n)
        self.kept = _native.Pass(
            mean=memory.take(n, t * self.s),
            covariance=memory.take(n, self.s**2),
            innovation=self.innovation,
            variance=self.variance,
        )
        self.done = _native.filter(self.chain, self.Y, self.kept)

    @property
    def log_evidence(self) -> float:
        n, t = self.Y.shape
        squares = np.einsum("it,it,i->", self.innovation, self.innovation, 1.0 / self.variance)
        return float(
            -0.5 * squares - 0.5 * t * (np.log(self.variance).sum() + n * np.log(2.0 * np.pi))
        )  # (1)

    def gradient(self) -> np.ndarray:
        """(p,) the derivatives of the log evidence by the kernel's theta."""
        (n, t), s, memory = self.Y.shape, self.s, self.memory
        u, D = memory.take(n, t), memory.take(n)
        by_A, by_Q, by_P = memory.take(n, s * s), memory.take(n, s * s), np.empty((s, s))
        _native.score(chain=self.chain, pass_=self.kept, u=u, D=D, by_A=by_A, by_Q=by_Q, by_P0=by_P)
        white = 0.5 * float((u * u).sum() - t * D.sum())
        k = len(self.link.h)
        shape = (n, k, k)
        return np.array(
            self.link.sums(
                Slopes(by_A[:, : k * k].reshape(shape), by_Q[:, : k * k].reshape(shape), by_P[:k, :k], white)
            )
        )

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, t) C^-1 y and (n,) the diagonal of C^-1."""
        u, D = np.empty(self.Y.shape), np.empty(len(self.Y))
        _native.solve(self.chain, self.kept, u, D)
        return self._in_row_order(u), self._in_row_order(D)

    def smooth(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, t) means and (n,) variances of the function, without noise."""
        mean, variance = np.empty(self.Y.shape), np.empty(len(self.Y))
        _native.smooth(self.chain, self.kept, mean, variance)
        return self._in_row_order(mean), self._in_row_order(variance)

    def _in_row_order(self, values: np.ndarray) -> np.ndarray:
        out = np.empty_like(values)
        out[self.order] = values
        return out
