"""Gaussian process regression in few dimensions: each row given its nearest neighbours."""

from __future__ import annotations

from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from assay.core.stored import FloatArray, Integer
from assay.distances import searcher
from assay.distances.minkowski import Minkowski
from assay.errors import DegenerateError, ParameterError
from assay.kernels import Kernel
from assay.processes.cholesky import JITTERS, factor
from assay.processes.noise import noise_variance, without_noise
from assay.processes.routes.given_neighbours import Conditionals, conditionals_of
from assay.processes.routes.nearest_before import nearest_before
from assay.processes.routes.route import Route
from assay.processes.routes.support import Support

__all__ = ["Vecchia"]

_neighbours: WeakKeyDictionary[Any, np.ndarray] = WeakKeyDictionary()  # follow from the rows: never in a file


class Vecchia(Route):
    r"""Nearest-neighbour Gaussian process: the joint density of the targets as a product over rows.

    .. math:: p(y) = \prod_i p(y_i \mid y_1 \ldots y_{i-1}) \approx \prod_i p(y_i \mid y_{N(i)}) \quad (1)

    N(i) are the m nearest of the rows before row i. The approximation is a Gaussian density itself, with a sparse
    inverse covariance, so evidence, derivatives and leave-one-out are exactly those of that density. Targets carry
    their noise, so nothing but matrices of m rows is ever factored.

    Rows come in random order (of a fixed seed): the neighbours of early rows are far away, those of late ones near, and
    they lie on all sides. For 2,000 rows in the unit square, length scale 0.3 and noise of a tenth of the variance, the
    evidence is too small by 6 on average with a Matern kernel of nu = 3/2 and m = 30 (2 with m = 60). By the order of a
    coordinate it would be 12, and an order that spreads the rows evenly gives 5, which is not worth its time. With RBF
    it is 24: rows far away matter for smooth functions with noise, and `InducingPoints` does better.
    Neighbours are the nearest by the kernel's length scales.

    New rows are predicted from their m nearest training rows, with :math:`v = K(x,x) - c^T C^{-1} c` of these. Cost:
    O(n m^3) for the evidence and all its derivatives, in native code for sums of RBF and Matern kernels (nu 1/2, 3/2,
    5/2) with constants and noise; other kernels are evaluated row by row, some twenty times as slow. Memory: n m row
    numbers.

    Parameters
    ----------
    n_neighbors : int, default 30
        m in (1).
    n_prediction_neighbors : int, default 60
        Of new rows: more of them average more noise away.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.routes.exact import Exact
    >>> from assay.processes.routes.vecchia import Vecchia
    >>> x = np.linspace(0, 4, 9)[:, None]
    >>> data = RBF(), x, np.sin(x), np.full(9, 0.01)
    >>> near, exact = Vecchia(n_neighbors=8).fit(*data), Exact().fit(*data)  # all rows before: no approximation
    >>> bool(np.isclose(near.log_evidence(np.zeros(1))[0], exact.log_evidence(np.zeros(1))[0]))
    True

    References
    ----------
    - Vecchia, A. V. (1988). Estimation and model identification for continuous spatial processes. Journal of the Royal
      Statistical Society B 50(2), 297-312.
    - Datta, A., Banerjee, S., Finley, A. O. and Gelfand, A. E. (2016). Hierarchical nearest-neighbor Gaussian process
      models for large geostatistical datasets. Journal of the American Statistical Association 111(514), 800-812.
    - Guinness, J. (2018). Permutation and grouping methods for sharpening Gaussian process approximations.
      Technometrics 60(4), 415-429.
    """

    stored = {
        "n_neighbors": Integer(low=1),
        "n_prediction_neighbors": Integer(low=1),
        "neighbour_scale": FloatArray("*", low=0, finite=True) | None,
    }
    neighbour_scale: np.ndarray | None = None  # of each column, by which neighbours are nearest

    def __init__(self, n_neighbors: int = 30, n_prediction_neighbors: int = 60):
        self.n_neighbors, self.n_prediction_neighbors = n_neighbors, n_prediction_neighbors

    @property
    def words(self) -> str:  # type: ignore[override]
        """What is announced."""
        return (
            f"Vecchia: each row given its {self.n_neighbors} nearest rows before it in a random order, O(n)"
        )

    def fit(self, kernel: Kernel, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        self.neighbour_scale = None
        _neighbours.pop(self, None)
        if not isinstance(X, np.ndarray) or X.ndim != 2 or np.isnan(X).any():
            raise ParameterError(
                "Vecchia needs rows of numbers without missing values, to find their neighbours. Use method='exact'."
            )
        return super().fit(kernel, X, Y, noise)

    def log_evidence(self, theta: np.ndarray, gradient: bool = True) -> tuple[float, np.ndarray]:
        kernel = self.kernel.with_theta(theta)
        for share in JITTERS:
            try:
                value, slopes = self._rows(kernel, share * _unit(kernel, self.X)).evidence()
            except DegenerateError:
                continue
            return value, slopes if gradient else np.zeros(0)
        return -np.inf, np.zeros(len(theta))

    def _rows(self, kernel: Kernel, jitter: float) -> Conditionals:
        """The training rows in their order, each with its neighbours by the length scales first asked for."""
        order = self._order()
        if self.neighbour_scale is None:
            self.neighbour_scale = _scale(kernel, self.X)
        near = _neighbours.get(self)
        if near is None:
            near = nearest_before(self.X[order] / self.neighbour_scale, min(self.n_neighbors, len(order) - 1))
            _neighbours[self] = near
        return conditionals_of(kernel, self.X[order], self.Y[order], self.noise[order] + jitter, near)

    def _order(self) -> np.ndarray:
        return np.random.default_rng(0).permutation(len(self.X))

    def _condition(self) -> None:
        for share in JITTERS:
            self.jitter = share * _unit(self.kernel, self.X)
            try:
                self._rows(self.kernel, self.jitter).solve()
                return
            except DegenerateError:
                continue
        raise DegenerateError(
            f"The covariance matrix of some neighbours has no factor with {self.kernel!r}: there are equal rows and no "
            "noise. Add noise (alpha), or a WhiteKernel."
        )

    def mean(self, Q: Any) -> np.ndarray:
        return self.moments(Q)[0]

    def variance(self, Q: Any) -> np.ndarray:
        return self.moments(Q)[1]

    def moments(self, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        Q = np.asarray(Q, dtype=np.float64)
        near = self._nearest(Q)
        coef, variance = self._of_queries(Q, near, 0.0)
        mean = np.empty((len(Q), self.Y.shape[1]))
        for t in range(self.Y.shape[1]):
            mean[:, t] = np.einsum("qm,qm->q", coef, self.Y[near, t])
        return mean, variance + noise_variance(self.kernel, Q)

    def covariance(self, Q: Any) -> np.ndarray:
        """(q, q) with the variances of :meth:`variance`, and correlations by (1) over the training and the new rows."""
        Q = np.asarray(Q, dtype=np.float64)
        n, q, scale = len(self.X), len(Q), _scale(self.kernel, self.X)
        near = self._nearest(Q)
        m = near.shape[1]
        apart = [np.linalg.norm((self.X[near] - Q[:, None]) / scale, axis=2)]
        among = np.linalg.norm((Q[:, None] - Q) / scale, axis=2)
        among[np.triu_indices(q)] = np.inf
        rows = np.hstack([near, np.broadcast_to(n + np.arange(q), (q, q))])
        best = np.argsort(np.hstack([*apart, among]), axis=1, kind="stable")[:, :m]
        near = np.take_along_axis(rows, best, axis=1)
        coef, variance = self._of_queries(Q, near, 1e-10 * _unit(self.kernel, self.X))
        B = np.eye(q)
        i, j = np.nonzero(near >= n)
        B[i, near[i, j] - n] -= coef[i, j]
        half = np.linalg.solve(B, np.diag(np.sqrt(variance)))
        C = half @ half.T
        wanted = self.variance(Q)
        latent = np.maximum(wanted - noise_variance(self.kernel, Q), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nan_to_num(np.sqrt(latent / np.diagonal(C)), posinf=0.0)
        C *= ratio[:, None] * ratio
        np.fill_diagonal(C, wanted)
        return C

    def _nearest(self, Q: np.ndarray) -> np.ndarray:
        """(q, m) the nearest training rows by the kernel's length scales."""
        scale = _scale(self.kernel, self.X)
        return searcher(self.X / scale, Minkowski(2.0)).nearest(
            Q / scale, min(self.n_prediction_neighbors, len(self.X))
        )[1]

    def _of_queries(self, Q: np.ndarray, near: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and variances of the function at new rows, whose neighbours may be new rows before them."""
        X, q = np.concatenate([self.X, Q]), len(Q)
        latent = without_noise(self.kernel)
        noises = self.noise + self.jitter + noise_variance(self.kernel, self.X)
        return conditionals_of(
            latent, X, np.zeros((len(X), 1)), np.concatenate([noises, np.full(q, noise)]), near
        ).solve()

    def support(self, x: Any) -> Support:
        x = np.asarray(x, dtype=np.float64)
        near, latent = self._nearest(x)[0], without_noise(self.kernel)
        some = self.X[near]
        C = np.array(latent.gram(some))
        C.flat[:: len(C) + 1] += self.noise[near] + self.jitter + noise_variance(self.kernel, some)
        root, Y = factor(C, overwrite=True), self.Y[near]
        weights = root.solve(np.array(latent.between(x, some)[0]))
        return Support(latent, x, some, near, False, root.solve(Y), weights, Y, root.solve)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        r"""With :math:`C^{-1} = B^T V^{-1} B`, B the identity minus the coefficients of (1), V its variances."""
        order = self._order()
        rows = self._rows(self.kernel, self.jitter)
        coef, variance = rows.solve()
        Y, near = self.Y[order], np.maximum(rows.near, 0)
        weighted = (Y - np.einsum("im,imt->it", coef, Y[near])) / variance[:, None]
        a, diagonal = weighted.copy(), 1.0 / variance
        np.subtract.at(a, near, coef[:, :, None] * weighted[:, None])
        np.add.at(diagonal, near, coef**2 / variance[:, None])
        mean, spread = np.empty_like(Y), np.empty_like(Y)
        mean[order] = Y - a / diagonal[:, None]
        spread[order] = 1.0 / diagonal[:, None]
        return mean, spread


def _unit(kernel: Kernel, X: np.ndarray) -> float:
    """The kernel of a row with itself, the unit of the jitter."""
    return float(kernel.diagonal(X[:1])[0])


def _scale(kernel: Kernel, X: np.ndarray) -> np.ndarray:
    """(d,) what columns are divided by before rows are near: the kernel's length scales, one for each column.

    Of several the geometric mean. While they are all equal, as before a search, the columns' standard deviations.
    """
    d = X.shape[1]
    scales = [p.values for p in kernel.parameters if p.name.endswith("length_scale") and len(p.values) == d]
    if not scales or d == 1:
        return np.ones(d)
    scale = np.exp(np.mean(np.log(scales), axis=0))
    if np.ptp(np.log(scale)) > 0:
        return scale
    sd = X.std(axis=0)
    return np.where(sd > 0, sd, 1.0)
