"""Scores of subsets by fitting the estimator again, for every subset and fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core.meta_estimator import fit_to, takes_tables
from assay.core.parallel import end_if_abandoned, in_threads
from assay.errors import AssayWarning, warn_user
from assay.select.subsets.folds import Folds, Part, seen_by
from assay.select.subsets.subset_scores import Subset, SubsetScores
from assay.tables import Table
from assay.tables.rows import take_columns

__all__ = ["Refit"]


class Refit(SubsetScores):
    """Any estimator: a clone is fitted to the training rows of each fold and scored on its test rows.

    Learners of ours are fitted in threads, others one after the other, or by joblib if ``n_jobs`` says so. A subset
    that the estimator cannot be fitted to has the score NaN, and a warning gives the reason once; if it can be fitted
    to none, its own error is raised.

    Cost: subsets times folds times that of the estimator.

    Examples
    --------
    >>> from assay.linear import LinearRegression
    >>> from assay.select.subsets.folds import Folds
    >>> from assay.select.subsets.refit import Refit
    >>> from assay.tables import Table
    >>> table = Table.of([[0.0, 1.0], [1.0, 1.0], [2.0, 3.0], [3.0, 0.0]])
    >>> folds = Folds.of(LinearRegression(), table, [0.0, 2.0, 4.0, 6.0], cv=2, scoring="rmse")
    >>> Refit(LinearRegression(), folds).scores([(0,)]).round(6) + 0.0
    array([[0., 0.]])
    """

    batch = 16  # subsets between two steps of progress

    def __init__(self, estimator: Any, folds: Folds, n_jobs: int | None = None):
        self.estimator, self.folds, self.n_jobs = estimator, folds, n_jobs
        self.d, self.n_folds = folds.d, len(folds.pairs)
        self.sign, self.measure = folds.sign, folds.name
        self._ours = takes_tables(estimator)
        self._failure: Exception | None = None
        self._some_fitted = False
        self.baseline, self.ratio = folds.baseline(), folds.ratio
        self.by_fold = self.on_fold

    def scores(self, subsets: Sequence[Subset]) -> np.ndarray:
        jobs = [(subset, part) for subset in subsets for part in self.folds.parts]
        return self._values(jobs).reshape(len(subsets), self.n_folds)

    def on_fold(self, subsets: Sequence[Subset], fold: int, some_fitted: bool = False) -> np.ndarray:
        """(len(subsets),) the scores on one fold; ``some_fitted`` if other subsets are known to have a score."""
        self._some_fitted |= some_fitted
        return self._values([(subset, self.folds.parts[fold]) for subset in subsets])

    def _values(self, jobs: list[tuple[Subset, Part]]) -> np.ndarray:
        if self._ours:
            values = in_threads(self._one, jobs, self.n_jobs)
        elif self.n_jobs in (None, 1):
            values = [self._one(job) for job in jobs]
        else:
            from joblib import Parallel, delayed

            values = Parallel(n_jobs=self.n_jobs)(delayed(self._one)(job) for job in jobs)
        scored = np.array([v if isinstance(v, float) else np.nan for v in values])
        self._judge_failures([v for v in values if isinstance(v, Exception)], len(values))
        return scored

    def _one(self, job: tuple[Subset, Part]) -> float | Exception:
        """The score of a subset on a fold, or what the estimator raised."""
        end_if_abandoned()
        subset, part = job
        try:
            model = self.fitted(subset, part)
            X_test = self.test_rows(model, subset, part)
            return float(self.folds.scorer(model, X_test, part.y_test, **part.score_params))
        except Exception as error:
            return error

    def test_rows(self, model: Any, subset: Subset, part: Part) -> Any:
        """The test rows of a fold with the columns of the subset, as the model takes them."""
        X = take_columns(part.X_test, list(subset))
        return seen_by(model, X) if isinstance(X, Table) else X

    def fitted(self, subset: Subset, part: Part) -> Any:
        """A clone of the estimator, fitted to the training rows of a fold with the columns of the subset."""
        X = take_columns(part.X_train, list(subset))
        params = dict(part.fit_params)
        model, w = clone(self.estimator), params.pop("sample_weight", None)
        if part.y_train is None:
            model.fit(X, **params)
            return model
        return fit_to(model, X, part.y_train, w, type(self.estimator).__name__, **params)

    def _judge_failures(self, errors: list[Exception], total: int) -> None:
        self._some_fitted |= len(errors) < total
        if not errors:
            return
        if not self._some_fitted:
            raise errors[0]
        if self._failure is None:
            self._failure = errors[0]
            warn_user(
                f"{type(self.estimator).__name__} cannot be fitted to some subsets of the columns, which are passed "
                f"over: {' '.join(str(errors[0]).split())}",
                AssayWarning,
            )
