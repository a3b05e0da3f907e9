"""CalibratedClassifierCV: probabilities that mean what they say, for any classifier."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Explanations
from assay.core.fitting import all_or_nothing
from assay.core.learner import fit_elsewhere
from assay.core.meta_estimator import Routed, aligned, takes_weights
from assay.core.parameters import Any_, Choice, Flag
from assay.core.row_draws import row_uniforms
from assay.core.row_sample import RowSample
from assay.core.stored import AnyArray, Each, Object, Text
from assay.core.sum_learner import PassLearner, more_rows_than_memory
from assay.core.sums import Block, Mapped, Source
from assay.core.targets import EncodedLabels, label_codes
from assay.decide._meta import MetaClassifier, folds, is_fitted
from assay.decide.isotonic import IsotonicCalibrator
from assay.decide.reasoning import inner_reasoning
from assay.decide.sigmoid import SigmoidCalibrator
from assay.decide.softmax import SoftmaxCalibrator
from assay.decide.temperature import TemperatureCalibrator
from assay.decide.venn_abers import VennAbersCalibrator
from assay.errors import AssayWarning, DataError, ParameterError, warn_user
from assay.tables import Table
from assay.tables.rows import take_rows
from assay.types import Estimator, Floats, Splitter, TableLike, Target, Weights

__all__ = ["CalibratedClassifierCV"]

METHODS: dict[str, Any] = {
    "sigmoid": SigmoidCalibrator,
    "isotonic": IsotonicCalibrator,
    "softmax": SoftmaxCalibrator,
    "temperature": TemperatureCalibrator,
    "venn_abers": VennAbersCalibrator,
}
CALIBRATION_ROWS = 200_000  # of blocks, the most whose scores calibrators learn from
OF_ALL_CLASSES = ("softmax", "temperature")  # methods that see the scores of all classes at once


class CalibratedClassifierCV(PassLearner, MetaClassifier):
    r"""Learn, on rows that the classifier did not see, what its scores are worth.

    Each fold's classifier is fitted without the fold and its scores are calibrated on the fold; the answer is
    the mean of the folds' probabilities (``ensemble=True``). With ``ensemble=False`` one classifier is fitted
    to all rows, and one calibrator to the scores that each row got from the fold that left it out.

    Scores are ``decision_function`` if there is one, else ``predict_proba``. Sigmoid, isotonic and Venn-Abers
    calibrate one class against the rest, and K > 2 results are divided by their sum (all zero: the uniform
    distribution). Temperature and softmax treat all classes at once.

    A classifier that is a sum is also calibrated from blocks (``fit_blocks``) and on Dask, with folds that are drawn by
    numbers which belong to the rows (not stratified), so that the result is the same however the rows are cut. Of more
    than 200,000 rows the calibrators learn from the scores of as many, drawn at random.

    Cost: fit cv times the estimator, and O(n log n) for the curves; predict O(cv) times the estimator, O(1) with
    ensemble=False; memory O(n K) to fit, and cv estimators kept.

    Parameters
    ----------
    estimator : classifier; default None is Gaussian naive Bayes
    method : "sigmoid" (default), "isotonic", "temperature", "softmax" or "venn_abers"
        Two numbers, for few rows; a staircase, for a thousand and more; one number that keeps the order of
        the classes; a layer of weights over all scores; the staircase with bounds, ``predict_interval``.
    cv : int, splitter, iterable of splits, or "prefit"; default None is 5 stratified folds
        (fewer, but at least 2, if a class has fewer rows)
        "prefit" takes the estimator as it is, already fitted, and calibrates it on all rows given: they must
        not be the rows that it learned from. A ``FrozenEstimator`` means the same.
    n_jobs : folds fitted at once, default None is one
    ensemble : True, False, or "auto" (default): True, except for a classifier that came fitted

    Attributes
    ----------
    classes_ : (K,)
    calibrated_classifiers_ : list of objects with ``estimator`` and ``calibrators``

    Notes
    -----
    Same parameters and results as scikit-learn's, to 1e-6 (sigmoid: Newton's method here, a quasi-Newton
    method stopped at gradient 1e-6 there), 1e-12 (isotonic; scores closer than 1e-15 are equal there) and 5e-6
    (temperature: a root here, a search on function values there). Differences: "prefit" and "venn_abers"
    exist; the default estimator is Gaussian naive Bayes, not a linear support vector machine; leaving out single
    rows is refused only where each fold has a calibrator of its own (``ensemble=True``).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from assay.bayes import GaussianNB
    >>> from assay.decide import CalibratedClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> sure = GaussianNB().fit(X, y)
    >>> honest = CalibratedClassifierCV(GaussianNB(), method="isotonic").fit(X, y)
    >>> [round(float(model.score(X, y)), 2) for model in (sure, honest)]
    [0.94, 0.94]
    >>> [round(float(model.predict_proba(X).max(axis=1).mean()), 2) for model in (sure, honest)]
    [0.99, 0.95]

    See Also
    --------
    SigmoidCalibrator, IsotonicCalibrator, TemperatureCalibrator, VennAbersCalibrator : the curves by themselves

    References
    ----------
    - Platt, J. C. (1999). Probabilistic outputs for support vector machines and comparisons to regularized likelihood
      methods. In Advances in Large Margin Classifiers, MIT Press, 61-74.
    - Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate multiclass probability estimates.
      ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, 694-699. doi:10.1145/775047.775151
    - Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern neural networks. International
      Conference on Machine Learning, 1321-1330.
    - Vovk, V., Petej, I. and Fedorova, V. (2015). Large-scale probabilistic predictors with and without guarantees of
      validity. Advances in Neural Information Processing Systems 28, 892-900.
    """

    card = Card(
        "calibrated", "a classifier whose scores become probabilities, by cross-validation", wraps=True
    )
    accepts = {
        "estimator": Any_("a classifier, or None"),
        "method": Choice(*METHODS),
        "ensemble": Flag() | Choice("auto"),
        "cv": Any_(),
        "n_jobs": Any_("a whole number, or None"),
    }
    stored = {
        "calibrated_classifiers_": Each(Object("assay.decide.calibrated_classifier._Calibrated", K="K"))
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        method: str = "sigmoid",
        cv: Splitter | None = None,
        n_jobs: int | None = None,
        ensemble: Any = "auto",
    ):
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs
        self.ensemble = ensemble

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **fit_params: Any) -> Self:
        """Fit classifiers and calibrators; X reaches the classifier as it is.

        Parameters
        ----------
        X : table of any kind that the classifier takes, (n, d)
        y : (n,) class labels
        sample_weight : (n,) what each row counts, for the classifiers and the calibrators
        fit_params : ``groups`` for a splitter of groups; all else is for the classifier's fit. With scikit-learn's
            metadata routing switched on, each gets what it has requested.
        """
        if fit_elsewhere(self, X, y, sample_weight):
            return self
        model = self._fitted_estimator() if self._came_fitted() else None
        values, target, w = self._start(X, y, sample_weight, model)
        routed = self._routed(sample_weight, fit_params)
        if len(self.classes_) < 2:
            raise DataError("CalibratedClassifierCV: y has one class; there is nothing to calibrate.")
        if model is None:
            splits = folds(self.cv, X, target, type(self).__name__, routed.split)
            self.calibrated_classifiers_ = self._cross_fit(values, target, w, routed, splits)
            return self
        self.classes_ = np.asarray(model.classes_)
        codes = label_codes(target, self.classes_, len(target), type(self).__name__)
        scores = scores_of(model, values, self.classes_, self.method)
        self.calibrated_classifiers_ = [self._pair(model, scores, codes, w)]
        return self

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) calibrated probabilities."""
        values = self._admit(X)
        mean: Floats = np.mean([pair.predict_proba(values) for pair in self.calibrated_classifiers_], axis=0)
        return mean

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable class; among equals the first of ``classes_``."""
        posterior = self.predict_proba(X)
        answers: np.ndarray = self.classes_[np.argmax(posterior, axis=1)]
        return answers

    def predict_interval(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """(n, K) lower and (n, K) upper probabilities by Venn-Abers, means over the folds."""
        check_is_fitted(self)
        if self.method != "venn_abers":
            raise ParameterError(
                f"CalibratedClassifierCV: only method='venn_abers' gives bounds, here it is {self.method!r}."
            )
        values = self._admit(X)
        ends = np.mean([pair.interval(values) for pair in self.calibrated_classifiers_], axis=0)
        return ends[0], ends[1]

    def _explain_table(self, X: Any) -> Explanations:
        X = self._admit(X)
        parts = np.stack([pair.predict_proba(X) for pair in self.calibrated_classifiers_])
        names, mean = self.classes_.tolist(), parts.mean(axis=0)
        heads, title = ["classifier", *map(str, names)], f"Calibrated by {self.method}"

        def folds(i: int) -> list[Section]:
            return [
                Section(title, heads, [[f"fold {f}", *map(float, part[i])] for f, part in enumerate(parts)])
            ]

        first = self.calibrated_classifiers_[0].estimator
        inner = inner_reasoning(first, X, len(mean), asked=len(parts) == 1)
        answers = [names[k] for k in mean.argmax(axis=1)]
        return inner.then(type(self).__name__, folds, answers=answers, classes=names, posterior=mean)

    def _came_fitted(self) -> bool:
        from sklearn.frozen import FrozenEstimator

        return (isinstance(self.cv, str) and self.cv == "prefit") or isinstance(
            self.estimator, FrozenEstimator
        )

    def _fitted_estimator(self) -> Any:
        model = self._template()
        if not is_fitted(model):
            raise ParameterError(
                f"CalibratedClassifierCV: cv='prefit' needs a fitted classifier, {type(model).__name__} is not."
            )
        return model

    def _asked(self) -> Any:
        pairs = vars(self).get("calibrated_classifiers_")
        return pairs[0].estimator if pairs else super()._asked()

    def _cross_fit(
        self, X: Any, target: EncodedLabels, w: Any, routed: Routed, splits: list[Any]
    ) -> list[_Calibrated]:
        codes = target.codes
        if self.ensemble is not False:
            self._check_folds(codes, splits)

        def part(split: tuple[np.ndarray, np.ndarray]) -> tuple[Any, np.ndarray]:
            model = self._fit_part(X, target, w, routed, split[0])
            return model, scores_of(model, take_rows(X, split[1]), self.classes_, self.method)

        parts = self._each(part, splits, self.n_jobs or 1)
        if self.ensemble is not False:
            return [
                self._pair(model, scores, codes[test], None if w is None else w[test])
                for (model, scores), (_, test) in zip(parts, splits)
            ]
        rows = np.concatenate([test for _, test in splits])
        scores = np.concatenate([scores for _, scores in parts])
        model = self._fit_part(X, target, w, routed)
        return [self._pair(model, scores, codes[rows], None if w is None else w[rows])]

    # ------------------------------------------------------------------ blocks

    _has_classes = True

    def _learn_from(self, source: Source) -> None:
        if len(self.classes_) < 2:
            raise DataError("CalibratedClassifierCV: y has one class; there is nothing to calibrate.")
        source = source.numbered()
        if self._came_fitted():
            models = [self._fitted_estimator()]
            self.classes_ = self._same_classes(np.asarray(models[0].classes_))
            self._calibrate(source, models, models)
            return
        n_folds = 5 if self.cv is None else self.cv
        if isinstance(n_folds, bool) or not isinstance(n_folds, (int, np.integer)) or n_folds < 2:
            raise ParameterError(
                "CalibratedClassifierCV: from blocks cv must be a number of folds from 2 up, or 'prefit', got "
                f"{n_folds!r}."
            )
        n_folds = int(n_folds)
        models = [
            self._fit_source_of(Mapped(source, partial(_without_fold, fold, n_folds)))
            for fold in range(n_folds)
        ]
        keep = models if self.ensemble is not False else [self._fit_source_of(source)]
        self._calibrate(source, models, keep)

    def _fit_source_of(self, source: Source) -> Any:
        model = clone(self._template())
        if not isinstance(model, PassLearner):
            raise more_rows_than_memory(model)
        return model._fit_source(source, self.schema_, self.classes_)

    def _same_classes(self, known: np.ndarray) -> np.ndarray:
        strange = set(self.classes_.tolist()) - set(known.tolist())
        if strange or len(known) != len(self.classes_):
            raise DataError(
                f"CalibratedClassifierCV: the blocks have the classes {self.classes_.tolist()}, and the fitted "
                f"classifier {known.tolist()}. From blocks they must be the same."
            )
        return known

    def _calibrate(self, source: Source, models: list[Any], keep: list[Any]) -> None:
        """Calibrators for the models that are kept, from the scores of models[f] for the rows of fold f."""
        schema, classes, method = self.schema_, self.classes_, self.method

        def scored(block: Block) -> RowSample:
            n, folds = block.X.shape[0], len(models)
            fold = _fold_of(block, folds)
            width = 1 if len(classes) == 2 and method not in OF_ALL_CLASSES else len(classes)
            scores = np.empty((n, width))
            for f, model in enumerate(models):
                rows = np.flatnonzero(fold == f)
                if len(rows):
                    scores[rows] = scores_of(model, Table(block.X[rows], schema, None), classes, method)
            return RowSample.of((scores, block.y, block.w, fold), block.start, CALIBRATION_ROWS, 1)

        scores, codes, w, fold = source.add_up(scored).in_order().entries
        pairs = []
        for f, model in enumerate(keep):
            rows = np.flatnonzero(fold == f) if len(keep) > 1 else np.arange(len(fold))
            counts = np.bincount(codes[rows], minlength=len(classes))
            if not counts.all():
                raise DataError(
                    f"CalibratedClassifierCV: the rows of fold {f + 1} lack the class "
                    f"{classes.tolist()[int(counts.argmin())]!r}. Use fewer folds, or ensemble=False."
                )
            pairs.append(self._pair(model, scores[rows], codes[rows], None if w is None else w[rows]))
        self.calibrated_classifiers_ = pairs

    def _check_folds(self, codes: np.ndarray, splits: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Refuse more folds than some class has rows to be left out: calibrators would not meet that class."""
        rows = np.bincount(codes[np.concatenate([test for _, test in splits])], minlength=len(self.classes_))
        if np.min(rows) < len(splits):
            k = int(np.argmin(rows))
            raise DataError(
                f"CalibratedClassifierCV: each of {len(splits)} folds calibrates on its own left-out rows, and class "
                f"{self.classes_.tolist()[k]!r} has {rows[k]} of them. Use fewer folds, or ensemble=False."
            )

    def _fit_clone(self, X: Any, y: Any, w: np.ndarray | None, seed: int | None = None, **params: Any) -> Any:
        model = self._template()
        if w is not None and not takes_weights(model):
            warn_user(
                f"CalibratedClassifierCV: {type(model).__name__} does not appear to accept sample_weight, so the "
                "weights are used for the calibration only.",
                AssayWarning,
            )
            w = None
        return super()._fit_clone(X, y, w, seed, **params)

    def _pair(self, model: Any, scores: np.ndarray, codes: np.ndarray, w: Any) -> _Calibrated:
        make = METHODS[self.method]
        if self.method in OF_ALL_CLASSES:
            return _Calibrated(model, [make().fit(scores, codes, w)], self.classes_, self.method)
        which = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        calibrators = [make().fit(scores[:, j], codes == k, w) for j, k in enumerate(which)]
        return _Calibrated(model, calibrators, self.classes_, self.method)


