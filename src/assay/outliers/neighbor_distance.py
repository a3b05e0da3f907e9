"""Outlier detection by the distance to the nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Choice, Count
from assay.core.stored import FloatArray, Integer
from assay.errors import DataError
from assay.neighbors.neighbor_learner import NeighborLearner
from assay.neighbors.prototypes import COMPARING
from assay.outliers.detector import CONTAMINATION, Detector, quantile
from assay.types import MetricLike

__all__ = ["NeighborDistanceOutliers"]


class NeighborDistanceOutliers(NeighborLearner, Detector):
    r"""Score a row by the distance to its k nearest training rows.

    .. math:: s(x) = -d_k(x) \quad\text{or}\quad s(x) = -\tfrac1k \sum_{j \le k} d_j(x) \quad (1)

    with :math:`d_j` the distance to the j-th nearest. A row that equals a training row is taken for that row and is not
    its own neighbour; so training rows get the same score when they are predicted again. The first is the k-nn
    density in another order: the larger the ball that holds k rows, the thinner they are. Simple and hard to deceive,
    but one scale serves all groups; :class:`LocalOutlierFactor` compares each with its own surroundings.

    Cost: fit the k nearest neighbours of all rows, at most O(n^2 d); predict O(n d) a row at most; memory O(n d), the
    rows are kept.

    Parameters
    ----------
    n_neighbors : int, default 5
        k; more than n - 1 are taken as n - 1.
    method : "largest" or "mean", default "largest"
        Which of the two of (1).
    metric : str or function, default "auto"
        Any name that :func:`assay.distances.metric_of` knows; "auto" compares mixed tables as they are.
    p : float, default 2
    metric_params : dict, default None
    contamination : "auto" or a share up to 0.5, default "auto"
        "auto" takes as outliers what is farther away than the third quartile of the training rows' distances and three
        times the spread of their middle half (Tukey's far out).

    Attributes
    ----------
    training_scores_ : (n,) the scores of the training rows, each without itself
    n_neighbors_ : int      offset_ : float

    Examples
    --------
    >>> from assay.outliers import NeighborDistanceOutliers
    >>> model = NeighborDistanceOutliers(2).fit([[0.0], [1.0], [2.0], [3.0], [4.0], [10.0]])
    >>> -model.training_scores_, model.predict([[2.5], [20.0]])
    (array([2., 1., 1., 1., 2., 7.]), array([ 1, -1]))

    See Also
    --------
    LocalOutlierFactor, DensityOutliers

    References
    ----------
    - Ramaswamy, S., Rastogi, R. and Shim, K. (2000). Efficient algorithms for mining outliers from large data sets.
      ACM SIGMOD Conference, 427-438. doi:10.1145/342009.335437
    """

    card = Card(
        "neighbour distance",
        "rows far from their nearest training rows",
        also=("neighbor distance",),
        scale=True,
    )
    accepts = {
        "n_neighbors": Count(1),
        "method": Choice("largest", "mean"),
        **COMPARING,
        "contamination": CONTAMINATION,
    }
    stored = {
        "n_neighbors_": Integer(low=1),
        "training_scores_": FloatArray("n"),
    }

    algorithm, leaf_size = "auto", 30

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        method: str = "largest",
        metric: MetricLike = "auto",
        p: float = 2,
        metric_params: Mapping[str, Any] | None = None,
        contamination: float | str = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.method = method
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.contamination = contamination

    def _learn(self, X: Any) -> np.ndarray:
        n = X.shape[0]
        if n < 2:
            raise DataError(
                f"{type(self).__name__}: a row is compared with others, and there are none: n_samples = 1."
            )
        self.n_neighbors_ = min(self.n_neighbors, n - 1)
        self._store(X)
        self.training_scores_ = self._score(X)
        return self.training_scores_

    def _auto_offset(self) -> float:
        low, high = quantile(self.training_scores_, 0.25), quantile(self.training_scores_, 0.75)
        return low - 3 * (high - low)

    def _score(self, X: Any) -> np.ndarray:
        distances, _ = self._near(X)
        return -(distances[:, -1] if self.method == "largest" else distances.mean(axis=1))  # (1)

    def _near(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The distances of the nearest training rows and their numbers, without the row itself."""
        distances, rows = self._search.nearest(X, self.n_neighbors_ + 1)
        itself = distances[:, :1] == 0
        return np.where(itself, distances[:, 1:], distances[:, :-1]), np.where(
            itself, rows[:, 1:], rows[:, :-1]
        )

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        distances, near = self._near(X)

        def sections(i: int) -> list[Section]:
            lines = [[self._cases.label(int(t)), float(d)] for t, d in zip(near[i], distances[i])]
            nearest = Section(
                "The nearest training rows", [f"training {self._cases.head}", "distance"], lines
            )
            return [nearest, *self._beside_stored(rows[i], near[i])]

        return Reasons(sections)
