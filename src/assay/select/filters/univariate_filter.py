"""What selectors by a score of each column share: the score, from memory, blocks or Dask, and who is kept."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_
from assay.core.stored import FloatArray, NumberArray, Object, Text
from assay.core.sums import is_dask
from assay.core.targets import (
    check_weights,
    encode_labels,
    is_table,
    numeric_target,
    plain_values,
)
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.select.filters.chi_squared import chi2
from assay.select.filters.classes_join import ClassesJoin
from assay.select.filters.column_sums import ClassSums, NumberSums
from assay.select.filters.f_tests import f_classif, f_regression, r_regression, warn_constant
from assay.select.filters.feature_scores import FeatureScores, task_of
from assay.select.filters.mutual_info import mutual_info_classif, mutual_info_regression
from assay.select.filters.score import SCORES, Score
from assay.select.selector import Selector
from assay.stats.significance.test_result import shown_p
from assay.tables import Table
from assay.types import TableLike, Target, Weights

__all__ = [
    "SCORE_FUNC",
    "UnivariateFilter",
    "best_k",
    "best_share",
    "by_false_discovery_rate",
    "by_false_positive_rate",
    "by_family_wise_error",
]

# scikit-learn's functions: those that are scores of ours for one task, and those that are called
TESTS = {
    "f_classif": ("f", "classification"),
    "f_regression": ("f", "regression"),
    "chi2": ("chi2", "classification"),
}
FUNCTIONS = {
    function.__name__: function
    for function in (f_classif, f_regression, r_regression, chi2, mutual_info_classif, mutual_info_regression)
}
NAMES = tuple(dict.fromkeys((*SCORES, *FUNCTIONS)))
SCORE_FUNC = Any_(
    "a function of (X, y), or one of " + ", ".join(map(repr, NAMES)),
    lambda value: callable(value) or (isinstance(value, str) and value in NAMES),
)


class UnivariateFilter(ClassesJoin, Selector):
    """A selector that scores each column by itself; its author writes ``_support``.

    A score that is a function of sums ("f", "fisher", "chi2", "correlation", and of categories all but "relieff") can
    be had from blocks, ``partial_fit`` and Dask, with the same numbers.

    Attributes
    ----------
    scores_ : (d,) the scores      pvalues_ : (d,) their p-values, or None where there is no test
    """

    accepts = {"score_func": SCORE_FUNC}
    stored = {
        "scores_": NumberArray("d"),
        "pvalues_": FloatArray("d") | None,
        "task_": Text() | None,
        "_sums": Object(ClassSums) | Object(NumberSums) | Object("assay.bayes.counts.FeatureSums"),
    }
    score_func: Any
    scores_: np.ndarray
    pvalues_: np.ndarray | None
    task_: str | None  # "classification" or "regression"; None if a function was called

    # ------------------------------------------------------------------ the score

    def _score(self) -> tuple[Score | None, str | None]:
        """The score by its name and the task if that is known; None for a function that is to be called."""
        name = self.score_func
        if callable(name):
            known = getattr(name, "__name__", "")
            if FUNCTIONS.get(known) is not name or known not in TESTS:
                return None, None
            name = known
        if name in TESTS:
            name, task = TESTS[name]
            return SCORES[name], task
        if name not in SCORES:
            return None, None
        tasks = SCORES[name].tasks
        return SCORES[name], tasks[0] if len(tasks) == 1 else None

    @property
    def _has_classes(self) -> bool:
        """Of blocks, whose targets are not seen together, scores for both tasks are those of classes."""
        score, task = self._score()
        return score is not None and task != "regression"

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Score the columns of X, and choose among them.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) the classes or the numbers to predict; None if the function needs none
        sample_weight : (n,) what each row counts; None counts each once
        """
        labels = y is not None and not is_dask(y) and is_table(y, type(self).__name__)  # several a row
        if self._score()[0] is not None and not (labels and self._score_name() == "chi2"):
            return super().fit(X, y, sample_weight)
        self._check_parameters()
        self._refuse_blocks(is_dask(X))
        self._forget()
        values = self._admit(X, fitting=True)
        self._check_width(values.shape[1])
        self._call(X if self.schema_.coded.any() else values, y, check_weights(sample_weight, values))
        return self

    def _call(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        """Let a function score the columns."""
        who = type(self).__name__
        function = FUNCTIONS[self.score_func] if isinstance(self.score_func, str) else self.score_func
        if w is not None:
            raise ParameterError(
                f"the function {getattr(function, '__name__', 'score_func')} takes no weights of rows. By name, the "
                f"scores do: {', '.join(SCORES)}.",
                who=who,
            )
        if y is None:
            if (
                isinstance(self.score_func, str)
                or FUNCTIONS.get(getattr(function, "__name__", "")) is function
            ):
                self._read_target(None, 0)
        else:
            y = np.asarray(plain_values(y))
            y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
            if len(y) != self._height(X):
                raise DataError(f"X has {self._height(X)} rows and y has {len(y)}.", who=who)
        result: Any = function(X, y)
        self.__dict__.pop("classes_", None)
        self.task_ = None
        if isinstance(result, FeatureScores):
            result = (result.scores if result.better == "higher" else -result.scores), result.p_values
        d = len(self.schema_)
        pair = isinstance(result, (list, tuple)) and len(result) == 2 and np.shape(result[0]) == (d,)
        scores, p = result if pair else (result, None)
        if np.shape(scores) != (d,) or (p is not None and np.shape(p) != (d,)):
            name = getattr(function, "__name__", "score_func")
            raise ParameterError(
                f"the function {name} must give {d} scores, one for each column, or a pair of {d} scores and {d} "
                f"p-values; got {_words_for(result)}.",
                who=who,
            )
        self.scores_, self.pvalues_ = np.asarray(scores), None if p is None else np.asarray(p)

    @staticmethod
    def _height(X: Any) -> int:
        return X.shape[0] if hasattr(X, "shape") else len(X)

    def _read_target(self, y: Any, n: int) -> Any:
        score, task = self._score()
        who = type(self).__name__
        if y is None:
            raise DataError(
                "requires y to be passed, but the target y is None: classes or numbers by which columns are judged.",
                who=who,
            )
        assert score is not None
        self.task_ = score.task_for(task or task_of(y), who)
        if self.task_ == "regression":
            self.__dict__.pop("classes_", None)
            return numeric_target(y, n, who)
        self.classes_, codes = encode_labels(y, n, who)
        if len(self.classes_) < 2:
            warn_user(
                f"{who}: y has only one class, {self.classes_.tolist()[0]!r}: no column can tell classes apart, so "
                "that which are kept is arbitrary.",
                DegenerateWarning,
            )
        return codes

    @property
    def _K(self) -> int | None:
        return len(self.classes_) if self.task_ == "classification" else None

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        score = self._score()[0]
        assert score is not None
        self._check_width(X.shape[1])
        if score.is_sum(self.schema_, self.task_ == "classification"):
            super()._learn(X, y, w)
            return
        self._forget()
        table = Table(X, self.schema_, complete=None)
        self._keep(*score.of(table, y, w, self._K, who=type(self).__name__))

    def _survey(self, block: Any) -> Any:
        self._refuse_numbers(block.y)
        return super()._survey(block)

    def _partial_target(self, y: Any, classes: Any, n: int, first: bool) -> Any:
        self._refuse_numbers(y)
        return super()._partial_target(y, classes, n, first)

    def _refuse_numbers(self, y: Any) -> None:
        """Of blocks a score for both tasks takes classes: say how numbers are asked for."""
        score, task = self._score()
        if score is not None and task is None and y is not None and task_of(y) == "regression":
            raise ParameterError(
                f"y holds numbers, and of blocks the score {self._score_name()!r} is that of classes, since not all "
                "targets are seen together. For numbers: 'f_regression' or 'correlation'.",
                who=type(self).__name__,
            )

    def _adopt(self, survey: Any, classes: Any) -> None:
        super()._adopt(survey, classes)
        self._check_width(len(self.schema_))
        self.task_ = "classification" if self._has_classes else "regression"

    def _summarize(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> Any:
        score = self._score()[0]
        self.task_ = getattr(self, "task_", None) or ("classification" if self._has_classes else "regression")
        self._refuse_blocks(score is None or not score.is_sum(self.schema_, self.task_ == "classification"))
        assert score is not None
        return score.sums(X, y, w, self._K, self.schema_, type(self).__name__)

    def _solve(self, sums: Any) -> None:
        score = self._score()[0]
        assert score is not None
        self._keep(*score.of_sums(sums, self.schema_, "value"))

    def _refuse_blocks(self, refused: bool) -> None:
        if refused:
            raise ParameterError(
                f"the score {self._score_name()!r} of these columns needs all rows in memory. From blocks: 'f', "
                "'fisher', 'chi2', 'correlation', and of tables that hold nothing but categories 'gini', 'entropy', "
                "'gain ratio', 'chi-squared', 'symmetrical uncertainty', 'mutual information'.",
                who=type(self).__name__,
            )

    def _keep(self, scores: np.ndarray, p: np.ndarray | None) -> None:
        self.scores_, self.pvalues_ = scores, p
        if self._score()[0] is SCORES["f"] and (self._K or 0) > 1:
            warn_constant(scores, type(self).__name__)

    def _check_width(self, d: int) -> None:
        """A place for what a selector has to say about the number of columns."""

    # ------------------------------------------------------------------ who is kept

    def _score_name(self) -> str:
        return (
            self.score_func
            if isinstance(self.score_func, str)
            else getattr(self.score_func, "__name__", "score")
        )

    @property
    def _strength(self) -> np.ndarray:
        """(d,) the scores, higher for better, the lowest number where there is none."""
        score = self._score()[0]
        strength = np.array(self.scores_, dtype=np.float64) * (1 if score is None else score.sign)
        strength[np.isnan(strength)] = np.finfo(np.float64).min
        return strength

    def _p_values(self) -> np.ndarray:
        if self.pvalues_ is None:
            raise ParameterError(
                f"the score {self._score_name()!r} comes without p-values. With them: 'f', 'chi-squared', 'chi2', "
                "'correlation'; or use SelectKBest.",
                who=type(self).__name__,
            )
        return self.pvalues_

    def _why(self, j: int) -> str:
        if np.isnan(self.scores_[j]):
            return f"{self._score_name()} is not defined: the column or the target does not vary"
        rank = int((self._strength > self._strength[j]).sum()) + 1
        p = (
            ""
            if self.pvalues_ is None or np.isnan(self.pvalues_[j])
            else f", {shown_p(float(self.pvalues_[j]))}"
        )
        return f"{self._score_name()} {float(self.scores_[j]):.6g}{p}: rank {rank} of {len(self.scores_)}"


def _words_for(result: Any) -> str:
    """What a function gave in place of scores."""
    if isinstance(result, (list, tuple)):
        return f"{len(result)} things of shapes {', '.join(str(np.shape(part)) for part in result[:3])}"
    return f"{type(result).__name__} of shape {np.shape(result)}"


def best_k(strength: np.ndarray, k: int | str) -> np.ndarray:
    """The k columns with the highest scores; among equal ones the later."""
    mask = np.zeros(len(strength), dtype=bool)
    if k == "all":
        return ~mask
    mask[np.argsort(strength, kind="stable")[len(strength) - min(int(k), len(strength)) :]] = True
    return mask


def best_share(strength: np.ndarray, percentile: float) -> np.ndarray:
    """So many percent of the columns, those with the highest scores; among equal ones the earlier."""
    if percentile in (0, 100):
        return np.full(len(strength), percentile == 100)
    place = np.unique(strength, return_inverse=True)[1]  # in place of scores, which may be infinite
    threshold = np.percentile(place, 100 - percentile)
    mask = place > threshold
    ties = np.flatnonzero(place == threshold)
    most = int(len(strength) * percentile / 100)
    mask[ties[: max(0, most - int(mask.sum()))]] = True
    return mask


def by_false_positive_rate(p: np.ndarray, alpha: float) -> np.ndarray:
    """p below alpha."""
    return p < alpha


def by_family_wise_error(p: np.ndarray, alpha: float) -> np.ndarray:
    """p below alpha over the number of columns (Bonferroni)."""
    return p < alpha / len(p)


def by_false_discovery_rate(p: np.ndarray, alpha: float) -> np.ndarray:
    """The columns up to the last whose p, in ascending order, lies on or below its share of alpha."""
    ordered = np.sort(p)
    below = ordered[ordered <= alpha / len(p) * np.arange(1, len(p) + 1)]
    return p <= below.max() if len(below) else np.zeros(len(p), dtype=bool)
