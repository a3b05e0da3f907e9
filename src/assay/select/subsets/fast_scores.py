"""Scores of subsets without refitting: what the quick implementations share.

An implementation keeps, for each fold, an object that knows the answers of the learner for the test rows: for one
subset, and for all subsets that one column more or less makes of a base. From these answers the measure is computed as
it would be from a fitted model's. Where rounding alone could change a score (two classes as likely as each other,
columns nearly collinear, densities that underflow) the subset is fitted again on that fold, so that the scores are
always those of refitting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

import assay.select.subsets._fast_scores as _fast_scores
from assay.core.targets import EncodedLabels, encode_labels, plain_values
from assay.metrics.forms import OfScores
from assay.metrics.outcome import Outcome
from assay.select.subsets.folds import Folds
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import Subset, SubsetScores
from assay.tables import Table
from assay.types import Estimator

__all__ = ["Answers", "ClassFold", "FastClassScores", "FastNumberScores", "NumberFold", "numbers_of"]

MAX_ENTRIES = 1 << 21  # answers that are held at once: candidates times test rows times classes
SAME = 1e-10  # scores whose difference is below this share of their size may be equal
SAME_RANK = 1e-12  # probabilities whose difference is below it may be in either order
SQUARED = {  # measures that are functions of the sum of squared errors
    "r2": "r2",
    "mse": "mse",
    "rmse": "rmse",
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
}
NO_WEIGHTS = np.empty(0)
MAX_COLUMNS = 2000  # for which a matrix of all columns is kept for each fold
LARGEST = 5e153  # times the root of the number of rows: no sum of squared deviations overflows


SubsetOf = Callable[[int], np.ndarray]  # the columns of the subset that answers number c are of


class Answers(NamedTuple):
    """What the learner answers for the test rows, for each of C subsets.

    values : (C, n, K) scores of the classes, log P(k | x) up to a term equal for all classes; or (C, n) numbers, or
        (C,) sums of their squared errors
    sure : (C,) False where the subset has to be fitted again
    """

    values: np.ndarray
    sure: np.ndarray


class Fold(Protocol):
    """The answers of a learner on one fold."""

    def subset(self, subset: np.ndarray) -> Answers: ...

    def additions(self, base: np.ndarray, candidates: np.ndarray) -> Answers: ...

    def removals(self, base: np.ndarray, candidates: np.ndarray) -> Answers: ...


class ClassFold(NamedTuple):
    """Rows of one fold as arrays, for a classifier.

    X : (n, d) training rows    y : (n,) class codes    w : (n,) weights or None    K : number of classes
    X_test : (m, d)    truth : (m,) class codes    w_test : (m,) or None    labels : (K,)
    """

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray | None
    K: int
    X_test: np.ndarray
    truth: np.ndarray
    w_test: np.ndarray | None
    labels: np.ndarray


class NumberFold(NamedTuple):
    """Rows of one fold as arrays, for a regressor: as `ClassFold`, with numbers y and truth."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray | None
    X_test: np.ndarray
    truth: np.ndarray
    w_test: np.ndarray | None


