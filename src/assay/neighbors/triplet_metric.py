"""Metric learning by triplets: rows of one class come closer together than rows of two."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core import Card, Transformer
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Count, Range
from assay.core.stored import Each, FloatArray, Plain
from assay.core.targets import encode_labels
from assay.distances.extremes import refuse_extremes
from assay.errors import warn_user
from assay.neighbors.triplets import Triplets, target_neighbors
from assay.types import TableLike, Target


class TripletMetric(Transformer):
    r"""Learn a linear map after which same-class neighbours are nearer than rows of other classes.

    Distances after the map L are Mahalanobis distances before it,

    .. math:: D(x, z) = \|L(x - z)\|^2 = (x-z)^T M (x-z), \quad M = L^T L \quad (1)

    and L is chosen so that for a row i, one of its k nearest rows j of its own class (its targets, by the
    distance at the start) and any row l of another class, :math:`D(x_i, x_j) + 1 \le D(x_i, x_l)`:

    .. math:: E(L) = \mu \sum_{i,j} D(x_i, x_j) + (1 - \mu)
              \sum_{i,j,l} \max(0,\; 1 + D(x_i, x_j) - D(x_i, x_l)) \quad (2)

    (the large-margin form of Weinberger and Saul 2009; :math:`\mu` is ``pull``). Use it in front of a
    neighbour or nearest-mean classifier when some columns matter more than others. Columns are
    standardised at the start. :class:`LMNN` minimises the same sum over all metrics, with a bound of the least.

    Cost: fit O(n^2 (k + m)) a step for k target neighbours a row and m directions; transform O(d m) a row; memory
    O(n (d + k)) to fit, O(d m) kept.

    Parameters
    ----------
    n_neighbors : int, default 3
        Targets per row.
    n_components : int, default None
        Columns after the map; None keeps as many as there are.
    pull : float, default 0.5
        Weight of the first sum of (2) against the second, between 0 and 1.
    max_iter : int, default 100
        Steps of L-BFGS at the most.
    tol : float, default 1e-5
        Stops when a step improves E by less than this share.

    Attributes
    ----------
    components_ : (n_components, d) the map L, standardisation included
    history_ : list of dicts, one a step: objective, violations (triplets that break the inequality)

    Examples
    --------
    One column separates the classes, eight are noise:

    >>> import numpy as np
    >>> from assay.neighbors import TripletMetric
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["a", "b"], 40)
    >>> X = np.column_stack([rng.normal(size=80) + 4 * (y == "b"), rng.normal(size=(80, 8))])
    >>> metric = TripletMetric().fit(X, y)
    >>> [metric.history_[step]["violations"] for step in (0, -1)]
    [118, 45]

    See Also
    --------
    LMNN, LMCA, AdaptiveNeighborsClassifier, KNeighborsClassifier, SimilarityFeatures

    References
    ----------
    - Weinberger, K. Q. and Saul, L. K. (2009). Distance metric learning for large margin nearest neighbor
      classification. Journal of Machine Learning Research 10, 207-244.
    """

    card = Card(
        "triplet metric",
        "a linear map after which rows of one class are nearer than others",
        also=("metric learning",),
        scale=True,
    )
    accepts = {
        "n_neighbors": Count(1),
        "n_components": Count(1) | None,
        "pull": Range(0, 1, open="both"),
        "max_iter": Count(1),
        "tol": Range(0),
    }
    stored = {
        "components_": FloatArray("*", "p"),
        "history_": Each(Plain(dict)),
    }
    reference_category = True

    def __init__(
        self,
        n_neighbors: int = 3,
        n_components: int | None = None,
        pull: float = 0.5,
        max_iter: int = 100,
        tol: float = 1e-5,
    ):
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.pull = pull
        self.max_iter = max_iter
        self.tol = tol

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target) -> Self:  # type: ignore[override]
        """Learn the map from the rows of X and their classes y."""
        self._check_parameters()
        values = self._admit(X, fitting=True)
        self._learn(values, encode_labels(y, values.shape[0], type(self).__name__)[1], None)
        return self

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        from scipy.optimize import minimize
        from sklearn.exceptions import ConvergenceWarning

        refuse_extremes(X, type(self).__name__, self._names)
        n, d = X.shape
        scale = np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)
        Z = (X - X.mean(axis=0)) / scale
        targets = target_neighbors(Z, y, self.n_neighbors)
        triplets = Triplets(Z, y.astype(np.int64), np.ones(n), targets, every=True)
        width = min(self.n_components or d, d)
        start = np.linalg.svd(Z, full_matrices=False)[2][:width] if width < d else np.eye(d)
        start = np.vstack([start, np.zeros((width - len(start), d))])
        self.history_: list[dict[str, float]] = []
        latest: dict[str, float] = {}

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            L = flat.reshape(width, d)
            value, gradient, violations = _energy(L, triplets, self.pull)
            latest.update(objective=value, violations=violations)
            if not self.history_:
                self.history_.append(dict(latest))
            return value, gradient.ravel()

        optimum = minimize(
            objective,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            callback=lambda _: self.history_.append(dict(latest)),
            options={"maxiter": self.max_iter, "ftol": self.tol},
        )
        self.components_ = optimum.x.reshape(width, d) / scale
        self.n_iter_ = max(1, int(optimum.nit))
        if optimum.nit >= self.max_iter and not optimum.success:
            warn_user(
                f"TripletMetric stopped after {self.max_iter} steps before it settled; raise max_iter or tol.",
                ConvergenceWarning,
            )

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return X @ self.components_.T  # (1)

    def _names_out(self) -> list[str]:
        return [f"tripletmetric{j}" for j in range(len(self.components_))]

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _energy(L: np.ndarray, triplets: Triplets, pull: float) -> tuple[float, np.ndarray, int]:
    """The value of (2), its gradient, and how many triplets break the inequality."""
    costs = triplets.costs(L, 1 - pull)
    return pull * costs.pull + (1 - pull) * costs.hinge, 2 * costs.slope.T @ triplets.X, costs.crossed
