"""Landmark Isomap: the shortest paths from some rows place all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Array, Choice, Count, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray
from assay.errors import ParameterError
from assay.reduce.embedding.classical_scaling import classical_scaling, place
from assay.reduce.embedding.geodesics import PathSearch, geodesic_distances
from assay.reduce.embedding.isomap import Isomap
from assay.types import Estimator, MetricLike, RandomState

__all__ = ["LandmarkIsomap"]


class LandmarkIsomap(Isomap):
    r"""Isomap whose axes are those of some landmark rows; all other rows are placed by their distances to these.

    Shortest paths lead from the L landmarks alone. Classical scaling of their distances to each other gives axes
    :math:`c_j` with eigenvalues :math:`\lambda_j`, and a row with squared distances :math:`\delta` to the landmarks

    .. math:: z_j = -\tfrac1{2\sqrt{\lambda_j}}\, c_j^T(\delta - \bar\delta)                              \quad (1)

    with the means :math:`\bar\delta` over landmarks; a landmark gets its own coordinates. With all rows as landmarks
    this is :class:`Isomap`. Axes are fixed by the landmarks: their coordinates, not those of all rows, are centred.

    Cost: fit O(L (n + e) + L^3) for e edges; transform O(n d + L k) a row; memory O(L n) in place of O(n^2).

    Parameters
    ----------
    n_landmarks : int, default 200
        How many; all rows if there are no more.
    landmarks : "random", "maxmin" or array of row numbers, default "random"
        Which rows: drawn at random, or each as far along the graph from those before as can be (one more shortest path
        search each), or those named.
    random_state : int, RandomState or None, default None
    n_neighbors, radius, n_components, neighbors_algorithm, metric, p, metric_params : as in :class:`Isomap`
    disconnected : "connect" or "raise", default "connect"
    extension : as in :class:`Isomap`

    Attributes
    ----------
    landmarks_ : (L,) their row numbers      dist_matrix_ : (n, L) distances along the graph to the landmarks
    embedding_, eigenvalues_, explained_variance_ratio_, component_labels_ : as in :class:`Isomap`, of the landmarks' B

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_swiss_roll
    >>> from assay.reduce import LandmarkIsomap
    >>> X, along = make_swiss_roll(1000, random_state=0)
    >>> roll = LandmarkIsomap(n_landmarks=50, n_neighbors=10, random_state=0).fit(X)
    >>> bool(abs(np.corrcoef(roll.embedding_[:, 0], along)[0, 1]) > 0.97)
    True

    See Also
    --------
    Isomap, ClassicalMDS

    References
    ----------
    - De Silva, V. and Tenenbaum, J. B. (2003). Global versus local methods in nonlinear dimensionality reduction.
      Advances in Neural Information Processing Systems 15, 705-712.
    """

    card = Card("landmark isomap", "Isomap by the shortest paths from some rows alone", scale=True)
    accepts = {
        **{
            name: kind
            for name, kind in Isomap.accepts.items()
            if name not in ("eigen_solver", "tol", "max_iter", "path_method", "n_jobs")
        },
        "n_landmarks": Count(1),
        "landmarks": Choice("random", "maxmin") | Array(),
        "disconnected": Choice("connect", "raise"),
        "random_state": Seed(),
    }
    stored = {"landmarks_": CodeArray("l", below="n")}

    def __init__(
        self,
        n_landmarks: int = 200,
        *,
        landmarks: Any = "random",
        n_neighbors: int | None = 5,
        radius: float | None = None,
        n_components: int = 2,
        neighbors_algorithm: str = "auto",
        metric: MetricLike = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        disconnected: str = "connect",
        extension: str | Estimator | None = "auto",
        random_state: RandomState = None,
    ):
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.neighbors_algorithm = neighbors_algorithm
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.disconnected = disconnected
        self.extension = extension
        self.random_state = random_state

    def _embed(self, X: Any) -> np.ndarray:
        graph = self._graph(X)
        self.landmarks_, paths = self._landmarks(graph)
        solution = classical_scaling(np.ascontiguousarray(paths[:, self.landmarks_]), self.n_components)
        self.dist_matrix_ = np.ascontiguousarray(paths.T)
        self._remember_scaling(solution)
        Z = place(self.dist_matrix_, solution.values, solution.coordinates, solution.means)
        Z[self.landmarks_] = solution.coordinates
        return Z

    def _check_landmarks(self, count: int, n: int) -> None:
        if count < n and count <= self.n_components:
            raise ParameterError(
                f"{type(self).__name__}: {count} landmarks make at most {count - 1} coordinates, n_components is "
                f"{self.n_components}. Take more landmarks."
            )

    def _landmarks(self, graph: Any) -> tuple[np.ndarray, np.ndarray]:
        """(L,) rows and (L, n) the shortest paths from them."""
        n, random = graph.shape[0], random_state_of(self.random_state)
        count = min(self.n_landmarks, n)
        if not isinstance(self.landmarks, str):
            named = np.asarray(self.landmarks)
            whole = named.ndim == 1 and named.dtype.kind in "iu" and len(named) > 0
            if not whole or len(np.unique(named)) != len(named) or named.min() < 0 or named.max() >= n:
                raise ParameterError(
                    f"{type(self).__name__}: landmarks must be different row numbers from 0 to {n - 1}, got "
                    f"{self.landmarks!r}."
                )
            self._check_landmarks(len(named), n)
            return named.astype(np.int64), geodesic_distances(graph, named)
        self._check_landmarks(count, n)
        if count == n:
            return np.arange(n), geodesic_distances(graph)
        if self.landmarks == "random":
            drawn = np.sort(random.choice(n, count, replace=False)).astype(np.int64)
            return drawn, geodesic_distances(graph, drawn)
        chosen, paths, nearest = [int(random.randint(n))], np.empty((count, n)), np.full(n, np.inf)
        search = PathSearch(graph)
        for t in range(count):
            paths[t] = search.distances(np.array(chosen[-1:]))[0]
            nearest = np.minimum(nearest, paths[t])
            chosen.append(int(np.argmax(nearest)))
        return np.array(chosen[:count]), paths

    @property
    def _axes(self) -> np.ndarray:
        return np.asarray(self.embedding_, dtype=np.float64)[self.landmarks_]

    @property
    def _between_axes(self) -> np.ndarray:
        return self.dist_matrix_[self.landmarks_]