class FastScores(SubsetScores):
    """Base of the quick implementations: asks the folds for answers and measures them."""

    def __init__(self, estimator: Estimator, folds: Folds, states: Sequence[Fold], rows: Sequence[Any]):
        self.estimator, self.folds, self.states, self.rows = estimator, folds, states, rows
        self.d, self.n_folds, self.sign, self.measure = folds.d, len(folds.pairs), folds.sign, folds.name
        self.refitted = 0  # pairs of a subset and a fold that were fitted again

    def scores(self, subsets: Sequence[Subset]) -> np.ndarray:
        chosen = [np.asarray(sorted(subset), dtype=np.intp) for subset in subsets]
        out = np.empty((len(chosen), self.n_folds))
        for s, subset in enumerate(chosen):

            def subset_of(c: int, subset: np.ndarray = subset) -> np.ndarray:
                return subset

            for f, (state, rows) in enumerate(zip(self.states, self.rows)):
                out[s, f] = self._judge(f, rows, state.subset(subset), subset_of)[0]
        return out

    def additions(self, base: Subset, candidates: Sequence[int]) -> np.ndarray:
        return self._steps("additions", base, candidates)

    def removals(self, base: Subset, candidates: Sequence[int]) -> np.ndarray:
        if len(base) == 1:
            return super().removals(base, candidates)
        return self._steps("removals", base, candidates)

    def _steps(self, kind: str, base: Subset, candidates: Sequence[int]) -> np.ndarray:
        start, steps = np.asarray(sorted(base), dtype=np.intp), np.asarray(candidates, dtype=np.intp)
        out = np.empty((len(steps), self.n_folds))
        size = max(1, MAX_ENTRIES // max(self._entries(), 1))
        for at in range(0, len(steps), size):
            some = steps[at : at + size]

            def subset_of(c: int, some: np.ndarray = some) -> np.ndarray:
                return np.sort(np.append(start, some[c])) if kind == "additions" else start[start != some[c]]

            for f, (state, rows) in enumerate(zip(self.states, self.rows)):
                answers = getattr(state, kind)(start, some)
                out[at : at + size, f] = self._judge(f, rows, answers, subset_of)
        return out

    @cached_property
    def _refit(self) -> Refit:
        return Refit(self.estimator, self.folds)

    def _judge(self, fold: int, rows: Any, answers: Answers, subset_of: SubsetOf) -> np.ndarray:
        """(C,) the scores of the answers; by refitting where they are not sure."""
        values, sure = self._measured(rows, answers, subset_of)
        doubtful = np.flatnonzero(~(sure & answers.sure)).tolist()
        if len(doubtful):
            self.refitted += len(doubtful)
            doubted = [subset_of(c).tolist() for c in doubtful]
            values[doubtful] = self._refit.on_fold(doubted, fold, len(doubted) < len(values))
        return values

    def _measured(self, rows: Any, answers: Answers, subset_of: SubsetOf) -> tuple[np.ndarray, np.ndarray]:
        raise TypeError(f"{type(self).__name__} must define _measured")

    def _entries(self) -> int:
        """How many answers one candidate has on the largest fold."""
        raise TypeError(f"{type(self).__name__} must define _entries")


class FastClassScores(FastScores):
    """Classifiers: labels by the largest score, probabilities by the softmax of the scores."""

    exact = False  # whether scores are those of refitting to the last digit

    def _labels(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(C, m) the predicted classes, and (C,) whether rounding cannot change them."""
        with np.errstate(invalid="ignore"):
            return _winners(scores)

    def _correct(self, scores: np.ndarray, rows: ClassFold) -> tuple[np.ndarray, np.ndarray]:
        """(C,) the weight of the test rows that are labelled correctly, and whether rounding cannot change it."""
        correct, sure = np.empty(len(scores)), np.empty(len(scores), dtype=np.uint8)
        flat = np.ascontiguousarray(scores).reshape(-1, scores.shape[2])
        _fast_scores.tally(
            flat, rows.truth, NO_WEIGHTS if rows.w_test is None else rows.w_test, SAME, correct, sure
        )
        return correct, sure.astype(bool)

    def _posterior(self, scores: np.ndarray) -> np.ndarray:
        """(m, K) the probabilities of the classes."""
        return _softmax(scores)

    def _entries(self) -> int:
        return max(len(fold.truth) * fold.K for fold in self.rows)

    def _measured(
        self, rows: ClassFold, answers: Answers, subset_of: SubsetOf
    ) -> tuple[np.ndarray, np.ndarray]:
        measure = self.folds.measure
        assert measure is not None
        scores = answers.values
        if measure.name in ("accuracy", "error"):
            correct, sure = self._correct(scores, rows)
            share = correct / (len(rows.truth) if rows.w_test is None else rows.w_test.sum())
            return (share if measure.name == "accuracy" else share - 1.0), sure
        labels, sure = self._labels(scores)
        values = np.empty(len(scores))
        for c, answer in enumerate(labels):
            if not (sure[c] and answers.sure[c]):
                continue
            posterior = self._posterior(scores[c]) if measure.needs_probabilities else None
            if posterior is not None and isinstance(measure.of, OfScores) and not self.exact:
                sure[c] &= _ranks_are_sure(posterior, rows.truth, self._test_values(rows)[:, subset_of(c)])
            outcome = Outcome(rows.truth, answer, posterior, rows.K, weight=rows.w_test, labels=rows.labels)
            values[c] = -measure.sign * float(measure.of(outcome))
        return values, sure

    def _test_values(self, rows: ClassFold) -> np.ndarray:
        """(m, d) the test rows as they are, to tell equal rows."""
        part = self.folds.parts[next(f for f, fold in enumerate(self.rows) if fold is rows)]
        return np.asarray(
            part.X_test.values if isinstance(part.X_test, Table) else part.X_test, dtype=np.float64
        )

    @staticmethod
    def rows_of(folds: Folds, arrays: list[tuple[np.ndarray, np.ndarray]]) -> list[ClassFold] | None:
        """The folds as arrays; None if a training fold lacks a class."""
        made = []
        for part, (X, X_test) in zip(folds.parts, arrays):
            classes, codes = _labels_of(folds.y, len(folds.y))
            train, test = (np.asarray(plain_values(y)) for y in (part.y_train, part.y_test))
            y, truth = np.searchsorted(classes, train), np.searchsorted(classes, test)
            w, w_test = (p.get("sample_weight") for p in (part.fit_params, part.score_params))
            if (np.bincount(y, weights=w, minlength=len(classes)) <= 0).any() or not len(truth):
                return None
            if w_test is not None and not np.sum(w_test) > 0:
                return None
            made.append(ClassFold(X, y, w, len(classes), X_test, truth, w_test, classes))
        return made


class FastNumberScores(FastScores):
    """Regressors: predicted numbers, or for squared errors their sums."""

    def _entries(self) -> int:
        return max(len(fold.truth) for fold in self.rows)

    def _measured(
        self, rows: NumberFold, answers: Answers, subset_of: SubsetOf
    ) -> tuple[np.ndarray, np.ndarray]:
        measure = self.folds.measure
        assert measure is not None
        if answers.values.ndim == 1:
            return self._from_squares(rows, answers.values), np.isfinite(answers.values)
        values, sure = np.empty(len(answers.values)), np.isfinite(answers.values).all(axis=1)
        for c, predicted in enumerate(answers.values):
            if sure[c] and answers.sure[c]:
                outcome = Outcome(
                    rows.truth, predicted, None, 0, weight=rows.w_test, columns=len(subset_of(c))
                )
                values[c] = -measure.sign * float(measure.of(outcome))
        return values, sure

    def _from_squares(self, rows: NumberFold, squares: np.ndarray) -> np.ndarray:
        """(C,) the scores of sums of (weighted) squared errors."""
        w = np.ones(len(rows.truth)) if rows.w_test is None else rows.w_test
        mean, name = squares / w.sum(), SQUARED[self.folds.measure.name]  # type: ignore[union-attr]
        if name == "r2":
            return 1.0 - mean / np.average((rows.truth - np.average(rows.truth, weights=w)) ** 2, weights=w)
        return -mean if name == "mse" else -np.sqrt(mean)

    @staticmethod
    def rows_of(folds: Folds, arrays: list[tuple[np.ndarray, np.ndarray]]) -> list[NumberFold] | None:
        """The folds as arrays; None if a test fold has no spread to explain."""
        made = []
        for part, (X, X_test) in zip(folds.parts, arrays):
            y, truth = (np.asarray(plain_values(v), dtype=np.float64) for v in (part.y_train, part.y_test))
            w, w_test = (p.get("sample_weight") for p in (part.fit_params, part.score_params))
            if len(truth) < 2 or np.ptp(truth) == 0 or (w_test is not None and (w_test > 0).sum() < 2):
                return None
            made.append(NumberFold(X, y, w, X_test, truth, w_test))
        return made


def claims_measure(folds: Folds, task: str) -> bool:
    """Whether the measure is one of labels or probabilities ("classification") or of predicted numbers alone."""
    measure = folds.measure
    if measure is None or folds.fit_params or folds.score_params or folds.y is None or np.ndim(folds.y) != 1:
        return False
    if task == "regression":
        return measure.task in (task, "both") and measure.needs == "numbers"
    response = getattr(folds.scorer, "_response_method", None)  # of scikit-learn's scorers
    return (
        measure.task in (task, "both")
        and measure.needs in ("labels", "scores", "probabilities")
        and response in (None, "predict", "predict_proba")
    )


def numbers_of(folds: Folds, most_columns: int = MAX_COLUMNS) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """Training and test rows of each fold as blocks of float64; None for other tables than complete numbers.

    Nor of numbers whose squares overflow: these the learner meets itself, and says what it thinks of them.
    """
    if folds.prepared:
        blocks = [(_numbers(part.X_train), _numbers(part.X_test)) for part in folds.parts]
        pairs = [(a, b) for a, b in blocks if a is not None and b is not None]
        return pairs if folds.d <= most_columns and len(pairs) == len(blocks) else None
    values = _numbers(folds.X) if folds.d <= most_columns else None
    return None if values is None else [(values[train], values[test]) for train, test in folds.pairs]


def _numbers(X: Any) -> np.ndarray | None:
    if isinstance(X, Table):
        if not isinstance(X.values, np.ndarray) or X.schema.coded.any() or not X.complete:
            return None
        values = X.values
    else:
        values = np.asarray(X) if hasattr(X, "__array__") or isinstance(X, list) else np.empty(0)
        if values.ndim != 2 or values.dtype.kind not in "fiub":
            return None
    largest = np.abs(values, dtype=np.float64).max(initial=0.0)
    if values.dtype == np.float32 or not largest * np.sqrt(len(values)) <= LARGEST:
        return None
    return np.ascontiguousarray(values, dtype=np.float64)


def exactly(estimator: Any, *names: str) -> bool:
    """Whether the estimator is an instance of one of these classes, "module.Class", and not of a subclass."""
    kind = type(estimator)
    return any(f"{kind.__module__}.{kind.__qualname__}" == name for name in names)


def _labels_of(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    return y.present() if isinstance(y, EncodedLabels) else encode_labels(y, n, "subset_scores")


def _winners(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(C, n) the class with the largest of the scores (C, n, K), and (C,) whether rounding cannot change it."""
    if scores.shape[2] == 1:
        return np.zeros(scores.shape[:2], dtype=np.intp), np.isfinite(scores).all(axis=(1, 2))
    if scores.shape[2] == 2:
        lead = scores[..., 1] - scores[..., 0]
        labels, lead = (lead > 0).astype(np.intp), np.abs(lead)
    else:
        labels = scores.argmax(axis=2)
        top = np.partition(scores, -2, axis=2)
        lead = top[..., -1] - top[..., -2]
    sure = (lead > SAME * (1 + np.abs(scores).max(axis=2))).all(axis=1)  # False for NaN and infinite scores
    return labels, sure & np.isfinite(lead).all(axis=1)


def _softmax(scores: np.ndarray) -> np.ndarray:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def _ranks_are_sure(posterior: np.ndarray, truth: np.ndarray, values: np.ndarray) -> bool:
    """Whether rows of different classes that are within rounding of each other are equal rows, equally likely."""
    for k in range(posterior.shape[1]):
        order = np.argsort(posterior[:, k], kind="stable")
        p, positive = posterior[order, k], truth[order] == k
        first = np.concatenate([[True], np.diff(p) >= SAME_RANK])  # of a group of rows within rounding
        group = np.cumsum(first) - 1
        share = np.bincount(group, weights=positive) / np.bincount(group)
        mixed = ((share > 0) & (share < 1))[group]
        head = order[np.flatnonzero(first)[group]]
        a, b = values[order[mixed]], values[head[mixed]]
        equal = ((a == b) | (np.isnan(a) & np.isnan(b))).all(axis=1)
        if not (equal & (p[mixed] == posterior[head[mixed], k])).all():
            return False
    return True
