"""The rows that reach a node, and the statistics that every node learner needs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

import assay.trees._oblique as _oblique
from assay.trees.multivariate.splits import Split, Threshold

__all__ = ["CRITERIA", "MAX_SEARCHED", "SAMPLE", "NodeRows"]

CRITERIA = ("gini", "entropy")
MAX_SEARCHED, SAMPLE = 20_000, 5_000  # nodes of more rows are searched on a sample of this size first
_CLOSE = 1e-13  # values of a mixture of columns that are this close, relative to the largest, are one


@dataclass(frozen=True, eq=False)
class NodeRows:
    r"""Rows at a node: what is known of them, what they weigh, and how mixed they are.

    Impurity is the Gini index or the entropy in bits of the class weights; for numbers (K = 0) the variance.

    Parameters
    ----------
    X : (n, d) complete numbers      y : (n,) class codes below K, or numbers      w : (n,) weights above 0
    K : int
        Number of classes in the whole table; 0 if y holds numbers.
    criterion : "gini" or "entropy"
    min_leaf : int
        No cut leaves fewer rows than this on a side.
    min_weight : float
        Nor less weight than this.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees.multivariate.rows import NodeRows
    >>> rows = NodeRows(np.array([[1.0], [2.0], [5.0], [6.0]]), np.array([0, 0, 1, 1]), np.ones(4), K=2)
    >>> rows.impurity, rows.cut(rows.X[:, 0])
    (0.5, (3.5, 0.0))
    """

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    K: int
    criterion: str = "gini"
    min_leaf: int = 1
    min_weight: float = 0.0
    groups: dict[str, np.ndarray] = field(
        default_factory=dict, init=False
    )  # groupings of classes, once found

    def __len__(self) -> int:
        return len(self.X)

    def take(self, which: np.ndarray) -> NodeRows:
        """Some of the rows, by number or by truth value."""
        return replace(self, X=self.X[which], y=self.y[which], w=self.w[which])

    @cached_property
    def counts(self) -> np.ndarray:
        """(K,) the weight of each class."""
        return np.bincount(self.y, self.w, self.K)

    @cached_property
    def classes(self) -> np.ndarray:
        """The codes of the classes that have rows here."""
        return np.flatnonzero(np.bincount(self.y, minlength=self.K))

    @cached_property
    def value(self) -> np.ndarray:
        """(V,) what a leaf would answer: the class shares, or the mean."""
        if self.K == 0:
            return np.array([np.average(self.y, weights=self.w)])
        return self.counts / self.counts.sum()

    @cached_property
    def impurity(self) -> float:
        """How mixed the rows are."""
        if self.K == 0:
            return float(np.average((self.y - self.value[0]) ** 2, weights=self.w))
        p = self.value[self.value > 0]
        return float(1 - p @ p) if self.criterion == "gini" else float(-(p @ np.log2(p)) + 0.0)

    def impurity_of(self, branch: np.ndarray) -> float:
        """The impurity after a split: that of each branch, weighed by its rows."""
        parts = [self.take(branch == b) for b in np.unique(branch)]
        return float(sum(part.w.sum() * part.impurity for part in parts) / self.w.sum())

    # ------------------------------------------------------------------ standardised columns

    @cached_property
    def centre(self) -> np.ndarray:
        """(d,) the means of the columns."""
        unit = self._unit
        return unit * np.average(self.X / unit, axis=0, weights=self.w)

    @cached_property
    def scale(self) -> np.ndarray:
        """(d,) the standard deviations of the columns; 1 for a column that is constant here."""
        unit = self._unit
        spread = np.sqrt(np.average((self.X / unit - self.centre / unit) ** 2, axis=0, weights=self.w))
        still = self.X.min(axis=0) == self.X.max(axis=0)
        return np.where(still | (spread == 0), 1.0, unit * spread)

    @property
    def _unit(self) -> np.ndarray:
        """(d,) the size of the largest number of each column, so that squares neither overflow nor vanish."""
        largest = np.abs(self.X).max(axis=0)
        return np.where(largest > 0, largest, 1.0)

    @cached_property
    def standard(self) -> np.ndarray:
        """(n, d) the columns with mean 0 and standard deviation 1; a constant column is 0."""
        return (self.X - self.centre) / self.scale

    @cached_property
    def columns(self) -> np.ndarray:
        """(d, n) the standardised columns, one after the other."""
        return np.ascontiguousarray(self.standard.T)

    # ------------------------------------------------------------------ searches

    @property
    def _case(self) -> _oblique.Case:
        """What all searches are given."""
        return _oblique.Case(
            y=self._target,
            w=np.ascontiguousarray(self.w, np.float64),
            K=self.K,
            criterion=CRITERIA.index(self.criterion),
            min_leaf=self.min_leaf,
            min_weight=self.min_weight,
        )

    @cached_property
    def _target(self) -> np.ndarray:
        y = self.y - self.value[0] if self.K == 0 else self.y
        return np.ascontiguousarray(y, np.float64)

    def cut(self, z: np.ndarray) -> tuple[float, float]:
        """The threshold of the purest ``z <= threshold``, and the impurity after it; inf if there is none.

        Among equally pure thresholds the one in the widest gap.
        """
        _, threshold, impurity = _oblique.best_column(np.ascontiguousarray(z[None]), self._case, _CLOSE)
        return threshold, impurity

    @cached_property
    def best_threshold(self) -> tuple[Split | None, float]:
        """The purest test of a single column, and the impurity after it."""
        columns = np.ascontiguousarray(self.X.T, np.float64)
        j, threshold, impurity = _oblique.best_column(columns, self._case, 0.0)
        return (Threshold(j, threshold) if j >= 0 else None), impurity

    def descend(
        self,
        start: np.ndarray,
        columns: np.ndarray,
        shifts: tuple[float, ...] = (0.0,),
        jumps: int = 0,
        seed: int | None = None,
        tol: float = 0.0,
    ) -> tuple[np.ndarray, float]:
        """Weights (bias last) of a hyperplane reached from ``start`` by line searches, and the impurity after it.

        Parameters
        ----------
        start : (d + 1,)      columns : (d, n)
        shifts : constants tried beside each column, so that a turn has several axes
        jumps : how many random directions to try where no coordinate helps
        seed : for the jumps and for moves to equal impurity, which are made with falling probability; None: none
        tol : a cycle that gains less than this share of the node's impurity is the last
        """
        weights = np.array(start, dtype=np.float64)
        drift = seed is not None
        impurity = _oblique.descend(
            Z=columns,
            case=self._case,
            weights=weights,
            shifts=np.array(shifts),
            jumps=jumps,
            cycles=1000,
            drift=drift,
            seed=seed or 0,
            epsilon=tol,
        )
        return weights, impurity

    def sample(self, rng: np.random.Generator, most: int) -> tuple[np.ndarray, NodeRows]:
        """(n,) bool, a random part of about ``most`` rows, and that part, with what a side must hold scaled down."""
        share = most / len(self)
        which = self.halves(rng, share)
        part = self.take(which)
        return which, replace(
            part, min_leaf=max(1, round(self.min_leaf * share)), min_weight=self.min_weight * share
        )

    def halves(self, rng: np.random.Generator, share: float = 0.5) -> np.ndarray:
        """(n,) bool, a random part of the rows; equal rows are never parted.

        So a row that counts twice is the same as two rows, and their order does not matter.
        """
        several = int(self._distinct.max()) + 1
        chosen = np.zeros(several, bool)
        chosen[rng.permutation(several)[: round(share * several)]] = True
        return chosen[self._distinct]

    @cached_property
    def _distinct(self) -> np.ndarray:
        """(n,) which of the distinct rows each row is, in the order of their numbers."""
        return np.unique(self.X, axis=0, return_inverse=True)[1].ravel()
