"""What classifier and regressor of histogram boosting share: the rounds, when to stop, and scores of new rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.parameters import Accepted, Any_, Choice, Count, Flag, Function, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import BoolArray, Boolean, FloatArray, Integer, Object
from assay.core.sum_learner import PassLearner
from assay.core.sums import Block, Source, is_dask
from assay.core.targets import check_weights
from assay.ensembles.hist_bins import find_bins
from assay.ensembles.hist_blocks import Totals, keep_rows
from assay.ensembles.hist_constraints import interaction_groups, monotonic_signs, nominal_columns
from assay.ensembles.hist_growing import Boosting, Limits
from assay.ensembles.hist_losses import HistLoss
from assay.ensembles.hist_passes import PassBoosting
from assay.ensembles.hist_trees import BoostedTrees, Grown
from assay.ensembles.set_aside import set_aside
from assay.errors import DataError, DegenerateError, ParameterError
from assay.tables import Table
from assay.tables.rows import row_count
from assay.trees.shap import column_reasons
from assay.types import TableLike, Target, Weights

__all__ = ["BoostingRows", "HistBoosting"]

MAX_SCORED = 10_000  # training rows that a scorer is applied to


@dataclass
class BoostingRows:
    """Rows with their targets, weights and scores so far."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray | None
    raw: np.ndarray  # (K, n)


def _is_list(value: Any) -> bool:
    return np.ndim(value) == 1 and not isinstance(value, (str, dict))


