"""Laplacian eigenmaps: coordinates that keep similar rows together."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.parameters import Any_, Choice, Count, Flag, Function, Range, Seed
from assay.core.stored import FloatArray, IntArray, Integer, Scalar, TableRows
from assay.distances.metric import Metric, metric_of
from assay.errors import DataError, ParameterError, warn_user
from assay.reduce.components.spectrum import with_fixed_signs
from assay.reduce.embedding.connectivity import in_one_piece
from assay.reduce.embedding.embedding import Embedding
from assay.reduce.embedding.extension import LocalWeights
from assay.reduce.embedding.graph_laplacian import graph_laplacian
from assay.reduce.embedding.neighbor_graph import neighbor_graph
from assay.reduce.embedding.smallest_eigenpairs import smallest_eigenpairs
from assay.types import Estimator, MetricLike, RandomState

__all__ = ["SpectralEmbedding", "spectral_embedding"]

GIVEN = ("precomputed", "precomputed_nearest_neighbors")  # affinities for which X is a matrix of rows by rows
SHARE_OF_NEIGHBORS = 0.1  # of the rows, where nothing says how many neighbours


class SpectralEmbedding(Embedding):
    r"""Coordinates in which similar rows are close, by the Laplacian of the graph of similarities.

    .. math:: \min_Z \sum_{rs} B_{rs}\|z_r - z_s\|^2 = 2\,\mathrm{tr}(Z^T L Z), \qquad L = D - B          \quad (1)

    with :math:`d_r = \sum_s B_{rs}`: the eigenvectors of the smallest eigenvalues after the constant one's, which
    is 0. With ``normalized=True`` (as scikit-learn) those of :math:`L z = \lambda D z`, else those of L itself, of
    length 1. Only local similarities count, so groups become denser: a first step before clustering. Eigenvalue 0 has
    as many vectors as the graph has components: then coordinates tell components apart and nothing else. A new row is
    placed by the weights that rebuild it of its neighbours, or at the mean of training rows' coordinates, weighed by
    its similarity to them and divided by :math:`1 - \lambda_j` (the Nystroem formula, ``extension="nystroem"``, for
    affinity "rbf", "precomputed" or a function). Names, parameters and answers are scikit-learn's; those from
    ``normalized`` on are ours.

    Cost: fit O(n^2 d) and a sparse factorisation of L, O(n^3) for dense similarities; transform O(n d) a row; memory
    O(n k), or O(n^2) for dense similarities.

    Parameters
    ----------
    n_components : int, default 2
    affinity : str or callable, default "nearest_neighbors"
        How similar rows are: "nearest_neighbors" (1 if both are neighbours of each other, 0.5 if one is, each row being
        its own first), "heat" (of neighbours, either way, :math:`e^{-d^2/2\sigma^2}` with the median :math:`\sigma` of
        their distances), "rbf" (:math:`e^{-\gamma d^2}` of all rows), "precomputed" (X is B),
        "precomputed_nearest_neighbors" (X are distances), or a function of X.
    gamma : float or None, default None
        Of "rbf": None is 1 / number of columns; of "heat": None is :math:`1 / 2\sigma^2`.
    random_state : int, RandomState or None, default None
        Start of the Lanczos steps.
    eigen_solver, eigen_tol, n_jobs : as scikit-learn's
        Accepted; eigenvalues are exact.
    n_neighbors : int or None, default None
        None is a tenth of the rows.
    normalized : bool, default True
        Whether the problem is generalised by D.
    metric : str, callable or Metric, default "euclidean"
        Which rows are neighbours.
    metric_params : dict or None, default None
    radius : float or None, default None
        For "heat": instead of ``n_neighbors``, all rows at most that far.
    disconnected : "warn", "separate" or "raise", default "warn"
        If the graph is in pieces: warn, give each piece coordinates of its own, or refuse.
    extension : "auto", "weights", "nystroem", LocalWeights or regressor, default "auto"
        "auto" is "weights", of given similarities "nystroem".

    Attributes
    ----------
    embedding_ : (n, k)      affinity_matrix_ : (n, n) sparse or dense, B      n_neighbors_ : int
    eigenvalues_ : (k,)      gamma_ : float      component_labels_ : (n,) the piece of the graph of each row

    Examples
    --------
    A chain of six: the coordinate rises along it.

    >>> import numpy as np
    >>> from assay.reduce import SpectralEmbedding
    >>> chain = np.eye(6, k=1) + np.eye(6, k=-1)
    >>> model = SpectralEmbedding(1, affinity="precomputed", normalized=False).fit(chain)
    >>> model.embedding_[:, 0].round(4)
    array([ 0.5577,  0.4082,  0.1494, -0.1494, -0.4082, -0.5577])
    >>> model.eigenvalues_.round(6)
    array([0.267949])

    See Also
    --------
    graph_laplacian, LocallyLinearEmbedding, Isomap, spectral_embedding

    References
    ----------
    - Belkin, M. and Niyogi, P. (2003). Laplacian eigenmaps for dimensionality reduction and data representation. Neural
      Computation 15, 1373-1396. doi:10.1162/089976603321780317
    - Von Luxburg, U. (2007). A tutorial on spectral clustering. Statistics and Computing 17, 395-416.
      doi:10.1007/s11222-007-9033-z
    """

    card = Card(
        "laplacian eigenmaps",
        "coordinates that keep similar rows together",
        also=("spectral embedding",),
        scale=True,
    )
    accepts = {
        **Embedding.accepts,
        "affinity": Choice("nearest_neighbors", "heat", "rbf", *GIVEN) | Function(),
        "gamma": Range(0) | None,
        "random_state": Seed(),
        "eigen_solver": Choice("arpack", "lobpcg", "amg") | None,
        "eigen_tol": Range(0) | Choice("auto"),
        "n_neighbors": Count(1) | None,
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
        "normalized": Flag(),
        "radius": Range(0) | None,
        "disconnected": Choice("warn", "separate", "raise"),
    }
    stored = {
        "affinity_matrix_": TableRows("n", "n"),
        "eigenvalues_": FloatArray("m", finite=True),
        "n_neighbors_": Integer(low=1),
        "gamma_": Scalar(low=0),
        "component_labels_": IntArray("n", low=0),
    }
    ways = ("weights", "nystroem")
    kept_in_single = ("embedding_",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        affinity: Any = "nearest_neighbors",
        gamma: float | None = None,
        random_state: RandomState = None,
        eigen_solver: str | None = None,
        eigen_tol: float | str = "auto",
        n_neighbors: int | None = None,
        n_jobs: int | None = None,
        normalized: bool = True,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        radius: float | None = None,
        disconnected: str = "warn",
        extension: str | Estimator | None = "auto",
    ):
        self.n_components = n_components
        self.affinity = affinity
        self.gamma = gamma
        self.random_state = random_state
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.normalized = normalized
        self.metric = metric
        self.metric_params = metric_params
        self.radius = radius
        self.disconnected = disconnected
        self.extension = extension

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity in GIVEN
        return tags

    def _metric(self, schema: Any) -> Metric:
        if isinstance(self.affinity, str) and self.affinity in GIVEN:
            return metric_of("precomputed")
        return super()._metric(schema)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.extension == "nystroem" and self.affinity in ("nearest_neighbors", "heat", GIVEN[1]):
            raise ParameterError(
                f"{type(self).__name__}: extension='nystroem' needs similarities of new to all training rows, which "
                f"affinity={self.affinity!r} does not give. Use affinity='rbf', or extension='weights'."
            )
        if self._similarities_given and (
            self.extension == "weights" or isinstance(self.extension, LocalWeights)
        ):
            raise ParameterError(
                f"{type(self).__name__}: extension={self.extension!r} looks for near rows, but affinity='precomputed' "
                "has similarities, no distances. Use extension='nystroem'."
            )

    @property
    def _similarities_given(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity == "precomputed"

    def _learn_extension(self, X: Any) -> None:
        super()._learn_extension(X)
        if self._similarities_given and isinstance(self.extension, str) and self.extension == "auto":
            self.extension_ = "nystroem"

    # Similarities

    def _embed(self, X: Any) -> np.ndarray:
        if X.shape[0] < 2:
            raise DataError(
                f"{type(self).__name__}: Found array with 1 sample(s), a graph needs at least 2 rows."
            )
        self.__dict__.pop("gamma_", None)
        self.affinity_matrix_ = B = self._affinities(X)
        _check_affinities(B, X.shape[0], type(self).__name__)
        Z, self.eigenvalues_, self.component_labels_ = _coordinates(
            B, self.n_components, self.normalized, self.disconnected, self.random_state, type(self).__name__
        )
        return Z

    def _affinities(self, X: Any) -> Any:
        if callable(self.affinity):
            return self.affinity(X)
        if self.affinity == "precomputed":
            return X
        if self.affinity == "rbf":
            self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else float(self.gamma)
            return self._similarity(X)
        n = X.shape[0]
        self.n_neighbors_ = (
            max(int(n * SHARE_OF_NEIGHBORS), 1) if self.n_neighbors is None else self.n_neighbors
        )
        if self.affinity == "heat":
            return self._heat()
        from scipy.sparse import identity

        if self.n_neighbors_ > n:
            raise ParameterError(
                f"{type(self).__name__}: Expected n_neighbors <= n_samples, but n_neighbors = {self.n_neighbors_}, "
                f"n_samples = {n}."
            )
        k = min(self.n_neighbors_, n) - 1  # a row is its own first neighbour
        near = (
            neighbor_graph(self._search, k, who=type(self).__name__) if k else 0 * identity(n, format="csr")
        )
        near.data[:] = 1.0
        near = near + identity(n, format="csr")
        return (0.5 * (near + near.T)).tocsr()

    def _heat(self) -> Any:
        from assay.reduce.embedding.neighbor_graph import undirected

        k = None if self.radius is not None else self.n_neighbors_
        graph = undirected(neighbor_graph(self._search, k, self.radius, who=type(self).__name__))
        width = float(np.median(graph.data)) if graph.nnz else 1.0
        self.gamma_ = float(self.gamma) if self.gamma is not None else 1 / (2 * (width or 1.0) ** 2)
        graph.data = np.exp(-self.gamma_ * graph.data**2)
        return graph

    def _similarity(self, X: Any) -> np.ndarray:
        return np.exp(-self.gamma_ * self.distance_.between(X, self._fit_X) ** 2)

    # New rows

    def _place(self, X: Any, way: str) -> np.ndarray:
        if self.affinity == "precomputed":
            similar = dense_block(X)
        else:
            similar = self.affinity(X) if callable(self.affinity) else self._similarity(X)
        if similar.shape[1] != len(self.embedding_):
            raise DataError(
                f"{type(self).__name__}: similarities must be to the {len(self.embedding_)} training rows, got "
                f"{similar.shape[1]}."
            )
        Z = self._by_similarities(similar)
        if self.affinity == "rbf":  # a training row is similar to itself, which its own equation leaves out
            apart, nearest = self._search.nearest(X, 1)
            Z[apart[:, 0] == 0] = self.embedding_[nearest[apart[:, 0] == 0, 0]]
            return Z
        nearest = np.argmax(
            similar, axis=1
        )  # given similarities: the same, if as similar to all others as that
        B = self.affinity_matrix_[nearest]
        same = (similar == (B.toarray() if hasattr(B, "tocsr") else np.asarray(B))).all(axis=1)
        Z[same] = self.embedding_[nearest[same]]
        return Z

    def _by_similarities(self, similar: np.ndarray) -> np.ndarray:
        """(q, m) the coordinates by the Nystroem formula, in pieces by that to which a row is most similar."""
        if not self._apart:
            return self._nystroem(similar, self.embedding_, self.eigenvalues_)
        pieces = np.arange(int(self.component_labels_.max()) + 1)
        members = [np.flatnonzero(self.component_labels_ == piece) for piece in pieces]
        of = np.argmax([similar[:, rows].sum(axis=1) for rows in members], axis=0)
        Z = np.zeros((len(similar), self._n_features_out))
        for piece in np.unique(of):
            rows, new = members[piece], np.flatnonzero(of == piece)
            places = self.embedding_[rows]
            L, degree = graph_laplacian(
                _symmetric(self.affinity_matrix_)[rows][:, rows], normalized=False, return_degrees=True
            )
            sizes = np.einsum("rm,r,rm->m", places, degree if self.normalized else np.ones(len(rows)), places)
            values = np.einsum("rm,rm->m", places, L @ places) / np.where(sizes > 0, sizes, 1.0)
            Z[new] = self._nystroem(similar[np.ix_(new, rows)], places, values)
        return Z

    def _nystroem(self, similar: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
        degree = similar.sum(axis=1, keepdims=True)
        divisor = degree * (1 - values) if self.normalized else degree - values
        return similar @ places / np.where(divisor == 0, 1.0, divisor)


def _check_affinities(B: Any, n: int, who: str) -> None:
    values = B.data if hasattr(B, "tocsr") else np.asarray(B)
    if B.shape != (n, n):
        raise DataError(f"{who}: similarities must be a matrix of ({n}, {n}), got {B.shape}.")
    if not np.isfinite(values).all() or (values < 0).any():
        raise DataError(f"{who}: similarities must be finite numbers, none below 0.")


def _coordinates(
    B: Any, k: int, normalized: bool, disconnected: str, random_state: Any, who: str, drop_first: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n, k) coordinates, (k,) eigenvalues and (n,) components of a symmetric matrix of similarities."""
    from scipy.sparse import csr_matrix

    B = _symmetric(B)
    edges = csr_matrix(B)
    _, report = in_one_piece(edges, edges, metric_of("precomputed"), disconnected, who)
    apart = disconnected == "separate" and not report.connected
    Z, values = np.zeros((B.shape[0], k)), np.zeros(k)
    for piece in range(report.n_components if apart else 1):
        rows = np.flatnonzero(report.labels == piece)
        part = (
            B[np.ix_(rows, rows)] if apart and isinstance(B, np.ndarray) else B[rows][:, rows] if apart else B
        )
        L, degree = graph_laplacian(part, normalized=normalized, return_degrees=True)
        null = np.sqrt(degree) if normalized else np.ones(L.shape[0])
        null = null if null.any() else np.ones(L.shape[0])
        smallest, vectors = smallest_eigenpairs(
            L, k if drop_first else k - 1, null, random_state=random_state
        )
        if not drop_first:
            first = with_fixed_signs((null / np.linalg.norm(null))[None])
            smallest, vectors = np.r_[0.0, smallest], np.column_stack([first[0], vectors])
        if normalized:
            vectors = vectors / np.where(degree > 0, np.sqrt(degree), 1.0)[:, None]
        rows = rows if apart else np.arange(len(Z))
        Z[np.ix_(rows, np.arange(len(smallest)))] = vectors
        values[: len(smallest)] += smallest
    return with_fixed_signs(Z.T).T, values, report.labels


