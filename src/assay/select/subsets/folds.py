"""The folds on which subsets of columns are judged: the same rows and the same measure for every subset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import unwrap
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from assay.baselines import MajorityClassifier, MeanRegressor
from assay.core import Classifier, Learner
from assay.core.meta_estimator import MetaEstimator
from assay.core.targets import EncodedLabels, encode_labels, numeric_target, plain_values
from assay.errors import AssayWarning, DataError, ParameterError, warn_user
from assay.evaluate.design import Resampling, Split
from assay.evaluate.fold import Data
from assay.evaluate.given_splits import as_rows
from assay.evaluate.scorers import MeasureScorer, scorer_named
from assay.evaluate.target import Target
from assay.metrics.measure import Measure, find_measure, measure_named, measures
from assay.tables import Table
from assay.tables.rows import entries_of_rows, row_count, take_rows

__all__ = ["Folds", "Part", "dealt_folds"]

Pair = tuple[np.ndarray, np.ndarray]


class Part(NamedTuple):
    """Training and test rows of one fold, with all columns."""

    X_train: Any
    X_test: Any
    y_train: Any
    y_test: Any
    fit_params: dict[str, Any]  # the weights among them, if there are any
    score_params: dict[str, Any]


@dataclass(eq=False)
class Folds:
    """A table, its target, the pairs of training and test rows, and what is measured on the test rows.

    Attributes
    ----------
    X : Table, for learners of ours; else X as it came
    y : EncodedLabels, numbers, or what came; None without a target
    pairs : list of (training rows, test rows)
    scorer : function of (model, X, y, **score_params), higher for better
    measure : the Measure that the scorer computes; None for a function of the user's own
    name, sign : how it is called, and 1, or -1 if it is lower for better: the measure is sign times the score
    weights : (n,) what each row counts, or None
    fit_params, score_params : further arguments of fit and of the scorer, one entry a row or one for all
    prepared : whether the rows in ``parts`` are no longer those of X, but what a preparation made of them
    """

    X: Any
    y: Any
    pairs: list[Pair]
    scorer: Callable[..., float]
    measure: Measure | None
    name: str
    sign: int
    weights: np.ndarray | None = None
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    score_params: Mapping[str, Any] = field(default_factory=dict)
    prepared: bool = False

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        cv: Any = 5,
        scoring: Any = None,
        weights: np.ndarray | None = None,
        groups: Any = None,
        who: str = "subset_scores",
        seed: int = 0,
        fit_params: Mapping[str, Any] | None = None,
        split_params: Mapping[str, Any] | None = None,
        score_params: Mapping[str, Any] | None = None,
    ) -> Folds:
        """Folds for an estimator; a target that it can use is encoded once."""
        n = row_count(X, who)
        y = y if y is None or isinstance(y, EncodedLabels) or hasattr(y, "__len__") else np.asarray(y)
        if y is not None and (np.ndim(y) == 0 or len(y) != n):
            raise DataError(
                f"X has {n} rows, so y must have {n} entries; its shape is {np.shape(y)}.", who=who
            )
        if isinstance(X, Table) and not isinstance(y, EncodedLabels) and y is not None:
            y = _encoded(estimator, y, n, who)
        scorer, measure, name = as_scorer(scoring, estimator, who)
        split = dict(split_params or {}) | ({} if groups is None else {"groups": groups})
        pairs = dealt_folds(cv, X, y, is_classifier(estimator), split, seed, who)
        sign = -1 if measure is not None and measure.better == "lower" else 1
        folds = cls(X, y, pairs, scorer, measure, name, sign, weights, fit_params or {}, score_params or {})
        folds._leave_undefined_out(who)
        return folds

    @property
    def d(self) -> int:
        """The number of columns."""
        return self.parts[0].X_train.shape[1] if self.prepared else self.X.shape[1]

    @property
    def n(self) -> int:
        """The number of rows."""
        return row_count(self.X, "Folds")

    @property
    def ratio(self) -> float:
        """Test rows for each training row, on average."""
        return float(np.mean([len(test) / max(len(train), 1) for train, test in self.pairs]))

    @cached_property
    def parts(self) -> list[Part]:
        """The rows of each fold; a nominal column has the categories of the training rows alone."""
        return [self._part(train, test) for train, test in self.pairs]

    def _part(self, train: np.ndarray, test: np.ndarray) -> Part:
        y = self.y
        y_train, y_test = (None, None) if y is None else (take_rows(y, train), take_rows(y, test))
        if isinstance(y_test, EncodedLabels):
            y_test = np.asarray(y_test)
        fit, score = (
            entries_of_rows(params, rows, self.n)
            for params, rows in ((self.fit_params, train), (self.score_params, test))
        )
        if self.weights is not None:
            fit["sample_weight"], score["sample_weight"] = self.weights[train], self.weights[test]
        if isinstance(self.X, Table):
            X_train, X_test = _recoded(self.X, train, test)
        else:
            X_train, X_test = take_rows(self.X, train), take_rows(self.X, test)
        return Part(X_train, X_test, y_train, y_test, fit, score)

    def baseline(self) -> np.ndarray:
        """(J,) the score without any column: of the most frequent class or the mean; -inf where there is none."""
        return np.array(self._baselines)

    @cached_property
    def _baselines(self) -> list[float]:
        return [self._baseline(part) for part in self.parts]

    def _leave_undefined_out(self, who: str) -> None:
        """Leave out folds on whose test rows the measure has no value, whatever is predicted."""
        defined = [j for j, score in enumerate(self._baselines) if not np.isnan(score)]
        J = len(self.pairs)
        if len(defined) == J:
            return
        if not defined:
            raise DataError(
                f"{self.name} is defined on none of the {J} folds: their test rows lack what it needs. Ask for fewer "
                "folds, or another measure.",
                who=who,
            )
        warn_user(
            f"{who}: {self.name} is not defined on {J - len(defined)} of {J} folds, which are left out: their test "
            "rows lack what it needs. Ask for fewer folds.",
            AssayWarning,
        )
        self.pairs = [self.pairs[j] for j in defined]
        self.parts = [self.parts[j] for j in defined]
        self._baselines = [self._baselines[j] for j in defined]

    def _baseline(self, part: Part) -> float:
        if part.y_train is None or np.ndim(part.y_test) != 1:
            return -np.inf
        classes = (
            isinstance(self.y, EncodedLabels) or np.asarray(plain_values(self.y)).dtype.kind not in "fiu"
        )
        if self.measure is not None and self.measure.task != "both":
            classes = self.measure.task == "classification"
        model = MajorityClassifier() if classes else MeanRegressor()
        X_train, X_test = (np.zeros((row_count(X, "Folds"), 1)) for X in (part.X_train, part.X_test))
        try:
            model.fit(X_train, np.asarray(part.y_train), part.fit_params.get("sample_weight"))
            score = float(self.scorer(model, X_test, part.y_test, **part.score_params))
        except Exception:  # a scorer of the user's own may ask for what no baseline has
            return -np.inf
        return -np.inf if np.isnan(score) and self.measure is None else score


def _encoded(estimator: Any, y: Any, n: int, who: str) -> Any:
    """The target as a learner of ours takes it without another look."""
    if np.ndim(plain_values(y)) != 1:
        return y
    if is_classifier(estimator):
        classes, codes = encode_labels(y, n, who)
        return EncodedLabels(codes, classes)
    return numeric_target(y, n, who) if is_regressor(estimator) else y


def _recoded(table: Table, train: np.ndarray, test: np.ndarray) -> tuple[Table, Table]:
    """Training and test rows with the categories of the training rows."""
    if not table.schema.coded.any():
        return table[train], table[test]
    blank = Target("y", np.empty(0), np.zeros(len(table), dtype=np.int64), np.zeros(len(table)))
    fold = Data(None, table, blank).fold(Split(0, 0, train, test))
    return fold.train, fold.test


def seen_by(estimator: Any, table: Table) -> Table:
    """A test table without a warning for each category that the training rows lack: they are known to be unseen."""
    if not table.unseen:
        return table
    reader = estimator
    while isinstance(reader, MetaEstimator) and not reader._reads_itself:
        reader = reader._asked()
    if isinstance(reader, Learner) and "nominal" not in reader.takes:
        return table.replaced(unseen={})  # no indicator of the column is 1
    return table.unseen_as_missing()


def dealt_folds(
    cv: Any, X: Any, y: Any, classifier: bool, split: Mapping[str, Any], seed: int, who: str
) -> list[Pair]:
    """Pairs (training rows, test rows) by a number of folds, a splitter, pairs, or a design such as "10x10".

    A number of folds means what it means to scikit-learn: not shuffled, stratified for classes. A design by name is
    shuffled by ``seed``, as in ``compare``.
    """
    from sklearn.model_selection import check_cv

    n = row_count(X, who)
    if isinstance(cv, (str, Resampling)):
        labels, codes = _strata(y, n, classifier)
        groups = split.get("groups")
        try:
            design = Resampling.of(cv)
        except ParameterError:
            raise ParameterError(
                'cv must be a name such as "10-fold", "10x10" (repetitions x folds), "20xholdout" or "leave-one-out", '
                f"a number of folds, a splitter or (train, test) rows; got {cv!r}.",
                who=who,
            ) from None
        plan, _ = design.fitted_to(codes, labels, groups)
        return [(s.train, s.test) for s in plan.splits(codes, seed, groups)]
    plain = np.asarray(y) if isinstance(y, EncodedLabels) else y
    unseen = isinstance(X, Table) and not isinstance(X.values, np.ndarray)
    try:
        checked = check_cv(cv, plain, classifier=classifier)
    except ValueError as error:
        raise ParameterError(
            f'cv must be a number of folds, a splitter, (train, test) rows or a design such as "5-fold": {error}',
            who=who,
        ) from None
    rows = np.zeros((n, 1)) if unseen or isinstance(cv, (int, np.integer)) or cv is None else X
    try:
        pairs = [(as_rows(a, n, who), as_rows(b, n, who)) for a, b in checked.split(rows, plain, **split)]
    except ValueError as error:
        raise DataError(f"cv cannot split these {n} rows: {error}", who=who) from None
    if not pairs:
        raise DataError("cv gives no fold. Give at least one pair of training and test rows.", who=who)
    return pairs


def _strata(y: Any, n: int, classifier: bool) -> tuple[np.ndarray, np.ndarray]:
    """The classes by which a design divides rows in proportion; none for numbers."""
    if isinstance(y, EncodedLabels):
        return y.present()
    if classifier and y is not None:
        return encode_labels(y, n, "cv")
    return np.empty(0), np.zeros(n, dtype=np.int64)


def as_scorer(scoring: Any, estimator: Any, who: str) -> tuple[Callable[..., float], Measure | None, str]:
    """A function of (model, X, y), higher for better, the Measure it computes (None if unknown), and its name."""
    if scoring is None:
        return _own_score, _measure_of_score(estimator, who), _name_of_score(estimator)
    known = scoring if isinstance(scoring, Measure) else None
    if isinstance(scoring, str):
        known = find_measure(scoring)
        if known is None and (scorer := scorer_named(scoring)) is not None:
            from sklearn.metrics import get_scorer

            key = scoring.strip().lower().replace(" ", "_").replace("-", "_")
            return get_scorer(key), scorer, scorer.name
        known = (
            measure_named(scoring, who, "; and scikit-learn's scorers by name") if known is None else known
        )
    if known is not None:
        if known.needs == "costs" or known.sign == 0:
            raise ParameterError(
                f"columns cannot be chosen by {known.name}. Choose for example error or auc.", who=who
            )
        return MeasureScorer(known), known, known.name
    if not callable(scoring):
        raise ParameterError(
            f"scoring must be the name of a measure, a Measure or a function of (model, X, y); got {scoring!r}.",
            who=who,
        )
    name = getattr(scoring, "__name__", "") or getattr(
        getattr(scoring, "_score_func", None), "__name__", "score"
    )
    return scoring, None, name


def _own_score(model: Any, X: Any, y: Any, **params: Any) -> float:
    return float(model.score(X, y, **params))


def _measure_of_score(estimator: Any, who: str) -> Measure | None:
    """What ``estimator.score`` computes, if it is the usual one."""
    if type(estimator) is Pipeline and hasattr(estimator.steps[-1][1], "score"):
        return _measure_of_score(estimator.steps[-1][1], who)
    if not hasattr(estimator, "score"):
        raise ParameterError(
            f"{type(estimator).__name__} has no score; say what to measure, for example scoring='error'.",
            who=who,
        )
    method = unwrap(
        getattr(type(estimator), "score", estimator.score)
    )  # as it was before it took Dask collections
    if method in (unwrap(Classifier.score), ClassifierMixin.score):
        return measures()["accuracy"]
    if type(estimator).__module__ == "sklearn.neighbors._classification":
        return measures()["accuracy"]  # their score only admits X=None besides
    return measures()["r2"] if method is RegressorMixin.score else None


def _name_of_score(estimator: Any) -> str:
    measure = _measure_of_score(estimator, "")
    return "score" if measure is None else measure.name