def _fold_of(block: Block, n_folds: int) -> np.ndarray:
    """(n,) the fold of each row of a block, drawn by the number of the row."""
    uniforms = row_uniforms(0, 0, block.start, block.X.shape[0])
    return (uniforms * n_folds).astype(np.int64)


def _without_fold(fold: int, n_folds: int, block: Block) -> Block:
    """The block, in which the rows of one fold weigh nothing."""
    weights = np.ones(block.X.shape[0]) if block.w is None else block.w
    return Block(block.X, block.y, np.where(_fold_of(block, n_folds) == fold, 0.0, weights))


class _Calibrated:
    """A fitted classifier with its fitted calibrators."""

    storable = True
    stored = {
        "estimator": Object(BaseEstimator),
        "calibrators": Each(
            Object(
                IsotonicCalibrator,
                SigmoidCalibrator,
                SoftmaxCalibrator,
                TemperatureCalibrator,
                VennAbersCalibrator,
            )
        ),
        "classes": AnyArray("K"),
        "method": Text(),
    }

    def __init__(self, estimator: Any, calibrators: list[Any], classes: np.ndarray, method: str):
        self.estimator = estimator
        self.calibrators = calibrators
        self.classes = classes
        self.method = method

    @property
    def shown_as(self) -> str:
        """What ``show`` calls it."""
        return f"{type(self.estimator).__name__}, calibrated ({self.method})"

    def predict_proba(self, X: Any) -> np.ndarray:
        scores = scores_of(self.estimator, X, self.classes, self.method)
        if self.method in OF_ALL_CLASSES:
            probabilities: Floats = self.calibrators[0].predict(scores)
            return probabilities
        P = np.column_stack([c.predict(s) for c, s in zip(self.calibrators, scores.T)])
        if P.shape[1] > 1:
            P[:, ~np.isin(self.classes, self.estimator.classes_)] = 0.0  # its training rows had none of them
        return _normalised(P)

    def interval(self, X: TableLike) -> np.ndarray:
        """(2, n, K) lower and upper probabilities, one class against the rest."""
        scores = scores_of(self.estimator, X, self.classes, self.method)
        ends = np.array([c.interval(s) for c, s in zip(self.calibrators, scores.T)])  # (K or 1, 2, n)
        if len(ends) == 1:
            p0, p1 = ends[0]
            return np.array([np.column_stack([1 - p1, p0]), np.column_stack([1 - p0, p1])])
        return ends.transpose(1, 2, 0)


