"""Neighbours whose numbers are averaged."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core.learner import Regressor
from assay.core.stored import NumberArray
from assay.core.targets import plain_values
from assay.errors import DegenerateError
from assay.neighbors.neighbor_learner import NeighborLearner
from assay.neighbors.weights import weigh
from assay.stats.distributions.predictive import Empirical
from assay.types import TableLike, Target

__all__ = ["NeighborRegressor"]


class NeighborRegressor(NeighborLearner, Regressor):
    """A regressor that answers with the weighted mean of the neighbours' numbers."""

    stored = {"_y": NumberArray("n") | NumberArray("n", "*")}

    weights: Any
    bandwidth: Any
    _y: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: TableLike, y: Target) -> Self:  # type: ignore[override]
        """Remember the rows of X and their numbers y, (n,) or (n, targets); answers have the shape of y."""
        several = np.asarray(plain_values(y))
        if several.ndim != 2 or several.shape[1] != 1:
            return super().fit(X, y)
        super().fit(X, several.ravel())
        self._y = self._y[:, None]
        return self

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._y = y
        self._store(X)

    def _predict(self, X: Any) -> np.ndarray:
        near = self._neighbourhoods(X)
        weights = weigh(near, self.weights, self.bandwidth, type(self).__name__)
        query, q = near.query, len(near)
        total = np.bincount(query, weights=weights, minlength=q)
        share = weights / np.where(total > 0, total, 1.0)[query]
        columns = [
            np.bincount(query, weights=share * column[near.rows], minlength=q)
            for column in np.atleast_2d(self._y.T)
        ]
        answer = np.column_stack(columns).astype(
            np.float64, copy=False
        )  # counts of nothing are whole numbers
        empty = np.flatnonzero(near.empty)
        if len(empty):
            self._fill(answer, empty, X)
        return answer if self._y.ndim == 2 else answer[:, 0]

    def _distribution(self, X: Any) -> Empirical:
        """The numbers of the neighbours, by their weights; where there is none, the number that answers."""
        self._refuse_several_targets(self._y.ndim == 2 and self._y.shape[1] > 1)
        numbers, near = self._y.reshape(len(self._y)), self._neighbourhoods(X)
        weights = weigh(near, self.weights, self.bandwidth, type(self).__name__)
        if near.k is not None:
            return Empirical(numbers[near.rows].reshape(-1, near.k), weights.reshape(-1, near.k))
        total = np.bincount(near.query, weights=weights, minlength=len(near))
        weights = np.where(total[near.query] > 0, weights, 1.0)
        empty = np.flatnonzero(near.empty)
        if not len(empty):
            return Empirical(numbers[near.rows], weights, near.start)
        answer = np.zeros((len(near), 1))
        self._fill(answer, empty, X)
        if np.isnan(answer).any():
            raise DegenerateError(
                f"{type(self).__name__}: {len(empty)} row(s) have no neighbours, and so no predictive distribution. "
                "Use a larger radius, or empty='nearest'."
            )
        values = np.insert(numbers[near.rows].astype(np.float64), near.start[empty], answer[empty, 0])
        offsets = near.start + np.concatenate(([0], np.cumsum(near.empty)))
        return Empirical(values, np.insert(weights, near.start[empty], 1.0), offsets)

    def _fill(self, answer: np.ndarray, empty: np.ndarray, X: Any) -> None:
        """Answer for rows without neighbours."""

    @property
    def _heads(self) -> list[str]:
        return self._target_names(self._y.shape[1]) if self._y.ndim == 2 else ["y"]

    def _answer_of(self, row: int) -> list[Any]:
        return [float(value) for value in np.atleast_1d(self._y[row])]
