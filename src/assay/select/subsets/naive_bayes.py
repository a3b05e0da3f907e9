"""Subsets for naive Bayes learners: given the class, what columns say adds up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.bayes.counts import feature_sums
from assay.bayes.gaussian_classifier import log_of
from assay.bayes.gaussian_columns import TINY, gaussian_logs, log_joint
from assay.core.moments import class_moments
from assay.select.subsets.fast_scores import (
    MAX_ENTRIES,
    Answers,
    ClassFold,
    FastClassScores,
    claims_measure,
    exactly,
    numbers_of,
)
from assay.select.subsets.folds import Folds, Part
from assay.select.subsets.gaussians import priors_of
from assay.select.subsets.refit import Refit
from assay.types import Estimator

__all__ = ["Scores"]

GAUSSIAN = ("assay.bayes.gaussian_nb.GaussianNB", "sklearn.naive_bayes.GaussianNB")
MIXED = ("assay.bayes.naive_bayes.NaiveBayes",)
COUNTED = (
    "assay.bayes.categorical_nb.CategoricalNB",
    "assay.bayes.bernoulli_nb.BernoulliNB",
    "sklearn.naive_bayes.CategoricalNB",
    "sklearn.naive_bayes.BernoulliNB",
)
MULTINOMIAL = ("assay.bayes.multinomial_nb.MultinomialNB", "sklearn.naive_bayes.MultinomialNB")
MAX_TERMS = 1 << 23  # log probabilities that are kept for each fold: columns times test rows times classes


class Scores(FastClassScores):
    """Subsets for naive Bayes on raw tables: the log probabilities of each column, once per fold, and their sums.

    Cost: one fit of each column alone; then for C candidates O(m K C) a fold of m test rows and K classes, whatever the
    number of training rows.
    """

    @classmethod
    def claims(cls, estimator: Any, folds: Folds) -> bool:
        if not claims_measure(folds, "classification"):
            return False
        if exactly(estimator, *GAUSSIAN, *MULTINOMIAL):
            arrays = numbers_of(folds, most_columns=1 << 62)
            plain = exactly(estimator, *GAUSSIAN) or not np.ndim(estimator.alpha)
            return plain and arrays is not None and cls.rows_of(folds, arrays) is not None
        if not _adds_columns(estimator) or cls.rows_of(folds, _no_numbers(folds)) is None:
            return False
        classes = len(np.unique(np.asarray(folds.y)))
        return max(len(test) for _, test in folds.pairs) * folds.d * classes <= MAX_TERMS

    @classmethod
    def of(cls, estimator: Estimator, folds: Folds) -> Scores:
        if exactly(estimator, *GAUSSIAN, *MULTINOMIAL):
            rows = cls.rows_of(folds, numbers_of(folds, most_columns=1 << 62) or [])
            assert rows is not None
            state = GaussianColumns if exactly(estimator, *GAUSSIAN) else Frequencies
            return cls(estimator, folds, [state(fold, estimator) for fold in rows], rows)
        rows = cls.rows_of(folds, _no_numbers(folds))
        assert rows is not None
        refit = Refit(estimator, folds)
        states = [ColumnsAlone(refit, part, fold) for part, fold in zip(folds.parts, rows)]
        return cls(estimator, folds, states, rows)


def _adds_columns(estimator: Any) -> bool:
    """Whether a column's log probabilities are those of a model of this column alone."""
    if exactly(estimator, *MIXED):
        return not isinstance(estimator.families, Mapping)
    return (
        exactly(estimator, *COUNTED)
        and not np.ndim(estimator.alpha)
        and not np.ndim(getattr(estimator, "min_categories", None) or 0)
    )


def _no_numbers(folds: Folds) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.empty((len(train), 0)), np.empty((len(test), 0))) for train, test in folds.pairs]


