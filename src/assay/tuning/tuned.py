"""Learners whose parameters are chosen when they are fitted, by resampling the rows they are given."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real as Number
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from assay.core import Card, Classifier, Regressor
from assay.core.available import available_if
from assay.core.explanations import Explanations, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.meta_estimator import MetaEstimator, PassesDistributionsOn, takes_tables
from assay.core.parameters import Any_, Choice, Count, Seed
from assay.core.progress import progress
from assay.core.seeds import as_seed
from assay.core.stored import Boolean, Object, Plain, Scalar
from assay.core.targets import EncodedLabels, check_weights, encode_labels, numeric_target
from assay.errors import DataError, ParameterError, spoken_as
from assay.evaluate.compare import decisions_of
from assay.evaluate.design import Resampling
from assay.evaluate.digits import shown_metric
from assay.evaluate.fold import Data, Task
from assay.evaluate.metrics import DEFAULT, as_measures
from assay.evaluate.prepared import Candidate
from assay.evaluate.rows import as_column, as_moments
from assay.evaluate.target import Target as ReadTarget
from assay.evaluate.weights import group_keyword, time_keyword, weight_keyword
from assay.learners import find_learner
from assay.metrics.measure import Measure
from assay.tuning.bayesian_optimization import BayesianOptimization
from assay.tuning.halving import rungs
from assay.tuning.judging import Judge, Judgement, mean_of_defined
from assay.tuning.optimization import Optimization
from assay.tuning.random_optimization import RandomOptimization
from assay.tuning.space import Space, is_space
from assay.tuning.spaces import default_space
from assay.tuning.tree_parzen_optimization import TreeParzenOptimization
from assay.types import Estimator, Losses, MeasureLike, RowLabels, TableLike, Target, Weights

__all__ = ["SEARCHES", "Tuned", "TunedRegressor"]

SEARCHES: dict[str, type[Optimization]] = {
    "bayes": BayesianOptimization,
    "tree": TreeParzenOptimization,
    "random": RandomOptimization,
    "halving": RandomOptimization,  # of the settings on the first rung
}

_is_path = Any_("a folder, or None", lambda v: v is None or isinstance(v, (str, Path)))
_seconds = Any_(
    "a number of seconds above 0, or None",
    lambda v: v is None or (isinstance(v, Number) and not isinstance(v, bool) and 0 < float(v) < np.inf),
)


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
        "search": Choice(*SEARCHES) | None,
        "budget": _seconds,
        "n_jobs": Any_(),
        "folder": _is_path,
    }
    stored = {
        "_raw": Boolean(),
        "best_estimator_": Object(BaseEstimator),
        "best_params_": Plain(dict),
        "best_score_": Scalar(),
        "results_": Plain(list),
        "history_": Plain(list),
        "n_samples_fit_": Scalar(),
    }
    _reads_itself = True  # preparation happens in the inner splits
    grid: Any
    inner: Any
    metric: Any
    random_state: int | None
    n_iter: int
    search: str | None
    budget: float | None
    n_jobs: int | None
    folder: str | Path | None
    loss: Any = None
    reject: Any = None

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
    def fit(
        self,
        X: TableLike,
        y: Target | None,
        sample_weight: Weights | None = None,
        *,
        groups: RowLabels | None = None,
        times: RowLabels | None = None,
    ) -> Self:
        """Choose a setting on inner splits of these rows, then fit it to all of them.

        Parameters
        ----------
        sample_weight : (n,) what each row counts, in learning (where the learner takes weights) and in the metric
        groups : (n,) rows of one group stay on one side of every inner split
        times : (n,) when each row was, for inner splits by time; without them rows are in order
        """
        self._check_parameters()
        who = type(self).__name__
        table = self._admit(X, fitting=True)
        n = len(table)
        aim = self._read_target(y, n)
        self.n_samples_fit_ = n
        seed = 0 if self.random_state is None else as_seed(self.random_state, who)
        moments = as_moments(as_column(times, n, "times", who), who)
        weight = check_weights(sample_weight, n, who, squared=True)
        data = Data(X, table, aim, as_column(groups, n, "groups", who), moments, weight)
        m = self._measure()
        loss, _ = decisions_of(self.loss, self.reject, [m], data, who)
        task = Task([m], loss, self.reject, seed, probabilities=False)
        plan, splits = self._splits(data, seed)
        with Judge(self.estimator, data, splits, task, who, n_jobs=self.n_jobs, folder=self.folder,
                   in_order=plan.kind == "time") as judge:  # fmt: skip
            tried = self._tried(judge, m, seed)
        self.history_ = [
            {"setting": t.setting, "value": t.mean, "share": t.share, "failure": t.failure} for t, _ in tried
        ]
        finished = [(t, candidate) for t, candidate in tried if t.share == 1.0]
        means = np.array([t.mean for t, _ in finished])
        if np.isnan(means).all():
            why = next((t.failure for t, _ in tried if t.failure), f"{m.name} is not defined")
            raise DataError(f"no setting could be judged. {why}", who=who)
        best = int(np.nanargmin(m.sign * np.round(means, 12)))
        self.results_ = [(t.setting, t.mean) for t, _ in finished]
        self.best_params_, self.best_score_ = finished[best][0].setting, float(means[best])
        self._keep(finished[best][1], data, seed)
        return self

    def _keep(self, candidate: Candidate, data: Data, seed: int) -> None:
        """Fit the chosen setting to all rows, with the weights, groups and times that it takes."""
        self._raw = candidate.raw
        fresh = clone(candidate.seeded(seed))
        aim = data.target
        target = EncodedLabels(aim.codes, aim.labels) if aim.numbers is None else aim.numbers
        named = (
            (weight_keyword(fresh), data.weight),
            (group_keyword(fresh), data.groups),
            (time_keyword(fresh), data.times),
        )
        beside = {name: column for name, column in named if name and column is not None}
        fresh.fit(
            data.raw if self._raw else data.table,
            target if takes_tables(fresh) else np.asarray(target),
            **beside,
        )
        self.best_estimator_ = fresh

    @property
    def follows_times(self) -> bool:
        """Whether the inner splits are in order of time where times are given; a design of one's own may be another."""
        return self.inner is None or Resampling.of(self.inner).kind == "time"

    def _read_target(self, y: Any, n: int) -> ReadTarget:
        raise TypeError(f"{type(self).__name__} must define _read_target")

    @property
    def _task_name(self) -> str:
        return "classification" if self._task == "classifier" else "regression"

    # ---------------------------------------------------------------- settings

    def _space(self, n: int, d: int) -> Any:
        """The grid or the space; the ranges by default of the learner if none was given."""
        if self.grid is not None:
            return self.grid
        name = self.estimator if isinstance(self.estimator, str) else type(self.estimator).__name__
        try:
            return default_space(name, n, d, self._task_name)
        except ParameterError as error:
            raise ParameterError(str(error), who=type(self).__name__) from None

    def _settings(self, n: int = 1000, d: int = 10) -> list[dict[str, Any]]:
        """Every setting of a grid; of a space the first that a search would try, since a wrong one is refused."""
        from sklearn.model_selection import ParameterGrid

        grid = self._space(n, d)
        if is_space(grid) or self.search is not None:
            return RandomOptimization(grid).ask()
        try:
            return [dict(s) for s in ParameterGrid(grid)]
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"{type(self).__name__}: grid must be a dict of parameter to list of values: {error}"
            ) from None

    def _metric_name(self) -> Any:
        if self.metric is not None:
            return self.metric
        return "cost" if self.loss is not None or self.reject is not None else DEFAULT[self._task_name][0]

    def _measure(self) -> Measure:
        (m,) = as_measures([self._metric_name()], type(self).__name__, self._task_name)
        return m

    def _splits(self, data: Data, seed: int) -> tuple[Resampling, list[Any]]:
        """The design of the inner splits, and these, the same for all settings."""
        codes = _by_appearance(data.codes)  # so that other names of the classes give the same splits
        plan = Resampling.of(self.inner or ("5-fold" if data.times is None else "3-time"))
        if plan.given_splits is not None:
            dealt = plan.given_splits.dealt(data.raw, data.values_of_target, data.groups, len(codes))
            plan = replace(plan, given_splits=dealt)
        with spoken_as(type(self).__name__):
            plan, _ = plan.fitted_to(codes, data.labels, data.groups, data.times)
            return plan, list(plan.splits(codes, seed, data.groups, data.times))

    # ---------------------------------------------------------------- searches

    def _tried(self, judge: Judge, m: Measure, seed: int) -> list[tuple[Judgement, Candidate]]:
        """What was tried, in order, with the candidates."""
        grid = self._space(*judge.data.table.shape)
        if not is_space(grid) and self.search is None:
            return self._whole_grid(judge, m)
        kind = self.search or "bayes"
        if kind == "random" or kind == "halving":
            search: Optimization = RandomOptimization(grid, random_state=seed)
        else:
            search = SEARCHES[kind](grid, random_state=seed)
        if kind == "halving":
            return self._halved(judge, m, search)
        return self._searched(judge, m, search)

    def _whole_grid(self, judge: Judge, m: Measure) -> list[tuple[Judgement, Candidate]]:
        settings = self._settings(*judge.data.table.shape)
        candidates = judge.candidates(settings)
        if self.budget is not None:
            steps = (([setting], [c]) for setting, c in zip(settings, candidates))
            return self._until_budget(judge, m, steps, len(settings))
        known: list[list[float]] = []
        try:
            return list(zip(judge.judge(settings, candidates, known=known), candidates, strict=True))
        except KeyboardInterrupt as stop:
            if known:
                means = mean_of_defined(np.array(known), [])
                what = f"{len(known)} of {len(judge.splits)} inner splits"
                self._note_partial(stop, list(zip(settings, means.tolist(), strict=True)), what)
            raise

    def _searched(self, judge: Judge, m: Measure, search: Optimization) -> list[tuple[Judgement, Candidate]]:
        """Settings that the search suggests, one after the other, or several that do not depend on each other."""
        return self._until_budget(judge, m, self._suggested(judge, search), self.n_iter, search)

    def _suggested(
        self, judge: Judge, search: Optimization
    ) -> Iterator[tuple[list[dict[str, Any]], list[Candidate]]]:
        asked: list[dict[str, Any]] = []
        together = not judge.here and self.budget is None
        while len(asked) < self.n_iter:
            n = min(search.independent if together else 1, self.n_iter - len(asked))
            fresh = [s for s in _distinct(search.ask(n)) if s not in asked]
            if not fresh:
                return  # of a small space all is tried
            asked += fresh
            yield fresh, judge.candidates(fresh)

    def _until_budget(
        self, judge: Judge, m: Measure, steps: Any, total: int, search: Optimization | None = None
    ) -> list[tuple[Judgement, Candidate]]:
        """Judge step by step; after the budget of time no further one is begun."""
        tried: list[tuple[Judgement, Candidate]] = []
        deadline = None if self.budget is None else time.perf_counter() + self.budget
        with progress(total, "settings") as bar:
            try:
                for settings, candidates in steps:
                    for judged, candidate in zip(judge.judge(settings, candidates), candidates, strict=True):
                        tried.append((judged, candidate))
                        if search is not None:
                            value = m.sign * judged.mean
                            search.tell(judged.setting, value, seconds=judged.seconds, failure=judged.failure)
                        bar.advance(note=_best_note(tried, m))
                    if deadline is not None and time.perf_counter() > deadline:
                        break
            except KeyboardInterrupt as stop:
                self._note_partial(stop, [(t.setting, t.mean) for t, _ in tried], f"{len(tried)} settings")
                raise
        return tried

    def _halved(self, judge: Judge, m: Measure, search: Optimization) -> list[tuple[Judgement, Candidate]]:
        """The rungs: the best settings of one go on to the next, with more rows."""
        rows = min(len(split.train) for split in judge.splits)
        ladder = rungs(self.n_iter, rows, max(1, len(judge.data.labels)))
        settings = _distinct(search.ask(self.n_iter))
        standing = list(zip(settings, judge.candidates(settings), strict=True))
        tried: list[tuple[Judgement, Candidate]] = []
        deadline = None if self.budget is None else time.perf_counter() + self.budget
        with progress(sum(rung.settings for rung in ladder), "settings") as bar:
            for number, rung in enumerate(ladder):
                late = deadline is not None and time.perf_counter() > deadline
                if late and number:
                    rung = replace(ladder[-1], settings=1)  # only the best so far is judged by all rows
                standing = standing[: rung.settings]
                judged = judge.judge([s for s, _ in standing], [c for _, c in standing], rung.share)
                tried += zip(judged, [c for _, c in standing], strict=True)
                bar.advance(len(standing), note=_best_note(tried, m))
                means = np.array([t.mean for t in judged])
                order = np.argsort(np.where(np.isnan(means), np.inf, m.sign * means), kind="stable")
                standing = [standing[i] for i in order if not np.isnan(means[i])] or standing[:1]
                if rung.share == 1.0:
                    break
        return tried

    def optimization(self) -> BayesianOptimization:
        """The search over a space as an object: its history, which parameters mattered (``explain()``)."""
        self._ready()
        grid = self._space(int(self.n_samples_fit_), self.n_features_in_)
        if not is_space(grid) and self.search is None:
            raise ParameterError(
                "a grid is tried as a whole, there is no search. Give ranges: "
                "{'C': Real(0.01, 100.0, log=True)}.",
                who=type(self).__name__,
            )
        sign = self._measure().sign
        search = BayesianOptimization(grid)
        for setting, mean in self.results_:
            search.tell(setting, sign * mean)
        return search

    def _note_partial(self, stop: KeyboardInterrupt, results: list[Any], what: str) -> None:
        """What is known so far, as the attribute ``partial`` of the interruption."""
        if results:
            stop.partial = results  # type: ignore[attr-defined]
            stop.add_note(
                f"{type(self).__name__}: interrupted after {what}; the attribute partial of this exception has each "
                "setting with its mean."
            )

    # ---------------------------------------------------------------- answers

    def _rows(self, X: Any) -> Any:
        """The rows as the chosen setting takes them, checked against those it was fitted with."""
        table = self._admit(X)
        return X if self._raw else table

    def predict(self, X: TableLike) -> np.ndarray:
        """The predictions of the chosen setting."""
        rows = self._rows(X)
        return self.best_estimator_.predict(rows)

    def explain(self, X: TableLike) -> Any:
        """The reasons of the chosen setting; of whole sequences, which are no rows of a table, one at a time."""
        chosen: Any = vars(self).get("best_estimator_")
        if getattr(chosen, "takes_sequences", False):
            return chosen.explain(X)
        return super().explain(X)

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
    grid : dict of parameter to list of values, a list of such dicts, or None
        Every setting is tried. If the dict has ranges (`Real`, `Whole`, `Category`, a distribution of scipy.stats),
        ``n_iter`` settings are tried that a search suggests. None takes the ranges by default (`default_space`).
    inner : the design of the inner splits; None is "5-fold", with times "3-time"
    metric : name of a metric, or a Measure; None is the error, with ``loss`` or ``reject`` the cost
    random_state : int or None
        Of the inner splits, of the search, and of the learner's own open random_state; None is 0.
    n_iter : int, default 30
        Settings of a search; a grid is tried as a whole.
    search : "bayes", "tree", "random", "halving" or None, default None
        How settings are chosen: by a Gaussian process, by a tree-structured Parzen estimator, at random, or at random
        with few rows first and the best third of them with three times as many, and so on. None tries a grid of lists
        as a whole and searches ranges by "bayes".
    budget : float or None, default None
        Seconds after which no further setting is begun; one is tried in any case.
    n_jobs : int or None, default None
        Processes, one inner split each; the result does not depend on it.
    folder : str or None, default None
        Where every finished fit is written down. A search that was stopped, or killed, goes on from there and ends as
        if it had not been.
    loss : {(answer, truth): cost}, array or None, default None
        What wrong answers cost. Settings are judged by the cost of the decisions that their posteriors lead to; decide
        so with ``DecisionRule(Tuned(...), loss=...)``.
    reject : float or None, default None
        What it costs to leave a row undecided.

    Attributes
    ----------
    best_params_ : the chosen setting      best_score_ : its mean of the metric on the inner splits
    results_ : list of (setting, mean of the metric), failed ones NaN; of "halving" those judged by all rows
    history_ : list of dicts, everything that was tried: setting, value, share of the training rows, failure
    best_estimator_ : fitted to all rows

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
    accepts = {**_Tunes.accepts, "loss": Any_(), "reject": Any_()}
    multiclass = "as the estimator"
    renamed = {"learner": "estimator"}  # in model files of earlier versions

    def __init__(
        self,
        estimator: Estimator | str,
        grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Space | None = None,
        inner: Any = None,
        metric: MeasureLike | None = None,
        random_state: int | None = None,
        n_iter: int = 30,
        *,
        search: str | None = None,
        budget: float | None = None,
        n_jobs: int | None = None,
        folder: str | Path | None = None,
        loss: Losses | None = None,
        reject: float | None = None,
    ):
        self.estimator = estimator
        self.grid = grid
        self.inner = inner
        self.metric = metric
        self.random_state = random_state
        self.n_iter = n_iter
        self.search = search
        self.budget = budget
        self.n_jobs = n_jobs
        self.folder = folder
        self.loss = loss
        self.reject = reject

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
    grid : dict of parameter to list of values, a list of such dicts, or None
        Every setting is tried. If the dict has ranges (`Real`, `Whole`, `Category`, a distribution of scipy.stats),
        ``n_iter`` settings are tried that a search suggests. None takes the ranges by default (`default_space`).
    inner : the design of the inner splits; None is "5-fold", with times "3-time"
    metric : name of a metric of numbers, or a Measure; None is the RMSE
    random_state : int or None
        Of the inner splits, of the search, and of the learner's own open random_state; None is 0.
    n_iter : int, default 30
        Settings of a search; a grid is tried as a whole.
    search : "bayes", "tree", "random", "halving" or None, default None
        How settings are chosen: by a Gaussian process, by a tree-structured Parzen estimator, at random, or at random
        with few rows first and the best third of them with three times as many, and so on. None tries a grid of lists
        as a whole and searches ranges by "bayes".
    budget : float or None, default None
        Seconds after which no further setting is begun; one is tried in any case.
    n_jobs : int or None, default None
        Processes, one inner split each; the result does not depend on it.
    folder : str or None, default None
        Where every finished fit is written down. A search that was stopped, or killed, goes on from there and ends as
        if it had not been.

    Attributes
    ----------
    best_params_ : the chosen setting      best_score_ : its mean of the metric on the inner splits
    results_ : list of (setting, mean of the metric), failed ones NaN; of "halving" those judged by all rows
    history_ : list of dicts, everything that was tried: setting, value, share of the training rows, failure
    best_estimator_ : fitted to all rows

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
        grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Space | None = None,
        inner: Any = None,
        metric: MeasureLike | None = None,
        random_state: int | None = None,
        n_iter: int = 30,
        *,
        search: str | None = None,
        budget: float | None = None,
        n_jobs: int | None = None,
        folder: str | Path | None = None,
    ):
        self.estimator = estimator
        self.grid = grid
        self.inner = inner
        self.metric = metric
        self.random_state = random_state
        self.n_iter = n_iter
        self.search = search
        self.budget = budget
        self.n_jobs = n_jobs
        self.folder = folder

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


def _best_note(tried: list[tuple[Judgement, Candidate]], m: Measure) -> str:
    """The best value so far, for those who wait."""
    values = [m.sign * t.mean for t, _ in tried if np.isfinite(t.mean)]
    return f"best {m.name} {shown_metric(m, m.sign * min(values))}" if values else "none judged yet"


def _distinct(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The settings without those that came before; of a small space all is tried."""
    return [s for i, s in enumerate(settings) if s not in settings[:i]]


def _by_appearance(codes: np.ndarray) -> np.ndarray:
    """Classes numbered in the order of their first rows."""
    _, first = np.unique(codes, return_index=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[codes]
