"""Isomap: classical scaling of the distances along the graph of neighbours."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Any_, Choice, Count, Range
from assay.core.stored import FloatArray, IntArray
from assay.errors import DegenerateWarning
from assay.reduce.components.kernel_pca import KernelPCA
from assay.reduce.embedding.classical_scaling import ROWS_AT_A_TIME, Scaling, classical_scaling, place
from assay.reduce.embedding.connectivity import in_one_piece
from assay.reduce.embedding.embedding import Embedding
from assay.reduce.embedding.geodesics import geodesic_distances, linked_distances
from assay.reduce.embedding.neighbor_graph import neighbor_graph, undirected
from assay.types import Estimator, MetricLike

__all__ = ["Isomap"]

QUERIES_AT_A_TIME = 1 << 22  # distances of new rows in memory at a time


class Isomap(Embedding):
    r"""Coordinates that keep the distances along the surface on which the rows lie.

    Rows are joined with their neighbours; the length of the shortest path between two rows in this graph stands for
    their distance along the surface, g; classical scaling turns these into coordinates:

    .. math:: B = -\tfrac12 J G^{(2)} J, \qquad z_{tj} = \sqrt{\lambda_j}\, c_{tj}                        \quad (1)

    A new row is joined with its neighbours as well and placed by its distances along the graph,
    :math:`z_j = -\frac1{2\sqrt{\lambda_j}} c_j^T(\delta - \bar\delta)`; a training row gets its own coordinates. (1) is
    kernel PCA with the kernel B (``kernel_pca_``). Too few neighbours leave the graph in pieces, too many take short
    cuts across the surface: :func:`graph_connectivity` says from how many on it hangs together. Names, parameters and
    answers are scikit-learn's; ``disconnected``, ``extension`` and metrics for mixed tables are ours.

    Cost: fit O(n (n + e) + n^2 k t) for e edges and t steps of the eigensolver; transform O(n (d + k)) a row; memory
    O(n^2), one matrix of distances.

    Parameters
    ----------
    n_neighbors : int or None, default 5
    radius : float or None, default None
        Instead of ``n_neighbors=None``: all rows at most that far are neighbours. With neither, every entry of a sparse
        matrix of distances is an edge, such as a map of roads.
    n_components : int, default 2
    eigen_solver, tol, max_iter, path_method : as scikit-learn's
        Accepted; eigenvalues are exact, by Lanczos steps where few of many are asked for, and paths are Dijkstra's.
    neighbors_algorithm : "auto", "brute", "kd_tree" or "ball_tree", default "auto"
        Affects the time, not the result.
    n_jobs : int or None, default None
        Accepted; the machine's threads are used, with the same result.
    metric : str, callable or Metric, default "minkowski"
        Any of our metrics (:func:`assay.distances.metric_of`), or "precomputed": distances, or a sparse graph of them.
    p : float, default 2
    metric_params : dict or None, default None
    disconnected : "connect", "separate" or "raise", default "connect"
        If the graph is in pieces: join their closest rows and warn, give each piece coordinates of its own about the
        origin, or refuse.
    extension : "auto", "geodesics", "weights", LocalWeights or regressor, default "auto"
        How new rows are placed; "weights" by the weights that rebuild a row of its neighbours.

    Attributes
    ----------
    embedding_ : (n, k)      dist_matrix_ : (n, n) distances along the graph      eigenvalues_ : (k,) of B
    explained_variance_ratio_ : (k,) eigenvalues as shares of the trace of B
    component_labels_ : (n,) the piece of the graph that each row was in      kernel_pca_ : the same as KernelPCA

    Examples
    --------
    Thirteen points on three quarters of a circle: along the arc they are equally far apart.

    >>> import numpy as np
    >>> from assay.reduce import Isomap
    >>> angle = np.linspace(0, 1.5 * np.pi, 13)
    >>> arc = Isomap(n_neighbors=None, radius=0.45, n_components=1).fit(np.c_[np.cos(angle), np.sin(angle)])
    >>> abs(np.diff(arc.embedding_[:, 0])).round(6)[:3]
    array([0.390181, 0.390181, 0.390181])

    See Also
    --------
    LandmarkIsomap, LocallyLinearEmbedding, ClassicalMDS, graph_connectivity

    References
    ----------
    - Tenenbaum, J. B., de Silva, V. and Langford, J. C. (2000). A global geometric framework for nonlinear
      dimensionality reduction. Science 290, 2319-2323. doi:10.1126/science.290.5500.2319
    - Bengio, Y., Paiement, J.-F., Vincent, P., Delalleau, O., Le Roux, N. and Ouimet, M. (2003). Out-of-sample
      extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering. Advances in Neural Information Processing
      Systems 16.
    """

    card = Card("isomap", "coordinates that keep distances along the data's surface", scale=True)
    accepts = {
        **Embedding.accepts,
        "n_neighbors": Count(1) | None,
        "radius": Range(0, np.inf) | None,
        "eigen_solver": Choice("auto", "arpack", "dense"),
        "tol": Range(0),
        "max_iter": Count(1) | None,
        "path_method": Choice("auto", "FW", "D"),
        "neighbors_algorithm": Choice("auto", "brute", "kd_tree", "ball_tree"),
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
        "p": Range(1),
        "disconnected": Choice("connect", "separate", "raise"),
    }
    stored = {
        "dist_matrix_": FloatArray("n", "l"),
        "eigenvalues_": FloatArray("m", finite=True),
        "explained_variance_ratio_": FloatArray("m", finite=True),
        "component_labels_": IntArray("n", low=0),
        "_means": FloatArray("l", finite=True),
    }
    ways = ("geodesics", "weights")
    kept_in_single = ("embedding_", "dist_matrix_")

    def __init__(
        self,
        *,
        n_neighbors: int | None = 5,
        radius: float | None = None,
        n_components: int = 2,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        path_method: str = "auto",
        neighbors_algorithm: str = "auto",
        n_jobs: int | None = None,
        metric: MetricLike = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        disconnected: str = "connect",
        extension: str | Estimator | None = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.disconnected = disconnected
        self.extension = extension

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _graph(self, X: Any) -> Any:
        """The graph of neighbours, after the policy for its components; sets ``component_labels_``."""
        who = type(self).__name__
        graph = undirected(neighbor_graph(self._search, self.n_neighbors, self.radius, who=who))
        graph, report = in_one_piece(graph, X, self.distance_, self.disconnected, who)
        self.component_labels_ = report.labels
        return graph

    def _embed(self, X: Any) -> np.ndarray:
        self.dist_matrix_ = geodesic_distances(self._graph(X))
        if self._apart:
            return self._embed_pieces()
        solution = classical_scaling(self.dist_matrix_, self.n_components)
        self._remember_scaling(solution)
        return solution.coordinates

    def _remember_scaling(self, solution: Scaling) -> None:
        self.eigenvalues_, self._means = solution.values, solution.means
        total = solution.total if solution.total > 0 else 1.0
        self.explained_variance_ratio_ = solution.values / total

    def _embed_pieces(self) -> np.ndarray:
        """Coordinates of each component by itself, about its own centre; the eigenvalues are those of all together."""
        Z = np.zeros((len(self.dist_matrix_), self.n_components))
        values, total = np.zeros(self.n_components), 0.0
        for piece in range(int(self.component_labels_.max()) + 1):
            rows = np.flatnonzero(self.component_labels_ == piece)
            solution = classical_scaling(self.dist_matrix_[np.ix_(rows, rows)], self.n_components)
            Z[np.ix_(rows, np.arange(len(solution.values)))] = solution.coordinates
            values[: len(solution.values)] += solution.values
            total += solution.total
        self._remember_scaling(Scaling(values, Z, total, np.zeros(len(Z))))
        return Z

    def _place(self, X: Any, way: str) -> np.ndarray:
        geodesics = np.asarray(self.dist_matrix_, dtype=np.float64)
        out = np.empty((X.shape[0], self._n_features_out))
        size = max(1, QUERIES_AT_A_TIME // geodesics.shape[1])
        axes = self._axes
        for first in range(0, X.shape[0], size):
            some = X[first : first + size]
            apart = linked_distances(*self._neighbors(some), geodesics)
            out[first : first + size] = place(
                apart, self.eigenvalues_, axes, self._means, type(self).__name__, first
            )
        return out

    @property
    def _axes(self) -> np.ndarray:
        """The coordinates of the rows that the columns of ``dist_matrix_`` belong to."""
        return np.asarray(self.embedding_, dtype=np.float64)

    @property
    def _between_axes(self) -> np.ndarray:
        """Distances along the graph between the rows that make the axes."""
        return self.dist_matrix_

    def _neighbors(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the neighbours of each new row begin, which they are, and how far; at least one each."""
        search, q = self._search, X.shape[0]
        if self.n_neighbors is not None:
            distances, rows = search.nearest(X, min(self.n_neighbors, search.n))
            return np.arange(0, rows.size + 1, rows.shape[1]), rows.ravel(), distances.ravel()
        start, rows, distances = search.within(X, np.inf if self.radius is None else self.radius)
        lonely = np.flatnonzero(np.diff(start) == 0)
        if not len(lonely):
            return start, rows, distances
        apart, nearest = search.nearest(X[lonely], 1)  # joined with the nearest row, however far
        query = np.r_[np.repeat(np.arange(q), np.diff(start)), lonely]
        order = np.argsort(query, kind="stable")
        counts = np.bincount(query, minlength=q)
        return (
            np.concatenate([[0], np.cumsum(counts)]), np.r_[rows, nearest[:, 0]][order],
            np.r_[distances, apart[:, 0]][order],
        )  # fmt: skip

    def reconstruction_error(self) -> float:
        r"""The part of B that the coordinates leave out, :math:`\sqrt{\|B\|_F^2 - \sum_j\lambda_j^2} / n`."""
        self._ready()
        D, means = self._between_axes, self._means
        squares = 0.0
        for first in range(0, len(D), ROWS_AT_A_TIME):
            some = slice(first, first + ROWS_AT_A_TIME)
            B = -0.5 * (D[some].astype(np.float64) ** 2 - means - means[some, None] + means.mean())
            squares += float((B * B).sum())
        left = squares - float((self.eigenvalues_**2).sum())
        return float(np.sqrt(max(left, 0.0))) / len(D)

    @property
    def kernel_pca_(self) -> KernelPCA:
        """Kernel PCA with the kernel -G^2 / 2, fitted: the same coordinates, and the same for new rows."""
        self._ready()
        with warnings.catch_warnings():  # geodesics are no distances of points: that is known here
            warnings.simplefilter("ignore", DegenerateWarning)
            return KernelPCA(self.n_components, kernel="precomputed").fit(-0.5 * self._between_axes**2)

    def _model_parts(self) -> list[Part]:
        lines: list[list[Any]] = [
            [name, float(v), float(s)]
            for name, v, s in zip(self._names_out(), self.eigenvalues_, self.explained_variance_ratio_)
        ]
        pieces = int(self.component_labels_.max()) + 1
        note = f"{len(self.embedding_)} training rows, a graph of neighbours in {pieces} pieces"
        return [Section("Axes", ["axis", "eigenvalue", "share of the trace"], lines, note)]
