"""Gaussian process regression of many rows: few points stand for all of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core.stored import Integer, Object, ObjectRows, Scalar, TableRows
from assay.core.sums import Rows, Source
from assay.errors import DegenerateError
from assay.kernels import Kernel, pivoted_cholesky
from assay.processes.noise import without_noise
from assay.processes.routes.collapsed_bound import CollapsedBound, PointsPosterior
from assay.processes.routes.route import Route
from assay.processes.routes.support import Support
from assay.tables.rows import row_count, take_rows

__all__ = ["InducingPoints", "choose_points", "sample_size"]

SAMPLE = 4_000  # rows at least among which points are chosen
SAMPLE_FACTOR = 8  # or so many for each of them
EXPLAINED = 1e-8  # of the variance of the sample that points may leave


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
        "posterior": Object(PointsPosterior),
        "gap": Scalar(),
    }
    Z: Any = None
    posterior: PointsPosterior
    gap: float

    def __init__(self, n_inducing: int = 400):
        self.n_inducing = n_inducing

    @property
    def words(self) -> str:  # type: ignore[override]
        """What is announced."""
        if "gap" not in vars(self):
            return f"inducing points: at most {self.n_inducing} rows stand for all, O(n)"
        m = row_count(self.Z, "points")
        return (
            f"inducing points: {m} {'row stands' if m == 1 else 'rows stand'} for all, O(n); the log evidence is at "
            f"most {self.gap:.3g} above the bound of it that was maximised"
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
        return choose_points(kernel, self.X, self.n_inducing, np.random.default_rng(0))

    def _condition(self) -> None:
        source = self._source()
        bounds = [CollapsedBound(self.kernel, self._points(self.kernel), source)]
        if self.Z is not None:
            bounds.append(CollapsedBound(self.kernel, self.Z, source))
        best = max(bounds, key=lambda bound: bound.value)
        self.Z, self.jitter, self.posterior = best.Z, best.L.jitter, best.posterior
        self.gap = max(best.upper - best.value, 0.0)  # below 0 by rounding, where the points explain all

    def mean(self, Q: Any) -> np.ndarray:
        return self.moments(Q)[0]

    def variance(self, Q: Any) -> np.ndarray:
        return self.moments(Q)[1]

    def moments(self, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        return self.posterior.moments(Q)

    def covariance(self, Q: Any) -> np.ndarray:
        return self.posterior.covariance(Q)

    def support(self, x: Any) -> Support:
        return self.posterior.support(x)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the density with Q in the place of K; the variance has what the points leave unexplained besides."""
        return self.posterior.leave_one_out(self.X, self.Y, self.noise)


def choose_points(kernel: Kernel, X: Any, m: int, random: np.random.Generator | np.random.RandomState) -> Any:
    """At most m rows of X that explain most of a sample of it, each chosen where those before leave most over.

    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.routes.inducing_points import choose_points
    >>> choose_points(RBF(), np.array([[0.0], [0.1], [5.0]]), 2, np.random.default_rng(0))
    array([[0.],
           [5.]])
    """
    n = row_count(X, "inducing points")
    size = min(n, sample_size(m))
    sample = X if size == n else take_rows(X, np.sort(random.permutation(n)[:size]))
    sample = take_rows(sample, _sorted(sample))
    chosen = pivoted_cholesky(without_noise(kernel).gram_rows(sample), m, tol=EXPLAINED)
    return take_rows(sample, np.sort(chosen.pivots))


def _sorted(X: Any) -> np.ndarray:
    """An order of rows that does not depend on the one they have, so that neither do the points."""
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return np.lexsort(X.T[::-1])
    if hasattr(X, "tocsr"):
        return np.argsort(X @ np.random.default_rng(0).normal(size=X.shape[1]), kind="stable")
    return np.arange(row_count(X, "inducing points"))


def sample_size(m: int) -> int:
    """Rows among which m points are chosen."""
    return max(SAMPLE, SAMPLE_FACTOR * m)
