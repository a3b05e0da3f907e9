"""Tuning inside the training rows, and the unbiased error of a tuned learner."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from assay.core import Card, Classifier, Regressor
from assay.core.explanations import Explanations, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.meta_estimator import MetaEstimator, PassesDistributionsOn, fit_to
from assay.core.parameters import Any_, Count, Seed
from assay.core.progress import progress
from assay.core.seeds import as_seed
from assay.core.stored import Boolean, Object, Plain, Scalar
from assay.core.targets import EncodedLabels, encode_labels, numeric_target
from assay.errors import DataError, ParameterError
from assay.evaluate.candidates import task_of_learners, varied
from assay.evaluate.compare import compare
from assay.evaluate.comparison import Comparison
from assay.evaluate.design import Resampling
from assay.evaluate.digits import shown_metric
from assay.evaluate.fold import Data, Task, run_cell
from assay.evaluate.metrics import DEFAULT, as_measures, task_of_metrics
from assay.evaluate.prepared import Candidate
from assay.evaluate.rows import as_column
from assay.evaluate.target import Target as ReadTarget
from assay.evaluate.target import as_target, check_task
from assay.learners import find_learner
from assay.metrics.measure import Measure
from assay.sentence import Sentence
from assay.stats.significance.test_result import shown_confidence
from assay.tables.data import Dataset
from assay.tuning.bayesian_optimization import BayesianOptimization
from assay.tuning.space import Space, is_space
from assay.types import Estimator, MeasureLike, RowLabels, TableLike, Target

__all__ = ["Nested", "Tuned", "TunedRegressor", "nested"]


def _answers_with_odds(tuned: Tuned) -> bool:
    inner = getattr(tuned, "best_estimator_", None)
    if inner is None:
        return isinstance(tuned.estimator, str) or hasattr(tuned.estimator, "predict_proba")
    return hasattr(inner, "predict_proba")


class _Tunes(MetaEstimator):
    """A learner whose parameters are chosen by resampling the rows it is fitted with."""

    accepts = {
        "estimator": Any_(),
        "grid": Any_(),
        "inner": Any_(),
        "metric": Any_(),
        "random_state": Seed(),
        "n_iter": Count(1),
    }
    stored = {
        "_raw": Boolean(),
        "best_estimator_": Object(BaseEstimator),
        "best_params_": Plain(dict),
        "best_score_": Scalar(),
        "results_": Plain(list),
    }
    _reads_itself = True  # preparation happens in the inner splits
    grid: Any
    inner: Any
    metric: Any
    random_state: int | None
    n_iter: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        template = self._template()
        if hasattr(template, "__sklearn_tags__"):
            tags.input_tags.sparse = get_tags(template).input_tags.sparse
        return tags

    def _template(self) -> Any:
        if isinstance(self.estimator, str):
            return find_learner(self.estimator, self._task).make()
        return self.estimator

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None, groups: RowLabels | None = None) -> Self:
        """Choose a setting on inner splits of these rows, then fit it to all of them.

        Parameters
        ----------
        groups : (n,) rows of one group stay on one side of every inner split
        """
        self._check_parameters()
        who = type(self).__name__
        table = self._admit(X, fitting=True)
        aim = self._read_target(y, len(table))
        seed = 0 if self.random_state is None else as_seed(self.random_state, who)
        data = Data(X, table, aim, as_column(groups, len(table), "groups", who))
        m = self._measure()
        if is_space(self.grid):
            settings, candidates, means = self._searched(data, m, seed)
        else:
            settings = self._settings()
            candidates = varied(self.estimator, settings, data.table, who, aim.task)
            means = self._judged(candidates, data, m, seed)
        best = int(np.nanargmin(m.sign * np.round(means, 12)))
        self.results_ = list(zip(settings, means.tolist(), strict=True))
        self.best_params_, self.best_score_ = settings[best], float(means[best])
        self._raw = candidates[best].raw
        fresh = clone(candidates[best].seeded(seed))
        target = EncodedLabels(aim.codes, aim.labels) if aim.numbers is None else aim.numbers
        self.best_estimator_ = fit_to(fresh, X if self._raw else table, target, None, who)
        return self

    def _read_target(self, y: Any, n: int) -> ReadTarget:
        raise TypeError(f"{type(self).__name__} must define _read_target")

    @property
    def _task_name(self) -> str:
        return "classification" if self._task == "classifier" else "regression"

    def _settings(self) -> list[dict[str, Any]]:
        """Every setting of a grid; of a space the first that a search would try, since a wrong one is refused."""
        from sklearn.model_selection import ParameterGrid

        if is_space(self.grid):
            return BayesianOptimization(self.grid, n_initial=1).ask()
        try:
            return [dict(s) for s in ParameterGrid(self.grid)]
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"{type(self).__name__}: grid must be a dict of parameter to list of values: {error}"
            ) from None

    def _measure(self) -> Measure:
        (m,) = as_measures([self.metric], type(self).__name__, self._task_name)
        if m.needs == "costs":
            raise ParameterError(
                f"{m.name} needs costs; tune by error, brier or log-loss.", who=type(self).__name__
            )
        return m

    def _splits(self, data: Data, seed: int) -> list[Any]:
        """The inner splits, the same for all settings."""
        codes = _by_appearance(data.codes)  # so that other names of the classes give the same splits
        plan = Resampling.of(self.inner)
        if plan.given_splits is not None:
            dealt = plan.given_splits.dealt(data.raw, data.values_of_target, data.groups, len(codes))
            plan = replace(plan, given_splits=dealt)
        plan, _ = plan.fitted_to(codes, data.labels, data.groups)
        return list(plan.splits(codes, seed, data.groups))

    def _searched(
        self, data: Data, m: Measure, seed: int
    ) -> tuple[list[dict[str, Any]], list[Candidate], np.ndarray]:
        """The settings that Bayesian optimisation tried, their candidates, and the mean of the metric of each."""
        search = BayesianOptimization(self.grid, random_state=seed)
        folds = [data.fold(split) for split in self._splits(data, seed)]
        task, who = Task([m], None, None, seed, probabilities=False), type(self).__name__
        candidates = list[Candidate]()
        with progress(self.n_iter, "settings") as bar:
            try:
                for _ in range(self.n_iter):
                    settings = search.ask()
                    if any(settings[0] == t.setting for t in search.history):
                        break  # of a small space all is tried
                    candidates += varied(self.estimator, settings, data.table, who, data.target.task)
                    began = time.perf_counter()
                    cells = [run_cell(candidates[-1], fold, task) for fold in folds]
                    failure = next((cell.failure for cell in cells if cell.failure), "")
                    values = np.array([[cell.values.get(m.name, np.nan)] for cell in cells])
                    mean = float(_means(values, [0] if failure else [])[0])
                    search.tell(
                        settings[0], m.sign * mean, seconds=time.perf_counter() - began, failure=failure
                    )
                    bar.advance(note=_best_note(search, m))
            except KeyboardInterrupt as stop:
                self._note_partial(stop, [(t.setting, m.sign * t.value) for t in search.history], "settings")
                raise
        means = m.sign * np.array([t.value for t in search.history])
        if np.isnan(means).all():
            raise DataError(f"no setting could be judged. {search.history[-1].failure}", who=who)
        return [t.setting for t in search.history], candidates, means

    def optimization(self) -> BayesianOptimization:
        """The search over a space as an object: its history, which parameters mattered (``explain()``)."""
        self._ready()
        if not is_space(self.grid):
            raise ParameterError(
                "a grid is tried as a whole, there is no search. Give ranges: "
                "{'C': Real(0.01, 100.0, log=True)}.",
                who=type(self).__name__,
            )
        sign = self._measure().sign
        search = BayesianOptimization(self.grid)
        for setting, mean in self.results_:
            search.tell(setting, sign * mean)
        return search

    def _note_partial(self, stop: KeyboardInterrupt, results: list[Any], what: str) -> None:
        """What is known so far, as the attribute ``partial`` of the interruption."""
        if results:
            stop.partial = results  # type: ignore[attr-defined]
            stop.add_note(
                f"{type(self).__name__}: interrupted after {len(results)} {what}; the attribute partial of this "
                "exception has each setting with its mean."
            )

    def _judged(self, candidates: list[Candidate], data: Data, m: Measure, seed: int) -> np.ndarray:
        """The mean of the metric of each setting over the inner splits; NaN for one that failed."""
        splits = self._splits(data, seed)
        task, values, why = Task([m], None, None, seed, probabilities=False), [], {}
        for split in splits:
            fold = data.fold(split)
            try:
                cells = [run_cell(c, fold, task) for c in candidates]
            except KeyboardInterrupt as stop:
                self._keep_partial(stop, values, list(why), len(splits))
                raise
            why.update({i: cell.failure for i, cell in enumerate(cells) if cell.failure})
            values.append([cell.values.get(m.name, np.nan) for cell in cells])
        means = _means(np.array(values), list(why))
        if np.isnan(means).all():
            reason = next(iter(why.values()), f"{m.name} is not defined on the inner splits")
            raise DataError(f"no setting could be judged. {reason}", who=type(self).__name__)
        return means

    def _keep_partial(
        self, stop: KeyboardInterrupt, values: list[Any], failed: list[int], total: int
    ) -> None:
        """The results of the finished inner splits, as the attribute ``partial`` of the interruption."""
        if values:
            means = _means(np.array(values), failed)
            stop.partial = list(zip(self._settings(), means.tolist(), strict=True))  # type: ignore[attr-defined]
            stop.add_note(
                f"{type(self).__name__}: interrupted after {len(values)} of {total} inner splits; the attribute "
                "partial of this exception has each setting with its mean on these."
            )

    def _rows(self, X: Any) -> Any:
        """The rows as the chosen setting takes them, checked against those it was fitted with."""
        table = self._admit(X)
        return X if self._raw else table

    def predict(self, X: TableLike) -> np.ndarray:
        """The predictions of the chosen setting."""
        rows = self._rows(X)
        return self.best_estimator_.predict(rows)

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        """The reasons of the chosen setting, if it is a learner of this library."""
        chosen = self.best_estimator_
        if not isinstance(chosen, Learner):
            return super()._explain_block(X, rows)
        return replace(chosen._explain_table(X), rows=rows)


class Tuned(_Tunes, Classifier):
    """A learner whose parameters are chosen by resampling the rows it is fitted with.

    Every setting of the grid, or as many of a space as ``n_iter`` says, is tried on the same inner splits; the one with
    the best mean of the metric, the first of equals, is fitted to all rows. As a candidate of ``compare`` it is
    tuned again in every training set, so the test rows never take part in the selection, and groups that stay together
    there do so in the inner splits.

    Cost: fit folds times candidates times the learner, and once more; predict O(1) times that of the chosen one; memory
    O(folds candidates), and the chosen learner.

    Parameters
    ----------
    estimator : a learner or its short name, prepared as in ``compare``
    grid : dict of parameter to list of values, or a list of such dicts
        Every setting is tried. If the dict has ranges (`Real`, `Whole`, `Category`, a distribution of scipy.stats),
        ``n_iter`` settings are tried that Bayesian optimisation suggests (`BayesianOptimization`).
    inner : the design of the inner splits
    metric : name of a metric, or a Measure
    random_state : int or None
        Of the inner splits, of the search, and of the learner's own open random_state; None is 0.
    n_iter : int, default 30
        Settings of a search; a grid is tried as a whole.

    Attributes
    ----------
    best_params_ : the chosen setting      best_score_ : its mean of the metric on the inner splits
    results_ : list of (setting, mean of the metric), failed ones NaN      best_estimator_ : fitted to all rows

    Examples
    --------
    >>> from assay.tuning import Tuned
    >>> from assay.tables.data import load_wine
    >>> model = Tuned("knn", {"n_neighbors": [1, 5, 60]}).fit(*load_wine())
    >>> model.best_params_
    {'n_neighbors': 5}

    See Also
    --------
    nested, BayesianOptimization, BayesSearchCV

    References
    ----------
    - Cawley, G. C. and Talbot, N. L. C. (2010). On over-fitting in model selection and subsequent selection bias in
      performance evaluation. Journal of Machine Learning Research 11, 2079-2107.
    """

    card = Card(
        "tuned",
        "a learner whose parameters are chosen by resampling the training rows",
        also=("grid search",),
        wraps=True,
    )
    multiclass = "as the estimator"
    renamed = {"learner": "estimator"}  # in model files of earlier versions

    def __init__(
        self,
        estimator: Estimator | str,
        grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Space | None,
        inner: Any = "5-fold",
        metric: MeasureLike | None = "error",
        random_state: int | None = None,
        n_iter: int = 30,
    ):
        self.estimator = estimator
        self.grid = grid
        self.inner = inner
        self.metric = metric
        self.random_state = random_state
        self.n_iter = n_iter

    def _read_target(self, y: Any, n: int) -> ReadTarget:
        self.classes_, codes = encode_labels(y, n, "Tuned")
        if len(codes) < 4 or len(self.classes_) < 2:
            few = f"n_samples = {len(codes)}" if len(codes) < 4 else "one class"
            raise DataError(
                f"Tuned: {few} is too few to choose a setting by splits. Bring 4 rows of 2 classes."
            )
        return ReadTarget("class", self.classes_, codes)

    @available_if(_answers_with_odds)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The posteriors of the chosen setting."""
        rows = self._rows(X)
        return self.best_estimator_.predict_proba(rows)

    def _posterior(self, X: Any) -> np.ndarray:
        return self.best_estimator_.predict_proba(X)


