"""Condensed nearest neighbour: store a row only if the rows stored so far get it wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Flag, Seed
from assay.core.progress import track
from assay.core.seeds import random_state_of
from assay.core.stored import Integer
from assay.distances.search import Searcher
from assay.errors import ParameterError
from assay.neighbors.prototypes import PROTOTYPES, PrototypeClassifier, vote_counts
from assay.types import MetricLike, RandomState

__all__ = ["CondensedNearestNeighbor"]


class CondensedNearestNeighbor(PrototypeClassifier):
    r"""Keep a subset of the rows that classifies all of them right, and answer by the nearest of these.

    Hart's procedure goes through the rows in some order, again and again; a row that its nearest stored rows put into
    another class is stored, until a pass stores nothing. The subset Z is then consistent:

    .. math:: E(X \mid Z) = 0 \quad (1)

    unless equal rows have different classes, which no subset can get right; each row is stored in one go only, so the
    procedure ends for those too (with several neighbours a stored row may be outvoted later). What is found depends on
    the order, and is not minimal (finding the smallest is NP-complete): several orders are tried and the smallest
    result is kept. With ``reduce`` rows that the others make superfluous are dropped again, in the order in which they
    were stored (the reduced nearest neighbour rule). With more than one neighbour a row is stored as often as it takes
    to outvote the others. Use it when answers of the nearest neighbour are too slow or too large to keep; noisy classes
    are better edited first (:class:`EditedNearestNeighbors`).

    Cost: fit O(m n d) for m stored rows; predict O(m d) a row; memory O(n d) to fit, O(m d) kept.

    Parameters
    ----------
    n_neighbors : int, default 1
    n_orders : int, default 1
        How many random orders are tried.
    order : "random", "given" or (n,) row numbers, default "random"
        "given" is the order of the table.
    reduce : bool, default False
    metric : str or function, default "auto"
        Any name that :func:`assay.distances.metric_of` knows; "auto" compares mixed tables as they are.
    p : float, default 2
    metric_params : dict, default None
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    sample_indices_ : (m,) the rows stored, in that order
    share_kept_ : float      n_passes_ : int, of the order that was kept

    Examples
    --------
    >>> from assay.neighbors import CondensedNearestNeighbor
    >>> X = [[0.0], [1.0], [2.0], [2.9], [4.0], [6.0], [7.1], [8.0], [9.0], [10.0]]
    >>> model = CondensedNearestNeighbor(order="given").fit(X, list("aaaaabbbbb"))
    >>> model.prototypes_.ravel(), model.n_passes_
    (array([0., 6., 4.]), 3)

    See Also
    --------
    EditedNearestNeighbors, PrototypeSearch, KNeighborsClassifier

    References
    ----------
    - Hart, P. E. (1968). The condensed nearest neighbor rule. IEEE Transactions on Information Theory 14(3),
      515-516.
    - Gates, G. W. (1972). The reduced nearest neighbor rule. IEEE Transactions on Information Theory 18(3),
      431-433.
    """

    card = Card(
        "condensed neighbour",
        "nearest neighbour with the few rows that classify all",
        also=("condensed neighbor", "cnn"),
        scale=True,
        settings={"random_state": 0},
        learns=(
            "the class of the nearest stored row",
            "errors of the training rows + stored rows",
            "rows stored one after the other",
            "greedy",
        ),
    )
    accepts = {
        **PROTOTYPES,
        "n_orders": Count(1),
        "order": Choice("random", "given")
        | Any_("the row numbers in some order", lambda v: np.ndim(v) == 1 and not isinstance(v, str)),
        "reduce": Flag(),
        "random_state": Seed(),
    }
    stored = {"n_passes_": Integer()}

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        n_orders: int = 1,
        order: ArrayLike | str = "random",
        reduce: bool = False,
        metric: MetricLike = "auto",
        p: float = 2,
        metric_params: Mapping[str, Any] | None = None,
        random_state: RandomState = None,
    ):
        self.n_neighbors = n_neighbors
        self.n_orders = n_orders
        self.order = order
        self.reduce = reduce
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = (
            True  # where equal rows have different classes the first stored one answers
        )
        return tags

    def _select(self, search: Searcher, y: np.ndarray) -> list[int]:
        best: tuple[list[int], int] | None = None
        for order in track(self._orders(len(y)), "condensing"):
            stored, passes = condense(search, y, order, self.n_neighbors)
            if self.reduce:
                stored = reduce(search, y, stored, self.n_neighbors)
            if best is None or len(stored) < len(best[0]):
                best = stored, passes
        assert best is not None
        self.n_passes_ = best[1]
        return best[0]

    def _orders(self, n: int) -> list[np.ndarray]:
        if isinstance(self.order, str):
            draw = random_state_of(self.random_state)
            return (
                [np.arange(n)]
                if self.order == "given"
                else [draw.permutation(n) for _ in range(self.n_orders)]
            )
        order = np.asarray(self.order)
        if order.shape != (n,) or not np.array_equal(np.sort(order), np.arange(n)):
            raise ParameterError(
                f"{type(self).__name__}: order must hold each row number from 0 to {n - 1} once, got {self.order!r}."
            )
        return [order]


class Nearest:
    """The classes of the k nearest stored rows of every row, kept up to date while rows are stored."""

    def __init__(self, search: Searcher, y: np.ndarray, k: int):
        self.rows, self.metric, self.y, self.k, self.K = search.X, search.metric, y, k, int(y.max()) + 1
        self.distance = np.full((len(y), k), np.inf)
        self.codes = np.full((len(y), k), -1)
        self.votes = np.full(len(y), -1)  # the class that the stored rows vote for

    def store(self, i: int) -> None:
        apart = self.metric.between(self.rows, self.rows[i : i + 1])[:, 0]
        closer = apart < self.distance[:, -1]  # among equals the one stored first is the nearer
        if self.k == 1:
            self.distance[closer, 0], self.codes[closer, 0] = apart[closer], self.y[i]
            self.votes[closer] = self.y[i]
            return
        distance = np.column_stack([self.distance[closer], apart[closer]])
        codes = np.column_stack([self.codes[closer], np.full(len(distance), self.y[i])])
        order = np.argsort(distance, axis=1, kind="stable")[:, : self.k]
        self.distance[closer] = np.take_along_axis(distance, order, axis=1)
        self.codes[closer] = codes = np.take_along_axis(codes, order, axis=1)
        self.votes[closer] = vote_counts(codes, self.K).argmax(axis=1)


def condense(search: Searcher, y: np.ndarray, order: np.ndarray, k: int = 1) -> tuple[list[int], int]:
    """The rows that Hart's procedure stores, in the order of their storing, and how many passes it took."""
    nearest, stored, passes = Nearest(search, y, k), [], 0
    inside = np.zeros(len(y), bool)
    while True:
        passes += 1
        at, before = 0, len(stored)
        while at < len(order):  # the next row of the pass that is wrong now
            ahead = order[at:]
            wrong = np.flatnonzero((nearest.votes[ahead] != y[ahead]) & ~inside[ahead])
            if not len(wrong):
                break
            at += int(wrong[0]) + 1
            i = int(ahead[wrong[0]])
            inside[i] = True
            for _ in range(k):  # as often as it takes to outvote the others
                stored.append(i)
                nearest.store(i)
                if nearest.votes[i] == y[i]:
                    break
        if len(stored) == before:
            return stored, passes


