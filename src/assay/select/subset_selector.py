"""Subset selection around a learner: any search, any stop rule, raw tables, classes or numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import get_tags

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.learner import fit_elsewhere
from assay.core.model_view import Part, TextBlock
from assay.core.parameters import Any_, Choice, Flag, Range, Seed
from assay.core.seeds import as_seed
from assay.core.stored import FloatArray, Object, Scalar
from assay.core.targets import EncodedLabels, check_weights
from assay.errors import DataError, ParameterError
from assay.evaluate.candidates import as_candidates, task_of_learners
from assay.evaluate.metrics import DEFAULT, as_measures, task_of_metrics
from assay.evaluate.rows import as_column
from assay.evaluate.target import Target, as_target
from assay.learners import KIND_OF_TASK, find_learner, is_learner
from assay.metrics.measure import Measure
from assay.select.search.search import SearchResult, as_search, search_subsets
from assay.select.selector_around import SelectorAround
from assay.select.subsets.folds import Folds
from assay.select.subsets.subset_scores import scores_on
from assay.select.trace import Trace
from assay.tables import Table
from assay.types import Estimator, Scoring, Splitter

__all__ = ["SubsetSelector"]


class SubsetSelector(SelectorAround):
    """Choose the subset of columns with which a learner predicts best on rows that it was not fitted to.

    Every subset is scored on the same folds of the rows given, by the learner with what it needs in front (missing
    values imputed, numbers scaled, as in ``compare``). A nominal column is one feature. By default the best column is
    added as long as the improvement over the folds is significant, so that a column stays out which is no better than
    chance.

    The score of the chosen subset, ``score_``, is too good: it chose it. For the error to expect, put the selector and
    the learner into a pipeline in ``compare``, or ask ``nested_selection``.

    Cost: fit that of the learner times folds times subsets, O(d k) for forward search; transform O(k) a row; memory
    O(n d), and the trace. Learners whose subsets are scored without fitting anew cost a fraction of it.

    Parameters
    ----------
    estimator : a learner or its short name, such as "lda"; or any classifier or regressor with scikit-learn's methods
    search : a Search, or its name, default "forward"
        "forward", "backward", "floating", "backward floating", "plus-l take-away-r", "beam", "branch and bound",
        "exhaustive", "annealing", "genetic" or "wrapper"
    stop : default None
        A number of columns, a share of them, a rule (``Improves(tol=0.01)``, ``Significant(alpha=0.01)``,
        ``AtMost(5)``, ``Patience(3)``), "improves", or a list of them. None tests the improvement over the folds.
    cv : a design such as "10-fold" or "20xholdout", a number of folds, a splitter or (train, test) rows
        Default "10-fold": shuffled, stratified for classes.
    scoring : name of a measure or scorer, a Measure, or a function of (model, X, y), default None
        None is the error of classes, and for numbers the root of the mean squared error.
    fixed : columns that are always kept, by name or number, with those of their groups
    column_groups : lists of columns that come and go together
    costs : what each column costs, in the units of the measure: a dict by name, or (d,) numbers, default None
    cost_weight : float, default 1
        The factor of the costs.
    allow_none : bool, default False
        Whether no column at all may be the answer, where it predicts as well as the columns do.
    task : "classification", "regression" or None, which goes by the learner and the target
    random_state : int or None
        Of the folds, of a search that draws, and of the learner's own open random_state; None is 0.
    n_jobs : int, default None
        Threads for learners of this library, processes of joblib for others.
    race : float or None, default None
        Spares time where a learner is fitted anew for each subset: a candidate whose scores on the folds so far, three
        at least, are below the leader's at this level of the test over the folds is given up. None scores every
        candidate on every fold. Forward, backward, floating and plus-l take-away-r searches and greedy proposals race;
        the others have use for all scores.

    Attributes
    ----------
    support_ : (d,) bool, the chosen columns      selected_ : their names
    trace_ : Trace, every candidate of every round with its scores
    score_ : the mean of the measure for the chosen subset, on the folds that chose it      fold_scores_ : (J,)

    Examples
    --------
    >>> from assay.select import SubsetSelector
    >>> from assay.tables.data import load_wine
    >>> wine = load_wine()
    >>> selector = SubsetSelector("lda", search="floating", stop=4).fit(wine.X, wine.y)
    >>> len(selector.selected_), selector.transform(wine.X).shape
    (4, (178, 4))

    See Also
    --------
    SequentialFeatureSelector, nested_selection, search_subsets

    References
    ----------
    - Kohavi, R. and John, G. H. (1997). Wrappers for feature subset selection. Artificial Intelligence 97, 273-324.
      doi:10.1016/S0004-3702(97)00043-X
    - Moore, A. W. and Lee, M. S. (1994). Efficient algorithms for minimizing cross validation error. Proceedings of the
      11th International Conference on Machine Learning, 190-198.
    """

    card = Card("subset selector", "the subset of columns with which a learner predicts best, by any search")
    accepts = {
        "estimator": Any_(),
        "search": Any_(),
        "stop": Any_(),
        "cv": Any_(),
        "scoring": Any_(),
        "fixed": Any_(),
        "column_groups": Any_(),
        "costs": Any_(),
        "cost_weight": Range(0),
        "allow_none": Flag(),
        "task": Choice("classification", "regression") | None,
        "random_state": Seed(),
        "n_jobs": Any_(),
        "race": Range(0, 1, open="both") | None,
    }
    stored = {"trace_": Object(Trace), "score_": Scalar(), "fold_scores_": FloatArray("*")}
    _reads_itself = True  # preparation happens in the folds

    def __init__(
        self,
        estimator: Estimator | str,
        *,
        search: Any = "forward",
        stop: Any = None,
        cv: Splitter = "10-fold",
        scoring: Scoring | None = None,
        fixed: Sequence[int | str] = (),
        column_groups: Sequence[Sequence[int | str]] | None = None,
        costs: Mapping[str, float] | ArrayLike | None = None,
        cost_weight: float = 1.0,
        allow_none: bool = False,
        task: str | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
        race: float | None = None,
    ):
        self.estimator = estimator
        self.search = search
        self.stop = stop
        self.cv = cv
        self.scoring = scoring
        self.fixed = fixed
        self.column_groups = column_groups
        self.costs = costs
        self.cost_weight = cost_weight
        self.allow_none = allow_none
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.race = race

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        template = self._template()
        if hasattr(template, "__sklearn_tags__"):
            tags.input_tags.sparse = get_tags(template).input_tags.sparse
        return tags

    def _template(self) -> Any:
        if isinstance(self.estimator, str):
            kind = KIND_OF_TASK[self.task] if self.task else "classifier"
            kind = kind if self.task or is_learner(self.estimator, kind) else "regressor"
            return find_learner(self.estimator, kind).make()
        return super()._template()

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Self:
        """Search for the columns to keep.

        At Ctrl-C the best subset so far is kept, and the interruption goes on to the caller.

        Parameters
        ----------
        X : (n, d) table of any kind      y : (n,) classes or numbers
        sample_weight : (n,) what each row counts, in fits and in scores; None counts each once
        groups : (n,) rows of one group stay on one side of every split
        """
        try:
            return self._fit(X, y, sample_weight, groups)
        except KeyboardInterrupt as stopped:
            partial = getattr(stopped, "partial", None)
            if isinstance(partial, SearchResult):
                self._remember(Table.of(X, who=type(self).__name__).schema)
                self._keep(partial)
            raise

    @all_or_nothing
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        self._check_parameters()
        who = type(self).__name__
        as_search(self.search, who)
        fit_elsewhere(self, X, y, sample_weight)  # refuses rows that are not in memory
        table = self._admit(X, fitting=True)
        target = self._read_target(y if y is None or hasattr(y, "__len__") else np.asarray(y), len(table))
        weights = check_weights(sample_weight, table, who)
        seed = 0 if self.random_state is None else as_seed(self.random_state, who)
        learner = self.estimator if isinstance(self.estimator, str) else self._template()
        (candidate,) = as_candidates([learner], table, target.task)
        estimator = candidate.seeded(seed)
        labels = EncodedLabels(target.codes, target.labels) if target.numbers is None else target.numbers
        scoring = DEFAULT[target.task][0] if self.scoring is None else self.scoring
        if isinstance(scoring, (str, Measure)):
            as_measures(scoring, who, target.task)  # refuses what is not of this task
        folds = Folds.of(
            estimator, X if candidate.raw else table, labels, self.cv, scoring, weights,
            as_column(groups, len(table), "groups", who), who, seed,
        )  # fmt: skip
        result = search_subsets(
            scores_on(estimator, folds, n_jobs=self.n_jobs),
            self.search,
            self.stop,
            fixed=[self._place(c) for c in self.fixed],
            groups=[[self._place(c) for c in group] for group in self.column_groups or ()],
            costs=self._column_costs(),
            cost_weight=self.cost_weight,
            allow_none=self.allow_none,
            names=self.schema_.names,
            random_state=seed,
            race=self.race,
            who=who,
        )
        self._keep(result)
        return self

    def _keep(self, result: SearchResult) -> None:
        self.support_ = np.isin(np.arange(len(self.schema_)), result.selected)
        self.trace_, self.score_, self.fold_scores_ = (
            result.trace,
            result.value,
            result.trace.sign * np.asarray(result.fold_scores, dtype=np.float64),
        )

    def _read_target(self, y: Any, n: int) -> Target:
        who = type(self).__name__
        if y is None:
            raise DataError(
                "requires y to be passed, but the target y is None: columns are judged by how well it is predicted.",
                who=who,
            )
        task = self.task or task_of_learners([self.estimator]) or task_of_metrics(self.scoring)
        target = as_target(y, n, who, lenient=True, of_learners=task, task=self.task)
        if not target.labelled.all():
            i = int(np.argmin(target.labelled))
            raise DataError(f"y is missing in row {i + 1}. Leave such rows out.", who=who)
        if n < 4:
            raise DataError(f"n_samples = {n} is too few to choose columns by splits. Bring 4 rows.", who=who)
        values = target.labels if target.numbers is None else target.numbers
        if len(values) == 1 or bool(np.all(values == values[0])):
            raise DataError(
                f"all rows of {target.name} are {values[0]}; there is nothing to predict.", who=who
            )
        return target

    def _place(self, column: Any) -> int:
        """The number of a column that is given by name or number."""
        names = self.schema_.names
        if isinstance(column, str) and column in names:
            return names.index(column)
        if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
            return int(column)
        raise ParameterError(
            f"there is no column {column!r}. Columns: {', '.join(names)}.", who=type(self).__name__
        )

    def _column_costs(self) -> Any:
        if not isinstance(self.costs, Mapping):
            return self.costs
        costs = np.zeros(len(self.schema_))
        for column, cost in self.costs.items():
            costs[self._place(column)] = cost
        return costs

    def _why(self, j: int) -> str:
        return "fixed" if j in {self._place(c) for c in self.fixed} else self.trace_.why(j)

    def _model_parts(self) -> list[Part]:
        trace, value = self.trace_, self.score_
        honest = TextBlock(
            "Score",
            f"{trace.measure} {value:.4g} of this choice from all rows, on the {len(self.fold_scores_)} folds that "
            "made it: too good, as it is the best of many. nested_selection measures the one to expect.",
        )
        return [*super()._model_parts(), trace.section(), honest]