class TunedRegressor(PassesDistributionsOn, _Tunes, Regressor):
    """A regressor whose parameters are chosen by resampling the rows it is fitted with.

    Every setting of the grid, or as many of a space as ``n_iter`` says, is tried on the same inner splits; the one with
    the best mean of the metric, the first of equals, is fitted to all rows. As a candidate of ``compare`` it is
    tuned again in every training set, so the test rows never take part in the selection, and groups that stay together
    there do so in the inner splits.

    Cost: fit folds times candidates times the learner, and once more; predict O(1) times that of the chosen one; memory
    O(folds candidates), and the chosen learner.

    Parameters
    ----------
    estimator : a regressor or its short name, prepared as in ``compare``
    grid : dict of parameter to list of values, or a list of such dicts
        Every setting is tried. If the dict has ranges (`Real`, `Whole`, `Category`, a distribution of scipy.stats),
        ``n_iter`` settings are tried that Bayesian optimisation suggests (`BayesianOptimization`).
    inner : the design of the inner splits
    metric : name of a metric of numbers, or a Measure
    random_state : int or None
        Of the inner splits, of the search, and of the learner's own open random_state; None is 0.
    n_iter : int, default 30
        Settings of a search; a grid is tried as a whole.

    Attributes
    ----------
    best_params_ : the chosen setting      best_score_ : its mean of the metric on the inner splits
    results_ : list of (setting, mean of the metric), failed ones NaN      best_estimator_ : fitted to all rows

    Examples
    --------
    >>> import numpy as np
    >>> from assay.tuning import TunedRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = TunedRegressor("knn", {"n_neighbors": [1, 5, 50]}).fit(X, np.sin(X[:, 0]))
    >>> model.best_params_["n_neighbors"] < 50
    True

    See Also
    --------
    Tuned, nested

    References
    ----------
    - Cawley, G. C. and Talbot, N. L. C. (2010). On over-fitting in model selection and subsequent selection bias in
      performance evaluation. Journal of Machine Learning Research 11, 2079-2107.
    """

    card = Card(
        "tuned regressor",
        "a regressor whose parameters are chosen by resampling the training rows",
        wraps=True,
    )
    _task = "regressor"

    def __init__(
        self,
        estimator: Estimator | str,
        grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Space | None,
        inner: Any = "5-fold",
        metric: MeasureLike | None = "rmse",
        random_state: int | None = None,
        n_iter: int = 30,
    ):
        self.estimator = estimator
        self.grid = grid
        self.inner = inner
        self.metric = metric
        self.random_state = random_state
        self.n_iter = n_iter

    def _answering(self) -> Any:
        return vars(self).get("best_estimator_", self._template())

    def _rows_for_answers(self, X: Any) -> Any:
        return self._rows(X)

    def _predict(self, X: Any) -> np.ndarray:
        return self.best_estimator_.predict(X)

    def _read_target(self, y: Any, n: int) -> ReadTarget:
        numbers = numeric_target(y, n, "TunedRegressor")
        if n < 4:
            raise DataError(f"n_samples = {n} is too few to choose a setting by splits. Bring 4 rows.",
                            who="TunedRegressor")  # fmt: skip
        return ReadTarget("target", np.empty(0), np.zeros(n, dtype=np.int64), numbers)


