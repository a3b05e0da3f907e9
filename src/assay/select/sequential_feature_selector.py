"""Sequential feature selection: add or remove one column at a time by cross-validated scores."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.learner import fit_elsewhere
from assay.core.model_view import Part
from assay.core.parameters import Any_, Choice, Instance, Range
from assay.core.progress import progress
from assay.core.routing import routing_enabled
from assay.core.stored import Integer, Object
from assay.errors import DataError, ParameterError
from assay.select.search.sequential import best_move, joint_moves
from assay.select.search.space import Space, State
from assay.select.selector_around import SelectorAround
from assay.select.subsets.folds import Folds
from assay.select.subsets.subset_scores import SubsetScores, scores_on
from assay.select.trace import Trace
from assay.tables import Table
from assay.types import Estimator, Scoring, Splitter, TableLike, Target

__all__ = ["SequentialFeatureSelector"]


def _is_number_of_columns(value: Any) -> bool:
    if isinstance(value, str):
        return value == "auto"
    if isinstance(value, (bool, np.bool_)):
        return False
    if isinstance(value, (int, np.integer)):
        return bool(value > 0)
    return isinstance(value, (float, np.floating)) and bool(0 < value <= 1)


class SequentialFeatureSelector(SelectorAround):
    """Add the column that improves the cross-validated score most, or remove the one that costs least, step by step.

    Every candidate is scored on the same folds; among equal ones the first column wins. Learners whose subsets can be
    scored without fitting anew (least squares, Gaussians, naive Bayes, nearest neighbours ...) are not fitted again,
    with the same numbers. A nominal column is one feature.

    Cost: fit O(d k) subsets for k columns, each times folds times that of the learner; transform O(k) a row; memory
    O(n d), and O(d k folds) for the trace.

    Parameters
    ----------
    estimator : classifier, regressor, or any estimator with a score
    n_features_to_select : int, float or "auto"
        A number of columns or a share of them. "auto" is half of them without ``tol``; with ``tol``, as many as bring
        that much.
    tol : float, default None
        With "auto": the search ends when the score does not rise by at least this; for removals it may be negative.
    direction : "forward" or "backward"
    scoring : name of a scorer or a measure, a function of (model, X, y), default None
        None is the estimator's own ``score``. Measures where lower is better count with their sign reversed.
    cv : int, splitter, list of (train, test), or a design such as "10x10", default 5
    n_jobs : int, default None
        Threads for learners of this library, processes of joblib for others.

    Attributes
    ----------
    n_features_to_select_ : how many columns were selected      support_ : (d,) bool
    trace_ : Trace, every candidate of every round with its scores

    Examples
    --------
    >>> from assay.neighbors import KNeighborsClassifier
    >>> from assay.select import SequentialFeatureSelector
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> selector = SequentialFeatureSelector(KNeighborsClassifier(n_neighbors=3), n_features_to_select=2)
    >>> selector.fit(iris.X, iris.y).selected_
    ['sepal length (cm)', 'petal width (cm)']

    See Also
    --------
    SubsetSelector, search_subsets

    References
    ----------
    - Whitney, A. W. (1971). A direct method of nonparametric measurement selection. IEEE Transactions on Computers
      C-20, 1100-1103. doi:10.1109/T-C.1971.223410
    """

    card = Card(
        "sequential feature selector", "columns added or removed one by one by cross-validated scores"
    )
    accepts = {
        "estimator": Instance(having="fit"),
        "n_features_to_select": Any_(
            '"auto", a number of columns from 1, or a share above 0 and up to 1.0', _is_number_of_columns
        ),
        "tol": Range() | None,
        "direction": Choice("forward", "backward"),
        "scoring": Any_(),
        "cv": Any_(),
        "n_jobs": Any_(),
    }
    stored = {"n_features_to_select_": Integer(low=0), "trace_": Object(Trace)}

    def __init__(
        self,
        estimator: Estimator,
        *,
        n_features_to_select: int | float | str = "auto",
        tol: float | None = None,
        direction: str = "forward",
        scoring: Scoring | None = None,
        cv: Splitter = 5,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.tol = tol
        self.direction = direction
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, **params: Any) -> Self:  # type: ignore[override]
        """Choose the columns to keep.

        Parameters
        ----------
        X : (n, d) table of any kind
        y : (n,) classes or numbers; None for an estimator that needs none
        params : ``groups``, (n,), for a splitter that keeps groups together; with scikit-learn's metadata routing
            switched on, all that estimator, splitter and scorer have requested
        """
        self._check_parameters()
        who = type(self).__name__
        if (unknown := sorted(set(params) - {"groups"})) and not routing_enabled():
            raise ParameterError(
                f"fit got {', '.join(unknown)}, which is only supported if enable_metadata_routing=True: call "
                "sklearn.set_config(enable_metadata_routing=True) and request it.",
                who=who,
            )
        fit_elsewhere(self, X, y, None)  # refuses rows that are not in memory
        values = self._admit(X, fitting=True)
        d = len(self.schema_)
        if d < 2:
            raise DataError(
                f"found {d} feature(s) (shape={tuple(values.shape)}) while a minimum of 2 is required.",
                who=who,
            )
        size, rounds = self._sizes(d)
        self._refuse_missing(values)
        routed = self._routed(None, params)
        folds = Folds.of(
            self._template(), values, y, self.cv, self.scoring, who=who, fit_params=routed.fit,
            split_params=routed.split, score_params=routed.score,
        )  # fmt: skip
        criterion = scores_on(self._template(), folds, n_jobs=self.n_jobs)
        self.support_ = np.zeros(d, dtype=bool)
        self.support_[list(self._searched(criterion, rounds))] = True
        self.n_features_to_select_ = int(self.support_.sum())
        return self

    def _keep_columns(self, X: Any, table: Table | None = None) -> Any:
        self._refuse_missing(X if table is None else table)  # as in fit, and as scikit-learn's
        return super()._keep_columns(X, table)

    def _sizes(self, d: int) -> tuple[int, int]:
        """The number of columns that are asked for, and the rounds that lead there at most."""
        wanted = self.n_features_to_select
        if self.tol is not None and self.tol < 0 and self.direction == "forward":
            raise ParameterError(
                f"tol must be strictly positive when doing forward selection, got {self.tol}.",
                who=type(self).__name__,
            )
        if isinstance(wanted, str):
            size = d - 1 if self.tol is not None else d // 2
            return size, size
        whole = isinstance(wanted, (int, np.integer))
        if whole and wanted >= d:
            raise ParameterError(
                f"n_features_to_select must be < n_features, got {wanted} for {d} columns.",
                who=type(self).__name__,
            )
        size = int(wanted) if whole else int(d * wanted)
        return size, size if self.direction == "forward" else d - size

    def _searched(self, criterion: SubsetScores, rounds: int) -> tuple[int, ...]:
        """The chosen columns; sets the trace."""
        space = Space(criterion, who=type(self).__name__)
        kind = "add" if self.direction == "forward" else "remove"
        state: State = () if kind == "add" else space.full
        threshold = self.tol if self.n_features_to_select == "auto" else None
        before = -np.inf
        with progress(description=type(self).__name__) as bar:
            space.progress = bar
            for _ in range(rounds):
                moves = joint_moves(space, kind, state, 1)
                target, scores, chosen = best_move(space, kind, state, moves)
                score = space.mean(target)
                too_little = threshold is not None and score - before < threshold
                note = f"The score rises by less than {threshold:g}." if too_little else ""
                space.record(kind, state, moves, scores, chosen, not too_little, note)
                if too_little:
                    break
                state, before = target, score
        selected = space.columns(state)
        self.trace_ = Trace(space.rounds, self.schema_.names, criterion.measure, criterion.sign, selected)
        return selected

    def _why(self, j: int) -> str:
        return self.trace_.why(j)

    def _model_parts(self) -> list[Part]:
        return [*super()._model_parts(), self.trace_.section()]
