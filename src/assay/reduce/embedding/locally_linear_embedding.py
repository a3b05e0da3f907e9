"""Locally linear embedding and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.csr import compressed_matrix
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.stored import FloatArray, IntArray, Scalar
from assay.errors import DataError, ParameterError
from assay.reduce.embedding.alignment import (
    hessian_alignment,
    modified_alignment,
    tangent_alignment,
    weight_alignment,
)
from assay.reduce.embedding.connectivity import in_one_piece
from assay.reduce.embedding.embedding import Embedding
from assay.reduce.embedding.extension import BLOCK, LocalWeights, local_weights
from assay.reduce.embedding.neighbor_graph import neighbor_graph
from assay.reduce.embedding.smallest_eigenpairs import smallest_eigenpairs
from assay.types import Estimator, MetricLike, RandomState, TableLike

__all__ = ["LocallyLinearEmbedding", "locally_linear_embedding"]


class LocallyLinearEmbedding(Embedding):
    r"""Coordinates in which every row is the same weighted mean of its neighbours as in the table.

    1. Weights that rebuild each row of its neighbours best, of sum 1:
       :math:`\min \sum_r \|x_r - \sum_s W_{rs} x_s\|^2`; they solve :math:`G w = 1`,
       :math:`G_{jk} = (x_r - x_j)^T(x_r - x_k)`, with ``reg`` times its trace added to the diagonal.
    2. Coordinates that the same weights rebuild: :math:`\min \sum_r \|z_r - \sum_s W_{rs} z_s\|^2`, the eigenvectors of

    .. math:: M = (I - W)^T (I - W)                                                                     \quad (1)

    with the smallest eigenvalues after the constant one; of length 1, as scikit-learn's (times :math:`\sqrt n` they
    have variance 1). Weights do not change when a neighbourhood is turned, moved or scaled. A new row is placed by
    its own weights; a training row at its own coordinates. G can be made of distances alone, so the standard method
    takes any metric and mixed tables. Other methods make M of local coordinates: "modified" of several weight vectors
    a row, "hessian" of second derivatives, "ltsa" of tangent spaces. Names and parameters are scikit-learn's, and so
    are answers but those of "hessian": there scikit-learn keeps all directions beyond the tangent space, which is
    "ltsa"; here only those of the products of coordinates count, as in the paper.

    Cost: fit O(n k^2 (d + k)) and a sparse factorisation of M; transform O(n d + k^3) a row; memory O(n k^2).

    Parameters
    ----------
    n_neighbors : int or None, default 5
    n_components : int, default 2
    reg : float, default 1e-3
        Share of the trace of G that is added to its diagonal; needed where neighbours outnumber columns.
    eigen_solver : "auto", "arpack" or "dense", default "auto"
        "dense" decomposes M fully; else Lanczos steps are used where they are quicker.
    tol : float, default 1e-6
    max_iter : int, default 100
        Accepted; the eigensolver ends by its own rule.
    method : "standard", "hessian", "modified" or "ltsa", default "standard"
    hessian_tol : float, default 1e-4
        Accepted as scikit-learn's.
    modified_tol : float, default 1e-12
        Length below which a turn counts as none.
    neighbors_algorithm : "auto", "brute", "kd_tree" or "ball_tree", default "auto"
    random_state : int, RandomState or None, default None
        Start of the Lanczos steps.
    n_jobs : int or None, default None
        Accepted.
    radius : float or None, default None
        With ``n_neighbors=None``: all rows at most that far are neighbours (standard method).
    metric : str, callable or Metric, default "euclidean"
    metric_params : dict or None, default None
    disconnected : "warn", "connect", "separate" or "raise", default "warn"
        If the graph of neighbours is in pieces: warn; join the closest rows of the pieces, which then are neighbours;
        give each piece coordinates of its own; or refuse.
    extension : "auto", "weights", LocalWeights or regressor, default "auto"

    Attributes
    ----------
    embedding_ : (n, k)      reconstruction_error_ : float, the sum of the eigenvalues
    eigenvalues_ : (k,) of M      component_labels_ : (n,) the piece of the graph that each row was in

    Examples
    --------
    Points on a line in space: one coordinate, which is linear in their place.

    >>> import numpy as np
    >>> from assay.reduce import LocallyLinearEmbedding
    >>> u = np.array([0, 1, 2.5, 3, 4.2, 5, 6.1, 7])
    >>> line = LocallyLinearEmbedding(n_neighbors=3, n_components=1, reg=1e-6).fit(np.c_[u, 2 * u, -u])
    >>> bool(abs(np.corrcoef(line.embedding_[:, 0], u)[0, 1]) > 1 - 1e-10)
    True

    See Also
    --------
    Isomap, SpectralEmbedding, graph_connectivity

    References
    ----------
    - Roweis, S. T. and Saul, L. K. (2000). Nonlinear dimensionality reduction by locally linear embedding. Science 290,
      2323-2326. doi:10.1126/science.290.5500.2323
    - Donoho, D. L. and Grimes, C. (2003). Hessian eigenmaps: locally linear embedding techniques for high-dimensional
      data. Proceedings of the National Academy of Sciences 100, 5591-5596. doi:10.1073/pnas.1031596100
    - Zhang, Z. and Wang, J. (2007). MLLE: modified locally linear embedding using multiple weights. Advances in Neural
      Information Processing Systems 19, 1593-1600.
    - Zhang, Z. and Zha, H. (2004). Principal manifolds and nonlinear dimensionality reduction via tangent space
      alignment. SIAM Journal on Scientific Computing 26, 313-338. doi:10.1137/S1064827502419154
    """

    card = Card(
        "lle",
        "coordinates that neighbours rebuild as in the table",
        also=("locally linear embedding",),
        scale=True,
    )
    accepts = {
        **Embedding.accepts,
        "n_neighbors": Count(1) | None,
        "reg": Range(0),
        "eigen_solver": Choice("auto", "arpack", "dense"),
        "tol": Range(0),
        "max_iter": Count(1),
        "method": Choice("standard", "hessian", "modified", "ltsa"),
        "hessian_tol": Range(0),
        "modified_tol": Range(0),
        "neighbors_algorithm": Choice("auto", "brute", "kd_tree", "ball_tree"),
        "random_state": Seed(),
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
        "radius": Range(0) | None,
        "disconnected": Choice("warn", "connect", "separate", "raise"),
    }
    stored = {
        "reconstruction_error_": Scalar(low=0),
        "eigenvalues_": FloatArray("m", finite=True),
        "component_labels_": IntArray("n", low=0),
    }

    def __init__(
        self,
        *,
        n_neighbors: int | None = 5,
        n_components: int = 2,
        reg: float = 1e-3,
        eigen_solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100,
        method: str = "standard",
        hessian_tol: float = 1e-4,
        modified_tol: float = 1e-12,
        neighbors_algorithm: str = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        radius: float | None = None,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        disconnected: str = "warn",
        extension: str | Estimator | None = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.neighbors_algorithm = neighbors_algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.radius = radius
        self.metric = metric
        self.metric_params = metric_params
        self.disconnected = disconnected
        self.extension = extension

    def _local_weights(self) -> LocalWeights:
        return LocalWeights(self.n_neighbors, self.reg)

    def _embed(self, X: Any) -> np.ndarray:
        graph, report = in_one_piece(
            self._neighbors(X), X, self.distance_, self.disconnected, type(self).__name__
        )
        self.component_labels_ = report.labels
        M = self._alignment(X, graph)
        Z = np.zeros((X.shape[0], self.n_components))
        values = np.zeros(self.n_components)
        for piece in range(report.n_components if self._apart else 1):
            rows = np.flatnonzero(report.labels == piece) if self._apart else np.arange(X.shape[0])
            part = M[rows][:, rows] if self._apart else M
            smallest, vectors = smallest_eigenpairs(
                part, self.n_components, np.ones(len(rows)), dense=self.eigen_solver == "dense",
                tol=self.tol * 1e-3, random_state=self.random_state,
            )  # fmt: skip
            Z[np.ix_(rows, np.arange(len(smallest)))] = vectors
            values[: len(smallest)] += smallest
        self.eigenvalues_, self.reconstruction_error_ = values, float(values.sum())
        return Z

    def _neighbors(self, X: Any) -> Any:
        """The graph of neighbours, after a look at what the method needs."""
        who, d = type(self).__name__, X.shape[1]
        if self.n_components > d and not self.distance_.precomputed and self.distance_.power == 2:
            raise ParameterError(
                f"{who}: output dimension must be less than or equal to input dimension: n_components="
                f"{self.n_components} of {d} columns."
            )
        if self.n_neighbors is not None and self.n_neighbors >= X.shape[0]:
            raise ParameterError(
                f"{who}: Expected n_neighbors < n_samples, but n_samples = {X.shape[0]}, n_neighbors = "
                f"{self.n_neighbors}."
            )
        if self.method != "standard" and (self.distance_.power != 2 or self.n_neighbors is None):
            raise ParameterError(
                f"{who}: method={self.method!r} needs Euclidean points and n_neighbors; other metrics or a radius need "
                "method='standard'."
            )
        graph = neighbor_graph(self._search, self.n_neighbors, self.radius, who=who)
        lonely = int((np.diff(graph.indptr) == 0).sum())
        if lonely:
            raise DataError(
                f"{who}: {lonely} rows have no neighbour within radius={self.radius}. Take a larger one."
            )
        return graph

    def _alignment(self, X: Any, graph: Any) -> Any:
        if self.method == "standard":
            return weight_alignment(self._weights(X, graph))
        points = self.distance_.points(X)
        points = points.toarray() if hasattr(points, "tocsr") else np.asarray(points, dtype=np.float64)
        k = self.n_neighbors
        if graph.nnz != len(points) * k:
            raise ParameterError(
                f"{type(self).__name__}: method={self.method!r} needs the same number of neighbours everywhere, so "
                "disconnected='connect' goes with method='standard' alone."
            )
        neighbors = graph.indices.reshape(len(points), k)
        try:
            if self.method == "hessian":
                return hessian_alignment(points, neighbors, self.n_components)
            if self.method == "modified":
                return modified_alignment(points, neighbors, self.n_components, self.modified_tol)
            return tangent_alignment(points, neighbors, self.n_components)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    def _weights(self, X: Any, graph: Any) -> Any:
        """(n, n) sparse reconstruction weights; rows with equally many neighbours together."""
        counts, data = np.diff(graph.indptr), np.empty(graph.nnz)
        for k in np.unique(counts).tolist():
            same = np.flatnonzero(counts == k)
            for rows in np.array_split(same, max(1, len(same) * k * (k + X.shape[1]) // BLOCK)):
                entries = graph.indptr[rows][:, None] + np.arange(k)
                data[entries] = local_weights(
                    X[rows], X, graph.indices[entries], graph.data[entries], self.distance_, self.reg
                )
        return compressed_matrix("csr_matrix", data, graph.indices, graph.indptr, graph.shape)

    def kernel_matrix(self) -> np.ndarray:
        r"""(n, n) :math:`\lambda_{\max} I - M`: kernel PCA with it has the axes of this embedding.

        Its eigenvectors are those of M in the opposite order; of the centred one the constant vector is gone.

        Cost: O(n^2) memory.
        """
        self._ready()
        graph, _ = in_one_piece(
            self._neighbors(self._fit_X),
            self._fit_X,
            self.distance_,
            "connect" if self.disconnected == "connect" else "separate",
            type(self).__name__,
        )
        M = self._alignment(self._fit_X, graph).toarray()
        return float(np.linalg.eigvalsh(M)[-1]) * np.eye(len(M)) - M


def locally_linear_embedding(
    X: TableLike,
    *,
    n_neighbors: int,
    n_components: int,
    reg: float = 1e-3,
    eigen_solver: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 100,
    method: str = "standard",
    hessian_tol: float = 1e-4,
    modified_tol: float = 1e-12,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, float]:
    """The coordinates and the reconstruction error of :class:`LocallyLinearEmbedding`, as a function.

    Cost: as there.

    Parameters
    ----------
    X : table, or a fitted index of neighbours
    n_neighbors, n_components, reg, eigen_solver, tol, max_iter, method : as in :class:`LocallyLinearEmbedding`
    hessian_tol, modified_tol, random_state, n_jobs : as there

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import locally_linear_embedding
    >>> Z, error = locally_linear_embedding(np.c_[np.arange(9.0), np.arange(9.0)], n_neighbors=3, n_components=1)
    >>> Z.shape, round(error, 3)
    ((9, 1), 0.0)

    See Also
    --------
    LocallyLinearEmbedding
    """
    model = LocallyLinearEmbedding(
        n_neighbors=n_neighbors, n_components=n_components, reg=reg, eigen_solver=eigen_solver, tol=tol,
        max_iter=max_iter, method=method, hessian_tol=hessian_tol, modified_tol=modified_tol,
        random_state=random_state, n_jobs=n_jobs,
    ).fit(X)  # fmt: skip
    return model.embedding_, model.reconstruction_error_
