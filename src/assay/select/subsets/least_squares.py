"""Subsets for least squares and ridge regression, from sums of squares and products.

One column more or less changes all predictions by a multiple of one new column (`stats.multivariate.bordered`); where
the measure is a function of the sum of squared errors, the Gram matrix of the test rows is enough and no row is looked
at again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.moments import class_scatter
from assay.select.subsets.fast_scores import (
    SQUARED,
    Answers,
    FastNumberScores,
    NumberFold,
    claims_measure,
    exactly,
    numbers_of,
)
from assay.select.subsets.folds import Folds
from assay.stats.multivariate.bordered import Borders
from assay.types import Estimator

__all__ = ["Scores"]

FLOOR = 1e-6  # smallest eigenvalue of a correlation matrix down to which its inverse has ten digits
CANCELS = (
    1e-6  # share of the target's squares below which a sum of squared errors is made of rows, not of sums
)
PLAIN = (
    "assay.linear.regression.linear_regression.LinearRegression",
    "sklearn.linear_model._base.LinearRegression",
)
RIDGE = ("assay.linear.regression.ridge.Ridge", "sklearn.linear_model._ridge.Ridge")
DIRECT = ("auto", "cholesky", "svd")  # solvers of scikit-learn without a tolerance


class Scores(FastNumberScores):
    """Subsets of numbers for LinearRegression and Ridge, from one pass of sums per fold.

    Cost: O(n d^2) once; then for C candidates of a base of b columns O(b^2 C) a fold for measures of squared errors,
    and O(m b C) with m test rows for others, where refitting takes O(n b^2 C).
    """

    @classmethod
    def claims(cls, estimator: Estimator, folds: Folds) -> bool:
        return (
            _reproduced(estimator)
            and claims_measure(folds, "regression")
            and (arrays := numbers_of(folds)) is not None
            and cls.rows_of(folds, arrays) is not None
        )

    @classmethod
    def of(cls, estimator: Estimator, folds: Folds) -> Scores:
        rows = cls.rows_of(folds, numbers_of(folds) or [])
        assert rows is not None and folds.measure is not None
        sums = folds.measure.name in SQUARED
        return cls(estimator, folds, [LeastSquares(fold, estimator, sums) for fold in rows], rows)


def _reproduced(estimator: Any) -> bool:
    if exactly(estimator, *PLAIN):
        return not estimator.positive
    if not exactly(estimator, *RIDGE) or estimator.positive or np.ndim(estimator.alpha):
        return False
    theirs = type(estimator).__module__.startswith("sklearn")
    return not (theirs and estimator.solver not in DIRECT) and not getattr(
        estimator, "penalize_intercept", False
    )


class LeastSquares:
    """Sums of the training rows of a fold about their mean, and its test rows about the same."""

    def __init__(self, rows: NumberFold, estimator: Any, sums_only: bool):
        d, ours = rows.X.shape[1], not type(estimator).__module__.startswith("sklearn")
        train = np.column_stack([rows.X, rows.y])
        sums = class_scatter(train, np.zeros(len(train), dtype=np.int64), rows.w, 1, pooled=True)
        centre, scatter = sums.mean[0], sums.scatter[0]
        if not estimator.fit_intercept:
            scatter, centre = scatter + sums.count[0] * np.outer(centre, centre), np.zeros(d + 1)
        self.S = scatter[:d, :d] + float(getattr(estimator, "alpha", 0.0)) * np.eye(d)
        self.products = scatter[:d, d]
        self.rows, self.centre = rows.X_test - centre[:d], centre[d]
        self.truth = rows.truth - centre[d]
        self.w = np.ones(len(self.truth)) if rows.w_test is None else rows.w_test
        self.sums_only = sums_only
        # scikit-learn leaves out singular values below this share of the largest, in the units of the columns
        self.share = 4 * estimator.tol**2 if not ours and not hasattr(estimator, "alpha") else 0.0
        if sums_only:
            weighted = self.rows * self.w[:, None]
            self.H, self.h = weighted.T @ self.rows, weighted.T @ self.truth
            self.squares = float(self.w @ self.truth**2)

    def subset(self, subset: np.ndarray) -> Answers:
        step = Borders(self.S, subset, [], adding=True)
        sure = np.atleast_1d(step.base_floor > FLOOR) & self._in_units(step.base_floor, [subset], step)
        if not sure[0]:
            return Answers(np.zeros((1, len(self.rows))), sure)
        weights = step.solve(self.products[None])[0][subset]
        if self.sums_only and (squares := self._base_squares(subset, weights)) > CANCELS * self.squares:
            return Answers(np.array([squares]), sure)
        predicted = self.rows[:, subset] @ weights
        return self._of_rows(predicted[None], sure)

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        return self._step(Borders(self.S, base, candidates, adding=True))

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        return self._step(Borders(self.S, base, candidates, adding=False))

    def _step(self, step: Borders) -> Answers:
        base, sure = step.base, (step.floor > FLOOR) & (step.base_floor > 1e-3 * FLOOR)
        if not sure.any():
            return Answers(np.zeros((len(sure), len(self.rows))), sure)
        if self.share:
            subsets = [np.append(base, j) if step.adding else base[base != j] for j in step.candidates]
            sure &= self._in_units(step.floor, subsets, step)
        weights = step.solve(self.products[None])[0][base]
        change = step.sign * step.coordinates(self.products[None])[0]
        if self.sums_only:
            squares = self._base_squares(base, weights)
            left = self.h - self.H[:, base] @ weights  # products of the columns with the errors
            squares = (
                squares - 2 * change * step.coordinates(left[None])[0] + change**2 * step.squares(self.H)
            )
            if (squares > CANCELS * self.squares)[sure].all():
                return Answers(squares, sure)
        predicted = self.rows[:, base] @ weights + step.coordinates(self.rows).T * change[:, None]
        return self._of_rows(predicted, sure)

    def _base_squares(self, base: np.ndarray, weights: np.ndarray) -> float:
        return float(self.squares + weights @ (self.H[np.ix_(base, base)] @ weights - 2 * self.h[base]))

    def _of_rows(self, predicted: np.ndarray, sure: np.ndarray) -> Answers:
        if self.sums_only:
            return Answers((self.truth - predicted) ** 2 @ self.w, sure)
        return Answers(predicted + self.centre, sure)

    def _in_units(self, floor: Any, subsets: list[np.ndarray], step: Borders) -> np.ndarray:
        """(C,) whether no singular value is so small in the units of the columns that scikit-learn leaves it out."""
        if not self.share:
            return np.ones(len(subsets), dtype=bool)
        squares = step.scale**2
        ratio = np.array([squares[s].min() / squares[s].sum() for s in subsets])
        return floor * ratio > self.share