class HistBoosting(PassLearner, Learner):
    """Rounds of boosting on binned rows; subclasses say what targets and scores mean."""

    takes = frozenset({"nominal", "missing", "infinite"})

    accepts: ClassVar[dict[str, Accepted | None]] = {
        "learning_rate": Range(0, open="low"),
        "max_iter": Count(1),
        "max_leaf_nodes": Count(2) | None,
        "max_depth": Count(1) | None,
        "min_samples_leaf": Count(1),
        "l2_regularization": Range(0),
        "max_features": Range(0, 1, open="low"),
        "max_bins": Count(2, 255),
        "categorical_features": Choice("from_dtype") | Any_("a list of columns or a mask", _is_list) | None,
        "monotonic_cst": Any_("a dict or one of -1, 0, 1 for each column", lambda v: np.ndim(v) <= 1) | None,
        "interaction_cst": Choice("pairwise", "no_interactions")
        | Any_("a list of lists of columns", lambda v: isinstance(v, (list, tuple)))
        | None,
        "warm_start": Flag(),
        "early_stopping": Choice("auto") | Flag(),
        "scoring": Any_("a scorer's name", lambda v: isinstance(v, str)) | Function() | None,
        "validation_fraction": Range(0, 1, open="both") | Count(1) | None,
        "n_iter_no_change": Count(1),
        "tol": Range(0),
        "verbose": Count(0) | Flag(),
        "random_state": Seed(),
    }
    stored = {
        "baseline_": FloatArray("o"),
        "do_early_stopping_": Boolean(),
        "is_categorical_": BoolArray("d") | None,
        "n_trees_per_iteration_": Integer("o"),
        "n_iter_": Integer(),
        "seed_": Integer(),
        "train_score_": FloatArray("*"),
        "validation_score_": FloatArray("*"),
        "trees_": Object(BoostedTrees, d="d"),
    }

    # What subclasses write

    def _target(self, y: Any, n: int, first: bool) -> np.ndarray:
        """(n,) the targets as numbers; the first time also what is learned from them."""
        raise TypeError(f"{type(self).__name__} must define _target")

    def _loss(self) -> HistLoss:
        raise TypeError(f"{type(self).__name__} must define _loss")

    def _class_weights(self, counts: np.ndarray) -> np.ndarray | None:
        """(K,) what the rows of each class count, given how many there are; None if all count alike."""
        return None

    def _final_weights(self, w: np.ndarray | None, y: np.ndarray) -> np.ndarray | None:
        return w

    def _check_range(self, least: float, total: float) -> None:
        """Refuse targets that the loss does not take, by the smallest and the sum of them."""

    # Fitting

    @all_or_nothing
    def fit(
        self,
        X: TableLike,
        y: Target,
        sample_weight: Weights | None = None,
        *,
        X_val: TableLike | None = None,
        y_val: Target | None = None,
        sample_weight_val: Weights | None = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array or pandas, polars, pyarrow frame, (n, d)
        y : (n,) targets
        sample_weight : (n,) what each row counts; None counts each once
        X_val, y_val, sample_weight_val : rows to judge by when to stop, instead of a share of X

        X, y and sample_weight may be Dask collections: then the rows stay on the workers (see ``fit_blocks``).
        """
        self._check_parameters()
        if is_dask(X):
            if X_val is not None or y_val is not None:
                raise DataError(
                    f"{type(self).__name__}: X_val and y_val are for rows in memory; of a Dask collection, "
                    "validation_fraction holds rows out."
                )
            self._fit_dask(X, y, sample_weight)
            return self
        again = self.warm_start and hasattr(self, "trees_")
        values = self._admit(X, fitting=not again)
        target = self._target(y, len(values), not again)
        w = self._final_weights(check_weights(sample_weight, values), target)
        if not again:
            self._begin()
        judge = self._given_judge(X_val, y_val, sample_weight_val)
        self.do_early_stopping_ = (
            len(values) > 10_000 if self.early_stopping == "auto" else bool(self.early_stopping)
        )
        train = BoostingRows(values, target, w, np.empty((0, 0)))
        if self.do_early_stopping_ and judge is None and self.validation_fraction is not None:
            train, judge = self._cut(train)
        self._boost(train, judge if self.do_early_stopping_ else None, again)
        return self

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        if fitting:
            who = type(self).__name__
            X = Table.of(X, who=who, infinite=True)
            kinds = nominal_columns(self.categorical_features, X.schema, who)
            X = Table.of(X, kinds, who) if kinds else X  # type: ignore[arg-type]
        return super()._admit(X, fitting)

    def _begin(self) -> None:
        """What a fit from scratch decides once and a warm start keeps."""
        nominal = np.array([c.kind == "nominal" for c in self.schema_])
        self.is_categorical_ = nominal if nominal.any() else None
        self.seed_ = int(random_state_of(self.random_state).randint(np.iinfo(np.uint32).max, dtype="u8"))
        for name in ("trees_", "history_", "train_score_", "validation_score_", "baseline_"):
            if hasattr(self, name):
                delattr(self, name)

    def _given_judge(self, X: Any, y: Any, w: Any) -> BoostingRows | None:
        if X is None and y is None:
            return None
        who = type(self).__name__
        if y is None:
            raise DataError(f"{who}: X_val is provided, but y_val was not provided.")
        if X is None:
            raise DataError(f"{who}: y_val is provided, but X_val was not provided.")
        if self.early_stopping is False:
            raise DataError(
                f"{who}: X_val and y_val are passed to fit while at the same time early_stopping is False. Set it to "
                "'auto' or True."
            )
        values = self._admit(X)
        return BoostingRows(
            values, self._target(y, len(values), False), check_weights(w, values), np.empty((0, 0))
        )

    def _cut(self, rows: BoostingRows) -> tuple[BoostingRows, BoostingRows]:
        """Some of the rows to learn from, and others to judge by; classes in proportion."""
        who, labels = type(self).__name__, getattr(self, "classes_", None)
        strata = None if labels is None else rows.y.astype(np.intp)
        remedy = "set early_stopping=False, or pass X_val and y_val to fit"
        parts = set_aside(len(rows.y), self.validation_fraction, self.seed_, who, remedy, strata, labels)
        if rows.w is not None and not all(rows.w[some].any() for some in parts):
            raise DegenerateError(
                f"{who}: all rows to learn from, or all that are set aside to judge by, weigh 0. Leave rows of weight "
                f"0 out, or {remedy}."
            )
        learn, judge = (
            BoostingRows(rows.X[some], rows.y[some], None if rows.w is None else rows.w[some], rows.raw)
            for some in parts
        )
        return learn, judge

    def _constraints(self, loss: HistLoss, n_categories: np.ndarray) -> tuple[np.ndarray, list[list[int]]]:
        """Signs of monotonic columns, and groups of columns that may meet."""
        who = type(self).__name__
        signs = monotonic_signs(self.monotonic_cst, self.schema_, n_categories > 0, who)
        if signs.any() and loss.classes > 1:
            raise ParameterError(
                f"{who}: monotonic constraints are not supported for multiclass classification."
            )
        return signs, interaction_groups(self.interaction_cst, len(self.schema_), who)

    def _limits(self) -> Limits:
        return Limits(
            self.max_leaf_nodes,
            self.max_depth,
            self.min_samples_leaf,
            self.l2_regularization,
            self.max_features,
        )

    def _start(self, loss: HistLoss, baseline: np.ndarray, n_categories: np.ndarray) -> None:
        """A model without trees."""
        self.n_trees_per_iteration_, self.n_iter_, self.history_ = loss.classes, 0, []
        self.baseline_ = baseline
        self.trees_ = BoostedTrees.of([], n_categories)
        self.train_score_, self.validation_score_ = np.empty(0), np.empty(0)

    def _boost(self, train: BoostingRows, judge: BoostingRows | None, again: bool) -> None:
        who, loss = type(self).__name__, self._loss()
        n_categories = self.schema_.category_counts(ordered=False)
        signs, groups = self._constraints(loss, n_categories)
        if not again:
            self._start(loss, loss.start(train.y, train.w), n_categories)
        elif self.max_iter < self.n_iter_:
            raise ParameterError(
                f"{who}: max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when "
                "warm_start==True."
            )
        for rows in (train, judge):
            if rows is not None:
                rows.raw = self._scores(rows.X, self.trees_)
        bins = find_bins(train.X, n_categories, int(self.max_bins), train.w, self.seed_)
        boosting = Boosting(
            bins, bins.codes(train.X), train.y, train.w, train.raw, loss, self._limits(), signs, groups
        )
        watch = _Watch(self, train, judge) if self.do_early_stopping_ else None
        self._rounds(boosting, watch, n_categories, again)

    def _rounds(
        self, boosting: Boosting | PassBoosting, watch: _Watch | None, n_categories: Any, again: bool
    ) -> None:
        """Trees one round after the other, until there are enough or the score has stopped growing."""
        grown: list[Grown] = []
        before = self.trees_
        if watch is not None and not again:
            watch.look()
        K, seeds = self.n_trees_per_iteration_, np.random.SeedSequence(self.seed_)
        with progress(total=self.max_iter - self.n_iter_, description="boosting rounds") as bar:
            for iteration in range(self.n_iter_, self.max_iter):
                numbers = np.random.SeedSequence(seeds.entropy, spawn_key=(iteration,)).generate_state(
                    K, np.uint64
                )
                trees = boosting.round(float(self.learning_rate), numbers.tolist())
                if trees is None or not all(np.isfinite(tree.number[tree.leaf]).all() for tree in trees):
                    raise DegenerateError(
                        f"{type(self).__name__}: the scores overflow after {iteration} rounds. Lower learning_rate, or "
                        "bring the targets and weights to a smaller range."
                    )
                grown += trees
                self.n_iter_ = iteration + 1
                record: dict[str, Any] = {
                    "iteration": iteration + 1,
                    "leaves": sum(len(tree.leaf) for tree in trees),
                    "depth": max(tree.depth for tree in trees),
                }
                self.history_.append(record)
                bar.advance()
                if watch is None:
                    continue
                watch.follow(trees)
                if not watch.by_loss:
                    self.trees_ = BoostedTrees.of(grown, n_categories, before)
                watch.look()
                record |= watch.latest()
                if watch.enough():
                    break
        self.trees_ = BoostedTrees.of(grown, n_categories, before)

    # Rows that come in blocks

    def _survey(self, block: Block) -> Any:
        who = type(self).__name__
        if not row_count(block.X, who):
            return super()._survey(block)
        table = Table.of(block.X, who=who, infinite=True)
        kinds = nominal_columns(self.categorical_features, table.schema, who)
        table = Table.of(table, kinds, who) if kinds else table  # type: ignore[arg-type]
        return super()._survey(block._replace(X=table))

    def _learn_from(self, source: Source) -> None:
        who = type(self).__name__
        if self.warm_start and hasattr(self, "trees_"):
            raise ParameterError(
                f"{who}: warm_start=True goes on with rows in memory only; set warm_start=False to learn from blocks."
            )
        if self.scoring != "loss" and self.early_stopping is not False:
            raise ParameterError(
                f"{who}: from blocks and on a cluster, early stopping goes by the loss; set scoring='loss' or "
                f"early_stopping=False, got scoring={self.scoring!r}."
            )
        self._begin()
        loss, n_categories = self._loss(), self.schema_.category_counts(ordered=False)
        signs, groups = self._constraints(loss, n_categories)
        kept, bins, missing, totals, start = keep_rows(self, source, loss, n_categories)
        with kept:
            boosting = PassBoosting(
                kept,
                bins,
                missing,
                totals.rows,
                totals.heaviest if totals.weighted else None,
                loss,
                self._limits(),
                signs,
                groups,
                watched=self.do_early_stopping_,
                rounds=int(self.max_iter),
            )
            self._start(loss, boosting.start_by_passes() if start is None else start, n_categories)
            watch = _PassWatch(self, boosting, totals) if self.do_early_stopping_ else None
            self._rounds(boosting, watch, n_categories, again=False)

    # Answers

    def _scores(self, X: np.ndarray, trees: BoostedTrees, start: bool = True) -> np.ndarray:
        """(K, n) scores of rows; without the start only what the trees add."""
        K = self.n_trees_per_iteration_
        out = np.empty((len(X), K))
        out[:] = self.baseline_ if start else 0.0
        return np.ascontiguousarray(trees.add_scores(X, out).T)

    def _raw(self, X: np.ndarray) -> np.ndarray:
        """(n, K) scores of rows."""
        out = np.empty((len(X), len(self.baseline_)))
        out[:] = self.baseline_
        return self.trees_.add_scores(X, out)

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        """(n, K) scores after each round."""
        values = self._admit(X)
        K = self.n_trees_per_iteration_
        out = np.empty((len(values), K))
        out[:] = self.baseline_
        for t in range(0, self.trees_.n_trees, K):
            self.trees_.add_scores(values, out, t, t + K)
            yield out.copy()

    @property
    def feature_importances_(self) -> np.ndarray:
        """(d,) how much the tests of each column lower the training loss, in shares of the whole."""
        self._ready()
        gains = self.trees_.gains()
        return gains / gains.sum() if gains.sum() > 0 else gains

    def contributions(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """What each column adds to the scores of each row: exact Shapley values.

        Returns
        -------
        (n, d, K) contributions and (K,) base scores; the base plus the sum over columns is the score
        """
        from assay.trees.shap import contributions

        values = self._admit(X)
        K = self.n_trees_per_iteration_
        trees = [self.trees_.tree(t) for t in range(self.trees_.n_trees)]
        phi, base = contributions(trees, values, output=np.arange(len(trees)) % K, n_outputs=K)
        return phi, base + self.baseline_

    def _add_up(self, X: np.ndarray, rows: RowValues, outputs: list[str], chosen: np.ndarray) -> Reasons:
        """What each column adds to the scores of a block; ``chosen`` is the score that explains each answer."""
        phi, base = self.contributions(Table(X, self.schema_, None))
        return column_reasons(Contributions(phi, base, self.schema_.names, outputs, chosen), rows)


class _Watch:
    """Scores of the rows learned from and of those to judge by, and whether they still grow."""

    def __init__(self, model: HistBoosting, train: BoostingRows, judge: BoostingRows | None):
        from sklearn.metrics import check_scoring

        self.model, self.train, self.judge = model, train, judge
        self.by_loss = model.scoring == "loss"
        if not self.by_loss:
            self.scorer = check_scoring(model, model.scoring)
            self.few = self._few()

    def _few(self) -> BoostingRows:
        """Rows that stand for the training data: a scorer goes through all trees each time."""
        from sklearn.utils import resample

        rows, labels = self.train, hasattr(self.model, "classes_")
        if len(rows.y) <= MAX_SCORED:
            return rows
        some = resample(
            np.arange(len(rows.y)),
            n_samples=MAX_SCORED,
            replace=False,
            random_state=self.model.seed_,
            stratify=rows.y if labels else None,
        )
        return BoostingRows(rows.X[some], rows.y[some], None if rows.w is None else rows.w[some], rows.raw)

    def look(self) -> None:
        model = self.model
        model.train_score_ = np.append(
            model.train_score_, self._score(self.train if self.by_loss else self.few)
        )
        if self.judge is not None:
            model.validation_score_ = np.append(model.validation_score_, self._score(self.judge))

    def _score(self, rows: BoostingRows) -> float:
        model = self.model
        if self.by_loss:
            return -model._loss().mean(rows.raw, rows.y, rows.w)
        y = model.classes_[rows.y.astype(np.intp)] if hasattr(model, "classes_") else rows.y
        X = Table(rows.X, model.schema_, None)
        return float(
            self.scorer(model, X, y) if rows.w is None else self.scorer(model, X, y, sample_weight=rows.w)
        )

    def follow(self, trees: list[Grown]) -> None:
        """Take note of the trees of a round."""
        if self.judge is not None and self.by_loss:
            some = BoostedTrees.of(trees, self.model.trees_.n_categories)
            self.judge.raw += self.model._scores(self.judge.X, some, start=False)

    def latest(self) -> dict[str, float]:
        model = self.model
        scores = {"train_score": float(model.train_score_[-1])}
        return (
            scores
            if self.judge is None
            else scores | {"validation_score": float(model.validation_score_[-1])}
        )

    def enough(self) -> bool:
        """Whether none of the latest scores is better than the one before them, by more than tol."""
        model = self.model
        scores = model.train_score_ if self.judge is None else model.validation_score_
        back = model.n_iter_no_change + 1
        return len(scores) >= back and not (scores[-back + 1 :] > scores[-back] + model.tol).any()


class _PassWatch(_Watch):
    """The same of rows in blocks, by the losses that the rounds give."""

    def __init__(self, model: HistBoosting, boosting: PassBoosting, totals: Totals):
        self.model, self.boosting, self.totals = model, boosting, totals
        self.by_loss, self.judge = True, totals.held_rows or None  # type: ignore[assignment]

    def look(self) -> None:
        model = self.model
        learned, held = self.boosting.look()
        model.train_score_ = np.append(model.train_score_, -learned / self.totals.weight)
        if self.judge is not None:
            model.validation_score_ = np.append(model.validation_score_, -held / self.totals.held_weight)

    def follow(self, trees: list[Grown]) -> None:
        pass