class GaussianColumns:
    """Gaussian naive Bayes: log densities of columns add, with variances that share the smoothing of the subset."""

    def __init__(self, rows: ClassFold, estimator: Any):
        sums = class_moments(rows.X, rows.y, rows.w, rows.K)
        whole = sums.unweighted()
        self.log_priors = log_of(priors_of(estimator, sums.count))
        self.means, self.variances = sums.mean, sums.scatter / sums.count[:, None]
        self.added = (
            estimator.var_smoothing * (whole.scatter / whole.observed)[0]
        )  # (d,) what each column would add
        self.X = rows.X_test
        self._epsilon, self._terms = -1.0, np.empty((0, 0, 0))
        self._keeps_columns = self.X.size * len(self.means) <= MAX_ENTRIES

    def subset(self, subset: np.ndarray) -> Answers:
        scores = self._direct(subset, self.added[subset].max())[None]
        return Answers(scores, np.ones(1, dtype=bool))

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        epsilon = self.added[base].max(initial=0.0)
        scores = np.empty((len(candidates), len(self.X), len(self.means)))
        same = self.added[candidates] <= epsilon
        if same.any():
            scores[same] = self._direct(base, epsilon) + self._columns(epsilon, candidates[same])
        for c in np.flatnonzero(~same):
            scores[c] = self._direct(np.append(base, candidates[c]), self.added[candidates[c]])
        return Answers(scores, np.ones(len(scores), dtype=bool))

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        epsilon = self.added[base].max(initial=0.0)
        scores = np.empty((len(candidates), len(self.X), len(self.means)))
        left = [self.added[base[base != j]].max(initial=0.0) for j in candidates]
        same = np.array([e == epsilon and self._keeps_columns for e in left])
        if same.any():
            sums = without_each(self._columns(epsilon, base))
            scores[same] = sums[np.searchsorted(base, candidates[same])] + self.log_priors
        for c in np.flatnonzero(~same):
            scores[c] = self._direct(base[base != candidates[c]], left[c])
        return Answers(scores, np.ones(len(scores), dtype=bool))

    def _direct(self, subset: np.ndarray, epsilon: float) -> np.ndarray:
        """(m, K) the log joint probabilities of a subset."""
        if not len(subset):
            return np.tile(self.log_priors, (len(self.X), 1))
        var = np.ascontiguousarray(self.variances[:, subset]) + epsilon
        out = np.empty((len(self.X), len(var)))
        with np.errstate(divide="ignore", invalid="ignore"):  # a variance of 0 is not sure
            offset = self.log_priors - 0.5 * np.log(2 * np.pi * var).sum(axis=1)
            log_joint(
                np.ascontiguousarray(self.X[:, subset]),
                np.ascontiguousarray(self.means[:, subset]),
                1 / var,
                offset,
                out,
            )
        return out

    def _columns(self, epsilon: float, columns: np.ndarray) -> np.ndarray:
        """(C, m, K) the log densities of some columns; those of all are kept if they are few."""
        if not self._keeps_columns:
            return self._densities(epsilon, columns)
        if epsilon != self._epsilon:
            self._terms, self._epsilon = self._densities(epsilon, np.arange(self.X.shape[1])), epsilon
        return self._terms[columns]

    def _densities(self, epsilon: float, columns: np.ndarray) -> np.ndarray:
        var = (self.variances[:, columns] + epsilon).T[:, None, :]
        gap = self.X[:, columns].T[:, :, None] - self.means[:, columns].T[:, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):  # a variance of 0 is not sure
            return -0.5 * (np.log(2 * np.pi * var) + gap * gap / var)


class ColumnsAlone(GaussianColumns):
    """Any columns: the terms of each one from a model of it alone; Gaussian ones share the smoothing of the subset."""

    def __init__(self, refit: Refit, part: Part, rows: ClassFold):
        d, m, K = refit.d, len(rows.truth), rows.K
        self.X = np.full((m, d), np.nan)
        self.fixed, self.broken = np.zeros((d, m, K)), np.zeros(d, dtype=bool)
        self.means, self.variances, self.overall = np.zeros((K, d)), np.full((K, d), np.nan), np.zeros(d)
        self.added, self.gaussian = np.zeros(d), np.zeros(d, dtype=bool)
        self.log_priors = np.zeros(K)
        for j in range(d):
            try:
                model = refit.fitted([j], part)
                self._learn(j, model, refit.test_rows(model, [j], part), refit.estimator)
            except Exception:  # refitting says why
                self.broken[j] = True
        self._epsilon, self._terms, self._keeps_columns = -1.0, np.empty((0, 0, 0)), True

    def _learn(self, j: int, model: Any, X_test: Any, estimator: Any) -> None:
        prior = model.class_log_prior_ if hasattr(model, "class_log_prior_") else log_of(model.class_prior_)
        self.log_priors = prior
        if next(iter(getattr(model, "families_", {}).values()), "") != "gaussian":
            with np.errstate(invalid="ignore"):
                self.fixed[j] = model.predict_joint_log_proba(X_test) - prior
            return
        moments, whole = model._sums.moments, model._sums.moments.unweighted()
        together, observed = moments.pooled(), moments.observed[:, 0]
        self.gaussian[j], self.X[:, j] = True, model._admit(X_test)[:, 0]
        self.overall[j] = together.scatter[0, 0] / together.observed[0, 0]
        self.means[:, j] = np.where(observed > 0, moments.mean[:, 0], together.mean[0, 0])
        self.variances[observed > 0, j] = moments.scatter[observed > 0, 0] / observed[observed > 0]
        self.added[j] = estimator.var_smoothing * whole.scatter[0, 0] / whole.observed[0, 0]

    def _spread(self, epsilon: float, columns: np.ndarray) -> np.ndarray:
        """(K, C) variances: of the class, or of all where the class has none."""
        var = self.variances[:, columns] + epsilon
        return np.where(var >= TINY, var, self.overall[columns] + epsilon)

    def _direct(self, subset: np.ndarray, epsilon: float) -> np.ndarray:
        scores = self.log_priors + self.fixed[subset].sum(axis=0)
        numbers = subset[self.gaussian[subset]]
        if len(numbers):
            scores = scores + gaussian_logs(
                np.ascontiguousarray(self.X[:, numbers]),
                self.means[:, numbers],
                self._spread(epsilon, numbers),
            )
        if self.broken[subset].any():
            scores = np.full(scores.shape, np.nan)
        return scores

    def _densities(self, epsilon: float, columns: np.ndarray) -> np.ndarray:
        terms = self.fixed[columns].copy()
        numbers = np.flatnonzero(self.gaussian[columns])
        if len(numbers):
            at = columns[numbers]
            var = self._spread(epsilon, at).T[:, None, :]
            gap = self.X[:, at].T[:, :, None] - self.means[:, at].T[:, None, :]
            density = -0.5 * (np.log(2 * np.pi * var) + gap * gap / var)
            terms[numbers] = np.where(np.isnan(gap), 0.0, density)  # a missing entry says nothing
        terms[self.broken[columns]] = np.nan
        return terms


