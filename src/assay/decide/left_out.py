r"""Predictions without each calibration row: what CV+ and the jackknife+ compare a new row with.

:math:`\hat\mu_{-i}(x)`, the prediction for a new row x of a model that was fitted without row i (or without its fold),
for all i at once. Least squares, ridge, nearest neighbours and bagged learners need no further fits for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from assay.core.stored import CodeArray, Each, FloatArray, Integer, Object
from assay.ensembles.bagging_regressor import BaggingRegressor
from assay.ensembles.forest_regressor import ForestRegressor
from assay.ensembles.out_of_bag import out_of_bag
from assay.errors import DegenerateError
from assay.linear.regression.least_squares_noise import LeastSquaresNoise
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.ridge import Ridge
from assay.neighbors.k_neighbors_regressor import KNeighborsRegressor
from assay.stats.multivariate.hat_matrix import ALONE
from assay.types import Floats

__all__ = [
    "Bags",
    "Folds",
    "Leverages",
    "Neighbours",
    "is_bagged",
    "left_out_at_once",
    "left_out_of_bags",
    "without_refitting",
]


@dataclass(frozen=True, eq=False)
class Folds:
    """One model for each fold, fitted without its rows."""

    storable = True
    stored = {"models": Each(Object(BaseEstimator), "f"), "fold": CodeArray("n", below="f")}

    models: list[Any]
    fold: np.ndarray

    def predictions(self, model: Any, X: Any) -> np.ndarray:
        """(q, n) the prediction for each row of X by the model without calibration row i."""
        return np.column_stack([_numbers(inner, X) for inner in self.models])[:, self.fold]


@dataclass(frozen=True, eq=False)
class Leverages:
    r"""Least squares and ridge: :math:`\hat\mu_{-i}(x) = \hat\mu(x) - u^TA^{-1}u_i\,\frac{v_ie_i}{1-v_ih_i}`."""

    storable = True
    stored = {
        "noise": Object(LeastSquaresNoise),
        "rows": FloatArray("n", "r", finite=True),
        "shift": FloatArray("n", finite=True),
    }

    noise: LeastSquaresNoise
    rows: np.ndarray
    shift: np.ndarray

    def predictions(self, model: Any, X: Any) -> np.ndarray:
        """(q, n) the prediction for each row of X by the model without calibration row i."""
        rooted = self.noise.rooted(model._admit(X))
        predictions: Floats = _numbers(model, X)[:, None] - rooted @ (self.rows * self.shift[:, None]).T
        return predictions


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Nearest neighbours: without one of them, the next one takes its place."""

    storable = True
    stored = {"n": Integer(low=1)}

    n: int

    def predictions(self, model: Any, X: Any) -> np.ndarray:
        """(q, n) the prediction for each row of X by the model without calibration row i."""
        k, y = int(model.n_neighbors), np.ravel(model._y).astype(np.float64)
        near = model._nearest(model._admit(X), k + 1)[1]
        numbers = y[near]
        mean = numbers[:, :k].mean(axis=1)
        out = np.repeat(mean[:, None], self.n, axis=1)
        np.put_along_axis(out, near[:, :k], mean[:, None] + (numbers[:, k:] - numbers[:, :k]) / k, axis=1)
        return out


@dataclass(frozen=True, eq=False)
class Bags:
    """Bagged learners: the mean of the members whose bags do not hold the row."""

    storable = True
    stored = {"rows": CodeArray("n")}

    rows: np.ndarray  # the calibration rows: those that some bag leaves out

    def predictions(self, model: Any, X: Any) -> np.ndarray:
        """(q, n) the prediction for each row of X by the members without calibration row i."""
        outside = _outside(model)[:, self.rows]
        predictions: Floats = (_members(model, X) @ outside) / outside.sum(axis=0)
        return predictions


def is_bagged(model: Any) -> bool:
    """Whether a learner is a mean of members that were fitted to samples of the rows.

    >>> from assay.decide.left_out import is_bagged
    >>> from assay.ensembles import ExtraTreesRegressor, RandomForestRegressor
    >>> is_bagged(RandomForestRegressor()), is_bagged(ExtraTreesRegressor())
    (True, False)
    """
    if isinstance(model, BaggingRegressor):
        return bool(model.bootstrap) and model.combine == "mean"
    return isinstance(model, ForestRegressor) and bool(model.bootstrap)


def without_refitting(template: Any) -> bool:
    """Whether the predictions without each row follow from one fit.

    >>> from assay.decide.left_out import without_refitting
    >>> from assay.linear import Lasso, Ridge
    >>> without_refitting(Ridge()), without_refitting(Lasso())
    (True, False)
    """
    if type(template) in (LinearRegression, Ridge):
        return not template.positive and np.ndim(getattr(template, "alpha", 0.0)) == 0
    return type(template) is KNeighborsRegressor and template.weights in ("uniform", None)


def left_out_at_once(
    model: Any, X: Any, y: np.ndarray, w: np.ndarray | None
) -> tuple[Leverages | Neighbours, np.ndarray] | None:
    """The predictions without each training row and (n,) the residuals of these; None if rows must be left out one by
    one, because one of them decides its own fit."""
    if isinstance(model, KNeighborsRegressor):
        if int(model.n_neighbors) >= len(y):
            return None
        near = model._nearest(None, int(model.n_neighbors))[1]
        return Neighbours(len(y)), y - y[near].mean(axis=1)
    try:
        noise = model.noise()
    except DegenerateError:
        return None
    rows = noise.rooted(model._admit(X))
    v = np.ones(len(y)) if w is None else w
    left = 1 - v * np.einsum("ij,ij->i", rows, rows)
    if (left < ALONE).any():
        return None
    residual = (y - _numbers(model, X)) / left
    return Leverages(noise, rows, v * residual), residual


def left_out_of_bags(model: Any, X: Any, y: np.ndarray) -> tuple[Bags, np.ndarray]:
    """The same of a bagged learner, for the rows that some bag leaves out; X are its training rows."""
    outside = _outside(model)
    counts = outside.sum(axis=0)
    rows = np.flatnonzero(counts > 0)
    answers = _members(model, X)  # (n, T)
    mean = np.einsum("it,ti->i", answers, outside)[rows] / counts[rows]
    return Bags(rows), y[rows] - mean


def _numbers(model: Any, X: Any) -> np.ndarray:
    return np.asarray(model.predict(X), dtype=np.float64).ravel()


def _outside(model: Any) -> np.ndarray:
    """(T, n) 1 where the bag of a member does not hold the row."""
    n = model._bags["rows"] if isinstance(model, ForestRegressor) else model._rows
    return np.stack([out_of_bag(rows, n) for rows in model.estimators_samples_]).astype(np.float64)


def _members(model: Any, X: Any) -> np.ndarray:
    """(q, T) the answer of each member."""
    if isinstance(model, ForestRegressor):
        walker = model.trees_.walker
        return walker.with_columns(np.arange(len(walker))).sums(model._admit(X), n_jobs=model.n_jobs)
    return np.column_stack(model._answers(model._admit(X), _numbers))
