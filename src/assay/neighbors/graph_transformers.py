"""Neighbourhood graphs as transformers: computed once and used by several learners."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.learner import Transformer
from assay.core.parameters import Choice
from assay.neighbors.neighbor_learner import KNeighbors, NeighborLearner, RadiusNeighbors
from assay.types import MetricLike, TableLike, Target

__all__ = ["KNeighborsTransformer", "RadiusNeighborsTransformer"]


class _GraphTransformer(NeighborLearner, Transformer):
    """The sparse matrix of distances from rows to the training rows near them."""

    accepts: ClassVar[Any] = {"mode": Choice("distance", "connectivity"), **NeighborLearner.accepts}
    mode: str

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Remember the rows of X; y is ignored."""
        return super().fit(X)

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        self._store(X)

    def _names_out(self) -> list[str]:
        return [f"{type(self).__name__.lower()}{i}" for i in range(self.n_samples_fit_)]

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_


class KNeighborsTransformer(KNeighbors, _GraphTransformer):
    """The sparse graph of each row's nearest training rows, for learners that take ``metric="precomputed"``.

    The search is the expensive part of many learners: in a pipeline it is done once, for the largest number of
    neighbours that any of them needs. In mode "distance" each row has one neighbour more than asked for, since a
    training row is its own first neighbour.

    Cost: fit O(n d), with a tree O(n d log n); transform O(n d) a row, in few columns with a tree about O(d log n);
    memory O(n d), the rows are kept, and k numbers a row come out.

    Parameters
    ----------
    mode : "distance" or "connectivity" (ones), default "distance"
    n_neighbors : int, default 5
    algorithm, leaf_size, metric, p, metric_params, n_jobs : as in `NearestNeighbors`

    Attributes
    ----------
    distance_ : Metric, with what it learned
    effective_metric_ : its name     effective_metric_params_ : dict     n_samples_fit_ : int

    Examples
    --------
    >>> from assay.neighbors import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [3.0], [1.0]]).toarray()
    array([[0., 0., 1.],
           [0., 0., 2.],
           [1., 0., 0.]])

    See Also
    --------
    RadiusNeighborsTransformer, NearestNeighbors, kneighbors_graph

    References
    ----------
    - Bentley, J. L. (1975). Multidimensional binary search trees used for associative searching. Communications of
      the ACM 18(9), 509-517. doi:10.1145/361002.361007
    - Omohundro, S. M. (1989). Five balltree construction algorithms. Technical report 89-063, International
      Computer Science Institute, Berkeley.
    """

    card = Card("knn graph", "the sparse graph of each row's nearest training rows", scale=True)
    accepts = {**KNeighbors.accepts, **_GraphTransformer.accepts}

    def __init__(
        self,
        *,
        mode: str = "distance",
        n_neighbors: int = 5,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: MetricLike = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ):
        self.mode = mode
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def transform(self, X: TableLike) -> Any:
        """(q, n) sparse: the distances of each row to its nearest training rows, from near to far, or ones."""
        self._ready()
        return self.kneighbors_graph(X, self.n_neighbors + (self.mode == "distance"), self.mode)


class RadiusNeighborsTransformer(RadiusNeighbors, _GraphTransformer):
    """The sparse graph of the training rows within a radius of each row, as `KNeighborsTransformer` gives the nearest.

    Cost: fit O(n d), with a tree O(n d log n); transform O(n d) a row at most; memory O(n d), the rows are kept, and as
    many numbers a row as it has neighbours come out.

    Parameters
    ----------
    mode : "distance" or "connectivity" (ones), default "distance"
    radius : float, default 1.0
    algorithm, leaf_size, metric, p, metric_params, n_jobs : as in `NearestNeighbors`

    Attributes
    ----------
    distance_ : Metric, with what it learned
    effective_metric_ : its name     effective_metric_params_ : dict     n_samples_fit_ : int

    Examples
    --------
    >>> from assay.neighbors import RadiusNeighborsTransformer
    >>> RadiusNeighborsTransformer(radius=1.5).fit_transform([[0.0], [3.0], [1.0]]).toarray()
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])

    See Also
    --------
    KNeighborsTransformer, NearestNeighbors, radius_neighbors_graph

    References
    ----------
    - Bentley, J. L. (1975). Multidimensional binary search trees used for associative searching. Communications of
      the ACM 18(9), 509-517. doi:10.1145/361002.361007
    """

    card = Card("radius graph", "the sparse graph of the training rows within a radius", scale=True)
    accepts = {**RadiusNeighbors.accepts, **_GraphTransformer.accepts}

    def __init__(
        self,
        *,
        mode: str = "distance",
        radius: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: MetricLike = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ):
        self.mode = mode
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def transform(self, X: TableLike) -> Any:
        """(q, n) sparse: the distances of each row to training rows within the radius, near ones first, or ones."""
        self._ready()
        return self.radius_neighbors_graph(X, self.radius, self.mode, sort_results=True)