def _best_note(search: BayesianOptimization, m: Measure) -> str:
    """The best value so far, for those who wait."""
    values = [t.value for t in search.history if np.isfinite(t.value)]
    return f"best {m.name} {shown_metric(m, m.sign * min(values))}" if values else "none judged yet"


def _by_appearance(codes: np.ndarray) -> np.ndarray:
    """Classes numbered in the order of their first rows."""
    _, first = np.unique(codes, return_index=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[codes]


def _means(values: np.ndarray, failed: list[int]) -> np.ndarray:
    """Mean over the inner splits that define the metric; NaN for settings that failed."""
    finite = np.isfinite(values)
    counts = finite.sum(axis=0)
    means = np.where(counts, np.where(finite, values, 0.0).sum(axis=0) / np.maximum(counts, 1), np.nan)
    means[failed] = np.nan
    return means


@dataclass(frozen=True)
class Nested(Sentence):
    """The error of a tuned learner by nested resampling.

    Attributes
    ----------
    mean, low, high : the metric on outer test rows, which took no part in the selection
    inner : (J,) the chosen setting's metric on the inner splits; optimistically biased
    chosen : list of the settings, one per outer split
    comparison : Comparison of the tuned learner with itself at its own defaults
    """

    mean: float
    low: float
    high: float
    inner: np.ndarray
    chosen: list[dict[str, Any]]
    comparison: Comparison = field(repr=False)

    @property
    def optimism(self) -> float:
        """How much better the inner mean looks than the outer one; positive where it is optimistic."""
        sign = self.comparison.metrics[0].sign
        return float(sign * (self.mean - np.mean(self.inner)))

    @property
    def votes(self) -> list[tuple[dict[str, Any], int]]:
        """Settings and how often they were chosen, the most frequent first."""
        counts = Counter(repr(c) for c in self.chosen)
        first = {repr(c): c for c in reversed(self.chosen)}
        return [(first[key], count) for key, count in counts.most_common()]

    def __str__(self) -> str:
        result, J = self.comparison, len(self.chosen)
        m, inner = result.metrics[0], float(np.mean(self.inner))
        mean, low, high, looked = (
            shown_metric(m, v, self.mean) for v in (self.mean, self.low, self.high, inner)
        )
        lines = [
            f"{m.name} of the tuned learner {mean}, {shown_confidence(result.alpha)} interval {low} to {high} "
            f"({result.design}).",
            f"On the inner splits of these searches, which chose their settings, it looked like {looked}.",
        ]
        if "defaults" in result.finished:
            lines.append(str(result.test("tuned", "defaults")))
        lines += [f"chosen on {count} of {J} splits: {setting}" for setting, count in self.votes]
        return "\n".join(lines)


def nested(
    learner: Any,
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Space | None,
    X: TableLike,
    y: Any = None,
    outer: Any = None,
    inner: Any = None,
    *,
    metric: MeasureLike | None = None,
    alpha: float = 0.05,
    groups: RowLabels | None = None,
    times: RowLabels | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    task: str | None = None,
    n_iter: int = 30,
) -> Nested:
    """The error to expect of a learner whose parameters are tuned, by nested resampling.

    The inner splits choose a setting from the training rows of an outer split; its test rows, which had no part in
    the choice, judge it. The error of the winner on the splits that chose it is too good, the more so the more
    settings compete.

    Parameters
    ----------
    learner, grid, metric, n_iter : as for ``Tuned`` and ``TunedRegressor``; a grid of lists, or a space of ranges
    X, y, alpha, random_state, n_jobs, task : as in ``compare``
    outer : design of the outer splits, as in ``compare``; default "5-fold", with times "5-time"
    inner : design of the inner splits; default "5-fold", with times "3-time", in time order, too
    groups, times : (n,) as in ``compare``; the inner splits keep groups together as well

    Returns
    -------
    Nested

    Examples
    --------
    >>> from assay.tuning import nested
    >>> from assay.tables.data import load_wine
    >>> result = nested("knn", {"n_neighbors": [1, 5, 60]}, load_wine())
    >>> len(result.chosen), result.low < result.mean < result.high
    (5, True)
    """
    if not isinstance(grid, (Mapping, list, tuple, Space)):
        raise ParameterError(f"nested: grid must be a dict of parameter to list of values, got {grid!r}.")
    usual = ("5-fold", "5-fold") if times is None else ("5-time", "3-time")
    outer, inner = (design or default for design, default in zip((outer, inner), usual))
    if isinstance(X, Dataset) and y is None:
        X, y = X
    task = check_task(task, "nested") or task_of_learners([learner]) or task_of_metrics(metric)
    if y is not None:
        task = as_target(y, len(y), "nested", lenient=True, of_learners=task).task if task is None else task
    metric = metric or DEFAULT[task or "classification"][0]
    tuned = (TunedRegressor if task == "regression" else Tuned)(learner, grid, inner, metric, n_iter=n_iter)
    tuned._settings()  # a wrong grid is refused before the work
    result = compare(
        {"tuned": tuned, "defaults": learner},
        X,
        y,
        design=outer,
        metrics=[metric],
        alpha=alpha,
        groups=groups,
        times=times,
        random_state=random_state,
        n_jobs=n_jobs,
        task=task,
    )
    if "tuned" in result.failures:
        raise DataError(f"nested: {result.failures['tuned']}")
    standing = next(s for s in result.ranking() if s.learner == "tuned")
    cells = result.cells["tuned"]
    return Nested(
        standing.mean,
        standing.low,
        standing.high,
        np.array([cell.chosen_score for cell in cells]),
        [dict(cell.chosen or {}) for cell in cells],
        result,
    )
