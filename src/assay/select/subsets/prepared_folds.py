"""Learners behind preparations of single columns: each fold is prepared once, whatever the subset."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from assay.core.meta_estimator import takes_tables
from assay.prepare.prepared import Prepared, PreparedRegressor
from assay.select.subsets.folds import Folds, Part, seen_by
from assay.tables import Table

__all__ = ["prepared_beforehand"]

BY_COLUMN = {  # what they make of a column does not depend on the others
    "assay.prepare.standard_scaler.StandardScaler",
    "assay.prepare.min_max_scaler.MinMaxScaler",
    "assay.prepare.simple_imputer.SimpleImputer",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._data.MinMaxScaler",
    "sklearn.preprocessing._data.MaxAbsScaler",
    "sklearn.preprocessing._data.RobustScaler",
    "sklearn.impute._base.SimpleImputer",
}


def prepared_beforehand(estimator: Any, folds: Folds) -> tuple[Any, Folds] | None:
    """The learner alone and folds that are prepared for it; None if that would not be the same.

    Scalers and imputers that treat each column by itself make the same of it whichever columns stand beside it, so they
    are fitted once to the training rows of each fold with all columns.

    Examples
    --------
    >>> from assay.linear import Ridge
    >>> from assay.prepare import PreparedRegressor
    >>> from assay.select.subsets.folds import Folds
    >>> from assay.select.subsets.prepared_folds import prepared_beforehand
    >>> from assay.tables import Table
    >>> table = Table.of([[0.0, 10.0], [2.0, 10.0], [4.0, 40.0], [6.0, None]])
    >>> model = PreparedRegressor(Ridge(), scale=True)
    >>> folds = Folds.of(model, table, [0.0, 1.0, 2.0, 3.0], cv=2, scoring="rmse")
    >>> learner, ready = prepared_beforehand(model, folds)
    >>> learner, ready.parts[1].X_train.values.tolist()
    (Ridge(), [[-1.0, 0.0], [1.0, 0.0]])
    """
    if type(estimator) in (Prepared, PreparedRegressor) and isinstance(folds.X, Table):
        learner, steps = estimator.estimator, estimator.preparations()
        if learner is None or not takes_tables(learner):
            return None
        parts: list[Part | None] = [_table_part(estimator, steps, part) for part in folds.parts]
    elif type(estimator) is Pipeline and estimator.memory is None:
        named, learner = [step for _, step in estimator.steps[:-1]], estimator.steps[-1][1]
        steps = [step for step in named if step not in (None, "passthrough")]
        if (
            not all(f"{type(step).__module__}.{type(step).__qualname__}" in BY_COLUMN for step in steps)
            or not hasattr(learner, "fit")
            or folds.weights is not None
            or folds.fit_params
            or folds.score_params
        ):
            return None
        parts = [_array_part(learner, steps, part) for part in folds.parts]
    else:
        return None
    if any(part is None for part in parts):
        return None
    ready = copy(folds)
    ready.parts, ready.prepared = [part for part in parts if part is not None], True
    return learner, ready


def _table_part(estimator: Any, steps: list[Any], part: Part) -> Part:
    """The rows of a fold as the learner inside would see them."""
    train, test = part.X_train, seen_by(estimator, part.X_test)
    for step in steps:
        step = clone(step)
        train = step.fit(train, sample_weight=part.fit_params.get("sample_weight")).transform(train)
        test = step.transform(test)
    return part._replace(X_train=train, X_test=test)


def _array_part(learner: Any, steps: list[Any], part: Part) -> Part | None:
    """The same for a pipeline, of numbers alone; None if a step leaves a column out."""
    train, test = _numbers(part.X_train), _numbers(part.X_test)
    if train is None or test is None:
        return None
    d = train.shape[1]
    if np.isnan(train).all(axis=0).any():  # such columns may be left out, with a warning
        return None
    for step in steps:
        step = clone(step)
        if hasattr(step, "set_output"):
            step.set_output(transform="default")
        try:
            train = np.asarray(step.fit(train).transform(train), dtype=np.float64)
            test = np.asarray(step.transform(test), dtype=np.float64)
        except ValueError:  # the pipeline says so itself, of the subsets that it concerns
            return None
    if train.shape[1] != d or test.shape[1] != d:
        return None
    if takes_tables(learner):
        return part._replace(X_train=Table.of(train), X_test=Table.of(test))
    return part._replace(X_train=train, X_test=test)


def _numbers(X: Any) -> np.ndarray | None:
    """A copy of a dense table of numbers in float64; None for any other."""
    if isinstance(X, Table):
        if not isinstance(X.values, np.ndarray) or X.schema.coded.any():
            return None
        return np.array(X.values, dtype=np.float64)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiub" or X.dtype == np.float32:
        return None
    return np.array(X, dtype=np.float64)
