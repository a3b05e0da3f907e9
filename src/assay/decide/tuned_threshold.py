"""TunedThresholdClassifierCV: a threshold, or class weights, chosen on rows that the classifier did not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.explanation import Section
from assay.core.fitting import all_or_nothing
from assay.core.meta_estimator import Routed
from assay.core.parameters import Any_, Array, Choice, Count, Flag, Seed
from assay.core.stored import FloatArray, Mapped, Scalar
from assay.core.targets import EncodedLabels
from assay.decide._meta import folds, is_fitted, posterior_of
from assay.decide.fixed_threshold import Thresholded
from assay.decide.threshold import judge_of, positive_class, tune_threshold, tune_weights
from assay.errors import DataError, ParameterError
from assay.tables.rows import entries_of_rows, take_rows
from assay.types import Estimator, Label, Losses, RandomState, Scoring, Splitter, TableLike, Target, Weights

__all__ = ["TunedThresholdClassifierCV"]


class TunedThresholdClassifierCV(Thresholded):
    r"""Choose the threshold by what errors cost, or by any metric, on rows that the classifier did not see.

    With ``scoring``, each fold's scores are judged on a grid of thresholds and the folds' curves, interpolated
    to a common grid, are averaged. With ``loss``, the scores of all folds are pooled and every cut between two
    scores is tried; if the probabilities are calibrated this comes back to the threshold that
    :class:`DecisionRule` computes, and if they are not it mends them. More than two classes have weights in
    place of a threshold: :math:`\arg\max_k c_k P(C_k|x)`, found by :func:`tune_weights` on the pooled
    posteriors.

    Cost: fit cv + 1 times the estimator, and O(n log n) for the thresholds; predict that of the estimator, and O(K) a
    row; memory O(n K) to fit, and the estimator.

    Parameters
    ----------
    estimator : classifier; default None is Gaussian naive Bayes
    scoring : name of a scorer of labels, or function (model, X, y); default "balanced_accuracy"
    response_method : "auto" (default: probabilities if there are any), "predict_proba", "decision_function"
    thresholds : size of the grid, default 100, or the thresholds to try
    cv : int, splitter, splits, a share of rows to hold out, or "prefit"; default None is 5 stratified folds
        "prefit" takes a fitted estimator as it is and tunes on all rows given (with ``refit=False``).
    refit : fit the classifier to all rows after tuning, default True; False keeps that of a single split
    n_jobs : folds fitted at once, default None is one
    random_state : seed of the single split
    store_cv_results : keep ``cv_results_``, default False
    loss : dict {(predicted, true): cost} or (K, K) array; given, it is used in place of ``scoring``
    pos_label : the positive class, default the last of ``classes_``

    Attributes
    ----------
    best_threshold_ : float (two classes)      best_weights_ : (K,) (more than two)
    best_score_ : the mean score there; with ``loss``, minus the mean loss
    classes_ : (K,)      estimator_ : the fitted classifier
    cv_results_ : dict of ``thresholds`` and ``scores``, if stored (two classes)

    Notes
    -----
    Two classes and ``scoring``: same threshold as scikit-learn's. New here: ``loss``, ``pos_label``, more than
    two classes, ``sample_weight`` in the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from assay.decide import TunedThresholdClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> wary = TunedThresholdClassifierCV(loss={(1, 0): 20}).fit(X, y)  # to call a tumour (0) benign costs 20
    >>> plain = TunedThresholdClassifierCV(loss={(1, 0): 1}).fit(X, y)
    >>> bool(wary.best_threshold_ > plain.best_threshold_)
    True

    See Also
    --------
    FixedThresholdClassifier, DecisionRule, tune_threshold, tune_weights

    References
    ----------
    - Sheng, V. S. and Ling, C. X. (2006). Thresholding for making classifiers cost-sensitive. AAAI Conference on
      Artificial Intelligence, 476-481.
    - Elkan, C. (2001). The foundations of cost-sensitive learning. International Joint Conference on Artificial
      Intelligence, 973-978.
    """

    card = Card("tuned threshold", "a classifier whose threshold is chosen by costs or a metric", wraps=True)
    accepts = {
        "estimator": Any_("a classifier, or None"),
        "scoring": Any_("a metric, by name or as a function"),
        "loss": Any_("a loss matrix, or None"),
        "pos_label": Any_("a class label, or None"),
        "n_jobs": Any_("a whole number, or None"),
        "response_method": Choice("auto", "predict_proba", "decision_function"),
        "thresholds": Count(2) | Array(1),
        "refit": Flag(),
        "store_cv_results": Flag(),
        "random_state": Seed(),
        "cv": Any_(),
    }
    stored = {
        "best_score_": Scalar(),
        "best_threshold_": Scalar(),
        "best_weights_": FloatArray("K"),
        "cv_results_": Mapped(FloatArray("*")),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        scoring: Scoring = "balanced_accuracy",
        response_method: str = "auto",
        thresholds: Any = 100,
        cv: Splitter | None = None,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        store_cv_results: bool = False,
        loss: Losses | None = None,
        pos_label: Label | None = None,
    ):
        self.estimator = estimator
        self.scoring = scoring
        self.response_method = response_method
        self.thresholds = thresholds
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.store_cv_results = store_cv_results
        self.loss = loss
        self.pos_label = pos_label

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **fit_params: Any) -> Self:
        """Fit, score held-out rows, choose; X reaches the classifier as it is.

        Parameters
        ----------
        X : table of any kind that the classifier takes, (n, d)
        y : (n,) class labels
        sample_weight : (n,) what each row counts, in the classifiers and in the scores
        fit_params : ``groups`` for a splitter of groups; all else is for the classifier's fit. With scikit-learn's
            metadata routing switched on, classifier, splitter and scorer get what they have requested.
        """
        model = self._fitted_estimator() if isinstance(self.cv, str) and self.cv == "prefit" else None
        values, target, w = self._start(X, y, sample_weight, model)
        routed = self._routed(sample_weight, fit_params)
        mass, labels = np.bincount(target.codes, weights=w), np.asarray(target)
        if (mass > 0).sum() < 2:
            raise DataError(
                f"{type(self).__name__}: y has one class (with weight); there is nothing to choose between."
            )
        if model is None:
            parts = self._held_out(values, target, w, routed, self._splits(X, target, routed))
        else:
            self.estimator_ = model
            parts = [(np.arange(len(labels)), self._scores_to_cut(model, values))]
        if len(self.classes_) > 2:
            self._tune_weights(parts, labels, w)
        elif self.loss is None:
            self._tune_by_metric(parts, labels, w, routed)
        else:
            self._tune_by_cost(parts, labels, w)
        return self

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) labels by the threshold, or by the weights."""
        model, X = self._model(), self._admit(X)
        if len(self.classes_) == 2:
            return self._predict_by(model, X, self.best_threshold_)
        P = posterior_of(model, X, self.classes_, type(self).__name__)
        labels: np.ndarray = self.classes_[np.argmax(P * self.best_weights_, axis=1)]
        return labels

    @property
    def _cut(self) -> float:
        return self.best_threshold_

    def _comparison(self, model: Any, X: Any) -> Callable[[int], list[Section]]:
        if len(self.classes_) == 2:
            return super()._comparison(model, X)
        P = posterior_of(model, X, self.classes_, type(self).__name__)
        heads, note = (
            ["class", "posterior", "weight", "product"],
            "The class with the largest product is predicted.",
        )

        def products(i: int) -> list[Section]:
            lines = [
                [str(label), *map(float, (p, w, p * w))]
                for label, p, w in zip(self.classes_, P[i], self.best_weights_)
            ]
            return [Section("Weighted posterior", heads, lines, note)]

        return products

    def _fitted_estimator(self) -> Any:
        """The classifier that came fitted."""
        who = type(self).__name__
        if self.refit:
            raise ParameterError(f"{who}: cv='prefit' uses the classifier as it is; set refit=False as well.")
        if not is_fitted(self._template()):
            raise NotFittedError(f"{who}: cv='prefit' needs a fitted classifier.")
        return self._template()

    def _scores_to_cut(self, model: Any, X: Any) -> np.ndarray:
        """(n,) the scores of the positive class, or (n, K) posteriors of more than two."""
        who = type(self).__name__
        if len(self.classes_) > 2:
            return posterior_of(model, X, self.classes_, who)
        return self._score(model, X, positive_class(self.classes_, self.pos_label, who))[0]

    def _held_out(
        self, X: Any, target: EncodedLabels, w: Any, routed: Routed, splits: list[Any]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Pairs (rows, scores) of rows that the scoring classifier did not learn from; sets ``estimator_``."""
        if not self.refit and len(splits) > 1:
            raise ParameterError(
                f"{type(self).__name__}: with several folds there is no single classifier to keep; set refit=True."
            )

        def part(split: tuple[np.ndarray, np.ndarray]) -> tuple[Any, np.ndarray, np.ndarray]:
            train, test = split
            model = self._fit_part(X, target, w, routed, train)
            return model, test, self._scores_to_cut(model, take_rows(X, test))

        parts = self._each(part, splits, self.n_jobs or 1)
        self.estimator_ = self._fit_part(X, target, w, routed) if self.refit else parts[0][0]
        return [(test, scores) for _, test, scores in parts]

    def _splits(self, X: Any, target: EncodedLabels, routed: Routed) -> list[tuple[np.ndarray, np.ndarray]]:
        cv = self.cv
        if isinstance(cv, float) and 0 < cv < 1:
            from sklearn.model_selection import StratifiedShuffleSplit

            cv = StratifiedShuffleSplit(n_splits=1, test_size=cv, random_state=self.random_state)
        return folds(cv, X, target, type(self).__name__, routed.split)

    def _tune_by_metric(
        self, parts: list[tuple[np.ndarray, np.ndarray]], labels: np.ndarray, w: Any, routed: Routed
    ) -> None:
        positive = positive_class(self.classes_, self.pos_label, type(self).__name__)
        curves = []
        for rows, s in parts:
            if np.isclose(s.min(), s.max()):  # a fold without any threshold to choose
                continue
            grid = (
                np.linspace(s.min(), s.max(), self.thresholds)
                if np.ndim(self.thresholds) == 0
                else self.thresholds
            )
            weights = None if w is None or routed.explicit else w[rows]
            asked = entries_of_rows(routed.score, rows, len(labels))
            judge = judge_of(self.scoring, labels[rows], self.classes_, weights, asked)
            curves.append((grid, [judge(np.where(s >= t, positive, 1 - positive)) for t in grid]))
        if not curves:
            raise DataError(
                f"{type(self).__name__}: the classifier gives every held-out row the same score, so there is no "
                "threshold to choose."
            )
        tried = np.asarray(self.thresholds, dtype=np.float64)
        if tried.ndim == 0:
            tried = np.linspace(min(g[0] for g, _ in curves), max(g[-1] for g, _ in curves), self.thresholds)
        values = np.mean([np.interp(tried, grid, value) for grid, value in curves], axis=0)
        best = int(values.argmax())
        self._keep(tried, values, float(tried[best]), float(values[best]))

    def _tune_by_cost(self, parts: list[tuple[np.ndarray, np.ndarray]], labels: np.ndarray, w: Any) -> None:
        rows, scores = (np.concatenate(part) for part in zip(*parts))
        choice = tune_threshold(
            labels[rows],
            scores,
            loss=self.loss,
            pos_label=self.pos_label,
            thresholds=None if np.ndim(self.thresholds) == 0 else self.thresholds,
            sample_weight=None if w is None else w[rows],
        )
        assert choice.thresholds is not None and choice.values is not None
        self._keep(choice.thresholds, -choice.values, choice.threshold, -choice.value)

    def _tune_weights(self, parts: list[tuple[np.ndarray, np.ndarray]], labels: np.ndarray, w: Any) -> None:
        if np.ndim(self.thresholds):
            raise ParameterError(f"{type(self).__name__}: more than two classes need a number of thresholds.")
        rows, scores = (np.concatenate(part) for part in zip(*parts))
        choice = tune_weights(
            labels[rows],
            scores,
            loss=self.loss,
            scoring=self.scoring if self.loss is None else None,
            classes=self.classes_,
            thresholds=self.thresholds,
            sample_weight=None if w is None else w[rows],
        )
        self.best_weights_ = choice.threshold
        self.best_score_ = choice.value if self.loss is None else -choice.value

    def _keep(self, tried: np.ndarray, values: np.ndarray, threshold: float, value: float) -> None:
        self.best_threshold_, self.best_score_ = threshold, value
        if self.store_cv_results:
            self.cv_results_ = {"thresholds": tried, "scores": values}

    def _model(self) -> Any:
        check_is_fitted(self, "estimator_")
        return self.estimator_