class Frequencies:
    """Multinomial counts: sums over columns of x_j log c_kj, less the row's sum times the logarithm of the class's."""

    def __init__(self, rows: ClassFold, estimator: Any):
        sums, lowest = feature_sums(rows.X, rows.y, rows.w, rows.K)
        self.X, self.valid = rows.X_test, lowest >= 0 and estimator.alpha > 0 and rows.X_test.min() >= 0
        self.valid &= bool(estimator.force_alpha or estimator.alpha >= 1e-10)
        self.counts = sums.feature_count + (estimator.alpha if self.valid else 1.0)
        self.logs = np.log(self.counts) if self.valid else self.counts
        prior = estimator.class_prior
        if prior is None and not estimator.fit_prior:
            prior = np.full(rows.K, 1 / rows.K)
        self.valid &= prior is None or np.shape(prior) == (rows.K,)
        self.log_priors = log_of(
            sums.class_count / sums.class_count.sum() if prior is None else np.asarray(prior)
        )

    def subset(self, subset: np.ndarray) -> Answers:
        return self._scores(
            (self.X[:, subset] @ self.logs[:, subset].T)[None],
            self.X[:, subset].sum(axis=1)[None],
            self.counts[:, subset].sum(axis=1)[None],
        )

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        products = self.X[:, candidates].T[:, :, None] * self.logs[:, candidates].T[:, None, :]
        return self._scores(
            self.X[:, base] @ self.logs[:, base].T + products,
            self.X[:, base].sum(axis=1) + self.X[:, candidates].T,
            self.counts[:, base].sum(axis=1) + self.counts[:, candidates].T,
        )

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers:
        stays = [base[base != j] for j in candidates]
        return self._scores(
            np.stack([self.X[:, s] @ self.logs[:, s].T for s in stays]),
            np.stack([self.X[:, s].sum(axis=1) for s in stays]),
            np.stack([self.counts[:, s].sum(axis=1) for s in stays]),
        )

    def _scores(self, products: np.ndarray, sums: np.ndarray, totals: np.ndarray) -> Answers:
        scores = products - sums[:, :, None] * np.log(totals)[:, None, :] + self.log_priors
        return Answers(scores, np.full(len(scores), self.valid))


def without_each(terms: np.ndarray) -> np.ndarray:
    """(b, ...) the sums of all terms (b, ...) but one, for each of them; nothing is subtracted.

    >>> import numpy as np
    >>> without_each(np.array([1.0, 2.0, -np.inf]))
    array([-inf, -inf,   3.])
    """
    after = np.zeros_like(terms)
    for t in range(len(terms) - 1, 0, -1):
        after[t - 1] = after[t] + terms[t]
    before = np.zeros(terms.shape[1:])
    for t in range(len(terms)):
        after[t] += before
        before = before + terms[t]
    return after
