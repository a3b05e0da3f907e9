"""Subsets for Gaussian classifiers: nearest mean, linear and quadratic discriminants.

Any columns of a Gaussian are Gaussian with the same means and the block of the same covariance, so one pass over the
rows serves all subsets; one column more or less changes a quadratic form by a product (`stats.multivariate.bordered`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.gaussian_classifier import log_of
from assay.core.moments import class_moments, class_scatter
from assay.select.subsets.fast_scores import (
    Answers,
    ClassFold,
    FastClassScores,
    claims_measure,
    exactly,
    numbers_of,
)
from assay.select.subsets.folds import Folds
from assay.stats.multivariate.bordered import Borders
from assay.types import Estimator

__all__ = ["Scores"]

FLOOR = 1e-6  # smallest eigenvalue of a correlation matrix down to which its inverse has ten digits
LDA = (
    "assay.bayes.linear_discriminant.LinearDiscriminantAnalysis",
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
)
QDA = ("assay.bayes.quadratic_discriminant.QuadraticDiscriminantAnalysis",)
MEAN = ("assay.bayes.nearest_mean.NearestMean",)


class Scores(FastClassScores):
    """Subsets of numbers for Gaussian classifiers, from one pass of sums per fold.

    Cost: O(n d^2) once; then for C candidates of a base of b columns O(b^2 C + m (b + K) C) a fold
    of m test rows, where refitting takes O(n b^2 C).
    """

    @classmethod
    def claims(cls, estimator: Estimator, folds: Folds) -> bool:
        return (
            _state_of(estimator) is not None
            and claims_measure(folds, "classification")
            and (arrays := numbers_of(folds)) is not None
            and cls.rows_of(folds, arrays) is not None
        )

    @classmethod
    def of(cls, estimator: Estimator, folds: Folds) -> Scores:
        rows = cls.rows_of(folds, numbers_of(folds) or [])
        state = _state_of(estimator)
        assert rows is not None and state is not None
        return cls(estimator, folds, [state(fold, estimator) for fold in rows], rows)


def _state_of(estimator: Any) -> Any:
    """What is kept of a fold for this estimator; None if its answers are not reproduced."""
    if exactly(estimator, *LDA):
        plain = estimator.shrinkage is None and estimator.covariance_estimator is None
        free = estimator.n_components is None
        lsqr = estimator.solver == "lsqr" and estimator.priors is None
        return SharedCovariance if plain and free and (estimator.solver == "svd" or lsqr) else None
    if exactly(estimator, *QDA):
        plain = estimator.shrinkage is None and estimator.covariance_estimator is None
        return OwnCovariances if plain and 0 <= estimator.reg_param < 1 else None
    if exactly(estimator, *MEAN):
        return SharedCovariance if estimator.metric == "mahalanobis" else NearestMeans
    return None


def priors_of(estimator: Any, count: np.ndarray) -> np.ndarray:
    """(K,) the priors of a Gaussian classifier for classes of these weights; NaN if they are no such probabilities."""
    chosen = estimator.priors
    if isinstance(chosen, str) and chosen == "uniform":
        return np.full(len(count), 1 / len(count))
    if chosen is None or isinstance(chosen, str):
        return count / count.sum()
    p = np.asarray(chosen, dtype=np.float64)
    if p.shape != count.shape or not (p > 0).all():
        return np.full(len(count), np.nan)  # never sure: refitting says what is wrong with them
    return p / p.sum() if abs(p.sum() - 1) > 1e-5 else p


class SharedCovariance:
    """One covariance for all classes: scores are forms of rows and means about their centre."""

    def __init__(self, rows: ClassFold, estimator: Any):
        sums = class_scatter(rows.X, rows.y, rows.w, rows.K, pooled=True)
        priors = priors_of(estimator, sums.count)
        centre = priors @ sums.mean
        self.log_priors, self.priors = log_of(priors), priors
        self.S = sums.scatter[0] / sums.count.sum()
        self.means, self.rows = sums.mean - centre, rows.X_test - centre
        tol = getattr(estimator, "tol", 0.0) if getattr(estimator, "solver", "lsqr") == "svd" else 0.0
        self.floor = max(FLOOR, 4 * tol**2)
        self.spans = (
            (10 * tol) ** 2 if tol else 0.0
        )  # of the directions between the classes, judged by their squares

    def subset(self, subset: np.ndarray) -> Answers:
        step = Borders(self.S, subset, [], adding=True)
        if step.base_floor == 0:
            return _unsure(1, len(self.rows), len(self.means))
        scores = self._base(step)
        sure = step.base_floor > self.floor and self._spanned(
            step.forms(self.means, self.means)[None], len(subset)
        )
        return Answers(scores[None], np.atleast_1d(sure))

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        return self._step(Borders(self.S, base, candidates, adding=True), len(base) + 1)

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        return self._step(Borders(self.S, base, candidates, adding=False), len(base) - 1)

    def _base(self, step: Borders) -> np.ndarray:
        return step.forms(self.rows, self.means) - 0.5 * step.lengths(self.means) + self.log_priors

    def _step(self, step: Borders, size: int) -> Answers:
        if step.base_floor == 0:
            return _unsure(len(step.candidates), len(self.rows), len(self.means))
        t, v = step.coordinates(self.rows).T, step.sign * step.coordinates(self.means).T
        scores = self._base(step) - (0.5 * step.sign * v * v)[:, None, :] + t[:, :, None] * v[:, None, :]
        gram = step.forms(self.means, self.means) + step.sign * v[:, :, None] * v[:, None, :]
        sure = (step.floor > self.floor) & (step.base_floor > 1e-3 * self.floor) & self._spanned(gram, size)
        return Answers(scores, sure)

    def _spanned(self, gram: np.ndarray, size: int) -> np.ndarray:
        """(C,) whether all directions between the class means count, whatever the tolerance of the solver."""
        directions = min(len(self.means) - 1, size)
        if not self.spans or directions < 2:
            return np.ones(len(gram), dtype=bool)
        root = np.sqrt(self.priors)
        if not np.isfinite(gram).all() or not np.isfinite(root).all():
            return np.zeros(len(gram), dtype=bool)
        values = np.linalg.eigvalsh(gram * root[:, None] * root)
        return values[:, -directions] > self.spans * values[:, -1]


class OwnCovariances:
    """A covariance for each class."""

    def __init__(self, rows: ClassFold, estimator: Any):
        sums = class_scatter(rows.X, rows.y, rows.w, rows.K, pooled=False)
        self.constants = log_of(priors_of(estimator, sums.count))
        S = sums.scatter / sums.count[:, None, None]
        self.S = (1 - estimator.reg_param) * S + estimator.reg_param * np.eye(S.shape[1])
        self.rows = [rows.X_test - mean for mean in sums.mean]
        self.floor = max(FLOOR, 4 * estimator.tol**2)

    def subset(self, subset: np.ndarray) -> Answers:
        steps = [Borders(S, subset, [], adding=True) for S in self.S]
        if any(step.base_floor == 0 for step in steps):
            return _unsure(1, len(self.rows[0]), len(self.S))
        sure = all(step.base_floor > self.floor for step in steps)
        return Answers(self._base(steps)[None], np.array([sure]))

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        return self._step([Borders(S, base, candidates, adding=True) for S in self.S])

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        return self._step([Borders(S, base, candidates, adding=False) for S in self.S])

    def _base(self, steps: list[Borders]) -> np.ndarray:
        lengths = [step.lengths(rows) + step.log_det for step, rows in zip(steps, self.rows)]
        return self.constants - 0.5 * np.stack(lengths, axis=1)

    def _step(self, steps: list[Borders]) -> Answers:
        C, m, K = len(steps[0].candidates), len(self.rows[0]), len(self.S)
        if any(step.base_floor == 0 for step in steps):
            return _unsure(C, m, K)
        scores, sure, base = np.empty((C, m, K)), np.ones(C, dtype=bool), self._base(steps)
        for k, (step, rows) in enumerate(zip(steps, self.rows)):
            t = step.coordinates(rows).T
            scores[:, :, k] = base[:, k] - 0.5 * step.sign * (t * t + step.log_pivots[:, None])
            sure &= (step.floor > self.floor) & (step.base_floor > 1e-3 * self.floor)
        return Answers(scores, sure)


class NearestMeans:
    """Euclid's distances to the class means: squared differences add, and the spread they are measured by is a mean."""

    def __init__(self, rows: ClassFold, estimator: Any):
        sums = class_moments(rows.X, rows.y, rows.w, rows.K)
        self.log_priors = log_of(priors_of(estimator, sums.count))
        self.variances = sums.scatter.sum(axis=0) / sums.count.sum()
        centre = np.exp(self.log_priors) @ sums.mean
        self.rows, self.means = rows.X_test - centre, sums.mean - centre

    def subset(self, subset: np.ndarray) -> Answers:
        return self._scaled(self._base(subset)[None], self.variances[subset].mean()[None])

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        spread = (self.variances[base].sum() + self.variances[candidates]) / (len(base) + 1)
        return self._scaled(self._base(base) + self._terms(candidates), spread)

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        spread = np.array([self.variances[base[base != j]].mean() for j in candidates])
        sums = np.stack([self._base(base[base != j]) for j in candidates])  # a difference might cancel
        return self._scaled(sums, spread)

    def _base(self, base: np.ndarray) -> np.ndarray:
        means = self.means[:, base]
        return self.rows[:, base] @ means.T - 0.5 * np.einsum("kj,kj->k", means, means)

    def _terms(self, columns: np.ndarray) -> np.ndarray:
        """(C, m, K) what each column adds: the form of row and mean, less half the mean's square."""
        m = self.means[:, columns].T[:, None, :]
        return self.rows[:, columns].T[:, :, None] * m - 0.5 * m * m

    def _scaled(self, sums: np.ndarray, spread: np.ndarray) -> Answers:
        return Answers(
            sums / np.where(spread > 0, spread, 1.0)[:, None, None] + self.log_priors,
            np.ones(len(sums), dtype=bool),
        )


def _unsure(C: int, m: int, K: int) -> Answers:
    return Answers(np.zeros((C, m, K)), np.zeros(C, dtype=bool))
