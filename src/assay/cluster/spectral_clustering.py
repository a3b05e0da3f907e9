"""Spectral clustering: k-means on the smallest eigenvectors of a graph of similarities."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.cluster.k_means import KMeans
from assay.cluster.row_clusterer import RowClusterer
from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Flag, Function, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Integer, TableRows
from assay.distances.metric import Metric, metric_of
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.reduce.embedding.connectivity import connectivity_of
from assay.reduce.embedding.graph_laplacian import graph_laplacian
from assay.reduce.embedding.neighbor_graph import neighbor_graph
from assay.reduce.embedding.smallest_eigenpairs import smallest_eigenpairs
from assay.types import RandomState

__all__ = ["SpectralClustering"]

KERNELS = ("rbf", "linear", "poly", "polynomial", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2")
MOST_TURNS = 30  # restarts and steps of the search for a rotation


class SpectralClustering(RowClusterer):
    r"""Group rows by the graph of their similarities: few and weak edges are cut, groups have any form.

    With similarities :math:`B_{rs}`, degrees :math:`d_r = \sum_s B_{rs}` and :math:`D = \mathrm{diag}(d)`, the
    eigenvectors of the smallest eigenvalues of one of

    .. math:: L = D - B, \qquad L_{rw} = I - D^{-1}B, \qquad L_{sym} = I - D^{-1/2}BD^{-1/2}          \quad (1)

    are new coordinates, in which k-means finds the groups; with :math:`L_{sym}` rows are first given length 1. As many
    eigenvalues are 0 as the graph has connected components (``n_connected_components_``). A new row belongs to the
    group of its nearest (most similar) training row. Parameters and groups are scikit-learn's, whose Laplacian is "rw";
    ``laplacian`` and ``radius`` are ours.

    Cost: fit O(n^2 d) and a sparse factorisation, O(n^3) for dense similarities; predict O(n d) a row; memory O(n k),
    or O(n^2) for dense similarities.

    Parameters
    ----------
    n_clusters : int, default 8
    eigen_solver, eigen_tol, n_jobs, verbose : accepted for scikit-learn's sake
    n_components : int or None, default None
        Eigenvectors, the first included; None is ``n_clusters``.
    random_state : int, RandomState or None, default None
    n_init : int, default 10
        Starts of k-means.
    gamma : float, default 1
        Of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2".
    affinity : str or callable, default "rbf"
        A kernel, "nearest_neighbors" (1 if both are neighbours of each other, 0.5 if one is), "heat"
        (:math:`e^{-\gamma d^2}` of rows at most ``radius`` apart, or of neighbours), "precomputed" (X are
        similarities), "precomputed_nearest_neighbors" (X are distances), or a function of X.
    n_neighbors : int, default 10
    assign_labels : "kmeans", "discretize" or "cluster_qr", default "kmeans"
    degree, coef0, kernel_params : of the kernels
    laplacian : "rw", "sym" or "unnormalized", default "rw"
    radius : float or None, default None
        Of "heat".

    Attributes
    ----------
    labels_ : (n,)      affinity_matrix_ : (n, n)      eigenvalues_ : (m,)      embedding_ : (n, m)
    n_connected_components_ : int

    Examples
    --------
    Two triangles, joined by one edge:

    >>> import numpy as np
    >>> from assay.cluster import SpectralClustering
    >>> B = np.zeros((6, 6))
    >>> for a, b in ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)):
    ...     B[a, b] = B[b, a] = 1
    >>> model = SpectralClustering(2, affinity="precomputed", laplacian="unnormalized", random_state=0).fit(B)
    >>> model.eigenvalues_.round(6).tolist()
    [0.0, 0.438447]
    >>> len(set(model.labels_[:3].tolist())), len(set(model.labels_[3:].tolist()))
    (1, 1)

    See Also
    --------
    SpectralEmbedding, KernelKMeans, Genie

    References
    ----------
    - Von Luxburg, U. (2007). A tutorial on spectral clustering. Statistics and Computing 17, 395-416.
      doi:10.1007/s11222-007-9033-z
    - Ng, A. Y., Jordan, M. I. and Weiss, Y. (2002). On spectral clustering: analysis and an algorithm. Advances in
      Neural Information Processing Systems 14.
    - Shi, J. and Malik, J. (2000). Normalized cuts and image segmentation. IEEE Transactions on Pattern Analysis and
      Machine Intelligence 22(8), 888-905. doi:10.1109/34.868688
    """

    card = Card("spectral clustering", "groups by the weak edges of a graph of similarities", scale=True)
    accepts = {
        "n_clusters": Count(1),
        "eigen_solver": Choice("arpack", "lobpcg", "amg") | None,
        "n_components": Count(1) | None,
        "random_state": Seed(),
        "n_init": Count(1),
        "gamma": Range(0),
        "affinity": Choice(
            *KERNELS, "nearest_neighbors", "heat", "precomputed", "precomputed_nearest_neighbors"
        )
        | Function(),
        "n_neighbors": Count(1),
        "eigen_tol": Range(0) | Choice("auto"),
        "assign_labels": Choice("kmeans", "discretize", "cluster_qr"),
        "degree": Range(0),
        "coef0": Range(),
        "kernel_params": Any_("a dict or None", lambda v: v is None or isinstance(v, dict)),
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
        "verbose": Flag() | Count(0),
        "laplacian": Choice("rw", "sym", "unnormalized"),
        "radius": Range(0) | None,
    }
    alternative_for_many: ClassVar[str] = "With affinity='nearest_neighbors' only neighbours are compared."
    stored = {
        "affinity_matrix_": TableRows("n", "n"),
        "eigenvalues_": FloatArray("m"),
        "embedding_": FloatArray("n", "m"),
        "n_connected_components_": Integer(low=1),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        eigen_solver: str | None = None,
        n_components: int | None = None,
        random_state: RandomState = None,
        n_init: int = 10,
        gamma: float = 1.0,
        affinity: Any = "rbf",
        n_neighbors: int = 10,
        eigen_tol: float | str = "auto",
        assign_labels: str = "kmeans",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        laplacian: str = "rw",
        radius: float | None = None,
    ):
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.laplacian = laplacian
        self.radius = radius

    def _given(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity.startswith("precomputed")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given()
        tags.input_tags.sparse = True
        return tags

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """Sparse rows, and sparse similarities."""
        return frozenset({"sparse"})

    def _metric(self, schema: Any) -> Metric:
        return metric_of("precomputed" if self._given() else "euclidean")

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        who, n = type(self).__name__, X.shape[0]
        if n < max(2, self.n_clusters):
            raise DataError(
                f"n_samples={n} should be >= n_clusters={self.n_clusters}; a minimum of 2 sample(s) is required.",
                who=who,
            )
        if X.shape[0] == X.shape[1] and not self._given():
            warn_user(
                f"{who}: The spectral clustering API has changed. ``fit`` now constructs an affinity matrix from data. "
                "To use a custom affinity matrix, set ``affinity=precomputed``."
            )
        B = self._similarities(X)
        values = B.data if hasattr(B, "tocsr") else B
        if not np.isfinite(values).all():
            raise DataError("similarities must be finite numbers. Scale the columns.", who=who)
        self.affinity_matrix_ = B.tocsr() if hasattr(B, "tocsr") else np.ascontiguousarray(B)
        draw = random_state_of(self.random_state)
        self.embedding_, self.eigenvalues_ = self._coordinates(B, draw)
        self.labels_ = self._labels(self.embedding_, draw)

    def _similarities(self, X: Any) -> Any:
        from scipy.sparse import identity

        n, who = X.shape[0], type(self).__name__
        if callable(self.affinity):
            return self.affinity(X, **(self.kernel_params or {}))
        if self.affinity == "precomputed":
            return X
        if self.affinity == "heat":
            search = self._search
            k = None if self.radius is not None else min(self.n_neighbors, n - 1)
            graph = neighbor_graph(search, k, self.radius, who=who)
            graph.data = np.exp(-self.gamma * graph.data**2)
            return graph.maximum(graph.T)
        if self.affinity in ("nearest_neighbors", "precomputed_nearest_neighbors"):
            if self.n_neighbors > n:
                raise ParameterError(
                    f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {self.n_neighbors}, "
                    f"n_samples_fit = {n}.",
                    who=who,
                )
            near = 0 * identity(n, format="csr")
            if self.n_neighbors > 1:
                near = neighbor_graph(self._search, self.n_neighbors - 1, who=who)
                near.data[:] = 1.0
            near = near + identity(n, format="csr")
            return (0.5 * (near + near.T)).tocsr()
        return self._kernel(X)

    def _kernel(self, X: Any) -> np.ndarray:
        from assay.kernels.pairwise import pairwise_kernels

        self._refuse_many(X.shape[0])
        if self.affinity == "rbf":
            with np.errstate(over="ignore"):  # beyond all numbers, nothing is alike
                return np.exp(-self.gamma * self.distance_.between(X, X) ** 2)
        options = {
            "gamma": self.gamma,
            "degree": self.degree,
            "coef0": self.coef0,
            **(self.kernel_params or {}),
        }
        return pairwise_kernels(X, metric=self.affinity, filter_params=True, **options)

    def _coordinates(self, B: Any, draw: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """(n, m) coordinates and (m,) eigenvalues, the smallest first, the known one of 0 included."""
        from scipy.sparse import csr_matrix

        other = B.T.tocsr() if hasattr(B, "tocsr") else B.T
        gap = abs(B - other)
        if (gap.data if hasattr(gap, "tocsr") else gap).max(initial=0.0) > 1e-10:
            warn_user(
                "Array is not symmetric, and will be converted to symmetric by average with its transpose."
            )
        B = 0.5 * (B + other)
        edges = csr_matrix(B)
        edges.eliminate_zeros()
        self.n_connected_components_ = connectivity_of(edges).n_components
        if self.n_connected_components_ > 1:
            warn_user(
                "Graph is not fully connected, spectral embedding may not work as expected: its "
                f"{self.n_connected_components_} components are groups by themselves.",
                DegenerateWarning,
            )
        m = self.n_clusters if self.n_components is None else self.n_components
        normalized = self.laplacian != "unnormalized"
        L, degree = graph_laplacian(B, normalized=normalized, return_degrees=True)
        null = np.sqrt(np.maximum(degree, 0)) if normalized else np.ones(len(degree))
        null = null if null.any() else np.ones(len(degree))
        smallest, vectors = smallest_eigenpairs(L, m - 1, null, random_state=draw)
        first = null / np.linalg.norm(null)
        Z, values = np.column_stack([first, vectors]), np.r_[0.0, smallest]
        if self.laplacian == "rw":
            Z = Z / np.where(degree > 0, np.sqrt(np.maximum(degree, 1e-300)), 1.0)[:, None]
        elif self.laplacian == "sym":
            length = np.linalg.norm(Z, axis=1, keepdims=True)
            Z = Z / np.where(length > 0, length, 1.0)
        return Z, values

    def _labels(self, Z: np.ndarray, draw: np.random.RandomState) -> np.ndarray:
        if self.assign_labels == "kmeans":
            return KMeans(self.n_clusters, n_init=self.n_init, random_state=draw).fit(Z).labels_
        if self.assign_labels == "cluster_qr":
            return _by_pivots(Z)
        return _by_rotation(Z, draw)

    def _assign(self, X: Any) -> np.ndarray:
        if self.affinity == "precomputed":
            B = X.toarray() if hasattr(X, "tocsr") else np.asarray(X)
            return self.labels_[np.argmax(B, axis=1)]
        return super()._assign(X)

    def _explain_block(self, X: Any, rows: Any) -> Any:
        if self.affinity != "precomputed":
            return super()._explain_block(X, rows)
        from assay.core.explanation import Section
        from assay.core.explanations import Explanations, Reasons

        B = X.toarray() if hasattr(X, "tocsr") else np.asarray(X)

        def sections(i: int) -> list[Section]:
            near = np.argsort(-B[i], kind="stable")[:5]
            lines = [[self._cases.label(int(r)), float(B[i, r]), int(self.labels_[r])] for r in near]
            return [Section("Most similar training rows", ["row", "similarity", "group"], lines)]

        return Explanations(type(self).__name__, self._assign(X).tolist(), rows, Reasons(sections))


def _by_pivots(Z: np.ndarray) -> np.ndarray:
    """Labels by the rows that a pivoted QR decomposition takes first (Damle, Minden and Ying 2019)."""
    from scipy.linalg import qr, svd

    k = Z.shape[1]
    pivots = qr(Z.T, pivoting=True)[2]
    U, _, V = svd(Z[pivots[:k]].T)
    return np.abs(Z @ (U @ V.conj())).argmax(axis=1)


def _by_rotation(Z: np.ndarray, draw: np.random.RandomState) -> np.ndarray:
    """Labels by the rotation that brings rows nearest to corners (Yu and Shi 2003)."""
    n, k = Z.shape
    Z = Z * (np.sqrt(n) / np.maximum(np.linalg.norm(Z, axis=0), 1e-300))
    Z = np.where(Z[:1] != 0, -Z * np.sign(Z[:1]), Z)
    Z = Z / np.maximum(np.linalg.norm(Z, axis=1), 1e-300)[:, None]
    for _ in range(MOST_TURNS):
        rotation = np.zeros((k, k))
        rotation[:, 0] = Z[draw.randint(n)]
        apart = np.zeros(n)
        for j in range(1, k):
            apart += np.abs(Z @ rotation[:, j - 1])
            rotation[:, j] = Z[apart.argmin()]
        last = 0.0
        for _ in range(MOST_TURNS):
            labels = (Z @ rotation).argmax(axis=1)
            corners = np.eye(k)[labels]
            try:
                U, s, V = np.linalg.svd(corners.T @ Z)
            except np.linalg.LinAlgError:
                break
            cut = 2.0 * (n - s.sum())
            if abs(cut - last) < np.finfo(float).eps:
                return labels
            last, rotation = cut, V.T @ U.T
        else:
            return labels
    return labels
