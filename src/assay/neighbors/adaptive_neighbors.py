"""Adaptive nearest neighbours: around each query the distance stretches along the boundary of the classes."""

from __future__ import annotations

from typing import Self

import numpy as np

from assay.core import Card, Classifier
from assay.core.cases import beside
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.parallel import in_threads
from assay.core.parameters import Count, Range
from assay.core.stored import CodeArray, FloatArray
from assay.distances.extremes import refuse_extremes
from assay.distances.metric import metric_of
from assay.distances.search import kept_searcher
from assay.neighbors.prototypes import vote_counts
from assay.types import TableLike, Target

__all__ = ["AdaptiveNeighborsClassifier"]

TOGETHER = 64  # queries that one thread takes at a time


class AdaptiveNeighborsClassifier(Classifier):
    r"""Classify by the k nearest neighbours in a metric of the query's own (discriminant adaptive neighbours).

    Among the ``n_local`` rows around the query, with W their covariance within and B that between the classes
    (weighted by class shares), the distance becomes

    .. math:: D(x, x_0) = (x - x_0)^T \Sigma (x - x_0), \quad
              \Sigma = W^{-1/2} \left[ W^{-1/2} B W^{-1/2} + \epsilon I \right] W^{-1/2} \quad (1)

    (Hastie and Tibshirani 1996): large across the boundary of the classes, small along it, so that the neighbourhood is
    long where the posterior is constant. With ``n_iter`` steps each takes its rows by the distance of the one before;
    with 0 it is the plain k nearest neighbours. Where the rows around are all of one class, or do not vary, B is 0 and
    only the scale of W remains; directions without spread are left as they are. Use it in many columns of which few
    matter.

    Cost: fit O(n d); predict O(n d + m d^2 + d^3) a row for the m rows that its metric is learned from; memory O(n d),
    the rows are kept.

    Parameters
    ----------
    n_neighbors : int, default 5
        Rows that vote; more than there are means all.
    n_local : int, default None
        Rows from which the metric is learned; None takes the larger of 50 and n / 5, at most n.
    epsilon : float, default 1
        Keeps the neighbourhood from being endlessly long.
    n_iter : int, default 1

    Attributes
    ----------
    rows_ : (n, d) the training rows, scaled      codes_ : (n,)
    scale_ : (d,) the standard deviations that columns are divided by at the start

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neighbors import AdaptiveNeighborsClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> model = AdaptiveNeighborsClassifier().fit(X, X[:, 0] > 0)               # one column of six matters
    >>> M = model.local_metric([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]])[0]
    >>> bool(M[0, 0] > 3 * M.diagonal()[1:].max())
    True

    See Also
    --------
    KNeighborsClassifier, TripletMetric

    References
    ----------
    - Hastie, T. and Tibshirani, R. (1996). Discriminant adaptive nearest neighbor classification. IEEE
      Transactions on Pattern Analysis and Machine Intelligence 18(6), 607-616. doi:10.1109/34.506411
    """

    card = Card(
        "adaptive neighbours",
        "the nearest rows vote, in a metric of each query's own",
        also=("adaptive neighbors", "dann"),
        scale=True,
        learns=("the classes of the nearest training rows", "none: rows are stored", "none", "stored"),
    )
    accepts = {
        "n_neighbors": Count(1),
        "n_local": Count(2) | None,
        "epsilon": Range(0),
        "n_iter": Count(0),
    }
    keeps_row_names = True
    stored = {
        "codes_": CodeArray("n", below="K"),
        "rows_": FloatArray("n", "p", finite=True),
        "scale_": FloatArray("p", finite=True),
    }

    def __init__(
        self, n_neighbors: int = 5, *, n_local: int | None = None, epsilon: float = 1.0, n_iter: int = 1
    ):
        self.n_neighbors = n_neighbors
        self.n_local = n_local
        self.epsilon = epsilon
        self.n_iter = n_iter

    @all_or_nothing
    def fit(self, X: TableLike, y: Target) -> Self:  # type: ignore[override]
        """Remember the rows of X and their classes y."""
        return super().fit(X, y)

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        refuse_extremes(X, type(self).__name__, self._names)
        self.scale_ = np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)
        if self.n_iter == 0:
            self.scale_ = np.ones_like(self.scale_)  # plain neighbours, as they are
        self.rows_, self.codes_ = X / self.scale_, y

    def local_metric(self, X: TableLike) -> np.ndarray:
        """(q, d, d) the matrix (1) around each row, for the columns as they are."""
        values = self._admit(X)
        metrics = [self._adapt(q)[0] for q in values / self.scale_]
        return np.array(metrics) / np.outer(self.scale_, self.scale_)

    def _near(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The distances of the rows that vote, and their numbers."""
        k = min(self.n_neighbors, len(self.codes_))
        Q = np.ascontiguousarray(X, dtype=np.float64) / self.scale_
        if self.n_iter == 0:
            return kept_searcher(self, self.rows_, metric_of("euclidean")).nearest(Q, k)
        distances, rows = np.empty((len(Q), k)), np.empty((len(Q), k), np.int64)

        def some(start: int) -> None:
            for i in range(start, min(start + TOGETHER, len(Q))):
                squares = self._adapt(Q[i])[1]
                near = np.argpartition(squares, k - 1)[:k] if k < len(squares) else np.arange(k)
                near = np.flatnonzero(squares <= squares[near].max())  # all that tie for the last place
                near = near[np.argsort(squares[near], kind="stable")][:k]
                rows[i], distances[i] = near, np.sqrt(squares[near])

        in_threads(some, range(0, len(Q), TOGETHER))
        return distances, rows

    def _adapt(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (1) around a query, and the distances D of all rows in it."""
        rows, d = self.rows_, len(q)
        m = min(self.n_local or max(50, len(rows) // 5), len(rows))
        apart = rows - q
        sigma, squares = np.eye(d), np.einsum("ij,ij->i", apart, apart)
        for _ in range(self.n_iter):
            around = np.argsort(squares, kind="stable")[:m]
            sigma = _stretch(rows[around], self.codes_[around], self.epsilon)
            squares = np.maximum(np.einsum("ij,ij->i", apart @ sigma, apart), 0.0)  # (1)
        return sigma, squares

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        _, rows = self._near(X)
        return vote_counts(self.codes_[rows], len(self.classes_)) / rows.shape[1]

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        distances, near = self._near(X)

        def sections(i: int) -> list[Section]:
            labels = self.classes_[self.codes_[near[i]]]
            lines = [
                [self._cases.label(int(t)), str(c), float(d)]
                for t, c, d in zip(near[i], labels, distances[i])
            ]
            weights = np.diag(self._adapt(X[i] / self.scale_)[0] / np.outer(self.scale_, self.scale_))
            columns = [[name, float(v)] for name, v in zip(self._names, weights)]
            heads = [f"training {self._cases.head}", "class", "distance"]
            return [
                Section("The neighbours that voted", heads, lines),
                *beside(self, rows[i], self.rows_[near[i]] * self.scale_, near[i].tolist()),
                Section("What a step along each column counts here", ["column", "weight"], columns),
            ]

        return Reasons(sections)


def _stretch(X: np.ndarray, y: np.ndarray, epsilon: float) -> np.ndarray:
    """The matrix (1) of rows around a query."""
    classes, codes = np.unique(y, return_inverse=True)
    means = np.array([X[codes == k].mean(axis=0) for k in range(len(classes))])
    within = X - means[codes]
    W = within.T @ within / len(X)
    B = means[codes] - X.mean(axis=0)
    B = B.T @ B / len(X)
    values, vectors = np.linalg.eigh(W)
    flat = values <= 1e-10 * max(values[-1], 1e-300)
    root = (vectors / np.sqrt(np.where(flat, 1.0, values))) @ vectors.T  # W^{-1/2}
    return root @ (root @ B @ root + epsilon * np.eye(len(W))) @ root  # (1)