def reduce(search: Searcher, y: np.ndarray, stored: list[int], k: int = 1) -> list[int]:
    """Drop, one after the other, the stored rows without which no more rows are wrong."""
    rows, K, codes = search.X, int(y.max()) + 1, y[np.asarray(stored)]

    def nearest(some: np.ndarray, places: np.ndarray) -> np.ndarray:
        """The places in ``stored`` of the k nearest of these rows; -1 where there are fewer."""
        apart = search.metric.between(rows[some], rows[np.asarray(stored)[places]])
        order = places[np.argsort(apart, axis=1, kind="stable")[:, :k]]
        return (
            np.column_stack([order, np.full((len(some), k - order.shape[1]), -1)])
            if len(places) < k
            else order
        )

    def wrong(near: np.ndarray, some: np.ndarray) -> np.ndarray:
        return vote_counts(np.where(near < 0, -1, codes[near]), K).argmax(axis=1) != y[some]

    kept = np.arange(len(stored))
    near = np.concatenate(
        [nearest(part, kept) for part in np.array_split(np.arange(len(y)), 1 + len(y) // 1024)]
    )
    bad = wrong(near, np.arange(len(y)))
    allowed = int(bad.sum())
    for place in range(len(stored)):
        others = kept[kept != place]
        touched = np.flatnonzero((near == place).any(axis=1))
        if not len(others):
            break
        other = nearest(touched, others)
        now = wrong(other, touched)
        if int(bad.sum()) - int(bad[touched].sum()) + int(now.sum()) <= allowed:
            kept, near[touched], bad[touched] = others, other, now
    return [stored[place] for place in kept]
