"""Nearest-neighbour search and neighbourhood graphs."""

from __future__ import annotations

from typing import Any, Literal, Self

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.errors import ParameterError
from assay.neighbors.neighbor_learner import KNeighbors, RadiusNeighbors
from assay.types import MetricLike, TableLike, Target

__all__ = ["NearestNeighbors", "kneighbors_graph", "radius_neighbors_graph"]


class NearestNeighbors(KNeighbors, RadiusNeighbors):
    """Store the training rows and find those nearest to a query, or within a radius.

    Cost: fit O(n d), with a tree O(n d log n); a query takes O(n d), in few columns with a tree about O(d log n);
    memory O(n d), the rows are kept.

    Parameters
    ----------
    n_neighbors : int, default 5
        How many neighbours ``kneighbors`` gives.
    radius : float, default 1.0
        How far ``radius_neighbors`` looks.
    algorithm : "auto", "brute", "kd_tree" or "ball_tree", default "auto"
        How neighbours are looked for: it steers the time, not the answer.
    leaf_size : int, default 30
        Rows in a leaf of a tree.
    metric : str, callable or Metric, default "minkowski"
        How far rows are apart: scikit-learn's and SciPy's names, "precomputed", a function of two rows, and "heom",
        "gower" or "auto" for tables with categories and missing values.
    p : float, default 2
        The exponent of "minkowski".
    metric_params : dict, default None
        More arguments of the metric.
    n_jobs : int, default None
        Accepted; the machine's threads are used where the work is large, and the answer does not depend on them.

    Attributes
    ----------
    distance_ : Metric, with what it learned
    effective_metric_ : its name     effective_metric_params_ : dict     n_samples_fit_ : int

    Examples
    --------
    >>> from assay.neighbors import NearestNeighbors
    >>> index = NearestNeighbors(n_neighbors=2).fit([[0.0], [1.0], [3.0]])
    >>> index.kneighbors([[0.75]])
    (array([[0.25, 0.75]]), array([[1, 0]]))
    >>> index.kneighbors(n_neighbors=1, return_distance=False)  # of the rows themselves, without themselves
    array([[1],
           [0],
           [1]])

    See Also
    --------
    KNeighborsClassifier, KNeighborsTransformer, kneighbors_graph, radius_neighbors_graph

    References
    ----------
    - Bentley, J. L. (1975). Multidimensional binary search trees used for associative searching. Communications of
      the ACM 18(9), 509-517. doi:10.1145/361002.361007
    - Omohundro, S. M. (1989). Five balltree construction algorithms. Technical report 89-063, International
      Computer Science Institute, Berkeley.
    """

    card = Card("neighbour search", "which training rows are nearest", also=("neighbor search",), scale=True)
    accepts = {**KNeighbors.accepts, **RadiusNeighbors.accepts}

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        radius: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: MetricLike = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:
        """Remember the rows of X; y is ignored."""
        self._check_parameters()
        self._store(self._admit(X, fitting=True))
        return self


def kneighbors_graph(
    X: TableLike,
    n_neighbors: int,
    *,
    mode: Literal["connectivity", "distance"] = "connectivity",
    metric: MetricLike = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: int | None = None,
) -> Any:
    """The graph of each row's nearest rows, as a sparse (n, n) matrix of ones or of distances.

    Parameters
    ----------
    X : table, or a fitted `NearestNeighbors`
    n_neighbors : int
    mode : "connectivity" (ones) or "distance"
    metric, p, metric_params : as in `NearestNeighbors`
    include_self : bool or "auto"
        Whether a row is its own first neighbour; "auto" is True for "connectivity".
    n_jobs : int, default None
        Accepted; the answer does not depend on it.

    Examples
    --------
    >>> from assay.neighbors import kneighbors_graph
    >>> kneighbors_graph([[0.0], [3.0], [1.0]], 1, mode="distance").toarray()
    array([[0., 0., 1.],
           [0., 0., 2.],
           [1., 0., 0.]])
    """
    fitted = _fitted(
        X, n_neighbors=n_neighbors, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
    )
    return fitted.kneighbors_graph(_asked(fitted, X, include_self, mode), n_neighbors, mode)


def radius_neighbors_graph(
    X: TableLike,
    radius: float,
    *,
    mode: Literal["connectivity", "distance"] = "connectivity",
    metric: MetricLike = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: int | None = None,
) -> Any:
    """The graph of the rows within a radius of each row, as a sparse (n, n) matrix of ones or of distances.

    Parameters
    ----------
    X : table, or a fitted `NearestNeighbors`
    radius : float
    mode : "connectivity" (ones) or "distance"
    metric, p, metric_params : as in `NearestNeighbors`
    include_self : bool or "auto"
        Whether a row is its own neighbour; "auto" is True for "connectivity".
    n_jobs : int, default None
        Accepted; the answer does not depend on it.

    Examples
    --------
    >>> from assay.neighbors import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [3.0], [1.0]], 1.5).toarray()
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])
    """
    fitted = _fitted(X, radius=radius, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs)
    return fitted.radius_neighbors_graph(_asked(fitted, X, include_self, mode), radius, mode)


def _fitted(X: Any, **parameters: Any) -> Any:
    if not isinstance(X, (KNeighbors, RadiusNeighbors)):
        return NearestNeighbors(**parameters).fit(X)
    for name in ("metric", "p", "metric_params"):
        value, usual = parameters[name], {"metric": "minkowski", "p": 2, "metric_params": None}[name]
        if value != usual and value != getattr(X, name):
            raise ParameterError(
                f"neighbors graph: X is a fitted {type(X).__name__} with {name}={getattr(X, name)!r}, but {name}="
                f"{value!r} was asked for. Leave {name} out, or pass the rows themselves."
            )
    return X


def _asked(fitted: Any, X: Any, include_self: Any, mode: str) -> Any:
    """The queries: the rows themselves, or None for the rows without themselves."""
    if include_self == "auto":
        include_self = mode == "connectivity"
    if not include_self:
        return None
    from assay.tables import Table

    return Table(fitted._fit_X, fitted.schema_) if X is fitted else X
