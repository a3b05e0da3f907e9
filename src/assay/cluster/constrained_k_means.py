"""k-means under constraints: sizes of groups, rows that must or must not be together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from assay.cluster.center_clusterer import CenterClusterer
from assay.cluster.starts import STARTS, start_centers
from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.parameters import Any_, Array, Choice, Count, Function, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Integer
from assay.distances.lloyd import squared_distances
from assay.errors import DataError, DegenerateError, ParameterError
from assay.types import RandomState, TableLike, Target

__all__ = ["ConstrainedKMeans"]


class ConstrainedKMeans(CenterClusterer):
    r"""k-means whose groups keep to limits of size, or that keeps pairs of rows together or apart.

    The step that assigns rows is replaced: with limits of size by the cheapest assignment of all that keep to them (a
    transport problem, solved exactly), with pairs by giving each row, those with most to lose first, to the nearest
    centre that breaks no rule (COP-k-means). Rows that must be together move as one. A new row goes to its nearest
    centre.

    Cost: fit O(n k d) and a linear programme of n k unknowns an iteration; predict O(k d) a row; memory O(n k).

    Parameters
    ----------
    n_clusters : int, default 8
    min_size, max_size : int or None, default None
        Rows of a group.
    must_link, cannot_link : list of pairs of row numbers or None, default None
    init : as KMeans, default "k-means++"
    n_init : int, default 10
    max_iter : int, default 100
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,)      inertia_ : float      n_iter_ : int

    Examples
    --------
    >>> from assay.cluster import ConstrainedKMeans
    >>> X = [[1], [2], [3], [4], [10], [20]]
    >>> import numpy as np
    >>> np.bincount(ConstrainedKMeans(3, min_size=2, max_size=2, random_state=0).fit(X).labels_).tolist()
    [2, 2, 2]
    >>> labels = ConstrainedKMeans(2, must_link=[(0, 5)], cannot_link=[(0, 1)], random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[5]), bool(labels[0] != labels[1])
    (True, True)

    See Also
    --------
    KMeans, AgglomerativeClustering

    References
    ----------
    - Bradley, P. S., Bennett, K. P. and Demiriz, A. (2000). Constrained k-means clustering. Microsoft Research
      MSR-TR-2000-65.
    - Wagstaff, K., Cardie, C., Rogers, S. and Schrodl, S. (2001). Constrained k-means clustering with background
      knowledge. Proceedings of the 18th International Conference on Machine Learning, 577-584.
    """

    card = Card("constrained k-means", "k-means with limits of size and pairs of rows", scale=True)
    accepts = {
        "n_clusters": Count(1),
        "min_size": Count(0) | None,
        "max_size": Count(1) | None,
        "must_link": Any_("pairs of row numbers, or None"),
        "cannot_link": Any_("pairs of row numbers, or None"),
        "init": Choice(*STARTS) | Function() | Array(2),
        "n_init": Count(1),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    stored = {"n_iter_": Integer(low=0)}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        min_size: int | None = None,
        max_size: int | None = None,
        must_link: Sequence[tuple[int, int]] | None = None,
        cannot_link: Sequence[tuple[int, int]] | None = None,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.min_size = min_size
        self.max_size = max_size
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Find groups among the rows of X; y is ignored."""
        return super().fit(X)

    def fit_predict(self, X: TableLike, y: Target | None = None) -> np.ndarray:  # type: ignore[override]
        """(n,) the group of each row of X, after learning from these rows."""
        return self.fit(X).labels_

    def fit_transform(self, X: TableLike, y: Target | None = None) -> np.ndarray:  # type: ignore[override]
        """(n, c) the distances of the rows of X from the centres, after learning from these rows."""
        return self.fit(X).transform(X)

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        X = np.ascontiguousarray(dense_block(X), dtype=np.float64)
        n, who = len(X), type(self).__name__
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        sized = self.min_size is not None or self.max_size is not None
        least, most = self.min_size or 0, n if self.max_size is None else self.max_size
        if sized and not self.n_clusters * least <= n <= self.n_clusters * most:
            raise ParameterError(
                f"{self.n_clusters} groups of {least} to {most} rows cannot hold {n} rows. Change min_size or "
                "max_size.",
                who=who,
            )
        units, apart_pairs = self._units(n, who)
        if sized and apart_pairs:
            raise ParameterError("limits of size and cannot_link cannot be asked for together.", who=who)
        if sized and self.must_link:
            raise ParameterError("limits of size and must_link cannot be asked for together.", who=who)
        draw = random_state_of(self.random_state)
        array = not isinstance(self.init, str) and not callable(self.init)
        best: Any = None
        failed = ""
        for _ in range(1 if array or self.init == "component" else self.n_init):
            first = start_centers(self.init, X, None, self.n_clusters, draw, who)
            try:
                run = self._run(X, first, units, apart_pairs, (least, most) if sized else None)
            except DegenerateError as error:
                failed = str(error)
                continue
            if best is None or run[0] < best[0]:
                best = run
        if best is None:
            raise DegenerateError(failed)
        self.inertia_, self.cluster_centers_, self.labels_, self.n_iter_ = best

    def _units(self, n: int, who: str) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """(n,) rows that move as one, and pairs of them that must be apart."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        pairs = []
        for name in ("must_link", "cannot_link"):
            given_pairs = getattr(self, name)
            rows = np.asarray([] if given_pairs is None else list(given_pairs), dtype=np.int64).reshape(-1, 2)
            if len(rows) and (rows.min() < 0 or rows.max() >= n):
                raise ParameterError(f"{name} must be pairs of row numbers from 0 to {n - 1}.", who=who)
            pairs.append(rows)
        together, apart = pairs
        graph = coo_matrix((np.ones(len(together)), (together[:, 0], together[:, 1])), shape=(n, n))
        units = connected_components(graph, directed=False)[1]
        conflicts = [(int(units[a]), int(units[b])) for a, b in apart]
        if any(a == b for a, b in conflicts):
            raise ParameterError("must_link and cannot_link contradict each other.", who=who)
        return units, conflicts

    def _run(
        self,
        X: np.ndarray,
        centers: np.ndarray,
        units: np.ndarray,
        conflicts: list[tuple[int, int]],
        sizes: Any,
    ) -> tuple[float, np.ndarray, np.ndarray, int]:
        labels = np.full(len(X), -1)
        iteration = 0
        while iteration < self.max_iter:
            iteration += 1
            gaps = squared_distances(X, centers)
            nearest = _sized(gaps, *sizes) if sizes else self._linked(gaps, units, conflicts)
            if np.array_equal(nearest, labels):
                break
            labels = nearest
            counts = np.bincount(labels, minlength=len(centers))
            sums = np.array([np.bincount(labels, column, len(centers)) for column in X.T]).T
            centers = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centers)
        return float(np.sum((X - centers[labels]) ** 2)), centers, labels.astype(np.int32), iteration

    def _linked(self, gaps: np.ndarray, units: np.ndarray, conflicts: list[tuple[int, int]]) -> np.ndarray:
        many, k = int(units.max()) + 1, gaps.shape[1]
        cost = np.array([np.bincount(units, column, many) for column in gaps.T]).T
        if not conflicts:
            return np.argmin(cost, axis=1)[units]
        against: list[list[int]] = [[] for _ in range(many)]
        for a, b in conflicts:
            against[a].append(b)
            against[b].append(a)
        two = np.partition(cost, min(1, k - 1), axis=1)
        regret = two[:, min(1, k - 1)] - two[:, 0]
        order = np.lexsort(
            (-regret, np.array([-len(near) for near in against]))
        )  # those with most rules first
        labels = np.full(many, -1)
        for unit in order:
            barred = {int(labels[other]) for other in against[unit]}
            free = [c for c in range(k) if c not in barred]
            if not free:
                raise DegenerateError(
                    f"{type(self).__name__}: no group is left for some row that cannot_link keeps from all. Raise "
                    "n_clusters or n_init."
                )
            labels[unit] = min(free, key=lambda c: cost[unit, c])
        return labels[units]


def _sized(gaps: np.ndarray, least: int, most: int) -> np.ndarray:
    """(n,) the cheapest labels with groups of ``least`` to ``most`` rows."""
    from scipy.optimize import linprog
    from scipy.sparse import identity, kron, vstack

    n, k = gaps.shape
    each = kron(identity(n), np.ones((1, k)), format="csr")
    group = kron(np.ones((1, n)), identity(k), format="csr")
    solved = linprog(
        gaps.ravel(),
        A_ub=vstack([group, -group]),
        b_ub=np.r_[np.full(k, most), np.full(k, -least)],
        A_eq=each,
        b_eq=np.ones(n),
        bounds=(0, 1),
        method="highs-ds",
    )
    if solved.x is None:
        raise DegenerateError("ConstrainedKMeans: no assignment keeps to the limits of size.")
    return np.argmax(solved.x.reshape(n, k), axis=1)
