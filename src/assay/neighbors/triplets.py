"""Triplets of large-margin metrics: each row, its targets of the same class, its impostors of other classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import assay.neighbors._triplets as _triplets
from assay.core.parallel import end_if_abandoned
from assay.distances.metric import metric_of
from assay.distances.search import searcher

__all__ = ["Costs", "Triplets", "nearest_others", "target_neighbors"]

SCAN_PRODUCTS = 2_000_000  # products of rows that are in memory at once while impostors are looked for


@dataclass(frozen=True)
class Costs:
    """What the triplets cost in a metric, before they are weighed against each other."""

    pull: float  # sum of w_i D(i, j)
    hinge: float  # sum of w_i max(0, 1 + D(i, j) - D(i, l))
    smooth: float  # the same with a rounded corner
    force: float  # sum of the derivatives of the rounded hinges
    active: int  # triplets within the margin
    crossed: int  # triplets whose impostor is nearer than the target
    slope: np.ndarray  # (n, r) half the gradient of (1 - mu) pull + mu smooth with respect to the mapped rows
    target_push: np.ndarray  # (n, k) the forces on the targets, if impostors are listed
    impostor_push: np.ndarray  # (m,) the forces on the listed impostors


@dataclass
class Triplets:
    """The rows, their targets, and their impostors: those met so far, a fixed list, or every row of another class.

    Impostors outside the list cost nothing as long as they are outside the margin; ``extend`` looks for those that
    came in. So a step costs O((targets + impostors) d), not O(n^2 d).

    Parameters
    ----------
    X : (n, d) rows      y : (n,) their classes      w : (n,) their weights
    targets : (n, k) rows of the same class, -1 where a small class has no more
    others : (n, m) the only rows that count as impostors, -1 for none; None takes those that ``extend`` meets
    every : bool
        Every row of another class is looked at each time, without a list.
    """

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    targets: np.ndarray
    others: np.ndarray | None = None
    every: bool = False
    start: np.ndarray = field(init=False)  # (n + 1,) where the impostors of each row begin
    impostors: np.ndarray = field(init=False)  # (m,) rows

    def __post_init__(self) -> None:
        used = self.targets >= 0
        self._pairs = np.nonzero(used)[0], self.targets[used], used
        self.start = np.zeros(len(self.X) + 1, np.int64)
        self.impostors = np.empty(0, np.int64)
        if self.others is not None:
            used = self.others >= 0
            self.start[1:] = np.cumsum(used.sum(axis=1))
            self.impostors = self.others[used].astype(np.int64)

    def extend(self, L: np.ndarray, most: int) -> int:
        """Take in the ``most`` nearest rows within the margin of each row in the metric of L; how many are new."""
        if self.others is not None or self.every:
            return 0
        n = len(self.X)
        listed = np.repeat(np.arange(n), np.diff(self.start)) * n + self.impostors
        keys = np.unique(np.concatenate([listed, self._within(self.X @ L.T, most)]))
        self.impostors = keys % n
        self.start = np.searchsorted(keys, np.arange(n + 1) * n).astype(np.int64)
        return len(keys) - len(listed)

    def _within(self, Y: np.ndarray, most: int) -> np.ndarray:
        """Row times n plus impostor of the pairs within the margin, of each row the nearest."""
        n = len(Y)
        squares = np.einsum("ij,ij->i", Y, Y)
        limit = 1 + self._farthest(Y) - squares
        keys = [np.empty(0, np.int64)]
        for label in np.unique(self.y):
            rows, others = np.flatnonzero(self.y == label), np.flatnonzero(self.y != label)
            rows = rows[self.targets[rows, 0] >= 0]
            size = max(1, SCAN_PRODUCTS // max(len(others), 1))
            B, square = np.ascontiguousarray(Y[others].T), squares[others]
            for at in range(0, len(rows) if len(others) else 0, size):
                end_if_abandoned()
                some = rows[at : at + size]
                nearest: Any = _triplets.nearer(Y[some] @ B, square, limit[some], most)
                counts, columns = nearest
                keys.append(np.repeat(some, counts) * n + others[columns])
        return np.concatenate(keys)

    def costs(self, L: np.ndarray, mu: float = 0.5, width: float = 0.0) -> Costs:
        """The sums over all triplets in the metric of L; the hinge's corner rounded over ``width``."""
        Y = np.ascontiguousarray(self.X @ L.T)
        slope = np.zeros_like(Y)
        target_push, impostor_push = np.zeros(self.targets.shape), np.empty(len(self.impostors))
        sums: Any
        if self.every:
            sums = _triplets.push_all(
                Y=Y, label=self.y, targets=self.targets, w=self.w, mu=mu, width=width, H=slope
            )
        else:
            sums = _triplets.push(
                Y=Y,
                targets=self.targets,
                start=self.start,
                impostors=self.impostors,
                w=self.w,
                mu=mu,
                width=width,
                target_push=target_push,
                impostor_push=impostor_push,
                H=slope,
            )
        pull, hinge, smooth, force, active, crossed = sums.tolist()
        return Costs(pull, hinge, smooth, force, int(active), int(crossed), slope, target_push, impostor_push)

    def scatter(self, target_weight: np.ndarray, impostor_weight: np.ndarray) -> np.ndarray:
        r"""(d, d) the sum of weight times :math:`(x_i-x_j)(x_i-x_j)^T` over pairs of rows with targets and impostors.

        With W the (n, n) matrix of the weights and s the sums of its rows and columns: :math:`X^T(diag(s) - W - W^T)X`.
        """
        from scipy.sparse import csr_array

        n, (i, j, used) = len(self.X), self._pairs
        rows = np.repeat(np.arange(n), np.diff(self.start))
        W = csr_array(
            (
                np.concatenate([target_weight[used], impostor_weight]),
                (np.concatenate([i, rows]), np.concatenate([j, self.impostors])),
            ),
            shape=(n, n),
        )
        total = W.sum(axis=0) + W.sum(axis=1)
        P = self.X.T @ (W @ self.X)
        return (self.X * total[:, None]).T @ self.X - P - P.T

    def within_margin(self, L: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m, 2) rows and their impostors that are within the margin in the metric of L, and (m,) by how much."""
        Y, n = self.X @ L.T, len(self.X)
        if self.others is None:
            rows, impostors = np.divmod(self._within(Y, n), n)
        else:
            rows, impostors = np.repeat(np.arange(n), np.diff(self.start)), self.impostors
        apart = np.einsum("ij,ij->i", Y[rows] - Y[impostors], Y[rows] - Y[impostors])
        slack = 1 + self._farthest(Y)[rows] - apart
        within = slack > 0
        return np.column_stack([rows, impostors])[within], slack[within]

    def _farthest(self, Y: np.ndarray) -> np.ndarray:
        """(n,) the squared distance of each row's farthest target; minus infinity without one."""
        i, j, used = self._pairs
        apart = np.full(self.targets.shape, -np.inf)
        apart[used] = np.einsum("ij,ij->i", Y[i] - Y[j], Y[i] - Y[j])
        return apart.max(axis=1)


def target_neighbors(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """(n, k) each row's k nearest rows of its own class by Euclid's distance; -1 where the class has no more.

    >>> from assay.neighbors.triplets import target_neighbors
    >>> target_neighbors(np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1]), 2)
    array([[ 1, -1],
           [ 0, -1],
           [-1, -1]])
    """
    targets = np.full((len(X), k), -1, np.int64)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        most = min(k, len(rows) - 1)
        if most > 0:
            near = searcher(X[rows], metric_of("euclidean")).nearest(None, most, leave_out_self=True)[1]
            targets[rows, :most] = rows[near]
    return targets


def nearest_others(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """(n, k) each row's k nearest rows of other classes by Euclid's distance; -1 where there are no more.

    >>> from assay.neighbors.triplets import nearest_others
    >>> nearest_others(np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1]), 1)
    array([[2],
           [2],
           [1]])
    """
    nearest = np.full((len(X), k), -1, np.int64)
    for label in np.unique(y):
        rows, others = np.flatnonzero(y == label), np.flatnonzero(y != label)
        most = min(k, len(others))
        if most > 0:
            near = searcher(X[others], metric_of("euclidean")).nearest(X[rows], most)[1]
            nearest[rows, :most] = others[near]
    return nearest
