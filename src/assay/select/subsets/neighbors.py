"""Subsets for k nearest neighbours: squared differences add, so one column more or less is one term more or less."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.select.subsets._neighbors as _neighbors
from assay.core.parallel import in_threads
from assay.neighbors.weights import Neighborhoods, weigh
from assay.select.subsets.fast_scores import (
    Answers,
    ClassFold,
    FastClassScores,
    FastNumberScores,
    NumberFold,
    claims_measure,
    exactly,
    numbers_of,
)
from assay.select.subsets.folds import Folds
from assay.select.subsets.subset_scores import SubsetScores
from assay.types import Estimator

__all__ = ["Scores"]

CLASSIFIERS = (
    "assay.neighbors.k_neighbors_classifier.KNeighborsClassifier",
    "sklearn.neighbors._classification.KNeighborsClassifier",
)
REGRESSORS = (
    "assay.neighbors.k_neighbors_regressor.KNeighborsRegressor",
    "sklearn.neighbors._regression.KNeighborsRegressor",
)
POWERS = {"euclidean": 2, "l2": 2, "manhattan": 1, "l1": 1, "cityblock": 1}
SIZES = (1e-70, 1e100)  # largest entries of a column between which squares neither underflow nor overflow
TIE = 1e-10  # distances nearer to each other than this share may come in any order in scikit-learn
PAIRS_AT_ONCE = 1 << 26  # terms of distances between two looks at whether the work was interrupted


class Scores(SubsetScores):
    """Subsets of numbers for KNeighborsClassifier and KNeighborsRegressor by Euclid's or Manhattan distances.

    Cost: for C candidates of a base of b columns O(m n (b + C)) with m test and n training rows of a fold, where
    searching anew takes O(m n b C); with a column added, most training rows are passed over. Memory O(n).
    """

    @classmethod
    def claims(cls, estimator: Any, folds: Folds) -> bool:
        classes = exactly(estimator, *CLASSIFIERS)
        if (
            not (classes or exactly(estimator, *REGRESSORS))
            or _power(estimator) is None
            or folds.weights is not None
        ):
            return False
        if getattr(estimator, "tie", "first") != "first":
            return False
        if not claims_measure(folds, "classification" if classes else "regression"):
            return False
        arrays = numbers_of(folds, most_columns=1 << 62)
        if arrays is None or estimator.n_neighbors > min(len(train) for train, _ in arrays):
            return False
        sizes = np.abs(np.concatenate(arrays[0])).max(axis=0)
        if not ((sizes == 0) | ((sizes > SIZES[0]) & (sizes < SIZES[1]))).all():
            return False
        kind = FastClassScores if classes else FastNumberScores
        return kind.rows_of(folds, arrays) is not None

    @classmethod
    def of(cls, estimator: Estimator, folds: Folds) -> SubsetScores:
        kind = Votes if exactly(estimator, *CLASSIFIERS) else FastNumberScores
        rows = kind.rows_of(folds, numbers_of(folds, most_columns=1 << 62) or [])
        assert rows is not None
        return kind(estimator, folds, [Neighbors(fold, estimator) for fold in rows], rows)


class Votes(FastClassScores):
    """Scores are votes: the first class with most of them is the answer, their shares are the probabilities."""

    exact = True

    def _labels(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return scores.argmax(axis=2), np.ones(len(scores), dtype=bool)

    def _correct(self, scores: np.ndarray, rows: ClassFold) -> tuple[np.ndarray, np.ndarray]:
        labels, sure = self._labels(scores)
        return (labels == rows.truth).sum(axis=1), sure

    def _posterior(self, scores: np.ndarray) -> np.ndarray:
        return scores / scores.sum(axis=1, keepdims=True)


def _power(estimator: Any) -> int | None:
    """The exponent of the distance, 1 or 2; None for other metrics."""
    if estimator.metric_params or not isinstance(estimator.metric, str):
        return None
    ours = type(estimator).__module__.startswith("assay")
    if estimator.metric == "minkowski" or (ours and estimator.metric == "auto"):
        return int(estimator.p) if estimator.p in (1, 2) else None
    return POWERS.get(estimator.metric)


class Neighbors:
    """The training rows of a fold by columns, and the neighbours of its test rows for any set of them."""

    def __init__(self, rows: ClassFold | NumberFold, estimator: Any):
        self.XT, self.Q = np.ascontiguousarray(rows.X.T), rows.X_test
        self.y, self.K = rows.y, getattr(rows, "K", 0)
        self.estimator, self.squared = estimator, _power(estimator) == 2
        self.k, theirs = int(estimator.n_neighbors), type(estimator).__module__.startswith("sklearn")
        self.asked = self.k + (
            theirs and self.k < len(rows.X)
        )  # one more tells whether the last place is shared
        self.ordered = theirs or estimator.weights not in (None, "uniform")  # whether distances are needed
        self.order = np.argsort(self.XT, axis=1)

    def subset(self, subset: np.ndarray) -> Answers:
        return self.additions(subset[:-1], subset[-1:])

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        return self._answers(base, candidates, adding=True)

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        return self._answers(base, candidates, adding=False)

    def _answers(self, base: np.ndarray, candidates: np.ndarray, adding: bool) -> Answers:
        m, C = len(self.Q), len(candidates)
        rows, sums = self._nearest(base.astype(np.int64), candidates.astype(np.int64), adding)
        sure: np.ndarray = np.ones(C, dtype=bool)
        if self.asked > self.k:
            shared = sums[:, self.k] <= sums[:, self.k - 1] * (1 + TIE)
            sure = np.asarray(~shared.reshape(C, m).any(axis=1))
            rows, sums = rows[:, : self.k], sums[:, : self.k]
        weights = self.estimator.weights
        if weights in (None, "uniform"):
            shares = None
        else:
            distances = np.sqrt(sums) if self.squared else sums
            start = np.arange(0, rows.size + 1, self.k)
            near = Neighborhoods(start, rows.ravel(), distances.ravel(), distances[:, -1], self.k)
            bandwidth = getattr(self.estimator, "bandwidth", None)
            shares = weigh(near, weights, bandwidth, type(self.estimator).__name__).reshape(rows.shape)
        if self.K:
            return Answers(self._votes(rows, shares).reshape(C, m, self.K), sure)
        shares = (
            np.full(rows.shape, 1 / self.k) if shares is None else shares / shares.sum(axis=1, keepdims=True)
        )
        return Answers(np.einsum("qk,qk->q", shares, self.y[rows]).reshape(C, m), sure)

    def _votes(self, rows: np.ndarray, shares: np.ndarray | None) -> np.ndarray:
        """(C m, K) what the neighbours of each class weigh together."""
        cells = (np.arange(len(rows))[:, None] * self.K + self.y[rows]).ravel()
        votes = np.bincount(cells, None if shares is None else shares.ravel(), minlength=len(rows) * self.K)
        return votes.reshape(len(rows), self.K).astype(np.float64, copy=False)

    def _nearest(
        self, base: np.ndarray, candidates: np.ndarray, adding: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """(C m, k) neighbours and sums, by blocks of test rows in threads."""
        m, C = len(self.Q), len(candidates)
        work = self.XT.shape[1] * (len(base) + C)
        size = int(max(1, min(m, PAIRS_AT_ONCE // max(work, 1))))

        def block(start: int) -> tuple[np.ndarray, np.ndarray]:
            Q = self.Q[start : start + size]
            row = np.empty((C * len(Q), self.asked), np.int64)
            total = np.empty((C * len(Q) if self.ordered or not len(base) else 0, self.asked))
            sets: dict[str, Any] = {
                "candidates": candidates,
                "squared": self.squared,
                "row": row,
                "sum": total,
            }
            if len(base):
                _neighbors.nearest(XT=self.XT, Q=Q, base=base, adding=adding, **sets)
            else:
                _neighbors.nearest_alone(XT=self.XT, order=self.order, Q=Q, **sets)
            return row.reshape(C, len(Q), -1), total.reshape(C, -1, self.asked)

        parts = in_threads(block, range(0, m, size))
        if len(parts) == 1:
            rows, sums = parts[0]
        else:
            rows, sums = (np.concatenate(arrays, axis=1) for arrays in zip(*parts))
        return rows.reshape(-1, self.asked), sums.reshape(-1, self.asked)