def _symmetric(B: Any) -> Any:
    """B, or the mean of its halves, with a warning, if they differ."""
    other = B.T.tocsr() if hasattr(B, "tocsr") else B.T
    gap = abs(B - other)
    if (gap.data if hasattr(gap, "tocsr") else gap).max(initial=0.0) > 1e-10:
        warn_user("Array is not symmetric, and will be converted to symmetric by average with its transpose.")
        return (0.5 * (B + other)).tocsr() if hasattr(B, "tocsr") else 0.5 * (B + other)
    return B.tocsr() if hasattr(B, "tocsr") else B


def spectral_embedding(
    adjacency: Any,
    *,
    n_components: int = 8,
    eigen_solver: str | None = None,
    random_state: RandomState = None,
    eigen_tol: float | str = "auto",
    norm_laplacian: bool = True,
    drop_first: bool = True,
) -> np.ndarray:
    """(n, k) the coordinates of :class:`SpectralEmbedding` for given similarities, as a function.

    Cost: a sparse factorisation; O(n^3) for dense similarities.

    Parameters
    ----------
    adjacency : (n, n) similarities, symmetric, none below 0, sparse or dense
    n_components : int, default 8
    eigen_solver, eigen_tol : accepted as scikit-learn's
    random_state : int, RandomState or None
    norm_laplacian : bool, default True
        Whether the problem is generalised by the degrees.
    drop_first : bool, default True
        Whether the constant vector is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import spectral_embedding
    >>> spectral_embedding(np.eye(4, k=1) + np.eye(4, k=-1), n_components=1, norm_laplacian=False).round(4)[:, 0]
    array([ 0.6533,  0.2706, -0.2706, -0.6533])

    See Also
    --------
    SpectralEmbedding, graph_laplacian
    """
    B = adjacency if hasattr(adjacency, "tocsr") else np.asarray(adjacency, dtype=np.float64)
    _check_affinities(B, B.shape[0], "spectral_embedding")
    return _coordinates(
        B, n_components, norm_laplacian, "warn", random_state, "spectral_embedding", drop_first
    )[0]