def scores_of(model: Any, X: TableLike, classes: np.ndarray, method: str) -> np.ndarray:
    """The scores to calibrate: (n, K), or (n, 1) for two classes; methods of all classes get (n, K) log scores."""
    K, known = len(classes), model.classes_
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            if K == 2 and method not in OF_ALL_CLASSES:
                return scores[:, None]
            scores = np.column_stack([-scores, scores])
        if scores.shape[1] != len(known):
            raise DataError(
                f"CalibratedClassifierCV: {type(model).__name__} scores {scores.shape[1]} columns and has {len(known)} "
                "classes; its decision_function must give one column a class, or one number a row for two classes."
            )
        return aligned(scores, known, classes, fill=scores.min(initial=0.0))
    if not hasattr(model, "predict_proba"):
        raise ParameterError(
            f"CalibratedClassifierCV: {type(model).__name__} has neither decision_function nor predict_proba, so "
            "there is no score to calibrate."
        )
    P = aligned(np.asarray(model.predict_proba(X), dtype=np.float64), known, classes)
    if method in OF_ALL_CLASSES:
        return np.log(P + 1e-12)
    return P[:, 1:] if K == 2 else P


def _normalised(P: Floats) -> Floats:
    if P.shape[1] == 1:
        return np.column_stack([1 - P[:, 0], P[:, 0]])
    total = P.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(P, total, out=np.full_like(P, 1 / P.shape[1]), where=total > 0)
    return shares
