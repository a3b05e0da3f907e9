"""k nearest neighbours whose k and width are chosen by leaving each row out once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_, Count, Range
from assay.core.stored import FloatArray, Integer, Plain, Scalar
from assay.errors import DataError
from assay.neighbors.neighbor_classifier import NeighborClassifier
from assay.neighbors.neighbor_learner import KNeighbors
from assay.neighbors.weights import Neighborhoods, weigh
from assay.types import MetricLike, RandomState

__all__ = ["KNeighborsClassifierCV"]


def _several(element: Any, words: str) -> Any_:
    """A list of at least one of these."""

    def test(value: Any) -> bool:
        return isinstance(value, (Sequence, np.ndarray)) and len(value) > 0 and all(map(element.holds, value))

    return Any_(words, test)


class KNeighborsClassifierCV(KNeighbors, NeighborClassifier):
    r"""Neighbours that vote, as many and as widely weighted as answers best for rows that are left out.

    Each training row is answered by its neighbours without itself, for every k and every bandwidth t offered:

    .. math:: A(k, t) = \frac1n \sum_i [\hat y_{-i}(x_i; k, t) = y_i] \quad (1)

    One search for the largest k serves all of them, so choosing costs little more than one ``predict`` of the training
    rows. Among equally good choices the first k offered wins, and for it the first bandwidth. A metric that learns
    does so once, from all rows.

    Cost: fit the neighbours of all n rows, at most O(n^2 d), once for all k; predict O(n d) a row, in few columns with
    a tree about O(d log n); memory O(n d), the rows are kept.

    Parameters
    ----------
    n_neighbors : sequence of int, default (1, 3, 5, ..., 19)
        The k offered; those not below the number of rows are left out.
    bandwidths : sequence of float, default None
        The bandwidths offered, for weights that have one; None offers the distance of the k-th neighbour.
    weights : as in `KNeighborsClassifier`, default "uniform"
    algorithm : "auto", "brute", "kd_tree" or "ball_tree", default "auto"
        How neighbours are looked for: it steers the time, not the answer.
    leaf_size : int, default 30
        Rows in a leaf of a tree.
    p : float, default 2
        The exponent of "minkowski".
    metric : str, callable or Metric, default "minkowski"
        How far rows are apart; see `KNeighborsClassifier`.
    metric_params : dict, default None
        More arguments of the metric.
    n_jobs : int, default None
        Accepted; the answer does not depend on it.
    tie : "first", "nearest", "weight" or "random", default "first"
        Which of the classes with equally many votes is answered.
    random_state : seed, default None
        For ``tie="random"``.

    Attributes
    ----------
    n_neighbors_ : int, the k chosen     bandwidth_ : float or None, the bandwidth chosen
    scores_ : (ks, bandwidths) the accuracies (1)
    offered_ : list of the k that scores_ has
    classes_, distance_, effective_metric_, effective_metric_params_, n_samples_fit_, outputs_2d_ : as in
        `KNeighborsClassifier`

    Examples
    --------
    The middle row is noise, so its neighbours had better be outvoted:

    >>> from assay.neighbors import KNeighborsClassifierCV
    >>> X, y = [[0.0], [1.0], [2.1], [3.3], [4.6], [9.0], [9.5], [9.9]], list("aabaabbb")
    >>> model = KNeighborsClassifierCV(n_neighbors=[1, 3, 5]).fit(X, y)
    >>> model.n_neighbors_, model.scores_.ravel()
    (3, array([0.75 , 0.875, 0.875]))

    See Also
    --------
    KNeighborsClassifier, ParzenClassifier, AdaptiveNeighborsClassifier

    References
    ----------
    - Cover, T. M. and Hart, P. E. (1967). Nearest neighbor pattern classification. IEEE Transactions on
      Information Theory 13(1), 21-27. doi:10.1109/TIT.1967.1053964
    - Devroye, L., Györfi, L. and Lugosi, G. (1996). A Probabilistic Theory of Pattern Recognition. Springer.
    """

    card = Card(
        "knn cv",
        "the nearest rows vote, how many by leaving rows out",
        scale=True,
        learns=(
            "the classes of the nearest training rows",
            "error on held-out rows",
            "all numbers of neighbours",
            "global",
        ),
    )
    accepts = {
        **KNeighbors.accepts,
        **{name: held for name, held in NeighborClassifier.voting.items() if name != "bandwidth"},
        "n_neighbors": _several(Count(1), "a list of whole numbers from 1 up"),
        "bandwidths": _several(Range(0, open="low"), "a list of numbers above 0") | None,
    }
    stored = {
        "bandwidth_": Scalar() | None,
        "n_neighbors_": Integer(low=1),
        "offered_": Plain(list),
        "scores_": FloatArray("*", "*"),
    }

    def __init__(
        self,
        n_neighbors: Sequence[int] = tuple(range(1, 20, 2)),
        *,
        bandwidths: Sequence[float] | None = None,
        weights: str | Callable[..., Any] | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: MetricLike = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        tie: str = "first",
        random_state: RandomState = None,
    ):
        self.n_neighbors = n_neighbors
        self.bandwidths = bandwidths
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.tie = tie
        self.random_state = random_state

    @property
    def bandwidth(self) -> float | None:  # type: ignore[override]
        """The bandwidth that was chosen."""
        return vars(self).get("bandwidth_")

    @property
    def _k(self) -> int:
        return self.n_neighbors_

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        super()._learn(X, y, w)
        n = X.shape[0]
        self.offered_ = [int(k) for k in self.n_neighbors if k < n]
        if not self.offered_:
            raise DataError(
                f"{type(self).__name__}: to leave one row out needs at least one more; got n_samples = {n} and no "
                "n_neighbors below it. Offer fewer neighbours."
            )
        widths = [None] if self.bandwidths is None else list(self.bandwidths)
        distances, rows = self._nearest(None, max(self.offered_))
        self.scores_ = np.array(
            [[self._left_out(distances[:, :k], rows[:, :k], t) for t in widths] for k in self.offered_]
        )
        i, j = np.unravel_index(np.argmax(self.scores_), self.scores_.shape)
        self.n_neighbors_ = self.offered_[i]
        self.bandwidth_ = None if self.bandwidths is None else float(self.bandwidths[j])

    def _left_out(self, distances: np.ndarray, rows: np.ndarray, t: float | None) -> float:
        """The share of the training rows that their neighbours answer rightly."""
        n, k = rows.shape
        near = Neighborhoods(np.arange(0, n * k + 1, k), rows.ravel(), distances.ravel(), distances[:, -1], k)
        votes = self._sums(near, weigh(near, self.weights, t, type(self).__name__))
        right = [self._winners(near, votes[o], o) == codes for o, (_, codes) in enumerate(self._targets)]
        return float(np.all(right, axis=0).mean())  # (1)
