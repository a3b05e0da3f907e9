"""What all selections of prototypes share: rows are kept, and the nearest of them answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from assay.core import Classifier
from assay.core.cases import beside
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Accepted, Count, Instance, Range
from assay.core.stored import CodeArray, Scalar, TableRows
from assay.distances.metric import metric_of
from assay.distances.search import Searcher, searcher
from assay.errors import DataError
from assay.neighbors.neighbor_learner import METRIC, NeighborLearner
from assay.tables.rows import take_rows
from assay.types import MetricLike, TableLike, Target

__all__ = ["COMPARING", "PROTOTYPES", "PrototypeClassifier", "inconsistent_rows"]

COMPARING: Mapping[str, Accepted | None] = {
    "metric": METRIC,
    "p": Range(0, open="low") | None,
    "metric_params": Instance(dict, words="a dict") | None,
}
PROTOTYPES: Mapping[str, Accepted | None] = {"n_neighbors": Count(1), **COMPARING}


class PrototypeClassifier(NeighborLearner, Classifier):
    """A nearest-neighbour classifier that keeps only some of its rows.

    A selection writes ``_select(search, y)``, given the rows and the metric; the rest follows: ``sample_indices_``,
    the rows kept in the order in which they were chosen (a row may stand there several times), ``fit_resample``, and
    the answers, which are the shares of the classes among the ``n_neighbors`` nearest rows that were kept (all of
    them if they are fewer; among equal distances the one that was chosen first).
    """

    accepts: ClassVar[Mapping[str, Accepted | None]] = PROTOTYPES
    stored = {
        "_fit_X": TableRows("m", "p"),
        "codes_": CodeArray("m", below="K"),
        "sample_indices_": CodeArray("m", below="n"),
        "share_kept_": Scalar(),
    }
    algorithm, leaf_size = "auto", 30
    n_neighbors: int
    sample_indices_: np.ndarray

    @all_or_nothing
    def fit(self, X: TableLike, y: Target) -> Self:  # type: ignore[override]
        """Choose among the rows of X with classes y those that are kept."""
        return super().fit(X, y)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if isinstance(self.metric, str) and self.metric == "precomputed":
            raise DataError(
                f"{type(self).__name__}: rows are kept to be compared with new ones, which a table of distances "
                "does not allow. Give the rows and a metric."
            )
        self._store(X, y)
        self.sample_indices_ = np.asarray(self._select(self._search, y), np.int64)
        self._fit_X = self._fit_X[self.sample_indices_]
        self.codes_ = y[self.sample_indices_]
        self.share_kept_ = len(np.unique(self.sample_indices_)) / len(y)

    def fit_resample(self, X: TableLike, y: Target) -> tuple[Any, Any]:
        """The rows of X that are kept and their classes, of the kind that was given."""
        self.fit(X, y)
        return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)

    @property
    def prototypes_(self) -> Any:
        """(m, d) the rows that are kept, as the metric sees them."""
        self._ready()
        return self._fit_X

    def _near(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        return self._search.nearest(X, min(self.n_neighbors, self._fit_X.shape[0]))

    def _posterior(self, X: Any) -> np.ndarray:
        _, rows = self._near(X)
        return vote_counts(self.codes_[rows], len(self.classes_)) / rows.shape[1]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        distances, near = self._near(X)

        def sections(i: int) -> list[Section]:
            places = self.sample_indices_[near[i]]
            lines = [
                [self._cases.label(int(t)), str(self.classes_[c]), float(d)]
                for t, c, d in zip(places, self.codes_[near[i]], distances[i])
            ]
            heads = [f"training {self._cases.head}", "class", "distance"]
            nearest = Section("The nearest prototypes", heads, lines)
            return [nearest, *beside(self, rows[i], self._fit_X[near[i]], places.tolist())]

        return Reasons(sections)

    def _select(self, search: Searcher, y: np.ndarray) -> Any:
        """The numbers of the rows that are kept."""
        raise TypeError(f"{type(self).__name__} must define _select")


def vote_counts(codes: np.ndarray, K: int) -> np.ndarray:
    """(q, K) how often each class stands in each row of codes; -1 is no class.

    >>> import numpy as np
    >>> from assay.neighbors.prototypes import vote_counts
    >>> vote_counts(np.array([[0, 2, 2], [1, -1, -1]]), 3)
    array([[1, 0, 2],
           [0, 1, 0]])
    """
    q = len(codes)
    if codes.size and int(codes.max()) >= K:
        raise ValueError(f"A row votes for class number {int(codes.max())}, there are {K} classes.")
    place = np.arange(q)[:, None] * (K + 1) + np.where(codes < 0, K, codes)
    return np.bincount(place.ravel(), minlength=q * (K + 1)).reshape(q, K + 1)[:, :K]


def inconsistent_rows(
    X: TableLike, y: Target, kept: Any, *, n_neighbors: int = 1, metric: MetricLike = "euclidean"
) -> np.ndarray:
    """The rows that their nearest neighbours among the kept ones would put into another class.

    A selection is consistent if there are none: the nearest neighbour then makes no error on the training rows.

    Parameters
    ----------
    X : (n, d) numbers
    y : (n,) labels
    kept : row numbers, in the order of preference among equal distances
    n_neighbors : int
    metric : as in :func:`assay.distances.metric_of`

    Examples
    --------
    >>> from assay.neighbors.prototypes import inconsistent_rows
    >>> inconsistent_rows([[0.0], [1.0], [6.0], [7.0]], list("aabb"), [0, 3])
    array([], dtype=int64)
    """
    rows = np.asarray(X, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    kept = np.asarray(kept, np.int64)
    few = searcher(rows[kept], metric_of(metric).learn(rows, codes))
    _, near = few.nearest(rows, min(n_neighbors, len(kept)))
    votes = vote_counts(codes[kept][near], len(classes))
    return np.flatnonzero(votes.argmax(axis=1) != codes)
