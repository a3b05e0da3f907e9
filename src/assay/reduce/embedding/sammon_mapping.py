"""Sammon's mapping: scaling that counts errors of near pairs more than those of far ones."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.core import Card
from assay.core.parallel import end_if_abandoned, in_threads
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Integer, Scalar
from assay.errors import DataError
from assay.reduce.embedding.classical_scaling import checked_distances, classical_scaling
from assay.reduce.embedding.embedding import Embedding
from assay.reduce.embedding.majorization import place_by_stress
from assay.reduce.embedding.sammon_terms import POWERS, quasi_newton, sammon_factor, sammon_terms
from assay.types import Estimator, MetricLike, RandomState

__all__ = ["SammonMapping"]

SQUARABLE = 1e150  # distances of new rows whose squares stay in range
SHARE_OF_RANDOM = 0.5  # of the spread of the classical solution, by which further starts differ from it


class SammonMapping(Embedding):
    r"""Points whose distances differ least from those of the rows, each error as a share of the distance.

    .. math:: \sum_{r,s} \frac{(\|z_r - z_s\| - \delta_{rs})^2}{\delta_{rs}^2}                            \quad (1)

    So near rows stay near, where :class:`MDS` lets far pairs rule. The sum is over ordered pairs;
    ``normalization="sammon1969"`` takes a pair once and divides by :math:`\delta_{rs}` and by the sum of all of them,
    as Sammon did. The stress has several minima: the first start is the classical solution, further ones (``n_init``)
    differ from it at random, and the best is kept. Rows at distance 0 count nothing. The descent is quasi-Newton
    (L-BFGS) or majorisation (:math:`Z \leftarrow V^+ T(Z)`), whose steps never raise the stress. New rows are placed at
    the point of least stress to all training points, training rows at their own.

    Cost: fit O(n^2 (d + k t)) for t steps, and O(n^3) for majorisation; transform O(n (d + k t)) a row; memory O(n^2).

    Parameters
    ----------
    n_components : int, default 2
    normalization : "sammon" or "sammon1969", default "sammon"
        See :func:`stress`.
    solver : "newton" or "majorize", default "newton"
    n_init : int, default 1
    max_iter : int, default 500
    tol : float, default 1e-10
        A run ends when a step lowers the stress by less than this share of it.
    metric : str, callable or Metric, default "euclidean"
    metric_params : dict or None, default None
    extension : "auto", "stress", "weights", LocalWeights or regressor, default "auto"
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    embedding_ : (n, k)      stress_ : float      n_iter_ : int      history_ : the stress after each step

    Examples
    --------
    Four points that are all 1 apart make a square of side 0.853553 in the plane.

    >>> import numpy as np
    >>> from assay.reduce import SammonMapping
    >>> four = SammonMapping(metric="precomputed", n_init=5, random_state=0).fit(1 - np.eye(4))
    >>> round(four.stress_ / 2, 6)  # over unordered pairs
    0.171573

    See Also
    --------
    ParametricSammon, stress, MDS, ClassicalMDS

    References
    ----------
    - Sammon, J. W. (1969). A nonlinear mapping for data structure analysis. IEEE Transactions on Computers C-18,
      401-409. doi:10.1109/T-C.1969.222678
    """

    card = Card(
        "sammon mapping", "points whose near distances differ least from the given ones", also=("sammon",)
    )
    accepts = {
        **Embedding.accepts,
        "normalization": Choice(*POWERS),
        "solver": Choice("newton", "majorize"),
        "n_init": Count(1),
        "max_iter": Count(1),
        "tol": Range(0),
        "random_state": Seed(),
    }
    stored = {"stress_": Scalar(low=0), "n_iter_": Integer(low=1)}
    ways: ClassVar[tuple[str, ...]] = ("stress", "weights")

    def __init__(
        self,
        n_components: int = 2,
        *,
        normalization: str = "sammon",
        solver: str = "newton",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-10,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        extension: str | Estimator | None = "auto",
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.normalization = normalization
        self.solver = solver
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.metric = metric
        self.metric_params = metric_params
        self.extension = extension
        self.random_state = random_state

    def _embed(self, X: Any) -> np.ndarray:
        D = checked_distances(self.distance_.between(X, X), type(self).__name__)
        unit = float(D.max(initial=0.0)) or 1.0  # the stress does not depend on it
        D = D / unit
        delta = D[np.triu_indices(len(D), 1)]
        if not delta.any():  # one row, or equal ones
            self.stress_, self.n_iter_, self.history_ = 0.0, 1, []
            return np.zeros((len(D), self.n_components))
        solution = classical_scaling(D, self.n_components).coordinates
        first = np.zeros((len(D), self.n_components))
        first[:, : solution.shape[1]] = solution
        random = random_state_of(self.random_state)
        width = SHARE_OF_RANDOM * (first.std() or 1.0)
        starts = [first + width * random.normal(size=first.shape) * (t > 0) for t in range(self.n_init)]

        def descend(Z: np.ndarray) -> tuple[np.ndarray, list[float]]:
            return self._majorized(delta, Z) if self.solver == "majorize" else self._newton(delta, Z)

        Z, stresses = min(in_threads(descend, starts), key=lambda run: run[1][-1])
        self.stress_, self.n_iter_ = stresses[-1], max(1, len(stresses) - 1)
        self.history_ = [{"iteration": t, "stress": stress} for t, stress in enumerate(stresses)]
        return (Z - Z.mean(axis=0)) * unit

    def _newton(self, delta: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, list[float]]:
        def terms(z: np.ndarray) -> tuple[float, np.ndarray]:
            end_if_abandoned()
            stress, slope = sammon_terms(delta, z.reshape(Z.shape), self.normalization)
            return stress, slope.ravel()

        at, stresses = quasi_newton(terms, Z.ravel(), self.max_iter, self.tol)
        return at.reshape(Z.shape), stresses

    def _majorized(self, delta: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, list[float]]:
        """Z <- V^+ T(Z), V the Laplacian of the weights."""
        from scipy.linalg import cho_factor, cho_solve
        from scipy.spatial.distance import squareform

        weights = np.zeros_like(delta)
        np.divide(1.0, delta ** POWERS[self.normalization], out=weights, where=delta > 0)
        V = -squareform(weights, checks=False)
        np.fill_diagonal(V, -V.sum(axis=1) + 1e-12 * weights.max(initial=1.0))
        factors = cho_factor(V + weights.mean() / len(V), overwrite_a=True)
        factor = sammon_factor(delta, self.normalization)
        stress, slope = sammon_terms(delta, Z, self.normalization)
        stresses = [stress]
        for _ in range(self.max_iter):
            end_if_abandoned()
            Z = Z - cho_solve(factors, slope / (2 * factor))
            stress, slope = sammon_terms(delta, Z, self.normalization)
            stresses.append(stress)
            if stresses[-2] - stress <= self.tol * stress:
                break
        return Z, stresses

    def _place(self, X: Any, way: str) -> np.ndarray:
        start = self._local_weights().place(X, self._search, self.embedding_)
        apart = self.distance_.between(X, self._fit_X)
        if (far := apart.max(axis=1, initial=0.0) > SQUARABLE).any():
            raise DataError(
                f"the distances of row {int(np.argmax(far)) + 1} are too large to be squared. Look at its numbers.",
                who=type(self).__name__,
            )
        return place_by_stress(start, self.embedding_, apart, POWERS[self.normalization])
