"""Kernel k-means: k-means in the space of a kernel, where only assignments are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.pair_memory import refuse_pairs_beyond_memory
from assay.core import Card, Clusterer
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.model_view import Part
from assay.core.parameters import Any_, Array, Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, IntArray, Integer, Object, Scalar, TableRows
from assay.errors import DataError, ParameterError
from assay.kernels.kernel import Kernel
from assay.kernels.names import kernel_of
from assay.types import KernelLike, RandomState, TableLike

__all__ = ["KernelKMeans"]


class KernelKMeans(Clusterer):
    r"""k-means after the mapping of a kernel; distances need the kernel alone:

    .. math:: \|\phi(x) - \mu_C\|^2 = k(x,x) - \frac{2}{w_C}\sum_{i\in C} w_i k(x,x_i)
              + \frac{1}{w_C^2}\sum_{i,j\in C} w_i w_j k(x_i,x_j)                                   \quad (1)

    Groups may have any form that the kernel can tell apart; with the linear kernel this is k-means.

    Cost: fit O(n^2) an iteration after O(n^2 d) for the kernel; predict O(n d) a row; memory O(n^2).

    Parameters
    ----------
    n_clusters : int, default 8
    kernel : str, callable or Kernel, default "rbf"
        "precomputed": X holds the values of the kernel.
    gamma, degree, coef0 : of the kernel, as in SVC
    init : "k-means++", "random" or (n,) labels, default "k-means++"
        Rows that lie apart in the space of the kernel, rows at random, or the groups to begin with.
    n_init : int, default 10
    max_iter : int, default 300
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    labels_ : (n,)      inertia_ : float      n_iter_ : int      kernel_ : Kernel

    Examples
    --------
    >>> from assay.cluster import KernelKMeans
    >>> X = [[1], [2], [3], [10], [11], [12]]
    >>> model = KernelKMeans(2, kernel="linear", random_state=0).fit(X)
    >>> round(model.inertia_, 6), len(set(model.labels_[:3].tolist()))
    (4.0, 1)

    See Also
    --------
    KMeans, SpectralClustering

    References
    ----------
    - Scholkopf, B., Smola, A. and Muller, K.-R. (1998). Nonlinear component analysis as a kernel eigenvalue problem.
      Neural Computation 10(5), 1299-1319. doi:10.1162/089976698300017467
    - Dhillon, I. S., Guan, Y. and Kulis, B. (2004). Kernel k-means, spectral clustering and normalized cuts.
      Proceedings of the 10th ACM SIGKDD Conference, 551-556. doi:10.1145/1014052.1014118
    """

    card = Card("kernel k-means", "k-means in the space of a kernel", scale=True)
    accepts = {
        "n_clusters": Count(1),
        "kernel": Any_("the name of a kernel, a function, or a Kernel"),
        "gamma": Range(0) | Choice("scale", "auto"),
        "degree": Range(0),
        "coef0": Range(),
        "init": Choice("k-means++", "random") | Array(1),
        "n_init": Count(1),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "labels_": IntArray("n", low=0),
        "inertia_": Scalar(),
        "n_iter_": Integer(low=0),
        "kernel_": Object(Kernel),
        "_fit_X": TableRows("n", "p"),
        "_weights": FloatArray("n", low=0) | None,
        "_inner": FloatArray("c"),
    }
    keeps_row_names = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: KernelLike = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _given(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given()
        return tags

    def _check_stored(self) -> None:
        if "labels_" in vars(self) and int(self.labels_.max(initial=0)) >= len(self._inner):
            raise ValueError(f"{type(self).__name__}: labels beyond the groups.")

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        who, n = type(self).__name__, X.shape[0]
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        self._fit_X = X
        if self._given():
            if X.shape[0] != X.shape[1]:
                raise DataError(f"a kernel matrix must be square, got {X.shape}.", who=who)
            K = np.asarray(X, dtype=np.float64)
        else:
            kernel = kernel_of(
                self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, schema=self.schema_
            )
            refuse_pairs_beyond_memory(
                who, n, "Nystroem(...) before KMeans comes near with some of the columns of the matrix."
            )
            self.kernel_ = kernel.learn(X)
            K = np.asarray(self.kernel_(X), dtype=np.float64)
        draw = random_state_of(self.random_state)
        best: Any = None
        given_labels = not isinstance(self.init, str)
        for _ in range(1 if given_labels else self.n_init):
            run = self._run(K, w, self._start(K, w, draw, who))
            if best is None or run[1] < best[1] - 1e-12 * abs(best[1]):
                best = run
        self.labels_, self.inertia_, self.n_iter_ = best
        self._weights = w
        self._inner = self._sums(K, w, self.labels_)[1]

    def _start(self, K: np.ndarray, w: Any, draw: np.random.RandomState, who: str) -> np.ndarray:
        n, many = len(K), self.n_clusters
        if not isinstance(self.init, str):
            labels = np.asarray(self.init)
            if (
                labels.shape != (n,)
                or labels.min() < 0
                or labels.max() >= many
                or (labels != labels.astype(int)).any()
            ):
                raise ParameterError(f"init must be {n} labels from 0 to {many - 1}.", who=who)
            return labels.astype(np.int64)
        chances = np.full(n, 1 / n) if w is None else w / w.sum()
        diagonal = np.diag(K)
        if self.init == "random":
            rows = draw.choice(n, size=many, replace=False, p=chances).tolist()
        else:
            rows = [int(draw.choice(n, p=chances))]
            least = np.maximum(diagonal + diagonal[rows[0]] - 2 * K[rows[0]], 0.0)
            while len(rows) < many:
                mass = least * chances
                total = mass.sum()
                rows.append(int(draw.choice(n, p=mass / total if total > 0 else chances)))
                least = np.minimum(least, np.maximum(diagonal + diagonal[rows[-1]] - 2 * K[rows[-1]], 0.0))
        apart = diagonal[rows] - 2 * K[:, rows]
        return np.argmin(apart, axis=1)

    def _sums(self, K: np.ndarray, w: Any, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, k) means of the kernel with each group, and (k,) the squared lengths of their means."""
        members = np.zeros((len(labels), self.n_clusters))
        members[np.arange(len(labels)), labels] = 1.0 if w is None else w
        total = members.sum(axis=0)
        shares = members / np.where(total > 0, total, 1.0)
        means = K @ shares
        inner = np.einsum("ik,ik->k", shares, means)
        return means, np.where(total > 0, inner, np.inf)

    def _run(self, K: np.ndarray, w: Any, labels: np.ndarray) -> tuple[np.ndarray, float, int]:
        diagonal, rows = np.diag(K), np.arange(len(K))
        iteration = 0
        while iteration < self.max_iter:
            iteration += 1
            means, inner = self._sums(K, w, labels)
            apart = diagonal[:, None] - 2 * means + inner  # (1)
            nearest = np.argmin(apart, axis=1)
            for k in np.flatnonzero(
                np.bincount(nearest, minlength=self.n_clusters) == 0
            ):  # an empty group takes the
                gaps = apart[rows, nearest].copy()  # row that is farthest from its mean
                gaps[np.bincount(nearest, minlength=self.n_clusters)[nearest] < 2] = -np.inf
                nearest[int(np.argmax(gaps))] = k
            if np.array_equal(nearest, labels):
                break
            labels = nearest
        means, inner = self._sums(K, w, labels)
        apart = (diagonal[:, None] - 2 * means + np.where(np.isinf(inner), 0, inner))[rows, labels]
        return labels, float(np.maximum(apart, 0.0) @ (np.ones(len(K)) if w is None else w)), iteration

    def _apart(self, X: Any) -> np.ndarray:
        """(m, k) squared distances of rows from the means of the groups, without what is the same for all groups."""
        K = np.asarray(X if self._given() else self.kernel_(X, self._fit_X), dtype=np.float64)
        members = np.zeros((len(self.labels_), self.n_clusters))
        members[np.arange(len(self.labels_)), self.labels_] = 1.0 if self._weights is None else self._weights
        total = members.sum(axis=0)
        return -2 * (K @ (members / np.where(total > 0, total, 1.0))) + self._inner

    def _assign(self, X: Any) -> np.ndarray:
        return np.argmin(self._apart(X), axis=1)

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its group: its distances (1) from the means, up to what is the same for all groups."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        apart = self._apart(X)

        def sections(i: int) -> list[Section]:
            order = np.argsort(apart[i], kind="stable")
            lines = [[int(k), float(apart[i, k] - apart[i].min())] for k in order]
            return [Section("Groups", ["group", "squared distance beyond the nearest"], lines)]

        return Explanations(type(self).__name__, np.argmin(apart, axis=1).tolist(), rows, Reasons(sections))

    def _model_parts(self) -> list[Part]:
        sizes = np.bincount(self.labels_, minlength=len(self._inner))
        lines = [[k, int(m), float(m / len(self.labels_))] for k, m in enumerate(sizes)]
        return [Section("Groups", ["group", "rows", "share"], lines)]
