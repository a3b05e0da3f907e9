"""Nearest cluster: a class is several centres, and a row belongs to the class of the nearest one."""

from __future__ import annotations

from typing import Self

import numpy as np

from assay.core import Card, Classifier
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Choice, Count, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray, Each, FloatArray, IntArray
from assay.distances.extremes import refuse_extremes
from assay.distances.mahalanobis import inverse_of, mean_of, root_of
from assay.distances.metric import metric_of
from assay.types import RandomState, TableLike, Target

__all__ = ["NearestClusterClassifier"]


class NearestClusterClassifier(Classifier):
    r"""Give each class a few centres and classify by the nearest of all.

    .. math:: \text{choose } k \text{ with } \min_l D(x, m_{kl}) = \min_j \min_l D(x, m_{jl}) \quad (1)

    The centres of a class are found by k-means among its rows, from several starts, of which the one with
    the least sum of squares is kept. It stands between the nearest mean (one centre a class) and the nearest neighbour
    (every row a centre): use it when a class falls into groups. With Mahalanobis' distance every centre has the
    covariance of its own rows (divisor their number), shrunk halfway to that of the class when they are few, so that a
    wide group reaches further than a narrow one.

    Probabilities are one for the nearest centre's class: a distance is not a probability.

    Cost: fit O(c n d) a step of k-means with c centres; predict O(c d) a row; memory O(n d) to fit, O(c d) kept.

    Parameters
    ----------
    n_clusters : int, default 3
        Centres of each class; a class with fewer distinct rows gets as many as it has.
    metric : "euclidean" or "mahalanobis", default "euclidean"
    n_init : int, default 5
        Starts of k-means.
    max_iter : int, default 100
        Steps of k-means at the most.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    centers_ : (m, d) the centres of all classes
    codes_ : (m,) the place in ``classes_`` of the class of each
    sizes_ : (m,) rows of each
    maps_ : list of (r, d), the maps after which Mahalanobis' distance is Euclid's ("mahalanobis")

    Examples
    --------
    Class a lies on both sides of class b, so its mean is in the wrong place:

    >>> from assay.neighbors import NearestClusterClassifier
    >>> X, y = [[0.0], [1.0], [10.0], [11.0], [5.0], [6.0]], list("aaaabb")
    >>> NearestClusterClassifier(n_clusters=2, random_state=0).fit(X, y).predict([[0.2], [5.2], [10.2]])
    array(['a', 'b', 'a'], dtype='<U1')

    See Also
    --------
    NearestCentroid, KNeighborsClassifier, PrototypeSearch

    References
    ----------
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    - Arthur, D. and Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. ACM-SIAM Symposium on
      Discrete Algorithms, 1027-1035.
    """

    card = Card(
        "nearest cluster",
        "several centres for each class, the closest decides",
        scale=True,
        settings={"random_state": 0},
        learns=("some centres of each class", "squared distance to the nearest centre", "k-means", "local"),
    )
    accepts = {
        "n_clusters": Count(1),
        "metric": Choice("euclidean", "mahalanobis"),
        "n_init": Count(1),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "centers_": FloatArray("m", "p"),
        "codes_": CodeArray("m", below="K"),
        "maps_": Each(FloatArray("*", "p"), "m"),
        "sizes_": IntArray("m", low=0),
    }

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        metric: str = "euclidean",
        n_init: int = 5,
        max_iter: int = 100,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: TableLike, y: Target) -> Self:  # type: ignore[override]
        """Find the centres of each class among the rows of X."""
        return super().fit(X, y)

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        refuse_extremes(X, type(self).__name__, self._names)
        draw = random_state_of(self.random_state)
        seed = int(draw.randint(2**31 - 1))
        centers, codes, sizes, maps, steps = [], [], [], [], [1]
        for k in range(len(self.classes_)):
            mine = X[y == k]
            mine = mine[np.lexsort(mine.T[::-1])]  # what is drawn follows the rows, not their order
            class_centers, label, taken = best_of_starts(
                mine, self.n_clusters, self.n_init, self.max_iter, np.random.RandomState(seed)
            )
            steps.append(taken)
            for c, center in enumerate(class_centers):
                rows = mine[label == c]
                centers.append(center)
                codes.append(k)
                sizes.append(len(rows))
                if self.metric == "mahalanobis":
                    maps.append(_map(rows - center, mine - mean_of(mine)))
        self.centers_, self.codes_, self.sizes_ = np.array(centers), np.array(codes), np.array(sizes)
        self.n_iter_ = max(steps)
        if self.metric == "mahalanobis":
            self.maps_ = maps

    def distances(self, X: TableLike) -> np.ndarray:
        """(n, m) the distance of each row to each centre."""
        return self._apart(self._admit(X))

    def _apart(self, X: np.ndarray) -> np.ndarray:
        if self.metric == "euclidean":
            return metric_of("euclidean").between(X, self.centers_)
        both = zip(self.centers_, self.maps_)
        return np.stack([np.sqrt(np.sum(((X - m) @ L.T) ** 2, axis=1)) for m, L in both], axis=1)

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        nearest = self.codes_[np.argmin(self._apart(X), axis=1)]  # (1)
        return np.eye(len(self.classes_))[nearest]

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        apart = self._apart(X)

        def sections(i: int) -> list[Section]:
            lines = [
                [str(self.classes_[self.codes_[c]]), int(c), int(self.sizes_[c]), float(apart[i, c])]
                for c in np.argsort(apart[i], kind="stable")
            ]
            return [Section("The nearest centres", ["class", "centre", "rows", "distance"], lines)]

        return Reasons(sections)


def best_of_starts(
    X: np.ndarray, k: int, starts: int, max_iter: int, draw: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, int]:
    """k-means from several starts: the centres, the centre of each row, and the steps of the best one."""
    k = min(k, len(np.unique(X, axis=0)))
    best: tuple[float, np.ndarray, np.ndarray, int] | None = None
    for _ in range(starts if k > 1 else 1):
        centers = _spread_start(X, k, draw)
        label = np.full(len(X), -1)
        step = 0
        while step < max_iter:
            step += 1
            apart = metric_of("euclidean").between(X, centers)
            before, label = label, np.argmin(apart, axis=1)
            for c in np.setdiff1d(np.arange(k), label):  # a centre without rows takes the farthest one
                label[np.argmax(apart[np.arange(len(X)), label])] = c
            if (label == before).all():
                break
            centers = np.array([mean_of(X[label == c]) for c in range(k)])
        loss = float(np.sum((X - centers[label]) ** 2))
        if best is None or loss < best[0]:
            best = loss, centers, label, step
    assert best is not None
    return best[1:]


def _spread_start(X: np.ndarray, k: int, draw: np.random.RandomState) -> np.ndarray:
    """k rows drawn far from each other: each with a probability in proportion to its squared distance to the others."""
    chosen = [int(draw.randint(len(X)))]
    squares = np.sum((X - X[chosen[0]]) ** 2, axis=1)
    while len(chosen) < k:
        chosen.append(int(draw.choice(len(X), p=squares / squares.sum())))
        squares = np.minimum(squares, np.sum((X - X[chosen[-1]]) ** 2, axis=1))
    return X[chosen]


def _map(centred: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """(r, d) the map of Mahalanobis' distance about a centre."""
    S = centred.T @ centred / len(centred)
    if len(centred) <= 2 * centred.shape[1]:
        S = (S + whole.T @ whole / len(whole)) / 2
    return root_of(inverse_of(S), "NearestClusterClassifier")
